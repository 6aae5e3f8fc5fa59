/* local_volumes.c - see local_volumes.h. SPDX-License-Identifier: MIT */
#include "laws/local_volumes.h"

#include <math.h>

#include "base/ckd.h"
#include "device/device_internal.h"

/* A square is computed as a product, which is rounded correctly; pow need not be. */
static double power(double base, double exponent) { return exponent == 2 ? base * base : pow(base, exponent); }

/* Share of touched data that is evicted before its reuse: half of a working set that just fits. */
static double gone(const wl_device *device, double bytes, double room)
{
    const double steepness = wl_device_or(device, WL_DEVICE_local_l2_steepness, 0);
    return bytes > 0 ? exp(-log(2) * power(room / bytes, steepness)) : 0;
}

static double l1_misses(const wl_local *l, const wl_geometry *g, const wl_device *device)
{
    const double sms = (double)wl_min(g->blocks, wl_device_int(device, WL_DEVICE_sm_count));
    const double over = l->resident_bytes / sms / (double)wl_max(1, g->occupancy.l1_bytes);
    const double half = wl_device_list_value(device, WL_DEVICE_local_l1_curve, 0),
                 exponent = wl_device_list_value(device, WL_DEVICE_local_l1_curve, 1);
    return over > 0 ? 1 / (1 + power(half / over, exponent)) : 0;
}

/* Partial writes: as those of fields whose sectors are all completed later (traffic_laws.c). */
static void add_requests(const wl_local *l, double loaded, wl_requests *out)
{
    const double pieces = l->sectors[1] - l->full, together = l->lines > 0 ? fmax(1, l->sectors[1] / l->lines) : 1;
    out->read_units += loaded;
    out->written_units += l->sectors[1] > 0 ? l->units[1] * l->full / l->sectors[1] : 0;
    out->pieces += pieces / sqrt(together);
    out->lone_pieces += pieces / sqrt(together) * fmax(0, 2 - together);
}

void wl_local_volumes(const wl_local *l, const wl_geometry *g, const wl_device *device, wl_volumes *out)
{
    const double sector = (double)wl_device_int(device, WL_DEVICE_l1_sector);
    const double fetch = (double)wl_device_int(device, WL_DEVICE_dram_fetch);
    const double l2 = (double)wl_device_int(device, WL_DEVICE_l2_size);
    const double room = l2 / (double)wl_device_int(device, WL_DEVICE_l2_partitions);
    wl_volume *v = &out->local;
    if (l->inst[0] + l->inst[1] <= 0)
        return;
    const double missing = l1_misses(l, g, device), from_memory = gone(device, l->resident_bytes, l2);
    v->l2_capacity = missing * l->sectors[0] * sector;
    v->l2_store = l->sectors[1] * sector;
    v->dram_capacity = from_memory * missing * l->units[0] * fmax(fetch, sector);
    v->dram_store = gone(device, l->resident_bytes, room) * fmax(0, v->l2_store - fmin(l->resident_bytes, room));
    out->total.l2_capacity += v->l2_capacity;
    out->total.l2_store += v->l2_store;
    out->total.dram_capacity += v->dram_capacity;
    out->total.dram_store += v->dram_store;
    add_requests(l, missing * l->units[0], &out->requests);
    /* single sectors lie in DRAM rows of their own; a partially written one that was evicted is
     * read and written */
    const double lone_loads = l->units[0] > 0 ? fmax(0, 2 - l->sectors[0] / l->units[0]) : 0;
    const double lone_stores = l->sectors[1] > 0 ? 1 - l->full / l->sectors[1] : 0;
    out->requests.cleaned +=
        lone_loads * v->dram_capacity / fmax(fetch, sector) / 2 + from_memory * lone_stores * v->dram_store / sector;
}

/* local_volumes.c - see local_volumes.h. SPDX-License-Identifier: MIT */
#include "laws/local_volumes.h"

#include <math.h>

#include "base/ckd.h"
#include "device/device_internal.h"
#include "laws/reloads.h"

/* The share of loads that miss the L1, by the law of fields. */
static double l1_misses(const wl_local *l, const wl_geometry *g, const wl_device *device)
{
    const double sms = (double)wl_min(g->blocks, wl_device_int(device, WL_DEVICE_sm_count));
    return wl_reloads_gone_in_passes(l->resident_bytes / sms / (double)wl_max(1, g->occupancy.l1_bytes));
}

/* Partial writes: as those of fields whose sectors are all completed later (traffic_laws.c). */
static void add_requests(const wl_local *l, double loaded, wl_requests *out)
{
    const double pieces = l->sectors[1] - l->full, together = l->lines > 0 ? fmax(1, l->sectors[1] / l->lines) : 1;
    out->read_units += loaded;
    out->written_units += l->sectors[1] > 0 ? l->units[1] * l->full / l->sectors[1] : 0;
    out->pieces += pieces / cbrt(together);
    out->lone_pieces += pieces / cbrt(together) * fmax(0, 2 - together);
}

void wl_local_volumes(const wl_local *l, const wl_geometry *g, const wl_device *device, const wl_laws *laws,
                      wl_volumes *out)
{
    const double sector = (double)wl_device_int(device, WL_DEVICE_l1_sector);
    const double fetch = (double)wl_device_int(device, WL_DEVICE_dram_fetch);
    wl_volume *v = &out->local;
    if (l->inst[0] + l->inst[1] <= 0)
        return;
    /* between two uses of a line, all lines are stored once, and loaded where they miss the L1 */
    const double missing = l1_misses(l, g, device), used = l->resident_bytes;
    const double from_memory = wl_laws_evicted(laws, missing * used, 1, used, 1);
    v->l2_capacity = missing * l->sectors[0] * sector;
    v->l2_store = l->sectors[1] * sector;
    v->dram_capacity = from_memory * missing * l->units[0] * fmax(fetch, sector);
    v->dram_store = from_memory * fmax(0, v->l2_store - fmin(used, laws->room));
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

/* local.c - see local.h. SPDX-License-Identifier: MIT */
#include "metrics/local.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "device/device_internal.h"

#define WORD 4   /* bytes of a lane that lie together */
#define LANES 32 /* whose words lie side by side */
#define WARPS_MAX 64

/* Measured on an H200, arrays of 8 to 512 words: half of the loads miss at HALF_L1 times the L1, and the share grows
 * with this power. The L2 loses half of what fills it once. */
#define HALF_L1 1.67
#define L1_POWER 3
#define L2_POWER 2

/* ---- counts ---- */

/* Words of a thread that some lane of a warp has touched. */
typedef struct words {
    uint8_t *seen;
    int64_t room;
} words;

typedef struct tally {
    const wl_l1_rules *rules;
    wl_local sum;
    words warps[WARPS_MAX];
    double lines; /* distinct in each warp */
} tally;

static wl_status see(tally *t, uint32_t warp, int64_t word, wl_error *err)
{
    words *w = &t->warps[warp % WARPS_MAX];
    if (word >= w->room) {
        const int64_t room = wl_max(2 * w->room, word + 64);
        uint8_t *larger = realloc(w->seen, (size_t)room);
        if (!larger)
            return wl_fail_memory(err);
        memset(larger + w->room, 0, (size_t)(room - w->room));
        w->seen = larger;
        w->room = room;
    }
    t->lines += !w->seen[word];
    w->seen[word] = 1;
    return WL_OK;
}

/* One word of each lane: wider accesses are as many. */
static wl_status add_words(tally *t, const wl_local_touch *touch, int first, wl_error *err)
{
    wl_warp_access a = {.width = (int32_t)wl_min(WORD, touch->bytes)};
    for (uint64_t left = touch->lanes; left; left &= left - 1) {
        const int lane = __builtin_ctzll(left);
        const int64_t at = touch->offset[a.count] + first;
        WL_TRY(see(t, touch->warp, at / WORD, err));
        a.lane[a.count] = (uint8_t)lane;
        a.address[a.count++] = at / WORD * WORD * LANES + lane * WORD + at % WORD;
    }
    const wl_warp_written w = wl_warp_write(t->rules, &a);
    const int hit = wl_warp_hit_wavefronts(t->rules, &a);
    const int tag = t->rules->has_hash ? wl_warp_tag_cost(t->rules, &a).tag : 0;
    t->sum.wavefronts[touch->store] += hit > tag ? hit : tag;
    t->sum.sectors[touch->store] += w.sectors;
    t->sum.units[touch->store] += w.units;
    t->sum.full += touch->store ? w.full : 0;
    t->sum.lines += touch->store ? w.lines : 0;
    return WL_OK;
}

/* NULL: the block ends, and other warps follow. */
static wl_status add_touch(void *user, const wl_local_touch *touch, wl_error *err)
{
    tally *t = user;
    for (int i = 0; i < WARPS_MAX && !touch; i++)
        if (t->warps[i].seen)
            memset(t->warps[i].seen, 0, (size_t)t->warps[i].room);
    if (!touch)
        return WL_OK;
    t->sum.inst[touch->store]++;
    for (int first = 0; first < touch->bytes; first += WORD)
        WL_TRY(add_words(t, touch, first, err));
    return WL_OK;
}

static void scale(wl_local *l, double by)
{
    for (int i = 0; i < 2; i++) {
        l->inst[i] *= by;
        l->wavefronts[i] *= by;
        l->sectors[i] *= by;
        l->units[i] *= by;
    }
    l->full *= by;
    l->lines *= by;
}

wl_status wl_local_count(const wl_kernel *kernel, const wl_geometry *g, const wl_l1_rules *rules, wl_local *out,
                         wl_error *err)
{
    tally t = {.rules = rules};
    int64_t blocks = 0;
    *out = (wl_local){0};
    if (!kernel->stream.local)
        return WL_OK;
    const wl_status status =
        kernel->stream.local(kernel->stream.context, g->block, g->grid_dim, add_touch, &t, &blocks, err);
    for (int i = 0; i < WARPS_MAX; i++)
        free(t.warps[i].seen);
    if (status != WL_OK || blocks == 0)
        return status;
    *out = t.sum;
    scale(out, (double)g->blocks / (double)blocks);
    out->resident_bytes = t.lines / (double)blocks * (double)(WORD * LANES) * (double)wl_min(g->blocks, g->wave_blocks);
    return WL_OK;
}

/* ---- volumes ---- */

/* Share of what is touched that is gone before it is touched again. */
static double gone(double bytes, double room) { return bytes > 0 ? exp(-log(2) * pow(room / bytes, L2_POWER)) : 0; }

static double l1_misses(const wl_local *l, const wl_geometry *g, const wl_device *device)
{
    const double sms = (double)wl_min(g->blocks, wl_device_int(device, WL_DEVICE_sm_count));
    const double over = l->resident_bytes / sms / (double)wl_max(1, g->occupancy.l1_bytes);
    return over > 0 ? 1 / (1 + pow(HALF_L1 / over, L1_POWER)) : 0;
}

/* Writes that leave a sector incomplete: as those of fields, where others follow all of them (laws.c). */
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
    const double missing = l1_misses(l, g, device), from_memory = gone(l->resident_bytes, l2);
    v->l2_capacity = missing * l->sectors[0] * sector;
    v->l2_store = l->sectors[1] * sector;
    v->dram_capacity = from_memory * missing * l->units[0] * fmax(fetch, sector);
    v->dram_store = gone(l->resident_bytes, room) * fmax(0, v->l2_store - fmin(l->resident_bytes, room));
    out->total.l2_capacity += v->l2_capacity;
    out->total.l2_store += v->l2_store;
    out->total.dram_capacity += v->dram_capacity;
    out->total.dram_store += v->dram_store;
    add_requests(l, missing * l->units[0], &out->requests);
    /* single sectors lie in rows of their own; one that is written in part, and gone, is read and written */
    const double lone_loads = l->units[0] > 0 ? fmax(0, 2 - l->sectors[0] / l->units[0]) : 0;
    const double lone_stores = l->sectors[1] > 0 ? 1 - l->full / l->sectors[1] : 0;
    out->requests.random +=
        lone_loads * v->dram_capacity / fmax(fetch, sector) + 2 * from_memory * lone_stores * v->dram_store / sector;
}

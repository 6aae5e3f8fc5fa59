/* common_walk.c - see common_walk.h. SPDX-License-Identifier: MIT */
#include "model/common_walk.h"

#include <math.h>

#include "base/fail.h"
#include "base/ckd.h"
#include "device/device_internal.h"
#include "kernel/program.h"
#include "launch/lanes.h"

#define STEPS 64     /* the most loop steps that are evaluated */
#define SECTORS 4096 /* the most sectors in all; the set has twice as many slots */
#define WARPS 64     /* the most warps that are compared */

typedef struct sectors {
    int shift;
    double asked, fresh;
    int64_t slots[2 * SECTORS]; /* 1 + number of a sector; 0: empty */
} sectors;

static bool is_new(sectors *s, int64_t number)
{
    const uint64_t hash = (uint64_t)number * 0x9e3779b97f4a7c15u;
    for (uint64_t at = hash >> 32;; at++) {
        int64_t *slot = &s->slots[at % (2 * SECTORS)];
        if (*slot == number + 1)
            return false;
        if (*slot == 0) {
            *slot = number + 1;
            return true;
        }
    }
}

/* Neighbouring lanes mostly share a sector: an instruction requests each once. */
static wl_status add_sectors(void *context, const int64_t *addresses, const uint8_t *which, int lanes, wl_error *err)
{
    sectors *s = context;
    (void)which, (void)err;
    for (int i = 0; i < lanes && s->fresh < SECTORS; i++) {
        const int64_t number = addresses[i] >> s->shift;
        if (i > 0 && number == addresses[i - 1] >> s->shift)
            continue;
        s->asked += 1;
        s->fresh += is_new(s, number);
    }
    return WL_OK;
}

static wl_status first_lane(void *context, const int64_t *addresses, const uint8_t *which, int lanes, wl_error *err)
{
    (void)which, (void)err;
    if (lanes > 0)
        *(int64_t *)context = addresses[0];
    return WL_OK;
}

bool wl_access_walks(const wl_costs *costs, size_t access)
{
    const wl_kernel *k = costs->kernel;
    const wl_access *a = &k->accesses[access];
    const uint32_t loops = k->loop_count > 0 ? wl_access_vars(a) >> WL_VAR_LOOP_0 : 0;
    return !a->store && costs->access[access].inst > 0 && (loops & ((1u << k->loop_count) - 1)) != 0;
}

typedef struct walker {
    const wl_geometry *geometry;
    int warp_size;
    /* multiprocessors; blocks of a wave, at least 1; a block that is not at an edge */
    int64_t sms, wave, middle;
    wl_program program;
    bool guarded;
} walker;

/* The lanes of warp `warp` of a block; 0: it has nothing to do. */
static int fill(const walker *w, int64_t block, int64_t warp, wl_lane_values *values)
{
    wl_warp_id id = {.first_thread = warp * w->warp_size};
    int64_t fold[3], hi[3];
    uint8_t lane[WL_LANES_MAX];
    wl_block_at(w->geometry, block, id.block);
    wl_folds_named(w->geometry, wl_access_vars(w->program.access), w->guarded, fold, hi);
    return wl_lanes_fill(w->geometry, &id, w->warp_size, fold, values, lane);
}

/* The number of different first sectors of these warps; warps without work do not count. */
typedef struct starts {
    int warps, distinct;
    int64_t seen[WARPS];
} starts;

static wl_status add_start(walker *w, int64_t block, int64_t warp, int shift, starts *s, wl_error *err)
{
    wl_lane_values values;
    int64_t address = INT64_MIN;
    if (s->warps >= WARPS || fill(w, block, warp, &values) == 0)
        return WL_OK;
    WL_TRY(wl_program_run_first(&w->program, &values, first_lane, &address, err));
    if (address == INT64_MIN)
        return WL_OK;
    s->warps++;
    for (int i = 0; i < s->distinct; i++)
        if (s->seen[i] == address >> shift)
            return WL_OK;
    s->seen[s->distinct++] = address >> shift;
    return WL_OK;
}

/* Blocks are assigned to multiprocessors in turn. Compares some blocks of the GPU, evenly spaced in
 * the wave. */
static wl_status find_together(walker *w, int shift, double together[2], wl_error *err)
{
    const int64_t warps = wl_ceil_div(w->geometry->threads, w->warp_size), sampled = wl_min(WARPS, w->wave);
    starts near = {0}, far = {0};
    int in_block = 1; /* different start sectors among the warps of one block */
    for (int64_t b = w->middle; b < w->wave; b += w->sms) {
        for (int64_t i = 0; i < warps; i++)
            WL_TRY(add_start(w, b, i, shift, &near, err));
        in_block = b == w->middle && near.distinct > 0 ? near.distinct : in_block;
    }
    for (int64_t i = 0; i < sampled; i++)
        WL_TRY(add_start(w, i * w->wave / sampled, warps / 2, shift, &far, err));
    together[0] = near.distinct > 0 ? (double)near.warps / near.distinct : 1;
    const bool few = 2 * far.distinct < far.warps; /* otherwise they are a sample */
    const double streams = (few ? 1 : (double)w->wave / (double)sampled) * far.distinct * in_block;
    together[1] = fmax(together[0], (double)w->wave * (double)warps / fmax(1, streams));
    return WL_OK;
}

wl_status wl_common_walk_find(const wl_costs *costs, const wl_geometry *g, size_t field, wl_arena *scratch,
                              wl_common_walk *out, wl_error *err)
{
    const wl_kernel *k = costs->kernel;
    const int64_t sms = wl_max(1, wl_device_int(costs->device, WL_DEVICE_sm_count)), wave = wl_max(1, g->wave_blocks);
    sectors *seen = NULL;
    int64_t steps[WL_LOOPS_MAX];
    *out = (wl_common_walk){0};
    for (size_t a = 0; a < k->access_count; a++) {
        if ((size_t)k->accesses[a].field != field || k->accesses[a].traced || !wl_access_walks(costs, a))
            continue;
        walker w = {.geometry = g,
                    .warp_size = costs->rules->warp_size,
                    .sms = sms,
                    .wave = wave,
                    .middle = wl_min(wave - 1, sms / 2),
                    .guarded = k->guarded_cells};
        WL_TRY(wl_program_make(k, &k->accesses[a], scratch, &w.program, err));
        int64_t left = STEPS;
        for (int l = k->loop_count - 1; l >= 0; l--) {
            steps[l] = w.program.uses_loop[l] ? wl_min(k->loop_extent[l], left) : k->loop_extent[l];
            left = w.program.uses_loop[l] ? wl_max(1, left / wl_max(1, steps[l])) : left;
        }
        w.program.steps = steps;
        if (!seen) {
            seen = WL_ARENA_NEW(scratch, sectors, 1);
            if (!seen)
                return wl_fail_memory(err);
            seen->shift = costs->rules->sector_shift;
            WL_TRY(find_together(&w, seen->shift, out->together, err));
        }
        wl_lane_values values;
        if (fill(&w, w.middle, 0, &values) > 0)
            WL_TRY(wl_program_run(&w.program, &values, add_sectors, seen, err));
    }
    out->fresh = seen && seen->asked > 0 ? seen->fresh / seen->asked : 0;
    return WL_OK;
}

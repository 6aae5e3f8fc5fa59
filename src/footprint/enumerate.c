/* enumerate.c - footprints of accesses that are not affine: every thread, every loop step, one by one.
 * SPDX-License-Identifier: MIT */
#include "base/ckd.h"
#include "base/fail.h"
#include "footprint/count.h"
#include "kernel/program.h"
#include "launch/lanes.h"

#define LANES 64 /* threads evaluated together; any number serves */

typedef struct walk {
    wl_granules *granules;
    const wl_region *region;
    wl_program *programs;
    size_t count;
    int shift; /* log2 of the granule */
    int32_t width;
    int64_t before; /* granule added last */
} walk;

static wl_status add_addresses(void *context, const int64_t *addresses, int lanes, wl_error *err)
{
    walk *w = context;
    for (int i = 0; i < lanes; i++) {
        const int64_t first = addresses[i] >> w->shift, last = (addresses[i] + w->width - 1) >> w->shift;
        if (first == w->before && last == first)
            continue; /* neighbouring lanes mostly share a granule */
        w->before = last;
        if (!wl_granules_add(w->granules, first, last))
            return wl_fail(err, WL_E_LIMIT, WL_NOWHERE, "the footprint of one field is too scattered to count");
    }
    return WL_OK;
}

static wl_status run_block(walk *w, const int64_t block[3], wl_error *err)
{
    const wl_geometry *g = w->region->geometry;
    wl_lane_values values;
    uint8_t lane[WL_LANES_MAX];
    int64_t f[3];
    const int64_t first = w->region->first_thread, wanted = w->region->thread_count;
    const int64_t end = wanted ? wl_min(first + wanted, g->threads) : g->threads;
    for (int64_t thread = first; thread < end; thread += LANES) {
        const wl_warp_id warp = {{block[0], block[1], block[2]}, thread};
        const int lanes = (int)wl_min(LANES, end - thread);
        for (f[2] = 0; f[2] < g->fold[2]; f[2]++)
            for (f[1] = 0; f[1] < g->fold[1]; f[1]++)
                for (f[0] = 0; f[0] < g->fold[0]; f[0]++) {
                    if (wl_lanes_fill(g, &warp, lanes, f, &values, lane) == 0)
                        continue;
                    for (size_t i = 0; i < w->count; i++) {
                        w->width = w->programs[i].access->width_bytes;
                        WL_TRY(wl_program_run(&w->programs[i], &values, add_addresses, w, err));
                    }
                }
    }
    return WL_OK;
}

static wl_status run_region(walk *w, wl_error *err)
{
    for (int i = 0; i < w->region->blocks.count; i++) {
        const wl_box3 *box = &w->region->blocks.boxes[i];
        int64_t b[3];
        for (b[2] = box->lo[2]; b[2] < box->hi[2]; b[2]++)
            for (b[1] = box->lo[1]; b[1] < box->hi[1]; b[1]++)
                for (b[0] = box->lo[0]; b[0] < box->hi[0]; b[0]++)
                    WL_TRY(run_block(w, b, err));
    }
    return WL_OK;
}

wl_status wl_threads_count(wl_counter *counter, const wl_bound *const *accesses, size_t count, const wl_region *region,
                           int64_t granule_bytes, bool want_covered, wl_count *out, wl_error *err)
{
    wl_arena arena = {0}; /* to know what is covered, single bytes are noted down */
    walk w = {.granules = &counter->granules,
              .region = region,
              .count = count,
              .shift = want_covered ? 0 : 63 - __builtin_clzll((unsigned long long)granule_bytes),
              .before = INT64_MIN,
              .programs = WL_ARENA_NEW(&arena, wl_program, count)};
    wl_status status = w.programs ? WL_OK : wl_fail(err, WL_E_NOMEM, WL_NOWHERE, "out of memory");
    for (size_t i = 0; i < count && status == WL_OK; i++)
        status = wl_program_make(region->kernel, accesses[i]->access, &arena, &w.programs[i], err);
    counter->method = WL_COUNT_THREADS;
    wl_granules_clear(&counter->granules);
    if (status == WL_OK)
        status = run_region(&w, err);
    wl_arena_free(&arena);
    *out = (wl_count){counter->granules.count, -1};
    if (want_covered)
        *out = (wl_count){wl_granules_touched(&counter->granules, granule_bytes),
                          wl_granules_full(&counter->granules, granule_bytes)};
    return status;
}

/* enumerate.c - footprints of accesses that are not affine: every thread, every loop step, one by one.
 * SPDX-License-Identifier: MIT */
#include "base/ckd.h"
#include "base/fail.h"
#include "footprint/count.h"
#include "launch/lanes.h"

#define LANES 64 /* threads evaluated together; any number serves */

typedef struct walk {
    wl_counter *counter;
    const wl_region *region;
    const wl_bound *const *accesses;
    size_t access_count;
    int64_t granule;
    uint32_t vars; /* what the accesses name */
    wl_lane_values values;
    uint8_t lane[WL_LANES_MAX];
    wl_error *err;
} walk;

static wl_status add_addresses(walk *w)
{
    for (size_t a = 0; a < w->access_count; a++) {
        const wl_access *access = w->accesses[a]->access;
        int64_t address[WL_LANES_MAX];
        WL_TRY(wl_access_addresses(w->region->kernel, access, &w->values, address, w->err));
        for (int i = 0; i < w->values.lanes; i++)
            if (!wl_granules_add(&w->counter->granules, wl_floor_div(address[i], w->granule),
                                 wl_floor_div(address[i] + access->width_bytes - 1, w->granule)))
                return wl_fail(w->err, WL_E_NOMEM, WL_NOWHERE, "out of memory");
    }
    return WL_OK;
}

/* All loop steps for the lanes at hand. */
static wl_status run_loops(walk *w, int loop)
{
    const wl_kernel *k = w->region->kernel;
    if (loop >= k->loop_count || loop >= WL_LOOPS_MAX)
        return add_addresses(w);
    const int64_t extent = w->vars & (1u << (WL_VAR_LOOP_0 + loop)) ? k->loop_extent[loop] : 1;
    for (int64_t i = 0; i < extent; i++) {
        for (int l = 0; l < w->values.lanes; l++)
            w->values.at[WL_VAR_LOOP_0 + loop][l] = i;
        WL_TRY(run_loops(w, loop + 1));
    }
    return WL_OK;
}

static wl_status run_block(walk *w, const int64_t block[3])
{
    const wl_geometry *g = w->region->geometry;
    int64_t f[3];
    for (int64_t thread = 0; thread < g->threads; thread += LANES) {
        const wl_warp_id warp = {{block[0], block[1], block[2]}, thread};
        for (f[2] = 0; f[2] < g->fold[2]; f[2]++)
            for (f[1] = 0; f[1] < g->fold[1]; f[1]++)
                for (f[0] = 0; f[0] < g->fold[0]; f[0]++)
                    if (wl_lanes_fill(g, &warp, LANES, f, &w->values, w->lane) > 0)
                        WL_TRY(run_loops(w, 0));
    }
    return WL_OK;
}

wl_status wl_threads_count(wl_counter *counter, const wl_bound *const *accesses, size_t count,
                           const wl_region *region, int64_t granule_bytes, wl_count *out, wl_error *err)
{
    walk w = {.counter = counter, .region = region, .accesses = accesses, .access_count = count,
              .granule = granule_bytes, .err = err};
    for (size_t i = 0; i < count; i++)
        w.vars |= wl_expr_vars(accesses[i]->access->index);
    counter->method = WL_COUNT_THREADS;
    wl_granules_clear(&counter->granules);
    for (int i = 0; i < region->blocks.count; i++) {
        const wl_box3 *box = &region->blocks.boxes[i];
        int64_t b[3];
        for (b[2] = box->lo[2]; b[2] < box->hi[2]; b[2]++)
            for (b[1] = box->lo[1]; b[1] < box->hi[1]; b[1]++)
                for (b[0] = box->lo[0]; b[0] < box->hi[0]; b[0]++)
                    WL_TRY(run_block(&w, b));
    }
    *out = (wl_count){counter->granules.count, -1};
    return WL_OK;
}

/* late_atomics.c - atomics on one address that a warp may execute without its first lane, and those
 * that are loops of compare-and-swap. See ptx_source.h.
 *
 * Compilers reduce such an atomic over the warp, and one lane executes it. A kernel file expresses
 * this with a condition: the first lane of each warp. That is right as long as the first lane is
 * active whenever any lane is; if not (`if (threadIdx.x > 14) atomicAdd(p, 1)`), the atomic is
 * traced, and the trace keeps the first lane that is active.
 * Layer  ptx/kernel. Oracle: tests/property/prop_ptx_predict.c. SPDX-License-Identifier: MIT */
#include "base/ckd.h"
#include "ptx/kernel/ptx_source.h"
#include "ptx/recover/loop_rolling.h"

/* warps evaluated for one condition; in larger launches, those of blocks spread over the grid */
#define WARPS_MOST 4096

/* Whether the cells of the launch are all in the domain. */
static bool is_whole(const wl_ptx_source *s)
{
    const wl_ptx_recovery *r = &s->recovery;
    bool whole = true;
    for (int d = 0; d < 3; d++)
        whole =
            whole && r->first[d] <= 0 && (r->domain[d] == 0 || r->domain[d] >= s->launch.grid[d] * s->launch.block[d]);
    return whole;
}

static bool is_one_address(const wl_ptx_source *s, const wl_ptx_thread_access *step)
{
    return !s->recovery.traced[step->instruction] && wl_ptx_is_uniform(step->address) &&
           wl_ptx_combines_lanes(&s->launch.entry->instructions[step->instruction]);
}

/* Whether the first active lane of a warp, if there is one, is not its first lane. */
static bool starts_late(const wl_ptx_source *s, const wl_ptx_thread_access *step, const int64_t block[3], int64_t warp)
{
    const wl_ptx_launch *l = &s->launch;
    const int64_t threads = l->block[0] * l->block[1] * l->block[2], first = warp * WL_PTX_LANES;
    for (int64_t t = first; t < threads && t < first + WL_PTX_LANES; t++) {
        int64_t values[WL_VAR_COUNT], holds = 1;
        wl_ptx_thread_values(l, block, t, values);
        if (!wl_ptx_in_domain(&s->recovery, values))
            continue;
        if (step->when && !wl_sym_eval(step->when, values, &holds))
            return true;
        if (holds)
            return t > first;
    }
    return false;
}

/* May some warp execute it without its first lane? In loops that recovery kept, the active lanes
 * may change from trip to trip: yes. */
static bool is_late(const wl_ptx_source *s, const wl_ptx_thread_access *step)
{
    const wl_ptx_launch *l = &s->launch;
    const int64_t blocks = l->grid[0] * l->grid[1] * l->grid[2],
                  warps = wl_ceil_div(l->block[0] * l->block[1] * l->block[2], WL_PTX_LANES);
    const int64_t n = wl_min(blocks, wl_max(8, WARPS_MOST / warps));
    for (int32_t i = step->loop; i >= 0 && step->when; i = s->recovery.loops[i].parent)
        if (wl_sym_vars(step->when) >> s->recovery.loops[i].var & 1)
            return true;
    for (int64_t i = 0; i < n * warps; i++) {
        int64_t block[3];
        wl_ptx_sample_block(l, i / warps, n, block);
        if (starts_late(s, step, block, i % warps))
            return true;
    }
    return false;
}

void wl_ptx_trace_late_atomics(wl_ptx_source *s)
{
    const wl_ptx_recovery *r = &s->recovery;
    const wl_symbol *seen = NULL; /* a condition that was checked already */
    bool any_seen = is_whole(s);  /* with `seen` NULL: no condition */
    for (size_t i = 0; i < r->step_count && !r->gave_up; i++) {
        const wl_ptx_thread_access *step = &r->steps[i];
        if (!is_one_address(s, step) || (any_seen && step->when == seen))
            continue;
        if (is_late(s, step)) {
            wl_ptx_trace(&s->recovery, step->instruction, (wl_ptx_cause){WL_PTX_WHY_OPERATION, step->instruction});
        } else {
            any_seen = true;
            seen = step->when;
        }
    }
}

void wl_ptx_trace_swaps(wl_ptx_source *s)
{
    const wl_ptx_recovery *r = &s->recovery;
    for (size_t i = 0; i < r->step_count && !r->gave_up; i++) {
        const int32_t at = r->steps[i].instruction;
        if (!r->traced[at] && wl_ptx_is_swap_loop(&s->launch.entry->instructions[at]))
            wl_ptx_trace(&s->recovery, at, (wl_ptx_cause){WL_PTX_WHY_SWAPS, at});
    }
}

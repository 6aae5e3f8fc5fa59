/* loop_runs.c - see loop_runs.h. SPDX-License-Identifier: MIT */
#include "count/loop_runs.h"

#include <string.h>

#include "base/ckd.h"
#include "kernel/program.h"

#define RUN_GROWTH 4 /* growth factor of the run length */

/* The nest of `loop`: loops that share an access with it, directly or through other loops. Loops
 * outside the nest run alongside: where the compiler unrolled or peeled a loop for one field and
 * not for another, recovery writes it as several loops. */
static uint32_t nest_of(const wl_kernel *kernel, int loop)
{
    const uint32_t loops = (1u << kernel->loop_count) - 1;
    uint32_t nest = 1u << loop, before = 0;
    while (nest != before) {
        before = nest;
        for (size_t a = 0; a < kernel->access_count; a++) {
            const uint32_t own = wl_access_vars(&kernel->accesses[a]) >> WL_VAR_LOOP_0 & loops;
            nest |= own & nest ? own : 0;
        }
    }
    return nest;
}

static double steps_in(const wl_kernel *kernel, uint32_t nest)
{
    double steps = 1;
    for (int l = 0; l < kernel->loop_count; l++)
        steps *= nest >> l & 1 ? (double)kernel->loop_extent[l] : 1;
    return steps;
}

/* The nest with most steps. */
static uint32_t longest_nest(const wl_kernel *kernel)
{
    uint32_t longest = 0;
    for (int l = kernel->loop_count; l-- > 0;) {
        const uint32_t nest = nest_of(kernel, l);
        longest = longest == 0 || steps_in(kernel, nest) > steps_in(kernel, longest) ? nest : longest;
    }
    return longest;
}

/* Loops outside the longest nest have completed the same share of their steps. */
static void keep_up(const wl_kernel *kernel, uint32_t longest, int64_t extents[WL_LOOPS_MAX])
{
    double share = 1;
    for (int l = 0; l < kernel->loop_count; l++)
        share *= longest >> l & 1 ? (double)extents[l] / (double)kernel->loop_extent[l] : 1;
    for (int first = kernel->loop_count; first-- > 0;) {
        const uint32_t nest = nest_of(kernel, first);
        if (nest == longest || nest >> first != 1)
            continue; /* its innermost loop comes first */
        double steps = share * steps_in(kernel, nest);
        for (int l = kernel->loop_count; l-- > 0;)
            if (nest >> l & 1) {
                extents[l] = wl_min(kernel->loop_extent[l], wl_max(1, (int64_t)(steps + 0.5)));
                steps /= (double)extents[l];
            }
    }
}

/* The run lengths: all loops at their first step, then the innermost (last) loop grows, then the
 * next one of its nest. */
int wl_loop_runs_choose(const wl_kernel *kernel, int64_t extents[WL_STEPS_MAX][WL_LOOPS_MAX])
{
    const uint32_t nest = longest_nest(kernel);
    int n = 1;
    for (int l = 0; l < WL_LOOPS_MAX; l++)
        extents[0][l] = 1;
    for (int l = kernel->loop_count; l-- > 0;)
        while (nest >> l & 1 && extents[n - 1][l] < kernel->loop_extent[l] && n < WL_STEPS_MAX) {
            memcpy(extents[n], extents[n - 1], sizeof extents[n]);
            const int64_t longer = wl_min(RUN_GROWTH * extents[n][l], kernel->loop_extent[l]);
            extents[n][l] = n == WL_STEPS_MAX - 1 ? kernel->loop_extent[l] : longer;
            n++;
        }
    for (int i = 1; i < n; i++)
        keep_up(kernel, nest, extents[i]);
    for (int l = 0; l < kernel->loop_count; l++)
        extents[n - 1][l] = kernel->loop_extent[l];
    return n;
}

static uint32_t loops_of(const wl_view *view, size_t field, wl_side side)
{
    const wl_field_side *s = &view->fields[field][side];
    uint32_t vars = 0;
    for (size_t i = 0; i < s->count; i++)
        vars |= wl_access_vars(s->accesses[i]->access);
    return vars >> WL_VAR_LOOP_0 & ((1u << view->kernel->loop_count) - 1);
}

bool wl_loop_runs_walk(const wl_view *view, size_t field, wl_side side) { return loops_of(view, field, side) != 0; }

bool wl_loop_runs_beside(const wl_view *view, size_t field, wl_side side)
{
    const uint32_t loops = loops_of(view, field, side);
    return loops != 0 && (loops & longest_nest(view->kernel)) == 0;
}

double wl_loop_runs_of(const wl_view *view, size_t field, wl_side side, const int64_t extents[WL_LOOPS_MAX])
{
    const wl_kernel *kernel = view->kernel;
    const uint32_t loops = loops_of(view, field, side);
    double runs = 1;
    for (int l = 0; l < kernel->loop_count; l++)
        runs *= loops >> l & 1 ? (double)kernel->loop_extent[l] / (double)extents[l] : 1;
    return runs;
}

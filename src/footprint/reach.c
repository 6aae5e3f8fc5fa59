/* reach.c - see reach.h. SPDX-License-Identifier: MIT */
#include "footprint/reach.h"

#include "base/ckd.h"

#define FIRST_CHECK 4096 /* addresses; for fewer, checking is not worthwhile */

wl_reach wl_reach_of(const wl_region *region, const wl_bound *bound, int shift)
{
    return (wl_reach){
        .region = region, .bound = bound, .shift = shift, .left = bound->access->traced ? INT64_MAX : FIRST_CHECK};
}

/* The lowest and the highest byte. False: not known, or evaluating an address might fail. */
static bool find_bytes(const wl_region *region, const wl_bound *bound, int64_t *lo, int64_t *hi)
{
    const wl_access *a = bound->access;
    wl_ranges ranges;
    wl_geometry_ranges(region->geometry, region->kernel, &ranges);
    if (!wl_expr_never_fails(a->index, &ranges) || (bound->conditional && !wl_expr_never_fails(a->when, &ranges)) ||
        !wl_expr_bounds(a->index, &ranges, lo, hi) || !wl_mul(*lo, a->unit_bytes, lo) ||
        !wl_mul(*hi, a->unit_bytes, hi))
        return false;
    const int64_t base = region->kernel->fields[a->field].base_bytes;
    return wl_add(*lo, base, lo) && wl_add(*hi, base + a->width_bytes - 1, hi) && wl_in_range(*lo) && wl_in_range(*hi);
}

/* Bounds of expressions take longer than a few addresses. */
static void find(wl_reach *reach)
{
    int64_t lo, hi;
    reach->is_found = true;
    reach->left = INT64_MAX;
    if (!find_bytes(reach->region, reach->bound, &lo, &hi))
        return;
    reach->first = lo >> reach->shift;
    reach->last = hi >> reach->shift;
    /* checking for all of them costs less than evaluating as many addresses */
    reach->step = wl_max(FIRST_CHECK, reach->last - reach->first + 1);
    reach->left = reach->step - FIRST_CHECK;
}

void wl_reach_check(wl_reach *reach, const wl_granules *set)
{
    if (!reach->is_found)
        find(reach);
    if (reach->left > 0)
        return;
    reach->full = wl_granules_has_all(set, reach->first, reach->last);
    reach->left = reach->step;
    reach->step *= 2;
}

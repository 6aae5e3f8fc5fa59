/* reach.c - see reach.h. SPDX-License-Identifier: MIT */
#include "footprint/reach.h"

#include "base/ckd.h"

#define FIRST_CHECK 4096 /* addresses; for fewer, checking is not worthwhile */

void wl_reach_find(const wl_region *region, const wl_bound *bound, int shift, wl_reach *out)
{
    const wl_access *a = bound->access;
    wl_ranges ranges;
    int64_t lo, hi;
    *out = (wl_reach){.left = INT64_MAX};
    if (a->traced)
        return;
    wl_geometry_ranges(region->geometry, region->kernel, &ranges);
    if (!wl_expr_never_fails(a->index, &ranges) || (bound->conditional && !wl_expr_never_fails(a->when, &ranges)) ||
        !wl_expr_bounds(a->index, &ranges, &lo, &hi) || !wl_mul(lo, a->unit_bytes, &lo) ||
        !wl_mul(hi, a->unit_bytes, &hi))
        return;
    const int64_t base = region->kernel->fields[a->field].base_bytes;
    if (!wl_add(lo, base, &lo) || !wl_add(hi, base + a->width_bytes - 1, &hi) || !wl_in_range(lo) || !wl_in_range(hi))
        return;
    out->first = lo >> shift;
    out->last = hi >> shift;
    /* checking for all of them costs less than evaluating as many addresses */
    out->left = out->step = wl_max(FIRST_CHECK, out->last - out->first + 1);
}

void wl_reach_check(wl_reach *reach, const wl_granules *set)
{
    reach->full = wl_granules_has_all(set, reach->first, reach->last);
    reach->left = reach->step;
    reach->step *= 2;
}

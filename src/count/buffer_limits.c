/* buffer_limits.c - see buffer_limits.h. SPDX-License-Identifier: MIT */
#include "count/buffer_limits.h"

#include "base/ckd.h"
#include "base/fail.h"
#include "footprint/boxes.h"

/* Byte addresses, inclusive. */
typedef struct reach {
    int64_t first, last;
} reach;

static bool is_inside(const wl_field *field, const reach *r)
{
    return r->first >= field->base_bytes && r->last < field->base_bytes + field->bytes;
}

/* Is the whole range outside the buffer? PTX does not state which buffer a pointer refers to: the
 * constant part of the address tells, and if that is not near any buffer, the first one was
 * assumed. */
static bool is_elsewhere(const wl_kernel *kernel, const wl_field *field, const reach *r)
{
    const bool from_ptx = kernel->source.count_instructions != NULL;
    return from_ptx && (r->last < field->base_bytes || r->first >= field->base_bytes + field->bytes);
}

static bool is_limited(const wl_view *view, const wl_bound *bound)
{
    const wl_field *field = &view->kernel->fields[bound->access->field];
    return field->bytes > 0 && !field->shared && !bound->never && !bound->access->traced && wl_bound_has_form(bound);
}

/* The range of addresses if all coordinates were independent and every thread executed the access:
 * too large, but quick to compute. */
static bool widest_reach(const wl_bound *bound, const wl_ranges *ranges, reach *out)
{
    if (!bound->affine && !bound->linear)
        return false;
    const bool known = wl_form_bounds(&bound->form, ranges, &out->first, &out->last);
    out->last += bound->access->width_bytes - 1;
    return known;
}

/* The range of addresses that threads really access. */
static wl_status exact_reach(const wl_view *view, const wl_bound *bound, const wl_geometry *busy, wl_counter *counter,
                             wl_arena *arena, reach *out, wl_error *err)
{
    wl_shape shape;
    int count = 0;
    const wl_region all = wl_view_run(view, busy, 0, busy->blocks);
    WL_TRY(wl_shape_make(&bound, 1, busy, arena, &shape, err));
    WL_TRY(wl_boxes_make(counter, &shape, &all, &count, err));
    *out = (reach){INT64_MAX, INT64_MIN};
    for (int i = 0; i < count; i++) {
        out->first = wl_min(out->first, counter->boxes[i].first);
        out->last = wl_max(out->last, counter->boxes[i].last);
    }
    return WL_OK;
}

static wl_status outside(const wl_kernel *kernel, const wl_access *access, const reach *r, wl_error *err)
{
    const wl_field *field = &kernel->fields[access->field];
    const int64_t behind = r->last - access->width_bytes + 1;
    const int64_t at = (r->first < field->base_bytes ? r->first : behind) - field->base_bytes;
    (void)wl_fail(err, WL_E_BOUNDS, WL_NOWHERE,
                  "a thread of this launch %s %d bytes at offset %lld of %s, which has %lld ('%.60s')",
                  access->store ? "writes" : "reads", (int)access->width_bytes, (long long)at, field->name,
                  (long long)field->bytes, access->text);
    (void)wl_fail_in(err, "--block");
    return WL_E_BOUNDS;
}

wl_status wl_buffer_limits_check(const wl_view *view, const wl_geometry *busy, wl_counter *counter, wl_arena *arena,
                                 wl_error *err)
{
    wl_ranges ranges;
    wl_geometry_ranges(busy, view->kernel, &ranges);
    for (size_t i = 0; i < view->kernel->access_count; i++) {
        const wl_bound *bound = &view->bounds[i];
        reach r;
        wl_error own = {0};
        if (!is_limited(view, bound))
            continue;
        const wl_field *field = &view->kernel->fields[bound->access->field];
        if (widest_reach(bound, &ranges, &r) && is_inside(field, &r))
            continue;
        const wl_status status = exact_reach(view, bound, busy, counter, arena, &r, &own);
        if (status == WL_E_NOMEM)
            return wl_fail_memory(err);
        if (status == WL_OK && r.first <= r.last && !is_inside(field, &r) && !is_elsewhere(view->kernel, field, &r))
            return outside(view->kernel, bound->access, &r, err);
    }
    return WL_OK;
}

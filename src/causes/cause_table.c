/* cause_table.c - small tables that every block reads from global memory.
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/fail.h"
#include "base/print.h"
#include "causes/inquiry.h"
#include "causes/relayout.h"
#include "device/device_internal.h"

#define CONSTANT_BYTES 65536 /* constant memory of a CUDA program */
/* at most so many loads per thread to stage a table in shared memory */
#define STAGED_MOST 64

static bool is_loaded(const wl_inquiry *q, size_t access)
{
    const wl_access *a = &q->kernel->accesses[access];
    const wl_field *f = &q->kernel->fields[a->field];
    return !a->store && !f->shared && f->reached == WL_BY_LOADS;
}

typedef struct table {
    size_t field, access; /* its first access */
    int64_t bytes;
    bool uniform; /* all lanes of a warp read the same element */
} table;

/* Do all lanes of a warp have the same index? */
static bool is_uniform(const wl_inquiry *q, const wl_form *f)
{
    int64_t threads = 1;
    for (int d = 0; d < 3 && threads < wl_device_int(q->device, WL_DEVICE_warp_size); d++) {
        if (f->k[WL_VAR_X + d] || f->k[WL_VAR_THREAD_X + d])
            return false;
        threads *= q->geometry.block[d];
    }
    return true;
}

/* The bytes of a field if its size is known, else from the first element that is read to the
 * last. */
static int64_t extent_of(const wl_inquiry *q, size_t field)
{
    int64_t least = INT64_MAX, most = INT64_MIN;
    if (q->kernel->fields[field].bytes > 0)
        return q->kernel->fields[field].bytes;
    for (size_t a = 0; a < q->kernel->access_count; a++) {
        const wl_access *access = &q->kernel->accesses[a];
        int64_t lo, hi;
        if (access->field != field)
            continue;
        if (access->traced || !wl_expr_bounds(access->index, &q->ranges, &lo, &hi) ||
            !wl_mul(lo, access->unit_bytes, &lo) || !wl_mul(hi, access->unit_bytes, &hi))
            return 0;
        least = wl_min(least, lo);
        most = wl_max(most, hi + access->width_bytes);
    }
    return most > least ? most - least : 0;
}

/* A small field that is only read, and of which each block may read everything. */
static bool find_table(const wl_inquiry *q, size_t field, table *t)
{
    double loaded = 0;
    *t = (table){field, WL_NO_ACCESS, extent_of(q, field), true};
    for (size_t a = 0; a < q->kernel->access_count; a++) {
        wl_form form;
        if (q->kernel->accesses[a].field != field)
            continue;
        if (!is_loaded(q, a))
            return false;
        t->access = t->access == WL_NO_ACCESS ? a : t->access;
        t->uniform = t->uniform && wl_index_form(q, a, &form) && is_uniform(q, &form);
        loaded += q->costs[a].inst * q->lanes * q->kernel->accesses[a].width_bytes;
    }
    return t->bytes > 0 && loaded >= (double)t->bytes * (double)q->geometry.blocks;
}

/* Constant memory has its own cache: its loads reach neither L1 nor L2. Their instructions are
 * still counted. */
static wl_status try_constant(wl_inquiry *q, const table *t, wl_tried *best, bool *better, wl_error *err)
{
    wl_kernel *variant = NULL;
    size_t n = 0;
    WL_TRY(wl_variant_make(q, &variant, err));
    for (size_t a = 0; a < q->kernel->access_count; a++)
        if (q->kernel->accesses[a].field != t->field)
            variant->accesses[n++] = q->kernel->accesses[a];
    variant->access_count = n;
    return wl_try_variant(q, variant, &q->launch, best, better, err);
}

/* The threads of a block load the table once, consecutive threads consecutive elements. */
static wl_status add_staging(wl_inquiry *q, const table *t, wl_kernel *v, wl_error *err)
{
    const wl_access *like = &q->kernel->accesses[t->access];
    const int64_t threads = q->geometry.threads, elements = wl_ceil_div(t->bytes, like->unit_bytes);
    const int64_t loads = wl_ceil_div(elements, threads);
    wl_field *fields = WL_ARENA_NEW(&q->scratch, wl_field, v->field_count + 1);
    wl_access *all = WL_ARENA_NEW(&q->scratch, wl_access, v->access_count + (size_t)loads);
    if (!fields || !all)
        return wl_fail_memory(err);
    memcpy(fields, v->fields, v->field_count * sizeof *fields);
    memcpy(all, v->accesses, v->access_count * sizeof *all);
    fields[v->field_count] = q->kernel->fields[t->field];
    fields[v->field_count].bytes = 0; /* no bounds: the last lanes load beyond its end */
    for (int64_t i = 0; i < loads; i++) {
        const wl_form form = {.c = i * threads,
                              .k = {[WL_VAR_THREAD_X] = 1,
                                    [WL_VAR_THREAD_Y] = q->geometry.block[0],
                                    [WL_VAR_THREAD_Z] = q->geometry.block[0] * q->geometry.block[1]}};
        wl_access *a = &all[v->access_count + (size_t)i];
        *a = *like;
        a->traced = false;
        a->when = NULL; /* a few lanes load beyond the end of the table, which does no harm */
        a->field = v->field_count;
        WL_TRY(wl_form_expr(&q->scratch, &form, like->loc, &a->index, err));
    }
    v->fields = fields;
    v->accesses = all;
    v->access_count += (size_t)loads;
    v->field_count++;
    return WL_OK;
}

/* The counts of traced accesses, extended by zeros for the accesses that were added. */
static wl_status know_more(wl_inquiry *q, wl_kernel *v, wl_error *err)
{
    const wl_population *from = q->kernel->source.population;
    wl_population *p = WL_ARENA_NEW(&q->scratch, wl_population, 1);
    double *known[2] = {WL_ARENA_NEW(&q->scratch, double, v->access_count),
                        WL_ARENA_NEW(&q->scratch, double, v->access_count)};
    if (!p || !known[0] || !known[1])
        return wl_fail_memory(err);
    *p = *from;
    for (size_t a = 0; a < v->access_count; a++) {
        const bool old = a < q->kernel->access_count;
        known[0][a] = old && from->executed ? from->executed[a] : -1;
        known[1][a] = old && from->lanes ? from->lanes[a] : -1;
    }
    p->executed = from->executed ? known[0] : NULL;
    p->lanes = from->lanes ? known[1] : NULL;
    v->source.population = p;
    return WL_OK;
}

static wl_status try_staged(wl_inquiry *q, const table *t, wl_tried *best, bool *better, wl_error *err)
{
    const int64_t unit = q->kernel->accesses[t->access].unit_bytes;
    wl_kernel *variant = NULL;
    wl_launch launch = q->launch;
    launch.shared_bytes = q->geometry.shared_bytes + t->bytes;
    if (wl_ceil_div(t->bytes, unit * q->geometry.threads) > STAGED_MOST ||
        launch.shared_bytes > wl_device_int(q->device, WL_DEVICE_shared_per_block))
        return WL_OK;
    WL_TRY(wl_variant_make(q, &variant, err));
    variant->fields[t->field].shared = true;
    variant->barriers += 1;
    WL_TRY(add_staging(q, t, variant, err));
    if (q->kernel->source.population)
        WL_TRY(know_more(q, variant, err));
    return wl_try_variant(q, variant, &launch, best, better, err);
}

static wl_status blame_table(wl_inquiry *q, const table *t, wl_error *err)
{
    char text[120];
    wl_tried best = {0};
    bool staged = false, constant = false;
    WL_TRY(try_staged(q, t, &best, &staged, err));
    if (t->uniform && t->bytes <= CONSTANT_BYTES && !q->kernel->source.population)
        WL_TRY(try_constant(q, t, &best, &constant, err));
    (void)wl_print(text, sizeof text, "a table of %lld bytes is read from global memory by every block",
                   (long long)t->bytes);
    return wl_blame(q, WL_CAUSE_TABLE, t->access, &best, text,
                    constant ? "in constant memory" : "staged in shared memory", err);
}

wl_status wl_cause_table(wl_inquiry *q, wl_error *err)
{
    for (size_t f = 0; f < q->kernel->field_count && q->can_vary; f++) {
        table t;
        if (find_table(q, f, &t))
            WL_TRY(blame_table(q, &t, err));
    }
    return WL_OK;
}

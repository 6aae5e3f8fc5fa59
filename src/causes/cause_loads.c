/* cause_loads.c - loads that could be others: of small tables, and of neighbouring elements.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/print.h"
#include "causes/inquiry.h"
#include "causes/relayout.h"
#include "device/device_internal.h"

#define CONSTANT_BYTES 65536 /* of constant memory that CUDA gives a program */
#define VECTOR_BYTES 16      /* widest access of a lane */
#define STAGED_MOST 64       /* loads of a thread with which a table is staged, at most */

static bool is_loaded(const wl_inquiry *q, size_t access)
{
    const wl_access *a = &q->kernel->accesses[access];
    const wl_field *f = &q->kernel->fields[a->field];
    return !a->store && !f->shared && f->reached == WL_BY_LOADS;
}

/* ---- tables ---- */

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

/* Bytes from the first element that is read to the last; of a field whose size is known, all of them. */
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

/* Only read, small, and read by each block as if it were all of it. */
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

/* Constant memory has a cache of its own: neither L1 nor L2 see its loads. Their instructions stay where they are
 * counted. */
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

/* A block's threads, one element after another, load the table once. */
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
    for (int64_t i = 0; i < loads; i++) {
        const wl_form form = {.c = i * threads,
                              .k = {[WL_VAR_THREAD_X] = 1,
                                    [WL_VAR_THREAD_Y] = q->geometry.block[0],
                                    [WL_VAR_THREAD_Z] = q->geometry.block[0] * q->geometry.block[1]}};
        wl_access *a = &all[v->access_count + (size_t)i];
        *a = *like;
        a->traced = false;
        a->when = NULL; /* beyond the end of the table a few lanes load in vain */
        a->field = v->field_count;
        WL_TRY(wl_form_expr(&q->scratch, &form, like->loc, &a->index, err));
    }
    v->fields = fields;
    v->accesses = all;
    v->access_count += (size_t)loads;
    v->field_count++;
    return WL_OK;
}

/* What is known of the accesses of traced blocks, with nothing for those that were added. */
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

/* ---- vectors ---- */

/* Accesses of one field that differ by their constant alone: those of one thread lie side by side. */
static bool side_by_side(const wl_inquiry *q, size_t a, size_t b, int64_t *apart)
{
    const wl_access *x = &q->kernel->accesses[a], *y = &q->kernel->accesses[b];
    wl_form f, g;
    if (x->field != y->field || x->store != y->store || x->atomic || y->atomic || x->when != y->when ||
        x->width_bytes != y->width_bytes || x->unit_bytes != x->width_bytes || y->unit_bytes != x->unit_bytes ||
        !wl_index_form(q, a, &f) || !wl_index_form(q, b, &g))
        return false;
    *apart = g.c - f.c;
    return memcmp(f.k, g.k, sizeof f.k) == 0;
}

/* Is the first of so many elements always at a multiple of them? */
static bool is_aligned(const wl_inquiry *q, size_t access, int64_t elements)
{
    const wl_field *field = &q->kernel->fields[q->kernel->accesses[access].field];
    wl_form f;
    bool aligned = wl_index_form(q, access, &f) && f.c % elements == 0;
    for (int v = 0; v < WL_VAR_FORM_COUNT && aligned; v++)
        aligned = f.k[v] % elements == 0;
    return aligned && field->base_bytes % (elements * q->kernel->accesses[access].width_bytes) == 0;
}

/* The accesses that one vector can replace, the first of them `access`; 0: none. */
static size_t find_vector(const wl_inquiry *q, size_t access, int64_t elements, size_t found[VECTOR_BYTES])
{
    size_t n = 0;
    if (!is_aligned(q, access, elements))
        return 0;
    for (int64_t e = 0; e < elements; e++) {
        int64_t apart;
        for (size_t b = 0; b < q->kernel->access_count && n == (size_t)e; b++)
            if (side_by_side(q, access, b, &apart) && apart == e)
                found[n++] = b;
    }
    return n == (size_t)elements ? n : 0;
}

typedef struct vectors {
    bool *gone;       /* by access: part of another's vector now */
    int64_t width;    /* elements, of the widest */
    size_t first;     /* an access that became one */
    double merged[2]; /* loads and stores of a thread that went */
} vectors;

static void widen(const wl_inquiry *q, wl_kernel *variant, vectors *v)
{
    for (size_t a = 0; a < q->kernel->access_count; a++) {
        const wl_access *access = &q->kernel->accesses[a];
        size_t found[VECTOR_BYTES], n = 0;
        if (v->gone[a] || q->kernel->fields[access->field].shared ||
            q->kernel->fields[access->field].reached != WL_BY_LOADS)
            continue;
        for (int64_t e = VECTOR_BYTES / access->width_bytes; e > 1 && n == 0; e /= 2)
            n = find_vector(q, a, e, found);
        for (size_t i = 1; i < n; i++)
            v->gone[found[i]] = true;
        if (n == 0)
            continue;
        wl_access *wide = &variant->accesses[a];
        wide->width_bytes *= (int32_t)n; /* steps of the index stay elements */
        v->merged[access->store] += (double)(n - 1);
        v->first = v->width < (int64_t)n ? a : v->first;
        v->width = wl_max(v->width, (int64_t)n);
    }
}

/* What a kernel states of its instructions. */
static void drop_instructions(const vectors *v, wl_kernel *k)
{
    const double all = v->merged[0] + v->merged[1];
    k->mix[WL_INST_load] = fmax(0, k->mix[WL_INST_load] - v->merged[0]);
    k->mix[WL_INST_store] = fmax(0, k->mix[WL_INST_store] - v->merged[1]);
    k->memory[WL_MEMORY_LOAD] = fmax(0, k->memory[WL_MEMORY_LOAD] - v->merged[0]);
    k->memory[WL_MEMORY_STORE] = fmax(0, k->memory[WL_MEMORY_STORE] - v->merged[1]);
    k->instructions = k->instructions > 0 ? fmax(1, k->instructions - all) : 0;
}

wl_status wl_cause_vector(wl_inquiry *q, wl_error *err)
{
    const bool counted = q->kernel->source.count_instructions && !q->kernel->has_mix;
    char text[120], change[60];
    vectors v = {.gone = NULL};
    wl_kernel *variant = NULL;
    wl_tried best = {0};
    size_t n = 0;
    bool better;
    if (!q->can_vary || q->kernel->source.population || counted || q->kernel->loop_count > 0)
        return WL_OK; /* instructions cannot be told from those that go, or how often they are executed */
    v.gone = WL_ARENA_NEW(&q->scratch, bool, q->kernel->access_count + 1);
    if (!v.gone)
        return wl_fail_memory(err);
    WL_TRY(wl_variant_make(q, &variant, err));
    widen(q, variant, &v);
    if (v.width == 0)
        return WL_OK;
    for (size_t a = 0; a < q->kernel->access_count; a++)
        if (!v.gone[a])
            variant->accesses[n++] = variant->accesses[a];
    variant->access_count = n;
    drop_instructions(&v, variant);
    WL_TRY(wl_try_variant(q, variant, &q->launch, &best, &better, err));
    const int32_t bytes = q->kernel->accesses[v.first].width_bytes;
    (void)wl_print(text, sizeof text, "%lld neighbouring elements of %d bytes, each with an instruction of its own",
                   (long long)v.width, (int)bytes);
    (void)snprintf(change, sizeof change, "vectors of %lld bytes", (long long)v.width * bytes);
    return wl_blame(q, WL_CAUSE_VECTOR, v.first, &best, text, change, err);
}

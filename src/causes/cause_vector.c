/* cause_vector.c - accesses that could be vector loads or stores: of neighbouring elements of one
 * thread, or of neighbouring threads.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/print.h"
#include "causes/inquiry.h"
#include "causes/relayout.h"

#define VECTOR_BYTES 16 /* widest access of a lane */

static bool is_global(const wl_inquiry *q, const wl_access *a)
{
    return !q->kernel->fields[a->field].shared && q->kernel->fields[a->field].reached == WL_BY_LOADS;
}

/* ---- neighbouring elements of a thread ---- */

/* Accesses of one field whose indices differ only by a constant: a thread accesses neighbouring
 * elements. */
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

/* Is the index of the first of so many elements always a multiple of their number? */
static bool is_aligned(const wl_inquiry *q, size_t access, int64_t elements)
{
    const wl_field *field = &q->kernel->fields[q->kernel->accesses[access].field];
    wl_form f;
    bool aligned = wl_index_form(q, access, &f) && f.c % elements == 0;
    for (int v = 0; v < WL_VAR_FORM_COUNT && aligned; v++)
        aligned = f.k[v] % elements == 0;
    return aligned && field->base_bytes % (elements * q->kernel->accesses[access].width_bytes) == 0;
}

/* How many accesses, from `access` on, one vector can replace; 0: none. */
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
    bool *gone;       /* by access: it became part of another access's vector */
    int64_t width;    /* elements, of the widest */
    size_t first;     /* an access that became a vector */
    double merged[2]; /* loads and stores of a thread that vectors replaced */
} vectors;

static void widen(const wl_inquiry *q, wl_kernel *variant, vectors *v)
{
    for (size_t a = 0; a < q->kernel->access_count; a++) {
        const wl_access *access = &q->kernel->accesses[a];
        size_t found[VECTOR_BYTES], n = 0;
        if (v->gone[a] || !is_global(q, access))
            continue;
        for (int64_t e = VECTOR_BYTES / access->width_bytes; e > 1 && n == 0; e /= 2)
            n = find_vector(q, a, e, found);
        for (size_t i = 1; i < n; i++)
            v->gone[found[i]] = true;
        if (n == 0)
            continue;
        wl_access *wide = &variant->accesses[a];
        wide->width_bytes *= (int32_t)n; /* the index still counts elements */
        v->merged[access->store] += (double)(n - 1);
        v->first = v->width < (int64_t)n ? a : v->first;
        v->width = wl_max(v->width, (int64_t)n);
    }
}

/* Subtracts the merged accesses from the instructions that the kernel states. */
static void drop_instructions(const vectors *v, wl_kernel *k)
{
    const double all = v->merged[0] + v->merged[1];
    k->mix[WL_INST_load] = fmax(0, k->mix[WL_INST_load] - v->merged[0]);
    k->mix[WL_INST_store] = fmax(0, k->mix[WL_INST_store] - v->merged[1]);
    k->memory[WL_MEMORY_LOAD] = fmax(0, k->memory[WL_MEMORY_LOAD] - v->merged[0]);
    k->memory[WL_MEMORY_STORE] = fmax(0, k->memory[WL_MEMORY_STORE] - v->merged[1]);
    k->instructions = k->instructions > 0 ? fmax(1, k->instructions - all) : 0;
}

/* A variant that states its instructions: counting would find those of the original code. */
static wl_status variant_of_mix(wl_inquiry *q, wl_kernel **out, wl_error *err)
{
    WL_TRY(wl_variant_make(q, out, err));
    (*out)->source.count_instructions = NULL;
    return WL_OK;
}

/* Do warps neither loop nor meet at barriers? */
static bool straight(const wl_lives *lives)
{
    for (int32_t i = 0; i < lives->op_count; i++)
        if (lives->ops[i].kind == WL_OP_BARRIER)
            return false;
    for (size_t l = 0; l < lives->count; l++)
        for (size_t p = 0; p < lives->list[l].count; p++)
            if (lives->list[l].parts[p].loop)
                return false;
    return true;
}

static wl_status merge(wl_inquiry *q, vectors *v, wl_error *err)
{
    char text[120], change[60];
    wl_kernel *variant = NULL;
    wl_tried best = {0};
    size_t n = 0;
    bool better;
    v->gone = WL_ARENA_NEW(&q->scratch, bool, q->kernel->access_count + 1);
    if (!v->gone)
        return wl_fail_memory(err);
    WL_TRY(variant_of_mix(q, &variant, err));
    widen(q, variant, v);
    if (v->width == 0)
        return WL_OK;
    for (size_t a = 0; a < q->kernel->access_count; a++)
        if (!v->gone[a])
            variant->accesses[n++] = variant->accesses[a];
    variant->access_count = n;
    drop_instructions(v, variant);
    /* loads that stay behind stores, which may change what they read: a vector is loaded before
     * all of it is stored */
    if (q->lives && q->kernel->source.in_steps && straight(q->lives))
        variant->source.live = NULL;
    WL_TRY(wl_try_variant(q, variant, &q->launch, &best, &better, err));
    const int32_t bytes = q->kernel->accesses[v->first].width_bytes;
    (void)snprintf(text, sizeof text, "%lld neighbouring elements of %d bytes, each with a separate instruction",
                   (long long)v->width, (int)bytes);
    (void)snprintf(change, sizeof change, "vectors of %lld bytes", (long long)v->width * bytes);
    return wl_blame(q, WL_CAUSE_VECTOR, v->first, &best, text, change, err);
}

/* ---- neighbouring threads ---- */

/* Does each access advance by one element, or not at all, from x to x + 1, all with the same width?
 * Returns that width; 0: no. */
static int32_t streams(const wl_inquiry *q, size_t *first)
{
    int32_t width = 0;
    for (size_t a = 0; a < q->kernel->access_count; a++) {
        const wl_access *access = &q->kernel->accesses[a];
        wl_form f;
        if (!wl_index_form(q, a, &f) || access->when || access->atomic || !is_global(q, access) ||
            access->unit_bytes != access->width_bytes || f.k[WL_VAR_THREAD_X] || f.k[WL_VAR_BLOCK_X] ||
            f.k[WL_VAR_X] < 0 || f.k[WL_VAR_X] > 1 || (f.k[WL_VAR_X] && width && access->width_bytes != width))
            return 0;
        if (f.k[WL_VAR_X] && width == 0)
            *first = a;
        width = f.k[WL_VAR_X] ? access->width_bytes : width;
    }
    return width < VECTOR_BYTES ? width : 0;
}

/* The index in vectors of so many elements; false: they would not be aligned. */
static bool in_vectors(const wl_inquiry *q, size_t access, int64_t elements, wl_form *f)
{
    if (!wl_index_form(q, access, f) || f->c % elements != 0)
        return false;
    f->c /= elements;
    for (int v = 0; v < WL_VAR_FORM_COUNT; v++) {
        if (v == WL_VAR_X)
            continue;
        if (f->k[v] % elements != 0)
            return false;
        f->k[v] /= elements;
    }
    return true;
}

static bool divide(int64_t *extent, int64_t by)
{
    const bool whole = *extent % by == 0;
    *extent /= whole ? by : 1;
    return whole;
}

/* Repeats arithmetic for each element of a vector; other instructions are executed once. */
static void do_more(wl_kernel *k, double times)
{
    static const wl_inst_class arithmetic[] = {WL_INST_fp64, WL_INST_fp32, WL_INST_fp16, WL_INST_special};
    k->flops *= times;
    k->fp_results *= times;
    k->specials *= times;
    for (size_t i = 0; i < sizeof arithmetic / sizeof arithmetic[0]; i++) {
        k->instructions += (times - 1) * k->mix[arithmetic[i]] * (k->instructions > 0);
        k->mix[arithmetic[i]] *= times;
    }
}

/* Each thread does the work of so many neighbouring threads. */
static wl_status make_wide(wl_inquiry *q, int64_t elements, wl_kernel *v, wl_launch *launch, bool *done, wl_error *err)
{
    const bool gridded = launch->grid[0] || launch->grid[1] || launch->grid[2];
    *done = v->first[0] == 0 && (v->dims == 0 || divide(&v->domain[0], elements)) && divide(&v->threads[0], elements) &&
            (!gridded || divide(&launch->grid[0], elements));
    for (size_t a = 0; a < v->access_count && *done; a++) {
        wl_access *access = &v->accesses[a];
        const wl_field *field = &v->fields[access->field];
        wl_form f;
        *done = wl_index_form(q, a, &f);
        if (!*done || f.k[WL_VAR_X] == 0)
            continue;
        *done = in_vectors(q, a, elements, &f) && field->base_bytes % (elements * access->width_bytes) == 0;
        access->width_bytes *= (int32_t)elements;
        access->unit_bytes = access->width_bytes;
        if (*done)
            WL_TRY(wl_form_expr(&q->scratch, &f, access->loc, &access->index, err));
    }
    do_more(v, (double)elements);
    return WL_OK;
}

static wl_status spread_out(wl_inquiry *q, wl_error *err)
{
    char text[120], change[80];
    size_t first = WL_NO_ACCESS;
    wl_tried best = {0};
    const int32_t width = streams(q, &first);
    const bool folded = q->geometry.fold[0] * q->geometry.fold[1] * q->geometry.fold[2] > 1;
    int64_t most = 0;
    for (int64_t e = 2; width > 0 && !folded && e * width <= VECTOR_BYTES; e *= 2) {
        wl_kernel *variant = NULL;
        wl_launch launch = q->launch;
        bool done, better = false;
        WL_TRY(variant_of_mix(q, &variant, err));
        WL_TRY(make_wide(q, e, variant, &launch, &done, err));
        variant->source.live = NULL; /* of threads with one cell */
        if (done)
            WL_TRY(wl_try_wide(q, variant, &launch, (double)e, &best, &better, err));
        most = better ? e : most;
    }
    (void)snprintf(text, sizeof text, "each thread works on one element of %d byte%s", (int)width,
                   width == 1 ? "" : "s");
    (void)snprintf(change, sizeof change, "vectors of %lld bytes, %lld cells per thread", (long long)most * width,
                   (long long)most);
    return wl_blame(q, WL_CAUSE_VECTOR, first, &best, text, change, err);
}

wl_status wl_cause_vector(wl_inquiry *q, wl_error *err)
{
    const bool counted = q->kernel->source.count_instructions && !q->kernel->has_mix;
    vectors v = {.gone = NULL};
    if (!q->can_vary || q->kernel->source.population || counted || q->kernel->loop_count > 0)
        return WL_OK; /* how many instructions this saves is unknown */
    WL_TRY(merge(q, &v, err));
    /* the lives of warps that loop or synchronize are those of threads with one cell; local memory
     * is accessed for each cell */
    const bool can_spread = q->geometry.schedule.kind == WL_SCHEDULE_LINEAR && (!q->lives || straight(q->lives)) &&
                            !q->kernel->source.visit_local;
    return v.width == 0 && can_spread ? spread_out(q, err) : WL_OK;
}

/* known_problem.c - see known_problem.h. SPDX-License-Identifier: MIT */
#include "cache/known_problem.h"

#include "base/ckd.h"
#include "kernel/program.h"

/* ---- addresses of loads ---- */

typedef struct reader {
    const wl_kernel *kernel;
    wl_ranges ranges;
} reader;

static reader reader_of(const wl_kernel *k)
{
    reader r = {.kernel = k};
    for (int d = 0; d < 3; d++)
        r.ranges.hi[WL_VAR_X + d] = wl_max(k->domain[d], 1) - 1;
    for (int l = 0; l < k->loop_count; l++)
        r.ranges.hi[WL_VAR_LOOP_0 + l] = k->loop_extent[l] - 1;
    return r;
}

/* In elements; false unless it is affine in cell and loops, the same for all threads. */
static bool read_form(const reader *r, const wl_access *a, wl_form *form)
{
    const uint32_t named = wl_access_vars(a) & ~(7u << WL_VAR_X) & ~(7u << WL_VAR_LOOP_0);
    bool affine = false;
    const wl_field *f = &r->kernel->fields[a->field];
    return !a->traced && !a->atomic && !a->when && !f->shared && !f->random && f->reached == WL_BY_LOADS &&
           named == 0 && wl_expr_form(a->index, &r->ranges, &affine, form, NULL) == WL_OK && affine;
}

static bool is_load(const wl_access *a) { return !a->store && !a->atomic; }

/* ---- stencils ---- */

typedef struct extent {
    int64_t lo, hi;
} extent;

static void widen(extent *e, int64_t lo, int64_t hi)
{
    e->lo = wl_min(e->lo, lo);
    e->hi = wl_max(e->hi, hi);
}

/* An offset as rows and cells of a row, the nearest row. */
static void split(int64_t offset, int64_t row, int64_t *x, int64_t *y)
{
    *y = wl_floor_div(offset + row / 2, row);
    *x = offset - *y * row;
}

/* The cells that one load reads around the first one's, over all steps of its loops. */
static void add_load(const wl_kernel *k, const wl_form *first, const wl_form *form, extent box[2])
{
    const int64_t row = first->k[WL_VAR_Y];
    int64_t x, y;
    split(form->c - first->c, row, &x, &y);
    extent to[2] = {{x, x}, {y, y}};
    for (int l = 0; l < k->loop_count; l++) {
        int64_t step[2];
        split(form->k[WL_VAR_LOOP_0 + l], row, &step[0], &step[1]);
        for (int d = 0; d < 2; d++) {
            const int64_t far = step[d] * (k->loop_extent[l] - 1);
            to[d].lo += wl_min(far, 0);
            to[d].hi += wl_max(far, 0);
        }
    }
    for (int d = 0; d < 2; d++)
        widen(&box[d], to[d].lo, to[d].hi);
}

/* All loads are of one field, cell by cell and row by row. */
static bool find_stencil(const reader *r, wl_known *out)
{
    const wl_kernel *k = r->kernel;
    const wl_access *first = NULL;
    wl_form start = {0}, form;
    extent box[2] = {{0, 0}, {0, 0}};
    for (size_t i = 0; i < k->access_count; i++) {
        const wl_access *a = &k->accesses[i];
        if (!is_load(a))
            continue;
        if (!read_form(r, a, &form) || form.k[WL_VAR_X] != 1 || form.k[WL_VAR_Y] < k->domain[0])
            return false;
        if (!first) {
            first = a;
            start = form;
        }
        if (a->field != first->field || form.k[WL_VAR_Y] != start.k[WL_VAR_Y])
            return false;
        add_load(k, &start, &form, box);
    }
    if (!first)
        return false;
    out->kind = WL_KNOWN_STENCIL;
    out->element_bytes = first->unit_bytes;
    for (int d = 0; d < 2; d++)
        out->box[d] = box[d].hi - box[d].lo + 1;
    return out->box[0] * out->box[1] > 1;
}

/* ---- products ---- */

static bool find_product(const reader *r, wl_known *out)
{
    const wl_kernel *k = r->kernel;
    int rows = 0, columns = 0;
    int64_t bytes[2] = {0};
    if (k->loop_count != 1)
        return false;
    for (size_t i = 0; i < k->access_count; i++) {
        const wl_access *a = &k->accesses[i];
        wl_form form;
        if (!is_load(a))
            continue;
        if (!read_form(r, a, &form))
            return false;
        const int64_t x = form.k[WL_VAR_X], y = form.k[WL_VAR_Y], step = form.k[WL_VAR_LOOP_0];
        const bool row = x == 0 && y >= k->loop_extent[0] && step == 1;
        const bool column = x == 1 && y == 0 && step >= k->domain[0];
        if (!row && !column)
            return false;
        bytes[column] = a->unit_bytes;
        rows += row;
        columns += column;
    }
    out->kind = WL_KNOWN_PRODUCT;
    out->element_bytes = bytes[0];
    out->depth = k->loop_extent[0];
    return rows == 1 && columns == 1 && bytes[0] == bytes[1];
}

wl_known wl_known_of(const wl_kernel *kernel)
{
    const wl_known none = {.kind = WL_KNOWN_NONE};
    wl_known out = {.width = kernel->domain[0], .height = kernel->domain[1]};
    if (kernel->dims != 2 || kernel->threads[0] || kernel->domain[1] < 2)
        return none;
    const reader r = reader_of(kernel);
    return find_stencil(&r, &out) || find_product(&r, &out) ? out : none;
}

/* ---- closed forms ---- */

static int64_t line_of(const wl_known *p, int64_t line_bytes) { return wl_max(line_bytes / p->element_bytes, 1); }

static wl_stencil stencil_of(const wl_known *p, int64_t line_bytes)
{
    return (wl_stencil){p->width, p->height, {p->box[0] / 2, p->box[1] / 2}, line_of(p, line_bytes)};
}

static wl_product product_of(const wl_known *p, int64_t line_bytes)
{
    return (wl_product){p->width, p->height, p->depth, line_of(p, line_bytes)};
}

int64_t wl_known_needs(const wl_known *p, int64_t line_bytes, wl_tile tile)
{
    const wl_stencil stencil = stencil_of(p, line_bytes);
    const wl_product product = product_of(p, line_bytes);
    return p->kind == WL_KNOWN_STENCIL ? wl_stencil_needs(&stencil, tile) : wl_product_needs(&product, tile);
}

wl_fetches wl_known_fetches(const wl_known *p, int64_t line_bytes, wl_tile tile, int64_t cache_lines)
{
    const wl_stencil stencil = stencil_of(p, line_bytes);
    const wl_product product = product_of(p, line_bytes);
    return p->kind == WL_KNOWN_STENCIL ? wl_stencil_fetches(&stencil, tile, cache_lines)
                                       : wl_product_fetches(&product, tile, cache_lines);
}

int64_t wl_known_least(const wl_known *p, int64_t line_bytes)
{
    const wl_stencil stencil = stencil_of(p, line_bytes);
    const wl_product product = product_of(p, line_bytes);
    return p->kind == WL_KNOWN_STENCIL ? wl_stencil_least(&stencil) : wl_product_least(&product);
}

double wl_known_width(const wl_known *p, int64_t line_bytes, double cache_bytes, double threads)
{
    const int64_t line = line_of(p, line_bytes);
    const wl_paper_stencil stencil = {p->box[0], p->box[1], p->width, p->height, line};
    const wl_product product = product_of(p, line_bytes);
    return p->kind == WL_KNOWN_STENCIL ? wl_paper_column_width(&stencil, (double)p->element_bytes, cache_bytes, threads)
                                       : wl_paper_product_column_width(&product, (double)p->element_bytes, cache_bytes);
}

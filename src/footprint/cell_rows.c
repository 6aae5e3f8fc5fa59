/* cell_rows.c - see cell_rows.h. SPDX-License-Identifier: MIT */
#include "footprint/cell_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/ckd.h"
#include "launch/scheduled.h"

bool wl_cell_rows_can(const wl_region *region, const wl_bound *b)
{
    return wl_threads_are_ordered(region->geometry) && b->reordered && b->loops == 0 && !b->access->traced &&
           !wl_expr_depends_on_launch(b->access->index);
}

/* Those that can be added together next to each other: the same strides and widths, by ascending
 * addresses. */
static int by_place(const void *p, const void *q)
{
    const wl_bound *a = *(const wl_bound *const *)p, *b = *(const wl_bound *const *)q;
    for (int d = 2; d >= 0; d--)
        if (a->form.k[WL_VAR_X + d] != b->form.k[WL_VAR_X + d])
            return a->form.k[WL_VAR_X + d] < b->form.k[WL_VAR_X + d] ? -1 : 1;
    if (a->access->width_bytes != b->access->width_bytes)
        return a->access->width_bytes < b->access->width_bytes ? -1 : 1;
    return (a->form.c > b->form.c) - (a->form.c < b->form.c);
}

typedef struct adder {
    wl_granules *granules;
    const wl_bound *const *accesses;
    size_t count;
    int shift;
} adder;

/* Rows of bytes without gaps: those of a box, or of several accesses to it. */
typedef struct slab {
    const int64_t *stride;
    int64_t first, last; /* bytes of the first row, both included */
    int64_t rows, planes;
} slab;

static bool add_slab(const adder *a, const slab *s)
{
    for (int64_t z = 0; z < s->planes; z++)
        for (int64_t y = 0; y < s->rows; y++) {
            const int64_t moved = s->stride[1] * y + s->stride[2] * z;
            if (!wl_granules_add(a->granules, (s->first + moved) >> a->shift, (s->last + moved) >> a->shift))
                return false;
        }
    return true;
}

/* Extends a slab by one with the same strides: to the right by what adjoins, or downwards by rows
 * as long as its own. False: it does not adjoin. */
static bool extend(slab *s, const slab *by)
{
    if (by->first < s->first || s->planes != by->planes)
        return false;
    if (s->rows == by->rows && by->first <= s->last + 1) {
        s->last = wl_max(s->last, by->last);
        return true;
    }
    const int64_t moved = by->first - s->first, stride = s->stride[1];
    if (by->last - by->first != s->last - s->first || stride <= 0 || moved % stride != 0 || moved / stride > s->rows)
        return false;
    s->rows = wl_max(s->rows, moved / stride + by->rows);
    return true;
}

/* Along an axis that does not move the address, one cell stands for all. */
static int64_t cells_along(const int64_t *stride, const wl_box3 *box, int d)
{
    return stride[d] ? box->hi[d] - box->lo[d] : 1;
}

/* Cells too far apart to be one range. */
static bool add_apart(const adder *a, const slab *s, int64_t cells, int32_t width)
{
    slab one = *s;
    for (int64_t x = 0; x < cells; x++) {
        one.first = s->first + x * s->stride[0];
        one.last = one.first + width - 1;
        if (!add_slab(a, &one))
            return false;
    }
    return true;
}

static bool add_box(void *context, const wl_box3 *box)
{
    const adder *a = context;
    slab open = {0}; /* not yet added */
    for (size_t i = 0; i < a->count; i++) {
        const int64_t *k = &a->accesses[i]->form.k[WL_VAR_X], cells = cells_along(k, box, 0);
        const int32_t width = a->accesses[i]->access->width_bytes;
        const int64_t reach = k[0] * (cells - 1);
        slab s = {.stride = k,
                  .first = a->accesses[i]->form.c + k[0] * box->lo[0] + k[1] * box->lo[1] + k[2] * box->lo[2],
                  .rows = cells_along(k, box, 1),
                  .planes = cells_along(k, box, 2)};
        if (llabs(k[0]) > wl_max(width, (int64_t)1 << a->shift)) {
            if (!add_apart(a, &s, cells, width))
                return false;
            continue;
        } /* else no granule between two cells is left out */
        s.last = s.first + wl_max(0, reach) + width - 1;
        s.first += wl_min(0, reach);
        if (open.stride && memcmp(open.stride, k, 3 * sizeof *k) == 0 && extend(&open, &s))
            continue;
        if (open.stride && !add_slab(a, &open))
            return false;
        open = s;
    }
    return !open.stride || add_slab(a, &open);
}

bool wl_cell_rows_add(wl_granules *granules, const wl_region *region, const wl_bound **accesses, size_t count,
                      int shift)
{
    const wl_geometry *g = region->geometry;
    adder a = {granules, accesses, count, shift};
    if (count == 0)
        return true;
    qsort(accesses, count, sizeof *accesses, by_place);
    const int64_t most = g->threads - region->first_thread,
                  threads = region->thread_count ? wl_min(region->thread_count, most) : most;
    for (int i = 0; i < region->blocks.count; i++) {
        const wl_box3 *blocks = &region->blocks.boxes[i];
        const int64_t first = blocks->lo[0] * g->threads + region->first_thread;
        if (threads == g->threads) { /* one block continues where the other ends */
            if (!wl_scheduled_visit(g, first, blocks->hi[0] * g->threads, add_box, &a))
                return false;
            continue;
        }
        for (int64_t b = 0; b < blocks->hi[0] - blocks->lo[0]; b++)
            if (!wl_scheduled_visit(g, first + b * g->threads, first + b * g->threads + threads, add_box, &a))
                return false;
    }
    return true;
}

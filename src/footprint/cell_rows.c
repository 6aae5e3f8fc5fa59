/* cell_rows.c - see cell_rows.h. SPDX-License-Identifier: MIT */
#include "footprint/cell_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/ckd.h"
#include "launch/scheduled.h"

bool wl_cell_rows_can(const wl_region *region, const wl_bound *b)
{
    return wl_threads_are_ordered(region->geometry) && b->of_cell;
}

/* Brings accesses that can be added together next to each other: by strides and width, then by
 * address. */
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

void wl_cell_rows_sort(const wl_bound **accesses, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (by_place(&accesses[i - 1], &accesses[i]) > 0) {
            qsort(accesses, count, sizeof *accesses, by_place);
            return;
        }
}

typedef struct rows {
    const wl_bound *const *accesses;
    size_t count;
    int64_t granule;
    wl_bytes_visit visit;
    void *context;
} rows;

/* Rows of bytes without gaps: those of a box, or of several accesses to it. */
typedef struct slab {
    const int64_t *stride;
    int64_t first, last; /* bytes of the first row, both included */
    int64_t rows, planes;
} slab;

static bool visit_slab(const rows *r, const slab *s)
{
    for (int64_t z = 0; z < s->planes; z++)
        for (int64_t y = 0; y < s->rows; y++) {
            const int64_t moved = s->stride[1] * y + s->stride[2] * z;
            if (!r->visit(r->context, s->first + moved, s->last + moved))
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
    if (by->last - by->first != s->last - s->first || stride <= 0)
        return false;
    const int64_t down = wl_divide(moved, stride);
    if (moved != down * stride || down > s->rows)
        return false;
    s->rows = wl_max(s->rows, down + by->rows);
    return true;
}

/* Along an axis that does not change the address, one cell represents all. */
static int64_t cells_along(const int64_t *stride, const wl_box3 *box, int d)
{
    return stride[d] ? box->hi[d] - box->lo[d] : 1;
}

/* Cells too far apart to be one range. */
static bool visit_apart(const rows *r, const slab *s, int64_t cells, int32_t width)
{
    slab one = *s;
    for (int64_t x = 0; x < cells; x++) {
        one.first = s->first + x * s->stride[0];
        one.last = one.first + width - 1;
        if (!visit_slab(r, &one))
            return false;
    }
    return true;
}

#define SLABS_MAX 16 /* slabs of a box that are compared with each other */

typedef struct slabs {
    int count;
    slab list[SLABS_MAX];
} slabs;

static bool same_strides(const slab *a, const slab *b)
{
    return a->stride == b->stride || memcmp(a->stride, b->stride, 3 * sizeof *a->stride) == 0;
}

/* Leaves out the first or last rows of a slab that lie inside those of another one. */
static void trim(slab *s, const slab *by)
{
    const int64_t stride = s->stride[1], moved = s->first - by->first;
    if (s->planes != by->planes || stride <= 0 || !same_strides(s, by))
        return;
    /* row i lies `right` bytes to the right of row i + down of the other one */
    const int64_t down = moved >= 0 ? wl_divide(moved, stride) : -wl_divide(stride - 1 - moved, stride);
    const int64_t right = moved - down * stride;
    if (right + s->last - s->first > by->last - by->first)
        return;
    const int64_t from = wl_max(0, -down), to = wl_min(s->rows, by->rows - down);
    if (from >= to)
        return;
    if (from == 0) {
        s->first += to * stride;
        s->last += to * stride;
        s->rows -= to;
    } else if (to == s->rows) {
        s->rows = from;
    }
}

/* Visits all slabs. Of a stencil, most rows lie inside the longest ones. */
static bool visit_slabs(const rows *r, slabs *all)
{
    int longest = 0;
    for (int i = 1; i < all->count; i++)
        if (all->list[i].last - all->list[i].first > all->list[longest].last - all->list[longest].first)
            longest = i;
    for (int i = 0; i < all->count; i++) {
        if (i != longest)
            trim(&all->list[i], &all->list[longest]);
        if (!visit_slab(r, &all->list[i]))
            return false;
    }
    all->count = 0;
    return true;
}

static bool visit_box(void *context, const wl_box3 *box)
{
    const rows *r = context;
    slabs all; /* not yet visited */
    all.count = 0;
    for (size_t i = 0; i < r->count; i++) {
        const int64_t *k = &r->accesses[i]->form.k[WL_VAR_X], cells = cells_along(k, box, 0);
        const int32_t width = r->accesses[i]->access->width_bytes;
        const int64_t reach = k[0] * (cells - 1);
        slab s = {.stride = k,
                  .first = r->accesses[i]->form.c + k[0] * box->lo[0] + k[1] * box->lo[1] + k[2] * box->lo[2],
                  .rows = cells_along(k, box, 1),
                  .planes = cells_along(k, box, 2)};
        if (llabs(k[0]) > wl_max(width, r->granule)) {
            if (!visit_apart(r, &s, cells, width))
                return false;
            continue;
        } /* otherwise the cells of a row touch every granule between them */
        s.last = s.first + wl_max(0, reach) + width - 1;
        s.first += wl_min(0, reach);
        if (all.count > 0 && same_strides(&all.list[all.count - 1], &s) && extend(&all.list[all.count - 1], &s))
            continue;
        if (all.count == SLABS_MAX && !visit_slabs(r, &all))
            return false;
        all.list[all.count++] = s;
    }
    return visit_slabs(r, &all);
}

/* Threads first <= t < last, in as few boxes as possible, since each box has its own rows. */
static bool visit_threads(const wl_geometry *g, int64_t first, int64_t last, rows *r)
{
    wl_block_set few;
    if (wl_runs_are_boxes(g) || !wl_scheduled_boxes(g, first, last, &few))
        return wl_scheduled_visit(g, first, last, visit_box, r);
    for (int i = 0; i < few.count; i++)
        if (!visit_box(r, &few.boxes[i]))
            return false;
    return true;
}

bool wl_cell_rows_visit(const wl_region *region, const wl_bound **accesses, size_t count, int64_t granule,
                        wl_bytes_visit visit, void *context)
{
    const wl_geometry *g = region->geometry;
    rows r = {accesses, count, granule, visit, context};
    if (count == 0)
        return true;
    wl_cell_rows_sort(accesses, count);
    const int64_t most = g->threads - region->first_thread,
                  threads = region->thread_count ? wl_min(region->thread_count, most) : most;
    for (int i = 0; i < region->blocks.count; i++) {
        const wl_box3 *blocks = &region->blocks.boxes[i];
        const int64_t first = blocks->lo[0] * g->threads + region->first_thread;
        if (threads == g->threads) { /* one block continues where the other ends */
            if (!visit_threads(g, first, blocks->hi[0] * g->threads, &r))
                return false;
            continue;
        }
        for (int64_t b = 0; b < blocks->hi[0] - blocks->lo[0]; b++)
            if (!visit_threads(g, first + b * g->threads, first + b * g->threads + threads, &r))
                return false;
    }
    return true;
}

/* ---- as a set of granules ---- */

typedef struct adder {
    wl_granules *granules;
    int shift;
} adder;

static bool add_granules(void *context, int64_t first, int64_t last)
{
    const adder *a = context;
    return wl_granules_add(a->granules, first >> a->shift, last >> a->shift);
}

bool wl_cell_rows_add(wl_granules *granules, const wl_region *region, const wl_bound **accesses, size_t count,
                      int shift)
{
    adder a = {granules, shift};
    return wl_cell_rows_visit(region, accesses, count, (int64_t)1 << shift, add_granules, &a);
}

/* ---- as a list of ranges ---- */

#define ROWS_MAX 512     /* of a region that is counted this way; with more, a set is cheaper */
#define ACCESSES_MAX 128 /* the same */

typedef struct range {
    int64_t first, last; /* bytes, both included */
} range;

typedef struct ranges {
    int count;
    range list[ROWS_MAX];
} ranges;

static bool add_range(void *context, int64_t first, int64_t last)
{
    ranges *r = context;
    if (r->count == ROWS_MAX)
        return false;
    r->list[r->count++] = (range){first, last};
    return true;
}

/* The end of the ranges from `at` on that ascend. */
static int ascending_to(const range *list, int at, int n)
{
    while (++at < n && list[at - 1].first <= list[at].first)
        continue;
    return at;
}

static void merge(const range *a, const range *a_end, const range *b, const range *b_end, range *out)
{
    while (a < a_end && b < b_end)
        *out++ = b->first < a->first ? *b++ : *a++;
    while (a < a_end)
        *out++ = *a++;
    while (b < b_end)
        *out++ = *b++;
}

/* Sorts by the first byte. Rows of one slab ascend, so a few merges do. Returns where they are. */
static range *sort_ranges(range *list, int n, range *spare)
{
    while (ascending_to(list, 0, n) < n) {
        for (int at = 0, end; at < n; at = end) {
            const int middle = ascending_to(list, at, n);
            end = middle < n ? ascending_to(list, middle, n) : n;
            merge(list + at, list + middle, list + middle, list + end, spare + at);
        }
        range *other = list;
        list = spare;
        spare = other;
    }
    return list;
}

/* Joins sorted ranges without a gap between them. Returns how many there are. */
static int join_ranges(range *list, int n)
{
    int joined = 0;
    for (int i = 0; i < n; i++) {
        if (joined > 0 && list[i].first <= list[joined - 1].last + 1)
            list[joined - 1].last = wl_max(list[joined - 1].last, list[i].last);
        else
            list[joined++] = list[i];
    }
    return joined;
}

static int64_t touched_by(const range *list, int n, int shift)
{
    int64_t touched = 0, next = INT64_MIN; /* the first granule that is not counted */
    for (int i = 0; i < n; i++) {
        const int64_t end = (list[i].last >> shift) + 1, first = wl_max(list[i].first >> shift, next);
        touched += end - first;
        next = end;
    }
    return touched;
}

static int64_t covered_by(const range *list, int n, int shift)
{
    const int64_t more = ((int64_t)1 << shift) - 1;
    int64_t covered = 0;
    for (int i = 0; i < n; i++)
        covered += wl_max(0, ((list[i].last + 1) >> shift) - ((list[i].first + more) >> shift));
    return covered;
}

bool wl_cell_rows_count(const wl_region *region, const wl_bound *const *accesses, size_t count, const int64_t *granules,
                        int n, int64_t *touched, int64_t *covered)
{
    const wl_bound *sorted[ACCESSES_MAX];
    range spare[ROWS_MAX];
    ranges r;
    if (count > ACCESSES_MAX)
        return false;
    for (size_t i = 0; i < count; i++) {
        if (!wl_cell_rows_can(region, accesses[i]))
            return false;
        sorted[i] = accesses[i];
    }
    r.count = 0;
    if (!wl_cell_rows_visit(region, sorted, count, covered ? 1 : granules[0], add_range, &r))
        return false;
    range *list = sort_ranges(r.list, r.count, spare);
    const int joined = join_ranges(list, r.count);
    for (int i = 0; i < n; i++) {
        const bool parts = !covered && granules[i] < granules[0];
        touched[i] = parts ? touched[0] * (granules[0] / granules[i]) : touched_by(list, joined, wl_log2(granules[i]));
    }
    if (covered)
        *covered = covered_by(list, joined, wl_log2(granules[0]));
    return true;
}

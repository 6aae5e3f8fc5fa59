/* sweep.c - see sweep.h. SPDX-License-Identifier: MIT */
#include "footprint/sweep.h"

#include <string.h>

#include "base/ckd.h"
#include "footprint/solid.h"

/* First and last byte of a set of rows, and how many bytes next to them are accessed without a
 * gap. */
typedef struct span {
    int64_t first, last, head, tail;
} span;

/* ---- one row ---- */

/* Active boxes are sorted by the first byte of their runs. */
static int merge_runs(const wl_sweep *s, const int16_t *active, int n, wl_byte_run *runs)
{
    int merged = 0;
    for (int i = 0; i < n; i++) {
        /* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.ArraySubscript) the first n are set */
        const wl_byte_run *run = &s->boxes[active[i]].run;
        if (merged > 0 && run->first <= runs[merged - 1].last + 1)
            runs[merged - 1].last = wl_max(runs[merged - 1].last, run->last);
        else
            runs[merged++] = *run;
    }
    return merged;
}

static int64_t row_touched(const wl_byte_run *runs, int n, int64_t rho, int shift)
{
    int64_t touched = 0, top = INT64_MIN;
    for (int i = 0; i < n; i++) {
        const int64_t lo = wl_shift_down(rho + runs[i].first, shift), hi = wl_shift_down(rho + runs[i].last, shift);
        touched += hi - wl_max(lo, top + 1) + 1;
        top = hi;
    }
    return touched;
}

/* Gap-free runs of a row, in s->solid. */
static void find_solid(wl_sweep *s, const int16_t *active, int n)
{
    wl_solid_start(s->solid, s->shape->level_count ? s->shape->stride[0] : 1, s->granule);
    bool ok = true;
    for (int i = 0; i < n && ok; i++) {
        const wl_sweep_box *b = &s->boxes[active[i]];
        ok = b->run.solid ? wl_solid_add_run(s->solid, b->run.first, b->run.last)
                          : wl_solid_add_box(s->solid, s->shape, b->box, s->shape->level_count - s->outer_count);
    }
    s->too_fine = !ok || !wl_solid_finish(s->solid) || s->too_fine;
    s->out_of_memory = s->out_of_memory || s->solid->out_of_memory;
}

static int64_t row_covered(const wl_run *runs, size_t n, int64_t rho, const wl_sweep *s)
{
    int64_t covered = 0;
    for (size_t i = 0; i < n; i++)
        covered += wl_max(0, wl_shift_down(rho + runs[i].last + 1, s->shift) -
                                 wl_shift_down(rho + runs[i].first + s->granule - 1, s->shift));
    return covered;
}

static span count_rows(wl_sweep *s, const int16_t *active, int n, const wl_residues *rows)
{
    wl_byte_run runs[WL_SWEEP_MAX];
    const int count = merge_runs(s, active, n, runs);
    if (count == 0)
        return (span){0};
    for (int i = 0; i < rows->count; i++)
        if (rows->weight[i])
            s->total.touched += rows->weight[i] * row_touched(runs, count, wl_residue(rows, i), s->shift);
    span out = {runs[0].first, runs[count - 1].last, 0, 0};
    if (!s->want_covered)
        return out;
    find_solid(s, active, n);
    const wl_run *solid = s->solid->runs;
    const size_t solids = s->solid->run_count;
    for (int i = 0; i < rows->count; i++)
        if (rows->weight[i])
            s->total.covered += rows->weight[i] * row_covered(solid, solids, wl_residue(rows, i), s);
    if (solids && solid[0].first == out.first)
        out.head = solid[0].last - solid[0].first + 1;
    if (solids && solid[solids - 1].last == out.last)
        out.tail = solid[solids - 1].last - solid[solids - 1].first + 1;
    return out;
}

/* ---- neighbouring rows ---- */

/* Set `b` starts `distance` bytes after set `a`. Do a's end and b's start share a granule? */
static void subtract_shared(wl_sweep *s, const span *a, const span *b, int64_t distance, const wl_residues *rows)
{
    const int64_t g = s->granule, gap = distance + b->first - a->last - 1;
    if (gap >= g)
        return;
    for (int i = 0; i < rows->count; i++) {
        const int64_t rho = wl_residue(rows, i);
        const int64_t granule = wl_shift_down(rho + a->last, s->shift);
        if (!rows->weight[i] || granule != wl_shift_down(rho + distance + b->first, s->shift))
            continue;
        s->total.touched -= rows->weight[i];
        /* bytes of the shared granule on both sides */
        const int64_t before = rho + a->last + 1 - granule * g, after = (granule + 1) * g - rho - distance - b->first;
        if (s->want_covered && gap == 0 && a->tail >= before && b->head >= after && before < g && after < g)
            s->total.covered += rows->weight[i];
    }
}

/* Boxes of one region share many ends, so a sorted list of distinct ones stays short. */
static int add_point(int64_t *points, int count, int64_t point)
{
    int at = count;
    while (at > 0 && points[at - 1] > point)
        at--;
    if (at > 0 && points[at - 1] == point)
        return count;
    for (int i = count; i > at; i--)
        points[i] = points[i - 1];
    points[at] = point;
    return count + 1;
}

static int break_points(const wl_sweep *s, const int16_t *active, int n, int level, int64_t *points)
{
    int64_t lo = INT64_MAX, hi = INT64_MIN; /* those of the latest box: neighbours often agree */
    int count = 0;
    for (int i = 0; i < n; i++) {
        /* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.ArraySubscript) the first n are set */
        const wl_sweep_box *box = &s->boxes[active[i]];
        if (box->lo[level] != lo)
            count = add_point(points, count, lo = box->lo[level]);
        if (box->hi[level] != hi)
            count = add_point(points, count, hi = box->hi[level]);
    }
    return count;
}

/* Counts the active boxes over levels `level` .. 0; `rows` holds the alignments of the rows. */
static span sweep_level(wl_sweep *s, int level, const int16_t *active, int n, const wl_residues *rows)
{
    int64_t points[2 * WL_SWEEP_MAX];
    int16_t inside[WL_SWEEP_MAX];
    /* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign) all levels have a stride */
    const int64_t stride = s->stride[level];
    const int slabs = break_points(s, active, n, level, points) - 1;
    span out = {0}, before = {0};
    int64_t before_end = 0;
    bool any = false;
    for (int i = 0; i < slabs; i++) {
        int m = 0;
        for (int j = 0; j < n; j++) { /* without a branch, which could not be predicted */
            /* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.ArraySubscript) n of them are set */
            const wl_sweep_box *box = &s->boxes[active[j]];
            inside[m] = active[j];
            m += (box->lo[level] <= points[i]) & (points[i] < box->hi[level]);
        }
        if (m == 0)
            continue;
        const int64_t step = s->one_by_one ? 1 : points[i + 1] - points[i];
        for (int64_t c = points[i]; c < points[i + 1]; c += step) {
            wl_residues here;
            wl_residues_move(rows, stride, c, step, &here);
            const span slab = level > 0 ? sweep_level(s, level - 1, inside, m, &here) : count_rows(s, inside, m, &here);
            if (any && before_end == c && stride + slab.first - before.last - 1 < s->granule) {
                wl_residues_move(rows, stride, c - 1, 1, &here);
                subtract_shared(s, &before, &slab, stride, &here);
            }
            if (step > 1 && stride + slab.first - slab.last - 1 < s->granule) {
                wl_residues_move(rows, stride, c, step - 1, &here);
                subtract_shared(s, &slab, &slab, stride, &here);
            }
            if (!any)
                out = (span){slab.first + c * stride, 0, slab.head, 0};
            out.last = slab.last + (c + step - 1) * stride;
            out.tail = slab.tail;
            before = slab;
            before_end = c + step;
            any = true;
        }
    }
    return out;
}

void wl_sweep_count(wl_sweep *s, const int16_t *order, int n, const wl_residues *rows)
{
    if (s->outer_count > 0)
        (void)sweep_level(s, s->outer_count - 1, order, n, rows);
    else
        (void)count_rows(s, order, n, rows);
}

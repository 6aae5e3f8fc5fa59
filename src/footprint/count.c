/* count.c - see count.h for what is counted and how. SPDX-License-Identifier: MIT */
#include "footprint/count.h"

#include <stdlib.h>
#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "footprint/boxes.h"
#include "footprint/residues.h"
#include "footprint/solid.h"

#define COVER_SHARE 4          /* 1 / this of the row budget goes to covered granules: they matter less */
#define SORTED_BY_INSERTION 32 /* at most so many boxes, which are mostly in order */
#define WORD_BITS 64           /* granules marked at once: the unit of work on a long row */
#define EXACT_MAX 9e15         /* integers up to here are exact as doubles */
#define SWEEP_MAX 256          /* boxes in one sweep; beyond, rows are visited one by one */

/* A run of bytes relative to its row; `solid`: every byte of it is accessed. */
typedef struct interval {
    int64_t first, last;
    bool solid;
} interval;

/* One box, reduced to the levels that do not collapse at this granule. */
typedef struct sweep_box {
    int64_t lo[WL_LEVELS_MAX], hi[WL_LEVELS_MAX];
    interval run;
    const wl_point_box *box; /* the box before the reduction */
} sweep_box;

typedef struct sweep {
    int64_t granule;
    int shift; /* log2 of the granule */
    const wl_shape *shape;
    wl_solid *solid;
    int outer_count; /* remaining levels and their strides, ascending */
    int64_t stride[WL_LEVELS_MAX];
    sweep_box boxes[SWEEP_MAX];
    bool want_covered, one_by_one; /* one_by_one: too many alignment classes, visit coordinates one by one */
    bool too_fine;                 /* a row has too many pieces to tell what it covers */
    bool uncertain;                /* covered could not be determined */
    bool out_of_memory;
    const wl_residues *moves; /* counted for all of these at once; NULL: for none */
    bool singly;              /* that is not possible */
    wl_count total;
} sweep;

/* First and last byte of a set of rows, and how many bytes next to them are accessed without a
 * gap. */
typedef struct span {
    int64_t first, last, head, tail;
} span;

/* ---- one row ---- */

/* Active boxes are sorted by the first byte of their runs. */
static int merge_runs(const sweep *s, const int16_t *active, int n, interval *runs)
{
    int merged = 0;
    for (int i = 0; i < n; i++) {
        const interval *run = &s->boxes[active[i]].run;
        if (merged > 0 && run->first <= runs[merged - 1].last + 1)
            runs[merged - 1].last = wl_max(runs[merged - 1].last, run->last);
        else
            runs[merged++] = *run;
    }
    return merged;
}

static int64_t row_touched(const interval *runs, int n, int64_t rho, int shift)
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
static void find_solid(sweep *s, const int16_t *active, int n)
{
    wl_solid_start(s->solid, s->shape->level_count ? s->shape->stride[0] : 1, s->granule);
    bool ok = true;
    for (int i = 0; i < n && ok; i++) {
        const sweep_box *b = &s->boxes[active[i]];
        ok = b->run.solid ? wl_solid_add_run(s->solid, b->run.first, b->run.last)
                          : wl_solid_add_box(s->solid, s->shape, b->box, s->shape->level_count - s->outer_count);
    }
    s->too_fine = !ok || !wl_solid_finish(s->solid) || s->too_fine;
    s->out_of_memory = s->out_of_memory || s->solid->out_of_memory;
}

static int64_t row_covered(const wl_run *runs, size_t n, int64_t rho, const sweep *s)
{
    int64_t covered = 0;
    for (size_t i = 0; i < n; i++)
        covered += wl_max(0, wl_shift_down(rho + runs[i].last + 1, s->shift) -
                                 wl_shift_down(rho + runs[i].first + s->granule - 1, s->shift));
    return covered;
}

static span count_rows(sweep *s, const int16_t *active, int n, const wl_residues *rows)
{
    interval runs[SWEEP_MAX];
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
static void subtract_shared(sweep *s, const span *a, const span *b, int64_t distance, const wl_residues *rows)
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

static int break_points(const sweep *s, const int16_t *active, int n, int level, int64_t *points)
{
    int64_t lo = INT64_MAX, hi = INT64_MIN; /* those of the latest box: neighbours often agree */
    int count = 0;
    for (int i = 0; i < n; i++) {
        const sweep_box *box = &s->boxes[active[i]];
        if (box->lo[level] != lo)
            count = add_point(points, count, lo = box->lo[level]);
        if (box->hi[level] != hi)
            count = add_point(points, count, hi = box->hi[level]);
    }
    return count;
}

/* Counts the active boxes over levels `level` .. 0; `rows` holds the alignments of the rows. */
static span sweep_level(sweep *s, int level, const int16_t *active, int n, const wl_residues *rows)
{
    int64_t points[2 * SWEEP_MAX];
    int16_t inside[SWEEP_MAX];
    /* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign) set for all levels below outer_count */
    const int64_t stride = s->stride[level];
    const int slabs = break_points(s, active, n, level, points) - 1;
    span out = {0}, before = {0};
    int64_t before_end = 0;
    bool any = false;
    for (int i = 0; i < slabs; i++) {
        int m = 0;
        for (int j = 0; j < n; j++) { /* without a branch, which would be as good as random */
            const sweep_box *box = &s->boxes[active[j]];
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

/* ---- a cluster of boxes ---- */

/* Collapses the levels that leave no gap into a run of bytes. */
static void reduce_box(const wl_shape *shape, const wl_point_box *box, int collapsed, sweep_box *out)
{
    int64_t first = box->byte_lo, last = box->byte_hi - 1;
    bool solid = true;
    for (int i = 0; i < collapsed; i++) {
        const int64_t extent = box->hi[i] - box->lo[i];
        solid = solid && (extent == 1 || last - first + 1 >= shape->stride[i]);
        first += box->lo[i] * shape->stride[i];
        last += (box->hi[i] - 1) * shape->stride[i];
    }
    out->run = (interval){first, last, solid};
    out->box = box;
    for (int i = collapsed; i < shape->level_count; i++) {
        out->lo[i - collapsed] = box->lo[i];
        out->hi[i - collapsed] = box->hi[i];
    }
}

/* Does the footprint of each inner level fit into one step of the next? Then rows are in address
 * order. */
static bool nested(const sweep *s, int n)
{
    int64_t first = INT64_MAX, last = INT64_MIN;
    for (int i = 0; i < n; i++) {
        first = wl_min(first, s->boxes[i].run.first);
        last = wl_max(last, s->boxes[i].run.last);
    }
    for (int level = 0; level < s->outer_count; level++) {
        if (last - first + 1 > s->stride[level])
            return false;
        int64_t lo = INT64_MAX, hi = INT64_MIN;
        for (int i = 0; i < n; i++) {
            lo = wl_min(lo, s->boxes[i].lo[level]);
            hi = wl_max(hi, s->boxes[i].hi[level] - 1);
        }
        first += lo * s->stride[level];
        last += hi * s->stride[level];
    }
    return true;
}

static int collapsed_levels(const wl_shape *shape, int64_t granule)
{
    int collapsed = 0;
    while (collapsed < shape->level_count && shape->stride[collapsed] <= granule)
        collapsed++;
    return collapsed;
}

/* Further levels along which the runs of all boxes join, because a step is no longer than a run. */
static int joined_levels(const wl_shape *shape, const wl_point_box *boxes, int n, int collapsed)
{
    for (; collapsed < shape->level_count; collapsed++) {
        for (int i = 0; i < n; i++) {
            sweep_box rows;
            reduce_box(shape, &boxes[i], collapsed, &rows);
            if (rows.hi[0] - rows.lo[0] > 1 && rows.run.last - rows.run.first + 1 < shape->stride[collapsed])
                return collapsed;
        }
    }
    return collapsed;
}

/* Adds the granules of one box to the set, row by row. */
static wl_status visit_rows(wl_counter *c, const wl_shape *shape, const wl_point_box *box, int64_t granule,
                            wl_error *err)
{
    const int collapsed = joined_levels(shape, box, 1, collapsed_levels(shape, granule)),
              outer = shape->level_count - collapsed;
    const int64_t *stride = shape->stride + collapsed;
    sweep_box rows;
    int64_t at[WL_LEVELS_MAX], count = 1, work = 1;
    reduce_box(shape, box, collapsed, &rows);
    for (int i = 0; i < outer; i++) {
        at[i] = rows.lo[i];
        if (!wl_mul(count, rows.hi[i] - rows.lo[i], &count))
            count = WL_ADDRESS_LIMIT;
    }
    if (!wl_mul(count, 1 + (rows.run.last - rows.run.first) / granule / WORD_BITS, &work) || work > c->row_budget)
        return wl_fail(err, WL_E_LIMIT, WL_NOWHERE,
                       "rows of a field overlap each other, and there are too many to visit singly");
    for (int64_t r = 0; r < count; r++) {
        int64_t address = shape->base;
        for (int i = 0; i < outer; i++)
            address += at[i] * stride[i];
        if (!wl_granules_add(&c->granules, wl_floor_div(address + rows.run.first, granule),
                             wl_floor_div(address + rows.run.last, granule)))
            return wl_granules_fail(&c->granules, err);
        for (int i = 0; i < outer && ++at[i] == rows.hi[i]; i++)
            at[i] = rows.lo[i];
    }
    return WL_OK;
}

static wl_status visit_all(wl_counter *c, const wl_shape *shape, const wl_point_box *boxes, int n, int64_t granule,
                           wl_error *err)
{
    wl_granules_clear(&c->granules);
    for (int i = 0; i < n; i++)
        WL_TRY(visit_rows(c, shape, &boxes[i], granule, err));
    return WL_OK;
}

/* Covered granules, byte by byte. Beyond the budget, covered stays -1: unknown. */
static wl_status cover_by_rows(wl_counter *c, const wl_shape *shape, const wl_point_box *boxes, int n, sweep *s,
                               wl_error *err)
{
    wl_error limit = {0};
    const int64_t budget = c->row_budget;
    c->method = c->method > WL_COUNT_ROWS ? c->method : WL_COUNT_ROWS;
    c->row_budget = budget / COVER_SHARE;
    const wl_status status = visit_all(c, shape, boxes, n, 1, &limit); /* granules are single bytes here */
    c->row_budget = budget;
    if (status != WL_OK && status != WL_E_LIMIT)
        return wl_fail(err, status, WL_NOWHERE, "%s", limit.message);
    s->uncertain = s->uncertain || status == WL_E_LIMIT;
    s->total.covered += wl_granules_full(&c->granules, s->granule);
    return WL_OK;
}

static wl_status count_by_rows(wl_counter *c, const wl_shape *shape, const wl_point_box *boxes, int n, sweep *s,
                               wl_error *err)
{
    c->method = c->method > WL_COUNT_ROWS ? c->method : WL_COUNT_ROWS;
    WL_TRY(visit_all(c, shape, boxes, n, s->granule, err));
    s->total.touched += c->granules.count;
    return s->want_covered ? cover_by_rows(c, shape, boxes, n, s, err) : WL_OK;
}

/* Coordinates visited one by one count against the budget, too. */
static wl_status check_steps(const wl_counter *c, const sweep *s, int n, wl_error *err)
{
    int64_t steps = 1;
    for (int level = 0; level < s->outer_count; level++) {
        int64_t lo = INT64_MAX, hi = INT64_MIN;
        for (int i = 0; i < n; i++) {
            lo = wl_min(lo, s->boxes[i].lo[level]);
            hi = wl_max(hi, s->boxes[i].hi[level]);
        }
        if (!wl_mul(steps, hi - lo, &steps) || steps > c->row_budget)
            return wl_fail(err, WL_E_LIMIT, WL_NOWHERE, "too many rows of different alignment to count");
    }
    return WL_OK;
}

/* The alignments of the row at the origin: one, or one per move. False: too many classes. */
static bool start_rows(const sweep *s, wl_residues *out)
{
    int64_t strides[WL_LEVELS_MAX + 1];
    memcpy(strides, s->stride, (size_t)s->outer_count * sizeof *strides);
    if (!s->moves)
        return wl_residues_start(s->shape->base, s->granule, strides, s->outer_count, out);
    strides[s->outer_count] = s->moves->first | s->moves->step;
    if (!wl_residues_start(s->shape->base, s->granule, strides, s->outer_count + 1, out))
        return false;
    out->weight[0] = 0;
    wl_residues_add(s->moves, s->shape->base, out);
    return true;
}

/* The boxes by the first bytes of their runs. */
static void sort_by_run(const sweep *s, int n, int16_t *order)
{
    for (int i = 0; i < n; i++) {
        int at = i;
        for (; at > 0 && s->boxes[order[at - 1]].run.first > s->boxes[i].run.first; at--)
            order[at] = order[at - 1];
        order[at] = (int16_t)i;
    }
}

static wl_status count_cluster(wl_counter *c, const wl_shape *shape, const wl_point_box *boxes, int n, sweep *s,
                               wl_error *err)
{
    if (n > SWEEP_MAX && s->moves) {
        s->singly = true;
        return WL_OK;
    }
    if (n > SWEEP_MAX)
        return count_by_rows(c, shape, boxes, n, s, err);
    int collapsed = collapsed_levels(shape, s->granule);
    if (!s->want_covered) /* whether a joined run is gap-free is another question */
        collapsed = joined_levels(shape, boxes, n, collapsed);
    s->outer_count = shape->level_count - collapsed;
    for (int i = 0; i < s->outer_count; i++)
        s->stride[i] = shape->stride[collapsed + i];
    for (int i = 0; i < n; i++)
        reduce_box(shape, &boxes[i], collapsed, &s->boxes[i]);
    wl_residues start;
    const bool in_order = nested(s, n);
    s->one_by_one = !start_rows(s, &start);
    s->singly = s->moves && (!in_order || s->one_by_one);
    if (s->singly)
        return WL_OK;
    if (!in_order)
        return count_by_rows(c, shape, boxes, n, s, err);
    if (s->one_by_one)
        WL_TRY(check_steps(c, s, n, err));
    int16_t all[SWEEP_MAX];
    sort_by_run(s, n, all);
    const int64_t covered_before = s->total.covered;
    s->too_fine = s->out_of_memory = false;
    if (s->outer_count > 0)
        (void)sweep_level(s, s->outer_count - 1, all, n, &start);
    else
        (void)count_rows(s, all, n, &start);
    if (s->out_of_memory)
        return wl_fail_memory(err);
    s->singly = s->moves && s->too_fine;
    if (!s->too_fine || s->singly)
        return WL_OK;
    s->total.covered = covered_before;
    return cover_by_rows(c, shape, boxes, n, s, err);
}

static int compare_boxes(const void *p, const void *q)
{
    const wl_point_box *a = p, *b = q;
    return (a->first > b->first) - (a->first < b->first);
}

static void sort_boxes(wl_point_box *boxes, int n)
{
    if (n > SORTED_BY_INSERTION) {
        qsort(boxes, (size_t)n, sizeof *boxes, compare_boxes);
        return;
    }
    for (int i = 1; i < n; i++) {
        if (boxes[i - 1].first <= boxes[i].first)
            continue;
        const wl_point_box box = boxes[i];
        int at = i;
        for (; at > 0 && boxes[at - 1].first > box.first; at--)
            boxes[at] = boxes[at - 1];
        boxes[at] = box;
    }
}

/* For addresses that depend on cells only: the key is the region's cells, relative to the first. */
static void make_key(const wl_shape *shape, const wl_region *region, wl_laid *out)
{
    const wl_linear *linear = &shape->linears[0];
    wl_count_key *key = &out->key;
    int64_t origin[3] = {0};
    key->shape = shape->id;
    key->boxes = 0;
    for (int i = 0; i < WL_LOOPS_MAX; i++)
        key->loops[i] = i < region->kernel->loop_count ? wl_region_steps(region)[i] : 1;
    for (int b = 0; b < region->blocks.count; b++) {
        wl_box3 cells = wl_block_cells(region->geometry, &region->blocks.boxes[b]);
        if (cells.lo[0] >= cells.hi[0] || cells.lo[1] >= cells.hi[1] || cells.lo[2] >= cells.hi[2])
            continue;
        if (key->boxes == 0 && !shape->guarded)
            memcpy(origin, cells.lo, sizeof origin);
        for (int d = 0; d < 3; d++) {
            cells.lo[d] -= origin[d];
            cells.hi[d] -= origin[d];
        }
        key->box[key->boxes++] = cells;
    }
    out->origin = shape->base;
    for (int d = 0; d < 3; d++)
        out->origin += origin[d] * linear->stride[WL_AXIS_CELL + d];
    out->has_key = key->boxes > 0;
}

void wl_shape_lay(const wl_counter *counter, const wl_shape *shape, const wl_region *region, wl_laid *out)
{
    const wl_linear *linear = &shape->linears[0];
    out->shape = shape;
    out->region = region;
    out->made = out->has_key = false;
    if (counter->keep && shape->id && shape->linear_count == 1 &&
        !(linear->split[0] || linear->split[1] || linear->split[2]))
        make_key(shape, region, out);
}

static wl_status make_boxes(wl_counter *counter, wl_laid *laid, wl_error *err)
{
    if (laid->made)
        return WL_OK;
    WL_TRY(wl_boxes_make(counter, laid->shape, laid->region, &laid->count, err));
    sort_boxes(counter->boxes, laid->count);
    laid->boxes = counter->boxes;
    laid->made = true;
    return WL_OK;
}

/* Boxes at disjoint addresses share no granule: counts each cluster on its own. Under many moves,
 * those of one cluster may share a granule under some of them. */
static wl_status count_clusters(wl_counter *counter, const wl_laid *laid, int64_t moved, sweep *s, wl_error *err)
{
    const wl_point_box *boxes = laid->boxes;
    for (int start = 0, end; start < laid->count && !s->singly; start = end) {
        int64_t last = boxes[start].last;
        for (end = start + 1; end < laid->count; end++) {
            if (s->moves ? boxes[end].first - last >= s->granule
                         : wl_shift_down(boxes[end].first + moved, s->shift) > wl_shift_down(last + moved, s->shift))
                break;
            last = wl_max(last, boxes[end].last);
        }
        WL_TRY(count_cluster(counter, s->shape, boxes + start, end - start, s, err));
    }
    return WL_OK;
}

static wl_status count_boxes(wl_counter *counter, const wl_laid *laid, int64_t moved, const wl_residues *moves,
                             int64_t granule_bytes, bool want_covered, bool *done, wl_count *out, wl_error *err)
{
    wl_shape shape = *laid->shape;
    sweep s;
    shape.base += moved;
    s.granule = granule_bytes;
    s.shift = wl_log2(granule_bytes);
    s.shape = &shape;
    s.want_covered = want_covered;
    s.uncertain = s.singly = false;
    s.moves = moves;
    s.solid = &counter->solid;
    s.total = (wl_count){0, 0};
    WL_TRY(count_clusters(counter, laid, moved, &s, err));
    *out = s.total;
    *done = !s.singly;
    if (!want_covered || s.uncertain)
        out->covered = -1;
    return WL_OK;
}

static wl_kept_count *find_kept(wl_counter *counter, wl_laid *laid, int64_t moved, int64_t granule_bytes,
                                bool want_covered)
{
    if (!laid->has_key)
        return NULL;
    laid->key.granule = granule_bytes;
    laid->key.want_covered = want_covered;
    laid->key.alignment = (laid->origin + moved) & (granule_bytes - 1);
    return wl_count_memo_find(&counter->memo, &laid->key);
}

bool wl_laid_is_kept(wl_counter *counter, wl_laid *laid, int64_t moved, int64_t granule_bytes, bool want_covered)
{
    const wl_kept_count *kept = find_kept(counter, laid, moved, granule_bytes, want_covered);
    return kept && wl_count_key_same(&kept->key, &laid->key);
}

/* Is the sum exact as a double, and so as an integer? */
static bool sum_fits(const wl_laid *laid, const wl_residues *moves, int64_t granule)
{
    double touched = 0, count = 0;
    for (int i = 0; i < laid->count; i++)
        touched += (double)((laid->boxes[i].last - laid->boxes[i].first) / granule + 2);
    for (int i = 0; i < moves->count; i++)
        count += (double)moves->weight[i];
    return touched * count < EXACT_MAX;
}

wl_status wl_laid_sum(wl_counter *counter, wl_laid *laid, const wl_residues *moves, int64_t granule_bytes,
                      bool want_covered, bool *done, wl_count *out, wl_error *err)
{
    WL_TRY(make_boxes(counter, laid, err));
    *done = false;
    if (!sum_fits(laid, moves, granule_bytes))
        return WL_OK;
    return count_boxes(counter, laid, 0, moves, granule_bytes, want_covered, done, out, err);
}

wl_status wl_laid_count(wl_counter *counter, wl_laid *laid, int64_t moved, int64_t granule_bytes, bool want_covered,
                        wl_count *out, wl_error *err)
{
    wl_kept_count *kept = find_kept(counter, laid, moved, granule_bytes, want_covered);
    const wl_count_method before = counter->method;
    wl_status status = WL_OK;
    bool done;
    if (kept && wl_count_key_same(&kept->key, &laid->key)) {
        *out = (wl_count){kept->touched, kept->covered};
        counter->method = (wl_count_method)kept->method;
    } else {
        counter->method = WL_COUNT_CLOSED_FORM;
        status = make_boxes(counter, laid, err);
        if (status == WL_OK)
            status = count_boxes(counter, laid, moved, NULL, granule_bytes, want_covered, &done, out, err);
        if (status == WL_OK && kept)
            *kept = (wl_kept_count){laid->key, out->touched, out->covered, (int)counter->method};
    }
    counter->method = counter->method > before ? counter->method : before;
    return status;
}

wl_status wl_shape_count(wl_counter *counter, const wl_shape *shape, const wl_region *region, int64_t granule_bytes,
                         bool want_covered, wl_count *out, wl_error *err)
{
    wl_laid laid;
    wl_shape_lay(counter, shape, region, &laid);
    return wl_laid_count(counter, &laid, 0, granule_bytes, want_covered, out, err);
}

void wl_counter_free(wl_counter *counter)
{
    free(counter->boxes);
    wl_solid_free(&counter->solid);
    wl_granules_free(&counter->granules);
    wl_granules_free(&counter->starts);
    wl_count_memo_free(counter->memo);
    wl_threads_end(counter);
    *counter = (wl_counter){0};
}

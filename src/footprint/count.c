/* count.c - see count.h for what is counted and how. SPDX-License-Identifier: MIT */
#include "footprint/count.h"

#include <stdlib.h>
#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "footprint/sweep.h"

/* 1 / this of the row budget goes to covered granules: they matter less */
#define COVER_SHARE 4
#define SORTED_BY_INSERTION 32 /* at most so many boxes, which are mostly in order */
#define WORD_BITS 64           /* granules marked at once: the unit of work on a long row */
#define EXACT_MAX 9e15         /* integers up to here are exact as doubles */

/* ---- a cluster of boxes ---- */

/* Collapses the levels that leave no gap into a run of bytes. */
static void reduce_box(const wl_shape *shape, const wl_point_box *box, int collapsed, wl_sweep_box *out)
{
    int64_t first = box->byte_lo, last = box->byte_hi - 1;
    bool solid = true;
    for (int i = 0; i < collapsed; i++) {
        const int64_t extent = box->hi[i] - box->lo[i];
        solid = solid && (extent == 1 || last - first + 1 >= shape->stride[i]);
        first += box->lo[i] * shape->stride[i];
        last += (box->hi[i] - 1) * shape->stride[i];
    }
    out->run = (wl_byte_run){first, last, solid};
    out->box = box;
    for (int i = collapsed; i < shape->level_count; i++) {
        out->lo[i - collapsed] = box->lo[i];
        out->hi[i - collapsed] = box->hi[i];
    }
}

/* Does the footprint of each inner level fit into one step of the next? Then rows are in address
 * order. */
static bool nested(const wl_sweep *s, int n)
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
            wl_sweep_box rows;
            reduce_box(shape, &boxes[i], collapsed, &rows);
            if (rows.hi[0] - rows.lo[0] > 1 && rows.run.last - rows.run.first + 1 < shape->stride[collapsed])
                return collapsed;
        }
    }
    return collapsed;
}

/* ---- row by row ---- */

/* One box as rows: a run of bytes at each point of the levels from `collapsed` on. */
typedef struct box_rows {
    wl_sweep_box rows;
    int collapsed, outer;
    int boxes; /* whose runs have been joined into this one */
} box_rows;

static box_rows rows_of(const wl_shape *shape, const wl_point_box *box, int64_t granule)
{
    box_rows b = {.boxes = 1};
    b.collapsed = joined_levels(shape, box, 1, collapsed_levels(shape, granule));
    b.outer = shape->level_count - b.collapsed;
    reduce_box(shape, box, b.collapsed, &b.rows);
    return b;
}

/* Orders by the points at which runs start. */
static int compare_points(const box_rows *a, const box_rows *b)
{
    if (a->collapsed != b->collapsed)
        return a->collapsed - b->collapsed;
    for (int i = 0; i < a->outer; i++) {
        if (a->rows.lo[i] != b->rows.lo[i])
            return a->rows.lo[i] < b->rows.lo[i] ? -1 : 1;
        if (a->rows.hi[i] != b->rows.hi[i])
            return a->rows.hi[i] < b->rows.hi[i] ? -1 : 1;
    }
    return 0;
}

static int compare_rows(const void *p, const void *q)
{
    const box_rows *a = p, *b = q;
    const int by_points = compare_points(a, b);
    return by_points ? by_points : (a->rows.run.first > b->rows.run.first) - (a->rows.run.first < b->rows.run.first);
}

/* Joins runs that start at the same points and have no whole granule between them: accesses a few
 * cells apart. */
static int join_rows(box_rows *all, int n, int64_t granule)
{
    int kept = 1;
    qsort(all, (size_t)n, sizeof *all, compare_rows);
    for (int i = 1; i < n; i++) {
        box_rows *into = &all[kept - 1];
        if (compare_points(into, &all[i]) == 0 && all[i].rows.run.first <= into->rows.run.last + granule) {
            into->rows.run.last = wl_max(into->rows.run.last, all[i].rows.run.last);
            into->boxes++;
        } else {
            all[kept++] = all[i];
        }
    }
    return kept;
}

/* Adds the granules of rows to the set, one by one. */
static wl_status visit_rows(wl_counter *c, const wl_shape *shape, const box_rows *b, int64_t granule, wl_error *err)
{
    const int64_t *stride = shape->stride + b->collapsed;
    const wl_sweep_box *rows = &b->rows;
    int64_t at[WL_LEVELS_MAX], count = 1, work = 1;
    for (int i = 0; i < b->outer; i++) {
        at[i] = rows->lo[i];
        if (!wl_mul(count, rows->hi[i] - rows->lo[i], &count))
            count = WL_ADDRESS_LIMIT;
    }
    if (!wl_mul(count, 1 + (rows->run.last - rows->run.first) / granule / WORD_BITS, &work) ||
        work / b->boxes > c->row_budget)
        return wl_fail(err, WL_E_LIMIT, WL_NOWHERE,
                       "rows of a field overlap each other, and there are too many to visit one by one");
    for (int64_t r = 0; r < count; r++) {
        int64_t address = shape->base;
        for (int i = 0; i < b->outer; i++)
            address += at[i] * stride[i];
        if (!wl_granules_add(&c->granules, wl_floor_div(address + rows->run.first, granule),
                             wl_floor_div(address + rows->run.last, granule)))
            return wl_granules_fail(&c->granules, err);
        for (int i = 0; i < b->outer && ++at[i] == rows->hi[i]; i++)
            at[i] = rows->lo[i];
    }
    return WL_OK;
}

static wl_status visit_all(wl_counter *c, const wl_shape *shape, const wl_point_box *boxes, int n, int64_t granule,
                           wl_error *err)
{
    wl_status status = WL_OK;
    box_rows *all = malloc((size_t)n * sizeof *all);
    if (!all)
        return wl_fail_memory(err);
    wl_granules_clear(&c->granules);
    for (int i = 0; i < n; i++)
        all[i] = rows_of(shape, &boxes[i], granule);
    const int joined = join_rows(all, n, granule);
    for (int i = 0; i < joined && status == WL_OK; i++)
        status = visit_rows(c, shape, &all[i], granule, err);
    free(all);
    return status;
}

/* Covered granules, byte by byte. Beyond the budget, covered stays -1: unknown. */
static wl_status cover_by_rows(wl_counter *c, const wl_shape *shape, const wl_point_box *boxes, int n, wl_sweep *s,
                               wl_error *err)
{
    wl_error limit = {0};
    const int64_t budget = c->row_budget;
    c->method = c->method > WL_COUNT_ROWS ? c->method : WL_COUNT_ROWS;
    c->row_budget = budget / COVER_SHARE;
    /* granules are single bytes here */
    const wl_status status = visit_all(c, shape, boxes, n, 1, &limit);
    c->row_budget = budget;
    if (status != WL_OK && status != WL_E_LIMIT)
        return wl_fail(err, status, WL_NOWHERE, "%s", limit.message);
    s->uncertain = s->uncertain || status == WL_E_LIMIT;
    s->total.covered += wl_granules_full(&c->granules, s->granule);
    return WL_OK;
}

static wl_status count_by_rows(wl_counter *c, const wl_shape *shape, const wl_point_box *boxes, int n, wl_sweep *s,
                               wl_error *err)
{
    c->method = c->method > WL_COUNT_ROWS ? c->method : WL_COUNT_ROWS;
    WL_TRY(visit_all(c, shape, boxes, n, s->granule, err));
    s->total.touched += c->granules.count;
    return s->want_covered ? cover_by_rows(c, shape, boxes, n, s, err) : WL_OK;
}

/* Coordinates visited one by one count against the budget, too. */
static wl_status check_steps(const wl_counter *c, const wl_sweep *s, int n, wl_error *err)
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
static bool start_rows(const wl_sweep *s, wl_residues *out)
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
static void sort_by_run(const wl_sweep *s, int n, int16_t *order)
{
    for (int i = 0; i < n; i++) {
        int at = i;
        for (; at > 0 && s->boxes[order[at - 1]].run.first > s->boxes[i].run.first; at--)
            order[at] = order[at - 1];
        order[at] = (int16_t)i;
    }
}

/* Reduces boxes to the levels that do not collapse; are rows in address order then? */
static bool reduce_boxes(const wl_shape *shape, const wl_point_box *boxes, int n, wl_sweep *s)
{
    int collapsed = collapsed_levels(shape, s->granule);
    if (!s->want_covered) /* a joined run may have gaps */
        collapsed = joined_levels(shape, boxes, n, collapsed);
    s->outer_count = shape->level_count - collapsed;
    for (int i = 0; i < s->outer_count; i++)
        s->stride[i] = shape->stride[collapsed + i];
    for (int i = 0; i < n; i++)
        reduce_box(shape, &boxes[i], collapsed, &s->boxes[i]);
    return nested(s, n);
}

/* Names the same points anew: where a step of a level is a whole number of steps of the one below,
 * boxes that begin in other steps than the first one are moved down there. A third tile of 8
 * columns may be columns 16 to 23 of a group of 32, or -16 to -9 of the next one. */
static void carry(const wl_shape *shape, const wl_point_box *boxes, int n, wl_point_box *out)
{
    memcpy(out, boxes, (size_t)n * sizeof *out);
    for (int level = 0; level + 1 < shape->level_count; level++) {
        const int64_t ratio = shape->stride[level] > 0 ? shape->stride[level + 1] / shape->stride[level] : 0;
        if (ratio < 1 || shape->stride[level + 1] % shape->stride[level])
            continue;
        for (int i = 1; i < n; i++) {
            const int64_t steps = wl_floor_div(out[i].lo[level] - out[0].lo[level], ratio);
            out[i].lo[level] -= steps * ratio;
            out[i].hi[level] -= steps * ratio;
            out[i].lo[level + 1] += steps;
            out[i].hi[level + 1] += steps;
        }
    }
}

static wl_status count_cluster(wl_counter *c, const wl_shape *shape, const wl_point_box *boxes, int n, wl_sweep *s,
                               wl_error *err)
{
    if (n > WL_SWEEP_MAX && s->moves) {
        s->singly = true;
        return WL_OK;
    }
    if (n > WL_SWEEP_MAX)
        return count_by_rows(c, shape, boxes, n, s, err);
    wl_residues start;
    wl_point_box carried[WL_SWEEP_MAX];
    bool in_order = reduce_boxes(shape, boxes, n, s);
    if (!in_order && n > 1) {
        carry(shape, boxes, n, carried);
        in_order = reduce_boxes(shape, carried, n, s);
    }
    s->one_by_one = !start_rows(s, &start);
    s->singly = s->moves && (!in_order || s->one_by_one);
    if (s->singly)
        return WL_OK;
    if (!in_order)
        return count_by_rows(c, shape, boxes, n, s, err);
    if (s->one_by_one)
        WL_TRY(check_steps(c, s, n, err));
    int16_t all[WL_SWEEP_MAX];
    sort_by_run(s, n, all);
    const int64_t covered_before = s->total.covered;
    s->too_fine = s->out_of_memory = false;
    wl_sweep_count(s, all, n, &start);
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

/* Takes a box into another one if both together are a box: they differ in one level, where they
 * overlap or touch. */
static bool join_box(wl_point_box *into, const wl_point_box *box, int levels)
{
    int apart = -1;
    if (into->byte_lo != box->byte_lo || into->byte_hi != box->byte_hi)
        return false;
    for (int i = 0; i < levels; i++) {
        if (into->lo[i] == box->lo[i] && into->hi[i] == box->hi[i])
            continue;
        if (apart >= 0 || box->lo[i] > into->hi[i] || into->lo[i] > box->hi[i])
            return false;
        apart = i;
    }
    if (apart >= 0) {
        into->lo[apart] = wl_min(into->lo[apart], box->lo[apart]);
        into->hi[apart] = wl_max(into->hi[apart], box->hi[apart]);
    }
    into->first = wl_min(into->first, box->first);
    into->last = wl_max(into->last, box->last);
    return true;
}

/* Accesses a few cells apart touch nearly the same. Where there are too many for a sweep, each box
 * costs a visit of all its rows. */
static int join_boxes(wl_point_box *boxes, int n, int levels)
{
    int kept = n > 0;
    for (int i = 1; i < n && n > WL_SWEEP_MAX; i++)
        if (!join_box(&boxes[kept - 1], &boxes[i], levels))
            boxes[kept++] = boxes[i];
    return n > WL_SWEEP_MAX ? kept : n;
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
    out->hash = wl_count_key_hash(key);
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
    laid->count = join_boxes(counter->boxes, laid->count, laid->shape->level_count);
    laid->boxes = counter->boxes;
    laid->made = true;
    return WL_OK;
}

/* Boxes at disjoint addresses share no granule: counts each cluster on its own. Under many moves,
 * those of one cluster may share a granule under some of them. */
static wl_status count_clusters(wl_counter *counter, const wl_laid *laid, int64_t moved, wl_sweep *s, wl_error *err)
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
    wl_sweep s;
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

static const wl_kept_count *find_kept(const wl_counter *counter, wl_laid *laid, int64_t moved, int64_t granule_bytes,
                                      bool want_covered)
{
    if (!laid->has_key)
        return NULL;
    laid->key.granule = granule_bytes;
    laid->key.want_covered = want_covered;
    laid->key.alignment = (laid->origin + moved) & (granule_bytes - 1);
    return wl_count_memo_find(counter->memo, &laid->key, laid->hash);
}

bool wl_laid_is_kept(wl_counter *counter, wl_laid *laid, int64_t moved, int64_t granule_bytes, bool want_covered)
{
    return find_kept(counter, laid, moved, granule_bytes, want_covered) != NULL;
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
    const wl_kept_count *kept = find_kept(counter, laid, moved, granule_bytes, want_covered);
    const wl_count_method before = counter->method;
    wl_status status = WL_OK;
    bool done;
    if (kept) {
        *out = (wl_count){kept->touched, kept->covered};
        counter->method = (wl_count_method)kept->method;
    } else {
        counter->method = WL_COUNT_CLOSED_FORM;
        status = make_boxes(counter, laid, err);
        if (status == WL_OK)
            status = count_boxes(counter, laid, moved, NULL, granule_bytes, want_covered, &done, out, err);
        if (status == WL_OK && laid->has_key)
            wl_count_memo_keep(&counter->memo, &laid->key, laid->hash,
                               (wl_kept_count){out->touched, out->covered, (int)counter->method});
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

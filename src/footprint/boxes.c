/* boxes.c - see boxes.h. SPDX-License-Identifier: MIT */
#include "footprint/boxes.h"

#include <stdlib.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "base/room.h"

#define BOXES_MAX (1 << 20)
/* boxes where a condition holds, kept for the next patch with the same condition */
#define HELD_MAX 32

typedef struct maker {
    wl_counter *counter;
    const wl_shape *shape;
    const wl_region *region;
    int count;
    wl_error *err;
    int held_count; /* -1: too many */
    wl_axis_box held[HELD_MAX];
} maker;

static wl_status room_for_one(maker *m)
{
    wl_counter *c = m->counter;
    if (m->count >= BOXES_MAX)
        return wl_fail(m->err, WL_E_LIMIT, WL_NOWHERE, "the accesses of one field need more than %d boxes", BOXES_MAX);
    return WL_ROOM(c->boxes, (size_t)m->count + 1, c->box_capacity) ? WL_OK : wl_fail_memory(m->err);
}

/* Moves a box of axis coordinates through a patch. */
static wl_status add_box(maker *m, const wl_patch *patch, const wl_axis_box *r)
{
    const wl_shape *s = m->shape;
    const wl_linear *linear = &s->linears[patch->linear];
    WL_TRY(room_for_one(m));
    wl_point_box *box = &m->counter->boxes[m->count];
    for (int i = 0; i < s->level_count; i++) {
        box->lo[i] = patch->lo[i];
        box->hi[i] = patch->hi[i];
    }
    for (int a = 0; a < WL_AXIS_COUNT; a++) {
        const int level = linear->level[a];
        if (level < 0)
            continue;
        const bool up = linear->stride[a] > 0;
        box->lo[level] += up ? r->lo[a] : 1 - r->hi[a];
        box->hi[level] += up ? r->hi[a] - 1 : -r->lo[a];
    }
    box->byte_lo = patch->byte_lo;
    box->byte_hi = patch->byte_hi;
    box->first = s->base + patch->byte_lo;
    box->last = s->base + patch->byte_hi - 1;
    for (int i = 0; i < s->level_count; i++) {
        box->first += box->lo[i] * s->stride[i];
        box->last += (box->hi[i] - 1) * s->stride[i];
    }
    m->count++;
    return WL_OK;
}

/* Cuts a box where the condition of the patch changes, and keeps the parts where it holds. */
static wl_status add_guarded(maker *m, const wl_patch *patch, const wl_axis_box *r)
{
    int undecided, axis;
    const int truth = patch->guard ? wl_guard_truth(patch->guard, r, UINT32_MAX, &undecided) : 1;
    if (truth == 0)
        return WL_OK;
    if (truth > 0) {
        if (patch->guard && m->held_count >= 0 && m->held_count < HELD_MAX)
            m->held[m->held_count++] = *r;
        else
            m->held_count = -1;
        return add_box(m, patch, r);
    }
    const int64_t at = wl_guard_cut(&patch->guard->nodes[undecided], r, m->shape->linears[patch->linear].stride, &axis);
    wl_axis_box part = *r;
    part.hi[axis] = at;
    WL_TRY(add_guarded(m, patch, &part));
    part = *r;
    part.lo[axis] = at;
    return add_guarded(m, patch, &part);
}

/* Cells of a split dimension that form a box of blocks, threads and folded cells. */
typedef struct part {
    int64_t b0, b1, t0, t1, f0, f1;
} part;

/* Takes the longest such part off the front of cells *at .. end - 1: whole blocks, else whole
 * threads of a block, else cells of one thread. */
static part take_part(int64_t per_block, int64_t fold, int64_t *at, int64_t end)
{
    const int64_t block = *at / per_block, thread = *at % per_block / fold, cell = *at % fold;
    const int64_t rest = end - *at, of_block = wl_min(rest, (block + 1) * per_block - *at);
    part p = {block, block + 1, thread, thread + 1, cell, wl_min(fold, cell + rest)};
    if (*at % per_block == 0 && rest >= per_block)
        p = (part){block, block + rest / per_block, 0, per_block / fold, 0, fold};
    else if (cell == 0 && of_block >= fold)
        p = (part){block, block + 1, thread, thread + of_block / fold, 0, fold};
    *at += (p.b1 - p.b0) * (p.t1 - p.t0) * (p.f1 - p.f0);
    return p;
}

/* Splits the cells of each split dimension into parts; recursive over dimensions. */
static wl_status split(maker *m, const wl_patch *patch, const wl_box3 *cells, int d, wl_axis_box *r)
{
    const wl_geometry *g = m->region->geometry;
    const wl_linear *linear = &m->shape->linears[patch->linear];
    while (d < 3 && !linear->split[d])
        d++;
    if (d == 3)
        return add_guarded(m, patch, r);
    r->lo[WL_AXIS_CELL + d] = 0;
    r->hi[WL_AXIS_CELL + d] = 1;
    for (int64_t at = cells->lo[d]; at < cells->hi[d];) {
        const part p = take_part(g->block[d] * g->fold[d], g->fold[d], &at, cells->hi[d]);
        r->lo[WL_AXIS_BLOCK + d] = p.b0;
        r->hi[WL_AXIS_BLOCK + d] = p.b1;
        r->lo[WL_AXIS_THREAD + d] = p.t0;
        r->hi[WL_AXIS_THREAD + d] = p.t1;
        r->lo[WL_AXIS_FOLD + d] = p.f0;
        r->hi[WL_AXIS_FOLD + d] = p.f1;
        WL_TRY(split(m, patch, cells, d + 1, r));
    }
    return WL_OK;
}

/* A box of cells and all loop steps; axes that are not used have the one coordinate 0. */
static void whole_box(const wl_region *region, const wl_box3 *cells, wl_axis_box *r)
{
    for (int a = 0; a < WL_AXIS_COUNT; a++) {
        r->lo[a] = 0;
        r->hi[a] = 1;
    }
    for (int d = 0; d < 3; d++) {
        r->lo[WL_AXIS_CELL + d] = cells->lo[d];
        r->hi[WL_AXIS_CELL + d] = cells->hi[d];
    }
    for (int i = 0; i < region->kernel->loop_count; i++)
        r->hi[WL_AXIS_LOOP + i] = wl_region_steps(region)[i];
}

/* The boxes of one patch; `before` is the patch whose boxes are kept, or NULL. */
static wl_status make_patch(maker *m, const wl_patch *patch, const wl_patch *before, const wl_box3 *cells,
                            const wl_axis_box *whole)
{
    if (before && before->guard && before->guard == patch->guard && before->linear == patch->linear &&
        m->held_count >= 0) {
        for (int i = 0; i < m->held_count; i++)
            WL_TRY(add_box(m, patch, &m->held[i]));
        return WL_OK;
    }
    m->held_count = 0;
    const bool *is_split = m->shape->linears[patch->linear].split;
    if (!patch->guard && !is_split[0] && !is_split[1] && !is_split[2])
        return add_box(m, patch, whole);
    wl_axis_box r = *whole;
    return split(m, patch, cells, 0, &r);
}

wl_status wl_boxes_make(wl_counter *counter, const wl_shape *shape, const wl_region *region, int *count, wl_error *err)
{
    maker m;
    m.counter = counter;
    m.shape = shape;
    m.region = region;
    m.count = 0;
    m.err = err;
    for (int b = 0; b < region->blocks.count; b++) {
        const wl_box3 cells = wl_block_cells(region->geometry, &region->blocks.boxes[b]);
        if (cells.lo[0] >= cells.hi[0] || cells.lo[1] >= cells.hi[1] || cells.lo[2] >= cells.hi[2])
            continue;
        wl_axis_box whole;
        whole_box(region, &cells, &whole);
        for (int p = 0; p < shape->patch_count; p++)
            WL_TRY(make_patch(&m, &shape->patches[p], p > 0 ? &shape->patches[p - 1] : NULL, &cells, &whole));
    }
    *count = m.count;
    return WL_OK;
}

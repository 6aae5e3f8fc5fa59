/* warps_ordered.c - see warps_ordered.h. SPDX-License-Identifier: MIT */
#include "count/warps_ordered.h"

#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "count/pattern_table.h"
#include "schedule/walk.h"

/* One warp, for accesses with certain strides. */
typedef struct placed_warp {
    wl_pattern *pattern; /* NULL: no lane has a cell */
    int64_t start;       /* of the first lane with a cell, without the offset of the access */
} placed_warp;

/* All warps of the blocks, for accesses with the same strides and widths. */
typedef struct placing {
    int64_t stride[3];
    int32_t width;
    placed_warp *warps;
    struct placing *next;
} placing;

struct wl_ordered_warps {
    const int64_t *blocks;
    int64_t count, per_block;
    wl_arena *arena;
    placing *placings;
};

bool wl_ordered_can(const wl_warps_measurer *m, size_t a)
{
    const wl_bound *b = &m->bounds[a];
    return wl_threads_are_ordered(m->context.geometry) && b->reordered && b->loops == 0 && !b->access->traced &&
           !b->access->more && !is_shared(m, a) && !is_global_atomic(m, a) && !is_texture(m, a) &&
           !wl_expr_depends_on_launch(b->access->index);
}

wl_ordered_warps *wl_ordered_new(const wl_warps_measurer *m, const int64_t *blocks, int64_t count, wl_arena *arena)
{
    wl_ordered_warps *w = WL_ARENA_NEW(arena, wl_ordered_warps, 1);
    if (w)
        *w = (wl_ordered_warps){
            .blocks = blocks,
            .count = count,
            .per_block = wl_ceil_div(m->context.geometry->threads, m->context.rules->warp_size),
            .arena = arena,
        };
    return w;
}

/* The lanes whose cells lie inside the domain. Returns the place of the first. */
static int64_t arrange(const wl_geometry *g, const placing *p, int64_t at[3][WL_LANES_MAX], int64_t count,
                       wl_arrangement *out)
{
    int64_t start = 0;
    out->lanes = 0;
    for (int64_t i = 0; i < count; i++) {
        if (at[0][i] < g->first[0] || at[1][i] < g->first[1] || at[2][i] < g->first[2])
            continue;
        const int64_t place = p->stride[0] * at[0][i] + p->stride[1] * at[1][i] + p->stride[2] * at[2][i];
        start = out->lanes == 0 ? place : start;
        out->lane[out->lanes] = (uint8_t)i;
        out->relative[out->lanes++] = place - start;
    }
    return start;
}

static bool place_block(const wl_warps_measurer *m, const placing *p, const int64_t block[3], placed_warp *warps)
{
    const wl_geometry *g = m->context.geometry;
    const int64_t first = block[0] * g->threads, count = wl_max(0, wl_min(g->threads, g->positions - first));
    int64_t at[3][WL_LANES_MAX];
    wl_arrangement lanes = {.width = p->width};
    wl_walk walk;
    wl_walk_start(&walk, &g->order, count ? first : 0, count);
    for (int64_t done = 0; done < count; done += m->context.rules->warp_size, warps++) {
        const int64_t n = wl_walk_fill(&walk, m->context.rules->warp_size, at[0], at[1], at[2]);
        warps->start = arrange(g, p, at, n, &lanes);
        if (lanes.lanes > 0 && !(warps->pattern = wl_pattern_table_get(m->context.table, m->context.rules, &lanes)))
            return false;
    }
    return true;
}

/* NULL: no memory. */
static placing *find_placing(wl_ordered_warps *w, const wl_warps_measurer *m, size_t access)
{
    const int64_t *stride = &m->bounds[access].form.k[WL_VAR_X];
    const int32_t width = m->bounds[access].access->width_bytes;
    for (placing *p = w->placings; p; p = p->next)
        if (p->width == width && memcmp(p->stride, stride, sizeof p->stride) == 0)
            return p;
    placing *p = WL_ARENA_NEW(w->arena, placing, 1);
    if (!p || !(p->warps = WL_ARENA_NEW(w->arena, placed_warp, w->count * w->per_block)))
        return NULL;
    memcpy(p->stride, stride, sizeof p->stride);
    p->width = width;
    for (int64_t i = 0; i < w->count; i++) {
        int64_t block[3];
        wl_block_placed(m->context.geometry, w->blocks[i], block);
        if (!place_block(m, p, block, p->warps + i * w->per_block))
            return NULL;
    }
    p->next = w->placings;
    return w->placings = p;
}

static void add_warp(const wl_warps_measurer *m, size_t access, wl_pattern *p, int64_t address, double scale)
{
    const wl_l1_rules *rules = m->context.rules;
    const bool store = m->bounds[access].access->store;
    wl_access_cost *cost = &m->costs[access];
    cost->inst += scale;
    cost->hit += scale * wl_pattern_hit(rules, p, address);
    cost->sectors += scale * wl_pattern_sectors(rules, p, address);
    if (rules->has_hash) {
        const wl_tag_cost t = wl_pattern_tag_cost(&m->context, p, address);
        add_tag_total(cost, (wl_tag_total){t.tag, t.cold, t.tag > 1}, scale, store);
    }
    if (store)
        add_written(cost, wl_pattern_written(rules, p, address & (m->context.period - 1)), scale);
}

wl_status wl_ordered_measure(wl_ordered_warps *w, const wl_warps_measurer *m, size_t access, int64_t i, double scale)
{
    const placing *p = find_placing(w, m, access);
    if (!p)
        return wl_fail_memory(m->err);
    for (int64_t n = i * w->per_block; n < (i + 1) * w->per_block; n++)
        if (p->warps[n].pattern)
            add_warp(m, access, p->warps[n].pattern, p->warps[n].start + m->bounds[access].form.c, scale);
    return WL_OK;
}

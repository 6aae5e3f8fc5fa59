/* warps_ordered.c - see warps_ordered.h. SPDX-License-Identifier: MIT */
#include "count/warps_ordered.h"

#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "base/hash.h"
#include "count/pattern_table.h"
#include "schedule/walk.h"

/* One warp, for accesses with certain strides. */
typedef struct placed_warp {
    int32_t group; /* -1: no lane has a cell */
    int64_t start; /* of the first lane with a cell, without the offset of the access */
} placed_warp;

/* Warps that are alike but for whole periods between them: only tags tell them apart. */
typedef struct warp_group {
    wl_pattern *pattern;
    int64_t alignment;
    int64_t first, count; /* among the members of all groups */
} warp_group;

/* All warps of the blocks, for accesses with the same strides and widths. */
typedef struct placing {
    int64_t stride[3];
    int32_t width;
    placed_warp *warps;
    int64_t *members; /* numbers of warps, group by group */
    warp_group *groups;
    int32_t group_count, *table; /* of 1 + number of a group, by hash */
    struct placing *next;
} placing;

struct wl_ordered_warps {
    const int64_t *blocks;
    int64_t count, per_block, warps;
    int table_bits;
    wl_arena *arena;
    placing *placings;
    wl_tag_cost **tags; /* of each access and warp, where they are known */
    size_t *alike;      /* accesses whose tags are found together */
};

bool wl_ordered_can(const wl_warps_measurer *m, size_t a)
{
    const wl_bound *b = &m->bounds[a];
    return wl_threads_are_ordered(m->context.geometry) && b->reordered && b->of_cell && !b->access->more &&
           !is_shared(m, a) && !is_global_atomic(m, a) && !is_texture(m, a);
}

wl_ordered_warps *wl_ordered_new(const wl_warps_measurer *m, const int64_t *blocks, int64_t count, wl_arena *arena)
{
    wl_ordered_warps *w = WL_ARENA_NEW(arena, wl_ordered_warps, 1);
    if (!w)
        return NULL;
    w->blocks = blocks;
    w->count = count;
    w->per_block = wl_ceil_div(m->context.geometry->threads, m->context.rules->warp_size);
    w->warps = w->count * w->per_block;
    w->arena = arena;
    while ((int64_t)1 << w->table_bits < 2 * w->warps)
        w->table_bits++;
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

/* The group of a pattern at an alignment, which may be new. */
static int32_t group_of(const wl_ordered_warps *w, placing *p, wl_pattern *pattern, int64_t alignment)
{
    const size_t mask = ((size_t)1 << w->table_bits) - 1;
    size_t at = (size_t)wl_hash_word(pattern->hash + (uint64_t)alignment) & mask;
    for (; p->table[at]; at = (at + 1) & mask) {
        const warp_group *g = &p->groups[p->table[at] - 1];
        if (g->pattern == pattern && g->alignment == alignment)
            return p->table[at] - 1;
    }
    p->groups[p->group_count] = (warp_group){.pattern = pattern, .alignment = alignment};
    p->table[at] = ++p->group_count;
    return p->group_count - 1;
}

static bool place_block(const wl_ordered_warps *w, const wl_warps_measurer *m, placing *p, int64_t number)
{
    const wl_geometry *g = m->context.geometry;
    const int64_t warp_size = m->context.rules->warp_size;
    int64_t at[3][WL_LANES_MAX], block[3];
    wl_arrangement lanes = {.width = p->width};
    wl_walk walk;
    wl_block_placed(g, w->blocks[number], block);
    const int64_t first = block[0] * g->threads, count = wl_max(0, wl_min(g->threads, g->positions - first));
    wl_walk_start(&walk, &g->order, count ? first : 0, count);
    for (int64_t i = 0; i < w->per_block; i++) {
        placed_warp *warp = &p->warps[number * w->per_block + i];
        const int64_t n = wl_walk_fill(&walk, warp_size, at[0], at[1], at[2]);
        *warp = (placed_warp){-1, arrange(g, p, at, n, &lanes)};
        if (lanes.lanes == 0)
            continue;
        wl_pattern *pattern = wl_pattern_table_get(m->context.table, m->context.rules, &lanes);
        if (!pattern)
            return false;
        warp->group = group_of(w, p, pattern, warp->start & (m->context.period - 1));
        p->groups[warp->group].count++;
    }
    return true;
}

/* Lists the members of each group. */
static void list_members(const wl_ordered_warps *w, placing *p)
{
    int64_t next = 0;
    for (int32_t i = 0; i < p->group_count; i++) {
        p->groups[i].first = next;
        next += p->groups[i].count;
        p->groups[i].count = 0;
    }
    for (int64_t n = 0; n < w->warps; n++)
        if (p->warps[n].group >= 0) {
            warp_group *g = &p->groups[p->warps[n].group];
            p->members[g->first + g->count++] = n;
        }
}

static placing *new_placing(const wl_ordered_warps *w, const wl_warps_measurer *m, const int64_t stride[3],
                            int32_t width)
{
    placing *p = WL_ARENA_NEW(w->arena, placing, 1);
    if (!p || !(p->warps = WL_ARENA_NEW(w->arena, placed_warp, w->warps)) ||
        !(p->members = WL_ARENA_NEW(w->arena, int64_t, w->warps)) ||
        !(p->groups = WL_ARENA_NEW(w->arena, warp_group, w->warps)) ||
        !(p->table = WL_ARENA_NEW(w->arena, int32_t, (size_t)1 << w->table_bits)))
        return NULL;
    memcpy(p->stride, stride, sizeof p->stride);
    p->width = width;
    for (int64_t i = 0; i < w->count; i++)
        if (!place_block(w, m, p, i))
            return NULL;
    list_members(w, p);
    return p;
}

/* NULL: no memory. */
static placing *find_placing(wl_ordered_warps *w, const wl_warps_measurer *m, size_t access)
{
    const int64_t *stride = &m->bounds[access].form.k[WL_VAR_X];
    const int32_t width = m->bounds[access].access->width_bytes;
    for (placing *p = w->placings; p; p = p->next)
        if (p->width == width && memcmp(p->stride, stride, sizeof p->stride) == 0)
            return p;
    placing *p = new_placing(w, m, stride, width);
    if (p) {
        p->next = w->placings;
        w->placings = p;
    }
    return p;
}

#define TOGETHER 64 /* addresses whose tags are looked at together */

/* Accesses from this one on whose warps lie as its own do, but for whole periods. */
static bool find_alike(wl_ordered_warps *w, const wl_warps_measurer *m, size_t access, const placing *p, size_t *count)
{
    const size_t all = m->kernel->access_count;
    *count = 0;
    if (!w->tags &&
        (!(w->tags = WL_ARENA_NEW(w->arena, wl_tag_cost *, all)) || !(w->alike = WL_ARENA_NEW(w->arena, size_t, all))))
        return false;
    for (size_t a = access; a < all; a++) {
        const wl_bound *b = &m->bounds[a];
        if (w->tags[a] || !wl_ordered_can(m, a) || b->access->width_bytes != p->width ||
            memcmp(&b->form.k[WL_VAR_X], p->stride, sizeof p->stride) != 0 ||
            ((b->form.c - m->bounds[access].form.c) & (m->context.period - 1)) != 0)
            continue;
        if (!(w->tags[a] = WL_ARENA_NEW(w->arena, wl_tag_cost, w->warps)))
            return false;
        w->alike[(*count)++] = a;
    }
    return true;
}

/* Tags depend on all bits of an address: those of a group and of accesses alike together, as each
 * has to be prepared. */
static bool find_tags(wl_ordered_warps *w, const wl_warps_measurer *m, size_t access, const placing *p)
{
    int64_t address[TOGETHER];
    wl_tag_cost cost[TOGETHER], *to[TOGETHER];
    size_t alike;
    if (!find_alike(w, m, access, p, &alike))
        return false;
    for (int32_t i = 0; i < p->group_count; i++) {
        const warp_group *g = &p->groups[i];
        const int64_t all = g->count * (int64_t)alike;
        for (int64_t done = 0, member = 0, of = 0; done < all; done += TOGETHER) {
            const int n = (int)wl_min(TOGETHER, all - done);
            for (int k = 0; k < n; k++) {
                const int64_t warp = p->members[g->first + member];
                address[k] = p->warps[warp].start + m->bounds[w->alike[of]].form.c;
                to[k] = &w->tags[w->alike[of]][warp];
                of = of + 1 == (int64_t)alike ? 0 : of + 1;
                member += of == 0;
            }
            wl_pattern_tag_costs(&m->context, g->pattern, address, n, cost);
            for (int k = 0; k < n; k++)
                *to[k] = cost[k];
        }
    }
    return true;
}

static wl_tag_total tag_total(const wl_tag_cost *c) { return (wl_tag_total){c->tag, c->cold, c->tag > 1}; }

wl_status wl_ordered_measure(wl_ordered_warps *w, const wl_warps_measurer *m, size_t access, int64_t i, double scale)
{
    const wl_l1_rules *rules = m->context.rules;
    const bool store = m->bounds[access].access->store;
    const placing *p = find_placing(w, m, access);
    wl_access_cost *cost = &m->costs[access];
    if (!p || (rules->has_hash && (!w->tags || !w->tags[access]) && !find_tags(w, m, access, p)))
        return wl_fail_memory(m->err);
    for (int64_t n = i * w->per_block; n < (i + 1) * w->per_block; n++) {
        if (p->warps[n].group < 0)
            continue;
        wl_pattern *pattern = p->groups[p->warps[n].group].pattern;
        const int64_t address = p->warps[n].start + m->bounds[access].form.c;
        cost->inst += scale;
        cost->hit += scale * wl_pattern_hit(rules, pattern, address);
        cost->sectors += scale * wl_pattern_sectors(rules, pattern, address);
        if (rules->has_hash)
            add_tag_total(cost, tag_total(&w->tags[access][n]), scale, store);
        if (store)
            add_written(cost, wl_pattern_written(rules, pattern, address & (m->context.period - 1)), scale);
    }
    return WL_OK;
}

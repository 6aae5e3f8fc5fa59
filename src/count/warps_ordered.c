/* warps_ordered.c - see warps_ordered.h. SPDX-License-Identifier: MIT */
#include "count/warps_ordered.h"

#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "base/hash.h"
#include "count/pattern_table.h"
#include "count/spread.h"
#include "schedule/walk.h"

#define NO_GROUP (-1)
/* Tag conflicts come from one half of the sampled warps, and for every other access from the other
 * half: to the tag hash, addresses are practically random, whichever access and warp they belong
 * to. Halves alternate after so many warps in the order of patterns, so that warps with the same
 * pattern mostly share a half and what they have in common is computed less often. */
#define TAG_RUN 4
#define TAG_WARPS_LEAST 64 /* if fewer warps are sampled, all of them count */

/* ---- how the cells of a warp lie ---- */

#define FIGURES_MAX 8    /* of a cached outline; warps with more are evaluated lane by lane */
#define OUTLINES_MAX 256 /* cached: more than most schedules have */

/* The cells of a warp as figures: their distances, kinds and sizes, a word or two each. */
typedef struct outline {
    int figures;
    uint64_t hash;
    int64_t words[2 * FIGURES_MAX];
    wl_pattern *pattern;
    int64_t lead; /* from the first figure's lowest cell to the first lane */
    struct outline *next;
} outline;

/* Warps whose addresses differ by whole periods: only their tag conflicts differ. */
typedef struct warp_group {
    wl_pattern *pattern;
    int64_t alignment;
    int64_t first, count; /* among the starts of all groups */
    bool leads;           /* the first of its pattern */
    int32_t next;         /* of the same pattern, or NO_GROUP */
} warp_group;

/* The cost of all warps without tag conflicts, for accesses with equal offsets modulo the period: a
 * stencil has several such accesses. */
typedef struct plain_cost {
    int64_t alignment;
    bool store; /* false: without the counts of what a store writes */
    int64_t inst, hit, sectors, lines, units, full;
    int32_t *of_block; /* sectors of each block */
    struct plain_cost *next;
} plain_cost;

/* All warps of the blocks, for accesses with the same strides and widths. */
typedef struct placing {
    int64_t stride[3];
    int32_t width;
    int32_t *group; /* of each warp, or NO_GROUP where no lane has a cell */
    /* of the first lane with a cell of each warp, without the offset of the access: in their order,
     * and group by group */
    int64_t *start, *starts;
    warp_group *groups;
    int32_t group_count, *table; /* of 1 + number of a group, by hash */
    outline **outlines;          /* by hash */
    int outline_count;
    int32_t *executed; /* warps of each block with a cell */
    plain_cost *costs;
    uint64_t gathering; /* of its patterns */
    struct placing *next;
} placing;

struct wl_ordered_warps {
    const wl_representative *blocks;
    int64_t count, per_block; /* warps that are evaluated */
    int64_t of_block;         /* warps that a block has */
    int64_t warps;
    int table_bits;
    wl_arena *arena;
    placing *placings;
    wl_tag_sum *tags;   /* of each access */
    int64_t *tag_warps; /* warps in these sums; 0: none yet */
    bool half_of_tags;
    size_t *alike;     /* accesses whose tag conflicts are computed together */
    int32_t *of_group; /* sectors of each group: scratch */
};

bool wl_ordered_can(const wl_warps_measurer *m, size_t a)
{
    const wl_bound *b = &m->bounds[a];
    return wl_threads_are_ordered(m->context.geometry) && b->of_cell && !b->access->more && !is_shared(m, a) &&
           !is_global_atomic(m, a) && !is_texture(m, a);
}

wl_ordered_warps *wl_ordered_new(const wl_warps_measurer *m, const wl_representative *blocks, size_t count,
                                 int64_t every, wl_arena *arena)
{
    wl_ordered_warps *w = WL_ARENA_NEW(arena, wl_ordered_warps, 1);
    if (!w)
        return NULL;
    w->blocks = blocks;
    w->count = (int64_t)count;
    w->of_block = wl_ceil_div(m->context.geometry->threads, m->context.rules->warp_size);
    w->per_block = wl_max(1, w->of_block / every);
    w->warps = w->count * w->per_block;
    w->half_of_tags = m->context.rules->has_hash && every > 1 && w->warps >= TAG_WARPS_LEAST;
    w->arena = arena;
    while ((int64_t)1 << w->table_bits < 2 * w->warps)
        w->table_bits++;
    return w;
}

int64_t wl_ordered_of_block(const wl_ordered_warps *w) { return w->per_block < w->of_block ? w->per_block : 0; }

bool wl_ordered_half_of_tags(const wl_ordered_warps *w) { return w->half_of_tags; }

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

/* Lane by lane. *pattern is NULL if no lane has a cell. False: no memory. */
static bool look_at_lanes(const wl_warps_measurer *m, const placing *p, int64_t position, int64_t count,
                          wl_pattern **pattern, int64_t *start)
{
    const wl_geometry *g = m->context.geometry;
    int64_t at[3][WL_LANES_MAX];
    wl_arrangement lanes;
    wl_walk walk;
    lanes.width = p->width;
    wl_walk_start(&walk, &g->order, position, count);
    (void)wl_walk_fill(&walk, count, at[0], at[1], at[2]);
    *start = arrange(g, p, at, count, &lanes);
    *pattern = lanes.lanes > 0 ? wl_pattern_table_get(m->context.table, m->context.rules, &lanes) : NULL;
    return *pattern || lanes.lanes == 0;
}

/* The outline of the next cells of a walk. Returns the place of the first figure's lowest cell.
 * *whole is false if some cell may have no thread, or there are too many figures. */
static int64_t draw_outline(const wl_geometry *g, const placing *p, wl_walk *walk, int64_t count, outline *out,
                            bool *whole)
{
    int64_t origin = 0;
    out->figures = 0;
    out->hash = 0;
    *whole = true;
    for (int64_t done = 0; done < count;) {
        wl_figure f;
        wl_walk_figure(walk, count - done, &f);
        const int64_t place = p->stride[0] * f.lo[0] + p->stride[1] * f.lo[1] + p->stride[2] * f.lo[2];
        origin = done == 0 ? place : origin;
        done += f.count;
        *whole = *whole && out->figures < FIGURES_MAX && f.lo[0] >= g->first[0] && f.lo[1] >= g->first[1] &&
                 f.lo[2] >= g->first[2];
        if (!*whole)
            continue;
        int64_t *words = &out->words[2 * out->figures++];
        words[0] = place - origin;
        words[1] = f.count * WL_LANES_MAX * WL_LANES_MAX + f.kind;
        out->hash = wl_hash_add(wl_hash_add(out->hash, (uint64_t)words[0]), (uint64_t)words[1]);
    }
    out->hash = wl_hash_end(out->hash);
    return origin;
}

static outline **find_outline(const placing *p, const outline *like)
{
    outline **at = &p->outlines[like->hash % OUTLINES_MAX];
    for (; *at; at = &(*at)->next)
        if ((*at)->hash == like->hash && (*at)->figures == like->figures &&
            memcmp((*at)->words, like->words, 2 * sizeof *like->words * (size_t)like->figures) == 0)
            break;
    return at;
}

/* The pattern of the next warp of a walk: by its outline, if an earlier warp had the same. */
static bool look_at_warp(const wl_ordered_warps *w, const wl_warps_measurer *m, placing *p, wl_walk *walk,
                         int64_t position, int64_t count, wl_pattern **pattern, int64_t *start)
{
    outline here;
    bool whole;
    const int64_t origin = draw_outline(m->context.geometry, p, walk, count, &here, &whole);
    outline **known = whole ? find_outline(p, &here) : NULL;
    if (known && *known) {
        *pattern = (*known)->pattern;
        *start = origin + (*known)->lead;
        return true;
    }
    if (!look_at_lanes(m, p, position, count, pattern, start))
        return false;
    if (!known || p->outline_count == OUTLINES_MAX)
        return true;
    here.pattern = *pattern;
    here.lead = *start - origin;
    here.next = NULL;
    *known = WL_ARENA_NEW(w->arena, outline, 1);
    if (!*known)
        return false;
    **known = here;
    p->outline_count++;
    return true;
}

/* ---- groups of warps ---- */

/* The group of a pattern at an alignment; created if new. */
static int32_t group_of(const wl_ordered_warps *w, placing *p, wl_pattern *pattern, int64_t alignment)
{
    const size_t mask = ((size_t)1 << w->table_bits) - 1;
    size_t at = (size_t)wl_hash_word(pattern->hash + (uint64_t)alignment) & mask;
    for (; p->table[at]; at = (at + 1) & mask) {
        const warp_group *g = &p->groups[p->table[at] - 1];
        if (g->pattern == pattern && g->alignment == alignment)
            return p->table[at] - 1;
    }
    const int32_t number = p->group_count++;
    warp_group *g = &p->groups[number];
    p->table[at] = number + 1;
    *g = (warp_group){.pattern = pattern, .alignment = alignment, .next = NO_GROUP};
    if (pattern->gathering != p->gathering) {
        pattern->gathering = p->gathering;
        pattern->number = number;
        g->leads = true;
    } else {
        g->next = p->groups[pattern->number].next;
        p->groups[pattern->number].next = number;
    }
    return number;
}

/* The sampled warps of a block are spread evenly, from another first warp in each block. */
static int64_t warp_of(const wl_ordered_warps *w, int64_t number, int64_t i)
{
    const int64_t from = w->per_block < w->of_block ? wl_spread_below((uint64_t)number, 1, w->of_block) : 0;
    return wl_divide(i * w->of_block + from, w->per_block);
}

static bool place_block(const wl_ordered_warps *w, const wl_warps_measurer *m, placing *p, int64_t number)
{
    const wl_geometry *g = m->context.geometry;
    const int64_t warp_size = m->context.rules->warp_size;
    wl_walk walk;
    const int64_t first = w->blocks[number].block[0] * g->threads,
                  threads = wl_max(0, wl_min(g->threads, g->positions - first));
    int64_t at = 0; /* the thread that the walk has come to */
    for (int64_t i = 0; i < w->per_block; i++) {
        const int64_t n = number * w->per_block + i, from = warp_of(w, number, i) * warp_size;
        const int64_t count = wl_min(warp_size, threads - from);
        if (count > 0 && i == 0)
            wl_walk_start(&walk, &g->order, first + from, threads - from);
        else if (count > 0)
            wl_walk_skip(&walk, from - at);
        at = from + count;
        wl_pattern *pattern = NULL;
        if (count > 0 && !look_at_warp(w, m, p, &walk, first + from, count, &pattern, &p->start[n]))
            return false;
        p->group[n] = pattern ? group_of(w, p, pattern, p->start[n] & (m->context.period - 1)) : NO_GROUP;
        if (pattern)
            p->groups[p->group[n]].count++;
        p->executed[number] += pattern != NULL;
    }
    return true;
}

/* Lists the starts of each group. */
static void list_starts(const wl_ordered_warps *w, placing *p)
{
    int64_t next = 0;
    for (int32_t i = 0; i < p->group_count; i++) {
        p->groups[i].first = next;
        next += p->groups[i].count;
        p->groups[i].count = 0;
    }
    for (int64_t n = 0; n < w->warps; n++)
        if (p->group[n] != NO_GROUP) {
            warp_group *g = &p->groups[p->group[n]];
            p->starts[g->first + g->count++] = p->start[n];
        }
}

static placing *new_placing(const wl_ordered_warps *w, const wl_warps_measurer *m, const int64_t stride[3],
                            int32_t width)
{
    placing *p = WL_ARENA_NEW(w->arena, placing, 1);
    if (!p || !(p->group = WL_ARENA_NEW(w->arena, int32_t, w->warps)) ||
        !(p->start = WL_ARENA_NEW(w->arena, int64_t, w->warps)) ||
        !(p->starts = WL_ARENA_NEW(w->arena, int64_t, w->warps)) ||
        !(p->groups = WL_ARENA_NEW(w->arena, warp_group, w->warps)) ||
        !(p->executed = WL_ARENA_NEW(w->arena, int32_t, w->count)) ||
        !(p->outlines = WL_ARENA_NEW(w->arena, outline *, OUTLINES_MAX)) ||
        !(p->table = WL_ARENA_NEW(w->arena, int32_t, (size_t)1 << w->table_bits)))
        return NULL;
    memcpy(p->stride, stride, sizeof p->stride);
    p->width = width;
    p->gathering = ++m->context.table->gatherings;
    for (int64_t i = 0; i < w->count; i++)
        if (!place_block(w, m, p, i))
            return NULL;
    list_starts(w, p);
    return p;
}

static bool lies_like(const wl_warps_measurer *m, size_t access, const placing *p)
{
    const wl_bound *b = &m->bounds[access];
    return b->access->width_bytes == p->width && memcmp(&b->form.k[WL_VAR_X], p->stride, sizeof p->stride) == 0;
}

/* NULL: no memory. */
static placing *find_placing(wl_ordered_warps *w, const wl_warps_measurer *m, size_t access)
{
    for (placing *p = w->placings; p; p = p->next)
        if (lies_like(m, access, p))
            return p;
    placing *p = new_placing(w, m, &m->bounds[access].form.k[WL_VAR_X], m->bounds[access].access->width_bytes);
    if (p) {
        p->next = w->placings;
        w->placings = p;
    }
    return p;
}

/* ---- costs ---- */

static bool room_for_tags(wl_ordered_warps *w, const wl_warps_measurer *m)
{
    if (!w->alike) {
        w->tags = WL_ARENA_NEW(w->arena, wl_tag_sum, m->kernel->access_count);
        w->tag_warps = WL_ARENA_NEW(w->arena, int64_t, m->kernel->access_count);
        w->alike = WL_ARENA_NEW(w->arena, size_t, m->kernel->access_count);
    }
    return w->tags && w->tag_warps && w->alike;
}

/* Adds the tag conflicts of an access, the number-th of those with the same patterns; returns the
 * number of warps. */
static int64_t add_tags(const wl_ordered_warps *w, const wl_warps_measurer *m, const warp_group *g,
                        const int64_t *starts, size_t access, int64_t number)
{
    const int64_t offset = m->bounds[access].form.c, end = g->first + g->count;
    if (!w->half_of_tags) {
        wl_pattern_add_tags(&m->context, g->pattern, starts + g->first, g->count, offset, &w->tags[access]);
        return g->count;
    }
    int64_t count = 0;
    for (int64_t from = g->first, to; from < end; from = to) {
        to = wl_min(end, (from / TAG_RUN + 1) * TAG_RUN);
        if ((from / TAG_RUN + number) % 2 != 0)
            continue;
        wl_pattern_add_tags(&m->context, g->pattern, starts + from, to - from, offset, &w->tags[access]);
        count += to - from;
    }
    return count;
}

/* Tags depend on all bits of an address. All accesses with the same patterns are computed together,
 * pattern by pattern, and share intermediate results. */
static void find_tags(const wl_ordered_warps *w, const wl_warps_measurer *m, const placing *p)
{
    size_t alike = 0;
    for (size_t a = 0; a < m->kernel->access_count; a++)
        if (wl_ordered_can(m, a) && lies_like(m, a, p))
            w->alike[alike++] = a;
    for (int32_t i = 0; i < p->group_count; i++)
        for (size_t k = 0; k < alike && p->groups[i].leads; k++)
            for (int32_t n = i; n != NO_GROUP; n = p->groups[n].next) {
                const warp_group *g = &p->groups[n];
                w->tag_warps[w->alike[k]] += add_tags(w, m, g, p->starts, w->alike[k], (int64_t)k);
            }
}

/* The sectors of each block, given those of each group. */
static void add_blocks(const wl_ordered_warps *w, const placing *p, const int32_t *of_group, int32_t *of_block)
{
    const int32_t *group = p->group;
    for (int64_t i = 0; i < w->count; i++)
        for (const int32_t *end = group + w->per_block; group < end; group++)
            of_block[i] += *group == NO_GROUP ? 0 : of_group[*group];
}

static plain_cost *new_plain_cost(wl_ordered_warps *w, const wl_warps_measurer *m, const placing *p, int64_t alignment,
                                  bool store)
{
    const wl_l1_rules *rules = m->context.rules;
    plain_cost *c = WL_ARENA_NEW(w->arena, plain_cost, 1);
    if (!c || !(c->of_block = WL_ARENA_NEW(w->arena, int32_t, w->count)))
        return NULL;
    if (!w->of_group && !(w->of_group = WL_ARENA_NEW(w->arena, int32_t, w->warps)))
        return NULL;
    c->alignment = alignment;
    c->store = store;
    for (int32_t i = 0; i < p->group_count; i++) {
        const warp_group *g = &p->groups[i];
        const int64_t address = g->alignment + alignment;
        w->of_group[i] = wl_pattern_sectors(rules, g->pattern, address);
        c->inst += g->count;
        c->hit += g->count * wl_pattern_hit(rules, g->pattern, address);
        c->sectors += g->count * w->of_group[i];
        if (store) {
            const wl_warp_written *written = wl_pattern_written(rules, g->pattern, address & (m->context.period - 1));
            c->lines += g->count * written->lines;
            c->units += g->count * written->units;
            c->full += g->count * written->full;
        }
    }
    add_blocks(w, p, w->of_group, c->of_block);
    return c;
}

/* NULL: no memory. */
static const plain_cost *find_plain_cost(wl_ordered_warps *w, const wl_warps_measurer *m, placing *p, size_t access)
{
    const wl_bound *b = &m->bounds[access];
    const int64_t alignment = b->form.c & (m->context.period - 1);
    for (const plain_cost *c = p->costs; c; c = c->next)
        if (c->alignment == alignment && c->store == b->access->store)
            return c;
    plain_cost *c = new_plain_cost(w, m, p, alignment, b->access->store);
    if (c) {
        c->next = p->costs;
        p->costs = c;
    }
    return c;
}

static void add_plain_cost(const plain_cost *c, double scale, wl_access_cost *cost)
{
    cost->inst += scale * (double)c->inst;
    cost->hit += scale * (double)c->hit;
    cost->sectors += scale * (double)c->sectors;
    cost->lines += scale * (double)c->lines;
    cost->units += scale * (double)c->units;
    cost->full += scale * (double)c->full;
}

wl_status wl_ordered_measure(wl_ordered_warps *w, const wl_warps_measurer *m, size_t access, double scale, double *inst,
                             double *sectors)
{
    const bool hashed = m->context.rules->has_hash;
    const double each = scale * (double)w->of_block / (double)w->per_block;
    placing *p = find_placing(w, m, access);
    const plain_cost *cost = p ? find_plain_cost(w, m, p, access) : NULL;
    if (!cost || (hashed && !room_for_tags(w, m)))
        return wl_fail_memory(m->err);
    add_plain_cost(cost, each, &m->costs[access]);
    for (int64_t i = 0; inst && i < w->count; i++) {
        inst[i] += each * (double)p->executed[i];
        sectors[i] += each * (double)cost->of_block[i];
    }
    if (hashed && w->tag_warps[access] == 0)
        find_tags(w, m, p);
    if (hashed && w->tag_warps[access] > 0) {
        const wl_tag_sum *t = &w->tags[access];
        add_tag_total(&m->costs[access], (wl_tag_total){(double)t->tag, (double)t->cold, (double)t->split},
                      each * (double)cost->inst / (double)w->tag_warps[access], m->bounds[access].access->store);
    }
    return WL_OK;
}

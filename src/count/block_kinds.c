/* block_kinds.c - see block_kinds.h: exact kinds. SPDX-License-Identifier: MIT */
#include "count/block_kinds.h"

#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"

#define BOXES_MOST ((size_t)1 << 20) /* more are refused */
#define FIRST_ROOM 64                /* boxes: most conditions need fewer */

typedef struct finder {
    const wl_cut_input *in;
    wl_arena *arena;
    wl_error *err;
    wl_tiles *list;
    size_t count, room;
    wl_signature *kinds;
    size_t kind_count, kind_room;
    uint32_t *table; /* 1 + kind, by hash; 0: empty */
    size_t table_size;
    uint64_t edge; /* how the domain's edge cuts the current tiles */
} finder;

/* ---- kinds ---- */

void wl_signature_mix(wl_signature *s, uint64_t value)
{
    s->a = (s->a ^ value) * 0x9e3779b97f4a7c15u;
    s->a ^= s->a >> 29;
    s->b = (s->b + value) * 0xd6e8feb86659fd93u;
    s->b ^= s->b >> 32;
}

wl_signature wl_signature_start(uint64_t value)
{
    /* start values far apart, so that small values do not collide */
    wl_signature s = {0x632be59bd9b4e019u, 0xa0761d6478bd642fu};
    wl_signature_mix(&s, value);
    return s;
}

/* Mixes into the signature which comparisons are decided in a box, and how; of the others, the
 * range of their forms. */
static void mix_node(wl_signature *s, const wl_guard *guard, int at, const wl_axis_box *box, const int8_t *truth)
{
    const wl_guard_node *n = &guard->nodes[at];
    wl_signature_mix(s, (uint64_t)(truth[at] + 2));
    if (truth[at] >= 0)
        return;
    if (n->op == WL_GUARD_NOT) {
        mix_node(s, guard, n->a, box, truth);
    } else if (n->op == WL_GUARD_BOTH || n->op == WL_GUARD_ANY) {
        mix_node(s, guard, n->a, box, truth);
        mix_node(s, guard, n->b, box, truth);
    } else {
        int64_t lo, hi;
        wl_guard_range(n, box, &lo, &hi);
        wl_signature_mix(s, (uint64_t)lo);
    }
}

int wl_signature_mix_guard(wl_signature *s, const wl_guard *guard, const wl_axis_box *box)
{
    int8_t truth[WL_GUARD_NODES_MAX];
    wl_guard_truths(guard, box, truth);
    mix_node(s, guard, guard->count - 1, box, truth);
    return truth[guard->count - 1];
}

static bool grow_table(finder *f)
{
    const size_t size = f->table_size ? 2 * f->table_size : 2 * FIRST_ROOM;
    uint32_t *table = WL_ARENA_NEW(f->arena, uint32_t, size);
    if (!table)
        return false;
    for (size_t k = 0; k < f->kind_count; k++) {
        size_t at = f->kinds[k].a & (size - 1);
        while (table[at])
            at = (at + 1) & (size - 1);
        table[at] = (uint32_t)k + 1;
    }
    f->table = table;
    f->table_size = size;
    return true;
}

/* Room for one more in a list that lives in the arena. */
static void *with_room(finder *f, void *list, size_t count, size_t *room, size_t size)
{
    if (count < *room)
        return list;
    const size_t more = *room ? 2 * *room : FIRST_ROOM;
    void *longer = wl_arena_alloc(f->arena, more, size);
    if (longer && count > 0)
        memcpy(longer, list, count * size);
    *room = more;
    return longer;
}

static wl_status kind_of(finder *f, const wl_signature *s, size_t *out)
{
    if (2 * (f->kind_count + 1) > f->table_size && !grow_table(f))
        return wl_fail_memory(f->err);
    size_t at = s->a & (f->table_size - 1);
    for (; f->table[at]; at = (at + 1) & (f->table_size - 1)) {
        *out = f->table[at] - 1;
        if (f->kinds[*out].a == s->a && f->kinds[*out].b == s->b)
            return WL_OK;
    }
    f->kinds = with_room(f, f->kinds, f->kind_count, &f->kind_room, sizeof *f->kinds);
    if (!f->kinds)
        return wl_fail_memory(f->err);
    *out = f->kind_count;
    f->kinds[f->kind_count++] = *s;
    f->table[at] = (uint32_t)f->kind_count;
    return WL_OK;
}

/* ---- boxes ---- */

wl_axis_box wl_tiles_coordinates(const wl_cut_input *in, const wl_guard *guard, const wl_tiles *t)
{
    const wl_geometry *g = in->geometry;
    wl_axis_box box;
    for (int d = 0; d < 3; d++) {
        const int64_t tile = in->tile[d], cells = g->block[d] * g->fold[d];
        const int64_t lo = g->start[d] + t->first[d] * tile,
                      hi = wl_min(lo + t->count[d] * tile, g->start[d] + g->grid[d]);
        const bool split = guard->split[d];
        box.lo[WL_AXIS_CELL + d] = split ? 0 : wl_max(lo * cells, g->first[d]);
        box.hi[WL_AXIS_CELL + d] = split ? 1 : wl_min(hi * cells, g->cells[d]);
        box.lo[WL_AXIS_BLOCK + d] = split ? lo : 0;
        box.hi[WL_AXIS_BLOCK + d] = split ? hi : 1;
        box.lo[WL_AXIS_THREAD + d] = box.lo[WL_AXIS_FOLD + d] = 0;
        box.hi[WL_AXIS_THREAD + d] = split ? g->block[d] : 1;
        box.hi[WL_AXIS_FOLD + d] = split ? g->fold[d] : 1;
    }
    for (int l = 0; l < WL_LOOPS_MAX; l++) {
        const bool outer = in->outer >> l & 1;
        box.lo[WL_AXIS_LOOP + l] = outer ? t->first_step[l] : 0;
        box.hi[WL_AXIS_LOOP + l] = outer ? t->first_step[l] + t->steps[l] : wl_max(1, in->steps[l]);
    }
    return box;
}

/* The axes along which tiles of the box differ. */
static uint32_t free_axes(const finder *f, const wl_tiles *t)
{
    uint32_t axes = 0;
    for (int d = 0; d < 3; d++)
        if (t->count[d] > 1)
            axes |= 1u << (WL_AXIS_CELL + d) | 1u << (WL_AXIS_BLOCK + d);
    for (int l = 0; l < WL_LOOPS_MAX; l++)
        if (f->in->outer >> l & 1 && t->steps[l] > 1)
            axes |= 1u << (WL_AXIS_LOOP + l);
    return axes;
}

/* Coordinate i of a box: a dimension of the tiles, then a loop. */
static int64_t *first_of(wl_tiles *t, int i) { return i < 3 ? &t->first[i] : &t->first_step[i - 3]; }
static int64_t *count_of(wl_tiles *t, int i) { return i < 3 ? &t->count[i] : &t->steps[i - 3]; }

/* By how much the form of a comparison changes from one tile or step to the next. */
static int64_t change(const finder *f, const wl_guard *guard, const wl_guard_node *n, int i)
{
    const wl_geometry *g = f->in->geometry;
    if (i >= 3)
        return f->in->outer >> (i - 3) & 1 ? n->k[WL_AXIS_LOOP + i - 3] : 0;
    return f->in->tile[i] *
           (guard->split[i] ? n->k[WL_AXIS_BLOCK + i] : n->k[WL_AXIS_CELL + i] * g->block[i] * g->fold[i]);
}

/* Where a comparison becomes undecided along the only coordinate on which it depends, or decided
 * again; `n` tiles or steps change its form by k each, from lo .. hi at the first. */
static int64_t place_to_cut(const wl_guard_node *node, int64_t lo, int64_t hi, int64_t k, int64_t n)
{
    const bool zero = node->op == WL_GUARD_ZERO;
    int64_t from, to; /* undecided */
    if (k > 0) {
        from = wl_ceil_div(-hi, k);
        to = zero ? wl_floor_div(-lo, k) : wl_ceil_div(-lo, k) - 1;
    } else {
        from = zero ? wl_ceil_div(lo, -k) : wl_floor_div(lo, -k) + 1;
        to = wl_floor_div(hi, -k);
    }
    return from > 0 && from < n ? from : to + 1 > 0 && to + 1 < n ? to + 1 : n / 2;
}

/* Cuts the box in two along a coordinate on which the comparison depends. */
static void cut(const finder *f, const wl_guard *guard, const wl_guard_node *n, const wl_tiles *t, wl_tiles *low,
                wl_tiles *high)
{
    int longest = -1, several = 0;
    *low = *high = *t;
    for (int i = 0; i < 3 + WL_LOOPS_MAX; i++) {
        if (*count_of(low, i) < 2 || change(f, guard, n, i) == 0)
            continue;
        several++;
        if (longest < 0 || *count_of(low, i) > *count_of(low, longest))
            longest = i;
    }
    const int64_t steps = *count_of(low, longest);
    int64_t at = steps / 2, from, to;
    if (several == 1) {
        *count_of(low, longest) = 1;
        const wl_axis_box box = wl_tiles_coordinates(f->in, guard, low);
        wl_guard_range(n, &box, &from, &to);
        at = place_to_cut(n, from, to, change(f, guard, n, longest), steps);
    }
    *count_of(low, longest) = at;
    *first_of(high, longest) += at;
    *count_of(high, longest) = steps - at;
}

static wl_status add_box(finder *f, const wl_tiles *t, const wl_signature *s)
{
    if (f->count >= BOXES_MOST)
        return wl_fail(f->err, WL_E_LIMIT, WL_NOWHERE, "conditions cut the launch into more than %zu boxes",
                       BOXES_MOST);
    f->list = with_room(f, f->list, f->count, &f->room, sizeof *f->list);
    if (!f->list)
        return wl_fail_memory(f->err);
    f->list[f->count] = *t;
    return kind_of(f, s, &f->list[f->count++].kind);
}

/* Cuts a box until all its tiles are alike; recursive. */
static wl_status visit(finder *f, const wl_tiles *t)
{
    const uint32_t axes = free_axes(f, t);
    wl_signature s = wl_signature_start(f->edge);
    bool any = f->in->anywhere;
    for (int i = 0; i < f->in->guard_count; i++) {
        const wl_guard *guard = f->in->guards[i];
        const wl_axis_box box = wl_tiles_coordinates(f->in, guard, t);
        int8_t truth[WL_GUARD_NODES_MAX];
        wl_guard_truths(guard, &box, truth);
        const int undecided = wl_guard_undecided(guard, &box, axes, truth);
        if (undecided >= 0) {
            wl_tiles low, high;
            cut(f, guard, &guard->nodes[undecided], t, &low, &high);
            WL_TRY(visit(f, &low));
            return visit(f, &high);
        }
        any = any || truth[guard->count - 1] != 0;
        mix_node(&s, guard, guard->count - 1, &box, truth);
    }
    return any ? add_box(f, t, &s) : WL_OK;
}

/* ---- all kinds ---- */

/* Tiles that the domain's edges cut alike. */
static int find_edges(const wl_geometry *g, const int64_t tile[3], wl_tiles edges[WL_BLOCK_CLASSES_MAX])
{
    wl_block_class classes[WL_BLOCK_CLASSES_MAX];
    const int n = wl_tile_classes(g, tile, classes);
    for (int i = 0; i < n; i++) {
        edges[i] = (wl_tiles){.steps = {1, 1, 1}, .kind = (size_t)i};
        memcpy(edges[i].first, classes[i].first, sizeof edges[i].first);
        memcpy(edges[i].count, classes[i].count, sizeof edges[i].count);
    }
    return n;
}

static wl_status visit_all(finder *f)
{
    wl_tiles edges[WL_BLOCK_CLASSES_MAX];
    const int n = find_edges(f->in->geometry, f->in->tile, edges);
    for (int i = 0; i < n; i++) {
        for (int l = 0; l < WL_LOOPS_MAX; l++)
            if (f->in->outer >> l & 1)
                edges[i].steps[l] = f->in->steps[l];
        f->edge = 1 + (uint64_t)i;
        WL_TRY(visit(f, &edges[i]));
    }
    return WL_OK;
}

/* The boxes of one kind, which lie next to each other. */
static wl_representative represent(const wl_geometry *g, const int64_t tile[3], const wl_tiles *boxes, size_t count)
{
    wl_representative r = {.boxes = boxes, .box_count = count};
    for (int d = 0; d < 3; d++)
        r.block[d] = g->start[d] + boxes[0].first[d] * tile[d];
    for (size_t i = 0; i < count; i++)
        r.blocks += (double)boxes[i].count[0] * (double)boxes[i].count[1] * (double)boxes[i].count[2];
    return r;
}

void wl_kinds_by_edges(const wl_geometry *g, const int64_t tile[3], wl_edge_kinds *room, wl_block_kinds *out)
{
    *out = (wl_block_kinds){.list = room->list, .count = (size_t)find_edges(g, tile, room->boxes)};
    for (size_t i = 0; i < out->count; i++)
        room->list[i] = represent(g, tile, &room->boxes[i], 1);
}

/* Boxes of one kind next to each other, otherwise in the order found. */
static wl_status sort_by_kind(const finder *f, wl_block_kinds *out)
{
    const size_t kinds = f->kind_count;
    wl_tiles *boxes = WL_ARENA_NEW(f->arena, wl_tiles, f->count + 1);
    size_t *first = WL_ARENA_NEW(f->arena, size_t, kinds + 2);
    *out = (wl_block_kinds){.list = WL_ARENA_NEW(f->arena, wl_representative, kinds + 1), .count = kinds};
    if (!boxes || !first || !out->list)
        return wl_fail_memory(f->err);
    for (size_t i = 0; i < f->count; i++)
        first[f->list[i].kind + 2]++;
    for (size_t k = 2; k < kinds + 2; k++)
        first[k] += first[k - 1];
    for (size_t i = 0; i < f->count; i++)
        boxes[first[f->list[i].kind + 1]++] = f->list[i];
    for (size_t k = 0; k < kinds; k++)
        out->list[k] = represent(f->in->geometry, f->in->tile, boxes + first[k], first[k + 1] - first[k]);
    return WL_OK;
}

wl_status wl_kinds_by_cuts(const wl_cut_input *input, wl_arena *arena, wl_block_kinds *out, wl_error *err)
{
    finder f = {.in = input, .arena = arena, .err = err};
    if (input->guard_count == 0) {
        wl_edge_kinds *room = WL_ARENA_NEW(arena, wl_edge_kinds, 1);
        if (!room)
            return wl_fail_memory(err);
        wl_kinds_by_edges(input->geometry, input->tile, room, out);
        return WL_OK;
    }
    WL_TRY(visit_all(&f));
    return sort_by_kind(&f, out);
}

bool wl_guards_add(const wl_guard *guard, const wl_guard **list, int *count, int most)
{
    for (int i = 0; i < *count; i++)
        if (list[i] == guard)
            return true;
    if (guard && *count == most)
        return false;
    if (guard)
        list[(*count)++] = guard;
    return true;
}

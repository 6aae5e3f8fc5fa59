/* line_shelf.c - see line_shelf.h. SPDX-License-Identifier: MIT */
#include "cache/line_shelf.h"

#include "base/fail.h"
#include "expr/operate.h"

void wl_shelf_clear(wl_shelf *s, int64_t lines)
{
    s->recency = (wl_recency){-1, -1};
    s->unused = -1;
    s->used = s->count = 0;
    s->room = lines;
    wl_lines_clear(&s->lines);
}

bool wl_shelf_make(wl_shelf *s, int64_t lines, wl_shelf_policy policy, wl_arena *arena)
{
    *s = (wl_shelf){.policy = policy, .pieces = WL_ARENA_NEW(arena, wl_shelf_piece, lines + 1)};
    if (!s->pieces || !wl_lines_make(&s->lines, lines + 1, lines + 1, arena))
        return false;
    wl_shelf_clear(s, lines);
    return true;
}

/* ---- least recently used ---- */

static void drop_oldest(wl_shelf *s)
{
    const int32_t i = s->recency.oldest;
    wl_lines_leave(&s->lines, i);
    wl_recency_forget(&s->recency, &s->lines, i);
    s->used -= s->pieces[i].lines;
    s->pieces[i].unused = s->unused;
    s->unused = i;
}

static int32_t make_room(wl_shelf *s, int64_t lines)
{
    while (s->recency.oldest >= 0 && s->used + lines > s->room)
        drop_oldest(s);
    const int32_t i = s->unused >= 0 ? s->unused : s->count++;
    if (i == s->unused)
        s->unused = s->pieces[i].unused;
    s->used += lines;
    return i;
}

/* ---- the older of two ---- */

static int32_t replace_one(wl_shelf *s)
{
    if (s->count < s->room)
        return s->count++;
    const int64_t draw = (int64_t)(2 * s->now);
    const int32_t a = (int32_t)wl_random_below(draw, s->count), b = (int32_t)wl_random_below(draw + 1, s->count);
    const int32_t i = s->pieces[a].when <= s->pieces[b].when ? a : b;
    wl_lines_leave(&s->lines, i);
    return i;
}

/* ---- both ---- */

wl_shelf_piece *wl_shelf_use(wl_shelf *s, uint64_t key, int64_t lines)
{
    const bool lru = s->policy == WL_SHELF_LRU;
    int32_t i = wl_lines_find(&s->lines, key, 0);
    s->now++;
    if (i < 0) {
        WL_ASSERT(lru || lines == 1);
        i = lru ? make_room(s, lines) : replace_one(s);
        s->pieces[i] = (wl_shelf_piece){.lines = (int32_t)lines};
        wl_lines_enter(&s->lines, key, i);
        if (lru)
            wl_recency_begin(&s->recency, &s->lines, i);
    } else if (lru) {
        wl_recency_use(&s->recency, &s->lines, i);
    }
    s->pieces[i].when = s->now;
    return &s->pieces[i];
}

const wl_shelf_piece *wl_shelf_find(const wl_shelf *s, uint64_t key)
{
    const int32_t i = wl_lines_find(&s->lines, key, 0);
    return i >= 0 ? &s->pieces[i] : NULL;
}

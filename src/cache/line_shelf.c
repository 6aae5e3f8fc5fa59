/* line_shelf.c - see line_shelf.h. SPDX-License-Identifier: MIT */
#include "cache/line_shelf.h"

#include "base/fail.h"
#include "expr/operate.h"

void wl_shelf_clear(wl_shelf *s, int64_t lines)
{
    s->unused = -1;
    s->used = s->count = 0;
    s->room = lines;
    wl_lines_clear(&s->lines);
    if (s->policy == WL_SHELF_LRU)
        wl_uses_clear(&s->uses);
}

bool wl_shelf_make(wl_shelf *s, int64_t lines, wl_shelf_policy policy, wl_arena *arena)
{
    *s = (wl_shelf){.policy = policy, .pieces = WL_ARENA_NEW(arena, wl_shelf_piece, lines + 1)};
    if (!s->pieces || !wl_lines_make(&s->lines, lines + 1, arena) ||
        (policy == WL_SHELF_LRU && !wl_uses_make(&s->uses, lines + 1, arena)))
        return false;
    wl_shelf_clear(s, lines);
    return true;
}

/* A place has the number of its piece where caches have sectors. */
static int32_t piece_of(const wl_shelf *s, int32_t place) { return (int32_t)s->lines.places[place].sectors; }

/* ---- least recently used ---- */

static void drop(wl_shelf *s, int32_t place)
{
    const int32_t i = piece_of(s, place);
    wl_lines_leave(&s->lines, place, true);
    s->used -= s->pieces[i].lines;
    s->pieces[i].unused = s->unused;
    s->unused = i;
}

static int32_t make_room(wl_shelf *s, int64_t lines)
{
    while (s->used + lines > s->room) {
        const int32_t oldest = wl_uses_oldest(&s->uses, &s->lines, true);
        if (oldest < 0)
            break;
        drop(s, oldest);
    }
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
    wl_lines_leave(&s->lines, s->pieces[i].place, true);
    return i;
}

/* ---- both ---- */

static int32_t add_piece(wl_shelf *s, wl_key key, int64_t lines)
{
    const bool lru = s->policy == WL_SHELF_LRU;
    WL_ASSERT(lru || lines == 1);
    const int32_t i = lru ? make_room(s, lines) : replace_one(s), place = wl_lines_enter(&s->lines, key);
    s->pieces[i] = (wl_shelf_piece){.lines = (int32_t)lines, .place = place};
    s->lines.places[place].sectors = (uint32_t)i;
    if (lru)
        wl_uses_add(&s->uses, &s->lines, place, false);
    return i;
}

wl_shelf_piece *wl_shelf_use(wl_shelf *s, uint64_t name, int64_t lines)
{
    const wl_key key = wl_key_of(name);
    const int32_t place = wl_lines_find(&s->lines, key);
    s->now++;
    if (place >= 0 && s->policy == WL_SHELF_LRU)
        wl_uses_add(&s->uses, &s->lines, place, true);
    const int32_t i = place >= 0 ? piece_of(s, place) : add_piece(s, key, lines);
    s->pieces[i].when = s->now;
    return &s->pieces[i];
}

const wl_shelf_piece *wl_shelf_find(const wl_shelf *s, uint64_t name)
{
    const int32_t place = wl_lines_find(&s->lines, wl_key_of(name));
    return place >= 0 ? &s->pieces[piece_of(s, place)] : NULL;
}

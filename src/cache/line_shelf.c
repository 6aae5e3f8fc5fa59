/* line_shelf.c - see line_shelf.h. SPDX-License-Identifier: MIT */
#include "cache/line_shelf.h"

#include "base/fail.h"
#include "expr/operate.h"

void wl_shelf_clear(wl_shelf *s, int64_t lines)
{
    s->used = s->count = 0;
    s->room = lines;
    wl_lines_clear(&s->lines);
}

bool wl_shelf_make(wl_shelf *s, int64_t lines, wl_shelf_policy policy, wl_arena *arena)
{
    *s = (wl_shelf){.policy = policy, .room = lines};
    if (!wl_lines_make(&s->lines, lines + 1, policy == WL_SHELF_LRU, arena))
        return false;
    s->pieces = WL_ARENA_NEW(arena, wl_shelf_piece, s->lines.places);
    s->places = WL_ARENA_NEW(arena, int32_t, lines + 1);
    return s->pieces && s->places;
}

/* The least recently used pieces leave. */
static void make_room(wl_shelf *s, int64_t lines)
{
    while (s->used + lines > s->room) {
        const uint32_t oldest = wl_lines_oldest(&s->lines);
        if (oldest == s->lines.next)
            break;
        s->used -= s->pieces[wl_lines_used_at(&s->lines, oldest)].lines;
        s->lines.first = oldest + 1;
    }
    s->used += lines;
}

/* The older of two leaves, unless there is room. */
static void replace_one(wl_shelf *s, int32_t place)
{
    if (s->count < s->room) {
        s->places[s->count++] = place;
        return;
    }
    const int64_t draw = (int64_t)(2 * s->now);
    int32_t *a = &s->places[wl_random_below(draw, s->count)], *b = &s->places[wl_random_below(draw + 1, s->count)];
    int32_t *older = s->pieces[*a].when <= s->pieces[*b].when ? a : b;
    wl_lines_leave(&s->lines, *older);
    *older = place;
}

wl_shelf_piece *wl_shelf_use(wl_shelf *s, uint64_t name, int64_t lines)
{
    const bool lru = s->policy == WL_SHELF_LRU;
    WL_ASSERT(lru || lines == 1);
    const wl_spot spot = wl_lines_use(&s->lines, name);
    const int32_t place = wl_place_of(spot);
    wl_shelf_piece *p = &s->pieces[place];
    s->now++;
    if (!spot.there) {
        if (lru)
            make_room(s, lines);
        else
            replace_one(s, place);
        *p = (wl_shelf_piece){.lines = lines};
    }
    if (lru)
        wl_lines_note(&s->lines, spot);
    p->when = s->now;
    return p;
}

const wl_shelf_piece *wl_shelf_find(const wl_shelf *s, uint64_t name)
{
    const int32_t place = wl_lines_find(&s->lines, name);
    return place >= 0 ? &s->pieces[place] : NULL;
}

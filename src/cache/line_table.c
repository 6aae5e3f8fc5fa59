/* line_table.c - see line_table.h. SPDX-License-Identifier: MIT */
#include "cache/line_table.h"

#include <stdlib.h>

#include "cache/lru_table.h"
#include "cache/many_ways.h"

/* at most, on average */
#define LINES_OF_BUCKET 3
#define LINES_OF_DENSE 4
#define BUCKETS_LEAST 8 /* bits of their number: with those of a tag, they tell the line */
#define BUCKETS_MOST 24 /* positions need less than 31 */

bool wl_table_can(const wl_cache *c)
{
    return c->spread.sets == 1 && !c->few && c->shape.sectors <= WL_PACKED_SECTORS &&
           c->shape.lines <= (int64_t)LINES_OF_BUCKET << BUCKETS_MOST;
}

/* Hashes are the numbers of lines, below a power of two, times an odd number: the upper bits of
 * wl_hash_add's. */
static void spread_lines(wl_spread *s, int bucket_bits, int tag_bits)
{
    s->group_shift = 64 - bucket_bits;
    s->tag_shift = s->group_shift - tag_bits;
    s->factor = (wl_hash_add(0, 1) >> s->tag_shift | 1) << s->tag_shift;
    const uint64_t factor = s->factor >> s->tag_shift;
    s->back = factor; /* right in three bits; each step doubles them */
    for (int i = 0; i < 5; i++)
        s->back *= 2 - factor * s->back;
}

bool wl_table_make(wl_cache *c)
{
    int bits = BUCKETS_LEAST;
    while ((int64_t)(c->dense ? LINES_OF_DENSE : LINES_OF_BUCKET) << bits < c->shape.lines)
        bits++;
    const size_t buckets = (size_t)1 << bits;
    spread_lines(&c->spread, bits, WL_TAG_BITS(c->dense));
    c->group_mask = buckets - 1;
    c->buckets = wl_cache_memory((buckets + 1) * sizeof *c->buckets, &c->index); /* one to spare */
    c->homes = calloc(buckets * wl_table_places(c->dense), sizeof *c->homes);
    c->queues = calloc(1, sizeof *c->queues);
    if (!c->buckets || !c->homes || !c->queues)
        return false;
    c->queues[0].holes.count = c->ways;
    if (c->shape.policy == WL_POLICY_LRU)
        return wl_lru_make(c);
    c->places = calloc((size_t)c->shape.lines, sizeof *c->places);
    c->draws = calloc(1, sizeof *c->draws);
    return c->places && c->draws;
}

/* ---- the table ---- */

int32_t wl_table_search(const wl_cache *c, wl_key key)
{
    const uint32_t first = wl_table_first(c);
    for (uint64_t at = key.group;; at = (at + 1) & c->group_mask) {
        const uint32_t tag = at == key.group ? key.tag : key.tag | WL_PASSED(c->dense);
        uint32_t alike = wl_bucket_places(&c->buckets[at], tag, first, c->dense) & 0xff;
        for (; alike; alike &= alike - 1) {
            const uint32_t position = (uint32_t)at * WL_POSITIONS + (uint32_t)__builtin_ctz(alike);
            if (wl_table_home(c, position) == key.group)
                return (int32_t)position;
        }
        if (c->buckets[at].passed < first)
            return -1;
    }
}

uint32_t wl_table_enter(wl_cache *c, wl_key key)
{
    const uint32_t first = wl_table_first(c);
    uint64_t at = key.group;
    uint32_t open;
    while ((open = wl_bucket_places(&c->buckets[at], key.tag, first, c->dense) >> 8) == 0)
        at = (at + 1) & c->group_mask;
    const uint32_t place = (uint32_t)__builtin_ctz(open), position = (uint32_t)at * WL_POSITIONS + place;
    wl_bucket *b = &c->buckets[at];
    wl_bucket_enter(b, place, at == key.group ? key.tag : key.tag | WL_PASSED(c->dense), c->dense);
    b->sectors[place] = 0;
    if (at != key.group)
        c->homes[wl_table_number(c, position)] = (uint32_t)key.group;
    return position;
}

uint64_t wl_table_home(const wl_cache *c, uint32_t position)
{
    const bool passed = wl_table_tag(c, position) & WL_PASSED(c->dense);
    return passed ? c->homes[wl_table_number(c, position)] : position / WL_POSITIONS;
}

wl_slot wl_table_slot(const wl_cache *c, uint32_t position)
{
    const wl_bucket *b = wl_bucket_of(c, position);
    const uint32_t place = wl_place_of(position);
    const wl_key key = {.group = wl_table_home(c, position), .tag = wl_table_tag(c, position) & ~WL_PASSED(c->dense)};
    return (wl_slot){.line = wl_table_line(&c->spread, key), .sectors = wl_unpacked_sectors(b->sectors[place])};
}

void wl_table_written_back(wl_cache *c, uint32_t position)
{
    const wl_slot gone = {.sectors = wl_unpacked_sectors(wl_bucket_of(c, position)->sectors[wl_place_of(position)])};
    wl_cache_count_written(c, &gone);
}

/* ---- random policies ---- */

/* Removes a line; i: of those that this access evicts. Buckets that passed it on forget it. */
static void leave(wl_cache *c, int i, uint32_t position)
{
    const wl_slot gone = wl_table_slot(c, position);
    wl_cache_note_evicted(c, i, &gone);
    for (uint64_t at = wl_table_home(c, position); at != position / WL_POSITIONS; at = (at + 1) & c->group_mask)
        c->buckets[at].passed--;
    *wl_table_used(c, position) = 0;
}

static void evict(wl_cache *c, wl_holes *holes)
{
    holes->first = wl_cache_draw(c, c->ways);
    holes->count = c->run;
    for (int32_t i = 0; i < holes->count; i++) {
        const int32_t slot = holes->first + i < c->ways ? holes->first + i : holes->first + i - c->ways;
        leave(c, i, c->places[slot] & ~WL_PASSED_ON);
    }
}

/* The position of a line that is not there, in the next empty slot. */
static uint32_t place(wl_cache *c, wl_key key, wl_holes *holes)
{
    const uint32_t position = wl_table_enter(c, key), slot = (uint32_t)holes->first;
    for (uint64_t at = key.group; at != position / WL_POSITIONS; at = (at + 1) & c->group_mask)
        c->buckets[at].passed++;
    c->places[slot] = position | (position / WL_POSITIONS != key.group ? WL_PASSED_ON : 0);
    *wl_table_used(c, position) = slot + 1;
    holes->first = holes->first + 1 == c->ways ? 0 : holes->first + 1;
    holes->count--;
    return position;
}

int32_t wl_table_place_random(wl_cache *c, wl_key key, wl_touched *touched)
{
    wl_holes *holes = &c->queues[0].holes;
    if (holes->count == 0) {
        evict(c, holes);
        touched->evicted = (uint8_t)c->run;
    }
    return (int32_t)place(c, key, holes);
}

wl_touched_at wl_table_touch_apart(wl_cache *c, uint64_t line)
{
    wl_touched touched = {0};
    const wl_key key = wl_key_of(&c->spread, line, c->kind);
    const bool lru = c->shape.policy == WL_POLICY_LRU;
    const int32_t at = lru ? wl_lru_touch(c, key, &touched) : wl_table_touch_random(c, key, &touched);
    return (wl_touched_at){(uint32_t)at, (uint32_t)-touched.resident};
}

void wl_draws_foresee(wl_draws *d, uint64_t random, int32_t ways, uint32_t wanted)
{
    /* those that were drawn since are mostly the next ones of these */
    while (d->count > 0 && d->states[d->first] != random)
        d->first++, d->count--;
    if (d->first + wanted > WL_DRAWS_MAX) {
        memmove(d->states, d->states + d->first, (d->count + 1) * sizeof *d->states);
        memmove(d->slots, d->slots + d->first, d->count * sizeof *d->slots);
        d->first = 0;
    }
    uint64_t state = d->count > 0 ? d->states[d->first + d->count] : random;
    d->states[d->first + d->count] = state;
    for (; d->count < wanted; d->count++) {
        const uint32_t at = d->first + d->count;
        d->states[at + 1] = state = wl_random_next(state);
        d->slots[at] = (uint32_t)wl_random_below(state, ways);
    }
}

/* ---- all lines ---- */

/* The next position with a line, from *at on. False: there is none. */
static bool next_line(const wl_cache *c, uint32_t *at)
{
    const uint32_t first = wl_table_first(c);
    for (; *at / WL_POSITIONS <= c->group_mask; ++*at)
        if (wl_place_of(*at) < wl_table_places(c->dense) && *wl_table_used(c, *at) >= first)
            return true;
    return false;
}

void wl_table_clean(wl_cache *c)
{
    for (uint32_t at = 0; next_line(c, &at); at++) {
        wl_table_written_back(c, at);
        wl_bucket_of(c, at)->sectors[wl_place_of(at)] &= (1u << WL_PACKED_SECTORS) - 1;
    }
}

/* The same lines in the same slots or order, by the ways of many_ways.h. */
static void move_lines(wl_cache *c, const wl_cache *from)
{
    if (from->shape.policy == WL_POLICY_LRU) {
        const wl_queue *q = &from->queues[0];
        for (uint32_t time = q->head, at; wl_lru_next(from, &time, q->tail, &at); time++) {
            const wl_slot s = wl_table_slot(from, at);
            c->slots[wl_many_place(c, wl_key_of(&c->spread, s.line, WL_MANY_LRU))].sectors = s.sectors;
        }
        return;
    }
    c->queues[0].holes = from->queues[0].holes;
    for (uint32_t at = 0; next_line(from, &at); at++) {
        const wl_slot s = wl_table_slot(from, at);
        const uint32_t slot = *wl_table_used(from, at) - 1;
        c->slots[slot] = s;
        wl_many_enter(c, wl_key_of(&c->spread, s.line, WL_MANY_RANDOM), (int32_t)slot);
    }
}

static void move_written(wl_cache *c, const wl_cache *from)
{
    const size_t parts = (size_t)c->shape.sectors;
    for (uint32_t at = 0; next_line(from, &at); at++) {
        const size_t slot = (size_t)wl_many_find(c, wl_key_of(&c->spread, wl_table_slot(from, at).line, WL_MANY_LRU));
        memcpy(c->written + slot * parts, from->written + wl_table_number(from, at) * parts,
               parts * sizeof *c->written);
    }
}

bool wl_table_widen(wl_cache *c)
{
    const size_t lines = (size_t)c->shape.lines;
    wl_cache wide = *c;
    wl_cache_forget_memory(&wide);
    wide.kind = c->shape.policy == WL_POLICY_LRU ? WL_MANY_LRU : WL_MANY_RANDOM;
    wide.slots = wl_cache_slots(lines);
    wide.written = c->written ? malloc(lines * (size_t)c->shape.sectors * sizeof *c->written) : NULL;
    if (!wide.slots || (c->written && !wide.written) || !wl_many_make(&wide)) {
        wl_cache_free_memory(&wide);
        return false;
    }
    move_lines(&wide, c);
    if (c->written)
        move_written(&wide, c);
    wl_cache_free_memory(c);
    *c = wide;
    return true;
}

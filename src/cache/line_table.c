/* line_table.c - see line_table.h. SPDX-License-Identifier: MIT */
#include "cache/line_table.h"

#include <stdlib.h>

#include "cache/many_ways.h"

#define USES_PER_WAY 4 /* entries of the queue */

#define BUCKET_BITS 24 /* their positions need less than 31 */

bool wl_table_can(const wl_cache *c)
{
    return c->set_count == 1 && !c->few && c->large && c->shape.lines <= (int64_t)WL_GROUP_LINES << BUCKET_BITS;
}

bool wl_table_make(wl_cache *c)
{
    const size_t buckets = wl_cache_groups(c);
    c->buckets = wl_cache_memory((buckets + 1) * sizeof *c->buckets, &c->index); /* one to spare */
    c->queues = calloc(1, sizeof *c->queues);
    if (!c->buckets || !c->queues)
        return false;
    for (size_t i = 0; i < buckets; i++)
        memset(c->buckets[i].high, -1, sizeof c->buckets[i].high);
    c->queues[0].holes.count = c->ways;
    if (c->shape.policy != WL_POLICY_LRU)
        return (c->places = calloc((size_t)c->shape.lines, sizeof *c->places)) != NULL;
    c->queue_room = ((uint32_t)c->ways * USES_PER_WAY + 63) / 64 * 64;
    /* what is scanned may end behind them; and one to spare */
    const size_t entries = c->queue_room + WL_SCANNED + 1;
    c->entries = wl_cache_memory(entries * sizeof *c->entries, &c->queue_memory);
    if (c->entries)
        memset(c->entries, -1, entries * sizeof *c->entries);
    return c->entries != NULL;
}

/* ---- the table ---- */

/* Returns the marked position. */
static uint32_t enter(wl_cache *c, wl_key key)
{
    uint64_t at = key.group;
    uint32_t open;
    while ((open = wl_bucket_places(&c->buckets[at], key.line) >> WL_PLACES) == 0) {
        c->buckets[at].passed++;
        at = (at + 1) & c->group_mask;
    }
    const uint32_t place = (uint32_t)__builtin_ctz(open);
    wl_bucket *b = &c->buckets[at];
    b->low[place] = (uint32_t)key.line;
    b->high[place] = (uint16_t)(key.line >> 32);
    b->sectors[place] = 0;
    return wl_table_marked(key, (uint32_t)at * WL_POSITIONS + place);
}

static wl_slot slot_at(const wl_cache *c, uint32_t position)
{
    const wl_bucket *b = wl_bucket_of(c, position);
    const uint32_t place = wl_place_of(position);
    return (wl_slot){.line = wl_bucket_line(b, place), .sectors = b->sectors[place]};
}

/* Removes a line; i: of those that this access evicts. Buckets that passed it on forget it. */
static void leave(wl_cache *c, int i, uint32_t marked)
{
    const uint32_t position = marked & ~WL_PASSED_ON;
    const wl_slot gone = slot_at(c, position);
    wl_cache_note_evicted(c, i, &gone);
    for (uint64_t at = wl_key_of(c, gone.line, WL_TABLE_LRU).group; at != position / WL_POSITIONS;
         at = (at + 1) & c->group_mask)
        c->buckets[at].passed--;
    wl_table_remove(c->buckets, position);
}

void wl_table_written_back(wl_cache *c, uint32_t position)
{
    const wl_slot gone = slot_at(c, position);
    wl_cache_count_written(c, &gone);
}

/* ---- recency ---- */

void wl_table_shorten(wl_cache *c)
{
    wl_queue *q = &c->queues[0];
    uint32_t kept = 0;
    for (uint32_t i = q->head; i < q->tail; i++) {
        const uint32_t marked = c->entries[i];
        if (marked == WL_NO_POSITION)
            continue;
        c->entries[kept] = marked;
        wl_bucket_of(c, marked & ~WL_PASSED_ON)->used[wl_place_of(marked)] = kept++;
    }
    memset(c->entries + kept, -1, (c->queue_room - kept) * sizeof *c->entries);
    q->head = 0;
    q->tail = kept;
}

/* The marked position that was used least recently; its use is forgotten. */
static uint32_t take_oldest(wl_cache *c)
{
    wl_queue *q = &c->queues[0];
    const uint32_t last = wl_table_oldest(c->entries, q->head);
    q->head = last + 1;
    return c->entries[last];
}

/* ---- eviction ---- */

static void evict_random(wl_cache *c, wl_holes *holes)
{
    holes->first = wl_cache_draw(c, c->ways);
    holes->count = c->run;
    for (int32_t i = 0; i < holes->count; i++)
        leave(c, i, c->places[holes->first + i < c->ways ? holes->first + i : holes->first + i - c->ways]);
    c->evicted_count = (uint8_t)holes->count;
}

int32_t wl_table_place(wl_cache *c, wl_key key)
{
    const bool lru = c->shape.policy == WL_POLICY_LRU;
    wl_holes *holes = &c->queues[0].holes;
    c->evicted_count = 0;
    if (holes->count == 0 && lru) {
        leave(c, 0, take_oldest(c));
        c->evicted_count = 1;
        holes->count = 1;
    } else if (holes->count == 0) {
        evict_random(c, holes);
    }
    const uint32_t marked = enter(c, key), position = marked & ~WL_PASSED_ON;
    holes->count--;
    if (lru) {
        wl_table_note_use(c, marked);
        return (int32_t)position;
    }
    c->places[holes->first] = marked;
    wl_bucket_of(c, position)->used[wl_place_of(position)] = (uint32_t)holes->first;
    holes->first = holes->first + 1 == c->ways ? 0 : holes->first + 1;
    return (int32_t)position;
}

wl_spot wl_table_touch_apart(wl_cache *c, wl_key key)
{
    wl_touched touched = {0};
    const uint32_t at = (uint32_t)wl_table_touch(c, key, c->kind == WL_TABLE_LRU, &touched);
    return (wl_spot){wl_bucket_of(c, at), wl_place_of(at), at, (uint32_t)-touched.resident};
}

/* ---- all lines ---- */

/* The next position with a line, from *at on. False: there is none. */
static bool next_line(const wl_cache *c, uint32_t *at)
{
    for (; *at / WL_POSITIONS <= c->group_mask; ++*at) {
        if (wl_place_of(*at) == WL_PLACES)
            *at += WL_POSITIONS - WL_PLACES;
        if (*at / WL_POSITIONS <= c->group_mask && wl_bucket_of(c, *at)->high[wl_place_of(*at)] != WL_TABLE_NONE)
            return true;
    }
    return false;
}

void wl_table_clean(wl_cache *c)
{
    for (uint32_t at = 0; next_line(c, &at); at++) {
        const wl_slot slot = slot_at(c, at);
        wl_cache_count_written(c, &slot);
        wl_bucket_of(c, at)->sectors[wl_place_of(at)] = wl_present(&slot);
    }
}

/* The same lines in the same slots or order, by the ways of many_ways.h. */
static void move_lines(wl_cache *c, const wl_cache *from)
{
    const wl_queue *q = &from->queues[0];
    if (c->shape.policy == WL_POLICY_LRU) {
        for (uint32_t i = q->head; i < q->tail; i++)
            if (from->entries[i] != WL_NO_POSITION) {
                const wl_slot s = slot_at(from, from->entries[i] & ~WL_PASSED_ON);
                const int32_t at = wl_many_place(c, wl_key_of(c, s.line, WL_MANY_LRU));
                c->slots[at].sectors = s.sectors;
            }
        return;
    }
    c->queues[0].holes = q->holes;
    for (uint32_t at = 0; next_line(from, &at); at++) {
        const wl_slot s = slot_at(from, at);
        const uint32_t slot = wl_bucket_of(from, at)->used[wl_place_of(at)];
        c->slots[slot] = s;
        wl_many_enter(c, wl_key_of(c, s.line, WL_MANY_RANDOM), (int32_t)slot);
    }
}

static void move_written(wl_cache *c, const wl_cache *from)
{
    const size_t parts = (size_t)c->shape.sectors;
    for (uint32_t at = 0; next_line(from, &at); at++) {
        const size_t slot = (size_t)wl_many_find(c, wl_key_of(c, slot_at(from, at).line, WL_MANY_LRU));
        memcpy(c->written + slot * parts, from->written + wl_table_number(at) * parts, parts * sizeof *c->written);
    }
}

bool wl_table_widen(wl_cache *c)
{
    const size_t lines = (size_t)c->shape.lines;
    wl_cache wide = *c;
    wl_cache_forget_memory(&wide);
    wide.kind = c->kind == WL_TABLE_LRU ? WL_MANY_LRU : WL_MANY_RANDOM;
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

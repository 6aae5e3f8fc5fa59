/* cache.c - see cache.h. SPDX-License-Identifier: MIT */
#include "cache/cache.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "cache/few_ways.h"

#define LINES_MAX ((int64_t)1 << 28) /* places have 31-bit numbers */
#define RUN 4                        /* lines that WL_POLICY_RANDOM_4 evicts */
#define EXPECTED ((size_t)16)        /* accesses that are announced */
#define AT_ONCE 8                    /* loads between announcements of others */
#define DRAWN 16                     /* random numbers that are drawn before they are used */
#define DIRTY_SHIFT WL_SECTORS_MAX   /* of a place: dirty sectors lie above those present */

static const char *const policy_names[WL_POLICY_COUNT] = {"lru", "random", "random4"};

const char *wl_policy_name(wl_policy policy) { return policy_names[policy]; }

bool wl_policy_find(const char *name, wl_policy *policy)
{
    for (int p = 0; p < WL_POLICY_COUNT; p++)
        if (strcmp(name, policy_names[p]) == 0) {
            *policy = (wl_policy)p;
            return true;
        }
    return false;
}

/* Of many ways, which are hashed. Empty ways follow each other, the last is followed by the
 * first. */
typedef struct line_set {
    wl_uses uses; /* least recently used policy */
    int32_t first_empty, empty;
} line_set;

struct wl_cache {
    wl_cache_shape shape;
    int32_t ways;
    int32_t set_count, set_mask; /* mask: of a power of two, else -1 */
    int32_t run;                 /* lines that are evicted together */
    bool lru, few, far;          /* few ways; far from the core, in the host's memory */
    wl_arena arena;
    wl_lines lines; /* few ways: places of a set follow each other, and there is no table */
    int64_t places;
    wl_few_ways small; /* sets of few ways, or .. */
    line_set *sets;    /* .. of many */
    int32_t *slots;    /* of sets of many ways with a random policy: places of their lines */
    uint32_t *written; /* of dirty sectors that are not present: parts that are written */
    uint64_t random;   /* state of the generator */
    int32_t drawn[DRAWN];
    uint32_t draws; /* that were used */
    wl_evicted evicted[WL_EVICTED_MAX];
    wl_cache_counts counts;
};

/* ---- random numbers ---- */

/* A way: xorshift64*, Vigna 2016. */
static int32_t draw(wl_cache *c)
{
    uint64_t state = c->random;
    state ^= state >> 12;
    state ^= state << 25;
    c->random = state ^= state >> 27;
    return (int32_t)((state * 0x2545f4914f6cdd1du >> 32) * (uint64_t)c->ways >> 32);
}

static int32_t way_after(const wl_cache *c, int32_t way, int32_t by)
{
    return way + by < c->ways ? way + by : way + by - c->ways;
}

/* What the draws to come need: where their lines are, and soon before them what the table has of
 * these. */
static void expect_drawn(const wl_cache *c)
{
    const int32_t late = c->drawn[(c->draws - 1) % DRAWN], soon = c->drawn[(c->draws + DRAWN / 2) % DRAWN];
    wl_fetch_ahead(&c->slots[late]);
    for (int32_t i = 0; i < c->run; i++)
        wl_fetch_ahead(&c->lines.fingers[c->slots[way_after(c, soon, i)]]);
}

/* The next draw. Some are made before they are used, so that memory can be fetched for them. */
static int32_t next_draw(wl_cache *c)
{
    int32_t *way = &c->drawn[c->draws++ % DRAWN];
    const int32_t drawn = *way;
    *way = draw(c);
    if (c->far && !c->few && c->set_count == 1)
        expect_drawn(c);
    return drawn;
}

/* ---- life ---- */

static bool make_few(wl_cache *c)
{
    c->places = c->shape.lines;
    c->lines.places = wl_lines_memory(&c->arena, (size_t)c->places * sizeof *c->lines.places);
    return c->lines.places && wl_few_make(&c->small, c->set_count, c->ways, c->lru, &c->arena);
}

static bool make_many(wl_cache *c)
{
    c->sets = WL_ARENA_NEW(&c->arena, line_set, c->set_count);
    if (!c->lru)
        c->slots = wl_lines_memory(&c->arena, (size_t)c->shape.lines * sizeof *c->slots);
    if (!c->sets || (!c->lru && !c->slots) || !wl_lines_make(&c->lines, c->shape.lines, &c->arena))
        return false;
    c->places = wl_lines_places(&c->lines);
    for (int32_t s = 0; s < c->set_count; s++) {
        c->sets[s].empty = c->ways;
        if (c->lru && !wl_uses_make(&c->sets[s].uses, c->ways, &c->arena))
            return false;
    }
    return true;
}

static bool make_sets(wl_cache *c)
{
    if (!(c->few ? make_few(c) : make_many(c)))
        return false;
    if (c->shape.write_back)
        c->written = WL_ARENA_NEW(&c->arena, uint32_t, c->places * c->shape.sectors);
    return !c->shape.write_back || c->written;
}

wl_status wl_cache_new(const wl_cache_shape *shape, wl_cache **out, wl_error *err)
{
    const int64_t ways = shape->ways ? shape->ways : shape->lines;
    *out = NULL;
    if (shape->lines < 1 || shape->lines > LINES_MAX)
        return wl_fail(err, WL_E_INPUT, WL_NOWHERE, "a cache has 1 to %lld lines, not %lld", (long long)LINES_MAX,
                       (long long)shape->lines);
    if (ways < 1 || shape->lines % ways != 0)
        return wl_fail(err, WL_E_INPUT, WL_NOWHERE, "%lld lines cannot be divided into sets of %lld",
                       (long long)shape->lines, (long long)ways);
    if (shape->sectors < 1 || shape->sectors > WL_SECTORS_MAX)
        return wl_fail(err, WL_E_INPUT, WL_NOWHERE, "a line has 1 to %d sectors, not %d", WL_SECTORS_MAX,
                       shape->sectors);
    wl_cache *c = calloc(1, sizeof *c);
    if (!c)
        return wl_fail_memory(err);
    c->shape = *shape;
    c->ways = (int32_t)ways;
    c->set_count = (int32_t)(shape->lines / ways);
    c->set_mask = (c->set_count & (c->set_count - 1)) == 0 ? c->set_count - 1 : -1;
    c->run = shape->policy != WL_POLICY_RANDOM_4 ? 1 : ways < RUN ? c->ways : RUN;
    c->lru = shape->policy == WL_POLICY_LRU;
    c->few = ways <= WL_FEW_WAYS_MAX;
    c->far = wl_lines_are_far(shape->lines);
    c->random = wl_hash_word(shape->seed + 1) | 1;
    for (int i = 0; i < DRAWN; i++)
        c->drawn[i] = draw(c);
    if (!make_sets(c)) {
        wl_cache_free(c);
        return wl_fail_memory(err);
    }
    *out = c;
    return WL_OK;
}

void wl_cache_free(wl_cache *c)
{
    if (!c)
        return;
    wl_arena_free(&c->arena);
    free(c);
}

/* ---- lines ---- */

static uint32_t present(const wl_line *line) { return line->sectors & ((1u << DIRTY_SHIFT) - 1); }
static uint32_t dirty(const wl_line *line) { return line->sectors >> DIRTY_SHIFT; }

static int32_t set_of(const wl_cache *c, wl_key key)
{
    const uint64_t number = c->shape.hashed_sets ? key.hash : key.line;
    return (int32_t)(c->set_mask >= 0 ? number & (uint64_t)c->set_mask : number % (uint64_t)c->set_count);
}

static int32_t find(const wl_cache *c, uint64_t line)
{
    const wl_key key = wl_key_of(line);
    if (!c->few)
        return wl_lines_find(&c->lines, key);
    const int32_t set = set_of(c, key), first = set * c->ways;
    const int32_t way = wl_few_find(&c->small, set, &c->lines.places[first], key);
    return way < 0 ? way : first + way;
}

static void count_written(wl_cache *c, const wl_line *line)
{
    c->counts.written_back += wl_bit_count(dirty(line));
    c->counts.partial += wl_bit_count(dirty(line) & ~present(line));
}

/* A place loses its line, if `leaves`; i: of those that an access evicts. Reads it only if someone
 * asks: the memory may be far. */
WL_ALWAYS_INLINE void count_evicted(wl_cache *c, int32_t at, int32_t i, bool leaves)
{
    c->counts.evicted_lines += leaves;
    if (!(c->shape.tells_evicted | c->shape.write_back) || !leaves)
        return;
    wl_line *gone = &c->lines.places[at];
    c->evicted[i] = (wl_evicted){gone->number, present(gone), dirty(gone)};
    if (dirty(gone))
        count_written(c, gone);
    gone->sectors = 0;
}

/* ---- sets of few ways ---- */

/* Least recently used: a line that is not there gets the oldest way, perhaps an empty one. */
WL_ALWAYS_INLINE int32_t touch_few(wl_cache *c, const wl_few_ways *few, wl_key key, wl_touched *touched)
{
    const int32_t set = set_of(c, key), first = set * c->ways;
    wl_line *places = &c->lines.places[first];
    const int32_t oldest = wl_few_oldest(few, set);
    const int32_t way = wl_few_find_or(few, set, places, key, oldest, &touched->resident);
    int8_t *finger = wl_few_finger(few, set, way);
    touched->evicted = !touched->resident & (*finger != 0);
    count_evicted(c, first + way, 0, touched->evicted);
    *finger = key.finger;
    places[way].number = key.line;
    places[way].sectors &= (uint32_t)wl_all_if(touched->resident);
    wl_few_use(few, set, way);
    return first + way;
}

/* A full set loses lines. */
static void evict_few(wl_cache *c, int32_t set, wl_few_room *room)
{
    *room = (wl_few_room){(uint8_t)next_draw(c), (uint8_t)c->run};
    for (int32_t i = 0; i < c->run; i++) {
        const int32_t way = way_after(c, room->first_empty, i);
        *wl_few_finger(&c->small, set, way) = 0;
        count_evicted(c, set * c->ways + way, i, true);
    }
}

WL_ALWAYS_INLINE int32_t touch_few_random(wl_cache *c, const wl_few_ways *few, wl_key key, wl_touched *touched)
{
    const int32_t set = set_of(c, key), first = set * c->ways;
    wl_line *places = &c->lines.places[first];
    const int32_t found = wl_few_find(few, set, places, key);
    touched->resident = found >= 0;
    if (found >= 0)
        return first + found;
    wl_few_room *room = wl_few_room_of(few, set);
    touched->evicted = room->empty == 0 ? (uint8_t)c->run : 0;
    if (room->empty == 0)
        evict_few(c, set, room);
    const int32_t way = room->first_empty;
    room->first_empty = (uint8_t)way_after(c, way, 1);
    room->empty--;
    *wl_few_finger(few, set, way) = key.finger;
    places[way].number = key.line;
    places[way].sectors = 0;
    return first + way;
}

/* ---- sets of many ways ---- */

WL_ALWAYS_INLINE int32_t touch_many(wl_cache *c, wl_key key, wl_touched *touched)
{
    line_set *set = &c->sets[set_of(c, key)];
    const int32_t at = wl_lines_use(&c->lines, key, &touched->resident);
    const bool full = set->empty == 0, evicts = full & !touched->resident;
    if (full) {
        const int32_t oldest = wl_uses_oldest(&set->uses, &c->lines, evicts);
        count_evicted(c, oldest, 0, evicts);
        wl_lines_leave(&c->lines, oldest, evicts);
    }
    set->empty -= !full & !touched->resident;
    touched->evicted = evicts;
    c->lines.places[at].sectors &= (uint32_t)wl_all_if(touched->resident);
    wl_uses_add(&set->uses, &c->lines, at, touched->resident);
    return at;
}

static void evict_many(wl_cache *c, line_set *set, const int32_t *slots)
{
    set->first_empty = next_draw(c);
    set->empty = c->run;
    for (int32_t i = 0; i < c->run; i++) {
        const int32_t at = slots[way_after(c, set->first_empty, i)];
        count_evicted(c, at, i, true);
        wl_lines_leave(&c->lines, at, true);
    }
}

WL_ALWAYS_INLINE int32_t touch_many_random(wl_cache *c, wl_key key, wl_touched *touched)
{
    const int32_t number = set_of(c, key);
    int32_t *slots = &c->slots[number * c->ways];
    line_set *set = &c->sets[number];
    const int32_t at = wl_lines_use(&c->lines, key, &touched->resident);
    if (touched->resident)
        return at;
    touched->evicted = set->empty == 0 ? (uint8_t)c->run : 0;
    if (set->empty == 0)
        evict_many(c, set, slots);
    slots[set->first_empty] = at;
    set->first_empty = way_after(c, set->first_empty, 1);
    set->empty--;
    c->lines.places[at].sectors = 0;
    return at;
}

/* ---- all ---- */

/* What of a cache does not change. */
typedef struct fixed {
    bool lru;
    wl_few_ways few; /* no vectors: many ways */
} fixed;

/* Constants of the loops, which have no branches for them. */
WL_ALWAYS_INLINE fixed fixed_of(const wl_cache *c, int vectors, bool lru)
{
    fixed f = {lru, c->small};
    f.few.vectors = vectors;
    return f;
}

/* Finds or makes a line, and makes it the last used one; returns its place. */
WL_ALWAYS_INLINE int32_t touch_as(wl_cache *c, const fixed *f, wl_key key, wl_touched *touched)
{
    if (f->few.vectors)
        return f->lru ? touch_few(c, &f->few, key, touched) : touch_few_random(c, &f->few, key, touched);
    return f->lru ? touch_many(c, key, touched) : touch_many_random(c, key, touched);
}

static int32_t touch(wl_cache *c, uint64_t line, wl_touched *touched)
{
    const fixed f = fixed_of(c, c->small.vectors, c->lru);
    return touch_as(c, &f, wl_key_of(line), touched);
}

/* ---- loads ---- */

WL_ALWAYS_INLINE wl_touched load_as(wl_cache *c, const fixed *f, const wl_request *r)
{
    wl_touched touched = {0};
    wl_line *l = &c->lines.places[touch_as(c, f, wl_key_of(r->line), &touched)];
    touched.missing = r->sectors & ~l->sectors;
    l->sectors |= r->sectors;
    c->counts.loads++;
    c->counts.line_misses += (touched.missing != 0) & !touched.resident;
    c->counts.sector_misses += (touched.missing != 0) & touched.resident;
    c->counts.load_sectors += wl_bit_count(r->sectors);
    c->counts.fetched_sectors += wl_bit_count(touched.missing);
    return touched;
}

wl_touched wl_cache_load(wl_cache *c, uint64_t line, uint32_t sectors)
{
    const fixed f = fixed_of(c, c->small.vectors, c->lru);
    const wl_request request = {.line = line, .sectors = sectors};
    return load_as(c, &f, &request);
}

WL_ALWAYS_INLINE void expect_as(const wl_cache *c, const fixed *f, uint64_t line, bool soon)
{
    const wl_key key = wl_key_of(line);
    if (f->few.vectors)
        wl_few_expect(&f->few, set_of(c, key), c->lines.places, key, soon, f->lru);
    else
        wl_lines_expect(&c->lines, key, soon);
}

void wl_cache_expect(const wl_cache *c, uint64_t line, bool soon)
{
    const fixed f = fixed_of(c, c->small.vectors, c->lru);
    if (c->far)
        expect_as(c, &f, line, soon);
}

/* In groups: what the next but one searches, what the next one will find there, then one itself. */
WL_ALWAYS_INLINE void load_many_as(wl_cache *c, fixed f, const wl_request *requests, size_t count, uint32_t *missing)
{
    size_t searched = c->far ? 0 : count, found = searched;
    for (size_t i = 0; i < count;) {
        for (; searched < count && searched < i + 2 * EXPECTED; searched++)
            expect_as(c, &f, requests[searched].line, false);
        for (; found < count && found < i + EXPECTED; found++)
            expect_as(c, &f, requests[found].line, true);
        for (const size_t end = i + AT_ONCE < count ? i + AT_ONCE : count; i < end; i++)
            missing[i] = load_as(c, &f, &requests[i]).missing;
    }
}

void wl_cache_load_many(wl_cache *c, const wl_request *requests, size_t count, uint32_t *missing)
{
    const int vectors = c->small.vectors;
    if (vectors == 1 && c->lru)
        load_many_as(c, fixed_of(c, 1, true), requests, count, missing);
    else if (vectors == 1)
        load_many_as(c, fixed_of(c, 1, false), requests, count, missing);
    else if (vectors == 4 && c->lru)
        load_many_as(c, fixed_of(c, 4, true), requests, count, missing);
    else if (vectors == 4)
        load_many_as(c, fixed_of(c, 4, false), requests, count, missing);
    else if (c->lru)
        load_many_as(c, fixed_of(c, 0, true), requests, count, missing);
    else
        load_many_as(c, fixed_of(c, 0, false), requests, count, missing);
}

/* ---- stores ---- */

/* Bytes that arrive one after the other may fill a sector. Returns the sectors of the place
 * then. */
static uint32_t write_parts(const wl_cache *c, int32_t at, uint32_t there, uint32_t sectors, const uint32_t *written)
{
    uint32_t *parts = c->written + (size_t)at * (size_t)c->shape.sectors;
    for (int i = 0; i < c->shape.sectors; i++) {
        const uint32_t bit = 1u << i;
        if (!(sectors & bit) || there & bit)
            continue;
        parts[i] = there >> DIRTY_SHIFT & bit ? parts[i] | written[i] : written[i];
        there |= parts[i] == WL_WRITTEN_ALL ? bit : 0;
    }
    return there;
}

static uint32_t whole_sectors(const wl_cache *c, uint32_t sectors, const uint32_t *written)
{
    uint32_t whole = 0;
    for (int i = 0; i < c->shape.sectors; i++)
        whole |= sectors >> i & 1 && written[i] == WL_WRITTEN_ALL ? 1u << i : 0;
    return whole;
}

wl_touched wl_cache_store(wl_cache *c, uint64_t line, uint32_t sectors, const uint32_t *written)
{
    wl_touched touched = {0};
    c->counts.stores++;
    c->counts.store_sectors += wl_bit_count(sectors);
    if (!c->shape.store_allocates && !wl_cache_holds(c, line))
        return touched;
    const int32_t at = touch(c, line, &touched);
    uint32_t *there = &c->lines.places[at].sectors;
    c->counts.store_hits += touched.resident;
    if (c->shape.write_back && written)
        *there = write_parts(c, at, *there, sectors, written);
    else if (c->shape.write_back || c->shape.store_allocates)
        *there |= written ? whole_sectors(c, sectors, written) : sectors;
    if (c->shape.write_back)
        *there |= sectors << DIRTY_SHIFT;
    return touched;
}

uint32_t wl_cache_fill(wl_cache *c, uint64_t line, uint32_t sectors)
{
    wl_touched touched = {0};
    int32_t at = find(c, line);
    if (at < 0)
        at = touch(c, line, &touched);
    const uint32_t missing = sectors & ~c->lines.places[at].sectors;
    c->lines.places[at].sectors |= sectors;
    return missing;
}

/* ---- what is there ---- */

const wl_evicted *wl_cache_evicted(const wl_cache *c) { return c->evicted; }

bool wl_cache_holds(const wl_cache *c, uint64_t line) { return find(c, line) >= 0; }

void wl_cache_clean(wl_cache *c)
{
    for (int64_t i = 0; i < c->places; i++) {
        wl_line *line = &c->lines.places[i];
        count_written(c, line);
        line->sectors = present(line);
    }
}

wl_cache_counts wl_cache_count(const wl_cache *c)
{
    wl_cache_counts counts = c->counts;
    counts.hits = counts.loads - counts.sector_misses - counts.line_misses;
    return counts;
}

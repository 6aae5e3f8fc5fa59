/* cache.c - see cache.h. SPDX-License-Identifier: MIT */
#include "cache/cache.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "cache/few_ways.h"

#define LINES_MAX ((int64_t)1 << 28) /* places have 31-bit numbers */
#define LOW_SECTORS 8                /* in the byte that tables have for them */
#define RUN 4                        /* lines that WL_POLICY_RANDOM_4 evicts */

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

/* Empty ways of a set with many ways follow each other, the last is followed by the first. */
typedef struct line_room {
    int32_t first_empty, empty;
} line_room;

struct wl_cache {
    wl_cache_shape shape;
    int32_t ways;
    int32_t set_count;
    int32_t run;        /* lines that are evicted together */
    int32_t set_places; /* of a set */
    bool lru, few;      /* few ways */
    bool notes_evicted; /* someone asks for them */
    wl_arena arena;
    wl_few_ways small; /* sets of few ways, or .. */
    wl_lines *sets;    /* .. of many */
    line_room *rooms;
    int32_t *slots;        /* of sets of many ways with a random policy: places of their lines */
    uint8_t *more_sectors; /* of each place: those present from the ninth on */
    uint16_t *dirty;       /* sectors of each place, if stores stay */
    uint32_t *written;     /* of dirty sectors that are not present: parts that are written */
    uint64_t random;       /* state of the generator */
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

/* ---- life ---- */

static bool make_many(wl_cache *c)
{
    c->sets = WL_ARENA_NEW(&c->arena, wl_lines, c->set_count);
    c->rooms = WL_ARENA_NEW(&c->arena, line_room, c->set_count);
    if (!c->lru)
        c->slots = wl_lines_memory(&c->arena, (size_t)c->shape.lines * sizeof *c->slots);
    if (!c->sets || !c->rooms || (!c->lru && !c->slots))
        return false;
    for (int32_t s = 0; s < c->set_count; s++) {
        c->rooms[s].empty = c->ways;
        if (!wl_lines_make(&c->sets[s], c->ways, c->lru, &c->arena))
            return false;
    }
    c->set_places = (int32_t)c->sets[0].places;
    return true;
}

static bool make_sets(wl_cache *c)
{
    c->small = (wl_few_ways){.ways = c->ways, .sets = c->set_count, .hashed = c->shape.hashed_sets};
    if (!(c->few ? wl_few_make(&c->small, c->lru, &c->arena) : make_many(c)))
        return false;
    const int64_t places = (int64_t)c->set_count * c->set_places;
    const bool more = c->shape.sectors > LOW_SECTORS, keeps = c->shape.write_back;
    if (more)
        c->more_sectors = WL_ARENA_NEW(&c->arena, uint8_t, places);
    if (keeps) {
        c->dirty = WL_ARENA_NEW(&c->arena, uint16_t, places);
        c->written = WL_ARENA_NEW(&c->arena, uint32_t, places * c->shape.sectors);
    }
    return (!more || c->more_sectors) && (!keeps || (c->dirty && c->written));
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
    c->run = shape->policy != WL_POLICY_RANDOM_4 ? 1 : ways < RUN ? c->ways : RUN;
    c->lru = shape->policy == WL_POLICY_LRU;
    c->few = ways <= WL_FEW_WAYS_MAX;
    c->set_places = c->ways;
    c->notes_evicted = shape->tells_evicted || shape->write_back;
    c->random = wl_hash_word(shape->seed + 1) | 1;
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

/* Of many ways. */
static int32_t set_of(const wl_cache *c, uint64_t line)
{
    const uint64_t number = c->shape.hashed_sets ? wl_hash_word(line) : line;
    return c->set_count == 1 ? 0 : (int32_t)(number % (uint64_t)c->set_count);
}

/* The byte that tables have for a place. */
static uint8_t *low_sectors(const wl_cache *c, int32_t at)
{
    const int32_t set = at / c->set_places, place = at % c->set_places;
    return c->few ? wl_few_sectors(&c->small, set, place)
                  : &c->sets[set].buckets[place / WL_PLACES].sectors[place % WL_PLACES];
}

static uint32_t present_at(const wl_cache *c, int32_t at)
{
    return *low_sectors(c, at) | (c->more_sectors ? (uint32_t)c->more_sectors[at] << LOW_SECTORS : 0);
}

static uint64_t number_of(const wl_cache *c, int32_t at)
{
    const int32_t set = at / c->set_places, place = at % c->set_places;
    return c->few ? wl_few_number(&c->small, set, place) : wl_lines_number(&c->sets[set], place);
}

static int32_t find(const wl_cache *c, uint64_t line)
{
    if (c->few) {
        const wl_few_key key = wl_few_key_of(&c->small, line);
        const int32_t way = c->small.below && line >= c->small.below ? -1 : wl_few_find(&c->small, key);
        return way < 0 ? way : key.set * c->ways + way;
    }
    const int32_t set = set_of(c, line), place = wl_lines_find(&c->sets[set], line);
    return place < 0 ? place : set * c->set_places + place;
}

static void count_written(wl_cache *c, uint32_t present, uint32_t dirty)
{
    c->counts.written_back += wl_bit_count(dirty);
    c->counts.partial += wl_bit_count(dirty & ~present);
}

/* Notes the line that a place loses; i: of those that an access evicts. */
static void note_evicted(wl_cache *c, int32_t at, int32_t i)
{
    const uint32_t present = present_at(c, at), dirty = c->dirty ? c->dirty[at] : 0;
    if (c->shape.tells_evicted)
        c->evicted[i] = (wl_evicted){number_of(c, at), present, dirty};
    if (dirty == 0)
        return;
    count_written(c, present, dirty);
    c->dirty[at] = 0;
}

/* Where a line is, after a search that may have made it. */
typedef struct touched_line {
    int32_t at;
    uint32_t present; /* sectors; keep_sectors must follow */
    uint8_t *low;     /* where they are kept, in part */
    bool resident;
    uint8_t evicted; /* lines */
} touched_line;

static touched_line touched_at(const wl_cache *c, int32_t at, uint8_t *low, bool resident, int32_t evicted)
{
    const uint32_t high = c->more_sectors ? c->more_sectors[at] : 0;
    return (touched_line){at, resident ? *low | high << LOW_SECTORS : 0, low, resident, (uint8_t)evicted};
}

static void keep_sectors(const wl_cache *c, const touched_line *t, uint32_t sectors)
{
    *t->low = (uint8_t)sectors;
    if (c->more_sectors)
        c->more_sectors[t->at] = (uint8_t)(sectors >> LOW_SECTORS);
}

/* ---- sets of few ways ---- */

/* The least recently used line, if the way is not empty, .. */
static int32_t evict_oldest_few(wl_cache *c, int32_t set, int32_t way)
{
    if (wl_few_tag(&c->small, set, way) == 0)
        return 0;
    if (c->notes_evicted)
        note_evicted(c, set * c->ways + way, 0);
    return 1;
}

/* .. or a run of lines, of a full set. */
static int32_t evict_few(wl_cache *c, int32_t set, wl_few_room *room)
{
    if (room->empty > 0)
        return 0;
    *room = (wl_few_room){(uint8_t)draw(c), (uint8_t)c->run};
    for (int32_t i = 0; i < c->run; i++) {
        const int32_t way = way_after(c, room->first_empty, i);
        if (c->notes_evicted)
            note_evicted(c, set * c->ways + way, i);
        wl_few_set_tag(&c->small, set, way, 0);
    }
    return c->run;
}

static touched_line touch_few(wl_cache *c, uint64_t line)
{
    const wl_few_ways *few = &c->small;
    const wl_few_key key = wl_few_key_of(few, line);
    int32_t way = wl_few_find(few, key), evicted = 0;
    const bool there = way >= 0;
    if (!there && c->lru) {
        way = wl_few_oldest(few, key.set);
        evicted = evict_oldest_few(c, key.set, way);
    } else if (!there) {
        wl_few_room *room = wl_few_room_of(few, key.set);
        evicted = evict_few(c, key.set, room);
        way = room->first_empty;
        *room = (wl_few_room){(uint8_t)way_after(c, way, 1), (uint8_t)(room->empty - 1)};
    }
    if (!there)
        wl_few_enter(few, key, way);
    if (c->lru)
        wl_few_use(few, key.set, way);
    return touched_at(c, key.set * c->ways + way, wl_few_sectors(few, key.set, way), there, evicted);
}

/* ---- sets of many ways ---- */

/* Of a full set: the least recently used line, .. */
static int32_t evict_oldest(wl_cache *c, int32_t set)
{
    wl_lines *l = &c->sets[set];
    const uint32_t oldest = wl_lines_oldest(l);
    if (c->rooms[set].empty > 0) {
        c->rooms[set].empty--;
        return 0;
    }
    if (c->notes_evicted)
        note_evicted(c, set * c->set_places + wl_lines_used_at(l, oldest), 0);
    l->first = oldest + 1;
    return 1;
}

/* .. or a run of lines. */
static int32_t evict_many(wl_cache *c, int32_t set)
{
    line_room *room = &c->rooms[set];
    const int32_t *slots = &c->slots[set * c->ways];
    if (room->empty > 0)
        return 0;
    *room = (line_room){draw(c), c->run};
    for (int32_t i = 0; i < c->run; i++) {
        const int32_t place = slots[way_after(c, room->first_empty, i)];
        if (c->notes_evicted)
            note_evicted(c, set * c->set_places + place, i);
        wl_lines_leave(&c->sets[set], place);
    }
    return c->run;
}

static touched_line touch_many(wl_cache *c, uint64_t line)
{
    const int32_t set = set_of(c, line);
    wl_lines *l = &c->sets[set];
    const wl_spot s = wl_lines_use(l, line);
    int32_t evicted = 0;
    if (!s.there && c->lru) {
        evicted = evict_oldest(c, set);
    } else if (!s.there) {
        line_room *room = &c->rooms[set];
        evicted = evict_many(c, set);
        c->slots[set * c->ways + room->first_empty] = wl_place_of(s);
        *room = (line_room){way_after(c, room->first_empty, 1), room->empty - 1};
    }
    if (c->lru)
        wl_lines_note(l, s);
    uint8_t *low = &l->buckets[s.bucket].sectors[s.at];
    return touched_at(c, set * c->set_places + wl_place_of(s), low, s.there, evicted);
}

/* ---- all ---- */

/* Finds or makes a line, and makes it the last used one. */
static touched_line touch(wl_cache *c, uint64_t line)
{
    if (c->few && c->small.below && line >= c->small.below)
        wl_few_keep_numbers(&c->small);
    const touched_line t = c->few ? touch_few(c, line) : touch_many(c, line);
    c->counts.evicted_lines += t.evicted;
    return t;
}

/* ---- loads ---- */

wl_touched wl_cache_load(wl_cache *c, uint64_t line, uint32_t sectors)
{
    const touched_line t = touch(c, line);
    const uint32_t missing = sectors & ~t.present;
    keep_sectors(c, &t, t.present | sectors);
    c->counts.loads++;
    c->counts.line_misses += missing != 0 && !t.resident;
    c->counts.sector_misses += missing != 0 && t.resident;
    c->counts.load_sectors += wl_bit_count(sectors);
    c->counts.fetched_sectors += wl_bit_count(missing);
    return (wl_touched){missing, t.resident, t.evicted};
}

void wl_cache_expect(const wl_cache *c, uint64_t line)
{
    if (c->few)
        wl_few_expect(&c->small, line);
    else
        wl_lines_expect(&c->sets[set_of(c, line)], line);
}

/* ---- stores ---- */

/* Bytes that arrive one after the other may fill a sector. Returns the sectors that are present
 * then. */
static uint32_t write_parts(const wl_cache *c, const touched_line *t, uint32_t sectors, const uint32_t *written)
{
    uint32_t *parts = c->written + (size_t)t->at * (size_t)c->shape.sectors;
    uint32_t there = t->present;
    for (int i = 0; i < c->shape.sectors; i++) {
        const uint32_t bit = 1u << i;
        if (!(sectors & bit) || there & bit)
            continue;
        parts[i] = c->dirty[t->at] & bit ? parts[i] | written[i] : written[i];
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
    c->counts.stores++;
    c->counts.store_sectors += wl_bit_count(sectors);
    if (!c->shape.store_allocates && !wl_cache_holds(c, line))
        return (wl_touched){0};
    const touched_line t = touch(c, line);
    uint32_t present = t.present;
    c->counts.store_hits += t.resident;
    if (c->shape.write_back && written)
        present = write_parts(c, &t, sectors, written);
    else if (c->shape.write_back || c->shape.store_allocates)
        present |= written ? whole_sectors(c, sectors, written) : sectors;
    keep_sectors(c, &t, present);
    if (c->shape.write_back)
        c->dirty[t.at] |= (uint16_t)sectors;
    return (wl_touched){0, t.resident, t.evicted};
}

uint32_t wl_cache_fill(wl_cache *c, uint64_t line, uint32_t sectors)
{
    const int32_t at = find(c, line);
    const touched_line t = at < 0 ? touch(c, line) : touched_at(c, at, low_sectors(c, at), true, 0);
    keep_sectors(c, &t, t.present | sectors);
    return sectors & ~t.present;
}

/* ---- what is there ---- */

const wl_evicted *wl_cache_evicted(const wl_cache *c) { return c->evicted; }

bool wl_cache_holds(const wl_cache *c, uint64_t line) { return find(c, line) >= 0; }

void wl_cache_clean(wl_cache *c)
{
    for (int32_t at = 0; c->dirty && at < c->set_count * c->set_places; at++) {
        count_written(c, present_at(c, at), c->dirty[at]);
        c->dirty[at] = 0;
    }
}

wl_cache_counts wl_cache_count(const wl_cache *c)
{
    wl_cache_counts counts = c->counts;
    counts.hits = counts.loads - counts.sector_misses - counts.line_misses;
    return counts;
}

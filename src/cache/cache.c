/* cache.c - see cache.h. SPDX-License-Identifier: MIT */
#include "cache/cache.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "cache/few_ways.h"

#define LINES_MAX ((int64_t)1 << 28) /* places have 31-bit numbers */
#define LOW_SECTORS 8                /* in the byte that tables have for them */
#define RUN 4                        /* lines that WL_POLICY_RANDOM_4 evicts */
#define EXPECTED ((size_t)16)        /* accesses that are announced */
#define AT_ONCE 4                    /* loads between announcements of others */
#define MIXED_LEAST 64               /* loads */
#define DRAWN 64                     /* random numbers that are drawn before they are used */

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
    bool lru, few, far; /* few ways; far from the core, in the host's memory */
    bool notes_evicted; /* someone asks for them */
    wl_arena arena;
    wl_few_ways small; /* sets of few ways, or .. */
    int64_t few_empty; /* ways of all these sets, if the least recently used lines are evicted */
    wl_lines *sets;    /* .. of many */
    line_room *rooms;
    int32_t *slots;        /* of sets of many ways with a random policy: places of their lines */
    uint8_t *more_sectors; /* of each place: those present from the ninth on */
    uint16_t *dirty;       /* sectors of each place, if stores stay */
    uint32_t *written;     /* of dirty sectors that are not present: parts that are written */
    uint64_t random;       /* state of the generator */
    int32_t drawn[DRAWN];
    uint32_t draws; /* that were used */
    bool mixed;     /* of late, some lines were there and some were not: it is no use to guess */
    wl_evicted evicted[WL_EVICTED_MAX];
    wl_cache_counts counts;
};

/* What of a cache does not change; constants of loops, which have no branches for them. */
typedef struct fixed {
    bool lru, notes_evicted, mixed;
    int32_t run, set_places;
    uint8_t *more_sectors;
    wl_few_ways few; /* no vectors: many ways */
} fixed;

WL_ALWAYS_INLINE fixed fixed_of(const wl_cache *c, int vectors, bool hashed, wl_policy policy)
{
    fixed f = {.lru = policy == WL_POLICY_LRU,
               .notes_evicted = c->notes_evicted,
               .mixed = c->mixed,
               .run = policy == WL_POLICY_RANDOM_4 ? c->run : 1,
               .set_places = c->set_places,
               .more_sectors = c->more_sectors,
               .few = c->small};
    f.few.vectors = vectors;
    f.few.hashed = hashed;
    f.few.tag_bytes = hashed ? 4 : 2;
    return f;
}
static fixed fixed_of_any(const wl_cache *c)
{
    return fixed_of(c, c->small.vectors, c->shape.hashed_sets, c->shape.policy);
}

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

/* Half of the next draws are always known: memory can be fetched for them. */
static void draw_more(wl_cache *c)
{
    for (uint32_t i = 0; i < DRAWN / 2; i++)
        c->drawn[(c->draws + DRAWN / 2 + i) % DRAWN] = draw(c);
}

static int32_t later_draw(const wl_cache *c, uint32_t after) { return c->drawn[(c->draws + after) % DRAWN]; }

/* The first of those to come was used, if `is`. */
WL_ALWAYS_INLINE void use_draw(wl_cache *c, bool is)
{
    c->draws += is;
    if (is & (c->draws % (DRAWN / 2) == 0))
        draw_more(c);
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
    c->few_empty = c->shape.lines;
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
    c->far = wl_lines_are_far(shape->lines);
    c->notes_evicted = shape->tells_evicted || shape->write_back;
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
        bool there = false;
        const int32_t way = c->small.below && line >= c->small.below ? 0 : wl_few_find(&c->small, key, 0, &there);
        return there ? key.set * c->ways + way : -1;
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

WL_ALWAYS_INLINE touched_line touched_at(const fixed *f, int32_t at, uint8_t *low, bool resident, int evicted)
{
    uint32_t present = *low;
    if (f->more_sectors)
        present |= (uint32_t)f->more_sectors[at] << LOW_SECTORS;
    return (touched_line){at, present & (uint32_t)wl_all_if(resident), low, resident, (uint8_t)evicted};
}

WL_ALWAYS_INLINE void keep_sectors(const fixed *f, const touched_line *t, uint32_t sectors)
{
    *t->low = (uint8_t)sectors;
    if (f->more_sectors)
        f->more_sectors[t->at] = (uint8_t)(sectors >> LOW_SECTORS);
}

/* ---- sets of few ways ---- */

/* A full set loses a run of lines. */
static void evict_few(wl_cache *c, int32_t set, wl_few_room *room)
{
    *room = (wl_few_room){(uint8_t)later_draw(c, 0), (uint8_t)c->run};
    use_draw(c, true);
    for (int32_t i = 0; i < c->run; i++) {
        const int32_t way = way_after(c, room->first_empty, i);
        if (c->notes_evicted)
            note_evicted(c, set * c->ways + way, i);
        wl_few_set_tag(&c->small, set, way, 0);
    }
}

/* A line that is not there gets the oldest way, perhaps an empty one; or an empty one; or a random
 * one. */
WL_ALWAYS_INLINE touched_line touch_few(wl_cache *c, const fixed *f, uint64_t line)
{
    const wl_few_ways *few = &f->few;
    const wl_few_key key = wl_few_key_of(few, line);
    wl_few_room *room = wl_few_room_of(few, key.set);
    const bool draws = !f->lru && f->run == 1 && room->empty == 0;
    const int32_t other = f->lru ? wl_few_oldest(few, key.set) : draws ? later_draw(c, 0) : room->first_empty;
    bool there;
    int evicted = 0;
    int32_t way = wl_few_find(few, key, other, &there);
    /* nothing but its age changes; more ways are faster without a guess */
    if (few->vectors == 1 && (there & !f->mixed)) {
        if (f->lru)
            wl_few_use(few, key.set, way);
        return touched_at(f, key.set * few->ways + way, wl_few_sectors(few, key.set, way), true, 0);
    }
    if (!f->lru && draws) {
        use_draw(c, !there);
    } else if (!f->lru) {
        if (!there & (room->empty == 0)) {
            evict_few(c, key.set, room);
            way = room->first_empty;
            evicted = f->run;
        }
        room->empty = (uint8_t)(room->empty - !there);
        room->first_empty = (uint8_t)wl_either(wl_all_if(there), room->first_empty, way_after(c, way, 1));
    }
    if (f->lru || draws)
        evicted = !there;
    if (f->lru && c->few_empty > 0) {
        const bool fills = !there & (wl_few_tag(few, key.set, way) == 0);
        c->few_empty -= fills;
        evicted -= fills;
    }
    if (f->notes_evicted && evicted && (f->lru || draws))
        note_evicted(c, key.set * few->ways + way, 0);
    wl_few_enter(few, key, way);
    if (f->lru)
        wl_few_use(few, key.set, way);
    uint8_t *low = wl_few_sectors(few, key.set, way);
    return touched_at(f, key.set * few->ways + way, low, there, evicted);
}

/* ---- sets of many ways ---- */

/* A set of many ways; its table perhaps as a copy. */
typedef struct many {
    int32_t set;
    wl_lines_run run;
    bool kept; /* numbers of lines */
} many;

WL_ALWAYS_INLINE touched_line many_touched(const many *m, const fixed *f, wl_spot s, int evicted)
{
    uint8_t *low = &m->run.l->buckets[s.bucket].sectors[s.at];
    return touched_at(f, m->set * f->set_places + wl_place_of(s), low, s.there, evicted);
}

WL_ALWAYS_INLINE touched_line touch_many(wl_cache *c, const fixed *f, const many *m, uint64_t line)
{
    wl_lines *l = m->run.l;
    int32_t *empty = &c->rooms[m->set].empty;
    const wl_spot s = wl_lines_use(m->run, line, true, m->kept);
    const bool full = *empty == 0;
    if (s.there & !f->mixed) {
        wl_lines_note(l, s);
        return many_touched(m, f, s, 0);
    }
    if (full) {
        const uint32_t oldest = wl_lines_oldest(l);
        if (f->notes_evicted && !s.there)
            note_evicted(c, m->set * f->set_places + wl_lines_used_at(l, oldest), 0);
        l->first = (uint32_t)wl_either(wl_all_if(s.there), (int32_t)l->first, (int32_t)oldest + 1);
    } else {
        *empty -= !s.there;
    }
    wl_lines_note(l, s);
    return many_touched(m, f, s, full & !s.there);
}

/* A full set loses lines. */
static void evict_many(wl_cache *c, int32_t set)
{
    line_room *room = &c->rooms[set];
    const int32_t *slots = &c->slots[set * c->ways];
    *room = (line_room){later_draw(c, 0), c->run};
    use_draw(c, true);
    for (int32_t i = 0; i < c->run; i++) {
        const int32_t place = slots[way_after(c, room->first_empty, i)];
        if (c->notes_evicted)
            note_evicted(c, set * c->set_places + place, i);
        wl_lines_leave((wl_lines_run){&c->sets[set], &c->sets[set]}, place, true);
    }
}

WL_ALWAYS_INLINE touched_line touch_many_random(wl_cache *c, const fixed *f, const many *m, uint64_t line)
{
    line_room *room = &c->rooms[m->set];
    int32_t *slots = &c->slots[m->set * c->ways];
    const wl_spot s = wl_lines_use(m->run, line, false, m->kept);
    const bool full = room->empty == 0;
    int32_t slot = room->first_empty;
    if (s.there & !f->mixed)
        return many_touched(m, f, s, 0);
    if (full && f->run == 1) {
        slot = later_draw(c, 0);
        if (f->notes_evicted && !s.there)
            note_evicted(c, m->set * f->set_places + slots[slot], 0);
        wl_lines_leave(m->run, slots[slot], !s.there);
        use_draw(c, !s.there);
    } else {
        if (full & !s.there) {
            evict_many(c, m->set);
            slot = room->first_empty;
        }
        room->first_empty = wl_either(wl_all_if(s.there), room->first_empty, way_after(c, slot, 1));
        room->empty -= !s.there;
    }
    slots[slot] = wl_either(wl_all_if(s.there), slots[slot], wl_place_of(s));
    return many_touched(m, f, s, (full & !s.there) ? f->run : 0);
}

/* ---- all ---- */

/* Finds or makes a line, and makes it the last used one. one: a copy of the table, if there is but
 * one. */
WL_ALWAYS_INLINE touched_line touch_as(wl_cache *c, const fixed *f, wl_lines *one, uint64_t line)
{
    if (f->few.vectors)
        return touch_few(c, f, line);
    const int32_t set = one ? 0 : set_of(c, line);
    const many m = {set, {one ? one : &c->sets[set], &c->sets[set]}, one ? false : !c->sets[set].below};
    return f->lru ? touch_many(c, f, &m, line) : touch_many_random(c, f, &m, line);
}

/* Sets of few ways need to know before whether there is a large number. */
static void know(wl_cache *c, const wl_request *requests, size_t count)
{
    uint64_t largest = 0;
    if (!c->few || !c->small.below)
        return;
    for (size_t i = 0; i < count; i++)
        largest = requests[i].line > largest ? requests[i].line : largest;
    if (largest >= c->small.below)
        wl_few_keep_numbers(&c->small);
}

/* For a single access. */
static touched_line touch(wl_cache *c, uint64_t line)
{
    know(c, &(wl_request){.line = line}, 1);
    const fixed f = fixed_of_any(c);
    if (!c->few && c->lru)
        wl_lines_foresee(&c->sets[set_of(c, line)], 1);
    const touched_line t = touch_as(c, &f, NULL, line);
    c->counts.evicted_lines += t.evicted;
    return t;
}

/* ---- loads ---- */

/* How many bits the lower and the upper half of a word have, in these halves. */
static uint32_t bits_of_halves(uint32_t word)
{
    word -= word >> 1 & 0x55555555u;
    word = (word & 0x33333333u) + (word >> 2 & 0x33333333u);
    word = (word + (word >> 4)) & 0x0f0f0f0fu;
    return (word + (word >> 8)) & 0x00ff00ffu;
}

/* Up to WL_FORESEEN loads, of which some found no line. */
static void count_loads(wl_cache *c, const wl_request *requests, const uint32_t *missing, size_t count, int64_t absent)
{
    uint32_t misses = 0, bits = 0; /* of missing sectors, and above them of those asked for */
    for (size_t i = 0; i < count; i++) {
        misses += missing[i] != 0;
        bits += bits_of_halves(missing[i] | requests[i].sectors << WL_SECTORS_MAX);
    }
    c->counts.loads += (int64_t)count;
    c->counts.line_misses += absent;
    c->counts.sector_misses += (int64_t)misses - absent;
    c->counts.load_sectors += bits >> WL_SECTORS_MAX;
    c->counts.fetched_sectors += bits & UINT16_MAX;
}

wl_touched wl_cache_load(wl_cache *c, uint64_t line, uint32_t sectors)
{
    const touched_line t = touch(c, line);
    const fixed f = fixed_of_any(c);
    const wl_request request = {.line = line, .sectors = sectors};
    const uint32_t missing = sectors & ~t.present;
    keep_sectors(&f, &t, t.present | sectors);
    count_loads(c, &request, &missing, 1, !t.resident & (missing != 0));
    return (wl_touched){missing, t.resident, t.evicted};
}

/* ---- many loads ---- */

void wl_cache_expect(const wl_cache *c, uint64_t line)
{
    if (c->few)
        wl_few_expect(&c->small, line);
    else
        wl_lines_expect(&c->sets[set_of(c, line)], line);
}

/* Where the lines are that draws to come evict, and what the table has of them. */
WL_ALWAYS_INLINE uint32_t expect_drawn(const wl_cache *c, const fixed *f, uint32_t fetched)
{
    for (; fetched != c->draws + DRAWN / 4; fetched++) {
        wl_fetch_ahead(&c->slots[c->drawn[(fetched + DRAWN / 4) % DRAWN]]);
        for (int32_t i = 0; i < f->run; i++)
            wl_fetch_ahead(&c->sets[0].buckets[c->slots[way_after(c, c->drawn[fetched % DRAWN], i)] / WL_PLACES]);
    }
    return fetched;
}

/* In groups: what the next one needs, then one itself. */
WL_ALWAYS_INLINE void load_some_as(wl_cache *c, fixed f, const wl_request *requests, size_t count, uint32_t *missing)
{
    const bool few = f.few.vectors != 0;
    size_t expected = c->far ? 0 : count;
    uint32_t drawn = c->draws;
    int64_t absent = 0, evicted = 0;
    wl_lines one = {0};
    if (!few && f.lru)
        wl_lines_foresee(&c->sets[0], (uint32_t)count);
    if (!few)
        one = c->sets[0];
    for (size_t i = 0; i < count;) {
        for (; expected < count && expected < i + EXPECTED; expected++) {
            if (few)
                wl_few_expect(&f.few, requests[expected].line);
            else
                wl_lines_expect(&one, requests[expected].line);
        }
        if (!few && !f.lru && c->far)
            drawn = expect_drawn(c, &f, drawn);
        for (const size_t end = i + AT_ONCE < count ? i + AT_ONCE : count; i < end; i++) {
            const touched_line t = touch_as(c, &f, &one, requests[i].line);
            missing[i] = requests[i].sectors & ~t.present;
            keep_sectors(&f, &t, t.present | requests[i].sectors);
            absent += !t.resident & (requests[i].sectors != 0);
            evicted += t.evicted;
        }
    }
    if (!few)
        c->sets[0] = one;
    c->counts.evicted_lines += evicted;
    count_loads(c, requests, missing, count, absent);
    if (count >= MIXED_LEAST)
        c->mixed = absent > (int64_t)count / 8 && absent < (int64_t)count * 7 / 8;
}

/* One function for each: together they would share the registers. */
#define NO_INLINE static __attribute__((noinline))
NO_INLINE void load_16_lru(wl_cache *c, const wl_request *requests, size_t count, uint32_t *missing)
{
    load_some_as(c, fixed_of(c, 1, false, WL_POLICY_LRU), requests, count, missing);
}
NO_INLINE void load_16_random(wl_cache *c, const wl_request *requests, size_t count, uint32_t *missing)
{
    load_some_as(c, fixed_of(c, 1, false, WL_POLICY_RANDOM), requests, count, missing);
}
NO_INLINE void load_16_random_4(wl_cache *c, const wl_request *requests, size_t count, uint32_t *missing)
{
    load_some_as(c, fixed_of(c, 1, false, WL_POLICY_RANDOM_4), requests, count, missing);
}
NO_INLINE void load_hashed_lru(wl_cache *c, const wl_request *requests, size_t count, uint32_t *missing)
{
    load_some_as(c, fixed_of(c, 1, true, WL_POLICY_LRU), requests, count, missing);
}
NO_INLINE void load_64_lru(wl_cache *c, const wl_request *requests, size_t count, uint32_t *missing)
{
    load_some_as(c, fixed_of(c, 4, false, WL_POLICY_LRU), requests, count, missing);
}
NO_INLINE void load_64_random(wl_cache *c, const wl_request *requests, size_t count, uint32_t *missing)
{
    load_some_as(c, fixed_of(c, 4, false, WL_POLICY_RANDOM), requests, count, missing);
}
NO_INLINE void load_64_random_4(wl_cache *c, const wl_request *requests, size_t count, uint32_t *missing)
{
    load_some_as(c, fixed_of(c, 4, false, WL_POLICY_RANDOM_4), requests, count, missing);
}
NO_INLINE void load_all_lru(wl_cache *c, const wl_request *requests, size_t count, uint32_t *missing)
{
    load_some_as(c, fixed_of(c, 0, false, WL_POLICY_LRU), requests, count, missing);
}
NO_INLINE void load_all_random(wl_cache *c, const wl_request *requests, size_t count, uint32_t *missing)
{
    load_some_as(c, fixed_of(c, 0, false, WL_POLICY_RANDOM), requests, count, missing);
}
NO_INLINE void load_all_random_4(wl_cache *c, const wl_request *requests, size_t count, uint32_t *missing)
{
    load_some_as(c, fixed_of(c, 0, false, WL_POLICY_RANDOM_4), requests, count, missing);
}
NO_INLINE void load_one_by_one(wl_cache *c, const wl_request *requests, size_t count, uint32_t *missing)
{
    for (size_t i = 0; i < count; i++)
        missing[i] = wl_cache_load(c, requests[i].line, requests[i].sectors).missing;
}

typedef void load_form(wl_cache *c, const wl_request *requests, size_t count, uint32_t *missing);

void wl_cache_load_many(wl_cache *c, const wl_request *requests, size_t count, uint32_t *missing)
{
    static load_form *const forms[3][WL_POLICY_COUNT] = {{load_16_lru, load_16_random, load_16_random_4},
                                                         {load_64_lru, load_64_random, load_64_random_4},
                                                         {load_all_lru, load_all_random, load_all_random_4}};
    load_form *form = forms[c->few ? c->small.vectors > 1 : 2][c->shape.policy];
    if ((!c->few && (c->set_count > 1 || !c->sets[0].below)) || c->shape.hashed_sets)
        form = c->lru && c->small.vectors == 1 ? load_hashed_lru : load_one_by_one;
    know(c, requests, count);
    for (size_t i = 0; i < count; i += WL_FORESEEN)
        form(c, requests + i, count - i < WL_FORESEEN ? count - i : WL_FORESEEN, missing + i);
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
    const fixed f = fixed_of_any(c);
    uint32_t present = t.present;
    c->counts.store_hits += t.resident;
    if (c->shape.write_back && written)
        present = write_parts(c, &t, sectors, written);
    else if (c->shape.write_back || c->shape.store_allocates)
        present |= written ? whole_sectors(c, sectors, written) : sectors;
    keep_sectors(&f, &t, present);
    if (c->shape.write_back)
        c->dirty[t.at] |= (uint16_t)sectors;
    return (wl_touched){0, t.resident, t.evicted};
}

uint32_t wl_cache_fill(wl_cache *c, uint64_t line, uint32_t sectors)
{
    const int32_t at = find(c, line);
    const fixed f = fixed_of_any(c);
    const touched_line t = at < 0 ? touch(c, line) : touched_at(&f, at, low_sectors(c, at), true, 0);
    keep_sectors(&f, &t, t.present | sectors);
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

/* cache.c - see cache.h. SPDX-License-Identifier: MIT */
#include "cache/cache.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "cache/few_ways.h"
#include "cache/line_table.h"
#include "cache/many_ways.h"
#include "cache/packed_sets.h"

#define LINES_MAX ((int64_t)1 << 28)     /* slots have 32-bit numbers, queues four times as many */
#define NEARBY_BYTES ((size_t)256 << 10) /* of slots: what is larger is fetched ahead */
#define MIXED_LEAST 32                   /* loads that tell whether lines are mostly there, or mostly not: .. */
#define GUESSED 8                        /* .. all but one in so many */
#define AHEAD 16                         /* requests whose index is fetched ahead, a power of two; slots: half of it */

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

/* ---- life ---- */

static inline bool is_table(const wl_cache *c) { return c->kind == WL_TABLE_LRU || c->kind == WL_TABLE_RANDOM; }

static bool make_slots(wl_cache *c)
{
    const size_t lines = (size_t)c->shape.lines;
    size_t places = lines;
    if (is_table(c)) {
        if (!wl_table_make(c))
            return false;
        places = (c->group_mask + 1) * WL_PLACES;
    }
    if (c->shape.write_back)
        c->written = malloc(places * (size_t)c->shape.sectors * sizeof *c->written);
    if (c->shape.write_back && !c->written)
        return false;
    if (is_table(c))
        return true;
    if (c->kind == WL_PACKED_16)
        return wl_packed_make(c);
    c->slots = wl_cache_slots(lines);
    if (!c->slots)
        return false;
    return c->few ? wl_few_make(c) : wl_many_make(c);
}

static wl_cache_kind kind_of(const wl_cache *c)
{
    if (wl_table_can(c))
        return c->shape.policy == WL_POLICY_LRU ? WL_TABLE_LRU : WL_TABLE_RANDOM;
    if (c->shape.policy != WL_POLICY_LRU)
        return c->few ? WL_FEW_RANDOM : WL_MANY_RANDOM;
    if (wl_packed_can(c))
        return WL_PACKED_16;
    if (c->few)
        return c->wide ? WL_FEW_64 : WL_FEW_16;
    return c->set_count == 1 ? WL_ALL_LRU : WL_MANY_LRU;
}

wl_status wl_cache_new(const wl_cache_shape *shape, wl_cache **out, wl_error *err)
{
    return wl_cache_new_near(shape, NEARBY_BYTES, out, err);
}

wl_status wl_cache_new_near(const wl_cache_shape *shape, size_t nearby, wl_cache **out, wl_error *err)
{
    const int64_t ways = shape->ways ? shape->ways : shape->lines;
    *out = NULL;
    if (shape->lines < 1 || shape->lines > LINES_MAX)
        return wl_fail(err, WL_E_INPUT, WL_NOWHERE, "a cache has 1 to %lld lines, not %lld", (long long)LINES_MAX,
                       (long long)shape->lines);
    if (ways < 1 || shape->lines % ways != 0)
        return wl_fail(err, WL_E_INPUT, WL_NOWHERE, "%lld lines cannot be dealt to sets of %lld",
                       (long long)shape->lines, (long long)ways);
    if (shape->sectors < 1 || shape->sectors > WL_SECTORS_MAX)
        return wl_fail(err, WL_E_INPUT, WL_NOWHERE, "a line has 1 to %d sectors, not %d", WL_SECTORS_MAX,
                       shape->sectors);
    wl_cache *c = calloc(1, sizeof *c);
    if (!c)
        return wl_fail_memory(err);
    c->shape = *shape;
    c->ways = (int32_t)ways;
    c->set_count = (uint64_t)(shape->lines / ways);
    c->set_mask = (c->set_count & (c->set_count - 1)) == 0 ? c->set_count - 1 : 0;
    c->set_inverse = UINT64_MAX / c->set_count;
    c->few = ways <= WL_FEW_WAYS_MAX;
    c->wide = c->few && ways > WL_SET_WAYS(false);
    c->large = (size_t)shape->lines * sizeof *c->slots > nearby;
    c->kind = kind_of(c);
    if (c->kind == WL_PACKED_16)
        c->large = c->set_count * sizeof *c->packed > nearby;
    c->random = wl_hash_word(shape->seed + 1) | 1;
    if (!make_slots(c)) {
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
    wl_cache_free_memory(c);
    free(c);
}

/* ---- accesses ---- */

/* Numbers of lines that a cache has room for are below. */
static inline uint64_t bound_of(const wl_cache *c)
{
    return c->kind == WL_PACKED_16 ? WL_PACKED_LINES : is_table(c) ? WL_TABLE_LINES : UINT64_MAX;
}

/* What follows from the number of a line. Those without room for large ones are widened. */
static wl_key key_of(wl_cache *c, uint64_t line)
{
    if (line >= bound_of(c) && c->kind == WL_PACKED_16)
        c->failed = !wl_packed_widen(c) || c->failed;
    if (line >= bound_of(c) && is_table(c))
        c->failed = !wl_table_widen(c) || c->failed;
    if (line >= bound_of(c))
        line %= bound_of(c); /* counts are void */
    return wl_key_of(c, line, c->kind);
}

bool wl_cache_failed(const wl_cache *c) { return c->failed; }

/* The number of a line's slot; -1: it is not there. */
static inline int32_t find(const wl_cache *c, wl_key key)
{
    if (is_table(c))
        return wl_table_find(c, key);
    if (c->kind != WL_PACKED_16)
        return c->few ? wl_few_find(c, key) : wl_many_find(c, key);
    const int32_t way = wl_packed_find(c, key);
    return way < 0 ? -1 : wl_few_first(c, key) + way;
}

/* Present sectors of a slot, and above them dirty ones. */
static inline uint32_t sectors_of(const wl_cache *c, wl_key key, int32_t at)
{
    if (is_table(c))
        return wl_bucket_of(c, (uint32_t)at)->sectors[wl_place_of((uint32_t)at)];
    if (c->kind != WL_PACKED_16)
        return c->slots[at].sectors;
    return wl_unpacked_sectors(c->packed[key.set].sectors[at - wl_few_first(c, key)]);
}

static inline void set_sectors(wl_cache *c, wl_key key, int32_t at, uint32_t sectors)
{
    if (is_table(c))
        wl_bucket_of(c, (uint32_t)at)->sectors[wl_place_of((uint32_t)at)] = sectors;
    else if (c->kind != WL_PACKED_16)
        c->slots[at].sectors = sectors;
    else
        c->packed[key.set].sectors[at - wl_few_first(c, key)] = wl_packed_sectors(sectors);
}

/* Finds or makes a line, and makes it the last used one. */
WL_ALWAYS_INLINE int32_t touch(wl_cache *c, wl_key key, wl_cache_kind kind, bool note, wl_touched *touched)
{
    switch (kind) {
    case WL_PACKED_16: return wl_few_first(c, key) + (int32_t)wl_packed_touch(c, key, note, touched);
    case WL_FEW_16: return wl_few_touch_lru(c, key, false, note, touched);
    case WL_FEW_64: return wl_few_touch_lru(c, key, true, note, touched);
    case WL_FEW_RANDOM: return wl_few_touch_random(c, key, touched);
    case WL_TABLE_LRU: return wl_table_touch(c, key, true, touched);
    case WL_TABLE_RANDOM: return wl_table_touch(c, key, false, touched);
    case WL_ALL_LRU:
    case WL_MANY_LRU: return wl_many_touch(c, key, true, touched);
    default: return wl_many_touch(c, key, false, touched);
    }
}

/* Sums of some loads in one number: bits 0.. sectors asked for, 16.. sectors that were missing, 32.. loads that missed
 * some, 48.. of these, loads whose line was not there. */
typedef uint64_t load_sums;
#define SUMMED_MAX 2048 /* loads: their sectors need 15 bits */

#define BITS(mask) (uint64_t)(((mask)&1) + ((mask) >> 1 & 1) + ((mask) >> 2 & 1) + ((mask) >> 3 & 1))
#define SUM(asked, missing) (BITS(asked) | BITS(missing) << 16 | (uint64_t)((missing) != 0) << 32)
#define SUMS_4(missing, a) SUM(a, missing), SUM((a) + 1, missing), SUM((a) + 2, missing), SUM((a) + 3, missing)
#define SUMS_16(missing) {SUMS_4(missing, 0), SUMS_4(missing, 4), SUMS_4(missing, 8), SUMS_4(missing, 12)}

/* By missing sectors, and those asked for. */
static const uint64_t sums_of_four[16][16] = {
    SUMS_16(0), SUMS_16(1), SUMS_16(2),  SUMS_16(3),  SUMS_16(4),  SUMS_16(5),  SUMS_16(6),  SUMS_16(7),
    SUMS_16(8), SUMS_16(9), SUMS_16(10), SUMS_16(11), SUMS_16(12), SUMS_16(13), SUMS_16(14), SUMS_16(15)};

static inline uint64_t sums_of_many(uint32_t sectors, uint32_t missing)
{
    return (uint64_t)wl_bit_count(sectors) | (uint64_t)wl_bit_count(missing) << 16 | (uint64_t)(missing != 0) << 32;
}

WL_ALWAYS_INLINE load_sums sums_of(uint32_t sectors, uint32_t missing, bool resident)
{
    const uint64_t sum = sectors < 16 ? sums_of_four[missing][sectors] : sums_of_many(sectors, missing);
    return sum + (sum << 16 & (uint64_t)!resident << 48);
}

WL_ALWAYS_INLINE wl_touched load(wl_cache *c, wl_key key, uint32_t sectors, wl_cache_kind kind, bool note,
                                 load_sums *sums)
{
    wl_touched touched = {0};
    if (kind == WL_PACKED_16) {
        uint8_t *present = &c->packed[key.set].sectors[wl_packed_touch(c, key, note, &touched)];
        touched.missing = sectors & ~(uint32_t)*present;
        *present |= (uint8_t)sectors;
    } else {
        const uint32_t at = (uint32_t)touch(c, key, kind, note, &touched);
        uint32_t *present = kind == WL_TABLE_LRU || kind == WL_TABLE_RANDOM
                                ? &wl_bucket_of(c, at)->sectors[wl_place_of(at)]
                                : &c->slots[at].sectors;
        touched.missing = sectors & ~*present;
        *present |= sectors;
    }
    *sums += sums_of(sectors, touched.missing, touched.resident);
    return touched;
}

static void add_loads(wl_cache *c, size_t loads, load_sums sums)
{
    const int64_t misses = (int64_t)(sums >> 32 & 0xffff), of_lines = (int64_t)(sums >> 48);
    c->counts.loads += (int64_t)loads;
    c->counts.line_misses += of_lines;
    c->counts.sector_misses += misses - of_lines;
    c->counts.load_sectors += (int64_t)(sums & 0xffff);
    c->counts.fetched_sectors += (int64_t)(sums >> 16 & 0xffff);
}

wl_touched wl_cache_load(wl_cache *c, uint64_t line, uint32_t sectors)
{
    const wl_key key = key_of(c, line);
    load_sums sums = 0;
    const wl_touched touched = load(c, key, sectors, c->kind, true, &sums);
    add_loads(c, 1, sums);
    return touched;
}

/* ---- many loads ---- */

WL_ALWAYS_INLINE void fetch_index(const wl_cache *c, wl_key key, wl_cache_kind kind)
{
    if (kind == WL_TABLE_LRU || kind == WL_TABLE_RANDOM) {
        wl_fetch_ahead(&c->buckets[key.group]);
        wl_fetch_ahead(c->buckets[key.group].sectors);
        return;
    }
    if (kind >= WL_ALL_LRU) {
        wl_fetch_ahead(&c->groups[key.group]);
        return;
    }
    if (kind == WL_PACKED_16) {
        wl_fetch_ahead(&c->packed[key.set]);
        wl_fetch_ahead(c->packed[key.set].high);
        return;
    }
    for (int i = 0; i < WL_SET_ALL(c->wide); i += WL_SET_ALL(false))
        wl_fetch_ahead(wl_few_set(c, key.set, c->wide) + i);
}

/* The slot that the line is likely to have, or to get. */
WL_ALWAYS_INLINE void fetch_slot(const wl_cache *c, wl_key key, wl_cache_kind kind)
{
    if (kind >= WL_ALL_LRU) {
        const uint32_t places = wl_places_with(&c->groups[key.group], key.tag);
        if (places)
            wl_fetch_ahead(&c->slots[c->groups[key.group].slots[__builtin_ctz(places)]]);
        return;
    }
    const bool wide = kind == WL_FEW_RANDOM ? c->wide : kind == WL_FEW_64;
    wl_tags *set = wl_few_set(c, key.set, wide);
    const uint64_t alike = wl_few_alike(set, key.tag, wide);
    const uint32_t other = kind == WL_FEW_RANDOM ? 0 : wl_few_oldest(c, wl_few_ages(set, wide), wide);
    wl_fetch_ahead(&c->slots[wl_few_first(c, key) + (alike ? __builtin_ctzll(alike) : (int32_t)other)]);
}

/* The index of a request is fetched AHEAD requests before it is needed, its slot half as many. */
WL_ALWAYS_INLINE void load_far(wl_cache *c, const wl_request *requests, size_t count, uint32_t *missing,
                               wl_cache_kind kind)
{
    wl_key keys[AHEAD];
    load_sums sums = 0;
    const bool slots = kind != WL_PACKED_16 && kind != WL_TABLE_LRU && kind != WL_TABLE_RANDOM;
    for (size_t i = 0; i < count + AHEAD; i++) {
        if (i >= AHEAD)
            missing[i - AHEAD] = load(c, keys[i % AHEAD], requests[i - AHEAD].sectors, kind, false, &sums).missing;
        if (i < count) {
            keys[i % AHEAD] = wl_key_of(c, requests[i].line, kind);
            fetch_index(c, keys[i % AHEAD], kind);
        }
        if (slots && i >= AHEAD / 2 && i < count + AHEAD / 2)
            fetch_slot(c, keys[(i - AHEAD / 2) % AHEAD], kind);
    }
    add_loads(c, count, sums);
}

WL_ALWAYS_INLINE void load_all(wl_cache *c, const wl_request *requests, size_t count, uint32_t *missing,
                               wl_cache_kind kind)
{
    if (c->large) {
        load_far(c, requests, count, missing, kind);
        return;
    }
    load_sums sums = 0;
    for (size_t i = 0; i < count; i++) {
        const wl_key key = wl_key_of(c, requests[i].line, kind);
        missing[i] = load(c, key, requests[i].sectors, kind, false, &sums).missing;
    }
    add_loads(c, count, sums);
}

/* One form for each kind, apart: together they would share the registers. */
#define LOAD_ALL(name, kind)                                                                                           \
    static __attribute__((noinline)) void name(wl_cache *c, const wl_request *requests, size_t count,                  \
                                               uint32_t *missing)                                                      \
    {                                                                                                                  \
        load_all(c, requests, count, missing, kind);                                                                   \
    }
LOAD_ALL(load_packed_16, WL_PACKED_16)
LOAD_ALL(load_few_16, WL_FEW_16)
LOAD_ALL(load_few_64, WL_FEW_64)
LOAD_ALL(load_few_random, WL_FEW_RANDOM)
LOAD_ALL(load_all_lru, WL_ALL_LRU)
LOAD_ALL(load_table_lru, WL_TABLE_LRU)
LOAD_ALL(load_table_random, WL_TABLE_RANDOM)
LOAD_ALL(load_many_lru, WL_MANY_LRU)
LOAD_ALL(load_many_random, WL_MANY_RANDOM)
#undef LOAD_ALL

/* ---- many loads that mix hits and misses ---- */

WL_ALWAYS_INLINE uint32_t load_one_mixed(wl_cache *c, wl_mixed *m, wl_group *spare, wl_key key, uint32_t sectors,
                                         bool large, load_sums *sums)
{
    wl_touched touched = {0};
    wl_slot *s = &m->slots[wl_many_touch_mixed(c, m, spare, key, large, &touched)];
    const uint32_t missing = sectors & ~s->sectors;
    s->sectors |= sectors;
    *sums += sums_of(sectors, missing, touched.resident);
    return missing;
}

static __attribute__((noinline)) void load_all_mixed(wl_cache *c, const wl_request *requests, size_t count,
                                                     uint32_t *missing)
{
    wl_key keys[AHEAD];
    load_sums sums = 0;
    wl_group spare = {.passed = 0};
    wl_mixed m;
    wl_mixed_begin(c, &m);
    const bool large = c->large;
    for (size_t i = 0; i < count && !large; i++) {
        const wl_key key = wl_key_of(c, requests[i].line, WL_ALL_LRU);
        missing[i] = load_one_mixed(c, &m, &spare, key, requests[i].sectors, false, &sums);
    }
    for (size_t i = 0; i < count + AHEAD && large; i++) {
        if (i >= AHEAD)
            missing[i - AHEAD] =
                load_one_mixed(c, &m, &spare, keys[i % AHEAD], requests[i - AHEAD].sectors, true, &sums);
        if (i < count) {
            keys[i % AHEAD] = wl_key_of(c, requests[i].line, WL_ALL_LRU);
            fetch_index(c, keys[i % AHEAD], WL_ALL_LRU);
        }
        if (i >= AHEAD / 2 && i < count + AHEAD / 2)
            fetch_slot(c, keys[(i - AHEAD / 2) % AHEAD], WL_ALL_LRU);
    }
    wl_mixed_end(c, &m);
    add_loads(c, count, sums);
}

WL_ALWAYS_INLINE uint32_t load_one_of_table(wl_cache *c, wl_table_run *m, wl_key key, uint32_t sectors, wl_policy policy,
                                         bool large, load_sums *sums)
{
    const wl_spot at = policy == WL_POLICY_LRU      ? wl_table_touch_mixed(c, m, key, large)
                       : policy == WL_POLICY_RANDOM ? wl_table_touch_mixed_random(c, m, key, large)
                                                    : wl_table_touch_mixed_4(c, m, key);
    uint32_t *present = &at.bucket->sectors[at.place];
    const uint32_t missing = sectors & ~*present;
    *present |= sectors;
    *sums += sums_of(sectors, missing, at.there);
    return missing;
}

WL_ALWAYS_INLINE void load_table(wl_cache *c, const wl_request *requests, size_t count, uint32_t *missing,
                                 wl_policy policy)
{
    wl_key keys[AHEAD];
    load_sums sums = 0;
    wl_table_run m;
    wl_table_run_begin(c, &m);
    if (policy == WL_POLICY_RANDOM)
        wl_table_run_foresee(&m);
    const bool large = c->large;
    for (size_t i = 0; i < count && !large; i++) {
        const wl_key key = wl_key_of(c, requests[i].line, WL_TABLE_LRU);
        missing[i] = load_one_of_table(c, &m, key, requests[i].sectors, policy, false, &sums);
    }
    for (size_t i = 0; i < count + AHEAD && large; i++) {
        if (i >= AHEAD)
            missing[i - AHEAD] =
                load_one_of_table(c, &m, keys[i % AHEAD], requests[i - AHEAD].sectors, policy, true, &sums);
        if (i < count) {
            keys[i % AHEAD] = wl_key_of(c, requests[i].line, WL_TABLE_LRU);
            fetch_index(c, keys[i % AHEAD], WL_TABLE_LRU);
        }
    }
    wl_table_run_end(c, &m);
    add_loads(c, count, sums);
}

#define LOAD_TABLE(name, policy)                                                                                       \
    static __attribute__((noinline)) void name(wl_cache *c, const wl_request *requests, size_t count,                  \
                                               uint32_t *missing)                                                      \
    {                                                                                                                  \
        load_table(c, requests, count, missing, policy);                                                               \
    }
LOAD_TABLE(load_table_mixed_lru, WL_POLICY_LRU)
LOAD_TABLE(load_table_mixed_random, WL_POLICY_RANDOM)
LOAD_TABLE(load_table_mixed_random_4, WL_POLICY_RANDOM_4)
#undef LOAD_TABLE

static bool any_beyond(const wl_request *requests, size_t count, uint64_t bound)
{
    uint64_t all = 0; /* no line is larger than all of their bits together */
    for (size_t i = 0; i < count; i++)
        all |= requests[i].line;
    bool beyond = false;
    for (size_t i = 0; i < count && all >= bound; i++)
        beyond |= requests[i].line >= bound;
    return beyond;
}

/* Is it of no use to guess whether a line is there? */
static bool is_mixed(const wl_cache *c)
{
    if (!c->mixed || (c->kind != WL_ALL_LRU && !is_table(c)))
        return false;
    return c->shape.policy == WL_POLICY_RANDOM_4 || c->queues[0].holes.count == 0;
}

void wl_cache_load_many(wl_cache *c, const wl_request *requests, size_t count, uint32_t *missing)
{
    static void (*const loads[])(wl_cache *, const wl_request *, size_t, uint32_t *) = {
        [WL_PACKED_16] = load_packed_16,     [WL_FEW_16] = load_few_16,   [WL_FEW_64] = load_few_64,
        [WL_FEW_RANDOM] = load_few_random,   [WL_TABLE_LRU] = load_table_lru, [WL_TABLE_RANDOM] = load_table_random, [WL_ALL_LRU] = load_all_lru, [WL_MANY_LRU] = load_many_lru,
        [WL_MANY_RANDOM] = load_many_random,
    };
    static void (*const mixed_loads[])(wl_cache *, const wl_request *, size_t, uint32_t *) = {
        [WL_POLICY_LRU] = load_table_mixed_lru,
        [WL_POLICY_RANDOM] = load_table_mixed_random,
        [WL_POLICY_RANDOM_4] = load_table_mixed_random_4,
    };
    if (bound_of(c) != UINT64_MAX && any_beyond(requests, count, bound_of(c))) {
        for (size_t i = 0; i < count; i++)
            missing[i] = wl_cache_load(c, requests[i].line, requests[i].sectors).missing;
        return;
    }
    for (size_t at = 0; at < count; at += SUMMED_MAX) {
        const size_t some = count - at < SUMMED_MAX ? count - at : SUMMED_MAX;
        const int64_t before = c->counts.line_misses;
        (!is_mixed(c)                ? loads[c->kind]
         : c->kind == WL_ALL_LRU ? load_all_mixed
                                 : mixed_loads[c->shape.policy])(c, requests + at, some, missing + at);
        const int64_t missed = c->counts.line_misses - before, few = (int64_t)some / GUESSED;
        if (some >= MIXED_LEAST)
            c->mixed = missed > few && missed < (int64_t)some - few;
    }
}

/* ---- stores ---- */

/* Bytes that arrive one after the other may fill a sector. Returns the sectors of the slot then. */
static uint32_t write_parts(wl_cache *c, int32_t at, uint32_t there, uint32_t sectors, const uint32_t *written)
{
    const size_t number = is_table(c) ? wl_table_number((uint32_t)at) : (size_t)at;
    uint32_t *parts = c->written + number * (size_t)c->shape.sectors;
    for (int i = 0; i < c->shape.sectors; i++) {
        const uint32_t bit = 1u << i;
        if (!(sectors & bit) || there & bit)
            continue;
        parts[i] = there >> WL_DIRTY_SHIFT & bit ? parts[i] | written[i] : written[i];
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
    const wl_key key = key_of(c, line);
    wl_touched touched = {0};
    c->counts.stores++;
    c->counts.store_sectors += wl_bit_count(sectors);
    if (!c->shape.store_allocates && find(c, key) < 0)
        return touched;
    const int32_t at = touch(c, key, c->kind, true, &touched);
    c->counts.store_hits += touched.resident;
    uint32_t there = sectors_of(c, key, at);
    if (c->shape.write_back && written)
        there = write_parts(c, at, there, sectors, written);
    else if (c->shape.write_back || c->shape.store_allocates)
        there |= written ? whole_sectors(c, sectors, written) : sectors;
    if (c->shape.write_back)
        there |= sectors << WL_DIRTY_SHIFT;
    set_sectors(c, key, at, there);
    return touched;
}

uint32_t wl_cache_fill(wl_cache *c, uint64_t line, uint32_t sectors)
{
    const wl_key key = key_of(c, line);
    wl_touched touched = {0};
    int32_t at = find(c, key);
    if (at < 0)
        at = touch(c, key, c->kind, true, &touched);
    const uint32_t there = sectors_of(c, key, at);
    set_sectors(c, key, at, there | sectors);
    return sectors & ~there;
}

const wl_evicted *wl_cache_evicted(const wl_cache *c) { return c->evicted; }

bool wl_cache_holds(const wl_cache *c, uint64_t line)
{
    if (line >= bound_of(c))
        return false;
    return find(c, wl_key_of(c, line, c->kind)) >= 0;
}

static void clean_packed(wl_cache *c)
{
    for (uint64_t s = 0; s < c->set_count; s++)
        for (int way = 0; way < c->ways; way++) {
            const wl_slot slot = {.sectors = wl_unpacked_sectors(c->packed[s].sectors[way])};
            wl_cache_count_written(c, &slot);
            c->packed[s].sectors[way] = wl_packed_sectors(wl_present(&slot));
        }
}

void wl_cache_clean(wl_cache *c)
{
    if (c->kind == WL_PACKED_16) {
        clean_packed(c);
        return;
    }
    if (is_table(c)) {
        wl_table_clean(c);
        return;
    }
    for (int64_t i = 0; i < c->shape.lines; i++)
        if (c->slots[i].line != WL_NO_LINE && wl_dirty(&c->slots[i])) {
            wl_cache_count_written(c, &c->slots[i]);
            c->slots[i].sectors = wl_present(&c->slots[i]);
        }
}

wl_cache_counts wl_cache_count(const wl_cache *c)
{
    wl_cache_counts counts = c->counts;
    counts.hits = counts.loads - counts.sector_misses - counts.line_misses;
    return counts;
}

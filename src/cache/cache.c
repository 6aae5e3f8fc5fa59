/* cache.c - see cache.h. SPDX-License-Identifier: MIT */
#include "cache/cache.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "cache/cache_load.h"

#define LINES_MAX ((int64_t)1 << 28)     /* slots have 32-bit numbers, queues four times as many */
#define NEARBY_BYTES ((size_t)256 << 10) /* of slots: what is larger is fetched ahead, .. */
#define DENSE 8                          /* .. and what is so many times larger is made small */

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

static bool make_slots(wl_cache *c)
{
    const size_t lines = (size_t)c->shape.lines;
    size_t places = lines;
    if (wl_is_table(c->kind)) {
        if (!wl_table_make(c))
            return false;
        places = (c->group_mask + 1) * wl_table_places(c->dense);
    }
    if (c->shape.write_back)
        c->written = malloc(places * (size_t)c->shape.sectors * sizeof *c->written);
    if (c->shape.write_back && !c->written)
        return false;
    if (wl_is_table(c->kind))
        return true;
    if (wl_is_packed(c->kind))
        return wl_packed_make(c);
    c->slots = wl_cache_slots(lines);
    if (!c->slots)
        return false;
    return c->few ? wl_few_make(c) : wl_many_make(c);
}

static wl_cache_kind kind_of(const wl_cache *c)
{
    if (wl_table_can(c))
        return c->shape.policy == WL_POLICY_LRU ? (c->dense ? WL_DENSE_LRU : WL_TABLE_LRU)
                                                : (c->dense ? WL_DENSE_RANDOM : WL_TABLE_RANDOM);
    if (wl_packed_can(c))
        return wl_packed_kind(c);
    if (c->shape.policy != WL_POLICY_LRU)
        return c->few ? WL_FEW_RANDOM : WL_MANY_RANDOM;
    if (c->few)
        return c->wide ? WL_FEW_64 : WL_FEW_16;
    return WL_MANY_LRU;
}

static bool has_avx2(void)
{
#if defined(WARPLINE_AVX2)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
           __builtin_cpu_supports("popcnt");
#else
    return false;
#endif
}

static wl_spread spread_of(uint64_t sets, bool hashed)
{
    const bool power = (sets & (sets - 1)) == 0;
    return (wl_spread){.sets = sets,
                       .mask = power ? sets - 1 : 0,
                       .inverse = UINT64_MAX / sets,
                       .set_shift = power ? __builtin_ctzll(sets) : -1,
                       .hashed = hashed};
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
    c->spread = spread_of((uint64_t)(shape->lines / ways), shape->hashed_sets);
    c->few = ways <= WL_FEW_WAYS_MAX;
    c->wide = c->few && ways > WL_SET_WAYS(false);
    c->large = (size_t)shape->lines * sizeof *c->slots > nearby;
    c->dense = (size_t)shape->lines * sizeof *c->slots / DENSE > nearby;
    c->run = shape->policy != WL_POLICY_RANDOM_4 ? 1 : ways < WL_RUN ? c->ways : WL_RUN;
    c->avx2 = has_avx2();
    c->kind = kind_of(c);
    if (wl_is_packed(c->kind))
        c->large = wl_packed_bytes(c) > nearby;
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

/* What follows from the number of a line. Those without room for large ones are widened. */
static wl_key key_of(wl_cache *c, uint64_t line)
{
    if (line >= wl_bound_of(c) && wl_is_exact(c->kind))
        c->failed = !wl_wide_number(c) || c->failed;
    if (line >= wl_bound_of(c) && wl_is_packed(c->kind) && !c->failed)
        c->failed = !wl_packed_widen(c) || c->failed;
    if (line >= wl_bound_of(c) && wl_is_table(c->kind))
        c->failed = !wl_table_widen(c) || c->failed;
    if (line >= wl_bound_of(c))
        line %= wl_bound_of(c); /* counts are void */
    return wl_key_of(&c->spread, line, c->kind);
}

bool wl_cache_failed(const wl_cache *c) { return c->failed; }

/* The number of a line's slot; -1: it is not there. */
static inline int32_t find(const wl_cache *c, wl_key key)
{
    if (wl_is_table(c->kind))
        return wl_table_find(c, key, wl_table_first(c));
    if (!wl_is_packed(c->kind))
        return c->few ? wl_few_find(c, key) : wl_many_find(c, key);
    const int32_t way = wl_is_wide(c->kind) ? wl_wide_find(c, key) : wl_packed_find(c, key);
    return way < 0 ? -1 : wl_few_first(c, key) + way;
}

/* Present sectors of a slot, and above them dirty ones. */
static inline uint32_t sectors_of(const wl_cache *c, wl_key key, int32_t at)
{
    if (wl_is_table(c->kind))
        return wl_unpacked_sectors(wl_bucket_of(c, (uint32_t)at)->sectors[wl_place_of((uint32_t)at)]);
    if (!wl_is_packed(c->kind))
        return c->slots[at].sectors;
    return wl_unpacked_sectors(wl_sectors_in(c, key.set, c->kind)[at - wl_few_first(c, key)]);
}

static inline void set_sectors(wl_cache *c, wl_key key, int32_t at, uint32_t sectors)
{
    if (wl_is_table(c->kind))
        wl_bucket_of(c, (uint32_t)at)->sectors[wl_place_of((uint32_t)at)] = wl_packed_sectors(sectors);
    else if (!wl_is_packed(c->kind))
        c->slots[at].sectors = sectors;
    else
        wl_sectors_in(c, key.set, c->kind)[at - wl_few_first(c, key)] = wl_packed_sectors(sectors);
}

wl_touched wl_cache_load(wl_cache *c, uint64_t line, uint32_t sectors)
{
    const wl_key key = key_of(c, line);
    const wl_touched touched = wl_load_one(c, key, sectors, c->kind, true);
    c->counts.loads++;
    c->counts.line_misses += touched.missing && !touched.resident;
    c->counts.sector_misses += touched.missing && touched.resident;
    c->counts.load_sectors += wl_bit_count(sectors);
    c->counts.fetched_sectors += wl_bit_count(touched.missing);
    return touched;
}

void wl_cache_expect(const wl_cache *c, uint64_t line, bool soon)
{
    if (!c->large || line >= wl_bound_of(c))
        return;
    const wl_key key = wl_key_of(&c->spread, line, c->kind);
    if (!soon)
        wl_fetch_index(c, key, c->kind);
    else if (wl_needs_slots(c->kind))
        wl_fetch_slot(c, key, c->kind);
}

void wl_cache_load_many(wl_cache *c, const wl_request *requests, size_t count, uint32_t *missing)
{
#if defined(WARPLINE_AVX2)
    if (c->avx2) {
        wl_load_many_avx2(c, requests, count, missing);
        return;
    }
#endif
    wl_load_many_plain(c, requests, count, missing);
}

/* ---- stores ---- */

/* Bytes that arrive one after the other may fill a sector. Returns the sectors of the slot then. */
static uint32_t write_parts(wl_cache *c, int32_t at, uint32_t there, uint32_t sectors, const uint32_t *written)
{
    const size_t number = wl_is_table(c->kind) ? wl_table_number(c, (uint32_t)at) : (size_t)at;
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
    const int32_t at = wl_touch(c, key, c->kind, true, &touched);
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
        at = wl_touch(c, key, c->kind, true, &touched);
    const uint32_t there = sectors_of(c, key, at);
    set_sectors(c, key, at, there | sectors);
    return sectors & ~there;
}

const wl_evicted *wl_cache_evicted(const wl_cache *c) { return c->evicted; }

bool wl_cache_holds(const wl_cache *c, uint64_t line)
{
    if (line >= wl_bound_of(c))
        return false;
    return find(c, wl_key_of(&c->spread, line, c->kind)) >= 0;
}

static void clean_packed(wl_cache *c)
{
    for (uint64_t s = 0; s < c->spread.sets; s++)
        for (int way = 0; way < c->ways; way++) {
            uint8_t *sectors = &wl_sectors_in(c, s, c->kind)[way];
            const wl_slot slot = {.sectors = wl_unpacked_sectors(*sectors)};
            wl_cache_count_written(c, &slot);
            *sectors = wl_packed_sectors(wl_present(&slot));
        }
}

void wl_cache_clean(wl_cache *c)
{
    if (wl_is_packed(c->kind)) {
        clean_packed(c);
        return;
    }
    if (wl_is_table(c->kind)) {
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

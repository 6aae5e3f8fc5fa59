/* load_many.c - many loads, whose order is known: see cache.h. SPDX-License-Identifier: MIT */
#include "cache/cache_load.h"

#define MIXED_LEAST 32 /* loads that tell whether lines are mostly there, or mostly not: .. */
#define GUESSED 8      /* .. all but one in so many */
/* requests whose index is fetched ahead, a power of two; slots: half of it */
#define AHEAD 16

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
    wl_load_sums sums = 0;
    const bool slots = kind != WL_PACKED_16 && kind != WL_TABLE_LRU && kind != WL_TABLE_RANDOM;
    for (size_t i = 0; i < count + AHEAD; i++) {
        if (i >= AHEAD)
            missing[i - AHEAD] =
                wl_load_one(c, keys[i % AHEAD], requests[i - AHEAD].sectors, kind, false, &sums).missing;
        if (i < count) {
            keys[i % AHEAD] = wl_key_of(c, requests[i].line, kind);
            fetch_index(c, keys[i % AHEAD], kind);
        }
        if (slots && i >= AHEAD / 2 && i < count + AHEAD / 2)
            fetch_slot(c, keys[(i - AHEAD / 2) % AHEAD], kind);
    }
    wl_add_loads(c, count, sums);
}

WL_ALWAYS_INLINE void load_all(wl_cache *c, const wl_request *requests, size_t count, uint32_t *missing,
                               wl_cache_kind kind)
{
    if (c->large) {
        load_far(c, requests, count, missing, kind);
        return;
    }
    wl_load_sums sums = 0;
    for (size_t i = 0; i < count; i++) {
        const wl_key key = wl_key_of(c, requests[i].line, kind);
        missing[i] = wl_load_one(c, key, requests[i].sectors, kind, false, &sums).missing;
    }
    wl_add_loads(c, count, sums);
}

/* One form for each kind or policy, apart: together they would share the registers. */
#define FORM(name, load, constant)                                                                                     \
    static __attribute__((noinline)) void name(wl_cache *c, const wl_request *requests, size_t count,                  \
                                               uint32_t *missing)                                                      \
    {                                                                                                                  \
        load(c, requests, count, missing, constant);                                                                   \
    }
FORM(load_packed_16, load_all, WL_PACKED_16)
FORM(load_few_16, load_all, WL_FEW_16)
FORM(load_few_64, load_all, WL_FEW_64)
FORM(load_few_random, load_all, WL_FEW_RANDOM)
FORM(load_all_lru, load_all, WL_ALL_LRU)
FORM(load_table_lru, load_all, WL_TABLE_LRU)
FORM(load_table_random, load_all, WL_TABLE_RANDOM)
FORM(load_many_lru, load_all, WL_MANY_LRU)
FORM(load_many_random, load_all, WL_MANY_RANDOM)

/* ---- many loads that mix hits and misses ---- */

WL_ALWAYS_INLINE uint32_t load_one_mixed(wl_cache *c, wl_mixed *m, wl_group *spare, wl_key key, uint32_t sectors,
                                         bool large, wl_load_sums *sums)
{
    wl_touched touched = {0};
    wl_slot *s = &m->slots[wl_many_touch_mixed(c, m, spare, key, large, &touched)];
    const uint32_t missing = sectors & ~s->sectors;
    s->sectors |= sectors;
    *sums += wl_sums_of(sectors, missing, touched.resident);
    return missing;
}

static __attribute__((noinline)) void load_all_mixed(wl_cache *c, const wl_request *requests, size_t count,
                                                     uint32_t *missing)
{
    wl_key keys[AHEAD];
    wl_load_sums sums = 0;
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
    wl_add_loads(c, count, sums);
}

WL_ALWAYS_INLINE uint32_t load_one_of_table(wl_cache *c, wl_table_run *m, wl_key key, uint32_t sectors,
                                            wl_policy policy, wl_load_sums *sums)
{
    const wl_spot at = policy == WL_POLICY_LRU      ? wl_table_touch_mixed(c, m, key)
                       : policy == WL_POLICY_RANDOM ? wl_table_touch_mixed_random(c, m, key)
                                                    : wl_table_touch_mixed_4(c, m, key);
    uint32_t *present = &at.bucket->sectors[at.place];
    const uint32_t missing = sectors & ~*present;
    *present |= sectors;
    *sums += wl_sums_of(sectors, missing, at.there);
    return missing;
}

WL_ALWAYS_INLINE void load_table(wl_cache *c, const wl_request *requests, size_t count, uint32_t *missing,
                                 wl_policy policy)
{
    wl_key keys[AHEAD];
    wl_load_sums sums = 0;
    wl_table_run m;
    wl_table_run_begin(c, &m);
    if (policy == WL_POLICY_RANDOM)
        wl_table_run_foresee(&m);
    for (size_t i = 0; i < count + AHEAD; i++) { /* tables are large: see wl_table_can */
        if (i >= AHEAD)
            missing[i - AHEAD] = load_one_of_table(c, &m, keys[i % AHEAD], requests[i - AHEAD].sectors, policy, &sums);
        if (i < count) {
            keys[i % AHEAD] = wl_key_of(c, requests[i].line, WL_TABLE_LRU);
            fetch_index(c, keys[i % AHEAD], WL_TABLE_LRU);
        }
    }
    wl_table_run_end(c, &m);
    wl_add_loads(c, count, sums);
}

FORM(load_table_mixed_lru, load_table, WL_POLICY_LRU)
FORM(load_table_mixed_random, load_table, WL_POLICY_RANDOM)
FORM(load_table_mixed_random_4, load_table, WL_POLICY_RANDOM_4)
#undef FORM

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
    if (!c->mixed || (c->kind != WL_ALL_LRU && !wl_is_table(c)))
        return false;
    return c->shape.policy == WL_POLICY_RANDOM_4 || c->queues[0].holes.count == 0;
}

void wl_cache_load_many(wl_cache *c, const wl_request *requests, size_t count, uint32_t *missing)
{
    static void (*const loads[])(wl_cache *, const wl_request *, size_t, uint32_t *) = {
        [WL_PACKED_16] = load_packed_16,   [WL_FEW_16] = load_few_16,       [WL_FEW_64] = load_few_64,
        [WL_FEW_RANDOM] = load_few_random, [WL_TABLE_LRU] = load_table_lru, [WL_TABLE_RANDOM] = load_table_random,
        [WL_ALL_LRU] = load_all_lru,       [WL_MANY_LRU] = load_many_lru,   [WL_MANY_RANDOM] = load_many_random,
    };
    static void (*const mixed_loads[])(wl_cache *, const wl_request *, size_t, uint32_t *) = {
        [WL_POLICY_LRU] = load_table_mixed_lru,
        [WL_POLICY_RANDOM] = load_table_mixed_random,
        [WL_POLICY_RANDOM_4] = load_table_mixed_random_4,
    };
    if (wl_bound_of(c) != UINT64_MAX && any_beyond(requests, count, wl_bound_of(c))) {
        for (size_t i = 0; i < count; i++)
            missing[i] = wl_cache_load(c, requests[i].line, requests[i].sectors).missing;
        return;
    }
    for (size_t at = 0; at < count; at += WL_SUMMED_MAX) {
        const size_t some = count - at < WL_SUMMED_MAX ? count - at : WL_SUMMED_MAX;
        const int64_t before = c->counts.line_misses;
        (!is_mixed(c)            ? loads[c->kind]
         : c->kind == WL_ALL_LRU ? load_all_mixed
                                 : mixed_loads[c->shape.policy])(c, requests + at, some, missing + at);
        const int64_t missed = c->counts.line_misses - before, few = (int64_t)some / GUESSED;
        if (some >= MIXED_LEAST)
            c->mixed = missed > few && missed < (int64_t)some - few;
    }
}

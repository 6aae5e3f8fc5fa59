/* load_many.c - many loads, whose order is known: see cache.h. SPDX-License-Identifier: MIT */
#include "cache/cache_load.h"

#define MIXED_LEAST 32 /* loads that tell whether lines are mostly there, or mostly not: .. */
#define GUESSED 8      /* .. all but one in so many */
/* requests whose index is fetched ahead, a power of two; slots: half of it */
#define AHEAD 16

WL_ALWAYS_INLINE void fetch_index(const wl_cache *c, wl_key key, wl_cache_kind kind)
{
    const size_t line = WL_MEMORY_LINE;
    const uint8_t *from;
    size_t bytes;
    if (kind == WL_TABLE_LRU || kind == WL_TABLE_RANDOM)
        from = (const uint8_t *)&c->buckets[key.group], bytes = sizeof *c->buckets;
    else if (kind >= WL_ALL_LRU)
        from = (const uint8_t *)&c->groups[key.group], bytes = sizeof *c->groups;
    else if (wl_is_wide(kind))
        from = (const uint8_t *)&c->wide_sets[key.set], bytes = offsetof(wl_wide_set, low);
    else if (wl_is_packed(kind))
        from = (const uint8_t *)&c->packed[key.set], bytes = sizeof *c->packed;
    else
        from = (const uint8_t *)wl_few_set(c, key.set, c->wide), bytes = (size_t)WL_SET_ALL(c->wide) * sizeof *c->sets;
    for (size_t at = 0; at < bytes; at += line)
        wl_fetch_ahead(from + at);
}

/* Is a search worth while that finds what else to fetch? Not where the index is all that a load
 * needs; wide sets and tables: not where most lines are there, which are then near, or most are
 * not. */
WL_ALWAYS_INLINE bool needs_slots(const wl_cache *c, wl_cache_kind kind)
{
    if (wl_is_wide(kind) || c->kind == WL_TABLE_LRU)
        return c->mixed;
    return !wl_is_packed(kind) && c->kind != WL_TABLE_RANDOM;
}

/* The slot that the line is likely to have, or to get; if it is there: its number in a wide set,
 * its last use in a table. */
WL_ALWAYS_INLINE void fetch_slot(const wl_cache *c, wl_key key, wl_cache_kind kind)
{
    if (kind == WL_TABLE_LRU) {
        const wl_bucket *b = &c->buckets[key.group];
        wl_fetch_ahead(&c->entries[b->used[__builtin_ctz(wl_bucket_alike(b, key.line) | 1u << (WL_PLACES - 1))]]);
        return;
    }
    if (kind >= WL_ALL_LRU) {
        const uint32_t places = wl_places_with(&c->groups[key.group], key.tag);
        if (places)
            wl_fetch_ahead(&c->slots[c->groups[key.group].slots[__builtin_ctz(places)]]);
        return;
    }
    if (wl_is_wide(kind)) {
        const wl_wide_set *set = &c->wide_sets[key.set];
        wl_fetch_ahead(&set->low[__builtin_ctzll(wl_wide_alike(set, key.tag) | (uint64_t)1 << 63)]);
        return;
    }
    const bool wide = kind == WL_FEW_RANDOM ? c->wide : kind == WL_FEW_64;
    wl_tags *set = wl_few_set(c, key.set, wide);
    const uint64_t alike = wl_few_alike(set, key.tag, wide);
    const uint32_t other = kind == WL_FEW_RANDOM ? 0 : wl_few_oldest(c, wl_few_ages(set, wide), wide);
    wl_fetch_ahead(&c->slots[wl_few_first(c, key) + (alike ? __builtin_ctzll(alike) : (int32_t)other)]);
}

/* ---- one load, by how it is done ---- */

/* What loads one after the other need. */
typedef struct load_run {
    wl_cache *c;
    wl_load_sums sums;
    wl_cache_kind kind;
    /* where hits and misses are mixed */
    wl_policy policy;
    bool large;
    wl_mixed all;
    wl_group spare;
    wl_table_run table;
} load_run;

typedef uint32_t load_step(load_run *run, wl_key key, uint32_t sectors);

WL_ALWAYS_INLINE uint32_t load_usual(load_run *r, wl_key key, uint32_t sectors)
{
    return wl_load_one(r->c, key, sectors, r->kind, false, &r->sums).missing;
}

WL_ALWAYS_INLINE uint32_t load_mixed(load_run *r, wl_key key, uint32_t sectors)
{
    wl_touched touched = {0};
    wl_slot *s = &r->all.slots[wl_many_touch_mixed(r->c, &r->all, &r->spare, key, r->large, &touched)];
    const uint32_t missing = sectors & ~s->sectors;
    s->sectors |= sectors;
    r->sums += wl_sums_of(sectors, missing, touched.resident);
    return missing;
}

WL_ALWAYS_INLINE uint32_t load_of_table(load_run *r, wl_key key, uint32_t sectors)
{
    const wl_spot at = r->policy == WL_POLICY_LRU      ? wl_table_touch_mixed(r->c, &r->table, key)
                       : r->policy == WL_POLICY_RANDOM ? wl_table_touch_mixed_random(r->c, &r->table, key)
                                                       : wl_table_touch_mixed_4(r->c, &r->table, key);
    uint32_t *present = &at.bucket->sectors[at.place];
    const uint32_t missing = sectors & ~*present;
    *present |= sectors;
    r->sums += wl_sums_of(sectors, missing, at.there);
    return missing;
}

/* ---- all of them ---- */

/* The index of a request is fetched AHEAD requests before it is needed, its slot half as many. */
WL_ALWAYS_INLINE void load_far(load_run *r, const wl_request *requests, size_t count, uint32_t *missing,
                               load_step *load)
{
    wl_key keys[AHEAD];
    const bool slots = needs_slots(r->c, r->kind);
    for (size_t i = 0; i < count + AHEAD; i++) {
        if (i >= AHEAD)
            missing[i - AHEAD] = load(r, keys[i % AHEAD], requests[i - AHEAD].sectors);
        if (i < count) {
            keys[i % AHEAD] = wl_key_of(r->c, requests[i].line, r->kind);
            fetch_index(r->c, keys[i % AHEAD], r->kind);
        }
        if (slots && i >= AHEAD / 2 && i < count + AHEAD / 2)
            fetch_slot(r->c, keys[(i - AHEAD / 2) % AHEAD], r->kind);
    }
}

WL_ALWAYS_INLINE void load_near(load_run *r, const wl_request *requests, size_t count, uint32_t *missing,
                                load_step *load)
{
    for (size_t i = 0; i < count; i++)
        missing[i] = load(r, wl_key_of(r->c, requests[i].line, r->kind), requests[i].sectors);
}

WL_ALWAYS_INLINE void load_all(wl_cache *c, const wl_request *requests, size_t count, uint32_t *missing,
                               wl_cache_kind kind)
{
    load_run r = {.c = c, .kind = kind};
    if (c->large)
        load_far(&r, requests, count, missing, load_usual);
    else
        load_near(&r, requests, count, missing, load_usual);
    wl_add_loads(c, count, r.sums);
}

/* One form for each kind or policy, apart: together they would share the registers. */
#define FORM(name, load, constant)                                                                                     \
    static __attribute__((noinline)) void name(wl_cache *c, const wl_request *requests, size_t count,                  \
                                               uint32_t *missing)                                                      \
    {                                                                                                                  \
        load(c, requests, count, missing, constant);                                                                   \
    }
FORM(load_packed_lru, load_all, WL_PACKED_LRU)
FORM(load_packed_random, load_all, WL_PACKED_RANDOM)
FORM(load_packed_random_4, load_all, WL_PACKED_RANDOM_4)
FORM(load_wide_lru, load_all, WL_WIDE_LRU)
FORM(load_wide_random, load_all, WL_WIDE_RANDOM)
FORM(load_wide_random_4, load_all, WL_WIDE_RANDOM_4)
FORM(load_few_16, load_all, WL_FEW_16)
FORM(load_few_64, load_all, WL_FEW_64)
FORM(load_few_random, load_all, WL_FEW_RANDOM)
FORM(load_all_lru, load_all, WL_ALL_LRU)
FORM(load_table_lru, load_all, WL_TABLE_LRU)
FORM(load_table_random, load_all, WL_TABLE_RANDOM)
FORM(load_many_lru, load_all, WL_MANY_LRU)
FORM(load_many_random, load_all, WL_MANY_RANDOM)

/* ---- many loads that mix hits and misses ---- */

static __attribute__((noinline)) void load_all_mixed(wl_cache *c, const wl_request *requests, size_t count,
                                                     uint32_t *missing)
{
    load_run r = {.c = c, .kind = WL_ALL_LRU, .large = c->large};
    wl_mixed_begin(c, &r.all);
    if (r.large)
        load_far(&r, requests, count, missing, load_mixed);
    else
        load_near(&r, requests, count, missing, load_mixed);
    wl_mixed_end(c, &r.all);
    wl_add_loads(c, count, r.sums);
}

WL_ALWAYS_INLINE void load_table(wl_cache *c, const wl_request *requests, size_t count, uint32_t *missing,
                                 wl_policy policy)
{
    load_run r = {.c = c, .kind = WL_TABLE_LRU, .policy = policy};
    wl_table_run_begin(c, &r.table);
    if (policy == WL_POLICY_RANDOM)
        wl_table_run_foresee(&r.table);
    load_far(&r, requests, count, missing, load_of_table); /* tables are large: see wl_table_can */
    wl_table_run_end(c, &r.table);
    wl_add_loads(c, count, r.sums);
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
        [WL_PACKED_LRU] = load_packed_lru,
        [WL_PACKED_RANDOM] = load_packed_random,
        [WL_PACKED_RANDOM_4] = load_packed_random_4,
        [WL_WIDE_LRU] = load_wide_lru,
        [WL_WIDE_RANDOM] = load_wide_random,
        [WL_WIDE_RANDOM_4] = load_wide_random_4,
        [WL_FEW_16] = load_few_16,
        [WL_FEW_64] = load_few_64,
        [WL_FEW_RANDOM] = load_few_random,
        [WL_TABLE_LRU] = load_table_lru,
        [WL_TABLE_RANDOM] = load_table_random,
        [WL_ALL_LRU] = load_all_lru,
        [WL_MANY_LRU] = load_many_lru,
        [WL_MANY_RANDOM] = load_many_random,
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

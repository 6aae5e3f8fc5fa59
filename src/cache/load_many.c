/* load_many.c - many loads, whose order is known: see cache.h. load_many_avx2.c includes it.
 * SPDX-License-Identifier: MIT */
#include "cache/cache_load.h"

#if !defined(WL_LOAD_MANY)
#define WL_LOAD_MANY wl_load_many_plain
#endif

#define MIXED_LEAST 32 /* loads that tell whether lines are mostly there, or mostly not: .. */
#define GUESSED 8      /* .. all but one in so many */
#define AHEAD_MAX 16   /* requests whose index is fetched before; slots: half as many */
#define DRAWS_EACH 8   /* loads after which what is evicted next is fetched */

/* ---- one load, by how it is done ---- */

/* What loads one after the other need. */
typedef struct load_run {
    wl_cache *c;
    wl_spread spread;
    uint64_t bound; /* numbers of lines are below */
    int64_t absent; /* loads whose line was not there */
    int64_t asked;  /* sectors of all of them */
    wl_cache_kind kind;
    wl_policy policy;
    wl_lru_run lru;
    wl_table_run table;
    wl_sets_run sets;
} load_run;

typedef uint32_t load_step(load_run *run, wl_key key, uint32_t sectors);

WL_ALWAYS_INLINE uint32_t load_usual(load_run *r, wl_key key, uint32_t sectors)
{
    const wl_touched touched = wl_load_one(r->c, key, sectors, r->kind, false);
    r->absent += !touched.resident;
    return touched.missing;
}

WL_ALWAYS_INLINE uint32_t load_of_table(load_run *r, wl_key key, uint32_t sectors)
{
    const bool dense = wl_is_dense(r->kind);
    const wl_spot at = r->policy == WL_POLICY_LRU      ? wl_lru_run_touch(r->c, &r->lru, key, dense)
                       : r->policy == WL_POLICY_RANDOM ? wl_table_run_random(r->c, &r->table, key, dense)
                                                       : wl_table_run_random_4(r->c, &r->table, key, dense);
    uint8_t *present = &at.bucket->sectors[at.place];
    const uint32_t before = *present & at.there, missing = sectors & ~before;
    *present = (uint8_t)(before | sectors);
    r->absent += ~at.there & 1;
    return missing;
}

WL_ALWAYS_INLINE uint32_t load_of_sets(load_run *r, wl_key key, uint32_t sectors)
{
    const wl_way at = wl_sets_run_touch(r->c, &r->sets, key, r->kind);
    uint8_t *present = &wl_sets_run_sectors(&r->sets, key.set, r->kind)[at.way];
    const uint32_t before = *present & at.there, missing = sectors & ~before;
    *present = (uint8_t)(before | sectors);
    r->absent += ~at.there & 1;
    return missing;
}

/* ---- all of them ---- */

/* Not usual: it asks for nothing, or its number is too large. */
WL_ALWAYS_INLINE bool is_usual(const load_run *r, const wl_request *request)
{
    return request->line < r->bound && request->sectors != 0;
}

WL_ALWAYS_INLINE wl_key key_at(const load_run *r, const wl_request *request)
{
    return wl_key_of(&r->spread, request->line, r->kind);
}

/* How many requests are usual, before one that is not; adds their sectors. Apart: it has registers
 * of its own then. */
static __attribute__((noinline)) size_t count_usual(const wl_request *requests, size_t count, uint64_t bound,
                                                    int64_t *sectors)
{
    int64_t sum = 0;
    size_t i = 0;
    for (; i < count && requests[i].line < bound && requests[i].sectors != 0; i++)
        sum += wl_bit_count(requests[i].sectors);
    *sectors += sum;
    return i;
}

/* The index of a request is fetched some requests before it is needed, its slot half as many. Keys
 * are made anew each time: that costs less than to keep them. Returns how many were loaded: up to
 * one that is not usual. */
WL_ALWAYS_INLINE size_t load_far(load_run *r, const wl_request *requests, size_t count, uint32_t *missing,
                                 load_step *load)
{
    int64_t asked = 0;
    /* these need fewer: measured */
    const size_t ahead = wl_is_wide(r->kind) || wl_is_table(r->kind) ? AHEAD_MAX / 2 : AHEAD_MAX;
    const bool slots = wl_needs_slots(r->kind), draws = wl_is_table(r->kind) && r->policy == WL_POLICY_RANDOM;
    count = count_usual(requests, count, r->bound, &asked);
    r->asked = asked;
    for (size_t i = 0; i < count && i < ahead; i++)
        wl_fetch_index(r->c, key_at(r, &requests[i]), r->kind);
    for (size_t i = 0; slots && i < count && i < ahead / 2; i++)
        wl_fetch_slot(r->c, key_at(r, &requests[i]), r->kind);
    for (size_t i = 0; i < count; i++) {
        if (draws && i % DRAWS_EACH == 0)
            wl_table_run_fetch(&r->table);
        if (i + ahead < count)
            wl_fetch_index(r->c, key_at(r, &requests[i + ahead]), r->kind);
        if (slots && i + ahead / 2 < count)
            wl_fetch_slot(r->c, key_at(r, &requests[i + ahead / 2]), r->kind);
        missing[i] = load(r, key_at(r, &requests[i]), requests[i].sectors);
    }
    return count;
}

WL_ALWAYS_INLINE size_t load_near(load_run *r, const wl_request *requests, size_t count, uint32_t *missing,
                                  load_step *load)
{
    size_t i = 0;
    for (; i < count && is_usual(r, &requests[i]); i++) {
        r->asked += wl_bit_count(requests[i].sectors);
        missing[i] = load(r, key_at(r, &requests[i]), requests[i].sectors);
    }
    return i;
}

WL_ALWAYS_INLINE load_run run_begin(wl_cache *c, wl_cache_kind kind)
{
    return (load_run){.c = c, .spread = c->spread, .bound = wl_bound_of(c), .kind = kind};
}

WL_ALWAYS_INLINE void run_end(const load_run *r)
{
    r->c->counts.line_misses += r->absent;
    r->c->counts.load_sectors += r->asked;
}

WL_ALWAYS_INLINE size_t load_some(load_run *r, const wl_request *requests, size_t count, uint32_t *missing,
                                  load_step *load)
{
    const size_t done =
        r->c->large ? load_far(r, requests, count, missing, load) : load_near(r, requests, count, missing, load);
    run_end(r);
    return done;
}

WL_ALWAYS_INLINE size_t load_all(wl_cache *c, const wl_request *requests, size_t count, uint32_t *missing,
                                 wl_cache_kind kind)
{
    load_run r = run_begin(c, kind);
    return load_some(&r, requests, count, missing, load_usual);
}

WL_ALWAYS_INLINE size_t load_sets(wl_cache *c, const wl_request *requests, size_t count, uint32_t *missing,
                                  wl_cache_kind kind)
{
    load_run r = run_begin(c, kind);
    wl_sets_run_begin(c, &r.sets, false);
    const size_t done = load_some(&r, requests, count, missing, load_of_sets);
    wl_sets_run_end(c, &r.sets, kind, r.absent);
    return done;
}

/* One form for each kind or policy, apart: together they would share the registers. */
#define FORM(name, load, constant)                                                                                     \
    static __attribute__((noinline)) size_t name(wl_cache *c, const wl_request *requests, size_t count,                \
                                                 uint32_t *missing)                                                    \
    {                                                                                                                  \
        return load(c, requests, count, missing, constant);                                                            \
    }
FORM(load_packed_lru, load_sets, WL_PACKED_LRU)
FORM(load_packed_random, load_sets, WL_PACKED_RANDOM)
FORM(load_packed_random_4, load_sets, WL_PACKED_RANDOM_4)
FORM(load_exact_lru, load_sets, WL_EXACT_LRU)
FORM(load_exact_random, load_sets, WL_EXACT_RANDOM)
FORM(load_exact_random_4, load_sets, WL_EXACT_RANDOM_4)
FORM(load_wide_lru, load_sets, WL_WIDE_LRU)
FORM(load_wide_random, load_sets, WL_WIDE_RANDOM)
FORM(load_wide_random_4, load_sets, WL_WIDE_RANDOM_4)
FORM(load_few_16, load_all, WL_FEW_16)
FORM(load_few_64, load_all, WL_FEW_64)
FORM(load_few_random, load_all, WL_FEW_RANDOM)
FORM(load_many_lru, load_all, WL_MANY_LRU)
FORM(load_many_random, load_all, WL_MANY_RANDOM)

/* ---- many loads of a table ---- */

/* What they count: lines that find none empty evict others. */
typedef struct evictions {
    int64_t before;
    int32_t holes;
} evictions;

static evictions evictions_begin(const wl_cache *c)
{
    return (evictions){c->counts.evicted_lines, c->queues[0].holes.count};
}

static void evictions_end(wl_cache *c, evictions e, int64_t absent)
{
    c->counts.evicted_lines = e.before + absent + c->queues[0].holes.count - e.holes;
}

WL_ALWAYS_INLINE size_t load_recent(wl_cache *c, const wl_request *requests, size_t count, uint32_t *missing,
                                    wl_cache_kind kind)
{
    load_run r = run_begin(c, kind);
    const evictions e = evictions_begin(c);
    r.policy = WL_POLICY_LRU;
    wl_lru_make_room(c, count);
    wl_lru_are_last(c, c->queues[0].tail, count);
    wl_lru_run_begin(c, &r.lru);
    const size_t done = load_some(&r, requests, count, missing, load_of_table);
    wl_lru_run_end(c, &r.lru);
    evictions_end(c, e, r.absent);
    return done;
}

WL_ALWAYS_INLINE size_t load_table(wl_cache *c, const wl_request *requests, size_t count, uint32_t *missing,
                                   wl_cache_kind kind, wl_policy policy)
{
    load_run r = run_begin(c, kind);
    const evictions e = evictions_begin(c);
    r.policy = policy;
    wl_table_run_begin(c, &r.table);
    if (policy == WL_POLICY_RANDOM)
        wl_table_run_foresee(&r.table, c->draws, count);
    const size_t done = load_some(&r, requests, count, missing, load_of_table);
    if (policy == WL_POLICY_RANDOM)
        wl_table_run_seen(&r.table);
    wl_table_run_end(c, &r.table);
    evictions_end(c, e, r.absent);
    return done;
}

WL_ALWAYS_INLINE size_t load_one_of_table(wl_cache *c, const wl_request *requests, size_t count, uint32_t *missing,
                                          wl_cache_kind kind)
{
    return load_table(c, requests, count, missing, kind, WL_POLICY_RANDOM);
}

WL_ALWAYS_INLINE size_t load_four_of_table(wl_cache *c, const wl_request *requests, size_t count, uint32_t *missing,
                                           wl_cache_kind kind)
{
    return load_table(c, requests, count, missing, kind, WL_POLICY_RANDOM_4);
}

FORM(load_table_lru, load_recent, WL_TABLE_LRU)
FORM(load_dense_lru, load_recent, WL_DENSE_LRU)
FORM(load_table_drawn, load_one_of_table, WL_TABLE_RANDOM)
FORM(load_dense_drawn, load_one_of_table, WL_DENSE_RANDOM)
/* these fill empty slots, too, under both policies */
FORM(load_table_random, load_four_of_table, WL_TABLE_RANDOM)
FORM(load_dense_random, load_four_of_table, WL_DENSE_RANDOM)
#undef FORM

/* ---- what loads add up to, apart from each of them: that needs fewer steps ---- */

/* Bits of a mask of sectors, in the same steps for each: they are done for several at once. */
WL_ALWAYS_INLINE uint32_t sectors_in(uint32_t mask)
{
    mask = mask - (mask >> 1 & 0x5555);
    mask = (mask & 0x3333) + (mask >> 2 & 0x3333);
    mask = (mask + (mask >> 4)) & 0x0f0f;
    return (mask + (mask >> 8)) & 0x1f;
}

/* What up to WL_AT_ONCE loads missed, of which so many found no line. */
static void add_missing(wl_cache *c, const uint32_t *missing, size_t count, int64_t absent)
{
    uint32_t misses = 0, sectors = 0;
    for (size_t i = 0; i < count; i++) {
        misses += missing[i] != 0;
        sectors += sectors_in(missing[i]);
    }
    c->counts.loads += (int64_t)count;
    c->counts.sector_misses += misses - absent;
    c->counts.fetched_sectors += sectors;
}

typedef size_t load_form(wl_cache *c, const wl_request *requests, size_t count, uint32_t *missing);

static load_form *form_of(const wl_cache *c)
{
    static load_form *const loads[] = {
        [WL_PACKED_LRU] = load_packed_lru,
        [WL_PACKED_RANDOM] = load_packed_random,
        [WL_PACKED_RANDOM_4] = load_packed_random_4,
        [WL_EXACT_LRU] = load_exact_lru,
        [WL_EXACT_RANDOM] = load_exact_random,
        [WL_EXACT_RANDOM_4] = load_exact_random_4,
        [WL_WIDE_LRU] = load_wide_lru,
        [WL_WIDE_RANDOM] = load_wide_random,
        [WL_WIDE_RANDOM_4] = load_wide_random_4,
        [WL_FEW_16] = load_few_16,
        [WL_FEW_64] = load_few_64,
        [WL_FEW_RANDOM] = load_few_random,
        [WL_TABLE_LRU] = load_table_lru,
        [WL_TABLE_RANDOM] = load_table_random,
        [WL_DENSE_LRU] = load_dense_lru,
        [WL_DENSE_RANDOM] = load_dense_random,
        [WL_MANY_LRU] = load_many_lru,
        [WL_MANY_RANDOM] = load_many_random,
    };
    if (wl_is_table(c->kind) && c->shape.policy == WL_POLICY_RANDOM && c->queues[0].holes.count == 0)
        return c->dense ? load_dense_drawn : load_table_drawn;
    return loads[c->kind];
}

void WL_LOAD_MANY(wl_cache *c, const wl_request *requests, size_t count, uint32_t *missing)
{
    for (size_t at = 0, done; at < count; at += done) {
        const size_t some = count - at < WL_AT_ONCE ? count - at : WL_AT_ONCE;
        const int64_t before = c->counts.line_misses;
        done = form_of(c)(c, requests + at, some, missing + at);
        const int64_t missed = c->counts.line_misses - before, few = (int64_t)done / GUESSED;
        add_missing(c, missing + at, done, missed);
        if (done >= MIXED_LEAST)
            c->mixed = missed > few && missed < (int64_t)done - few;
        if (done < some) {
            missing[at + done] = wl_cache_load(c, requests[at + done].line, requests[at + done].sectors).missing;
            done++;
        }
    }
}

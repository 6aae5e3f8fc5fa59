/* cache.c - see cache.h. SPDX-License-Identifier: MIT */
#include "cache/cache.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "cache/cache_lines.h"

#define LINES_MAX ((int64_t)1 << 28) /* places have 31-bit numbers */
#define RUN 4                        /* lines that WL_POLICY_RANDOM_4 evicts */
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

/* Places of a set follow each other; so do its empty ones, the last followed by the first. */
typedef struct line_set {
    wl_recency recency; /* least recently used policy */
    int32_t first_empty, empty;
} line_set;

struct wl_cache {
    wl_cache_shape shape;
    int32_t ways;
    int32_t set_count;
    wl_arena arena;
    wl_lines lines;
    line_set *sets;
    uint32_t *written; /* of dirty sectors that are not present: parts that are written */
    uint64_t random;   /* state of the generator */
    wl_evicted evicted[WL_EVICTED_MAX];
    wl_cache_counts counts;
};

/* ---- life ---- */

static bool make_sets(wl_cache *c)
{
    c->sets = WL_ARENA_NEW(&c->arena, line_set, c->set_count);
    if (c->shape.write_back)
        c->written = WL_ARENA_NEW(&c->arena, uint32_t, c->shape.lines * c->shape.sectors);
    if (!c->sets || (c->shape.write_back && !c->written) ||
        !wl_lines_make(&c->lines, c->shape.lines, c->ways, &c->arena))
        return false;
    for (int32_t s = 0; s < c->set_count; s++)
        c->sets[s] = (line_set){.recency = {-1, -1}, .empty = c->ways};
    return true;
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

static uint32_t present(const wl_line *line) { return line->sectors & ((1u << DIRTY_SHIFT) - 1); }
static uint32_t dirty(const wl_line *line) { return line->sectors >> DIRTY_SHIFT; }

static int32_t set_of(const wl_cache *c, uint64_t line)
{
    const uint64_t number = c->shape.hashed_sets ? wl_hash_word(line) : line;
    return c->set_count == 1 ? 0 : (int32_t)(number % (uint64_t)c->set_count);
}

static int32_t find(const wl_cache *c, uint64_t line)
{
    return wl_lines_find(&c->lines, line, set_of(c, line) * c->ways);
}

/* A number below n: xorshift64*, Vigna 2016. */
static int32_t draw(wl_cache *c, int32_t n)
{
    uint64_t state = c->random;
    state ^= state >> 12;
    state ^= state << 25;
    c->random = state ^= state >> 27;
    return (int32_t)((state * 0x2545f4914f6cdd1du >> 32) * (uint64_t)n >> 32);
}

static void count_written(wl_cache *c, const wl_line *line)
{
    c->counts.written_back += wl_bit_count(dirty(line));
    c->counts.partial += wl_bit_count(dirty(line) & ~present(line));
}

/* A full set loses lines. */
static void evict(wl_cache *c, line_set *set, int32_t first)
{
    const bool lru = c->shape.policy == WL_POLICY_LRU;
    set->first_empty = lru ? set->recency.oldest - first : draw(c, c->ways);
    set->empty = c->shape.policy != WL_POLICY_RANDOM_4 ? 1 : c->ways < RUN ? c->ways : RUN;
    if (lru)
        wl_recency_forget(&set->recency, &c->lines, set->recency.oldest);
    for (int32_t i = 0; i < set->empty; i++) {
        const int32_t way = set->first_empty + i, at = first + (way < c->ways ? way : way - c->ways);
        const wl_line *gone = &c->lines.places[at];
        c->evicted[i] = (wl_evicted){gone->number, present(gone), dirty(gone)};
        if (dirty(gone))
            count_written(c, gone);
        wl_lines_leave(&c->lines, at);
    }
    c->counts.evicted_lines += set->empty;
}

/* A place for a line that is not there, in its set. */
static int32_t make_place(wl_cache *c, line_set *set, int32_t first, wl_touched *touched)
{
    if (set->empty == 0) {
        evict(c, set, first);
        touched->evicted = (uint8_t)set->empty;
    }
    const int32_t way = set->first_empty;
    set->first_empty = way + 1 == c->ways ? 0 : way + 1;
    set->empty--;
    return first + way;
}

/* Finds or makes a line, and makes it the last used one; returns its place. */
static int32_t touch(wl_cache *c, uint64_t line, wl_touched *touched)
{
    const bool lru = c->shape.policy == WL_POLICY_LRU;
    const int32_t number = set_of(c, line), first = number * c->ways;
    line_set *set = &c->sets[number];
    int32_t at = wl_lines_find(&c->lines, line, first);
    touched->resident = at >= 0;
    if (at >= 0) {
        if (lru)
            wl_recency_use(&set->recency, &c->lines, at);
        return at;
    }
    at = make_place(c, set, first, touched);
    wl_lines_enter(&c->lines, line, at);
    if (lru)
        wl_recency_begin(&set->recency, &c->lines, at);
    return at;
}

/* ---- loads ---- */

wl_touched wl_cache_load(wl_cache *c, uint64_t line, uint32_t sectors)
{
    wl_touched touched = {0};
    wl_line *l = &c->lines.places[touch(c, line, &touched)];
    touched.missing = sectors & ~l->sectors;
    l->sectors |= sectors;
    c->counts.loads++;
    c->counts.line_misses += touched.missing && !touched.resident;
    c->counts.sector_misses += touched.missing && touched.resident;
    c->counts.load_sectors += wl_bit_count(sectors);
    c->counts.fetched_sectors += wl_bit_count(touched.missing);
    return touched;
}

void wl_cache_expect(const wl_cache *c, uint64_t line, bool soon)
{
    const int32_t set = set_of(c, line);
    wl_lines_expect(&c->lines, line, set * c->ways, soon);
    if (!soon)
        wl_fetch_ahead(&c->sets[set]);
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
    for (int64_t i = 0; i < c->shape.lines; i++) {
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

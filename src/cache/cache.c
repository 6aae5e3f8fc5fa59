/* cache.c - see cache.h. SPDX-License-Identifier: MIT */
#include "cache/cache.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/hash.h"

#define SEARCHED_WAYS_MAX 8 /* more ways are hashed */
#define BUCKETS_PER_LINE 2
#define QUEUE_PER_WAY 4              /* entries of the queue of recency */
#define LINES_MAX ((int64_t)1 << 28) /* slots have 32-bit numbers, queues four times as many */
#define EVERY_WAY 0xfedcba9876543210u
#define NO_LINE UINT64_MAX                 /* tag of an empty slot */
#define RUN 4                              /* lines that WL_POLICY_RANDOM_4 evicts */
#define SPREAD 0x9e3779b97f4a7c15u         /* 2^64 / golden ratio: the upper bits of a product are a hash */
#define GENERATOR_STEP 0x2545f4914f6cdd1du /* xorshift64*, Vigna 2016 */

typedef struct slot {
    uint64_t line;
    uint32_t present, dirty;
    uint32_t used; /* place of its last use in the queue */
    int32_t next;  /* of the same bucket */
} slot;

/* Empty slots of a set follow each other, the last followed by the first. */
typedef struct cache_set {
    int32_t hole, holes; /* first of them; how many */
    uint32_t head, tail; /* of its queue */
    uint64_t order;      /* of a set that is searched: ways, four bits each, the last used lowest */
} cache_set;

struct wl_cache {
    wl_cache_shape shape;
    int32_t ways;
    uint64_t set_count, set_mask; /* mask: of a power of two, else 0 */
    bool searched, ordered;       /* searched: else hashed; ordered: recency is kept in a queue */
    uint64_t random;
    slot *slots;
    cache_set *sets;
    uint32_t *tags;    /* of slots that are searched: lower halves of lines */
    int32_t *buckets;  /* of slots that are hashed; -1: none */
    int bucket_shift;  /* 64 - log2 of their number */
    uint32_t *queue;   /* slots by use, of one set after the other */
    uint32_t *written; /* of dirty sectors that are not present: parts that are written */
    wl_evicted evicted[WL_EVICTED_MAX];
    wl_cache_counts counts;
};

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

static bool make_index(wl_cache *c, size_t lines)
{
    int bits = 1;
    if (c->searched) {
        c->tags = malloc(lines * sizeof *c->tags);
        if (c->tags)
            memset(c->tags, -1, lines * sizeof *c->tags);
        return c->tags != NULL;
    }
    while ((size_t)1 << bits < BUCKETS_PER_LINE * lines)
        bits++;
    c->bucket_shift = 64 - bits;
    c->buckets = malloc(sizeof *c->buckets << bits);
    if (c->buckets)
        memset(c->buckets, -1, sizeof *c->buckets << bits);
    return c->buckets != NULL;
}

static bool make_slots(wl_cache *c)
{
    const size_t lines = (size_t)c->shape.lines;
    c->slots = calloc(lines, sizeof *c->slots);
    c->sets = calloc((size_t)c->set_count, sizeof *c->sets);
    if (c->ordered)
        c->queue = malloc(lines * QUEUE_PER_WAY * sizeof *c->queue);
    if (c->shape.write_back)
        c->written = malloc(lines * (size_t)c->shape.sectors * sizeof *c->written);
    if (!c->slots || !c->sets || (c->ordered && !c->queue) || (c->shape.write_back && !c->written))
        return false;
    for (size_t i = 0; i < lines; i++)
        c->slots[i].line = NO_LINE;
    for (uint64_t s = 0; s < c->set_count; s++)
        c->sets[s] = (cache_set){.holes = c->ways, .order = EVERY_WAY};
    return make_index(c, lines);
}

wl_status wl_cache_new(const wl_cache_shape *shape, wl_cache **out, wl_error *err)
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
    c->searched = ways <= SEARCHED_WAYS_MAX;
    c->ordered = !c->searched && shape->policy == WL_POLICY_LRU;
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
    free(c->slots);
    free(c->sets);
    free(c->tags);
    free(c->buckets);
    free(c->queue);
    free(c->written);
    free(c);
}

/* ---- where a line is ---- */

static uint64_t set_of(const wl_cache *c, uint64_t line)
{
    if (c->set_count == 1)
        return 0;
    const uint64_t key = c->shape.hashed_sets ? wl_hash_word(line) : line;
    return c->set_mask ? key & c->set_mask : key % c->set_count;
}

static int32_t *bucket_of(const wl_cache *c, uint64_t line) { return &c->buckets[line * SPREAD >> c->bucket_shift]; }

/* The slot of a line; -1: it is not there. */
static inline int32_t find(const wl_cache *c, uint64_t line, uint64_t set)
{
    if (!c->searched) {
        int32_t at = *bucket_of(c, line);
        while (at >= 0 && c->slots[at].line != line)
            at = c->slots[at].next;
        return at;
    }
    /* all ways without a branch: which of them it is cannot be foreseen */
    const int32_t first = (int32_t)(set * (uint64_t)c->ways);
    uint32_t alike = 0;
    for (int32_t way = 0; way < c->ways; way++)
        alike |= (uint32_t)(c->tags[first + way] == (uint32_t)line) << way;
    for (; alike; alike &= alike - 1) {
        const int32_t at = first + __builtin_ctz(alike);
        if (c->slots[at].line == line)
            return at;
    }
    return -1;
}

static void enter(wl_cache *c, int32_t at, uint64_t line)
{
    slot *s = &c->slots[at];
    s->line = line;
    s->present = s->dirty = 0;
    if (c->searched) {
        c->tags[at] = (uint32_t)line;
        return;
    }
    int32_t *bucket = bucket_of(c, line);
    s->next = *bucket;
    *bucket = at;
}

static void leave(wl_cache *c, int32_t at)
{
    slot *s = &c->slots[at];
    if (!c->searched) {
        int32_t *link = bucket_of(c, s->line);
        while (*link != at)
            link = &c->slots[*link].next;
        *link = s->next;
    }
    s->line = NO_LINE;
}

/* ---- recency ---- */

/* Only the last entry of each slot stays. */
static void shorten_queue(wl_cache *c, cache_set *s, uint32_t *queue)
{
    uint32_t kept = 0;
    for (uint32_t i = s->head; i < s->tail; i++) {
        slot *entry = &c->slots[queue[i]];
        if (entry->used != i)
            continue;
        queue[kept] = queue[i];
        entry->used = kept++;
    }
    s->head = 0;
    s->tail = kept;
}

static uint32_t *queue_of(const wl_cache *c, uint64_t set)
{
    return c->queue + set * QUEUE_PER_WAY * (uint64_t)c->ways;
}

/* The way becomes the lowest; those below it move up by one. */
static uint64_t move_to_front(uint64_t order, uint64_t way)
{
    const uint64_t ones = 0x1111111111111111u, differs = order ^ way * ones;
    const int at = __builtin_ctzll((differs - ones) & ~differs & ones << 3) - 3;
    const uint64_t below = ((uint64_t)1 << at) - 1;
    return (order & ~(below << 4 | 15)) | (order & below) << 4 | way;
}

static inline void use(wl_cache *c, int32_t at, uint64_t set)
{
    cache_set *s = &c->sets[set];
    if (!c->ordered) {
        if (c->searched)
            s->order = move_to_front(s->order, (uint64_t)at - set * (uint64_t)c->ways);
        return;
    }
    uint32_t *queue = queue_of(c, set);
    if (s->tail == QUEUE_PER_WAY * (uint32_t)c->ways)
        shorten_queue(c, s, queue);
    queue[s->tail] = (uint32_t)at;
    c->slots[at].used = s->tail++;
}

/* The slot of a full set that was used least recently. */
static int32_t oldest(wl_cache *c, uint64_t set)
{
    cache_set *s = &c->sets[set];
    if (c->ordered) {
        const uint32_t *queue = queue_of(c, set);
        while (c->slots[queue[s->head]].used != s->head)
            s->head++;
        return (int32_t)queue[s->head++];
    }
    return (int32_t)(set * (uint64_t)c->ways) + (int32_t)(s->order >> 4 * (c->ways - 1) & 15);
}

/* ---- eviction ---- */

/* 0 <= result < n */
static int32_t draw(wl_cache *c, int32_t n)
{
    c->random ^= c->random >> 12;
    c->random ^= c->random << 25;
    c->random ^= c->random >> 27;
    return (int32_t)((c->random * GENERATOR_STEP >> 32) * (uint64_t)n >> 32);
}

static void count_written(wl_cache *c, uint32_t present, uint32_t dirty)
{
    c->counts.written_back += wl_bit_count(dirty);
    c->counts.partial += wl_bit_count(dirty & ~present);
}

static int evict(wl_cache *c, uint64_t number)
{
    cache_set *s = &c->sets[number];
    const int32_t first = (int32_t)(number * (uint64_t)c->ways);
    s->hole = c->shape.policy == WL_POLICY_LRU ? oldest(c, number) - first : draw(c, c->ways);
    s->holes = c->shape.policy != WL_POLICY_RANDOM_4 ? 1 : c->ways < RUN ? c->ways : RUN;
    for (int32_t i = 0; i < s->holes; i++) {
        const int32_t at = first + (s->hole + i) % c->ways;
        const slot *gone = &c->slots[at];
        c->evicted[i] = (wl_evicted){gone->line, gone->present, gone->dirty};
        if (gone->dirty)
            count_written(c, gone->present, gone->dirty);
        leave(c, at);
    }
    c->counts.evicted_lines += s->holes;
    return s->holes;
}

/* A slot for a line that is not there. */
static int32_t place(wl_cache *c, uint64_t line, uint64_t number, uint8_t *evicted)
{
    cache_set *s = &c->sets[number];
    *evicted = s->holes == 0 ? (uint8_t)evict(c, number) : 0;
    const int32_t at = (int32_t)(number * (uint64_t)c->ways) + s->hole;
    s->hole = s->hole + 1 == c->ways ? 0 : s->hole + 1;
    s->holes--;
    enter(c, at, line);
    return at;
}

/* ---- accesses ---- */

wl_touched wl_cache_load(wl_cache *c, uint64_t line, uint32_t sectors)
{
    const uint64_t set = set_of(c, line);
    wl_touched touched = {0};
    int32_t at = find(c, line, set);
    touched.resident = at >= 0;
    if (at < 0)
        at = place(c, line, set, &touched.evicted);
    slot *s = &c->slots[at];
    touched.missing = sectors & ~s->present;
    c->counts.load_sectors += wl_bit_count(sectors);
    if (touched.missing) {
        s->present |= sectors;
        c->counts.fetched_sectors += wl_bit_count(touched.missing);
        c->counts.sector_misses += touched.resident;
        c->counts.line_misses += !touched.resident;
    } else {
        c->counts.hits++;
    }
    use(c, at, set);
    return touched;
}

/* Bytes that arrive one after the other may fill a sector. */
static void write_parts(wl_cache *c, int32_t at, uint32_t sectors, const uint32_t *written)
{
    slot *s = &c->slots[at];
    uint32_t *parts = c->written + (size_t)at * (size_t)c->shape.sectors;
    for (int i = 0; i < c->shape.sectors; i++) {
        const uint32_t bit = 1u << i;
        if (!(sectors & bit) || s->present & bit)
            continue;
        parts[i] = s->dirty & bit ? parts[i] | written[i] : written[i];
        s->present |= parts[i] == WL_WRITTEN_ALL ? bit : 0;
    }
    s->dirty |= sectors;
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
    const uint64_t set = set_of(c, line);
    wl_touched touched = {0};
    int32_t at = find(c, line, set);
    touched.resident = at >= 0;
    c->counts.stores++;
    c->counts.store_hits += touched.resident;
    c->counts.store_sectors += wl_bit_count(sectors);
    if (at < 0 && !c->shape.store_allocates)
        return touched;
    if (at < 0)
        at = place(c, line, set, &touched.evicted);
    slot *s = &c->slots[at];
    if (c->shape.write_back && written)
        write_parts(c, at, sectors, written);
    else if (c->shape.write_back || c->shape.store_allocates)
        s->present |= written ? whole_sectors(c, sectors, written) : sectors;
    if (c->shape.write_back)
        s->dirty |= sectors;
    use(c, at, set);
    return touched;
}

uint32_t wl_cache_fill(wl_cache *c, uint64_t line, uint32_t sectors)
{
    const uint64_t set = set_of(c, line);
    uint8_t evicted = 0;
    int32_t at = find(c, line, set);
    if (at < 0) {
        at = place(c, line, set, &evicted);
        use(c, at, set);
    }
    const uint32_t filled = sectors & ~c->slots[at].present;
    c->slots[at].present |= sectors;
    return filled;
}

const wl_evicted *wl_cache_evicted(const wl_cache *c) { return c->evicted; }

bool wl_cache_holds(const wl_cache *c, uint64_t line) { return find(c, line, set_of(c, line)) >= 0; }

void wl_cache_clean(wl_cache *c)
{
    for (int64_t i = 0; i < c->shape.lines; i++)
        if (c->slots[i].line != NO_LINE && c->slots[i].dirty) {
            count_written(c, c->slots[i].present, c->slots[i].dirty);
            c->slots[i].dirty = 0;
        }
}

wl_cache_counts wl_cache_count(const wl_cache *c)
{
    wl_cache_counts counts = c->counts;
    counts.loads = counts.hits + counts.sector_misses + counts.line_misses;
    return counts;
}

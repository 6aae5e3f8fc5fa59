/* cache_internal.h - what a cache is made of: slots with lines, and an index that finds a line's
 * slot.
 *
 * Few ways are searched, all at once (packed_sets.h, wide_sets.h; few_ways.h for more sectors or
 * larger numbers of lines); many are hashed (line_table.h, lru_table.h; many_ways.h for several
 * sets, more sectors or larger numbers). An access needs few cache lines of the host: those of the
 * index, and of the slot where it is apart.
 *
 * Layer  cache.
 * SPDX-License-Identifier: MIT */
#ifndef WL_CACHE_CACHE_INTERNAL_H
#define WL_CACHE_CACHE_INTERNAL_H

#include <stddef.h>
#include <string.h>

#include "base/ckd.h"
#include "base/hash.h"
#include "cache/cache.h"
#include "cache/compared.h"

#define WL_WIDE_WAYS 64
#define WL_FEW_WAYS_MAX WL_WIDE_WAYS /* more are hashed */
#define WL_NO_LINE UINT64_MAX        /* of an empty slot */
#define WL_PLACES 8                  /* of a group */
#define WL_GROUP_LINES 4             /* of a group, at most, on average */
#define WL_RUN 4                     /* lines that WL_POLICY_RANDOM_4 evicts */
#define WL_AT_ONCE 256               /* loads, at most, of which counts are added up */
#define WL_MEMORY_LINE ((size_t)64)  /* of the host */

typedef struct wl_slot {
    uint64_t line;
    uint32_t sectors; /* present, and above them dirty ones */
    uint32_t used;    /* many ways: place of its last use in the queue */
} wl_slot;

#define WL_DIRTY_SHIFT WL_SECTORS_MAX

#define WL_PACKED_SECTORS 4 /* present and dirty ones of so many in one byte, dirty ones above */

static inline uint32_t wl_present(const wl_slot *s) { return s->sectors & ((1u << WL_DIRTY_SHIFT) - 1); }
static inline uint32_t wl_dirty(const wl_slot *s) { return s->sectors >> WL_DIRTY_SHIFT; }

/* Sectors of a byte, as those of a slot; and back. */
static inline uint32_t wl_unpacked_sectors(uint32_t sectors)
{
    return (sectors & 15) | sectors >> WL_PACKED_SECTORS << WL_DIRTY_SHIFT;
}
static inline uint8_t wl_packed_sectors(uint32_t sectors)
{
    return (uint8_t)((sectors & 15) | sectors >> WL_DIRTY_SHIFT << WL_PACKED_SECTORS);
}

/* What a cache does, as a constant where it matters: the loops over many loads have one form for
 * each. */
typedef enum wl_cache_kind {
    WL_PACKED_LRU,
    WL_PACKED_RANDOM,
    WL_PACKED_RANDOM_4,
    WL_EXACT_LRU, /* more than 16 ways, without numbers of lines; from here on with them */
    WL_EXACT_RANDOM,
    WL_EXACT_RANDOM_4,
    WL_WIDE_LRU,
    WL_WIDE_RANDOM,
    WL_WIDE_RANDOM_4,
    WL_FEW_16,
    WL_FEW_64,
    WL_FEW_RANDOM,
    WL_TABLE_LRU, /* from here on lines are hashed; these have one set */
    WL_TABLE_RANDOM,
    WL_DENSE_LRU, /* the same with short tags */
    WL_DENSE_RANDOM,
    WL_MANY_LRU,
    WL_MANY_RANDOM
} wl_cache_kind;

static inline bool wl_is_table(wl_cache_kind kind) { return kind >= WL_TABLE_LRU && kind <= WL_DENSE_RANDOM; }
static inline bool wl_is_dense(wl_cache_kind kind) { return kind == WL_DENSE_LRU || kind == WL_DENSE_RANDOM; }

/* Empty slots of a set follow each other, the last followed by the first. */
typedef struct wl_holes {
    int32_t first, count;
} wl_holes;

/* Of a set with many ways. Each use of a slot is an entry of a queue; of these only the last one of
 * each slot counts, which has a bit in `last_uses`. */
typedef struct wl_queue {
    uint32_t head; /* nothing counts before it */
    wl_holes holes;
    /* apart from head: side by side, compilers move both through a vector at each use */
    uint32_t tail;
} wl_queue;

#define WL_PASSED_ON ((uint32_t)1 << 31)

/* Slots of lines whose hashes begin alike. Those that find no place go to the next group. */
typedef struct wl_group {
    uint16_t tags[WL_PLACES]; /* other bits of the hash; 0: nothing there */
    uint32_t slots[WL_PLACES];
    uint32_t passed; /* lines that found no place here, and lie in one of the next groups */
    uint32_t unused[3];
} wl_group;

/* See line_table.h. Six tags and what is used are compared as if there were eight of each. */
typedef struct wl_bucket {
    union {
        struct {
            uint32_t tags[WL_PLACES_OF_LINES];
            /* time of the last use; random policies: slot + 1, or 0 */
            uint32_t used[WL_PLACES_OF_LINES];
        };
        struct { /* of a dense table */
            uint16_t short_tags[WL_PLACES_MAX];
            uint32_t short_used[WL_PLACES_MAX];
        };
    };
    uint8_t sectors[WL_PLACES_MAX]; /* packed */
    uint32_t unused;
    /* lines that found no place here, and lie in one of the next buckets: their last use; random
     * policies: their number */
    uint32_t passed;
} wl_bucket;

/* Of tags. The bit above them: not in the bucket of its hash, which `homes` tells. */
#define WL_TAG_BITS(dense) ((dense) ? 15 : 31)
#define WL_PASSED(dense) ((uint32_t)1 << WL_TAG_BITS(dense))

/* Which ways of a set have a line, under random policies. */
typedef struct wl_filled {
    uint64_t lines;        /* a bit for each way that has one; what others hold is void */
    uint32_t first, count; /* of those without, which follow each other */
} wl_filled;

/* See packed_sets.h. */
typedef struct wl_packed_set {
    uint32_t low[WL_PACKED_WAYS]; /* bits of the numbers of lines */
    uint16_t high[WL_PACKED_WAYS];
    union {
        int8_t ages[WL_PACKED_WAYS];
        wl_filled filled;
    };
    uint8_t sectors[WL_PACKED_WAYS]; /* present; from bit 4 on dirty */
} wl_packed_set;

/* As wl_holes, of up to 64 ways. */
typedef struct wl_holes_of_64 {
    uint8_t first, count;
} wl_holes_of_64;

/* See wide_sets.h. */
typedef struct wl_wide_set {
    uint8_t tags[2][WL_WIDE_WAYS]; /* lower bytes, then upper ones */
    int8_t ages[WL_WIDE_WAYS];
    uint8_t sectors[WL_WIDE_WAYS]; /* as those of a packed set */
} wl_wide_set;

/* What a line's set, bucket or group follows from. */
typedef struct wl_spread {
    uint64_t sets, mask, inverse; /* mask: of a power of two, else 0; 2^64 / sets */
    int set_shift;                /* log2 of a power of two, else -1 */
    int group_shift;              /* 64 - log2 of the number of buckets or groups */
    int tag_shift;                /* of tables: 64 - bits of the numbers of lines */
    uint64_t factor, back;        /* by which hashes are made, and lines of hashes */
    bool hashed;                  /* see wl_cache_shape */
} wl_spread;

typedef struct wl_draws wl_draws;

struct wl_cache {
    wl_cache_shape shape;
    int32_t ways;
    wl_spread spread;
    wl_cache_kind kind;
    bool few, wide; /* wide: of the few, more than 16 */
    bool failed;    /* see wl_cache_failed */
    bool large;     /* more than the nearby caches of the host hold */
    bool dense;     /* so much more that a table has short tags */
    bool avx2;      /* the host has vectors of 32 bytes */
    uint64_t random;
    int32_t run; /* lines that an access evicts if the set is full */
    wl_slot *slots;
    /* what was allocated for sets or groups, which begin with a memory line; and for entries */
    void *index, *queue_memory;
    /* few ways, packed */
    wl_packed_set *packed;
    wl_wide_set *wide_sets;
    /* of each set, under random policies */
    wl_holes_of_64 *holes;
    /* lower bits of the numbers of lines, of WL_WIDE_WAYS ways a set; or NULL */
    uint32_t *low;
    /* where a line is written that stands already */
    wl_packed_set spare;
    /* few ways */
    wl_tags *sets;    /* tags, then ages or holes, of one set after the other */
    wl_ages last_age; /* of the oldest way, repeated to fill a vector */
    int64_t empty;    /* slots */
    /* many ways */
    wl_bucket *buckets;
    wl_group *groups;
    uint64_t group_mask;
    wl_queue *queues;
    uint32_t queue_room; /* entries of a queue, a multiple of 64 */
    uint32_t *entries;   /* slots */
    uint64_t *last_uses; /* a bit for each entry */
    /* of each slot in the table: 8 * group + place, WL_PASSED_ON: not in the group of its hash */
    uint32_t *places;
    uint32_t *homes; /* of places in buckets: see WL_PASSED */
    wl_draws *draws; /* of a table: see line_table.h */
    bool mixed;      /* of late, some lines were there and some were not: no use to guess */

    uint32_t *written; /* of dirty sectors that are not present: parts that are written */
    wl_evicted evicted[WL_EVICTED_MAX];
    uint8_t evicted_count;
    wl_cache_counts counts;
};

/* How many groups of a hash table a cache needs; notes how they follow from a hash. */
size_t wl_cache_groups(wl_cache *cache);

/* Where a line may be: all that follows from its number alone. */
typedef struct wl_key {
    uint64_t line, set, group;
    uint32_t tag; /* of 16 bits, tables: WL_TAG_BITS */
} wl_key;

#define WL_EXACT_TAGS 0xffffu /* tags of exact sets are below; this one is none */

/* With the lower half of a line's number, of 48 bits, it gives the upper half. */
static inline uint32_t wl_wide_tag(uint64_t line)
{
    return ((uint32_t)(line >> 32) ^ (uint32_t)line * 0x9e3779b1u >> 16) & 0xffff;
}

/* n / sets and the remainder, without a division: the quotient of the rounded inverse is right or
 * one too small. */
WL_ALWAYS_INLINE uint64_t wl_set_quotient(const wl_spread *s, uint64_t n, uint64_t *rest)
{
    __extension__ typedef unsigned __int128 product;
    if (s->set_shift >= 0) {
        *rest = n & s->mask;
        return n >> s->set_shift;
    }
    const uint64_t quotient = (uint64_t)((product)n * s->inverse >> 64), left = n - quotient * s->sets;
    const uint64_t more = left >= s->sets;
    *rest = left - more * s->sets;
    return quotient + more;
}

WL_ALWAYS_INLINE wl_key wl_key_of(const wl_spread *s, uint64_t line, wl_cache_kind kind)
{
    const uint64_t spread = wl_hash_add(0, line), hash = wl_hash_end(spread);
    const bool few = kind < WL_TABLE_LRU;
    wl_key key = {.line = line};
    if (wl_is_table(kind)) {
        const uint64_t all = line * s->factor;
        key.group = all >> s->group_shift;
        key.tag = (uint32_t)(all >> s->tag_shift) & (WL_PASSED(wl_is_dense(kind)) - 1);
        return key;
    }
    if (kind >= WL_EXACT_LRU && kind <= WL_EXACT_RANDOM_4) {
        key.tag = (uint32_t)wl_set_quotient(s, line, &key.set);
        return key;
    }
    if (s->sets > 1)
        (void)wl_set_quotient(s, s->hashed ? hash : line, &key.set);
    if (kind <= WL_PACKED_RANDOM_4)
        return key;
    if (kind <= WL_WIDE_RANDOM_4) {
        key.tag = wl_wide_tag(line);
        return key;
    }
    key.group = few ? 0 : spread >> s->group_shift;
    key.tag = ((uint32_t)(few ? spread >> 48 : hash) & 0xffff) | 1;
    return key;
}

/* Numbers of lines of a table are below. */
static inline uint64_t wl_table_lines(const wl_spread *s) { return (uint64_t)1 << (64 - s->tag_shift); }

/* The line that a key of a table is of. */
static inline uint64_t wl_table_line(const wl_spread *s, wl_key key)
{
    return (key.group << (s->group_shift - s->tag_shift) | key.tag) * s->back & (wl_table_lines(s) - 1);
}

static inline void wl_slot_clear(wl_slot *s, uint64_t line)
{
    s->line = line;
    s->sectors = 0;
}

/* xorshift64*, Vigna 2016: the next state .. */
static inline uint64_t wl_random_next(uint64_t state)
{
    state ^= state >> 12;
    state ^= state << 25;
    return state ^ state >> 27;
}

/* .. and what it gives, 0 <= result < n. */
static inline int32_t wl_random_below(uint64_t state, int32_t n)
{
    return (int32_t)((state * 0x2545f4914f6cdd1du >> 32) * (uint64_t)n >> 32);
}

static inline int32_t wl_cache_draw(wl_cache *c, int32_t n)
{
    c->random = wl_random_next(c->random);
    return wl_random_below(c->random, n);
}

/* Of two addresses the first if the mask is all bits, the second if it is none: a choice that the
 * compiler leaves a choice of numbers, which needs no guess. */
WL_ALWAYS_INLINE void *wl_either_of(uint32_t mask, const void *first, const void *second)
{
    uintptr_t a = (uintptr_t)first, b = (uintptr_t)second, wide = (uintptr_t)(intptr_t)(int32_t)mask;
    return (void *)((a & wide) | (b & ~wide)); /* NOLINT(performance-no-int-to-ptr) */
}

/* A mask of all bits or none, as a number of which the compiler knows nothing: it cannot make a
 * branch of what follows. */
WL_ALWAYS_INLINE uint32_t wl_mask_of(bool all)
{
    uint32_t mask = (uint32_t)-all;
#if defined(__GNUC__)
    __asm__("" : "+r"(mask));
#endif
    return mask;
}

/* Of two numbers. */
WL_ALWAYS_INLINE uint32_t wl_either(uint32_t mask, uint32_t first, uint32_t second)
{
    return second ^ ((first ^ second) & mask);
}

static inline void wl_cache_count_written(wl_cache *c, const wl_slot *s)
{
    c->counts.written_back += wl_bit_count(wl_dirty(s));
    c->counts.partial += wl_bit_count(wl_dirty(s) & ~wl_present(s));
}

/* Notes what a slot loses. */
static inline void wl_cache_note_evicted(wl_cache *c, int i, const wl_slot *gone)
{
    c->evicted[i] = (wl_evicted){gone->line, wl_present(gone), wl_dirty(gone)};
    if (wl_dirty(gone))
        wl_cache_count_written(c, gone);
    c->counts.evicted_lines++;
}

static inline void wl_fetch_ahead(const void *memory)
{
#if defined(__GNUC__)
    __builtin_prefetch(memory, 1, 3);
#else
    (void)memory;
#endif
}

/* wl_cache_load_many in both forms; the second: see load_many_avx2.c. */
void wl_load_many_plain(wl_cache *cache, const wl_request *requests, size_t count, uint32_t *missing);
void wl_load_many_avx2(wl_cache *cache, const wl_request *requests, size_t count, uint32_t *missing);

/* wl_cache_new with the bytes of slots up to which nothing is fetched ahead. */
wl_status wl_cache_new_near(const wl_cache_shape *shape, size_t nearby, wl_cache **out, wl_error *err);

/* Zeros, from the start of a pair of memory lines on; in huge pages, if there is much of it.
 * *allocated: to be freed. */
void *wl_cache_memory(size_t bytes, void **allocated);
/* Empty ones. NULL: no memory. */
wl_slot *wl_cache_slots(size_t lines);
void wl_cache_free_memory(wl_cache *c);
void wl_cache_forget_memory(wl_cache *c);

#endif /* WL_CACHE_CACHE_INTERNAL_H */

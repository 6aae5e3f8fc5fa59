/* prop_cache.c - the cache simulator against the most naive one: every slot has a timestamp, every
 * search is linear.
 *
 * Random traces of loads and stores through caches of all policies, ways and sectors, alone and as
 * a hierarchy. The reference draws from a generator of its own that must be the simulator's; it
 * shares nothing else.
 * SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cache/hierarchy.h"
#include "effort.h"
#include "property/random_source.h"

#define CASES 1200
#define ACCESSES 3000
#define LINES_MAX 256

/* ---- the reference ---- */

typedef struct naive_line {
    bool there;
    uint64_t line, used;
    bool present[WL_SECTORS_MAX], dirty[WL_SECTORS_MAX];
    uint32_t written[WL_SECTORS_MAX]; /* bytes, in parts of 1/32 */
} naive_line;

typedef struct naive {
    wl_cache_shape shape;
    int64_t ways;
    int64_t next[LINES_MAX], left[LINES_MAX]; /* by set: the next empty slot; how many are left */
    naive_line slots[LINES_MAX];
    uint64_t now, generator;
    wl_cache_counts counts;
    naive_line gone[4];
    int gone_count;
} naive;

static void naive_start(naive *n, const wl_cache_shape *shape)
{
    memset(n, 0, sizeof *n);
    n->shape = *shape;
    n->ways = shape->ways ? shape->ways : shape->lines;
    for (int64_t s = 0; s < shape->lines / n->ways; s++)
        n->left[s] = n->ways;
    uint64_t z = (shape->seed + 1) * 0x9e3779b97f4a7c15u;
    n->generator = (z ^ z >> 32) | 1;
}

static int64_t naive_draw(naive *n, int64_t below)
{
    uint64_t x = n->generator;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    n->generator = x;
    return (int64_t)((x * 0x2545f4914f6cdd1du >> 32) * (uint64_t)below >> 32);
}

static int64_t naive_set(const naive *n, uint64_t line)
{
    const uint64_t sets = (uint64_t)(n->shape.lines / n->ways), z = line * 0x9e3779b97f4a7c15u;
    return (int64_t)((n->shape.hashed_sets ? z ^ z >> 32 : line) % sets);
}

static int64_t naive_find(const naive *n, uint64_t line)
{
    for (int64_t i = 0; i < n->shape.lines; i++)
        if (n->slots[i].there && n->slots[i].line == line)
            return i;
    return -1;
}

static void naive_evict(naive *n, int64_t set)
{
    int64_t first = 0, count = 1;
    if (n->shape.policy == WL_POLICY_LRU) {
        for (int64_t w = 1; w < n->ways; w++)
            if (n->slots[set * n->ways + w].used < n->slots[set * n->ways + first].used)
                first = w;
    } else {
        first = naive_draw(n, n->ways);
        count = n->shape.policy == WL_POLICY_RANDOM ? 1 : n->ways < 4 ? n->ways : 4;
    }
    for (int64_t i = 0; i < count; i++) {
        naive_line *l = &n->slots[set * n->ways + (first + i) % n->ways];
        assert_true(l->there);
        n->gone[n->gone_count++] = *l;
        for (int s = 0; s < n->shape.sectors; s++) {
            n->counts.written_back += l->dirty[s];
            n->counts.partial += l->dirty[s] && !l->present[s];
        }
        l->there = false;
    }
    n->counts.evicted_lines += count;
    n->next[set] = first;
    n->left[set] = count;
}

static int64_t naive_place(naive *n, uint64_t line)
{
    const int64_t set = naive_set(n, line);
    if (n->left[set] == 0)
        naive_evict(n, set);
    const int64_t at = set * n->ways + n->next[set];
    n->next[set] = (n->next[set] + 1) % n->ways;
    n->left[set]--;
    n->slots[at] = (naive_line){.there = true, .line = line};
    return at;
}

static uint32_t naive_load(naive *n, uint64_t line, uint32_t sectors)
{
    int64_t at = naive_find(n, line);
    const bool resident = at >= 0;
    uint32_t missing = 0;
    n->gone_count = 0;
    if (!resident)
        at = naive_place(n, line);
    n->slots[at].used = ++n->now;
    for (int s = 0; s < n->shape.sectors; s++)
        if (sectors >> s & 1) {
            missing |= n->slots[at].present[s] ? 0 : 1u << s;
            n->counts.load_sectors++;
            n->counts.fetched_sectors += !n->slots[at].present[s];
            n->slots[at].present[s] = true;
        }
    n->counts.loads++;
    n->counts.hits += !missing;
    n->counts.sector_misses += missing && resident;
    n->counts.line_misses += missing && !resident;
    return missing;
}

static void naive_store_sector(const naive *n, naive_line *l, int s, uint32_t written)
{
    if (!n->shape.write_back) {
        l->present[s] = l->present[s] || (n->shape.store_allocates && written == ~0u);
        return;
    }
    l->written[s] = l->dirty[s] && !l->present[s] ? l->written[s] | written : written;
    l->dirty[s] = true;
    l->present[s] = l->present[s] || l->written[s] == ~0u;
}

static void naive_store(naive *n, uint64_t line, uint32_t sectors, const uint32_t *written)
{
    int64_t at = naive_find(n, line);
    n->gone_count = 0;
    n->counts.stores++;
    n->counts.store_hits += at >= 0;
    for (int s = 0; s < n->shape.sectors; s++)
        n->counts.store_sectors += sectors >> s & 1;
    if (at < 0 && !n->shape.store_allocates)
        return;
    if (at < 0)
        at = naive_place(n, line);
    n->slots[at].used = ++n->now;
    for (int s = 0; s < n->shape.sectors; s++)
        if (sectors >> s & 1)
            naive_store_sector(n, &n->slots[at], s, written ? written[s] : ~0u);
}

static uint32_t naive_fill(naive *n, uint64_t line, uint32_t sectors)
{
    int64_t at = naive_find(n, line);
    uint32_t filled = 0;
    n->gone_count = 0;
    if (at < 0) {
        at = naive_place(n, line);
        n->slots[at].used = ++n->now;
    }
    for (int s = 0; s < n->shape.sectors; s++)
        if (sectors >> s & 1) {
            filled |= n->slots[at].present[s] ? 0 : 1u << s;
            n->slots[at].present[s] = true;
        }
    return filled;
}

static void naive_clean(naive *n)
{
    for (int64_t i = 0; i < n->shape.lines; i++)
        for (int s = 0; s < n->shape.sectors; s++) {
            n->counts.written_back += n->slots[i].there && n->slots[i].dirty[s];
            n->counts.partial += n->slots[i].there && n->slots[i].dirty[s] && !n->slots[i].present[s];
            n->slots[i].dirty[s] = false;
        }
}

/* ---- random cases ---- */

static wl_cache_shape random_shape(random_source *r)
{
    const int64_t ways[] = {0, 0, 0, 1, 2, 3, 4, 5, 8, 9, 16, 17, 24, 32, 63, 64, 65, 72}, way = RANDOM_OF(r, ways);
    const int sectors[] = {1, 2, 4, 4, 8, 16};
    wl_cache_shape s = {.ways = way};
    const int64_t sets = random_in(r, 1, way > 32 ? 3 : way > 8 ? 4 : 9);
    s.lines = way ? way * sets : random_in(r, 1, 220); /* more than 64 ways are hashed */
    s.sectors = RANDOM_OF(r, sectors);
    s.policy = (wl_policy)random_in(r, 0, WL_POLICY_COUNT - 1);
    s.seed = (uint64_t)random_in(r, 0, 1000);
    s.hashed_sets = random_chance(r, 30);
    s.write_back = random_chance(r, 50);
    s.store_allocates = random_chance(r, 50);
    s.tells_evicted = random_chance(r, 80);
    return s;
}

/* Neighbouring lines, old ones and any. */
typedef struct walk {
    random_source *r;
    uint64_t line;
    int64_t distinct;
    int sectors;
    int far;     /* of a hundred lines, those with larger numbers */
    bool crowd;  /* lines that belong to few buckets of a hash table */
    int far_bit; /* of those numbers */
} walk;

/* The number of a line whose hash ends with one of seven numbers: inverts wl_hash_word. */
static uint64_t crowded(uint64_t line)
{
    const uint64_t factor = 0x9e3779b97f4a7c15u, hash = line / 7 << 8 | line % 7;
    uint64_t back = factor; /* right in three bits; each step doubles them */
    for (int i = 0; i < 5; i++)
        back *= 2 - factor * back;
    return (hash ^ hash >> 32) * back;
}

static uint64_t next_line(walk *w)
{
    if (random_chance(w->r, 50))
        w->line = w->line + 1;
    else
        w->line = (uint64_t)random_in(w->r, 0, w->distinct - 1);
    w->line %= (uint64_t)w->distinct;
    if (w->far > 0 && random_chance(w->r, w->far))
        return w->line | (uint64_t)1 << w->far_bit;
    if (w->crowd)
        return crowded(w->line);
    /* some differ in their upper halves alone */
    return w->line << (w->distinct % 3 == 0 ? 33 : 0) | w->line;
}

static uint32_t next_sectors(const walk *w)
{
    const uint64_t bits = random_bits(w->r) >> 20;
    const uint32_t all = w->sectors == 32 ? ~0u : (1u << w->sectors) - 1;
    const uint32_t mask = (uint32_t)bits & all;
    return mask ? mask : 1;
}

/* Parts that are written: often all, or a half. */
static const uint32_t *next_written(const walk *w, uint32_t written[WL_SECTORS_MAX])
{
    const uint32_t parts[] = {~0u, 0xffffu, 0xffff0000u, 0xff00ff00u};
    if (random_chance(w->r, 40))
        return NULL;
    for (int s = 0; s < WL_SECTORS_MAX; s++)
        written[s] = RANDOM_OF(w->r, parts);
    return written;
}

static void check_counts(const wl_cache_counts *a, const wl_cache_counts *b)
{
    assert_int_equal(a->loads, b->loads);
    assert_int_equal(a->hits, b->hits);
    assert_int_equal(a->sector_misses, b->sector_misses);
    assert_int_equal(a->line_misses, b->line_misses);
    assert_int_equal(a->stores, b->stores);
    assert_int_equal(a->store_hits, b->store_hits);
    assert_int_equal(a->load_sectors, b->load_sectors);
    assert_int_equal(a->fetched_sectors, b->fetched_sectors);
    assert_int_equal(a->store_sectors, b->store_sectors);
    assert_int_equal(a->evicted_lines, b->evicted_lines);
    assert_int_equal(a->written_back, b->written_back);
    assert_int_equal(a->partial, b->partial);
    assert_int_equal(a->loads, a->hits + a->sector_misses + a->line_misses);
}

static void check_evicted(const wl_cache *cache, const naive *n, int evicted)
{
    assert_int_equal(evicted, n->gone_count);
    for (int i = 0; i < evicted && n->shape.tells_evicted; i++) {
        const wl_evicted *e = &wl_cache_evicted(cache)[i];
        assert_true(e->line == n->gone[i].line);
        assert_false(wl_cache_holds(cache, e->line));
        for (int s = 0; s < n->shape.sectors; s++) {
            assert_int_equal(e->present >> s & 1, n->gone[i].present[s]);
            assert_int_equal(e->dirty >> s & 1, n->gone[i].dirty[s]);
        }
    }
}

static void one_access(wl_cache *cache, naive *n, walk *w)
{
    const uint64_t line = next_line(w);
    const uint32_t sectors = next_sectors(w);
    const bool resident = naive_find(n, line) >= 0;
    uint32_t written[WL_SECTORS_MAX];
    wl_touched touched;
    assert_int_equal(wl_cache_holds(cache, line), resident);
    if (random_chance(w->r, 70)) {
        touched = wl_cache_load(cache, line, sectors);
        assert_int_equal(touched.missing, naive_load(n, line, sectors));
    } else {
        const uint32_t *parts = next_written(w, written);
        touched = wl_cache_store(cache, line, sectors, parts);
        naive_store(n, line, sectors, parts);
        assert_int_equal(touched.missing, 0);
    }
    assert_int_equal(touched.resident, resident);
    check_evicted(cache, n, touched.evicted);
}

#define BATCH_MAX 40

/* Several loads that are announced: what each of them misses, and afterwards everything else,
 * must be the same. */
static int one_batch(wl_cache *cache, naive *n, walk *w)
{
    wl_request requests[BATCH_MAX];
    const int count = (int)random_in(w->r, 0, BATCH_MAX);
    for (int i = 0; i < count; i++) {
        requests[i] = (wl_request){.line = next_line(w)};
        requests[i].sectors = next_sectors(w);
        wl_cache_expect(cache, requests[i].line);
    }
    for (int i = 0; i < count; i++) {
        const uint32_t missing = wl_cache_load(cache, requests[i].line, requests[i].sectors).missing;
        assert_int_equal(missing, naive_load(n, requests[i].line, requests[i].sectors));
    }
    return count;
}

static void test_one_cache(void **state)
{
    static naive n;
    int cases[2][WL_POLICY_COUNT] = {{0}}; /* sets that are searched and hashed, by policy */
    (void)state;
    for (uint64_t seed = 1; seed <= effort_cases(CASES); seed++) {
        random_source r = random_start(seed);
        const wl_cache_shape shape = random_shape(&r);
        const int64_t distinct = random_in(&r, 1, 3 * shape.lines);
        walk w = {&r, 0, distinct, shape.sectors, 0, random_chance(&r, 40), random_chance(&r, 30) ? 40 : 50};
        wl_cache *cache = NULL;
        wl_error err = {0};
        assert_int_equal(wl_cache_new(&shape, &cache, &err), WL_OK);
        const int begins_far = random_chance(&r, 25) ? (int)random_in(&r, 0, ACCESSES) : ACCESSES;
        naive_start(&n, &shape);
        for (int i = 0; i < ACCESSES; i++) {
            w.far = i >= begins_far ? 2 : 0;
            if (i % 500 == 0) /* at times, few lines, and most are not used for long */
                w.distinct = random_chance(&r, 30) ? 1 + distinct / 8 : distinct;
            if (random_chance(&r, 85))
                one_access(cache, &n, &w);
            else
                i += one_batch(cache, &n, &w);
        }
        cases[n.ways > 64][shape.policy]++;
        wl_cache_counts counts = wl_cache_count(cache);
        check_counts(&counts, &n.counts);
        wl_cache_clean(cache);
        naive_clean(&n);
        counts = wl_cache_count(cache);
        check_counts(&counts, &n.counts);
        wl_cache_free(cache);
    }
    if (!effort_is_full()) /* too few cases for all of them */
        return;
    for (int p = 0; p < WL_POLICY_COUNT; p++)
        assert_true(cases[0][p] > 0 && cases[1][p] > 0);
}

/* ---- large caches ---- */

#define LARGE (9 << 10) /* lines: more than nearby caches of the host hold */
#define LARGE_BATCH 200

/* Memory that is fetched ahead changes nothing: loads that are announced are as others. */
static void check_large(const wl_cache_shape *shape)
{
    random_source r = random_start(1);
    wl_cache *plain = NULL, *announced = NULL;
    wl_error err = {0};
    assert_int_equal(wl_cache_new(shape, &plain, &err), WL_OK);
    assert_int_equal(wl_cache_new(shape, &announced, &err), WL_OK);
    for (int batch = 0; batch < 400; batch++) {
        wl_request requests[LARGE_BATCH];
        const int count = (int)random_in(&r, 0, LARGE_BATCH);
        for (int i = 0; i < count; i++) {
            requests[i] = (wl_request){.line = (uint64_t)random_in(&r, 0, 2 * LARGE), .sectors = 1};
            wl_cache_expect(announced, requests[i].line);
        }
        for (int i = 0; i < count; i++)
            assert_int_equal(wl_cache_load(plain, requests[i].line, 1).missing,
                             wl_cache_load(announced, requests[i].line, 1).missing);
    }
    const wl_cache_counts a = wl_cache_count(plain), b = wl_cache_count(announced);
    check_counts(&a, &b);
    assert_true(a.evicted_lines > 0);
    wl_cache_free(plain);
    wl_cache_free(announced);
}

static void test_large(void **state)
{
    const int64_t ways[] = {4, 16, 64, LARGE / 2, 0};
    (void)state;
    for (size_t w = 0; w < sizeof ways / sizeof ways[0]; w++)
        for (int p = 0; p < WL_POLICY_COUNT; p++) {
            const wl_cache_shape shape = {.lines = LARGE, .ways = ways[w], .sectors = 1, .policy = (wl_policy)p};
            check_large(&shape);
        }
}

/* ---- laws ---- */

/* A larger fully associative LRU cache never misses more; no cache fetches less than there is. */
static void test_inclusion(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= effort_cases(CASES / 4); seed++) {
        int64_t misses = INT64_MAX;
        const int64_t distinct = 1 + (int64_t)(seed % 90);
        for (int64_t lines = 1; lines <= 100; lines += 1 + lines / 4) {
            random_source r = random_start(seed);
            walk w = {&r, 0, distinct, 4, 0, false, 0};
            const wl_cache_shape shape = {.lines = lines, .sectors = 4};
            bool seen[3 * LINES_MAX][4] = {0};
            int64_t cold = 0;
            wl_cache *cache = NULL;
            wl_error err = {0};
            assert_int_equal(wl_cache_new(&shape, &cache, &err), WL_OK);
            for (int i = 0; i < ACCESSES; i++) {
                const uint64_t line = next_line(&w);
                const uint32_t sectors = next_sectors(&w);
                (void)wl_cache_load(cache, line, sectors);
                for (int s = 0; s < 4; s++) {
                    cold += sectors >> s & 1 && !seen[w.line][s];
                    seen[w.line][s] = seen[w.line][s] || sectors >> s & 1;
                }
            }
            const wl_cache_counts counts = wl_cache_count(cache);
            assert_true(counts.fetched_sectors <= misses);
            assert_true(counts.fetched_sectors >= cold);
            assert_true(lines < distinct || counts.fetched_sectors == cold);
            misses = counts.fetched_sectors;
            wl_cache_free(cache);
        }
    }
}

/* ---- several levels ---- */

#define SMS_MAX 3
#define PARTITIONS_MAX 3

typedef struct naive_levels {
    wl_hierarchy_shape shape;
    naive l1[SMS_MAX], l2[PARTITIONS_MAX];
    wl_hierarchy_counts counts;
} naive_levels;

static int bits_of(uint32_t mask)
{
    int n = 0;
    for (; mask; mask >>= 1)
        n += (int)(mask & 1);
    return n;
}

static void levels_load(naive_levels *l, int64_t sm, uint64_t line, uint32_t sectors)
{
    const int64_t near = sm % l->shape.partitions, home = wl_home_partition(line, l->shape.partitions);
    const uint32_t asked = naive_load(&l->l1[sm], line, sectors);
    if (!asked)
        return;
    uint32_t missing = naive_load(&l->l2[near], line, asked);
    l->counts.l2_to_l1 += bits_of(asked);
    if (missing && near != home) {
        l->counts.between_partitions += bits_of(missing);
        missing = naive_load(&l->l2[home], line, missing);
    }
    l->counts.l2_hits += bits_of(asked & ~missing);
    l->counts.dram_to_l2 += bits_of(missing);
    uint32_t extra = 0; /* neighbours that come along */
    for (int s = 0; s < l->shape.l2.sectors; s++)
        for (int t = 0; t < l->shape.l2.sectors; t++)
            if (missing >> t & 1 && s / l->shape.dram_sectors == t / l->shape.dram_sectors)
                extra |= missing >> s & 1 ? 0 : 1u << s;
    if (extra)
        l->counts.dram_to_l2 += bits_of(naive_fill(&l->l2[home], line, extra));
}

static void levels_store(naive_levels *l, int64_t sm, uint64_t line, uint32_t sectors, const uint32_t *written)
{
    const int64_t near = sm % l->shape.partitions, home = wl_home_partition(line, l->shape.partitions);
    naive_store(&l->l1[sm], line, sectors, written);
    naive_store(&l->l2[home], line, sectors, written);
    l->counts.l1_to_l2 += bits_of(sectors);
    if (near == home)
        return;
    l->counts.between_partitions += bits_of(sectors);
    if (!written)
        (void)naive_fill(&l->l2[near], line, sectors);
}

static void add_counts(wl_cache_counts *sum, const naive *n)
{
    int64_t *to = (int64_t *)sum;
    const int64_t *from = (const int64_t *)&n->counts;
    for (size_t i = 0; i < sizeof *sum / sizeof *to; i++)
        to[i] += from[i];
}

static void check_levels(const wl_hierarchy *h, const naive_levels *l)
{
    const wl_hierarchy_counts counts = wl_hierarchy_count(h);
    wl_cache_counts l1 = {0}, l2 = {0};
    for (int64_t i = 0; i < l->shape.sms; i++)
        add_counts(&l1, &l->l1[i]);
    for (int64_t i = 0; i < l->shape.partitions; i++)
        add_counts(&l2, &l->l2[i]);
    check_counts(&counts.l1, &l1);
    check_counts(&counts.l2, &l2);
    assert_int_equal(counts.l2_to_l1, l->counts.l2_to_l1);
    assert_int_equal(counts.l1_to_l2, l->counts.l1_to_l2);
    assert_int_equal(counts.l2_hits, l->counts.l2_hits);
    assert_int_equal(counts.between_partitions, l->counts.between_partitions);
    assert_int_equal(counts.dram_to_l2, l->counts.dram_to_l2);
    assert_int_equal(counts.l2_to_dram, l2.written_back);
    /* what leaves one level arrives at the next */
    assert_int_equal(counts.l2_to_l1, counts.l1.fetched_sectors);
    assert_int_equal(counts.l1_to_l2, counts.l1.store_sectors);
    assert_true(counts.l2_hits <= counts.l2_to_l1);
    assert_true(counts.dram_to_l2 >= counts.l2_to_l1 - counts.l2_hits);
}

static void start_levels(naive_levels *l, random_source *r)
{
    const int together[] = {1, 2, 4};
    memset(l, 0, sizeof *l);
    l->shape.l1 = random_shape(r);
    l->shape.l2 = random_shape(r);
    l->shape.sms = random_in(r, 1, SMS_MAX);
    l->shape.partitions = random_in(r, 1, PARTITIONS_MAX);
    l->shape.dram_sectors = RANDOM_OF(r, together);
    l->shape.l1.write_back = false;
    l->shape.l2.write_back = l->shape.l2.store_allocates = true;
    l->shape.l1.sectors = l->shape.l2.sectors = 4;
    for (int i = 0; i < SMS_MAX; i++) {
        wl_cache_shape one = l->shape.l1;
        one.seed += (uint64_t)i;
        naive_start(&l->l1[i], &one);
    }
    for (int i = 0; i < PARTITIONS_MAX; i++) {
        wl_cache_shape one = l->shape.l2;
        one.seed += (uint64_t)i;
        naive_start(&l->l2[i], &one);
    }
}

static void test_levels(void **state)
{
    static naive_levels l;
    (void)state;
    for (uint64_t seed = 1; seed <= effort_cases(CASES / 2); seed++) {
        random_source r = random_start(seed);
        start_levels(&l, &r);
        walk w = {&r, 0, random_in(&r, 1, 3 * (l.shape.l1.lines + l.shape.l2.lines)), 4, 0, false, 0};
        wl_hierarchy *h = NULL;
        wl_error err = {0};
        assert_int_equal(wl_hierarchy_new(&l.shape, &h, &err), WL_OK);
        for (int i = 0; i < ACCESSES; i++) {
            const int64_t sm = random_in(&r, 0, l.shape.sms - 1);
            uint32_t written[WL_SECTORS_MAX];
            wl_request request = {.line = next_line(&w)};
            request.sectors = next_sectors(&w);
            if (random_chance(&r, 70)) {
                wl_hierarchy_load(h, sm, &request);
                levels_load(&l, sm, request.line, request.sectors);
            } else {
                request.written = next_written(&w, written);
                wl_hierarchy_store(h, sm, &request);
                levels_store(&l, sm, request.line, request.sectors, request.written);
            }
        }
        check_levels(h, &l);
        wl_hierarchy_clean(h);
        for (int64_t i = 0; i < l.shape.partitions; i++)
            naive_clean(&l.l2[i]);
        check_levels(h, &l);
        wl_hierarchy_free(h);
    }
}

static void test_refused(void **state)
{
    static const wl_cache_shape bad[] = {{.lines = 0, .sectors = 1},
                                         {.lines = 10, .ways = 4, .sectors = 1},
                                         {.lines = 8, .ways = -1, .sectors = 1},
                                         {.lines = 8, .sectors = 0},
                                         {.lines = 8, .sectors = 17}};
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        wl_cache *cache = NULL;
        wl_error err = {0};
        assert_int_equal(wl_cache_new(&bad[i], &cache, &err), WL_E_INPUT);
        assert_null(cache);
        assert_true(err.message[0] != '\0');
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_one_cache), cmocka_unit_test(test_large),
                                       cmocka_unit_test(test_inclusion), cmocka_unit_test(test_levels),
                                       cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

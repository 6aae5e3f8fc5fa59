/* bench_cache.c - how many accesses the cache simulator serves per second on one core.
 *
 * Caches of the size of an L1 and of an L2, with few ways, many ways and fully associative, under each policy; random
 * lines, of which about half hit, and a stencil of 7 x 7, whose lines nearly all hit. Prints the best of some rounds and
 * the ratio to the bar of 50 million; asserts nothing. */

#include "bench.h"

#include "cache/cache.h"

#define BAR 50e6 /* accesses per second */
#define ROUNDS 5
#define ACCESSES ((size_t)1 << 22)
#define BATCH ((size_t)256) /* a warp's turn has as many */

typedef struct trace {
    const char *name;
    wl_request *requests;
} trace;

static void request(wl_request *r, uint64_t line) { *r = (wl_request){.line = line, .sectors = 1u << (line & 3)}; }

static void fill_random(wl_request *requests, uint64_t distinct)
{
    uint64_t state = 88172645463325252u;
    for (size_t i = 0; i < ACCESSES; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        request(&requests[i], (state >> 32) * distinct >> 32);
    }
}

/* Tasks of 7 rows of 32 cells, two lines of a row each. */
static void fill_stencil(wl_request *requests, uint64_t per_row)
{
    for (size_t i = 0; i < ACCESSES; i++) {
        const size_t task = i / 14, within = i % 14;
        request(&requests[i], (task / per_row + within / 2) * per_row + task % per_row + within % 2);
    }
}

static void bench(const wl_cache_shape *shape, const trace *t)
{
    double best = 0;
    int64_t hits = 0;
    uint32_t missing[BATCH];
    for (int round = 0; round < ROUNDS; round++) {
        wl_error err = {0};
        wl_cache *cache = NULL;
        must(wl_cache_new(shape, &cache, &err), &err);
        const double start = cpu_seconds();
        for (size_t i = 0; i < ACCESSES; i += BATCH)
            wl_cache_load_many(cache, t->requests + i, BATCH, missing);
        const double rate = (double)ACCESSES / (cpu_seconds() - start);
        best = rate > best ? rate : best;
        hits = wl_cache_count(cache).hits;
        wl_cache_free(cache);
    }
    printf("%7lld lines %5lld ways %-8s %-8s hits %5.1f %%  %6.1f M/s  %5.2f of the bar\n", (long long)shape->lines,
           (long long)shape->ways, wl_policy_name(shape->policy), t->name, 100 * (double)hits / (double)ACCESSES,
           best * 1e-6, best / BAR);
}

int main(void)
{
    const int64_t sizes[] = {2048, 262144}, ways[] = {4, 16, 64, 0};
    trace random = {"random", malloc(ACCESSES * sizeof(wl_request))};
    trace stencil = {"stencil", malloc(ACCESSES * sizeof(wl_request))};
    if (!random.requests || !stencil.requests)
        return 1;
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        fill_random(random.requests, 2 * (uint64_t)sizes[s]);
        fill_stencil(stencil.requests, (uint64_t)sizes[s] / 16);
        for (size_t w = 0; w < sizeof ways / sizeof ways[0]; w++)
            for (int p = 0; p < WL_POLICY_COUNT; p++) {
                const wl_cache_shape shape = {.lines = sizes[s], .ways = ways[w], .sectors = 4, .policy = (wl_policy)p};
                bench(&shape, &random);
                bench(&shape, &stencil);
            }
    }
    free(random.requests);
    free(stencil.requests);
    return 0;
}

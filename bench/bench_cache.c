/* bench_cache.c - how many accesses the cache simulator serves per second on one core.
 *
 * Caches of the size of an L1 and of an L2, with few ways, many ways and fully associative, under
 * each policy; random lines, of which about half hit, and a stencil of 7 x 7, whose lines nearly
 * all hit. Each access is announced a little before. Prints the best of some rounds; asserts
 * nothing.
 *
 * On a machine that others use, a core does less in the same time. A loop of arithmetic that does
 * nothing else is timed before each round; the last column is the rate at the speed that this loop
 * had in its fastest round, by the median over rounds. What others do to caches and memory is not
 * in it. */

#include "bench.h"

#include "cache/cache.h"

#define ROUNDS 5
#define ACCESSES ((size_t)1 << 22)
#define AHEAD ((size_t)16) /* accesses that are announced before they come */

/* Nanoseconds of one step of eight generators that do not wait for each other. */
static double reference_ns(void)
{
    const int steps = 1 << 18;
    uint64_t state[8], all = 0;
    for (int i = 0; i < 8; i++)
        state[i] = 88172645463325252u + (uint64_t)i;
    const double start = cpu_seconds();
    for (int n = 0; n < steps; n++)
        for (int i = 0; i < 8; i++) {
            state[i] ^= state[i] << 13;
            state[i] ^= state[i] >> 7;
            state[i] ^= state[i] << 17;
        }
    const double seconds = cpu_seconds() - start;
    for (int i = 0; i < 8; i++)
        all |= state[i];
    /* it is never 0: the compiler must not leave the loop out */
    return all ? 1e9 * seconds / steps : 0;
}

static double fastest_ns; /* of the reference, in this run */

static int ascending(const void *p, const void *q)
{
    const double a = *(const double *)p, b = *(const double *)q;
    return (a > b) - (a < b);
}

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
    double best = 0, per_step[ROUNDS];
    int64_t hits = 0;
    for (int round = 0; round < ROUNDS; round++) {
        wl_error err = {0};
        wl_cache *cache = NULL;
        must(wl_cache_new(shape, &cache, &err), &err);
        const double reference = reference_ns();
        const double start = cpu_seconds();
        for (size_t i = 0; i < ACCESSES; i++) {
            if (i + AHEAD < ACCESSES)
                wl_cache_expect(cache, t->requests[i + AHEAD].line);
            wl_cache_load(cache, t->requests[i].line, t->requests[i].sectors);
        }
        const double rate = (double)ACCESSES / (cpu_seconds() - start);
        best = rate > best ? rate : best;
        per_step[round] = rate * reference;
        fastest_ns = reference < fastest_ns ? reference : fastest_ns;
        hits = wl_cache_count(cache).hits;
        wl_cache_free(cache);
    }
    qsort(per_step, ROUNDS, sizeof *per_step, ascending);
    printf("%7lld lines %5lld ways %-8s %-8s hits %5.1f %%  %6.1f M/s  undisturbed %6.1f M/s\n",
           (long long)shape->lines, (long long)shape->ways,
           shape->hashed_sets ? "lru hash" : wl_policy_name(shape->policy), t->name,
           100 * (double)hits / (double)ACCESSES, best * 1e-6, per_step[ROUNDS / 2] / fastest_ns * 1e-6);
}

int main(void)
{
    const int64_t sizes[] = {2048, 262144}, ways[] = {4, 16, 64, 0};
    trace random = {"random", malloc(ACCESSES * sizeof(wl_request))};
    trace stencil = {"stencil", malloc(ACCESSES * sizeof(wl_request))};
    if (!random.requests || !stencil.requests) {
        free(random.requests);
        free(stencil.requests);
        return 1;
    }
    fastest_ns = reference_ns();
    for (int i = 0; i < 200; i++) {
        const double ns = reference_ns();
        fastest_ns = ns < fastest_ns ? ns : fastest_ns;
    }
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        fill_random(random.requests, 2 * (uint64_t)sizes[s]);
        fill_stencil(stencil.requests, (uint64_t)sizes[s] / 16);
        for (size_t w = 0; w < sizeof ways / sizeof ways[0]; w++)
            for (int p = 0; p < WL_POLICY_COUNT; p++) {
                const wl_cache_shape shape = {.lines = sizes[s], .ways = ways[w], .sectors = 4, .policy = (wl_policy)p};
                bench(&shape, &random);
                bench(&shape, &stencil);
            }
        /* as of an L2 */
        const wl_cache_shape l2 = {.lines = sizes[s], .ways = 16, .sectors = 4, .hashed_sets = true};
        bench(&l2, &random);
        bench(&l2, &stencil);
    }
    printf("reference: %.2f ns a step at best\n", fastest_ns);
    free(random.requests);
    free(stencil.requests);
    return 0;
}

/* prop_passes.c - laws/reloads.h against a cache that is simulated line by line: blocks that pass
 * several times over rows of their own, side by side, each at its own pace. A missing line replaces
 * the older of two random ones.
 *
 * WL_SEED sets the first seed and WL_ITERATIONS the number of cases.
 * SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "effort.h"
#include "laws/traffic_laws.h"
#include "property/random_source.h"

#define LINE 128
#define SECTOR 32
#define LINES_MAX 1024  /* of the cache */
#define RESIDENT_MAX 32 /* blocks */
#define NEAR 0.09       /* shares: the law takes all lines of one age as equal */

typedef struct passes {
    /* lines of the cache; blocks; lines of a row; passes over it */
    int64_t lines, resident, row, passes;
} passes;

/* ---- the simulated cache ---- */

typedef struct cache {
    int64_t line[LINES_MAX], used[LINES_MAX], count, now;
} cache;

static bool touch(cache *c, const passes *p, random_source *r, int64_t line)
{
    int64_t at = 0;
    while (at < c->count && c->line[at] != line)
        at++;
    const bool hit = at < c->count;
    if (!hit && c->count < p->lines) {
        c->count++;
    } else if (!hit) {
        const int64_t a = random_in(r, 0, p->lines - 1);
        const int64_t b = random_in(r, 0, p->lines - 1);
        at = c->used[a] < c->used[b] ? a : b;
    }
    c->line[at] = line;
    c->used[at] = c->now++;
    return hit;
}

typedef struct block {
    int64_t number, at; /* at: lines that it has loaded so far, all passes */
} block;

/* The share of loads after the first pass that miss, when the first blocks are gone. */
static double simulated(const passes *p, random_source *r, int64_t blocks)
{
    static cache c;
    block resident[RESIDENT_MAX];
    int64_t next = 0, again = 0, missed = 0;
    memset(&c, 0, sizeof c);
    for (int64_t i = 0; i < p->resident; i++) {
        resident[i].number = next++;
        resident[i].at = random_in(r, 0, p->row * p->passes - 1);
    }
    while (next < blocks) {
        block *b = &resident[random_in(r, 0, p->resident - 1)];
        const int64_t pass = b->at / p->row, place = b->number * p->row + b->at % p->row;
        const bool hit = touch(&c, p, r, place);
        if (next > 2 * p->resident && pass > 0) {
            again++;
            missed += !hit;
        }
        if (++b->at == p->row * p->passes)
            *b = (block){.number = next++};
    }
    return (double)missed / (double)again;
}

/* ---- the law ---- */

static double predicted(const passes *p, double blocks)
{
    const double per_line = (double)LINE / SECTOR, row = (double)p->row * per_line * blocks;
    wl_field_traffic field = {.loads.requested = row * (double)p->passes,
                              .loads.block_sectors = row,
                              .loads.block_lines = row / per_line,
                              .loads.warp_sectors = row,
                              .loads.step_sectors = {row * (double)p->passes, row * (double)p->passes, row},
                              .loads.step_warp_sectors = {row * (double)p->passes, 0},
                              .stores.loaded_too = true};
    const wl_traffic traffic = {.field_count = 1,
                                .fields = &field,
                                .blocks = blocks,
                                .wave_blocks = (double)p->resident,
                                .resident = (double)p->resident,
                                .warps = blocks,
                                .sms = 1,
                                .l1_bytes = (double)p->lines * LINE,
                                .sector = SECTOR,
                                .line = LINE,
                                .unit = SECTOR,
                                .fetch = SECTOR,
                                .l2_line = LINE,
                                .step_count = 3,
                                .step_lines = {1, (double)p->row, (double)p->row},
                                .step_distinct = {per_line, (double)p->row * per_line, (double)p->row * per_line},
                                .step_share = {0, 1 / (double)p->passes, 1}};
    const wl_laws laws = {.reload = {0.5, 10, 2}, .combine = {0, 0, 6}, .partitions = 1, .room = 1e9, .steepness = 4};
    wl_volume volume;
    wl_volumes out;
    wl_volumes_by_laws(&traffic, &laws, &volume, &out);
    return out.l1_miss_rate;
}

static passes random_passes(random_source *r)
{
    passes p = {.lines = LINES_MAX >> random_in(r, 0, 2), .resident = random_in(r, 1, RESIDENT_MAX)};
    p.passes = random_in(r, 2, 6);
    /* 0.1 to 3 times the cache, together */
    p.row = 2 + p.lines * random_in(r, 1, 30) / 10 / p.resident;
    return p;
}

static void closed_form_and_simulation(void **state)
{
    (void)state;
    const char *first = getenv("WL_SEED"), *more = getenv("WL_ITERATIONS");
    const uint64_t seed = first ? strtoull(first, NULL, 10) : 1,
                   cases = more ? strtoull(more, NULL, 10) : effort_cases(60);
    double sum = 0;
    for (uint64_t i = 0; i < cases; i++) {
        random_source r = random_start(seed + i);
        const passes p = random_passes(&r);
        const int64_t blocks = 12 * p.resident + 20;
        const double want = simulated(&p, &r, blocks), got = predicted(&p, (double)blocks);
        sum += got - want;
        if (fabs(got - want) > NEAR) {
            print_error(
                "WL_SEED=%llu WL_ITERATIONS=1: %lld passes of %lld blocks over rows of %lld lines, cache of %lld\n",
                (unsigned long long)(seed + i), (long long)p.passes, (long long)p.resident, (long long)p.row,
                (long long)p.lines);
            check_near("passes", "miss rate", got, want, NEAR);
        }
    }
    check_near("passes", "mean difference", 1 + sum / (double)cases, 1, 0.03);
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(closed_form_and_simulation)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

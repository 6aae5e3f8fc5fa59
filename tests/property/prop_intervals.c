/* prop_intervals.c - what holds for the interval models on every life of a warp, machine and
 * launch: values are finite, stacks add up, the models have an order, and better machines are not
 * slower.
 *
 * WL_SEED sets the first seed and WL_ITERATIONS the number of cases.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* the shared headers hold more than one test needs */
#pragma GCC diagnostic ignored "-Wunused-function"
#include "effort.h"
#include "model/interval_model.h"
#include "property/random_source.h"

#define INTERVALS 6
#define LIVES 3
#define NEAR 1e-9

static wl_contention_model *const models[] = {wl_gpumech, wl_gpumech_plus, wl_mdm_queue, wl_mdm_mshr, wl_mdm};
#define MODELS (sizeof models / sizeof models[0])

typedef struct interval_case {
    wl_life_interval intervals[LIVES][INTERVALS];
    wl_life_profile lives[LIVES];
    size_t count;
    wl_interval_machine machine;
    wl_interval_launch launch;
} interval_case;

static struct {
    uint64_t seed, iterations; /* 0 iterations: the usual number */
} run;

/* Now and then 0, else of any size up to 2^bits; whole or not. */
static double number(random_source *r, int bits)
{
    const bool none = random_chance(r, 20), whole = random_chance(r, 50);
    const int64_t size = (int64_t)1 << random_in(r, 0, bits);
    const double value = (double)random_in(r, 1, size), part = (double)random_in(r, 0, 999) / 1000;
    return none ? 0 : whole ? value : value * part;
}

static wl_life_interval random_interval(random_source *r)
{
    wl_life_interval at = {.op = -1};
    at.times = 1 + floor(number(r, 20));
    at.instructions = number(r, 10);
    at.cause = (wl_stall)random_in(r, 0, WL_STALL_COUNT - 1);
    if (at.cause == WL_STALL_MEMORY) {
        for (int l = 0; l < 3; l++)
            at.level[l] = number(r, 10);
        at.stall = at.level[0] + at.level[1] + at.level[2];
        at.reads = number(r, 8);
        at.misses = at.reads * (double)random_in(r, 0, 10) / 10;
    } else if (at.cause != WL_STALL_NONE) {
        at.stall = number(r, 12);
    }
    at.writes = number(r, 6);
    return at;
}

static wl_interval_machine random_machine(random_source *r)
{
    wl_interval_machine m = {0};
    m.sms = (double)random_in(r, 1, 200);
    m.pools = (double)random_in(r, 1, 4);
    m.issue = random_chance(r, 50) ? 1 : 2;
    m.mshrs = (double)((int64_t)1 << random_in(r, 0, 10));
    m.clock = 1e9 * (double)random_in(r, 1, 3);
    m.request = random_chance(r, 50) ? 32 : 128;
    m.noc = 1e9 * (1 + number(r, 14));
    m.dram = 1e9 * (1 + number(r, 13));
    m.l2_latency = number(r, 9);
    m.dram_latency = number(r, 9);
    m.launch = 1e-6 * number(r, 3);
    m.order = random_chance(r, 50) ? WL_ORDER_GREEDY : WL_ORDER_ROUND_ROBIN;
    return m;
}

static void make_case(uint64_t seed, interval_case *c)
{
    random_source r = random_start(seed);
    memset(c, 0, sizeof *c);
    c->count = (size_t)random_in(&r, 1, LIVES);
    for (size_t k = 0; k < c->count; k++) {
        const size_t count = (size_t)random_in(&r, 1, INTERVALS);
        for (size_t i = 0; i < count; i++)
            c->intervals[k][i] = random_interval(&r);
        const double warps = 1 + floor(number(&r, 20));
        c->lives[k] = (wl_life_profile){.warps = warps, .list = c->intervals[k], .count = count};
    }
    c->machine = random_machine(&r);
    c->launch.blocks = (double)random_in(&r, 1, 1 << random_in(&r, 0, 20));
    c->launch.resident = (double)random_in(&r, 1, 32);
    c->launch.warps_per_block = (double)random_in(&r, 1, 32);
}

static wl_stack stack_of(const interval_case *c, wl_contention_model *model, wl_stack_row *rows)
{
    wl_stack s;
    wl_interval_stack(model, c->lives, c->count, &c->machine, &c->launch, &s, rows);
    return s;
}

static void fail_case(uint64_t seed, const char *what, double got, double want)
{
    fail_msg("WL_SEED=%llu WL_ITERATIONS=1: %s: %.17g against %.17g", (unsigned long long)seed, what, got, want);
}

static void at_most(uint64_t seed, const char *what, double less, double more)
{
    if (!(less <= more * (1 + NEAR)))
        fail_case(seed, what, less, more);
}

/* Finite, not negative, and the parts are the whole: of the launch exactly, of the intervals but
 * for rounding. */
static void adds_up(uint64_t seed, const interval_case *c, wl_contention_model *model)
{
    wl_stack_row rows[LIVES * INTERVALS];
    const wl_stack s = stack_of(c, model, rows);
    size_t count = 0;
    for (size_t k = 0; k < c->count; k++)
        count += c->lives[k].count;
    if (!isfinite(s.total) || s.total < 0 || !isfinite(s.seconds))
        fail_case(seed, "total", s.total, 0);
    if (s.total != wl_stack_sum(s.cycles))
        fail_case(seed, "sum of the parts", wl_stack_sum(s.cycles), s.total);
    for (int p = 0; p < WL_STACK_PART_COUNT; p++) {
        double sum = 0;
        if (!(s.cycles[p] >= 0))
            fail_case(seed, wl_stack_part_name((wl_stack_part)p), s.cycles[p], 0);
        for (size_t i = 0; i < count; i++)
            sum += rows[i].cycles[p];
        const bool of_none = p == WL_STACK_IMBALANCE || p == WL_STACK_TAIL || p == WL_STACK_LAUNCH;
        if (fabs(sum - (of_none ? 0 : s.cycles[p])) > NEAR * s.total)
            fail_case(seed, "sum of the intervals", sum, s.cycles[p]);
    }
}

/* GPUMech is the fastest, MDM the slowest; without a divergent interval the four with both queues
 * agree. */
static void models_have_an_order(uint64_t seed, const interval_case *c)
{
    double t[MODELS];
    bool divergent = false;
    for (size_t m = 0; m < MODELS; m++)
        t[m] = stack_of(c, models[m], NULL).total;
    at_most(seed, "gpumech, gpumech+", t[0], t[1]);
    at_most(seed, "gpumech+, mdm-queue", t[1], t[2]);
    at_most(seed, "gpumech+, mdm-mshr", t[1], t[3]);
    at_most(seed, "mdm-queue, mdm", t[2], t[4]);
    at_most(seed, "mdm-mshr, mdm", t[3], t[4]);
    const double warps = c->launch.warps_per_block * c->launch.resident;
    for (size_t k = 0; k < c->count; k++)
        for (size_t i = 0; i < c->lives[k].count; i++)
            divergent = divergent || c->lives[k].list[i].reads * warps > c->machine.mshrs;
    for (size_t m = 1; m < MODELS - 1 && !divergent; m++)
        if (t[m] != t[4])
            fail_case(seed, "not divergent, but mdm differs", t[m], t[4]);
}

static void bandwidth_helps(uint64_t seed, const interval_case *c)
{
    interval_case wider = *c, faster = *c;
    random_source r = random_start(seed);
    wider.machine.noc *= 1 + (double)random_in(&r, 1, 200) / 100;
    faster.machine.dram *= 1 + (double)random_in(&r, 1, 200) / 100;
    for (size_t m = 0; m < MODELS; m++) {
        const double now = stack_of(c, models[m], NULL).total;
        at_most(seed, "more network bandwidth", stack_of(&wider, models[m], NULL).total, now);
        at_most(seed, "more DRAM bandwidth", stack_of(&faster, models[m], NULL).total, now);
    }
}

static double round_cycles(wl_contention_model *model, const interval_case *c, double sms)
{
    const wl_round round = {c->launch.resident * c->launch.warps_per_block, sms};
    double cycles[WL_STACK_PART_COUNT] = {0};
    wl_interval_round(model, &c->lives[0], &c->machine, &round, 1, cycles, NULL);
    return wl_stack_sum(cycles);
}

/* Instructions per cycle of all multiprocessors together. M/D/1 of GPUMech grows faster than they
 * do near saturation. */
static void multiprocessors_help(uint64_t seed, const interval_case *c)
{
    for (size_t m = 1; m < MODELS; m++) {
        double before = INFINITY;
        for (double sms = 1; sms <= 256; sms *= 2) {
            const double now = round_cycles(models[m], c, sms) / sms;
            at_most(seed, "more multiprocessors", now, before);
            before = now;
        }
    }
}

/* Batches are full: all amounts are powers of two. The others' queues grow with the registers,
 * their waits shrink. */
static void registers_help(uint64_t seed, const interval_case *c)
{
    static wl_contention_model *const batched[] = {wl_mdm_mshr, wl_mdm};
    interval_case full = *c;
    random_source r = random_start(seed);
    full.launch.resident = 1;
    full.launch.warps_per_block = (double)((int64_t)1 << random_in(&r, 0, 6));
    for (size_t i = 0; i < full.lives[0].count; i++) {
        wl_life_interval *at = &full.intervals[0][i];
        at->reads = at->reads > 0 ? (double)((int64_t)1 << random_in(&r, 0, 5)) : 0;
        at->misses = at->reads * (double)random_in(&r, 0, 10) / 10;
    }
    full.lives[0].list = full.intervals[0];
    for (size_t m = 0; m < 2; m++) {
        double before = INFINITY;
        for (full.machine.mshrs = 1; full.machine.mshrs <= 4096; full.machine.mshrs *= 2) {
            const double now = round_cycles(batched[m], &full, full.machine.sms);
            at_most(seed, "more miss registers", now, before);
            before = now;
        }
    }
}

static void models_keep_their_rules(void **state)
{
    (void)state;
    static interval_case c;
    const uint64_t cases = run.iterations ? run.iterations : effort_cases(20000);
    for (uint64_t seed = run.seed; seed < run.seed + cases; seed++) {
        make_case(seed, &c);
        for (size_t m = 0; m < MODELS; m++)
            adds_up(seed, &c, models[m]);
        models_have_an_order(seed, &c);
        bandwidth_helps(seed, &c);
        multiprocessors_help(seed, &c);
        registers_help(seed, &c);
    }
}

static uint64_t number_from(const char *name)
{
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 10) : 0;
}

int main(void)
{
    run.seed = number_from("WL_SEED");
    run.iterations = number_from("WL_ITERATIONS");
    const struct CMUnitTest tests[] = {cmocka_unit_test(models_keep_their_rules)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_turnover_waits.c - model/turnover.h: how resident blocks and their warps hide waits, by
 * hand. SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include "metrics/prediction.h"
#include "unit/round_numbers.h"

#define NEAR 1e-12

/* Blocks of 1000 wavefronts on ten multiprocessors: own = 1000 cycles. */
static wl_demand thousand_cycles(double blocks_per_sm, double waves)
{
    wl_demand d = demand();
    d.blocks_per_sm = blocks_per_sm;
    d.blocks = 10 * blocks_per_sm * waves;
    d.sm.l1_wavefronts = 1000 * d.blocks;
    return d;
}

static void residence_by_hand(void **state)
{
    (void)state;
    wl_turnover n = numbers();
    n.launch.turnover = 1500;
    /* alone: it works while it waits */
    wl_demand d = thousand_cycles(1, 7);
    wl_model_result m = apply(&n, &d);
    check_near("alone", "own", m.own_cycles, 1000, NEAR);
    check_near("alone", "wait", m.wait_cycles, 1500, NEAR);
    check_near("alone", "time", m.time_s, 7e-9 * 1500, NEAR);
    check_near("alone", "waits one after the other", m.bound_s[WL_BOUND_LATENCY], 7e-9 * 1500, NEAR);
    n.launch.turnover = 500;
    check_near("alone, more work", "time", apply(&n, &d).time_s, 7e-9 * 1000, NEAR);
    n.launch.turnover = 1500;
    d = thousand_cycles(4, 3);
    check_near("four", "time", apply(&n, &d).time_s, 3e-9 * (1000 + sqrt(500.0 * 500 + 3000.0 * 3000)), NEAR);
    n.sm.overlap_growth = 0.5; /* 2 sqrt(4/2) */
    check_near("four, averaged", "time", apply(&n, &d).time_s,
               3e-9 * (1000 + pow(pow(500, 2 * sqrt(2)) + pow(3000, 2 * sqrt(2)), 1 / (2 * sqrt(2)))), NEAR);
    d = thousand_cycles(1000, 3); /* many: throughput */
    check_near("a thousand", "time", apply(&n, &d).time_s, 3e-9 * 1e6, 1e-3);
    d = thousand_cycles(4, 3); /* fewer blocks than fit: still one wave */
    d.blocks = 20;
    d.sm.l1_wavefronts = 20000;
    m = apply(&n, &d);
    /* two on each multiprocessor, four would fit */
    check_near("half a wave", "own", m.own_cycles, 1000, NEAR);
    check_near("half a wave", "waits", m.bound_s[WL_BOUND_LATENCY], 1500e-9, NEAR);
    check_done();
}

/* One warp of each block waits 4 x 0.5 x 200 cycles longer than the others, which end evenly before
 * it. A block that is alone loses half of that, two lose as much as one of them is slower alone. */
static void the_last_warp_of_a_block(void **state)
{
    (void)state;
    wl_turnover n = numbers();
    n.l1.latency = 800;
    n.l2.latency = 1000;
    wl_demand one = thousand_cycles(1, 3), two = thousand_cycles(2, 3);
    one.thread.phases = two.thread.phases = 4;
    one.thread.steps = two.thread.steps = 16;
    one.block_warps = two.block_warps = 8;
    const double alone = apply(&n, &one).time_s / 3, both = apply(&n, &two).time_s / 3;
    one.requests.shared_later = two.requests.shared_later = 0.5;
    check_true("two", "are faster than one after the other", both < 2 * alone);
    check_near("one", "loses", apply(&n, &one).time_s / 3 - alone, 200e-9, 1e-9);
    /* of four steps, the first waits with the block */
    const double slower = 0.25 * 2000 + 0.75 * (500 + hypot(1500, 500));
    const double each = 0.25 * (1000 + hypot(1000, 1000)) + 0.75 * (500 + hypot(1500, 1500));
    check_near("two", "lose", apply(&n, &two).time_s / 3 - both, 400e-9 * (1 - each / 2 / slower), 1e-9);
    one.thread.steps = 1;
    check_near("no loop", "time", apply(&n, &one).time_s, 3e-9 * 2000, 1e-9);
    check_done();
}

/* A block of 8 warps. In a quarter of the time all of them wait together, as they start. */
static void warps_of_a_loop_drift_apart(void **state)
{
    (void)state;
    wl_turnover n = numbers();
    n.l2.latency = 1000;
    wl_demand d = thousand_cycles(1, 3);
    d.thread.phases = 4;
    d.thread.steps = 16;
    d.block_warps = 8;
    const double warps = 500 + hypot(1500, 500);
    check_near("a loop", "time", apply(&n, &d).time_s, 3e-9 * (0.25 * 2000 + 0.75 * warps), NEAR);
    d.thread.steps = 1;
    check_near("no loop", "time", apply(&n, &d).time_s, 3e-9 * 2000, NEAR);
    check_done();
}

static void waits_by_hand(void **state)
{
    (void)state;
    wl_turnover n = numbers();
    n.launch.turnover = 100;
    n.sm.instruction_wait = 2;
    n.l2.latency = 60;
    n.sm.barrier_latency = 30;
    wl_demand d = thousand_cycles(1, 1);
    d.thread.instructions = 50;
    d.thread.phases = 4;
    d.barriers = 3;
    check_near("on chip", "wait", apply(&n, &d).wait_cycles, 100 + 2 * 50 + 30 * 7, NEAR);
    n.dram.latency = 30 + 600;
    d.thread.fresh_loads = 3;
    check_near("nothing from memory", "wait", apply(&n, &d).wait_cycles, 410, NEAR);
    d.dram.read = 1e9; /* so many lines that each block meets some */
    check_near("from memory", "wait", apply(&n, &d).wait_cycles, 410 + 600 + 2 * 315, NEAR);
    d.thread.fresh_loads = 0.5;
    check_near("less than one phase", "wait", apply(&n, &d).wait_cycles, 410 + 600, NEAR);
    d.dram.read = 128 * d.blocks; /* one line each: some have none */
    check_near("one line", "wait", apply(&n, &d).wait_cycles, 410 + 600 * (1 - exp(-1)), NEAR);
    /* a quarter of the traffic is writes, memory is busy all the time */
    d.dram.read = 3e9;
    d.dram.written = 1e9;
    n.dram.write_wait = 1000;
    n.dram.bandwidth = 1e9;
    check_near("between writes", "wait", apply(&n, &d).wait_cycles, 410 + 600 + 250, NEAR);
    /* memory is busy a tenth of the time that a block takes */
    n.dram.bandwidth = 4e9 / (1035e-9 / 10);
    check_near("calm memory", "wait", apply(&n, &d).wait_cycles, 410 + 600 + 25, 1e-4);
    check_done();
}

/* Numbers that a device may have beside those of the h200. */
static void numbers_of_other_devices(void **state)
{
    (void)state;
    wl_turnover n = numbers();
    wl_demand d = demand();
    d.dram.read = d.dram.written = 1e9;
    const double apart = apply(&n, &d).bound_s[WL_BOUND_DRAM];
    n.dram.turnaround = 0.1;
    check_near("as much read as written", "DRAM", apply(&n, &d).bound_s[WL_BOUND_DRAM], 1.1 * apart, NEAR);
    d.dram.written = 0;
    const double reads = apply(&n, &d).bound_s[WL_BOUND_DRAM];
    n.dram.turnaround = 0;
    check_near("only reads", "DRAM", apply(&n, &d).bound_s[WL_BOUND_DRAM], reads, NEAR);
    n.launch.store_wait = 300;
    const double wait = apply(&n, &d).wait_cycles;
    d.thread.stores = true;
    check_near("stores", "wait", apply(&n, &d).wait_cycles - wait, 300, 1e-9);
    /* half of the data is in the cache of the memory, four times as fast */
    n.dram.cache = d.footprint = 1e8;
    n.dram.cache_bandwidth = 4 * n.dram.bandwidth;
    n.l2.steepness = 7;
    check_near("memory cache", "DRAM", apply(&n, &d).bound_s[WL_BOUND_DRAM], 0.5 * reads + 0.5 * reads / 4, NEAR);
    /* of the rest, a quarter was loaded before in this launch */
    d.dram.cached = d.dram.read / 4;
    check_near("memory cache, loaded before", "DRAM", apply(&n, &d).bound_s[WL_BOUND_DRAM],
               0.5 * 0.75 * reads + (0.5 * 0.75 + 0.25) * reads / 4, NEAR);
    d.dram.cached = 2 * d.dram.read; /* never more than there is */
    check_near("memory cache, all loaded before", "DRAM", apply(&n, &d).bound_s[WL_BOUND_DRAM], reads / 4, NEAR);
    n.dram.cache_bandwidth = 0; /* not known: as if there were none */
    check_near("no bandwidth", "DRAM", apply(&n, &d).bound_s[WL_BOUND_DRAM], reads, NEAR);
}

/* With a norm, units that are all busy take longer than the busiest of them; without it they do
 * not. */
static void units_that_are_busy_together(void **state)
{
    (void)state;
    wl_turnover n = numbers();
    wl_demand d = demand();
    d.sm.l1_wavefronts = 4e6;
    const double alone = apply(&n, &d).own_cycles;
    d.sm.fp_cycles = d.sm.l1_wavefronts / n.l1.wavefront_rate; /* as long as the L1 */
    check_near("no norm", "own", apply(&n, &d).own_cycles, alone, NEAR);
    n.norm = 3;
    check_near("no loop, no barrier", "own", apply(&n, &d).own_cycles, alone, NEAR);
    const wl_waiting life = {.known = true};
    d.waiting = &life;
    check_near("two of equal length", "own", apply(&n, &d).own_cycles, alone * pow(2, 1.0 / 3), 1e-6);
    d.sm.fp_cycles = 0;
    check_near("only one", "own", apply(&n, &d).own_cycles, alone, 1e-6);
    check_done();
}

static void the_last_block_may_be_heavier(void **state)
{
    (void)state;
    const wl_turnover n = numbers();
    wl_demand d = thousand_cycles(1, 5);
    const double usual = apply(&n, &d).time_s;
    d.uneven.last_block = 400;
    check_near("lighter", "time", apply(&n, &d).time_s, usual, NEAR);
    d.uneven.last_block = 3000;
    check_near("heavier", "time", apply(&n, &d).time_s, usual + 2000e-9, NEAR);
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(residence_by_hand),
        cmocka_unit_test(the_last_warp_of_a_block),
        cmocka_unit_test(warps_of_a_loop_drift_apart),
        cmocka_unit_test(waits_by_hand),
        cmocka_unit_test(numbers_of_other_devices),
        cmocka_unit_test(units_that_are_busy_together),
        cmocka_unit_test(the_last_block_may_be_heavier),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

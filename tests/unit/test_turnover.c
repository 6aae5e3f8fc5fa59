/* test_turnover.c - model/turnover.h: bounds by hand, how the time grows, what a device may lack,
 * and the limiters a prediction names. SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include <math.h>

#include "device/device_internal.h"
#include "metrics/prediction.h"
#include "unit/round_numbers.h"
#include "warpline/warpline.h"

#define NEAR 1e-12

/* ---- bounds ---- */

static void sm_bounds_by_hand(void **state)
{
    (void)state;
    wl_turnover n = numbers();
    n.l1.wavefront_rate = 2;
    n.sm.wide_multiply = 5;
    wl_demand d = demand();
    d.sm.l1_wavefronts = 4e6;
    d.sm.tag_wavefronts = 1e6;
    d.sm.instructions = 1.2e7;
    d.sm.fp_cycles = 5e5;
    d.sm.tensor_cycles = 7e5;
    d.sm.multiplies = 1e6;
    wl_model_result m = apply(&n, &d);
    check_near("even", "L1", m.bound_s[WL_BOUND_L1], 4e6 / 2 / 1e10, NEAR);
    check_near("even", "tags", m.bound_s[WL_BOUND_TAG], 1e6 / 1e10, NEAR);
    check_near("even", "issue", m.bound_s[WL_BOUND_ISSUE], 1.2e7 / 4 / 1e10, NEAR);
    check_near("even", "fp", m.bound_s[WL_BOUND_FP], 5e5 / 1e10, NEAR);
    check_near("even", "tensor", m.bound_s[WL_BOUND_TENSOR], 7e5 / 1e10, NEAR);
    check_true("even", "no multiply bound", !m.bound_known[WL_BOUND_MULTIPLY]);
    check_true("even", "no pieces, random, atomics",
               !m.bound_known[WL_BOUND_PIECES] && !m.bound_known[WL_BOUND_RANDOM] && !m.bound_known[WL_BOUND_ATOMICS]);
    /* nothing waits: the time is the busiest unit's */
    check_near("even", "time", m.time_s, 1.2e7 / 4 / 1e10, 1e-9);
    /* 3e5 cycles for 100 blocks each */
    check_near("even", "own cycles of a block", m.own_cycles, 3000, 1e-9);
    /* further slots: 1e6 loads or stores, 1e6 narrow multiplications, 2e6 of the integer pipe */
    wl_turnover slow = n;
    const double slots[] = {2, 0.5, 1, 0.25};
    memcpy(slow.sm.dispatch, slots, sizeof slots);
    d.sm.integer_inst = 2e6;
    d.sm.global_inst = 1e6;
    check_near("dispatch", "issue", apply(&slow, &d).bound_s[WL_BOUND_ISSUE], (1.2e7 + 0.5e6 + 1e6 + 0.5e6) / 4 / 1e10,
               NEAR);
    check_near("dispatch of one slot", "issue", apply(&n, &d).bound_s[WL_BOUND_ISSUE], 1.2e7 / 4 / 1e10, NEAR);
    d.sm.wide_multiplies = 1e6;
    m = apply(&n, &d);
    check_near("multiplies", "multiply", m.bound_s[WL_BOUND_MULTIPLY], (2e6 + 5e6) / 4 / 1e10, NEAR);
    n.sm.narrow_multiply = 3;
    check_near("slower", "multiply", apply(&n, &d).bound_s[WL_BOUND_MULTIPLY], (3e6 + 5e6) / 4 / 1e10, NEAR);
    /* as many results as multiplications share the pipe with them, the others have all of it */
    d.sm.results = 1.5e6;
    n.sm.lanes = 32;
    n.sm.fp32_rate = 128;
    check_near("few results", "multiply", apply(&n, &d).bound_s[WL_BOUND_MULTIPLY], (3e6 + 5e6 + 4.5e6) / 4 / 1e10,
               NEAR);
    d.sm.results = 1e7;
    check_near("results", "multiply", apply(&n, &d).bound_s[WL_BOUND_MULTIPLY], (3e6 + 5e6 + 6e6 + 8e6) / 4 / 1e10,
               NEAR);
    n.sm.fp32_rate = 0;
    check_near("no rate", "multiply", apply(&n, &d).bound_s[WL_BOUND_MULTIPLY], (3e6 + 5e6 + 30e6) / 4 / 1e10, NEAR);
    d.sm.results = 0;
    d.blocks = 11; /* one multiprocessor has two, the mean is 1.1 */
    m = apply(&n, &d);
    check_near("uneven", "tags", m.bound_s[WL_BOUND_TAG], 1e6 / 1e10 * 20 / 11, NEAR);
    /* blocks at the edges have idle warps: 7 of 8 have work, but some multiprocessor has full
     * blocks only */
    d.blocks = 20;
    d.blocks_per_sm = 2;
    d.block_warps = 8;
    d.warps = 20 * 7;
    check_near("edges", "tags", apply(&n, &d).bound_s[WL_BOUND_TAG], 1e6 / 1e10 * 8 / 7, NEAR);
    d.blocks_per_sm = 1; /* two waves: blocks go where there is room */
    check_near("edges, two waves", "tags", apply(&n, &d).bound_s[WL_BOUND_TAG], 1e6 / 1e10, NEAR);
    d.blocks_per_sm = 2;
    d.warps = 20 * 7.99; /* hardly any: as many as chance allows */
    check_true("few edges", "tags", apply(&n, &d).bound_s[WL_BOUND_TAG] < 1.002e6 / 1e10);
    check_done();
}

/* Data from the L2 occupies the L1 while it arrives, on a GPU that says how wide its fills are. */
static void fills_occupy_the_l1(void **state)
{
    (void)state;
    wl_turnover n = numbers();
    wl_demand d = demand();
    d.sm.l1_wavefronts = 4e6;
    d.l2_loaded = 6.4e7;
    check_near("fills", "free", apply(&n, &d).bound_s[WL_BOUND_L1], 4e6 / 1e10, NEAR);
    n.l1.fill_width = 64;
    check_near("fills", "64 bytes a cycle", apply(&n, &d).bound_s[WL_BOUND_L1], (4e6 + 1e6) / 1e10, NEAR);
    check_done();
}

/* A multiprocessor sends to the L2 once a cycle. What few blocks send takes as long as the busiest
 * one has to. */
static void requests_leave_one_at_a_time(void **state)
{
    (void)state;
    wl_turnover n = numbers();
    wl_demand d = demand();
    d.sm.port_cycles = 5e6;
    d.sm.instructions = 1;
    check_near("many blocks", "time", apply(&n, &d).time_s, 5e6 / 1e10, 1e-6);
    d.blocks = 5; /* on five of ten */
    check_near("few blocks", "time", apply(&n, &d).time_s, 1e6 / 1e9, 1e-6);
    d.blocks = 11; /* one has two */
    check_near("uneven", "time", apply(&n, &d).time_s, 2 * 5e6 / 11 / 1e9, 1e-6);
    /* one of four blocks sends half of all: two million cycles in place of one and a quarter */
    d.blocks = 4;
    d.warps = 4;
    const wl_kinds kinds = {.count = 2,
                            .list = {{.blocks = 1, .loads = 1.5e6, .stores = 0.5e6, .instructions = 1, .most = 1},
                                     {.blocks = 3, .first = 1, .last = 3, .loads = 1e6, .instructions = 1, .most = 1}}};
    d.uneven.kinds = &kinds;
    check_near("a heavy block", "time", apply(&n, &d).time_s, 2e6 / 1e9, 1e-6);
    check_done();
}

static void memory_bounds_by_hand(void **state)
{
    (void)state;
    wl_turnover n = numbers();
    n.l2.bandwidth = 1e12;
    n.l2.write_cost = 2;
    n.dram.bandwidth = 1e11;
    n.dram.write_cost = 1.25;
    n.l2.piece_rate = 1e9;
    n.dram.random_rate = 2e9;
    n.atomic.rate = 4e9;
    n.atomic.address_rate = 1e8;
    wl_demand d = demand();
    d.requests.read_units = 1e6;
    d.requests.written_units = 5e5;
    d.dram.read = 6.4e7;
    d.dram.written = 3.2e7;
    d.requests.pieces = 1e5;
    d.requests.random = 1e5;
    d.atomics.sectors = 1e6;
    d.atomics.hot_sectors = 1e4;
    wl_model_result m = apply(&n, &d);
    check_near("memory", "L2", m.bound_s[WL_BOUND_L2], (64 * 2e6 + 6.4e7) / 1e12, NEAR);
    check_near("memory", "memory", m.bound_s[WL_BOUND_DRAM], (6.4e7 + 1.25 * 3.2e7) / 1e11, NEAR);
    check_near("memory", "pieces", m.bound_s[WL_BOUND_PIECES], 1e-4, NEAR);
    check_near("memory", "random", m.bound_s[WL_BOUND_RANDOM], 5e-5, NEAR);
    check_near("memory", "atomics", m.bound_s[WL_BOUND_ATOMICS], 2.5e-4, NEAR);
    d.atomics.hot_sectors = 1e5;
    check_near("memory", "atomics on one address", apply(&n, &d).bound_s[WL_BOUND_ATOMICS], 1e-3, NEAR);
    /* equal groups of lines in 40 slices: the busiest slice has two deviations more than the mean,
     * and of many groups two groups more */
    d.atomics.hot_sectors = 5e4;
    d.atomics.squared_sectors = 20 * 5e4 * 5e4;
    check_near("memory", "atomics of 20 groups", apply(&n, &d).bound_s[WL_BOUND_ATOMICS],
               (0.5 + 2.01001 * sqrt(0.5 * 39 / 40)) * 5e-4, 1e-5);
    d.atomics.hot_sectors = 1e4;
    d.atomics.squared_sectors = 100 * 1e4 * 1e4;
    check_near("memory", "atomics of 100 groups", apply(&n, &d).bound_s[WL_BOUND_ATOMICS], (2.5 + 2.01001) * 1e-4,
               1e-5);
    /* requests of less than a line, many planes */
    n.dram.request_overhead = 16;
    d.requests.chunk = 32;
    d.requests.write_chunk = 64;
    m = apply(&n, &d);
    const double reads = 6.4e7 * (1 + 0.5 - 0.125), writes = 3.2e7 * (1 + 0.25 - 0.125);
    check_near("chunks", "memory", m.bound_s[WL_BOUND_DRAM], (reads + 1.25 * writes) / 1e11, NEAR);
    n.dram.region_loss = 0.01;
    d.thread.planes = 8;
    check_near("planes", "memory", apply(&n, &d).bound_s[WL_BOUND_DRAM], (reads + 1.25 * writes) / 1e11 * 1.03, NEAR);
    n.dram.fetch = 240; /* of each of 1e5 random ones; their rate has the overhead */
    check_near("random", "memory", apply(&n, &d).bound_s[WL_BOUND_DRAM],
               (2.4e7 + 4e7 * 1.375 + 1.25 * writes) / 1e11 * 1.03, NEAR);
    n.dram.fetch = 0;
    d.requests.lone_units = 4e5;
    check_near("no rate", "lone sectors", apply(&n, &d).bound_s[WL_BOUND_L2], (64 * 2e6 + 6.4e7) / 1e12, NEAR);
    n.l2.lone_rate = 1e9;
    check_near("rate", "lone sectors", apply(&n, &d).bound_s[WL_BOUND_L2], (64 * 1.6e6 + 6.4e7) / 1e12 + 4e-4, NEAR);
    d.thread.planes = 0.5;
    check_near("no planes", "memory", apply(&n, &d).bound_s[WL_BOUND_DRAM], (reads + 1.25 * writes) / 1e11, NEAR);
    check_done();
}

static void conflicts_in_place_come_on_top(void **state)
{
    (void)state;
    wl_turnover n = numbers();
    wl_demand d = demand();
    d.sm.instructions = 1.2e7;
    d.dram.read = d.dram.written = 1e8;
    const double without = apply(&n, &d).time_s;
    d.in_place[0] = 0.25;
    d.in_place[1] = 0.5;
    check_near("no number", "time", apply(&n, &d).time_s, without, NEAR);
    n.l2.in_place_wait[0] = 0.2;
    n.l2.in_place_wait[1] = 0.6;
    const double wait = without * (0.25 * 0.2 + 0.5 * 0.6);
    check_near("two numbers", "time", apply(&n, &d).time_s, without + wait, 1e-9);
    check_near("two numbers", "pieces", apply(&n, &d).bound_s[WL_BOUND_PIECES], wait, NEAR);
    n.l2.room = 1e8; /* what an earlier launch has left in the L2 waits for nothing */
    n.l2.steepness = 1;
    d.footprint = 1e8;
    check_near("half is there", "pieces", apply(&n, &d).bound_s[WL_BOUND_PIECES], wait / 2, NEAR);
    check_done();
}

static void what_is_left_in_the_l2_is_written_by_the_next_launch(void **state)
{
    (void)state;
    wl_turnover n = numbers();
    wl_demand d = demand(), all = demand();
    d.footprint = all.footprint = 1e8;
    d.dram.written = 1e8;
    d.requests.left = 3e7;
    all.dram.written = 1.3e8;
    check_near("all of it", "dram", apply(&n, &d).bound_s[WL_BOUND_DRAM], apply(&n, &all).bound_s[WL_BOUND_DRAM], NEAR);
    n.l2.size = 1e8; /* half of it is there when it is stored again */
    n.l2.steepness = 4;
    all.dram.written = 1.15e8;
    check_near("half of it", "dram", apply(&n, &d).bound_s[WL_BOUND_DRAM], apply(&n, &all).bound_s[WL_BOUND_DRAM],
               NEAR);
    n.l2.room = 1e12;
    all.dram.written = 1e8;
    all.footprint = 1e18;
    d.cold = true;
    check_near("cold caches", "dram", apply(&n, &d).bound_s[WL_BOUND_DRAM], apply(&n, &all).bound_s[WL_BOUND_DRAM],
               NEAR);
    check_near("cold caches", "data that remains", apply(&n, &d).remains, 0, 0);
    d.cold = false;
    check_near("warm caches", "data that remains", apply(&n, &d).remains, 1, 1e-6);
    check_done();
}

static void caches_have_names(void **state)
{
    (void)state;
    for (wl_caches c = WL_CACHES_WARM; c <= WL_CACHES_COLD; c++)
        check_int(wl_caches_name(c), "caches", (int64_t)wl_caches_of(wl_caches_name(c)), (int64_t)c);
    check_int("other names", "caches", (int64_t)wl_caches_of("hot"), WL_CACHES_WARM);
    check_int("none", "caches", (int64_t)wl_caches_of(NULL), WL_CACHES_WARM);
    check_done();
}

/* L2 and memory as a norm; merging pieces and opening rows come on top; atomics beside. */
/* 1 GB at 1 TB/s, whatever units cost and however well they overlap. */
static void the_l2_delivers_in_time(void **state)
{
    (void)state;
    wl_turnover n = numbers();
    wl_demand d = demand();
    d.l2_loaded = 1e9;
    check_true("no such key", "time", apply(&n, &d).time_s < 0.9e-3);
    n.l2.read_bandwidth = 1e12;
    check_near("reads alone", "time", apply(&n, &d).time_s, 1e-3, 1e-9);
    d.sm.instructions = 2e7; /* half as long on 10 multiprocessors */
    check_near("beside instructions", "time", apply(&n, &d).time_s, 1e-3, 1e-9);
    d.sm.instructions = 8e7;
    check_near("more instructions", "time", apply(&n, &d).time_s, 2e-3, 1e-9);
    check_done();
}

/* A launch that finds its data in the L2 loads a quarter more of it. */
static void a_repeated_launch_loads_more(void **state)
{
    (void)state;
    wl_turnover n = numbers();
    wl_demand d = demand();
    n.l2.bandwidth = 1e12; /* 1 GB takes a millisecond */
    n.l2.room = 1e6;
    n.l2.steepness = 2;
    d.l2_loaded = 1e9;
    d.requests.read_units = 1e9 / 64;
    d.l2_again = 0.25e9;
    d.footprint = 1e9;
    check_near("larger than the L2", "time", apply(&n, &d).time_s, 1e-3, 1e-6);
    d.footprint = 1;
    check_near("smaller than the L2", "time", apply(&n, &d).time_s, 1.25e-3, 1e-6);
    check_near("smaller than the L2", "L2", apply(&n, &d).bound_s[WL_BOUND_L2], 1.25e-3, 1e-9);
    d.footprint = 1e6;
    check_near("as large", "time", apply(&n, &d).time_s, 1.125e-3, 1e-6);
    check_done();
}

static void bounds_combine(void **state)
{
    (void)state;
    wl_turnover n = numbers();
    n.l2.bandwidth = 1e12;
    n.dram.bandwidth = 1e12;
    n.l2.piece_rate = n.dram.random_rate = n.atomic.rate = 1e9;
    wl_demand d = demand();
    d.dram.read = 1e9; /* as much for the L2 */
    check_near("equal", "time", apply(&n, &d).time_s, 1e-3 * pow(2, 0.25), 1e-9);
    n.norm = 2;
    check_near("equal, norm 2", "time", apply(&n, &d).time_s, 1e-3 * sqrt(2), 1e-9);
    n.norm = 4;
    d.dram.read = 0;
    d.requests.read_units = 1e9 / 64;
    d.requests.pieces = 1e6;
    check_near("pieces", "time", apply(&n, &d).time_s, 2e-3, 1e-9);
    d.requests.random = 2e6; /* beside the L2 */
    check_near("random fetches", "time", apply(&n, &d).time_s, 2e-3 * pow(2, 0.25), 1e-9);
    d.requests.random = 0;
    d.requests.cleaned = 1.5e6; /* read and written */
    check_near("cleaned sectors", "time", apply(&n, &d).time_s, 5e-3, 1e-9);
    d.atomics.sectors = 5e6;
    check_near("atomics", "time", apply(&n, &d).time_s, 5e-3 * pow(2, 0.25), 1e-9);
    n.launch.duration = 7e-6;
    check_near("the launch itself", "time", apply(&n, &d).time_s, 5e-3 * pow(2, 0.25) + 7e-6, 1e-9);
    n.launch.block_rate = 1e5;
    check_near("launch", "time", apply(&n, &d).time_s, 1e-2 + 7e-6, 1e-9);
    check_done();
}

/* ---- random demands ---- */

/* Which amounts may grow; the time must not fall. */
static const struct {
    const char *name;
    size_t at;
} amounts[] = {
#define AMOUNT(member)                                                                                                 \
    {                                                                                                                  \
#member, offsetof(wl_demand, member)                                                                           \
    }
    AMOUNT(sm.l1_wavefronts),   AMOUNT(sm.tag_wavefronts), AMOUNT(sm.global_inst),      AMOUNT(sm.instructions),
    AMOUNT(sm.fp_cycles),       AMOUNT(sm.multiplies),     AMOUNT(requests.read_units), AMOUNT(requests.written_units),
    AMOUNT(requests.pieces),    AMOUNT(dram.written),      AMOUNT(requests.random),     AMOUNT(thread.planes),
    AMOUNT(atomics.sectors),    AMOUNT(thread.phases),     AMOUNT(atomics.hot_sectors), AMOUNT(barriers),
    AMOUNT(thread.fresh_loads), AMOUNT(dram.read),         AMOUNT(thread.instructions), AMOUNT(sm.wide_multiplies),
    AMOUNT(sm.results)};

static double log_uniform(uint64_t *seed, double lo, double hi)
{
    return lo * pow(hi / lo, (double)check_random_in(seed, 0, 1000000) / 1e6);
}

static wl_demand random_demand(uint64_t *seed)
{
    wl_demand d = demand();
    d.blocks = (double)check_random_in(seed, 1, 100000);
    d.blocks_per_sm = (double)check_random_in(seed, 1, 32);
    for (size_t i = 0; i < COUNT_OF(amounts); i++) {
        const bool of_thread =
            amounts[i].at >= offsetof(wl_demand, thread.phases) || amounts[i].at == offsetof(wl_demand, thread.planes);
        double *amount = (double *)(void *)((char *)&d + amounts[i].at);
        *amount = check_random_in(seed, 0, 4) == 0 ? 0 : log_uniform(seed, 1, of_thread ? 100 : 1e9);
    }
    d.requests.chunk = log_uniform(seed, 8, 128);
    d.requests.write_chunk = log_uniform(seed, 8, 128);
    d.thread.fresh_loads = fmin(d.thread.fresh_loads, d.thread.phases);
    return d;
}

static wl_turnover device_numbers(void)
{
    wl_error err = {0};
    wl_device *device = NULL;
    wl_turnover n;
    const char *missing = NULL;
    assert_int_equal(wl_device_builtin("h200", &device, &err), WL_OK);
    check_true("h200", "has all numbers", wl_turnover_read(device, &n, &missing));
    wl_device_free(device);
    return n;
}

/* More of anything never takes less time. Reads dilute the writes that make reads wait: without
 * that wait. */
static void time_grows_with_every_amount(void **state)
{
    (void)state;
    uint64_t seed = 7;
    const wl_turnover n = device_numbers();
    for (int i = 0; i < 20000; i++) {
        const wl_demand d = random_demand(&seed);
        const size_t which = (size_t)check_random_in(&seed, 0, COUNT_OF(amounts) - 1);
        wl_turnover here = n;
        wl_demand more = d;
        double *amount = (double *)(void *)((char *)&more + amounts[which].at);
        *amount *= log_uniform(&seed, 1, 10);
        *amount += (double)check_random_in(&seed, 0, 1);
        if (amounts[which].at == offsetof(wl_demand, dram.read))
            here.dram.write_wait = 0;
        const double before = apply(&here, &d).time_s, after = apply(&here, &more).time_s;
        check_true(amounts[which].name, "the time does not fall", after >= before * (1 - 1e-12));
        check_true(amounts[which].name, "the time is a number", isfinite(before) && isfinite(after));
    }
    check_done();
}

static void time_is_above_every_bound(void **state)
{
    (void)state;
    uint64_t seed = 3;
    const wl_turnover n = device_numbers();
    for (int i = 0; i < 20000; i++) {
        const wl_demand d = random_demand(&seed);
        const wl_model_result m = apply(&n, &d);
        for (int b = 0; b < WL_BOUND_COUNT; b++) {
            check_true(wl_bound_name((wl_bound_id)b), "known where it is above 0",
                       m.bound_known[b] == (m.bound_s[b] > 0) && m.bound_s[b] >= 0);
            check_true(wl_bound_name((wl_bound_id)b), "the time is not below it",
                       m.time_s >= m.bound_s[b] * (1 - 1e-9));
        }
        const double sum = m.bound_s[WL_BOUND_L2] + m.bound_s[WL_BOUND_DRAM] + m.bound_s[WL_BOUND_PIECES] +
                           m.bound_s[WL_BOUND_RANDOM] + m.bound_s[WL_BOUND_ATOMICS] + m.bound_s[WL_BOUND_LAUNCH] +
                           m.bound_s[WL_BOUND_LATENCY] + n.launch.duration + m.tail_cycles / n.clock;
        /* a last wave that is partial takes as long as a whole one, at most */
        double busiest = (m.own_cycles * d.blocks_per_sm + m.wait_cycles) / n.clock;
        for (int b = WL_BOUND_FP; b <= WL_BOUND_TAG; b++)
            busiest = fmax(busiest, m.bound_s[b] + (m.own_cycles * d.blocks_per_sm + m.wait_cycles) / n.clock);
        check_true("all", "nor above all of them one after the other", m.time_s <= (sum + busiest) * (1 + 1e-9));
    }
    check_done();
}

/* ---- the device's numbers ---- */

static void a_missing_number_is_named(void **state)
{
    (void)state;
    static const wl_device_key needed[] = {
        WL_DEVICE_l1_wavefront_rate,   WL_DEVICE_issue_rate,   WL_DEVICE_block_rate, WL_DEVICE_block_turnover,
        WL_DEVICE_l2_latency,          WL_DEVICE_dram_latency, WL_DEVICE_l2_unit,    WL_DEVICE_l2_unit_bandwidth,
        WL_DEVICE_dram_read_bandwidth, WL_DEVICE_bound_norm};
    static const wl_device_key optional[] = {
        WL_DEVICE_overlap_growth,        WL_DEVICE_dram_wait_write,  WL_DEVICE_int32_rate,
        WL_DEVICE_l2_write_cost,         WL_DEVICE_piece_rate,       WL_DEVICE_dram_write_cost,
        WL_DEVICE_dram_request_overhead, WL_DEVICE_dram_region_loss, WL_DEVICE_atomic_rate,
        WL_DEVICE_dram_random_rate,      WL_DEVICE_launch_duration,  WL_DEVICE_atomic_address_rate,
        WL_DEVICE_l2_dirty_rest,         WL_DEVICE_l2_lone_rate};
    wl_error err = {0};
    wl_device *device = NULL;
    wl_turnover n;
    assert_int_equal(wl_device_builtin("h200", &device, &err), WL_OK);
    for (size_t i = 0; i < COUNT_OF(needed); i++) {
        const size_t count = device->entries[needed[i]].count;
        const char *missing = NULL;
        device->entries[needed[i]].count = 0;
        check_true(wl_device_key_name(needed[i]), "is needed", !wl_turnover_read(device, &n, &missing));
        check_text("missing", "name", missing, wl_device_key_name(needed[i]));
        device->entries[needed[i]].count = count;
    }
    for (size_t i = 0; i < COUNT_OF(optional); i++)
        device->entries[optional[i]].count = 0;
    const char *missing = NULL;
    check_true("optional", "numbers are not needed", wl_turnover_read(device, &n, &missing));
    check_near("optional", "writes cost as much as reads, in the L2", n.l2.write_cost, 1, 0);
    check_near("optional", "and in memory", n.dram.write_cost, 1, 0);
    wl_device_free(device);
    check_done();
}

/* ---- through a prediction ---- */

typedef struct fixture {
    wl_device *device;
    wl_kernel *kernel;
    wl_predictor *predictor;
} fixture;

static wl_prediction predict(const char *device, const char *set, const char *kernel, wl_launch launch,
                             wl_model_id model)
{
    static wl_prediction p;
    wl_error err = {0};
    fixture f = {0};
    size_t length = 0;
    const char *text = wl_kernel_builtin_text(kernel, &length);
    const wl_predict_options options = {.model = model};
    wl_status status = wl_device_builtin(device, &f.device, &err);
    if (status == WL_OK && set)
        status = wl_device_set(f.device, set, &err);
    if (status == WL_OK)
        status = wl_kernel_parse(kernel, text, length, NULL, &f.kernel, &err);
    if (status == WL_OK)
        status = wl_predictor_new(f.kernel, f.device, &f.predictor, &err);
    if (status == WL_OK)
        status = wl_predict(f.predictor, &launch, &options, &p, &err);
    check_ok(kernel, status, &err);
    wl_predictor_free(f.predictor);
    wl_kernel_free(f.kernel);
    wl_device_free(f.device);
    return p;
}

/* The largest bound and the next one, whatever they are. */
static void check_limiters(const char *name, const wl_prediction *p)
{
    const wl_model_result *m = &p->model;
    check_true(name, "limiters are known", m->bound_known[m->limiter] && m->bound_known[m->next]);
    check_true(name, "limiters differ", m->limiter != m->next);
    for (int i = 0; i < WL_BOUND_COUNT; i++) {
        check_true(name, "no bound is above the limiter",
                   !m->bound_known[i] || m->bound_s[i] <= m->bound_s[m->limiter]);
        check_true(name, "no other is above the next",
                   !m->bound_known[i] || i == (int)m->limiter || m->bound_s[i] <= m->bound_s[m->next]);
    }
    check_near(name, "updates per second", m->items_per_s, (double)p->items / m->time_s, NEAR);
}

static void limiters_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *name, *set, *kernel;
        wl_launch launch;
        wl_bound_id limiter, next;
    } cases[] = {
        {"triad", NULL, "triad", {.block = {256}}, WL_BOUND_DRAM, WL_BOUND_L2},
        {"slow L2", "l2_unit_bandwidth=1TB/s", "triad", {.block = {256}}, WL_BOUND_L2, WL_BOUND_DRAM},
        {"slow L1", "l1_wavefront_rate=0.01", "star3d_r4", {.block = {32, 4, 4}}, WL_BOUND_L1, WL_BOUND_L2},
        {"slow start", "block_rate=100000", "triad", {.block = {1024}}, WL_BOUND_LAUNCH, WL_BOUND_DRAM},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const wl_prediction p = predict("h200", cases[i].set, cases[i].kernel, cases[i].launch, WL_MODEL_TURNOVER);
        check_text(cases[i].name, "model", wl_model_name(p.model.id), "turnover");
        check_limiters(cases[i].name, &p);
        check_text(cases[i].name, "limiter", wl_bound_name(p.model.limiter), wl_bound_name(cases[i].limiter));
        if (i != 2) /* which comes second there is the device file's affair */
            check_text(cases[i].name, "next", wl_bound_name(p.model.next), wl_bound_name(cases[i].next));
    }
    check_done();
}

static bool warns(const wl_prediction *p, const char *text)
{
    for (int i = 0; i < p->warning_count; i++)
        if (strstr(p->warnings[i], text))
            return true;
    return false;
}

static void a_device_without_numbers_has_the_limiter_model(void **state)
{
    (void)state;
    const wl_launch launch = {.block = {32, 4, 2}};
    wl_prediction p = predict("gtx970", "l1_reload_curve=none", "star3d_7pt", launch, WL_MODEL_TURNOVER);
    check_text("asked for", "model", wl_model_name(p.model.id), "limiter");
    check_true("asked for", "says what is missing", warns(&p, "no l1_reload_curve: no turnover model"));
    p = predict("gtx970", "l1_reload_curve=none", "star3d_7pt", launch, WL_MODEL_BEST);
    check_text("best", "model", wl_model_name(p.model.id), "limiter");
    check_true("best", "nothing to say", !warns(&p, "turnover"));
    p = predict("h200", NULL, "star3d_7pt", launch, WL_MODEL_BEST);
    check_text("h200, best", "model", wl_model_name(p.model.id), "turnover");
    p = predict("h200", NULL, "star3d_7pt", launch, WL_MODEL_LIMITER);
    check_text("h200, limiter", "model", wl_model_name(p.model.id), "limiter");
    check_limiters("h200, limiter", &p);
    wl_model_id model;
    check_true("names", "turnover", wl_model_find("turnover", &model) && model == WL_MODEL_TURNOVER);
    check_true("names", "limiter", wl_model_find("limiter", &model) && model == WL_MODEL_LIMITER);
    check_true("names", "nothing else", !wl_model_find("roofline", &model));
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sm_bounds_by_hand),
        cmocka_unit_test(fills_occupy_the_l1),
        cmocka_unit_test(requests_leave_one_at_a_time),
        cmocka_unit_test(memory_bounds_by_hand),
        cmocka_unit_test(conflicts_in_place_come_on_top),
        cmocka_unit_test(caches_have_names),
        cmocka_unit_test(what_is_left_in_the_l2_is_written_by_the_next_launch),
        cmocka_unit_test(the_l2_delivers_in_time),
        cmocka_unit_test(a_repeated_launch_loads_more),
        cmocka_unit_test(bounds_combine),
        cmocka_unit_test(time_grows_with_every_amount),
        cmocka_unit_test(time_is_above_every_bound),
        cmocka_unit_test(a_missing_number_is_named),
        cmocka_unit_test(limiters_are_named),
        cmocka_unit_test(a_device_without_numbers_has_the_limiter_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

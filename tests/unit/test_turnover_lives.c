/* test_turnover_lives.c - model/turnover.h by hand: DRAM's queue, blocks that leave, atomics, warps
 * in step, barriers, and the work of blocks of several kinds. SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include "unit/round_numbers.h"

#define NEAR 1e-9

/* So many blocks of a multiprocessor at once, in so many waves; they live as long as they wait. */
static wl_demand demand_of(double blocks_per_sm, double waves, const wl_waiting *life)
{
    wl_demand d = demand();
    d.blocks_per_sm = blocks_per_sm;
    d.blocks = 10 * blocks_per_sm * waves;
    d.waiting = life;
    return d;
}

/* ---- the queue of DRAM ---- */

/* DRAM adds 400 cycles to each wait for the L2. */
static wl_turnover numbers_of_queue(void)
{
    wl_turnover n = numbers();
    n.l2.latency = 300;
    n.dram.latency = 700;
    n.dram.queue_wait = 0.5;
    n.dram.write_wait = 800;
    n.dram.bandwidth = 1e9; /* so little that all of it is used */
    return n;
}

static void waits_for_dram_grow_with_its_load(void **state)
{
    (void)state;
    wl_turnover n = numbers_of_queue();
    wl_waiting life = {.known = true, .cycles = 1000, .level = {100, 300, 400}, .fetches = 1};
    wl_demand d = demand_of(1, 1, &life);
    d.dram.read = 3e9;
    wl_model_result m = apply(&n, &d);
    check_near("reads", "wait", m.wait_cycles, 1000 + 0.5 * 700, NEAR);
    check_near("reads", "of it the queue's", m.waits.queue, 0.5 * 700, NEAR);
    /* half of the bandwidth: the norm of 1175 cycles and half of what it gives */
    n.dram.bandwidth = 3e9 / (1175e-9 * pow(0.0625 / (1 - 0.0625), 0.25));
    check_near("half", "wait", apply(&n, &d).wait_cycles, 1000 + 0.5 * 700 / 2, 1e-3);
    n.dram.queue_wait = 0;
    check_near("no number", "wait", apply(&n, &d).wait_cycles, 1000, NEAR);
    check_done();
}

/* Each wait for DRAM is 200 cycles longer where a quarter of the traffic is writes: of 800. */
static void reads_wait_between_writes(void **state)
{
    (void)state;
    wl_turnover n = numbers_of_queue();
    wl_waiting life = {.known = true, .cycles = 1000, .level = {100, 300, 400}};
    wl_demand d = demand_of(1, 1, &life);
    d.dram.read = 3e9;
    d.dram.written = 1e9;
    life.fetches = 1;
    check_near("one wait", "wait", apply(&n, &d).wait_cycles, 1000 + 350 + 200, NEAR);
    life.level[2] = 3 * 400;
    life.fetches = 3;
    life.cycles = 1800;
    check_near("three waits", "wait", apply(&n, &d).wait_cycles, 1800 + 3 * (350 + 200), NEAR);
    d.dram.written = 3e9;
    check_near("as many writes", "wait", apply(&n, &d).wait_cycles, 1800 + 3 * (350 + 400), NEAR);
    life.fetches = 0;
    check_near("latency not known", "wait", apply(&n, &d).wait_cycles, 1800 + 3 * 200, NEAR);
    check_done();
}

/* ---- blocks that leave ---- */

/* One block leaves in 10 cycles. The first of each multiprocessor leave together with the life that
 * ends. */
static void blocks_leave_one_after_the_other(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double blocks, fit, waves, leaving;
    } cases[] = {{"one each", 10, 1, 1, 0},
                 {"four each", 40, 4, 1, 300},
                 {"two each, four would fit", 20, 4, 1, 100},
                 {"fewer than multiprocessors", 5, 4, 1, 0},
                 {"a multiprocessor with two", 11, 4, 1, 10},
                 {"three waves", 120, 4, 3, 300}};
    const wl_waiting life = {.known = true, .cycles = 1000};
    wl_turnover n = numbers();
    n.launch.block_rate = 1e8;
    n.launch.turnover = 500;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const double waves = cases[i].waves, leaving = cases[i].leaving;
        wl_demand d = demand_of(cases[i].fit, 1, NULL);
        d.blocks = cases[i].blocks;
        const wl_model_result phases = apply(&n, &d);
        check_near(cases[i].name, "time", phases.time_s, (waves * 500 + leaving) * 1e-9, NEAR);
        check_near(cases[i].name, "wait of a block", phases.wait_cycles, 500 + leaving / waves, NEAR);
        check_near(cases[i].name, "start of a block", phases.waits.start, 500 + leaving / waves, NEAR);
        check_near(cases[i].name, "waiting alone", phases.bound_s[WL_BOUND_LATENCY], waves * 500e-9, NEAR);
        d.waiting = &life;
        const wl_model_result lives = apply(&n, &d);
        check_near(cases[i].name, "time of a life", lives.time_s, (waves * 1500 + leaving) * 1e-9, NEAR);
        check_near(cases[i].name, "waiting alone", lives.bound_s[WL_BOUND_LATENCY], waves * 1500e-9, NEAR);
    }
    check_done();
}

/* ---- atomics ---- */

/* A life takes as long as the atomics of a wave. */
static void atomics_of_one_wave_are_in_step(void **state)
{
    (void)state;
    const double both = pow(1 + 1, 0.25); /* of two that take 1 us each and overlap */
    const struct {
        const char *name;
        double waves, share, time; /* share of a life with atomics; time in us */
    } cases[] = {{"at the end", 1, 0, 1 + 1},
                 {"all along", 1, 1, both},
                 {"in a half", 1, 0.5, 0.5 + pow(1 + 0.0625, 0.25)},
                 {"two waves, at the end", 2, 0, (2 + 2 + 2 * both) / 2},
                 {"two waves, all along", 2, 1, 2 * both},
                 {"ten thousand waves", 1e4, 0, 1e4 * both + (2 - both)}};
    wl_waiting life = {.known = true, .cycles = 1000};
    wl_turnover n = numbers();
    n.atomic.rate = 1e9;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        wl_demand d = demand_of(1, cases[i].waves, &life);
        d.atomics.sectors = 1000 * cases[i].waves;
        life.atomics = cases[i].share;
        check_near(cases[i].name, "time", apply(&n, &d).time_s, cases[i].time * 1e-6, NEAR);
        d.atomics.sectors = 0;
        check_near(cases[i].name, "no atomics", apply(&n, &d).time_s, cases[i].waves * 1e-6, NEAR);
    }
    wl_demand d = demand_of(1, 1, NULL); /* nobody knows when a thread adds */
    n.launch.turnover = 1000;
    d.atomics.sectors = 1000;
    check_near("no life", "time", apply(&n, &d).time_s, both * 1e-6, NEAR);
    check_done();
}

/* ---- warps in step ---- */

/* A warp issues for 200 cycles and stalls for 300. The other warps of its block on its scheduler
 * delay it by what they issue, but for one instruction each in every stall; other blocks hide what
 * then is left. */
static void warps_of_a_block_stay_in_step(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double instructions, covered; /* of a block, on a scheduler */
        double block;                 /* until it ends, alone */
    } cases[] = {{"one warp", 200, 0, 500},
                 {"two, long between stalls", 400, 0, 700},
                 {"four", 800, 0, 1100},
                 {"four, a stall every other instruction", 800, 300, 800},
                 {"as many as can hide all stalls", 800, 600, 800}};
    wl_turnover n = numbers();
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const double own = cases[i].instructions, idle = cases[i].block - own;
        const wl_waiting life = {.known = true, .cycles = 500, .issue = 200, .covered = {cases[i].covered, 0}};
        for (int blocks = 1; blocks <= 2; blocks++) {
            wl_demand d = demand_of(blocks, 1, &life);
            d.sm.instructions = own * n.sm.issue_rate * d.blocks;
            const double time = own + hypot(idle, (blocks - 1) * own);
            check_near(cases[i].name, blocks == 1 ? "alone" : "two blocks", apply(&n, &d).time_s, time * 1e-9, NEAR);
        }
    }
    check_done();
}

/* The L1 serves four warps that meet at a barrier for 400 cycles; one of them lives 500, of which
 * its own loads are a quarter of the work. */
static void warps_queue_for_the_l1(void **state)
{
    (void)state;
    const wl_waiting life = {.known = true, .cycles = 500, .issue = 100};
    wl_turnover n = numbers();
    wl_demand d = demand_of(1, 1, &life);
    d.block_warps = 4;
    d.barriers = 1;
    d.sm.l1_wavefronts = 400 * d.blocks;
    check_near("four warps", "time", apply(&n, &d).time_s, (500 + 300) * 1e-9, NEAR);
    const wl_waiting served = {.known = true, .cycles = 500, .issue = 100, .covered = {0, 200}};
    d.waiting = &served;
    check_near("two thirds of it while it stalls", "time", apply(&n, &d).time_s, (500 + 100) * 1e-9, NEAR);
    d.waiting = &life;
    d.block_warps = 1;
    check_near("one warp", "time", apply(&n, &d).time_s, 500e-9, NEAR);
    check_done();
}

/* Warps that walk through the same data do not pass the first; their own work goes on while it
 * waits. */
static void nobody_passes_the_leader(void **state)
{
    (void)state;
    const wl_waiting life = {.known = true, .cycles = 500, .issue = 100},
                     leading = {.known = true, .cycles = 900, .issue = 100, .level = {0, 600, 0}};
    wl_turnover n = numbers();
    wl_demand d = demand_of(1, 1, &life);
    d.leading = &leading;
    wl_model_result m = apply(&n, &d);
    check_near("little work", "time", m.time_s, 900e-9, NEAR);
    check_near("little work", "waits for the L2", m.waits.level[1], 600, NEAR);
    d.sm.instructions = 2000 * n.sm.issue_rate * d.blocks;
    m = apply(&n, &d);
    check_near("more work than its wait", "time", m.time_s, 2400e-9, NEAR);
    check_near("more work than its wait", "waits for the L2", m.waits.level[1], 0, NEAR);
    check_done();
}

/* ---- the start of blocks ---- */

/* All blocks leave one after the other, but none before the first one has ended. */
static void blocks_leave_from_the_first_end_on(void **state)
{
    (void)state;
    const wl_waiting life = {.known = true, .cycles = 500, .issue = 100};
    wl_turnover n = numbers();
    n.launch.block_rate = 1e6;
    wl_demand d = demand_of(4, 8, &life);
    check_near("of a loop", "time", apply(&n, &d).time_s, 10 * 4 * 8 * 1e-6 + 500e-9, NEAR);
    d.waiting = NULL; /* an assumed life, of which nothing is known */
    check_near("assumed", "time", apply(&n, &d).time_s, 10 * 4 * 8 * 1e-6, NEAR);
    check_done();
}

/* ---- the last wave ---- */

/* Four blocks at once that work 1000 cycles each and wait 500 more, on 10 multiprocessors. Fewer of
 * them in the last wave have these to themselves; the more waves there were, the less blocks end
 * together. */
static void last_wave_may_be_a_part(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double waves;
        int last; /* blocks of a multiprocessor in the last wave; 0: as many as before */
    } cases[] = {{"one", 1, 0},
                 {"whole waves", 3, 0},
                 {"a quarter behind one", 1.25, 1},
                 {"three quarters", 1.75, 3},
                 {"a half behind four", 4.5, 2}};
    const wl_waiting life = {.known = true, .cycles = 1500};
    wl_turnover n = numbers();
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        wl_demand d = demand_of(4, cases[i].waves, &life);
        d.sm.l1_wavefronts = 1000 * d.blocks;
        const double all = 1000 + hypot(500, 3000), fewer = 1000 + hypot(500, 1000 * cases[i].last - 1000);
        const double whole = floor(cases[i].waves), part = cases[i].waves - whole;
        const double more = cases[i].last > 0 ? (fewer - part * all) / whole : 0;
        check_near(cases[i].name, "time", apply(&n, &d).time_s, (cases[i].waves * all + more) * 1e-9, NEAR);
        d.waiting = NULL; /* as short as their start: waves run into each other */
        n.launch.turnover = 1500;
        check_near(cases[i].name, "no life", apply(&n, &d).time_s, cases[i].waves * all * 1e-9, NEAR);
        n.launch.turnover = 0;
    }
    check_done();
}

/* ---- several kinds ---- */

/* Two kinds of blocks that do the same, one after the other: 4 warps, 400 instructions. */
static wl_kinds two_kinds(double blocks, double of_longest)
{
    const double half = blocks / 2;
    wl_kinds kinds = {.count = 2};
    for (int i = 0; i < 2; i++)
        kinds.list[i] = (wl_block_kind){.blocks = half,
                                        .instructions = 400,
                                        .most = 400,
                                        .first = i * half,
                                        .last = (i + 1) * half - 1,
                                        .middle = (i + 0.5) * half - 0.5,
                                        .longest = {.instructions = of_longest}};
    return kinds;
}

/* A block has 4000 issue slots of 4 a cycle. */
static wl_demand demand_of_kinds(double blocks, const wl_kinds *kinds)
{
    wl_demand d = demand_of(2, 1, NULL);
    d.blocks = blocks;
    d.warps = 4 * blocks;
    d.sm.instructions = 4000 * blocks;
    d.thread.instructions = 100;
    d.uneven.kinds = kinds;
    return d;
}

static void a_mean_block_has_its_own_work(void **state)
{
    (void)state;
    const wl_turnover n = numbers();
    static const double blocks[] = {2, 6, 10, 12, 20, 1000};
    for (size_t i = 0; i < COUNT_OF(blocks); i++) {
        const wl_kinds kinds = two_kinds(blocks[i], 100);
        const wl_demand d = demand_of_kinds(blocks[i], &kinds);
        check_near("mean block", "own work", apply(&n, &d).own_cycles, 1000, NEAR);
    }
    const wl_kinds few = two_kinds(6, 100);
    const wl_demand d = demand_of_kinds(6, &few);
    /* its longest warp waits until the others have issued, too */
    check_near("a block on each", "time", apply(&n, &d).time_s, 1000e-9, NEAR);
    check_done();
}

/* Where one warp does all the work, the others wait for it, and do no more than the mean
 * meanwhile. */
static void warps_work_while_the_longest_waits(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        /* instructions; cycles each waits; share of the work that nothing hides */
        double longest, wait, alone;
    } cases[] = {{"alike", 100, 10, 1}, {"one does all", 400, 2.5, 0.25}, {"twice the mean", 200, 5, 0.5}};
    wl_turnover n = numbers();
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const wl_kinds kinds = two_kinds(6, cases[i].longest);
        const wl_demand d = demand_of_kinds(6, &kinds);
        n.sm.instruction_wait = cases[i].wait;
        const double alone = 1000 * cases[i].alone, delay = (1000 - 100) * cases[i].alone;
        check_near(cases[i].name, "time", apply(&n, &d).time_s,
                   (alone + hypot(1000 + delay - alone, 1000 - alone)) * 1e-9, NEAR);
    }
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waits_for_dram_grow_with_its_load),
        cmocka_unit_test(reads_wait_between_writes),
        cmocka_unit_test(blocks_leave_one_after_the_other),
        cmocka_unit_test(atomics_of_one_wave_are_in_step),
        cmocka_unit_test(warps_of_a_block_stay_in_step),
        cmocka_unit_test(warps_queue_for_the_l1),
        cmocka_unit_test(nobody_passes_the_leader),
        cmocka_unit_test(blocks_leave_from_the_first_end_on),
        cmocka_unit_test(last_wave_may_be_a_part),
        cmocka_unit_test(a_mean_block_has_its_own_work),
        cmocka_unit_test(warps_work_while_the_longest_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

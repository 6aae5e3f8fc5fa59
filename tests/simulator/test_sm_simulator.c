/* test_sm_simulator.c - the event simulator on programs small enough to follow by hand.
 * SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include "simulator/sm_simulator.h"

#define NONE SIM_NO_REGISTER

/* Nothing queues unless a test says so. */
static sim_machine machine(void)
{
    return (sim_machine){.memory = {.sms = 1,
                                    .slices = 1,
                                    .slice_mshrs = 64,
                                    .l2_latency = 120,
                                    .dram_latency = 220,
                                    .banks = 2,
                                    .row_lines = 4,
                                    .window = 8},
                         .sub_cores = 1,
                         .warps = 1,
                         .issue = 1,
                         .mshrs = 64,
                         .memory_queue = 4};
}

static sim_instruction alu(int to, int from, double latency)
{
    return (sim_instruction){.kind = SIM_ALU, .to = to, .from = {from, NONE}, .latency = latency};
}

static sim_instruction load(int to, int requests, double miss_ratio)
{
    return (sim_instruction){
        .kind = SIM_LOAD, .to = to, .from = {NONE, NONE}, .requests = requests, .miss_ratio = miss_ratio};
}

static sim_instruction store(int from, int requests)
{
    return (sim_instruction){.kind = SIM_STORE, .to = NONE, .from = {from, NONE}, .requests = requests};
}

static sim_result run(const char *name, const sim_machine *m, const sim_instruction *body, size_t length, int trips)
{
    const sim_program program = {body, length, trips};
    sim_result r = {0};
    check_true(name, "ends", sim_run(m, &program, &r));
    check_near(name, "instructions", r.instructions, (double)length * trips * m->warps * m->memory.sms, 0);
    return r;
}

static void arithmetic(void **state)
{
    (void)state;
    const sim_instruction chain[] = {alu(0, NONE, 4), alu(1, 0, 4), alu(2, 1, 4)};
    sim_machine m = machine();
    /* issued in 0, 4, 8 */
    check_near("chain", "cycles", run("chain", &m, chain, 3, 1).cycles, 9, 0);
    /* 0, 4, 8, 9, 13, 17 */
    check_near("loop", "cycles", run("loop", &m, chain, 3, 2).cycles, 18, 0);
    m.warps = 4;
    check_near("four warps", "cycles", run("four warps", &m, chain, 3, 1).cycles, 12,
               0); /* one issues in every cycle */
    m.sub_cores = 4;
    check_near("four sub-cores", "cycles", run("four sub-cores", &m, chain, 3, 1).cycles, 9, 0);
    m.sub_cores = 2;
    m.warps = 3;
    check_near("two warps and one", "cycles", run("two warps and one", &m, chain, 3, 1).cycles, 10, 0);
    const sim_instruction free_ones[] = {alu(0, NONE, 4), alu(1, NONE, 4), alu(2, NONE, 4), alu(3, NONE, 4)};
    m = machine();
    m.issue = 2;
    check_near("two a cycle", "cycles", run("two a cycle", &m, free_ones, 4, 1).cycles, 2, 0);
    check_done();
}

static void a_load_waits_for_its_level(void **state)
{
    (void)state;
    const sim_instruction l2[] = {load(0, 1, 0), alu(1, 0, 4)}, dram[] = {load(0, 1, 1), alu(1, 0, 4)};
    sim_machine m = machine();
    /* issued in 0, sent in 1, back 120 later; the use issues in 121 */
    check_near("L2", "cycles", run("L2", &m, l2, 2, 1).cycles, 122, 0);
    check_near("DRAM", "cycles", run("DRAM", &m, dram, 2, 1).cycles, 342, 0);
    m.memory.port_cycles = 10; /* of the 120; the DRAM's of its 220 */
    m.memory.burst = 8;
    m.memory.row_cycle = 60;
    check_near("ports", "cycles", run("ports", &m, l2, 2, 1).cycles, 122, 0);
    check_near("channel", "cycles", run("channel", &m, dram, 2, 1).cycles, 342, 0);
    check_done();
}

static void requests_queue(void **state)
{
    (void)state;
    const sim_instruction four[] = {load(0, 4, 0), alu(1, 0, 4)}, two[] = {load(0, 2, 1), alu(1, 0, 4)};
    sim_machine m = machine();
    /* the last is sent in 4 */
    check_near("unit", "cycles", run("unit", &m, four, 2, 1).cycles, 125, 0);
    m.memory.port_cycles = 10;
    sim_result r = run("port", &m, four, 2, 1);
    /* the first is back in 121, the others 10 each later */
    check_near("port", "cycles", r.cycles, 152, 0);
    check_near("port", "busy", r.port_busy, 40, 0);
    m.memory.slices = 4; /* the multiprocessor has one port all the same */
    check_near("one receiver", "cycles", run("one receiver", &m, four, 2, 1).cycles, 152, 0);
    m.memory.slices = 1;
    m.memory.sms = 2; /* two receivers, one sender */
    check_near("one sender", "cycles", run("one sender", &m, four, 2, 1).cycles, 192, 0);
    m = machine();
    m.memory.burst = 10;
    r = run("channel", &m, two, 2, 1);
    check_near("channel", "cycles", r.cycles, 352, 0); /* 341 and 10 */
    check_near("channel", "busy", r.dram_busy, 20, 0);
    check_done();
}

/* Requests of one bank wait for its rows; those of another go first. */
static void rows_take_time(void **state)
{
    (void)state;
    const sim_instruction one[] = {load(0, 4, 1), alu(1, 0, 4)}, rows[] = {load(0, 12, 1), alu(1, 0, 4)};
    sim_machine m = machine();
    m.memory.burst = 10;
    m.memory.row_cycle = 100;
    /* 4 lines are a row */
    check_near("one row", "cycles", run("one row", &m, one, 2, 1).cycles, 342 + 30, 0);
    /* rows 0, 1, 2 of banks 0, 1, 0: the third begins 100 after the first */
    check_near("three rows", "cycles", run("three rows", &m, rows, 2, 1).cycles, 342 + 100 + 30, 0);
    m.memory.banks = 3;
    check_near("three banks", "cycles", run("three banks", &m, rows, 2, 1).cycles, 342 + 110, 0);
    check_done();
}

/* A slice without a miss register blocks hits behind the miss. */
static void slices_block(void **state)
{
    (void)state;
    const sim_instruction body[] = {load(0, 1, 1), load(1, 1, 1), load(2, 1, 0), alu(3, 2, 4)};
    sim_machine m = machine();
    const double open = run("open", &m, body, 4, 1).cycles;
    m.memory.slice_mshrs = 1;
    const double blocked = run("blocked", &m, body, 4, 1).cycles;
    check_near("open", "cycles", open, 343, 0); /* the second load, sent in 2 */
    /* the first is fetched in 341: the second goes to DRAM then, and is back 220 later */
    check_near("blocked", "cycles", blocked, 562, 0);
    check_done();
}

static void registers_run_out(void **state)
{
    (void)state;
    const sim_instruction four[] = {load(0, 4, 0), alu(1, 0, 4)};
    sim_machine m = machine();
    m.mshrs = 2;
    const sim_result r = run("two registers", &m, four, 2, 1);
    /* sent in 1, 2, then as they come back in 121, 122 */
    check_near("two registers", "cycles", r.cycles, 243, 0);
    check_int("two registers", "in flight", r.most_misses, 2);
    m.mshrs = 1;
    /* 1 + 4 x 120 */
    check_near("one register", "cycles", run("one register", &m, four, 2, 1).cycles, 482, 0);
    check_done();
}

/* Figure 2 of Wang et al. 2019: two warps, two miss registers, two loads of which the second needs
 * the first. */
static void batches_of_figure_2(void **state)
{
    (void)state;
    sim_machine m = machine();
    m.warps = 2;
    m.mshrs = 2;
    sim_instruction two_loads[] = {load(0, 1, 0), load(1, 1, 0), alu(2, 1, 4)};
    two_loads[1].from[0] = 0;
    const double alone = run("coalesced", &m, two_loads, 3, 1).cycles;
    check_true("coalesced", "two round trips", alone > 240 && alone < 250);
    two_loads[0].requests = two_loads[1].requests = 4;
    const double batches = run("divergent", &m, two_loads, 3, 1).cycles;
    check_true("divergent", "sixteen requests, two at a time", batches > 8 * 120 && batches < 8 * 120 + 30);
    check_done();
}

static void stores_hold_nobody(void **state)
{
    (void)state;
    const sim_instruction body[] = {store(NONE, 4), alu(0, NONE, 4), alu(1, 0, 4)};
    sim_machine m = machine();
    m.mshrs = 1;
    m.memory.port_cycles = 10;
    sim_result r = run("store", &m, body, 3, 1);
    check_near("store", "cycles", r.cycles, 152, 0); /* the last one, sent in 31, is there in 151 */
    check_int("store", "miss registers", r.most_misses, 0);
    check_done();
}

/* A blocked load-store unit blocks memory instructions, not arithmetic. */
static void a_full_unit_blocks(void **state)
{
    (void)state;
    const sim_instruction loads[] = {load(0, 2, 0), load(1, 2, 0), load(2, 2, 0), alu(3, NONE, 4)};
    sim_machine m = machine();
    m.memory_queue = 1;
    m.mshrs = 2;
    /* sent in 1, 2; blocked up to 121; the second load issues in 2 and the third when it has left,
     * in 122 */
    const sim_result r = run("one place", &m, loads, 4, 1);
    check_near("one place", "cycles", r.cycles, 363, 0);
    check_done();
}

/* Three instructions, then a load: in turns both load late; greedy, the first loads early. */
static void order_of_warps(void **state)
{
    (void)state;
    const sim_instruction body[] = {alu(0, NONE, 1), alu(1, NONE, 1), alu(2, NONE, 1), load(3, 1, 0), alu(4, 3, 1)};
    sim_machine m = machine();
    m.warps = 2;
    m.mshrs = 1;
    /* in turns: loads issue in 6 and 7, go in 7 and 127, the last use issues in 247 */
    check_near("in turns", "cycles", run("in turns", &m, body, 5, 1).cycles, 248, 0);
    m.greedy = true;
    /* greedy: loads issue in 3 and 7, go in 4 and 124 */
    check_near("greedy", "cycles", run("greedy", &m, body, 5, 1).cycles, 245, 0);
    check_done();
}

/* Half of the requests miss, within what is likely. */
static void ratios_are_kept(void **state)
{
    (void)state;
    const sim_instruction body[] = {load(0, 8, 0.5), alu(1, 0, 4)};
    sim_machine m = machine();
    m.warps = 16;
    m.memory.burst = 1;
    const sim_result r = run("half", &m, body, 2, 100);
    check_true("half", "misses", fabs(r.dram_busy / (8 * 16 * 100) - 0.5) < 0.02);
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arithmetic),          cmocka_unit_test(a_load_waits_for_its_level),
        cmocka_unit_test(requests_queue),      cmocka_unit_test(rows_take_time),
        cmocka_unit_test(slices_block),        cmocka_unit_test(registers_run_out),
        cmocka_unit_test(batches_of_figure_2), cmocka_unit_test(stores_hold_nobody),
        cmocka_unit_test(a_full_unit_blocks),  cmocka_unit_test(order_of_warps),
        cmocka_unit_test(ratios_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

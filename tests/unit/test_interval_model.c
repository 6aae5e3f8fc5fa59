/* test_interval_model.c - model/interval_model.h: reference values by hand, what the models have in
 * common and how they differ, rounds, sub-cores and stacks. SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include "model/interval_model.h"

#define NEAR 1e-12

typedef struct named_model {
    const char *name;
    wl_contention_model *model;
} named_model;

static const named_model models[] = {{"gpumech", wl_gpumech},
                                     {"gpumech+", wl_gpumech_plus},
                                     {"mdm-queue", wl_mdm_queue},
                                     {"mdm-mshr", wl_mdm_mshr},
                                     {"mdm", wl_mdm}};

/* Wang et al. 2019, Table 1, with one warp instruction per cycle and scheduler. */
static wl_interval_machine pascal(void)
{
    return (wl_interval_machine){.sms = 28,
                                 .pools = 4,
                                 .issue = 1,
                                 .mshrs = 128,
                                 .clock = 1.4e9,
                                 .request = 128,
                                 .noc = 1050e9,
                                 .dram = 480e9,
                                 .l2_latency = 120,
                                 .dram_latency = 220,
                                 .order = WL_ORDER_ROUND_ROBIN};
}

/* A warp that loads R requests of which `misses` miss the L2, and then stops. */
static wl_life_interval load_of(double requests, double misses)
{
    return (wl_life_interval){.times = 1,
                              .instructions = 10,
                              .stall = 200,
                              .cause = WL_STALL_MEMORY,
                              .level = {20, 100, 80},
                              .reads = requests,
                              .misses = misses,
                              .op = -1};
}

static wl_life_profile life_of(const wl_life_interval *list, size_t count)
{
    return (wl_life_profile){.warps = 1, .list = list, .count = count};
}

static wl_stack stack_of(wl_contention_model *model, const wl_life_profile *life, const wl_interval_machine *m,
                         double warps)
{
    const wl_interval_launch launch = {m->sms, 1, warps};
    wl_stack s;
    wl_interval_stack(model, life, 1, m, &launch, &s, NULL);
    return s;
}

/* ---- contention ---- */

/* 64 warps of 8 requests, a quarter of which miss the L2: 512 requests in 4 batches of 128. */
static wl_contention full_batches(void)
{
    return (wl_contention){.reads = 512,
                           .mshrs = 128,
                           .flying = 28.0 * 128,
                           .noc_service = 0.2,
                           .dram_service = 0.1,
                           .dram_one = 0.4,
                           .latency = 175,
                           .alone = 210};
}

static void equations_by_hand(void **state)
{
    (void)state;
    const wl_contention c = full_batches();
    const double noc = 28 * 128 * 0.2, dram = 28 * 128 * 0.1; /* equation 5, saturated */
    wl_contended s = wl_mdm(&c);
    check_near("mdm", "noc", s.noc, noc, NEAR);
    check_near("mdm", "dram", s.dram, dram, NEAR);
    check_near("mdm", "mshr", s.mshr, 3 * (175 + noc + dram), NEAR); /* equations 7 and 8 */
    s = wl_mdm_mshr(&c);
    check_near("mdm-mshr", "noc", s.noc, noc / 2, NEAR);
    check_near("mdm-mshr", "mshr", s.mshr, 3 * (175 + noc / 2 + dram / 2), NEAR);
    s = wl_mdm_queue(&c);
    check_near("mdm-queue", "dram", s.dram, dram, NEAR);
    /* mean of 0, 1, 2, 3 batches */
    check_near("mdm-queue", "mshr", s.mshr, 1.5 * (175 + noc + dram), NEAR);
    s = wl_gpumech_plus(&c);
    check_near("gpumech+", "dram", s.dram, dram / 2, NEAR);
    check_near("gpumech+", "mshr", s.mshr, 1.5 * (175 + noc / 2 + dram / 2), NEAR);
    s = wl_gpumech(&c);
    check_near("gpumech", "noc", s.noc, 0, 0);
    check_near("gpumech", "mshr", s.mshr, 1.5 * 175, NEAR);
    check_near("gpumech", "dram, saturated", s.dram, dram / 2, NEAR);
    check_done();
}

static void gpumech_queues_as_m_d_1(void **state)
{
    (void)state;
    wl_contention c = full_batches();
    c.alone = 2 * 28 * 128 * 0.1; /* half busy: rho s / (2 (1 - rho)) = s / 2 */
    check_near("half busy", "dram", wl_gpumech(&c).dram, 0.4 / 2, NEAR);
    c.alone = 0;
    check_near("no time", "dram", wl_gpumech(&c).dram, 28 * 128 * 0.1 / 2, NEAR);
    c.alone = 28 * 128 * 0.1 * (1 + 1e-9); /* M/D/1 alone would be 1e8 times as much */
    check_near("nearly saturated", "dram", wl_gpumech(&c).dram, 28 * 128 * 0.1 / 2, NEAR);
    check_done();
}

/* The closed form is the sum; q = K N_M gives half of what MDM's batches take. */
static void mean_wait_is_the_sum(void **state)
{
    (void)state;
    for (int mshrs = 1; mshrs <= 40; mshrs += 3)
        for (int q = 1; q <= 300; q++) {
            const wl_contention c = {.reads = q, .mshrs = mshrs, .latency = 100};
            double sum = 0;
            for (int j = 1; j <= q; j++)
                sum += (j + mshrs - 1) / mshrs;
            check_near("sum", "mean wait", 1 + wl_mean_wait(&c), sum / q, NEAR);
            check_near("sum", "batches", wl_batches(&c), (q + mshrs - 1) / mshrs, 0);
            if (q % mshrs == 0)
                check_near("full batches", "GPUMech over MDM", 2 * wl_gpumech(&c).mshr, wl_mdm(&c).mshr, NEAR);
        }
    check_done();
}

static void a_request_too_many_makes_an_interval_divergent(void **state)
{
    (void)state;
    wl_contention c = {.reads = 128, .mshrs = 128, .flying = 10, .noc_service = 1, .latency = 100};
    check_true("128 of 128", "not divergent", !wl_divergent(&c));
    check_near("128 of 128", "mshr", wl_mdm(&c).mshr, 0, 0);
    check_near("128 of 128", "noc", wl_mdm(&c).noc, 5, NEAR);
    c.reads = 129;
    check_near("129 of 128", "mshr", wl_mdm(&c).mshr, 110, NEAR);
    check_near("129 of 128", "noc", wl_mdm(&c).noc, 10, NEAR);
    c.reads = 128 * (1 + 1e-15); /* a sum of thirds, say */
    check_true("rounding", "not divergent", !wl_divergent(&c));
    check_done();
}

/* ---- warps that take turns ---- */

static void one_warp_waits_for_nobody(void **state)
{
    (void)state;
    const wl_life_interval list[] = {
        {.times = 3, .instructions = 7, .stall = 11, .cause = WL_STALL_DEPENDENCE, .op = -1},
        {.times = 1, .instructions = 5, .op = -1}};
    const wl_life_profile life = life_of(list, 2);
    const wl_interval_machine m = pascal();
    for (size_t i = 0; i < COUNT_OF(models); i++) {
        const wl_stack s = stack_of(models[i].model, &life, &m, 1);
        check_near(models[i].name, "cycles", s.total, 3 * 18 + 5, NEAR);
        check_near(models[i].name, "base", s.cycles[WL_STACK_ISSUE], 26, NEAR);
        check_near(models[i].name, "dependence", s.cycles[WL_STACK_DEPENDENCE], 33, NEAR);
    }
    check_done();
}

static void warps_overlap(void **state)
{
    (void)state;
    wl_life_interval at = {.times = 1, .instructions = 10, .stall = 1000, .cause = WL_STALL_DEPENDENCE, .op = -1};
    const wl_life_profile life = life_of(&at, 1);
    wl_interval_machine m = pascal();
    wl_life_sums sums = wl_life_add_up(&life);
    /* others issue between the instructions with the probability that they are ready; the stall
     * hides the rest */
    check_near("round robin", "long stall", wl_not_overlapped(&at, &sums, 8, &m), 10.0 / 1010 * 7 * 9, NEAR);
    at.instructions = 1;
    sums = wl_life_add_up(&life);
    check_near("one instruction", "long stall", wl_not_overlapped(&at, &sums, 8, &m), 0, 0);
    at.stall = 3;
    sums = wl_life_add_up(&life);
    check_near("one instruction", "short stall", wl_not_overlapped(&at, &sums, 8, &m), 0.25 * 4, NEAR);
    m.order = WL_ORDER_GREEDY;
    check_near("greedy", "short stall", wl_not_overlapped(&at, &sums, 8, &m), 0.75 * 7 - 3, NEAR);
    at.stall = 1000;
    sums = wl_life_add_up(&life);
    check_near("greedy", "long stall", wl_not_overlapped(&at, &sums, 8, &m), 0, 0);
    at.stall = 0;
    sums = wl_life_add_up(&life);
    for (m.order = WL_ORDER_ROUND_ROBIN; m.order <= WL_ORDER_GREEDY; m.order++)
        check_near("no stall", "cycles", wl_pool_cycles(&life, &sums, 8, &m), 8, NEAR);
    m.issue = 2;
    check_near("no stall, two a cycle", "cycles", wl_pool_cycles(&life, &sums, 8, &m), 4, NEAR);
    check_done();
}

/* A scheduler issues no faster than it can, whatever the formula of the overlap says. */
static void issue_is_the_least(void **state)
{
    (void)state;
    const wl_life_interval at = {.times = 100, .instructions = 10, .stall = 10, .cause = WL_STALL_DEPENDENCE, .op = -1};
    const wl_life_profile life = life_of(&at, 1);
    const wl_interval_machine m = pascal();
    const wl_stack s = stack_of(wl_mdm, &life, &m, 64);
    check_near("64 warps", "cycles", s.total, 16 * 100 * 10, NEAR);
    check_near("64 warps", "base", s.cycles[WL_STACK_ISSUE], s.total, NEAR);
    /* of one counted warp */
    check_near("64 warps", "CPI", wl_stack_cpi(&s, WL_STACK_ISSUE), 0.25 * 64 * 28, NEAR);
    check_done();
}

/* ---- the launch ---- */

/* 30 warps: two sub-cores have 8, two have 7. */
static void sub_cores_differ(void **state)
{
    (void)state;
    const wl_life_interval at = {.times = 10, .instructions = 50, .op = -1};
    const wl_life_profile life = life_of(&at, 1);
    const wl_interval_machine m = pascal();
    wl_stack s = stack_of(wl_mdm, &life, &m, 30);
    check_near("30 warps", "cycles", s.total, 8 * 500, NEAR);
    check_near("30 warps", "base", s.cycles[WL_STACK_ISSUE], 7.5 * 500, NEAR);
    check_near("30 warps", "imbalance", s.cycles[WL_STACK_IMBALANCE], 0.5 * 500, NEAR);
    s = stack_of(wl_mdm, &life, &m, 2); /* the others have nothing to wait for */
    check_near("2 warps", "cycles", s.total, 500, NEAR);
    check_near("2 warps", "imbalance", s.cycles[WL_STACK_IMBALANCE], 0, 0);
    check_done();
}

static void rounds_by_hand(void **state)
{
    (void)state;
    const wl_life_interval at = {.times = 1, .instructions = 100, .stall = 900, .cause = WL_STALL_BARRIER, .op = -1};
    const wl_life_profile life = life_of(&at, 1);
    wl_interval_machine m = pascal();
    static const struct {
        const char *name;
        double blocks, rounds, even; /* even: rounds if all were full */
    } cases[] = {
        {"one full round", 56, 1, 1}, {"three full rounds", 168, 3, 3},        {"one block more", 57, 2, 57.0 / 56},
        {"half a machine", 14, 1, 1}, {"all but one block", 55, 1, 55.0 / 56}, {"one block", 1, 1, 1}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        /* 1 or 2 warps: each has a sub-core of its own */
        const wl_interval_launch launch = {cases[i].blocks, 2, 1};
        wl_stack s;
        wl_interval_stack(wl_mdm, &life, 1, &m, &launch, &s, NULL);
        check_near(cases[i].name, "cycles", s.total, 1000 * cases[i].rounds, NEAR);
        check_near(cases[i].name, "barrier", s.cycles[WL_STACK_BARRIER], 900 * cases[i].even, NEAR);
        check_near(cases[i].name, "tail", s.cycles[WL_STACK_TAIL], 1000 * (cases[i].rounds - cases[i].even), 1e-9);
    }
    m.launch = 1e-6;
    const wl_interval_launch launch = {56, 2, 1};
    wl_stack s;
    wl_interval_stack(wl_mdm, &life, 1, &m, &launch, &s, NULL);
    check_near("launch", "cycles", s.cycles[WL_STACK_LAUNCH], 1400, NEAR);
    check_near("launch", "seconds", s.seconds, 2400 / 1.4e9, NEAR);
    check_done();
}

/* Two kinds of warps: the launch takes their mean, but at least as long as the longest. */
static void kinds_of_warps(void **state)
{
    (void)state;
    const wl_life_interval brief = {.times = 1, .instructions = 100, .op = -1},
                           lasting = {.times = 1, .instructions = 5000, .op = -1};
    wl_life_profile lives[] = {{.warps = 3, .list = &brief, .count = 1}, {.warps = 1, .list = &lasting, .count = 1}};
    const wl_interval_machine m = pascal();
    wl_interval_launch launch = {28, 1, 64};
    wl_stack_row rows[2];
    wl_stack s;
    wl_interval_stack(wl_mdm, lives, 2, &m, &launch, &s, rows);
    check_near("mean", "cycles", s.total, 16 * (0.75 * 100 + 0.25 * 5000), NEAR);
    check_near("mean", "instructions", s.instructions, 3 * 100 + 5000, NEAR);
    check_near("mean", "row of the first", rows[0].cycles[WL_STACK_ISSUE], 16 * 0.75 * 100, NEAR);
    check_int("mean", "profile of the second", rows[1].profile, 1);
    launch.warps_per_block = 4;
    wl_interval_stack(wl_mdm, lives, 2, &m, &launch, &s, NULL);
    check_near("longest", "cycles", s.total, 5000, NEAR);
    check_near("longest", "imbalance", s.cycles[WL_STACK_IMBALANCE], 5000 - (0.75 * 100 + 0.25 * 5000), NEAR);
    check_done();
}

/* One divergent load on Table 1: 64 warps, 8 requests each, 2 of them to DRAM; by equations 1 to
 * 8. */
static void table_1_by_hand(void **state)
{
    (void)state;
    const wl_life_interval at = load_of(8, 2);
    const wl_life_profile life = life_of(&at, 1);
    const wl_interval_machine m = pascal();
    const wl_stack s = stack_of(wl_mdm, &life, &m, 64);
    const double noc = 28 * 128 * (1.4 * 128 / 1050), dram = 28 * 128 * (1.4 * 0.25 * 128 / 480);
    const double p = 10.0 / 210, calm = 10 + 200 + p * (15 * 9), exposed = calm - 16 * 10;
    check_near("mdm", "noc", s.cycles[WL_STACK_NOC], noc, NEAR);
    check_near("mdm", "dram queue", s.cycles[WL_STACK_DRAM_QUEUE], dram, NEAR);
    check_near("mdm", "mshr", s.cycles[WL_STACK_MSHR], 3 * (120 + 0.25 * 220 + noc + dram), NEAR);
    check_near("mdm", "total", s.total, calm + 4 * (noc + dram) + 3 * 175, NEAR);
    check_near("mdm", "base", s.cycles[WL_STACK_ISSUE], 160, NEAR);
    check_near("mdm", "l1", s.cycles[WL_STACK_L1], exposed * 0.1, 1e-9);
    check_near("mdm", "l2", s.cycles[WL_STACK_L2], exposed * 0.5, 1e-9);
    check_near("mdm", "dram", s.cycles[WL_STACK_DRAM], exposed * 0.4, 1e-9);
    check_done();
}

static void no_work_takes_no_time(void **state)
{
    (void)state;
    const wl_life_profile nothing = {.warps = 1};
    const wl_interval_machine m = pascal();
    for (size_t i = 0; i < COUNT_OF(models); i++)
        check_near(models[i].name, "total", stack_of(models[i].model, &nothing, &m, 8).total, 0, 0);
    wl_stack s;
    wl_interval_stack(wl_mdm, NULL, 0, &m, &(wl_interval_launch){1, 1, 1}, &s, NULL);
    check_near("no lives", "total", s.total, 0, 0);
    check_near("no lives", "CPI", wl_stack_cpi(&s, WL_STACK_ISSUE), 0, 0);
    check_done();
}

static void parts_have_names(void **state)
{
    (void)state;
    check_text("first", "name", wl_stack_part_name(WL_STACK_ISSUE), "issue");
    check_text("last", "name", wl_stack_part_name(WL_STACK_LAUNCH), "launch");
    for (int i = 0; i < WL_STACK_PART_COUNT; i++)
        check_true(wl_stack_part_name((wl_stack_part)i), "meaning", wl_stack_part_meaning((wl_stack_part)i)[0] != '\0');
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equations_by_hand),
        cmocka_unit_test(gpumech_queues_as_m_d_1),
        cmocka_unit_test(mean_wait_is_the_sum),
        cmocka_unit_test(a_request_too_many_makes_an_interval_divergent),
        cmocka_unit_test(one_warp_waits_for_nobody),
        cmocka_unit_test(warps_overlap),
        cmocka_unit_test(issue_is_the_least),
        cmocka_unit_test(sub_cores_differ),
        cmocka_unit_test(rounds_by_hand),
        cmocka_unit_test(kinds_of_warps),
        cmocka_unit_test(table_1_by_hand),
        cmocka_unit_test(no_work_takes_no_time),
        cmocka_unit_test(parts_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_default_life.c - timeline/default_life.h: phases and what they wait for, and that nothing a
 * warp does gets lost.
 * SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include "timeline/default_life.h"

#define NEAR 1e-12

static const wl_warp_waits waits = {.issue = 1, .next = 3, .level = {30, 200, 600}, .barrier = 50};

static wl_default_life make(wl_warp_work work)
{
    wl_default_life life;
    wl_default_life_make(&work, &waits, &life);
    return life;
}

static const wl_life_interval *find(const wl_default_life *life, wl_stall cause, double stall)
{
    static const wl_life_interval none;
    for (size_t i = 0; i < life->count; i++)
        if (life->list[i].cause == cause && fabs(life->list[i].stall - stall) < 1e-9)
            return &life->list[i];
    return &none;
}

/* Six phases of two loads, four sectors each: one waits for DRAM, two for the L2, three find all in
 * the L1. */
static void phases_wait_for_their_level(void **state)
{
    (void)state;
    const wl_default_life life = make((wl_warp_work){.instructions = 100,
                                                     .phases = 6,
                                                     .loads_per_phase = 1,
                                                     .fresh = 1,
                                                     .requested = 48,
                                                     .reads = 24,
                                                     .misses = 8,
                                                     .writes = 4});
    check_near("phases", "that miss the L1", life.missing, 3, NEAR);
    check_near("phases", "that miss the L2", life.dram, 1, NEAR);
    const wl_life_interval *dram = find(&life, WL_STALL_MEMORY, 600), *l2 = find(&life, WL_STALL_MEMORY, 200),
                           *l1 = find(&life, WL_STALL_MEMORY, 30);
    check_near("DRAM", "times", dram->times, 1, NEAR);
    check_near("DRAM", "requests", dram->reads, 8, NEAR);
    check_near("DRAM", "misses", dram->misses, 8, NEAR);
    check_near("DRAM", "part of the L1", dram->level[0], 30, NEAR);
    check_near("DRAM", "part of the L2", dram->level[1], 170, NEAR);
    check_near("DRAM", "part of DRAM", dram->level[2], 400, NEAR);
    check_near("L2", "times", l2->times, 2, NEAR);
    check_near("L2", "requests", l2->reads, 8, NEAR);
    check_near("L2", "misses", l2->misses, 0, 0);
    check_near("L1", "times", l1->times, 3, NEAR);
    check_near("L1", "requests", l1->reads, 0, 0);
    check_near("between", "instructions", find(&life, WL_STALL_DEPENDENCE, 2)->times, 100 - 7, NEAR);
    check_near("end", "stores", find(&life, WL_STALL_NONE, 0)->writes, 4, NEAR);
    check_done();
}

/* At least so many phases wait that their requests all miss; at most as many as there are misses.
 * Between these, the six loads of a phase miss independently: 0.963.. is (1 - 0.5 / 80)^6. */
static void misses_bound_the_phases(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double fresh, reads, misses, missing, dram;
    } cases[] = {
        {"all miss", 10, 80, 80, 10, 10},
        {"none misses", 10, 0, 0, 0, 0},
        {"half of the requests", 0, 80, 40, 10, 5},
        {"fewer requests than phases", 10, 0.5, 0.25, 10 * (1 - 0.9630810775185229), 0.25},
        {"fresh phases, few misses", 10, 80, 3, 10, 3},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const wl_default_life life = make((wl_warp_work){.instructions = 100,
                                                         .phases = 10,
                                                         .loads_per_phase = 6,
                                                         .fresh = cases[i].fresh,
                                                         .requested = 80,
                                                         .reads = cases[i].reads,
                                                         .misses = cases[i].misses});
        check_near(cases[i].name, "phases that miss the L1", life.missing, cases[i].missing, 1e-9);
        check_near(cases[i].name, "phases that miss the L2", life.dram, cases[i].dram, 1e-9);
    }
    check_done();
}

static void check_kept(const wl_warp_work *work, const wl_default_life *life)
{
    double instructions = 0, reads = 0, misses = 0, writes = 0, phases = 0, barriers = 0;
    for (size_t i = 0; i < life->count; i++) {
        const wl_life_interval *at = &life->list[i];
        instructions += at->times * at->instructions;
        reads += at->times * at->reads;
        misses += at->times * at->misses;
        writes += at->times * at->writes;
        phases += at->cause == WL_STALL_MEMORY ? at->times : 0;
        barriers += at->cause == WL_STALL_BARRIER ? at->times : 0;
        check_true("kept", "misses are reads", at->misses <= at->reads * (1 + NEAR));
        check_true("kept", "stall", isfinite(at->stall) && at->stall >= 0);
    }
    check_near("kept", "instructions", instructions, work->instructions, 1e-9);
    check_near("kept", "reads", reads, work->reads, 1e-9);
    check_near("kept", "misses", misses, work->misses, 1e-9);
    check_near("kept", "writes", writes, work->writes, 1e-9);
    check_near("kept", "barriers", barriers, work->barriers, 1e-9);
    check_near("kept", "phases", phases, fmax(work->phases, work->reads > 0), 1e-9);
}

static void nothing_is_lost(void **state)
{
    (void)state;
    static const double phases[] = {0, 1, 7.5, 1000}, shares[] = {0, 0.01, 0.5, 1}, instructions[] = {1, 12, 900};
    for (size_t p = 0; p < COUNT_OF(phases); p++)
        for (size_t a = 0; a < COUNT_OF(shares); a++)
            for (size_t b = 0; b < COUNT_OF(shares); b++)
                for (size_t i = 0; i < COUNT_OF(instructions); i++)
                    for (int requested = 0; requested < 2; requested++) {
                        const wl_warp_work work = {.instructions = instructions[i],
                                                   .phases = phases[p],
                                                   .loads_per_phase = 6,
                                                   .fresh = 2,
                                                   .requested = requested ? 64 : 0,
                                                   .reads = 64 * shares[a],
                                                   .misses = 64 * shares[a] * shares[b],
                                                   .writes = 3,
                                                   .barriers = 2};
                        const wl_default_life life = make(work);
                        check_kept(&work, &life);
                    }
    check_done();
}

static void without_loads(void **state)
{
    (void)state;
    wl_default_life life = make((wl_warp_work){.instructions = 20});
    check_int("no loads", "intervals", (int64_t)life.count, 2);
    check_near("no loads", "instructions that wait", life.list[0].times, 19, NEAR);
    const wl_warp_work work = {.instructions = 20};
    wl_default_life_make(&work, &(wl_warp_waits){.issue = 1}, &life);
    check_int("no waits known", "intervals", (int64_t)life.count, 1);
    check_near("no waits known", "instructions", life.list[0].instructions, 20, NEAR);
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(phases_wait_for_their_level),
        cmocka_unit_test(misses_bound_the_phases),
        cmocka_unit_test(nothing_is_lost),
        cmocka_unit_test(without_loads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

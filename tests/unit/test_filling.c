/* test_filling.c - model/filling.h: against blocks that are dealt one by one, and by hand.
 * SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include <stdio.h>

#include "model/filling.h"

#define SMS 10
#define RESIDENT 2
#define SLOTS (SMS * RESIDENT)
#define BLOCKS 1000

static wl_slots slots(void) { return (wl_slots){.sms = SMS, .resident = RESIDENT, .norm = 4}; }

typedef enum place { FIRST, LAST, SPREAD } place;
static const char *const places[] = {"first", "last", "spread"};

/* `some` blocks that wait long, at the start, at the end or between the others. */
static void two_kinds(place where, int some, double wait, double few, wl_block_time out[2])
{
    const double first = where == LAST ? BLOCKS - some : where == FIRST ? 0 : (int)(0.5 * BLOCKS / some);
    const double last = where == FIRST ? some - 1 : where == LAST ? BLOCKS - 1 : (int)((some - 0.5) * BLOCKS / some);
    const double other = where == FIRST ? some : 0, end = where == LAST ? BLOCKS - some - 1 : BLOCKS - 1;
    out[0] = (wl_block_time){.blocks = some, .first = first, .last = last, .middle = (first + last) / 2, .wait = wait};
    out[1] =
        (wl_block_time){.blocks = BLOCKS - some, .first = other, .last = end, .middle = (other + end) / 2, .wait = few};
    for (int k = 0; k < 2; k++)
        out[k].longest_wait = out[k].wait;
}

static bool is_long(place where, int some, int block)
{
    if (where == FIRST)
        return block < some;
    if (where == LAST)
        return block >= BLOCKS - some;
    for (int i = 0; i < some; i++)
        if (block == (int)((i + 0.5) * BLOCKS / some))
            return true;
    return false;
}

/* Each block starts in the slot that is free first. */
static double deal(place where, int some, double wait, double few, double launch)
{
    double free_at[SLOTS] = {0}, end = 0, next = 0;
    for (int b = 0; b < BLOCKS; b++) {
        int slot = 0;
        for (int s = 1; s < SLOTS; s++)
            slot = free_at[s] < free_at[slot] ? s : slot;
        const double start = fmax(free_at[slot], next);
        next = start + launch;
        free_at[slot] = start + (is_long(where, some, b) ? wait : few);
        end = fmax(end, free_at[slot]);
    }
    return end;
}

static void waits_are_dealt_to_slots(void **state)
{
    (void)state;
    static const struct {
        int some;
        double wait, few, launch;
    } cases[] = {
        {1, 5000, 100, 0},   {10, 5000, 100, 0}, {20, 5000, 100, 0},  {100, 5000, 100, 0},
        {500, 2000, 100, 0}, {1, 50000, 100, 0}, {10, 50000, 1, 2},   {1, 5000, 1, 10},
        {10, 5000, 1, 10},   {100, 5000, 1, 10}, {900, 1000, 100, 0}, {500, 1000, 900, 0},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        for (int where = FIRST; where <= SPREAD; where++) {
            wl_slots s = slots();
            wl_block_time kinds[2];
            s.launch = cases[i].launch;
            two_kinds((place)where, cases[i].some, cases[i].wait, cases[i].few, kinds);
            const double got = wl_fill(&s, kinds, 2).cycles;
            const double want = deal((place)where, cases[i].some, cases[i].wait, cases[i].few, s.launch);
            /* waves of the model may end with a fraction: a block more or less in every slot */
            const double near = 0.05 * want + (cases[i].some >= SLOTS ? cases[i].wait : 2 * cases[i].few);
            char name[64];
            snprintf(name, sizeof name, "case %zu, %s", i, places[where]);
            if (fabs(got - want) > near)
                print_error("%s: %.0f cycles, not %.0f\n", name, got, want);
            check_true(name, "the time is that of dealing", fabs(got - want) <= near);
        }
    check_done();
}

/* Where all blocks are alike, they take turns: as without kinds. */
static void one_kind_takes_turns(void **state)
{
    (void)state;
    const wl_slots s = slots();
    wl_block_time k = {.blocks = BLOCKS, .last = BLOCKS - 1, .middle = (BLOCKS - 1) / 2.0};
    k.own = k.longest_own = 30;
    k.wait = k.longest_wait = 400;
    const double turn = 30 + sqrt(400 * 400 + 30 * 30);
    const wl_filled filled = wl_fill(&s, &k, 1);
    check_near("alike", "cycles", filled.cycles, BLOCKS / (double)SLOTS * turn, 1e-9);
    check_int("alike", "the kind that ends last", filled.last, -1);
    check_done();
}

/* Warps of the last block that work while its longest one waits: as work of other blocks does. */
static void work_beside_the_longest_warp_is_hidden(void **state)
{
    (void)state;
    wl_slots s = slots();
    wl_block_time k = {.blocks = 1, .own = 1000, .longest_own = 1000, .wait = 1000, .longest_wait = 1000};
    check_near("none", "cycles", wl_fill(&s, &k, 1).cycles, 1000 + 1000, 1e-9);
    k.hidden = 0.25;
    check_near("a quarter", "cycles", wl_fill(&s, &k, 1).cycles, 750 + hypot(1000, 250), 1e-9);
    k.hidden = 1;
    check_near("all", "cycles", wl_fill(&s, &k, 1).cycles, hypot(1000, 1000), 1e-9);
    /* warps that wait together are as long as their own work and waits: only the rest is a wait */
    k.hidden = 0;
    s.met = 1;
    check_near("together", "cycles", wl_fill(&s, &k, 1).cycles, 1000, 1e-9);
    check_done();
}

/* Half of the blocks leave at once: their launches take time, which work hides only beside it. */
static void idle_blocks_cost_their_launch(void **state)
{
    (void)state;
    wl_slots s = slots();
    wl_block_time k[2];
    s.launch = 10;
    s.memory = 6000;
    two_kinds(FIRST, BLOCKS / 2, 1, 0, k);
    k[0].traffic = 1;
    check_near("work first", "cycles", wl_fill(&s, k, 2).cycles, 6000 + 10 * BLOCKS / 2, 1e-3);
    two_kinds(SPREAD, BLOCKS / 2, 1, 0, k);
    k[0].traffic = 1;
    check_near("work between", "cycles", wl_fill(&s, k, 2).cycles, 10 * BLOCKS, 1e-2);
    s.memory = 0;
    k[0].blocks = BLOCKS;
    k[0].wait = k[0].longest_wait = 0;
    check_near("all leave", "cycles", wl_fill(&s, k, 1).cycles, 10 * BLOCKS, 1e-2);
    check_done();
}

/* Long blocks between idle ones are thrown into multiprocessors at random: the fullest decides. */
static void chance_fills_one_multiprocessor_more(void **state)
{
    (void)state;
    enum { SM = 132, LONG = 264, TRIALS = 400 };
    wl_slots s = {.sms = SM, .resident = 8, .norm = 4};
    wl_block_time k[2] = {
        {.blocks = LONG, .first = 0, .last = 4095, .middle = 2047.5, .own = 1000, .longest_own = 1000},
        {.blocks = 4096 - LONG, .first = 0, .last = 4095, .middle = 2047.5}};
    uint64_t random = 1;
    double fullest = 0;
    for (int t = 0; t < TRIALS; t++) {
        int held[SM] = {0}, most = 0;
        for (int i = 0; i < LONG; i++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            const int at = (int)((random >> 33) % SM);
            most = ++held[at] > most ? held[at] : most;
        }
        fullest += (double)most / TRIALS;
    }
    check_near("between", "cycles", wl_fill(&s, k, 2).cycles, 1000 * fullest, 0.15);
    k[0].last = LONG - 1; /* one after another they are dealt evenly */
    k[0].middle = (LONG - 1) / 2.0;
    k[1].first = LONG;
    k[1].middle = (4095 + LONG) / 2.0;
    check_near("together", "cycles", wl_fill(&s, k, 2).cycles, 1000.0 * LONG / SM, 0.05);
    check_done();
}

/* A triangle: the first rows are full, the last ones empty. */
static void kinds_become_fewer(void **state)
{
    (void)state;
    wl_slots s = slots();
    s.launch = 10;
    const wl_block_time k[2] = {
        {.blocks = BLOCKS / 2, .last = BLOCKS - 1, .middle = (BLOCKS - 1) / 3.0, .own = 200, .longest_own = 200},
        {.blocks = BLOCKS / 2, .last = BLOCKS - 1, .middle = 2 * (BLOCKS - 1) / 3.0}};
    double want = 0;
    for (int b = 0; b < BLOCKS; b++) /* the share of long blocks falls from 1 to 0 */
        want += fmax(10, 200.0 / SMS * (1 - (b + 0.5) / BLOCKS));
    check_near("triangle", "cycles if balanced", wl_fill(&s, k, 2).balanced, want, 0.02);
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waits_are_dealt_to_slots),
        cmocka_unit_test(one_kind_takes_turns),
        cmocka_unit_test(work_beside_the_longest_warp_is_hidden),
        cmocka_unit_test(idle_blocks_cost_their_launch),
        cmocka_unit_test(chance_fills_one_multiprocessor_more),
        cmocka_unit_test(kinds_become_fewer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

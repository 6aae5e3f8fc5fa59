/* test_loop_period.c - kernel/loop_period.h: the addresses of one round are those of all steps.
 * SPDX-License-Identifier: MIT */
#include "unit/visited.h"

#include "kernel/loop_period.h"
#include "launch/lanes.h"

static const struct {
    const char *address, *when; /* when "": always */
    int64_t period;
} cases[] = {
    {"(x + k)%1000", "", 1000},
    {"(x + 6*k)%1000", "", 500},
    {"(x - k)%12", "", 12},
    {"(5 - 7*(k + x))%21 + x", "", 3},
    {"(k%4)*100 + (k + x)%6", "", 12},
    {"x*8 + (k & 7)", "", 8},
    {"x + ((k*3) & 15)*64", "", 16},
    {"((k + x)%8)*((k - x)%12)", "", 24},
    {"(k%10)/3 + x", "", 10},
    {"min(k%6, x)", "", 6},
    {"x + k%5", "k%7 < 3", 35},
    {"x + k%5", "k < 100", 0},
    {"x + k", "", 0},
    {"k/7 + x", "", 0},
    {"(k*k)%10 + x", "", 0},
    {"random(k, 10) + x", "", 0},
    {"(x*k)%10", "", 0},
    {"k%x + 1", "", 0},
};

static void run(wl_program *p, visited *out)
{
    wl_lane_values values = {.lanes = 32};
    wl_error err = {0};
    *out = (visited){.visits = 0};
    for (int i = 0; i < 32; i++)
        values.at[WL_VAR_X][i] = 1 + i;
    check_ok(p->access->text, wl_program_run(p, &values, visited_note, out, &err), &err);
}

static void rounds_are_all_steps(void **state)
{
    static visited all, one;
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const wl_program p = visited_compare(cases[i].address, cases[i].when, wl_loop_period_find, run, &all, &one);
        check_int(cases[i].address, "period", p.period, cases[i].period);
        check_true(cases[i].address, "fewer steps",
                   p.period == 0 || p.period >= VISITED_STEPS || one.visits <= p.period + 1);
    }
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rounds_are_all_steps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_loop_period.c - kernel/loop_period.h: the addresses of one round are those of all steps.
 * SPDX-License-Identifier: MIT */
#include "unit/checks.h"
#include "unit/given.h"

#include <stdio.h>

#include "kernel/loop_period.h"
#include "launch/lanes.h"

#define STEPS 720

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

typedef struct addresses {
    bool seen[8192];
    int64_t visits;
} addresses;

static wl_status note(void *context, const int64_t *address, const uint8_t *which, int lanes, wl_error *err)
{
    addresses *a = context;
    (void)which;
    (void)err;
    for (int i = 0; i < lanes; i++) {
        assert_true(address[i] >= 0 && address[i] < (int64_t)COUNT_OF(a->seen));
        a->seen[address[i]] = true;
    }
    a->visits++;
    return WL_OK;
}

static void run(wl_program *p, const wl_kernel *kernel, addresses *out)
{
    wl_lane_values values = {.lanes = 32};
    wl_error err = {0};
    (void)kernel;
    *out = (addresses){.visits = 0};
    for (int i = 0; i < 32; i++)
        values.at[WL_VAR_X][i] = 1 + i;
    check_ok(p->access->text, wl_program_run(p, &values, note, out, &err), &err);
}

static void rounds_are_all_steps(void **state)
{
    static addresses all, one;
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char text[400], when[100] = "";
        wl_arena arena = {0};
        wl_program p;
        wl_error err = {0};
        if (cases[i].when[0])
            snprintf(when, sizeof when, " if %s", cases[i].when);
        snprintf(text, sizeof text,
                 "name: p\ndomain: [64]\nfields:\n  a: {type: i8}\nloops: {k: %d}\nloads: [\"a[%s]%s\"]\nflops: 0\n",
                 STEPS, cases[i].address, when);
        wl_kernel *kernel = given_kernel(text);
        check_ok(cases[i].address, wl_program_make(kernel, &kernel->accesses[0], &arena, &p, &err), &err);
        run(&p, kernel, &all);
        check_true(cases[i].address, "memory", wl_loop_period_find(&p, &arena));
        check_int(cases[i].address, "period", p.period, cases[i].period);
        run(&p, kernel, &one);
        check_true(cases[i].address, "addresses", memcmp(all.seen, one.seen, sizeof all.seen) == 0);
        check_true(cases[i].address, "fewer steps", p.period == 0 || p.period >= STEPS || one.visits <= p.period + 1);
        wl_arena_free(&arena);
        wl_kernel_free(kernel);
    }
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rounds_are_all_steps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

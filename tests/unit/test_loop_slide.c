/* test_loop_slide.c - kernel/loop_slide.h: each address once gives those of all threads and steps.
 * SPDX-License-Identifier: MIT */
#include "unit/visited.h"

#include "kernel/loop_slide.h"
#include "launch/lanes.h"

#define ROW 12

static const struct {
    const char *address, *when; /* when "": always */
    bool slides;
} cases[] = {
    {"random(x + k, 5000)", "", true},
    {"random(k + 3 + x, 4000)*2 + 1", "", true},
    {"random(2*x + 2*k, 1000) + random(x + k, 100)", "", true},
    {"random(5*k - 5 + x*5, 5000)", "x + k > 40", true},
    {"random(x + k, 50)*64 + random(threadIdx.x + k, 64)", "", true},
    {"random(blockIdx.x + x + k, 5000)", "", true},
    {"random(x + k + y, 5000)", "", true},
    {"random(x + 2*k, 5000)", "", false},
    {"random(x - k, 5000)", "", false},
    {"random(x + k, 5000) + x", "", false},
    {"random(x*k, 5000)", "", false},
    {"random(x + k, 5000)", "k > 40", false},
};

/* Three rows of threads. */
static void run(wl_program *p, visited *out)
{
    wl_lane_values values = {.lanes = 32};
    wl_error err = {0};
    *out = (visited){.visits = 0};
    for (int i = 0; i < values.lanes; i++) {
        values.at[WL_VAR_X][i] = 40 + i % ROW;
        values.at[WL_VAR_THREAD_X][i] = i % ROW;
        values.at[WL_VAR_Y][i] = values.at[WL_VAR_THREAD_Y][i] = i / ROW;
    }
    check_ok(p->access->text, wl_loop_slide_run(p, &values, visited_note, out, &err), &err);
}

static void neighbours_give_all(void **state)
{
    static visited all, one;
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const wl_program p = visited_compare(cases[i].address, cases[i].when, wl_loop_slide_find, run, &all, &one);
        check_int(cases[i].address, "slides", p.slides, cases[i].slides);
        check_true(cases[i].address, "fewer visits", !p.slides || one.lanes <= all.lanes / 8);
    }
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(neighbours_give_all)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_reach.c - footprint/reach.h: a footprint is complete once every granule that an access can
 * touch is in it; the remaining threads and loop steps are not evaluated.
 * SPDX-License-Identifier: MIT */
#include "unit/checks.h"
#include "unit/given.h"

#include <stdio.h>

#include "count/view.h"
#include "footprint/reach.h"
#include "kernel/program.h"
#include "launch/lanes.h"

#define STEPS 20000
#define THREADS 64
#define SECTOR 32
#define GRANULES 131072

static const struct {
    const char *address;
    bool early; /* not all addresses are evaluated */
} cases[] = {
    {"random(x + k, 1000)", true},
    {"random(x*7 + k, 100) + 50", true},
    {"random(k, 1000) + random(x, 10)", true},
    {"(k*k)%200", true},     /* squares are in every sector, though not every element is one */
    {"(k*k)%4000*8", false}, /* ... and not in every sector */
    {"random(x + k, 1000) if k%2 == 0", true},
    {"random(x*7 + k, 1000000)", false}, /* too few steps for all of them */
    {"64*random(x*7 + k, 1000)", false}, /* leaves gaps */
    {"random(x + k, 1000) if (k + 1)/(k + 1) == 1", true},
    {"k/(x + 1)", false},
    /* a division that the bounds do not prove to be possible: every step must be evaluated */
    {"select(1000/(2*k - 39997) == 7, 3, random(x + k, 1000))", false},
};

typedef struct touched {
    bool seen[GRANULES];
    int64_t count;
} touched;

static wl_status note(void *context, const int64_t *address, const uint8_t *which, int lanes, wl_error *err)
{
    touched *t = context;
    (void)which;
    (void)err;
    for (int i = 0; i < lanes; i++) {
        const int64_t granule = address[i] / SECTOR;
        assert_true(granule >= 0 && granule < GRANULES);
        t->count += !t->seen[granule];
        t->seen[granule] = true;
    }
    return WL_OK;
}

/* Every thread and every step. */
static int64_t count_all(const wl_kernel *kernel)
{
    static touched all;
    wl_arena arena = {0};
    wl_program p;
    wl_error err = {0};
    wl_lane_values values = {.lanes = THREADS};
    all = (touched){.count = 0};
    check_ok("program", wl_program_make(kernel, &kernel->accesses[0], &arena, &p, &err), &err);
    for (int i = 0; i < THREADS; i++)
        values.at[WL_VAR_X][i] = i;
    check_ok("run", wl_program_run(&p, &values, note, &all, &err), &err);
    wl_arena_free(&arena);
    return all.count;
}

static void stops_at_a_full_footprint(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const char *name = cases[i].address;
        char text[400], address[100];
        const char *when = strstr(name, " if ");
        snprintf(address, sizeof address, "%.*s", when ? (int)(when - name) : (int)strlen(name), name);
        snprintf(text, sizeof text,
                 "name: p\ndomain: [%d]\nfields:\n  a: {type: f32}\nloops: {k: %d}\nloads: [\"a[%s]%s\"]\nflops: 0\n",
                 THREADS, STEPS, address, when ? when : "");
        wl_kernel *kernel = given_kernel(text);
        wl_device *device = given_device("h200");
        wl_geometry geometry;
        wl_view view;
        wl_arena arena = {0};
        wl_error err = {0};
        wl_counter counter = {.row_budget = WL_ROW_BUDGET};
        wl_count got;
        const wl_launch launch = {.block = {THREADS, 1, 1}};
        check_ok(name, wl_geometry_make(kernel, device, &launch, &geometry, &err), &err);
        check_ok(name, wl_view_make(kernel, &geometry, &arena, &view, &err), &err);
        const wl_region region = wl_view_run(&view, &geometry, 0, 1);
        check_ok(name, wl_view_count(&view, &counter, 0, WL_LOADS, &region, SECTOR, false, &got, &err), &err);
        check_int(name, "sectors", got.touched, count_all(kernel));
        check_true(name, "stops early", (counter.evaluated < (int64_t)THREADS * STEPS / 8) == cases[i].early);
        wl_counter_free(&counter);
        wl_arena_free(&arena);
        wl_device_free(device);
        wl_kernel_free(kernel);
    }
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(stops_at_a_full_footprint)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

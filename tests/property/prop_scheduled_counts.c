/* prop_scheduled_counts.c - what threads that a schedule orders touch and cost, by boxes of cells
 * and by patterns of warps, against the evaluation of every thread: random strides, widths,
 * domains, orders, blocks and runs of them.
 *
 * An access whose form is hidden is evaluated lane by lane. Both must agree to the last bit.
 * SPDX-License-Identifier: MIT */
#include "unit/checks.h"
#include "unit/given.h"

#include <stdio.h>
#include <string.h>

#include "count/view.h"
#include "count/warps.h"
#include "effort.h"
#include "footprint/cell_rows.h"
#include "property/random_source.h"

static const char *const devices[] = {"h200", "rtx2080s", "mi210"};
#define DEVICES (sizeof devices / sizeof devices[0])

/* Rows of one element after the other, rows the other way round, gaps, addresses that some axis
 * does not move. */
static wl_kernel *random_kernel(random_source *r, char text[1200])
{
    static const char *const types[] = {"f64", "f32", "i8"};
    static const char *const places[] = {"x + %d*y + %d*z",     "%d*y + x + 3 + %d*z", "%d*y - x + 500 + %d*z",
                                         "3*x + %d*y + 5*%d*z", "%d*x + y + %d*z",     "40*x + %d*y + 0*%d*z",
                                         "%d*y + %d*z",         "x + 0*%d + 0*%d"};
    const int nx = (int)random_in(r, 1, 90), ny = (int)random_in(r, 1, 60), nz = (int)random_in(r, 1, 5);
    const int from_x = random_chance(r, 20) && nx > 3 ? 3 : 0, from_y = random_chance(r, 20) && ny > 2 ? 2 : 0;
    const int pitch = (int)random_in(r, nx, nx + 9), plane = pitch * (int)random_in(r, ny, ny + 3);
    char accesses[3][160];
    for (int i = 0; i < 3; i++)
        (void)snprintf(accesses[i], sizeof accesses[i], RANDOM_OF(r, places), pitch, plane);
    (void)snprintf(text, 1200,
                   "name: ordered\ndomain: [%d, %d, %d]\nfrom: [%d, %d, 0]\nfields:\n  a: {type: %s}\n  b: {type: %s}\n"
                   "loads: [\"a[%s]\", \"a[%s + 1]\", \"b[%s]\"]\nstores: [\"b[%s]\"]\nflops: 1\n",
                   nx, ny, nz, from_x, from_y, RANDOM_OF(r, types), RANDOM_OF(r, types), accesses[0], accesses[0],
                   accesses[1], accesses[2]);
    wl_kernel *kernel = NULL;
    wl_error err = {0};
    if (wl_kernel_parse("kernel", text, strlen(text), NULL, &kernel, &err) != WL_OK)
        fail_msg("%s\n%s", err.message, text);
    return kernel;
}

static wl_launch random_launch(random_source *r)
{
    static const wl_schedule_kind kinds[] = {WL_SCHEDULE_COLUMN, WL_SCHEDULE_ZIGZAG, WL_SCHEDULE_TILE,
                                             WL_SCHEDULE_HILBERT, WL_SCHEDULE_MORTON};
    static const int64_t blocks[] = {1, 31, 32, 64, 96, 100, 256};
    wl_launch l = {.block = {RANDOM_OF(r, blocks)}, .schedule = {.kind = RANDOM_OF(r, kinds)}};
    const bool tiles = l.schedule.kind <= WL_SCHEDULE_TILE;
    l.schedule.width = tiles ? random_in(r, 1, 50) : 0;
    l.schedule.height = l.schedule.kind == WL_SCHEDULE_TILE ? random_in(r, 1, 9) : 0;
    return l;
}

/* A launch, and its accesses with and without their forms. */
typedef struct pair {
    const wl_kernel *kernel;
    const wl_device *device;
    wl_geometry geometry;
    wl_view formed, hidden;
    char text[1400];
} pair;

static void make_views(pair *p, wl_arena *arena)
{
    wl_error err = {0};
    check_ok("view", wl_view_make(p->kernel, &p->geometry, arena, &p->formed, &err), &err);
    check_ok("view", wl_view_make(p->kernel, &p->geometry, arena, &p->hidden, &err), &err);
    for (size_t a = 0; a < p->kernel->access_count; a++)
        p->hidden.bounds[a].reordered = false;
}

/* ---- footprints ---- */

static wl_region random_region(const pair *p, random_source *r)
{
    const int64_t first = random_in(r, 0, p->geometry.blocks - 1), last = random_in(r, first + 1, p->geometry.blocks);
    wl_region region = wl_view_run(&p->formed, &p->geometry, first, last);
    if (random_chance(r, 30)) {
        region.first_thread = random_in(r, 0, p->geometry.threads - 1);
        region.thread_count = random_in(r, 1, p->geometry.threads);
    }
    return region;
}

static int64_t compare_footprints(const pair *p, random_source *r)
{
    static const int64_t granules[] = {32, 64, 128, 4096};
    wl_counter counter = {0};
    int64_t rows = 0;
    for (int n = 0; n < 4; n++) {
        const wl_region region = random_region(p, r);
        const size_t field = (size_t)random_in(r, 0, 1);
        const wl_side side = (wl_side)random_in(r, 0, 2);
        const int64_t granule = RANDOM_OF(r, granules);
        const bool covered = random_chance(r, 50);
        wl_count one, other;
        wl_error err = {0};
        check_ok("rows", wl_view_count(&p->formed, &counter, field, side, &region, granule, covered, &one, &err), &err);
        check_ok("threads", wl_view_count(&p->hidden, &counter, field, side, &region, granule, covered, &other, &err),
                 &err);
        if (one.touched != other.touched || one.covered != other.covered)
            fail_msg("%s\nblocks %lld.., field %zu, side %d, granule %lld: %lld and %lld by rows, %lld and %lld by "
                     "threads",
                     p->text, (long long)region.blocks.boxes[0].lo[0], field, (int)side, (long long)granule,
                     (long long)one.touched, (long long)one.covered, (long long)other.touched,
                     (long long)other.covered);
        for (size_t i = 0; i < p->formed.fields[field][side].count; i++)
            rows += wl_cell_rows_can(&region, p->formed.fields[field][side].accesses[i]);
    }
    wl_counter_free(&counter);
    return rows;
}

/* Warps and blocks at several granules at once, and what their first ones cover. */
static void compare_small(const pair *p, random_source *r)
{
    static const int64_t granules[] = {32, 64, 128, 4096};
    const int64_t block = random_in(r, 0, p->geometry.blocks - 1);
    const bool covered = random_chance(r, 50);
    wl_region region = wl_view_run(&p->formed, &p->geometry, block, block + 1);
    wl_counter counter = {0};
    wl_error err = {0};
    if (random_chance(r, 70)) {
        region.first_thread = random_in(r, 0, (p->geometry.threads - 1) / 32) * 32;
        region.thread_count = 32;
    }
    for (size_t field = 0; field < 2; field++)
        for (int side = 0; side < WL_SIDE_COUNT; side++) {
            int64_t one[4] = {0}, other[4] = {0}, full = 0, other_full = 0;
            if (p->formed.fields[field][side].count == 0)
                continue;
            check_ok("rows",
                     wl_view_enumerate(&p->formed, &counter, field, (wl_side)side, &region, granules, 4, one,
                                       covered ? &full : NULL, &err),
                     &err);
            check_ok("threads",
                     wl_view_enumerate(&p->hidden, &counter, field, (wl_side)side, &region, granules, 4, other,
                                       covered ? &other_full : NULL, &err),
                     &err);
            if (memcmp(one, other, sizeof one) != 0 || full != other_full)
                fail_msg("%s\nblock %lld, thread %lld, field %zu, side %d: %lld, %lld, %lld, %lld and %lld by rows",
                         p->text, (long long)block, (long long)region.first_thread, field, side, (long long)one[0],
                         (long long)one[1], (long long)one[2], (long long)one[3], (long long)full);
        }
    wl_counter_free(&counter);
}

/* ---- costs ---- */

static void measure(const pair *p, const wl_view *view, wl_warps_scratch *scratch, wl_access_cost *costs,
                    wl_warps_result *result)
{
    const wl_warps_options options = {0};
    wl_instructions instructions;
    wl_l1_rules rules;
    wl_error err = {0};
    wl_l1_rules_make(p->device, &rules);
    check_ok("instructions",
             wl_instructions_make(p->kernel, &p->geometry, view->bounds, scratch->arena, &instructions, &err), &err);
    check_ok("warps",
             wl_warps_measure(p->kernel, &p->geometry, view->bounds, &instructions, &rules, &options, scratch, costs,
                              result, &err),
             &err);
}

static void compare_costs(const pair *p, wl_warps_scratch *scratch)
{
    wl_access_cost one[4], other[4];
    wl_warps_result of_one, of_other;
    assert_true(p->kernel->access_count <= 4);
    measure(p, &p->formed, scratch, one, &of_one);
    measure(p, &p->hidden, scratch, other, &of_other);
    for (size_t a = 0; a < p->kernel->access_count; a++)
        if (memcmp(&one[a], &other[a], sizeof one[a]) != 0) /* nothing but numbers */
            fail_msg("%s\naccess %zu: inst %g %g, sectors %g %g, hit %g %g, tag %g %g, cold %g %g, split %g %g, "
                     "lines %g %g, full %g %g",
                     p->text, a, one[a].inst, other[a].inst, one[a].sectors, other[a].sectors, one[a].hit, other[a].hit,
                     one[a].tag, other[a].tag, one[a].cold, other[a].cold, one[a].split, other[a].split, one[a].lines,
                     other[a].lines, one[a].full, other[a].full);
    if (of_one.last_block != of_other.last_block || of_one.error != of_other.error)
        fail_msg("%s\nlast block %g %g, error %g %g", p->text, of_one.last_block, of_other.last_block, of_one.error,
                 of_other.error);
}

static void forms_count_as_threads_do(void **state)
{
    (void)state;
    random_source r = random_start(11);
    wl_warps_scratch scratch[DEVICES] = {{0}};
    wl_device *device[DEVICES];
    int64_t rows = 0, launches = 0;
    for (size_t d = 0; d < DEVICES; d++)
        device[d] = given_device(devices[d]);
    for (uint64_t i = 0; i < effort_cases(4000); i++) {
        const size_t d = (size_t)random_in(&r, 0, DEVICES - 1);
        char text[1200], order[WL_SCHEDULE_TEXT_MAX];
        wl_kernel *kernel = random_kernel(&r, text);
        const wl_launch launch = random_launch(&r);
        wl_arena arena = {0};
        wl_error err = {0};
        pair p = {.kernel = kernel, .device = device[d]};
        check_ok(text, wl_geometry_make(kernel, device[d], &launch, &p.geometry, &err), &err);
        p.geometry = wl_geometry_busy(&p.geometry);
        wl_schedule_print(&launch.schedule, order);
        (void)snprintf(p.text, sizeof p.text, "%s, %s, blocks of %lld:\n%s", devices[d], order,
                       (long long)launch.block[0], text);
        if (wl_threads_are_ordered(&p.geometry)) {
            make_views(&p, &arena);
            rows += compare_footprints(&p, &r);
            compare_small(&p, &r);
            scratch[d].arena = &arena;
            compare_costs(&p, &scratch[d]);
            launches++;
        }
        wl_arena_free(&arena);
        wl_kernel_free(kernel);
    }
    for (size_t d = 0; d < DEVICES; d++) {
        wl_warps_scratch_free(&scratch[d]);
        wl_device_free(device[d]);
    }
    print_message("%lld launches, %lld accesses by rows\n", (long long)launches, (long long)rows);
    assert_true(launches > (int64_t)effort_cases(4000) / 2 && rows > launches);
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(forms_count_as_threads_do)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

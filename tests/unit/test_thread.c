/* test_thread.c - metrics/thread.h: what a thread executes, which of its phases wait for memory,
 * how many arrays it walks, about how many instructions it has. SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include <stdio.h>
#include <stdlib.h>

#include "kernel/kernel_internal.h"
#include "laws/thread.h"
#include "count/view.h"
#include "replay/walk_loops.h"
#include "warpline/warpline.h"

#define PER_PHASE 6
#define LAYER 2560 /* blocks of 64 x 2 over 640 x 512 cells */

static wl_device *h200;
static wl_estimates estimates;

static int64_t resident = 1; /* blocks at once */

static wl_thread profile_of(const char *name, const wl_kernel *kernel, const wl_launch *launch)
{
    wl_arena arena = {0};
    wl_error err = {0};
    wl_geometry g;
    wl_view view;
    wl_instructions list;
    wl_thread thread = {0};
    wl_status status = wl_geometry_make(kernel, h200, launch, &g, &err);
    g.wave_blocks = resident;
    wl_estimates own = estimates;
    own.registers_in_flight = PER_PHASE * wl_load_registers(kernel);
    if (status == WL_OK)
        status = wl_view_make(kernel, &g, &arena, &view, &err);
    if (status == WL_OK)
        status = wl_instructions_make(kernel, &g, view.bounds, &arena, &list, &err);
    if (status == WL_OK)
        status = wl_thread_profile(kernel, &g, view.bounds, &list, NULL, 128, &own, &arena, &thread, &err);
    check_ok(name, status, &err);
    wl_arena_free(&arena);
    return thread;
}

static wl_thread profile(const char *yaml, wl_launch launch)
{
    wl_error err = {0};
    wl_kernel *kernel = NULL;
    wl_thread thread = {0};
    const wl_status status = wl_kernel_parse("test", yaml, strlen(yaml), NULL, &kernel, &err);
    check_ok(yaml, status, &err);
    if (status == WL_OK)
        thread = profile_of(yaml, kernel, &launch);
    wl_kernel_free(kernel);
    return thread;
}

static wl_thread profile_builtin(const char *name, wl_launch launch)
{
    size_t length = 0;
    const char *text = wl_kernel_builtin_text(name, &length);
    assert_non_null(text);
    return profile(text, launch);
}

/* ---- stars ---- */

typedef struct load {
    int dx, dy, dz;
} load;

/* The program order: the cell, then its neighbours at distance 1, 2, .. */
static int star(int dims, int range, load *loads)
{
    int n = 0;
    loads[n++] = (load){0, 0, 0};
    for (int r = 1; r <= range; r++)
        for (int d = 0; d < dims; d++)
            for (int sign = 1; sign >= -1; sign -= 2)
                loads[n++] = (load){d == 0 ? sign * r : 0, d == 1 ? sign * r : 0, d == 2 ? sign * r : 0};
    return n;
}

static void write_star(int dims, int range, bool guarded, char *text, size_t size)
{
    load loads[32];
    const int n = star(dims, range, loads);
    size_t at = (size_t)snprintf(
        text, size,
        "name: star\ndomain: %s\nfields:\n  a: {type: f64, extent: %s, halo: 4}\n"
        "  b: {type: f64, extent: %s, halo: 4}\nguarded_cells: %s\nupdate: b%s =",
        dims == 2 ? "[512, 480]" : "[128, 128, 96]", dims == 2 ? "[512, 480]" : "[128, 128, 96]",
        dims == 2 ? "[512, 480]" : "[128, 128, 96]", guarded ? "true" : "false", dims == 2 ? "[0,0]" : "[0,0,0]");
    for (int i = 0; i < n; i++) {
        at += (size_t)snprintf(text + at, size - at, "%s a[%d,%d", i ? " +" : "", loads[i].dx, loads[i].dy);
        at += (size_t)snprintf(text + at, size - at, dims == 2 ? "]" : ",%d]", loads[i].dz);
    }
    (void)snprintf(text + at, size - at, "\n");
}

/* By what the words say: the last thread of a block runs its program; a load waits for memory when
 * its row lies in a plane (3D) or is a row (2D) no block before has come to, and no load of the
 * thread has brought it. */
static double fresh_by_simulation(int dims, int range, int block, int fold, bool guarded, int *executed)
{
    load loads[32], done[32 * 16];
    const int n = star(dims, range, loads);
    int count = 0, phases = 0, last_phase = -1;
    for (int cell = 0; cell < fold; cell++)
        for (int i = 0; i < n; i++) {
            load l = loads[i];
            *(dims == 3 ? &l.dz : &l.dy) += cell;
            bool same = false, row = false;
            for (int k = 0; k < count; k++) {
                row = row || (done[k].dy == l.dy && done[k].dz == l.dz);
                same = same || (done[k].dx == l.dx && done[k].dy == l.dy && done[k].dz == l.dz);
            }
            if (same && !guarded)
                continue;
            /* the thread's first cell is the (block - 1) fold-th of its block; blocks before reach
             * to range - 1 */
            const int reached = (block - 1) * fold + (dims == 3 ? l.dz : l.dy);
            const int phase = count / PER_PHASE;
            done[count++] = l;
            if (reached >= range && !row && phase > last_phase) {
                last_phase = phase;
                phases++;
            }
        }
    *executed = count;
    return fmin(phases, fmax(1, (double)count / PER_PHASE));
}

static void stars_by_simulation(void **state)
{
    (void)state;
    char text[2048], name[96];
    for (int dims = 2; dims <= 3; dims++)
        for (int range = 1; range <= 4; range++)
            for (int block = 1; block <= 8; block++)
                for (int fold = 1; fold <= 4; fold++)
                    for (int guarded = 0; guarded < 2; guarded++) {
                        wl_launch launch = {.block = {32, 1, 1}, .fold = {1, 1, 1}};
                        launch.block[dims - 1] = block;
                        launch.fold[dims - 1] = fold;
                        write_star(dims, range, guarded, text, sizeof text);
                        snprintf(name, sizeof name, "%dD star of range %d, blocks of %d x %d%s", dims, range, block,
                                 fold, guarded ? ", guarded" : "");
                        const wl_thread t = profile(text, launch);
                        int executed = 0;
                        const double fresh = fresh_by_simulation(dims, range, block, fold, guarded, &executed);
                        check_near(name, "loads", t.loads, executed, 0);
                        check_near(name, "stores", t.stores, fold, 0);
                        check_near(name, "phases that wait", t.fresh_loads, fresh, 1e-12);
                        check_near(name, "planes", t.planes, dims == 3 ? block * fold : 1, 0);
                    }
    check_done();
}

/* Range 4 in blocks of Z planes: one phase per plane that is new, up to four; with nine planes the
 * last load, alone in a phase of its own, is new, too. */
static void range_four_by_hand(void **state)
{
    (void)state;
    static const double want[] = {1, 2, 3, 4, 4, 4, 4, 4, 25.0 / 6};
    for (int z = 1; z <= 9; z++) {
        char name[40];
        snprintf(name, sizeof name, "%d planes", z);
        const wl_thread t = profile_builtin("star3d_r4", (wl_launch){.block = {32, 2, z}});
        check_near(name, "phases that wait", t.fresh_loads, want[z - 1], 1e-12);
        check_near(name, "loads", t.loads, 25, 0);
        check_near(name, "planes", t.planes, z, 0);
    }
    /* two cells of a thread, one above the other, share 8 of their 9 planes' centres: 2 x 25 - 8 */
    const wl_thread folded = profile_builtin("star3d_r4", (wl_launch){.block = {32, 2, 1}, .fold = {1, 1, 2}});
    check_near("folded", "loads", folded.loads, 42, 0);
    check_near("folded", "stores", folded.stores, 2, 0);
    check_near("folded", "planes", folded.planes, 2, 0);
    /* along y: planes are as thin as before */
    const wl_thread wide = profile_builtin("star3d_r4", (wl_launch){.block = {32, 1, 1}, .fold = {1, 2, 1}});
    check_near("folded in y", "loads", wide.loads, 42, 0);
    check_near("folded in y", "planes", wide.planes, 1, 0);
    check_done();
}

/* The next layer of blocks starts when the first ones are at a share of their
 * life: what it loads first is on its way. */
static void blocks_that_follow_load_too(void **state)
{
    (void)state;
    const wl_launch launch = {.block = {64, 2, 4}};
    const double want[] = {4, 4, 1 + 25 / 6.0 / 2, 1 + 25 / 6.0 / 20};
    /* that are resident; a block reaches two farther */
    static const int64_t layers[] = {0, 1, 4, 40};
    for (size_t i = 0; i < COUNT_OF(want); i++) {
        resident = layers[i] > 0 ? LAYER * layers[i] : 1;
        check_near("layers", "phases that wait", profile_builtin("star3d_r4", launch).fresh_loads, want[i], 1e-12);
    }
    /* layers of a lattice share nothing */
    check_near("lattice", "phases that wait", profile_builtin("lbm_d3q19", (wl_launch){.block = {128}}).fresh_loads,
               19.0 / 6, 1e-12);
    resident = 1;
    check_done();
}

/* ---- other kernels ---- */

static void arrays_are_walked_in_phases(void **state)
{
    (void)state;
    const wl_launch line = {.block = {128, 1, 1}};
    wl_thread t = profile_builtin("lbm_d3q19", line);
    check_near("lattice", "loads", t.loads, 19, 0);
    check_near("lattice", "stores", t.stores, 19, 0);
    /* all of them; the last is short */
    check_near("lattice", "phases that wait", t.fresh_loads, 19.0 / 6, 1e-12);
    t = profile_builtin("triad", (wl_launch){.block = {256}});
    check_near("triad", "loads", t.loads, 2, 0);
    check_near("triad", "phases that wait", t.fresh_loads, 1, 0);
    check_near("triad", "planes", t.planes, 1, 0);
    /* a structure of three floats is one array */
    t = profile("name: s\ndomain: [4096]\nfields: {a: {type: f32}}\nloads: [\"a[3*x]\", \"a[3*x+1]\", \"a[3*x+2]\"]\n",
                (wl_launch){.block = {128}});
    check_near("structure", "phases that wait", t.fresh_loads, 1, 0);
    /* a loop over arrays */
    t = profile("name: s\ndomain: [4096]\nfields: {a: {type: f32}}\nloops: {i: 5}\nloads: [\"a[x + 4096*i]\"]\n",
                (wl_launch){.block = {128}});
    check_near("loop over arrays", "loads", t.loads, 5, 0);
    check_done();
}

/* A[y*1024 + i], B[i*1024 + x]: rows of A are new, one line per 32 steps; B was read by the row of
 * blocks before. */
static void loops_execute_their_loads(void **state)
{
    (void)state;
    const wl_thread t = profile_builtin("matmul", (wl_launch){.block = {32, 8, 1}});
    check_near("matmul", "loads", t.loads, 2048, 0);
    check_near("matmul", "stores", t.stores, 1, 0);
    check_near("matmul", "phases that wait", t.fresh_loads, 32, 1e-12);
    check_near("matmul", "planes", t.planes, 1, 0);
    /* steps a line or more apart: each is new, but no more than there are phases, of 16/3 steps */
    const wl_thread far = profile("name: s\ndomain: [64, 64]\nfields: {a: {type: f32}}\nloops: {i: 60}\n"
                                  "loads: [\"a[y*65536 + i*64]\"]\n",
                                  (wl_launch){.block = {32, 1, 1}});
    check_near("far steps", "phases that wait", far.fresh_loads, 60 * 3 / 16.0, 1e-12);
    check_done();
}

static void not_affine(void **state)
{
    (void)state;
    const wl_thread t =
        profile("name: s\ndomain: [4096]\nfields: {a: {type: f32}, b: {type: f32}, c: {type: f32}}\nloops: {i: 4}\n"
                "loads: [\"a[x*x % 1000]\", \"b[(x + i*3) % 77]\"]\nstores: [\"c[x/3]\"]\n",
                (wl_launch){.block = {128}, .fold = {2, 1, 1}});
    check_near("remainders", "loads", t.loads, 2 + 8, 0);
    check_near("remainders", "stores", t.stores, 2, 0);
    check_near("remainders", "phases that wait", t.fresh_loads, 2, 0);
    check_done();
}

static void nothing_is_loaded(void **state)
{
    (void)state;
    const wl_thread t = profile("name: fill\ndomain: [4096, 64]\nfields: {a: {type: f32, extent: [4096, 64]}}\n"
                                "update: a[0,0] = 1\n",
                                (wl_launch){.block = {128}});
    check_near("fill", "loads", t.loads, 0, 0);
    check_near("fill", "stores", t.stores, 1, 0);
    check_near("fill", "phases that wait", t.fresh_loads, 0, 0);
    check_true("fill", "instructions", t.instructions > 0 && !t.instructions_stated);
    check_done();
}

/* ---- instructions ---- */

static void instructions_are_estimated(void **state)
{
    (void)state;
    char text[2048];
    double before = 0;
    for (int range = 1; range <= 4; range++) {
        write_star(3, range, false, text, sizeof text);
        const double now = profile(text, (wl_launch){.block = {32, 4, 1}}).instructions;
        check_true("range", "a longer star has more instructions", now > before);
        check_true("range", "more than its loads and sums", now > 2 * (1 + 6 * range));
        before = now;
    }
    for (int fold = 1; fold <= 8; fold++) {
        const double now = profile(text, (wl_launch){.block = {32, 4, 1}, .fold = {1, 1, fold}}).instructions;
        check_true("fold", "more cells have more instructions", fold == 1 || now > before);
        check_true("fold", "but not as many times more", now <= fold * 200);
        before = now;
    }
    write_star(3, 4, true, text, sizeof text);
    check_true("guarded", "cells on their own have more instructions",
               profile(text, (wl_launch){.block = {32, 4, 1}, .fold = {1, 1, 8}}).instructions > before);
    before = 0;
    for (int depth = 1; depth <= 4096; depth *= 4) {
        snprintf(text, sizeof text,
                 "name: s\ndomain: [256, 256]\nfields: {a: {type: f32}}\nloops: {i: %d}\n"
                 "loads: [\"a[y*4096 + i]\", \"a[min(x, i)*4096]\"]\n",
                 depth);
        const wl_thread t = profile(text, (wl_launch){.block = {32, 4, 1}});
        check_true("depth", "a longer loop has more instructions", t.instructions > before);
        check_true("depth", "addresses are multiplied out in a loop", (t.wide_multiplies > 0) == (depth > 1));
        before = t.instructions;
    }
    check_done();
}

/* Division by a constant power of two is a shift. What does not depend on a loop is computed
 * once. */
static void divisions_cost(void **state)
{
    (void)state;
    static const char *const forms[] = {"a[x/64*70 + i]", "a[x/63*70 + i]", "a[(x + i)/64*70]", "a[(x + i)/63*70]"};
    double cost[4];
    for (int i = 0; i < 4; i++) {
        char text[256];
        snprintf(text, sizeof text,
                 "name: s\ndomain: [4096]\nfields: {a: {type: f32}}\nloops: {i: 16}\nloads: [\"%s\"]\n", forms[i]);
        cost[i] = profile(text, (wl_launch){.block = {128}}).instructions;
    }
    check_near("once", "a division more than a shift", cost[1] - cost[0], 21, 1e-12);
    check_near("in a loop", "a division more than a shift", cost[3] - cost[2], 16 * 21, 1e-12);
    /* accesses share what they compute outside of loops: the second costs a load and an address */
    const double one = profile("name: s\ndomain: [4096]\nfields: {a: {type: f32}, b: {type: f32}}\n"
                               "loads: [\"a[x/63*70]\"]\n",
                               (wl_launch){.block = {128}})
                           .instructions;
    const double two = profile("name: s\ndomain: [4096]\nfields: {a: {type: f32}, b: {type: f32}}\n"
                               "loads: [\"a[x/63*70]\", \"b[x/63*70]\"]\n",
                               (wl_launch){.block = {128}})
                           .instructions;
    check_near("shared", "a second access", two - one, 3.7, 1e-12);
    check_done();
}

/* Each number of the estimate, one more of it: what it is multiplied by. A star of range 1 in three
 * dimensions reads five rows and writes one; its rows of 1 KiB are too far apart to share an
 * address. */
static void instructions_follow_the_estimates(void **state)
{
    (void)state;
    static const struct {
        const char *key;
        double *number, more; /* more: if the number is larger by one */
    } cases[] = {{"start", &estimates.start_instructions, 1},
                 {"coordinate", &estimates.coordinate_instructions, 3},
                 {"address", &estimates.address_instructions, 6},
                 {"division", &estimates.division_instructions, 0}};
    static const char star[] =
        "name: s\ndomain: [128, 8, 8]\nfields: {a: {type: f64, extent: [128, 8, 8], halo: 1}, b: {type: f64, extent: "
        "[128, 8, 8]}}\nupdate: |\n  b[0,0,0] = a[0,0,0] + a[1,0,0] + a[-1,0,0] + a[0,1,0] + a[0,-1,0] + a[0,0,1] + "
        "a[0,0,-1]\n";
    static const char divided[] = "name: d\ndomain: [4096]\nfields: {a: {type: f64, extent: [4096]}, b: {type: f64, "
                                  "extent: [4096]}}\nflops: 1\nloads: [\"a[x / 7]\"]\nstores: [\"b[x]\"]\n";
    const wl_launch block = {.block = {32, 4, 1}};
    const double usual = profile(star, block).instructions, divides = profile(divided, block).instructions;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const wl_estimates before = estimates;
        *cases[i].number += 1;
        check_near(cases[i].key, "instructions more", profile(star, block).instructions - usual, cases[i].more, 1e-9);
        if (strcmp(cases[i].key, "division") == 0)
            check_near("division", "one more", profile(divided, block).instructions - divides, 1, 1e-9);
        estimates = before;
    }
    check_done();
}

/* Files without a number, or with one that cannot be read. */
static void estimates_are_complete(void **state)
{
    (void)state;
    static const char good[] = "title: t\nestimates:\n"
                               "  start_instructions: {value: 1, unit: instructions, source: s}\n"
                               "  coordinate_instructions: {value: 2, unit: instructions, source: s}\n"
                               "  address_instructions: {value: 3, unit: instructions, source: s}\n"
                               "  division_instructions: {value: 4, unit: instructions, source: s}\n"
                               "  registers_in_flight: {value: 8, unit: registers, source: s}\n";
    static const struct {
        const char *without, *with, *message;
    } cases[] = {
        {"estimates:", "operations:", "the cost file lacks 'estimates'"},
        {"  division_instructions: {value: 4, unit: instructions, source: s}\n", "",
         "estimates lack division_instructions"},
        {"4, unit: instructions", "4, unit: KiB", "division_instructions is in instructions, not in KiB"},
        {"value: 3", "value: many", "address_instructions needs a number from 0 to a million, not 'many'"},
        {"value: 3", "value: -3", "address_instructions needs a number from 0 to a million, not '-3'"},
        {", source: s", "", "start_instructions lacks its source"},
        {"division_", "decision_", "decision_instructions"},
    };
    wl_estimates e;
    wl_error err = {0};
    check_ok("good", wl_estimates_parse("file", good, strlen(good), &e, &err), &err);
    check_near("good", "first", e.start_instructions, 1, 0);
    check_near("good", "last", e.division_instructions, 4, 0);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char text[sizeof good + 16];
        const char *at = strstr(good, cases[i].without);
        err = (wl_error){0};
        snprintf(text, sizeof text, "%.*s%s%s", (int)(at - good), good, cases[i].with, at + strlen(cases[i].without));
        check_int(cases[i].message, "status", wl_estimates_parse("file", text, strlen(text), &e, &err), WL_E_INPUT);
        check_true(cases[i].message, "is explained", strstr(err.message, cases[i].message) != NULL);
    }
    check_done();
}

static void instructions_may_be_stated(void **state)
{
    (void)state;
    const wl_thread t = profile("name: s\ndomain: [4096]\nfields: {a: {type: f32, extent: [4096]}}\ninstructions: 37\n"
                                "update: a[0] = 2 * a[0]\n",
                                (wl_launch){.block = {128}, .fold = {4, 1, 1}});
    check_true("stated", "says so", t.instructions_stated);
    check_near("stated", "instructions, of four cells", t.instructions, 4 * 37, 0);
    check_done();
}

static int setup(void **state)
{
    (void)state;
    wl_error err = {0};
    return wl_device_builtin("h200", &h200, &err) == WL_OK && wl_estimates_read(&estimates, &err) == WL_OK ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    wl_device_free(h200);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stars_by_simulation),
        cmocka_unit_test(range_four_by_hand),
        cmocka_unit_test(blocks_that_follow_load_too),
        cmocka_unit_test(arrays_are_walked_in_phases),
        cmocka_unit_test(loops_execute_their_loads),
        cmocka_unit_test(not_affine),
        cmocka_unit_test(nothing_is_loaded),
        cmocka_unit_test(instructions_are_estimated),
        cmocka_unit_test(divisions_cost),
        cmocka_unit_test(instructions_follow_the_estimates),
        cmocka_unit_test(estimates_are_complete),
        cmocka_unit_test(instructions_may_be_stated),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}

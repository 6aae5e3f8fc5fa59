/* test_machine_weights.c - what machine code says about the instructions of PTX: that of
 * tests/data/machine, read by hand from what nvdisasm shows. SPDX-License-Identifier: MIT */
#include "unit/checks.h"
#include "unit/read_file.h"

#include <stdlib.h>

#include "ptx/cost/machine_weights.h"
#include "ptx/module/def_use.h"
#include "ptx/read/read_module.h"

#define FOLDER SOURCE_DIR "/tests/data/machine/"

typedef struct weighed {
    wl_ptx_module *module;
    const wl_ptx_function *f;
    wl_ptx_costs *costs;
    wl_arena arena;
    const double *weight;
    wl_ptx_counting counting;
    const char *why;
    bool spills;
} weighed;

static void weigh(const char *cubin, const char *kernel, weighed *w)
{
    char path[512];
    size_t text_length, length;
    wl_machine_code code;
    wl_machine_kernel machine;
    wl_error err = {0};
    (void)snprintf(path, sizeof path, FOLDER "%s", cubin);
    char *text = read_file(FOLDER "kernels.ptx", &text_length), *bytes = read_file(path, &length);
    *w = (weighed){.module = NULL};
    check_ok(kernel, wl_ptx_module_parse("kernels.ptx", text, text_length, &w->module, &err), &err);
    check_ok(kernel, wl_ptx_find_entry(w->module, kernel, &w->f, &err), &err);
    check_ok(kernel, wl_ptx_costs_builtin("sm_90", &w->costs, &err), &err);
    check_ok(kernel, wl_ptx_weigh(w->costs, w->module, w->f, &w->arena, &w->weight, &w->counting, &err), &err);
    check_ok(kernel, wl_machine_code_open((wl_bytes){(uint8_t *)bytes, length}, &code, &err), &err);
    check_ok(kernel, wl_machine_kernel_read(&code, kernel, &w->arena, &machine, &err), &err);
    check_ok(kernel,
             wl_ptx_weigh_machine_code(&machine, w->f, &w->arena, &w->weight, &w->counting, &w->spills, &w->why, &err),
             &err);
    free(bytes);
    free(text);
}

static void end(weighed *w)
{
    wl_arena_free(&w->arena);
    wl_ptx_costs_free(w->costs);
    wl_ptx_module_free(w->module);
}

/* The weight of the lines from .. to. */
static double weight_of(const weighed *w, int32_t from, int32_t to)
{
    double sum = 0;
    for (int32_t i = 0; i < w->f->instruction_count; i++)
        if (w->f->instructions[i].line >= from && w->f->instructions[i].line <= to)
            sum += w->weight[i];
    return sum;
}

static const struct {
    const char *what, *cubin, *kernel;
    int32_t from, to; /* lines */
    double weight;
} cases[] = {
    {"before the branch", "kernels.sm_90.cubin", "sum", 13, 22, 7},
    {"before the loop, with the tests for its remainders", "kernels.sm_90.cubin", "sum", 23, 23, 17},
    {"a load of each trip", "kernels.sm_90.cubin", "sum", 25, 25, 1},
    {"a product of each trip", "kernels.sm_90.cubin", "sum", 26, 26, 1},
    {"a sum of 64 bits for four trips", "kernels.sm_90.cubin", "sum", 27, 27, 0.5},
    {"all of a trip: 15 for four", "kernels.sm_90.cubin", "sum", 25, 30, 3.75},
    {"behind the loop", "kernels.sm_90.cubin", "sum", 32, 35, 4},
    {"all of a trip on another architecture: 15 for four", "kernels.sm_75.cubin", "sum", 25, 30, 3.75},
    {"a body that ends the kernel", "kernels.sm_90.cubin", "clip", 53, 53, 1},
    {"before that body", "kernels.sm_90.cubin", "clip", 44, 52, 9},
    {"a division, by the rules", "kernels.sm_90.cubin", "divide", 70, 70, 10},
    {"a barrier of each trip, and a comparison for four", "kernels.sm_90.cubin", "rounds", 84, 84, 1.25},
};

static void test_weights(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        weighed w;
        weigh(cases[i].cubin, cases[i].kernel, &w);
        check_text(cases[i].what, "why", w.why, NULL);
        check_true(cases[i].what, "no spills", !w.spills);
        check_near(cases[i].what, "weight", weight_of(&w, cases[i].from, cases[i].to), cases[i].weight, 1e-12);
        end(&w);
    }
    check_done();
}

static int32_t at_line(const weighed *w, int32_t line)
{
    for (int32_t i = 0; i < w->f->instruction_count; i++)
        if (w->f->instructions[i].line == line)
            return i;
    fail_msg("no line %d", line);
    return -1;
}

/* The loop has copies of four trips: loads of all of them come first. */
static void test_places(void **state)
{
    (void)state;
    weighed w;
    weigh("kernels.sm_90.cubin", "sum", &w);
    const int32_t load = at_line(&w, 25), product = at_line(&w, 26), last = at_line(&w, 30);
    for (int copy = 0; copy < WL_PTX_ROUND; copy++) {
        check_int("load", "place", w.counting.places[WL_PTX_ROUND * load + copy], 0x13 + copy);
        check_true("product", "behind all loads", w.counting.places[WL_PTX_ROUND * product + copy] > 0x16);
        check_int("load", "unrolled", w.counting.unrolled[load], last);
    }
    end(&w);
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_weights), cmocka_unit_test(test_places)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

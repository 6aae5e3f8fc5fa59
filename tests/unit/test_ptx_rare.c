/* test_ptx_rare.c - blocks and warps that few others are like (tests/ptx/cuda/seldom.cu): counted
 * with their weight, never missed. And the invariant that would show it.
 * SPDX-License-Identifier: MIT */
#include "unit/checks.h"
#include "unit/read_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "metrics/invariants.h"
#include "warpline/predict.h"
#include "warpline/ptx.h"

#define THREADS 128
#define WARPS (THREADS / 32)
#define TRIPS 1000

static uint32_t hash(uint32_t x)
{
    x ^= x >> 16;
    x *= 0x7feb352dU;
    x ^= x >> 15;
    x *= 0x846ca68bU;
    return x ^ x >> 16;
}

static double chosen(int64_t n)
{
    double count = 0;
    for (int64_t i = 0; i < n; i++)
        count += hash((uint32_t)i) % 4000 == 0;
    return count;
}

static void predict(const wl_ptx *ptx, const char *entry, int64_t grid, wl_prediction *out)
{
    static const char *const args[] = {"buf:20GiB", "buf:1GiB"};
    const wl_ptx_options options = {.entry = entry,
                                    .args = args,
                                    .arg_count = 2,
                                    .launch = {.block = {THREADS, 1, 1}, .grid = {grid, 1, 1}, .registers = 32}};
    wl_device *device = NULL;
    wl_kernel *kernel = NULL;
    wl_predictor *predictor = NULL;
    wl_error err = {0};
    if (wl_device_builtin("h200", &device, &err) != WL_OK ||
        wl_kernel_from_ptx(ptx, &options, &kernel, &err) != WL_OK ||
        wl_predictor_new(kernel, device, &predictor, &err) != WL_OK ||
        wl_predict(predictor, &options.launch, NULL, out, &err) != WL_OK)
        fail_msg("%s, %lld blocks: %s", entry, (long long)grid, err.message);
    wl_predictor_free(predictor);
    wl_kernel_free(kernel);
    wl_device_free(device);
}

static void check(const char *name, const wl_prediction *p, wl_metric metric, double truth, double within)
{
    check_near(name, wl_metric_name(metric), p->metrics[metric].value, truth, within);
}

/* A warp's load or store of 32 neighbouring floats touches four sectors. */
static void rare_blocks_are_not_missed(void **state)
{
    (void)state;
    static const int64_t grids[] = {40000, 39000, 7000, 500};
    char *text = read_file(SOURCE_DIR "/tests/ptx/seldom_sm90.ptx", NULL);
    wl_ptx *ptx = NULL;
    wl_error err = {0};
    wl_prediction p;
    assert_int_equal(wl_ptx_parse("seldom.ptx", text, strlen(text), &ptx, &err), WL_OK);
    for (size_t i = 0; i < COUNT_OF(grids); i++) {
        const double blocks = (double)grids[i], few = chosen(grids[i]), threads = chosen(grids[i] * THREADS);
        char name[64];
        (void)snprintf(name, sizeof name, "seldom, %g of %g", few, blocks);
        predict(ptx, "seldom", grids[i], &p);
        check(name, &p, WL_METRIC_inst_global_ld, few * WARPS * TRIPS, 0);
        check(name, &p, WL_METRIC_inst_global_st, few * WARPS, 0);
        check(name, &p, WL_METRIC_l1_sectors_ld, 4 * few * WARPS * TRIPS, 1e-12);
        check(name, &p, WL_METRIC_l1_sectors_st, 4 * few * WARPS, 1e-12);
        check(name, &p, WL_METRIC_l2_load_bytes, 128 * few * WARPS * TRIPS, 1e-9);
        check(name, &p, WL_METRIC_l2_store_bytes, 128 * few * WARPS, 1e-9);
        check(name, &p, WL_METRIC_dram_load_bytes, 128 * few * WARPS * TRIPS, 1e-9);
        (void)snprintf(name, sizeof name, "seldom_more, %g of %g", few, blocks);
        predict(ptx, "seldom_more", grids[i], &p);
        check(name, &p, WL_METRIC_l1_sectors_ld, 4 * WARPS * (blocks + few * TRIPS), 1e-3);
        /* the others load what these load, too */
        check(name, &p, WL_METRIC_l2_load_bytes, 128 * WARPS * (blocks + few * TRIPS), 0.005);
        (void)snprintf(name, sizeof name, "seldom_threads, %g of %g", threads, blocks);
        predict(ptx, "seldom_threads", grids[i], &p);
        /* two threads may share a sector */
        check(name, &p, WL_METRIC_l1_sectors_ld, threads, 0.02);
        check(name, &p, WL_METRIC_l1_sectors_st, threads, 0.02);
    }
    wl_ptx_free(ptx);
    free(text);
    check_done();
}

/* The same for local memory: the chosen blocks store a word of their stack, and load one of two. */
static const char seldom_local[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                                   ".visible .entry seldom_local(.param .u64 a, .param .u64 o)\n{\n"
                                   ".local .align 16 .b8 depot[64];\n"
                                   ".reg .pred %p<2>; .reg .b32 %r<8>; .reg .b64 %rd<6>;\n"
                                   "mov.u32 %r1, %ctaid.x;\n"
                                   "shr.u32 %r2, %r1, 16;\n"
                                   "xor.b32 %r2, %r2, %r1;\n"
                                   "mul.lo.s32 %r2, %r2, 2146121005;\n"
                                   "shr.u32 %r3, %r2, 15;\n"
                                   "xor.b32 %r2, %r3, %r2;\n"
                                   "mul.lo.s32 %r2, %r2, -2073254261;\n"
                                   "shr.u32 %r3, %r2, 16;\n"
                                   "xor.b32 %r2, %r3, %r2;\n"
                                   "rem.u32 %r3, %r2, 4000;\n"
                                   "setp.ne.s32 %p1, %r3, 0;\n"
                                   "@%p1 bra DONE;\n"
                                   "mov.u64 %rd1, depot;\n"
                                   "st.local.u32 [%rd1], %r1;\n"
                                   "mov.u32 %r4, %tid.x;\n"
                                   "and.b32 %r5, %r4, 1;\n"
                                   "mul.wide.u32 %rd2, %r5, 4;\n"
                                   "add.s64 %rd3, %rd1, %rd2;\n"
                                   "ld.local.u32 %r6, [%rd3];\n"
                                   "ld.param.u64 %rd4, [o];\n"
                                   "mul.wide.u32 %rd5, %r4, 4;\n"
                                   "add.s64 %rd4, %rd4, %rd5;\n"
                                   "st.global.u32 [%rd4], %r6;\n"
                                   "DONE:\nret;\n}\n";

static void rare_local_memory_has_its_weight(void **state)
{
    (void)state;
    static const int64_t grids[] = {40000, 39000, 7000, 500};
    wl_ptx *ptx = NULL;
    wl_error err = {0};
    wl_prediction p;
    assert_int_equal(wl_ptx_parse("local.ptx", seldom_local, strlen(seldom_local), &ptx, &err), WL_OK);
    for (size_t i = 0; i < COUNT_OF(grids); i++) {
        const double few = chosen(grids[i]);
        char name[64];
        (void)snprintf(name, sizeof name, "seldom_local, %g of %g", few, (double)grids[i]);
        predict(ptx, "seldom_local", grids[i], &p);
        check(name, &p, WL_METRIC_inst_local_ld, few * WARPS, 0);
        check(name, &p, WL_METRIC_l1_sectors_local_st, 4 * few * WARPS, 1e-12);
        /* two words, four sectors each */
        check(name, &p, WL_METRIC_l1_sectors_local_ld, 8 * few * WARPS, 1e-12);
    }
    wl_ptx_free(ptx);
    check_done();
}

/* Loads with an active lane access sectors: a prediction without is corrected, and says so. */
static void loads_access_sectors(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        bool mix;
        double loads, on, sectors, expected; /* on: with an active lane */
        int clamped;
    } cases[] = {
        {"sectors missed", true, 100, 60, 0, 60, 1},     {"all predicated off", true, 100, 0, 0, 0, 0},
        {"sectors counted", true, 100, 60, 240, 240, 0}, {"no loads", true, 0, 0, 0, 0, 0},
        {"without a stream", false, 100, 0, 0, 100, 1},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        static wl_prediction p;
        p = (wl_prediction){.has_mix = cases[i].mix};
        p.mix.has_memory = p.mix.has_memory_on = cases[i].mix;
        p.mix.memory_on[WL_MEMORY_LOAD] = cases[i].on;
        p.metrics[WL_METRIC_inst_global_ld] = (wl_value){.known = true, .value = cases[i].loads};
        p.metrics[WL_METRIC_l1_sectors_ld] = (wl_value){.known = true, .value = cases[i].sectors};
        wl_invariants_of_results(&p);
        check_near(cases[i].name, "sectors", p.metrics[WL_METRIC_l1_sectors_ld].value, cases[i].expected, 0);
        check_near(cases[i].name, "clamped", p.clamped, cases[i].clamped, 0);
    }
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rare_blocks_are_not_missed),
        cmocka_unit_test(rare_local_memory_has_its_weight),
        cmocka_unit_test(loads_access_sectors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

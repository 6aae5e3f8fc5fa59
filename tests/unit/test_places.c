/* test_places.c - data that is not simply streamed: shared memory, random places, small tables,
 * blocks that load the same. */
#include <stdio.h>
#include <string.h>

#include "effort.h"
#include "unit/checks.h"

#include "kernel/expr.h"
#include "metrics/prediction.h"
#include "warpline/warpline.h"

static wl_prediction predict(const char *text, const char *with, int64_t bx, int64_t by)
{
    wl_error err = {0};
    wl_device *device = NULL;
    wl_kernel *kernel = NULL;
    wl_predictor *predictor = NULL;
    wl_prediction p = {0};
    check_ok("device", wl_device_builtin("h200", &device, &err), &err);
    if (with)
        check_ok(with, wl_device_set(device, with, &err), &err);
    check_ok("kernel", wl_kernel_parse("kernel", text, strlen(text), NULL, &kernel, &err), &err);
    check_ok("predictor", wl_predictor_new(kernel, device, &predictor, &err), &err);
    const wl_launch launch = {.block = {bx, by, 1}, .registers = 32};
    check_ok("predict", wl_predict(predictor, &launch, NULL, &p, &err), &err);
    p.fields = p.accesses = NULL;
    wl_predictor_free(predictor);
    wl_kernel_free(kernel);
    wl_device_free(device);
    check_done();
    return p;
}

#define TRANSPOSE                                                                                                      \
    "name: t\nparams: {w: 8192, pad: %d}\ndomain: [w, w/4]\nfields:\n  s: {type: f32}\n  d: {type: f32}\n"             \
    "  t: {type: f32, memory: shared}\nloops: {j: 4}\nloads: [\"s[(blockIdx.y*32+threadIdx.y+8*j)*w+x]\", "            \
    "\"t[threadIdx.x*(32+pad)+threadIdx.y+8*j]\"]\nstores: [\"t[(threadIdx.y+8*j)*(32+pad)+threadIdx.x]\", "           \
    "\"d[(blockIdx.x*32+threadIdx.y+8*j)*w+blockIdx.y*32+threadIdx.x]\"]\nflops: 0\n"

/* Measured on an H200: 134 wavefronts per warp without padding (2 thread indices, 4 stores, 4 loads
 * of 32), 10 with. */
static void a_tile_in_shared_memory(void **state)
{
    (void)state;
    static const struct {
        int pad;
        double wavefronts; /* per warp, shared and thread index */
    } cases[] = {{0, 134}, {1, 10}};
    const double warps = 8192.0 * 8192 / 4 / 32;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[1024], name[32];
        snprintf(text, sizeof text, TRANSPOSE, cases[i].pad);
        snprintf(name, sizeof name, "pad %d", cases[i].pad);
        const wl_prediction p = predict(text, NULL, 32, 8);
        check_near(name, "shared wavefronts per warp", p.metrics[WL_METRIC_shared_wavefronts].value / warps,
                   cases[i].wavefronts, 1e-9);
        check_near(name, "shared loads per warp", p.metrics[WL_METRIC_inst_shared_ld].value / warps, 4, 1e-9);
        check_near(name, "shared stores per warp", p.metrics[WL_METRIC_inst_shared_st].value / warps, 4, 1e-9);
        check_near(name, "global loads per warp", p.metrics[WL_METRIC_inst_global_ld].value / warps, 4, 1e-9);
        check_near(name, "global stores per warp", p.metrics[WL_METRIC_inst_global_st].value / warps, 4, 1e-9);
        check_near(name, "L2 loads", p.metrics[WL_METRIC_l2_load_bytes].value, 8192.0 * 8192 * 4, 1e-9);
        check_near(name, "L2 stores", p.metrics[WL_METRIC_l2_store_bytes].value, 8192.0 * 8192 * 4, 1e-9);
        check_true(name, "time is sound", p.model.time_s > 1e-4 && p.model.time_s < 1e-3);
        check_near(name, "memory loads", p.metrics[WL_METRIC_dram_load_bytes].value, 8192.0 * 8192 * 4, 1e-9);
    }
    check_done();
}

static wl_prediction gather(long window, int piece)
{
    char text[512];
    snprintf(text, sizeof text,
             "name: g\ndomain: [16777216]\nfields:\n  a: {type: f32}\n  b: {type: f32}\n"
             "loads: [\"a[random(x/%d, %ld)*%d + x%%%d]\"]\nstores: [\"b[x]\"]\nflops: 0\n",
             piece, window / piece, piece, piece);
    return predict(text, NULL, 256, 1);
}

static void gathers(void **state)
{
    (void)state;
    const double n = 16777216;
    const wl_prediction far = gather(1L << 28, 1), near = gather(1L << 22, 1), runs = gather(1L << 28, 32),
                        table = gather(1L << 13, 1);
    /* 1 GB: hardly two threads meet in a sector; every fetch is a random one of 64 bytes */
    check_near("1 GB", "sectors per thread", far.metrics[WL_METRIC_l1_sectors_ld].value / n, 1, 0.01);
    check_near("1 GB", "memory loads per thread", far.metrics[WL_METRIC_dram_load_bytes].value / n, 64, 0.05);
    check_true("1 GB", "random fetches bound it", far.model.bound_s[WL_BOUND_RANDOM] > 1e-4);
    /* 16 MB stay in the L2, and are loaded from memory once */
    check_near("16 MB", "memory loads", near.metrics[WL_METRIC_dram_load_bytes].value, 4194304 * 4.0, 0.1);
    check_true("16 MB", "is faster", near.model.time_s < 0.7 * far.model.time_s);
    /* runs of a line each: full lines, no waste */
    check_near("runs", "memory loads per thread", runs.metrics[WL_METRIC_dram_load_bytes].value / n, 4, 0.05);
    /* 32 KB stay in the L1 of each multiprocessor */
    check_near("32 KB", "L2 loads", table.metrics[WL_METRIC_l2_load_bytes].value, 132 * 32768.0, 0.1);
    check_done();
}

static void random_numbers(void **state)
{
    (void)state;
    int64_t in_half = 0;
    for (int64_t key = -50000; key < 50000; key++) {
        const int64_t r = wl_random_below(key, 1000);
        if (r < 0 || r >= 1000)
            check_true("random", "is in range", false);
        in_half += r < 500;
    }
    check_near("random", "share of the lower half", (double)in_half / 1e5, 0.5, 0.01);
    check_int("random", "same key, same number", wl_random_below(12345, 1 << 20), wl_random_below(12345, 1 << 20));
    check_int("random", "one place", wl_random_below(7, 1), 0);
    check_done();
}

/* Every block reads all of b. Two are on a multiprocessor: if they walk together, b is loaded once
 * for both. */
static void blocks_that_load_the_same(void **state)
{
    (void)state;
    static const char text[] =
        "name: m\ndomain: [1024, 4096]\nfields:\n  a: {type: f32}\n  b: {type: f32}\n  c: {type: f32}\n"
        "loops: {i: 512}\nloads: [\"a[y*512 + i]\", \"b[i*1024 + x]\"]\nstores: [\"c[y*1024 + x]\"]\n"
        "flops: 1024\n";
    static const char alone[] = "l2_walk_merge=[0,1,0,0,0]";
    const wl_prediction shares = predict(text, NULL, 1024, 1), apart = predict(text, alone, 1024, 1),
                        small = predict(text, alone, 32, 1);
    const double all = 4096 * 512 * 4096.0, a = 4096 * 512 * 4.0;
    /* of two blocks the older is served first: the other falls behind, and finds little */
    const double large = apart.metrics[WL_METRIC_l2_load_bytes].value;
    check_true("b", "is hardly found by the other of two", large > 0.85 * (all + a) && large <= all + a);
    /* 32 blocks of one warp do not keep the multiprocessor busy: those of one column stay together,
     * at first (measured: a quarter misses in the first wave, 0.86 in the fourth) */
    check_true("b", "is found by some of 32", small.metrics[WL_METRIC_l2_load_bytes].value < 0.95 * large);
    check_true("b", "and requests of multiprocessors merge",
               shares.metrics[WL_METRIC_l2_load_bytes].value < 0.95 * large);
    check_done();
}

/* Three passes of a warp over a row of 16 KB, and in blocks of 128 threads over rows of 4 KB: what
 * is far beyond the L1 and the L2 is loaded three times from memory, what is not, once. */
static void warps_that_pass_over_rows(void **state)
{
    (void)state;
    static const char text[] =
        "name: r\ndomain: [524288]\nfields:\n  a: {type: f32}\n  b: {type: f32}\nloops: {i: 3, j: 128}\n"
        "loads: [\"a[threadIdx.x%32 + 4096*(x/32) + 32*j + 0*i]\"]\n"
        "stores: [\"b[threadIdx.x%32 + 4096*(x/32) + 32*j]\"]\nflops: 1\n";
    const double rows = 524288.0 / 32 * 16384;
    const wl_prediction p = predict(text, NULL, 128, 1), large = predict(text, "l2_reuse_room=1GB", 128, 1),
                        few = predict(text, "sm_count=4096", 128, 1);
    check_near("rows", "L2 loads", p.metrics[WL_METRIC_l2_load_bytes].value, 3 * rows, 0.01);
    check_true("rows", "volumes are known", p.metrics[WL_METRIC_dram_load_bytes].known);
    check_near("rows", "DRAM loads", p.metrics[WL_METRIC_dram_load_bytes].value, 3 * rows, 0.01);
    check_near("large L2", "DRAM loads", large.metrics[WL_METRIC_dram_load_bytes].value, rows, 0.01);
    check_near("a block on each multiprocessor", "L2 loads", few.metrics[WL_METRIC_l2_load_bytes].value, rows, 0.01);
    check_done();
}

/* Blocks of so many addresses each that five together exceed what one count may take: fewer are
 * looked at. They repeat themselves, so that few steps are evaluated: 14 s otherwise. */
static void long_loops(void **state)
{
    (void)state;
    static const char text[] = "name: l\ndomain: [21120]\nfields:\n  a: {type: f64}\nloops: {k: 450000}\n"
                               "loads: [\"a[(x + k)%1000]\"]\nflops: 0\n";
    const wl_prediction p = predict(text, NULL, 32, 1);
    check_near("long loop", "loads", p.metrics[WL_METRIC_inst_global_ld].value, 21120.0 / 32 * 450000, 1e-9);
}

/* Only steps of the innermost loop are skipped; what the outer ones leave must be bounded, too. */
static void nested_loops(void **state)
{
    (void)state;
    static const char text[] =
        "name: n\ndomain: [1024]\nfields:\n  a: {type: f64}\nloops: {i: 1000, j: 1000, k: 1000}\n"
        "loads: [\"a[x%7 + i*1000000 + j*1000 + k]\"]\nflops: 0\n";
    wl_error err = {0};
    wl_device *device = NULL;
    wl_kernel *kernel = NULL;
    wl_predictor *predictor = NULL;
    wl_prediction p = {0};
    check_ok("device", wl_device_builtin("h200", &device, &err), &err);
    check_ok("kernel", wl_kernel_parse("kernel", text, strlen(text), NULL, &kernel, &err), &err);
    check_ok("predictor", wl_predictor_new(kernel, device, &predictor, &err), &err);
    const wl_launch launch = {.block = {256, 1, 1}, .registers = 32};
    check_int("nested loops", "status", wl_predict(predictor, &launch, NULL, &p, &err), WL_E_LIMIT);
    wl_predictor_free(predictor);
    wl_kernel_free(kernel);
    wl_device_free(device);
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tile_in_shared_memory),
        cmocka_unit_test(gathers),
        cmocka_unit_test(random_numbers),
        cmocka_unit_test(blocks_that_load_the_same),
        cmocka_unit_test(warps_that_pass_over_rows),
        cmocka_unit_test(long_loops),
        cmocka_unit_test(nested_loops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

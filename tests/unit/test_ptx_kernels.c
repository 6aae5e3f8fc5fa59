/* test_ptx_kernels.c - kernels recovered from committed PTX predict exactly what the
 * hand-written kernel files predict; so does the kernel file that `show` prints.
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include "unit/checks.h"
#include "unit/ptx_target.h"
#include "unit/read_file.h"

#include "kernel/kernel_internal.h"
#include "metrics/prediction.h"
#include "warpline/predict.h"
#include "warpline/ptx.h"

#define STAR "buf:5872025600:11203712"

static wl_ptx *read_ptx(const char *name, const char *arch)
{
    char path[256];
    size_t length;
    wl_ptx *ptx = NULL;
    wl_error err = {0};
    snprintf(path, sizeof path, "%s/validate/ptx/%s.sm_90.ptx", SOURCE_DIR, name);
    char *text = read_file(path, &length);
    ptx_retarget(text, length, arch);
    if (wl_ptx_parse(path, text, length, &ptx, &err) != WL_OK)
        fail_msg("%s:%d: %s", err.input, (int)err.loc.line, err.message);
    free(text);
    return ptx;
}

static wl_kernel *read_kernel(const char *name, const char *const *sets, size_t set_count)
{
    char path[256];
    size_t length;
    wl_kernel *kernel = NULL;
    wl_error err = {0};
    snprintf(path, sizeof path, "%s/validate/kernels/%s.yaml", SOURCE_DIR, name);
    char *text = read_file(path, &length);
    const wl_kernel_options options = {sets, set_count};
    if (wl_kernel_parse(path, text, length, &options, &kernel, &err) != WL_OK)
        fail_msg("%s:%d: %s", err.input, (int)err.loc.line, err.message);
    free(text);
    return kernel;
}

static wl_device *h200;

static void predict(const char *name, const wl_kernel *kernel, const wl_launch *launch, wl_prediction *out)
{
    wl_predictor *predictor = NULL;
    wl_error err = {0};
    if (wl_predictor_new(kernel, h200, &predictor, &err) != WL_OK ||
        wl_predict(predictor, launch, NULL, out, &err) != WL_OK)
        fail_msg("%s: %s", name, err.message);
    wl_predictor_free(predictor);
}

/* Metrics that follow from the accesses. */
static void check_same(const char *name, const wl_prediction *got, const wl_prediction *want, bool instructions)
{
    for (int m = 0; m < WL_METRIC_COUNT; m++) {
        const bool stream = m == WL_METRIC_inst_executed || m == WL_METRIC_thread_inst || m == WL_METRIC_flops;
        if (stream && !instructions)
            continue;
        if (!instructions && !want->metrics[m].known)
            continue; /* a kernel file without instructions leaves these unknown */
        check_true(name, wl_metric_name((wl_metric)m), got->metrics[m].known == want->metrics[m].known);
        /* loops through common data are replayed: what comes out depends on details of the
         * accesses, by as much as on a few loads more or less in flight */
        const bool replayed = m == WL_METRIC_l2_load_bytes && strstr(name, "matmul_col");
        check_near(name, wl_metric_name((wl_metric)m), got->metrics[m].value, want->metrics[m].value,
                   replayed       ? 0.1
                   : instructions ? 1e-9
                                  : 0);
    }
}

static wl_kernel *from_ptx(const char *name, const wl_ptx *ptx, const wl_ptx_options *options)
{
    wl_kernel *kernel = NULL;
    wl_error err = {0};
    if (wl_kernel_from_ptx(ptx, options, &kernel, &err) != WL_OK)
        fail_msg("%s: %s:%d: %s", name, err.input, (int)err.loc.line, err.message);
    return kernel;
}

/* The kernel file that `show` prints predicts the same. */
static void check_shown(const char *name, const wl_kernel *kernel, const wl_launch *launch, const wl_prediction *want)
{
    char *text = NULL;
    wl_kernel *again = NULL;
    wl_error err = {0};
    wl_prediction got;
    check_true(name, "can be shown", wl_kernel_show(kernel, &text, &err) == WL_OK);
    if (wl_kernel_parse("shown", text, strlen(text), NULL, &again, &err) != WL_OK)
        fail_msg("%s: shown:%d: %s", name, (int)err.loc.line, err.message);
    predict(name, again, launch, &got);
    check_same(name, &got, want, true);
    if (!want->model.from_life) /* a kernel file has no instructions to follow */
        check_near(name, "time as shown", got.model.time_s, want->model.time_s, 0.02);
    wl_kernel_free(again);
    free(text);
}

static void regular_kernels(void **unused)
{
    (void)unused;
    static const struct {
        const char *name, *entry, *file;
        const char *args[10], *sets[8];
        int64_t block[3], grid[3], fold[3];
    } cases[] = {
        {"star3d",
         "_Z8k_star3dIdLi4ELi1ELi1E",
         "star3d",
         {STAR, STAR, "640", "512", "512", "672", "349440"},
         {NULL},
         {32, 4, 2},
         {20, 128, 256},
         {1, 1, 1}},
        {"star3d 1024x1x1",
         "_Z8k_star3dIdLi4ELi1ELi1E",
         "star3d",
         {STAR, STAR, "640", "512", "512", "672", "349440"},
         {NULL},
         {1024, 1, 1},
         {1, 512, 512},
         {1, 1, 1}},
        {"star3d 2y",
         "_Z8k_star3dIdLi4ELi2ELi1E",
         "star3d",
         {STAR, STAR, "640", "512", "512", "672", "349440"},
         {NULL},
         {64, 8, 2},
         {10, 32, 256},
         {1, 2, 1}},
        {"star3d 2z",
         "_Z8k_star3dIdLi4ELi1ELi2E",
         "star3d",
         {STAR, STAR, "640", "512", "512", "672", "349440"},
         {NULL},
         {16, 8, 8},
         {40, 64, 32},
         {1, 1, 2}},
        {"star3d cut off",
         "_Z8k_star3dIdLi4ELi1ELi1E",
         "star3d",
         {STAR, STAR, "637", "509", "100", "672", "349440"},
         {"nx=637", "ny=509", "nz=100"},
         {128, 2, 4},
         {5, 255, 25},
         {1, 1, 1}},
        {"lbm",
         "k_lbm_d3q15_pf",
         "lbm_d3q15_pf",
         {"buf:2400000000:596864", "buf:2400000000:596864", "buf:160000000:596864", "256", "256", "256", "288", "74304",
          "19170688"},
         {NULL},
         {64, 4, 2},
         {4, 64, 128},
         {1, 1, 1}},
        {"transpose naive",
         "k_transpose_naive",
         "tile",
         {"buf:268435456", "buf:268435456", "8192"},
         {"w=8192"},
         {32, 8, 1},
         {256, 256, 1},
         {1, 1, 1}},
        {"transpose tiled",
         "_Z17k_transpose_tiledILi0E",
         "transpose_tiled",
         {"buf:268435456", "buf:268435456", "8192"},
         {"w=8192", "pad=0"},
         {32, 8, 1},
         {256, 256, 1},
         {1, 1, 1}},
        {"transpose padded",
         "_Z17k_transpose_tiledILi1E",
         "transpose_tiled",
         {"buf:4194304", "buf:4194304", "1024"},
         {"w=1024", "pad=1"},
         {32, 8, 1},
         {32, 32, 1},
         {1, 1, 1}},
        {"box2d_col",
         "k_box2d_col",
         "box2d_col",
         {"buf:67108864", "buf:67108864", "4096", "4096", "0"},
         {"col=0"},
         {256, 1, 1},
         {65536, 1, 1},
         {1, 1, 1}},
        {"box2d_col 31",
         "k_box2d_col",
         "box2d_col",
         {"buf:67108864", "buf:67108864", "4096", "4096", "31"},
         {"col=31"},
         {128, 1, 1},
         {131072, 1, 1},
         {1, 1, 1}},
        {"matmul_col",
         "k_matmul_col",
         "matmul_col",
         {"buf:4194304", "buf:4194304", "buf:4194304", "1024", "1024", "1024", "0"},
         {"col=0"},
         {256, 1, 1},
         {4096, 1, 1},
         {1, 1, 1}},
        {"matmul_col 48",
         "k_matmul_col",
         "matmul_col",
         {"buf:4194304", "buf:4194304", "buf:4194304", "1024", "1024", "1024", "48"},
         {"col=48"},
         {64, 1, 1},
         {16384, 1, 1},
         {1, 1, 1}},
    };
    static const char *const archs[] = {"sm_80", "sm_90"};
    for (size_t a = 0; a < COUNT_OF(archs); a++) {
        wl_ptx *ptx = read_ptx("fit", archs[a]);
        for (size_t i = 0; i < COUNT_OF(cases); i++) {
            /* slow, evaluated thread by thread: once is enough */
            if (a == 0 && strstr(cases[i].name, "_col"))
                continue;
            wl_ptx_options options = {.entry = cases[i].entry, .args = cases[i].args, .launch = {.registers = 40}};
            wl_launch by_hand = {.registers = 40};
            size_t sets = 0;
            wl_prediction got, want;
            while (cases[i].args[options.arg_count])
                options.arg_count++;
            while (cases[i].sets[sets])
                sets++;
            memcpy(options.launch.block, cases[i].block, sizeof cases[i].block);
            memcpy(options.launch.grid, cases[i].grid, sizeof cases[i].grid);
            memcpy(by_hand.block, cases[i].block, sizeof cases[i].block);
            memcpy(by_hand.fold, cases[i].fold, sizeof cases[i].fold);
            wl_kernel *kernel = from_ptx(cases[i].name, ptx, &options),
                      *written = read_kernel(cases[i].file, cases[i].sets, sets);
            predict(cases[i].name, kernel, &options.launch, &got);
            predict(cases[i].name, written, &by_hand, &want);
            check_same(cases[i].name, &got, &want, false);
            check_true(cases[i].name, "nothing is emulated", kernel->source.at_launch == NULL);
            check_shown(cases[i].name, kernel, &options.launch, &got);
            wl_kernel_free(kernel);
            wl_kernel_free(written);
        }
        wl_ptx_free(ptx);
    }
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(regular_kernels)};
    wl_error err = {0};
    if (wl_device_builtin("h200", &h200, &err) != WL_OK)
        return 1;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    wl_device_free(h200);
    return failed;
}

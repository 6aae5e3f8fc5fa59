/* test_code_volumes.c - laws/code_volumes.h: machine code that is longer than the instruction cache
 * comes from the L2.
 * SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "laws/code_volumes.h"
#include "metrics/prediction.h"
#include "warpline/warpline.h"

/* By hand: exp(-(log(turn / 15.1) / 1.19)^2 / 2), and what the schedulers make of it. */
static void how_far_multiprocessors_are_apart(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double block_warps, resident_warps, busy, apart;
    } rows[] = {
        {"the worst turn", 8, 16, 15.1 / 16, 1},
        {"half of it", 8, 8, 15.1 / 16, 0.843969},
        {"eight times as long", 8, 32, 15.1 / 4, 0.217239},
        {"two warps", 2, 16, 15.1 / 16, 1},
        {"one warp per scheduler", 4, 16, 15.1 / 16, 0.66},
        {"six warps on four schedulers", 6, 16, 15.1 / 16, 2.07},
        {"seven", 7, 8, 15.1 / 16, 2.07 * 0.843969},
        {"nothing is executed", 8, 16, 0, 0},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const wl_code_run run = {
            .block_warps = rows[i].block_warps, .resident_warps = rows[i].resident_warps, .busy = rows[i].busy};
        check_near(rows[i].name, "apart", wl_code_apart(&run, 4), rows[i].apart, 1e-5);
    }
    check_done();
}

#define BLOCKS 4096

/* So many multiply-adds in a row. */
static wl_prediction predict(const char *on, int instructions)
{
    static const char head[] = ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
                               ".reg .f32 %f<3>; .reg .b32 %r<2>; .reg .b64 %rd<4>;\n"
                               "ld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\n"
                               "add.s64 %rd3, %rd1, %rd2;\nld.global.f32 %f1, [%rd3];\n",
                      line[] = "fma.rn.f32 %f1, %f1, %f1, %f1;\n", tail[] = "st.global.f32 [%rd3], %f1;\nret;\n}\n";
    const char *const args[] = {"buf:4096"};
    const wl_ptx_options options = {
        .args = args, .arg_count = 1, .launch = {.block = {64, 1, 1}, .grid = {BLOCKS, 1, 1}, .registers = 32}};
    const size_t size = sizeof head + sizeof tail + (size_t)instructions * (sizeof line - 1);
    char *text = malloc(size), *at = text;
    wl_device *device = NULL;
    wl_ptx *ptx = NULL;
    wl_kernel *kernel = NULL;
    wl_predictor *predictor = NULL;
    wl_error err = {0};
    static wl_prediction p;
    if (!text)
        fail_msg("out of memory");
    at += snprintf(at, size, "%s", head);
    for (int i = 0; i < instructions; i++, at += sizeof line - 1)
        memcpy(at, line, sizeof line - 1);
    memcpy(at, tail, sizeof tail);
    if (wl_device_builtin(on, &device, &err) != WL_OK ||
        wl_ptx_parse("test.ptx", text, strlen(text), &ptx, &err) != WL_OK ||
        wl_kernel_from_ptx(ptx, &options, &kernel, &err) != WL_OK ||
        wl_predictor_new(kernel, device, &predictor, &err) != WL_OK ||
        wl_predict(predictor, &options.launch, NULL, &p, &err) != WL_OK)
        fail_msg("%s", err.message);
    wl_predictor_free(predictor);
    wl_kernel_free(kernel);
    wl_ptx_free(ptx);
    wl_device_free(device);
    free(text);
    return p;
}

static double code_of(const wl_prediction *p)
{
    const wl_value *v = &p->metrics[WL_METRIC_l2_load_bytes];
    for (int i = 0; i < v->part_count; i++)
        if (strcmp(v->parts[i].name, "code") == 0)
            return v->parts[i].value;
    return 0;
}

static void long_code_is_fetched(void **state)
{
    (void)state;
    wl_prediction p = predict("rtx2080ti", 2000); /* 31 KiB */
    check_near("fits", "code", code_of(&p), 0, 0);
    const double l2 = p.metrics[WL_METRIC_l2_load_bytes].value;
    /* twice the cache of 46 KiB, and some instructions around them. 32 warps are resident; each
     * has its turn at the f32 pipe after 16 cycles. */
    p = predict("rtx2080ti", 5888);
    const double code = code_of(&p), expected = 0.74 * 0.998817 * 46 * 1024 * BLOCKS;
    check_near("twice the cache", "code", code / expected, 1, 0.02);
    check_near("twice the cache", "loads", p.metrics[WL_METRIC_l2_load_bytes].value, l2 + code, 1e-6 * code);
    p = predict("h200", 5888);
    check_near("a device without the numbers", "code", code_of(&p), 0, 0);
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(how_far_multiprocessors_are_apart),
                                       cmocka_unit_test(long_code_is_fetched)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

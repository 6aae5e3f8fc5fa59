/* test_courses.c - count/courses.h: what persistent blocks load again after the L2 has lost it, and
 * what they load together. SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include <stdio.h>
#include <stdlib.h>

#include "kernel/kernel_internal.h"
#include "metrics/prediction.h"
#include "warpline/warpline.h"

#define TILE 16384

/* A block copies tiles b, b + grid, b + 2 grid, .. of an array of `tiles`, from the start again at
 * its end. */
static const char text[] =
    ".version 8.6\n.target sm_90a\n.address_size 64\n"
    ".visible .entry k(.param .u64 in, .param .u32 tiles, .param .u32 steps)\n{\n"
    ".reg .pred %p<4>;\n.reg .b32 %r<12>;\n.reg .b64 %rd<6>;\n"
    ".shared .align 128 .b8 tile[16384];\n.shared .align 8 .b64 full;\n"
    "ld.param.u64 %rd1, [in];\nld.param.u32 %r1, [tiles];\nld.param.u32 %r2, [steps];\n"
    "mov.u32 %r3, %tid.x;\nsetp.ne.u32 %p1, %r3, 0;\n@%p1 bra END;\n"
    "mbarrier.init.shared::cta.b64 [full], 1;\nmov.u32 %r4, %ctaid.x;\nmov.u32 %r5, %nctaid.x;\nmov.u32 %r6, 0;\n"
    "L:\nrem.u32 %r7, %r4, %r1;\nmul.wide.u32 %rd2, %r7, 16384;\nadd.s64 %rd3, %rd1, %rd2;\nand.b32 %r8, %r6, 1;\n"
    "mbarrier.arrive.expect_tx.shared::cta.b64 _, [full], 16384;\n"
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%rd3], 16384, [full];\n"
    "W:\nmbarrier.try_wait.parity.shared::cta.b64 %p2, [full], %r8;\n@!%p2 bra W;\n"
    "add.u32 %r4, %r4, %r5;\nadd.u32 %r6, %r6, 1;\nsetp.lt.u32 %p3, %r6, %r2;\n@%p3 bra L;\n"
    "END:\nret;\n}\n";

/* Bytes that come from memory. */
static double loaded(const char *name, int64_t grid, int64_t tiles, int64_t steps)
{
    char array[32], of_tiles[32], of_steps[32];
    const char *args[] = {array, of_tiles, of_steps};
    const wl_launch launch = {.block = {32, 1, 1}, .grid = {grid, 1, 1}};
    const wl_ptx_options options = {.args = args, .arg_count = 3, .launch = launch};
    static wl_prediction p;
    wl_error err = {0};
    wl_ptx *ptx = NULL;
    wl_kernel *kernel = NULL;
    wl_device *device = NULL;
    wl_predictor *predictor = NULL;
    double bytes = 0;
    (void)snprintf(array, sizeof array, "buf:%lld", (long long)(tiles * TILE));
    (void)snprintf(of_tiles, sizeof of_tiles, "%lld", (long long)tiles);
    (void)snprintf(of_steps, sizeof of_steps, "%lld", (long long)steps);
    check_ok(name, wl_ptx_parse("k.ptx", text, strlen(text), &ptx, &err), &err);
    check_ok(name, wl_kernel_from_ptx(ptx, &options, &kernel, &err), &err);
    check_ok(name, wl_device_builtin("h200", &device, &err), &err);
    check_ok(name, wl_predictor_new(kernel, device, &predictor, &err), &err);
    check_ok(name, wl_predict(predictor, &launch, NULL, &p, &err), &err);
    assert_true(wl_prediction_metric(&p, WL_METRIC_dram_load_bytes, &bytes));
    wl_predictor_free(predictor);
    wl_device_free(device);
    wl_kernel_free(kernel);
    wl_ptx_free(ptx);
    return bytes;
}

static void persistent_blocks_load_again(void **state)
{
    (void)state;
    const double mega = 1048576;
    /* 132 MiB twice: none of it is left after a pass */
    check_near("large", "MB", loaded("large", 132, 132 * 64, 128) / mega, 264, 0.03);
    /* 4 MiB, 32 times: stays in the L2 */
    check_near("small", "MB", loaded("small", 132, 264, 64) / mega, 4.125, 0.03);
    /* once: nothing is loaded again */
    check_near("once", "MB", loaded("once", 132, 132 * 64, 64) / mega, 132, 0.01);
    check_done();
}

/* Blocks of one step load the same tiles as others at the same time. */
static void blocks_share(void **state)
{
    (void)state;
    check_near("shared", "MB", loaded("shared", 264, 132, 1) / 1048576, 132.0 / 64, 0.03);
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(persistent_blocks_load_again), cmocka_unit_test(blocks_share)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

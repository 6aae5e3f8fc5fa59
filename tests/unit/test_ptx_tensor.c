/* test_ptx_tensor.c - matrix products: flops of an instruction, of a launch and of a kernel
 * file, and their cycles. SPDX-License-Identifier: MIT */
#include "unit/ptx_fixture.h"

#include "kernel/kernel_internal.h"
#include "metrics/prediction.h"
#include "model/limiter.h"
#include "ptx/module/tensor.h"
#include "warpline/warpline.h"

static void flops_of_an_instruction(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double flops;
        wl_tensor_kind kind;
    } cases[] = {
        {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, "
         "{%f1, %f2, %f3, %f4};",
         4096, WL_TENSOR_f16},
        {"mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2}, {%r5}, {%f1, %f2, %f3, "
         "%f4};",
         2048, WL_TENSOR_f16},
        {"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, "
         "{%f1, %f2, %f3, %f4};",
         2048, WL_TENSOR_tf32},
        {"mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32 {%r7, %r8, %r9, %r10}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, "
         "{%r7, %r8, %r9, %r10};",
         8192, WL_TENSOR_i8},
        {"mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, "
         "{%f1, %f2, %f3, %f4};",
         8192, WL_TENSOR_i8},
        {"mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%fd1, %fd2}, {%fd3}, {%fd4}, {%fd1, %fd2};", 512,
         WL_TENSOR_f64},
        {"mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8}, {%r1, %r2}, {%r3, "
         "%r4}, {%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8};",
         4 * 512, WL_TENSOR_f16},
        {"mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6, "
         "%r7, %r8}, {%f1, %f2, %f3, %f4}, %r9, 0;",
         4096, WL_TENSOR_f16},
        {"wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8}, {%r1, %r2, %r3, "
         "%r4, %r5, %r6, %r7, %r8}, {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, {%f1, %f2, %f3, %f4, %f5, %f6, %f7, "
         "%f8};",
         8192, WL_TENSOR_f16},
        {"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, %rd1, %rd2, 1, 1, 1, 0, 0;", 4096,
         WL_TENSOR_f16},
        {"mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%fd1, %fd2, %fd1, %fd2}, {%fd3, %fd3, %fd3, %fd3, %fd3, "
         "%fd3, %fd3, %fd3}, {%fd4, %fd4, %fd4, %fd4}, {%fd1, %fd2, %fd1, %fd2};",
         4096, WL_TENSOR_f64},
        {"mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc {%r7, %r8, %r9, %r10}, {%r1, %r2, %r3, %r4}, {%r5, "
         "%r6}, {%r7, %r8, %r9, %r10};",
         65536, WL_TENSOR_i8},
        {"mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32 {%r7, %r8, %r9, %r10}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, "
         "{%r7, %r8, %r9, %r10};",
         16384, WL_TENSOR_i8},
        {"mma.sync.aligned.kind::mxf8f6f4.block_scale.scale_vec::1X.m16n8k32.row.col.f32.e4m3.e2m1.f32.ue8m0 {%f1, "
         "%f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4}, {%r7}, {%rs1, %rs1}, {%r8}, {%rs1, "
         "%rs1};",
         8192, WL_TENSOR_i8},
        {"mma.sync.aligned.kind::mxf4nvf4.block_scale.scale_vec::4X.m16n8k64.row.col.f32.e2m1.e2m1.f32.ue4m3 {%f1, "
         "%f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4}, {%r7}, {%rs1, %rs1}, {%r8}, {%rs1, "
         "%rs1};",
         16384, WL_TENSOR_i8},
        /* a warp's quarter of 2 x 64 x n x k, half of that if sparse */
        {"wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {%f1, %f2}, %rd1, %rd2, 1, 1, 1, 0, 0;", 32768,
         WL_TENSOR_f16},
        {"wgmma.mma_async.sync.aligned.m64n64k8.f32.tf32.tf32 {%f1, %f2}, %rd1, %rd2, 1, 1, 1;", 16384, WL_TENSOR_tf32},
        {"wgmma.mma_async.sync.aligned.m64n256k32.f32.e5m2.e4m3 {%f1, %f2}, %rd1, %rd2, 1, 1, 1;", 262144,
         WL_TENSOR_i8},
        {"wgmma.mma_async.sync.aligned.m64n64k32.s32.u8.s8 {%r1, %r2}, %rd1, %rd2, 1;", 65536, WL_TENSOR_i8},
        {"wgmma.mma_async.sync.aligned.m64n64k256.s32.b1.b1.and.popc {%r1, %r2}, %rd1, %rd2, 1;", 524288, WL_TENSOR_i8},
        {"wgmma.mma_async.sp.sync.aligned.m64n64k32.f32.f16.f16 {%f1, %f2}, %rd1, %rd2, %r1, 0, 1, 1, 1, 0, 0;", 32768,
         WL_TENSOR_f16},
        /* of one thread: 2 x m x n x k of the instruction descriptor, half of that if sparse */
        {"tcgen05.mma.cta_group::1.kind::f16 [%r1], %rd1, %rd2, 0x08400010, %p1;", 2.0 * 128 * 256 * 16, WL_TENSOR_f16},
        {"tcgen05.mma.cta_group::2.kind::tf32 [%r1], [%r2], %rd2, 0x10400910, %p1;", 2.0 * 256 * 256 * 8,
         WL_TENSOR_tf32},
        {"tcgen05.mma.cta_group::1.kind::f8f6f4 [%r1], %rd1, %rd2, 0x04100010, %p1;", 2.0 * 64 * 64 * 32, WL_TENSOR_i8},
        {"tcgen05.mma.ws.cta_group::1.kind::i8 [%r1], %rd1, %rd2, 0x02100020, %p1;", 2.0 * 32 * 64 * 32, WL_TENSOR_i8},
        {"tcgen05.mma.sp.cta_group::1.kind::f16 [%r1], %rd1, %rd2, [%r3], 0x08200014, %p1;", 2.0 * 128 * 128 * 16,
         WL_TENSOR_f16},
        {"tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale.scale_vec::1X [%r1], %rd1, %rd2, 0x08c00000, [%r3], "
         "[%r4], %p1;",
         2.0 * 128 * 256 * 32, WL_TENSOR_i8},
        {"tcgen05.mma.cta_group::1.kind::mxf4.block_scale.scale_vec::2X [%r1], %rd1, %rd2, 0x08c00480, [%r3], [%r4], "
         "%p1;",
         2.0 * 128 * 256 * 64, WL_TENSOR_i8},
        {"tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale.scale_vec::4X [%r1], %rd1, %rd2, 0x88400480, [%r3], "
         "[%r4], %p1;",
         2.0 * 128 * 256 * 96, WL_TENSOR_i8},
        {"tcgen05.mma.cta_group::1.kind::f16 [%r1], %rd1, %rd2, %r9, %p1;", 0, WL_TENSOR_f16},
        {"fma.rn.f32 %f1, %f2, %f3, %f4;", 0, WL_TENSOR_f16},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char text[1024];
        wl_ptx_module *module = NULL;
        wl_error err = {0};
        wl_tensor_kind kind = WL_TENSOR_f16;
        snprintf(text, sizeof text,
                 PTX_HEAD ".visible .entry k()\n{\n.reg .f32 %%f<10>; .reg .b32 %%r<20>; .reg .f64 %%fd<5>; .reg .b64 "
                          "%%rd<3>; .reg .b16 %%rs<2>; .reg .pred %%p<2>;\n%s\nret;\n}\n",
                 cases[i].text);
        if (wl_ptx_module_parse("test.ptx", text, strlen(text), &module, &err) != WL_OK)
            fail_msg("%s: %s", cases[i].text, err.message);
        check_near(cases[i].text, "flops of a warp", wl_ptx_tensor_flops(&module->functions[0].instructions[0], &kind),
                   cases[i].flops, 0);
        check_true(cases[i].text, "kind", kind == cases[i].kind);
        wl_ptx_module_free(module);
    }
    check_done();
}

/* Bytes that a warp of a wgmma, or a tcgen05.mma, reads from shared memory: 32 of each row of A and
 * column of B, 64 of a column if A is sparse. */
static void operands_of_an_instruction(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double bytes;
    } cases[] = {
        {"wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {%f1, %f2}, %rd1, %rd2, 1, 1, 1, 0, 0;", 128 * 32 / 4.0},
        {"wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {%f1, %f2}, {%r1, %r2, %r3, %r4}, %rd2, 1, 1, 1, 0;",
         64 * 32 / 4.0},
        {"wgmma.mma_async.sp.sync.aligned.m64n64k32.f32.f16.f16 {%f1, %f2}, %rd1, %rd2, %r1, 0, 1, 1, 1, 0, 0;",
         (64 + 2 * 64) * 32 / 4.0},
        {"wgmma.mma_async.sync.aligned.m64n256k256.s32.b1.b1.and.popc {%r1, %r2}, %rd1, %rd2, 1;", 320 * 32 / 4.0},
        {"tcgen05.mma.cta_group::1.kind::f16 [%r1], %rd1, %rd2, 0x08400010, %p1;", (128 + 256) * 32},
        {"tcgen05.mma.cta_group::1.kind::f16 [%r1], [%r2], %rd2, 0x08400010, %p1;", 256 * 32},
        {"tcgen05.mma.sp.cta_group::1.kind::f16 [%r1], %rd1, %rd2, [%r3], 0x08400014, %p1;", (128 + 2 * 256) * 32},
        {"tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale.scale_vec::4X [%r1], %rd1, %rd2, 0x88400480, [%r3], "
         "[%r4], %p1;",
         (128 + 256) * 48},
        {"mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2}, {%r5}, {%f1, %f2, %f3, "
         "%f4};",
         0},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char text[1024];
        wl_ptx_module *module = NULL;
        wl_error err = {0};
        snprintf(text, sizeof text,
                 PTX_HEAD ".visible .entry k()\n{\n.reg .f32 %%f<10>; .reg .b32 %%r<20>; .reg .b64 %%rd<3>; .reg .pred "
                          "%%p<2>;\n%s\nret;\n}\n",
                 cases[i].text);
        if (wl_ptx_module_parse("test.ptx", text, strlen(text), &module, &err) != WL_OK)
            fail_msg("%s: %s", cases[i].text, err.message);
        check_near(cases[i].text, "bytes", wl_ptx_operand_bytes(&module->functions[0].instructions[0]), cases[i].bytes,
                   0);
        wl_ptx_module_free(module);
    }
    check_done();
}

/* Bits of the instruction descriptor that are constant give the shape, whatever the others are. */
static void shapes_from_known_bits(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double flops;
    } cases[] = {
        {"mov.b32 %r9, 138412048;", 2.0 * 128 * 256 * 16},
        {"and.b32 %r5, %r4, 1610612736;\nor.b32 %r9, %r5, 138412032;", 2.0 * 128 * 256 * 16},
        {"and.b32 %r5, %r4, 3;\nshl.b32 %r6, %r5, 29;\nor.b32 %r9, %r6, 138412032;", 2.0 * 128 * 256 * 16},
        {"shr.u32 %r5, %r4, 30;\nshl.b32 %r6, %r5, 4;\nadd.s32 %r9, %r6, 138412032;", 2.0 * 128 * 256 * 16},
        {"mov.b32 %r5, 8;\nshl.b32 %r6, %r5, 24;\nxor.b32 %r9, %r6, 4194320;", 2.0 * 128 * 256 * 16},
        {"or.b32 %r9, %r4, 138412032;", 0},
        {"mov.b32 %r9, 138412048;\n@%p1 mov.b32 %r9, 0;", 0},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char text[1024];
        wl_ptx_module *module = NULL;
        wl_error err = {0};
        wl_tensor_kind kind;
        snprintf(text, sizeof text,
                 PTX_HEAD ".visible .entry k()\n{\n.reg .b32 %%r<20>; .reg .b64 %%rd<3>; .reg .pred %%p<2>;\n%s\n"
                          "tcgen05.mma.cta_group::1.kind::f16 [%%r1], %%rd1, %%rd2, %%r9, %%p1;\nret;\n}\n",
                 cases[i].text);
        if (wl_ptx_module_parse("test.ptx", text, strlen(text), &module, &err) != WL_OK)
            fail_msg("%s: %s", cases[i].text, err.message);
        const wl_ptx_function *f = &module->functions[0];
        check_near(cases[i].text, "flops", wl_ptx_tensor_flops(&f->instructions[f->instruction_count - 2], &kind),
                   cases[i].flops, 0);
        wl_ptx_module_free(module);
    }
    check_done();
}

/* Blocks of two warps; each warp multiplies twice. */
static const char products[] = PTX_HEAD
    ".visible .entry k()\n{\n.reg .f32 %f<5>; .reg .b32 %r<7>;\n"
    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, "
    "%f2, %f3, %f4};\n"
    "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, "
    "%f2, %f3, %f4};\n"
    "ret;\n}\n";

static void predict(const wl_kernel *kernel, const wl_device *device, const wl_launch *launch,
                    const wl_predict_options *options, wl_prediction *out)
{
    wl_predictor *predictor = NULL;
    wl_error err = {0};
    if (wl_predictor_new(kernel, device, &predictor, &err) != WL_OK ||
        wl_predict(predictor, launch, options, out, &err) != WL_OK)
        fail_msg("%s", err.message);
    wl_predictor_free(predictor);
}

static wl_device *find_device(const char *name)
{
    wl_device *device = NULL;
    wl_error err = {0};
    if (wl_device_builtin(name, &device, &err) != WL_OK)
        fail_msg("%s", err.message);
    return device;
}

static void flops_of_a_launch(void **state)
{
    (void)state;
    const wl_ptx_options options = {.launch = {.block = {64, 1, 1}, .grid = {10, 1, 1}, .registers = 32}};
    wl_device *a100 = find_device("a100-40gb");
    wl_ptx *ptx = NULL;
    wl_kernel *kernel = NULL, *shown = NULL;
    wl_error err = {0};
    wl_prediction p;
    char *text = NULL;
    assert_int_equal(wl_ptx_parse("test.ptx", products, strlen(products), &ptx, &err), WL_OK);
    assert_int_equal(wl_kernel_from_ptx(ptx, &options, &kernel, &err), WL_OK);
    for (int emulate = 0; emulate < 2; emulate++) {
        const wl_predict_options how = {.emulate = emulate};
        predict(kernel, a100, &options.launch, &how, &p);
        check_near(emulate ? "emulated" : "recovered", "tensor_flops", p.metrics[WL_METRIC_tensor_flops].value,
                   20 * (4096 + 2048), 0);
        check_near(emulate ? "emulated" : "recovered", "f16", p.mix.tensor[WL_TENSOR_f16], 20 * 4096, 0);
        check_near(emulate ? "emulated" : "recovered", "bound", p.model.bound_s[WL_BOUND_TENSOR],
                   /* a block of two warps each on ten of 108 */
                   2 * (4096 / 2048.0 + 2048 / 1024.0) / 1.41e9, 1e-9);
    }
    assert_int_equal(wl_kernel_show(kernel, &text, &err), WL_OK);
    check_true("shown", "tensor", strstr(text, "tensor: {f16: 128, tf32: 64}") != NULL);
    if (wl_kernel_parse("shown", text, strlen(text), NULL, &shown, &err) != WL_OK)
        fail_msg("%s", err.message);
    predict(shown, a100, &options.launch, NULL, &p);
    check_near("shown", "tensor_flops", p.metrics[WL_METRIC_tensor_flops].value, 20 * (4096 + 2048), 0);
    free(text);
    wl_kernel_free(shown);
    wl_kernel_free(kernel);
    wl_ptx_free(ptx);
    wl_device_free(a100);
    check_done();
}

/* How many machine instructions a product becomes on a device: HMMA.884 on Volta (Ding and Williams
 * 2019); counted in machine code of nvcc 13.0 for sm_75 (HMMA.1688, IMMA.8816), sm_80 and sm_90
 * (HMMA.16816, IMMA.16816, DMMA). */
static void instructions_of_devices(void **state)
{
    (void)state;
#define EIGHT(r) "{%" r "1, %" r "2, %" r "3, %" r "4, %" r "5, %" r "6, %" r "7, %" r "8}"
    static const char halves[] = "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 " EIGHT("f") ", " EIGHT(
        "r") ", " EIGHT("r") ", " EIGHT("f") ";",
                      integers[] = "wmma.mma.sync.aligned.row.col.m16n16k16.s32.s8.s8.s32 " EIGHT(
                          "r") ", {%r1, %r2}, {%r3, %r4}, " EIGHT("r") ";",
                      doubles[] = "wmma.mma.sync.aligned.row.col.m8n8k4.f64.f64.f64.f64.rn {%fd1, %fd2}, {%fd3}, "
                                  "{%fd4}, {%fd1, %fd2};",
                      quarters[] = "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 " EIGHT(
                          "f") ", {%r1, %r2}, {%r3, %r4}, " EIGHT("f") ";",
                      small[] = "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2}, "
                                "{%r5}, {%f1, %f2, %f3, %f4};";
#undef EIGHT
    static const struct {
        const char *device, *name, *product;
        double instructions;
    } cases[] = {
        {"v100", "halves", halves, 16},       {"v100-sxm2", "halves", halves, 16},
        {"t4", "halves", halves, 4},          {"rtx2080ti", "halves", halves, 4},
        {"a100-40gb", "halves", halves, 2},   {"rtx4090", "halves", halves, 2},
        {"h200", "halves", halves, 2},        {"t4", "integers", integers, 4},
        {"a40", "integers", integers, 2},     {"h200", "integers", integers, 2},
        {"a100-40gb", "doubles", doubles, 1}, {"h200", "doubles", doubles, 1},
        {"v100", "quarters", quarters, 4},    {"t4", "small", small, 1},
        {"h200", "small", small, 1},          {"gb200", "unknown", halves, 2},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const wl_ptx_options options = {.launch = {.block = {64, 1, 1}, .grid = {10, 1, 1}, .registers = 32}};
        wl_device *device = find_device(cases[i].device);
        wl_ptx *ptx = NULL;
        wl_kernel *kernel = NULL, *shown = NULL;
        wl_prediction p[3];
        wl_error err = {0};
        char name[64], source[1024], *text = NULL;
        (void)snprintf(name, sizeof name, "%s, %s", cases[i].device, cases[i].name);
        (void)snprintf(source, sizeof source,
                       PTX_HEAD ".visible .entry k()\n{\n.reg .f32 %%f<10>; .reg .b32 %%r<20>; .reg .f64 %%fd<5>;\n"
                                "mov.u32 %%r10, %%tid.x; add.u32 %%r1, %%r10, %%r10;\n%s\nret;\n}\n",
                       cases[i].product);
        if (wl_ptx_parse("test.ptx", source, strlen(source), &ptx, &err) != WL_OK ||
            wl_kernel_from_ptx(ptx, &options, &kernel, &err) != WL_OK || wl_kernel_show(kernel, &text, &err) != WL_OK ||
            wl_kernel_parse("shown", text, strlen(text), NULL, &shown, &err) != WL_OK)
            fail_msg("%s: %s", name, err.message);
        predict(kernel, device, &options.launch, NULL, &p[0]);
        predict(kernel, device, &options.launch, &(wl_predict_options){.emulate = true}, &p[1]);
        predict(shown, device, &options.launch, NULL, &p[2]);
        /* a kernel file does not tell which instruction has the flops: it knows those of halves */
        const int count = cases[i].product == integers ? 2 : 3;
        const double threads = 64.0 * 10, warps = threads / 32;
        for (int k = 0; k < count; k++) {
            check_near(name, "recovered, emulated, shown", p[k].mix.warp[WL_INST_tensor], warps * cases[i].instructions,
                       1e-12);
            check_near(name, "lanes", p[k].mix.thread[WL_INST_tensor], threads * cases[i].instructions, 1e-12);
            check_near(name, "all instructions", p[k].metrics[WL_METRIC_inst_executed].value,
                       p[0].metrics[WL_METRIC_inst_executed].value, 1e-12);
        }
        wl_device_free(device);
        wl_kernel_free(kernel);
        wl_kernel_free(shown);
        wl_ptx_free(ptx);
        free(text);
    }
    check_done();
}

/* One warp alone does not reach the rate of four, except with f64. */
static void cycles(void **state)
{
    (void)state;
    wl_device *h200 = find_device("h200");
    double share = 0;
    assert_true(wl_device_get(h200, WL_DEVICE_tensor_warp_share, &share));
    wl_mix mix = {.tensor = {[WL_TENSOR_f16] = 4096e3}};
    check_near("warps", "f16", wl_limiter_tensor_cycles(&mix, h200), 1e3 / share, 1e-12);
    mix.tensor_groups[WL_TENSOR_f16] = 4096e3;
    check_near("groups", "f16", wl_limiter_tensor_cycles(&mix, h200), 1e3, 1e-12);
    mix.tensor[WL_TENSOR_f64] = 256e3;
    check_near("and f64", "cycles", wl_limiter_tensor_cycles(&mix, h200), 2e3, 1e-12);
    wl_device_free(h200);
    wl_device *v100 = find_device("v100"); /* has no tensor cores for f64 */
    mix = (wl_mix){.tensor = {[WL_TENSOR_f64] = 256e3}};
    check_near("v100", "f64", wl_limiter_tensor_cycles(&mix, v100), 0, 0);
    wl_device_free(v100);
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flops_of_an_instruction), cmocka_unit_test(operands_of_an_instruction),
        cmocka_unit_test(shapes_from_known_bits),  cmocka_unit_test(flops_of_a_launch),
        cmocka_unit_test(instructions_of_devices), cmocka_unit_test(cycles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* bench_emulate.c - how many thread instructions the emulator executes per second on one core.
 *
 * Three kernels: a stencil whose values are unknown, a product of matrices from shared memory with
 * barriers, and a hash of known integers. Prints the best of some rounds, with and without counting
 * and visiting, the ratio to the bar of 30 million, and the speed at which a launch is carried out
 * in memory of its own; asserts nothing. */

#include "bench.h"

#include <string.h>

#include "ptx/emulate/emulate.h"
#include "ptx/read/read_module.h"

#define BAR 30e6 /* thread instructions per second */
#define ROUNDS 7

#define HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"

static const char stencil[] = HEAD
    ".visible .entry k(.param .u64 a, .param .u64 b, .param .u32 nx, .param .u32 ny, .param .u32 nz)\n{\n"
    ".reg .pred %p<5>;\n.reg .b32 %r<32>;\n.reg .b64 %rd<32>;\n.reg .f64 %fd<32>;\n"
    "ld.param.u64 %rd1, [a];\nld.param.u64 %rd2, [b];\n"
    "ld.param.u32 %r1, [nx];\nld.param.u32 %r2, [ny];\nld.param.u32 %r3, [nz];\n"
    "mov.u32 %r4, %ctaid.x;\nmov.u32 %r5, %ntid.x;\nmov.u32 %r6, %tid.x;\nmad.lo.s32 %r7, %r4, %r5, %r6;\n"
    "mov.u32 %r8, %ctaid.y;\nmov.u32 %r9, %ntid.y;\nmov.u32 %r10, %tid.y;\nmad.lo.s32 %r11, %r8, %r9, %r10;\n"
    "mov.u32 %r12, %ctaid.z;\nmov.u32 %r13, %ntid.z;\nmov.u32 %r14, %tid.z;\nmad.lo.s32 %r15, %r12, %r13, %r14;\n"
    "add.s32 %r16, %r1, -2;\nadd.s32 %r17, %r2, -2;\nadd.s32 %r18, %r3, -2;\n"
    "setp.ge.s32 %p1, %r7, %r16;\nsetp.ge.s32 %p2, %r11, %r17;\nor.pred %p3, %p1, %p2;\n"
    "setp.ge.s32 %p4, %r15, %r18;\nor.pred %p3, %p3, %p4;\n@%p3 bra DONE;\n"
    "cvta.to.global.u64 %rd3, %rd1;\ncvta.to.global.u64 %rd4, %rd2;\n"
    "add.s32 %r19, %r15, 1;\nadd.s32 %r20, %r11, 1;\nmad.lo.s32 %r21, %r19, %r2, %r20;\n"
    "mul.lo.s32 %r22, %r21, %r1;\nadd.s32 %r23, %r22, %r7;\nadd.s32 %r23, %r23, 1;\n"
    "mul.wide.s32 %rd5, %r23, 8;\nadd.s64 %rd6, %rd3, %rd5;\nld.global.nc.f64 %fd1, [%rd6];\n"
    "ld.global.nc.f64 %fd2, [%rd6+8];\nld.global.nc.f64 %fd3, [%rd6+-8];\nadd.f64 %fd4, %fd2, %fd3;\n"
    "mul.wide.s32 %rd7, %r1, 8;\nadd.s64 %rd8, %rd6, %rd7;\nld.global.nc.f64 %fd5, [%rd8];\nadd.f64 %fd6, %fd4, %fd5;\n"
    "sub.s64 %rd9, %rd6, %rd7;\nld.global.nc.f64 %fd7, [%rd9];\nadd.f64 %fd8, %fd6, %fd7;\n"
    "mul.lo.s32 %r24, %r1, %r2;\nmul.wide.s32 %rd10, %r24, 8;\nadd.s64 %rd11, %rd6, %rd10;\n"
    "ld.global.nc.f64 %fd9, [%rd11];\nadd.f64 %fd10, %fd8, %fd9;\nsub.s64 %rd12, %rd6, %rd10;\n"
    "ld.global.nc.f64 %fd11, [%rd12];\nadd.f64 %fd12, %fd10, %fd11;\nfma.rn.f64 %fd13, %fd1, 0dC018000000000000, "
    "%fd12;\n"
    "add.s64 %rd13, %rd4, %rd5;\nst.global.f64 [%rd13], %fd13;\nDONE:\nret;\n}\n";

static const char product[] =
    HEAD ".visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n)\n{\n"
         ".shared .align 4 .b8 ta[4096];\n.shared .align 4 .b8 tb[4096];\n"
         ".reg .pred %p<3>;\n.reg .b32 %r<40>;\n.reg .b64 %rd<16>;\n.reg .f32 %f<70>;\n"
         "ld.param.u64 %rd1, [a];\nld.param.u64 %rd2, [b];\nld.param.u64 %rd3, [c];\nld.param.u32 %r1, [n];\n"
         "mov.u32 %r2, %tid.x;\nmov.u32 %r3, %tid.y;\nmov.u32 %r4, %ctaid.x;\nmov.u32 %r5, %ctaid.y;\n"
         "shl.b32 %r6, %r5, 5;\nadd.s32 %r7, %r6, %r3;\nshl.b32 %r8, %r4, 5;\nadd.s32 %r9, %r8, %r2;\n"
         "mov.u32 %r10, ta;\nmov.u32 %r11, tb;\nshl.b32 %r12, %r3, 7;\nadd.s32 %r13, %r10, %r12;\n"
         "shl.b32 %r14, %r2, 2;\nadd.s32 %r15, %r13, %r14;\nadd.s32 %r16, %r11, %r14;\nadd.s32 %r17, %r16, %r12;\n"
         "mov.f32 %f1, 0f00000000;\nmov.u32 %r18, 0;\nLOOP:\n"
         "mad.lo.s32 %r19, %r7, %r1, %r18;\nadd.s32 %r19, %r19, %r2;\nmul.wide.s32 %rd4, %r19, 4;\nadd.s64 %rd5, %rd1, "
         "%rd4;\n"
         "ld.global.f32 %f2, [%rd5];\nst.shared.f32 [%r15], %f2;\n"
         "add.s32 %r20, %r18, %r3;\nmad.lo.s32 %r21, %r20, %r1, %r9;\nmul.wide.s32 %rd6, %r21, 4;\nadd.s64 %rd7, %rd2, "
         "%rd6;\n"
         "ld.global.f32 %f3, [%rd7];\nst.shared.f32 [%r17], %f3;\nbar.sync 0;\nmov.u32 %r22, 0;\n"
         "mov.u32 %r23, %r13;\nmov.u32 %r24, %r16;\nINNER:\n"
         "ld.shared.f32 %f4, [%r23];\nld.shared.f32 %f5, [%r24];\nfma.rn.f32 %f1, %f4, %f5, %f1;\n"
         "ld.shared.f32 %f6, [%r23+4];\nld.shared.f32 %f7, [%r24+128];\nfma.rn.f32 %f1, %f6, %f7, %f1;\n"
         "ld.shared.f32 %f8, [%r23+8];\nld.shared.f32 %f9, [%r24+256];\nfma.rn.f32 %f1, %f8, %f9, %f1;\n"
         "ld.shared.f32 %f10, [%r23+12];\nld.shared.f32 %f11, [%r24+384];\nfma.rn.f32 %f1, %f10, %f11, %f1;\n"
         "add.s32 %r23, %r23, 16;\nadd.s32 %r24, %r24, 512;\nadd.s32 %r22, %r22, 4;\nsetp.lt.s32 %p1, %r22, 32;\n"
         "@%p1 bra INNER;\nbar.sync 0;\nadd.s32 %r18, %r18, 32;\nsetp.lt.s32 %p2, %r18, %r1;\n@%p2 bra LOOP;\n"
         "mad.lo.s32 %r25, %r7, %r1, %r9;\nmul.wide.s32 %rd8, %r25, 4;\nadd.s64 %rd9, %rd3, %rd8;\n"
         "st.global.f32 [%rd9], %f1;\nret;\n}\n";

static const char hash[] =
    HEAD ".visible .entry k(.param .u64 in, .param .u64 out, .param .u32 rounds)\n{\n"
         ".reg .pred %p<3>;\n.reg .b32 %r<20>;\n.reg .b64 %rd<8>;\n"
         "ld.param.u64 %rd1, [in];\nld.param.u64 %rd2, [out];\nld.param.u32 %r1, [rounds];\n"
         "mov.u32 %r2, %ctaid.x;\nmov.u32 %r3, %ntid.x;\nmov.u32 %r4, %tid.x;\nmad.lo.s32 %r5, %r2, %r3, %r4;\n"
         "mul.wide.u32 %rd3, %r5, 4;\nadd.s64 %rd4, %rd1, %rd3;\nld.global.u32 %r6, [%rd4];\nmov.u32 %r7, 0;\nLOOP:\n"
         "mul.lo.s32 %r8, %r6, -862048943;\nshf.l.wrap.b32 %r9, %r8, %r8, 15;\nmul.lo.s32 %r10, %r9, 461845907;\n"
         "xor.b32 %r11, %r10, %r7;\nshf.l.wrap.b32 %r12, %r11, %r11, 13;\nmad.lo.s32 %r13, %r12, 5, -430675100;\n"
         "shr.u32 %r14, %r13, 16;\nxor.b32 %r15, %r13, %r14;\nand.b32 %r16, %r15, 1;\nsetp.eq.s32 %p2, %r16, 0;\n"
         "@%p2 bra EVEN;\nadd.s32 %r15, %r15, %r1;\nxor.b32 %r15, %r15, 77;\nEVEN:\n"
         "mov.u32 %r6, %r15;\nadd.s32 %r7, %r7, 1;\nsetp.lt.s32 %p1, %r7, %r1;\n@%p1 bra LOOP;\n"
         "add.s64 %rd5, %rd2, %rd3;\nst.global.u32 [%rd5], %r6;\nret;\n}\n";

static wl_status ignore(void *user, const wl_ptx_touch *touch, wl_error *err)
{
    (void)err;
    *(uint64_t *)user += touch->lanes;
    return WL_OK;
}

typedef struct one {
    const char *name, *text;
    const char *args[5];
    size_t arg_count;
    int64_t block[3], grid[3];
    int64_t blocks; /* that are run */
} one;

static double run(wl_ptx_emulator *emulator, const one *k, wl_ptx_profile *profile, bool visits)
{
    wl_error err = {0};
    uint64_t sum = 0;
    const double start = cpu_seconds();
    for (int64_t b = 0; b < k->blocks; b++) {
        const int64_t block[3] = {b % k->grid[0], b / k->grid[0] % k->grid[1], b / k->grid[0] / k->grid[1]};
        must(wl_ptx_emulate_block(emulator, block, -1, profile, visits ? ignore : NULL, &sum, &err), &err);
    }
    return cpu_seconds() - start;
}

/* The parameters of a launch that is carried out, and memory for its buffers. */
typedef struct carried {
    uint8_t params[64];
    wl_ptx_memory memory[5];
    wl_ptx_image image;
} carried;

static void make_memory(const one *k, carried *out)
{
    size_t at = 0;
    memset(out, 0, sizeof *out);
    for (size_t i = 0; i < k->arg_count; i++) {
        char unit = 0;
        long long number = atoll(k->args[i]);
        const bool buffer = sscanf(k->args[i], "buf:%lld%c", &number, &unit) >= 1;
        const int64_t bytes = number << (unit == 'G' ? 30 : unit == 'M' ? 20 : 0);
        uint8_t *contents = buffer ? calloc((size_t)bytes, 1) : NULL;
        const uint64_t value = buffer ? (uint64_t)(uintptr_t)contents : (uint64_t)number;
        for (int64_t w = 0; buffer && w < bytes / 4 && w < 1 << 20; w++) {
            const float x = (float)(w * 2654435761 % 1000) / 1000;
            memcpy(contents + 4 * w, &x, sizeof x);
        }
        if (buffer)
            out->memory[out->image.memory_count++] = (wl_ptx_memory){value, bytes, contents};
        memcpy(out->params + at, &value, buffer ? 8 : 4);
        at += buffer ? 8 : 4;
    }
    for (size_t i = 1; i < out->image.memory_count; i++) /* sorted by address */
        for (size_t j = i; j > 0 && out->memory[j].address < out->memory[j - 1].address; j--) {
            const wl_ptx_memory higher = out->memory[j - 1];
            out->memory[j - 1] = out->memory[j];
            out->memory[j] = higher;
        }
    out->image.params = out->params;
    out->image.param_bytes = at;
    out->image.memory = out->memory;
}

/* Seconds to carry the blocks out. */
static double carry_out(const one *k, wl_ptx_launch launch)
{
    wl_error err = {0};
    wl_arena arena = {0};
    wl_ptx_arguments arguments = {0};
    wl_ptx_emulator *emulator = NULL;
    carried c;
    double best = 1e9;
    make_memory(k, &c);
    const wl_ptx_given given = {.image = &c.image};
    must(wl_ptx_arguments_make(launch.module, launch.entry, &given, &arena, &arguments, &err), &err);
    launch.arguments = &arguments;
    launch.in_place = true;
    must(wl_ptx_emulator_new(&launch, &emulator, &err), &err);
    for (int round = 0; round < ROUNDS; round++) {
        const double seconds = run(emulator, k, NULL, false);
        best = seconds < best ? seconds : best;
    }
    wl_ptx_emulator_free(emulator);
    wl_arena_free(&arena);
    for (size_t i = 0; i < c.image.memory_count; i++)
        free(c.memory[i].contents);
    return best;
}

static void bench(const one *k)
{
    wl_error err = {0};
    wl_arena arena = {0};
    wl_ptx_module *module = NULL;
    const wl_ptx_function *entry = NULL;
    wl_ptx_arguments arguments = {0};
    wl_ptx_profile profile;
    wl_ptx_emulator *emulator = NULL;
    const wl_ptx_given given = {.args = k->args, .arg_count = k->arg_count};
    must(wl_ptx_module_parse(k->name, k->text, strlen(k->text), &module, &err), &err);
    must(wl_ptx_find_entry(module, NULL, &entry, &err), &err);
    must(wl_ptx_arguments_make(module, entry, &given, &arena, &arguments, &err), &err);
    must(wl_ptx_profile_make(module, &arena, &profile, &err), &err);
    wl_ptx_launch launch = {.module = module, .entry = entry, .arguments = &arguments};
    memcpy(launch.block, k->block, sizeof launch.block);
    memcpy(launch.grid, k->grid, sizeof launch.grid);
    must(wl_ptx_emulator_new(&launch, &emulator, &err), &err);
    (void)run(emulator, k, &profile, false);
    double threads = 0, warps = 0, plain = 1e9, full = 1e9;
    for (int32_t i = 0; i < profile.count; i++)
        threads += profile.threads[i], warps += profile.warps[i];
    for (int round = 0; round < ROUNDS; round++) {
        const double a = run(emulator, k, NULL, false), b = run(emulator, k, &profile, true);
        plain = a < plain ? a : plain;
        full = b < full ? b : full;
    }
    printf(
        "%-8s %9.0f thread instructions: %6.0f million per second (%5.1f ns per warp instruction), counted and visited "
        "%6.0f million, %.1f times the bar; carried out %.1f ns per warp instruction\n",
        k->name, threads, 1e-6 * threads / plain, 1e9 * plain / warps, 1e-6 * threads / full, threads / full / BAR,
        1e9 * carry_out(k, launch) / warps);
    wl_ptx_emulator_free(emulator);
    wl_arena_free(&arena);
    wl_ptx_module_free(module);
}

int main(void)
{
    static const one kernels[] = {
        {"stencil", stencil, {"buf:1G", "buf:1G", "512", "512", "512"}, 5, {32, 4, 4}, {16, 128, 128}, 200},
        {"product", product, {"buf:4M", "buf:4M", "buf:4M", "1024"}, 4, {32, 32, 1}, {32, 32, 1}, 2},
        {"known",
         product,
         {"buf:4M=random:f32", "buf:4M=random:f32", "buf:4M", "1024"},
         4,
         {32, 32, 1},
         {32, 32, 1},
         2},
        {"hash", hash, {"buf:1M=random", "buf:1M", "64"}, 3, {256, 1, 1}, {1024, 1, 1}, 40},
    };
    for (size_t k = 0; k < sizeof kernels / sizeof kernels[0]; k++)
        bench(&kernels[k]);
    return 0;
}

/* launch_many.c - a program with the driver's interface that launches 5 kernels again and again:
 * launch_many N, for N launches in all; every fifth time the host looks at a result.
 * SPDX-License-Identifier: MIT */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int cuInit(unsigned flags);
int cuDevicePrimaryCtxRetain(void **context, int device);
int cuCtxSetCurrent(void *context);
int cuModuleLoadData(void **module, const void *image);
int cuModuleGetFunction(void **function, void *module, const char *name);
int cuMemAlloc_v2(uint64_t *pointer, size_t bytes);
int cuMemsetD32_v2(uint64_t to, unsigned value, size_t count);
int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes);
int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, void *stream, void **params, void **extra);

/* y[i] = x[i] and something else */
#define KERNEL(name, operation)                                                                                        \
    ".visible .entry " name "(.param .u64 p_x, .param .u64 p_y, .param .u32 p_n)\n{\n"                                 \
    "  .reg .pred %p<2>; .reg .b32 %r<10>; .reg .b64 %d<8>;\n"                                                         \
    "  ld.param.u64 %d1, [p_x]; ld.param.u64 %d2, [p_y]; ld.param.u32 %r1, [p_n];\n"                                   \
    "  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;\n"                                            \
    "  mad.lo.s32 %r5, %r2, %r3, %r4; setp.ge.u32 %p1, %r5, %r1;\n"                                                    \
    "  @%p1 bra done;\n"                                                                                               \
    "  mul.wide.u32 %d3, %r5, 4; add.s64 %d4, %d1, %d3; add.s64 %d5, %d2, %d3;\n"                                      \
    "  ld.global.u32 %r6, [%d4]; " operation " st.global.u32 [%d5], %r6;\n"                                            \
    "done:\n  ret;\n}\n"

static const char code[] = ".version 7.0\n.target sm_70\n.address_size 64\n" KERNEL("add", "add.u32 %r6, %r6, 1;")
    KERNEL("twice", "shl.b32 %r6, %r6, 1;") KERNEL("flip", "not.b32 %r6, %r6;") KERNEL("mix", "xor.b32 %r6, %r6, %r5;")
        KERNEL("copy", "mov.u32 %r6, %r6;");

int main(int argc, char **argv)
{
    static const char *const names[] = {"add", "twice", "flip", "mix", "copy"};
    const int launches = argc > 1 ? atoi(argv[1]) : 10000;
    unsigned n = 8192, seen = 0;
    void *context, *module, *kernel[5];
    uint64_t x, y;
    int error = cuInit(0);
    error = error || cuDevicePrimaryCtxRetain(&context, 0) || cuCtxSetCurrent(context);
    error = error || cuModuleLoadData(&module, code);
    for (int k = 0; k < 5 && !error; k++)
        error = cuModuleGetFunction(&kernel[k], module, names[k]);
    error = error || cuMemAlloc_v2(&x, n * 4) || cuMemAlloc_v2(&y, n * 4) || cuMemsetD32_v2(x, 1, n);
    for (int k = 0; k < launches && !error; k++) {
        void *params[] = {k % 2 ? &y : &x, k % 2 ? &x : &y, &n};
        error = cuLaunchKernel(kernel[k % 5], n / 128, 1, 1, 128, 1, 1, 0, NULL, params, NULL);
        if (k % 25 == 24 && !error)
            error = cuMemcpyDtoH_v2(&seen, k % 2 ? x : y, sizeof seen);
    }
    printf("%d launches: %u\n", launches, seen);
    return error != 0;
}

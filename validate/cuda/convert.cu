// How many cycles of a scheduler a conversion takes: chains of one operation in eight registers, of 1 to 32 warps of each
// multiprocessor. Prints rows of validate/probes/h200_convert.csv: operation, warps of a multiprocessor, cycles each.
// f32_f16, f32_bf16: ptxas 13.0 makes F2F of them here, because the result is widened; where it is stored, F2FP, as of pack_*.
// u8_f32: of bytes in registers (I2F.U16); of bytes just loaded it makes I2FP. bf16_f32 and f32_add fold. SPDX-License-Identifier: MIT
#include <cstdio>
#include <cuda_runtime.h>
#define OPERATIONS(X)                                                                                                   \
    X(f16_f32, ".reg .b16 h; cvt.u16.u32 h, %0; cvt.f32.f16 %0, h;")                                                    \
    X(f32_f16, ".reg .b16 h; cvt.rn.f16.f32 h, %0; cvt.u32.u16 %0, h;")                                                 \
    X(bf16_f32, ".reg .b16 h; cvt.u16.u32 h, %0; cvt.f32.bf16 %0, h;")                                                  \
    X(f32_bf16, ".reg .b16 h; cvt.rn.bf16.f32 h, %0; cvt.u32.u16 %0, h;")                                               \
    X(pack_f16x2, "cvt.rn.f16x2.f32 %0, %0, %0;")                                                                       \
    X(pack_bf16x2, "cvt.rn.bf16x2.f32 %0, %0, %0;")                                                                     \
    X(s32_f32, "cvt.rn.f32.s32 %0, %0;")                                                                                \
    X(u8_f32, ".reg .u16 h; cvt.u16.u32 h, %0; and.b16 h, h, 255; cvt.rn.f32.u16 %0, h;")                               \
    X(f32_s32, "cvt.rzi.s32.f32 %0, %0;")                                                                               \
    X(f16x2_add, "add.f16x2 %0, %0, %0;")                                                                               \
    X(f16x2_fma, "fma.rn.f16x2 %0, %0, %0, %0;")                                                                        \
    X(f32_add, "add.f32 %0, %0, %0;")                                                                                   \
    X(s8_s32, ".reg .b32 h; bfe.s32 %0, %0, 8, 8;")                                                                     \
    X(half2_two, ".reg .b16 l, h; .reg .b32 a, b; mov.b32 {l, h}, %0; cvt.f32.f16 a, l; cvt.f32.f16 b, h; add.f32 %0, a, b;") \
    X(half2_fma, ".reg .b16 l, h; .reg .b32 a, b; mov.b32 {l, h}, %0; cvt.f32.f16 a, l; cvt.f32.f16 b, h; fma.rn.f32 %0, a, b, b;")
#define KERNEL(name, text)                                                                                              \
    __global__ void k_##name(unsigned *out, long long *cycles, unsigned v, int trips)                                   \
    {                                                                                                                   \
        unsigned x[8], s = 0;                                                                                           \
        for (int i = 0; i < 8; i++) x[i] = v + i + threadIdx.x;                                                         \
        __syncthreads();                                                                                                \
        const long long a = clock64();                                                                                  \
        _Pragma("unroll 1") for (int t = 0; t < trips; t++)                                                             \
            _Pragma("unroll") for (int k = 0; k < 8; k++)                                                               \
                _Pragma("unroll") for (int i = 0; i < 8; i++) asm volatile("{" text "}" : "+r"(x[i]));                  \
        __syncthreads();                                                                                                \
        if (threadIdx.x == 0) cycles[blockIdx.x] = clock64() - a;                                                       \
        for (int i = 0; i < 8; i++) s ^= x[i];                                                                          \
        if (s == 12345) out[threadIdx.x] = s;                                                                           \
    }
OPERATIONS(KERNEL)
#define RUN(name, text)                                                                                                 \
    for (int w : {1, 4, 8, 16, 32}) {                                                                                   \
        for (int r = 0; r < 2; r++) k_##name<<<132, 32 * w>>>(out, cycles, 3, 100);                                     \
        cudaMemcpy(h, cycles, 8 * 132, cudaMemcpyDeviceToHost);                                                         \
        double m = 0;                                                                                                   \
        for (int i = 0; i < 132; i++) m += h[i] / 132.;                                                                 \
        printf(#name ",%d,%.3f\n", w, m / 6400 / (w < 4 ? 1 : w / 4.));                                                 \
    }
int main()
{
    unsigned *out;
    long long *cycles, h[132];
    cudaMalloc(&out, 1 << 16);
    cudaMalloc(&cycles, 4096);
    printf("conversion,warps,cycles_each\n");
    OPERATIONS(RUN)
}

// beside_products.cu - how long instructions of other warps take beside products of four warps (wgmma), and how long the
// products take beside them: kinds of instructions, tiles of 64 to 256 columns, one or two warps on each scheduler.
// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "hopper.h"

constexpr int ROW = 128, ROUNDS = 200, EACH = 64, BATCHES = 600;
enum kind { FMA, FMA_TWO, ADD, INTEGER, LOGIC, MULTIPLY, WIDE, SPECIAL, SELECT, MOVE, SHUFFLE, SHARED, KINDS };
static const char *const names[] = {"fma",       "fma_two", "add",    "iadd3", "lop3", "imad",
                                    "imad_wide", "ex2",     "select", "mov",   "shfl", "lds"};

template <int KIND>
__device__ __forceinline__ void step(float &x, uint32_t &n, uint64_t &w, float a, float b, uint32_t at)
{
    if (KIND == FMA)
        asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x) : "f"(a), "f"(b));
    else if (KIND == FMA_TWO)
        asm volatile("fma.rn.f32 %0, %0, %1, 0f3F800000;" : "+f"(x) : "f"(a));
    else if (KIND == ADD)
        asm volatile("add.f32 %0, %0, %1;" : "+f"(x) : "f"(a));
    else if (KIND == INTEGER)
        asm volatile("add.s32 %0, %0, %1;" : "+r"(n) : "r"(at));
    else if (KIND == LOGIC)
        asm volatile("lop3.b32 %0, %0, %1, %2, 0x96;" : "+r"(n) : "r"(at), "r"(__float_as_uint(b)));
    else if (KIND == MULTIPLY)
        asm volatile("mad.lo.s32 %0, %0, %1, %2;" : "+r"(n) : "r"(at), "r"(__float_as_uint(b)));
    else if (KIND == WIDE)
        asm volatile("mad.wide.u32 %0, %1, %2, %0;" : "+l"(w) : "r"(at), "r"(__float_as_uint(b)));
    else if (KIND == SPECIAL)
        asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(x));
    else if (KIND == SELECT)
        asm volatile("{\n.reg .pred p;\nsetp.gt.f32 p, %0, %1;\nselp.f32 %0, %1, %2, p;\n}" : "+f"(x) : "f"(a), "f"(b));
    else if (KIND == MOVE)
        asm volatile("max.f32 %0, %0, %1;" : "+f"(x) : "f"(a));
    else if (KIND == SHUFFLE)
        asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 31, -1;" : "+r"(n));
    else
        asm volatile("ld.shared.b32 %0, [%1];" : "=r"(n) : "r"(at));
}

// The first four warps multiply, longer than the others run instructions of a kind.
template <int KIND, int N>
__global__ void __launch_bounds__(384)
    k_beside(const uint4 *data, unsigned *out, float a, float b, int multiply, int idle)
{
    extern __shared__ uint8_t raw[];
    __shared__ volatile int ended;
    uint8_t *tile = reinterpret_cast<uint8_t *>((reinterpret_cast<uintptr_t>(raw) + 1023) & ~(uintptr_t)1023);
    for (int i = threadIdx.x; i < (64 + N) * ROW / 16; i += blockDim.x)
        reinterpret_cast<uint4 *>(tile)[i] = data[i];
    if (threadIdx.x == 0)
        ended = 0;
    __syncthreads();
    fence_shared();
    if (threadIdx.x < 128) {
        const uint64_t x = describe(tile), y = describe(tile + 64 * ROW);
        float d[N / 2];
        for (int i = 0; i < N / 2; i++)
            d[i] = 0;
        const unsigned start = clock();
        unsigned last = start;
        int count = 0;
        for (int batch = 0; batch < (multiply ? BATCHES : 0); batch++) { // longer than the others
            product_fence();
            for (int k = 0; k < 16; k++)
                Product<__half, N>::add(d, x + 2 * (k % 4), y + 2 * (k % 4), 1);
            product_commit();
            product_wait<0>();
            if (idle || !ended) {
                last = clock();
                count = batch + 1;
            }
        }
        float sum = 0;
        for (int i = 0; i < N / 2; i++)
            sum += d[i];
        if (threadIdx.x == 0) {
            out[1] = count ? (last - start) / count : 0;
            out[2] = __float_as_uint(sum);
        }
    } else if (!idle) {
        float x[8];
        uint32_t n[8], at = shared_address(tile) + threadIdx.x % 32 * 4;
        a += threadIdx.x * 1e-9f; // in registers
        b += threadIdx.x * 1e-9f;
        uint64_t w[8];
        for (int i = 0; i < 8; i++) {
            x[i] = threadIdx.x * 0.001f + i;
            n[i] = threadIdx.x + i;
            w[i] = threadIdx.x + i;
        }
        const unsigned start = clock();
        for (int r = 0; r < ROUNDS; r++)
#pragma unroll
            for (int i = 0; i < EACH; i++)
                step<KIND>(x[i % 8], n[i % 8], w[i % 8], a, b, at);
        const unsigned cycles = clock() - start;
        float sum = 0;
        for (int i = 0; i < 8; i++)
            sum += x[i] + (float)n[i] + (float)w[i];
        if (sum == 12345.f)
            out[3] = 1;
        if (threadIdx.x == 128)
            out[0] = cycles;
        __syncwarp();
        if (threadIdx.x % 32 == 0)
            ended = 1;
    }
}

template <int KIND, int N> static void measure(const uint4 *data, unsigned *out)
{
    const int dynamic = (64 + N) * ROW + 1024;
    if (cudaFuncSetAttribute(k_beside<KIND, N>, cudaFuncAttributeMaxDynamicSharedMemorySize, dynamic) != cudaSuccess)
        return;
    for (int threads : {256, 384}) {
        unsigned found[3][2];
        for (int how = 0; how < 3; how++) { // alone, beside products, products alone
            for (int twice = 0; twice < 2; twice++)
                k_beside<KIND, N><<<132, threads, dynamic>>>(data, out, 0.999f, 1.0001f, how > 0, how == 2);
            if (cudaDeviceSynchronize() != cudaSuccess)
                printf("failed: %s\n", cudaGetErrorString(cudaGetLastError()));
            cudaMemcpy(found[how], out, 8, cudaMemcpyDeviceToHost);
        }
        const double issued = (double)ROUNDS * EACH * (threads / 128 - 1);
        printf("%s,%d,%d,%.3f,%.3f,%.1f,%.1f\n", names[KIND], N, threads / 128 - 1, found[0][0] / issued,
               found[1][0] / issued, found[2][1] / 16.0, found[1][1] / 16.0);
    }
}

template <int KIND> static void measure_all(const uint4 *data, unsigned *out)
{
    measure<KIND, 64>(data, out);
    measure<KIND, 128>(data, out);
    measure<KIND, 256>(data, out);
}

int main()
{
    uint4 *data;
    unsigned *out;
    cudaMalloc(&data, 1 << 20);
    cudaMalloc(&out, 64);
    unsigned *host = new unsigned[1 << 18], state = 1;
    for (int i = 0; i < 1 << 18; i++) {
        state = state * 1664525 + 1013904223;
        host[i] = (state >> 4 & 0x03ff03ff) | 0x38003800 | (state & 0x80008000);
    }
    cudaMemcpy(data, host, 1 << 20, cudaMemcpyHostToDevice);
    printf("kind,columns,warps,cycles_alone,cycles_beside,product_alone,product_beside\n");
    measure_all<FMA>(data, out);
    measure_all<FMA_TWO>(data, out);
    measure_all<ADD>(data, out);
    measure_all<INTEGER>(data, out);
    measure_all<LOGIC>(data, out);
    measure_all<MULTIPLY>(data, out);
    measure_all<WIDE>(data, out);
    measure_all<SPECIAL>(data, out);
    measure_all<SELECT>(data, out);
    measure_all<MOVE>(data, out);
    measure_all<SHUFFLE>(data, out);
    measure_all<SHARED>(data, out);
    delete[] host;
    return 0;
}

// idle_shared.cu - accesses of shared memory that no lane of a warp takes part in, and barriers: what
// they cost. Some of the warps of a block have lanes that load (`busy`), the others execute the same
// loads switched off. Prints rows of validate/probes/h200_idle_shared.csv: cycles of the slowest block
// for one repeat. SPDX-License-Identifier: MIT
#include "cuda_check.h"
#include <algorithm>
#include <vector>

constexpr int REPEATS = 64;

// LOADS predicated loads, then STORES predicated stores, then a barrier.
template <int LOADS, int STORES, bool BARRIER> __global__ void k_idle(float *out, long long *cycles, int busy)
{
    extern __shared__ float part[];
    const unsigned base = (unsigned)__cvta_generic_to_shared(part) + 4 * threadIdx.x;
    const int t = threadIdx.x;
    part[t] = t;
    __syncthreads();
    float sum = 0;
    const long long begin = clock64();
#pragma unroll 1
    for (int r = 0; r < REPEATS; r++) {
        float v[LOADS > 0 ? LOADS : 1];
#pragma unroll
        for (int k = 0; k < LOADS; k++) {
            v[k] = 0;
            asm volatile("{ .reg .pred p; setp.lt.s32 p, %2, %3; @p ld.shared.f32 %0, [%1]; }"
                         : "+f"(v[k])
                         : "r"(base), "r"(t), "r"(busy));
        }
#pragma unroll
        for (int k = 0; k < LOADS; k++)
            sum += v[k];
#pragma unroll
        for (int k = 0; k < STORES; k++)
            asm volatile("{ .reg .pred p; setp.lt.s32 p, %2, %3; @p st.shared.f32 [%0], %1; }" ::"r"(base), "f"(sum),
                         "r"(t), "r"(busy));
        if (BARRIER)
            __syncthreads();
    }
    __syncthreads();
    if (t == 0)
        cycles[blockIdx.x] = clock64() - begin;
    out[blockIdx.x * blockDim.x + t] = sum;
}

static long long *cycles;
static float *out;

template <int LOADS, int STORES, bool BARRIER> static void rows()
{
    auto k = k_idle<LOADS, STORES, BARRIER>;
    CHECK(cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 * 1024));
    for (int blocks : {1, 2})
        for (int warps : {1, 4, 8, 16, 32})
            for (int busy : {0, 1, 4, 32}) {
                if (busy > 0 && (busy > warps || LOADS + STORES == 0))
                    continue;
                std::vector<long long> all;
                for (int i = 0; i < 6; i++) {
                    std::vector<long long> c(132 * blocks);
                    k<<<132 * blocks, 32 * warps, blocks > 1 ? 100 * 1024 : 120 * 1024>>>(out, cycles, 32 * busy);
                    CHECK(cudaMemcpy(c.data(), cycles, c.size() * sizeof c[0], cudaMemcpyDeviceToHost));
                    if (i > 0)
                        all.push_back(*std::max_element(c.begin(), c.end()));
                }
                std::sort(all.begin(), all.end());
                printf("%d,%d,%d,%d,%d,%d,%.2f\n", LOADS, STORES, BARRIER, blocks, warps, busy,
                       (double)all[all.size() / 2] / REPEATS);
                fflush(stdout);
            }
}

int main()
{
    CHECK(cudaMalloc(&cycles, 264 * sizeof *cycles));
    CHECK(cudaMalloc(&out, 264 * 1024 * 4));
    printf("loads,stores,barrier,blocks,warps,busy,cycles\n");
    rows<0, 0, true>();
    rows<1, 0, true>();
    rows<4, 0, true>();
    rows<4, 1, true>();
    rows<8, 0, true>();
    rows<8, 0, false>();
    rows<0, 8, false>();
    rows<0, 4, true>();
}

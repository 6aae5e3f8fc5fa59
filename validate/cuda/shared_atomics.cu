// shared_atomics.cu - atomics on shared memory, those that the hardware does and those that are
// loops of compare-and-swap: by type, distinct words of a warp, warps of a block that share the
// words or have their own, and blocks of a multiprocessor. Prints rows of
// validate/probes/h200_shared_atomics.csv: cycles of the slowest block, medians of 5 launches.
// SPDX-License-Identifier: MIT
#include "cuda_check.h"
#include <algorithm>
#include <vector>

constexpr int REPEATS = 64;

// Lane l of warp w adds to word l % words of the words of all warps, or of warp w alone.
template <class T> __global__ void k_shared(T *out, long long *cycles, int words, int own, int spread)
{
    extern __shared__ __align__(8) char memory[];
    T *sums = (T *)memory;
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const int at = (own ? warp * words : 0) + lane % words;
    for (int i = threadIdx.x; i < spread; i += blockDim.x)
        sums[i] = 0;
    __syncthreads();
    const long long begin = clock64();
#pragma unroll 1
    for (int r = 0; r < REPEATS; r++)
        atomicAdd(&sums[at], (T)(lane + 1));
    __syncthreads();
    if (threadIdx.x == 0)
        cycles[blockIdx.x] = clock64() - begin;
    out[blockIdx.x * blockDim.x + threadIdx.x] = sums[at];
}

// Lanes add to random words of `spread`, another one each time: a histogram.
template <class T> __global__ void k_random(T *out, long long *cycles, int words, int own, int spread)
{
    extern __shared__ __align__(8) char memory[];
    T *sums = (T *)memory;
    for (int i = threadIdx.x; i < spread; i += blockDim.x)
        sums[i] = 0;
    unsigned x = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u + 12345u;
    __syncthreads();
    const long long begin = clock64();
#pragma unroll 1
    for (int r = 0; r < REPEATS; r++) {
        x = x * 1664525u + 1013904223u;
        atomicAdd(&sums[(x >> 8) & (spread - 1)], (T)(x & 7));
    }
    __syncthreads();
    if (threadIdx.x == 0)
        cycles[blockIdx.x] = clock64() - begin;
    out[blockIdx.x * blockDim.x + threadIdx.x] = sums[threadIdx.x % spread];
}

typedef unsigned long long u64;
static long long *cycles;
static void *out;

template <class T, class K> static void row(const char *kind, const char *type, K k, int words, int warps, int own,
                                            int spread, int blocks)
{
    const size_t bytes = std::max((size_t)spread * sizeof(T), blocks > 1 ? (size_t)200 * 1024 / blocks : (size_t)120 * 1024);
    CHECK(cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 * 1024));
    std::vector<long long> all;
    for (int i = 0; i < 6; i++) {
        std::vector<long long> c(132 * blocks);
        k<<<132 * blocks, 32 * warps, bytes>>>((T *)out, cycles, words, own, spread);
        CHECK(cudaMemcpy(c.data(), cycles, c.size() * sizeof c[0], cudaMemcpyDeviceToHost));
        if (i > 0)
            all.push_back(*std::max_element(c.begin(), c.end()));
    }
    std::sort(all.begin(), all.end());
    printf("%s,%s,%d,%d,%d,%d,%d,%.2f\n", kind, type, words, warps, own, spread, blocks,
           (double)all[all.size() / 2] / REPEATS);
    fflush(stdout);
}

template <class T> static void of_type(const char *type)
{
    for (int warps : {1, 2, 4, 8, 32})
        for (int words : {1, 2, 4, 8, 32}) {
            row<T>("words", type, k_shared<T>, words, warps, 0, 32, 1);
            if (warps > 1)
                row<T>("words", type, k_shared<T>, words, warps, 1, 32 * warps, 1);
        }
    for (int blocks : {2, 4, 8})
        for (int words : {1, 8, 32})
            row<T>("words", type, k_shared<T>, words, 8, 0, 32, blocks);
    for (int spread : {32, 256, 2048})
        for (int warps : {1, 8, 32})
            for (int blocks : {1, 2})
                row<T>("random", type, k_random<T>, 0, warps, 0, spread, blocks);
    row<T>("random", type, k_random<T>, 0, 8, 0, 256, 8);
}

int main()
{
    CHECK(cudaMalloc(&cycles, 132 * 8 * sizeof *cycles));
    CHECK(cudaMalloc(&out, 132 * 8 * 1024 * 8));
    printf("kind,type,words,warps,own,spread,blocks,cycles\n");
    of_type<float>("f32");
    of_type<double>("f64");
    of_type<u64>("u64");
    of_type<unsigned>("u32");
}

// code_size.cu - how fast instructions reach the schedulers: straight code of growing length, passed
// several times by one to 32 warps of one multiprocessor or of all. Prints rows of
// validate/probes/h200_code_size.csv: instructions of a pass, blocks, warps of a block, cycles of
// the first pass (mean over blocks) and of each of the next three. SPDX-License-Identifier: MIT
#include <cstdio>
#include <cuda_runtime.h>
#include <vector>

// one statement for 512 instructions: the compiler reads it at once
#define ONE(i) "fma.rn.f32 %" #i ", %" #i ", %8, %9;\n"
#define EIGHT ONE(0) ONE(1) ONE(2) ONE(3) ONE(4) ONE(5) ONE(6) ONE(7)
#define E64 EIGHT EIGHT EIGHT EIGHT EIGHT EIGHT EIGHT EIGHT
#define E512 E64 E64 E64 E64 E64 E64 E64 E64

template <int K> __device__ __forceinline__ void code(float (&x)[8], float a, float b)
{
    if constexpr (K >= 1) {
        asm volatile(E512
                     : "+f"(x[0]), "+f"(x[1]), "+f"(x[2]), "+f"(x[3]), "+f"(x[4]), "+f"(x[5]), "+f"(x[6]), "+f"(x[7])
                     : "f"(a), "f"(b));
        code<K - 1>(x, a, b);
    }
}

template <int K> __global__ void k_code(float *out, long long *cycles, float a, float b, int passes)
{
    float x[8] = {a, a, a, a, b, b, b, b};
    __syncthreads();
    const long long start = clock64();
    long long first = 0;
#pragma unroll 1
    for (int p = 0; p < passes; p++) {
        code<K>(x, a, b);
        __syncthreads();
        if (p == 0)
            first = clock64();
    }
    const long long end = clock64();
    if (threadIdx.x == 0) {
        cycles[2 * blockIdx.x] = first - start;
        cycles[2 * blockIdx.x + 1] = end - first;
    }
    for (int i = 0; i < 8; i++)
        if (x[i] == 12345.f)
            out[threadIdx.x] = x[i];
}

__global__ void other(float *x) // other code in between
{
    float y[8] = {};
    code<64>(y, x[0], x[1]);
    x[2 + threadIdx.x] = y[0] + y[1] + y[2] + y[3] + y[4] + y[5] + y[6] + y[7];
}

static float *out;
static long long *cycles;

template <int K> static void measure()
{
    for (int blocks = 1; blocks <= 132; blocks += 131)
        for (int warps = 1; warps <= 32; warps *= 2) {
            std::vector<long long> host(2 * blocks);
            double first = 0, next = 0;
            other<<<132, 32>>>(out);
            k_code<K><<<blocks, 32 * warps>>>(out, cycles, .5f, .5f, 4);
            cudaMemcpy(host.data(), cycles, 16 * blocks, cudaMemcpyDeviceToHost);
            for (int b = 0; b < blocks; b++) {
                first += (double)host[2 * b] / blocks;
                next += (double)host[2 * b + 1] / 3 / blocks;
            }
            printf("%d,%d,%d,%.0f,%.0f\n", 512 * K, blocks, warps, first, next);
        }
}

int main()
{
    cudaMalloc(&out, 1 << 20);
    cudaMalloc(&cycles, 1 << 16);
    cudaMemset(out, 0, 1 << 20);
    printf("instructions,blocks,warps,first_cycles,next_cycles\n");
    measure<1>();
    measure<2>();
    measure<4>();
    measure<8>();
    measure<12>();
    measure<16>();
    measure<20>();
    measure<24>();
    measure<32>();
    measure<48>();
    measure<64>();
    return cudaDeviceSynchronize() != cudaSuccess;
}

// narrow_stores.cu - stores of one warp to parts of the same sectors, one after the other: how many
// sectors reach the L2, by what the warp does between two stores, the lines of a store and the warps
// of a multiprocessor. Run under ncu, which gives the sectors; prints one row per launch, and
// validate/probes/h200_narrow_stores.csv has both. SPDX-License-Identifier: MIT
//   ncu --metrics lts__t_sectors_srcunit_tex_op_write.sum,lts__t_requests_srcunit_tex_op_write.sum
#include "cuda_check.h"

enum { NOTHING, CYCLES, LOAD_L1, LOAD_ROWS, LOAD_PARTS, OTHER_STORE };

static __device__ void store(float *to, float v) { asm volatile("st.global.f32 [%0], %1;" ::"l"(to), "f"(v) : "memory"); }
static __device__ float load(const float *from)
{
    float v;
    asm volatile("ld.global.f32 %0, [%1];" : "=f"(v) : "l"(from) : "memory");
    return v;
}

// A thread stores its PARTS neighbouring words one by one; `between` two of them the warp waits for
// some cycles, or for a load, or stores elsewhere.
template <int PARTS, int BETWEEN> __global__ void k_narrow(const float *in, float *out, float *other, int wait)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float *to = out + (size_t)PARTS * i, v = i;
#pragma unroll
    for (int k = 0; k < PARTS; k++) {
        store(to + k, v);
        if (BETWEEN == CYCLES) {
            const long long end = clock64() + wait;
            while (clock64() < end)
                ;
        } else if (BETWEEN == LOAD_L1)
            v += load(in + threadIdx.x);
        else if (BETWEEN == LOAD_ROWS)
            v += load(in + (size_t)k * gridDim.x * blockDim.x + i);
        else if (BETWEEN == LOAD_PARTS)
            v += load(in + (size_t)PARTS * i + k);
        else if (BETWEEN == OTHER_STORE)
            store(other + (size_t)k * gridDim.x * blockDim.x + i, v);
    }
}

static float *in, *out, *other;
template <int PARTS, int BETWEEN> static void row(const char *between, int wait, int blocks, int warps, int per_sm)
{
    auto k = k_narrow<PARTS, BETWEEN>;
    CHECK(cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 * 1024));
    k<<<blocks, 32 * warps, per_sm == 1 ? 120 * 1024 : per_sm == 2 ? 100 * 1024 : 0>>>(in, out, other, wait);
    CHECK(cudaDeviceSynchronize());
    printf("row,%d,%s,%d,%d,%d,%d\n", PARTS, between, wait, blocks, warps, per_sm);
}

template <int PARTS> static void of_parts()
{
    const int shapes[][3] = {{132, 1, 1}, {132, 4, 1}, {132, 16, 1}, {264, 32, 2}, {4096, 8, 0}};
    for (auto &s : shapes) {
        row<PARTS, NOTHING>("nothing", 0, s[0], s[1], s[2]);
        for (int wait : {30, 100, 300, 1000})
            row<PARTS, CYCLES>("cycles", wait, s[0], s[1], s[2]);
        row<PARTS, LOAD_L1>("load_l1", 0, s[0], s[1], s[2]);
        row<PARTS, LOAD_ROWS>("load_rows", 0, s[0], s[1], s[2]);
        row<PARTS, LOAD_PARTS>("load_parts", 0, s[0], s[1], s[2]);
        row<PARTS, OTHER_STORE>("store", 0, s[0], s[1], s[2]);
    }
}

int main()
{
    CHECK(cudaMalloc(&in, (size_t)256 << 20));
    CHECK(cudaMalloc(&out, (size_t)256 << 20));
    CHECK(cudaMalloc(&other, (size_t)256 << 20));
    CHECK(cudaMemset(in, 0, (size_t)256 << 20));
    of_parts<2>();
    of_parts<4>();
    of_parts<8>();
    of_parts<16>();
}

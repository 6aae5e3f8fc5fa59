// clock.cu - the clock of the multiprocessors under load of the tensor cores: products of four
// warps (wgmma) and of one warp (mma) of random numbers or zeros, with pauses in between, for short and
// long launches, beside arithmetic and beside copies. SPDX-License-Identifier: MIT
#include "harness.h"

#include "hopper.h"

constexpr int ROW = 128;

// `busy` products of 64 x N x 32 bytes in a row, then a pause of so many cycles.
template <class T, int N>
__global__ void __launch_bounds__(256) k_wgmma_load(const uint4 *data, float *out, int rounds, int busy, int pause)
{
    extern __shared__ uint8_t raw[];
    uint8_t *tile = reinterpret_cast<uint8_t *>((reinterpret_cast<uintptr_t>(raw) + 1023) & ~(uintptr_t)1023);
    for (int i = threadIdx.x; i < (128 + N) * ROW / 16; i += blockDim.x)
        reinterpret_cast<uint4 *>(tile)[i] = data[i];
    __syncthreads();
    fence_shared();
    const uint64_t a = describe(tile + threadIdx.x / 128 * 64 * ROW), b = describe(tile + 128 * ROW);
    float d[N / 2];
    for (int i = 0; i < N / 2; i++)
        d[i] = 0;
    for (int r = 0; r < rounds; r++) {
        product_fence();
        for (int k = 0; k < busy; k++)
            Product<T, N>::add(d, a + 2 * (k % 4), b + 2 * (k % 4), 1);
        product_commit();
        product_wait<0>();
        for (const long long until = clock64() + pause; clock64() < until;)
            ;
    }
    float sum = 0;
    for (int i = 0; i < N / 2; i++)
        sum += d[i];
    if (sum == 12345.f)
        out[0] = sum;
}
// Arithmetic of one kind, without tensor cores.
__global__ void __launch_bounds__(256) k_fma_load(float *out, int rounds)
{
    float x[8];
    for (int i = 0; i < 8; i++)
        x[i] = threadIdx.x + i;
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < 8; i++)
            x[i] = x[i] * 0.999f + 1.0f;
    float sum = 0;
    for (int i = 0; i < 8; i++)
        sum += x[i];
    if (sum == 12345.f)
        out[0] = sum;
}
// Products of one warp.
__global__ void __launch_bounds__(256) k_mma_load(const uint4 *data, float *out, int rounds)
{
    uint4 a = data[threadIdx.x];
    uint2 b = make_uint2(a.x ^ 0x11, a.y ^ 0x22);
    float d[8][4] = {};
    for (int r = 0; r < rounds; r++)
#pragma unroll
        for (int i = 0; i < 8; i++)
            asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
                         "{%0,%1,%2,%3};"
                         : "+f"(d[i][0]), "+f"(d[i][1]), "+f"(d[i][2]), "+f"(d[i][3])
                         : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b.x), "r"(b.y));
    float sum = 0;
    for (int i = 0; i < 8; i++)
        sum += d[i][0] + d[i][3];
    if (sum == 12345.f)
        out[0] = sum;
}
// A copy of plain loads and stores.
__global__ void __launch_bounds__(256) k_copy_load(const float4 *in, float4 *out)
{
    const size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    out[i] = in[i];
}

static std::vector<Config> configs;
static float *out;
template <class T> __global__ void fill_tiles(T *p, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        uint32_t h = (uint32_t)i * 2654435761u;
        h ^= h >> 15;
        h *= 2246822519u;
        h ^= h >> 13;
        p[i] = T((float)(int)(h & 1023) / 512.f - 1.f);
    }
}
template <class T, int N> static void load(const char *type, bool zeros, int rounds, int busy, int pause)
{
    const int bytes = (128 + N) * ROW;
    T *data;
    CHECK(cudaMalloc(&data, bytes));
    CHECK(cudaMemset(data, 0, bytes));
    if (!zeros)
        fill_tiles<T><<<1, 1024>>>(data, bytes / (int)sizeof(T));
    CHECK(cudaDeviceSynchronize());
    const size_t shared = bytes + 1024;
    auto kernel = k_wgmma_load<T, N>;
    CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared));
    char params[160];
    snprintf(params, sizeof params, "type=%s;N=%d;data=%s;rounds=%d;busy=%d;pause=%d", type, N,
             zeros ? "zeros" : "random", rounds, busy, pause);
    float *o = out;
    configs.push_back({"clock", "wgmma", params, dim3(132), dim3(256), 132. * rounds * busy, (const void *)kernel, shared,
                       [=] { kernel<<<132, 256, shared>>>((const uint4 *)data, o, rounds, busy, pause); }});
}
int main(int argc, char **argv)
{
    out = device_array<float>(1 << 26);
    for (int rounds : {20, 200, 2000, 20000}) // from microseconds to tens of milliseconds
        load<__half, 256>("f16", false, rounds, 8, 0);
    for (int pause : {100, 300, 1000, 3000, 10000})
        load<__half, 256>("f16", false, 2000000 / (1000 + pause), 8, pause);
    load<__half, 256>("f16", true, 2000, 8, 0);
    load<__half, 256>("f16", true, 500, 8, 3000);
    load<__half, 128>("f16", false, 2000, 8, 0);
    load<__half, 64>("f16", false, 2000, 8, 0);
    load<__nv_bfloat16, 256>("bf16", false, 2000, 8, 0);
    load<__nv_bfloat16, 256>("bf16", false, 1000, 8, 1000);
    load<__nv_fp8_e4m3, 256>("e4m3", false, 2000, 8, 0);
    load<__nv_fp8_e4m3, 256>("e4m3", false, 1000, 8, 1000);
    load<float, 256>("tf32", false, 2000, 8, 0);
    load<float, 128>("tf32", false, 2000, 8, 0);
    load<float, 256>("tf32", false, 1000, 8, 1000);
    float *o = out;
    configs.push_back({"clock", "fma", "rounds=100000", dim3(132 * 8), dim3(256), 132 * 8, (const void *)k_fma_load, 0,
                       [=] { k_fma_load<<<132 * 8, 256>>>(o, 100000); }});
    configs.push_back({"clock", "copy", "n=33554432", dim3(32768), dim3(256), 32768. * 256, (const void *)k_copy_load, 0,
                       [=] { k_copy_load<<<32768, 256>>>((const float4 *)o, (float4 *)o + 32768 * 256); }});
    for (int rounds : {200, 20000})
        configs.push_back({"clock", "mma", "rounds=" + std::to_string(rounds), dim3(264), dim3(256), 264. * rounds,
                           (const void *)k_mma_load, 0, [=] { k_mma_load<<<264, 256>>>((const uint4 *)o, o, rounds); }});
    return run(argc, argv, configs);
}

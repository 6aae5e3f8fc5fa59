// async_copies.cu - what asynchronous copies to shared memory (cp.async) cost: by bytes and cache
// operator, by how the lanes read and where they write, beside loads and stores that do the same.
// The data is in the L2, or in the L1 where the operator allows it. SPDX-License-Identifier: MIT
#include "harness.h"

#include "hopper.h"

// How the 32 lanes of a warp lie in global memory (bytes of 16) and in shared memory.
enum From { IN_A_ROW, FOUR_ROWS, LINES_APART };
enum To { IN_ORDER, SWIZZLED, COLUMN, TWO_WAYS };
constexpr int PITCH = 8192, COPIES = 8, THREADS = 256;

template <int BYTES, bool L1> static __device__ __forceinline__ void copy(uint32_t to, const uint8_t *from)
{
    if (L1)
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(from), "n"(BYTES) : "memory");
    else
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}
template <int BYTES> static __device__ __forceinline__ uint32_t place(int to, int lane, int copy)
{
    const uint32_t base = (threadIdx.x / 32 * COPIES + copy) * 32 * BYTES;
    switch (to) {
    case IN_ORDER: return base + lane * BYTES;
    case SWIZZLED: return base + ((lane ^ (lane / 8 & 7)) * BYTES);
    case TWO_WAYS: return base + ((lane % 2 * 16 + lane / 2) * BYTES);
    default: return (lane * 128 + (threadIdx.x / 32 * COPIES + copy) * BYTES) % (32 * BYTES * COPIES * (THREADS / 32));
    }
}
static __device__ __forceinline__ size_t source(int from, int lane, int copy, int bytes)
{
    const int n = threadIdx.x / 32 * COPIES + copy;
    switch (from) {
    case IN_A_ROW: return (size_t)n * 32 * bytes + lane * bytes;
    case FOUR_ROWS: return (size_t)(n * 4 + lane / 8) * PITCH + lane % 8 * bytes;
    default: return (size_t)(n * 32 + lane) * 128;
    }
}
template <int BYTES, bool L1, int FROM, int TO>
__global__ void __launch_bounds__(THREADS) k_async(const uint8_t *in, float *out, size_t apart, int rounds)
{
    extern __shared__ __align__(128) uint8_t tile[];
    const int lane = threadIdx.x % 32;
    in += blockIdx.x * apart;
    for (int r = 0; r < rounds; r++) {
#pragma unroll
        for (int c = 0; c < COPIES; c++)
            copy<BYTES, L1>(shared_address(tile) + place<BYTES>(TO, lane, c), in + source(FROM, lane, c, BYTES));
        asm volatile("cp.async.commit_group;\ncp.async.wait_group 0;" ::: "memory");
    }
    __syncthreads();
    out[blockIdx.x * THREADS + threadIdx.x] = reinterpret_cast<float *>(tile)[threadIdx.x];
}
// 16 bytes by a load and a store.
template <int FROM, int TO>
__global__ void __launch_bounds__(THREADS) k_by_registers(const uint8_t *in, float *out, size_t apart, int rounds)
{
    extern __shared__ __align__(128) uint8_t tile[];
    const int lane = threadIdx.x % 32;
    in += blockIdx.x * apart;
    for (int r = 0; r < rounds; r++) {
        uint4 v[COPIES];
#pragma unroll
        for (int c = 0; c < COPIES; c++)
            asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                         : "=r"(v[c].x), "=r"(v[c].y), "=r"(v[c].z), "=r"(v[c].w)
                         : "l"(in + source(FROM, lane, c, 16)));
#pragma unroll
        for (int c = 0; c < COPIES; c++)
            asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(shared_address(tile) + place<16>(TO, lane, c)),
                         "r"(v[c].x), "r"(v[c].y), "r"(v[c].z), "r"(v[c].w)
                         : "memory");
    }
    __syncthreads();
    out[blockIdx.x * THREADS + threadIdx.x] = reinterpret_cast<float *>(tile)[threadIdx.x];
}

static std::vector<Config> configs;
static uint8_t *in;
static float *out;
template <class F> static void add(F kernel, const char *what, int bytes, int from, int to, int per_sm)
{
    static const char *const FROMS[] = {"row", "four_rows", "lines"}, *const TOS[] = {"order", "swizzled", "column", "two"};
    const int blocks = 132 * per_sm, rounds = 64;
    const size_t span = (size_t)COPIES * THREADS / 32; // warp copies of a block
    const size_t apart = from == IN_A_ROW ? span * 32 * bytes : from == FOUR_ROWS ? (size_t)128 : span * 32 * 128;
    const size_t shared = 65536; // at most three blocks
    CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared));
    char params[120];
    snprintf(params, sizeof params, "bytes=%d;from=%s;to=%s;rounds=%d;per_sm=%d;apart=%zu", bytes, FROMS[from], TOS[to],
             rounds, per_sm, apart);
    const uint8_t *i = in;
    float *o = out;
    configs.push_back({"async", what, params, dim3(blocks), dim3(THREADS), (double)blocks * rounds * span,
                       (const void *)kernel, shared, [=] { kernel<<<blocks, THREADS, shared>>>(i, o, apart, rounds); }});
}
template <int FROM, int TO> static void both(int per_sm)
{
    add(k_async<16, false, FROM, TO>, "cg", 16, FROM, TO, per_sm);
    add(k_by_registers<FROM, TO>, "registers", 16, FROM, TO, per_sm);
}
int main(int argc, char **argv)
{
    in = (uint8_t *)device_array<float>((size_t)64 << 20);
    out = device_array<float>(1 << 20);
    both<IN_A_ROW, IN_ORDER>(1);
    both<IN_A_ROW, IN_ORDER>(3);
    both<FOUR_ROWS, SWIZZLED>(3);
    both<FOUR_ROWS, IN_ORDER>(3);
    both<IN_A_ROW, COLUMN>(3);
    both<IN_A_ROW, TWO_WAYS>(3);
    add(k_async<16, false, LINES_APART, IN_ORDER>, "cg", 16, LINES_APART, IN_ORDER, 1);
    add(k_async<16, true, IN_A_ROW, IN_ORDER>, "ca", 16, IN_A_ROW, IN_ORDER, 1);
    add(k_async<16, true, IN_A_ROW, IN_ORDER>, "ca", 16, IN_A_ROW, IN_ORDER, 3);
    add(k_async<16, true, FOUR_ROWS, SWIZZLED>, "ca", 16, FOUR_ROWS, SWIZZLED, 3);
    add(k_async<16, true, IN_A_ROW, COLUMN>, "ca", 16, IN_A_ROW, COLUMN, 3);
    add(k_async<8, true, IN_A_ROW, IN_ORDER>, "ca", 8, IN_A_ROW, IN_ORDER, 3);
    add(k_async<4, true, IN_A_ROW, IN_ORDER>, "ca", 4, IN_A_ROW, IN_ORDER, 1);
    add(k_async<4, true, IN_A_ROW, IN_ORDER>, "ca", 4, IN_A_ROW, IN_ORDER, 3);
    add(k_async<4, true, FOUR_ROWS, IN_ORDER>, "ca", 4, FOUR_ROWS, IN_ORDER, 3);
    add(k_async<4, true, IN_A_ROW, COLUMN>, "ca", 4, IN_A_ROW, COLUMN, 3);
    return run(argc, argv, configs);
}

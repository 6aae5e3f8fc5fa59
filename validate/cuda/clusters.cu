// clusters.cu - kernels whose blocks use each other's shared memory: histograms with bins spread over
// a cluster, sums of columns, a stencil that exchanges halos, matrix products whose tiles are read
// from or written to the other blocks, an exchange of all with all; and single accesses by pattern.
// SPDX-License-Identifier: MIT
#include "harness.h"

#include "hopper.h"

static __device__ __forceinline__ uint32_t in_block(uint32_t at, uint32_t rank)
{
    uint32_t there;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(at), "r"(rank));
    return there;
}
static __device__ __forceinline__ float4 load4_there(uint32_t at)
{
    float4 v;
    asm volatile("ld.shared::cluster.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                 : "r"(at)
                 : "memory");
    return v;
}
static __device__ __forceinline__ void store_there(uint32_t at, float v)
{
    asm volatile("st.shared::cluster.f32 [%0], %1;" ::"r"(at), "f"(v) : "memory");
}
static __device__ __forceinline__ void store4_there(uint32_t at, float4 v)
{
    asm volatile("st.shared::cluster.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(at), "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w)
                 : "memory");
}

// ---- kernels ----
// 8192 bins, spread over the cluster; 1024 values per block and round.
template <int CLUSTER>
__global__ void __cluster_dims__(CLUSTER, 1, 1) __launch_bounds__(256)
    k_histogram(const uint4 *in, uint32_t *bins_out, int rounds)
{
    constexpr int MINE = 8192 / CLUSTER;
    __shared__ uint32_t bins[MINE];
    for (int i = threadIdx.x; i < MINE; i += 256)
        bins[i] = 0;
    cluster_sync();
    const uint32_t at = shared_address(bins);
    for (int r = 0; r < rounds; r++) {
        const uint4 v = in[(blockIdx.x * rounds + r) * 256 + threadIdx.x];
        const uint32_t words[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
        for (int j = 0; j < 4; j++) {
            const uint32_t bin = words[j] * 2654435761u >> 19;
            asm volatile("red.shared::cluster.add.u32 [%0], 1;" ::"r"(in_block(at + bin % MINE * 4, bin / MINE)) : "memory");
        }
    }
    cluster_sync();
    for (int i = threadIdx.x; i < MINE; i += 256)
        atomicAdd(&bins_out[cluster_rank() * MINE + i], bins[i]);
}

// Sums of 4096 columns: each block adds up rows into its shared memory, then a part of the columns of all.
template <int CLUSTER>
__global__ void __cluster_dims__(CLUSTER, 1, 1) __launch_bounds__(512) k_column_sums(const float4 *in, float *out, int rows)
{
    __shared__ float4 sums[1024];
    for (int half = 0; half < 2; half++) {
        float4 sum = make_float4(0, 0, 0, 0);
        const float4 *from = in + (size_t)blockIdx.x * rows * 1024 + half * 512 + threadIdx.x;
        for (int r = 0; r < rows; r++) {
            const float4 v = from[(size_t)r * 1024];
            sum.x += v.x, sum.y += v.y, sum.z += v.z, sum.w += v.w;
        }
        sums[half * 512 + threadIdx.x] = sum;
    }
    cluster_sync();
    const int column = cluster_rank() * (1024 / CLUSTER) + threadIdx.x;
    if (threadIdx.x < 1024 / CLUSTER) {
        float4 sum = make_float4(0, 0, 0, 0);
#pragma unroll
        for (int b = 0; b < CLUSTER; b++) {
            const float4 v = load4_there(in_block(shared_address(&sums[column]), b));
            sum.x += v.x, sum.y += v.y, sum.z += v.z, sum.w += v.w;
        }
        reinterpret_cast<float4 *>(out)[(size_t)(blockIdx.x / CLUSTER) * 1024 + column] = sum;
    }
    cluster_sync();
}

// So many steps of a stencil on 64 x 64 cells per block in shared memory; the blocks of a cluster lie
// beside each other and write their edge columns into their neighbours.
template <int CLUSTER>
__global__ void __cluster_dims__(CLUSTER, 1, 1) __launch_bounds__(256) k_halo(const float *in, float *out, int steps)
{
    constexpr int PITCH = 66;
    __shared__ float cells[2][66 * PITCH];
    const int x = threadIdx.x % 64 + 1, y0 = threadIdx.x / 64 * 16 + 1;
    const uint32_t rank = cluster_rank(), left = (rank + CLUSTER - 1) % CLUSTER, right = (rank + 1) % CLUSTER;
    for (int i = threadIdx.x; i < 66 * PITCH; i += 256)
        cells[0][i] = cells[1][i] = 0;
    __syncthreads();
    for (int y = y0; y < y0 + 16; y++)
        cells[0][y * PITCH + x] = in[(size_t)blockIdx.x * 4096 + (y - 1) * 64 + x - 1];
    cluster_sync();
    for (int s = 0; s < steps; s++) {
        const float *now = cells[s % 2];
        float *next = cells[1 - s % 2];
        if (threadIdx.x < 64) {
            const int y = threadIdx.x + 1;
            float *edge = const_cast<float *>(now);
            store_there(in_block(shared_address(&edge[y * PITCH + 65]), left), now[y * PITCH + 1]);
            store_there(in_block(shared_address(&edge[y * PITCH]), right), now[y * PITCH + 64]);
        }
        cluster_sync();
        for (int y = y0; y < y0 + 16; y++)
            next[y * PITCH + x] = 0.25f * (now[y * PITCH + x - 1] + now[y * PITCH + x + 1] + now[(y - 1) * PITCH + x] +
                                           now[(y + 1) * PITCH + x]);
        cluster_sync();
    }
    for (int y = y0; y < y0 + 16; y++)
        out[(size_t)blockIdx.x * 4096 + (y - 1) * 64 + x - 1] = cells[steps % 2][y * PITCH + x];
}

// C = A B: 64 x 64 per block, 16 deep; the blocks of a cluster lie below each other and share B. Each
// loads a part of B's tile and reads the other parts where they are.
template <int CLUSTER, bool PUSH>
static __device__ __forceinline__ void product(const float *a, const float *b, float *c, int n)
{
    constexpr int DEEP = 32, PART = DEEP / CLUSTER; // rows of B that a block loads
    __shared__ float at[DEEP][68], bt[PUSH ? DEEP : PART][64];
    const uint32_t rank = cluster_rank();
    const int row = blockIdx.x * 64, column = blockIdx.y * 64, x = threadIdx.x % 16 * 4, y = threadIdx.x / 16 * 4;
    float sum[4][4] = {};
    for (int k = 0; k < n; k += DEEP) {
        for (int i = threadIdx.x; i < 64 * DEEP / 4; i += 256) {
            const int r = i / (DEEP / 4), d = i % (DEEP / 4) * 4;
            const float4 v = *reinterpret_cast<const float4 *>(&a[(size_t)(row + r) * n + k + d]);
            at[d][r] = v.x, at[d + 1][r] = v.y, at[d + 2][r] = v.z, at[d + 3][r] = v.w;
        }
        for (int i = threadIdx.x; i < PART * 16; i += 256) {
            const int d = i / 16, q = i % 16 * 4;
            const float4 v = *reinterpret_cast<const float4 *>(&b[(size_t)(k + rank * PART + d) * n + column + q]);
            if (PUSH) {
#pragma unroll
                for (int to = 0; to < CLUSTER; to++)
                    store4_there(in_block(shared_address(&bt[rank * PART + d][q]), to), v);
            } else
                *reinterpret_cast<float4 *>(&bt[d][q]) = v;
        }
        cluster_sync();
#pragma unroll
        for (int part = 0; part < CLUSTER; part++) {
            const uint32_t there = in_block(shared_address(&bt[0][x]), part);
#pragma unroll
            for (int d = 0; d < PART; d++) {
                const float4 v = PUSH ? *reinterpret_cast<const float4 *>(&bt[part * PART + d][x])
                                      : load4_there(there + d * 64 * 4);
                const float *l = &at[part * PART + d][y];
                for (int j = 0; j < 4; j++) {
                    sum[j][0] += l[j] * v.x, sum[j][1] += l[j] * v.y;
                    sum[j][2] += l[j] * v.z, sum[j][3] += l[j] * v.w;
                }
            }
        }
        cluster_sync();
    }
    for (int j = 0; j < 4; j++)
        *reinterpret_cast<float4 *>(&c[(size_t)(row + y + j) * n + column + x]) =
            make_float4(sum[j][0], sum[j][1], sum[j][2], sum[j][3]);
}
template <int CLUSTER>
__global__ void __cluster_dims__(CLUSTER, 1, 1) __launch_bounds__(256)
    k_product_there(const float *a, const float *b, float *c, int n)
{
    product<CLUSTER, false>(a, b, c, n);
}
template <int CLUSTER>
__global__ void __cluster_dims__(CLUSTER, 1, 1) __launch_bounds__(256)
    k_product_pushed(const float *a, const float *b, float *c, int n)
{
    product<CLUSTER, true>(a, b, c, n);
}

// Each block has a row of 4096 floats per round and gives every other block its part.
template <int CLUSTER>
__global__ void __cluster_dims__(CLUSTER, 1, 1) __launch_bounds__(256) k_exchange(const float4 *in, float4 *out, int rounds)
{
    __shared__ float4 parts[2][1024];
    constexpr int PART = 1024 / CLUSTER;
    const uint32_t rank = cluster_rank();
    for (int r = 0; r < rounds; r++) {
        for (int i = threadIdx.x; i < 1024; i += 256) {
            const float4 v = in[((size_t)blockIdx.x * rounds + r) * 1024 + i];
            store4_there(in_block(shared_address(&parts[r % 2][rank * PART + i % PART]), i / PART), v);
        }
        cluster_sync();
        for (int i = threadIdx.x; i < 1024; i += 256)
            out[((size_t)blockIdx.x * rounds + r) * 1024 + i] = parts[r % 2][i];
    }
    cluster_sync();
}

// ---- single accesses by pattern, of the block `away` further on ----
enum Kind { READ, WRITE, RED, ATOM };
template <int KIND, int CLUSTER>
__global__ void __cluster_dims__(CLUSTER, 1, 1) __launch_bounds__(256)
    k_pattern(uint32_t *out, int rounds, int away, int stride, int shift)
{
    __shared__ uint32_t words[8192];
    for (int i = threadIdx.x; i < 8192; i += 256)
        words[i] = 0;
    cluster_sync();
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const uint32_t at = in_block(shared_address(words) + ((lane >> shift) * stride + warp * 32) % 8192 * 4,
                                 (cluster_rank() ^ away) % CLUSTER);
    uint32_t sum = 0;
    for (int r = 0; r < rounds; r++)
#pragma unroll
        for (int j = 0; j < 4; j++) {
            uint32_t v = 0;
            if (KIND == READ)
                asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(v) : "r"(at) : "memory");
            else if (KIND == WRITE)
                asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(at), "r"(r) : "memory");
            else if (KIND == RED)
                asm volatile("red.shared::cluster.add.u32 [%0], 1;" ::"r"(at) : "memory");
            else
                asm volatile("atom.shared::cluster.add.u32 %0, [%1], 1;" : "=r"(v) : "r"(at) : "memory");
            sum += v;
        }
    cluster_sync();
    out[blockIdx.x * 256 + threadIdx.x] = sum + words[threadIdx.x];
}

// Barriers of the cluster, or of the block, in a row.
template <int CLUSTER, bool ALL>
__global__ void __cluster_dims__(CLUSTER, 1, 1) __launch_bounds__(256) k_barriers(uint32_t *out, int rounds)
{
    for (int r = 0; r < rounds; r++)
        if (ALL)
            cluster_sync();
        else
            __syncthreads();
    out[blockIdx.x * 256 + threadIdx.x] = rounds;
}
// Each atomic's address follows from the result of the one before.
template <int CLUSTER>
__global__ void __cluster_dims__(CLUSTER, 1, 1) __launch_bounds__(32) k_atomic_chain(uint32_t *out, int rounds)
{
    __shared__ uint32_t word[32];
    word[threadIdx.x] = 0;
    cluster_sync();
    const uint32_t at = in_block(shared_address(&word[threadIdx.x]), (cluster_rank() + 1) % CLUSTER);
    uint32_t v = 0;
    for (int r = 0; r < rounds; r++)
        asm volatile("atom.shared::cluster.or.b32 %0, [%1], 0;" : "=r"(v) : "r"(at + v) : "memory");
    cluster_sync();
    out[blockIdx.x * 32 + threadIdx.x] = v;
}
__global__ void fill_words(uint32_t *p, size_t n)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        p[i] = (uint32_t)i;
}
static std::vector<Config> configs;
static float *in, *out;
static uint32_t *numbers; // 0, 1, 2, ..
static std::string of(const char *format, int a, int b = 0, int c = 0, int d = 0)
{
    char s[120];
    snprintf(s, sizeof s, format, a, b, c, d);
    return s;
}
template <int CLUSTER> static void kernels()
{
    const uint4 *words = (const uint4 *)numbers;
    const float4 *i4 = (const float4 *)in;
    const float *i = in;
    float *o = out;
    configs.push_back({"cluster", "histogram", of("rounds=64;cluster=%d", CLUSTER), dim3(528), dim3(256), 528. * 64 * 1024,
                       (const void *)k_histogram<CLUSTER>, 0,
                       [=] { k_histogram<CLUSTER><<<528, 256>>>(words, (uint32_t *)o, 64); }});
    configs.push_back({"cluster", "column_sums", of("rows=16;cluster=%d", CLUSTER), dim3(1024), dim3(512), 1024. * 16 * 4096,
                       (const void *)k_column_sums<CLUSTER>, 0,
                       [=] { k_column_sums<CLUSTER><<<1024, 512>>>(i4, o, 16); }});
    configs.push_back({"cluster", "halo", of("steps=64;cluster=%d", CLUSTER), dim3(1024), dim3(256), 1024. * 64 * 4096,
                       (const void *)k_halo<CLUSTER>, 0, [=] { k_halo<CLUSTER><<<1024, 256>>>(i, o, 64); }});
    configs.push_back({"cluster", "product_there", of("n=2048;cluster=%d", CLUSTER), dim3(32, 32), dim3(256), 2048. * 2048,
                       (const void *)k_product_there<CLUSTER>, 0,
                       [=] { k_product_there<CLUSTER><<<dim3(32, 32), 256>>>(i, i + 2048 * 2048, o, 2048); }});
    configs.push_back({"cluster", "product_pushed", of("n=2048;cluster=%d", CLUSTER), dim3(32, 32), dim3(256), 2048. * 2048,
                       (const void *)k_product_pushed<CLUSTER>, 0,
                       [=] { k_product_pushed<CLUSTER><<<dim3(32, 32), 256>>>(i, i + 2048 * 2048, o, 2048); }});
    configs.push_back({"cluster", "exchange", of("rounds=16;cluster=%d", CLUSTER), dim3(1024), dim3(256), 1024. * 16 * 4096,
                       (const void *)k_exchange<CLUSTER>, 0,
                       [=] { k_exchange<CLUSTER><<<1024, 256>>>(i4, (float4 *)o, 16); }});
}
template <int KIND, int CLUSTER> static void pattern(const char *name, int away, int stride, int shift)
{
    uint32_t *o = (uint32_t *)out;
    configs.push_back({"dsmem_pattern", name,
                       of("rounds=250;away=%d;stride=%d;shift=%d", away, stride, shift) + of(";cluster=%d", CLUSTER), dim3(528),
                       dim3(256), 528. * 8 * 1000, (const void *)k_pattern<KIND, CLUSTER>, 0,
                       [=] { k_pattern<KIND, CLUSTER><<<528, 256>>>(o, 250, away, stride, shift); }});
}
template <int CLUSTER, bool ALL> static void barriers(int blocks)
{
    uint32_t *o = (uint32_t *)out;
    configs.push_back({"cluster_barrier", ALL ? "cluster" : "block", of("rounds=1000;blocks=%d;cluster=%d", blocks, CLUSTER),
                       dim3(blocks), dim3(256), 1000, (const void *)k_barriers<CLUSTER, ALL>, 0,
                       [=] { k_barriers<CLUSTER, ALL><<<blocks, 256>>>(o, 1000); }});
}
template <int KIND> static void patterns(const char *name)
{
    pattern<KIND, 2>(name, 1, 1, 0);  // in a row
    pattern<KIND, 4>(name, 2, 1, 0);  // of another pair
    pattern<KIND, 2>(name, 1, 0, 0);  // one word
    pattern<KIND, 2>(name, 1, 1, 3);  // a word for eight lanes
    pattern<KIND, 2>(name, 1, 8, 0);  // a sector each, eight lanes per bank
    pattern<KIND, 2>(name, 1, 9, 0);  // a sector each, in different banks
    pattern<KIND, 4>(name, 2, 9, 0);
}
int main(int argc, char **argv)
{
    in = device_array<float>((size_t)64 << 20);
    out = device_array<float>((size_t)64 << 20);
    CHECK(cudaMalloc(&numbers, 528 * 64 * 1024 * sizeof *numbers));
    fill_words<<<1024, 256>>>(numbers, 528 * 64 * 1024);
    CHECK(cudaDeviceSynchronize());
    kernels<2>();
    kernels<4>();
    kernels<8>();
#ifndef FEW // those that a test predicts
    patterns<READ>("read");
    patterns<WRITE>("write");
    patterns<RED>("red");
    patterns<ATOM>("atom");
    pattern<READ, 2>("read", 0, 1, 0); // its own, through the window of the cluster
    pattern<RED, 2>("red", 0, 9, 0);
    pattern<READ, 4>("read", 1, 1, 0);
    pattern<READ, 4>("read", 3, 1, 0);
    pattern<READ, 8>("read", 4, 1, 0);
    for (int blocks : {8, 128, 512}) {
        barriers<1, false>(blocks);
        barriers<2, true>(blocks);
        barriers<4, true>(blocks);
        barriers<8, true>(blocks);
    }
    uint32_t *o = (uint32_t *)out;
    configs.push_back({"dsmem_chain", "atom", "rounds=10000;cluster=1", dim3(8), dim3(32), 1e4, (const void *)k_atomic_chain<1>,
                       0, [=] { k_atomic_chain<1><<<8, 32>>>(o, 10000); }});
    configs.push_back({"dsmem_chain", "atom", "rounds=10000;cluster=2", dim3(8), dim3(32), 1e4, (const void *)k_atomic_chain<2>,
                       0, [=] { k_atomic_chain<2><<<8, 32>>>(o, 10000); }});
#endif
    return run(argc, argv, configs);
}

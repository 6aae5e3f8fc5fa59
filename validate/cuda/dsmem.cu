// dsmem.cu - shared memory of other blocks of a cluster: loads, stores and atomics, by cluster size
// and width. SPDX-License-Identifier: MIT
#include "harness.h"

#include "hopper.h"

static __device__ __forceinline__ uint32_t in_block(uint32_t at, uint32_t rank)
{
    uint32_t there;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(at), "r"(rank));
    return there;
}
static __device__ __forceinline__ uint32_t cluster_size()
{
    uint32_t n;
    asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(n));
    return n;
}

// Each block reads 16 KiB of the next block of its cluster, again and again.
__global__ void __launch_bounds__(256) k_read_next(float *out, int rounds)
{
    __shared__ float4 tile[1024];
    for (int i = threadIdx.x; i < 1024; i += 256)
        tile[i] = make_float4(i, i + 1, i + 2, i + 3);
    cluster_sync();
    const uint32_t from = in_block(shared_address(tile), (cluster_rank() + 1) % cluster_size());
    float sum = 0;
    for (int r = 0; r < rounds; r++)
        for (int i = threadIdx.x; i < 1024; i += 256) {
            float4 v;
            asm volatile("ld.shared::cluster.v4.f32 {%0, %1, %2, %3}, [%4];"
                         : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                         : "r"(from + i * 16));
            sum += v.x + v.y + v.z + v.w;
        }
    out[blockIdx.x * 256 + threadIdx.x] = sum;
    cluster_sync();
}
// The same, 4 bytes per lane, chained: the next address depends on what was read.
__global__ void __launch_bounds__(32) k_chase_next(float *out, int steps)
{
    __shared__ uint32_t next[1024];
    for (int i = threadIdx.x; i < 1024; i += 32)
        next[i] = (i + 33) % 1024;
    cluster_sync();
    const uint32_t from = in_block(shared_address(next), (cluster_rank() + 1) % cluster_size());
    uint32_t at = threadIdx.x;
    for (int s = 0; s < steps; s++)
        asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(at) : "r"(from + at * 4));
    out[blockIdx.x * 32 + threadIdx.x] = (float)at;
    cluster_sync();
}
// Each block writes into all others of its cluster.
__global__ void __launch_bounds__(256) k_write_all(float *out, int rounds)
{
    __shared__ float4 tile[1024];
    cluster_sync();
    const uint32_t n = cluster_size();
    for (int r = 0; r < rounds; r++) {
        const uint32_t to = in_block(shared_address(tile), (cluster_rank() + 1 + r % (n - 1)) % n);
        for (int i = threadIdx.x; i < 1024; i += 256)
            asm volatile("st.shared::cluster.v4.f32 [%0], {%1, %1, %1, %1};" ::"r"(to + i * 16), "f"((float)r) : "memory");
    }
    cluster_sync();
    out[blockIdx.x * 256 + threadIdx.x] = tile[threadIdx.x].x;
}
// A histogram whose bins are spread over the cluster.
__global__ void __launch_bounds__(256) k_bins_of_all(const uint32_t *in, uint32_t *out, int each)
{
    __shared__ uint32_t bins[1024];
    for (int i = threadIdx.x; i < 1024; i += 256)
        bins[i] = 0;
    cluster_sync();
    const uint32_t n = cluster_size(), at = shared_address(bins);
    for (int i = 0; i < each; i++) {
        const uint32_t v = in[(blockIdx.x * each + i) * 256 + threadIdx.x] % (1024 * n);
        asm volatile("red.shared::cluster.add.u32 [%0], 1;" ::"r"(in_block(at + v % 1024 * 4, v / 1024)) : "memory");
    }
    cluster_sync();
    for (int i = threadIdx.x; i < 1024; i += 256)
        out[blockIdx.x * 1024 + i] = bins[i];
}

static std::vector<Config> configs;
template <class... A> static void with_clusters(void (*kernel)(A...), int blocks, int threads, int cluster, A... a)
{
    cudaLaunchConfig_t c = {};
    cudaLaunchAttribute at[1];
    at[0].id = cudaLaunchAttributeClusterDimension;
    at[0].val.clusterDim.x = cluster;
    at[0].val.clusterDim.y = at[0].val.clusterDim.z = 1;
    c.gridDim = dim3(blocks);
    c.blockDim = dim3(threads);
    c.attrs = at;
    c.numAttrs = 1;
    CHECK(cudaLaunchKernelEx(&c, kernel, a...));
}
__global__ void fill_words(uint32_t *p, size_t n)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        p[i] = (uint32_t)i * 2654435761u >> 7;
}
int main(int argc, char **argv)
{
    float *out = device_array<float>(1 << 24);
    uint32_t *words;
    CHECK(cudaMalloc(&words, (size_t)4 << 26));
    fill_words<<<1024, 256>>>(words, (size_t)1 << 26);
    CHECK(cudaDeviceSynchronize());
    for (int cluster : {1, 2, 4, 8}) {
        const std::string of = ";cluster=" + std::to_string(cluster);
        configs.push_back({"dsmem", "read", "rounds=1000" + of, dim3(528), dim3(256), 528., (const void *)k_read_next, 0,
                           [=] { with_clusters(k_read_next, 528, 256, cluster, out, 1000); }});
    }
    for (int cluster : {1, 2, 8})
        configs.push_back({"dsmem", "chase", "steps=10000;cluster=" + std::to_string(cluster), dim3(128), dim3(32), 128.,
                           (const void *)k_chase_next, 0,
                           [=] { with_clusters(k_chase_next, 128, 32, cluster, out, 10000); }});
    for (int cluster : {2, 4, 8})
        configs.push_back({"dsmem", "write", "rounds=1000;cluster=" + std::to_string(cluster), dim3(528), dim3(256), 528.,
                           (const void *)k_write_all, 0,
                           [=] { with_clusters(k_write_all, 528, 256, cluster, out, 1000); }});
    for (int cluster : {1, 2, 8})
        configs.push_back({"dsmem", "bins", "each=256;cluster=" + std::to_string(cluster), dim3(528), dim3(256),
                           528. * 256 * 256, (const void *)k_bins_of_all, 0,
                           [=] { with_clusters(k_bins_of_all, 528, 256, cluster, (const uint32_t *)words, (uint32_t *)out, 256); }});
    return run(argc, argv, configs);
}

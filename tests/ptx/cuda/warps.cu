/* warps.cu - shuffles, votes, matches, reductions and cooperative groups. SPDX-License-Identifier: MIT */
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

__global__ void k_shuffles(float *f, double *d, int *i)
{
    const unsigned all = 0xffffffff;
    float x = f[threadIdx.x];
    for (int by = 16; by > 0; by /= 2)
        x += __shfl_down_sync(all, x, by);
    x += __shfl_xor_sync(all, x, 1) + __shfl_up_sync(all, x, 2, 16) + __shfl_sync(all, x, i[0]);
    f[threadIdx.x] = x;
    d[threadIdx.x] = __shfl_xor_sync(all, d[threadIdx.x], 8);
}

__global__ void k_votes(int *i, unsigned *u)
{
    const unsigned active = __activemask();
    const int v = i[threadIdx.x];
    u[0] = __ballot_sync(active, v > 3);
    i[1] = __any_sync(active, v > 5) + __all_sync(active, v < 9);
    u[1] = __popc(u[0]) + __ffs(v) + __clz(v) + __brev(u[0]);
    unsigned lt;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(lt));
    u[2] = lt & u[0];
}

#if __CUDA_ARCH__ >= 700
__global__ void k_matches(int *i, unsigned long long *l, unsigned *u)
{
    int all;
    u[0] = __match_any_sync(0xffffffff, i[threadIdx.x]);
    u[1] = __match_all_sync(0xffffffff, l[threadIdx.x], &all);
    u[2] = (unsigned)all;
}
#endif

#if __CUDA_ARCH__ >= 800
__global__ void k_redux(int *i, unsigned *u)
{
    i[0] = __reduce_add_sync(0xffffffff, i[threadIdx.x]) + __reduce_min_sync(0xffffffff, i[1]) + __reduce_max_sync(0xffffffff, i[2]);
    u[0] = __reduce_and_sync(0xffffffff, u[1]) | __reduce_or_sync(0xffffffff, u[2]) | __reduce_xor_sync(0xffffffff, u[3]);
}
#endif

__global__ void k_groups(float *sum, const float *in, int n)
{
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<16> tile = cg::tiled_partition<16>(block);
    float v = block.thread_rank() < n ? in[block.thread_rank()] : 0;
    for (int by = tile.size() / 2; by > 0; by /= 2)
        v += tile.shfl_down(v, by);
    if (tile.thread_rank() == 0)
        atomicAdd(sum, v);
    cg::coalesced_group active = cg::coalesced_threads();
    if (active.thread_rank() == 0)
        sum[1] = (float)active.size();
    block.sync();
    sum[2] = cg::reduce(tile, v, cg::plus<float>());
}

__global__ void k_grid(float *x, int n)
{
    cg::grid_group grid = cg::this_grid();
    for (int step = 0; step < n; step++) {
        x[grid.thread_rank()] *= 2;
        grid.sync();
    }
}

template <int WIDTH> __device__ int scan(int v)
{
    for (int by = 1; by < WIDTH; by *= 2) {
        const int other = __shfl_up_sync(0xffffffff, v, by, WIDTH);
        if ((threadIdx.x % WIDTH) >= by)
            v += other;
    }
    return v;
}
template <int WIDTH, typename T> __global__ void k_scan(T *x) { x[threadIdx.x] = (T)scan<WIDTH>((int)x[threadIdx.x]); }
template __global__ void k_scan<8, int>(int *);
template __global__ void k_scan<32, float>(float *);
template __global__ void k_scan<32, unsigned char>(unsigned char *);

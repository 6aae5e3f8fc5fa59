/* hopper.cu - what compute capability 9.0 brought: barriers in memory, bulk copies, clusters, stmatrix, elect.
 * SPDX-License-Identifier: MIT */
#include <cooperative_groups.h>

__global__ void __cluster_dims__(2, 1, 1) k_cluster(float *out)
{
    __shared__ float mine[32];
    cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
    mine[threadIdx.x] = out[threadIdx.x];
    cluster.sync();
    out[threadIdx.x] += cluster.map_shared_rank(mine, cluster.block_rank() ^ 1)[threadIdx.x];
    cluster.sync();
}

__global__ void k_bulk(const float *in, float *out)
{
    __shared__ alignas(128) float tile[256];
    __shared__ unsigned long long barrier;
    const unsigned bar = (unsigned)__cvta_generic_to_shared(&barrier), to = (unsigned)__cvta_generic_to_shared(tile);
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bar));
        asm volatile("fence.proxy.async.shared::cta;");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar), "r"(1024));
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
                     "l"(in), "r"(1024), "r"(bar)
                     : "memory");
    }
    __syncthreads();
    asm volatile("{\n\t.reg .pred ready;\n"
                 "WAIT:\n\t"
                 "mbarrier.try_wait.parity.shared::cta.b64 ready, [%0], %1, %2;\n\t"
                 "@ready bra READY;\n\tbra WAIT;\n"
                 "READY:\n\t}" ::"r"(bar),
                 "r"(0), "r"(1000)
                 : "memory");
    out[threadIdx.x] = tile[threadIdx.x];
    if (threadIdx.x == 0) {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 1024;" ::"l"(out), "r"(to) : "memory");
        asm volatile("cp.async.bulk.commit_group;");
        asm volatile("cp.async.bulk.wait_group.read 0;");
    }
}

struct tensor_map {
    alignas(64) char bytes[128];
};
__global__ void k_tensor_map(const __grid_constant__ tensor_map m, float *out)
{
    __shared__ alignas(128) float tile[1024];
    __shared__ unsigned long long barrier;
    const unsigned bar = (unsigned)__cvta_generic_to_shared(&barrier), to = (unsigned)__cvta_generic_to_shared(tile);
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(to),
                 "l"(&m), "r"(threadIdx.x), "r"(0), "r"(bar)
                 : "memory");
    asm volatile("prefetch.tensormap [%0];" ::"l"(&m));
    out[threadIdx.x] = tile[threadIdx.x];
}

__global__ void k_elect(unsigned *u)
{
    unsigned leader;
    asm volatile("{.reg .pred p;\n\telect.sync %0|p, %1;\n\t@p st.global.u32 [%2], 1;}" : "=r"(leader) : "r"(0xffffffff), "l"(u));
    u[1] = leader;
    __shared__ unsigned tile[128];
    const unsigned to = (unsigned)__cvta_generic_to_shared(&tile[4 * (threadIdx.x & 31)]);
    asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %2};" ::"r"(to), "r"(u[2]), "r"(u[3]));
    asm volatile("griddepcontrol.wait;");
    u[4] = tile[threadIdx.x];
    asm volatile("griddepcontrol.launch_dependents;");
}

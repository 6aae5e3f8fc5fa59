// hopper.h - inline PTX of Hopper's asynchronous units for the measured programs: barrier objects
// in shared memory, the tensor memory accelerator, and matrix products of four warps (wgmma).
// SPDX-License-Identifier: MIT
#pragma once
#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>
#include <cstdint>

// ---- barrier objects ----
static __device__ __forceinline__ uint32_t shared_address(const void *p)
{
    return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}
static __device__ __forceinline__ void barrier_init(uint64_t *b, uint32_t arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(b)), "r"(arrivals) : "memory");
}
static __device__ __forceinline__ void barrier_arrive(uint64_t *b)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(b)) : "memory");
}
// At the same place in the shared memory of another block of the cluster.
static __device__ __forceinline__ void barrier_arrive_at(uint64_t *b, uint32_t rank)
{
    uint32_t at;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(at) : "r"(shared_address(b)), "r"(rank));
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(at) : "memory");
}
// The same without a fence: enough where only the copy unit writes what others read.
static __device__ __forceinline__ void barrier_arrive_unfenced(uint64_t *b, uint32_t rank)
{
    uint32_t at;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(at) : "r"(shared_address(b)), "r"(rank));
    asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(at) : "memory");
}
static __device__ __forceinline__ void barrier_expect(uint64_t *b, uint32_t bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(b)), "r"(bytes)
                 : "memory");
}
static __device__ __forceinline__ void barrier_wait(uint64_t *b, uint32_t phase)
{
    asm volatile("{\n"
                 ".reg .pred done;\n"
                 "AGAIN:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
                 "@done bra DONE;\n"
                 "bra AGAIN;\n"
                 "DONE:\n"
                 "}" ::"r"(shared_address(b)),
                 "r"(phase)
                 : "memory");
}
static __device__ __forceinline__ void fence_barrier_init()
{
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
static __device__ __forceinline__ void fence_shared() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
static __device__ __forceinline__ void cluster_sync()
{
    asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}
static __device__ __forceinline__ uint32_t cluster_rank()
{
    uint32_t rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

// ---- copies ----
static __device__ __forceinline__ void load_tile(void *to, const CUtensorMap *map, int x, int y, uint64_t *b)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
                 ::"r"(shared_address(to)), "l"(map), "r"(x), "r"(y), "r"(shared_address(b))
                 : "memory");
}
// To the same place in the shared memory of each block of the mask.
static __device__ __forceinline__ void load_tile_to_all(void *to, const CUtensorMap *map, int x, int y, uint64_t *b,
                                                        uint16_t mask)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
                 "[%0], [%1, {%2, %3}], [%4], %5;" ::"r"(shared_address(to)),
                 "l"(map), "r"(x), "r"(y), "r"(shared_address(b)), "h"(mask)
                 : "memory");
}
static __device__ __forceinline__ void store_tile(const CUtensorMap *map, int x, int y, const void *from)
{
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(map), "r"(x),
                 "r"(y), "r"(shared_address(from))
                 : "memory");
}
static __device__ __forceinline__ void load_row(void *to, const void *from, uint32_t bytes, uint64_t *b)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     shared_address(to)),
                 "l"(from), "r"(bytes), "r"(shared_address(b))
                 : "memory");
}
static __device__ __forceinline__ void store_row(void *to, const void *from, uint32_t bytes)
{
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(shared_address(from)),
                 "r"(bytes)
                 : "memory");
}
static __device__ __forceinline__ void wait_stores()
{
    asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
}
static __device__ __forceinline__ void copy_16(void *to, const void *from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from) : "memory");
}

// ---- products of four warps: 64 rows, N columns, 32 bytes deep; operands in shared memory ----
// Rows of 128 bytes, swizzled over 128 bytes; eight rows are 1024 bytes.
static __device__ __forceinline__ uint64_t describe(const void *tile)
{
    const uint64_t at = (shared_address(tile) & 0x3FFFF) >> 4;
    return at | (uint64_t)1 << 16 | (uint64_t)(1024 >> 4) << 32 | (uint64_t)1 << 62;
}
#define F8(d, i)                                                                                                       \
    "+f"((d)[(i) + 0]), "+f"((d)[(i) + 1]), "+f"((d)[(i) + 2]), "+f"((d)[(i) + 3]), "+f"((d)[(i) + 4]),                \
        "+f"((d)[(i) + 5]), "+f"((d)[(i) + 6]), "+f"((d)[(i) + 7])
#define F32(d, i) F8(d, i), F8(d, (i) + 8), F8(d, (i) + 16), F8(d, (i) + 24)
#define F64(d, i) F32(d, i), F32(d, (i) + 32)
#define F128(d, i) F64(d, i), F64(d, (i) + 64)
#define S32                                                                                                            \
    "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,"       \
    "%29,%30,%31"
#define S64                                                                                                            \
    S32 ",%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,"    \
        "%58,%59,%60,%61,%62,%63"
#define S128                                                                                                           \
    S64 ",%64,%65,%66,%67,%68,%69,%70,%71,%72,%73,%74,%75,%76,%77,%78,%79,%80,%81,%82,%83,%84,%85,%86,%87,%88,%89,"    \
        "%90,%91,%92,%93,%94,%95,%96,%97,%98,%99,%100,%101,%102,%103,%104,%105,%106,%107,%108,%109,%110,%111,%112,"    \
        "%113,%114,%115,%116,%117,%118,%119,%120,%121,%122,%123,%124,%125,%126,%127"
template <class T, int N> struct Product;
#define PRODUCT(T, N, DEPTH, TYPES, LIST, OUT, A, B, P, TURNED)                                                        \
    template <> struct Product<T, N> {                                                                                 \
        static __device__ __forceinline__ void add(float *d, uint64_t a, uint64_t b, int more)                         \
        {                                                                                                              \
            asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %" P ", 0;\n"                                               \
                         "wgmma.mma_async.sync.aligned.m64n" #N "k" DEPTH ".f32." TYPES " {" LIST "}, %" A ", %" B     \
                         ", p, 1, 1" TURNED ";\n}" : OUT(d, 0) : "l"(a), "l"(b), "r"(more));                           \
        }                                                                                                              \
    };
#define PRODUCTS(T, DEPTH, TYPES, TURNED)                                                                              \
    PRODUCT(T, 64, DEPTH, TYPES, S32, F32, "32", "33", "34", TURNED)                                                   \
    PRODUCT(T, 128, DEPTH, TYPES, S64, F64, "64", "65", "66", TURNED)                                                  \
    PRODUCT(T, 256, DEPTH, TYPES, S128, F128, "128", "129", "130", TURNED)
PRODUCTS(__half, "16", "f16.f16", ", 0, 0")
PRODUCTS(__nv_bfloat16, "16", "bf16.bf16", ", 0, 0")
PRODUCTS(float, "8", "tf32.tf32", "")
PRODUCTS(__nv_fp8_e4m3, "32", "e4m3.e4m3", "")
static __device__ __forceinline__ void product_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
static __device__ __forceinline__ void product_commit()
{
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
template <int LEFT> static __device__ __forceinline__ void product_wait()
{
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(LEFT) : "memory");
}

// tcgen05.cu - matrix products of fifth-generation tensor cores (sm_100a): a warp loads tiles through
// tensor maps, one issues products whose sums lie in tensor memory, and four write the results.
// C = A B', both operands with rows of K elements. Products of one block or of pairs of blocks,
// tiles of 128 (256) x N, rings of STAGES, persistent blocks with two sums. Not measured: only its
// PTX is used, validate/ptx/tcgen05.sm_100a.ptx (nvcc -ptx -O3 -std=c++17 -gencode
// arch=compute_100a,code=compute_100a). SPDX-License-Identifier: MIT
#include "hopper.h"

constexpr int ROW = 128; // bytes of a tile's row: the span of the swizzle
constexpr int ROWS = 128; // of the tile of one block

enum Kind { F16, TF32, F8, MXF8, MXF4 };

// Bits of an element, and what the instruction descriptor says of the types and the shape.
template <Kind KIND> struct Elements {
    static constexpr int BITS = KIND == F16 ? 16 : KIND == TF32 ? 32 : KIND == MXF4 ? 4 : 8;
    static constexpr uint32_t TYPES = KIND == F16 ? 1u << 4 : KIND == TF32 ? 1u << 4 | 2u << 7 | 2u << 10
                                      : KIND == F8 ? 1u << 4 : KIND == MXF8 ? 1u << 23 : 1u << 7 | 1u << 10;
};
template <Kind KIND> static constexpr __host__ __device__ uint32_t shape_of(int m, int n)
{
    return Elements<KIND>::TYPES | (uint32_t)(n / 8) << 17 | (uint32_t)(m / 16) << 24;
}

template <int GROUP> static __device__ __forceinline__ uint32_t take_tensor_memory(uint32_t *slot, int columns)
{
    if (threadIdx.x / 32 == 0) {
        if (GROUP == 1) {
            asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], %1;" ::"r"(shared_address(slot)),
                         "r"(columns));
            asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;");
        } else {
            asm volatile("tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [%0], %1;" ::"r"(shared_address(slot)),
                         "r"(columns));
            asm volatile("tcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned;");
        }
    }
    asm volatile("tcgen05.fence::before_thread_sync;");
    __syncthreads();
    asm volatile("tcgen05.fence::after_thread_sync;");
    return *(volatile uint32_t *)slot;
}
template <int GROUP> static __device__ __forceinline__ void give_tensor_memory(uint32_t at, int columns)
{
    __syncthreads();
    if (threadIdx.x / 32 == 0) {
        if (GROUP == 1)
            asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, %1;" ::"r"(at), "r"(columns));
        else
            asm volatile("tcgen05.dealloc.cta_group::2.sync.aligned.b32 %0, %1;" ::"r"(at), "r"(columns));
    }
}

#define PLAIN(GROUP, KIND)                                                                                           \
    asm volatile("{ .reg .pred p; setp.ne.b32 p, %4, 0;\n"                                                             \
                 "tcgen05.mma.cta_group::" #GROUP ".kind::" #KIND " [%0], %1, %2, %3, p; }" ::"r"(d),                  \
                 "l"(a), "l"(b), "r"(shape), "r"((uint32_t)more))
#define SCALED(GROUP, KIND)                                                                                            \
    asm volatile("{ .reg .pred p; setp.ne.b32 p, %4, 0;\n"                                                             \
                 "tcgen05.mma.cta_group::" #GROUP ".kind::" #KIND ".block_scale.scale_vec::" VECTORS                   \
                 " [%0], %1, %2, %3, [%5], [%5], p; }" ::"r"(d),                                                       \
                 "l"(a), "l"(b), "r"(shape), "r"((uint32_t)more), "r"(scales))
template <Kind KIND, int GROUP>
static __device__ __forceinline__ void add_product(uint32_t d, uint64_t a, uint64_t b, uint32_t shape, uint32_t scales,
                                                   bool more)
{
    if (KIND == F16 && GROUP == 1)
        PLAIN(1, f16);
    if (KIND == F16 && GROUP == 2)
        PLAIN(2, f16);
    if (KIND == TF32 && GROUP == 1)
        PLAIN(1, tf32);
    if (KIND == F8 && GROUP == 1)
        PLAIN(1, f8f6f4);
#define VECTORS "1X"
    if (KIND == MXF8 && GROUP == 1)
        SCALED(1, mxf8f6f4);
#undef VECTORS
#define VECTORS "2X"
    if (KIND == MXF4 && GROUP == 1)
        SCALED(1, mxf4);
#undef VECTORS
}
// Signals the barrier object when all products so far are done; in a pair, those of both blocks.
template <int GROUP> static __device__ __forceinline__ void signal_when_done(uint64_t *barrier)
{
    if (GROUP == 1)
        asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(
                         shared_address(barrier))
                     : "memory");
    else
        asm volatile("tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%0], "
                     "%1;" ::"r"(shared_address(barrier)),
                     "h"((uint16_t)3)
                     : "memory");
}
// A pair's copies signal the barrier object of its first block.
static __device__ __forceinline__ void load_tile_of_pair(void *to, const CUtensorMap *map, int x, int y, uint64_t *full)
{
    asm volatile("cp.async.bulk.tensor.2d.cta_group::2.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], "
                 "[%1, {%2, %3}], [%4];" ::"r"(shared_address(to)),
                 "l"(map), "r"(x), "r"(y), "r"(shared_address(full) & 0xFEFFFFFFu)
                 : "memory");
}

// 32 columns of the lanes of this warp.
static __device__ __forceinline__ void load_sums(uint32_t at, float *d)
{
    uint32_t *r = reinterpret_cast<uint32_t *>(d);
    asm volatile("tcgen05.ld.sync.aligned.32x32b.x32.b32 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, "
                 "%14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, [%32];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(r[4]), "=r"(r[5]), "=r"(r[6]), "=r"(r[7]),
                   "=r"(r[8]), "=r"(r[9]), "=r"(r[10]), "=r"(r[11]), "=r"(r[12]), "=r"(r[13]), "=r"(r[14]),
                   "=r"(r[15]), "=r"(r[16]), "=r"(r[17]), "=r"(r[18]), "=r"(r[19]), "=r"(r[20]), "=r"(r[21]),
                   "=r"(r[22]), "=r"(r[23]), "=r"(r[24]), "=r"(r[25]), "=r"(r[26]), "=r"(r[27]), "=r"(r[28]),
                   "=r"(r[29]), "=r"(r[30]), "=r"(r[31])
                 : "r"(at));
    asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");
}

template <int N, int STAGES> struct Ring {
    struct Stage {
        uint8_t a[ROWS * ROW], b[N * ROW];
    };
    Stage stage[STAGES];
    uint8_t scales[32 * 16];
    uint64_t full[STAGES], empty[STAGES], done[2], read[2];
    uint32_t slot;
};
struct Place { // in a ring
    int stage = 0;
    uint32_t phase = 0;
    template <int STAGES> __device__ __forceinline__ void next()
    {
        if (++stage == STAGES) {
            stage = 0;
            phase ^= 1;
        }
    }
};

// Threads 0 to 127 write, 128 loads, 160 multiplies. GROUP 2: a pair of blocks computes a tile of 256
// rows; each loads its rows of A and half of the columns of B, and the first one multiplies.
template <Kind KIND, int N, int STAGES, int GROUP, int SUMS>
static __device__ __forceinline__ void product(const CUtensorMap *a, const CUtensorMap *b, float *c, int m, int n,
                                               int k)
{
    using R = Ring<N / GROUP, STAGES>;
    extern __shared__ uint8_t raw[];
    R &ring = *reinterpret_cast<R *>((reinterpret_cast<uintptr_t>(raw) + 1023) & ~(uintptr_t)1023);
    constexpr int DEEP = ROW * 8 / Elements<KIND>::BITS;
    constexpr uint32_t shape = shape_of<KIND>(ROWS * GROUP, N);
    const uint32_t rank = GROUP > 1 ? cluster_rank() : 0;
    const int steps = k / DEEP, down = m / (ROWS * GROUP), tiles = down * (n / N);
    const int first = blockIdx.x / GROUP, grid = gridDim.x / GROUP;
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) {
            barrier_init(&ring.full[s], 1);
            barrier_init(&ring.empty[s], 1);
        }
        for (int s = 0; s < SUMS; s++) {
            barrier_init(&ring.done[s], 1);
            barrier_init(&ring.read[s], 128);
        }
        fence_barrier_init();
    }
    const uint32_t sums = take_tensor_memory<GROUP>(&ring.slot, 512);
    if (GROUP > 1)
        cluster_sync();
    Place tile_at, sum;
    if (threadIdx.x == 128) {
        for (int tile = first; tile < tiles; tile += grid) {
            const int row = tile % down * ROWS * GROUP + rank * ROWS, column = tile / down * N + rank * (N / GROUP);
#pragma unroll 1
            for (int step = 0; step < steps; step++) {
                typename R::Stage &to = ring.stage[tile_at.stage];
                uint64_t *full = &ring.full[tile_at.stage];
                barrier_wait(&ring.empty[tile_at.stage], tile_at.phase ^ 1);
                if (GROUP == 1) {
                    barrier_expect(full, sizeof to);
                    load_tile(to.a, a, step * DEEP, row, full);
                    load_tile(to.b, b, step * DEEP, column, full);
                } else {
                    if (rank == 0)
                        barrier_expect(full, 2 * sizeof to);
                    load_tile_of_pair(to.a, a, step * DEEP, row, full);
                    load_tile_of_pair(to.b, b, step * DEEP, column, full);
                }
                tile_at.next<STAGES>();
            }
        }
    } else if (threadIdx.x == 160 && rank == 0) {
        for (int tile = first; tile < tiles; tile += grid) {
            barrier_wait(&ring.read[sum.stage], sum.phase ^ 1);
#pragma unroll 1
            for (int step = 0; step < steps; step++) {
                const uint64_t at = describe(ring.stage[tile_at.stage].a) | 1ull << 46;
                const uint64_t bt = describe(ring.stage[tile_at.stage].b) | 1ull << 46;
                barrier_wait(&ring.full[tile_at.stage], tile_at.phase);
                asm volatile("tcgen05.fence::after_thread_sync;");
                if (KIND == MXF8 || KIND == MXF4)
                    asm volatile("tcgen05.cp.cta_group::1.32x128b.warpx4 [%0], %1;" ::"r"(sums + 480),
                                 "l"(describe(ring.scales)));
#pragma unroll
                for (int j = 0; j < ROW / 32; j++)
                    add_product<KIND, GROUP>(sums + sum.stage * N, at + 2 * j, bt + 2 * j, shape, sums + 480,
                                             step > 0 || j > 0);
                signal_when_done<GROUP>(&ring.empty[tile_at.stage]);
                tile_at.next<STAGES>();
            }
            signal_when_done<GROUP>(&ring.done[sum.stage]);
            sum.next<SUMS>();
        }
    } else if (threadIdx.x < 128) {
        for (int tile = first; tile < tiles; tile += grid) {
            const int row = tile % down * ROWS * GROUP + rank * ROWS, column = tile / down * N;
            barrier_wait(&ring.done[sum.stage], sum.phase);
            asm volatile("tcgen05.fence::after_thread_sync;");
            float *to = c + (size_t)(row + threadIdx.x) * n + column;
#pragma unroll 1
            for (int x = 0; x < N; x += 32) {
                float d[32];
                load_sums(sums + (threadIdx.x / 32 << 21) + sum.stage * N + x, d);
                for (int i = 0; i < 32; i += 4)
                    *reinterpret_cast<float4 *>(to + x + i) = make_float4(d[i], d[i + 1], d[i + 2], d[i + 3]);
            }
            asm volatile("tcgen05.fence::before_thread_sync;");
            barrier_arrive(&ring.read[sum.stage]);
            sum.next<SUMS>();
        }
    }
    give_tensor_memory<GROUP>(sums, 512);
}

template <Kind KIND, int N, int STAGES>
__global__ void __launch_bounds__(192) k_product(const __grid_constant__ CUtensorMap a,
                                                 const __grid_constant__ CUtensorMap b, float *c, int m, int n, int k)
{
    product<KIND, N, STAGES, 1, 1>(&a, &b, c, m, n, k);
}
template <Kind KIND, int N, int STAGES>
__global__ void __launch_bounds__(192) k_persistent(const __grid_constant__ CUtensorMap a,
                                                    const __grid_constant__ CUtensorMap b, float *c, int m, int n,
                                                    int k)
{
    product<KIND, N, STAGES, 1, 2>(&a, &b, c, m, n, k);
}
template <Kind KIND, int N, int STAGES>
__global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(192)
    k_pairs(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float *c, int m, int n,
            int k)
{
    product<KIND, N, STAGES, 2, 2>(&a, &b, c, m, n, k);
}
#define KERNEL(NAME, ...)                                                                                              \
    template __global__ void NAME<__VA_ARGS__>(const __grid_constant__ CUtensorMap, const __grid_constant__ CUtensorMap, \
                                               float *, int, int, int)
KERNEL(k_product, F16, 256, 4);
KERNEL(k_product, F16, 128, 6);
KERNEL(k_product, F16, 256, 2);
KERNEL(k_product, TF32, 256, 4);
KERNEL(k_product, F8, 256, 4);
KERNEL(k_product, MXF8, 256, 4);
KERNEL(k_product, MXF4, 256, 4);
KERNEL(k_persistent, F16, 256, 4);
KERNEL(k_pairs, F16, 256, 6);

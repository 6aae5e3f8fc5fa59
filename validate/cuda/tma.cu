// tma.cu - matrix products and copies whose tiles the tensor memory accelerator moves: producer and
// consumer warps or one group that does both, rings of 2 to 8 stages, clusters with multicast,
// persistent blocks, f16, bf16, fp8 and tf32; and the same product by cp.async. C = A B', both
// operands with rows of K elements. SPDX-License-Identifier: MIT
#include "harness.h"

#include "hopper.h"
#include "tensor_maps.h"


constexpr int ROW = 128; // bytes of a tile's row: the span of the swizzle

// ---- products ----
template <class T, int N, int STAGES, int GROUPS> struct Ring {
    struct Stage {
        uint8_t a[64 * GROUPS * ROW], b[N * ROW];
    };
    Stage stage[STAGES];
    uint64_t full[STAGES], empty[STAGES];
    static constexpr size_t bytes() { return sizeof(Ring) + 1024; }
};
template <class R> static __device__ __forceinline__ R &ring_of(uint8_t *raw)
{
    return *reinterpret_cast<R *>((reinterpret_cast<uintptr_t>(raw) + 1023) & ~(uintptr_t)1023);
}

// One stage's worth of products of a group of four warps.
template <class T, int N, int LEFT> static __device__ __forceinline__ void multiply(float *d, const uint8_t *a,
                                                                                   const uint8_t *b, bool more)
{
    const uint64_t at = describe(a), bt = describe(b);
    product_fence();
#pragma unroll
    for (int k = 0; k < ROW / 32; k++)
        Product<T, N>::add(d, at + 2 * k, bt + 2 * k, more || k > 0);
    product_commit();
    product_wait<LEFT>();
}

template <int N> static __device__ __forceinline__ void write_out(float *c, const float *d, int row, int column, int n)
{
    const int warp = threadIdx.x / 32 % 4, lane = threadIdx.x % 32;
    float *to = c + (size_t)(row + 16 * warp + lane / 4) * n + column + lane % 4 * 2;
#pragma unroll
    for (int j = 0; j < N / 8; j++) {
        *reinterpret_cast<float2 *>(to + 8 * j) = make_float2(d[4 * j], d[4 * j + 1]);
        *reinterpret_cast<float2 *>(to + 8 * (size_t)n + 8 * j) = make_float2(d[4 * j + 2], d[4 * j + 3]);
    }
}

// A group of four warps loads, and GROUPS groups multiply. Blocks are numbered down the rows first.
// CLUSTER blocks below each other share the columns of B: each loads a part for all. A persistent
// block computes several tiles.
template <class T, int N, int STAGES, int GROUPS, int CLUSTER, bool MULTICAST, bool FENCED = true>
static __device__ __forceinline__ void product_by_roles(const CUtensorMap *a, const CUtensorMap *b, float *c, int m,
                                                        int n, int k)
{
    using R = Ring<T, N, STAGES, GROUPS>;
    extern __shared__ uint8_t raw[];
    R &ring = ring_of<R>(raw);
    constexpr int DEEP = ROW / sizeof(T), M = 64 * GROUPS;
    const int group = threadIdx.x / 128, steps = k / DEEP, down = m / M, tiles = down * (n / N);
    const uint32_t rank = CLUSTER > 1 ? cluster_rank() : 0;
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) {
            barrier_init(&ring.full[s], 1);
            barrier_init(&ring.empty[s], GROUPS * (MULTICAST ? CLUSTER : 1));
        }
        fence_barrier_init();
    }
    if (CLUSTER > 1)
        cluster_sync();
    else
        __syncthreads();
    int stage = 0;
    uint32_t phase = 0;
    if (group == 0) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (threadIdx.x == 0)
            for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
                const int row = tile % down * M, column = tile / down * N;
                for (int step = 0; step < steps; step++) {
                    barrier_wait(&ring.empty[stage], phase ^ 1);
                    barrier_expect(&ring.full[stage], sizeof(typename R::Stage));
                    load_tile(ring.stage[stage].a, a, step * DEEP, row, &ring.full[stage]);
                    if (MULTICAST)
                        load_tile_to_all(ring.stage[stage].b + rank * (N / CLUSTER) * ROW, b, step * DEEP,
                                         column + (int)rank * (N / CLUSTER), &ring.full[stage],
                                         (uint16_t)((1 << CLUSTER) - 1));
                    else
                        load_tile(ring.stage[stage].b, b, step * DEEP, column, &ring.full[stage]);
                    if (++stage == STAGES) {
                        stage = 0;
                        phase ^= 1;
                    }
                }
            }
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
        float d[N / 2];
        for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
            const int row = tile % down * M + 64 * (group - 1), column = tile / down * N;
            int before = 0;
            for (int step = 0; step < steps; step++) {
                barrier_wait(&ring.full[stage], phase);
                multiply<T, N, 1>(d, ring.stage[stage].a + 64 * (group - 1) * ROW, ring.stage[stage].b, step > 0);
                if (step > 0 && threadIdx.x % 128 < (MULTICAST ? CLUSTER : 1)) {
                    if (MULTICAST && !FENCED)
                        barrier_arrive_unfenced(&ring.empty[before], threadIdx.x % 128);
                    else if (MULTICAST)
                        barrier_arrive_at(&ring.empty[before], threadIdx.x % 128);
                    else
                        barrier_arrive(&ring.empty[before]);
                }
                before = stage;
                if (++stage == STAGES) {
                    stage = 0;
                    phase ^= 1;
                }
            }
            product_wait<0>();
            if (threadIdx.x % 128 < (MULTICAST ? CLUSTER : 1)) {
                if (MULTICAST && !FENCED)
                    barrier_arrive_unfenced(&ring.empty[before], threadIdx.x % 128);
                else if (MULTICAST)
                    barrier_arrive_at(&ring.empty[before], threadIdx.x % 128);
                else
                    barrier_arrive(&ring.empty[before]);
            }
            write_out<N>(c, d, row, column, n);
        }
    }
    if (CLUSTER > 1)
        cluster_sync();
}
template <class T, int N, int STAGES, int GROUPS>
__global__ void __launch_bounds__(128 * (GROUPS + 1))
    k_product_roles(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float *c, int m,
                    int n, int k)
{
    product_by_roles<T, N, STAGES, GROUPS, 1, false>(&a, &b, c, m, n, k);
}
template <class T, int N, int STAGES, int GROUPS>
__global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(128 * (GROUPS + 1))
    k_product_pairs(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float *c, int m,
                    int n, int k)
{
    product_by_roles<T, N, STAGES, GROUPS, 2, true>(&a, &b, c, m, n, k);
}

// The same, without fences before the arrivals at the other block's barriers.
template <class T, int N, int STAGES, int GROUPS>
__global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(128 * (GROUPS + 1))
    k_product_unfenced(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float *c, int m,
                       int n, int k)
{
    product_by_roles<T, N, STAGES, GROUPS, 2, true, false>(&a, &b, c, m, n, k);
}

// In clusters, but each block loads all it needs.
template <class T, int N, int STAGES, int GROUPS>
__global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(128 * (GROUPS + 1))
    k_product_beside(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float *c, int m,
                     int n, int k)
{
    product_by_roles<T, N, STAGES, GROUPS, 2, false>(&a, &b, c, m, n, k);
}

// One group of four warps loads ahead and multiplies.
template <class T, int N, int STAGES>
__global__ void __launch_bounds__(128)
    k_product_alone(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float *c, int m,
                    int n, int k)
{
    using R = Ring<T, N, STAGES, 1>;
    extern __shared__ uint8_t raw[];
    R &ring = ring_of<R>(raw);
    constexpr int DEEP = ROW / sizeof(T);
    const int steps = k / DEEP, row = blockIdx.x * 64, column = blockIdx.y * N;
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++)
            barrier_init(&ring.full[s], 1);
        fence_barrier_init();
    }
    __syncthreads();
    auto load = [&](int step) {
        const int s = step % STAGES;
        barrier_expect(&ring.full[s], sizeof(typename R::Stage));
        load_tile(ring.stage[s].a, &a, step * DEEP, row, &ring.full[s]);
        load_tile(ring.stage[s].b, &b, step * DEEP, column, &ring.full[s]);
    };
    if (threadIdx.x == 0)
        for (int step = 0; step < STAGES - 1 && step < steps; step++)
            load(step);
    float d[N / 2];
    for (int step = 0; step < steps; step++) {
        const int s = step % STAGES;
        barrier_wait(&ring.full[s], step / STAGES & 1);
        multiply<T, N, 0>(d, ring.stage[s].a, ring.stage[s].b, step > 0);
        __syncthreads();
        if (threadIdx.x == 0 && step + STAGES - 1 < steps)
            load(step + STAGES - 1);
    }
    write_out<N>(c, d, row, column, n);
}

// The same with cp.async, 16 bytes each, swizzled by hand.
template <class T, int N, int STAGES>
__global__ void __launch_bounds__(128) k_product_async(const T *a, const T *b, float *c, int m, int n, int k)
{
    using R = Ring<T, N, STAGES, 1>;
    extern __shared__ uint8_t raw[];
    R &ring = ring_of<R>(raw);
    constexpr int DEEP = ROW / sizeof(T);
    const int steps = k / DEEP, row = blockIdx.x * 64, column = blockIdx.y * N;
    auto load = [&](int step) {
        typename R::Stage &s = ring.stage[step % STAGES];
        const int piece = threadIdx.x % 8, first = threadIdx.x / 8;
        const uint8_t *from = reinterpret_cast<const uint8_t *>(a) + ((size_t)row * k + step * DEEP) * sizeof(T);
#pragma unroll
        for (int r = 0; r < 64; r += 16)
            copy_16(s.a + (first + r) * ROW + ((piece ^ ((first + r) & 7)) << 4),
                    from + (size_t)(first + r) * k * sizeof(T) + piece * 16);
        from = reinterpret_cast<const uint8_t *>(b) + ((size_t)column * k + step * DEEP) * sizeof(T);
#pragma unroll
        for (int r = 0; r < N; r += 16)
            copy_16(s.b + (first + r) * ROW + ((piece ^ ((first + r) & 7)) << 4),
                    from + (size_t)(first + r) * k * sizeof(T) + piece * 16);
    };
    for (int step = 0; step < STAGES - 1; step++) {
        if (step < steps)
            load(step);
        asm volatile("cp.async.commit_group;");
    }
    float d[N / 2];
    for (int step = 0; step < steps; step++) {
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2));
        fence_shared();
        __syncthreads();
        typename R::Stage &s = ring.stage[step % STAGES];
        multiply<T, N, 0>(d, s.a, s.b, step > 0);
        __syncthreads();
        if (step + STAGES - 1 < steps)
            load(step + STAGES - 1);
        asm volatile("cp.async.commit_group;");
    }
    write_out<N>(c, d, row, column, n);
}

// ---- copies ----
// A box of 32 x 64 floats per step, so many steps per block, in a ring of two.
template <int STEPS>
__global__ void __launch_bounds__(128)
    k_copy_tiles(const __grid_constant__ CUtensorMap in, const __grid_constant__ CUtensorMap out)
{
    __shared__ alignas(128) float tile[2][64 * 32];
    __shared__ uint64_t full[2];
    if (threadIdx.x == 0) {
        barrier_init(&full[0], 1);
        barrier_init(&full[1], 1);
        fence_barrier_init();
        const int x = blockIdx.x * 32;
        for (int s = 0; s < STEPS; s++) {
            const int y = (blockIdx.y * STEPS + s) * 64, half = s % 2;
            if (s > 1)
                asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
            barrier_expect(&full[half], sizeof tile[0]);
            load_tile(tile[half], &in, x, y, &full[half]);
            barrier_wait(&full[half], s / 2 & 1);
            store_tile(&out, x, y, tile[half]);
            asm volatile("cp.async.bulk.commit_group;");
        }
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
}
// Rows of `bytes`, one per block, to a place in shared memory that may be inside a line.
__global__ void __launch_bounds__(32) k_copy_rows(const uint8_t *in, uint8_t *out, int bytes, int shift)
{
    extern __shared__ __align__(128) uint8_t rows[];
    __shared__ uint64_t full;
    uint8_t *row = rows + shift;
    if (threadIdx.x == 0) {
        barrier_init(&full, 1);
        fence_barrier_init();
        barrier_expect(&full, bytes);
        load_row(row, in + (size_t)blockIdx.x * bytes, bytes, &full);
        barrier_wait(&full, 0);
        store_row(out + (size_t)blockIdx.x * bytes, row, bytes);
        wait_stores();
    }
}
// Adds up columns of a matrix, read in boxes that reach over its edge.
__global__ void __launch_bounds__(128) k_sum_tiles(const __grid_constant__ CUtensorMap in, float *out, int tiles)
{
    __shared__ alignas(128) float tile[4][16 * 128];
    __shared__ uint64_t full[4];
    if (threadIdx.x == 0) {
        for (int s = 0; s < 4; s++)
            barrier_init(&full[s], 1);
        fence_barrier_init();
        for (int s = 0; s < 4 && s < tiles; s++) {
            barrier_expect(&full[s], sizeof tile[0]);
            load_tile(tile[s], &in, blockIdx.x * 128, (blockIdx.y * tiles + s) * 16, &full[s]);
        }
    }
    __syncthreads();
    float sum = 0;
    for (int t = 0; t < tiles; t++) {
        const int s = t % 4;
        barrier_wait(&full[s], t / 4 & 1);
        for (int r = 0; r < 16; r++)
            sum += tile[s][r * 128 + threadIdx.x];
        __syncthreads();
        if (threadIdx.x == 0 && t + 4 < tiles) {
            barrier_expect(&full[s], sizeof tile[0]);
            load_tile(tile[s], &in, blockIdx.x * 128, (blockIdx.y * tiles + t + 4) * 16, &full[s]);
        }
    }
    out[(blockIdx.y * gridDim.x + blockIdx.x) * 128 + threadIdx.x] = sum;
}

// ---- host ----

template <class T> constexpr CUtensorMapDataType type_of();
template <> constexpr CUtensorMapDataType type_of<__half>() { return CU_TENSOR_MAP_DATA_TYPE_FLOAT16; }
template <> constexpr CUtensorMapDataType type_of<__nv_bfloat16>() { return CU_TENSOR_MAP_DATA_TYPE_BFLOAT16; }
template <> constexpr CUtensorMapDataType type_of<float>() { return CU_TENSOR_MAP_DATA_TYPE_FLOAT32; }
template <> constexpr CUtensorMapDataType type_of<__nv_fp8_e4m3>() { return CU_TENSOR_MAP_DATA_TYPE_UINT8; }
template <class T> constexpr const char *name_of();
template <> constexpr const char *name_of<__half>() { return "f16"; }
template <> constexpr const char *name_of<__nv_bfloat16>() { return "bf16"; }
template <> constexpr const char *name_of<float>() { return "tf32"; }
template <> constexpr const char *name_of<__nv_fp8_e4m3>() { return "e4m3"; }

template <class T>
static CUtensorMap map_of(T *p, int width, int height, int box_x, int box_y, bool swizzled, int pitch = 0)
{
    CUtensorMap map;
    const cuuint64_t extents[2] = {(cuuint64_t)width, (cuuint64_t)height};
    const cuuint64_t strides[1] = {(cuuint64_t)(pitch ? pitch : width) * sizeof(T)};
    const cuuint32_t box[2] = {(cuuint32_t)box_x, (cuuint32_t)box_y}, steps[2] = {1, 1};
    const CUresult r = encode(&map, type_of<T>(), 2, p, extents, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                              swizzled ? CU_TENSOR_MAP_SWIZZLE_128B : CU_TENSOR_MAP_SWIZZLE_NONE,
                              CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (r != CUDA_SUCCESS) {
        fprintf(stderr, "cuTensorMapEncodeTiled: %d\n", (int)r);
        exit(1);
    }
    return map;
}

// Random numbers of a few bits around 1, so that no product overflows.
template <class T> __global__ void fill_random(T *p, size_t n)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        uint32_t h = (uint32_t)i * 2654435761u;
        h ^= h >> 15;
        h *= 2246822519u;
        h ^= h >> 13;
        p[i] = T((float)(int)(h & 1023) / 512.f - 1.f);
    }
}
template <class T> static T *random_array(size_t n)
{
    static T *kept = nullptr;
    static size_t room = 0;
    if (room < n) {
        CHECK(cudaMalloc(&kept, n * sizeof(T)));
        fill_random<T><<<1024, 256>>>(kept, n);
        CHECK(cudaDeviceSynchronize());
        room = n;
    }
    return kept;
}
static std::vector<Config> configs;
static std::vector<std::function<long()>> checks; // of the configs with a product: wrong elements
static float *results;                            // 8192 x 8192
static long *wrong;
template <class T>
__global__ void compare(const T *a, const T *b, const float *c, int m, int n, int k, unsigned long long *wrong)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, row = (int)((i * 7919ll) % m), column = (int)((i * 104729ll) % n);
    double sum = 0, size = 0;
    for (int j = 0; j < k; j++) {
        const double x = (double)float(a[(size_t)row * k + j]) * float(b[(size_t)column * k + j]);
        sum += x;
        size += fabs(x);
    }
    if (!(fabs(c[(size_t)row * n + column] - sum) <= 1e-3 * size))
        atomicAdd(wrong, 1ull);
}
template <class T> static void check_product(const T *a, const T *b, int m, int n, int k)
{
    checks.push_back([=] {
        *wrong = 0;
        compare<T><<<16, 256>>>(a, b, results, m, n, k, (unsigned long long *)wrong);
        CHECK(cudaDeviceSynchronize());
        return *wrong;
    });
}
constexpr size_t MOST = 8192;

static std::string params_of(int m, int n, int k, int columns, int stages, const char *type)
{
    char s[160];
    snprintf(s, sizeof s, "m=%d;n=%d;k=%d;N=%d;stages=%d;type=%s", m, n, k, columns, stages, type);
    return s;
}
template <class F> static void allow_shared(F *f, size_t bytes)
{
    CHECK(cudaFuncSetAttribute(f, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
}
template <class T, int N, int STAGES, int GROUPS> static void by_roles(int m, int n, int k, bool pairs, bool persistent, bool beside = false, bool fenced = true)
{
    T *a = random_array<T>(2 * MOST * MOST), *b = a + MOST * MOST;
    const CUtensorMap ma = map_of(a, k, m, ROW / sizeof(T), 64 * GROUPS, true);
    const CUtensorMap mb = map_of(b, k, n, ROW / sizeof(T), pairs && !beside ? N / 2 : N, true);
    const size_t shared = Ring<T, N, STAGES, GROUPS>::bytes();
    const int tiles = m / (64 * GROUPS) * (n / N);
    dim3 grid(persistent ? std::min(132, tiles) : tiles), block(128 * (GROUPS + 1));
    float *c = results;
    auto plain = k_product_roles<T, N, STAGES, GROUPS>;
    auto paired = beside   ? k_product_beside<T, N, STAGES, GROUPS>
                  : fenced ? k_product_pairs<T, N, STAGES, GROUPS>
                           : k_product_unfenced<T, N, STAGES, GROUPS>;
    allow_shared(plain, shared);
    allow_shared(paired, shared);
    const std::string what = std::string(beside ? "beside" : !fenced ? "unfenced" : pairs ? "pairs" : "roles") + (persistent ? "_persistent" : "");
    configs.push_back({"tma_product", what, params_of(m, n, k, N, STAGES, name_of<T>()) + ";groups=" + std::to_string(GROUPS), grid, block,
                       (double)m * n, pairs ? (const void *)paired : (const void *)plain, shared, [=] {
                           if (pairs)
                               paired<<<grid, block, shared>>>(ma, mb, c, m, n, k);
                           else
                               plain<<<grid, block, shared>>>(ma, mb, c, m, n, k);
                       }});
    check_product(a, b, m, n, k);
}
template <class T, int N, int STAGES> static void alone(int m, int n, int k, bool tma)
{
    T *a = random_array<T>(2 * MOST * MOST), *b = a + MOST * MOST;
    const CUtensorMap ma = map_of(a, k, m, ROW / sizeof(T), 64, true), mb = map_of(b, k, n, ROW / sizeof(T), N, true);
    const size_t shared = Ring<T, N, STAGES, 1>::bytes();
    dim3 grid(m / 64, n / N), block(128);
    float *c = results;
    auto by_tma = k_product_alone<T, N, STAGES>;
    auto by_copies = k_product_async<T, N, STAGES>;
    allow_shared(by_tma, shared);
    allow_shared(by_copies, shared);
    configs.push_back({"tma_product", tma ? "alone" : "async", params_of(m, n, k, N, STAGES, name_of<T>()), grid, block,
                       (double)m * n, tma ? (const void *)by_tma : (const void *)by_copies, shared, [=] {
                           if (tma)
                               by_tma<<<grid, block, shared>>>(ma, mb, c, m, n, k);
                           else
                               by_copies<<<grid, block, shared>>>(a, b, c, m, n, k);
                       }});
    check_product(a, b, m, n, k);
}
template <int STEPS> static void copy_tiles(int width, int height)
{
    float *in = random_array<float>(MOST * MOST), *out = results;
    const CUtensorMap mi = map_of(in, width, height, 32, 64, false), mo = map_of(out, width, height, 32, 64, false);
    dim3 grid(width / 32, height / 64 / STEPS), block(128);
    configs.push_back({"tma_copy", "tiles",
                       "width=" + std::to_string(width) + ";height=" + std::to_string(height) +
                           ";steps=" + std::to_string(STEPS),
                       grid, block, (double)width * height, (const void *)k_copy_tiles<STEPS>, 0,
                       [=] { k_copy_tiles<STEPS><<<grid, block>>>(mi, mo); }});
}

int main(int argc, char **argv)
{
    find_encode();
    results = device_array<float>(MOST * MOST);
#ifdef FEW // those that a test predicts
    by_roles<__half, 128, 2, 2>(4096, 4096, 4096, false, false);
    by_roles<__half, 128, 4, 2>(4096, 4096, 4096, false, false);
    by_roles<__half, 128, 4, 2>(4096, 4096, 4096, true, false);
    alone<__half, 128, 3>(4096, 4096, 4096, true);
#else
    // shape of a tile
    by_roles<__half, 64, 4, 2>(4096, 4096, 4096, false, false);
    by_roles<__half, 128, 4, 2>(4096, 4096, 4096, false, false);
    by_roles<__half, 256, 4, 2>(4096, 4096, 4096, false, false);
    by_roles<__half, 64, 4, 1>(4096, 4096, 4096, false, false);
    by_roles<__half, 128, 4, 1>(4096, 4096, 4096, false, false);
    // stages
    by_roles<__half, 128, 2, 2>(4096, 4096, 4096, false, false);
    by_roles<__half, 128, 3, 2>(4096, 4096, 4096, false, false);
    by_roles<__half, 128, 6, 2>(4096, 4096, 4096, false, false);
    by_roles<__half, 256, 2, 2>(4096, 4096, 4096, false, false);
    // types
    by_roles<__nv_bfloat16, 128, 4, 2>(4096, 4096, 4096, false, false);
    by_roles<__nv_bfloat16, 256, 4, 2>(8192, 8192, 8192, false, false);
    by_roles<float, 64, 4, 2>(4096, 4096, 4096, false, false);
    by_roles<float, 128, 4, 2>(4096, 4096, 4096, false, false);
    by_roles<__nv_fp8_e4m3, 128, 4, 2>(4096, 4096, 4096, false, false);
    by_roles<__nv_fp8_e4m3, 256, 4, 2>(8192, 8192, 8192, false, false);
    // sizes
    by_roles<__half, 128, 4, 2>(1024, 1024, 1024, false, false);
    by_roles<__half, 128, 4, 2>(2048, 2048, 2048, false, false);
    by_roles<__half, 256, 4, 2>(8192, 8192, 1024, false, false);
    by_roles<__half, 128, 4, 2>(1024, 1024, 8192, false, false);
    // persistent
    by_roles<__half, 128, 4, 2>(4096, 4096, 4096, false, true);
    by_roles<__half, 256, 4, 2>(4096, 4096, 4096, false, true);
    by_roles<__nv_bfloat16, 256, 4, 2>(8192, 8192, 2048, false, true);
    // clusters with multicast
    by_roles<__half, 64, 4, 2>(4096, 4096, 4096, true, false);
    by_roles<__half, 128, 4, 2>(4096, 4096, 4096, true, false);
    by_roles<__half, 256, 4, 2>(4096, 4096, 4096, true, false);
    by_roles<__nv_bfloat16, 256, 4, 2>(8192, 8192, 8192, true, false);
    by_roles<__half, 128, 4, 2>(4096, 4096, 4096, true, true);
    by_roles<__nv_fp8_e4m3, 128, 4, 2>(4096, 4096, 4096, true, false);
    by_roles<__half, 128, 4, 2>(4096, 4096, 4096, true, false, true);
    by_roles<__half, 128, 6, 2>(4096, 4096, 4096, true, false);
    for (bool persistent : {false, true})
        by_roles<__half, 128, 4, 2>(4096, 4096, 4096, true, persistent, false, false);
    by_roles<__half, 64, 4, 2>(4096, 4096, 4096, true, false, false, false);
    by_roles<__half, 256, 4, 2>(4096, 4096, 4096, true, false, false, false);
    by_roles<__nv_bfloat16, 256, 4, 2>(8192, 8192, 8192, true, false, false, false);
    // one group of warps
    alone<__half, 64, 3>(4096, 4096, 4096, true);
    alone<__half, 128, 3>(4096, 4096, 4096, true);
    alone<__half, 256, 4>(4096, 4096, 4096, true);
    alone<__nv_bfloat16, 128, 4>(2048, 2048, 2048, true);
    alone<float, 128, 3>(4096, 4096, 4096, true);
    alone<__half, 64, 3>(4096, 4096, 4096, false);
    alone<__half, 128, 3>(4096, 4096, 4096, false);
    alone<__half, 256, 4>(4096, 4096, 4096, false);
#endif
    // copies
    copy_tiles<1>(8192, 8192);
    copy_tiles<8>(8192, 8192);
    copy_tiles<4>(2048, 2048);
    for (int bytes : {1024, 8192, 32768, 8208}) { // the last: 8192, shifted by 16
        const int shift = bytes % 32, rows = (int)(256u * 1024 * 1024 / (bytes - shift));
        const uint8_t *in = (const uint8_t *)random_array<float>(MOST * MOST);
        uint8_t *out = (uint8_t *)results;
        configs.push_back({"tma_copy", "rows", "bytes=" + std::to_string(bytes - shift) + ";rows=" + std::to_string(rows) + ";shift=" +
                               std::to_string(shift),
                           dim3(rows), dim3(32), (double)rows * (bytes - shift) / 4, (const void *)k_copy_rows, (size_t)bytes,
                           [=] { k_copy_rows<<<rows, 32, bytes>>>(in, out, bytes - shift, shift); }});
    }
    for (int width : {8192, 8100}) {
        const CUtensorMap in = map_of(random_array<float>(MOST * MOST), width, 8190, 128, 16, false, 8192);
        const int tiles = 32;
        float *out = results;
        dim3 grid(64, 16);
        configs.push_back({"tma_copy", "sums", "width=" + std::to_string(width) + ";height=8190;tiles=32", grid,
                           dim3(128), 8192. * 8192, (const void *)k_sum_tiles, 0,
                           [=] { k_sum_tiles<<<grid, 128>>>(in, out, tiles); }});
    }
    if (argc > 1 && !strcmp(argv[1], "check")) { // elements of every product against plain sums
        CHECK(cudaMallocManaged(&wrong, sizeof *wrong));
        for (size_t i = 0; i < checks.size(); i++) {
            CHECK(cudaMemset(results, 0xff, MOST * MOST * sizeof *results));
            configs[i].launch();
            CHECK(cudaDeviceSynchronize());
            printf("%s %s: %ld of 4096 wrong\n", configs[i].variant.c_str(), configs[i].params.c_str(), checks[i]());
        }
        return 0;
    }
    return run(argc, argv, configs);
}

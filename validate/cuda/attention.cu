// attention.cu - attention, forward and backward, in the ways of today: matrix products of warps with
// copies by cp.async; producer and consumer warps with the tensor memory accelerator and products of
// four warps, where two groups take turns; and plain f32 arithmetic. Arrays are [head][position][D].
// SPDX-License-Identifier: MIT
#include "harness.h"

#include "hopper.h"
#include "tensor_maps.h"


constexpr float LOG2_E = 1.4426950408889634f;

// ---- products of a warp: 16 rows of one operand, tiles of 64 rows in shared memory ----
// A tile of 64 rows of D halves. Its pieces of 16 bytes are swizzled, so that eight rows of a column
// lie in different banks.
template <int D> struct Tile {
    __half at[64 * D];
    __device__ __half *piece(int row, int column) { return at + row * D + (column / 8 ^ (row & 7)) * 8; }
};
// Copies 64 rows by 128 threads; the rows lie behind each other.
template <int D> static __device__ __forceinline__ void copy_tile(Tile<D> &to, const __half *from)
{
#pragma unroll
    for (int i = threadIdx.x; i < 64 * D / 8; i += 128)
        copy_16(to.piece(i / (D / 8), i % (D / 8) * 8), from + i * 8);
}
static __device__ __forceinline__ void commit_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int LEFT> static __device__ __forceinline__ void wait_copies()
{
    asm volatile("cp.async.wait_group %0;" ::"n"(LEFT) : "memory");
}
static __device__ __forceinline__ void load_pieces(uint32_t *r, const __half *p)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(shared_address(p)));
}
static __device__ __forceinline__ void load_pieces_turned(uint32_t *r, const __half *p)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(shared_address(p)));
}
static __device__ __forceinline__ void multiply_add(float *d, const uint32_t *a, uint32_t b0, uint32_t b1)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
static __device__ __forceinline__ uint32_t pack(float a, float b)
{
    const __half2 h = __floats2half2_rn(a, b);
    return *reinterpret_cast<const uint32_t *>(&h);
}

// d = rows of a warp times the 64 rows of `columns`, turned.
template <int D> static __device__ __forceinline__ void rows_by_rows(float (*d)[4], Tile<D> &rows, Tile<D> &columns)
{
    const int lane = threadIdx.x % 32, first = threadIdx.x / 32 * 16;
#pragma unroll
    for (int j = 0; j < 8; j++)
        d[j][0] = d[j][1] = d[j][2] = d[j][3] = 0;
#pragma unroll
    for (int k = 0; k < D; k += 16) {
        uint32_t a[4];
        load_pieces(a, rows.piece(first + lane % 16, k + lane / 16 * 8));
#pragma unroll
        for (int j = 0; j < 8; j += 2) {
            uint32_t b[4];
            load_pieces(b, columns.piece(8 * j + lane % 8 + lane / 16 * 8, k + lane / 8 % 2 * 8));
            multiply_add(d[j], a, b[0], b[1]);
            multiply_add(d[j + 1], a, b[2], b[3]);
        }
    }
}
// d += weights (16 x 64, as rows_by_rows leaves them) times the 64 rows of `rows`.
template <int D>
static __device__ __forceinline__ void add_weighted(float (*d)[4], const float (*weights)[4], Tile<D> &rows)
{
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        const float *w = weights[2 * k], *v = weights[2 * k + 1];
        const uint32_t a[4] = {pack(w[0], w[1]), pack(w[2], w[3]), pack(v[0], v[1]), pack(v[2], v[3])};
#pragma unroll
        for (int j = 0; j < D / 8; j += 2) {
            uint32_t b[4];
            load_pieces_turned(b, rows.piece(16 * k + lane % 16, 8 * j + lane / 16 * 8));
            multiply_add(d[j], a, b[0], b[1]);
            multiply_add(d[j + 1], a, b[2], b[3]);
        }
    }
}
// Rows of a warp, times a factor of each of its two rows per lane.
template <int D>
static __device__ __forceinline__ void write_rows(__half *to, const float (*d)[4], float factor, float factor_below)
{
    const int lane = threadIdx.x % 32, row = threadIdx.x / 32 * 16 + lane / 4;
#pragma unroll
    for (int j = 0; j < D / 8; j++) {
        __half *at = to + row * D + 8 * j + lane % 4 * 2;
        *reinterpret_cast<uint32_t *>(at) = pack(d[j][0] * factor, d[j][1] * factor);
        *reinterpret_cast<uint32_t *>(at + 8 * D) = pack(d[j][2] * factor_below, d[j][3] * factor_below);
    }
}
static __device__ __forceinline__ float largest_of_four(float x)
{
    x = fmaxf(x, __shfl_xor_sync(~0u, x, 1));
    return fmaxf(x, __shfl_xor_sync(~0u, x, 2));
}
static __device__ __forceinline__ float sum_of_four(float x)
{
    x += __shfl_xor_sync(~0u, x, 1);
    return x + __shfl_xor_sync(~0u, x, 2);
}

// A block computes 64 queries, 16 per warp; keys and values come in a ring of two tiles.
template <int D, bool CAUSAL>
__global__ void __launch_bounds__(128)
    k_forward_warps(const __half *q, const __half *k, const __half *v, __half *out, float *logs, int n, float scale)
{
    extern __shared__ __align__(128) uint8_t raw[];
    Tile<D> *tiles = reinterpret_cast<Tile<D> *>(raw); // queries, two of keys, two of values
    const size_t head = (size_t)blockIdx.y * n;
    const int first = blockIdx.x * 64, steps = CAUSAL ? blockIdx.x + 1 : n / 64;
    const int lane = threadIdx.x % 32, row = first + threadIdx.x / 32 * 16 + lane / 4;
    copy_tile<D>(tiles[0], q + (head + first) * D);
    copy_tile<D>(tiles[1], k + head * D);
    copy_tile<D>(tiles[3], v + head * D);
    commit_copies();
    float sums[D / 8][4] = {}, most[2] = {-INFINITY, -INFINITY}, total[2] = {};
    for (int step = 0; step < steps; step++) {
        if (step + 1 < steps) {
            copy_tile<D>(tiles[1 + (step + 1) % 2], k + (head + (step + 1) * 64) * D);
            copy_tile<D>(tiles[3 + (step + 1) % 2], v + (head + (step + 1) * 64) * D);
        }
        commit_copies();
        wait_copies<1>();
        __syncthreads();
        float s[8][4];
        rows_by_rows<D>(s, tiles[0], tiles[1 + step % 2]);
        if (CAUSAL && step + 1 == steps)
#pragma unroll
            for (int j = 0; j < 8; j++)
#pragma unroll
                for (int e = 0; e < 4; e++)
                    if (step * 64 + 8 * j + lane % 4 * 2 + e % 2 > row + e / 2 * 8)
                        s[j][e] = -INFINITY;
#pragma unroll
        for (int half = 0; half < 2; half++) {
            float m = most[half];
#pragma unroll
            for (int j = 0; j < 8; j++)
                m = fmaxf(m, fmaxf(s[j][2 * half], s[j][2 * half + 1]));
            m = largest_of_four(m);
            const float shrink = exp2f((most[half] - m) * scale);
            most[half] = m;
            float sum = 0;
#pragma unroll
            for (int j = 0; j < 8; j++) {
                s[j][2 * half] = exp2f(s[j][2 * half] * scale - m * scale);
                s[j][2 * half + 1] = exp2f(s[j][2 * half + 1] * scale - m * scale);
                sum += s[j][2 * half] + s[j][2 * half + 1];
            }
            total[half] = total[half] * shrink + sum;
#pragma unroll
            for (int j = 0; j < D / 8; j++) {
                sums[j][2 * half] *= shrink;
                sums[j][2 * half + 1] *= shrink;
            }
        }
        add_weighted<D>(sums, s, tiles[3 + step % 2]);
        __syncthreads();
    }
    total[0] = sum_of_four(total[0]);
    total[1] = sum_of_four(total[1]);
    write_rows<D>(out + (head + first) * D, sums, 1 / total[0], 1 / total[1]);
    if (lane % 4 == 0) {
        logs[head + row] = most[0] * scale + log2f(total[0]);
        logs[head + row + 8] = most[1] * scale + log2f(total[1]);
    }
}

// Derivatives by keys and values: a block has 64 keys, 16 per warp, and goes over the queries.
// Weights come out turned, so that they are operands of the products over the queries.
template <int D, bool CAUSAL>
__global__ void __launch_bounds__(128)
    k_backward_keys(const __half *q, const __half *k, const __half *v, const __half *d_out, const float *logs,
                    const float *delta, __half *d_k, __half *d_v, int n, float scale)
{
    extern __shared__ __align__(128) uint8_t raw[];
    Tile<D> *tiles = reinterpret_cast<Tile<D> *>(raw); // keys, values, two of queries, two of d_out
    const size_t head = (size_t)blockIdx.y * n;
    const int first = blockIdx.x * 64, begin = CAUSAL ? blockIdx.x : 0, end = n / 64;
    const int lane = threadIdx.x % 32, row = first + threadIdx.x / 32 * 16 + lane / 4;
    copy_tile<D>(tiles[0], k + (head + first) * D);
    copy_tile<D>(tiles[1], v + (head + first) * D);
    copy_tile<D>(tiles[2 + begin % 2], q + (head + begin * 64) * D);
    copy_tile<D>(tiles[4 + begin % 2], d_out + (head + begin * 64) * D);
    commit_copies();
    float of_keys[D / 8][4] = {}, of_values[D / 8][4] = {};
    for (int step = begin; step < end; step++) {
        if (step + 1 < end) {
            copy_tile<D>(tiles[2 + (step + 1) % 2], q + (head + (step + 1) * 64) * D);
            copy_tile<D>(tiles[4 + (step + 1) % 2], d_out + (head + (step + 1) * 64) * D);
        }
        commit_copies();
        wait_copies<1>();
        __syncthreads();
        float p[8][4], s[8][4];
        rows_by_rows<D>(p, tiles[0], tiles[2 + step % 2]);
#pragma unroll
        for (int j = 0; j < 8; j++) {
            const int query = step * 64 + 8 * j + lane % 4 * 2;
            const float2 log = *reinterpret_cast<const float2 *>(logs + head + query);
#pragma unroll
            for (int e = 0; e < 4; e++) {
                p[j][e] = exp2f(p[j][e] * scale - (e % 2 ? log.y : log.x));
                if (CAUSAL && step == begin && query + e % 2 < row + e / 2 * 8)
                    p[j][e] = 0;
            }
        }
        add_weighted<D>(of_values, p, tiles[4 + step % 2]);
        rows_by_rows<D>(s, tiles[1], tiles[4 + step % 2]);
#pragma unroll
        for (int j = 0; j < 8; j++) {
            const int query = step * 64 + 8 * j + lane % 4 * 2;
            const float2 less = *reinterpret_cast<const float2 *>(delta + head + query);
#pragma unroll
            for (int e = 0; e < 4; e++)
                s[j][e] = p[j][e] * (s[j][e] - (e % 2 ? less.y : less.x));
        }
        add_weighted<D>(of_keys, s, tiles[2 + step % 2]);
        __syncthreads();
    }
    write_rows<D>(d_v + (head + first) * D, of_values, 1, 1);
    write_rows<D>(d_k + (head + first) * D, of_keys, scale / LOG2_E, scale / LOG2_E);
}

// Derivative by queries: a block has 64 queries and goes over the keys.
template <int D, bool CAUSAL>
__global__ void __launch_bounds__(128)
    k_backward_queries(const __half *q, const __half *k, const __half *v, const __half *d_out, const float *logs,
                       const float *delta, __half *d_q, int n, float scale)
{
    extern __shared__ __align__(128) uint8_t raw[];
    Tile<D> *tiles = reinterpret_cast<Tile<D> *>(raw); // queries, d_out, two of keys, two of values
    const size_t head = (size_t)blockIdx.y * n;
    const int first = blockIdx.x * 64, steps = CAUSAL ? blockIdx.x + 1 : n / 64;
    const int lane = threadIdx.x % 32, row = first + threadIdx.x / 32 * 16 + lane / 4;
    copy_tile<D>(tiles[0], q + (head + first) * D);
    copy_tile<D>(tiles[1], d_out + (head + first) * D);
    copy_tile<D>(tiles[2], k + head * D);
    copy_tile<D>(tiles[4], v + head * D);
    commit_copies();
    const float log[2] = {logs[head + row], logs[head + row + 8]};
    const float less[2] = {delta[head + row], delta[head + row + 8]};
    float of_queries[D / 8][4] = {};
    for (int step = 0; step < steps; step++) {
        if (step + 1 < steps) {
            copy_tile<D>(tiles[2 + (step + 1) % 2], k + (head + (step + 1) * 64) * D);
            copy_tile<D>(tiles[4 + (step + 1) % 2], v + (head + (step + 1) * 64) * D);
        }
        commit_copies();
        wait_copies<1>();
        __syncthreads();
        float p[8][4], s[8][4];
        rows_by_rows<D>(p, tiles[0], tiles[2 + step % 2]);
        rows_by_rows<D>(s, tiles[1], tiles[4 + step % 2]);
#pragma unroll
        for (int j = 0; j < 8; j++)
#pragma unroll
            for (int e = 0; e < 4; e++) {
                const int key = step * 64 + 8 * j + lane % 4 * 2 + e % 2;
                p[j][e] = exp2f(p[j][e] * scale - log[e / 2]);
                s[j][e] = p[j][e] * (s[j][e] - less[e / 2]);
                if (CAUSAL && step + 1 == steps && key > row + e / 2 * 8)
                    s[j][e] = 0;
            }
        add_weighted<D>(of_queries, s, tiles[2 + step % 2]);
        __syncthreads();
    }
    write_rows<D>(d_q + (head + first) * D, of_queries, scale / LOG2_E, scale / LOG2_E);
}

// Sums of out * d_out of each row, by a warp.
template <int D> __global__ void __launch_bounds__(128) k_delta(const __half *out, const __half *d_out, float *delta)
{
    const size_t row = blockIdx.x * 4 + threadIdx.x / 32;
    const __half2 *a = reinterpret_cast<const __half2 *>(out + row * D);
    const __half2 *b = reinterpret_cast<const __half2 *>(d_out + row * D);
    float sum = 0;
    for (int i = threadIdx.x % 32; i < D / 2; i += 32) {
        const float2 x = __half22float2(a[i]), y = __half22float2(b[i]);
        sum += x.x * y.x + x.y * y.y;
    }
    for (int apart = 16; apart > 0; apart /= 2)
        sum += __shfl_xor_sync(~0u, sum, apart);
    if (threadIdx.x % 32 == 0)
        delta[row] = sum;
}

// ---- f32: a thread has a query; a block shares tiles of 32 keys ----
template <int D, bool CAUSAL>
__global__ void __launch_bounds__(128)
    k_forward_plain(const float *q, const float *k, const float *v, float *out, int n, float scale)
{
    __shared__ float keys[32][D], values[32][D];
    const size_t head = (size_t)blockIdx.y * n;
    const int row = blockIdx.x * 128 + threadIdx.x, end = CAUSAL ? (blockIdx.x + 1) * 128 : n;
    float query[D], sums[D] = {}, most = -INFINITY, total = 0;
#pragma unroll
    for (int i = 0; i < D; i += 4) {
        const float4 x = *reinterpret_cast<const float4 *>(q + (head + row) * D + i);
        query[i] = x.x * scale, query[i + 1] = x.y * scale, query[i + 2] = x.z * scale, query[i + 3] = x.w * scale;
    }
    for (int first = 0; first < end; first += 32) {
        __syncthreads();
        for (int i = threadIdx.x; i < 32 * D / 4; i += 128) {
            reinterpret_cast<float4 *>(keys)[i] = reinterpret_cast<const float4 *>(k + (head + first) * D)[i];
            reinterpret_cast<float4 *>(values)[i] = reinterpret_cast<const float4 *>(v + (head + first) * D)[i];
        }
        __syncthreads();
        for (int j = 0; j < 32; j++) {
            float s = 0;
#pragma unroll
            for (int i = 0; i < D; i++)
                s += query[i] * keys[j][i];
            if (CAUSAL && first + j > row)
                s = -INFINITY;
            const float m = fmaxf(most, s), shrink = exp2f(most - m), p = exp2f(s - m);
            most = m;
            total = total * shrink + p;
#pragma unroll
            for (int i = 0; i < D; i++)
                sums[i] = sums[i] * shrink + p * values[j][i];
        }
    }
#pragma unroll
    for (int i = 0; i < D; i += 4)
        *reinterpret_cast<float4 *>(out + (head + row) * D + i) = make_float4(
            sums[i] / total, sums[i + 1] / total, sums[i + 2] / total, sums[i + 3] / total);
}

// ---- roles: one group of four warps loads, two groups of 64 queries each multiply, in turns ----
constexpr int KEYS = 128, QUERIES = 128;
// D / 64 pieces side by side, each with rows of 128 bytes as the tensor memory accelerator writes them.
template <int D, int ROWS> struct Pieces {
    uint8_t part[D / 64][ROWS * 128];
};
template <int D, int STAGES> struct Pipeline {
    Pieces<D, QUERIES> queries;
    Pieces<D, KEYS> keys[STAGES], values[STAGES];
    uint64_t queries_full, keys_full[STAGES], keys_empty[STAGES], values_full[STAGES], values_empty[STAGES];
    static constexpr size_t bytes() { return sizeof(Pipeline) + 1024; }
};
template <int D, int ROWS>
static __device__ __forceinline__ void load_pieces_of(Pieces<D, ROWS> &to, const CUtensorMap *map, int row, uint64_t *b)
{
    barrier_expect(b, sizeof to);
#pragma unroll
    for (int x = 0; x < D / 64; x++)
        load_tile(to.part[x], map, x * 64, row, b);
}
// d += weights in registers times 16 rows of `D` columns, which lie behind each other in a row.
template <int D> struct Weighted;
#define WEIGHTED(N, LIST, OUT, A, B, C, E, F)                                                                          \
    template <> struct Weighted<N> {                                                                                   \
        static __device__ __forceinline__ void add(float *d, const uint32_t *a, uint64_t b)                            \
        {                                                                                                              \
            asm volatile("wgmma.mma_async.sync.aligned.m64n" #N "k16.f32.f16.f16 {" LIST "}, {%" A ", %" B ", %" C      \
                         ", %" E "}, %" F ", 1, 1, 1, 1;"                                                              \
                         : OUT(d, 0)                                                                                   \
                         : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));                                        \
        }                                                                                                              \
    };
WEIGHTED(64, S32, F32, "32", "33", "34", "35", "36")
WEIGHTED(128, S64, F64, "64", "65", "66", "67", "68")
// The rows of a tile as the depth of a product: pieces of 64 columns lie KEYS rows apart.
static __device__ __forceinline__ uint64_t describe_turned(const void *tile)
{
    const uint64_t at = (shared_address(tile) & 0x3FFFF) >> 4;
    return at | (uint64_t)(KEYS * 128 >> 4) << 16 | (uint64_t)(1024 >> 4) << 32 | (uint64_t)1 << 62;
}
static __device__ __forceinline__ void meet(int which, int threads)
{
    asm volatile("bar.sync %0, %1;" ::"r"(which), "r"(threads) : "memory");
}
static __device__ __forceinline__ void announce(int which, int threads)
{
    asm volatile("bar.arrive %0, %1;" ::"r"(which), "r"(threads) : "memory");
}
template <int D>
static __device__ __forceinline__ void issue_scores(float *s, const Pieces<D, QUERIES> &queries, int group,
                                                    const Pieces<D, KEYS> &keys)
{
    product_fence();
#pragma unroll
    for (int k = 0; k < D / 16; k++)
        Product<__half, KEYS>::add(s, describe(queries.part[k / 4] + group * 64 * 128) + 2 * (k % 4),
                                   describe(keys.part[k / 4]) + 2 * (k % 4), k > 0);
    product_commit();
}
template <int D>
static __device__ __forceinline__ void issue_sums(float *sums, const uint32_t (*weights)[4],
                                                  const Pieces<D, KEYS> &values)
{
    const uint64_t at = describe_turned(values.part[0]);
    product_fence();
#pragma unroll
    for (int k = 0; k < KEYS / 16; k++)
        Weighted<D>::add(sums, weights[k], at + (16 * 128 >> 4) * k);
    product_commit();
}
// Scores to weights: what is new of the rows' maxima and totals, and the factor of earlier sums.
static __device__ __forceinline__ void weigh(float *s, float *most, float *total, float *shrink, float scale)
{
#pragma unroll
    for (int half = 0; half < 2; half++) {
        float m = most[half];
#pragma unroll
        for (int j = 0; j < KEYS / 8; j++)
            m = fmaxf(m, fmaxf(s[4 * j + 2 * half], s[4 * j + 2 * half + 1]));
        m = largest_of_four(m);
        shrink[half] = exp2f((most[half] - m) * scale);
        most[half] = m;
        float sum = 0;
#pragma unroll
        for (int j = 0; j < KEYS / 8; j++) {
            float *at = s + 4 * j + 2 * half;
            at[0] = exp2f(at[0] * scale - m * scale);
            at[1] = exp2f(at[1] * scale - m * scale);
            sum += at[0] + at[1];
        }
        total[half] = total[half] * shrink[half] + sum;
    }
}
static __device__ __forceinline__ void pack_weights(uint32_t (*weights)[4], const float *s)
{
#pragma unroll
    for (int k = 0; k < KEYS / 16; k++)
#pragma unroll
        for (int e = 0; e < 4; e++)
            weights[k][e] = pack(s[8 * k + 2 * e], s[8 * k + 2 * e + 1]);
}
template <int D, bool CAUSAL, int STAGES>
__global__ void __launch_bounds__(384)
    k_forward_roles(const __grid_constant__ CUtensorMap q, const __grid_constant__ CUtensorMap k,
                    const __grid_constant__ CUtensorMap v, const __grid_constant__ CUtensorMap out, float *logs, int n,
                    float scale)
{
    using P = Pipeline<D, STAGES>;
    extern __shared__ uint8_t raw[];
    P &pipe = *reinterpret_cast<P *>((reinterpret_cast<uintptr_t>(raw) + 1023) & ~(uintptr_t)1023);
    const int role = threadIdx.x / 128, head = blockIdx.y * n, first = blockIdx.x * QUERIES;
    const int steps = CAUSAL ? blockIdx.x + 1 : n / KEYS;
    if (threadIdx.x == 0) {
        barrier_init(&pipe.queries_full, 1);
        for (int s = 0; s < STAGES; s++) {
            barrier_init(&pipe.keys_full[s], 1);
            barrier_init(&pipe.values_full[s], 1);
            barrier_init(&pipe.keys_empty[s], 2);
            barrier_init(&pipe.values_empty[s], 2);
        }
        fence_barrier_init();
    }
    __syncthreads();
    if (role == 0) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
        if (threadIdx.x == 0) {
            load_pieces_of(pipe.queries, &q, head + first, &pipe.queries_full);
            for (int step = 0; step < steps; step++) {
                const int s = step % STAGES;
                const uint32_t phase = step / STAGES & 1;
                barrier_wait(&pipe.keys_empty[s], phase ^ 1);
                load_pieces_of(pipe.keys[s], &k, head + step * KEYS, &pipe.keys_full[s]);
                barrier_wait(&pipe.values_empty[s], phase ^ 1);
                load_pieces_of(pipe.values[s], &v, head + step * KEYS, &pipe.values_full[s]);
            }
        }
        return;
    }
    asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
    const int group = role - 1, lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4;
    const int row = first + 64 * group + 16 * warp + lane / 4;
    float sums[D / 2], s[KEYS / 2], most[2] = {-INFINITY, -INFINITY}, total[2] = {}, shrink[2];
    uint32_t weights[KEYS / 16][4];
#pragma unroll
    for (int i = 0; i < D / 2; i++)
        sums[i] = 0;
    auto mask = [&](int step) {
        if (CAUSAL && step + 1 == steps)
#pragma unroll
            for (int i = 0; i < KEYS / 2; i++)
                if (step * KEYS + i / 4 * 8 + lane % 4 * 2 + i % 2 > row + i / 2 % 2 * 8)
                    s[i] = -INFINITY;
    };
    if (group == 1)
        announce(1, 256);
    barrier_wait(&pipe.queries_full, 0);
    barrier_wait(&pipe.keys_full[0], 0);
    meet(1 + group, 256);
    issue_scores<D>(s, pipe.queries, group, pipe.keys[0]);
    product_wait<0>();
    announce(2 - group, 256);
    if (threadIdx.x % 128 == 0)
        barrier_arrive(&pipe.keys_empty[0]);
    mask(0);
    weigh(s, most, total, shrink, scale);
    pack_weights(weights, s);
    for (int step = 1; step < steps; step++) {
        const int now = step % STAGES, before = (step - 1) % STAGES;
        barrier_wait(&pipe.keys_full[now], step / STAGES & 1);
        meet(1 + group, 256);
        issue_scores<D>(s, pipe.queries, group, pipe.keys[now]);
        barrier_wait(&pipe.values_full[before], (step - 1) / STAGES & 1);
        issue_sums<D>(sums, weights, pipe.values[before]);
        announce(2 - group, 256);
        product_wait<1>();
        if (threadIdx.x % 128 == 0)
            barrier_arrive(&pipe.keys_empty[now]);
        mask(step);
        weigh(s, most, total, shrink, scale);
        product_wait<0>();
        if (threadIdx.x % 128 == 0)
            barrier_arrive(&pipe.values_empty[before]);
#pragma unroll
        for (int i = 0; i < D / 2; i++)
            sums[i] *= shrink[i / 2 % 2];
        pack_weights(weights, s);
    }
    if (group == 0) // what the other announced last
        meet(1, 256);
    const int last = (steps - 1) % STAGES;
    barrier_wait(&pipe.values_full[last], (steps - 1) / STAGES & 1);
    issue_sums<D>(sums, weights, pipe.values[last]);
    product_wait<0>();

    // The result takes the place of this group's queries.
    const float over[2] = {1 / sum_of_four(total[0]), 1 / sum_of_four(total[1])};
#pragma unroll
    for (int i = 0; i < D / 2; i += 2) {
        const int at = 64 * group + 16 * warp + lane / 4 + i / 2 % 2 * 8, column = i / 4 * 8;
        uint8_t *to = pipe.queries.part[column / 64] + at * 128 + ((column % 64 / 8 ^ (at & 7)) << 4) + lane % 4 * 4;
        *reinterpret_cast<uint32_t *>(to) = pack(sums[i] * over[i / 2 % 2], sums[i + 1] * over[i / 2 % 2]);
    }
    fence_shared();
    meet(3 + group, 128);
    if (threadIdx.x % 128 == 0) {
        for (int x = 0; x < D / 64; x++)
            store_tile(&out, x * 64, head + first + 64 * group, pipe.queries.part[x] + group * 64 * 128);
        wait_stores();
    }
    if (lane % 4 == 0) {
        logs[head + row] = most[0] * scale - log2f(over[0]);
        logs[head + row + 8] = most[1] * scale - log2f(over[1]);
    }
}

// ---- plain computation of all rows, for what backward passes read and to compare with ----
// A warp per row: out, logs.
__global__ void reference_forward(const __half *q, const __half *k, const __half *v, __half *out, float *logs, int n,
                                  int d, bool causal, float scale)
{
    const size_t row = blockIdx.x * 4 + threadIdx.x / 32, head = row / n * n;
    const int lane = threadIdx.x % 32, end = causal ? (int)(row - head) + 1 : n;
    float query[4], sums[4] = {}, most = -INFINITY, total = 0;
    for (int i = 0; i < d / 32; i++)
        query[i] = __half2float(q[row * d + lane + 32 * i]);
    for (int j = 0; j < end; j++) {
        float s = 0;
        for (int i = 0; i < d / 32; i++)
            s += query[i] * __half2float(k[(head + j) * d + lane + 32 * i]);
        for (int apart = 16; apart > 0; apart /= 2)
            s += __shfl_xor_sync(~0u, s, apart);
        const float m = fmaxf(most, s * scale), shrink = exp2f(most - m), p = exp2f(s * scale - m);
        most = m;
        total = total * shrink + p;
        for (int i = 0; i < d / 32; i++)
            sums[i] = sums[i] * shrink + p * __half2float(v[(head + j) * d + lane + 32 * i]);
    }
    for (int i = 0; i < d / 32; i++)
        out[row * d + lane + 32 * i] = __float2half(sums[i] / total);
    if (lane == 0)
        logs[row] = most + log2f(total);
}
struct Arrays {
    __half *q, *k, *v, *d_out, *out, *d_q, *d_k, *d_v;
    float *logs, *delta;
};
// Elements of rows spread over the launch: 0: d_q, 1: d_k, 2: d_v; a warp per row. The derivative by a
// score is p (d_out . v - delta).
__global__ void compare_backward(Arrays a, int which, int n, int d, size_t rows, bool causal, float scale,
                                 unsigned long long *wrong)
{
    const size_t row = (blockIdx.x * 4 + threadIdx.x / 32) * 7919ull % rows, head = row / n * n;
    const int lane = threadIdx.x % 32, me = (int)(row - head);
    float sums[4] = {}, size[4] = {};
    for (int j = 0; j < n; j++) {
        const size_t query = which == 0 ? row : head + j, key = which == 0 ? head + j : row;
        if (causal && (which == 0 ? j > me : j < me))
            continue;
        float s = 0, g = 0;
        for (int i = lane; i < d; i += 32) {
            s += __half2float(a.q[query * d + i]) * __half2float(a.k[key * d + i]);
            g += __half2float(a.d_out[query * d + i]) * __half2float(a.v[key * d + i]);
        }
        for (int apart = 16; apart > 0; apart /= 2) {
            s += __shfl_xor_sync(~0u, s, apart);
            g += __shfl_xor_sync(~0u, g, apart);
        }
        const float p = exp2f(s * scale - a.logs[query]);
        const float weight = which == 2 ? p : p * (g - a.delta[query]) * scale / LOG2_E;
        const __half *other = which == 2 ? a.d_out + query * d : which == 1 ? a.q + query * d : a.k + key * d;
        for (int i = 0; i < d / 32; i++) {
            const float x = weight * __half2float(other[lane + 32 * i]);
            sums[i] += x;
            size[i] += fabsf(x);
        }
    }
    const __half *got = (which == 0 ? a.d_q : which == 1 ? a.d_k : a.d_v) + row * d;
    for (int i = 0; i < d / 32; i++)
        if (!(fabsf(__half2float(got[lane + 32 * i]) - sums[i]) <= 5e-3f * size[i] + 1e-4f))
            atomicAdd(wrong, 1ull);
}
template <class T> __global__ void compare_arrays(const T *got, const __half *wanted, size_t count, unsigned long long *wrong)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += (size_t)gridDim.x * blockDim.x)
        if (!(fabsf((float)got[i] - __half2float(wanted[i])) <= 4e-3f * fabsf(__half2float(wanted[i])) + 2e-3f))
            atomicAdd(wrong, 1ull);
}

// ---- host ----
static CUtensorMap map_of(__half *p, int width, size_t height, int box_y)
{
    CUtensorMap map;
    const cuuint64_t extents[2] = {(cuuint64_t)width, height}, strides[1] = {(cuuint64_t)width * 2};
    const cuuint32_t box[2] = {64, (cuuint32_t)box_y}, steps[2] = {1, 1};
    const CUresult r = encode(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, p, extents, strides, box, steps,
                              CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                              CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (r != CUDA_SUCCESS) {
        fprintf(stderr, "cuTensorMapEncodeTiled: %d\n", (int)r);
        exit(1);
    }
    return map;
}
// Numbers between -1 and 1.
template <class T> __global__ void fill_random(T *p, size_t n, uint32_t seed)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        uint32_t h = (uint32_t)i * 2654435761u + seed;
        h ^= h >> 15;
        h *= 2246822519u;
        h ^= h >> 13;
        p[i] = T((float)(int)(h & 1023) / 512.f - 1.f);
    }
}
template <class T> static T *random_array(size_t n, uint32_t seed)
{
    T *p;
    CHECK(cudaMalloc(&p, n * sizeof(T)));
    fill_random<T><<<1024, 256>>>(p, n, seed);
    CHECK(cudaDeviceSynchronize());
    return p;
}
constexpr size_t MOST = 32ull * 4096 * 128; // elements of an array
static Arrays arrays;
static float *plain[4];        // q, k, v, out
static __half *wanted;         // out
static float *wanted_logs;
static unsigned long long *wrong;
static std::vector<Config> configs;
static std::vector<std::function<unsigned long long()>> checks;

static std::string params_of(int d, int n, int heads, bool causal, int stages)
{
    char s[160];
    snprintf(s, sizeof s, "D=%d;n=%d;heads=%d;causal=%d;stages=%d", d, n, heads, causal, stages);
    return s;
}
static unsigned long long finish()
{
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    return *wrong;
}
static void add(const char *variant, int d, int n, int heads, bool causal, int stages, dim3 grid, dim3 block,
                const void *f, size_t shared, std::function<void()> launch, std::function<void()> before = nullptr)
{
    if (shared > 0)
        CHECK(cudaFuncSetAttribute(f, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared));
    configs.push_back({"attention", variant, params_of(d, n, heads, causal, stages), grid, block,
                       (double)heads * n * d, f, shared, launch, before});
}
// What backward passes read: computed once per problem, not timed.
static void prepare(int d, int n, int heads, bool causal, float scale)
{
    static std::string last;
    const std::string now = params_of(d, n, heads, causal, 0);
    if (now == last)
        return;
    last = now;
    const size_t rows = (size_t)n * heads;
    reference_forward<<<rows / 4, 128>>>(arrays.q, arrays.k, arrays.v, wanted, wanted_logs, n, d, causal, scale);
    CHECK(cudaMemcpy(arrays.out, wanted, rows * d * 2, cudaMemcpyDeviceToDevice));
    CHECK(cudaMemcpy(arrays.logs, wanted_logs, rows * 4, cudaMemcpyDeviceToDevice));
    std::vector<__half> o(rows * d), g(rows * d);
    std::vector<float> sums(rows);
    CHECK(cudaMemcpy(o.data(), wanted, rows * d * 2, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(g.data(), arrays.d_out, rows * d * 2, cudaMemcpyDeviceToHost));
    for (size_t r = 0; r < rows; r++)
        for (int i = 0; i < d; i++)
            sums[r] += __half2float(o[r * d + i]) * __half2float(g[r * d + i]);
    CHECK(cudaMemcpy(arrays.delta, sums.data(), rows * 4, cudaMemcpyHostToDevice));
}
template <class T> static void check_out(const T *got, int d, int n, int heads, bool causal, float scale)
{
    checks.push_back([=] {
        *wrong = 0;
        reference_forward<<<n * heads / 4, 128>>>(arrays.q, arrays.k, arrays.v, wanted, wanted_logs, n, d, causal, scale);
        compare_arrays<T><<<1024, 256>>>(got, wanted, (size_t)n * heads * d, wrong);
        return finish();
    });
}
static void check_backward(std::vector<int> which, int d, int n, int heads, bool causal, float scale)
{
    checks.push_back([=] {
        *wrong = 0;
        for (int w : which)
            compare_backward<<<256, 128>>>(arrays, w, n, d, (size_t)n * heads, causal, scale, wrong);
        return finish();
    });
}
template <int D, bool CAUSAL> static void forward_warps(int n, int heads)
{
    const float scale = LOG2_E / sqrtf(D);
    const size_t shared = 5 * sizeof(Tile<D>);
    const dim3 grid(n / 64, heads);
    const Arrays &a = arrays;
    add("forward_warps", D, n, heads, CAUSAL, 2, grid, 128, (const void *)k_forward_warps<D, CAUSAL>, shared, [=] {
        k_forward_warps<D, CAUSAL><<<grid, 128, shared>>>(a.q, a.k, a.v, a.out, a.logs, n, scale);
    });
    check_out(arrays.out, D, n, heads, CAUSAL, scale);
}
template <int D, bool CAUSAL, int STAGES> static void forward_roles(int n, int heads)
{
    const float scale = LOG2_E / sqrtf(D);
    const size_t shared = Pipeline<D, STAGES>::bytes(), rows = (size_t)n * heads;
    const dim3 grid(n / QUERIES, heads);
    const CUtensorMap q = map_of(arrays.q, D, rows, QUERIES), k = map_of(arrays.k, D, rows, KEYS);
    const CUtensorMap v = map_of(arrays.v, D, rows, KEYS), out = map_of(arrays.out, D, rows, 64);
    float *logs = arrays.logs;
    add("forward_roles", D, n, heads, CAUSAL, STAGES, grid, 384, (const void *)k_forward_roles<D, CAUSAL, STAGES>,
        shared, [=] { k_forward_roles<D, CAUSAL, STAGES><<<grid, 384, shared>>>(q, k, v, out, logs, n, scale); });
    check_out(arrays.out, D, n, heads, CAUSAL, scale);
}
template <int D, bool CAUSAL> static void backward(int n, int heads)
{
    const float scale = LOG2_E / sqrtf(D);
    const size_t shared = 6 * sizeof(Tile<D>);
    const dim3 grid(n / 64, heads);
    const Arrays &a = arrays;
    const auto before = [=] { prepare(D, n, heads, CAUSAL, scale); };
    add("backward_keys", D, n, heads, CAUSAL, 2, grid, 128, (const void *)k_backward_keys<D, CAUSAL>, shared, [=] {
        k_backward_keys<D, CAUSAL><<<grid, 128, shared>>>(a.q, a.k, a.v, a.d_out, a.logs, a.delta, a.d_k, a.d_v, n, scale);
    }, before);
    check_backward({1, 2}, D, n, heads, CAUSAL, scale);
    add("backward_queries", D, n, heads, CAUSAL, 2, grid, 128, (const void *)k_backward_queries<D, CAUSAL>, shared, [=] {
        k_backward_queries<D, CAUSAL><<<grid, 128, shared>>>(a.q, a.k, a.v, a.d_out, a.logs, a.delta, a.d_q, n, scale);
    }, before);
    check_backward({0}, D, n, heads, CAUSAL, scale);
}
template <int D, bool CAUSAL> static void forward_plain(int n, int heads)
{
    const float scale = LOG2_E / sqrtf(D);
    const dim3 grid(n / 128, heads);
    float **a = plain;
    add("forward_plain", D, n, heads, CAUSAL, 1, grid, 128, (const void *)k_forward_plain<D, CAUSAL>, 0,
        [=] { k_forward_plain<D, CAUSAL><<<grid, 128>>>(a[0], a[1], a[2], a[3], n, scale); });
    check_out(plain[3], D, n, heads, CAUSAL, scale);
}

int main(int argc, char **argv)
{
    find_encode();
    __half **halves[] = {&arrays.q, &arrays.k, &arrays.v, &arrays.d_out, &arrays.out, &arrays.d_q, &arrays.d_k, &arrays.d_v};
    for (uint32_t i = 0; i < 8; i++)
        *halves[i] = random_array<__half>(MOST, 77 * i);
    for (uint32_t i = 0; i < 4; i++)
        plain[i] = random_array<float>(MOST / 4, 77 * i); // the same numbers
    wanted = random_array<__half>(MOST, 1);
    wanted_logs = random_array<float>(MOST / 64, 1);
    arrays.logs = random_array<float>(MOST / 64, 1);
    arrays.delta = random_array<float>(MOST / 64, 1);
    CHECK(cudaMallocManaged(&wrong, sizeof *wrong));

#ifdef FEW // those that a test predicts
    forward_warps<64, false>(2048, 64);
    forward_warps<128, true>(4096, 32);
    forward_roles<64, true, 2>(4096, 32);
    forward_roles<128, false, 2>(4096, 32);
    forward_roles<128, false, 2>(1024, 128);
    backward<64, false>(2048, 32);
#else
    forward_warps<64, false>(2048, 64);
    forward_warps<64, true>(4096, 32);
    forward_warps<128, false>(2048, 32);
    forward_warps<128, true>(4096, 32);
    forward_roles<64, false, 2>(4096, 32);
    forward_roles<64, true, 2>(4096, 32);
    forward_roles<128, false, 2>(4096, 32);
    forward_roles<128, true, 2>(4096, 32);
    forward_roles<128, false, 2>(1024, 128);
    forward_roles<64, false, 4>(8192, 16);
    backward<64, false>(2048, 32);
    backward<64, true>(4096, 16);
    backward<128, false>(2048, 16);
    backward<128, true>(4096, 16);
#endif
    {
        const Arrays &a = arrays;
        add("delta", 128, 4096, 32, false, 1, 4096 * 32 / 4, 128, (const void *)k_delta<128>, 0,
            [=] { k_delta<128><<<4096 * 32 / 4, 128>>>(a.out, a.d_out, a.delta); });
    }
    forward_plain<64, false>(2048, 16);
#ifndef FEW
    forward_plain<64, true>(2048, 16);
#endif
    if (argc > 1 && !strcmp(argv[1], "check")) { // against plain sums
        size_t next = 0;
        for (const Config &c : configs) {
            if (c.variant == "delta")
                continue;
            if (c.before)
                c.before();
            c.launch();
            CHECK(cudaDeviceSynchronize());
            printf("%s %s: %llu wrong\n", c.variant.c_str(), c.params.c_str(), checks[next++]());
            if (!c.before)
                CHECK(cudaMemset(arrays.out, 0xff, MOST * 2));
        }
        return 0;
    }
    return run(argc, argv, configs);
}

// Atomics that order blocks: tickets, persistent blocks that draw their tiles, the last block of a reduction, scan,
// selection and a pass of a radix sort by decoupled look-back, locks, the fix-up of stream-K, a barrier of the whole grid.
#include <cstdarg>
#include "harness.h"

typedef unsigned int u32;
typedef unsigned long long u64;
enum { THREADS = 256, WARPS = THREADS / 32, EMPTY = 0, PARTIAL = 1, INCLUSIVE = 2 };

static __device__ u32 draw(u32 *counter) {  // one ticket for the block
  __shared__ u32 ticket;
  if (threadIdx.x == 0) ticket = atomicAdd(counter, 1u);
  __syncthreads();
  u32 mine = ticket;
  __syncthreads();
  return mine;
}
static __device__ float worked(float x, int flops) {
#pragma unroll 1
  for (int k = 0; k < flops; k++) x = fmaf(x, 0.999f, 0.001f);
  return x;
}

// --- tickets --------------------------------------------------------------------------------------------------------------
// Every block draws one ticket, which is its tile.
template <int ITEMS> __global__ void k_ticket(const float *x, float *y, u32 *counter, int flops) {
  size_t at = (size_t)draw(counter) * THREADS * ITEMS + threadIdx.x;
#pragma unroll
  for (int k = 0; k < ITEMS; k++) y[at + k * THREADS] = worked(x[at + k * THREADS], flops);
}
// Persistent blocks draw tiles until none is left.
template <int ITEMS> __global__ void k_dynamic(const float *x, float *y, u32 *counter, u32 tiles, int flops) {
  for (u32 tile = draw(counter); tile < tiles; tile = draw(counter)) {
    size_t at = (size_t)tile * THREADS * ITEMS + threadIdx.x;
#pragma unroll
    for (int k = 0; k < ITEMS; k++) y[at + k * THREADS] = worked(x[at + k * THREADS], flops);
  }
}
// The first tile is the block's own, further ones are drawn.
template <int ITEMS> __global__ void k_dynamic_own(const float *x, float *y, u32 *counter, u32 tiles, int flops) {
  for (u32 tile = blockIdx.x; tile < tiles; tile = gridDim.x + draw(counter)) {
    size_t at = (size_t)tile * THREADS * ITEMS + threadIdx.x;
#pragma unroll
    for (int k = 0; k < ITEMS; k++) y[at + k * THREADS] = worked(x[at + k * THREADS], flops);
  }
}
// Every warp draws.
template <int ITEMS> __global__ void k_dynamic_warps(const float *x, float *y, u32 *counter, u32 tiles, int flops) {
  for (;;) {
    u32 tile = 0;
    if (threadIdx.x % 32 == 0) tile = atomicAdd(counter, 1u);
    tile = __shfl_sync(~0u, tile, 0);
    if (tile >= tiles) break;
    size_t at = (size_t)tile * 32 * ITEMS + threadIdx.x % 32;
#pragma unroll
    for (int k = 0; k < ITEMS; k++) y[at + k * 32] = worked(x[at + k * 32], flops);
  }
}

// --- the last block -------------------------------------------------------------------------------------------------------
static __device__ float block_sum(float s) {
  __shared__ float part[WARPS];
  for (int o = 16; o > 0; o /= 2) s += __shfl_down_sync(~0u, s, o);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = s;
  __syncthreads();
  s = 0;
  if (threadIdx.x == 0) for (int w = 0; w < WARPS; w++) s += part[w];
  __syncthreads();
  return s;
}
__global__ void k_sum_last(const float4 *x, float *partial, float *out, u32 *counter, int items) {
  __shared__ bool last;
  float s = 0;
  for (int k = 0; k < items; k++) {
    float4 v = x[((size_t)blockIdx.x * items + k) * THREADS + threadIdx.x];
    s += v.x + v.y + v.z + v.w;
  }
  s = block_sum(s);
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = s;
    __threadfence();
    last = atomicAdd(counter, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  s = 0;
  for (u32 i = threadIdx.x; i < gridDim.x; i += THREADS) s += __ldcg(partial + i);
  s = block_sum(s);
  if (threadIdx.x == 0) *out = s;
}
// Sums of columns: every block leaves a row of partial sums; the last one adds them all. The counter wraps around.
__global__ void k_columns_last(const float *x, float *partial, float *out, u32 *counter, int rows) {
  __shared__ bool last;
  float s = 0;
  for (int r = 0; r < rows; r++) s += x[((size_t)blockIdx.x * rows + r) * THREADS + threadIdx.x];
  __stcg(partial + (size_t)blockIdx.x * THREADS + threadIdx.x, s);
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) last = atomicInc(counter, gridDim.x - 1) == gridDim.x - 1;
  __syncthreads();
  if (!last) return;
  s = 0;
#pragma unroll 8
  for (u32 b = 0; b < gridDim.x; b++) s += __ldcg(partial + (size_t)b * THREADS + threadIdx.x);
  out[threadIdx.x] = s;
}

// --- decoupled look-back ----------------------------------------------------------------------------------------------------
static __device__ u32 warp_scan(u32 v) {  // inclusive
  for (int o = 1; o < 32; o *= 2) {
    u32 u = __shfl_up_sync(~0u, v, o);
    if (threadIdx.x % 32 >= o) v += u;
  }
  return v;
}
static __device__ u32 block_scan(u32 v, u32 *total) {  // exclusive
  __shared__ u32 sums[WARPS];
  u32 inclusive = warp_scan(v), before = 0;
  if (threadIdx.x % 32 == 31) sums[threadIdx.x / 32] = inclusive;
  __syncthreads();
  *total = 0;
  for (int w = 0; w < WARPS; w++) {
    if (w < threadIdx.x / 32) before += sums[w];
    *total += sums[w];
  }
  __syncthreads();
  return before + inclusive - v;
}
static __device__ u64 load_state(const u64 *p) { u64 v; asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(v) : "l"(p) : "memory"); return v; }
static __device__ void store_state(u64 *p, u64 v) { asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(p), "l"(v) : "memory"); }
static __device__ u64 packed(u32 flag, u32 value) { return (u64)flag << 32 | value; }

// What lies before the tile: a warp looks at 32 tiles at a time. The state of a tile is one word: flag and sum.
static __device__ u32 look_back(u64 *state, int tile, u32 total) {
  __shared__ u32 before;
  if (threadIdx.x < 32) {
    if (tile == 0) {
      if (threadIdx.x == 0) { store_state(state, packed(INCLUSIVE, total)); before = 0; }
    } else {
      if (threadIdx.x == 0) store_state(state + tile, packed(PARTIAL, total));
      u32 sum = 0;
      for (int from = tile - 32;; from -= 32) {
        int at = from + (int)(threadIdx.x % 32);
        u64 s = packed(INCLUSIVE, 0);
        if (at >= 0) do s = load_state(state + at); while (__any_sync(__activemask(), s >> 32 == EMPTY));
        u32 done = __ballot_sync(~0u, s >> 32 == INCLUSIVE);
        int first = done ? 31 - __clz(done) : 0;  // the nearest tile whose sum is complete
        u32 v = threadIdx.x >= first ? (u32)s : 0;
        for (int o = 16; o > 0; o /= 2) v += __shfl_xor_sync(~0u, v, o);
        sum += v;
        if (done) break;
      }
      if (threadIdx.x == 0) { store_state(state + tile, packed(INCLUSIVE, sum + total)); before = sum; }
    }
  }
  __syncthreads();
  return before;
}
template <int ITEMS> __global__ void k_scan(const u32 *x, u32 *y, u64 *state, u32 *counter) {
  int tile = draw(counter);
  size_t at = ((size_t)tile * THREADS + threadIdx.x) * ITEMS;
  u32 v[ITEMS], sum = 0, total;
#pragma unroll
  for (int k = 0; k < ITEMS; k += 4) *(uint4 *)(v + k) = *(const uint4 *)(x + at + k);
#pragma unroll
  for (int k = 0; k < ITEMS; k++) sum += v[k];
  u32 s = block_scan(sum, &total);
  s += look_back(state, tile, total);
#pragma unroll
  for (int k = 0; k < ITEMS; k++) { u32 next = s + v[k]; v[k] = s; s = next; }
#pragma unroll
  for (int k = 0; k < ITEMS; k += 4) *(uint4 *)(y + at + k) = *(uint4 *)(v + k);
}
// The same with flags, partial and complete sums in arrays of their own; one thread looks back.
template <int ITEMS> __global__ void k_scan_flags(const u32 *x, u32 *y, volatile u32 *flags, volatile u32 *partial, volatile u32 *complete, u32 *counter) {
  __shared__ u32 before;
  int tile = draw(counter);
  size_t at = (size_t)tile * THREADS * ITEMS + threadIdx.x;
  u32 v[ITEMS], sum = 0, total;
#pragma unroll
  for (int k = 0; k < ITEMS; k++) sum += v[k] = x[at + k * THREADS];
  u32 s = block_scan(sum, &total);
  if (threadIdx.x == 0) {
    u32 b = 0;
    if (tile > 0) {
      partial[tile] = total;
      __threadfence();
      flags[tile] = PARTIAL;
      for (int from = tile - 1;; from--) {
        u32 flag;
        while ((flag = flags[from]) == EMPTY);
        __threadfence();
        if (flag == INCLUSIVE) { b += complete[from]; break; }
        b += partial[from];
      }
    }
    complete[tile] = b + total;
    __threadfence();
    flags[tile] = INCLUSIVE;
    before = b;
  }
  __syncthreads();
  s += before;
#pragma unroll
  for (int k = 0; k < ITEMS; k++) { y[at + k * THREADS] = s; s += v[k]; }
}
// Elements below a limit, in order.
template <int ITEMS> __global__ void k_select(const u32 *x, u32 *y, u64 *state, u32 *counter, u32 limit) {
  int tile = draw(counter);
  size_t at = (size_t)tile * THREADS * ITEMS + threadIdx.x;
  u32 v[ITEMS], n = 0, total;
#pragma unroll
  for (int k = 0; k < ITEMS; k++) n += (v[k] = x[at + k * THREADS]) < limit;
  u32 to = block_scan(n, &total);
  to += look_back(state, tile, total);
#pragma unroll
  for (int k = 0; k < ITEMS; k++) if (v[k] < limit) y[to++] = v[k];
}
// The same without order: a block reserves room with one atomic.
template <int ITEMS> __global__ void k_compact(const u32 *x, u32 *y, u32 *counter, u32 limit) {
  __shared__ u32 first;
  size_t at = (size_t)blockIdx.x * THREADS * ITEMS + threadIdx.x;
  u32 v[ITEMS], n = 0, total;
#pragma unroll
  for (int k = 0; k < ITEMS; k++) n += (v[k] = x[at + k * THREADS]) < limit;
  u32 to = block_scan(n, &total);
  if (threadIdx.x == 0) first = atomicAdd(counter, total);
  __syncthreads();
  to += first;
#pragma unroll
  for (int k = 0; k < ITEMS; k++) if (v[k] < limit) y[to++] = v[k];
}
// One pass of a radix sort over 8 bits: digits are counted and looked back for one by one; starts holds where each begins.
template <int ITEMS> __global__ void k_onesweep(const u32 *x, u32 *y, u64 *state, u32 *counter, const u32 *starts, int shift) {
  __shared__ u32 count[THREADS], to[THREADS];
  int tile = draw(counter), digit = threadIdx.x;
  count[digit] = 0;
  __syncthreads();
  size_t at = (size_t)tile * THREADS * ITEMS + threadIdx.x;
  u32 v[ITEMS], rank[ITEMS];
#pragma unroll
  for (int k = 0; k < ITEMS; k++) { v[k] = x[at + k * THREADS]; rank[k] = atomicAdd(&count[v[k] >> shift & 255], 1u); }
  __syncthreads();
  u32 mine = count[digit], before = 0;
  if (tile > 0) {
    store_state(state + (size_t)tile * THREADS + digit, packed(PARTIAL, mine));
    for (int from = tile - 1;; from--) {
      u64 s;
      do s = load_state(state + (size_t)from * THREADS + digit); while (s >> 32 == EMPTY);
      before += (u32)s;
      if (s >> 32 == INCLUSIVE) break;
    }
  }
  store_state(state + (size_t)tile * THREADS + digit, packed(INCLUSIVE, before + mine));
  to[digit] = starts[digit] + before;
  __syncthreads();
#pragma unroll
  for (int k = 0; k < ITEMS; k++) y[to[v[k] >> shift & 255] + rank[k]] = v[k];
}

// --- locks, waits ---------------------------------------------------------------------------------------------------------
// A block adds its sums to a row of a table under the lock of that row.
__global__ void k_lock(const float *x, float *table, u32 *locks, u32 rows, int items) {
  float s = 0;
  for (int k = 0; k < items; k++) s += x[((size_t)blockIdx.x * items + k) * THREADS + threadIdx.x];
  u32 row = (blockIdx.x * 2654435761u >> 8) % rows;
  if (threadIdx.x == 0) while (atomicCAS(locks + row, 0u, 1u) != 0);
  __syncthreads();
  float *at = table + (size_t)row * THREADS + threadIdx.x;
  __stcg(at, __ldcg(at) + s);
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) atomicExch(locks + row, 0u);
}
// Tiles of `deep` steps each are cut into equal parts, one per block. A block begins with its last tile: if another one ends
// it, that one waits for its sums.
__global__ void k_stream_k(const float *x, float *y, float *partial, volatile u32 *flags, int tiles, int deep) {
  long all = (long)tiles * deep, from = all * blockIdx.x / gridDim.x, to = all * (blockIdx.x + 1) / gridDim.x;
  while (from < to) {
    int tile = (to - 1) / deep;
    long first = (long)tile * deep, begin = first > from ? first : from;
    float s = 0;
#pragma unroll 4
    for (long i = begin; i < to; i++) s += x[i * THREADS + threadIdx.x];
    if (to < first + deep) {
      __stcg(partial + (size_t)blockIdx.x * THREADS + threadIdx.x, s);
      __threadfence();
      __syncthreads();
      if (threadIdx.x == 0) flags[blockIdx.x] = 1;
    } else {
      long known = begin;
      for (int b = (int)blockIdx.x - 1; known > first; b--) {
        if (threadIdx.x == 0) while (flags[b] == 0);
        __syncthreads();
        __threadfence();
        s += __ldcg(partial + (size_t)b * THREADS + threadIdx.x);
        known = all * b / gridDim.x;
      }
      y[(size_t)tile * THREADS + threadIdx.x] = s;
    }
    to = begin;
  }
}
// Two steps with a barrier of all blocks between them.
__global__ void k_grid_barrier(const float *x, float *y, float *z, volatile u32 *arrived, int items) {
  size_t threads = (size_t)gridDim.x * THREADS, i = blockIdx.x * THREADS + threadIdx.x;
  for (int k = 0; k < items; k++) y[i + k * threads] = 2 * x[i + k * threads];
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicAdd((u32 *)arrived, 1u);
    while (*arrived < gridDim.x);
  }
  __syncthreads();
  for (int k = 0; k < items; k++) z[i + k * threads] = __ldcg(y + threads * items - 1 - i - k * threads);
}

static std::vector<Config> launches;
static std::string P(const char *fmt, ...) { char s[200]; va_list a; va_start(a, fmt); vsnprintf(s, sizeof s, fmt, a); va_end(a); return s; }
static u32 *words;  // counters, flags, locks
static u64 *state;
static size_t state_bytes = (size_t)1 << 27;
static void clear() { CHECK(cudaMemset(words, 0, 1 << 22)); CHECK(cudaMemset(state, 0, state_bytes)); }
#define LAUNCH(variant, params, g, K, ...) do { auto *k_ = K; dim3 g_(g), b_(THREADS); \
  launches.push_back({"tickets", variant, params, g_, b_, (double)g_.x * b_.x, (const void *)k_, 0, [=] { k_<<<g_, b_>>>(__VA_ARGS__); }, clear}); } while (0)
__global__ void make_keys(u32 *p, size_t n) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
    u32 h = (u32)i * 0x9e3779b1u; h = (h ^ h >> 16) * 0x85ebca6bu; h = (h ^ h >> 13) * 0xc2b2ae35u; p[i] = h ^ h >> 16;
  }
}
__global__ void spread_starts(u32 *starts, u32 n) { starts[threadIdx.x] = n / 256 * threadIdx.x; }

int main(int argc, char **argv) {
  size_t n = (size_t)1 << 26;
  float *x = device_array<float>(n), *y = device_array<float>(n + (1 << 22)), *z = device_array<float>(n), *part = device_array<float>(1 << 22);
  u32 *keys, *starts; CHECK(cudaMalloc(&keys, n * 4)); CHECK(cudaMalloc(&starts, 1024)); make_keys<<<1024, 256>>>(keys, n);
  u32 *out = (u32 *)y;
  CHECK(cudaMalloc(&words, 1 << 22)); CHECK(cudaMalloc(&state, state_bytes));
  int sms; CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  for (int flops : {0, 64}) {
    for (u32 tiles : {65536u, 16384u}) {
      LAUNCH("ticket", P("items=4;flops=%d", flops), tiles, k_ticket<4>, x, y, words, flops);
      LAUNCH("dynamic", P("items=4;tiles=%u;flops=%d", tiles, flops), 8 * sms, k_dynamic<4>, x, y, words, tiles, flops);
    }
    LAUNCH("dynamic_own", P("items=4;tiles=65536;flops=%d", flops), 4 * sms, k_dynamic_own<4>, x, y, words, 65536u, flops);
    LAUNCH("dynamic_warps", P("items=4;tiles=524288;flops=%d", flops), 8 * sms, k_dynamic_warps<4>, x, y, words, 524288u, flops);
  }
  for (int items : {2, 16}) LAUNCH("sum_last", P("items=%d", items), 65536 / items, k_sum_last, (float4 *)x, part, part + (1 << 21), words, items);
  for (int rows : {32, 128}) LAUNCH("columns_last", P("rows=%d", rows), 262144 / rows, k_columns_last, x, part, part + (1 << 21), words, rows);
  LAUNCH("scan", "items=16", n / THREADS / 16, k_scan<16>, keys, out, state, words);
  LAUNCH("scan", "items=8", n / THREADS / 8, k_scan<8>, keys, out, state, words);
  LAUNCH("scan_flags", "items=16", n / THREADS / 16, k_scan_flags<16>, keys, out, words + 65536, words + 131072, words + 262144, words);
  for (double share : {0.1, 0.5}) {
    u32 limit = (u32)(share * 4294967296.0);
    LAUNCH("select", P("items=16;limit=%u", limit), n / THREADS / 16, k_select<16>, keys, out, state, words, limit);
    LAUNCH("compact", P("items=16;limit=%u", limit), n / THREADS / 16, k_compact<16>, keys, out, words, limit);
  }
  for (size_t m : {n, n / 4}) {
    LAUNCH("onesweep", P("items=16;keys=%zu;shift=8", m), m / THREADS / 16, k_onesweep<16>, keys, out, state, words, starts, 8);
    launches.back().before = [=] { clear(); spread_starts<<<1, 256>>>(starts, (u32)(m + (1 << 21))); CHECK(cudaDeviceSynchronize()); };
  }
  for (int rows : {4096, 64}) LAUNCH("lock", P("rows=%d;items=64", rows), 4096, k_lock, x, part, words, rows, 64);
  LAUNCH("stream_k", "tiles=300;deep=800", 4 * sms, k_stream_k, x, y, part, words, 300, 800);
  LAUNCH("stream_k", "tiles=2000;deep=100", 8 * sms, k_stream_k, x, y, part, words, 2000, 100);
  for (int items : {32, 256}) LAUNCH("grid_barrier", P("items=%d", items), 4 * sms, k_grid_barrier, x, y, z, words, items);
  return run(argc, argv, launches);
}

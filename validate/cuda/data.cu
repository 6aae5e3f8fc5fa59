// Kernels whose addresses or control flow depend on data (inputs.h makes it), and kernels that use what the other programs do
// not: shuffles, scans, asynchronous copies, tensor cores, single arithmetic operations.
#include <cstdarg>
#include <cuda_fp16.h>
#include <mma.h>
#include "harness.h"
#include "inputs.h"

// --- gather --------------------------------------------------------------------------------------------------------------
__global__ void k_gather(const float *__restrict__ x, const unsigned *__restrict__ index, float *__restrict__ y, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = x[index[i]];
}

// --- sparse matrix times vector ------------------------------------------------------------------------------------------
__global__ void k_spmv_scalar(const unsigned *__restrict__ first, const unsigned *__restrict__ column, const float *__restrict__ value,
                              const float *__restrict__ x, float *__restrict__ y, unsigned rows) {
  unsigned r = blockIdx.x * blockDim.x + threadIdx.x; if (r >= rows) return;
  float sum = 0; for (unsigned e = first[r]; e < first[r + 1]; e++) sum += value[e] * x[column[e]];
  y[r] = sum;
}
// The same loop, one iteration at a time: neither compiler nor assembler joins iterations.
__global__ void k_spmv_plain(const unsigned *__restrict__ first, const unsigned *__restrict__ column, const float *__restrict__ value,
                             const float *__restrict__ x, float *__restrict__ y, unsigned rows) {
  unsigned r = blockIdx.x * blockDim.x + threadIdx.x; if (r >= rows) return;
  float sum = 0;
#pragma unroll 1
  for (unsigned e = first[r]; e < first[r + 1]; e++) sum += value[e] * x[column[e]];
  y[r] = sum;
}
__global__ void k_spmv_vector(const unsigned *__restrict__ first, const unsigned *__restrict__ column, const float *__restrict__ value,
                              const float *__restrict__ x, float *__restrict__ y, unsigned rows) {
  unsigned r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32; if (r >= rows) return;
  float sum = 0; for (unsigned e = first[r] + lane; e < first[r + 1]; e += 32) sum += value[e] * x[column[e]];
  for (int d = 16; d; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d);
  if (lane == 0) y[r] = sum;
}

// --- one step of a breadth-first search ----------------------------------------------------------------------------------
// What is reached goes to another array, so that counts do not depend on who comes first ...
__global__ void k_bfs_level(const unsigned *__restrict__ first, const unsigned *__restrict__ column, const int *__restrict__ level,
                            int *__restrict__ next, unsigned vertices, int depth) {
  unsigned v = blockIdx.x * blockDim.x + threadIdx.x; if (v >= vertices || level[v] != depth) return;
  for (unsigned e = first[v]; e < first[v + 1]; e++) { unsigned w = column[e]; if (level[w] < 0) next[w] = depth + 1; }
}
// ... or to the same one, as usual.
__global__ void k_bfs_in_place(const unsigned *__restrict__ first, const unsigned *__restrict__ column, int *level, int *changed,
                               unsigned vertices, int depth) {
  unsigned v = blockIdx.x * blockDim.x + threadIdx.x; if (v >= vertices || level[v] != depth) return;
  for (unsigned e = first[v]; e < first[v + 1]; e++) { unsigned w = column[e]; if (level[w] == -1) { level[w] = depth + 1; *changed = 1; } }
}
__global__ void k_bfs_bits(const unsigned *__restrict__ first, const unsigned *__restrict__ column, const unsigned *__restrict__ frontier,
                           const unsigned *__restrict__ visited, unsigned *next, unsigned vertices) {
  unsigned v = blockIdx.x * blockDim.x + threadIdx.x; if (v >= vertices || !(frontier[v / 32] >> v % 32 & 1)) return;
  for (unsigned e = first[v]; e < first[v + 1]; e++) {
    unsigned w = column[e], bit = 1u << w % 32; if (!(visited[w / 32] & bit)) atomicOr(&next[w / 32], bit);
  }
}

// --- atomics -------------------------------------------------------------------------------------------------------------
__global__ void k_histogram(const unsigned *__restrict__ x, unsigned *h, long n, unsigned bins) {
  extern __shared__ unsigned s[]; for (unsigned b = threadIdx.x; b < bins; b += blockDim.x) s[b] = 0; __syncthreads();
  for (long i = (long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (long)gridDim.x * blockDim.x) atomicAdd(&s[x[i] % bins], 1u);
  __syncthreads(); for (unsigned b = threadIdx.x; b < bins; b += blockDim.x) atomicAdd(&h[b], s[b]);
}
__global__ void k_scatter_add(const unsigned *__restrict__ x, unsigned *h, long n, unsigned bins) {
  long i = (long)blockIdx.x * blockDim.x + threadIdx.x; if (i < n) atomicAdd(&h[x[i] % bins], 1u);
}
__global__ void k_append(const unsigned *__restrict__ x, unsigned *__restrict__ y, unsigned *count, unsigned n, unsigned below) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n && x[i] < below) y[atomicAdd(count, 1u)] = x[i];
}

// --- control flow --------------------------------------------------------------------------------------------------------
__global__ void k_collatz(const unsigned *__restrict__ x, unsigned *__restrict__ y, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return;
  unsigned v = x[i], steps = 0; while (v != 1) { v = v & 1 ? 3 * v + 1 : v >> 1; steps++; }
  y[i] = steps;
}
__global__ void k_switch(const unsigned *__restrict__ x, float *__restrict__ y, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return;
  unsigned v = x[i]; float a = (float)(v >> 8), r;
  switch (v & 7) {
  case 0: r = a * 2.f + 1.f; break;
  case 1: r = sqrtf(a); break;
  case 2: r = __expf(a * 1e-8f); break;
  case 3: r = 0; for (unsigned k = 0; k < (v >> 28); k++) r = r * a + 1.f; break;
  case 4: r = a / (a + 3.f); break;
  case 5: r = __int_as_float((v >> 9) | 0x3f800000); break;
  case 6: r = fminf(a, 1e6f) + fmaxf(a, 1e3f); break;
  default: r = -a; break;
  }
  y[i] = r;
}

// --- shared memory, shuffles ---------------------------------------------------------------------------------------------
__global__ void k_matmul_tiled(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int n) {
  __shared__ float ta[32][32], tb[32][32];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y; float sum = 0;
  for (int k = 0; k < n; k += 32) {
    ta[threadIdx.y][threadIdx.x] = a[y * n + k + threadIdx.x]; tb[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + x];
    __syncthreads();
    for (int j = 0; j < 32; j++) sum += ta[threadIdx.y][j] * tb[j][threadIdx.x];
    __syncthreads();
  }
  c[y * n + x] = sum;
}
__global__ void k_scan_shared(const float *__restrict__ x, float *__restrict__ y, unsigned n) {
  extern __shared__ float t[]; unsigned i = blockIdx.x * blockDim.x + threadIdx.x, from = 0, to = blockDim.x;
  t[threadIdx.x] = i < n ? x[i] : 0; __syncthreads();
  for (unsigned d = 1; d < blockDim.x; d *= 2) {
    t[to + threadIdx.x] = t[from + threadIdx.x] + (threadIdx.x >= d ? t[from + threadIdx.x - d] : 0); __syncthreads();
    unsigned swap = from; from = to; to = swap;
  }
  if (i < n) y[i] = t[from + threadIdx.x];
}
__global__ void k_scan_shuffle(const float *__restrict__ x, float *__restrict__ y, unsigned n) {
  __shared__ float sums[32]; unsigned i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float v = i < n ? x[i] : 0;
  for (unsigned d = 1; d < 32; d *= 2) { float w = __shfl_up_sync(0xffffffffu, v, d); if (lane >= d) v += w; }
  if (lane == 31) sums[warp] = v;
  __syncthreads();
  if (warp == 0) {
    float s = lane < blockDim.x / 32 ? sums[lane] : 0;
    for (unsigned d = 1; d < 32; d *= 2) { float w = __shfl_up_sync(0xffffffffu, s, d); if (lane >= d) s += w; }
    sums[lane] = s;
  }
  __syncthreads();
  if (warp) v += sums[warp - 1];
  if (i < n) y[i] = v;
}
__global__ void k_reduce_shuffle(const float4 *__restrict__ x, float *__restrict__ y, unsigned n) {
  __shared__ float sums[32]; float v = 0;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) { float4 w = x[i]; v += w.x + w.y + w.z + w.w; }
  for (int d = 16; d; d /= 2) v += __shfl_xor_sync(0xffffffffu, v, d);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x < 32) {
    v = threadIdx.x < blockDim.x / 32 ? sums[threadIdx.x] : 0;
    for (int d = 16; d; d /= 2) v += __shfl_xor_sync(0xffffffffu, v, d);
    if (threadIdx.x == 0) atomicAdd(y, v);
  }
}
// Banks: a warp reads elements 'stride' apart, 'rounds' times.
__device__ inline float total(float v) { return v; }
__device__ inline double total(double v) { return v; }
__device__ inline float total(float4 v) { return v.x + v.y + v.z + v.w; }
template <class T> __global__ void k_banks(float *__restrict__ y, int stride, int rounds) {
  __shared__ T t[1024]; float *words = (float *)t; for (int i = threadIdx.x; i < (int)(sizeof t / 4); i += blockDim.x) words[i] = (float)i; __syncthreads();
  float s = 0; for (int r = 0; r < rounds; r++) s += (float)total(t[(threadIdx.x * stride + r) & 1023]);
  y[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
// An array of each thread that data index: local memory.
__global__ void k_local(const unsigned *__restrict__ x, unsigned *__restrict__ y, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return;
  unsigned count[32]; for (int k = 0; k < 32; k++) count[k] = (unsigned)k;
  unsigned v = x[i]; for (int k = 0; k < 16; k++) { count[v & 31] += v; v = v >> 1 | v << 31; }
  y[i] = count[x[i] >> 27];
}

// --- asynchronous copies -------------------------------------------------------------------------------------------------
__global__ void k_copy_async(const float4 *__restrict__ x, float4 *__restrict__ y, unsigned tiles) {
  __shared__ float4 t[2][256]; unsigned place = threadIdx.x, step = gridDim.x;
  auto fetch = [&](unsigned tile, int stage) {
    unsigned to = (unsigned)__cvta_generic_to_shared(&t[stage][place]);
    if (tile < tiles) asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(x + (size_t)tile * 256 + place));
    asm volatile("cp.async.commit_group;");
  };
  fetch(blockIdx.x, 0);
  int stage = 0;
  for (unsigned tile = blockIdx.x; tile < tiles; tile += step, stage ^= 1) {
    fetch(tile + step, stage ^ 1);
    asm volatile("cp.async.wait_group 1;"); __syncthreads();
    y[(size_t)tile * 256 + place] = t[stage][place ^ 1]; __syncthreads();
  }
}

// --- tensor cores --------------------------------------------------------------------------------------------------------
__global__ void k_wmma(const half *__restrict__ a, const half *__restrict__ b, float *__restrict__ c, int n) {
  using namespace nvcuda::wmma;
  int tile = (blockIdx.x * blockDim.x + threadIdx.x) / 32, row = tile / (n / 16) * 16, col = tile % (n / 16) * 16;
  fragment<matrix_a, 16, 16, 16, half, row_major> fa; fragment<matrix_b, 16, 16, 16, half, row_major> fb; fragment<accumulator, 16, 16, 16, float> fc;
  fill_fragment(fc, 0.f);
  for (int k = 0; k < n; k += 16) { load_matrix_sync(fa, a + row * n + k, n); load_matrix_sync(fb, b + k * n + col, n); mma_sync(fc, fa, fb, fc); }
  store_matrix_sync(c + row * n + col, fc, n, mem_row_major);
}
// A block of four warps computes 64 x 64, a warp 32 x 32, from tiles in shared memory.
__global__ void k_mma(const half *__restrict__ a, const half *__restrict__ b, float *__restrict__ c, int n) {
  __shared__ __align__(16) half ta[64][40], tb[32][72];
  int t = threadIdx.x, lane = t % 32, wr = t / 64 * 32, wc = t / 32 % 2 * 32, row = blockIdx.y * 64, col = blockIdx.x * 64;
  float acc[2][4][4] = {};
  for (int k = 0; k < n; k += 32) {
    for (int i = t; i < 256; i += 128) {
      *(float4 *)&ta[i / 4][i % 4 * 8] = *(const float4 *)&a[(size_t)(row + i / 4) * n + k + i % 4 * 8];
      *(float4 *)&tb[i / 8][i % 8 * 8] = *(const float4 *)&b[(size_t)(k + i / 8) * n + col + i % 8 * 8];
    }
    __syncthreads();
#pragma unroll
    for (int kk = 0; kk < 32; kk += 16) {
      unsigned fa[2][4], fb[4][2];
      for (int i = 0; i < 2; i++) {
        unsigned from = (unsigned)__cvta_generic_to_shared(&ta[wr + i * 16 + lane % 16][kk + lane / 16 * 8]);
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(fa[i][0]), "=r"(fa[i][1]), "=r"(fa[i][2]), "=r"(fa[i][3]) : "r"(from));
      }
      for (int j = 0; j < 4; j++) {
        unsigned from = (unsigned)__cvta_generic_to_shared(&tb[kk + lane % 16][wc + j * 8]);
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];" : "=r"(fb[j][0]), "=r"(fb[j][1]) : "r"(from));
      }
      for (int i = 0; i < 2; i++) for (int j = 0; j < 4; j++)
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
          : "+f"(acc[i][j][0]), "+f"(acc[i][j][1]), "+f"(acc[i][j][2]), "+f"(acc[i][j][3])
          : "r"(fa[i][0]), "r"(fa[i][1]), "r"(fa[i][2]), "r"(fa[i][3]), "r"(fb[j][0]), "r"(fb[j][1]));
    }
    __syncthreads();
  }
  for (int i = 0; i < 2; i++) for (int j = 0; j < 4; j++) {
    float *o = c + (size_t)(row + wr + i * 16 + lane / 4) * n + col + wc + j * 8 + lane % 4 * 2;
    *(float2 *)o = make_float2(acc[i][j][0], acc[i][j][1]); *(float2 *)(o + (size_t)8 * n) = make_float2(acc[i][j][2], acc[i][j][3]);
  }
}

// --- one arithmetic operation per element --------------------------------------------------------------------------------
#pragma nv_diag_suppress 550 // y is not always needed
#define OPERATIONS(X) \
  X(copy, float, x) X(div, float, x / (x + y)) X(rcp, float, 1.f / x) X(sqrt, float, sqrtf(x)) X(rsqrt, float, rsqrtf(x)) \
  X(exp, float, expf(x)) X(log, float, logf(x)) X(sin, float, sinf(x)) X(pow, float, powf(x, y)) X(tanh, float, tanhf(x)) \
  X(copy, double, x) X(div, double, x / (x + y)) X(sqrt, double, sqrt(x)) X(rsqrt, double, rsqrt(x)) X(exp, double, exp(x)) X(log, double, log(x)) \
  X(copy, int, x) X(div, int, x / y) X(rem, int, x % y) X(copy, unsigned, x) X(div, unsigned, x / y) X(rem, unsigned, x % y) \
  X(by10, unsigned, x / 10) X(mul, long, x * y) X(copy, long, x) X(div, long, x / y) X(rem, long, x % y) X(min, long, x < y ? x : y) \
  X(shift, long, x >> (y & 63)) X(popc, unsigned, (unsigned)__popc(x)) X(int2float, int, (int)((float)x * 1.5f)) X(float2int, float, (float)(int)(x * 100.f))
#define KERNEL(name, type, expression) \
  __global__ void k_math_##name##_##type(const type *__restrict__ a, const type *__restrict__ b, type *__restrict__ c, unsigned n) { \
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; type x = a[i], y = b[i]; (void)y; c[i] = expression; }
OPERATIONS(KERNEL)

static std::vector<Config> cs;
static void add(std::string fam, std::string var, std::string params, dim3 g, dim3 b, double work, const void *f, std::function<void()> l, size_t smem = 0,
                std::function<void()> before = nullptr) { cs.push_back({fam, var, params, g, b, work, f, smem, l, before}); }
static std::string P(const char *fmt, ...) { char s[200]; va_list a; va_start(a, fmt); vsnprintf(s, sizeof s, fmt, a); va_end(a); return s; }
template <class T> static T *upload(const T *from, size_t n) { T *p; CHECK(cudaMalloc(&p, n * sizeof(T))); CHECK(cudaMemcpy(p, from, n * sizeof(T), cudaMemcpyHostToDevice)); return p; }
static unsigned *upload_list(unsigned n, uint32_t (*f)(uint32_t)) { std::vector<unsigned> v(n); for (unsigned i = 0; i < n; i++) v[i] = f(i); return upload(v.data(), n); }

static void data_dependent(float *f1, float *f2, unsigned *u2) {
  struct { const char *name; uint32_t (*f)(uint32_t); } lists[] = {{"uniform", index_uniform}, {"clustered", index_clustered}, {"sorted", index_sorted}, {"iota", index_iota}};
  for (auto &l : lists) { unsigned n = GATHER_COUNT, *index = upload_list(n, l.f); dim3 b(256), g(n / 256);
    add("gather", l.name, P("n=%u;table=%u", n, GATHER_TABLE), g, b, n, (const void *)k_gather, [=] { k_gather<<<g, b>>>(f1, index, f2, n); }); }
  struct { const char *name; uint32_t (*f)(uint32_t); uint32_t stream; } matrices[] = {{"constant", length_constant, 15}, {"uniform", length_uniform, 16}, {"power", length_power, 17}};
  for (auto &m : matrices) { rows q = rows_make(MATRIX_ROWS, m.f, m.stream); unsigned r = q.count, *first = upload(q.first, r + 1), *column = upload(q.column, q.entries);
    std::string p = P("rows=%u;entries=%u", r, q.entries); dim3 b(256), gs(r / 256), gv(r / 8);
    add("spmv", std::string("scalar_") + m.name, p, gs, b, q.entries, (const void *)k_spmv_scalar, [=] { k_spmv_scalar<<<gs, b>>>(first, column, f1, f1 + (1 << 26), f2, r); });
    add("spmv", std::string("plain_") + m.name, p, gs, b, q.entries, (const void *)k_spmv_plain, [=] { k_spmv_plain<<<gs, b>>>(first, column, f1, f1 + (1 << 26), f2, r); });
    add("spmv", std::string("vector_") + m.name, p, gv, b, q.entries, (const void *)k_spmv_vector, [=] { k_spmv_vector<<<gv, b>>>(first, column, f1, f1 + (1 << 26), f2, r); }); }
  rows graph = graph_make(); unsigned v = graph.count, *first = upload(graph.first, v + 1), *column = upload(graph.column, graph.entries);
  for (int depth : {6, 7}) { int32_t *levels = levels_make(&graph, depth); int *level = upload(levels, v), *own = upload(levels, v), *next = (int *)f2;
    unsigned *frontier = upload(bits_make(levels, v, depth), v / 32), *visited = upload(bits_make(levels, v, -1), v / 32);
    std::string p = P("vertices=%u;edges=%u;depth=%d", v, graph.entries, depth); dim3 b(256), g(v / 256);
    add("bfs", "level", p, g, b, v, (const void *)k_bfs_level, [=] { k_bfs_level<<<g, b>>>(first, column, level, next, v, depth); });
    add("bfs", "in_place", p, g, b, v, (const void *)k_bfs_in_place, [=] { k_bfs_in_place<<<g, b>>>(first, column, own, next, v, depth); }, 0,
        [=] { CHECK(cudaMemcpy(own, level, v * 4, cudaMemcpyDeviceToDevice)); CHECK(cudaDeviceSynchronize()); });
    add("bfs", "bits", p, g, b, v, (const void *)k_bfs_bits, [=] { k_bfs_bits<<<g, b>>>(first, column, frontier, visited, (unsigned *)next, v); }); }
  struct { const char *name; uint32_t (*f)(uint32_t); } binned[] = {{"random", binned_random}, {"skewed", binned_skewed}};
  for (auto &l : binned) { long n = BINNED_COUNT; unsigned *x = upload_list((unsigned)n, l.f); dim3 b(256), gh(264), gs((unsigned)n / 256);
    for (unsigned bins : {256u, 1000u}) add("histogram", l.name, P("n=%ld;bins=%u", n, bins), gh, b, (double)n, (const void *)k_histogram, [=] { k_histogram<<<gh, b, bins * 4>>>(x, u2, n, bins); }, bins * 4);
    for (unsigned bins : {1u << 10, 1000000u}) add("scatter_add", l.name, P("n=%ld;bins=%u", n, bins), gs, b, (double)n, (const void *)k_scatter_add, [=] { k_scatter_add<<<gs, b>>>(x, u2, n, bins); });
    unsigned m = (unsigned)n, *count = u2 + (1 << 26), below = 1u << 30;
    add("append", l.name, P("n=%u;below=%u", m, below), gs, b, m, (const void *)k_append, [=] { k_append<<<gs, b>>>(x, u2, count, m, below); }, 0, [=] { CHECK(cudaMemset(count, 0, 4)); CHECK(cudaDeviceSynchronize()); }); }
  unsigned n = COLLATZ_COUNT, *start = upload_list(n, collatz_start), *cases = upload_list(n, switch_case); dim3 b(256), g(n / 256);
  add("collatz", "u32", P("n=%u", n), g, b, n, (const void *)k_collatz, [=] { k_collatz<<<g, b>>>(start, u2, n); });
  add("switch", "u32", P("n=%u", n), g, b, n, (const void *)k_switch, [=] { k_switch<<<g, b>>>(cases, f2, n); });
  add("local", "u32", P("n=%u", n), g, b, n, (const void *)k_local, [=] { k_local<<<g, b>>>(cases, u2, n); });
}
static void block_wide(float *f1, float *f2) {
  for (int n : {512, 1024}) { dim3 b(32, 32), g(n / 32, n / 32); add("matmul_tiled", "b32", P("n=%d", n), g, b, (double)n * n, (const void *)k_matmul_tiled, [=] { k_matmul_tiled<<<g, b>>>(f1, f1 + n * n, f2, n); }); }
  unsigned n = 1u << 22; for (unsigned th : {128u, 512u}) { dim3 b(th), g(n / th), gr(1056);
    add("scan", "shared", P("n=%u", n), g, b, n, (const void *)k_scan_shared, [=] { k_scan_shared<<<g, b, th * 8>>>(f1, f2, n); }, th * 8);
    add("scan", "shuffle", P("n=%u", n), g, b, n, (const void *)k_scan_shuffle, [=] { k_scan_shuffle<<<g, b>>>(f1, f2, n); });
    add("reduce_shuffle", "b32", P("n=%u", 4 * n), gr, b, 4. * n, (const void *)k_reduce_shuffle, [=] { k_reduce_shuffle<<<gr, b>>>((const float4 *)f1, f2, n); }); }
  auto banks = [&](const char *name, auto k) { for (int stride : {1, 2, 3, 8, 32, 33}) { dim3 b(256), g(1056); add("banks", name, P("stride=%d;rounds=100", stride), g, b, 1056. * 256, (const void *)k, [=] { k<<<g, b>>>(f2, stride, 100); }); } };
  banks("b32", k_banks<float>); banks("b64", k_banks<double>); banks("b128", k_banks<float4>);
  { dim3 b(256), g(528); unsigned tiles = 1u << 15; add("copy_async", "b128", P("tiles=%u", tiles), g, b, tiles * 256., (const void *)k_copy_async, [=] { k_copy_async<<<g, b>>>((const float4 *)f1, (float4 *)f2, tiles); }); }
  const half *h = (const half *)f1; int m = 1024; { dim3 b(256), g(m * m / 256 / 8); add("wmma", "f16", P("n=%d", m), g, b, (double)m * m, (const void *)k_wmma, [=] { k_wmma<<<g, b>>>(h, h + m * m, f2, m); }); }
  { dim3 b(128), g(m / 64, m / 64); add("mma", "f16", P("n=%d", m), g, b, (double)m * m, (const void *)k_mma, [=] { k_mma<<<g, b>>>(h, h + m * m, f2, m); }); }
}
static void arithmetic(float *f1, double *d1, float *f2, unsigned *x) {
  unsigned n = 1u << 20; dim3 b(256), g(n / 256);
#define LAUNCH(name, type, expression) { bool whole = !strcmp(#type, "int") || !strcmp(#type, "unsigned") || !strcmp(#type, "long"); \
    const type *p = whole ? (const type *)x : sizeof(type) == 8 ? (const type *)d1 : (const type *)f1; add("math", #name "_" #type, P("n=%u", n), g, b, n, (const void *)k_math_##name##_##type, [=] { k_math_##name##_##type<<<g, b>>>(p, p + n, (type *)f2, n); }); }
  OPERATIONS(LAUNCH)
}
int main(int argc, char **argv) {
  size_t n = (size_t)1 << 27; float *f1 = device_array<float>(n), *f2 = device_array<float>(n); unsigned *u2 = (unsigned *)f2;
  data_dependent(f1, f2, u2); block_wide(f1, f2); arithmetic(f1, device_array<double>(1 << 22), f2, upload_list(1u << 22, binned_random));
  return run(argc, argv, cs);
}

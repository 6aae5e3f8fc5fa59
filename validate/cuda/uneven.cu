// Kernels whose blocks, warps or lanes do unequal work, kernels that loop for long, and kernels whose rows are read more than
// once. inputs.h makes the data.
#include <cstdarg>
#include <cuda_fp16.h>
#include <mma.h>
#include "harness.h"
#include "inputs.h"

// --- unequal blocks ------------------------------------------------------------------------------------------------------
__global__ void k_counts(const int *__restrict__ cnt, const float *__restrict__ a, float *__restrict__ o, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; float s = 0; int c = cnt[blockIdx.x];
  for (int j = 0; j < c; j++) s += a[(i + j * 4096) % n];
  if (c) o[i] = s;
}
__global__ void k_idle(const float *__restrict__ a, float *__restrict__ b, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x; if (x >= n) return;
  int y = blockIdx.y * blockDim.y + threadIdx.y; if (y >= n) return;
  b[y * n + x] = 2 * a[y * n + x];
}
__global__ void k_frontier(const unsigned *__restrict__ first, const unsigned *__restrict__ column, const int *__restrict__ level,
                           int *__restrict__ next, unsigned vertices, int depth) {
  unsigned v = blockIdx.x * blockDim.x + threadIdx.x; if (v >= vertices || level[v] != depth) return;
  for (unsigned e = first[v]; e < first[v + 1]; e++) { unsigned w = column[e]; if (level[w] < 0) next[w] = depth + 1; }
}
__global__ void k_triangle(const float *__restrict__ a, float *__restrict__ b, int n) { // upper triangle: blocks below leave
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < y || x >= n || y >= n) return;
  b[y * n + x] = a[y * n + x] + a[x * n + y];
}

// --- long loops ----------------------------------------------------------------------------------------------------------
__global__ void k_gemm64(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int n) { // 64x64 per block of 16x16, 4x4 per thread
  __shared__ float ta[16][64], tb[16][64];
  int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx, row = blockIdx.y * 64, col = blockIdx.x * 64; float acc[4][4] = {};
  for (int k = 0; k < n; k += 16) {
    for (int i = t; i < 1024; i += 256) { ta[i % 16][i / 16] = a[(size_t)(row + i / 16) * n + k + i % 16]; tb[i / 64][i % 64] = b[(size_t)(k + i / 64) * n + col + i % 64]; }
    __syncthreads();
    for (int kk = 0; kk < 16; kk++) {
      float ra[4], rb[4]; for (int i = 0; i < 4; i++) { ra[i] = ta[kk][ty * 4 + i]; rb[i] = tb[kk][tx * 4 + i]; }
      for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++) acc[i][j] += ra[i] * rb[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++) c[(size_t)(row + ty * 4 + i) * n + col + tx * 4 + j] = acc[i][j];
}
__global__ void k_wmma(const half *__restrict__ a, const half *__restrict__ b, float *__restrict__ c, int n) {
  using namespace nvcuda::wmma;
  int tile = (blockIdx.x * blockDim.x + threadIdx.x) / 32, row = tile / (n / 16) * 16, col = tile % (n / 16) * 16;
  fragment<matrix_a, 16, 16, 16, half, row_major> fa; fragment<matrix_b, 16, 16, 16, half, row_major> fb; fragment<accumulator, 16, 16, 16, float> fc;
  fill_fragment(fc, 0.f);
  for (int k = 0; k < n; k += 16) { load_matrix_sync(fa, a + row * n + k, n); load_matrix_sync(fb, b + k * n + col, n); mma_sync(fc, fa, fb, fc); }
  store_matrix_sync(c + row * n + col, fc, n, mem_row_major);
}
__global__ void k_attention(const float *__restrict__ q, const float *__restrict__ key, const float *__restrict__ v, float *__restrict__ o, int keys, int d) {
  extern __shared__ float sq[]; // a block per query, a thread per channel (d = blockDim.x = 64): online softmax
  int row = blockIdx.x, head = blockIdx.y, c = threadIdx.x; size_t base = (size_t)head * keys * d;
  sq[c] = q[base + (size_t)row * d + c]; __syncthreads();
  float m = -1e30f, l = 0, acc = 0;
  for (int j = 0; j < keys; j++) {
    float s = sq[c] * key[base + (size_t)j * d + c];
    for (int x = 16; x; x /= 2) s += __shfl_xor_sync(0xffffffffu, s, x);
    if (c % 32 == 0) sq[d + c / 32] = s; __syncthreads(); s = sq[d] + sq[d + 1]; __syncthreads();
    float mn = fmaxf(m, s), p = __expf(s - mn), f = __expf(m - mn); l = l * f + p; acc = acc * f + p * v[base + (size_t)j * d + c]; m = mn;
  }
  o[base + (size_t)row * d + c] = acc / l;
}
__global__ void k_attention_row(const float *__restrict__ q, const float *__restrict__ key, const float *__restrict__ v, float *__restrict__ o, int keys) { // a thread per query, 64 channels in registers
  int row = blockIdx.x * blockDim.x + threadIdx.x; size_t base = (size_t)blockIdx.y * keys * 64; float rq[64], acc[64], m = -1e30f, l = 0;
  for (int c = 0; c < 64; c++) { rq[c] = q[base + (size_t)row * 64 + c]; acc[c] = 0; }
  for (int j = 0; j < keys; j++) {
    float s = 0; for (int c = 0; c < 64; c++) s += rq[c] * key[base + (size_t)j * 64 + c];
    float mn = fmaxf(m, s), p = __expf(s - mn), f = __expf(m - mn); l = l * f + p; m = mn;
    for (int c = 0; c < 64; c++) acc[c] = acc[c] * f + p * v[base + (size_t)j * 64 + c];
  }
  for (int c = 0; c < 64; c++) o[base + (size_t)row * 64 + c] = acc[c] / l;
}
__global__ void k_argmax(const float *__restrict__ a, int *__restrict__ o, int columns) { // a block per row
  __shared__ float sv[256]; __shared__ int si[256]; const float *r = a + (size_t)blockIdx.x * columns; float m = -1e30f; int at = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) { float v = r[i]; if (v > m) { m = v; at = i; } }
  sv[threadIdx.x] = m; si[threadIdx.x] = at; __syncthreads();
  for (int d = blockDim.x / 2; d; d /= 2) { if (threadIdx.x < d && sv[threadIdx.x + d] > sv[threadIdx.x]) { sv[threadIdx.x] = sv[threadIdx.x + d]; si[threadIdx.x] = si[threadIdx.x + d]; } __syncthreads(); }
  if (threadIdx.x == 0) o[blockIdx.x] = si[0];
}
__global__ void k_softmax(const float *__restrict__ a, float *__restrict__ o, int columns) { // a warp per row, three passes
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32; const float *r = a + (size_t)row * columns; float *w = o + (size_t)row * columns;
  float m = -1e30f, s = 0; for (int i = lane; i < columns; i += 32) m = fmaxf(m, r[i]);
  for (int d = 16; d; d /= 2) m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, d));
  for (int i = lane; i < columns; i += 32) s += __expf(r[i] - m);
  for (int d = 16; d; d /= 2) s += __shfl_xor_sync(0xffffffffu, s, d);
  for (int i = lane; i < columns; i += 32) w[i] = __expf(r[i] - m) / s;
}

// --- data decides --------------------------------------------------------------------------------------------------------
__global__ void k_particle(const float *__restrict__ cdf, const float *__restrict__ u, const float *__restrict__ x, float *__restrict__ xn, int n) { // linear search in a cumulative distribution
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return;
  int at = n - 1; for (int k = 0; k < n; k++) if (cdf[k] >= u[i]) { at = k; break; }
  xn[i] = x[at];
}
__global__ void k_forces(const int *__restrict__ start, const float4 *__restrict__ p, float4 *__restrict__ f, int cells, float cut2) { // cell lists: a block per cell, a thread per particle
  int cx = blockIdx.x, cy = blockIdx.y, cz = blockIdx.z, me = (cz * cells + cy) * cells + cx;
  for (int i = start[me] + threadIdx.x; i < start[me + 1]; i += blockDim.x) {
    float4 a = p[i]; float fx = 0, fy = 0, fz = 0, e = 0;
    for (int dz = -1; dz <= 1; dz++) for (int dy = -1; dy <= 1; dy++) for (int dx = -1; dx <= 1; dx++) {
      int ox = cx + dx, oy = cy + dy, oz = cz + dz; if (ox < 0 || oy < 0 || oz < 0 || ox >= cells || oy >= cells || oz >= cells) continue;
      int other = (oz * cells + oy) * cells + ox;
      for (int j = start[other]; j < start[other + 1]; j++) {
        float4 b = p[j]; float rx = a.x - b.x, ry = a.y - b.y, rz = a.z - b.z, r2 = rx * rx + ry * ry + rz * rz + 1e-3f;
        if (r2 < cut2) { float w = __expf(-r2) * a.w * b.w; fx += w * rx; fy += w * ry; fz += w * rz; e += w; }
      }
    }
    f[i] = make_float4(fx, fy, fz, e);
  }
}
__global__ void k_rows_scalar(const unsigned *__restrict__ first, const unsigned *__restrict__ column, const float *__restrict__ value,
                             const float *__restrict__ x, float *__restrict__ y, unsigned rows) {
  unsigned r = blockIdx.x * blockDim.x + threadIdx.x; if (r >= rows) return;
  float sum = 0; for (unsigned e = first[r]; e < first[r + 1]; e++) sum += value[e] * x[column[e]];
  y[r] = sum;
}
__global__ void k_rows_vector(const unsigned *__restrict__ first, const unsigned *__restrict__ column, const float *__restrict__ value,
                             const float *__restrict__ x, float *__restrict__ y, unsigned rows) {
  unsigned r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32; if (r >= rows) return;
  float sum = 0; for (unsigned e = first[r] + lane; e < first[r + 1]; e += 32) sum += value[e] * x[column[e]];
  for (int d = 16; d; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d);
  if (lane == 0) y[r] = sum;
}
struct Node { int key[15]; int child[16]; int pad; };
__global__ void k_tree(const Node *__restrict__ nodes, const int *__restrict__ want, int *__restrict__ found, int n, int height) { // a B-tree of 16 children
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return;
  int k = want[i], at = 0; for (int h = 0; h < height; h++) { int s = 0; while (s < 15 && k >= nodes[at].key[s]) s++; at = nodes[at].child[s]; }
  found[i] = at;
}
__global__ void k_search(const int *__restrict__ sorted, const int *__restrict__ want, int *__restrict__ at, int n, int m) { // binary search
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= m) return;
  int lo = 0, hi = n, k = want[i]; while (lo < hi) { int mid = (lo + hi) / 2; if (sorted[mid] < k) lo = mid + 1; else hi = mid; }
  at[i] = lo;
}

// --- shared memory -------------------------------------------------------------------------------------------------------
__global__ void k_needle(const int *__restrict__ reference, int *matrix, int cols, int penalty, int diagonal) { // dynamic programming, one anti-diagonal of 16x16 tiles
  __shared__ int temp[17][17], ref[16][16]; int tx = threadIdx.x, bx = blockIdx.x, by = diagonal - 1 - bx;
  int base = cols * 16 * by + 16 * bx, index = base + tx + cols + 1, index_n = base + tx + 1, index_w = base + cols, index_nw = base;
  if (tx == 0) temp[0][0] = matrix[index_nw];
  for (int ty = 0; ty < 16; ty++) ref[ty][tx] = reference[index + cols * ty];
  temp[tx + 1][0] = matrix[index_w + cols * tx]; temp[0][tx + 1] = matrix[index_n]; __syncthreads();
  for (int m = 0; m < 16; m++) { if (tx <= m) { int x = tx + 1, y = m - tx + 1; temp[y][x] = max(max(temp[y - 1][x - 1] + ref[y - 1][x - 1], temp[y][x - 1] - penalty), temp[y - 1][x] - penalty); } __syncthreads(); }
  for (int m = 14; m >= 0; m--) { if (tx <= m) { int x = tx + 16 - m, y = 16 - tx; temp[y][x] = max(max(temp[y - 1][x - 1] + ref[y - 1][x - 1], temp[y][x - 1] - penalty), temp[y - 1][x] - penalty); } __syncthreads(); }
  for (int ty = 0; ty < 16; ty++) matrix[index + ty * cols] = temp[ty + 1][tx + 1];
}
__global__ void k_path(const int *__restrict__ wall, const int *__restrict__ from, int *__restrict__ to, int cols, int rows, int row0, int border) { // dynamic programming with a halo
  __shared__ int prev[256], result[256]; int tx = threadIdx.x, small = 256 - rows * border * 2, x = small * blockIdx.x - border + tx;
  bool valid = x >= 0 && x < cols;
  if (valid) prev[tx] = from[x]; __syncthreads(); bool computed = false;
  for (int i = 0; i < rows; i++) { computed = false;
    if (tx >= i + 1 && tx <= 256 - i - 2 && valid) { computed = true; int l = x > 0 ? prev[tx - 1] : prev[tx], r = x < cols - 1 ? prev[tx + 1] : prev[tx]; result[tx] = min(min(l, prev[tx]), r) + wall[cols * (row0 + i) + x]; }
    __syncthreads(); if (i == rows - 1) break; if (computed) prev[tx] = result[tx]; __syncthreads(); }
  if (computed) to[x] = result[tx];
}
// 5/3 wavelet of an image, tiles of 64x16 with a halo, both directions in shared memory.
#define WX 64
#define WY 16
__global__ void k_wavelet(const int *__restrict__ in, int *__restrict__ out, int w, int h) {
  __shared__ int t[WY + 4][WX + 5]; int x0 = blockIdx.x * WX, y0 = blockIdx.y * WY;
  for (int y = threadIdx.y; y < WY + 4; y += blockDim.y) for (int x = threadIdx.x; x < WX + 4; x += blockDim.x) {
    int gx = x0 + x - 2, gy = y0 + y - 2; gx = gx < 0 ? -gx : gx >= w ? 2 * w - 2 - gx : gx; gy = gy < 0 ? -gy : gy >= h ? 2 * h - 2 - gy : gy; // mirrored edges
    t[y][x] = in[(size_t)gy * w + gx]; }
  __syncthreads();
  for (int y = threadIdx.y; y < WY + 4; y += blockDim.y) for (int x = 2 * threadIdx.x + 1; x < WX + 3; x += 2 * blockDim.x) t[y][x] -= (t[y][x - 1] + t[y][x + 1]) >> 1;
  __syncthreads();
  for (int y = threadIdx.y; y < WY + 4; y += blockDim.y) for (int x = 2 * threadIdx.x + 2; x < WX + 2; x += 2 * blockDim.x) t[y][x] += (t[y][x - 1] + t[y][x + 1] + 2) >> 2;
  __syncthreads();
  for (int y = 2 * threadIdx.y + 1; y < WY + 3; y += 2 * blockDim.y) for (int x = threadIdx.x + 2; x < WX + 2; x += blockDim.x) t[y][x] -= (t[y - 1][x] + t[y + 1][x]) >> 1;
  __syncthreads();
  for (int y = 2 * threadIdx.y + 2; y < WY + 2; y += 2 * blockDim.y) for (int x = threadIdx.x + 2; x < WX + 2; x += blockDim.x) t[y][x] += (t[y - 1][x] + t[y + 1][x] + 2) >> 2;
  __syncthreads();
  for (int y = threadIdx.y; y < WY; y += blockDim.y) for (int x = threadIdx.x; x < WX; x += blockDim.x) {
    int gx = x0 + x, gy = y0 + y; if (gx >= w || gy >= h) continue;
    int ox = gx / 2 + (gx & 1) * ((w + 1) / 2), oy = gy / 2 + (gy & 1) * ((h + 1) / 2); out[(size_t)oy * w + ox] = t[y + 2][x + 2]; }
}

// --- naive product, for ranking ------------------------------------------------------------------------------------------
__global__ void k_product(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y; if (x >= n || y >= n) return;
  float s = 0; for (int k = 0; k < n; k++) s += a[y * n + k] * b[k * n + x]; c[y * n + x] = s;
}

static std::vector<Config> cs;
static void add(const char *fam, const char *var, std::string params, dim3 g, dim3 b, double work, const void *f, std::function<void()> l, size_t smem = 0) { cs.push_back({fam, var, params, g, b, work, f, smem, l, nullptr}); }
static std::string P(const char *fmt, ...) { char s[200]; va_list a; va_start(a, fmt); vsnprintf(s, sizeof s, fmt, a); va_end(a); return s; }
template <class T> static T *upload(const T *from, size_t n) { T *p; CHECK(cudaMalloc(&p, n * sizeof(T))); CHECK(cudaMemcpy(p, from, n * sizeof(T), cudaMemcpyHostToDevice)); return p; }
template <class T> static T *upload_list(unsigned n, T (*f)(uint32_t)) { std::vector<T> v(n); for (unsigned i = 0; i < n; i++) v[i] = f(i); return upload(v.data(), n); }

static void unequal_blocks(float *f1, float *f2) {
  { dim3 b(256), g(UNEVEN_BLOCKS); int n = UNEVEN_BLOCKS * 256; const int *cnt = (const int *)upload_list(UNEVEN_BLOCKS, uneven_count);
    add("counts", "few", P("n=%d", n), g, b, n, (const void *)k_counts, [=] { k_counts<<<g, b>>>(cnt, f1, f2, n); }); }
  for (int n : {5, 300}) { dim3 b(4, 4), g(256, 256); add("idle", "b4x4", P("n=%d", n), g, b, (double)n * n, (const void *)k_idle, [=] { k_idle<<<g, b>>>(f1, f2, n); }); }
  rows graph = graph_make(); unsigned v = graph.count, *first = upload(graph.first, v + 1), *column = upload(graph.column, graph.entries);
  for (int depth : {2, 4}) { int *level = upload(levels_make(&graph, depth), v), *next = (int *)f2; dim3 b(256), g(v / 256);
    add("frontier", "few", P("vertices=%u;edges=%u;depth=%d", v, graph.entries, depth), g, b, v, (const void *)k_frontier, [=] { k_frontier<<<g, b>>>(first, column, level, next, v, depth); }); }
  for (int n : {1000, 4096}) { dim3 b(32, 8), g(up(n, 32), up(n, 8)); add("triangle", "upper", P("n=%d", n), g, b, n * (n + 1.) / 2, (const void *)k_triangle, [=] { k_triangle<<<g, b>>>(f1, f2, n); }); }
  rows q = rows_make(MATRIX_ROWS, length_tail, 27); unsigned r = q.count, *rf = upload(q.first, r + 1), *rc = upload(q.column, q.entries); std::string p = P("rows=%u;entries=%u", r, q.entries);
  { dim3 b(256), gs(r / 256), gv(r / 8); add("rows", "scalar", p, gs, b, q.entries, (const void *)k_rows_scalar, [=] { k_rows_scalar<<<gs, b>>>(rf, rc, f1, f1 + (1 << 26), f2, r); });
    add("rows", "vector", p, gv, b, q.entries, (const void *)k_rows_vector, [=] { k_rows_vector<<<gv, b>>>(rf, rc, f1, f1 + (1 << 26), f2, r); }); }
}
static void long_loops(float *f1, float *f2) {
  for (int n : {1024, 4096}) { dim3 b(16, 16), g(n / 64, n / 64); add("gemm64", "f32", P("n=%d", n), g, b, (double)n * n, (const void *)k_gemm64, [=] { k_gemm64<<<g, b>>>(f1, f1 + n * n, f2, n); }); }
  { int n = 2048; dim3 b(256), g(n * n / 256 / 8); const half *h = (const half *)f1; add("wmma", "f16", P("n=%d", n), g, b, (double)n * n, (const void *)k_wmma, [=] { k_wmma<<<g, b>>>(h, h + n * n, f2, n); }); }
  { int n = 2048; dim3 b(32, 8), g(n / 32, n / 8); add("product", "b32x8", P("n=%d", n), g, b, (double)n * n, (const void *)k_product, [=] { k_product<<<g, b>>>(f1, f1 + n * n, f2, n); }); }
  int keys = 1024, d = 64, heads = 8; size_t m = (size_t)heads * keys * d;
  { dim3 b(d), g(keys, heads); size_t s = (d + 2) * 4; add("attention", "block", P("keys=%d;d=%d;heads=%d", keys, d, heads), g, b, (double)keys * heads, (const void *)k_attention, [=] { k_attention<<<g, b, s>>>(f1, f1 + m, f1 + 2 * m, f2, keys, d); }, s); }
  { dim3 b(128), g(keys / 128, heads); add("attention", "thread", P("keys=%d;d=%d;heads=%d", keys, d, heads), g, b, (double)keys * heads, (const void *)k_attention_row, [=] { k_attention_row<<<g, b>>>(f1, f1 + m, f1 + 2 * m, f2, keys); }); }
  { int n = 32000, r = 1024; dim3 b(256), g(r); add("argmax", "block", P("columns=%d;rows=%d", n, r), g, b, r, (const void *)k_argmax, [=] { k_argmax<<<g, b>>>(f1, (int *)f2, n); }); }
  for (int n : {4096, 1000}) { int r = 25600; dim3 b(128), g(r / 4); add("softmax", "warp", P("columns=%d;rows=%d", n, r), g, b, (double)r * n, (const void *)k_softmax, [=] { k_softmax<<<g, b>>>(f1, f2, n); }); }
}
static void data_decides(float *f1, float *f2) {
  for (int n : {1000, 10000}) { dim3 b(512), g(up(n, 512)); float *cdf = upload(distribution_make(n), n), *u = upload_list(n, particle_draw);
    add("particle", "linear", P("n=%d", n), g, b, n, (const void *)k_particle, [=] { k_particle<<<g, b>>>(cdf, u, f1, f2, n); }); }
  { int c = FORCE_CELLS; int *start = upload(cells_make(), c * c * c + 1); unsigned n = cells_make()[c * c * c]; float4 *p = (float4 *)upload_list(4 * n, particle_place); dim3 b(128), g(c, c, c);
    add("forces", "cells", P("cells=%d;particles=%u", c, n), g, b, n, (const void *)k_forces, [=] { k_forces<<<g, b>>>(start, p, (float4 *)f2, c, .5f); }); }
  { unsigned n = 1u << 20; int *nodes = upload(tree_make(), TREE_NODES * 32), *want = (int *)upload_list(n, tree_wanted); dim3 b(256), g(n / 256);
    add("tree", "b16", P("n=%u;nodes=%u;height=%d", n, TREE_NODES, TREE_HEIGHT), g, b, n, (const void *)k_tree, [=] { k_tree<<<g, b>>>((const Node *)nodes, want, (int *)f2, (int)n, TREE_HEIGHT); }); }
  { int n = 1 << 20, m = 1 << 18; int *sorted = (int *)upload_list(n, search_sorted), *want = (int *)upload_list(m, search_wanted); dim3 b(256), g(m / 256);
    add("search", "binary", P("n=%d;m=%d", n, m), g, b, m, (const void *)k_search, [=] { k_search<<<g, b>>>(sorted, want, (int *)f2, n, m); }); }
}
static void shared_memory(float *f1, float *f2) {
  int *i1 = (int *)f1, *i2 = (int *)f2;
  for (int d : {64, 256}) { int cols = d * 16 + 1; dim3 b(16), g(d); add("needle", "diagonal", P("cols=%d;diagonal=%d", cols, d), g, b, d * 256., (const void *)k_needle, [=] { k_needle<<<g, b>>>(i1, i2, cols, 10, d); }); }
  { int cols = 100000, r = 20; dim3 b(256), g(up(cols, 256 - 2 * r)); add("path", "r20", P("cols=%d;rows=%d", cols, r), g, b, (double)cols * r, (const void *)k_path, [=] { k_path<<<g, b>>>(i1, i1 + (1 << 25), i2, cols, r, 0, 1); }); }
  for (int w : {2048, 1001}) { int h = w - 48; dim3 b(32, 8), g(up(w, WX), up(h, WY)); add("wavelet", "5_3", P("w=%d;h=%d", w, h), g, b, (double)w * h, (const void *)k_wavelet, [=] { k_wavelet<<<g, b>>>(i1, i2, w, h); }); }
}
int main(int argc, char **argv) {
  size_t n = (size_t)1 << 27; float *f1 = device_array<float>(n), *f2 = device_array<float>(n);
  unequal_blocks(f1, f2); long_loops(f1, f2); data_decides(f1, f2); shared_memory(f1, f2);
  return run(argc, argv, cs);
}

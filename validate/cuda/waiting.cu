// Kernels whose threads loop and wait: passes over rows, grid-stride loops, reductions behind barriers, products, stencils
// that walk, sparse and unstructured data. inputs.h makes the data.
#include <cstdarg>
#include "harness.h"
#include "inputs.h"

// --- rows: a block or a warp per row ----------------------------------------------------------------------------------
__device__ float warp_sum(float v) { for (int d = 16; d; d /= 2) v += __shfl_xor_sync(0xffffffffu, v, d); return v; }
__device__ float warp_max(float v) { for (int d = 16; d; d /= 2) v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, d)); return v; }
__device__ float block_sum(float v, float *s) { // every thread gets the sum
  v = warp_sum(v); if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v; __syncthreads();
  v = threadIdx.x % 32 < blockDim.x / 32 ? s[threadIdx.x % 32] : 0; v = warp_sum(v); __syncthreads(); return v;
}
__device__ float block_max(float v, float *s) {
  v = warp_max(v); if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v; __syncthreads();
  v = threadIdx.x % 32 < blockDim.x / 32 ? s[threadIdx.x % 32] : -1e30f; v = warp_max(v); __syncthreads(); return v;
}
__global__ void k_softmax_block(const float *__restrict__ a, float *__restrict__ o, int columns) {
  __shared__ float s[32]; const float *r = a + (size_t)blockIdx.x * columns; float *w = o + (size_t)blockIdx.x * columns;
  float m = -1e30f; for (int i = threadIdx.x; i < columns; i += blockDim.x) m = fmaxf(m, r[i]);
  m = block_max(m, s);
  float l = 0; for (int i = threadIdx.x; i < columns; i += blockDim.x) l += __expf(r[i] - m);
  l = block_sum(l, s);
  for (int i = threadIdx.x; i < columns; i += blockDim.x) w[i] = __expf(r[i] - m) / l;
}
__global__ void k_softmax_warp(const float *__restrict__ a, float *__restrict__ o, int columns) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  const float *r = a + (size_t)row * columns; float *w = o + (size_t)row * columns;
  float m = -1e30f, l = 0; for (int i = lane; i < columns; i += 32) m = fmaxf(m, r[i]);
  m = warp_max(m); for (int i = lane; i < columns; i += 32) l += __expf(r[i] - m);
  l = warp_sum(l); for (int i = lane; i < columns; i += 32) w[i] = __expf(r[i] - m) / l;
}
__global__ void k_layernorm(const float *__restrict__ a, const float *__restrict__ scale, const float *__restrict__ shift, float *__restrict__ o, int columns) {
  __shared__ float s[32]; const float *r = a + (size_t)blockIdx.x * columns; float *w = o + (size_t)blockIdx.x * columns;
  float sum = 0, square = 0; for (int i = threadIdx.x; i < columns; i += blockDim.x) { float v = r[i]; sum += v; square += v * v; }
  float mean = block_sum(sum, s) / columns, q = rsqrtf(block_sum(square, s) / columns - mean * mean + 1e-5f);
  for (int i = threadIdx.x; i < columns; i += blockDim.x) w[i] = (r[i] - mean) * q * scale[i] + shift[i];
}
__global__ void k_argmax(const float *__restrict__ a, int *__restrict__ o, int columns) {
  __shared__ float sv[1024]; __shared__ int si[1024]; const float *r = a + (size_t)blockIdx.x * columns; float m = -1e30f; int at = 0, t = threadIdx.x;
  for (int i = t; i < columns; i += blockDim.x) { float v = r[i]; if (v > m) { m = v; at = i; } }
  sv[t] = m; si[t] = at; __syncthreads();
  for (int d = blockDim.x / 2; d; d /= 2) {
    if (t < d && sv[t + d] > sv[t]) { sv[t] = sv[t + d]; si[t] = si[t + d]; }
    __syncthreads();
  }
  if (t == 0) o[blockIdx.x] = si[0];
}

// --- barriers in step -------------------------------------------------------------------------------------------------
__global__ void k_scan_step(const float *__restrict__ a, float *__restrict__ o) { // Hillis and Steele, two barriers a step
  __shared__ float s[1024]; int t = threadIdx.x; size_t i = blockIdx.x * (size_t)blockDim.x + t; s[t] = a[i]; __syncthreads();
  for (int d = 1; d < blockDim.x; d *= 2) { float v = t >= d ? s[t - d] : 0; __syncthreads(); s[t] += v; __syncthreads(); }
  o[i] = s[t];
}
__global__ void k_scan_tree(const float *__restrict__ a, float *__restrict__ o) { // Blelloch: up and down, two elements a thread
  __shared__ float s[2048]; int t = threadIdx.x, n = 2 * blockDim.x; size_t base = blockIdx.x * (size_t)n; s[t] = a[base + t]; s[t + blockDim.x] = a[base + t + blockDim.x];
  int step = 1; for (int d = n / 2; d; d /= 2, step *= 2) { __syncthreads(); if (t < d) s[step * (2 * t + 2) - 1] += s[step * (2 * t + 1) - 1]; }
  if (t == 0) s[n - 1] = 0;
  for (int d = 1; d < n; d *= 2) { step /= 2; __syncthreads(); if (t < d) { int l = step * (2 * t + 1) - 1, h = step * (2 * t + 2) - 1; float v = s[l]; s[l] = s[h]; s[h] += v; } }
  __syncthreads(); o[base + t] = s[t]; o[base + t + blockDim.x] = s[t + blockDim.x];
}
__global__ void k_reduce_shared(const float *__restrict__ a, float *__restrict__ o, int n) { // a grid-stride sum, then a tree
  __shared__ float s[1024]; int t = threadIdx.x; float v = 0; for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) v += a[i];
  s[t] = v; __syncthreads();
  for (int d = blockDim.x / 2; d; d /= 2) { if (t < d) s[t] += s[t + d]; __syncthreads(); }
  if (t == 0) o[blockIdx.x] = s[0];
}
__global__ void k_reduce_shuffle(const float *__restrict__ a, float *__restrict__ o, int n) {
  __shared__ float s[32]; float v = 0; for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += a[i];
  v = block_sum(v, s); if (threadIdx.x == 0) o[blockIdx.x] = v;
}

// --- grid-stride: four arrays as an optimiser updates them ------------------------------------------------------------
__global__ void k_update(float *__restrict__ p, float *__restrict__ m, float *__restrict__ v, const float *__restrict__ g, float rate, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float d = g[i], a = .9f * m[i] + .1f * d, b = .999f * v[i] + .001f * d * d; m[i] = a; v[i] = b; p[i] -= rate * a / (sqrtf(b) + 1e-8f);
  }
}

// --- products ---------------------------------------------------------------------------------------------------------
__global__ void k_attention_warp(const float *__restrict__ q, const float *__restrict__ key, const float *__restrict__ v, float *__restrict__ o, int keys) { // a warp per query, 64 channels, online softmax
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32; size_t base = (size_t)blockIdx.y * keys * 64;
  float q0 = q[base + (size_t)row * 64 + lane], q1 = q[base + (size_t)row * 64 + lane + 32], m = -1e30f, l = 0, a0 = 0, a1 = 0;
  for (int j = 0; j < keys; j++) {
    const float *k = key + base + (size_t)j * 64, *w = v + base + (size_t)j * 64;
    float s = warp_sum(q0 * k[lane] + q1 * k[lane + 32]), mn = fmaxf(m, s), p = __expf(s - mn), f = __expf(m - mn);
    l = l * f + p; a0 = a0 * f + p * w[lane]; a1 = a1 * f + p * w[lane + 32]; m = mn;
  }
  o[base + (size_t)row * 64 + lane] = a0 / l; o[base + (size_t)row * 64 + lane + 32] = a1 / l;
}
template <int T> __global__ void k_tiled(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int n) {
  __shared__ float ta[T][T], tb[T][T]; int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * T + ty, col = blockIdx.x * T + tx; float s = 0;
  for (int k = 0; k < n; k += T) {
    ta[ty][tx] = a[row * n + k + tx]; tb[ty][tx] = b[(k + ty) * n + col]; __syncthreads();
    for (int i = 0; i < T; i++) s += ta[ty][i] * tb[i][tx];
    __syncthreads();
  }
  c[row * n + col] = s;
}
template <int T, int R> __global__ void k_blocked(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int n) { // T x T per block of (T/R)^2 threads, R x R per thread
  constexpr int K = 8, W = T / R; __shared__ float ta[K][T], tb[K][T]; int tx = threadIdx.x, ty = threadIdx.y, t = ty * W + tx, row = blockIdx.y * T, col = blockIdx.x * T; float acc[R][R] = {};
  for (int k = 0; k < n; k += K) {
    for (int i = t; i < K * T; i += W * W) { ta[i % K][i / K] = a[(row + i / K) * n + k + i % K]; tb[i / T][i % T] = b[(k + i / T) * n + col + i % T]; }
    __syncthreads();
    for (int kk = 0; kk < K; kk++) {
      float ra[R], rb[R]; for (int i = 0; i < R; i++) { ra[i] = ta[kk][ty + i * W]; rb[i] = tb[kk][tx + i * W]; }
      for (int i = 0; i < R; i++) for (int j = 0; j < R; j++) acc[i][j] += ra[i] * rb[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < R; i++) for (int j = 0; j < R; j++) c[(row + ty + i * W) * n + col + tx + j * W] = acc[i][j];
}
__global__ void k_convolution(const float *__restrict__ in, const float *__restrict__ weight, float *__restrict__ out, int channels, int w, int h) { // direct, 3x3, one output a thread; z: output channel
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, k = blockIdx.z; if (x >= w || y >= h) return;
  float s = 0;
  for (int c = 0; c < channels; c++)
    for (int dy = 0; dy < 3; dy++) for (int dx = 0; dx < 3; dx++) s += in[(c * (h + 2) + y + dy) * (w + 2) + x + dx] * weight[(k * channels + c) * 9 + dy * 3 + dx];
  out[(k * h + y) * w + x] = s;
}

// --- stencils of applications -----------------------------------------------------------------------------------------
template <int T> __global__ void k_hotspot(const float *__restrict__ temp, const float *__restrict__ power, float *__restrict__ out, int n, int steps, float cap, float rx, float ry, float rz) { // several steps in shared memory, a shrinking halo
  __shared__ float now[T][T], next[T][T], pw[T][T]; int inner = T - 2 * steps, tx = threadIdx.x, ty = threadIdx.y, x = (int)blockIdx.x * inner - steps + tx, y = (int)blockIdx.y * inner - steps + ty;
  bool valid = x >= 0 && x < n && y >= 0 && y < n; if (valid) { now[ty][tx] = temp[y * n + x]; pw[ty][tx] = power[y * n + x]; }
  __syncthreads();
  int n0 = y <= 0 ? ty : ty - 1, s0 = y >= n - 1 ? ty : ty + 1, w0 = x <= 0 ? tx : tx - 1, e0 = x >= n - 1 ? tx : tx + 1; bool computed = false;
  for (int i = 0; i < steps; i++) {
    computed = false;
    if (valid && tx > i && tx < T - 1 - i && ty > i && ty < T - 1 - i) {
      computed = true; float c = now[ty][tx];
      next[ty][tx] = c + cap * (pw[ty][tx] + (now[s0][tx] + now[n0][tx] - 2 * c) * ry + (now[ty][e0] + now[ty][w0] - 2 * c) * rx + (80.f - c) * rz);
    }
    __syncthreads(); if (i == steps - 1) break;
    if (computed) now[ty][tx] = next[ty][tx]; __syncthreads();
  }
  if (computed) out[y * n + x] = next[ty][tx];
}
__global__ void k_srad(const float *__restrict__ image, float *__restrict__ coefficient, float *__restrict__ dn, float *__restrict__ ds, float *__restrict__ dw, float *__restrict__ de, int n, float q0) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y; if (x >= n || y >= n) return;
  int at = y * n + x; float c = image[at], no = image[y > 0 ? at - n : at] - c, so = image[y < n - 1 ? at + n : at] - c, we = image[x > 0 ? at - 1 : at] - c, ea = image[x < n - 1 ? at + 1 : at] - c;
  float g2 = (no * no + so * so + we * we + ea * ea) / (c * c), l = (no + so + we + ea) / c, num = .5f * g2 - l * l / 16, den = 1 + .25f * l, q = num / (den * den), k = 1 / (1 + (q - q0) / (q0 * (1 + q0)));
  dn[at] = no; ds[at] = so; dw[at] = we; de[at] = ea; coefficient[at] = k < 0 ? 0 : k > 1 ? 1 : k;
}
__global__ void k_forward(const float *__restrict__ input, const float *__restrict__ weight, float *__restrict__ partial, int hidden) { // back-propagation's forward pass: 16 inputs x 16 hidden units a block
  __shared__ float node[16], m[16][16]; int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16 + ty;
  if (tx == 0) node[ty] = input[row]; __syncthreads();
  m[ty][tx] = weight[row * hidden + blockIdx.x * 16 + tx] * node[ty]; __syncthreads();
  for (int i = 1; i <= 4; i++) { int p = 1 << i; if (ty % p == 0) m[ty][tx] += m[ty + p / 2][tx]; __syncthreads(); }
  if (ty == 0) partial[blockIdx.y * hidden + blockIdx.x * 16 + tx] = m[0][tx];
}
__global__ void k_adjust(const float *__restrict__ delta, const float *__restrict__ input, float *__restrict__ weight, float *__restrict__ old, int hidden) {
  int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y, i = row * hidden + col; float d = .3f * delta[col] * input[row] + .3f * old[i]; weight[i] += d; old[i] = d;
}
__global__ void k_fdtd(const float *__restrict__ e, const float *__restrict__ before, float *__restrict__ after, int nx, int ny, int nz) { // a thread walks in z with a queue of five planes
  int x = blockIdx.x * blockDim.x + threadIdx.x + 2, y = blockIdx.y * blockDim.y + threadIdx.y + 2; if (x >= nx - 2 || y >= ny - 2) return;
  size_t plane = (size_t)nx * ny, at = (size_t)y * nx + x; float m2 = e[at], m1 = e[at + plane], c = e[at + 2 * plane], p1 = e[at + 3 * plane];
  for (int z = 2; z < nz - 2; z++) {
    size_t i = at + z * plane; float p2 = e[i + 2 * plane];
    after[i] = 2 * c - before[i] + .1f * (-5.f * c + 1.33f * (e[i - 1] + e[i + 1] + e[i - nx] + e[i + nx] + m1 + p1) - .083f * (e[i - 2] + e[i + 2] + e[i - 2 * nx] + e[i + 2 * nx] + m2 + p2));
    m2 = m1; m1 = c; c = p1; p1 = p2;
  }
}

// --- data decides -----------------------------------------------------------------------------------------------------
__global__ void k_csr_scalar(const unsigned *__restrict__ first, const unsigned *__restrict__ column, const float *__restrict__ value, const float *__restrict__ x, float *__restrict__ y, unsigned rows) {
  unsigned r = blockIdx.x * blockDim.x + threadIdx.x; if (r >= rows) return;
  float s = 0; for (unsigned e = first[r], end = first[r + 1]; e < end; e++) s += value[e] * x[column[e]];
  y[r] = s;
}
__global__ void k_csr_warp(const unsigned *__restrict__ first, const unsigned *__restrict__ column, const float *__restrict__ value, const float *__restrict__ x, float *__restrict__ y, unsigned rows) {
  unsigned r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32; if (r >= rows) return;
  float s = 0; for (unsigned e = first[r] + lane, end = first[r + 1]; e < end; e += 32) s += value[e] * x[column[e]];
  s = warp_sum(s); if (lane == 0) y[r] = s;
}
__global__ void k_bfs(const unsigned *__restrict__ first, const unsigned *__restrict__ column, const int *__restrict__ level, int *__restrict__ next, unsigned vertices, int depth) {
  unsigned v = blockIdx.x * blockDim.x + threadIdx.x; if (v >= vertices || level[v] != depth) return;
  for (unsigned e = first[v], end = first[v + 1]; e < end; e++) { unsigned w = column[e]; if (level[w] < 0) next[w] = depth + 1; }
}
__global__ void k_pagerank(const unsigned *__restrict__ first, const unsigned *__restrict__ column, const float *__restrict__ share, float *__restrict__ rank, unsigned vertices) { // pulls along incoming edges
  unsigned v = blockIdx.x * blockDim.x + threadIdx.x; if (v >= vertices) return;
  float s = 0; for (unsigned e = first[v], end = first[v + 1]; e < end; e++) s += share[column[e]];
  rank[v] = .15f / vertices + .85f * s;
}
__global__ void k_kmeans(const float *__restrict__ point, const float *__restrict__ centre, int *__restrict__ member, int n, int clusters, int dims) { // features by rows of all points
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return;
  float best = 1e30f; int at = 0;
  for (int c = 0; c < clusters; c++) {
    float d = 0; for (int f = 0; f < dims; f++) { float t = point[f * n + i] - centre[c * dims + f]; d += t * t; }
    if (d < best) { best = d; at = c; }
  }
  member[i] = at;
}
__global__ void k_flux(const int *__restrict__ neighbour, const float *__restrict__ normal, const float *__restrict__ q, float *__restrict__ out, int n) { // four faces a cell, five variables, walls and the far field
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return;
  float r = q[i], u = q[i + n] / r, v = q[i + 2 * n] / r, w = q[i + 3 * n] / r, e = q[i + 4 * n], p = .4f * (e - .5f * r * (u * u + v * v + w * w)), f0 = 0, f1 = 0, f2 = 0, f3 = 0, f4 = 0;
  for (int k = 0; k < 4; k++) {
    int j = neighbour[i + k * n]; float nx = normal[i + (3 * k) * n], ny = normal[i + (3 * k + 1) * n], nz = normal[i + (3 * k + 2) * n];
    if (j >= 0) {
      float rj = q[j], uj = q[j + n] / rj, vj = q[j + 2 * n] / rj, wj = q[j + 3 * n] / rj, ej = q[j + 4 * n], pj = .4f * (ej - .5f * rj * (uj * uj + vj * vj + wj * wj));
      float a = sqrtf(1.4f * p / r) + sqrtf(1.4f * pj / rj), un = .5f * ((u + uj) * nx + (v + vj) * ny + (w + wj) * nz);
      f0 += un * (r + rj) - a * (rj - r); f1 += un * (u * r + uj * rj) + nx * (p + pj); f2 += un * (v * r + vj * rj) + ny * (p + pj); f3 += un * (w * r + wj * rj) + nz * (p + pj); f4 += un * (e + ej + p + pj);
    } else if (j == -1) { f1 += nx * p; f2 += ny * p; f3 += nz * p; }
    else { float un = .3f * nx + u * ny; f0 += un * 1.4f; f1 += un * 1.4f * .3f + nx * p; f4 += un * 2.5f; }
  }
  out[i] = f0; out[i + n] = f1; out[i + 2 * n] = f2; out[i + 3 * n] = f3; out[i + 4 * n] = f4;
}
__global__ void k_words_global(const unsigned *__restrict__ word, unsigned *__restrict__ count, int n) { // an inverted index's first pass: how often each word occurs
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&count[word[i] % WORDS], 1u);
}
__global__ void k_words_shared(const unsigned *__restrict__ word, unsigned *__restrict__ count, int n) {
  __shared__ unsigned own[WORDS]; for (int i = threadIdx.x; i < WORDS; i += blockDim.x) own[i] = 0; __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&own[word[i] % WORDS], 1u);
  __syncthreads(); for (int i = threadIdx.x; i < WORDS; i += blockDim.x) if (own[i]) atomicAdd(&count[i], own[i]);
}
struct Node { int key[15]; int child[16]; int pad; };
__global__ void k_btree(const Node *__restrict__ nodes, const int *__restrict__ want, int *__restrict__ found, int n, int height) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return;
  int k = want[i], at = 0;
  for (int h = 0; h < height; h++) { int s = 0; for (int j = 0; j < 15; j++) s += k >= nodes[at].key[j]; at = nodes[at].child[s]; }
  found[i] = at;
}
__global__ void k_jump(const unsigned *__restrict__ next, const unsigned *__restrict__ distance, unsigned *__restrict__ next_out, unsigned *__restrict__ distance_out, unsigned n, int steps) { // pointer jumping: follows `steps` links
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return;
  unsigned p = next[i], d = distance[i]; for (int k = 0; k < steps; k++) { d += distance[p]; p = next[p]; }
  next_out[i] = p; distance_out[i] = d;
}

static std::vector<Config> cs;
static void add(const char *fam, const char *var, std::string params, dim3 g, dim3 b, double work, const void *f, std::function<void()> l, std::function<void()> before = nullptr) { cs.push_back({fam, var, params, g, b, work, f, 0, l, before}); }
static std::string P(const char *fmt, ...) { char s[200]; va_list a; va_start(a, fmt); vsnprintf(s, sizeof s, fmt, a); va_end(a); return s; }
template <class T> static T *upload(const T *from, size_t n) { T *p; CHECK(cudaMalloc(&p, n * sizeof(T))); CHECK(cudaMemcpy(p, from, n * sizeof(T), cudaMemcpyHostToDevice)); return p; }
template <class T> static T *upload_list(unsigned n, T (*f)(uint32_t)) { std::vector<T> v(n); for (unsigned i = 0; i < n; i++) v[i] = f(i); return upload(v.data(), n); }
// A launch of kernel K: its name is looked up once for the timer and once for the launch.
#define LAUNCH(family, variant, params, g, b, work, K, ...) add(family, variant, params, g, b, work, (const void *)K, [=] { K<<<g, b>>>(__VA_ARGS__); })

static const int SMS = 132;

static void rows_of_numbers(float *f1, float *f2) {
  struct { int columns, rows; } shapes[] = {{1024, 65536}, {4096, 16384}, {32768, 2048}, {4096, 264}};
  for (auto s : shapes) for (int t : {64, 128, 256, 512, 1024}) { int n = s.columns, r = s.rows; dim3 b(t), g(r), gw(up(r, t / 32)); std::string p = P("columns=%d;rows=%d", n, r);
    LAUNCH("softmax", "block", p, g, b, (double)r * n, k_softmax_block, f1, f2, n);
    if (n <= 4096 && t <= 256) LAUNCH("softmax", "warp", p, gw, b, (double)r * n, k_softmax_warp, f1, f2, n);
    LAUNCH("layernorm", "block", p, g, b, (double)r * n, k_layernorm, f1, f1 + (1 << 27), f1 + (1 << 27) + n, f2, n);
    LAUNCH("argmax", "block", p, g, b, (double)r * n, k_argmax, f1, (int *)f2, n); }
}
static void barriers(float *f1, float *f2) {
  for (int n : {1 << 19, 1 << 26}) for (int t : {64, 128, 256, 512, 1024}) { dim3 b(t), g(n / t), g2(n / t / 2); std::string p = P("n=%d", n);
    LAUNCH("scan", "step", p, g, b, n, k_scan_step, f1, f2); LAUNCH("scan", "tree", p, g2, b, n, k_scan_tree, f1, f2); }
  for (int n : {1 << 20, 1 << 27}) for (int t : {128, 256, 1024}) for (int k : {1, 2, 8}) { if (t * k > 2048) continue; dim3 b(t), g(SMS * k); std::string p = P("n=%d", n);
    LAUNCH("reduce_shared", P("k%d", k).c_str(), p, g, b, n, k_reduce_shared, f1, f2, n); LAUNCH("reduce_shuffle", P("k%d", k).c_str(), p, g, b, n, k_reduce_shuffle, f1, f2, n); }
}
static void grid_stride(float *f1, float *f2) {
  for (int n : {1 << 20, 1 << 25}) for (int k : {1, 2, 8, 32}) for (int t : {64, 256, 1024}) { if (t * k > 2048) continue; dim3 b(t), g(SMS * k); float *a = f2, *m = f2 + n, *v = f2 + 2 * (size_t)n;
    LAUNCH("update", P("k%d", k).c_str(), P("n=%d", n), g, b, n, k_update, a, m, v, f1, .001f, n); }
}
static void products(float *f1, float *f2) {
  for (int keys : {256, 1024, 4096}) for (int t : {64, 128, 256, 512}) { int heads = 4; size_t m = (size_t)heads * keys * 64; dim3 b(t), g(keys / (t / 32), heads);
    LAUNCH("attention", "warp", P("keys=%d;heads=%d", keys, heads), g, b, (double)keys * heads, k_attention_warp, f1, f1 + m, f1 + 2 * m, f2, keys); }
  for (int n : {256, 1024, 2048}) { size_t m = (size_t)n * n; dim3 b8(8, 8), b16(16, 16), b32(32, 32), g8(n / 8, n / 8), g16(n / 16, n / 16), g32(n / 32, n / 32), g64(n / 64, n / 64), g128(n / 128, n / 128);
    std::string p = P("n=%d", n);
    LAUNCH("tiled", "t8", p, g8, b8, m, k_tiled<8>, f1, f1 + m, f2, n); LAUNCH("tiled", "t16", p, g16, b16, m, k_tiled<16>, f1, f1 + m, f2, n); LAUNCH("tiled", "t32", p, g32, b32, m, k_tiled<32>, f1, f1 + m, f2, n);
    auto *b64r4 = k_blocked<64, 4>; auto *b64r8 = k_blocked<64, 8>; auto *b128r8 = k_blocked<128, 8>;
    LAUNCH("blocked", "t64r4", p, g64, b16, m, b64r4, f1, f1 + m, f2, n); LAUNCH("blocked", "t64r8", p, g64, b8, m, b64r8, f1, f1 + m, f2, n); LAUNCH("blocked", "t128r8", p, g128, b16, m, b128r8, f1, f1 + m, f2, n); }
  struct { int channels, size; } layers[] = {{16, 32}, {64, 56}, {128, 28}, {32, 112}};
  for (auto l : layers) for (dim3 b : {dim3(32, 4), dim3(32, 8), dim3(16, 16), dim3(64, 2), dim3(8, 8)}) { int c = l.channels, w = l.size; dim3 g(up(w, b.x), up(w, b.y), c);
    LAUNCH("convolution", "3x3", P("channels=%d;w=%d;h=%d", c, w, w), g, b, (double)c * w * w, k_convolution, f1, f1 + (1 << 26), f2, c, w, w); }
}
static void applications(float *f1, float *f2) {
  for (int n : {512, 1001, 4096}) for (int steps : {1, 2, 4}) { dim3 b16(16, 16), b32(32, 32), g16(up(n, 16 - 2 * steps), up(n, 16 - 2 * steps)), g32(up(n, 32 - 2 * steps), up(n, 32 - 2 * steps)); std::string p = P("n=%d;steps=%d", n, steps);
    LAUNCH("hotspot", "t16", p, g16, b16, (double)n * n * steps, k_hotspot<16>, f1, f1 + n * n, f2, n, steps, .5f, .1f, .1f, .01f);
    LAUNCH("hotspot", "t32", p, g32, b32, (double)n * n * steps, k_hotspot<32>, f1, f1 + n * n, f2, n, steps, .5f, .1f, .1f, .01f); }
  for (int n : {502, 2048, 4096}) for (dim3 b : {dim3(16, 16), dim3(32, 8), dim3(64, 4), dim3(256, 1)}) { dim3 g(up(n, b.x), up(n, b.y)); size_t m = (size_t)n * n;
    LAUNCH("srad", "gradient", P("n=%d", n), g, b, (double)m, k_srad, f1, f2, f2 + m, f2 + 2 * m, f2 + 3 * m, f2 + 4 * m, n, .05f); }
  for (int inputs : {4096, 65536, 1 << 19}) for (int hidden : {16, 128}) { dim3 b(16, 16), g(hidden / 16, inputs / 16); std::string p = P("inputs=%d;hidden=%d", inputs, hidden);
    LAUNCH("backprop", "forward", p, g, b, (double)inputs * hidden, k_forward, f1, f1 + (1 << 26), f2, hidden);
    LAUNCH("backprop", "adjust", p, g, b, (double)inputs * hidden, k_adjust, f1, f1 + (1 << 26), f2, f2 + (1 << 28), hidden); }
  struct { int x, y, z; } boxes[] = {{128, 128, 32}, {260, 260, 260}, {516, 516, 132}};
  for (auto s : boxes) for (dim3 b : {dim3(32, 4), dim3(32, 8), dim3(32, 16), dim3(64, 8), dim3(16, 16)}) { dim3 g(up(s.x - 4, b.x), up(s.y - 4, b.y)); size_t m = (size_t)s.x * s.y * s.z;
    LAUNCH("fdtd", "z", P("nx=%d;ny=%d;nz=%d", s.x, s.y, s.z), g, b, (double)m, k_fdtd, f1, f2, f2 + m, s.x, s.y, s.z); }
}
static void sparse(float *f1, float *f2) {
  struct { const char *name; unsigned rows; uint32_t (*f)(uint32_t); } matrices[] = {{"equal16", 1u << 19, length_constant}, {"equal64", 1u << 17, length_long}, {"power", 1u << 18, length_power}, {"equal16", 1u << 13, length_constant}, {"power", 1u << 13, length_power}};
  for (auto &m : matrices) { rows q = rows_make(m.rows, m.f, 40); unsigned r = q.count, *first = upload(q.first, r + 1), *column = upload(q.column, q.entries); std::string p = P("rows=%u;entries=%u", r, q.entries);
    for (int t : {64, 128, 256, 512}) { dim3 b(t), gs(up(r, t)), gw(up(r, t / 32)); std::string s = std::string("scalar_") + m.name, w = std::string("warp_") + m.name;
      LAUNCH("csr", s.c_str(), p, gs, b, q.entries, k_csr_scalar, first, column, f1, f1 + (1 << 27), f2, r); LAUNCH("csr", w.c_str(), p, gw, b, q.entries, k_csr_warp, first, column, f1, f1 + (1 << 27), f2, r); } }
  struct { const char *name; unsigned vertices; uint32_t (*f)(uint32_t); int depth[2]; } graphs[] = {{"even", 1u << 20, length_graph, {7, 8}}, {"power", 1u << 18, length_power, {3, 4}}, {"even", 1u << 14, length_graph, {5, 6}}};
  for (auto &h : graphs) { rows q = rows_make(h.vertices, h.f, 41); unsigned v = q.count, *first = upload(q.first, v + 1), *column = upload(q.column, q.entries);
    for (int t : {64, 128, 256, 512}) { dim3 b(t), g(up(v, t)); LAUNCH("pagerank", h.name, P("vertices=%u;edges=%u", v, q.entries), g, b, q.entries, k_pagerank, first, column, f1, f2, v); }
    for (int depth : h.depth) { int *level = upload(levels_make(&q, depth), v);
      for (int t : {128, 256, 512}) { dim3 b(t), g(up(v, t)); LAUNCH("bfs", h.name, P("vertices=%u;edges=%u;depth=%d", v, q.entries, depth), g, b, v, k_bfs, first, column, level, (int *)f2, v, depth); } } }
}
static void data_decides(float *f1, float *f2) {
  for (int n : {1 << 14, 1 << 19}) for (int c : {5, 32}) for (int t : {128, 256, 512}) { int d = 34; dim3 b(t), g(up(n, t)); LAUNCH("kmeans", "global", P("n=%d;clusters=%d;dims=%d", n, c, d), g, b, n, k_kmeans, f1, f1 + (1 << 27), (int *)f2, n, c, d); }
  for (int n : {1 << 15, 1 << 20}) { std::vector<int> j(4 * (size_t)n); for (int k = 0; k < 4; k++) for (int i = 0; i < n; i++) j[(size_t)k * n + i] = mesh_neighbour(i, k, n); int *neighbour = upload(j.data(), j.size());
    for (int t : {64, 128, 192, 256}) { dim3 b(t), g(up(n, t)); LAUNCH("flux", "mesh", P("n=%d", n), g, b, n, k_flux, neighbour, f1, f1 + (1 << 27), f2, n); } }
  struct { const char *name; uint32_t (*f)(uint32_t); } texts[] = {{"even", word_even}, {"skewed", word_skewed}};
  for (auto &x : texts) for (int n : {1 << 18, 1 << 24}) { unsigned *word = upload_list((unsigned)n, x.f); std::string a = std::string("global_") + x.name, s = std::string("shared_") + x.name;
    for (int t : {256, 512}) { dim3 b(t), g(SMS * 2048 / t); LAUNCH("words", a.c_str(), P("n=%d", n), g, b, n, k_words_global, word, (unsigned *)f2, n); LAUNCH("words", s.c_str(), P("n=%d", n), g, b, n, k_words_shared, word, (unsigned *)f2, n); } }
  int *nodes = upload(tree_make(), TREE_NODES * 32);
  for (unsigned n : {1u << 14, 1u << 20, 1u << 22}) { int *want = (int *)upload_list(n, tree_wanted); for (int t : {128, 256, 512}) { dim3 b(t), g(up(n, t)); LAUNCH("btree", "b16", P("n=%u", n), g, b, n, k_btree, (const Node *)nodes, want, (int *)f2, (int)n, TREE_HEIGHT); } }
  for (unsigned n : {1u << 14, 1u << 20, 1u << 24}) { std::vector<unsigned> v(n); for (unsigned i = 0; i < n; i++) v[i] = link_random(i, n); unsigned *next = upload(v.data(), n), *o = (unsigned *)f2;
    for (int steps : {1, 8}) for (int t : {128, 512}) { dim3 b(t), g(up(n, t)); LAUNCH("jump", P("s%d", steps).c_str(), P("n=%u;steps=%d", n, steps), g, b, n, k_jump, next, (const unsigned *)f1, o, o + n, n, steps); } }
}
int main(int argc, char **argv) {
  size_t n = (size_t)1 << 29; float *f1 = device_array<float>(n), *f2 = device_array<float>(n);
  rows_of_numbers(f1, f2); barriers(f1, f2); grid_stride(f1, f2); products(f1, f2); applications(f1, f2); sparse(f1, f2); data_decides(f1, f2);
  return run(argc, argv, cs);
}

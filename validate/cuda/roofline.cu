// The kernels of the roofline pictures: transposes, a red-black smoother, Smith-Waterman scores, matrix products with and
// without tensor instructions, and plain ones (copy, triad, 7-point star, 3x3 blur, sum, histogram).
//   roofline time 7         the launches of validate/data/h200_roofline.csv
//   roofline prof 1 small   one small launch of each kernel, for the sets of ncu (validate/measure_roofline.sh)
//   roofline check          do the variants of a kernel compute the same?
#include <cstdarg>
#include <cuda_fp16.h>
#include <mma.h>
#include "harness.h"
#include "inputs.h"

// --- transposes: blocks of 32x8 threads, tiles of 32x32 -----------------------------------------------------------------
template <class T> __global__ void k_transpose_naive(const T *__restrict__ a, T *__restrict__ o, int n) { // reads along rows, writes along columns
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) o[(size_t)x * n + y + j] = a[(size_t)(y + j) * n + x];
}
template <class T, int PAD> __global__ void k_transpose_tiled(const T *__restrict__ a, T *__restrict__ o, int n) {
  __shared__ T tile[32][32 + PAD]; int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = a[(size_t)(y + j) * n + x];
  __syncthreads(); x = blockIdx.y * 32 + threadIdx.x; y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) o[(size_t)(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}

// --- red-black Gauss-Seidel: variable coefficients, 7 points, double; the other colour is copied -------------------------
// c: right-hand side, lambda and the coefficients of the faces in x, y, z, each `field` elements behind the one before.
__device__ __forceinline__ double relaxed(const double *__restrict__ u, const double *__restrict__ c, long field, long i, long sy, long sz) {
  const double *bx = c + 2 * field, *by = bx + field, *bz = by + field; double v = u[i];
  double ax = bx[i + 1] * (u[i + 1] - v) - bx[i] * (v - u[i - 1]) + by[i + sy] * (u[i + sy] - v) - by[i] * (v - u[i - sy]) + bz[i + sz] * (u[i + sz] - v) - bz[i] * (v - u[i - sz]);
  return c[field + i] * (c[i] + ax);
}
constexpr int PLANES = 8; // that a thread walks through
__global__ void k_smooth_branch(const double *__restrict__ u, double *__restrict__ o, const double *__restrict__ c, long field, int nx, int ny, long sy, long sz, int colour) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y; if (x >= nx || y >= ny) return;
  for (int z = blockIdx.z * PLANES; z < (blockIdx.z + 1) * PLANES; z++) {
    long i = x + y * sy + z * sz;
    if ((x ^ y ^ z ^ colour) & 1) o[i] = u[i] + relaxed(u, c, field, i, sy, sz); else o[i] = u[i];
  }
}
__global__ void k_smooth_mask(const double *__restrict__ u, double *__restrict__ o, const double *__restrict__ c, long field, const double *__restrict__ mask, int nx, int ny, long sy, long sz, int colour) { // mask: two planes of ones and zeros
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y; if (x >= nx || y >= ny) return;
  for (int z = blockIdx.z * PLANES; z < (blockIdx.z + 1) * PLANES; z++) {
    long i = x + y * sy + z * sz; double m = mask[((z ^ colour) & 1) * sz + x + y * sy];
    o[i] = u[i] + m * relaxed(u, c, field, i, sy, sz);
  }
}
__global__ void k_smooth_stride(const double *__restrict__ u, double *__restrict__ o, const double *__restrict__ c, long field, int nx, int ny, long sy, long sz, int colour) { // a thread has two neighbours in x and relaxes the one of the colour
  int x = 2 * (blockIdx.x * blockDim.x + threadIdx.x), y = blockIdx.y * blockDim.y + threadIdx.y; if (x >= nx || y >= ny) return;
  for (int z = blockIdx.z * PLANES; z < (blockIdx.z + 1) * PLANES; z++) {
    long i = x + y * sy + z * sz, at = i + ((y ^ z ^ colour ^ 1) & 1), other = at ^ 1;
    o[at] = u[at] + relaxed(u, c, field, at, sy, sz); o[other] = u[other];
  }
}

// --- Smith-Waterman: a block per pair, a thread per letter of the query, anti-diagonal after anti-diagonal ---------------
enum { MATCH = 5, MISMATCH = -3, GAP = 6, QUERY_MOST = 128, TARGET_MOST = 1088 };
template <bool DIAGONALS> __global__ void k_align(const unsigned char *__restrict__ query, const unsigned char *__restrict__ target, int *__restrict__ score, int *__restrict__ best, int m, int n) {
  __shared__ int recent[3][QUERY_MOST + 1]; __shared__ unsigned char letters[TARGET_MOST];
  int i = threadIdx.x; size_t pair = blockIdx.x; int *out = score + pair * (DIAGONALS ? (size_t)(m + n - 1) * m : (size_t)m * n);
  for (int j = i; j < n; j += blockDim.x) letters[j] = target[pair * n + j];
  for (int d = 0; d < 3; d++) { recent[d][i + 1] = 0; if (i == 0) recent[d][0] = 0; }
  int letter = i < m ? query[pair * m + i] : 0, most = 0; int *now = recent[0], *before = recent[1], *twice = recent[2]; __syncthreads();
  for (int d = 0; d < m + n - 1; d++) {
    int j = d - i;
    if (i < m && j >= 0 && j < n) {
      int s = max(0, twice[i] + (letters[j] == letter ? MATCH : MISMATCH)); s = max(s, max(before[i], before[i + 1]) - GAP);
      now[i + 1] = s; most = max(most, s); out[DIAGONALS ? d * m + i : i * n + j] = s;
    }
    __syncthreads(); int *last = twice; twice = before; before = now; now = last;
  }
  for (int d = 16; d; d /= 2) most = max(most, __shfl_xor_sync(0xffffffffu, most, d));
  if (i % 32 == 0) recent[0][i / 32] = most;
  __syncthreads();
  if (i == 0) { for (int w = 1; w < blockDim.x / 32; w++) most = max(most, recent[0][w]); best[pair] = most; }
}

// --- products: c = a b, single precision sums ----------------------------------------------------------------------------
template <class T> __global__ void k_product(const T *__restrict__ a, const T *__restrict__ b, float *__restrict__ c, int n) { // 64x64 per block of 16x16, 4x4 per thread
  __shared__ T ta[16][64], tb[16][64]; int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx, row = blockIdx.y * 64, col = blockIdx.x * 64; float sum[4][4] = {};
  for (int k = 0; k < n; k += 16) {
    for (int i = t; i < 1024; i += 256) { ta[i % 16][i / 16] = a[(size_t)(row + i / 16) * n + k + i % 16]; tb[i / 64][i % 64] = b[(size_t)(k + i / 64) * n + col + i % 64]; }
    __syncthreads();
    for (int kk = 0; kk < 16; kk++) {
      float ra[4], rb[4]; for (int i = 0; i < 4; i++) { ra[i] = (float)ta[kk][ty * 4 + i]; rb[i] = (float)tb[kk][tx * 4 + i]; }
      for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++) sum[i][j] += ra[i] * rb[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++) c[(size_t)(row + ty * 4 + i) * n + col + tx * 4 + j] = sum[i][j];
}
__global__ void k_product_tensor(const half *__restrict__ a, const half *__restrict__ b, float *__restrict__ c, int n) { // 128x128 per block of 8 warps, 32x64 per warp
  using namespace nvcuda::wmma; constexpr int K = 32, PAD = 8;
  __shared__ __align__(32) half ta[128][K + PAD], tb[K][128 + PAD];
  int t = threadIdx.x, row = blockIdx.y * 128, col = blockIdx.x * 128, wr = t / 32 / 2 * 32, wc = t / 32 % 2 * 64;
  fragment<accumulator, 16, 16, 16, float> sum[2][4]; for (int i = 0; i < 2; i++) for (int j = 0; j < 4; j++) fill_fragment(sum[i][j], 0.f);
  for (int k = 0; k < n; k += K) {
    for (int i = t; i < 128 * K / 8; i += 256) { // 16 bytes at a time
      *(int4 *)&ta[i / 4][i % 4 * 8] = *(const int4 *)&a[(size_t)(row + i / 4) * n + k + i % 4 * 8];
      *(int4 *)&tb[i / 16][i % 16 * 8] = *(const int4 *)&b[(size_t)(k + i / 16) * n + col + i % 16 * 8]; }
    __syncthreads();
    for (int kk = 0; kk < K; kk += 16) {
      fragment<matrix_a, 16, 16, 16, half, row_major> fa[2]; fragment<matrix_b, 16, 16, 16, half, row_major> fb[4];
      for (int i = 0; i < 2; i++) load_matrix_sync(fa[i], &ta[wr + i * 16][kk], K + PAD);
      for (int j = 0; j < 4; j++) load_matrix_sync(fb[j], &tb[kk][wc + j * 16], 128 + PAD);
      for (int i = 0; i < 2; i++) for (int j = 0; j < 4; j++) mma_sync(sum[i][j], fa[i], fb[j], sum[i][j]);
    }
    __syncthreads();
  }
  for (int i = 0; i < 2; i++) for (int j = 0; j < 4; j++) store_matrix_sync(c + (size_t)(row + wr + i * 16) * n + col + wc + j * 16, sum[i][j], n, mem_row_major);
}

// --- plain kernels -------------------------------------------------------------------------------------------------------
__global__ void k_copy(const float *__restrict__ a, float *__restrict__ o, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) o[i] = a[i]; }
__global__ void k_triad(const double *__restrict__ a, const double *__restrict__ b, double *__restrict__ o, double s, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) o[i] = a[i] + s * b[i]; }
__global__ void k_star7(const double *__restrict__ u, double *__restrict__ o, int nx, int ny, int nz, long sy, long sz, double a, double b) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z; if (x >= nx || y >= ny || z >= nz) return;
  long i = x + y * sy + z * sz; o[i] = a * u[i] + b * (u[i - 1] + u[i + 1] + u[i - sy] + u[i + sy] + u[i - sz] + u[i + sz]);
}
__global__ void k_blur(const float *__restrict__ a, float *__restrict__ o, int w, int h) { // borders are left alone
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y; if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1) return;
  float s = 0; for (int dy = -1; dy <= 1; dy++) for (int dx = -1; dx <= 1; dx++) s += a[(size_t)(y + dy) * w + x + dx];
  o[(size_t)y * w + x] = s * (1.f / 9);
}
__global__ void k_sum(const float *__restrict__ a, float *__restrict__ o, int n) { // grid-stride, then shuffles
  __shared__ float part[32]; float v = 0; for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += a[i];
  for (int d = 16; d; d /= 2) v += __shfl_xor_sync(0xffffffffu, v, d);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x < 32) { v = threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : 0; for (int d = 16; d; d /= 2) v += __shfl_xor_sync(0xffffffffu, v, d); if (threadIdx.x == 0) o[blockIdx.x] = v; }
}
__global__ void k_bins(const unsigned *__restrict__ a, unsigned *__restrict__ o, int n) { // 256 bins in shared memory
  __shared__ unsigned bin[256]; for (int i = threadIdx.x; i < 256; i += blockDim.x) bin[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&bin[a[i] & 255], 1);
  __syncthreads(); for (int i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(&o[i], bin[i]);
}

static std::vector<Config> cs;
static void add(const char *fam, const char *var, std::string params, dim3 g, dim3 b, double work, const void *f, std::function<void()> l) { cs.push_back({fam, var, params, g, b, work, f, 0, l, nullptr}); }
static std::string P(const char *fmt, ...) { char s[200]; va_list a; va_start(a, fmt); vsnprintf(s, sizeof s, fmt, a); va_end(a); return s; }
#define LAUNCH(family, variant, params, g, b, work, K, ...) add(family, variant, params, g, b, work, (const void *)K, [=] { K<<<g, b>>>(__VA_ARGS__); })
static const int SMS = 132;
static float *in, *out;        // 2^29 elements each
static unsigned *binned;       // 2^24 numbers
static unsigned char *letters; // 2^23 of an alphabet of four

template <class T> static void transposes(const char *type, int n) {
  auto *plain = k_transpose_naive<T>; auto *tiled = k_transpose_tiled<T, 0>; auto *padded = k_transpose_tiled<T, 1>;
  dim3 b(32, 8), g(n / 32, n / 32); std::string p = P("n=%d", n), t = std::string("_") + type; double w = (double)n * n; const T *a = (const T *)in; T *o = (T *)out;
  LAUNCH("transpose", ("naive" + t).c_str(), p, g, b, w, plain, a, o, n); LAUNCH("transpose", ("tiled" + t).c_str(), p, g, b, w, tiled, a, o, n); LAUNCH("transpose", ("padded" + t).c_str(), p, g, b, w, padded, a, o, n);
}
// Fields follow each other in the first array; the result is in the second, the mask an array of its own.
static double *mask_of(const Grid<double> &q) {
  std::vector<double> m(2 * q.sz + q.origin, 0.0); double *to; CHECK(cudaMalloc(&to, m.size() * sizeof(double)));
  for (int z = 0; z < 2; z++) for (int y = 0; y < q.ny; y++) for (int x = 0; x < q.nx; x++) m[q.origin + z * q.sz + y * q.sy + x] = (x ^ y ^ z) & 1;
  CHECK(cudaMemcpy(to, m.data(), m.size() * sizeof(double), cudaMemcpyHostToDevice)); return to + q.origin;
}
static void smoothers(int n, dim3 b) {
  Grid<double> q(n, n, n, 1); const double *u = (const double *)in + q.origin, *c = u + q.n; double *o = (double *)out + q.origin, *mask = mask_of(q); long f = (long)q.n, sy = q.sy, sz = q.sz;
  dim3 g(up(n, b.x), up(n, b.y), n / PLANES), half_g(up(n / 2, b.x), up(n, b.y), n / PLANES); std::string p = q.str() + P(";field=%ld", f); double w = (double)n * n * n;
  LAUNCH("smoother", "branch", p, g, b, w, k_smooth_branch, u, o, c, f, n, n, sy, sz, 0); LAUNCH("smoother", "mask", p, g, b, w, k_smooth_mask, u, o, c, f, mask, n, n, sy, sz, 0); LAUNCH("smoother", "stride", p, half_g, b, w, k_smooth_stride, u, o, c, f, n, n, sy, sz, 0);
}
static void alignments(int pairs) {
  int m = 126, n = 1066; dim3 b(QUERY_MOST), g(pairs); std::string p = P("pairs=%d;m=%d;n=%d", pairs, m, n); double w = (double)pairs * m * n; const unsigned char *q = letters, *t = letters + (1 << 21); int *s = (int *)out, *best = s + (1 << 29) - (1 << 12);
  auto *rows = k_align<false>; auto *diagonals = k_align<true>;
  LAUNCH("align", "rows", p, g, b, w, rows, q, t, s, best, m, n); LAUNCH("align", "diagonals", p, g, b, w, diagonals, q, t, s, best, m, n);
}
static const half *halves() { return (const half *)(in + (1 << 28)); }
static void product(const char *variant, int n) {
  dim3 b(16, 16), g(n / 64, n / 64), bt(256), gt(n / 128, n / 128); std::string p = P("n=%d", n); size_t m = (size_t)n * n; const half *h = halves(); auto *single = k_product<float>; auto *mixed = k_product<half>;
  if (!strcmp(variant, "single")) LAUNCH("product", variant, p, g, b, m, single, in, in + m, out, n);
  else if (!strcmp(variant, "half")) LAUNCH("product", variant, p, g, b, m, mixed, h, h + m, out, n);
  else LAUNCH("product", variant, p, gt, bt, m, k_product_tensor, h, h + m, out, n);
}
static void copy(int n, int t) { dim3 b(t), g(up(n, t)); LAUNCH("copy", "f32", P("n=%d", n), g, b, n, k_copy, in, out, n); }
static void triad(int n, int t) { dim3 b(t), g(up(n, t)); const double *a = (const double *)in; LAUNCH("triad", "f64", P("n=%d", n), g, b, n, k_triad, a, a + n, (double *)out, 3.0, n); }
static void star7(int n, dim3 b) { Grid<double> q(n, n, n, 1); dim3 g(up(n, b.x), up(n, b.y), up(n, b.z)); LAUNCH("star7", "f64", q.str(), g, b, (double)n * n * n, k_star7, (const double *)in + q.origin, (double *)out + q.origin, n, n, n, q.sy, q.sz, .4, .1); }
static void blur(int w, dim3 b) { dim3 g(up(w, b.x), up(w, b.y)); LAUNCH("blur", "3x3", P("w=%d;h=%d", w, w), g, b, (double)w * w, k_blur, in, out, w, w); }
static void sum(int n, int k) { dim3 b(256), g(SMS * k); LAUNCH("sum", "f32", P("n=%d", n), g, b, n, k_sum, in, out, n); }
static void bins(int n, int k) { dim3 b(256), g(SMS * k); LAUNCH("bins", "shared", P("n=%d", n), g, b, n, k_bins, binned, (unsigned *)out, n); }

static void measured() {
  for (int n : {1024, 4096, 8192}) transposes<float>("f32", n);
  for (int n : {4096, 8192}) transposes<double>("f64", n);
  smoothers(128, dim3(32, 4)); smoothers(256, dim3(32, 4)); smoothers(256, dim3(64, 4));
  for (int pairs : {1056, 2112}) alignments(pairs);
  for (int n : {1024, 2048}) { product("single", n); product("half", n); }
  for (int n : {1024, 2048, 4096}) product("tensor", n);
  copy(1 << 26, 256); copy(1 << 26, 1024); triad(1 << 25, 256); star7(256, dim3(32, 4, 4)); star7(256, dim3(128, 2, 1)); blur(4096, dim3(32, 8)); blur(8192, dim3(64, 4)); sum(1 << 27, 8); bins(1 << 24, 8);
}
static void small() { // 17 kernels, a few microseconds each
  transposes<float>("f32", 1024); smoothers(64, dim3(32, 4)); alignments(132); product("single", 512); product("half", 512); product("tensor", 512);
  copy(1 << 20, 256); triad(1 << 20, 256); star7(64, dim3(32, 4, 4)); blur(1024, dim3(32, 8)); sum(1 << 20, 2); bins(1 << 20, 2);
}

// Results of the launches in the list, read from the second array as numbers of type T; the first is the reference.
template <class T> static std::vector<T> result(const Config &c, size_t first, size_t n) {
  CHECK(cudaMemset(out, 0xff, (size_t)1 << 31)); c.launch(); CHECK(cudaGetLastError()); std::vector<T> v(n);
  CHECK(cudaMemcpy(v.data(), (const T *)out + first, n * sizeof(T), cudaMemcpyDeviceToHost)); return v;
}
template <class T> static int differ(size_t first, size_t n, double relative) {
  std::vector<T> want = result<T>(cs[0], first, n); int wrong = 0;
  for (const Config &c : cs) {
    std::vector<T> got = result<T>(c, first, n); double worst = 0;
    for (size_t i = 0; i < n; i++) { double w = (double)want[i], d = (double)got[i] - w, r = w == w ? (d < 0 ? -d : d) / (w < 0 ? -w + 1e-30 : w + 1e-30) : got[i] == got[i]; if (!(r <= worst)) worst = r == r ? r : 1e300; }
    printf("%s %s: largest relative difference %.2g\n", c.family.c_str(), c.variant.c_str(), worst); wrong += !(worst <= relative);
  }
  cs.clear(); return wrong;
}
static int check() {
  int wrong = 0; Grid<double> q(64, 64, 64, 1); size_t n = 512;
  transposes<float>("f32", 1024); wrong += differ<float>(0, 1 << 20, 0); transposes<double>("f64", 1024); wrong += differ<double>(0, 1 << 20, 0);
  smoothers(64, dim3(32, 4)); wrong += differ<double>(0, q.n, 1e-12); // what no thread writes is not a number in all
  alignments(132); wrong += differ<int>((1 << 29) - (1 << 12), 132, 0); product("half", (int)n); product("tensor", (int)n); wrong += differ<float>(0, n * n, 1e-4);
  printf(wrong ? "check: %d differ\n" : "check: ok\n", wrong); return wrong != 0;
}

__global__ void fill_half(half *p, size_t n) { for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) p[i] = __float2half(0.5f + (float)((i * 2654435761u) & 1023) / 2048.0f); }
int main(int argc, char **argv) {
  in = device_array<float>((size_t)1 << 29); out = device_array<float>((size_t)1 << 29);
  fill_half<<<1024, 256>>>((half *)halves(), (size_t)1 << 26); CHECK(cudaDeviceSynchronize());
  { std::vector<unsigned> v(1 << 24); for (unsigned i = 0; i < v.size(); i++) v[i] = binned_random(i); CHECK(cudaMalloc(&binned, v.size() * 4)); CHECK(cudaMemcpy(binned, v.data(), v.size() * 4, cudaMemcpyHostToDevice)); }
  { std::vector<uint32_t> v(1 << 21); for (unsigned i = 0; i < v.size(); i++) v[i] = letters_draw(i); CHECK(cudaMalloc(&letters, v.size() * 4)); CHECK(cudaMemcpy(letters, v.data(), v.size() * 4, cudaMemcpyHostToDevice)); }
  if (argc > 1 && !strcmp(argv[1], "check")) return check();
  if (argc > 3 && !strcmp(argv[3], "small")) small(); else measured();
  return run(argc, argv, cs);
}

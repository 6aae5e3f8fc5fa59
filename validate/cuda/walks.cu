// Threads and warps that all walk the same data: bodies that attract each other, queries that a warp scores against a
// list, nearest entries of a table, small filters whose weights all read. Data comes from the L1, the L2 or shared memory.
#include <cstdarg>
#include "harness.h"

// A thread per body: every body's place as 16 bytes, the same for all lanes.
__global__ void k_pairs(const float4 *__restrict__ p, float4 *__restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; float4 me = p[i]; float ax = 0, ay = 0, az = 0;
  for (int j = 0; j < n; j++) {
    float4 o = p[j]; float dx = o.x - me.x, dy = o.y - me.y, dz = o.z - me.z;
    float r = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f), f = o.w * r * r * r; ax += f * dx; ay += f * dy; az += f * dz;
  }
  out[i] = make_float4(ax, ay, az, 0);
}
// The same by tiles in shared memory.
__global__ void k_pairs_tiles(const float4 *__restrict__ p, float4 *__restrict__ out, int n) {
  extern __shared__ float4 tile[]; int i = blockIdx.x * blockDim.x + threadIdx.x; float4 me = p[i]; float ax = 0, ay = 0, az = 0;
  for (int first = 0; first < n; first += blockDim.x) {
    tile[threadIdx.x] = p[first + threadIdx.x]; __syncthreads();
    for (int j = 0; j < blockDim.x; j++) {
      float4 o = tile[j]; float dx = o.x - me.x, dy = o.y - me.y, dz = o.z - me.z;
      float r = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f), f = o.w * r * r * r; ax += f * dx; ay += f * dy; az += f * dz;
    }
    __syncthreads();
  }
  out[i] = make_float4(ax, ay, az, 0);
}
// A warp per query: W features a lane, one entry of the list after the other, the best score by shuffles.
template <int W> __global__ void k_scores(const float *__restrict__ q, const float *__restrict__ list, float *__restrict__ best, int *__restrict__ where, int n, int queries) {
  int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32; float a[W], most = -1e30f; int at = 0;
  const float *mine = list + (size_t)(warp / queries) * n * 32 * W;
  for (int w = 0; w < W; w++) a[w] = q[(size_t)warp * 32 * W + w * 32 + lane];
  for (int j = 0; j < n; j++) {
    float s = 0;
    for (int w = 0; w < W; w++) s += a[w] * mine[(size_t)j * 32 * W + w * 32 + lane];
    for (int d = 16; d > 0; d /= 2) s += __shfl_xor_sync(~0u, s, d);
    if (s > most) { most = s; at = j; }
  }
  if (lane == 0) { best[warp] = most; where[warp] = at; }
}
// A thread per point with D coordinates: the nearest of n entries, all lanes read the same one.
template <int D> __global__ void k_nearest(const float *__restrict__ p, const float *__restrict__ table, int *__restrict__ where, int n, int points) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, at = 0; if (i >= points) return; float a[D], least = 1e30f;
  for (int d = 0; d < D; d++) a[d] = p[(size_t)d * points + i];
  for (int j = 0; j < n; j++) {
    float s = 0;
    for (int d = 0; d < D; d++) { float x = a[d] - table[j * D + d]; s += x * x; }
    if (s < least) { least = s; at = j; }
  }
  where[i] = at;
}
// A warp per query walks a table with all its lanes: sums of what is near to it.
__global__ void k_sweep(const float *__restrict__ q, const float *__restrict__ table, float *__restrict__ out, int n) {
  int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32; float me = q[warp], s = 0;
  for (int j = lane; j < n; j += 32) { float x = table[j] - me; s += x * x < 0.01f ? x : 0; }
  for (int d = 16; d > 0; d /= 2) s += __shfl_xor_sync(~0u, s, d);
  if (lane == 0) out[warp] = s;
}

static std::vector<Config> cs;
static std::string P(const char *fmt, ...) { char s[200]; va_list a; va_start(a, fmt); vsnprintf(s, sizeof s, fmt, a); va_end(a); return s; }
#define LAUNCH(family, variant, params, g, b, shared, work, K, ...) \
  cs.push_back({family, variant, params, g, b, (double)(work), (const void *)K, (size_t)(shared), [=] { K<<<g, b, shared>>>(__VA_ARGS__); }})
template <int W> static void scores(int n, int lists, int queries, int threads, float *f1, float *f2) {
  int warps = lists * queries; dim3 g(warps * 32 / threads), b(threads); auto *k = k_scores<W>; const float *l = f1 + (1 << 24); int *w = (int *)f2 + (1 << 24);
  LAUNCH("scores", P("w%d", W), P("n=%d;lists=%d;queries=%d", n, lists, queries), g, b, 0, (double)warps * n, k, f1, l, f2, w, n, queries);
}
template <int D> static void nearest(int n, int points, int threads, float *f1, float *f2) {
  dim3 g(up(points, threads)), b(threads); auto *k = k_nearest<D>; const float *t = f1 + (1 << 26);
  LAUNCH("nearest", P("d%d", D), P("n=%d;points=%d", n, points), g, b, 0, (double)points * n, k, f1, t, (int *)f2, n, points);
}
int main(int argc, char **argv) {
  float *f1 = device_array<float>((size_t)1 << 27), *f2 = device_array<float>((size_t)1 << 27);
  for (int n : {8192, 32768}) for (int t : {32, 64, 128, 256, 512}) {
    dim3 g(n / t), b(t); LAUNCH("pairs", "direct", P("n=%d", n), g, b, 0, (double)n * n, k_pairs, (const float4 *)f1, (float4 *)f2, n);
    LAUNCH("pairs", "tiles", P("n=%d", n), g, b, t * 16, (double)n * n, k_pairs_tiles, (const float4 *)f1, (float4 *)f2, n);
  }
  for (int t : {32, 64, 128, 256, 512, 1024}) {
    scores<1>(512, 16, 512, t, f1, f2); scores<1>(4096, 1, 4096, t, f1, f2); scores<2>(1024, 8, 1024, t, f1, f2);
    scores<4>(256, 64, 256, t, f1, f2); scores<4>(2048, 4, 1024, t, f1, f2); scores<2>(8192, 2, 4096, t, f1, f2);
  }
  for (int t : {64, 128, 256, 512}) {
    nearest<4>(64, 1 << 20, t, f1, f2); nearest<8>(256, 1 << 18, t, f1, f2); nearest<16>(16, 1 << 21, t, f1, f2);
    nearest<16>(1024, 1 << 16, t, f1, f2); nearest<2>(512, 100000, t, f1, f2); nearest<32>(64, 1 << 18, t, f1, f2);
  }
  for (int n : {4096, 32768, 262144, 2097152}) for (int t : {64, 128, 256, 512, 1024}) {
    int warps = n > 1000000 ? 1056 : 8448; dim3 g(warps * 32 / t), b(t); const float *tb = f1 + (1 << 20);
    LAUNCH("sweep", "f32", P("n=%d;warps=%d", n, warps), g, b, 0, (double)warps * n, k_sweep, f1, tb, f2, n);
  }
  return run(argc, argv, cs);
}

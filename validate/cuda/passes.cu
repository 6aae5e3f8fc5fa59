// Threads that read their own data several times, and blocks that stage data behind barriers. What decides is whether data is
// still in the L1 at the next pass, and how long a block of a few or of many warps takes from one barrier to the next.
#include <cstdarg>
#include "harness.h"

// A thread per sample, features in rows of n: every output is a weighted sum over all of them, features are read again for each.
__global__ void k_project(const float *__restrict__ x, const float *__restrict__ w, float *__restrict__ y, int n, int features, int outputs) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return;
  for (int c = 0; c < outputs; c++) {
    float s = 0; for (int d = 0; d < features; d++) s += x[(size_t)d * n + i] * w[c * features + d];
    y[(size_t)c * n + i] = s;
  }
}
// The same with the features of a sample one behind the other: lanes read with a stride.
__global__ void k_project_rows(const float *__restrict__ x, const float *__restrict__ w, float *__restrict__ y, int n, int features, int outputs) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return;
  for (int c = 0; c < outputs; c++) {
    float s = 0; for (int d = 0; d < features; d++) s += x[(size_t)i * features + d] * w[c * features + d];
    y[(size_t)c * n + i] = s;
  }
}
// The largest of all weighted sums only: no stores between passes.
__global__ void k_project_most(const float *__restrict__ x, const float *__restrict__ w, float *__restrict__ y, int n, int features, int outputs) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; float most = -1e30f;
  for (int c = 0; c < outputs; c++) {
    float s = 0; for (int d = 0; d < features; d++) s += x[(size_t)d * n + i] * w[c * features + d];
    most = fmaxf(most, s);
  }
  y[i] = most;
}
// A block stages its part of L arrays in shared memory, exchanges it some times behind barriers, and stores it.
template <int L> __global__ void k_stage(const float *__restrict__ a, float *__restrict__ out, int n, int rounds) {
  extern __shared__ float s[]; int t = threadIdx.x, i = blockIdx.x * blockDim.x + t; float v = 0;
  for (int l = 0; l < L; l++) v += a[(size_t)l * n + i];
  s[t] = v; __syncthreads();
  for (int r = 0; r < rounds; r++) { v = .5f * (v + s[t ^ 33]); __syncthreads(); s[t] = v; __syncthreads(); }
  out[i] = s[t ^ 1];
}

static std::vector<Config> cs;
static std::string P(const char *fmt, ...) { char s[200]; va_list a; va_start(a, fmt); vsnprintf(s, sizeof s, fmt, a); va_end(a); return s; }
#define LAUNCH(family, variant, params, g, b, shared, work, K, ...) \
  cs.push_back({family, variant, params, g, b, (double)(work), (const void *)K, (size_t)(shared), [=] { K<<<g, b, shared>>>(__VA_ARGS__); }})
static void project(const char *variant, void (*k)(const float *, const float *, float *, int, int, int), int n, int features, int outputs, int threads, float *f1, float *f2) {
  dim3 g(up(n, threads)), b(threads); const float *w = f1 + (1 << 26);
  LAUNCH("project", variant, P("n=%d;features=%d;outputs=%d", n, features, outputs), g, b, 0, (double)n * outputs, k, f1, w, f2, n, features, outputs);
}
template <int L> static void stage(int n, int rounds, int threads, float *f1, float *f2) {
  dim3 g(n / threads), b(threads); auto *k = k_stage<L>;
  LAUNCH("stage", P("l%d", L), P("n=%d;rounds=%d", n, rounds), g, b, threads * 4, (double)n, k, f1, f2, n, rounds);
}
int main(int argc, char **argv) {
  float *f1 = device_array<float>((size_t)1 << 27), *f2 = device_array<float>((size_t)1 << 27);
  for (int d : {8, 16, 24, 30, 40, 48, 64, 96}) for (int t : {64, 256, 1024}) project("columns", k_project, 1 << 19, d, 12, t, f1, f2);
  for (int d : {12, 28, 44}) for (int t : {128, 512}) { project("most", k_project_most, 1 << 19, d, 12, t, f1, f2); project("most", k_project_most, 1 << 16, d, 48, t, f1, f2); }
  for (int d : {8, 20, 32, 48}) for (int t : {64, 256, 1024}) project("rows", k_project_rows, 1 << 19, d, 12, t, f1, f2);
  for (int d : {20, 36}) for (int t : {64, 128, 256, 512, 1024}) project("columns", k_project, 1 << 14, d, 40, t, f1, f2);
  for (int t : {64, 128, 256, 512, 1024}) { for (int r : {0, 1, 2, 4, 8}) { stage<1>(1 << 24, r, t, f1, f2); stage<3>(1 << 22, r, t, f1, f2); } }
  return run(argc, argv, cs);
}

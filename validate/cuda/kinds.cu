// Launches of two kinds of blocks: how many are long, and where in the launch order they lie. What a block of each kind does
// stays the same, so that the times show how blocks of unequal length fill the multiprocessors.
#include <cstdarg>
#include "harness.h"

#define BLOCKS 4096

// A block works for as long as its count says; 0: it leaves at once.
__global__ void k_long(const int *__restrict__ cnt, const float *__restrict__ a, float *__restrict__ o, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; float s = 0; int c = cnt[blockIdx.x];
  for (int j = 0; j < c; j++) s += a[(i + j * 4096) % n];
  if (c) o[i] = s;
}
// The same without memory: a chain of dependent multiply-adds.
__global__ void k_chain(const int *__restrict__ cnt, float *__restrict__ o, float f) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; float s = i; int c = cnt[blockIdx.x];
  for (int j = 0; j < c; j++) s = s * f + f;
  if (c) o[i] = s;
}
// A copy of some rows: the first, the last, or one of every few rows of blocks.
__global__ void k_first(const float *__restrict__ a, float *__restrict__ b, int n, int limit) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (y < limit) b[y * n + x] = 2 * a[y * n + x];
}
__global__ void k_last(const float *__restrict__ a, float *__restrict__ b, int n, int limit) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (y >= limit) b[y * n + x] = 2 * a[y * n + x];
}
__global__ void k_every(const float *__restrict__ a, float *__restrict__ b, int n, int every) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (blockIdx.y % every == 0) b[y * n + x] = 2 * a[y * n + x];
}
// All blocks leave at once.
__global__ void k_leave(const float *__restrict__ a, float *__restrict__ b, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x; if (x >= n) return;
  b[x] = 2 * a[x];
}

static std::vector<Config> cs;
static void add(const char *fam, const char *var, std::string params, dim3 g, dim3 b, double work, const void *f, std::function<void()> l) { cs.push_back({fam, var, params, g, b, work, f, 0, l, nullptr}); }
static std::string P(const char *fmt, ...) { char s[200]; va_list a; va_start(a, fmt); vsnprintf(s, sizeof s, fmt, a); va_end(a); return s; }

// `some` blocks of `trips` trips at the start, at the end or spread evenly, the others with `few`.
static const int *counts(const char *where, int some, int trips, int few) {
  std::vector<int> v(BLOCKS, few);
  for (int i = 0; i < some; i++) v[*where == 'f' ? i : *where == 'l' ? BLOCKS - some + i : (int)((i + 0.5) * BLOCKS / some)] = trips;
  int *p; CHECK(cudaMalloc(&p, BLOCKS * sizeof(int))); CHECK(cudaMemcpy(p, v.data(), BLOCKS * sizeof(int), cudaMemcpyHostToDevice)); return p;
}

static void long_and_short(float *f1, float *f2) {
  dim3 b(256), g(BLOCKS); int n = BLOCKS * 256;
  for (int few : {0, 32}) for (int some : {1, 33, 264, 1056, 2112}) for (const char *where : {"first", "last", "spread"}) {
    const int *c = counts(where, some, 512, few);
    add("long", where, P("n=%d;some=%d;trips=512;few=%d", n, some, few), g, b, n, (const void *)k_long, [=] { k_long<<<g, b>>>(c, f1, f2, n); });
  }
  for (int some : {0, 4096}) { const int *c = counts("first", some, 512, 32); add("long", "alike", P("n=%d;some=%d;trips=512;few=32", n, some), g, b, n, (const void *)k_long, [=] { k_long<<<g, b>>>(c, f1, f2, n); }); }
  for (int some : {1, 33, 264, 1056, 2112, 4096}) for (const char *where : {"first", "last", "spread"}) {
    const int *c = counts(where, some, 8192, 512);
    add("chain", where, P("n=%d;some=%d;trips=8192;few=512", n, some), g, b, n, (const void *)k_chain, [=] { k_chain<<<g, b>>>(c, f2, 0.999f); });
  }
}
static void some_rows(float *f1, float *f2) {
  int n = 4096;
  for (dim3 b : {dim3(256, 1), dim3(32, 8), dim3(4, 4)}) {
    dim3 g(n / b.x, n / b.y);
    for (int rows : {0, 64, 512, 1024, 2048, 3072, 4096}) {
      std::string p = P("n=%d;rows=%d", n, rows);
      add("part", "first", p, g, b, (double)n * rows, (const void *)k_first, [=] { k_first<<<g, b>>>(f1, f2, n, rows); });
      add("part", "last", p, g, b, (double)n * rows, (const void *)k_last, [=] { k_last<<<g, b>>>(f1, f2, n, n - rows); });
      if (rows && n % rows == 0) add("part", "every", p, g, b, (double)n * rows, (const void *)k_every, [=] { k_every<<<g, b>>>(f1, f2, n, n / rows); });
    }
  }
}
static void leaving(float *f1, float *f2) {
  for (int threads : {32, 64, 128, 256, 512, 1024}) for (int blocks : {4096, 65536}) { dim3 b(threads), g(blocks);
    add("leave", "all", P("n=0;blocks=%d", blocks), g, b, 0, (const void *)k_leave, [=] { k_leave<<<g, b>>>(f1, f2, 0); }); }
}
int main(int argc, char **argv) {
  size_t n = (size_t)1 << 26; float *f1 = device_array<float>(n), *f2 = device_array<float>(n);
  long_and_short(f1, f2); some_rows(f1, f2); leaving(f1, f2);
  return run(argc, argv, cs);
}

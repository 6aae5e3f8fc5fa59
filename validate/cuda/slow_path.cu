// Which operands make divisions, reciprocals and roots leave their fast path. Each warp computes one result with equal
// operands in all lanes; it is slow if it takes 30 cycles longer than the fastest. Prints operation, exponent of the
// divisor (or of nothing), and the slow ranges of the other exponent; f64 divisions are sampled.
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

enum { DIVIDE, ROOT, RECIPROCAL, INVERSE_ROOT };

template <int OP, class T> __device__ T compute(T p, T q) { return OP == DIVIDE ? p / q : OP == ROOT ? sqrt(p) : OP == RECIPROCAL ? T(1) / p : rsqrt(p); }

template <int OP, class T> __global__ void k_slow(const T *a, const T *b, int *cycles, T *out, int m) {
  int i = blockIdx.x; volatile T x = a[i / m], y = b[i % m]; T p = x, q = y;
  out[i] = compute<OP, T>(p, q); // instructions are in the cache
  __syncwarp(); p = x; q = y; asm volatile("" ::: "memory"); long long start = clock64(); asm volatile("" ::: "memory");
  out[i] = compute<OP, T>(p, q); asm volatile("" ::: "memory"); long long end = clock64();
  if (threadIdx.x == 0) cycles[i] = (int)(end - start);
}

static float number(float, int exponent) { uint32_t u = (uint32_t)exponent << 23 | 0x2f1234u; float f; memcpy(&f, &u, 4); return f; }
static double number(double, int exponent) { uint64_t u = (uint64_t)exponent << 52 | 0x5f12345678911ull; double f; memcpy(&f, &u, 8); return f; }

template <int OP, class T> static void map(const char *name, std::vector<int> ea, std::vector<int> eb) {
  int n = (int)ea.size(), m = (int)eb.size(), *c, least = 1 << 30; std::vector<T> a, b; T *da, *db, *o;
  for (int e : ea) a.push_back(number(T(), e));
  for (int e : eb) b.push_back(number(T(), e));
  cudaMalloc(&da, n * sizeof(T)); cudaMalloc(&db, m * sizeof(T)); cudaMalloc(&c, 4 * n * m); cudaMalloc(&o, sizeof(T) * n * m);
  cudaMemcpy(da, a.data(), n * sizeof(T), cudaMemcpyHostToDevice); cudaMemcpy(db, b.data(), m * sizeof(T), cudaMemcpyHostToDevice);
  for (int again = 0; again < 2; again++) k_slow<OP, T><<<n * m, 32>>>(da, db, c, o, m);
  std::vector<int> h(n * m); cudaMemcpy(h.data(), c, 4 * n * m, cudaMemcpyDeviceToHost);
  for (int v : h) least = v < least ? v : least;
  for (int j = 0; j < m; j++) {
    printf("%s,%d,", name, eb[j]); const char *space = "";
    for (int i = 0, from = -1; i <= n; i++) {
      bool slow = i < n && h[i * m + j] > least + 30;
      if (slow && from < 0) from = i;
      if (!slow && from >= 0) printf("%s%d..%d", space, ea[from], ea[i - 1]), from = -1, space = " ";
    }
    printf("\n");
  }
}

int main() {
  std::vector<int> all, sample; for (int i = 0; i < 256; i++) all.push_back(i);
  for (int i = 0; i < 2048; i += i < 64 || i > 1983 ? 1 : 16) sample.push_back(i);
  printf("operation,divisor_exponent,slow\n");
  map<DIVIDE, float>("div.f32", all, all); map<ROOT, float>("sqrt.f32", all, {0}); map<RECIPROCAL, float>("rcp.f32", all, {0});
  map<DIVIDE, double>("div.f64", sample, sample); map<ROOT, double>("sqrt.f64", sample, {0}); map<RECIPROCAL, double>("rcp.f64", sample, {0}); map<INVERSE_ROOT, double>("rsqrt.f64", sample, {0});
}

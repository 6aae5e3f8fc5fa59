// Arrays of each thread that lie in local memory: written and read again at places that data choose (rmw), swept through (uni), stored to
// (st); `s` words of each thread, `r` accesses, `kb` of shared memory that leave less of the L1.
#include "harness.h"

#define ARGUMENTS const unsigned *__restrict__ x, unsigned *__restrict__ y, unsigned n, int r, int q
#define START unsigned i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; unsigned v = x[i], a[S], s = 0; int at = 0;
template <int S> __global__ void k_rmw(ARGUMENTS) {
  START (void)s; (void)at; for (int k = 0; k < S; k++) a[k] = (unsigned)k;
  for (int k = 0; k < r; k++) { a[v & (S - 1)] += v; v = v >> 1 | v << 31; }
  y[i] = a[(x[i] >> 20) & (S - 1)];
}
template <int S> __global__ void k_uni(ARGUMENTS) {
  START for (int k = 0; k < S; k++) a[at++ * q & (S - 1)] = v + (unsigned)k;
  for (int k = 0; k < r; k++) s += a[at++ * q & (S - 1)];
  y[i] = s;
}
template <int S> __global__ void k_st(ARGUMENTS) {
  START (void)s; for (int k = 0; k < r; k++) a[at++ * q & (S - 1)] = v + (unsigned)k;
  y[i] = a[v & (S - 1)];
}
static std::vector<Config> cs;
static unsigned *x, *y;
template <class K> static void add(const char *variant, K k, int s, int r, int kb, int log_n) {
  unsigned n = 1u << log_n; dim3 b(256), g(n / 256); size_t shared = (size_t)kb << 10; char p[80]; snprintf(p, sizeof p, "n=%u;s=%d;r=%d;kb=%d", n, s, r, kb);
  CHECK(cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10));
  cs.push_back({"local", variant, p, g, b, (double)n, (const void *)k, shared, [=] { k<<<g, b, shared>>>(x, y, n, r, 1); }});
}
int main(int argc, char **argv) {
  std::vector<unsigned> h(1 << 22); for (size_t i = 0; i < h.size(); i++) { unsigned v = (unsigned)i * 2654435761u; v ^= v >> 15; v *= 2246822519u; v ^= v >> 13; h[i] = v * 3266489917u; }
  CHECK(cudaMalloc(&x, 16 << 20)); CHECK(cudaMalloc(&y, 16 << 20)); CHECK(cudaMemcpy(x, h.data(), 16 << 20, cudaMemcpyHostToDevice));
#define RMW(S, R, KB, N) add("rmw", k_rmw<S>, S, R, KB, N);
#define UNI(S, R, N) add("uni", k_uni<S>, S, R, 0, N);
#define ST(S, R, N) add("st", k_st<S>, S, R, 0, N);
  RMW(8, 16, 0, 20) RMW(16, 16, 0, 20) RMW(32, 16, 0, 20) RMW(64, 16, 0, 20) RMW(128, 16, 0, 20) RMW(256, 16, 0, 20) RMW(32, 64, 0, 20) RMW(64, 64, 0, 20) RMW(128, 64, 0, 20)
  RMW(32, 16, 50, 20) RMW(32, 16, 100, 20) RMW(64, 64, 50, 20) RMW(32, 16, 0, 18) RMW(32, 16, 0, 22)
  UNI(16, 16, 20) UNI(32, 32, 20) UNI(32, 128, 20) UNI(64, 64, 20) UNI(64, 256, 20) UNI(128, 128, 20) UNI(128, 512, 20) UNI(256, 256, 20) UNI(512, 512, 20) UNI(64, 64, 22)
  ST(16, 64, 20) ST(32, 32, 20) ST(32, 128, 20) ST(64, 256, 20) ST(128, 256, 20) ST(256, 256, 20) ST(512, 512, 20) ST(64, 64, 22)
  return run(argc, argv, cs);
}

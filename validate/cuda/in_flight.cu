// How many loads one multiprocessor has in flight: two blocks on one SM (the others end at once), each warp with K independent
// loads per step, from memory or from the L2. own: a line of its own for each load; same: all warps load the same lines; half:
// every other load hits the L1. Prints rows of probes/h200_in_flight.csv; not in the form of harness.h.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)
__device__ inline unsigned smid() { unsigned s; asm volatile("mov.u32 %0, %%smid;" : "=r"(s)); return s; }
__device__ unsigned number;
template <int K, int KIND> __global__ void __launch_bounds__(1024, 2) k(const float *p, int steps, long step_bytes, long warp_bytes, long *out, float *sink) {
  if (smid() != 7) return;
  __shared__ unsigned mine; if (threadIdx.x == 0) mine = atomicAdd(&number, 1); __syncthreads();
  int w = mine * (blockDim.x / 32) + threadIdx.x / 32; float s = 0;
  const char *q = (const char *)p + (1 << 20) + w * warp_bytes;
  const char *hot = (const char *)p + (w % 8) * 128; s = *(volatile float *)hot;
  long t0 = clock64();
  for (int i = 0; i < steps; i++) {
    float v[K];
#pragma unroll
    for (int j = 0; j < K; j++) {
      if (KIND == 2 && j % 2) asm volatile("ld.global.ca.f32 %0, [%1];" : "=f"(v[j]) : "l"(hot));
      else asm volatile("ld.global.ca.f32 %0, [%1];" : "=f"(v[j]) : "l"(q + j * 256));
    }
    float t = 0;
#pragma unroll
    for (int j = 0; j < K; j++) t += v[j];
    s += t; q += step_bytes + (t == 12345.f ? 4 : 0);
  }
  long t1 = clock64();
  if (threadIdx.x % 32 == 0) { out[w * 2] = t0; out[w * 2 + 1] = t1; }
  sink[threadIdx.x] = s;
}
__global__ void wash(float *p, long n) { for (long i = blockIdx.x * (long)blockDim.x + threadIdx.x; i < n; i += (long)gridDim.x * blockDim.x) p[i] = 0; }
int main() {
  const long n = 1l << 30; float *p, *big, *sink; long *o, h[128]; CHECK(cudaMalloc(&p, n)); CHECK(cudaMemset(p, 0, n)); CHECK(cudaMalloc(&big, 512l << 20)); CHECK(cudaMalloc(&o, 4096)); CHECK(cudaMalloc(&sink, 1 << 20));
  static const char *const names[] = {"own", "same", "half"};
  printf("loads,k,warps,from,cycles_per_step,loads_per_cycle\n");
  const int steps = 48;
#define RUN(K, KIND) { const long wb = KIND == 1 ? 0 : K * 256, sb = KIND == 1 ? K * 256 : wb * w; k<K, KIND><<<264, 16 * w>>>(p, steps, sb, wb, o, sink); }
#define PICK(KIND) { if (K == 4) RUN(4, KIND) else if (K == 8) RUN(8, KIND) else if (K == 12) RUN(12, KIND) else RUN(16, KIND) }
  for (int kind = 0; kind < 3; kind++) for (int K : {4, 8, 12, 16}) for (int w : {2, 8, 16, 24, 32, 40, 48, 56, 64}) for (int warm = 0; warm < 2; warm++) {
    for (int r = 0; r < 2; r++) {
      if (!warm) { wash<<<1024, 256>>>(big, 128l << 20); CHECK(cudaDeviceSynchronize()); }
      unsigned zero = 0; CHECK(cudaMemcpyToSymbol(number, &zero, 4));
      if (kind == 0) PICK(0) else if (kind == 1) PICK(1) else PICK(2)
      CHECK(cudaGetLastError()); CHECK(cudaDeviceSynchronize());
    }
    CHECK(cudaMemcpy(h, o, 16 * w, cudaMemcpyDeviceToHost));
    long lo = h[0], hi = 0; for (int i = 0; i < w; i++) { if (h[2 * i] < lo) lo = h[2 * i]; if (h[2 * i + 1] > hi) hi = h[2 * i + 1]; }
    printf("%s,%d,%d,%s,%.1f,%.4f\n", names[kind], K, w, warm ? "l2" : "memory", (hi - lo) / (double)steps, (double)steps * K * w / (hi - lo));
  }
}

// Which multiprocessors' requests for the same lines reach the L2 once, and within which time. One warp on each chosen
// multiprocessor reads the lines of a stream, one every `pace` cycles, `lag` lines behind the first. Lags of less than a
// line: merge_window.cu. Not in the form of
// harness.h: run under ncu, it prints a row per launch, and probes/h200_coalescer.csv has both.
//   ncu --cache-control none -k regex:k_coalescer --csv --page raw --metrics lts__t_sectors_srcunit_tex_op_read.sum
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)

struct Plan { int members, lag[132], stream[132]; }; // lag in cycles; < 0: takes no part
__device__ unsigned arrived;
__global__ void reset() { arrived = 0; }
__global__ void warm(const float *d, long n, float *o) {
  float s = 0;
  for (long i = blockIdx.x * (long)blockDim.x + threadIdx.x; i < n; i += (long)gridDim.x * blockDim.x) s += d[i];
  if (s == 1234.5f) *o = s;
}
__global__ void k_coalescer(const float *d, long lines, Plan p, int pace, int burst, int sectors, float *o) {
  unsigned sm; asm("mov.u32 %0, %%smid;" : "=r"(sm));
  if (p.lag[sm] < 0) return;
  int lane = threadIdx.x; float s = 0;
  if (lane == 0) { atomicAdd(&arrived, 1); while (*(volatile unsigned *)&arrived < p.members); }
  __syncwarp();
  long long start = clock64() + 1000;
  const float *base = d + (long)p.stream[sm] * lines * 32;
  for (long i = 0; i < lines; i += burst) {
    while (clock64() < start + (long long)(i / burst) * pace + p.lag[sm]);
    float v[8];
#pragma unroll
    for (int k = 0; k < 8; k++) if (k < burst && lane < 8 * sectors) v[k] = __ldcg(base + (i + k) * 32 + lane + (s == 1234.5f));
#pragma unroll
    for (int k = 0; k < 8; k++) if (k < burst && lane < 8 * sectors) s += v[k];
  }
  if (s == 1234.5f) *o = s;
}

int main() {
  long lines = 4096; float *d, *o;
  CHECK(cudaMalloc(&d, lines * 16 * 128)); CHECK(cudaMemset(d, 0, lines * 16 * 128)); CHECK(cudaMalloc(&o, 4));
  CHECK(cudaFuncSetAttribute(k_coalescer, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 * 1024)); // one block each
  printf("what,members,lag,pace,burst,sectors,streams\n");
  auto go = [&](const char *what, Plan p, int lag, int pace, int burst, int sectors, int streams) {
    for (int i = 0; i < 132; i++) p.lag[i] *= p.lag[i] > 0 ? pace : 1;
    p.members = 0;
    for (int i = 0; i < 132; i++) p.members += p.lag[i] >= 0;
    warm<<<132, 256>>>(d, lines * 32 * streams, o); reset<<<1, 1>>>();
    k_coalescer<<<132, 32, 150 * 1024>>>(d, lines, p, pace, burst, sectors, o);
    CHECK(cudaGetLastError()); CHECK(cudaDeviceSynchronize());
    printf("%s,%d,%d,%d,%d,%d,%d\n", what, p.members, lag, pace, burst, sectors, streams);
  };
  Plan none = {};
  for (int i = 0; i < 132; i++) none.lag[i] = -1;
  const int gpc[16] = {0, 1, 16, 17, 32, 33, 48, 49, 124, 125, 126, 127, 128, 129, 130, 131}; // found by trying all pairs
  for (int lag : {0, 1, 2, 4, 16, 64, 256, 1024}) {
    Plan p = none; p.lag[0] = 0; p.lag[16] = lag;
    go("two", p, lag, 450, 1, 4, 1); go("two", p, lag, 1800, 1, 4, 1); go("burst", p, lag, 2000, 8, 4, 1); go("one_sector", p, lag, 900, 1, 1, 1);
    p = none; p.lag[0] = 0; p.lag[1] = lag; go("neighbours", p, lag, 900, 1, 4, 1);
  }
  for (int lag : {0, 1, 4}) for (int m = 1; m <= 16; m++) { Plan p = none; for (int i = 0; i < m; i++) p.lag[gpc[i]] = i * lag; go("members", p, lag, 1800, 1, 4, 1); }
  for (int lag : {0, 1, 4}) { Plan p = none; for (int i = 0; i < 132; i++) p.lag[i] = i * lag; go("all", p, lag, 900, 1, 4, 1); }
  return 0;
}

// What one multiprocessor can request of the L2: loads, stores and both in place, every lane in a sector of its own,
// from one multiprocessor to all; stores of all multiprocessors to the same lines; and the wait for a store that is
// loaded again. Prints: probe,op,blocks,warps,lane_bytes,step_bytes,steps,ns
#include "cuda_check.h"
#include <algorithm>
#include <cstdio>
#include <vector>

enum Op { LOAD, STORE, BOTH, SWAP };

// Each thread walks its own row, `batch` accesses in flight, through `wrap` steps and again.
template <Op OP> __global__ void k_requests(float *p, long lane, long step, int steps, int wrap, float *out) {
  char *at = (char *)p + (blockIdx.x * (long)blockDim.x + threadIdx.x) * lane; float sum = 0;
  for (int i = 0; i < steps; i += 4) {
    float v[4]; char *q = at + (i % wrap) * step;
    if (OP == LOAD || OP == BOTH)
#pragma unroll
      for (int k = 0; k < 4; k++) v[k] = __ldcg((float *)(q + k * step));
    if (OP == SWAP)  // plain loads: the L1 may keep what the stores write through
#pragma unroll
      for (int k = 0; k < 4; k++) v[k] = *(volatile float *)(q + k * step);
    if (OP == STORE)
#pragma unroll
      for (int k = 0; k < 4; k++) *(volatile float *)(q + k * step) = (float)i;
    if (OP == BOTH || OP == SWAP)
#pragma unroll
      for (int k = 0; k < 4; k++) *(volatile float *)(q + k * step) = v[3 - k];
    if (OP == LOAD)
#pragma unroll
      for (int k = 0; k < 4; k++) sum += v[k];
  }
  if (sum == 12345.f) *out = sum;
}

// Every warp stores whole lines, or one word, to the same few lines as all others.
__global__ void k_same(float *p, int lines, int steps, int words) {
  int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (lane >= words) return;
  for (int i = 0; i < steps; i++) *(volatile float *)(p + (size_t)((warp + i) % lines) * 32 + lane) = (float)i;
}
__global__ void k_same_load(float *p, int lines, int steps, float *out) {
  int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32; float sum = 0;
  for (int i = 0; i < steps; i += 4) {
    float v[4];
#pragma unroll
    for (int k = 0; k < 4; k++) v[k] = __ldcg(p + (size_t)((warp + i + k) % lines) * 32 + lane);
#pragma unroll
    for (int k = 0; k < 4; k++) sum += v[k];
  }
  if (sum == 12345.f) *out = sum;
}

// A chain through memory: store, then load what was stored.
template <int SPACE> __global__ void k_again(unsigned *p, int steps, int mask, unsigned *out) {
  __shared__ volatile unsigned s[4096]; volatile unsigned l[64];
  for (int i = 0; i < 64; i++) l[i] = i;
  for (int i = threadIdx.x; i < 4096; i += blockDim.x) s[i] = i;
  __syncthreads();
  volatile unsigned *g = p + (blockIdx.x * (long)blockDim.x + threadIdx.x);
  unsigned x = threadIdx.x; long stride = (long)gridDim.x * blockDim.x;
  for (int i = 0; i < steps; i++) {
    int k = x & mask;
    if (SPACE == 0) { g[k * stride] = x + 1; x = g[k * stride]; }
    if (SPACE == 1) { l[k] = x + 1; x = l[k]; }
    if (SPACE == 2) { int j = threadIdx.x + (k & 3) * blockDim.x; s[j] = x + 1; x = s[j]; }
    if (SPACE == 3) { l[k] = x; x += l[(k + 1) & mask]; x += l[(k + 2) & mask]; } // loads beside a store
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

template <class F> static double timed(F f) {
  cudaEvent_t a, b; CHECK(cudaEventCreate(&a)); CHECK(cudaEventCreate(&b)); std::vector<float> t; f();
  for (int r = 0; r < 3; r++) { float ms; CHECK(cudaEventRecord(a)); f(); CHECK(cudaEventRecord(b)); CHECK(cudaEventSynchronize(b)); CHECK(cudaEventElapsedTime(&ms, a, b)); t.push_back(ms); }
  CHECK(cudaGetLastError()); std::sort(t.begin(), t.end()); return t[1] * 1e6;
}
static float *data; static float *out;
template <Op OP> static void requests(const char *name, int blocks, int warps, long lane, long step, int steps, int wrap) {
  if ((long)blocks * warps * 32 * lane > (6L << 30)) return;
  double ns = timed([&] { k_requests<OP><<<blocks, warps * 32>>>(data, lane, step, steps, wrap, out); });
  printf("requests,%s,%d,%d,%ld,%ld,%d,%d,%.0f\n", name, blocks, warps, lane, step, wrap, steps, ns);
}
template <Op OP> static void all(const char *name) {
  const int bs[] = {1, 2, 10, 33, 66, 132};
  for (int b : bs) for (int w : {1, 4, 8, 16, 32}) {
    requests<OP>(name, b, w, 32 * 32 + 0, 32, 1024, 32);      // rows of 1 KiB, again and again: in the L2
    requests<OP>(name, b, w, 16384 + 32, 32, 512, 512);       // long rows, from DRAM
    requests<OP>(name, b, w, 20004, 4, 512, 512);             // 8 steps in a sector
    requests<OP>(name, b, w, 4, 128 * 1024, 256, 256);        // coalesced
    requests<OP>(name, b, w, 128, 4L << 20, 64, 64);          // lanes in the lines of a page
  }
}
template <int SPACE> static void again(const char *name) {
  for (int b : {1, 132}) for (int w : {1, 4, 16}) for (int mask : {0, 15}) {
    double ns = timed([&] { k_again<SPACE><<<b, w * 32>>>((unsigned *)data, 4096, mask, (unsigned *)out); });
    printf("again,%s,%d,%d,%d,,,4096,%.0f\n", name, b, w, mask, ns);
  }
}
int main() {
  CHECK(cudaMalloc(&data, (6L << 30) + (1 << 20))); CHECK(cudaMemset(data, 0, (6L << 30) + (1 << 20))); CHECK(cudaMalloc(&out, 1 << 22));
  printf("probe,op,blocks,warps,lane_bytes,step_bytes,wrap,steps,ns\n");
  all<LOAD>("load"); all<STORE>("store"); all<BOTH>("both"); all<SWAP>("swap");
  for (int blocks : {132, 1056}) for (int lines : {1, 2, 4, 8, 32, 128, 512, 4096, 65536}) for (int words : {1, 8, 32}) {
    int steps = 256; double ns = timed([&] { k_same<<<blocks, 256>>>(data, lines, steps, words); });
    printf("same,store%d,%d,8,%d,,,%d,%.0f\n", words, blocks, lines, steps, ns);
  }
  for (int blocks : {132, 1056}) for (int lines : {1, 2, 4, 8, 32, 128, 512, 4096, 65536}) {
    int steps = 256; double ns = timed([&] { k_same_load<<<blocks, 256>>>(data, lines, steps, out); });
    printf("same,load,%d,8,%d,,,%d,%.0f\n", blocks, lines, steps, ns);
  }
  again<0>("global"); again<1>("local"); again<2>("shared"); again<3>("beside");
  return 0;
}

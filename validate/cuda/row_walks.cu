// Wavefronts of loads and stores of threads that walk rows of their own, for Nsight Compute: one launch of each. A row begins
// every `lane` bytes, a step is `step` bytes; a walk is repeated `again` times. Loads may use the L1.
#include "cuda_check.h"
#include <cstdio>
enum Op { LOAD, STORE, SWAP };
template <Op OP> __global__ void k_walk(float *p, long lane, long step, int steps, int again, float *out) {
  char *at = (char *)p + (blockIdx.x * (long)blockDim.x + threadIdx.x) * lane; float sum = 0;
  for (int r = 0; r < again; r++)
    for (int i = 0; i < steps; i++) {
      float *q = (float *)(at + i * step); float v = 0;
      if (OP != STORE) v = *q;
      if (OP == LOAD) sum += v;
      if (OP != LOAD) *q = v + r + i;
    }
  if (sum == 12345.f) *out = sum;
}
static float *data, *out;
template <Op OP> static void one(int blocks, int threads, long lane, long step, int steps, int again) {
  k_walk<OP><<<blocks, threads>>>(data, lane, step, steps, again, out); CHECK(cudaDeviceSynchronize());
}
template <Op OP> static void all() {
  for (int blocks : {1, 10, 132}) for (int threads : {32, 256}) {
    one<OP>(blocks, threads, 20004, 4, 256, 1); // eight steps in a sector, odd banks
    one<OP>(blocks, threads, 20004, 32, 256, 1);
    one<OP>(blocks, threads, 16384, 4, 256, 1); // all in one bank
    one<OP>(blocks, threads, 128, 4, 32, 1);    // lanes in lines in a row
    one<OP>(blocks, threads, 128, 4, 32, 8);    // again: in the L1
    one<OP>(blocks, threads, 160, 4, 32, 8);
    one<OP>(blocks, threads, 4, 128 * 1024, 64, 1);
  }
}
int main() {
  CHECK(cudaMalloc(&data, (size_t)1 << 30)); CHECK(cudaMemset(data, 0, (size_t)1 << 30)); CHECK(cudaMalloc(&out, 4096));
  all<LOAD>(); all<STORE>(); all<SWAP>();
}

// ring_drift.cu - blocks that copy boxes through a ring of stages, as those of a product: a box of their own and one that all
// blocks of a column share. How many of the shared requests become one in front of the L2, by stages, by the cycles that a
// step computes, by steps, blocks, stores (probes/h200_ring_drift.csv). Not in the form of harness.h.
//   ncu --cache-control none --clock-control none -k regex:k_ring --csv --page raw --metrics gpu__time_duration.sum,
//     sm__cycles_elapsed.max,l1tex__m_xbar2l1tex_read_sectors.sum,lts__t_sectors_srcunit_tex_op_read.sum
// SPDX-License-Identifier: MIT
#include "harness.h"
#include "hopper.h"
#include "tensor_maps.h"
constexpr int ROW = 128;
__device__ __forceinline__ unsigned cycles() { unsigned c; asm volatile("mov.u32 %0, %%clock;" : "=r"(c)); return c; }
struct Launch { int steps, tiles, down, stages, wait, stores, spread; };
// wait 0: products; else so many cycles a step, the last `spread` of them by chance
template <int N, bool PRODUCT> __global__ void __launch_bounds__(384) k_ring(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float *c, int n, Launch l) {
  extern __shared__ uint8_t raw[];
  uint8_t *ring = (uint8_t *)(((uintptr_t)raw + 1023) & ~(uintptr_t)1023);
  constexpr int BYTES = (128 + N) * ROW;
  uint64_t *full = (uint64_t *)(ring + l.stages * BYTES), *empty = full + l.stages;
  const int group = threadIdx.x / 128;
  if (threadIdx.x == 0) {
    for (int s = 0; s < l.stages; s++) { barrier_init(&full[s], 1); barrier_init(&empty[s], 2); }
    fence_barrier_init();
  }
  __syncthreads();
  int stage = 0; uint32_t phase = 0;
  if (group == 0) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (threadIdx.x == 0)
      for (int tile = blockIdx.x; tile < l.tiles; tile += gridDim.x)
        for (int step = 0; step < l.steps; step++) {
          barrier_wait(&empty[stage], phase ^ 1);
          barrier_expect(&full[stage], BYTES);
          load_tile(ring + stage * BYTES, &a, step * 64, tile % l.down * 128, &full[stage]);
          load_tile(ring + stage * BYTES + 128 * ROW, &b, step * 64, tile / l.down * N, &full[stage]);
          if (++stage == l.stages) { stage = 0; phase ^= 1; }
        }
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    float d[N / 2];
    uint32_t draw = blockIdx.x * 2654435761u + 1;
    for (int tile = blockIdx.x; tile < l.tiles; tile += gridDim.x) {
      int before = 0;
      for (int step = 0; step < l.steps; step++) {
        barrier_wait(&full[stage], phase);
        if (PRODUCT) {
          const uint8_t *from = ring + stage * BYTES;
          const uint64_t at = describe(from + 64 * (group - 1) * ROW), bt = describe(from + 128 * ROW);
          product_fence();
#pragma unroll
          for (int j = 0; j < 4; j++) Product<__half, N>::add(d, at + 2 * j, bt + 2 * j, step > 0 || j > 0);
          product_commit(); product_wait<1>();
          if (step > 0 && threadIdx.x % 128 == 0) barrier_arrive(&empty[before]);
          before = stage;
        } else {
          const unsigned from = cycles();
          draw = draw * 1664525u + 1013904223u;
          const unsigned until = l.wait - l.spread + (l.spread ? (draw >> 8) % (2 * l.spread) : 0);
          while (cycles() - from < until);
          asm volatile("bar.sync %0, 128;" ::"r"(group) : "memory");
          if (threadIdx.x % 128 == 0) barrier_arrive(&empty[stage]);
        }
        if (++stage == l.stages) { stage = 0; phase ^= 1; }
      }
      if (PRODUCT) { product_wait<0>(); if (threadIdx.x % 128 == 0) barrier_arrive(&empty[before]); }
      if (l.stores) {
        float *to = c + (size_t)(tile % l.down * 128 + 64 * (group - 1) + 16 * (threadIdx.x / 32 % 4) + threadIdx.x % 32 / 4) * n + tile / l.down * N + threadIdx.x % 4 * 2;
#pragma unroll
        for (int j = 0; j < N / 8; j++) {
          *reinterpret_cast<float2 *>(to + 8 * j) = make_float2(PRODUCT ? d[4 * j] : 0, PRODUCT ? d[4 * j + 1] : 0);
          *reinterpret_cast<float2 *>(to + 8 * (size_t)n + 8 * j) = make_float2(PRODUCT ? d[4 * j + 2] : 0, PRODUCT ? d[4 * j + 3] : 0);
        }
      } else if (PRODUCT && d[0] == 12345.0f) c[0] = d[1];
    }
  }
}
__global__ void wash(float *p, long n) { for (long i = blockIdx.x * (long)blockDim.x + threadIdx.x; i < n; i += (long)gridDim.x * blockDim.x) p[i] = 0; }
static CUtensorMap map_rows(void *p, int width, int height, int rows, CUtensorMapL2promotion promotion) {
  CUtensorMap map;
  const cuuint64_t e[2] = {(cuuint64_t)width, (cuuint64_t)height}, s[1] = {(cuuint64_t)width * 2};
  const cuuint32_t b[2] = {64, (cuuint32_t)rows}, one[2] = {1, 1};
  if (encode(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, p, e, s, b, one, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, promotion, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS) exit(1);
  return map;
}
static __half *ab; static float *cc, *big; static int row;
template <int N, bool PRODUCT> static void go(int down, int across, int steps, int stages, int wait, int spread, int stores, int persistent, int warm, int promotion) {
  const int tiles = down * across, grid = persistent ? std::min(132, tiles) : tiles;
  const size_t shared = stages * ((128 + N) * ROW + 16) + 1024;
  if (shared > 227 * 1024) return;
  CHECK(cudaFuncSetAttribute(k_ring<N, PRODUCT>, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared));
  const CUtensorMap a = map_rows(ab, steps * 64, down * 128, 128, (CUtensorMapL2promotion)promotion), b = map_rows(ab + (64l << 20), steps * 64, across * N, N, (CUtensorMapL2promotion)promotion);
  const Launch l = {steps, tiles, down, stages, wait, stores, spread};
  for (int i = 0; i < 1 + warm; i++) {
    if (!warm) { wash<<<1024, 256>>>(big, 64l << 20); CHECK(cudaDeviceSynchronize()); }
    k_ring<N, PRODUCT><<<grid, 384, shared>>>(a, b, cc, across * N, l); CHECK(cudaGetLastError()); CHECK(cudaDeviceSynchronize());
    printf("%d,%s,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d\n", row++, PRODUCT ? "product" : "wait", N, down, across, steps, stages, wait, spread, stores, persistent, warm && i, promotion);
  }
}
int main() {
  find_encode();
  CHECK(cudaMalloc(&ab, 384l << 20)); CHECK(cudaMemset(ab, 0x11, 384l << 20)); CHECK(cudaMalloc(&cc, 1l << 30)); CHECK(cudaMalloc(&big, 256l << 20));
  printf("row,what,columns,down,across,steps,stages,wait,spread,stores,persistent,warm,promotion\n");
  for (int w : {200, 400, 600, 800, 1000, 1300, 1600, 2000}) go<128, false>(32, 32, 64, 4, w, 0, 1, 0, 0, 0);      // cycles of a step
  for (int s : {2, 3, 4, 6}) for (int w : {500, 1000}) go<128, false>(32, 32, 64, s, w, 0, 1, 0, 0, 0);            // stages
  for (int s : {2, 3, 4}) for (int w : {1000, 2000}) go<256, false>(32, 16, 64, s, w, 0, 1, 0, 0, 0);
  for (int x : {4, 8, 16, 33, 66}) for (int w : {600, 1600}) go<128, false>(32, x, 64, 4, w, 0, 1, 0, 0, 0);       // waves
  for (int k : {8, 16, 32, 128}) for (int w : {600, 1600}) go<128, false>(32, 32, k, 4, w, 0, 1, 0, 0, 0);         // steps of a tile
  for (int w : {600, 1600}) { go<128, false>(32, 32, 64, 4, w, 0, 0, 0, 0, 0); go<128, false>(32, 32, 64, 4, w, 0, 1, 1, 0, 0); go<128, false>(32, 32, 64, 4, w, 0, 0, 1, 0, 0); }
  for (int sp : {20, 100, 300}) for (int w : {600, 1600}) go<128, false>(32, 32, 64, 4, w, sp, 1, 0, 0, 0);        // by chance
  for (int d : {2, 4, 8, 16, 64, 128}) for (int w : {600, 1600}) go<128, false>(d, 1024 / d, 64, 4, w, 0, 1, 0, 0, 0); // readers
  for (int p : {1, 2, 3}) go<128, false>(32, 32, 64, 4, 600, 0, 1, 0, 0, p);                                       // promotion
  for (int w : {600, 1600}) go<128, false>(32, 32, 16, 4, w, 0, 1, 0, 1, 0);                                       // in the L2
  for (int s : {2, 3, 4, 5, 6, 7}) { go<128, true>(32, 32, 64, s, 0, 0, 1, 0, 0, 0); go<128, true>(64, 64, 32, s, 0, 0, 1, 0, 0, 0); }
  for (int s : {2, 3, 4}) { go<256, true>(32, 16, 64, s, 0, 0, 1, 0, 0, 0); go<256, true>(64, 32, 32, s, 0, 0, 1, 0, 0, 0); go<256, true>(64, 32, 128, s, 0, 0, 1, 0, 0, 0); }
  for (int x : {4, 8, 16, 33}) { go<256, true>(32, x, 64, 4, 0, 0, 1, 0, 0, 0); go<128, true>(32, x, 64, 4, 0, 0, 1, 0, 0, 0); }
  for (int k : {16, 32, 128}) { go<256, true>(32, 32, k, 4, 0, 0, 1, 0, 0, 0); go<128, true>(32, 32, k, 5, 0, 0, 1, 0, 0, 0); }
  for (int p : {0, 1}) { go<256, true>(32, 32, 64, 4, 0, 0, p, 1, 0, 0); go<256, true>(32, 32, 64, 4, 0, 0, p, 0, 0, 0); go<128, true>(32, 32, 64, 6, 0, 0, p, 1, 0, 0); }
}

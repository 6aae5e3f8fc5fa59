// bulk_lag.cu - copies of the same box by several multiprocessors of a GPC, some cycles apart: sectors that reach the L2, as
// ncu counts them (probes/h200_bulk_lag.csv). With an argument: when the blocks of a product issue their copies, as files of
// clocks, which agree within a GPC (notes/replay.md, "Bulk copies"). Not in the form of harness.h.
//   ncu --cache-control none -k regex:k_lag --csv --page raw --metrics lts__t_sectors_srcunit_tex_op_read.sum
// SPDX-License-Identifier: MIT
#include "gpc_clock.h"
#include "harness.h"
#include "hopper.h"
#include "tensor_maps.h"
#include <numeric>
#include <vector>
constexpr int ROW = 128;
__global__ void k_lag(const __grid_constant__ CUtensorMap map, int steps, int rows, Plan p, int pace) {
  extern __shared__ uint8_t raw[];
  uint8_t *to = (uint8_t *)(((uintptr_t)raw + 1023) & ~(uintptr_t)1023);
  __shared__ uint64_t full;
  unsigned sm = smid(), T;
  if (p.lag[sm] < 0 || threadIdx.x) return;
  barrier_init(&full, 1); fence_barrier_init();
  if (atomicAdd(&arrived, 1) == p.members - 1) atomicExch(&start_at, (clk() + 30000) | 1u);
  while ((T = *(volatile unsigned *)&start_at) == 0);
  T += p.lag[sm];
  for (int i = 0; i < steps; i++) {
    while ((int)(clk() - (T + i * pace)) < 0);
    barrier_expect(&full, rows * ROW);
    load_tile(to, &map, 0, i * rows, &full);
    barrier_wait(&full, i & 1);
  }
}
__global__ void __cluster_dims__(8, 1, 1) k_where(int *sm) { if (!threadIdx.x) sm[blockIdx.x] = smid(); }

static CUtensorMap map_rows(void *p, int width, int height, int rows) { // f16, boxes of 64 columns
  CUtensorMap map;
  const cuuint64_t e[2] = {(cuuint64_t)width, (cuuint64_t)height}, s[1] = {(cuuint64_t)width * 2};
  const cuuint32_t b[2] = {64, (cuuint32_t)rows}, one[2] = {1, 1};
  if (encode(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, p, e, s, b, one, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS) exit(1);
  return map;
}

template <int N, int STAGES> struct Ring {
  struct Stage { uint8_t a[128 * ROW], b[N * ROW]; };
  Stage stage[STAGES]; uint64_t full[STAGES], empty[STAGES];
  static constexpr size_t bytes() { return sizeof(Ring) + 1024; }
};
// validate/cuda/tma.cu, roles of two groups, with the clock of each step's issue; of tile t, step s: clocks[t * steps + s].
template <int N, int STAGES> __global__ void __launch_bounds__(384) k_clocked(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float *c, int m, int n, int k, unsigned *clocks, int *sms) {
  using R = Ring<N, STAGES>;
  extern __shared__ uint8_t raw[];
  R &ring = *reinterpret_cast<R *>(((uintptr_t)raw + 1023) & ~(uintptr_t)1023);
  const int group = threadIdx.x / 128, steps = k / 64, down = m / 128, tiles = down * (n / N);
  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; s++) { barrier_init(&ring.full[s], 1); barrier_init(&ring.empty[s], 2); }
    fence_barrier_init();
  }
  __syncthreads();
  int stage = 0; uint32_t phase = 0;
  if (group == 0) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (threadIdx.x == 0)
      for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        sms[tile] = (int)smid();
        for (int step = 0; step < steps; step++) {
          barrier_wait(&ring.empty[stage], phase ^ 1);
          clocks[(long)tile * steps + step] = clk();
          barrier_expect(&ring.full[stage], sizeof(typename R::Stage));
          load_tile(ring.stage[stage].a, &a, step * 64, tile % down * 128, &ring.full[stage]);
          load_tile(ring.stage[stage].b, &b, step * 64, tile / down * N, &ring.full[stage]);
          if (++stage == STAGES) { stage = 0; phase ^= 1; }
        }
      }
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    float d[N / 2];
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
      int before = 0;
      for (int step = 0; step < steps; step++) {
        barrier_wait(&ring.full[stage], phase);
        const uint64_t at = describe(ring.stage[stage].a + 64 * (group - 1) * ROW), bt = describe(ring.stage[stage].b);
        product_fence();
#pragma unroll
        for (int j = 0; j < 4; j++) Product<__half, N>::add(d, at + 2 * j, bt + 2 * j, step > 0 || j > 0);
        product_commit(); product_wait<1>();
        if (step > 0 && threadIdx.x % 128 == 0) barrier_arrive(&ring.empty[before]);
        before = stage;
        if (++stage == STAGES) { stage = 0; phase ^= 1; }
      }
      product_wait<0>();
      if (threadIdx.x % 128 == 0) barrier_arrive(&ring.empty[before]);
      float *to = c + (size_t)(tile % down * 128 + 64 * (group - 1) + 16 * (threadIdx.x / 32 % 4) + threadIdx.x % 32 / 4) * n + tile / down * N + threadIdx.x % 4 * 2;
#pragma unroll
      for (int j = 0; j < N / 8; j++) {
        *reinterpret_cast<float2 *>(to + 8 * j) = make_float2(d[4 * j], d[4 * j + 1]);
        *reinterpret_cast<float2 *>(to + 8 * (size_t)n + 8 * j) = make_float2(d[4 * j + 2], d[4 * j + 3]);
      }
    }
  }
}
static unsigned *clocks; static int *sms; static __half *ab; static float *cc;
template <int N, int STAGES> static void clocked(int m, int n, int k, bool persistent) {
  const int tiles = m / 128 * (n / N), steps = k / 64, grid = persistent ? 132 : tiles; const size_t shared = Ring<N, STAGES>::bytes();
  CHECK(cudaFuncSetAttribute(k_clocked<N, STAGES>, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared));
  const CUtensorMap ma = map_rows(ab, k, m, 128), mb = map_rows(ab + (64l << 20), k, n, N);
  for (int i = 0; i < 2; i++) k_clocked<N, STAGES><<<grid, 384, shared>>>(ma, mb, cc, m, n, k, clocks, sms);
  CHECK(cudaDeviceSynchronize());
  std::vector<unsigned> h((size_t)tiles * steps); std::vector<int> w(tiles);
  CHECK(cudaMemcpy(h.data(), clocks, h.size() * 4, cudaMemcpyDeviceToHost)); CHECK(cudaMemcpy(w.data(), sms, tiles * 4, cudaMemcpyDeviceToHost));
  char name[200]; snprintf(name, sizeof name, "clocks_N%d_s%d_m%d_k%d%s.bin", N, STAGES, m, k, persistent ? "_p" : "");
  FILE *f = fopen(name, "wb"); int head[4] = {tiles, steps, m / 128, n / N};
  fwrite(head, 4, 4, f); fwrite(w.data(), 4, tiles, f); fwrite(h.data(), 4, h.size(), f); fclose(f);
}

int main(int argc, char **argv) {
  find_encode();
  const long cap = 1l << 30; long used = 0; float *d, *o;
  CHECK(cudaMalloc(&d, cap)); CHECK(cudaMemset(d, 0, cap)); CHECK(cudaMalloc(&o, 4));
  int *at, gpc[132]; CHECK(cudaMallocManaged(&at, 4 * 1024)); std::iota(gpc, gpc + 132, 0);
  for (int round = 0; round < 40; round++) { // blocks of a cluster are in one GPC
    k_where<<<128, 32>>>(at); CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < 128; i += 8) for (int j = 1; j < 8; j++) { int x = gpc[at[i]], y = gpc[at[i + j]]; for (int &g : gpc) g = g == x ? y : g; }
  }
  if (argc > 1) {
    FILE *f = fopen("gpcs.txt", "w"); for (int i = 0; i < 132; i++) fprintf(f, "%d %d\n", i, gpc[i]); fclose(f);
    CHECK(cudaMalloc(&ab, 256l << 20)); CHECK(cudaMemset(ab, 0x11, 256l << 20)); CHECK(cudaMalloc(&cc, 256l << 20)); CHECK(cudaMalloc(&clocks, 64l << 20)); CHECK(cudaMalloc(&sms, 1 << 20));
    clocked<128, 2>(4096, 4096, 4096, false); clocked<128, 4>(4096, 4096, 4096, false); clocked<128, 6>(4096, 4096, 4096, false);
    clocked<256, 2>(4096, 4096, 4096, false); clocked<256, 4>(4096, 4096, 4096, false); clocked<128, 4>(4096, 4096, 4096, true);
    clocked<256, 4>(8192, 8192, 2048, false); clocked<256, 4>(8192, 8192, 2048, true);
    return 0;
  }
  std::vector<int> best;
  for (int g = 0; g < 132; g++) { std::vector<int> l; for (int i = 0; i < 132; i++) if (gpc[i] == g) l.push_back(i); if (l.size() > best.size()) best = l; }
  printf("rows,members,lag_cycles,cold,distinct_sectors\n");
  auto go = [&](int rows, int members, int lag, bool cold) {
    if (members > (int)best.size()) return;
    const int steps = std::min(256, 16384 / rows); const long bytes = (long)steps * rows * ROW;
    Plan p; for (int &l : p.lag) l = -1;
    for (int i = 0; i < members; i++) p.lag[best[i]] = members > 1 ? i * lag / (members - 1) : 0;
    p.members = members;
    if (used + bytes > cap) { fprintf(stderr, "no fresh lines\n"); exit(1); }
    float *from = d + used / 4; used += bytes;
    if (!cold) warm<<<132, 256>>>(from, bytes / 4, o);
    reset<<<1, 1>>>();
    CHECK(cudaFuncSetAttribute(k_lag, cudaFuncAttributeMaxDynamicSharedMemorySize, 150 * 1024));
    k_lag<<<132, 32, 150 * 1024>>>(map_rows(from, 64, steps * rows, rows), steps, rows, p, cold ? 14000 : 9000);
    CHECK(cudaGetLastError()); CHECK(cudaDeviceSynchronize());
    printf("%d,%d,%d,%d,%ld\n", rows, members, lag, cold, bytes / 32);
  };
  for (int rows : {8, 128}) {
    for (int lag : {0, 20, 50, 100, 150, 200, 300, 400, 600, 800, 1200, 2000}) { go(rows, 2, lag, false); go(rows, 2, lag, true); }
    for (int members : {1, 2, 3, 4, 5, 8, 12, 16}) for (int lag : {0, 100, 400}) { go(rows, members, lag, false); }
    for (int members : {4, 16}) for (int lag : {0, 400}) go(rows, members, lag, true);
  }
}

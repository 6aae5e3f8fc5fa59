// Blocks that wait for what earlier blocks tell them: each publishes a word once it has what the blocks before it left.
// atomic, load: a block waits for the word of the one before it (polled by atomics or by loads), a chain through all blocks.
// look_1, look_32: it publishes its own part first and looks back, 1 or 32 words at a time, until it finds a whole sum
// (decoupled look-back). none: the same work, no wait. Prints rows of validate/probes/h200_chain.csv: threads of a block, blocks
// that fit on a multiprocessor, blocks of the launch, additions of each thread before it publishes, time in us (least of 9), and
// how often a block looked (mean). SPDX-License-Identifier: MIT
#include "cuda_check.h"
#include <algorithm>
#include <cstdio>
#include <vector>
enum { NONE, ATOMIC, LOAD, LOOK_1, LOOK_32 };
static const char *const names[] = {"none", "atomic", "load", "look_1", "look_32"};
typedef unsigned long long u64;
static __device__ u64 get(const u64 *p) { u64 v; asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(v) : "l"(p) : "memory"); return v; }
static __device__ void put(u64 *p, u64 v) { asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(p), "l"(v) : "memory"); }
static __device__ u64 word(u64 flag, u64 sum) { return flag << 32 | sum; }

template <int K> static __device__ unsigned waited(u64 *state, int tile, unsigned part, unsigned *looks) {
  const int lane = threadIdx.x % 32;
  unsigned before = 0;
  if (K == ATOMIC && lane == 0) {
    unsigned long long seen;
    while ((seen = atomicAdd(&state[tile], 0ull)) == 0) ++*looks;
    atomicAdd(&state[tile + 1], word(2, 0) + (unsigned)seen + part - (tile ? 0 : 1));
    before = (unsigned)seen;
  }
  if (K == LOAD && lane == 0) {
    u64 seen;
    while ((seen = get(&state[tile])) == 0) ++*looks;
    put(&state[tile + 1], word(2, (unsigned)seen + part));
    before = (unsigned)seen;
  }
  if (K == LOOK_1 && lane == 0) {
    if (tile > 0) put(&state[tile], word(1, part));
    for (int from = tile - 1; from >= 0; from--) {
      u64 seen;
      while (((seen = get(&state[from])) >> 32) == 0) ++*looks;
      ++*looks;
      before += (unsigned)seen;
      if (seen >> 32 == 2) break;
    }
    put(&state[tile], word(2, before + part));
  }
  if (K == LOOK_32) {
    if (lane == 0 && tile > 0) put(&state[tile], word(1, part));
    for (int from = tile - 32; tile > 0; from -= 32) {
      u64 seen = word(2, 0);
      if (from + lane >= 0) do { seen = get(&state[from + lane]); ++*looks; } while (__any_sync(__activemask(), seen >> 32 == 0));
      const unsigned done = __ballot_sync(~0u, seen >> 32 == 2);
      const int first = done ? 31 - __clz(done) : 0;
      unsigned v = lane >= first ? (unsigned)seen : 0;
      for (int o = 16; o > 0; o /= 2) v += __shfl_xor_sync(~0u, v, o);
      before += v;
      if (done) break;
    }
    if (lane == 0) put(&state[tile], word(2, before + part));
  }
  return before;
}
template <int K> __global__ void k_chain(u64 *state, unsigned *out, int additions, float step) {
  extern __shared__ unsigned sums[];
  float x = threadIdx.x;
#pragma unroll 1
  for (int i = 0; i < additions; i++) x = fmaf(x, step, 1.f);
  unsigned looks = 0;
  __syncthreads();
  if (threadIdx.x < 32) sums[0] = waited<K>(state, blockIdx.x, x > 0 ? 1 : 2, &looks);
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = looks;
  if (x == -1.f) out[blockIdx.x] = sums[0];
}
static u64 *state;
static unsigned *out;
template <int K> static void run(int threads, int fit, int blocks, int additions) {
  cudaEvent_t a, b; CHECK(cudaEventCreate(&a)); CHECK(cudaEventCreate(&b));
  const int shared = 227 * 1024 / fit - 2048;
  CHECK(cudaFuncSetAttribute(k_chain<K>, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
  float least = 1e9;
  for (int r = 0; r < 9; r++) {
    const u64 start = 1; float ms;
    CHECK(cudaMemset(state, 0, 8 << 16)); CHECK(cudaMemcpy(state, &start, 8, cudaMemcpyHostToDevice));
    CHECK(cudaEventRecord(a)); k_chain<K><<<blocks, threads, shared>>>(state, out, additions, .5f); CHECK(cudaEventRecord(b));
    CHECK(cudaEventSynchronize(b)); CHECK(cudaEventElapsedTime(&ms, a, b)); least = std::min(least, ms * 1000);
  }
  std::vector<unsigned> host(blocks); double looks = 0;
  CHECK(cudaMemcpy(host.data(), out, 4 * blocks, cudaMemcpyDeviceToHost));
  for (unsigned k : host) looks += (double)k / blocks;
  printf("%s,%d,%d,%d,%d,%.2f,%.2f\n", names[K], threads, fit, blocks, additions, least, looks);
}
int main() {
  CHECK(cudaMalloc(&state, 8 << 16)); CHECK(cudaMalloc(&out, 4 << 16));
  printf("kind,threads,fit,blocks,additions,us,looks\n");
  for (int fit : {1, 2, 4, 8})
    for (int blocks : {132 * fit, 4 * 132 * fit, 32 * 132 * fit})
      for (int additions : {0, 500, 4000}) {
        if (blocks > 32768) continue;
        run<NONE>(256, fit, blocks, additions); run<ATOMIC>(256, fit, blocks, additions); run<LOAD>(256, fit, blocks, additions);
        run<LOOK_1>(256, fit, blocks, additions); run<LOOK_32>(256, fit, blocks, additions);
      }
}

// Loads from constant memory whose address is in a register: how many distinct addresses a warp has, how far apart, in which
// order of lanes, how wide, from a table of how many bytes, by how many warps; from __constant__ and from a parameter.
// A trip is a chain (the next address waits for the word) or a row of eight loads that do not wait for each other.
// One block per multiprocessor, all at once; cycles of the slowest warp of multiprocessor 0's block per load of a warp.
// SPDX-License-Identifier: MIT. Prints: where,width,addresses,stride,lanes,footprint,warps,chain,cycles,us
#include "cuda_check.h"
#include <cstdint>
struct alignas(16) table_bytes { char at[65536 - 512]; };
__constant__ table_bytes table;
struct alignas(16) table_small { char at[3584]; };
enum { SPREAD, BLOCKED, RANDOM }; // lane i has address i % k; i * k / 32; any of k
static const char *const lanes_names[] = {"modulo", "blocked", "random"};
constexpr int TRIPS = 512;
__device__ static unsigned hash(unsigned x) { x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; return x ^ x >> 16; }
template <class T> __device__ static int sum(T v);
template <> __device__ int sum(int v) { return v; }
template <> __device__ int sum(int2 v) { return v.x + v.y; }
template <> __device__ int sum(int4 v) { return v.x + v.y + v.z + v.w; }
template <> __device__ int sum(unsigned char v) { return v; }
__device__ static int first_of(int kind, int k, int stride) {
  const int lane = threadIdx.x % 32;
  return (kind == SPREAD ? lane % k : kind == BLOCKED ? lane * k / 32 : (int)(hash(threadIdx.x * 77 + 5) % k)) * stride;
}
template <class T, bool CHAIN> __device__ static void walk(const char *base, int off, int step, int mask, int *out, long long *cycles) {
  int total = 0, at = off & mask;
  __syncthreads();
  long long start = 0;
  for (int pass = 0; pass < 2; pass++) { // the first fills the caches
    start = clock64();
#pragma unroll 1
    for (int t = 0; t < TRIPS; t++) {
      if (CHAIN) {
        const int v = sum(*(const T *)(base + at)); // words are 0
        total += v; at = (at + step + v) & mask;
      } else {
        int v[8];
#pragma unroll
        for (int u = 0; u < 8; u++) v[u] = sum(*(const T *)(base + ((at + u * step) & mask)));
#pragma unroll
        for (int u = 0; u < 8; u++) total += v[u];
        at += 8 * step;
      }
    }
    asm volatile("" ::"r"(total) : "memory");
  }
  const long long end = clock64();
  if (blockIdx.x == 0 && threadIdx.x % 32 == 0) cycles[threadIdx.x / 32] = end - start;
  if (total == 12345) out[threadIdx.x] = total;
}
template <class T, bool CHAIN> __global__ void k_table(int kind, int k, int stride, int step, int mask, int *out, long long *cycles) {
  walk<T, CHAIN>(table.at, first_of(kind, k, stride), step, mask, out, cycles);
}
template <class T, bool CHAIN> __global__ void k_parameter(const __grid_constant__ table_small t, int kind, int k, int stride, int step, int mask, int *out, long long *cycles) {
  walk<T, CHAIN>(t.at, first_of(kind, k, stride), step, mask, out, cycles);
}
// a word of the table picked by data in global memory, as programs do it: the time of a launch
__global__ void k_picked(const unsigned char *in, int *out, int n, int mask) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    out[i] = ((const int *)table.at)[in[i] & mask] + 1;
}
static int *out; static long long *cycles;
template <class T, bool CHAIN> static void row(bool parameter, int kind, int k, int stride, int footprint, int warps) {
  static table_small t; // zeros
  // a footprint that is not that of the lanes: all lanes step through it by lines of 64 bytes
  const int step = footprint ? 64 : 0, mask = (footprint ? footprint - 1 : 65535) & ~((int)sizeof(T) - 1);
  long long h[64], most = 0;
  for (int again = 0; again < 2; again++) {
    if (parameter) k_parameter<T, CHAIN><<<132, warps * 32>>>(t, kind, k, stride, step, mask, out, cycles);
    else k_table<T, CHAIN><<<132, warps * 32>>>(kind, k, stride, step, mask, out, cycles);
    CHECK(cudaDeviceSynchronize());
  }
  CHECK(cudaMemcpy(h, cycles, warps * 8, cudaMemcpyDeviceToHost));
  for (int w = 0; w < warps; w++) most = h[w] > most ? h[w] : most;
  printf("%s,%d,%d,%d,%s,%d,%d,%d,%.2f,\n", parameter ? "parameter" : "table", (int)sizeof(T), k, stride, lanes_names[kind], footprint, warps, CHAIN,
         (double)most / (TRIPS * (CHAIN ? 1 : 8)));
}
int main() {
  CHECK(cudaMalloc(&out, 1 << 26)); CHECK(cudaMalloc(&cycles, 4096));
  printf("where,width,addresses,stride,lanes,footprint,warps,chain,cycles,us\n");
  for (int k : {1, 2, 3, 4, 8, 16, 32}) for (int warps : {1, 4, 8, 16, 32}) {
    row<int, true>(false, SPREAD, k, 4, 0, warps); row<int, false>(false, SPREAD, k, 4, 0, warps);
  }
  for (int k : {2, 8, 32}) for (int stride : {4, 8, 16, 32, 64, 128, 256, 1024}) for (int warps : {1, 16}) {
    row<int, true>(false, SPREAD, k, stride, 0, warps); row<int, false>(false, SPREAD, k, stride, 0, warps);
  }
  for (int k : {2, 8, 16, 32}) for (int warps : {1, 16}) { row<int, false>(false, BLOCKED, k, 4, 0, warps); row<int, false>(false, RANDOM, k, 4, 0, warps); row<int, true>(false, BLOCKED, k, 4, 0, warps); }
  for (int k : {1, 2, 8, 32}) for (int warps : {1, 16}) {
    row<unsigned char, false>(false, SPREAD, k, 1, 0, warps); row<int2, false>(false, SPREAD, k, 8, 0, warps); row<int4, false>(false, SPREAD, k, 16, 0, warps);
    row<int2, true>(false, SPREAD, k, 8, 0, warps); row<int4, true>(false, SPREAD, k, 16, 0, warps);
  }
  for (int k : {1, 2, 8, 32}) for (int warps : {1, 16}) { row<int, true>(true, SPREAD, k, 4, 0, warps); row<int, false>(true, SPREAD, k, 4, 0, warps); }
  for (int footprint : {256, 1024, 2048, 4096, 8192, 16384, 32768, 65536}) for (int warps : {1, 16}) {
    row<int, true>(false, SPREAD, 1, 4, footprint, warps); row<int, false>(false, SPREAD, 1, 4, footprint, warps);
    row<int, true>(false, SPREAD, 8, 64, footprint, warps); row<int, false>(false, SPREAD, 8, 64, footprint, warps);
    row<int, false>(false, RANDOM, 1024, 4, footprint, warps);
  }
  // launches: a word of so many picked by random bytes; between events
  const int n = 1 << 24; unsigned char *in; CHECK(cudaMalloc(&in, n)); unsigned char *h = (unsigned char *)malloc(n); uint32_t x = 1;
  for (int i = 0; i < n; i++) { x = x * 1664525u + 1013904223u; h[i] = (unsigned char)(x >> 24); }
  CHECK(cudaMemcpy(in, h, n, cudaMemcpyHostToDevice)); cudaEvent_t a, b; CHECK(cudaEventCreate(&a)); CHECK(cudaEventCreate(&b));
  for (int words : {1, 2, 4, 8, 16, 64, 256}) {
    float best = 1e9f;
    for (int again = 0; again < 6; again++) {
      float ms; CHECK(cudaEventRecord(a)); k_picked<<<132 * 8, 256>>>(in, out, n, words - 1); CHECK(cudaEventRecord(b)); CHECK(cudaEventSynchronize(b));
      CHECK(cudaEventElapsedTime(&ms, a, b)); best = ms < best ? ms : best;
    }
    printf("picked,4,%d,4,data,%d,64,0,,%.2f\n", words, words * 4, best * 1000);
  }
}

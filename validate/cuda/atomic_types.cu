// Atomics on global memory by type and operation, with and without a result: every lane of a warp on one word, lanes on
// words in a row, and words drawn at random from few to many. Prints: op,result,words,adds,us (medians of 7)
#include "cuda_check.h"
#include <algorithm>
#include <cstdio>
#include <cuda_fp16.h>
#include <vector>
enum Op { ADD, MAX, CAS, EXCH };
template <class T, Op OP> __device__ T change(T *p, T v) {
  if (OP == ADD) return atomicAdd(p, v);
  if constexpr (OP == MAX) return atomicMax(p, v);
  if constexpr (OP == CAS) return atomicCAS(p, (T)0, v);
  if constexpr (OP == EXCH) return atomicExch(p, v);
}
// words 0: all on one word; < 0: warp w on the words of line w % -words; > 0: random words
template <class T, Op OP, bool RESULT> __global__ void k_change(T *p, int words, T v, T *out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x; unsigned at = 0;
  if (words < 0) at = i / 32 % -words * (1024 / sizeof(T)) + i % 32;
  if (words > 0) { unsigned h = i * 2654435761u; h ^= h >> 15; h *= 2246822519u; h ^= h >> 13; at = h % words; }
  const T old = change<T, OP>(p + at, v);
  if constexpr (RESULT) out[i] = old;
}
template <class T, Op OP, bool RESULT> static void all(const char *name, void *p, T v, void *out) {
  const int blocks = 4096;
  for (int words : {0, -1, -2, -8, -32, -128, 2, 8, 32, 256, 2048, 16384, 262144, 1 << 22}) {
    cudaEvent_t a, b; CHECK(cudaEventCreate(&a)); CHECK(cudaEventCreate(&b)); std::vector<float> t;
    for (int r = 0; r < 8; r++) {
      float ms; CHECK(cudaEventRecord(a)); k_change<T, OP, RESULT><<<blocks, 256>>>((T *)p, words, v, (T *)out); CHECK(cudaEventRecord(b));
      CHECK(cudaEventSynchronize(b)); CHECK(cudaEventElapsedTime(&ms, a, b)); if (r) t.push_back(ms * 1000);
    }
    CHECK(cudaGetLastError()); std::sort(t.begin(), t.end());
    printf("%s,%d,%d,%d,%.2f\n", name, RESULT, words, blocks * 256, t[t.size() / 2]);
  }
}
int main() {
  void *p, *out; CHECK(cudaMalloc(&p, 64 << 20)); CHECK(cudaMemset(p, 0, 64 << 20)); CHECK(cudaMalloc(&out, 16 << 20));
  printf("op,result,words,lanes,us\n");
  all<float, ADD, false>("f32.add", p, 1.f, out); all<float, ADD, true>("f32.add", p, 1.f, out);
  all<double, ADD, false>("f64.add", p, 1., out); all<double, ADD, true>("f64.add", p, 1., out);
  all<unsigned, ADD, false>("u32.add", p, 3u, out); all<unsigned, ADD, true>("u32.add", p, 3u, out);
  all<unsigned long long, ADD, false>("u64.add", p, 3ull, out); all<unsigned long long, ADD, true>("u64.add", p, 3ull, out);
  all<int, MAX, false>("s32.max", p, 3, out); all<unsigned long long, MAX, false>("u64.max", p, 3ull, out);
  all<unsigned, CAS, true>("b32.cas", p, 3u, out); all<unsigned long long, CAS, true>("b64.cas", p, 3ull, out);
  all<unsigned, EXCH, true>("b32.exch", p, 3u, out);
  all<__half2, ADD, false>("f16x2.add", p, __half2{}, out);
}

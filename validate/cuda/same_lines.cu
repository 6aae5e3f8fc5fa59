// What a block waits for at its end when all blocks store to the same lines: blocks that load a word each thread, meet at a
// barrier and store nothing, to lines of their own, or to the same lines as all others. The time of a launch of many blocks
// gives the time that a place for a block is taken. Prints: store,threads,blocks,lines,us (medians of 11)
#include "cuda_check.h"
#include <algorithm>
#include <cstdio>
#include <vector>
enum { NONE, OWN, SAME, WORD, OWN_WORD, OTHER_WORDS, KINDS };
static const char *const names[] = {"none", "own", "same", "word", "own_word", "other_words"};
template <int K> __global__ void k_ends(const int *in, int *out, int lines, int never) {
  __shared__ int s[1024]; const int t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  const int v = s[t ^ 1];
  if (K == OWN) out[((size_t)blockIdx.x * blockDim.x + t) & 0xffffff] = v;        // 64 MiB, again and again
  if (K == SAME) out[t % (lines * 32) + (t / (lines * 32)) * 0] = v;
  if (K == WORD && t == 0) out[0] = v;                                            // all blocks, one word
  if (K == OWN_WORD && t == 0) out[((size_t)blockIdx.x * 8) & 0xffffff] = v;      // a sector each
  if (K == OTHER_WORDS && t == 0) out[blockIdx.x % (lines * 32)] = v;             // words of the same lines
  if (v == never) out[1 << 25] = v;
}
template <int K> static void run(int *in, int *out, int threads, int blocks, int lines) {
  cudaEvent_t a, b; CHECK(cudaEventCreate(&a)); CHECK(cudaEventCreate(&b)); std::vector<float> t;
  for (int r = 0; r < 12; r++) {
    float ms; CHECK(cudaEventRecord(a)); k_ends<K><<<blocks, threads>>>(in, out, lines, -1); CHECK(cudaEventRecord(b));
    CHECK(cudaEventSynchronize(b)); CHECK(cudaEventElapsedTime(&ms, a, b)); if (r) t.push_back(ms * 1000);
  }
  CHECK(cudaGetLastError()); std::sort(t.begin(), t.end());
  printf("%s,%d,%d,%d,%.2f\n", names[K], threads, blocks, lines, t[t.size() / 2]);
}
int main() {
  int *in, *out; CHECK(cudaMalloc(&in, 1 << 20)); CHECK(cudaMemset(in, 0, 1 << 20)); CHECK(cudaMalloc(&out, (1 << 27) + 4096));
  printf("store,threads,blocks,lines,us\n");
  for (int threads : {32, 128, 256, 1024}) {
    const int blocks = 132 * 2048 / threads * 64 / (threads < 64 ? 2 : 1);
    run<NONE>(in, out, threads, blocks, 1); run<OWN>(in, out, threads, blocks, 1); run<WORD>(in, out, threads, blocks, 1); run<OWN_WORD>(in, out, threads, blocks, 1);
    for (int lines : {1, 2, 4, 8, 16, 32}) if (lines * 32 <= threads) run<SAME>(in, out, threads, blocks, lines);
    for (int lines : {1, 4, 16, 64, 256, 1024, 4096}) run<OTHER_WORDS>(in, out, threads, blocks, lines);
  }
  // fewer blocks at a time: does the wait grow with those that store?
  for (int few : {1, 2, 4, 8, 16, 33, 66, 132, 264}) { run<SAME>(in, out, 1024, few, 32); run<NONE>(in, out, 1024, few, 1); }
}

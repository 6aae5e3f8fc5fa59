// When the blocks of a launch end, by what they do: multiply-adds, integers, shared memory with conflicts, barriers, a
// scan, loads from the L2. One row each of probes/h200_block_ends.csv: cycles from the first start on a multiprocessor
// to its first and last end (means over multiprocessors and ten runs), and the time of such a launch by itself (median
// of 100, without the clocks). Not in the form of harness.h.
#include <algorithm>
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); return 1; } } while (0)
struct stamp { unsigned sm; long long start, end; };
enum { NOTHING, FMA, FMA4, INTEGER, SHARED, BARRIER, SCAN, L2, KINDS };
static const char *const names[] = {"nothing", "fma", "fma4", "integer", "shared", "barrier", "scan", "l2"};
template <int K> __global__ void k_work(stamp *out, float *o, const int *in, int n) {
  __shared__ float s[2048]; long long start = clock64(); int t = threadIdx.x; unsigned x = t;
  int p = (t + blockIdx.x * blockDim.x) & 0xfffff; float a = t, b = t + 1, c = t + 2, d = t + 3;
  if (K != NOTHING) { s[t] = t; s[t + 1024] = t; __syncthreads(); }
  if (K == FMA) for (int i = 0; i < n; i++) a = a * 1.0001f + b;
  if (K == FMA4) { for (int i = 0; i < n; i++) { a = a * 1.0001f + b; b = b * 1.0002f + 1; c = c * 1.0003f + 2; d = d * 1.0004f + 3; } a += b + c + d; }
  if (K == INTEGER) { for (int i = 0; i < n; i++) x = (x * 1664525u + 1013904223u) ^ (x >> 3); a = x; }
  if (K == SHARED) { int q = t & 31; for (int i = 0; i < n; i++) { a += s[(q * 4) & 1023]; q += (int)a & 1; } }
  if (K == BARRIER) for (int i = 0; i < n; i++) { a = a * 1.0001f + b; __syncthreads(); }
  if (K == SCAN) { for (int i = 0; i < n; i++) { int e = 1 << (i % 6); float v = t >= e ? s[t - e] : 0; __syncthreads(); s[t] += v; __syncthreads(); } a = s[t]; }
  if (K == L2) { for (int i = 0; i < n; i++) p = __ldcg(in + p); a = p; }
  if (K != NOTHING || !o) o[blockIdx.x * (size_t)blockDim.x + t] = a;
  if (out) { __syncthreads(); long long end = clock64(); unsigned sm; asm volatile("mov.u32 %0, %%smid;" : "=r"(sm)); if (t == 0) out[blockIdx.x] = {sm, start, end}; }
}
template <int K> static int go(stamp *d, float *o, const int *in, int threads, int n, int waves) { // waves in hundredths
  int per = std::min(32, 2048 / threads), blocks = 132 * per * waves / 100, sms = 0; double first = 0, last = 0; std::vector<stamp> h(blocks);
  for (int r = 0; r < 12; r++) {
    k_work<K><<<blocks, threads>>>(d, o, in, n); CHECK(cudaGetLastError()); CHECK(cudaDeviceSynchronize()); if (r < 2) continue;
    CHECK(cudaMemcpy(h.data(), d, blocks * sizeof(stamp), cudaMemcpyDeviceToHost)); std::vector<stamp> m(256, {0, 1ll << 62, 1ll << 62}); std::vector<long long> l(256, 0);
    for (const stamp &s : h) { m[s.sm].start = std::min(m[s.sm].start, s.start); m[s.sm].end = std::min(m[s.sm].end, s.end); l[s.sm] = std::max(l[s.sm], s.end); }
    for (int i = 0; i < 256; i++) if (l[i] > 0) { first += m[i].end - m[i].start; last += l[i] - m[i].start; sms++; }
  }
  cudaEvent_t a, b; CHECK(cudaEventCreate(&a)); CHECK(cudaEventCreate(&b)); std::vector<float> ms(100);
  for (float &t : ms) { CHECK(cudaDeviceSynchronize()); CHECK(cudaEventRecord(a)); k_work<K><<<blocks, threads>>>(nullptr, o, in, n); CHECK(cudaEventRecord(b)); CHECK(cudaEventSynchronize(b)); CHECK(cudaEventElapsedTime(&t, a, b)); }
  std::sort(ms.begin(), ms.end()); printf("%s,%d,%d,%d,%.0f,%.0f,%.2f\n", names[K], threads, blocks, n, first / sms, last / sms, 1000 * ms[50]); return 0;
}
template <int K> static int all(stamp *d, float *o, const int *in, int trips) {
  for (int waves : {50, 100, 194, 400}) for (int threads : {64, 128, 256, 512, 1024}) for (int n : {trips, 8 * trips}) if ((K != NOTHING || n == trips) && go<K>(d, o, in, threads, n, waves)) return 1;
  return 0;
}
int main() {
  stamp *d; float *o; int *in; std::vector<int> h(1 << 20); for (size_t i = 0; i < h.size(); i++) h[i] = (int)((i * 1664525u + 12345u) & 0xfffff);
  CHECK(cudaMalloc(&d, 1 << 24)); CHECK(cudaMalloc(&o, 1 << 28)); CHECK(cudaMalloc(&in, h.size() * 4)); CHECK(cudaMemcpy(in, h.data(), h.size() * 4, cudaMemcpyHostToDevice));
  printf("work,threads,blocks,trips,first_end_cycles,last_end_cycles,alone_us\n");
  return all<NOTHING>(d, o, in, 1) || all<FMA>(d, o, in, 16) || all<FMA4>(d, o, in, 16) || all<INTEGER>(d, o, in, 16) || all<SHARED>(d, o, in, 16) || all<BARRIER>(d, o, in, 16) || all<SCAN>(d, o, in, 4) || all<L2>(d, o, in, 2);
}

// When the warps of one wave end that never wait for one another, by how many there are and how large their blocks are:
// warps that score a query against a list in the L1 (or walk through one in the L2) by shuffles, W features a lane. One
// row each of probes/h200_warp_ends.csv: kilocycles from the first start on a multiprocessor to the first, the mean and
// the last end (means over multiprocessors and four runs), and the time of such a launch (median of 40, without the
// clocks). Not in the form of harness.h.
#include <algorithm>
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); return 1; } } while (0)
struct stamp { unsigned sm; long long start, end; };
template <int W> __global__ void k_scores(const float *__restrict__ q, const float *__restrict__ list, float *__restrict__ best, int n, int mask, stamp *out) {
  long long start = out ? clock64() : 0; int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32; float a[W], most = -1e30f;
  for (int w = 0; w < W; w++) a[w] = q[(size_t)warp * 32 * W + w * 32 + lane];
  for (int j = 0; j < n; j++) {
    float s = 0;
    for (int w = 0; w < W; w++) s += a[w] * list[(size_t)(j & mask) * 32 * W + w * 32 + lane];
    for (int d = 16; d > 0; d /= 2) s += __shfl_xor_sync(~0u, s, d);
    if (s > most) most = s;
  }
  if (lane == 0) best[warp] = most;
  if (out && lane == 0) { unsigned sm; asm volatile("mov.u32 %0, %%smid;" : "=r"(sm)); out[warp] = {sm, start, clock64()}; }
}
struct arrays { float *q, *list, *best; stamp *d; };
template <int W> static int go(const arrays &a, int per_sm, int threads, bool resident) {
  const int n = 2048, warps = 132 * per_sm, blocks = warps * 32 / threads, mask = resident ? 63 : 0x7fffffff; double first = 0, mean = 0, last = 0; int sms = 0;
  if (warps * 32 % threads) return 0;
  std::vector<stamp> h(warps);
  for (int r = 0; r < 6; r++) {
    k_scores<W><<<blocks, threads>>>(a.q, a.list, a.best, n, mask, a.d); CHECK(cudaGetLastError()); CHECK(cudaDeviceSynchronize()); if (r < 2) continue;
    CHECK(cudaMemcpy(h.data(), a.d, warps * sizeof(stamp), cudaMemcpyDeviceToHost)); std::vector<std::vector<stamp>> by(256); for (const stamp &s : h) by[s.sm].push_back(s);
    for (const auto &v : by) if (v.size()) {
      long long s0 = 1ll << 62, e0 = 1ll << 62, e1 = 0; double sum = 0; for (const stamp &s : v) s0 = std::min(s0, s.start);
      for (const stamp &s : v) { e0 = std::min(e0, s.end); e1 = std::max(e1, s.end); sum += s.end - s0; }
      first += e0 - s0; last += e1 - s0; mean += sum / v.size(); sms++;
    }
  }
  cudaEvent_t b, e; CHECK(cudaEventCreate(&b)); CHECK(cudaEventCreate(&e)); std::vector<float> ms(40);
  for (float &t : ms) { CHECK(cudaDeviceSynchronize()); CHECK(cudaEventRecord(b)); k_scores<W><<<blocks, threads>>>(a.q, a.list, a.best, n, mask, nullptr); CHECK(cudaEventRecord(e)); CHECK(cudaEventSynchronize(e)); CHECK(cudaEventElapsedTime(&t, b, e)); }
  std::sort(ms.begin(), ms.end());
  printf("%d,%s,%d,%d,%.1f,%.1f,%.1f,%.1f\n", W, resident ? "l1" : "walk", per_sm, threads, first / sms / 1e3, mean / sms / 1e3, last / sms / 1e3, 1000 * ms[20]); return 0;
}
template <int W> static int all(const arrays &a) {
  for (bool resident : {true, false}) for (int per_sm : {4, 8, 16, 32, 48, 64}) for (int threads : {32, 64, 128, 256, 512, 1024}) if (go<W>(a, per_sm, threads, resident)) return 1;
  return 0;
}
int main() {
  arrays a; CHECK(cudaMalloc(&a.q, 1 << 26)); CHECK(cudaMalloc(&a.list, 1 << 26)); CHECK(cudaMalloc(&a.best, 1 << 20)); CHECK(cudaMalloc(&a.d, 1 << 20));
  CHECK(cudaMemset(a.q, 0, 1 << 26)); CHECK(cudaMemset(a.list, 0, 1 << 26)); printf("features,data,warps_per_sm,threads,first_end_kcycles,mean_end_kcycles,last_end_kcycles,us\n");
  return all<1>(a) || all<2>(a) || all<4>(a);
}

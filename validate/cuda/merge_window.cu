// Which multiprocessors' requests for the same lines reach the L2 once: by the lag between them, the lines requested at
// once, and their number. Clocks agree within a GPC, so that all members start at a common value (coalescer.cu, which
// synchronizes through memory, has an unknown lag of its own). Not in the form of harness.h: run under ncu, it prints a
// row per launch, and probes/h200_merge_window.csv has both.
//   ncu --cache-control none -k regex:k_merge --csv --page raw --metrics lts__t_sectors_srcunit_tex_op_read.sum
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>
#include "gpc_clock.h"
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)

// Each member loads COUNT * width lines at once, every `pace` cycles: whole lines (width 1) or a sector of each (32).
template <int COUNT> __global__ void k_merge(const float *d, int steps, Plan p, int pace, int width, float *o) {
  unsigned sm = smid(), T; int lane = threadIdx.x; float s = 0;
  if (p.lag[sm] < 0) return;
  if (lane == 0) {
    if (atomicAdd(&arrived, 1) == p.members - 1) atomicExch(&start_at, (clk() + 30000) | 1u);
    while ((T = *(volatile unsigned *)&start_at) == 0);
  }
  T = __shfl_sync(~0u, T, 0) + p.lag[sm];
  const float *q = d + lane / (32 / width) * 32 + lane % (32 / width);
  for (int i = 0; i < steps; i++) {
    while ((int)(clk() - (T + i * pace)) < 0);
    float v[COUNT];
#pragma unroll
    for (int k = 0; k < COUNT; k++) v[k] = __ldcg(q + ((long)i * COUNT + k) * width * 32);
#pragma unroll
    for (int k = 0; k < COUNT; k++) s += v[k];
    if (s == 1234.5f) *o = s;
  }
}

int main() {
  const long cap = 3l << 30; long used = 0; float *d, *o;
  CHECK(cudaMalloc(&d, cap)); CHECK(cudaMemset(d, 0, cap)); CHECK(cudaMalloc(&o, 4));
  printf("what,members,lag_cycles,lines_at_once,sectors_per_line,cold,distinct_sectors\n");
  auto go = [&](const char *what, std::vector<int> sms, int lag, int count, int width, bool cold) { // the last lags by `lag`
    const int steps = (int)std::min(1024l, (16l << 20) / (count * width * 128l)); const long n = (long)steps * count * width * 32;
    Plan p; for (int &l : p.lag) l = -1;
    for (size_t i = 0; i < sms.size(); i++) p.lag[sms[i]] = (int)(i * lag / (sms.size() - 1));
    p.members = (int)sms.size();
    if ((used + n) * 4 > cap) { fprintf(stderr, "out of fresh lines\n"); exit(1); }
    float *at = d + used; used += n;
    if (!cold) warm<<<132, 256>>>(at, n, o);
    reset<<<1, 1>>>();
#define GO(C) case C: CHECK(cudaFuncSetAttribute(k_merge<C>, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 * 1024)); k_merge<C><<<132, 32, 150 * 1024>>>(at, steps, p, cold ? 12000 : 8000, width, o); break;
    switch (count) { GO(1) GO(2) GO(4) GO(8) GO(16) GO(32) }
    CHECK(cudaGetLastError()); CHECK(cudaDeviceSynchronize());
    printf("%s,%zu,%d,%d,%d,%d,%ld\n", what, sms.size(), lag, count * width, width == 1 ? 4 : 1, cold, (long)steps * count * (width == 1 ? 4 : width));
  };
  const std::vector<int> gpc = {2, 64, 18, 78, 34, 92, 50, 106, 3, 65, 19, 79, 35, 93, 51, 107}; // one that has 16
  auto first = [&](int m) { return std::vector<int>(gpc.begin(), gpc.begin() + m); };
  for (int lag : {0, 10, 20, 40, 60, 80, 100, 120, 140, 160, 180, 200, 220, 240, 260, 280, 320, 400, 500, 600, 800}) {
    go("tpc", {2, 3}, lag, 1, 1, false); go("near", {2, 18}, lag, 1, 1, false); go("far", {2, 64}, lag, 1, 1, false);
    go("cold", {2, 64}, lag, 1, 1, true);
  }
  for (int m = 2; m <= 16; m++) for (int lag : {0, 10, 40}) go("members", first(m), lag, 1, 1, false);
  for (int m : {2, 4, 8, 16}) go("cold_members", first(m), 40, 1, 1, true);
  for (int m : {2, 4, 16}) for (int width : {1, 32}) for (int count : {1, 2, 4, 8, 16, 32}) for (int lag : {10, 100}) go("burst", first(m), lag, count, width, false);
  for (int m : {4, 16}) for (int width : {1, 32}) for (int count : {1, 4, 16, 32}) go("cold_burst", first(m), 20, count, width, true);
}

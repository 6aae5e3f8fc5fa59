// gpc_clock.h - multiprocessors of a GPC that start some cycles apart: their clocks agree, so that
// all of them wait for a common value. SPDX-License-Identifier: MIT
#pragma once
struct Plan { int members, lag[132]; }; // cycles; < 0: takes no part
__device__ unsigned arrived, start_at;
__global__ void reset() { arrived = 0; start_at = 0; }
__device__ inline unsigned smid() { unsigned s; asm volatile("mov.u32 %0, %%smid;" : "=r"(s)); return s; }
__device__ inline unsigned clk() { unsigned s; asm volatile("mov.u32 %0, %%clock;" : "=r"(s) :: "memory"); return s; }
__global__ void warm(const float *d, long n, float *o) {
  float s = 0;
  for (long i = blockIdx.x * (long)blockDim.x + threadIdx.x; i < n; i += (long)gridDim.x * blockDim.x) s += __ldcg(d + i);
  if (s == 1234.5f) *o = s;
}

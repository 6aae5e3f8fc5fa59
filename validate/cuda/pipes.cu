// Cycles that a scheduler takes for mixes of instructions, with 1 to 8 warps: which ones share what. Every instruction is
// part of a chain that is used in the end, so that the compiler keeps it; 16 of each kind in a trip of the loop (8 loads:
// those of one address are merged), and 11 of the loop itself. Prints rows of validate/probes/h200_pipes.csv.
#include <cstdio>
#include <cuda_runtime.h>
#define E8(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7)
#define WIDE(k) asm volatile("{.reg .b64 t; .reg .b32 l, h; mul.wide.s32 t, %0, %1; mov.b64 {l, h}, t; xor.b32 %0, l, h;}" : "+r"(j[k]) : "r"(four));
#define MULI(k) asm volatile("mad.lo.s32 %0, %0, %1, %2;" : "+r"(i[k]) : "r"(nx), "r"(row));
#define ADD(k) asm volatile("add.f32 %0, %0, %1;" : "+f"(f[k]) : "f"(g));
#define FMA(k) asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(e[k]) : "f"(g));
#define LOADP(k) { float t; asm volatile("ld.global.f32 %0, [%1+%2];" : "=f"(t) : "l"(p), "n"(128 * k) : "memory"); f[k] += t; }
template <int M> __global__ void __launch_bounds__(1024, 1) k_mix(float *out, const char *base, int nx, int row, int four, int steps, unsigned *cycles) {
  int j[8], i[8]; float f[8], e[8], g = nx * 0.5f; const char *p = base + 4 * (threadIdx.x % 32);
#pragma unroll
  for (int k = 0; k < 8; k++) { j[k] = threadIdx.x % 32 + k; f[k] = e[k] = k; i[k] = k; }
  __syncthreads(); unsigned a = clock();
#pragma unroll 1
  for (int t = 0; t < steps; t++) {
    row ^= 1; p += row & 1 ? 128 : -128;
    if (M == 0) { E8(WIDE) E8(WIDE) }
    if (M == 1) { E8(WIDE) E8(ADD) E8(WIDE) E8(ADD) }
    if (M == 2) { E8(WIDE) E8(ADD) E8(FMA) E8(WIDE) E8(ADD) E8(FMA) }
    if (M == 3) { E8(WIDE) E8(ADD) E8(FMA) E8(ADD) E8(WIDE) E8(ADD) E8(FMA) E8(ADD) }
    if (M == 4) { E8(WIDE) E8(MULI) E8(WIDE) E8(MULI) }
    if (M == 5) { E8(WIDE) E8(MULI) E8(ADD) E8(WIDE) E8(MULI) E8(ADD) }
    if (M == 6) { E8(WIDE) E8(MULI) E8(ADD) E8(FMA) E8(WIDE) E8(MULI) E8(ADD) E8(FMA) }
    if (M == 7) { E8(WIDE) E8(LOADP) E8(WIDE) E8(LOADP) }
    if (M == 8) { E8(WIDE) E8(MULI) E8(LOADP) E8(WIDE) E8(MULI) E8(LOADP) }
    if (M == 9) { E8(MULI) E8(LOADP) E8(MULI) E8(LOADP) }
    if (M == 10) { E8(LOADP) E8(LOADP) }
    if (M == 11) { E8(WIDE) E8(MULI) E8(LOADP) E8(FMA) E8(WIDE) E8(MULI) E8(LOADP) E8(FMA) }
    if (M == 12) { E8(MULI) E8(MULI) }
    if (M == 13) { E8(MULI) E8(ADD) E8(MULI) E8(ADD) }
    if (M == 14) { E8(MULI) E8(ADD) E8(FMA) E8(MULI) E8(ADD) E8(FMA) }
  }
  unsigned b = clock(); float s = 0;
#pragma unroll
  for (int k = 0; k < 8; k++) s += f[k] + e[k] + j[k] + i[k];
  out[(blockIdx.x * blockDim.x + threadIdx.x) & 0xfffff] = s + (long)p;
  if (threadIdx.x == 0) cycles[blockIdx.x] = b - a;
}
template <int M> void one(const char *name, float *out, char *base, unsigned *cy) {
  printf("%s", name); int steps = 1000;
  for (int warps : {4, 8, 16, 32}) { unsigned h;
    for (int r = 0; r < 2; r++) k_mix<M><<<132, warps * 32>>>(out, base + 65536, 33, 2, 4, steps, cy);
    cudaMemcpy(&h, cy, 4, cudaMemcpyDeviceToHost); printf(",%.2f", (double)h / steps / (warps / 4)); }
  if (cudaGetLastError() != cudaSuccess) printf(",failed");
  printf("\n");
}
int main() {
  float *out; char *base; unsigned *cy; cudaMalloc(&out, 1 << 23); cudaMalloc(&base, 1 << 20); cudaMalloc(&cy, 4096); cudaMemset(base, 0, 1 << 20);
  printf("mix,cycles_1_warp,cycles_2_warps,cycles_4_warps,cycles_8_warps\n");
#define ONE(M, name) one<M>(name, out, base, cy);
  ONE(0, "wide") ONE(1, "wide add") ONE(2, "wide add fma") ONE(3, "wide add fma add") ONE(4, "wide multiply") ONE(5, "wide multiply add") ONE(6, "wide multiply add fma") ONE(7, "wide load") ONE(8, "wide multiply load") ONE(9, "multiply load") ONE(10, "load") ONE(11, "wide multiply load fma") ONE(12, "multiply") ONE(13, "multiply add") ONE(14, "multiply add fma")
}

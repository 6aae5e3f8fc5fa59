// Loads of 4, 8 and 16 bytes from shared memory: how many wavefronts a pattern of lanes takes. Pattern p < 16 is regular; beyond, lane l
// reads element hash(p, l) % range.
#include "harness.h"

__host__ __device__ inline unsigned mixed(unsigned v) { v ^= v >> 16; v *= 0x7feb352du; v ^= v >> 15; v *= 0x846ca68bu; return v ^ v >> 16; }
__host__ __device__ inline unsigned element(unsigned pattern, unsigned lane, unsigned range) {
  switch (pattern) {
    case 0: return 0;
    case 1: return lane;
    case 2: return lane >> 1;
    case 3: return lane >> 2;
    case 4: return lane >> 3;
    case 5: return lane >> 4;
    case 6: return lane & 1;
    case 7: return lane & 3;
    case 8: return lane & 7;
    case 9: return lane & 15;
    case 10: return 31 - lane;
    case 11: return lane ^ 1;
    case 12: return 2 * (lane >> 1);
    case 13: return 8 * (lane >> 3);
    case 14: return 4 * (lane & 7);
    case 15: return lane * 3;
  }
  return mixed(pattern * 32 + lane) % range;
}
template <int B> __device__ inline unsigned load(unsigned at);
template <> __device__ inline unsigned load<4>(unsigned at) { unsigned a; asm volatile("ld.shared.u32 %0,[%1];" : "=r"(a) : "r"(at)); return a; }
template <> __device__ inline unsigned load<8>(unsigned at) { unsigned a, b; asm volatile("ld.shared.v2.u32 {%0,%1},[%2];" : "=r"(a), "=r"(b) : "r"(at)); return a + b; }
template <> __device__ inline unsigned load<16>(unsigned at) { unsigned a, b, c, d; asm volatile("ld.shared.v4.u32 {%0,%1,%2,%3},[%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(at)); return a + b + c + d; }
template <int B> __global__ void k_wide(unsigned *y, unsigned pattern, unsigned range) {
  __shared__ unsigned t[4096]; for (int i = threadIdx.x; i < 4096; i += blockDim.x) t[i] = i; __syncthreads();
  unsigned at = (unsigned)__cvta_generic_to_shared(t) + element(pattern, threadIdx.x, range) * B, s = 0;
#pragma unroll 1
  for (int i = 0; i < 64; i++) s += load<B>(at);
  y[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
static std::vector<Config> cs;
template <int B> static void all(unsigned *y) {
  auto one = [&](unsigned p, unsigned range) { char s[64]; snprintf(s, sizeof s, "bytes=%d;pattern=%u;range=%u", B, p, range);
    cs.push_back({"wide", "ld", s, dim3(132), dim3(32), 132. * 64, (const void *)k_wide<B>, 0, [=] { k_wide<B><<<132, 32>>>(y, p, range); }}); };
  for (unsigned p = 0; p < 16; p++) one(p, 0);
  for (unsigned range : {2u, 4u, 8u, 16u, 32u, 64u, 128u}) for (unsigned p = 16; p < 20; p++) one(p, range);
}
int main(int argc, char **argv) {
  unsigned *y = (unsigned *)device_array<float>(1 << 20); all<4>(y); all<8>(y); all<16>(y);
  return run(argc, argv, cs);
}

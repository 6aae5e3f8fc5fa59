// Which lane's value stays where lanes of a warp store to the same address: lane l stores to place l % places, counted from the
// first or from the last one, if its bit of the mask is set. Prints: bytes,space,mask,places,from,place,lane
#include "cuda_check.h"
#include <cstdint>
#include <cstdio>
static __device__ int place_of(int lane, int places, bool last) { return last ? places - 1 - lane % places : lane % places; }
template <class T> __device__ T value(int lane) { return T(lane + 1); }
template <> __device__ float4 value<float4>(int lane) { return make_float4(lane + 1.f, lane + 1.f, lane + 1.f, lane + 1.f); }
template <class T> __global__ void k_global(T *to, unsigned mask, int places, bool last) {
  if (mask >> threadIdx.x & 1) to[place_of(threadIdx.x, places, last)] = value<T>(threadIdx.x);
}
template <class T> __global__ void k_shared(T *to, unsigned mask, int places, bool last) {
  __shared__ T s[32];
  s[threadIdx.x] = value<T>(-1);
  __syncwarp();
  if (mask >> threadIdx.x & 1) s[place_of(threadIdx.x, places, last)] = value<T>(threadIdx.x);
  __syncwarp();
  to[threadIdx.x] = s[threadIdx.x];
}
static int lane_of(float4 v) { return (int)v.x - 1; }
template <class T> static int lane_of(T v) { return (int)v - 1; }
template <class T> static void measure() {
  const unsigned masks[] = {0xffffffffu, 0x0000ff00u, 0xaaaaaaaau, 0x80000001u, 0x7ffffffeu, 0x00f0f000u};
  T *d, h[32];
  CHECK(cudaMalloc(&d, sizeof h));
  for (int shared = 0; shared < 2; shared++)
    for (unsigned mask : masks)
      for (int places = 1; places <= 8; places *= 2)
        for (int last = 0; last < 2; last++) {
          CHECK(cudaMemset(d, 0, sizeof h));
          if (shared) k_shared<T><<<1, 32>>>(d, mask, places, last);
          else k_global<T><<<1, 32>>>(d, mask, places, last);
          CHECK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
          for (int p = 0; p < places; p++)
            if (lane_of(h[p]) >= 0)
              printf("%d,%s,%08x,%d,%s,%d,%d\n", (int)sizeof(T), shared ? "shared" : "global", mask, places,
                     last ? "last" : "first", p, lane_of(h[p]));
        }
  CHECK(cudaFree(d));
}
int main() {
  printf("bytes,space,mask,places,from,place,lane\n");
  measure<uint8_t>();
  measure<uint16_t>();
  measure<uint32_t>();
  measure<uint64_t>();
  measure<float4>();
}

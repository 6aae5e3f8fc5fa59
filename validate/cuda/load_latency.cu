// Cycles of a load whose address is what the load before gave: from shared memory and from the L1, by its width, by the
// distance between lanes (0: all read one element) and by the warps that do so. Not in the form of harness.h: it prints
// the rows of probes/h200_load_latency.csv. Those of global memory include 8 cycles of address arithmetic.
#include <cstdio>
#include <cuda_runtime.h>
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); return 1; } } while (0)
struct alignas(8) I2 { int x, y; }; struct alignas(16) I4 { int x, y, z, w; };
template <class T> __device__ int first(T v) { return v.x; } template <> __device__ int first(int v) { return v; }
template <class T> __device__ T make(int v); template <> __device__ int make(int v) { return v; } template <> __device__ I2 make(int v) { return {v, 0}; } template <> __device__ I4 make(int v) { return {v, 0, 0, 0}; }
template <class T> __device__ int rest(T v); template <> __device__ int rest(int v) { return 0; } template <> __device__ int rest(I2 v) { return v.y; } template <> __device__ int rest(I4 v) { return v.y + v.z + v.w; }
template <class T, bool G> __global__ void chase(const char *d, int *out, int stride, int rounds) {
  __shared__ __align__(16) char s[32 * 1024]; int lane = threadIdx.x % 32;
  for (int i = threadIdx.x; i < 32 * 1024 / (int)sizeof(T); i += blockDim.x) ((T *)s)[i] = make<T>((int)(i * sizeof(T)));
  __syncthreads(); int at = (lane * stride * (int)sizeof(T)) % (32 * 1024), sum = 0; long long t0 = 0, t1;
  for (int pass = 0; pass < 2; pass++) {
    t0 = clock64();
#pragma unroll 8
    for (int r = 0; r < rounds; r++) { T v; if (G) v = *(const T *)(d + at); else v = *(const T *)(s + at); at = first(v); sum += rest(v); }
    t1 = clock64();
  }
  out[threadIdx.x + 1] = at + sum; if (threadIdx.x == 0) out[0] = (int)(t1 - t0);
}
__global__ void init(char *d, int size) { for (int i = threadIdx.x; i < 32 * 1024 / size; i += blockDim.x) { int *p = (int *)(d + i * size); p[0] = i * size; for (int k = 1; k < size / 4; k++) p[k] = 0; } }
template <class T, bool G> static int go(char *d, int *o, const char *what) {
  for (int threads : {32, 128, 512}) for (int stride : {0, 1, 2, 4, 8, 32}) {
    int n; init<<<1, 256>>>(d, sizeof(T)); chase<T, G><<<1, threads>>>(d, o, stride, 1024); CHECK(cudaDeviceSynchronize()); CHECK(cudaMemcpy(&n, o, 4, cudaMemcpyDeviceToHost));
    printf("%s,%d,%d,%d,%.2f\n", what, (int)sizeof(T), threads, stride, n / 1024.0);
  }
  return 0;
}
int main() {
  char *d; int *o; CHECK(cudaMalloc(&d, 1 << 20)); CHECK(cudaMalloc(&o, 1 << 16)); printf("what,bytes,threads,stride,cycles\n");
  go<int, false>(d, o, "shared"); go<I2, false>(d, o, "shared"); go<I4, false>(d, o, "shared"); go<int, true>(d, o, "global"); go<I2, true>(d, o, "global"); go<I4, true>(d, o, "global");
}

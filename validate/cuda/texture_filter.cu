// What textures return: filters of one to three dimensions, all address modes, integers read as fractions, gathers. Writes for each
// case a head of 64 bytes, 3 x N coordinates, the results and the texels to a file, which `warpline run` of the same program writes,
// too: probes/h200_texture_filter.csv compares the two. texture_filter FILE
#include "cuda_check.h"
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <cuda_fp16.h>
#include <vector>
enum { N = 4096, THREADS = 128 };
enum kind { F32, F16, U8, S8, U16, S16, WHOLE };
static const char *const names[] = {"f32", "f16", "u8", "s8", "u16", "s16", "whole"};
static __device__ int self() { return blockIdx.x * blockDim.x + threadIdx.x; }
static __device__ void put(float *out, float4 v) { out[self()] = v.x, out[self() + N] = v.y, out[self() + 2 * N] = v.z, out[self() + 3 * N] = v.w; }
__global__ void fetch1(cudaTextureObject_t t, const float *x, float *out) { out[self()] = tex1D<float>(t, x[self()]); }
__global__ void fetch2(cudaTextureObject_t t, const float *x, float *out) { out[self()] = tex2D<float>(t, x[self()], x[self() + N]); }
__global__ void fetch3(cudaTextureObject_t t, const float *x, float *out) {
  out[self()] = tex3D<float>(t, x[self()], x[self() + N], x[self() + 2 * N]);
}
__global__ void fetch4(cudaTextureObject_t t, const float *x, float *out) { put(out, tex2D<float4>(t, x[self()], x[self() + N])); }
__global__ void gather(cudaTextureObject_t t, const float *x, float *out) { put(out, tex2Dgather<float4>(t, x[self()], x[self() + N], 0)); }
static uint32_t number() {
  static uint64_t state = 88172645463325252ull;
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return (uint32_t)(state >> 16);
}
static double fraction() { return number() / 4294967296.0; }
static void one(FILE *file, int dims, kind k, bool linear, int mode, bool normalized, int channels = 1, bool gathers = false) {
  const bool is_float = k == F32 || k == F16 || k == WHOLE;
  const int extent[] = {61, dims > 1 ? 37 : 1, dims > 2 ? 11 : 1}, bytes = k == F32 || k == WHOLE ? 4 : k == U8 || k == S8 ? 1 : 2;
  const int count = extent[0] * extent[1] * extent[2] * channels, row = extent[0] * bytes * channels, bits = 8 * bytes;
  std::vector<uint8_t> texels(count * bytes);
  for (int i = 0; i < count; i++) {
    const float f = k == WHOLE ? number() % 256 : (float)((fraction() - 0.5) * exp2((double)(number() % 12)));
    const __half h = __float2half(f);
    const uint32_t r = number();
    memcpy(&texels[i * bytes], k == F32 || k == WHOLE ? (const void *)&f : k == F16 ? (const void *)&h : (const void *)&r, bytes);
  }
  const cudaChannelFormatKind format = is_float                ? cudaChannelFormatKindFloat
                                       : k == U8 || k == U16 ? cudaChannelFormatKindUnsigned
                                                             : cudaChannelFormatKindSigned;
  const cudaChannelFormatDesc desc = {bits, channels > 1 ? bits : 0, channels > 2 ? bits : 0, channels > 2 ? bits : 0, format};
  cudaArray_t array;
  if (dims == 3) {
    cudaMemcpy3DParms p = {};
    p.extent = make_cudaExtent(extent[0], extent[1], extent[2]);
    CHECK(cudaMalloc3DArray(&array, &desc, p.extent));
    p.srcPtr = make_cudaPitchedPtr(texels.data(), row, extent[0], extent[1]);
    p.dstArray = array, p.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&p));
  } else {
    CHECK(cudaMallocArray(&array, &desc, extent[0], dims == 1 ? 0 : extent[1], gathers ? cudaArrayTextureGather : 0));
    CHECK(cudaMemcpy2DToArray(array, 0, 0, texels.data(), row, row, extent[1], cudaMemcpyHostToDevice));
  }
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray, resource.res.array.array = array;
  cudaTextureDesc t = {};
  t.addressMode[0] = t.addressMode[1] = t.addressMode[2] = (cudaTextureAddressMode)mode;
  t.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
  t.readMode = is_float ? cudaReadModeElementType : cudaReadModeNormalizedFloat;
  t.normalizedCoords = normalized;
  cudaTextureObject_t object;
  CHECK(cudaCreateTextureObject(&object, &resource, &t, NULL));
  std::vector<float> x(3 * N), out(4 * N);
  for (int i = 0; i < 3 * N; i++) {
    const double at = (fraction() * 1.6 - 0.3) * (normalized ? 1 : extent[i / N]);
    x[i] = (float)(i % 4 == 0 ? floor(at * 512) / 512 : at); // halves and edges of weights
  }
  float *in, *results;
  CHECK(cudaMalloc(&in, 3 * N * sizeof *in));
  CHECK(cudaMalloc(&results, 4 * N * sizeof *results));
  CHECK(cudaMemcpy(in, x.data(), 3 * N * sizeof *in, cudaMemcpyHostToDevice));
  const auto kernel = gathers ? gather : channels == 4 ? fetch4 : dims == 1 ? fetch1 : dims == 2 ? fetch2 : fetch3;
  kernel<<<N / THREADS, THREADS>>>(object, in, results);
  const int written = channels == 4 || gathers ? 4 * N : N;
  CHECK(cudaMemcpy(out.data(), results, written * sizeof *results, cudaMemcpyDeviceToHost));
  char head[64] = "";
  snprintf(head, sizeof head, "%d %s %s %d %s %d %d", dims, names[k], gathers ? "gather" : linear ? "linear" : "point", mode,
           normalized ? "normalized" : "texels", channels, written);
  fwrite(head, sizeof head, 1, file);
  fwrite(x.data(), sizeof(float), x.size(), file);
  fwrite(out.data(), sizeof(float), written, file);
  fwrite(texels.data(), 1, texels.size(), file);
  CHECK(cudaDestroyTextureObject(object));
  CHECK(cudaFreeArray(array));
  CHECK(cudaFree(in));
  CHECK(cudaFree(results));
}
int main(int, char **argv) {
  FILE *file = fopen(argv[1], "wb");
  for (int dims = 1; dims <= 3; dims++)
    for (int k = F32; k <= WHOLE; k++)
      for (int linear = 0; linear < 2; linear++)
        one(file, dims, (kind)k, linear, cudaAddressModeClamp, false);
  for (int mode = 0; mode < 4; mode++)
    for (int dims = 1; dims <= 3; dims++)
      for (kind k : {WHOLE, F32})
        one(file, dims, k, true, mode, true);
  one(file, 2, U8, true, cudaAddressModeWrap, true, 4);
  one(file, 2, F32, true, cudaAddressModeBorder, false, 4);
  one(file, 2, F32, false, cudaAddressModeClamp, false, 1, true);
  one(file, 2, U8, false, cudaAddressModeWrap, true, 1, true);
  fclose(file);
  return 0;
}

// A matrix product in columns (k_matmul_col of fit.cu), wave by wave. Not in the form of harness.h.
// `product_waves blocks`: which blocks multiprocessor 40 ran and when, in cycles of its clock: probes/h200_product_blocks.csv.
// `product_waves`, under ncu: launches of half a wave to four; their differences are the waves of probes/h200_product_waves.csv,
// with `--cache-control all` an empty L2, with `none` one that holds the matrices.
//   ncu -k regex:k_matmul_col --csv --page raw --metrics gpu__time_duration.sum,l1tex__m_xbar2l1tex_read_sectors.sum,
//     lts__t_sectors_srcunit_tex_op_read.sum
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)

struct record { uint32_t sm, start, end; };
__device__ inline uint32_t smid() { uint32_t s; asm volatile("mov.u32 %0, %%smid;" : "=r"(s)); return s; }
__device__ inline uint32_t now() { uint32_t s; asm volatile("mov.u32 %0, %%clock;" : "=r"(s)); return s; }
__device__ inline bool column(int tid, int col, int w, int h, int &x, int &y) {
  if (tid >= w * h) return false;
  if (col == 0) { x = tid % w; y = tid / w; return true; }
  int size = h * col, id = tid / size, t = tid % size, off = id * col, tw = min(w - off, col);
  x = t % tw + off; y = t / tw; return true;
}
template <bool RECORDED>
__global__ void k_matmul_col(float *o, const float *a, const float *b, int depth, int w, int h, int col, record *out) {
  const uint32_t start = RECORDED ? now() : 0;
  int x, y; if (!column(blockIdx.x * blockDim.x + threadIdx.x, col, w, h, x, y)) return;
  float r = 0;
  for (int i = 0; i < depth; i++) r += a[y * depth + i] * b[x + i * w];
  o[y * w + x] = r;
  if (RECORDED) { __syncthreads(); if (threadIdx.x == 0) out[blockIdx.x] = {smid(), start, now()}; }
}
__global__ void wash(float *p, long n) { for (long i = blockIdx.x * (long)blockDim.x + threadIdx.x; i < n; i += (long)gridDim.x * blockDim.x) p[i] = 0; }

int main(int argc, char **argv) {
  const int n = 1024, bytes = n * n * sizeof(float); const long large = 128l << 20;
  float *a, *b, *o, *big; record *d;
  std::vector<float> values(n * n); std::vector<record> h(n * n / 32);
  for (float &v : values) v = rand() / (float)RAND_MAX;
  CHECK(cudaMalloc(&a, bytes)); CHECK(cudaMalloc(&b, bytes)); CHECK(cudaMalloc(&o, bytes)); CHECK(cudaMalloc(&big, large * sizeof(float)));
  CHECK(cudaMalloc(&d, h.size() * sizeof(record)));
  CHECK(cudaMemcpy(a, values.data(), bytes, cudaMemcpyHostToDevice)); CHECK(cudaMemcpy(b, values.data(), bytes, cudaMemcpyHostToDevice));
  if (argc == 1) {
    for (int bx : {32, 64, 128, 512}) for (int col : {0, 16, 64, 128, 256}) for (int half = 1; half <= 8; half++) {
      const int per_sm = std::min(32, 2048 / bx), blocks = std::min(n * n / bx, 132 * per_sm * half / 2);
      k_matmul_col<false><<<blocks, bx>>>(o, a, b, n, n, n, col, d); CHECK(cudaGetLastError()); CHECK(cudaDeviceSynchronize());
    }
    return 0;
  }
  printf("l2,col,bx,block,start,end\n");
  for (int filled = 0; filled < 2; filled++) for (int col : {0, 16, 33, 64, 128}) for (int bx : {32, 64, 128, 256, 512, 1024}) {
    const int blocks = n * n / bx;
    for (int i = 0; i < 3; i++) {
      if (!filled) { wash<<<1024, 256>>>(big, large); CHECK(cudaDeviceSynchronize()); }
      k_matmul_col<true><<<blocks, bx>>>(o, a, b, n, n, n, col, d); CHECK(cudaGetLastError()); CHECK(cudaDeviceSynchronize());
    }
    CHECK(cudaMemcpy(h.data(), d, blocks * sizeof(record), cudaMemcpyDeviceToHost));
    std::vector<int> here; for (int i = 0; i < blocks; i++) if (h[i].sm == 40) here.push_back(i);
    if (here.empty()) continue;
    const uint32_t any = h[here[0]].start; auto at = [&](uint32_t t) { return (int32_t)(t - any); };
    std::sort(here.begin(), here.end(), [&](int x, int y) { return at(h[x].start) < at(h[y].start); });
    for (int i : here) printf("%s,%d,%d,%d,%d,%d\n", filled ? "filled" : "empty", col, bx, i, at(h[i].start) - at(h[here[0]].start), at(h[i].end) - at(h[here[0]].start));
  }
}

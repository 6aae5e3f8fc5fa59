// A matrix product in columns (k_matmul_col of fit.cu), launched three times per width and block, so that the third finds
// its matrices in the L2. Not in the form of harness.h: run under ncu with `--cache-control none`, which counts the third
// launch; fit.cu under `--cache-control all` gives the rows with an empty L2. probes/h200_product_caches.csv has both.
//   ncu --cache-control none -k regex:k_matmul_col --csv --page raw --metrics gpu__time_duration.sum,
//     l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum,l1tex__m_xbar2l1tex_read_sectors.sum,
//     lts__t_sectors_srcunit_tex_op_read.sum
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)

__device__ inline bool column(int tid, int col, int w, int h, int &x, int &y) {
  if (tid >= w * h) return false;
  if (col == 0) { x = tid % w; y = tid / w; return true; }
  int size = h * col, id = tid / size, t = tid % size, off = id * col, tw = min(w - off, col);
  x = t % tw + off; y = t / tw; return true;
}
__global__ void k_matmul_col(float *o, const float *a, const float *b, int depth, int w, int h, int col) {
  int x, y; if (!column(blockIdx.x * blockDim.x + threadIdx.x, col, w, h, x, y)) return;
  float r = 0;
  for (int i = 0; i < depth; i++) r += a[y * depth + i] * b[x + i * w];
  o[y * w + x] = r;
}

int main() {
  const int n = 1024, bytes = n * n * sizeof(float);
  float *a, *b, *o;
  std::vector<float> values(n * n);
  for (float &v : values) v = rand() / (float)RAND_MAX;
  CHECK(cudaMalloc(&a, bytes)); CHECK(cudaMalloc(&b, bytes)); CHECK(cudaMalloc(&o, bytes));
  CHECK(cudaMemcpy(a, values.data(), bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(b, values.data(), bytes, cudaMemcpyHostToDevice));
  for (int col : {0, 4, 8, 16, 30, 31, 32, 33, 34, 48, 64, 96, 128, 256, 512, 1024, 2048}) for (int bx : {32, 64, 128, 256, 512, 1024})
    for (int i = 0; i < 3; i++) { k_matmul_col<<<n * n / bx, bx>>>(o, a, b, n, n, n, col); CHECK(cudaGetLastError()); CHECK(cudaDeviceSynchronize()); }
}

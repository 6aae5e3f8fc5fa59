// The matrix product of fit.cu (k_matmul_col) with its loop compiled in two other ways, which wait more often: when each
// warp passes the first eighth of its loop and its end, on which multiprocessor, and which GPC that belongs to. Not in the
// form of harness.h. Without arguments: rows of probes/h200_gpc_blocks.csv. Under ncu (`--cache-control all`: an empty L2;
// `none` and the argument `filled`: one that holds the matrices): a row per launch of probes/h200_product_variants.csv.
//   ncu -k regex:k_trace --csv --page raw --metrics gpu__time_duration.sum,l1tex__m_xbar2l1tex_read_sectors.sum,
//     lts__t_sectors_srcunit_tex_op_read.sum
#include <cmath>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include <cuda_runtime.h>
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)

__device__ inline bool column(int tid, int col, int w, int h, int &x, int &y) {
  if (tid >= w * h) return false;
  if (col == 0) { x = tid % w; y = tid / w; return true; }
  int size = h * col, id = tid / size, t = tid % size, off = id * col, tw = min(w - off, col);
  x = t % tw + off; y = t / tw; return true;
}
__device__ inline unsigned smid() { unsigned s; asm volatile("mov.u32 %0, %%smid;" : "=r"(s)); return s; }
__device__ inline unsigned clk() { unsigned s; asm volatile("mov.u32 %0, %%clock;" : "=r"(s) :: "memory"); return s; }
// UNROLL 4: four steps per wait. 16: the assembler unrolls 16 steps, with about 6 waits among them.
template <int UNROLL> __device__ inline void product(float *o, const float *a, const float *b, int depth, int w, int h, int col, unsigned *t) {
  int id = blockIdx.x * blockDim.x + threadIdx.x, part = depth / 8;
  unsigned *mine = t + (id >> 5) * 10l; bool first = (threadIdx.x & 31) == 0;
  if (first) { mine[0] = smid(); mine[1] = clk(); }
  int x, y; if (!column(id, col, w, h, x, y)) return;
  float r = 0; const float *pa = a + y * depth, *pb = b + x;
  for (int c = 0; c < 8; c++) {
    if (UNROLL == 4) {
#pragma unroll 4
      for (int i = c * part; i < (c + 1) * part; i++) r += a[y * depth + i] * b[x + i * w];
    } else {
      for (int i = 0; i < part; i++) r += pa[i] * pb[i * w];
      pa += part; pb += part * w;
    }
    if (r == 1e30f) o[0] = 1; // waits for it
    if (first) mine[2 + c] = clk();
  }
  o[y * w + x] = r;
}
template <int UNROLL> __global__ void k_trace(float *o, const float *a, const float *b, int depth, int w, int h, int col, unsigned *t) { product<UNROLL>(o, a, b, depth, w, h, col, t); }
template <int UNROLL> __global__ void k_fill(float *o, const float *a, const float *b, int depth, int w, int h, int col, unsigned *t) { product<UNROLL>(o, a, b, depth, w, h, col, t); }

// Found by launching clusters of 16 blocks, which one GPC holds.
static const std::vector<std::vector<int>> gpcs = {
  {0,1,16,17,32,33,48,49,124,125,126,127,128,129,130,131}, {2,3,18,19,34,35,50,51,64,65,78,79,92,93,106,107},
  {4,5,20,21,36,37,52,53,66,67,80,81,94,95,108,109}, {6,7,22,23,38,39,54,55,68,69,82,83,96,97,110,111},
  {8,9,24,25,40,41,56,57,70,71,84,85,98,99,112,113}, {10,11,26,27,42,43,58,59,72,73,86,87,100,101,114,115},
  {12,13,28,29,44,45,60,61,74,75,88,89,102,103,116,117,120,121}, {14,15,30,31,46,47,62,63,76,77,90,91,104,105,118,119,122,123}};
static int gpc_of(unsigned sm) { for (size_t g = 0; g < gpcs.size(); g++) for (int s : gpcs[g]) if (s == (int)sm) return (int)g; return -1; }

// Median and standard deviation over the first blocks of one GPC, in cycles since the first of them started.
static void print_passed(const std::vector<unsigned> &t, int bx, int at) {
  const int warps = bx / 32; std::vector<double> v; std::vector<unsigned> starts, ends;
  for (int b = 0; b < 132; b++) if (gpc_of(t[b * warps * 10l]) == 3) { starts.push_back(t[b * warps * 10l + 1]); ends.push_back(t[b * warps * 10l + 1 + at]); }
  for (unsigned e : ends) v.push_back((double)(e - *std::min_element(starts.begin(), starts.end())));
  double mean = 0, square = 0;
  for (double x : v) mean += x / v.size();
  for (double x : v) square += (x - mean) * (x - mean) / v.size();
  std::sort(v.begin(), v.end()); printf(",%.0f,%.0f", v[v.size() / 2], sqrt(square));
}

int main(int argc, char **argv) {
  const int n = 1024, bytes = n * n * sizeof(float); const bool blocks = argc < 2, filled = argc > 1 && !strcmp(argv[1], "filled");
  float *a, *b, *o; unsigned *t; std::vector<float> values(n * n); std::vector<unsigned> h(32768 * 10);
  for (float &v : values) v = rand() / (float)RAND_MAX;
  CHECK(cudaMalloc(&a, bytes)); CHECK(cudaMalloc(&b, bytes)); CHECK(cudaMalloc(&o, bytes)); CHECK(cudaMalloc(&t, h.size() * 4));
  CHECK(cudaMemcpy(a, values.data(), bytes, cudaMemcpyHostToDevice)); CHECK(cudaMemcpy(b, values.data(), bytes, cudaMemcpyHostToDevice));
  printf(blocks ? "bx,block,multiprocessor,gpc\n" : "variant,l2,col,bx,eighth_cycles,eighth_spread,block_cycles,block_spread\n");
  auto go = [&](auto trace, auto fill, int unroll, int col, int bx) {
    for (int i = 0; i < (filled || blocks ? 2 : 0); i++) fill<<<n * n / bx, bx>>>(o, a, b, n, n, n, col, t);
    trace<<<n * n / bx, bx>>>(o, a, b, n, n, n, col, t); CHECK(cudaGetLastError()); CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(h.data(), t, h.size() * 4, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 264 && blocks; i++) printf("%d,%d,%u,%d\n", bx, i, h[i * (bx / 32) * 10l], gpc_of(h[i * (bx / 32) * 10l]));
    if (blocks) return;
    printf("unroll_%d,%s,%d,%d", unroll, filled ? "filled" : "empty", col, bx); print_passed(h, bx, 1); print_passed(h, bx, 8); printf("\n");
  };
  if (blocks) { for (int bx : {32, 128, 512, 1024}) go(k_trace<4>, k_fill<4>, 4, 0, bx); return 0; }
  for (int bx : {32, 128, 512, 1024}) for (int col : {0, 4, 16, 32, 34, 64, 128, 512}) { go(k_trace<4>, k_fill<4>, 4, col, bx); go(k_trace<16>, k_fill<16>, 16, col, bx); }
}

// How fast the L2 delivers lines to all multiprocessors, over the loads in flight. A warp loads full lines of a buffer that
// stays in the L2, past the L1 (ld.global.cg), `loads` of them before it waits: at scattered places of its own (scattered),
// one after the other from a place of its own (stream), or all warps the same ones (same). Not in the form of harness.h:
// prints TB/s of what arrives at the multiprocessors, from the median over launches. With the argument prof, each is
// launched twice for ncu, which reads the second; lts__t_sectors_srcunit_tex_op_read.sum is what the L2 delivers, less
// where requests merge. probes/h200_l2_saturation.csv has both.
//   ncu --cache-control none --clock-control none --csv --page raw --metrics gpu__time_duration.sum,
//     l1tex__m_xbar2l1tex_read_sectors.sum,lts__t_sectors_srcunit_tex_op_read.sum
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <vector>
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)

#define LINES ((8u << 20) / 128)
enum Order { SCATTERED, STREAM, SAME };

__device__ inline unsigned mixed(unsigned x) { x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; return x ^ x >> 16; }

template <int LOADS> __global__ void k_load(const unsigned *data, int steps, Order order, unsigned *out) {
  unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, sum = 0;
  // a stride near the golden ratio of the buffer scatters the lines of a warp
  unsigned line = order == SAME ? 0 : mixed(warp), stride = order == SCATTERED ? 40503 : 1;
  const unsigned *lane = data + threadIdx.x % 32;
  for (int s = 0; s < steps; s += LOADS) {
    unsigned v[LOADS];
#pragma unroll
    for (int u = 0; u < LOADS; u++, line += stride)
      asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v[u]) : "l"(lane + (size_t)(line % LINES) * 32));
#pragma unroll
    for (int u = 0; u < LOADS; u++) sum += v[u];
  }
  if (sum == 12345) out[0] = sum;
}

typedef void (*kernel)(const unsigned *, int, Order, unsigned *);

int main(int argc, char **argv) {
  const bool prof = argc > 1 && !strcmp(argv[1], "prof");
  unsigned *data, *out; int sms; cudaEvent_t a, b;
  CHECK(cudaMalloc(&data, (size_t)LINES * 128)); CHECK(cudaMemset(data, 1, (size_t)LINES * 128)); CHECK(cudaMalloc(&out, 4));
  CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  CHECK(cudaEventCreate(&a)); CHECK(cudaEventCreate(&b));
  const char *names[] = {"scattered", "stream", "same"};
  const kernel kernels[] = {k_load<1>, k_load<2>, k_load<4>, k_load<8>, k_load<16>};
  if (!prof) printf("order,warps_per_sm,loads,us,tb_per_s\n");
  for (int order = 0; order < 3; order++) for (int warps : {8, 16, 32, 48, 64}) for (int l = 0; l < 5; l++) {
    const int threads = 128, blocks = sms * warps / 4, steps = 65536 / warps;
    std::vector<float> t(prof ? 2 : 15);
    for (float &ms : t) {
      CHECK(cudaEventRecord(a)); kernels[l]<<<blocks, threads>>>(data, steps, (Order)order, out); CHECK(cudaEventRecord(b));
      CHECK(cudaEventSynchronize(b)); CHECK(cudaGetLastError()); CHECK(cudaEventElapsedTime(&ms, a, b));
    }
    std::sort(t.begin(), t.end());
    const double ms = t[t.size() / 2];
    if (!prof) printf("%s,%d,%d,%.2f,%.3f\n", names[order], warps, 1 << l, ms * 1e3, 128.0 * sms * warps * steps / ms * 1e-9);
  }
}

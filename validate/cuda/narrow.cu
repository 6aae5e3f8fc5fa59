// Blocks that write less than a sector per row, and rows that begin inside one: how merging in the L2 and traffic to
// memory add up, over the number of arrays, the width of the blocks, the pitch of rows and the size of elements.
#include <cstdarg>
#include "harness.h"

template <class T, int R, int W> __global__ void k_narrow(const T *__restrict__ s, T *__restrict__ d, int nx, int ny, int nz, long sy, long sz, long sf) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x >= nx || y >= ny || z >= nz) return;
  long o = x + y * sy + z * sz; T v = 1;
#pragma unroll
  for (int r = 0; r < R; r++) v += s[r * sf + o];
#pragma unroll
  for (int w = 0; w < W; w++) d[w * sf + o] = v;
}
static std::vector<Config> cs;
static std::string P(const char *fmt, ...) { char s[200]; va_list a; va_start(a, fmt); vsnprintf(s, sizeof s, fmt, a); va_end(a); return s; }
template <class T, int R, int W> static void narrow(T *s, T *d, int sy) {
  int nx = 256, ny = 256, nz = 256; long sz = (long)sy * ny, sf = (sz * nz + 15) / 16 * 16;
  for (int th : {256, 512}) for (int bx : {1, 2, 4, 8, 32, 256}) {
    if (th == 256 && (R != W || W > 4)) continue;
    dim3 b(bx, th / bx > 64 ? 64 : th / bx, 1); b.z = th / b.x / b.y; dim3 g(up(nx, b.x), up(ny, b.y), up(nz, b.z)); auto k = k_narrow<T, R, W>;
    cs.push_back({"narrow", P("b%d_r%d_w%d", (int)sizeof(T) * 8, R, W), P("nx=%d;ny=%d;nz=%d;sy=%d;sz=%ld;sf=%ld;reads=%d;writes=%d", nx, ny, nz, sy, sz, sf, R, W), g, b, (double)nx * ny * nz, (const void *)k, 0,
      [=] { k<<<g, b>>>(s, d, nx, ny, nz, sy, sz, sf); }});
  }
}
int main(int argc, char **argv) {
  double *s = device_array<double>((size_t)16 * 80 << 18), *d = device_array<double>((size_t)16 * 80 << 18);
  for (int sy : {256, 288}) {
    narrow<double, 1, 1>(s, d, sy); narrow<double, 2, 2>(s, d, sy); narrow<double, 4, 4>(s, d, sy); narrow<double, 8, 8>(s, d, sy); narrow<double, 15, 15>(s, d, sy);
    narrow<double, 0, 1>(s, d, sy); narrow<double, 0, 8>(s, d, sy); narrow<double, 15, 1>(s, d, sy); narrow<double, 1, 8>(s, d, sy); narrow<double, 4, 1>(s, d, sy);
  }
  narrow<float, 1, 1>((float *)s, (float *)d, 288); narrow<float, 4, 4>((float *)s, (float *)d, 288); narrow<float, 15, 15>((float *)s, (float *)d, 288);
  narrow<double, 1, 1>(s, d, 257); narrow<double, 15, 15>(s, d, 257); narrow<double, 16, 4>(s, d, 272);
  return run(argc, argv, cs);
}

// Elastic waves: three velocities from six stresses. Results go to the velocities themselves or to other arrays, rows
// start on a line or not, and the compiler has few registers or many: what requests that change parts of one line cost.
#include "harness.h"

template <class T> __device__ T difference(const T *f, long i, int step) { return T(1.125) * (f[i + step] - f[i]) - T(.0416) * (f[i + 2 * step] - f[i - step]); }

// OUT: to other arrays. SHIFT: the first column. BLOCKS: how many fit on a multiprocessor at least. PARTS: velocities.
template <class T, bool OUT, int SHIFT, int BLOCKS, int PARTS> __global__ void __launch_bounds__(256, BLOCKS) k_elastic(const T *__restrict__ s, T *__restrict__ v, T *__restrict__ o, int nx, int ny, int nz) {
  int x = blockIdx.x * blockDim.x + threadIdx.x + SHIFT, y = blockIdx.y * blockDim.y + threadIdx.y + 2, z = blockIdx.z * blockDim.z + threadIdx.z + 2;
  if (x >= nx || y >= ny - 2 || z >= nz - 2) return;
  int plane = nx * ny, i = z * plane + y * nx + x, n = plane * nz; const T *xx = s, *yy = s + n, *zz = s + 2 * n, *xy = s + 3 * n, *xz = s + 4 * n, *yz = s + 5 * n;
  T *w = OUT ? o : v;
  w[i] = v[i] + difference(xx, i, 1) + difference(xy, i, nx) + difference(xz, i, plane);
  if (PARTS > 1) w[i + n] = v[i + n] + difference(xy, i, 1) + difference(yy, i, nx) + difference(yz, i, plane);
  if (PARTS > 2) w[i + 2 * n] = v[i + 2 * n] + difference(xz, i, 1) + difference(yz, i, nx) + difference(zz, i, plane);
}

static std::vector<Config> cs;
template <class T, bool OUT, int SHIFT, int BLOCKS, int PARTS> static void one(dim3 b, int nx, int ny, int nz, T *s, T *v, T *o) {
  char p[100], q[100]; snprintf(p, sizeof p, "nx=%d;ny=%d;nz=%d", nx, ny, nz); snprintf(q, sizeof q, "%s_shift%d_blocks%d_parts%d_f%d", OUT ? "out" : "in", SHIFT, BLOCKS, PARTS, (int)sizeof(T) * 8);
  dim3 g(up(nx - SHIFT, b.x), up(ny - 4, b.y), up(nz - 4, b.z)); auto *k = k_elastic<T, OUT, SHIFT, BLOCKS, PARTS>;
  cs.push_back({"elastic", q, p, g, b, (double)nx * ny * nz, (const void *)k, 0, [=] { k<<<g, b>>>(s, v, o, nx, ny, nz); }, nullptr});
}
template <class T> static void all(dim3 b, int nx, int ny, int nz, T *s, T *v, T *o) {
  one<T, false, 2, 8, 3>(b, nx, ny, nz, s, v, o); one<T, true, 2, 8, 3>(b, nx, ny, nz, s, v, o);
  one<T, false, 0, 8, 3>(b, nx, ny, nz, s, v, o); one<T, true, 0, 8, 3>(b, nx, ny, nz, s, v, o);
  one<T, false, 2, 4, 3>(b, nx, ny, nz, s, v, o); one<T, true, 2, 4, 3>(b, nx, ny, nz, s, v, o);
  one<T, false, 0, 4, 3>(b, nx, ny, nz, s, v, o); one<T, true, 0, 4, 3>(b, nx, ny, nz, s, v, o);
  one<T, false, 2, 8, 1>(b, nx, ny, nz, s, v, o); one<T, true, 2, 8, 1>(b, nx, ny, nz, s, v, o);
  one<T, false, 0, 8, 1>(b, nx, ny, nz, s, v, o); one<T, true, 0, 8, 1>(b, nx, ny, nz, s, v, o);
  one<T, false, 16, 8, 3>(b, nx, ny, nz, s, v, o); one<T, true, 16, 8, 3>(b, nx, ny, nz, s, v, o);
}

int main(int argc, char **argv) {
  size_t n = (size_t)1 << 28; float *a = device_array<float>(n) + 1024, *v = device_array<float>(n) + 1024, *o = device_array<float>(n) + 1024;
  all<float>(dim3(32, 8), 320, 320, 256, a, v, o); all<float>(dim3(256, 1), 320, 320, 256, a, v, o);
  all<float>(dim3(32, 8), 160, 160, 160, a, v, o); all<float>(dim3(16, 16), 320, 320, 256, a, v, o);
  all<double>(dim3(32, 8), 160, 160, 256, (double *)a, (double *)v, (double *)o);
  return run(argc, argv, cs);
}

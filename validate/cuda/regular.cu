// Regular kernels that the other programs leave out: permutations of a 3D array that scatter their stores, or gather their loads;
// lattice Boltzmann on rows that start anywhere in a sector; boxes of 27 points in blocks that are deep in z.
#include <cstdarg>
#include "harness.h"

// The other order of the array: dx, dy and dz elements from one cell to the next of each direction.
template <class T> __global__ void k_scatter3(const T *__restrict__ s, T *__restrict__ d, int nx, int ny, int nz, long dx, long dy, long dz) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x < nx && y < ny && z < nz) d[x * dx + y * dy + z * dz] = s[x + (long)nx * (y + (long)ny * z)];
}
template <class T> __global__ void k_gather3(const T *__restrict__ s, T *__restrict__ d, int nx, int ny, int nz, long dx, long dy, long dz) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x < nx && y < ny && z < nz) d[x + (long)nx * (y + (long)ny * z)] = s[x * dx + y * dy + z * dz];
}
template <class T> __global__ void k_box27(const T *__restrict__ s, T *__restrict__ d, int nx, int ny, int nz, long sy, long sz) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x >= nx || y >= ny || z >= nz) return;
  long o = x + y * sy + z * sz; T v = 0;
#pragma unroll
  for (int k = -1; k <= 1; k++)
#pragma unroll
    for (int j = -1; j <= 1; j++) v += s[o + j * sy + k * sz - 1] + s[o + j * sy + k * sz] + s[o + j * sy + k * sz + 1];
  d[o] = v * (T)0.037;
}
// As k_d3q19 of heldout.cu: pull scheme, structure of arrays, BGK without divisions
template <class T> __global__ void k_d3q19(const T *__restrict__ f, T *__restrict__ g, int nx, int ny, int nz, long sy, long sz, long sf, T omega) {
  constexpr int cx[19] = {0, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 1, -1, 1, -1, 0, 0, 0, 0};
  constexpr int cy[19] = {0, 0, 0, 1, -1, 0, 0, 1, -1, -1, 1, 0, 0, 0, 0, 1, -1, 1, -1};
  constexpr int cz[19] = {0, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0, 1, -1, -1, 1, 1, -1, -1, 1};
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x >= nx || y >= ny || z >= nz) return;
  long o = x + y * sy + z * sz; T v[19], rho = 0, ux = 0, uy = 0, uz = 0;
#pragma unroll
  for (int q = 0; q < 19; q++) {
    v[q] = f[q * sf + o - cx[q] - cy[q] * sy - cz[q] * sz]; rho += v[q];
    if (cx[q] > 0) ux += v[q]; else if (cx[q] < 0) ux -= v[q];
    if (cy[q] > 0) uy += v[q]; else if (cy[q] < 0) uy -= v[q];
    if (cz[q] > 0) uz += v[q]; else if (cz[q] < 0) uz -= v[q];
  }
  T k = rho - (T)1.5 * (ux * ux + uy * uy + uz * uz);
  g[o] = v[0] + omega * ((T)(1. / 3) * k - v[0]);
#pragma unroll
  for (int q = 1; q < 19; q += 2) {
    T w = q < 7 ? (T)(1. / 18) : (T)(1. / 36), c = 0;
    if (cx[q] > 0) c += ux; else if (cx[q] < 0) c -= ux;
    if (cy[q] > 0) c += uy; else if (cy[q] < 0) c -= uy;
    if (cz[q] > 0) c += uz; else if (cz[q] < 0) c -= uz;
    g[q * sf + o] = v[q] + omega * (w * (k + (T)3 * c + (T)4.5 * c * c) - v[q]);
    g[(q + 1) * sf + o] = v[q + 1] + omega * (w * (k - (T)3 * c + (T)4.5 * c * c) - v[q + 1]);
  }
}

static std::vector<Config> cs;
static std::string P(const char *fmt, ...) { char s[256]; va_list a; va_start(a, fmt); vsnprintf(s, sizeof s, fmt, a); va_end(a); return s; }
typedef std::vector<dim3> Blocks;
template <class T> static std::string bits() { return P("b%d", (int)sizeof(T) * 8); }

// `order` names the directions of the other array, the fastest first.
template <class T> static void permute(T *s, T *d, bool gather, const char *order, int nx, int ny, int nz, Blocks bs) {
  long size[3] = {nx, ny, nz}, step[3], at = 1;
  for (int i = 0; i < 3; i++) { step[order[i] - 'x'] = at; at *= size[order[i] - 'x']; }
  long dx = step[0], dy = step[1], dz = step[2]; auto k = gather ? k_gather3<T> : k_scatter3<T>;
  for (dim3 b : bs) { dim3 g(up(nx, b.x), up(ny, b.y), up(nz, b.z));
    cs.push_back({gather ? "gather3" : "scatter3", bits<T>() + "_" + order, P("nx=%d;ny=%d;nz=%d;dx=%ld;dy=%ld;dz=%ld", nx, ny, nz, dx, dy, dz), g, b,
                  (double)nx * ny * nz, (const void *)k, 0, [=] { k<<<g, b>>>(s, d, nx, ny, nz, dx, dy, dz); }}); }
}
template <class T> static void box27(T *s, T *d, Grid<T> g, Blocks bs) {
  for (dim3 b : bs) { dim3 gr(up(g.nx, b.x), up(g.ny, b.y), up(g.nz, b.z));
    cs.push_back({"box27", bits<T>(), g.str(), gr, b, (double)g.nx * g.ny * g.nz, (const void *)k_box27<T>, 0,
                  [=] { k_box27<T><<<gr, b>>>(s + g.origin, d + g.origin, g.nx, g.ny, g.nz, g.sy, g.sz); }}); }
}
template <class T> static void d3q19(T *f, T *d, Grid<T> g, Blocks bs) {
  long sf = (long)g.n;
  for (dim3 b : bs) { dim3 gr(up(g.nx, b.x), up(g.ny, b.y), up(g.nz, b.z));
    cs.push_back({"d3q19", bits<T>(), g.str() + P(";sf=%ld", sf), gr, b, (double)g.nx * g.ny * g.nz, (const void *)k_d3q19<T>, 0,
                  [=] { k_d3q19<T><<<gr, b>>>(f + g.origin, d + g.origin, g.nx, g.ny, g.nz, g.sy, g.sz, sf, (T)0.9); }}); }
}
int main(int argc, char **argv) {
  float *f1 = device_array<float>((size_t)800 << 20), *f2 = device_array<float>((size_t)800 << 20);
  double *d1 = (double *)f1, *d2 = (double *)f2;
  Blocks all = {{32, 8, 1}, {256, 1, 1}, {16, 16, 1}, {8, 8, 8}, {32, 1, 8}}, two = {{32, 8, 1}, {32, 2, 4}};
  for (const char *order : {"zxy", "zyx", "yxz", "yzx", "xzy"}) {
    permute(f1, f2, false, order, 512, 512, 256, all);
    permute(d1, d2, false, order, 512, 256, 256, two);
    permute(f1, f2, true, order, 512, 512, 256, two);
    permute(f1, f2, false, order, 300, 200, 700, two);
  }
  for (dim3 n : Blocks{{256, 256, 1024}, {1024, 1024, 64}, {2048, 2048, 16}, {128, 128, 4096}}) permute(f1, f2, false, "zxy", n.x, n.y, n.z, two);
  Blocks lattice = {{64, 1, 1}, {256, 1, 1}, {32, 4, 1}, {64, 4, 1}, {32, 2, 4}, {16, 4, 4}, {128, 2, 1}};
  for (int nx : {197, 254}) d3q19(f1, f2, Grid<float>(nx, 190, 180, 1, false), lattice);
  d3q19(d1, d2, Grid<double>(197, 190, 180, 1, false), lattice);
  Blocks deep = {{32, 1, 8}, {32, 1, 16}, {64, 1, 4}, {64, 1, 8}, {16, 2, 16}, {16, 4, 8}, {8, 4, 16}, {8, 8, 4}, {16, 1, 32}, {128, 1, 4}, {32, 2, 8}, {4, 8, 32}};
  box27(f1, f2, Grid<float>(480, 300, 240, 1), deep);
  box27(f1, f2, Grid<float>(478, 300, 240, 1, false), Blocks{{32, 1, 8}, {64, 4, 1}, {16, 4, 8}, {8, 4, 16}});
  box27(d1, d2, Grid<double>(480, 300, 240, 1), Blocks{{32, 1, 8}, {16, 4, 8}, {8, 8, 4}, {32, 2, 8}});
  return run(argc, argv, cs);
}

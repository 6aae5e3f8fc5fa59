// Launches that nothing was fitted to, for blind tests: other stencils, lattices, sizes, element types and blocks than fit*.cu.
#include <cstdarg>
#include "harness.h"

template <class T> __global__ void k_star2d5(const T *__restrict__ s, T *__restrict__ d, int nx, int ny, long sy) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y; if (x >= nx || y >= ny) return;
  long o = x + y * sy;
  d[o] = s[o] * (T)0.6 + (s[o - 1] + s[o + 1] + s[o - sy] + s[o + sy]) * (T)0.1;
}
// ny is a multiple of FY: cells of a thread are not tested one by one
template <class T, int R, int FY> __global__ void k_star2dr3(const T *__restrict__ src, T *__restrict__ dst, int nx, int ny, long sy) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = (blockIdx.y * blockDim.y + threadIdx.y) * FY; if (x >= nx || y >= ny) return;
  const T *s = src + x + y * sy; T *d = dst + x + y * sy;
#pragma unroll
  for (int f = 0; f < FY; f++) {
    T v = s[f * sy];
#pragma unroll
    for (int r = 1; r <= R; r++) v += s[f * sy + r] + s[f * sy - r] + s[(f + r) * sy] + s[(f - r) * sy];
    d[f * sy] = v * (T)0.07;
  }
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
// nz is a multiple of FZ
template <class T, int R, int FZ> __global__ void k_star3dr2(const T *__restrict__ src, T *__restrict__ dst, int nx, int ny, int nz, long sy, long sz) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = (blockIdx.z * blockDim.z + threadIdx.z) * FZ;
  if (x >= nx || y >= ny || z >= nz) return;
  const T *s = src + x + y * sy + z * sz; T *d = dst + x + y * sy + z * sz;
#pragma unroll
  for (int f = 0; f < FZ; f++) {
    T v = s[f * sz];
#pragma unroll
    for (int r = 1; r <= R; r++) v += s[f * sz + r] + s[f * sz - r] + s[f * sz + r * sy] + s[f * sz - r * sy] + s[(f + r) * sz] + s[(f - r) * sz];
    d[f * sz] = v * (T)0.07;
  }
}
// 7-point star, every neighbour with a coefficient of its own at every cell: c is 7 fields, sf elements apart
template <class T> __global__ void k_var7(const T *__restrict__ c, const T *__restrict__ s, T *__restrict__ d, int nx, int ny, int nz, long sy, long sz, long sf) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x >= nx || y >= ny || z >= nz) return;
  long o = x + y * sy + z * sz;
  d[o] = c[o] * s[o] + c[o + sf] * s[o - 1] + c[o + 2 * sf] * s[o + 1] + c[o + 3 * sf] * s[o - sy] + c[o + 4 * sf] * s[o + sy]
       + c[o + 5 * sf] * s[o - sz] + c[o + 6 * sf] * s[o + sz];
}
// Lattice Boltzmann, pull scheme, structure of arrays; BGK with the density left out of the quadratic terms, so nothing is divided
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
  for (int q = 1; q < 19; q += 2) {   // q and its opposite
    T w = q < 7 ? (T)(1. / 18) : (T)(1. / 36), c = 0;
    if (cx[q] > 0) c += ux; else if (cx[q] < 0) c -= ux;
    if (cy[q] > 0) c += uy; else if (cy[q] < 0) c -= uy;
    if (cz[q] > 0) c += uz; else if (cz[q] < 0) c -= uz;
    g[q * sf + o] = v[q] + omega * (w * (k + (T)3 * c + (T)4.5 * c * c) - v[q]);
    g[(q + 1) * sf + o] = v[q + 1] + omega * (w * (k - (T)3 * c + (T)4.5 * c * c) - v[q + 1]);
  }
}
template <class T> __global__ void k_d2q9(const T *__restrict__ f, T *__restrict__ g, int nx, int ny, long sy, long sf, T omega) {
  constexpr int cx[9] = {0, 1, -1, 0, 0, 1, -1, 1, -1}, cy[9] = {0, 0, 0, 1, -1, 1, -1, -1, 1};
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y; if (x >= nx || y >= ny) return;
  long o = x + y * sy; T v[9], rho = 0, ux = 0, uy = 0;
#pragma unroll
  for (int q = 0; q < 9; q++) {
    v[q] = f[q * sf + o - cx[q] - cy[q] * sy]; rho += v[q];
    if (cx[q] > 0) ux += v[q]; else if (cx[q] < 0) ux -= v[q];
    if (cy[q] > 0) uy += v[q]; else if (cy[q] < 0) uy -= v[q];
  }
  T k = rho - (T)1.5 * (ux * ux + uy * uy);
  g[o] = v[0] + omega * ((T)(4. / 9) * k - v[0]);
#pragma unroll
  for (int q = 1; q < 9; q += 2) {
    T w = q < 5 ? (T)(1. / 9) : (T)(1. / 36), c = 0;
    if (cx[q] > 0) c += ux; else if (cx[q] < 0) c -= ux;
    if (cy[q] > 0) c += uy; else if (cy[q] < 0) c -= uy;
    g[q * sf + o] = v[q] + omega * (w * (k + (T)3 * c + (T)4.5 * c * c) - v[q]);
    g[(q + 1) * sf + o] = v[q + 1] + omega * (w * (k - (T)3 * c + (T)4.5 * c * c) - v[q + 1]);
  }
}
template <class T> __global__ void k_triad3(T *__restrict__ a, const T *__restrict__ b, const T *__restrict__ c, T s, long n) {
  long i = (long)blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] = b[i] + s * c[i];
}
__global__ void k_triad3_x4(float4 *__restrict__ a, const float4 *__restrict__ b, const float4 *__restrict__ c, float s, long n) {
  long i = (long)blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; float4 p = b[i], q = c[i];
  a[i] = make_float4(p.x + s * q.x, p.y + s * q.y, p.z + s * q.z, p.w + s * q.w);
}
__global__ void k_vec3d(double *a, double s, long n) {   // structures of three doubles, scaled in place
  long i = (long)blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return;
  double u = a[3 * i], v = a[3 * i + 1], w = a[3 * i + 2];
  a[3 * i] = u * s; a[3 * i + 1] = v * s; a[3 * i + 2] = w * s;
}
__global__ void k_strided(const float *__restrict__ s, float *__restrict__ d, long n, int stride) {
  long i = (long)blockIdx.x * blockDim.x + threadIdx.x; if (i < n) d[i] = s[i * stride];
}
// central differences of one field; g is 3 fields, sf elements apart
template <class T> __global__ void k_grad(const T *__restrict__ s, T *__restrict__ g, int nx, int ny, int nz, long sy, long sz, long sf) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x >= nx || y >= ny || z >= nz) return;
  long o = x + y * sy + z * sz;
  g[o] = (s[o + 1] - s[o - 1]) * (T)0.5; g[o + sf] = (s[o + sy] - s[o - sy]) * (T)0.5; g[o + 2 * sf] = (s[o + sz] - s[o - sz]) * (T)0.5;
}
// 7-point star over n cells that follow each other: rows of nx, planes of nx * ny, edges included
__global__ void k_flat7(const float *__restrict__ s, float *__restrict__ d, int n, int nx, int ny) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; int p = nx * ny;
  d[i] = s[i] * 0.4f + (s[i - 1] + s[i + 1] + s[i - nx] + s[i + nx] + s[i - p] + s[i + p]) * 0.1f;
}
template <class T> __global__ void k_matmul2d(const T *__restrict__ a, const T *__restrict__ b, T *__restrict__ c, int n, int depth) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y; if (x >= n || y >= n) return;
  T v = 0; for (int i = 0; i < depth; i++) v += a[y * depth + i] * b[i * n + x];
  c[y * n + x] = v;
}
__global__ void k_transpose2(const double *__restrict__ s, double *__restrict__ d, int w) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y; if (x < w && y < w) d[x * w + y] = s[y * w + x];
}

static std::vector<Config> cs;
static void add(std::string fam, std::string var, std::string params, dim3 g, dim3 b, double work, const void *f, std::function<void()> l) { cs.push_back({fam, var, params, g, b, work, f, 0, l}); }
static std::string P(const char *fmt, ...) { char s[200]; va_list a; va_start(a, fmt); vsnprintf(s, sizeof s, fmt, a); va_end(a); return s; }
template <class T> static std::string bits() { return P("b%d", (int)sizeof(T) * 8); }
template <class T> static dim3 grid(const Grid<T> &g, dim3 b, int fy = 1, int fz = 1) { return dim3(up(g.nx, b.x), up(g.ny, b.y * fy), up(g.nz, b.z * fz)); }
template <class T> static double cells(const Grid<T> &g) { return (double)g.nx * g.ny * g.nz; }
typedef std::vector<dim3> Blocks;

template <class T> static void star2d5(Grid<T> g, T *s, T *d, Blocks bs) {
  for (dim3 b : bs) { dim3 gr = grid(g, b);
    add("star2d5", bits<T>(), g.str(), gr, b, cells(g), (const void *)k_star2d5<T>, [=] { k_star2d5<T><<<gr, b>>>(s + g.origin, d + g.origin, g.nx, g.ny, g.sy); }); }
}
template <int FY> static void star2dr3(Grid<float> g, float *s, float *d, dim3 b) {
  dim3 gr = grid(g, b, FY); auto k = k_star2dr3<float, 3, FY>;
  add("star2dr3", P("fy%d_b32", FY), g.str(), gr, b, cells(g), (const void *)k, [=] { k<<<gr, b>>>(s + g.origin, d + g.origin, g.nx, g.ny, g.sy); });
}
template <class T> static void box27(Grid<T> g, T *s, T *d, Blocks bs) {
  for (dim3 b : bs) { dim3 gr = grid(g, b);
    add("box27", bits<T>(), g.str(), gr, b, cells(g), (const void *)k_box27<T>, [=] { k_box27<T><<<gr, b>>>(s + g.origin, d + g.origin, g.nx, g.ny, g.nz, g.sy, g.sz); }); }
}
template <int FZ> static void star3dr2(Grid<float> g, float *s, float *d, dim3 b) {
  dim3 gr = grid(g, b, 1, FZ); auto k = k_star3dr2<float, 2, FZ>;
  add("star3dr2", P("fz%d_b32", FZ), g.str(), gr, b, cells(g), (const void *)k, [=] { k<<<gr, b>>>(s + g.origin, d + g.origin, g.nx, g.ny, g.nz, g.sy, g.sz); });
}
template <class T> static void d3q19(Grid<T> g, T *f, T *d, Blocks bs) {
  for (dim3 b : bs) { dim3 gr = grid(g, b); long sf = (long)g.n;
    add("d3q19", bits<T>(), g.str() + P(";sf=%ld", sf), gr, b, cells(g), (const void *)k_d3q19<T>, [=] { k_d3q19<T><<<gr, b>>>(f + g.origin, d + g.origin, g.nx, g.ny, g.nz, g.sy, g.sz, sf, (T)0.9); }); }
}
template <class T> static void triad3(T *a, T *b, T *c, long n) {
  for (int th : {64, 128, 256, 512, 1024}) { dim3 bl(th), g((unsigned)((n + th - 1) / th));
    add("triad3", bits<T>(), P("n=%ld", n), g, bl, (double)n, (const void *)k_triad3<T>, [=] { k_triad3<T><<<g, bl>>>(a, b, c, (T)0.3, n); }); }
}
template <class T> static void matmul2d(T *a, T *b, T *c) {
  int n = 1536; for (dim3 bl : Blocks{{32, 8}, {16, 16}, {32, 32}, {64, 4}, {8, 32}}) { dim3 g(up(n, bl.x), up(n, bl.y));
    add("matmul2d", bits<T>(), P("n=%d;depth=%d", n, n), g, bl, (double)n * n, (const void *)k_matmul2d<T>, [=] { k_matmul2d<T><<<g, bl>>>(a, b, c, n, n); }); }
}
int main(int argc, char **argv) {
  float *f1 = device_array<float>((size_t)800 << 20), *f2 = device_array<float>((size_t)800 << 20), *f3 = device_array<float>((size_t)800 << 20);
  double *d1 = (double *)f1, *d2 = (double *)f2, *d3 = (double *)f3;

  Blocks flat = {{256, 1}, {128, 2}, {64, 4}, {32, 8}, {16, 16}, {8, 32}, {4, 64}, {1024, 1}, {512, 2}, {128, 8}, {32, 32}, {16, 64}, {64, 1}, {32, 2}, {8, 8}};
  for (bool pad : {true, false}) { star2d5(Grid<float>(8190, 6145, 1, 1, pad), f1, f2, flat); star2d5(Grid<double>(8190, 6145, 1, 1, pad), d1, d2, flat); }
  for (dim3 b : Blocks{{256, 1}, {128, 2}, {64, 4}, {32, 8}, {16, 16}, {8, 32}, {512, 1}, {32, 4}, {64, 16}}) { Grid<float> g(8000, 6148, 1, 3); star2dr3<1>(g, f1, f2, b); star2dr3<4>(g, f1, f2, b); }
  Blocks box = {{256, 1, 1}, {64, 1, 1}, {128, 2, 1}, {64, 4, 1}, {32, 8, 1}, {16, 16, 1}, {32, 4, 2}, {16, 4, 4}, {8, 8, 8}, {64, 2, 4}};
  box27(Grid<float>(402, 306, 250, 1), f1, f2, box); box27(Grid<double>(402, 306, 250, 1), d1, d2, box);
  for (dim3 b : Blocks{{128, 1, 1}, {32, 4, 1}, {16, 2, 4}, {256, 1, 1}, {64, 4, 1}, {32, 2, 4}, {16, 8, 2}, {512, 1, 1}, {32, 8, 2}, {8, 8, 8}}) {
    Grid<float> g(512, 448, 384, 2); star3dr2<1>(g, f1, f2, b); star3dr2<2>(g, f1, f2, b); star3dr2<4>(g, f1, f2, b); }
  for (dim3 b : Blocks{{64, 2, 1}, {64, 4, 1}, {32, 8, 1}, {32, 4, 4}, {320, 1, 1}, {160, 2, 1}, {16, 8, 4}, {128, 1, 2}}) { Grid<double> g(320, 256, 256, 1); dim3 gr = grid(g, b); long sf = (long)g.n;
    add("var7", "b64", g.str() + P(";sf=%ld", sf), gr, b, cells(g), (const void *)k_var7<double>, [=] { k_var7<double><<<gr, b>>>(d1 + g.origin, d2 + g.origin, d3 + g.origin, g.nx, g.ny, g.nz, g.sy, g.sz, sf); }); }
  Blocks lattice = {{64, 1, 1}, {200, 1, 1}, {32, 4, 1}, {32, 2, 2}, {256, 1, 1}, {64, 4, 1}, {16, 4, 4}, {8, 8, 8}};
  d3q19(Grid<float>(200, 200, 200, 1), f1, f2, lattice); d3q19(Grid<double>(200, 200, 200, 1), d1, d2, lattice);
  for (dim3 b : Blocks{{64, 1}, {128, 1}, {256, 1}, {512, 1}, {64, 4}, {32, 8}, {16, 16}, {8, 16}}) { Grid<double> g(3000, 2800, 1, 1); dim3 gr = grid(g, b); long sf = (long)g.n;
    add("d2q9", "b64", g.str() + P(";sf=%ld", sf), gr, b, cells(g), (const void *)k_d2q9<double>, [=] { k_d2q9<double><<<gr, b>>>(d1 + g.origin, d2 + g.origin, g.nx, g.ny, g.sy, sf, 0.9); }); }
  triad3<float>(f1, f2, f3, 100000000); triad3<double>(d1, d2, d3, 100000000);
  for (int th : {64, 128, 256, 512, 1024}) { long n = 50000000; dim3 b(th), g((unsigned)((n + th - 1) / th)); float4 *p = (float4 *)f1, *q = (float4 *)f2, *r = (float4 *)f3;
    add("triad3", "b32x4", P("n=%ld", n), g, b, (double)n, (const void *)k_triad3_x4, [=] { k_triad3_x4<<<g, b>>>(p, q, r, 0.3f, n); }); }
  for (int th : {128, 256, 512, 1024}) { long n = 60000000; dim3 b(th), g((unsigned)((n + th - 1) / th));
    add("vec3d", "b64", P("n=%ld", n), g, b, (double)n, (const void *)k_vec3d, [=] { k_vec3d<<<g, b>>>(d1, 1.0001, n); }); }
  for (int stride : {2, 3, 8}) for (int th : {64, 256, 1024}) { long n = 90000000; dim3 b(th), g((unsigned)((n + th - 1) / th));
    add("strided", "b32", P("n=%ld;stride=%d", n, stride), g, b, (double)n, (const void *)k_strided, [=] { k_strided<<<g, b>>>(f1, f2, n, stride); }); }
  for (dim3 b : Blocks{{128, 1, 1}, {384, 1, 1}, {128, 2, 1}, {64, 4, 1}, {32, 8, 1}, {32, 32, 1}, {16, 16, 1}, {32, 1, 8}, {32, 4, 2}, {16, 4, 4}, {8, 8, 8}}) { Grid<double> g(384, 320, 256, 1); dim3 gr = grid(g, b); long sf = (long)g.n;
    add("grad", "b64", g.str() + P(";sf=%ld", sf), gr, b, cells(g), (const void *)k_grad<double>, [=] { k_grad<double><<<gr, b>>>(d1 + g.origin, d2 + g.origin, g.nx, g.ny, g.nz, g.sy, g.sz, sf); }); }
  for (int nx : {500, 544}) for (int th : {128, 256, 512, 1024}) { int ny = 400, n = nx * ny * 350, o = nx * ny; dim3 b(th), g(up(n, th));
    add("flat7", "b32", P("n=%d;nx=%d;ny=%d;origin=%d", n, nx, ny, o), g, b, n, (const void *)k_flat7, [=] { k_flat7<<<g, b>>>(f1 + o, f2 + o, n, nx, ny); }); }
  matmul2d(f1, f2, f3); matmul2d(d1, d2, d3);
  for (dim3 b : Blocks{{32, 8}, {16, 16}, {8, 32}, {32, 32}}) { int w = 6144; dim3 g(w / b.x, w / b.y);
    add("transpose2", "b64", P("w=%d", w), g, b, (double)w * w, (const void *)k_transpose2, [=] { k_transpose2<<<g, b>>>(d1, d2, w); }); }

  // domains that fit in the L2 with source and destination; a few microseconds each
  Blocks few = {{256, 1}, {64, 4}, {32, 8}, {16, 16}, {8, 32}, {32, 32}};
  star2d5(Grid<float>(1024, 768, 1, 1), f1, f2, few); star2d5(Grid<double>(1024, 768, 1, 1), d1, d2, few); star2d5(Grid<float>(2800, 2050, 1, 1), f1, f2, few);
  for (dim3 b : Blocks{{128, 1, 1}, {64, 4, 1}, {32, 2, 4}, {16, 8, 2}, {8, 8, 8}}) { Grid<float> g(128, 128, 96, 2), h(192, 184, 128, 2);
    star3dr2<1>(g, f1, f2, b); star3dr2<2>(g, f1, f2, b); star3dr2<4>(g, f1, f2, b); star3dr2<1>(h, f1, f2, b); star3dr2<4>(h, f1, f2, b); }
  return run(argc, argv, cs);
}

// Whole spaces of launches, as `warpline rank` tries them by default: how far the order of predicted times can be trusted.
// The kernels of heldout.cu over other domains, and the two of fit.cu that have large spaces. Only times are needed:
// search time 5 > times.csv
#include <cstdarg>
#include "harness.h"
namespace fitted {
#define main main_of_fit
#include "fit.cu"
#undef main
}
namespace heldout {
#define main main_of_heldout
#include "heldout.cu"
#undef main
}
using namespace heldout;

// Powers of two, in x also multiples of a warp; whole warps; no longer than the domain needs.
static Blocks whole(int nx, int ny, int nz) {
  Blocks bs;
  auto power = [](int n) { return (n & (n - 1)) == 0; };
  auto fits = [&](int e, int n) { int p = 1; while (p < n) p *= 2; return e <= p; };
  for (int x = 1; x <= 1024; x++)
    for (int y = 1; y <= 1024 / x; y *= 2)
      for (int z = 1; z <= 64 && x * y * z <= 1024; z *= 2)
        if ((power(x) || x % 32 == 0) && x * y * z % 32 == 0 && fits(x, nx) && fits(y, ny) && fits(z, nz)) bs.push_back(dim3(x, y, z));
  return bs;
}
template <class T> static Blocks whole(const Grid<T> &g) { return whole(g.nx, g.ny, g.nz); }
static Blocks line() { return whole(1 << 30, 1, 1); }

int main(int argc, char **argv) {
  float *f1 = device_array<float>((size_t)800 << 20), *f2 = device_array<float>((size_t)800 << 20), *f3 = device_array<float>((size_t)800 << 20);
  double *d1 = (double *)f1, *d2 = (double *)f2, *d3 = (double *)f3;

  { Grid<float> g(4000, 4100, 1, 1); star2d5(g, f1, f2, whole(g)); }
  { Grid<double> g(6002, 3000, 1, 1, false); star2d5(g, d1, d2, whole(g)); }
  { Grid<float> g(5000, 5004, 1, 3); for (dim3 b : whole(g)) { star2dr3<1>(g, f1, f2, b); star2dr3<2>(g, f1, f2, b); star2dr3<4>(g, f1, f2, b); } }
  { Grid<float> g(512, 256, 256, 1); box27(g, f1, f2, whole(g)); }
  { Grid<double> g(300, 300, 300, 1); box27(g, d1, d2, whole(g)); }
  { Grid<float> g(384, 384, 384, 2); for (dim3 b : whole(g)) { star3dr2<1>(g, f1, f2, b); star3dr2<2>(g, f1, f2, b); star3dr2<4>(g, f1, f2, b); } }
  { Grid<float> g(640, 512, 480, 2); for (dim3 b : whole(g)) { star3dr2<1>(g, f1, f2, b); star3dr2<2>(g, f1, f2, b); } }
  { Grid<double> g(256, 256, 256, 1); long sf = (long)g.n;
    for (dim3 b : whole(g)) { dim3 gr = grid(g, b);
      add("var7", "b64", g.str() + P(";sf=%ld", sf), gr, b, cells(g), (const void *)k_var7<double>, [=] { k_var7<double><<<gr, b>>>(d1 + g.origin, d2 + g.origin, d3 + g.origin, g.nx, g.ny, g.nz, g.sy, g.sz, sf); }); } }
  { Grid<float> g(256, 192, 128, 1); d3q19(g, f1, f2, whole(g)); }
  { Grid<double> g(160, 160, 160, 1); d3q19(g, d1, d2, whole(g)); }
  { Grid<double> g(2048, 2050, 1, 1); long sf = (long)g.n;
    for (dim3 b : whole(g)) { dim3 gr = grid(g, b);
      add("d2q9", "b64", g.str() + P(";sf=%ld", sf), gr, b, cells(g), (const void *)k_d2q9<double>, [=] { k_d2q9<double><<<gr, b>>>(d1 + g.origin, d2 + g.origin, g.nx, g.ny, g.sy, sf, 0.9); }); } }
  for (dim3 b : line()) { long n = 80000000; dim3 g((unsigned)((n + b.x - 1) / b.x));
    add("triad3", "b32", P("n=%ld", n), g, b, (double)n, (const void *)k_triad3<float>, [=] { k_triad3<float><<<g, b>>>(f1, f2, f3, 0.3f, n); });
    add("triad3", "b64", P("n=%ld", n), g, b, (double)n, (const void *)k_triad3<double>, [=] { k_triad3<double><<<g, b>>>(d1, d2, d3, 0.3, n); }); }
  for (dim3 b : line()) { long n = 50000000; dim3 g((unsigned)((n + b.x - 1) / b.x));
    add("vec3d", "b64", P("n=%ld", n), g, b, (double)n, (const void *)k_vec3d, [=] { k_vec3d<<<g, b>>>(d1, 1.0001, n); }); }
  for (int stride : {2, 5}) for (dim3 b : line()) { long n = 70000000; dim3 g((unsigned)((n + b.x - 1) / b.x));
    add("strided", "b32", P("n=%ld;stride=%d", n, stride), g, b, (double)n, (const void *)k_strided, [=] { k_strided<<<g, b>>>(f1, f2, n, stride); }); }
  { Grid<double> g(320, 256, 200, 1); long sf = (long)g.n;
    for (dim3 b : whole(g)) { dim3 gr = grid(g, b);
      add("grad", "b64", g.str() + P(";sf=%ld", sf), gr, b, cells(g), (const void *)k_grad<double>, [=] { k_grad<double><<<gr, b>>>(d1 + g.origin, d2 + g.origin, g.nx, g.ny, g.nz, g.sy, g.sz, sf); }); } }
  for (dim3 b : line()) { int nx = 480, ny = 360, n = nx * ny * 400, o = nx * ny; dim3 g(up(n, b.x));
    add("flat7", "b32", P("n=%d;nx=%d;ny=%d;origin=%d", n, nx, ny, o), g, b, n, (const void *)k_flat7, [=] { k_flat7<<<g, b>>>(f1 + o, f2 + o, n, nx, ny); }); }
  for (dim3 b : whole(1536, 1536, 1)) { int n = 1536; dim3 g(up(n, b.x), up(n, b.y));
    add("matmul2d", "b32", P("n=%d;depth=%d", n, 512), g, b, (double)n * n, (const void *)k_matmul2d<float>, [=] { k_matmul2d<float><<<g, b>>>(f1, f2, f3, n, 512); }); }
  for (dim3 b : whole(5120, 5120, 1)) { int w = 5120; dim3 g(up(w, b.x), up(w, b.y));
    add("transpose2", "b64", P("w=%d", w), g, b, (double)w * w, (const void *)k_transpose2, [=] { k_transpose2<<<g, b>>>(d1, d2, w); }); }
  { Grid<double> g(640, 512, 512, 4); for (dim3 b : whole(g)) { fitted::star<double, 4, 1, 1>("star3d", g, d1, d2, b); fitted::star<double, 4, 2, 1>("star3d", g, d1, d2, b); fitted::star<double, 4, 1, 2>("star3d", g, d1, d2, b); } }
  { Grid<double> l(256, 256, 256, 1); long sf = (long)(l.n / 16 * 16);
    for (dim3 b : whole(l)) { dim3 gr = grid(l, b); if (b.x * b.y * b.z > 512) continue;
      add("lbm_d3q15_pf", "b64", l.str() + P(";sf=%ld", sf), gr, b, cells(l), (const void *)fitted::k_lbm_d3q15_pf, [=] { fitted::k_lbm_d3q15_pf<<<gr, b>>>(d1 + l.origin, d2 + l.origin, d3 + l.origin, l.nx, l.ny, l.nz, l.sy, l.sz, sf); }); } }
  cs.insert(cs.end(), fitted::cs.begin(), fitted::cs.end());

  std::vector<Config> can_run;
  for (const Config &c : cs) {
    int n = 0;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, c.func, c.block.x * c.block.y * c.block.z, c.smem));
    if (n > 0 && c.grid.y < 65536 && c.grid.z < 65536) can_run.push_back(c);
  }
  return run(argc, argv, can_run);
}

// Threads and blocks that visit their domain in other orders than row by row: columns, zigzag, tiles, Hilbert's and
// Morton's curve over two and three dimensions, and blocks of a tiled product that are swizzled. docs/schedule.md
// defines the orders; here they are written a second time. The row's params name the schedule as --schedule does.
//
// Held out (nothing is fitted to them): star3d_order, wide_product, swizzled_16.
#include <cstdarg>
#include "harness.h"

enum Kind { LINEAR, COLUMN, ZIGZAG, TILE, HILBERT, MORTON };
struct Order { int kind, w, h; };

// Cells of the square of 2^l x 2^l at (x, y) that lie inside a domain of W x H.
__device__ inline long inside(long x, long y, int l, long W, long H) {
  long n = 1L << l, a = min(W, x + n) - x, b = min(H, y + n) - y;
  return a <= 0 || b <= 0 ? 0 : a * b;
}
// Position t of a curve over W x H: down the quarters, past those that come before.
__device__ inline void curve(bool hilbert, long t, int levels, int W, int H, int &x, int &y) {
  long cx = 0, cy = 0; int turn = 0;                       // turn: how the pattern of the quarter lies, 0 to 3
  for (int l = levels - 1; l >= 0; l--) {
    for (int q = 0; q < 4; q++) {
      int way = 4 * turn + q, qx = q & 1, qy = q >> 1, next = turn;
      if (hilbert) { qx = 0x396cu >> way & 1; qy = 0x93c6u >> way & 1; next = 0x7e2bd481u >> 2 * way & 3; } // the ways its pattern can lie
      long sx = cx + ((long)qx << l), sy = cy + ((long)qy << l), n = inside(sx, sy, l, W, H);
      if (t < n) { cx = sx; cy = sy; turn = next; break; }
      t -= n;
    }
  }
  x = (int)cx; y = (int)cy;
}
template <int K> __device__ inline bool cell(int t, Order o, int W, int H, int levels, int &x, int &y) {
  if (t >= W * H) return false;
  if (K == LINEAR) { x = t % W; y = t / W; return true; }
  if (K == HILBERT || K == MORTON) { curve(K == HILBERT, t, levels, W, H, x, y); return true; }
  int h = K == TILE ? o.h : H, band = t / (h * W), in = t - band * h * W, high = min(h, H - band * h);
  int column = in / (high * o.w), r = in - column * high * o.w, off = column * o.w, wide = min(W - off, o.w);
  x = r % wide; y = r / wide;
  if (K == ZIGZAG && y % 2) x = wide - 1 - x;
  x += off; y += band * h;
  return true;
}

// --- stencils on a domain with a halo; rows of the fields are sy apart, planes sz ---------------------------------------
template <class T, int R, int K> __global__ void k_star2d(const T *__restrict__ s, T *__restrict__ d, int W, int H, int sy, Order o, int levels) {
  int x, y; if (!cell<K>(blockIdx.x * blockDim.x + threadIdx.x, o, W, H, levels, x, y)) return;
  int i = y * sy + x; T v = s[i];
#pragma unroll
  for (int k = 1; k <= R; k++) v += T(.1) * (s[i + k] + s[i - k] + s[i + k * sy] + s[i - k * sy]);
  d[i] = v;
}
template <class T, int R, int K> __global__ void k_box2d(const T *__restrict__ s, T *__restrict__ d, int W, int H, int sy, Order o, int levels) {
  int x, y; if (!cell<K>(blockIdx.x * blockDim.x + threadIdx.x, o, W, H, levels, x, y)) return;
  int i = y * sy + x; T v = 0;
#pragma unroll
  for (int b = -R; b <= R; b++)
#pragma unroll
    for (int a = -R; a <= R; a++) v += s[i + b * sy + a];
  d[i] = v * T(.02);
}
// all but x fold into the vertical axis
template <class T, int K> __global__ void k_star3d(const T *__restrict__ s, T *__restrict__ d, int W, int H, int D, int sy, int sz, Order o) {
  int x, r; if (!cell<K>(blockIdx.x * blockDim.x + threadIdx.x, o, W, H * D, 0, x, r)) return;
  int y = r % H, z = r / H, i = z * sz + y * sy + x;
  d[i] = s[i] + T(.1) * (s[i + 1] + s[i - 1] + s[i + sy] + s[i - sy] + s[i + sz] + s[i - sz]);
}
// --- product, a thread each cell; a is H x depth, b depth x W ------------------------------------------------------------
template <class T, int K> __global__ void k_product(const T *__restrict__ a, const T *__restrict__ b, T *__restrict__ c, int W, int H, int depth, Order o) {
  int x, y; if (!cell<K>(blockIdx.x * blockDim.x + threadIdx.x, o, W, H, 0, x, y)) return;
  T r = 0;
  for (int i = 0; i < depth; i++) r += a[y * depth + i] * b[i * W + x];
  c[y * W + x] = r;
}
// --- tiled product: a block computes B x B cells; G rows of blocks are walked together, column by column -----------------
template <int B> __global__ void k_swizzled(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int W, int H, int depth, int G) {
  __shared__ float ta[B][B], tb[B][B];
  int gx = gridDim.x, gy = gridDim.y, n = blockIdx.y * gx + blockIdx.x, bx = blockIdx.x, by = blockIdx.y;
  if (G > 0) { int band = n / (G * gx), in = n - band * G * gx, high = min(G, gy - band * G); bx = in / high; by = band * G + in % high; }
  int x = bx * B + threadIdx.x, y = by * B + threadIdx.y; float r = 0;
  for (int k = 0; k < depth; k += B) {
    ta[threadIdx.y][threadIdx.x] = a[(long)y * depth + k + threadIdx.x];
    tb[threadIdx.y][threadIdx.x] = b[(long)(k + threadIdx.y) * W + x];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < B; i++) r += ta[threadIdx.y][i] * tb[i][threadIdx.x];
    __syncthreads();
  }
  c[(long)y * W + x] = r;
}

static std::vector<Config> cs;
static std::string text(Order o) {
  char s[48]; const char *names[] = {"linear", "column:%d", "zigzag:%d", "tile:%dx%d", "hilbert", "morton"};
  snprintf(s, sizeof s, names[o.kind], o.w, o.h); return s;
}
static std::string words(const char *format, ...) { char s[192]; va_list v; va_start(v, format); vsnprintf(s, sizeof s, format, v); va_end(v); return s; }
static int levels_of(int w, int h) { int l = 0; while ((1 << l) < w || (1 << l) < h) l++; return l; }
#define PICK(K, CALL) switch (K) { case LINEAR: CALL(LINEAR); break; case COLUMN: CALL(COLUMN); break; case ZIGZAG: CALL(ZIGZAG); break; case TILE: CALL(TILE); break; case HILBERT: CALL(HILBERT); break; default: CALL(MORTON); }

int main(int argc, char **argv) {
  double *p = device_array<double>((size_t)96 << 20), *q = device_array<double>((size_t)96 << 20);
  const std::vector<Order> flat = {{LINEAR, 0, 0}, {COLUMN, 8, 0}, {COLUMN, 32, 0}, {COLUMN, 48, 0}, {COLUMN, 64, 0}, {COLUMN, 256, 0}, {ZIGZAG, 48, 0}, {TILE, 32, 8}, {TILE, 16, 16}, {HILBERT, 0, 0}, {MORTON, 0, 0}};
  auto add = [&](const char *family, const char *variant, std::string params, dim3 g, dim3 b, double work, const void *f, std::function<void()> l) { cs.push_back({family, variant, params, g, b, work, f, 0, l}); };
  for (Order o : flat) for (int n : {128, 512}) {
    { int W = 3072, H = 2048, sy = W + 32, origin = 16 + 3 * sy, l = levels_of(W, H); dim3 g(up(W * H, n)), b(n); double *s = p + origin, *d = q + origin;
      std::string ps = words("schedule=%s;w=%d;h=%d;sy=%d;origin=%d", text(o).c_str(), W, H, sy, origin);
#define CALL(K) add("star2d_order", "r3_b64", ps, g, b, (double)W * H, (const void *)k_star2d<double, 3, K>, [=] { k_star2d<double, 3, K><<<g, b>>>(s, d, W, H, sy, o, l); })
      PICK(o.kind, CALL)
#undef CALL
    }
    { int W = 2000, H = 1501, sy = W + 48, origin = 32 + 2 * sy, l = levels_of(W, H); dim3 g(up(W * H, n)), b(n); float *s = (float *)p + origin, *d = (float *)q + origin;
      std::string ps = words("schedule=%s;w=%d;h=%d;sy=%d;origin=%d", text(o).c_str(), W, H, sy, origin);
#define CALL(K) add("box2d_order", "r2_b32", ps, g, b, (double)W * H, (const void *)k_box2d<float, 2, K>, [=] { k_box2d<float, 2, K><<<g, b>>>(s, d, W, H, sy, o, l); })
      PICK(o.kind, CALL)
#undef CALL
    }
  }
  const std::vector<Order> deep = {{LINEAR, 0, 0}, {COLUMN, 16, 0}, {COLUMN, 32, 0}, {COLUMN, 64, 0}, {COLUMN, 128, 0}, {COLUMN, 80, 0}, {ZIGZAG, 40, 0}, {TILE, 32, 8}};
  for (Order o : deep) for (int n : {64, 256, 1024}) {
    int W = 384, H = 320, D = 256, sy = W + 32, sz = sy * (H + 2), origin = 16 + sy + sz; dim3 g(up(W * H * D, n)), b(n); double *s = p + origin, *d = q + origin;
    std::string ps = words("schedule=%s;w=%d;h=%d;d=%d;sy=%d;sz=%d;origin=%d", text(o).c_str(), W, H, D, sy, sz, origin);
#define CALL(K) add("star3d_order", "b64", ps, g, b, (double)W * H * D, (const void *)k_star3d<double, K>, [=] { k_star3d<double, K><<<g, b>>>(s, d, W, H, D, sy, sz, o); })
    PICK(o.kind, CALL)
#undef CALL
  }
  for (Order o : {Order{LINEAR, 0, 0}, Order{COLUMN, 16, 0}, Order{COLUMN, 32, 0}, Order{COLUMN, 64, 0}, Order{COLUMN, 96, 0}, Order{COLUMN, 256, 0}, Order{TILE, 32, 32}}) for (int n : {64, 256, 1024}) {
    { int W = 1536, H = 768, D = 640; dim3 g(up(W * H, n)), b(n); float *a = (float *)p, *c = (float *)q, *bb = (float *)p + (4 << 20);
      std::string ps = words("schedule=%s;w=%d;h=%d;depth=%d", text(o).c_str(), W, H, D);
#define CALL(K) add("product_order", "b32", ps, g, b, (double)W * H, (const void *)k_product<float, K>, [=] { k_product<float, K><<<g, b>>>(a, bb, c, W, H, D, o); })
      PICK(o.kind, CALL)
#undef CALL
    }
    { int W = 2304, H = 512, D = 400; dim3 g(up(W * H, n)), b(n); double *a = p, *c = q, *bb = p + (4 << 20);
      std::string ps = words("schedule=%s;w=%d;h=%d;depth=%d", text(o).c_str(), W, H, D);
#define CALL(K) add("wide_product", "b64", ps, g, b, (double)W * H, (const void *)k_product<double, K>, [=] { k_product<double, K><<<g, b>>>(a, bb, c, W, H, D, o); })
      PICK(o.kind, CALL)
#undef CALL
    }
  }
  for (int n : {1024, 2048}) for (int G : {0, 1, 2, 4, 8, 16}) {
    float *a = (float *)p, *c = (float *)q, *bb = (float *)p + (16 << 20); std::string ps = words("schedule=%s;n=%d", G ? words("swizzle:%d", G).c_str() : "linear", n);
    dim3 g(n / 32, n / 32), b(32, 32), g2(n / 16, n / 16), b2(16, 16);
    add("swizzled_32", "b32", ps, g, b, (double)n * n, (const void *)k_swizzled<32>, [=] { k_swizzled<32><<<g, b>>>(a, bb, c, n, n, n, G); });
    add("swizzled_16", "b32", ps, g2, b2, (double)n * n, (const void *)k_swizzled<16>, [=] { k_swizzled<16><<<g2, b2>>>(a, bb, c, n, n, n, G); });
  }
  return run(argc, argv, cs);
}

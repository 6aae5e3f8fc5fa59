// Steps on staggered grids: fields that lie on faces and in centres of cells, differences between them, some fields read
// and written by the same kernel. A thread computes one cell, or walks along z, with what it needs of the planes before
// in registers (`queue`) or loaded again (`walk`). And gathers of warps with equal and unequal work, in blocks of 1 to
// 32 warps. inputs.h makes the data.
#include <cstdarg>
#include "harness.h"
#include "inputs.h"

// Cells 0 .. n - 2 of a box of nx x ny x nz: neighbours behind are there.
#define CELL int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z; if (x >= nx - 1 || y >= ny - 1 || z >= nz - 1) return; int plane = nx * ny, i = z * plane + y * nx + x
#define COLUMN(halo) int x = blockIdx.x * blockDim.x + threadIdx.x + halo, y = blockIdx.y * blockDim.y + threadIdx.y + halo; if (x >= nx - halo || y >= ny - halo) return; int plane = nx * ny, at = y * nx + x

// --- acoustic waves: three velocities on faces, pressure in centres ---------------------------------------------------
template <class T> __global__ void k_velocity(const T *__restrict__ p, T *__restrict__ u, T *__restrict__ v, T *__restrict__ w, int nx, int ny, int nz) {
  CELL; T c = p[i]; u[i] += T(.1) * (p[i + 1] - c); v[i] += T(.1) * (p[i + nx] - c); w[i] += T(.1) * (p[i + plane] - c);
}
template <class T> __global__ void k_velocity_queue(const T *__restrict__ p, T *__restrict__ u, T *__restrict__ v, T *__restrict__ w, int nx, int ny, int nz) {
  COLUMN(1); T c = p[at];
  for (int z = 0; z < nz - 1; z++) { int i = at + z * plane; T next = p[i + plane]; u[i] += T(.1) * (p[i + 1] - c); v[i] += T(.1) * (p[i + nx] - c); w[i] += T(.1) * (next - c); c = next; }
}
template <class T> __global__ void k_velocity_walk(const T *__restrict__ p, T *__restrict__ u, T *__restrict__ v, T *__restrict__ w, int nx, int ny, int nz) {
  COLUMN(1);
  for (int z = 0; z < nz - 1; z++) { int i = at + z * plane; T c = p[i]; u[i] += T(.1) * (p[i + 1] - c); v[i] += T(.1) * (p[i + nx] - c); w[i] += T(.1) * (p[i + plane] - c); }
}
template <class T> __global__ void k_pressure(T *__restrict__ p, const T *__restrict__ u, const T *__restrict__ v, const T *__restrict__ w, int nx, int ny, int nz) {
  CELL; p[i] -= T(.2) * (u[i + 1] - u[i] + v[i + nx] - v[i] + w[i + plane] - w[i]);
}
template <class T> __global__ void k_pressure_queue(T *__restrict__ p, const T *__restrict__ u, const T *__restrict__ v, const T *__restrict__ w, int nx, int ny, int nz) {
  COLUMN(1); T c = w[at];
  for (int z = 0; z < nz - 1; z++) { int i = at + z * plane; T next = w[i + plane]; p[i] -= T(.2) * (u[i + 1] - u[i] + v[i + nx] - v[i] + next - c); c = next; }
}

// --- gradient and divergence, out of place ----------------------------------------------------------------------------
template <class T> __global__ void k_gradient(const T *__restrict__ p, T *__restrict__ u, T *__restrict__ v, T *__restrict__ w, int nx, int ny, int nz) {
  CELL; T c = p[i]; u[i] = p[i + 1] - c; v[i] = p[i + nx] - c; w[i] = p[i + plane] - c;
}
template <class T> __global__ void k_divergence(const T *__restrict__ u, const T *__restrict__ v, const T *__restrict__ w, T *__restrict__ o, int nx, int ny, int nz) {
  CELL; o[i] = u[i + 1] - u[i] + v[i + nx] - v[i] + w[i + plane] - w[i];
}
template <class T> __global__ void k_divergence_walk(const T *__restrict__ u, const T *__restrict__ v, const T *__restrict__ w, T *__restrict__ o, int nx, int ny, int nz) { // blocks in z: a piece of the column each
  COLUMN(1); int each = (nz - 1 + gridDim.z - 1) / gridDim.z, end = min(nz - 1, (int)(blockIdx.z + 1) * each);
  for (int z = blockIdx.z * each; z < end; z++) { int i = at + z * plane; o[i] = u[i + 1] - u[i] + v[i + nx] - v[i] + w[i + plane] - w[i]; }
}

// --- waves of order 2 R in one field, two time levels -----------------------------------------------------------------
template <class T, int R> __global__ void k_wave_queue(const T *__restrict__ e, T *__restrict__ other, int nx, int ny, int nz) { // a queue of 2 R + 1 planes
  COLUMN(R); T q[2 * R + 1];
  for (int r = 0; r < 2 * R; r++) q[r] = e[at + r * plane];
  for (int z = R; z < nz - R; z++) {
    int i = at + z * plane; q[2 * R] = e[i + R * plane]; T s = T(-6) * q[R];
    for (int r = 1; r <= R; r++) s += (e[i - r] + e[i + r] + e[i - r * nx] + e[i + r * nx] + q[R - r] + q[R + r]) * T(1. / r);
    other[i] = 2 * q[R] - other[i] + T(.1) * s;
    for (int r = 0; r < 2 * R; r++) q[r] = q[r + 1];
  }
}
template <class T, int R> __global__ void k_wave_walk(const T *__restrict__ e, T *__restrict__ other, int nx, int ny, int nz) {
  COLUMN(R);
  for (int z = R; z < nz - R; z++) {
    int i = at + z * plane; T c = e[i], s = T(-6) * c;
    for (int r = 1; r <= R; r++) s += (e[i - r] + e[i + r] + e[i - r * nx] + e[i + r * nx] + e[i - r * plane] + e[i + r * plane]) * T(1. / r);
    other[i] = 2 * c - other[i] + T(.1) * s;
  }
}

// --- elastic waves: three velocities from six stresses, differences of order 4 ----------------------------------------
template <class T> __device__ T difference(const T *f, int i, int step) { return T(1.125) * (f[i + step] - f[i]) - T(.0416) * (f[i + 2 * step] - f[i - step]); }
template <class T> __global__ void k_elastic(const T *__restrict__ s, T *__restrict__ v, int nx, int ny, int nz) {
  int x = blockIdx.x * blockDim.x + threadIdx.x + 2, y = blockIdx.y * blockDim.y + threadIdx.y + 2, z = blockIdx.z * blockDim.z + threadIdx.z + 2; if (x >= nx - 2 || y >= ny - 2 || z >= nz - 2) return;
  int plane = nx * ny, i = z * plane + y * nx + x, n = plane * nz; const T *xx = s, *yy = s + n, *zz = s + 2 * n, *xy = s + 3 * n, *xz = s + 4 * n, *yz = s + 5 * n;
  v[i] += difference(xx, i, 1) + difference(xy, i, nx) + difference(xz, i, plane); v[i + n] += difference(xy, i, 1) + difference(yy, i, nx) + difference(yz, i, plane); v[i + 2 * n] += difference(xz, i, 1) + difference(yz, i, nx) + difference(zz, i, plane);
}
template <class T> __global__ void k_elastic_walk(const T *__restrict__ s, T *__restrict__ v, int nx, int ny, int nz) {
  COLUMN(2); int n = plane * nz; const T *xx = s, *yy = s + n, *zz = s + 2 * n, *xy = s + 3 * n, *xz = s + 4 * n, *yz = s + 5 * n;
  for (int z = 2; z < nz - 2; z++) { int i = at + z * plane;
    v[i] += difference(xx, i, 1) + difference(xy, i, nx) + difference(xz, i, plane); v[i + n] += difference(xy, i, 1) + difference(yy, i, nx) + difference(yz, i, plane); v[i + 2 * n] += difference(xz, i, 1) + difference(yz, i, nx) + difference(zz, i, plane); }
}

// --- shallow water in two dimensions: height and two velocities -------------------------------------------------------
template <class T> __global__ void k_shallow(const T *__restrict__ h, const T *__restrict__ u, const T *__restrict__ v, T *__restrict__ ho, T *__restrict__ uo, T *__restrict__ vo, int nx, int ny) {
  COLUMN(1); (void)plane; int i = at; T c = h[i];
  uo[i] = u[i] - T(.1) * (h[i + 1] - c); vo[i] = v[i] - T(.1) * (h[i + nx] - c);
  ho[i] = c - T(.1) * (u[i] - u[i - 1] + v[i] - v[i - nx]) * (T(.25) * (h[i - 1] + h[i - nx]) + T(.5) * c);
}

// --- gathers of warps: equal and unequal work in blocks of 1 to 32 warps ----------------------------------------------
__global__ void k_turn_warp(const unsigned *__restrict__ first, const unsigned *__restrict__ column, const float *__restrict__ x, float *__restrict__ y, unsigned warps) {
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x, r = t / 32; if (r >= warps) return;
  float s = 0; for (unsigned e = first[r] + threadIdx.x % 32, end = first[r + 1]; e < end; e += 32) s += x[column[e]];
  y[t] = s;
}
__global__ void k_turn_lane(const unsigned *__restrict__ column, const float *__restrict__ x, float *__restrict__ y, unsigned threads, int steps) { // what a lane gathers lies beside its neighbour's
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x; if (t >= threads) return;
  float s = 0; for (int k = 0; k < steps; k++) s += x[column[k * threads + t]];
  y[t] = s;
}

static std::vector<Config> cs;
static void add(const char *fam, const char *var, std::string params, dim3 g, dim3 b, double work, const void *f, std::function<void()> l) { cs.push_back({fam, var, params, g, b, work, f, 0, l, nullptr}); }
static std::string P(const char *fmt, ...) { char s[200]; va_list a; va_start(a, fmt); vsnprintf(s, sizeof s, fmt, a); va_end(a); return s; }
template <class T> static T *upload(const T *from, size_t n) { T *p; CHECK(cudaMalloc(&p, n * sizeof(T))); CHECK(cudaMemcpy(p, from, n * sizeof(T), cudaMemcpyHostToDevice)); return p; }
#define LAUNCH(family, variant, params, g, b, work, K, ...) add(family, variant, params, g, b, work, (const void *)K, [=] { K<<<g, b>>>(__VA_ARGS__); })

struct Box { int x, y, z; };
template <class T> static void cells(Box s, std::vector<dim3> blocks, T *f1, T *f2) {
  size_t n = (size_t)s.x * s.y * s.z; const char *type = sizeof(T) == 4 ? "f32" : "f64"; std::string p = P("nx=%d;ny=%d;nz=%d", s.x, s.y, s.z); auto name = [=](const char *what) { return P("%s_%s", what, type); };
  for (dim3 b : blocks) { dim3 g(up(s.x - 1, b.x), up(s.y - 1, b.y), up(s.z - 1, b.z)), ge(up(s.x - 4, b.x), up(s.y - 4, b.y), up(s.z - 4, b.z));
    auto *velocity = k_velocity<T>, *gradient = k_gradient<T>; auto *pressure = k_pressure<T>; auto *divergence = k_divergence<T>; auto *elastic = k_elastic<T>;
    LAUNCH("acoustic", name("velocity").c_str(), p, g, b, n, velocity, f1, f2, f2 + n, f2 + 2 * n, s.x, s.y, s.z);
    LAUNCH("acoustic", name("pressure").c_str(), p, g, b, n, pressure, f2, f1, f1 + n, f1 + 2 * n, s.x, s.y, s.z);
    LAUNCH("gradient", name("gradient").c_str(), p, g, b, n, gradient, f1, f2, f2 + n, f2 + 2 * n, s.x, s.y, s.z);
    LAUNCH("gradient", name("divergence").c_str(), p, g, b, n, divergence, f1, f1 + n, f1 + 2 * n, f2, s.x, s.y, s.z);
    LAUNCH("elastic", name("velocity").c_str(), p, ge, b, n, elastic, f1, f2, s.x, s.y, s.z); }
}
template <class T> static void columns(Box s, std::vector<dim3> blocks, T *f1, T *f2) {
  size_t n = (size_t)s.x * s.y * s.z; const char *type = sizeof(T) == 4 ? "f32" : "f64"; std::string p = P("nx=%d;ny=%d;nz=%d", s.x, s.y, s.z); auto name = [=](const char *what) { return P("%s_%s", what, type); };
  for (dim3 b : blocks) { auto grid = [=](int halo, int z) { return dim3(up(s.x - 2 * halo, b.x), up(s.y - 2 * halo, b.y), z); }; dim3 g = grid(1, 1), g2 = grid(2, 1), g3 = grid(3, 1), g8 = grid(1, 8);
    auto *queue = k_velocity_queue<T>, *walk = k_velocity_walk<T>; auto *pressure = k_pressure_queue<T>; auto *divergence = k_divergence_walk<T>; auto *wave1 = k_wave_queue<T, 1>, *wave3 = k_wave_queue<T, 3>, *plain = k_wave_walk<T, 2>; auto *elastic = k_elastic_walk<T>;
    LAUNCH("acoustic_z", name("velocity_queue").c_str(), p, g, b, n, queue, f1, f2, f2 + n, f2 + 2 * n, s.x, s.y, s.z);
    LAUNCH("acoustic_z", name("velocity_walk").c_str(), p, g, b, n, walk, f1, f2, f2 + n, f2 + 2 * n, s.x, s.y, s.z);
    LAUNCH("acoustic_z", name("pressure_queue").c_str(), p, g, b, n, pressure, f2, f1, f1 + n, f1 + 2 * n, s.x, s.y, s.z);
    LAUNCH("divergence_z", name("pieces8").c_str(), p, g8, b, n, divergence, f1, f1 + n, f1 + 2 * n, f2, s.x, s.y, s.z);
    LAUNCH("wave_z", name("queue1").c_str(), p, g, b, n, wave1, f1, f2, s.x, s.y, s.z);
    LAUNCH("wave_z", name("queue3").c_str(), p, g3, b, n, wave3, f1, f2, s.x, s.y, s.z);
    LAUNCH("wave_z", name("walk2").c_str(), p, g2, b, n, plain, f1, f2, s.x, s.y, s.z);
    LAUNCH("elastic_z", name("velocity_walk").c_str(), p, g2, b, n, elastic, f1, f2, s.x, s.y, s.z); }
}
template <class T> static void planes(int nx, int ny, T *f1, T *f2) {
  size_t n = (size_t)nx * ny; const char *type = sizeof(T) == 4 ? "f32" : "f64";
  for (dim3 b : {dim3(32, 8), dim3(64, 4), dim3(128, 2), dim3(16, 16), dim3(256, 1)}) { dim3 g(up(nx - 2, b.x), up(ny - 2, b.y)); auto *shallow = k_shallow<T>;
    LAUNCH("shallow", type, P("nx=%d;ny=%d", nx, ny), g, b, n, shallow, f1, f1 + n, f1 + 2 * n, f2, f2 + n, f2 + 2 * n, nx, ny); }
}
static void gathers(float *f1, float *f2) {
  struct { const char *name; uint32_t (*f)(uint32_t); } works[] = {{"equal", length_turn_equal}, {"few", length_turn_few}, {"power", length_turn_power}};
  unsigned warps = 1u << 15;
  for (unsigned table : {1u << 18, 1u << 25}) {
    for (auto &w : works) { rows q = rows_make_from(warps, w.f, table, 60); unsigned *first = upload(q.first, warps + 1), *column = upload(q.column, q.entries);
      for (int t : {32, 64, 128, 256, 512, 1024}) { dim3 b(t), g(warps / (t / 32)); LAUNCH("turn", P("warp_%s", w.name).c_str(), P("warps=%u;entries=%u;table=%u", warps, q.entries, table), g, b, q.entries, k_turn_warp, first, column, f1, f2, warps); } }
    unsigned threads = 1u << 20; int steps = 8; std::vector<unsigned> v((size_t)threads * steps); for (size_t i = 0; i < v.size(); i++) v[i] = hash((uint32_t)i, 61) % table;
    unsigned *column = upload(v.data(), v.size());
    for (int t : {32, 64, 128, 256, 512, 1024}) { dim3 b(t), g(threads / t); LAUNCH("turn", "lane", P("threads=%u;steps=%d;table=%u", threads, steps, table), g, b, v.size(), k_turn_lane, column, f1, f2, threads, steps); } }
}
int main(int argc, char **argv) {
  size_t n = (size_t)1 << 28; float *f1 = device_array<float>(n), *f2 = device_array<float>(n); double *d1 = (double *)f1, *d2 = (double *)f2; // f64: as bits, which are numbers, too
  Box small = {160, 160, 160}, odd = {250, 330, 100}, large = {320, 320, 256}, wide = {160, 160, 256};
  cells<float>(large, {dim3(32, 8), dim3(64, 4), dim3(32, 4, 2), dim3(128, 2), dim3(16, 16), dim3(256, 1)}, f1, f2);
  cells<float>(small, {dim3(32, 8), dim3(32, 4, 2), dim3(256, 1)}, f1, f2);
  cells<float>(odd, {dim3(32, 8), dim3(64, 4), dim3(16, 16)}, f1, f2);
  cells<double>(wide, {dim3(32, 8), dim3(64, 4), dim3(16, 16)}, d1, d2);
  columns<float>(large, {dim3(32, 4), dim3(32, 8), dim3(64, 4), dim3(128, 2), dim3(16, 16), dim3(32, 16)}, f1, f2);
  columns<float>(odd, {dim3(32, 8), dim3(64, 4), dim3(16, 16)}, f1, f2);
  columns<double>(wide, {dim3(32, 4), dim3(32, 8), dim3(16, 16)}, d1, d2);
  planes<float>(4096, 4096, f1, f2); planes<float>(3001, 2003, f1, f2); planes<double>(4096, 2048, d1, d2);
  gathers(f1, f2);
  return run(argc, argv, cs);
}

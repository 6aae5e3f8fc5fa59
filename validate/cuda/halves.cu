// Sectors that are written in two halves: how long the L2 keeps one half before it is cleaned, by time and by what else passes;
// stores that are not aligned, by one and by many streams; stores over many lines; loads of single random sectors.
#include <cstdarg>
#include <cstdint>
#include "harness.h"

// A store that stays where it stands.
__device__ static void put(uint4 *p, uint4 v) { asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(p), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w) : "memory"); }
// Both halves of a sector by one thread, `cycles` apart. Meanwhile it stores or loads `extra` times 16 bytes elsewhere, whole lines per warp.
template <int LOAD> __global__ void k_delay(uint4 *__restrict__ out, uint4 *__restrict__ other, long long cycles, int extra, unsigned mask) {
  size_t t = blockIdx.x * (size_t)blockDim.x + threadIdx.x; uint4 v = make_uint4(1, 2, 3, (unsigned)t);
  put(out + 2 * t, v); long long start = clock64();
  for (int j = 0; j < extra; j++) { size_t at = ((size_t)blockIdx.x * extra + j) * blockDim.x + threadIdx.x; at &= mask; if (LOAD) v.x += other[at].y; else put(other + at, v); }
  while (clock64() - start < cycles) {}
  put(out + 2 * t + 1, v);
}
// The halves of a sector by two blocks that are launched `apart` blocks from each other; `loads` whole lines are read before.
template <int LOADS> __global__ void k_far(uint4 *__restrict__ out, const uint4 *__restrict__ a, unsigned apart, size_t n) {
  unsigned b = blockIdx.x, half = b / apart % 2; size_t s = ((size_t)b / apart / 2 * apart + b % apart) * blockDim.x + threadIdx.x; uint4 v = make_uint4(1, 2, 3, b);
  size_t t = b * (size_t)blockDim.x + threadIdx.x;
#pragma unroll
  for (int j = 0; j < LOADS; j++) v.x += a[j * n + t].y;
  out[2 * s + half] = v;
}
// Neighbouring pieces of an array by blocks that are launched `apart` blocks from each other; `offset` elements from a boundary.
__global__ void k_edges(float *__restrict__ out, unsigned apart, int offset) {
  unsigned b = blockIdx.x; size_t piece = (size_t)(b % apart) * (gridDim.x / apart) + b / apart;
  out[piece * blockDim.x + threadIdx.x + offset] = (float)b;
}
// W arrays are written, R read, `offset` elements from a boundary.
template <class T, int R, int W> __global__ void k_streams(const T *__restrict__ a, T *__restrict__ out, size_t n, int offset) {
  size_t t = blockIdx.x * (size_t)blockDim.x + threadIdx.x; T s = (T)1;
#pragma unroll
  for (int j = 0; j < R; j++) s += a[j * n + t];
#pragma unroll
  for (int j = 0; j < W; j++) out[j * n + t + offset] = s + (T)j;
}
// A warp stores to `sectors` sectors, `pitch` bytes from each other, B bytes a lane.
template <int B> struct alignas(B) piece { unsigned v[B / 4]; };
template <int B> __global__ void k_spread(char *__restrict__ out, int sectors, int pitch, int rounds, unsigned mask) {
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x, warp = t / 32, lane = t % 32, lanes = 32 / sectors; piece<B> v = {};
  v.v[0] = t;
  for (int r = 0; r < rounds; r++) { unsigned base = (warp * rounds + r) * 2654435761u & mask; *(piece<B> *)(out + base + lane / lanes * pitch + lane % lanes * B) = v; }
}
// Loads of one random sector each, U of them independent of each other.
template <int U> __global__ void k_lone(const unsigned *__restrict__ a, unsigned *__restrict__ out, unsigned sectors) {
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x, s = 0;
#pragma unroll
  for (int j = 0; j < U; j++) { unsigned x = t * U + j; x = (x ^ x >> 16) * 0x7feb352du; x = (x ^ x >> 15) * 0x846ca68bu; x ^= x >> 16; s += a[(size_t)(((uint64_t)x * sectors) >> 32) * 8]; }
  if (s == 12345) out[t] = s;
}

static std::vector<Config> cs;
static void add(const char *fam, std::string var, std::string params, dim3 g, dim3 b, double work, const void *f, std::function<void()> l, size_t smem = 0) { cs.push_back({fam, var, params, g, b, work, f, smem, l, nullptr}); }
static std::string P(const char *fmt, ...) { char s[200]; va_list a; va_start(a, fmt); vsnprintf(s, sizeof s, fmt, a); va_end(a); return s; }

template <int LOAD> static void delay(uint4 *out, uint4 *other, std::vector<int> extras, int resident) { // times in us at 1980 MHz
  dim3 b(256), g(1 << 15); double n = 1 << 23; size_t smem = resident == 8 ? 0 : 100 << 10; unsigned mask = (1u << 26) - 1;
  if (smem) CHECK(cudaFuncSetAttribute(k_delay<LOAD>, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)smem));
  for (int extra : extras) for (double us : {0., 1., 2., 5., 10., 20., 40., 80., 160.}) { long long cycles = (long long)(us * 1980);
    add("delay", LOAD ? "load" : "store", P("sectors=%d;cycles=%lld;extra=%d;resident=%d", 1 << 23, cycles, extra, resident), g, b, n, (const void *)k_delay<LOAD>, [=] { k_delay<LOAD><<<g, b, smem>>>(out, other, cycles, extra, mask); }, smem); }
}
template <int LOADS> static void far(uint4 *out, const uint4 *a) {
  dim3 b(256), g(1 << 17); size_t n = (size_t)1 << 25;
  for (unsigned apart : {1u, 32u, 256u, 1024u, 4096u, 8192u, 16384u, 65536u})
    add("far", P("r%d", LOADS), P("sectors=%d;loads=%d;apart=%u", 1 << 24, LOADS, apart), g, b, (double)(1 << 24), (const void *)k_far<LOADS>, [=] { k_far<LOADS><<<g, b>>>(out, a, apart, n); });
}
static void edges(float *out) {
  for (int t : {32, 64, 256}) for (unsigned apart : {1u, 64u, 1024u, 16384u}) for (int offset : {0, 4}) { if (!offset && apart > 1) continue;
    dim3 b(t), g((1u << 27) / t); add("edges", "f32", P("n=%d;apart=%u;offset=%d", 1 << 27, apart, offset), g, b, (double)(1 << 27), (const void *)k_edges, [=] { k_edges<<<g, b>>>(out, apart, offset); }); }
}
template <class T, int R, int W> static void streams(const void *a, void *out) {
  size_t n = (size_t)1 << 24, pitch = n + 1024; dim3 b(256), g((unsigned)(n / 256));
  for (int offset : {0, 1}) add("streams", P("b%d_r%d_w%d", (int)sizeof(T) * 8, R, W), P("reads=%d;writes=%d;n=%zu;pitch=%zu;offset=%d", R, W, n, pitch, offset), g, b, (double)n, (const void *)k_streams<T, R, W>,
    [=] { k_streams<T, R, W><<<g, b>>>((const T *)a, (T *)out, pitch, offset); });
}
template <int B> static void spread(char *out, std::vector<int> sectors) {
  dim3 b(256), g(132 * 8 * 4); int rounds = 16; unsigned mask = (1u << 24) - 128;
  for (int s : sectors) for (int pitch : {32, 128, 256, 1024, 4096 + 128}) add("spread", P("b%d", B * 8), P("sectors=%d;pitch=%d;rounds=%d", s, pitch, rounds), g, b, (double)g.x * 8 * rounds * s, (const void *)k_spread<B>,
    [=] { k_spread<B><<<g, b>>>(out, s, pitch, rounds, mask); });
}
template <int U> static void lone(const unsigned *a, unsigned *out) {
  unsigned n = 1u << 26; dim3 b(256), g(n / U / 256);
  for (int mb : {1, 4, 8, 16, 24, 32, 48, 64, 128, 256, 1024}) { unsigned sectors = (unsigned)mb << 15; add("lone", P("u%d", U), P("loads=%d;n=%u;sectors=%u", U, n, sectors), g, b, n, (const void *)k_lone<U>, [=] { k_lone<U><<<g, b>>>(a, out, sectors); }); }
}
int main(int argc, char **argv) {
  size_t GB = (size_t)1 << 30; char *f1, *f2; CHECK(cudaMalloc(&f1, 3 * GB)); CHECK(cudaMalloc(&f2, 3 * GB)); CHECK(cudaMemset(f1, 0, 3 * GB)); CHECK(cudaMemset(f2, 0, 3 * GB));
  delay<0>((uint4 *)f2, (uint4 *)f1, {0, 2, 8, 32}, 8); delay<1>((uint4 *)f2, (uint4 *)f1, {8}, 8); delay<0>((uint4 *)f2, (uint4 *)f1, {0, 8}, 2);
  far<0>((uint4 *)f2, (uint4 *)f1); far<2>((uint4 *)f2, (uint4 *)f1); edges((float *)f2);
  streams<float, 0, 1>(f1, f2); streams<float, 0, 2>(f1, f2); streams<float, 0, 4>(f1, f2); streams<float, 0, 8>(f1, f2); streams<float, 0, 12>(f1, f2); streams<float, 0, 19>(f1, f2);
  streams<float, 1, 1>(f1, f2); streams<float, 4, 4>(f1, f2); streams<float, 8, 8>(f1, f2); streams<float, 19, 19>(f1, f2); streams<double, 0, 1>(f1, f2); streams<double, 4, 4>(f1, f2); streams<double, 19, 19>(f1, f2);
  spread<4>(f2, {4, 8, 16, 32}); spread<16>(f2, {16, 32}); lone<1>((unsigned *)f1, (unsigned *)f2); lone<4>((unsigned *)f1, (unsigned *)f2);
  return run(argc, argv, cs);
}

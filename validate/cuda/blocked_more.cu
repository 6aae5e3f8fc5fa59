// Matrix products whose threads hold several results in registers, in more forms than those of waiting.cu, and kernels
// that do one thing of theirs each: multiply-adds from registers and from shared memory, wide loads from shared memory,
// barriers, and the way of a tile from memory into shared memory. The forms and numbers of the model may be chosen by
// these; those of waiting.cu are held out.
#include <cstdarg>
#include "harness.h"

// --- products: c = a b, a is m x k, b is k x n; a block computes BM x BN, a thread TM x TN of them ----------------------
template <int BM, int BN, int TM, int TN> struct Shape { static constexpr int WX = BN / TN, WY = BM / TM, THREADS = WX * WY; };

// What a thread copies of both tiles of one step: 16 bytes at a time, a transposed on its way into shared memory.
template <int BM, int BN, int BK, int THREADS> struct Copy {
  static constexpr int QA = BM * BK / 4 / THREADS, QB = BN * BK / 4 / THREADS;
  static_assert(QA > 0 && QB > 0 && QA * 4 * THREADS == BM * BK && QB * 4 * THREADS == BN * BK, "whole quads a thread");
  float4 ra[QA], rb[QB];
  __device__ void load(const float *a, const float *b, int t, int k, int n, int depth) {
    for (int q = 0; q < QA; q++) { int i = t + q * THREADS; ra[q] = *(const float4 *)(a + (size_t)(i / (BK / 4)) * depth + k + i % (BK / 4) * 4); }
    for (int q = 0; q < QB; q++) { int i = t + q * THREADS; rb[q] = *(const float4 *)(b + (size_t)(k + i / (BN / 4)) * n + i % (BN / 4) * 4); }
  }
  __device__ void store(float (*ta)[BM], float (*tb)[BN], int t) {
    for (int q = 0; q < QA; q++) {
      int i = t + q * THREADS, y = i / (BK / 4), x = i % (BK / 4) * 4;
      ta[x][y] = ra[q].x; ta[x + 1][y] = ra[q].y; ta[x + 2][y] = ra[q].z; ta[x + 3][y] = ra[q].w;
    }
    for (int q = 0; q < QB; q++) { int i = t + q * THREADS; *(float4 *)&tb[i / (BN / 4)][i % (BN / 4) * 4] = rb[q]; }
  }
};
// One step of depth BK from shared memory: 16-byte loads; a thread's columns are quads, a row of threads apart.
template <int BM, int BN, int BK, int TM, int TN, int UNROLL> __device__ void multiply(const float (*ta)[BM], const float (*tb)[BN], int tx, int ty, float (*acc)[TN]) {
  constexpr int WX = BN / TN;
#pragma unroll UNROLL
  for (int kk = 0; kk < BK; kk++) {
    float ra[TM], rb[TN];
    for (int i = 0; i < TM; i += 4) *(float4 *)&ra[i] = *(const float4 *)&ta[kk][ty * TM + i];
    for (int j = 0; j < TN; j += 4) *(float4 *)&rb[j] = *(const float4 *)&tb[kk][tx * 4 + j * WX];
    for (int i = 0; i < TM; i++) for (int j = 0; j < TN; j++) acc[i][j] += ra[i] * rb[j];
  }
}
template <int WX, int TM, int TN> __device__ void write_out(float *c, int tx, int ty, int n, const float (*acc)[TN]) {
  for (int i = 0; i < TM; i++) for (int j = 0; j < TN; j += 4)
    *(float4 *)(c + (size_t)(ty * TM + i) * n + tx * 4 + j * WX) = make_float4(acc[i][j], acc[i][j + 1], acc[i][j + 2], acc[i][j + 3]);
}
template <int BM, int BN, int BK, int TM, int TN> __global__ void k_product_wide(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int n, int depth) {
  using S = Shape<BM, BN, TM, TN>; __shared__ __align__(16) float ta[BK][BM], tb[BK][BN];
  int t = threadIdx.x, tx = t % S::WX, ty = t / S::WX; Copy<BM, BN, BK, S::THREADS> copy; float acc[TM][TN] = {};
  a += (size_t)blockIdx.y * BM * depth; b += blockIdx.x * BN; c += (size_t)blockIdx.y * BM * n + blockIdx.x * BN;
  for (int k = 0; k < depth; k += BK) {
    copy.load(a, b, t, k, n, depth); copy.store(ta, tb, t); __syncthreads();
    multiply<BM, BN, BK, TM, TN, 8>(ta, tb, tx, ty, acc); __syncthreads();
  }
  write_out<S::WX, TM, TN>(c, tx, ty, n, acc);
}
// Two tiles in turn: the next one is loaded while this one is multiplied, and one barrier a step is enough.
template <int BM, int BN, int BK, int TM, int TN> __global__ void k_product_twice(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int n, int depth) {
  using S = Shape<BM, BN, TM, TN>; __shared__ __align__(16) float ta[2][BK][BM], tb[2][BK][BN];
  int t = threadIdx.x, tx = t % S::WX, ty = t / S::WX, now = 0; Copy<BM, BN, BK, S::THREADS> copy; float acc[TM][TN] = {};
  a += (size_t)blockIdx.y * BM * depth; b += blockIdx.x * BN; c += (size_t)blockIdx.y * BM * n + blockIdx.x * BN;
  copy.load(a, b, t, 0, n, depth); copy.store(ta[0], tb[0], t); __syncthreads();
  for (int k = BK; k < depth; k += BK) {
    copy.load(a, b, t, k, n, depth); multiply<BM, BN, BK, TM, TN, 8 / (TM * TN / 16)>(ta[now], tb[now], tx, ty, acc);
    copy.store(ta[now ^ 1], tb[now ^ 1], t); now ^= 1; __syncthreads();
  }
  multiply<BM, BN, BK, TM, TN, 8 / (TM * TN / 16)>(ta[now], tb[now], tx, ty, acc); write_out<S::WX, TM, TN>(c, tx, ty, n, acc);
}
// Single numbers everywhere: 4-byte (8-byte) loads, a thread's rows and columns a row or column of threads apart.
template <class T, int BM, int BN, int BK, int TM, int TN> __global__ void k_product_narrow(const T *__restrict__ a, const T *__restrict__ b, T *__restrict__ c, int n, int depth) {
  using S = Shape<BM, BN, TM, TN>; __shared__ T ta[BK][BM], tb[BK][BN]; int t = threadIdx.x, tx = t % S::WX, ty = t / S::WX; T acc[TM][TN] = {};
  a += (size_t)blockIdx.y * BM * depth; b += blockIdx.x * BN; c += (size_t)blockIdx.y * BM * n + blockIdx.x * BN;
  for (int k = 0; k < depth; k += BK) {
    for (int i = t; i < BM * BK; i += S::THREADS) ta[i / BM][i % BM] = a[(size_t)(i % BM) * depth + k + i / BM];
    for (int i = t; i < BN * BK; i += S::THREADS) tb[i / BN][i % BN] = b[(size_t)(k + i / BN) * n + i % BN];
    __syncthreads();
    for (int kk = 0; kk < BK; kk++) {
      T ra[TM], rb[TN]; for (int i = 0; i < TM; i++) ra[i] = ta[kk][ty + i * S::WY]; for (int j = 0; j < TN; j++) rb[j] = tb[kk][tx + j * S::WX];
      for (int i = 0; i < TM; i++) for (int j = 0; j < TN; j++) acc[i][j] += ra[i] * rb[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < TM; i++) for (int j = 0; j < TN; j++) c[(size_t)(ty + i * S::WY) * n + tx + j * S::WX] = acc[i][j];
}

// --- one thing each; `rounds` is how often ------------------------------------------------------------------------------
// Multiply-adds on registers alone: TM x TN sums from TM + TN operands.
template <int TM, int TN> __global__ void k_registers(const float *__restrict__ in, float *__restrict__ out, int rounds) {
  float a[TM], b[TN], acc[TM][TN] = {}; int t = threadIdx.x;
  for (int i = 0; i < TM; i++) a[i] = in[t + i];
  for (int j = 0; j < TN; j++) b[j] = in[t + 64 + j];
  for (int r = 0; r < rounds; r++) for (int i = 0; i < TM; i++) for (int j = 0; j < TN; j++) acc[i][j] = fmaf(a[i], b[j], acc[i][j]);
  float s = 0; for (int i = 0; i < TM; i++) for (int j = 0; j < TN; j++) s += acc[i][j];
  out[blockIdx.x * blockDim.x + t] = s;
}
// The same with operands from two tiles in shared memory in turn, 8 steps a round, without barriers.
template <int TM, int TN> __global__ void k_outer(const float *__restrict__ in, float *__restrict__ out, int rounds) {
  __shared__ __align__(16) float ta[16][16 * TM], tb[16][16 * TN]; int t = threadIdx.x, tx = t % 16, ty = t / 16 % 16; float acc[TM][TN] = {};
  for (int i = t; i < 256 * TM; i += blockDim.x) (&ta[0][0])[i] = in[i];
  for (int i = t; i < 256 * TN; i += blockDim.x) (&tb[0][0])[i] = in[i + 4096];
  __syncthreads();
  for (int r = 0; r < rounds; r++) multiply<16 * TM, 16 * TN, 8, TM, TN, 8>(ta + r % 2 * 8, tb + r % 2 * 8, tx, ty, acc);
  float s = 0; for (int i = 0; i < TM; i++) for (int j = 0; j < TN; j++) s += acc[i][j];
  out[blockIdx.x * blockDim.x + t] = s;
}
// 16-byte loads from shared memory: lane l reads quad l / DIV % MOD, next round the one behind; 8 sums.
template <int DIV, int MOD> __global__ void k_wide(const float *__restrict__ in, float *__restrict__ out, int rounds) {
  __shared__ __align__(16) float4 s[32 * 8]; int t = threadIdx.x, at = t / DIV % MOD; float acc[8] = {};
  for (int i = t; i < 32 * 8; i += blockDim.x) s[i] = ((const float4 *)in)[i];
  __syncthreads();
  for (int r = 0; r < rounds; r++) { int from = (at + r) % 32; for (int q = 0; q < 8; q++) { float4 v = s[q * 32 + from]; acc[q] += v.x * v.y + v.z * v.w; } }
  out[blockIdx.x * blockDim.x + t] = acc[0] + acc[1] + acc[2] + acc[3] + acc[4] + acc[5] + acc[6] + acc[7];
}
// Each 16-byte load's address is what the load before gave.
__global__ void k_follow(int *__restrict__ out, int rounds) {
  __shared__ int4 s[64]; int t = threadIdx.x; if (t < 64) s[t] = make_int4((t + 33) % 64, 0, 0, 0);
  __syncthreads(); int at = t % 64, sum = 0;
  for (int r = 0; r < rounds; r++) { int4 v = s[at]; at = v.x; sum += v.y + v.z + v.w; }
  out[blockIdx.x * blockDim.x + t] = at + sum;
}
// Barriers, with WORK dependent multiply-adds before each.
template <int WORK> __global__ void k_barriers(const float *__restrict__ in, float *__restrict__ out, int rounds) {
  float x = in[threadIdx.x], y = in[threadIdx.x + 1], s = 0;
  for (int r = 0; r < rounds; r++) { for (int i = 0; i < WORK; i++) s = fmaf(x, y, s); __syncthreads(); }
  out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
// A tile's way each round: 16 bytes a thread from the L2 (past the L1) into shared memory, a barrier, one load, a barrier.
__global__ void k_tiles(const float4 *__restrict__ in, float *__restrict__ out, int rounds) {
  __shared__ float4 s[1024]; int t = threadIdx.x; float sum = 0; const float4 *from = in + (size_t)blockIdx.x * blockDim.x + t;
  for (int r = 0; r < rounds; r++) {
    s[t] = __ldcg(from + (r & 7) * gridDim.x * blockDim.x); __syncthreads();
    float4 v = s[t ^ 32]; sum += v.x * v.y + v.z * v.w; __syncthreads();
  }
  out[blockIdx.x * blockDim.x + t] = sum;
}

static std::vector<Config> cs;
static std::string P(const char *fmt, ...) { char s[200]; va_list a; va_start(a, fmt); vsnprintf(s, sizeof s, fmt, a); va_end(a); return s; }
#define LAUNCH(family, variant, params, g, b, work, K, ...) \
  cs.push_back({family, variant, params, g, b, (double)(work), (const void *)K, 0, [=] { K<<<g, b>>>(__VA_ARGS__); }})
static const int SMS = 132;

struct Problem { int m, n, k; };
template <class T, class K> static void product(const char *family, K kernel, std::string variant, Problem p, int bm, int bn, int threads, const T *f1, T *f2) {
  dim3 g(p.n / bn, p.m / bm), b(threads); const T *second = f1 + (size_t)p.m * p.k;
  LAUNCH(family, variant, P("m=%d;n=%d;k=%d", p.m, p.n, p.k), g, b, (double)p.m * p.n, kernel, f1, second, f2, p.n, p.k);
}
template <int BM, int BN, int BK, int TM, int TN> static void wide(Problem p, const float *f1, float *f2) {
  product("product_wide", k_product_wide<BM, BN, BK, TM, TN>, P("%dx%dx%d_%dx%d", BM, BN, BK, TM, TN), p, BM, BN, Shape<BM, BN, TM, TN>::THREADS, f1, f2);
}
template <int BM, int BN, int BK, int TM, int TN> static void twice(Problem p, const float *f1, float *f2) {
  product("product_twice", k_product_twice<BM, BN, BK, TM, TN>, P("%dx%dx%d_%dx%d", BM, BN, BK, TM, TN), p, BM, BN, Shape<BM, BN, TM, TN>::THREADS, f1, f2);
}
template <class T, int BM, int BN, int BK, int TM, int TN> static void narrow(Problem p, const float *f1, float *f2) {
  product("product_narrow", k_product_narrow<T, BM, BN, BK, TM, TN>, P("%dx%dx%d_%dx%d_b%d", BM, BN, BK, TM, TN, (int)sizeof(T) * 8), p, BM, BN, Shape<BM, BN, TM, TN>::THREADS, (const T *)f1, (T *)f2);
}
static void products(const float *f1, float *f2) {
  for (Problem p : {Problem{512, 512, 512}, Problem{1024, 1024, 1024}, Problem{2048, 2048, 2048}, Problem{1536, 768, 640}}) {
    wide<64, 64, 8, 8, 8>(p, f1, f2); wide<64, 64, 8, 8, 4>(p, f1, f2); wide<64, 64, 16, 4, 4>(p, f1, f2); wide<64, 64, 16, 8, 8>(p, f1, f2);
    wide<128, 64, 8, 8, 8>(p, f1, f2); wide<128, 64, 16, 8, 4>(p, f1, f2); wide<128, 128, 8, 8, 8>(p, f1, f2); wide<128, 128, 16, 8, 8>(p, f1, f2);
    twice<64, 64, 8, 8, 8>(p, f1, f2); twice<64, 64, 16, 4, 4>(p, f1, f2); twice<128, 64, 8, 8, 8>(p, f1, f2); twice<128, 128, 8, 8, 8>(p, f1, f2);
    narrow<float, 64, 32, 16, 4, 4>(p, f1, f2); narrow<float, 64, 32, 16, 8, 4>(p, f1, f2); narrow<float, 128, 64, 16, 8, 8>(p, f1, f2); narrow<float, 128, 64, 8, 8, 4>(p, f1, f2);
    narrow<double, 64, 64, 8, 4, 4>(p, f1, f2);
  }
}
static void single(const float *f1, float *f2) {
  for (int warps : {4, 8, 16}) { dim3 g(SMS), b(32 * warps); std::string p = "rounds=4096"; double work = (double)SMS * 32 * warps;
    auto *r44 = k_registers<4, 4>, *r84 = k_registers<8, 4>, *r88 = k_registers<8, 8>; auto *o44 = k_outer<4, 4>, *o84 = k_outer<8, 4>, *o88 = k_outer<8, 8>;
    if (warps < 16) { LAUNCH("registers", "8x8", p, g, b, work, r88, f1, f2, 4096); LAUNCH("registers", "8x4", p, g, b, work, r84, f1, f2, 4096); LAUNCH("registers", "4x4", p, g, b, work, r44, f1, f2, 4096); }
    p = "rounds=512"; LAUNCH("outer", "8x8", p, g, b, work, o88, f1, f2, 512); LAUNCH("outer", "8x4", p, g, b, work, o84, f1, f2, 512); LAUNCH("outer", "4x4", p, g, b, work, o44, f1, f2, 512); }
  for (int warps : {4, 16, 32}) { dim3 g(SMS), b(32 * warps); std::string p = "rounds=2048"; double work = (double)SMS * 32 * warps;
    auto *w0 = k_wide<1, 1>, *w1 = k_wide<1, 8>, *w2 = k_wide<1, 16>, *w3 = k_wide<1, 32>, *w4 = k_wide<16, 2>, *w5 = k_wide<8, 4>;
    LAUNCH("wide", "1_1", p, g, b, work, w0, f1, f2, 2048); LAUNCH("wide", "1_8", p, g, b, work, w1, f1, f2, 2048); LAUNCH("wide", "1_16", p, g, b, work, w2, f1, f2, 2048);
    LAUNCH("wide", "1_32", p, g, b, work, w3, f1, f2, 2048); LAUNCH("wide", "16_2", p, g, b, work, w4, f1, f2, 2048); LAUNCH("wide", "8_4", p, g, b, work, w5, f1, f2, 2048); }
  for (int warps : {4, 16}) { dim3 g(SMS), b(32 * warps); LAUNCH("follow", "b128", P("rounds=4096"), g, b, (double)SMS * 32 * warps, k_follow, (int *)f2, 4096); }
  for (int blocks : {1, 2, 4}) for (int threads : {64, 128, 256, 512}) { dim3 g(SMS * blocks), b(threads); std::string p = "rounds=4096"; double work = (double)SMS * blocks * threads;
    auto *none = k_barriers<0>, *some = k_barriers<16>; LAUNCH("barriers", "w0", p, g, b, work, none, f1, f2, 4096); LAUNCH("barriers", "w16", p, g, b, work, some, f1, f2, 4096);
    LAUNCH("tiles", "b128", "rounds=512", g, b, work, k_tiles, (const float4 *)f1, f2, 512); }
}

int main(int argc, char **argv) {
  float *f1 = device_array<float>((size_t)1 << 26), *f2 = device_array<float>((size_t)1 << 26);
  products(f1, f2); single(f1, f2);
  return run(argc, argv, cs);
}

// What cache operators do: loads of the same lines again and again, by one warp or by several, with every operator, memory
// order and hint of PTX; stores and asynchronous copies likewise. Sectors that arrive from the L2 tell which of them use the
// L1, bytes from memory which of them prefetch in the L2. A kernel is compiled once per operator: its name says which.
#include <cstdarg>
#include "harness.h"

// --- operators: how a load, a store or a copy is written ------------------------------------------------------------------
#define LOAD(name, operation) \
  struct name { static __device__ float load(const float *p) { float v; asm volatile(operation " %0, [%1];" : "=f"(v) : "l"(p) : "memory"); return v; } }
LOAD(plain, "ld.global.f32");                     LOAD(ca, "ld.global.ca.f32");
LOAD(cg, "ld.global.cg.f32");                     LOAD(cs, "ld.global.cs.f32");
LOAD(lu, "ld.global.lu.f32");                     LOAD(cv, "ld.global.cv.f32");
LOAD(changing, "ld.volatile.global.f32");         LOAD(weak, "ld.weak.global.f32");
LOAD(relaxed_cta, "ld.relaxed.cta.global.f32");   LOAD(relaxed_gpu, "ld.relaxed.gpu.global.f32");
LOAD(relaxed_sys, "ld.relaxed.sys.global.f32");   LOAD(acquire_cta, "ld.acquire.cta.global.f32");
LOAD(acquire_gpu, "ld.acquire.gpu.global.f32");   LOAD(nc, "ld.global.nc.f32");
LOAD(nc_cg, "ld.global.cg.nc.f32");               LOAD(nc_cs, "ld.global.cs.nc.f32");
LOAD(nc_skip, "ld.global.nc.L1::no_allocate.f32"); LOAD(skip, "ld.global.L1::no_allocate.f32");
LOAD(first, "ld.global.L1::evict_first.f32");     LOAD(last, "ld.global.L1::evict_last.f32");
LOAD(unchanged, "ld.global.L1::evict_unchanged.f32");
LOAD(l2_64, "ld.global.L2::64B.f32");             LOAD(l2_128, "ld.global.L2::128B.f32");
LOAD(l2_256, "ld.global.L2::256B.f32");           LOAD(nc_256, "ld.global.nc.L2::256B.f32");
LOAD(skip_256, "ld.global.L1::no_allocate.L2::256B.f32");
#define HINT(name, policy) \
  struct name { static __device__ float load(const float *p) { \
    float v; unsigned long long h; asm("createpolicy.fractional.L2::" policy ".b64 %0, 1.0;" : "=l"(h)); \
    asm volatile("ld.global.L2::cache_hint.f32 %0, [%1], %2;" : "=f"(v) : "l"(p), "l"(h) : "memory"); return v; } }
HINT(l2_first, "evict_first"); HINT(l2_last, "evict_last");

#define STORE(name, operation) \
  struct name { static __device__ void store(float *p, float v) { asm volatile(operation " [%0], %1;" ::"l"(p), "f"(v) : "memory"); } }
STORE(st_plain, "st.global.f32"); STORE(st_wb, "st.global.wb.f32"); STORE(st_cg, "st.global.cg.f32"); STORE(st_cs, "st.global.cs.f32");
STORE(st_wt, "st.global.wt.f32"); STORE(st_changing, "st.volatile.global.f32"); STORE(st_relaxed, "st.relaxed.gpu.global.f32");
STORE(st_release, "st.release.gpu.global.f32"); STORE(st_skip, "st.global.L1::no_allocate.f32"); STORE(st_last, "st.global.L1::evict_last.f32");

#define COPY(name, operation, bytes) \
  struct name { static constexpr int floats = bytes / 4; static __device__ void copy(float *to, const float *from) { \
    asm volatile(operation " [%0], [%1], " #bytes ";" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory"); } }
COPY(async_ca4, "cp.async.ca.shared.global", 4);               COPY(async_ca16, "cp.async.ca.shared.global", 16);
COPY(async_cg16, "cp.async.cg.shared.global", 16);             COPY(async_ca16_128, "cp.async.ca.shared.global.L2::128B", 16);
COPY(async_cg16_128, "cp.async.cg.shared.global.L2::128B", 16); COPY(async_cg16_256, "cp.async.cg.shared.global.L2::256B", 16);

struct no_fence { static __device__ void fence() {} };
#define FENCE(name, operation) struct name { static __device__ void fence() { asm volatile(operation ";" ::: "memory"); } }
FENCE(fence_cta, "fence.acq_rel.cta"); FENCE(fence_gpu, "fence.acq_rel.gpu"); FENCE(fence_sc, "fence.sc.gpu"); FENCE(fence_membar, "membar.gl");
FENCE(fence_barrier, "bar.sync 0");

// --- patterns -------------------------------------------------------------------------------------------------------------
// A thread reads its own four elements again and again.
template <class Op> __global__ void k_again(const float *x, float *y, int rounds) {
  const float *p = x + (size_t)blockIdx.x * blockDim.x * 4 + threadIdx.x; float s = 0;
#pragma unroll 1
  for (int r = 0; r < rounds; r++)
#pragma unroll
    for (int k = 0; k < 4; k++) s += Op::load(p + k * blockDim.x);
  y[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
// All warps of a block read the same lines.
template <class Op> __global__ void k_warps(const float *x, float *y, int lines) {
  const float *p = x + (size_t)blockIdx.x * lines * 32 + threadIdx.x % 32; float s = 0;
#pragma unroll 1
  for (int l = 0; l < lines; l++) s += Op::load(p + l * 32);
  y[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
// A lane reads the eight elements of a sector of its own, one after the other.
template <class Op> __global__ void k_columns(const float *x, float *y) {
  size_t i = blockIdx.x * blockDim.x + threadIdx.x; float s = 0;
#pragma unroll 1
  for (int k = 0; k < 8; k++) s += Op::load(x + i * 8 + k);
  y[i] = s;
}
// Neighbours in a row: four loads, one element apart.
template <class Op> __global__ void k_neighbours(const float *x, float *y) {
  size_t i = blockIdx.x * blockDim.x + threadIdx.x; float s = 0;
#pragma unroll
  for (int k = 0; k < 4; k++) s += Op::load(x + i + k);
  y[i] = s;
}
// Plain loads first, then others of the same lines: do these hit what is there?
template <class Op> __global__ void k_warmed(const float *x, float *y, int rounds) {
  const float *p = x + (size_t)blockIdx.x * blockDim.x * 4 + threadIdx.x; float s = 0;
#pragma unroll
  for (int k = 0; k < 4; k++) s += plain::load(p + k * blockDim.x);
  if (s == 1234567) return;
#pragma unroll 1
  for (int r = 0; r < rounds; r++)
#pragma unroll
    for (int k = 0; k < 4; k++) s += Op::load(p + k * blockDim.x);
  y[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
// The other way round: plain loads of lines that others have loaded. Do these leave them in the L1?
template <class Op> __global__ void k_left(const float *x, float *y, int rounds) {
  const float *p = x + (size_t)blockIdx.x * blockDim.x * 4 + threadIdx.x; float s = 0;
#pragma unroll
  for (int k = 0; k < 4; k++) s += Op::load(p + k * blockDim.x);
  if (s == 1234567) return;
#pragma unroll 1
  for (int r = 0; r < rounds; r++)
#pragma unroll
    for (int k = 0; k < 4; k++) s += plain::load(p + k * blockDim.x);
  y[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
// Plain loads of `kept` elements per thread in every pass, and between passes a stream of `streamed` that is read once.
template <class Op> __global__ void k_stream(const float *x, const float *stream, float *y, int kept, int streamed, int passes) {
  int t = blockDim.x; const float *p = x + (size_t)blockIdx.x * t * kept + threadIdx.x;
  const float *q = stream + (size_t)blockIdx.x * t * streamed * passes + threadIdx.x; float s = 0;
#pragma unroll 1
  for (int r = 0; r < passes; r++) {
#pragma unroll 4
    for (int k = 0; k < kept; k++) s += plain::load(p + k * t);
    __syncthreads();
#pragma unroll 4
    for (int k = 0; k < streamed; k++) s += Op::load(q + k * t);
    __syncthreads(); q += (size_t)streamed * t;
  }
  y[blockIdx.x * t + threadIdx.x] = s;
}
// Plain loads again and again with a fence between passes: does it empty the L1?
template <class Op> __global__ void k_fence(const float *x, float *y, int rounds) {
  const float *p = x + (size_t)blockIdx.x * blockDim.x * 4 + threadIdx.x; float s = 0;
#pragma unroll 1
  for (int r = 0; r < rounds; r++) {
#pragma unroll
    for (int k = 0; k < 4; k++) s += plain::load(p + k * blockDim.x);
    Op::fence();
  }
  y[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
// The same with a load of another line between passes.
template <class Op> __global__ void k_flag(const float *x, const float *flag, float *y, int rounds) {
  const float *p = x + (size_t)blockIdx.x * blockDim.x * 4 + threadIdx.x; float s = 0;
#pragma unroll 1
  for (int r = 0; r < rounds; r++) {
#pragma unroll
    for (int k = 0; k < 4; k++) s += plain::load(p + k * blockDim.x);
    s += Op::load(flag);
  }
  y[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
// One element of every `stride`: the L2 may fetch more than its sector.
template <class Op> __global__ void k_sparse(const float *x, float *y, int stride) {
  size_t i = blockIdx.x * blockDim.x + threadIdx.x; y[i] = Op::load(x + i * stride);
}
template <class Op> __global__ void k_sparse_async(const float *x, float *y, int stride) {
  __shared__ __align__(16) float s[256 * 4]; size_t i = blockIdx.x * blockDim.x + threadIdx.x; float *to = s + threadIdx.x * Op::floats;
  Op::copy(to, x + i * stride); asm volatile("cp.async.wait_all;" ::: "memory");
  y[i] = *to;
}
// A thread copies its own elements to shared memory again and again.
template <class Op> __global__ void k_again_async(const float *x, float *y, int rounds) {
  __shared__ __align__(16) float s[256 * 4]; float *to = s + threadIdx.x * Op::floats, sum = 0;
  const float *p = x + (size_t)blockIdx.x * blockDim.x * Op::floats + threadIdx.x * Op::floats;
#pragma unroll 1
  for (int r = 0; r < rounds; r++) { Op::copy(to, p); asm volatile("cp.async.wait_all;" ::: "memory"); sum += *to; }
  y[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
// Plain loads of what was copied, and copies of what was loaded.
template <class Op> __global__ void k_left_async(const float *x, float *y, int rounds) {
  __shared__ __align__(16) float s[256 * 4]; float *to = s + threadIdx.x * Op::floats, sum = 0;
  const float *p = x + (size_t)blockIdx.x * blockDim.x * Op::floats + threadIdx.x * Op::floats;
  Op::copy(to, p); asm volatile("cp.async.wait_all;" ::: "memory"); sum = *to;
  if (sum == 1234567) return;
#pragma unroll 1
  for (int r = 0; r < rounds; r++) sum += plain::load(p);
  y[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
template <class Op> __global__ void k_warmed_async(const float *x, float *y, int rounds) {
  __shared__ __align__(16) float s[256 * 4]; float *to = s + threadIdx.x * Op::floats;
  const float *p = x + (size_t)blockIdx.x * blockDim.x * Op::floats + threadIdx.x * Op::floats; float sum = plain::load(p);
  if (sum == 1234567) return;
#pragma unroll 1
  for (int r = 0; r < rounds; r++) { Op::copy(to, p); asm volatile("cp.async.wait_all;" ::: "memory"); sum += *to; }
  y[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
// Stores: whole lines several times; every other element, then the rest; and plain loads of what was stored.
template <class Op> __global__ void k_store(float *y, int rounds) {
  float *p = y + (size_t)blockIdx.x * blockDim.x * 4 + threadIdx.x;
#pragma unroll 1
  for (int r = 0; r < rounds; r++)
#pragma unroll
    for (int k = 0; k < 4; k++) Op::store(p + k * blockDim.x, (float)r);
}
template <class Op> __global__ void k_store_halves(float *y) {
  size_t i = blockIdx.x * blockDim.x + threadIdx.x;
  Op::store(y + 2 * i, 1.f); Op::store(y + 2 * i + 1, 2.f);
}
template <class Op> __global__ void k_store_load(float *y, float *out, int rounds) {
  float *p = y + (size_t)blockIdx.x * blockDim.x * 4 + threadIdx.x; float s = 0;
#pragma unroll
  for (int k = 0; k < 4; k++) s += plain::load(p + k * blockDim.x);
#pragma unroll
  for (int k = 0; k < 4; k++) Op::store(p + k * blockDim.x, s);
#pragma unroll 1
  for (int r = 0; r < rounds; r++)
#pragma unroll
    for (int k = 0; k < 4; k++) s += plain::load(p + k * blockDim.x);
  out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
// Parts of an array that fits in the L2, read in every pass, and a stream that does not fit: do hints keep the parts?
template <class Keep, class Op> __global__ void k_l2_keep(const float *x, const float *stream, float *y, int kept, int streamed, int passes) {
  int t = blockDim.x; const float *p = x + (size_t)blockIdx.x * t * kept + threadIdx.x;
  const float *q = stream + (size_t)blockIdx.x * t * streamed * passes + threadIdx.x; float s = 0;
#pragma unroll 1
  for (int r = 0; r < passes; r++) {
#pragma unroll 4
    for (int k = 0; k < kept; k++) s += Keep::load(p + k * t);
#pragma unroll 4
    for (int k = 0; k < streamed; k++) s += Op::load(q + k * t);
    q += (size_t)streamed * t;
  }
  y[blockIdx.x * t + threadIdx.x] = s;
}

static std::vector<Config> launches;
static float *x, *stream, *y;
static std::string P(const char *fmt, ...) { char s[200]; va_list a; va_start(a, fmt); vsnprintf(s, sizeof s, fmt, a); va_end(a); return s; }
#define LAUNCH(family, variant, params, g, b, K, ...) do { auto *k_ = K; dim3 g_(g), b_(b); \
  launches.push_back({family, variant, params, g_, b_, (double)g_.x * b_.x, (const void *)k_, 0, [=] { k_<<<g_, b_>>>(__VA_ARGS__); }}); } while (0)

template <class Op> static void loads(const char *name) {
  LAUNCH("again", name, "rounds=16", 1056, 256, k_again<Op>, x, y, 16);
  LAUNCH("warps", name, "lines=64", 1056, 256, k_warps<Op>, x, y, 64);
  LAUNCH("columns", name, "k=8", 4224, 256, k_columns<Op>, x, y);
  LAUNCH("neighbours", name, "k=4", 8448, 256, k_neighbours<Op>, x, y);
}
template <class Op> static void mixed(const char *name) {
  LAUNCH("warmed", name, "rounds=3", 1056, 256, k_warmed<Op>, x, y, 3);
  LAUNCH("left", name, "rounds=3", 1056, 256, k_left<Op>, x, y, 3);
  LAUNCH("stream", name, "kept=24;streamed=96;passes=8", 132, 1024, k_stream<Op>, x, stream, y, 24, 96, 8);
}
template <class Op> static void sparse(const char *name) { for (int s : {16, 64}) LAUNCH("sparse", name, P("stride=%d", s), 2112, 256, k_sparse<Op>, x, y, s); }
template <class Op> static void flag(const char *name) { LAUNCH("flag", name, "rounds=8", 1056, 256, k_flag<Op>, x, stream, y, 8); }
template <class Op> static void fence(const char *name) { LAUNCH("fence", name, "rounds=8", 1056, 256, k_fence<Op>, x, y, 8); }
template <class Op> static void copies(const char *name) {
  LAUNCH("again_async", name, "rounds=16", 1056, 256, k_again_async<Op>, x, y, 16);
  LAUNCH("left_async", name, "rounds=3", 1056, 256, k_left_async<Op>, x, y, 3);
  LAUNCH("warmed_async", name, "rounds=3", 1056, 256, k_warmed_async<Op>, x, y, 3);
  for (int s : {16, 64}) LAUNCH("sparse_async", name, P("stride=%d", s), 2112, 256, k_sparse_async<Op>, x, y, s);
}
template <class Op> static void stores(const char *name) {
  LAUNCH("store", name, "rounds=4", 1056, 256, k_store<Op>, y, 4);
  LAUNCH("store_halves", name, "k=2", 16896, 256, k_store_halves<Op>, y);
  LAUNCH("store_load", name, "rounds=3", 1056, 256, k_store_load<Op>, y, stream, 3);
}
template <class Keep, class Op> static void keep(const char *name) {
  LAUNCH("l2_keep", name, "kept=16;streamed=64;passes=6", 264, 1024, (k_l2_keep<Keep, Op>), x, stream, y, 16, 64, 6);
}
#define EACH(what, op) what<op>(#op)
int main(int argc, char **argv) {
  x = device_array<float>((size_t)1 << 26), stream = device_array<float>((size_t)1 << 27), y = device_array<float>((size_t)1 << 24);
  EACH(loads, plain); EACH(loads, ca); EACH(loads, cg); EACH(loads, cs); EACH(loads, lu); EACH(loads, cv); EACH(loads, changing); EACH(loads, weak);
  EACH(loads, relaxed_cta); EACH(loads, relaxed_gpu); EACH(loads, relaxed_sys); EACH(loads, acquire_cta); EACH(loads, acquire_gpu);
  EACH(loads, nc); EACH(loads, nc_cg); EACH(loads, nc_cs); EACH(loads, nc_skip); EACH(loads, skip); EACH(loads, first); EACH(loads, last); EACH(loads, unchanged);
  EACH(loads, l2_256); EACH(loads, l2_first);
  EACH(mixed, plain); EACH(mixed, cg); EACH(mixed, cs); EACH(mixed, lu); EACH(mixed, changing); EACH(mixed, relaxed_cta); EACH(mixed, relaxed_gpu);
  EACH(mixed, acquire_gpu); EACH(mixed, nc); EACH(mixed, nc_skip); EACH(mixed, skip); EACH(mixed, first); EACH(mixed, last); EACH(mixed, unchanged);
  EACH(flag, plain); EACH(flag, cg); EACH(flag, changing); EACH(flag, relaxed_gpu); EACH(flag, acquire_cta); EACH(flag, acquire_gpu);
  EACH(fence, no_fence); EACH(fence, fence_cta); EACH(fence, fence_gpu); EACH(fence, fence_sc); EACH(fence, fence_membar); EACH(fence, fence_barrier);
  EACH(sparse, plain); EACH(sparse, cg); EACH(sparse, skip); EACH(sparse, l2_64); EACH(sparse, l2_128); EACH(sparse, l2_256); EACH(sparse, nc_256);
  EACH(sparse, skip_256); EACH(sparse, l2_first);
  EACH(copies, async_ca4); EACH(copies, async_ca16); EACH(copies, async_cg16); EACH(copies, async_ca16_128); EACH(copies, async_cg16_128); EACH(copies, async_cg16_256);
  EACH(stores, st_plain); EACH(stores, st_wb); EACH(stores, st_cg); EACH(stores, st_cs); EACH(stores, st_wt); EACH(stores, st_changing); EACH(stores, st_relaxed);
  EACH(stores, st_release); EACH(stores, st_skip); EACH(stores, st_last);
  keep<plain, plain>("plain"); keep<plain, l2_first>("stream_first"); keep<l2_last, plain>("kept_last"); keep<l2_last, l2_first>("both");
  return run(argc, argv, launches);
}

/* latency.cu - cycles from an instruction to the first that can use its result, class by class.
 *
 * A lone warp with one chain: every step takes the result of the step before, so that it takes as long as its
 * instruction. Operands are known at run time only; an operation that would fold with the next one alternates with
 * another of the same latency. SPDX-License-Identifier: MIT */
#include "timing.h"

enum { UNROLL = 64, ROUNDS = 128, RING = 64, LINE = 128 };

/* What a chain may use: an operand, and places in memory that hold the address of the next one. */
struct surroundings {
    float a;
    int b;
    long long zero;
    char *ring;
    cudaTextureObject_t texture;
};

struct fma_f32 {
    float v;
    __device__ void start(const surroundings &, unsigned) { v = 1; }
    __device__ void step(const surroundings &s) { asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(v) : "f"(s.a)); }
};
struct add_and_logic { /* two instructions: two additions in a row become one of three operands */
    int v;
    __device__ void start(const surroundings &, unsigned) { v = 1; }
    __device__ void step(const surroundings &s)
    {
        asm volatile("add.s32 %0, %0, %1;\n\txor.b32 %0, %0, %2;" : "+r"(v) : "r"(s.b), "r"((int)s.zero));
    }
};
struct mad_s32 {
    int v;
    __device__ void start(const surroundings &, unsigned) { v = 1; }
    __device__ void step(const surroundings &s) { asm volatile("mad.lo.s32 %0, %0, %1, %1;" : "+r"(v) : "r"(s.b)); }
};
struct fma_f64 {
    double v;
    __device__ void start(const surroundings &, unsigned) { v = 1; }
    __device__ void step(const surroundings &s)
    {
        asm volatile("fma.rn.f64 %0, %0, %1, %1;" : "+d"(v) : "d"((double)s.a));
    }
};
struct exponential {
    float v;
    __device__ void start(const surroundings &, unsigned) { v = 1; }
    __device__ void step(const surroundings &) { asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(v)); }
};
struct root {
    float v;
    __device__ void start(const surroundings &s, unsigned) { v = s.a; }
    __device__ void step(const surroundings &) { asm volatile("rsqrt.approx.ftz.f32 %0, %0;" : "+f"(v)); }
};
/* Of the bits of the result before. */
struct f32_to_s32 {
    int v;
    __device__ void start(const surroundings &, unsigned) { v = 1; }
    __device__ void step(const surroundings &)
    {
        asm volatile("cvt.rzi.s32.f32 %0, %1;" : "=r"(v) : "f"(__int_as_float(v)));
    }
};
struct s32_to_f32 {
    float v;
    __device__ void start(const surroundings &, unsigned) { v = 1; }
    __device__ void step(const surroundings &)
    {
        asm volatile("cvt.rn.f32.s32 %0, %1;" : "=f"(v) : "r"(__float_as_int(v)));
    }
};
struct f32_f64_f32 { /* two conversions */
    float v;
    __device__ void start(const surroundings &, unsigned) { v = 1; }
    __device__ void step(const surroundings &)
    {
        asm volatile("{.reg .f64 t;\n\tcvt.f64.f32 t, %0;\n\tcvt.rn.f32.f64 %0, t;}" : "+f"(v));
    }
};
struct shuffle {
    int v;
    __device__ void start(const surroundings &, unsigned) { v = threadIdx.x; }
    __device__ void step(const surroundings &)
    {
        asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 31, 0xffffffff;" : "+r"(v));
    }
};
struct shared_load {
    int v;
    __device__ void start(const surroundings &, unsigned cell) { v = (int)cell; }
    __device__ void step(const surroundings &) { asm volatile("ld.shared.b32 %0, [%0];" : "+r"(v)); }
};
struct atomic {
    long long v;
    __device__ void start(const surroundings &s, unsigned) { v = (long long)s.ring; }
    __device__ void step(const surroundings &s)
    {
        asm volatile("atom.global.add.u64 %0, [%0], %1;" : "+l"(v) : "l"(s.zero) : "memory");
    }
};
struct texture_fetch { /* of a cell that holds 0 */
    int v;
    __device__ void start(const surroundings &, unsigned) { v = 0; }
    __device__ void step(const surroundings &s) { v = tex1Dfetch<int>(s.texture, v); }
};
struct product { /* f16 matrices of 16 x 16 and 16 x 8, added up in f32 */
    float v[4];
    __device__ void start(const surroundings &s, unsigned) { v[0] = v[1] = v[2] = v[3] = s.a; }
    __device__ void step(const surroundings &s)
    {
#if __CUDA_ARCH__ >= 800
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %4, %4, %4}, {%4, %4}, "
                     "{%0, %1, %2, %3};"
                     : "+f"(v[0]), "+f"(v[1]), "+f"(v[2]), "+f"(v[3])
                     : "r"(s.b));
#endif
    }
};

__device__ static bool is_magic(float v) { return v == 1e37f; }
__device__ static bool is_magic(double v) { return v == 1e37; }
__device__ static bool is_magic(int v) { return v == MAGIC; }
__device__ static bool is_magic(long long v) { return v == MAGIC; }
__device__ static bool is_magic(const float *v) { return v[0] + v[1] + v[2] + v[3] == 1e37f; }

template <class CHAIN> static __global__ void chain_kernel(int rounds, surroundings s, long long *log, int *sink)
{
    __shared__ unsigned cell; /* holds its own address */
    const unsigned address = (unsigned)__cvta_generic_to_shared(&cell);
    CHAIN c;
    cell = address;
    __syncthreads();
    c.start(s, address);
    const long long start = clock64();
#pragma unroll 1
    for (int r = 0; r < rounds; r++) {
#pragma unroll
        for (int u = 0; u < UNROLL; u++)
            c.step(s);
    }
    if (is_magic(c.v))
        *sink = 1;
    log[0] = clock64() - start;
}

/* Cycles per step. */
template <class CHAIN> static double chain(machine &m, const surroundings &s, const char *what, int threads = 32)
{
    const double cycles =
        log_median(m, 1, [&] { chain_kernel<CHAIN><<<1, threads>>>(ROUNDS, s, m.log, m.sink); }) / (ROUNDS * UNROLL);
    record(m, text("chain=%s", what), "cycles_per_step", cycles, "cycles");
    return cycles;
}

/* ---- barriers and branches ---- */

static __global__ void __launch_bounds__(1024) barrier_kernel(int rounds, long long *log)
{
    const long long start = clock64();
#pragma unroll 1
    for (int r = 0; r < rounds; r++) {
#pragma unroll
        for (int u = 0; u < UNROLL; u++)
            asm volatile("bar.sync 0;" ::: "memory");
    }
    if (threadIdx.x == 0)
        log[0] = clock64() - start;
}

/* A counting loop: an addition, a comparison that waits for it, and a branch that waits for the comparison. */
static __global__ void branch_kernel(int rounds, int one, long long *log, int *sink)
{
    const long long start = clock64();
    int i = 0;
    asm volatile("{.reg .pred p;\n"
                 "again: add.s32 %0, %0, %1;\n\t"
                 "setp.lt.s32 p, %0, %2;\n\t"
                 "@p bra again;}"
                 : "+r"(i)
                 : "r"(one), "r"(rounds));
    consume(sink, i);
    log[0] = clock64() - start;
}

static double barrier(machine &m, int warps)
{
    const double cycles =
        log_median(m, 1, [&] { barrier_kernel<<<1, 32 * warps>>>(ROUNDS, m.log); }) / (ROUNDS * UNROLL);
    record(m, text("warps=%d", warps), "cycles_per_barrier", cycles, "cycles");
    return cycles;
}

/* ---- the benchmark ---- */

static cudaTextureObject_t texture_of_zeros(machine &m)
{
    cudaResourceDesc resource = {};
    cudaTextureDesc how = {};
    cudaTextureObject_t texture = 0;
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = m.buffer + m.buffer_bytes / 2;
    resource.res.linear.desc = cudaCreateChannelDesc<int>();
    resource.res.linear.sizeInBytes = LINE;
    how.readMode = cudaReadModeElementType;
    CUDA(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
    return texture;
}

static void link(machine &m)
{
    for (size_t i = 0; i < RING; i++) {
        const char *next = m.buffer + (i + 1) % RING * LINE;
        CUDA(cudaMemcpy(m.buffer + i * LINE, &next, sizeof next, cudaMemcpyHostToDevice));
    }
}

static void latencies(machine &m)
{
    const window pipe = {1, 100}, memory = {5, 5000};
    const surroundings s = {0.9f, 3, 0, m.buffer, texture_of_zeros(m)};
    link(m);
    keep(m, CAL_fp32_latency, chain<fma_f32>(m, s, "fma.f32"), pipe, "dependent multiply-adds");
    const double add = chain<add_and_logic>(m, s, "add.s32+xor") / 2, mad = chain<mad_s32>(m, s, "mad.lo.s32");
    keep(m, CAL_int32_latency, add, pipe, text("additions and logic by turns; multiply-adds %.2f", mad).c_str());
    keep(m, CAL_fp64_latency, chain<fma_f64>(m, s, "fma.f64"), {1, 500}, "dependent multiply-adds");
    const double ex2 = chain<exponential>(m, s, "ex2.f32"), rsqrt = chain<root>(m, s, "rsqrt.f32");
    const double to = chain<f32_to_s32>(m, s, "cvt.s32.f32"), from = chain<s32_to_f32>(m, s, "cvt.f32.s32"),
                 width = chain<f32_f64_f32>(m, s, "f32-f64-f32") / 2;
    keep(m, CAL_sfu_latency, ex2, pipe,
         text("exponentials; reciprocal square roots %.2f, f32 to s32 %.2f, s32 to f32 %.2f, f32 from and to f64 %.2f",
              rsqrt, to, from, width)
             .c_str());
    const double exchange = chain<shuffle>(m, s, "shfl.bfly");
    keep(m, CAL_shared_latency, chain<shared_load>(m, s, "ld.shared"), memory,
         text("pointer chase; exchanges between lanes %.2f", exchange).c_str());
    keep(m, CAL_atomic_latency, chain<atomic>(m, s, "atom.add.u64", 1), memory, "pointer chase by additions of 0");
    (void)chain<texture_fetch>(m, s, "tex.1d", 1); /* for the CSV: no model reads it */
    if (m.prop.major >= 8)
        keep(m, CAL_tensor_latency, chain<product>(m, s, "mma.m16n8k16.f16"), {4, 500}, "products added up in f32");
    CUDA(cudaDestroyTextureObject(s.texture));
}

static void barriers(machine &m)
{
    double at_8 = 0;
    for (int warps = 1; warps <= 32; warps *= 2) {
        const double cycles = barrier(m, warps);
        at_8 = warps == 8 ? cycles : at_8;
    }
    keep(m, CAL_barrier_latency, at_8, {2, 2000}, "8 warps in step");
}

static void branches(machine &m)
{
    const int trips = 4096;
    const double trip = log_median(m, 1, [&] { branch_kernel<<<1, 32>>>(trips, 1, m.log, m.sink); }) / trips;
    record(m, "", "cycles_per_trip", trip, "cycles");
    keep(m, CAL_branch_latency, trip - 2 * known(m, CAL_int32_latency, 4), {1, 200},
         "trip of a counting loop less an addition and a comparison");
}

const benchmark latency_benchmarks[] = {
    {"latency", "cycles until a result can be used, by class of instruction", latencies},
    {"barrier", "cycles of a barrier", barriers},
    {"branch", "cycles of a taken branch", branches},
    {nullptr, nullptr, nullptr},
};

/* arith.cu - results per cycle of the arithmetic pipes, the issue rate, and what an instruction of a lone warp takes.
 *
 * Every thread keeps eight chains; 32 warps per multiprocessor keep the pipe full. No operation can be simplified: its
 * operands are known at run time only, and integer chains take from their neighbours, so that two steps never fold into
 * one. SPDX-License-Identifier: MIT */
#include "timing.h"

enum { CHAINS = 8, STEPS = 16 };

struct fma32 {
    typedef float type;
    static __device__ void step(float *v, int i, float a)
    {
        asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(v[i]) : "f"(a), "f"(v[i ^ 1]));
    }
};
struct fma64 {
    typedef double type;
    static __device__ void step(double *v, int i, double a)
    {
        asm volatile("fma.rn.f64 %0, %0, %1, %2;" : "+d"(v[i]) : "d"(a), "d"(v[i ^ 1]));
    }
};
struct fma16 { /* two results per lane */
    typedef unsigned type;
    static __device__ void step(unsigned *v, int i, unsigned a)
    {
        asm volatile("fma.rn.f16x2 %0, %0, %1, %2;" : "+r"(v[i]) : "r"(a), "r"(v[i ^ 1]));
    }
};
struct self16 { /* an instruction that reads two different registers only */
    typedef unsigned type;
    static __device__ void step(unsigned *v, int i, unsigned a)
    {
        asm volatile("fma.rn.f16x2 %0, %0, %1, %0;" : "+r"(v[i]) : "r"(a));
    }
};
struct fixed16 { /* ... one register and a number in the instruction */
    typedef unsigned type;
    static __device__ void step(unsigned *v, int i, unsigned)
    {
        asm volatile("fma.rn.f16x2 %0, %0, %1, %0;" : "+r"(v[i]) : "r"(0x3a003a00));
    }
};
struct mul16 {
    typedef unsigned type;
    static __device__ void step(unsigned *v, int i, unsigned)
    {
        asm volatile("mul.rn.f16x2 %0, %0, %1;" : "+r"(v[i]) : "r"(0x3a003a00));
    }
};
struct add32 {
    typedef int type;
    static __device__ void step(int *v, int i, int)
    {
        asm volatile("add.s32 %0, %0, %1;" : "+r"(v[i]) : "r"(v[i ^ 1]));
    }
};
struct logic {
    typedef int type;
    static __device__ void step(int *v, int i, int a)
    {
        asm volatile("lop3.b32 %0, %0, %1, %2, 0x96;" : "+r"(v[i]) : "r"(v[i ^ 1]), "r"(a));
    }
};
struct exp32 {
    typedef float type;
    static __device__ void step(float *v, int i, float) { asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(v[i])); }
};
struct to_int { /* from the bits of the result before */
    typedef int type;
    static __device__ void step(int *v, int i, int)
    {
        asm volatile("cvt.rzi.s32.f32 %0, %1;" : "=r"(v[i]) : "f"(__int_as_float(v[i])));
    }
};
struct from_int {
    typedef int type;
    static __device__ void step(int *v, int i, int)
    {
        float f;
        asm volatile("cvt.rn.f32.s32 %0, %1;" : "=f"(f) : "r"(v[i]));
        v[i] = __float_as_int(f);
    }
};
/* 64-bit result of 32-bit factors, as in the address of p[i]; both halves go on, or the multiplication is narrowed. */
struct wide {
    typedef long long type;
    static __device__ void step(long long *v, int i, long long)
    {
        asm volatile("mul.wide.s32 %0, %1, %2;" : "=l"(v[i]) : "r"((int)v[i]), "r"((int)(v[i] >> 32)));
    }
};
struct mixed { /* multiply-add and logic by turns, on different pipes */
    typedef float type;
    static __device__ void step(float *v, int i, float a)
    {
        if (i % 4 < 2)
            asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(v[i]) : "f"(a), "f"(v[i ^ 1]));
        else {
            int x = __float_as_int(v[i]);
            asm volatile("lop3.b32 %0, %0, %1, %2, 0x96;"
                         : "+r"(x)
                         : "r"(__float_as_int(v[i ^ 1])), "r"(__float_as_int(a)));
            v[i] = __int_as_float(x);
        }
    }
};

template <class OP>
static __global__ void __launch_bounds__(1024) pipe(int rounds, typename OP::type a, long long *log, int *sink)
{
    typename OP::type v[CHAINS];
#pragma unroll
    for (int i = 0; i < CHAINS; i++)
        v[i] = (typename OP::type)(threadIdx.x + i);
    __syncthreads();
    const long long start = clock64();
    for (int r = 0; r < rounds; r++) {
#pragma unroll
        for (int s = 0; s < STEPS; s++)
#pragma unroll
            for (int i = 0; i < CHAINS; i++)
                OP::step(v, i, a);
    }
    typename OP::type sum = 0;
#pragma unroll
    for (int i = 0; i < CHAINS; i++)
        sum += v[i];
    if (sum == (typename OP::type)MAGIC)
        *sink = 1;
    __syncthreads();
    if (threadIdx.x == 0)
        log[blockIdx.x] = clock64() - start;
}

/* Warp instructions per cycle and multiprocessor. */
template <class OP> static double pipe_rate(machine &m, const char *what, double a, int rounds)
{
    double best = 0;
    for (const int threads : {512, 1024}) {
        const double cycles =
            log_median(m, m.sms, [&] { pipe<OP><<<m.sms, threads>>>(rounds, (typename OP::type)a, m.log, m.sink); });
        const double rate = (double)rounds * STEPS * CHAINS * threads / m.prop.warpSize / cycles;
        record(m, text("operation=%s;threads=%d", what, threads), "warp_instructions", rate, "1/cycle");
        best = std::max(best, rate);
    }
    return best;
}

static void arithmetic(machine &m)
{
    const double lanes = m.prop.warpSize, parts = known(m, CAL_sub_partitions, 4);
    const window per_sm = {0.5, 1.02 * lanes * parts}; /* results per cycle: at most one per lane and scheduler */
    const int rounds = 256;
    keep(m, CAL_fp64_rate, lanes * pipe_rate<fma64>(m, "fma.f64", 0.9, rounds), per_sm);
    const double fma = pipe_rate<fma32>(m, "fma.f32", 0.9, rounds),
                 mix = pipe_rate<mixed>(m, "fma.f32+lop3", 0.9, rounds);
    keep(m, CAL_fp32_rate, lanes * fma, per_sm);
    /* reading three different registers may take longer than the pipes need */
    const double half = std::max({pipe_rate<fma16>(m, "fma.f16x2;registers=3", 0x3a003a00, rounds),
                                  pipe_rate<self16>(m, "fma.f16x2;registers=2", 0x3a003a00, rounds),
                                  pipe_rate<fixed16>(m, "fma.f16x2;registers=1", 0, rounds),
                                  pipe_rate<mul16>(m, "mul.f16x2;registers=1", 0, rounds)});
    keep(m, CAL_fp16_rate, 2 * lanes * half, {0.5, 2 * per_sm.high}, "packed pairs, two results per lane");
    /* the compiler spreads adds over the integer and the multiply pipe; logic stays on the integer pipe */
    const double adds = lanes * pipe_rate<add32>(m, "add.s32", 0, rounds);
    keep(m, CAL_int32_rate, lanes * pipe_rate<logic>(m, "lop3.b32", 5, rounds), per_sm,
         text("integer pipe, by logic; adds spread over two pipes reach %.0f", adds).c_str());
    const double to = lanes * pipe_rate<to_int>(m, "cvt.s32.f32", 0, rounds),
                 from = lanes * pipe_rate<from_int>(m, "cvt.f32.s32", 0, rounds);
    keep(m, CAL_sfu_rate, lanes * pipe_rate<exp32>(m, "ex2.f32", 0, rounds), per_sm,
         text("exponentials; f32 to s32 reach %.0f, s32 to f32 %.0f", to, from).c_str());
    keep(m, CAL_issue_rate, std::max(fma, mix), {0.6 * parts, 1.02 * parts}, "multiply-adds alone or with logic");
    (void)pipe_rate<wide>(m, "mul.wide.s32", 3, rounds); /* for the CSV: half of int32_rate is assumed */
}

/* A lone warp: multiply-add, add and logic by turns in N chains of dependent instructions. */
template <int N> static __global__ void lone_warp(int rounds, float a, int b, long long *log, int *sink)
{
    int v[N];
#pragma unroll
    for (int i = 0; i < N; i++)
        v[i] = (int)threadIdx.x + i;
    const long long start = clock64();
    for (int r = 0; r < rounds; r++) {
#pragma unroll
        for (int s = 0; s < 16; s++) {
#pragma unroll
            for (int i = 0; i < N; i++) {
                float f = __int_as_float(v[i]);
                asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(f) : "f"(a));
                v[i] = __float_as_int(f);
            }
#pragma unroll
            for (int i = 0; i < N; i++)
                asm volatile("add.s32 %0, %0, %1;" : "+r"(v[i]) : "r"(b));
#pragma unroll
            for (int i = 0; i < N; i++)
                asm volatile("lop3.b32 %0, %0, %1, %2, 0x6a;" : "+r"(v[i]) : "r"(b), "r"(__float_as_int(a)));
        }
    }
    int sum = 0;
#pragma unroll
    for (int i = 0; i < N; i++)
        sum ^= v[i];
    consume(sink, sum);
    log[0] = clock64() - start;
}

template <int N> static double lone(machine &m)
{
    const int rounds = 256;
    const double cycles =
        log_median(m, 1, [&] { lone_warp<N><<<1, 32>>>(rounds, 0.9f, 3, m.log, m.sink); }) / (rounds * 16.0 * 3 * N);
    record(m, text("chains=%d", N), "instruction_of_a_lone_warp", cycles, "cycles");
    return cycles;
}

static void instruction_wait(machine &m)
{
    /* for the CSV: two chains show what follows from the latencies */
    lone<1>(m);
    lone<2>(m);
    lone<4>(m);
    lone<8>(m);
}

const benchmark arith_benchmarks[] = {
    {"arith", "results per cycle of the arithmetic pipes", arithmetic},
    {"wait", "cycles per instruction of a lone warp", instruction_wait},
    {nullptr, nullptr, nullptr},
};

// chains.cu - how long one warp takes for an operation whose operand is the result of the one before
// it: latencies of arithmetic, of library functions, and of code that cannot be moved over a branch.
// Prints rows of validate/probes/h200_chains.csv: name, trips of the loop, operations of a trip,
// warps, nanoseconds per operation of a warp. SPDX-License-Identifier: MIT
#include <cstdio>
#include <cuda_runtime.h>

#define TRIPS 4096
#define EIGHT(x) x x x x x x x x

// x: the value that is handed on; a and b: other operands, which the compiler does not know
// by_lane: the compiler does not know that lanes take the same side of a branch
#define CHAIN(name, type, expression)                                                                                  \
    CHAIN_FROM(chain_##name, type, a, expression) CHAIN_FROM(by_lane_##name, type, a + (type)(threadIdx.x % 2), expression)
#define CHAIN_FROM(kernel, type, first, expression)                                                                    \
    extern "C" __global__ void kernel(type *out, type a, type b, int trips)                                            \
    {                                                                                                                  \
        type x = first;                                                                                                \
        _Pragma("unroll 1") for (int t = 0; t < trips; t++)                                                            \
        {                                                                                                              \
            EIGHT(x = expression;)                                                                                     \
        }                                                                                                              \
        out[threadIdx.x] = x;                                                                                          \
    }

#define EACH(C)                                                                                                        \
    C(add_f32, float, x + b, 1, 2)                                                                                     \
    C(fma_f32, float, fmaf(x, b, a), 1, .5)                                                                            \
    C(div_f32, float, b / x, 1.5, 3)                                                                                   \
    C(rcp_f32, float, 1.0f / x, 1.5, 3)                                                                                \
    C(sqrt_f32, float, sqrtf(x) + b, 1.5, 3)                                                                           \
    C(rsqrt_f32, float, rsqrtf(x) + b, 1.5, 3)                                                                         \
    C(exp_f32, float, expf(b - x), 1.5, 1)                                                                             \
    C(fast_exp_f32, float, __expf(b - x), 1.5, 1)                                                                      \
    C(log_f32, float, logf(x) + b, 1.5, 3)                                                                             \
    C(sin_f32, float, sinf(x), 1.5, 1)                                                                                 \
    C(pow_f32, float, powf(x, b) + a, 1.5, .5)                                                                         \
    C(tanh_f32, float, tanhf(x) + b, 1.5, .5)                                                                          \
    C(erf_f32, float, erff(x) + b, 1.5, .5)                                                                            \
    C(atan2_f32, float, atan2f(x, b) + a, 1.5, .5)                                                                     \
    C(add_f64, double, x + b, 1, 2)                                                                                    \
    C(fma_f64, double, fma(x, b, a), 1, .5)                                                                            \
    C(div_f64, double, b / x, 1.5, 3)                                                                                  \
    C(rcp_f64, double, 1.0 / x, 1.5, 3)                                                                                \
    C(sqrt_f64, double, sqrt(x) + b, 1.5, 3)                                                                           \
    C(exp_f64, double, exp(b - x), 1.5, 1)                                                                             \
    C(log_f64, double, log(x) + b, 1.5, 3)                                                                             \
    C(sin_f64, double, sin(x), 1.5, 1)                                                                                 \
    C(pow_f64, double, pow(x, b) + a, 1.5, .5)                                                                         \
    C(add_s32, int, (x ^ b) + a, 77, 5)                                                                                \
    C(mad_s32, int, x *b + a, 77, 5)                                                                                   \
    C(mulhi_u32, unsigned, __umulhi(x, b) + a, 77777777u, 0x89abcdefu)                                                 \
    C(shift_u32, unsigned, (x >> b) + a, 77777777u, 5u)                                                                \
    C(popc_u32, unsigned, __popc(x) + a, 77777777u, 5u)                                                                \
    C(div_s32, int, a / x + b, 7777, 5)                                                                                \
    C(rem_u32, unsigned, a % x + b, 77777777u, 4567u)                                                                  \
    C(mul_s64, long long, x *b + a, 77, 5)                                                                             \
    C(div_s64, long long, a / x + b, 777777777777ll, 55555)                                                            \
    C(convert_f32, float, (float)(int)x + b, 100, 1)                                                                   \
    C(convert_f64, float, (float)((double)x + b), 100, 1)                                                              \
    C(shuffle, int, __shfl_xor_sync(~0u, x, b) + a, 77, 5)                                                             \
    C(ballot, unsigned, __ballot_sync(~0u, x > b) + a, 77u, 5u)

#define MAKE(name, type, expression, a, b) CHAIN(name, type, expression)
EACH(MAKE)

// loads and two functions with slow paths, in a loop that the compiler unrolls: does anything move
// over them?
extern "C" __global__ void trip_roots(const float *x, float *out, float a, int n)
{
    float sum = 0;
    for (int j = 0; j < n; j++) {
        const float d = x[j] - a;
        sum += 1.0f / (sqrtf(d * d + a) * d);
    }
    out[threadIdx.x] = sum;
}
extern "C" __global__ void trip_fast(const float *x, float *out, float a, int n)
{
    float sum = 0;
    for (int j = 0; j < n; j++) {
        const float d = x[j] - a;
        sum += rsqrtf(d * d + a) * d;
    }
    out[threadIdx.x] = sum;
}
extern "C" __global__ void trip_quotients(const double *x, double *out, double a, int n)
{
    double sum = 0;
    for (int j = 0; j < n; j++)
        sum += a / (x[j] + a);
    out[threadIdx.x] = sum;
}
// pointers in a ring: a load waits for the one before it
extern "C" __global__ void ring_l1(const int *next, int *out, int n)
{
    int at = 0;
    for (int j = 0; j < n; j++)
        at = next[at];
    out[threadIdx.x] = at;
}
extern "C" __global__ void ring_shared(const int *next, int *out, int n)
{
    __shared__ int ring[1024];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x)
        ring[i] = next[i];
    __syncthreads();
    int at = 0;
    for (int j = 0; j < n; j++)
        at = ring[at];
    out[threadIdx.x] = at;
}
__constant__ int constant_ring[16384];
extern "C" __global__ void ring_constant(int *out, int start, int n)
{
    int at = start;
    for (int j = 0; j < n; j++)
        at = constant_ring[at];
    out[threadIdx.x] = at;
}
// constants by lane: `distinct` different words, `apart` words from each other
extern "C" __global__ void constant_lanes(int *out, int distinct, int apart, int n)
{
    int at = (threadIdx.x % distinct) * apart, sum = 0;
    for (int j = 0; j < n; j++) {
        sum += constant_ring[at & 16383];
        at += 32 * apart;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
extern "C" __global__ void constant_chain(int *out, int distinct, int apart, int n)
{
    int at = (threadIdx.x % distinct) * apart;
    for (int j = 0; j < n; j++)
        at = constant_ring[at];
    out[blockIdx.x * blockDim.x + threadIdx.x] = at;
}

template <class F> static float best(F launch)
{
    cudaEvent_t a, b;
    cudaEventCreate(&a);
    cudaEventCreate(&b);
    float least = 1e9f;
    for (int i = 0; i < 5; i++) {
        float ms;
        cudaEventRecord(a);
        launch();
        cudaEventRecord(b);
        cudaEventSynchronize(b);
        cudaEventElapsedTime(&ms, a, b);
        least = ms < least ? ms : least;
    }
    return least;
}

static void row(const char *name, const char *what, int warps, int blocks, double operations, float ms, float twice)
{
    printf("%s,%s,%d,%d,%.0f,%.4f\n", name, what, warps, blocks, operations, (twice - ms) * 1e6 / operations);
}

int main()
{
    static const int warps[] = {1, 4, 16};
    void *out;
    cudaMalloc(&out, 1 << 24);
    printf("kernel,parameters,warps,blocks,operations,ns_each\n");
#define RUN(name, type, expression, a, b)                                                                              \
    for (int w : warps) {                                                                                              \
        auto launch = [&](int trips) { chain_##name<<<1, 32 * w>>>((type *)out, (type)(a), (type)(b), trips); };       \
        row("chain_" #name, "", w, 1, 8.0 * TRIPS, best([&] { launch(TRIPS); }), best([&] { launch(2 * TRIPS); }));    \
        auto by_lane = [&](int trips) { by_lane_##name<<<1, 32 * w>>>((type *)out, (type)(a), (type)(b), trips); };    \
        row("by_lane_" #name, "", w, 1, 8.0 * TRIPS, best([&] { by_lane(TRIPS); }), best([&] { by_lane(2 * TRIPS); })); \
    }
    EACH(RUN)
    float *x;
    double *y;
    int *ring, host[16384];
    cudaMalloc(&x, 2 * TRIPS * sizeof *x);
    cudaMalloc(&y, 2 * TRIPS * sizeof *y);
    float fs[2 * TRIPS];
    static double ds[2 * TRIPS];
    for (int i = 0; i < 2 * TRIPS; i++)
        fs[i] = ds[i] = 2 + i % 7;
    cudaMemcpy(x, fs, sizeof fs, cudaMemcpyHostToDevice);
    cudaMemcpy(y, ds, sizeof ds, cudaMemcpyHostToDevice);
    for (int w : warps) {
#define TRIP(name, from, to, a)                                                                                        \
    row(#name, "", w, 1, TRIPS, best([&] { name<<<1, 32 * w>>>(from, to, a, TRIPS); }),                                \
        best([&] { name<<<1, 32 * w>>>(from, to, a, 2 * TRIPS); }));
        TRIP(trip_roots, x, (float *)out, 1.f)
        TRIP(trip_fast, x, (float *)out, 1.f)
        TRIP(trip_quotients, y, (double *)out, 1.)
    }
    for (int i = 0; i < 16384; i++)
        host[i] = (i & ~1023) | ((i * 5 + 1) & 1023);
    cudaMalloc(&ring, sizeof host);
    cudaMemcpy(ring, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemcpyToSymbol(constant_ring, host, sizeof host);
#define RING(name, ...)                                                                                                \
    row(#name, "", 1, 1, TRIPS, best([&] { name<<<1, 32>>>(__VA_ARGS__, TRIPS); }),                                    \
        best([&] { name<<<1, 32>>>(__VA_ARGS__, 2 * TRIPS); }));
    RING(ring_l1, ring, (int *)out)
    RING(ring_shared, ring, (int *)out)
    RING(ring_constant, (int *)out, 0)
    // throughput: every multiprocessor; latency: one warp
    for (int apart = 1; apart <= 64; apart *= 8)
        for (int distinct = 1; distinct <= 32; distinct *= 2)
            for (int w = 1; w <= 32; w *= 4)
                for (int blocks = 1; blocks <= 132; blocks += 131) {
                    char what[64];
                    snprintf(what, sizeof what, "distinct=%d;apart=%d", distinct, apart);
                    row("constant_lanes", what, w, blocks, TRIPS,
                        best([&] { constant_lanes<<<blocks, 32 * w>>>((int *)out, distinct, apart, TRIPS); }),
                        best([&] { constant_lanes<<<blocks, 32 * w>>>((int *)out, distinct, apart, 2 * TRIPS); }));
                }
    for (int i = 0; i < 16384; i++)
        host[i] = i;
    cudaMemcpyToSymbol(constant_ring, host, sizeof host);
    for (int distinct = 1; distinct <= 32; distinct *= 2) {
        char what[64];
        snprintf(what, sizeof what, "distinct=%d;apart=1", distinct);
        row("constant_chain", what, 1, 1, TRIPS,
            best([&] { constant_chain<<<1, 32>>>((int *)out, distinct, 1, TRIPS); }),
            best([&] { constant_chain<<<1, 32>>>((int *)out, distinct, 1, 2 * TRIPS); }));
    }
    return cudaDeviceSynchronize() != cudaSuccess;
}

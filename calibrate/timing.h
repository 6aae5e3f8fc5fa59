/* timing.h - what every benchmark of calibrate/ uses: checked CUDA calls, timing, the CSV and the
 * device file.
 *
 * Two clocks: events around launches (seconds), and clock64() inside a kernel (cycles of one
 * multiprocessor, whatever the frequency does). Loads and stores are inline PTX, so that neither a
 * cache policy nor a loop is left to the compiler; loops over resident data add a run-time zero to
 * their addresses, so that no load is the same as the one before.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CALIBRATE_BENCH_H
#define CALIBRATE_BENCH_H

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "write_device.h"

struct failure : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/* throws failure */
void cuda_check(cudaError_t error, const char *call, const char *file, int line);
#define CUDA(call) cuda_check((call), #call, __FILE__, __LINE__)

/* The GPU, its memory for the benchmarks, and where results go. */
struct machine {
    cudaDeviceProp prop;
    int sms;
    double clock_hz; /* under load, measured by the benchmark clock; the query's value before */
    /* bytes per second by the device query, for choosing amounts of work; 0: unknown */
    double memory_peak;
    char *buffer;        /* zeroed device memory for data */
    size_t buffer_bytes; /* at most 55 % of the free memory */
    long long *log;      /* device memory for cycles and times */
    size_t log_entries;
    int *sink; /* a place for results that never come */
    cudaEvent_t begin, end;
    cal_device *out;
    FILE *csv;
    const char *bench; /* the benchmark that runs */
    char when[16];     /* 2026-11 */
};

/* A benchmark: a name for --only, what it does, and the function. */
struct benchmark {
    const char *name, *about;
    void (*run)(machine &m);
};
extern const benchmark query_benchmarks[], launch_benchmarks[], l1_benchmarks[], l2_benchmarks[], dram_benchmarks[],
    /* each ends with a null name */
    arith_benchmarks[], latency_benchmarks[], spread_benchmarks[];

/* One row of the CSV: what was measured, under which parameters ("k=v;k=v"). */
void record(machine &m, const std::string &parameters, const char *quantity, double value, const char *unit);
/* A key of the device file with the source "measured: GPU, month, calibrate NAME"; a detail may
 * follow. A value outside what is plausible is not used: a comment in the file says so, and the key
 * keeps what it had or gets a stand-in. */
struct window {
    double low, high;
};
void keep(machine &m, cal_key key, double value, window plausible, const char *detail = "");
/* The key is left to a stand-in, with a comment in the file. */
void doubt(machine &m, cal_key key, const std::string &why);
void keep_list(machine &m, cal_key key, const std::vector<double> &values, const char *detail = "");
void leave_out(machine &m, cal_key key, const std::string &why);
void has_none(machine &m, cal_key key, const std::string &why);
/* A value found by an earlier benchmark, or what to use without. */
double known(const machine &m, cal_key key, double otherwise);
void progress(const char *format, ...) __attribute__((format(printf, 1, 2)));
std::string text(const char *format, ...) __attribute__((format(printf, 1, 2)));

double median(std::vector<double> values);
double mean(const std::vector<double> &values);
/* Median over `repeats` timed runs after one that is not. */
double seconds(machine &m, const std::function<void()> &launch, int repeats = 5);
/* What one more sweep takes, by the difference of two numbers of sweeps: no launch, no start, no
 * cold first sweep. */
double seconds_per_sweep(machine &m, int few, int many, const std::function<void(int)> &launch);
/* The entries a kernel left in the log. */
std::vector<double> read_log(machine &m, size_t count);
/* Runs a kernel that logs one number per block, and gives the median over blocks and three runs. */
double log_median(machine &m, size_t count, const std::function<void()> &launch);
/* Shared memory that leaves room for one block only, and opts the kernel in. */
size_t lone_block_shared(machine &m, const void *kernel);
/* Rounds of a kernel that takes rounds as its argument, such that it runs for about `target`
 * seconds. */
int rounds_for(machine &m, double target, const std::function<void(int)> &launch);
size_t power_of_two_below(size_t n);
/* A set that the L2 keeps whatever its partitions do, and one that it does not (a power of two
 * each, in the buffer). */
size_t l2_set_bytes(const machine &m);
size_t memory_set_bytes(const machine &m);

/* ---- device code ---- */
#ifdef __CUDACC__
template <int BYTES> __device__ inline int load(const char *p);
template <> __device__ inline int load<4>(const char *p)
{
    int v;
    asm volatile("ld.global.ca.b32 %0, [%1];" : "=r"(v) : "l"(p));
    return v;
}
template <> __device__ inline int load<8>(const char *p)
{
    int v, w;
    asm volatile("ld.global.ca.v2.b32 {%0, %1}, [%2];" : "=r"(v), "=r"(w) : "l"(p));
    return v ^ w;
}
template <> __device__ inline int load<16>(const char *p)
{
    int a, b, c, d;
    asm volatile("ld.global.ca.v4.b32 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(p));
    return a ^ b ^ c ^ d;
}
__device__ inline long long load_long(const char *p)
{
    long long v;
    asm volatile("ld.global.ca.b64 %0, [%1];" : "=l"(v) : "l"(p));
    return v;
}
/* Loads that leave the L1 alone: for what is about the L2 and memory. */
__device__ inline int load_past(const char *p)
{
    int v;
    asm volatile("ld.global.L1::no_allocate.b32 %0, [%1];" : "=r"(v) : "l"(p));
    return v;
}
__device__ inline long long load_long_past(const char *p)
{
    long long v;
    asm volatile("ld.global.L1::no_allocate.b64 %0, [%1];" : "=l"(v) : "l"(p));
    return v;
}
/* The same line again goes to the L2 again, however the L1 is set up. */
__device__ inline long long load_long_l2(const char *p)
{
    long long v;
    asm volatile("ld.global.cg.b64 %0, [%1];" : "=l"(v) : "l"(p));
    return v;
}
__device__ inline void store_long(char *p, long long v) { asm volatile("st.global.b64 [%0], %1;" ::"l"(p), "l"(v)); }
__device__ inline unsigned multiprocessor()
{
    unsigned id;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
    return id;
}
__device__ inline unsigned long long nanoseconds()
{
    unsigned long long t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    return t;
}
/* Forces `value` to be there: it is never MAGIC, but only the machine knows. */
#define MAGIC 0x5eed1e55
__device__ inline void consume(int *sink, int value)
{
    if (value == MAGIC)
        *sink = value;
}
/* All 64 bits: the compiler narrows a load of which only half is wanted. */
__device__ inline void consume_long(int *sink, long long value)
{
    if (value == (long long)MAGIC << 20)
        *sink = 1;
}
__device__ inline unsigned scramble(unsigned x)
{
    x ^= x >> 16;
    x *= 0x7feb352dU;
    x ^= x >> 15;
    x *= 0x846ca68bU;
    return x ^ x >> 16;
}
#endif

/* A ring of pointers: element i, i * stride bytes from base, points to element (i + step) % n. One
 * thread of one block follows it; the block may sweep the ring's lines first, which brings them
 * into the L2, and always clears its L1. */
struct ring {
    char *base;
    size_t n, stride, step;
    int sweeps;          /* of all elements by the block before the chase */
    int warm_hops, hops; /* not timed, timed */
    bool flush;          /* empty the L2 before each chase */
    bool past_l1;        /* every hop goes to the L2, also to a line seen before */
};
double chase_cycles(machine &m, const ring &r); /* per hop */
/* a step that visits all of n in an order without neighbours */
size_t ring_step(size_t n);

/* Bandwidth of persistent blocks: every thread reads `loads` elements of 8 bytes from each of
 * `reads` arrays, and writes them to each of `writes` arrays, again and again; the arrays are
 * walked by all blocks together. */
struct stream {
    int reads, writes, loads;
    int threads_per_sm;
    size_t array_bytes; /* a power of two */
};
/* Bytes per second, read and written together; 0 when the kernel does not fit. */
double stream_bandwidth(machine &m, const stream &s);
/* Lone sectors: every thread reads 4 bytes, `stride` apart from its neighbour's; sectors per
 * second. */
double sector_rate(machine &m, size_t stride, size_t span_bytes);

#endif /* CALIBRATE_BENCH_H */

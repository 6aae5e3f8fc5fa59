/* spread.cu - how much longer a warp waits that has asked for many lines, and how much longer where memory is busy.
 *
 * A warp waits for the last of its lines. Some come from the far part of the L2, some from rows of memory that are not
 * open: the more lines, the later the last one. Every warp follows one ring of lines per lane, so that it goes on when
 * all of them are there. SPDX-License-Identifier: MIT */
#include "timing.h"

#include <cmath>

static const int LINE = 128, WORDS = LINE / 4;

/* Line i names line (a i + c) mod n in all its words: with an odd c and a = 1 mod 4, one ring over a power of two. */
static __global__ void name_next(unsigned *words, unsigned n)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < (size_t)n * WORDS; i += gridDim.x * blockDim.x)
        words[i] = ((unsigned)(i / WORDS) * 1664525u + 1013904223u) & (n - 1);
}

/* `rings` of a warp, one per lane; 0: one ring for the whole warp, a word of its line for each lane. */
static __global__ void follow(const unsigned *words, unsigned n, int rings, int hops, unsigned seed, long long *log,
                              int *sink)
{
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, warp = thread / 32, lane = threadIdx.x % 32;
    unsigned at = scramble((rings ? thread : warp) + seed) & (n - 1);
    const unsigned word = rings ? 0 : lane;
    const long long start = clock64();
    if (rings == 0 || (int)lane < rings)
        for (int i = 0; i < hops; i++)
            asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(at) : "l"(words + (size_t)at * WORDS + word));
    consume(sink, (int)at + 1);
    const long long end = clock64();
    if (lane == 0)
        log[warp] = end - start;
}

/* Cycles per hop. Every run starts elsewhere: the L2 has nothing of it in a large set. */
static double hop_cycles(machine &m, const char *where, size_t bytes, int rings, int warps)
{
    const unsigned n = (unsigned)(bytes / LINE);
    const int hops = 256, threads = 32 * std::min(warps, 4), blocks = m.sms * 32 * warps / threads;
    const size_t logged = (size_t)m.sms * warps;
    std::vector<double> runs;
    unsigned seed = 1;
    for (int r = 0; r < 4; r++, seed += 1u << 24) {
        follow<<<blocks, threads>>>((const unsigned *)m.buffer, n, rings, hops, seed, m.log, m.sink);
        CUDA(cudaGetLastError());
        const double cycles = mean(read_log(m, logged)) / hops;
        if (r > 0) /* the first brings a small set into the L2 */
            runs.push_back(cycles);
    }
    record(m, text("in=%s;lines=%d;warps_per_sm=%d", where, rings ? rings : 1, warps), "latency", median(runs),
           "cycles");
    return median(runs);
}

static void prepare(machine &m, size_t bytes)
{
    name_next<<<1024, 256>>>((unsigned *)m.buffer, (unsigned)(bytes / LINE));
    CUDA(cudaGetLastError());
}

static void spread(machine &m)
{
    const int most = 32, doublings = 5;
    const size_t l2 = l2_set_bytes(m) / 2, memory = memory_set_bytes(m);
    double first[2], last[2];
    for (const int in_memory : {0, 1}) {
        const size_t bytes = in_memory ? memory : l2;
        prepare(m, bytes);
        for (int lines = 1; lines <= most; lines *= 2) {
            const double cycles = hop_cycles(m, in_memory ? "memory" : "l2", bytes, lines, 1);
            (lines == 1 ? first : last)[in_memory] = cycles;
        }
    }
    /* the L1 takes a cycle for each line */
    const double near = (last[0] - first[0] - (most - 1)) / doublings;
    const double far = (last[1] - first[1] - (last[0] - first[0])) / doublings;
    keep(m, CAL_l2_latency_spread, near, {0.5, 200}, "a warp waits for 1 to 32 lines");
    keep(m, CAL_dram_latency_spread, far, {1, 1000}, "a warp waits for 1 to 32 lines, less what it takes in the L2");
}

static void queue(machine &m)
{
    const size_t memory = memory_set_bytes(m);
    const double read = known(m, CAL_dram_read_bandwidth, m.memory_peak), clock = known(m, CAL_clock, m.clock_hz);
    const double alone = known(m, CAL_dram_latency, 700);
    double cycles[2], used[2];
    prepare(m, memory);
    for (const int busy : {0, 1}) {
        const int warps = busy ? 64 : 16;
        if (32 * warps > m.prop.maxThreadsPerMultiProcessor || !(read > 0)) {
            leave_out(m, CAL_dram_queue_wait, "too few warps, or no bandwidth is known");
            return;
        }
        cycles[busy] = hop_cycles(m, "memory", memory, 0, warps);
        used[busy] = (double)m.sms * warps * LINE / (cycles[busy] / clock) / read;
        record(m, text("warps_per_sm=%d", warps), "share_of_bandwidth", used[busy], "1");
    }
    keep(m, CAL_dram_queue_wait, (cycles[1] - cycles[0]) / (used[1] - used[0]) / alone, {0.01, 5},
         text("latency of lines at %.2f and %.2f of the bandwidth", used[0], used[1]).c_str());
}

const benchmark spread_benchmarks[] = {
    {"spread", "latency over the number of lines that a warp waits for", spread},
    {"queue", "latency over the used share of memory's bandwidth", queue},
    {nullptr, nullptr, nullptr},
};

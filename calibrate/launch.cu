/* launch.cu - launches and blocks: overhead of a launch, blocks started per second, turnover of a block's place, and
 * how long blocks that load wait. SPDX-License-Identifier: MIT */
#include "bench.h"

#include <map>

static __global__ void empty(int *sink, int value) { consume(sink, value); }

static void launch_overhead(machine &m)
{
    const int launches = 2000;
    double best = 0;
    for (const int blocks : {1, m.sms, 4 * m.sms}) {
        const double t = seconds(m,
                                 [&] {
                                     for (int i = 0; i < launches; i++)
                                         empty<<<blocks, 256>>>(m.sink, i);
                                 }) /
                         launches;
        record(m, text("blocks=%d;threads=256", blocks), "time_per_launch", t, "s");
        best = best == 0 ? t : std::min(best, t);
    }
    keep(m, CAL_launch_overhead, best, "empty kernels back to back");
}

static void block_rate(machine &m)
{
    const int blocks = 1 << 20;
    double best = 0;
    for (int threads = 32; threads <= 1024; threads *= 2) {
        const double t = seconds(m, [&] { empty<<<blocks, threads>>>(m.sink, 0); });
        record(m, text("threads=%d", threads), "blocks_per_second", blocks / t, "1/s");
        best = std::max(best, blocks / t);
    }
    keep(m, CAL_block_rate, best, "empty kernels");
}

/* Every block logs its multiprocessor, its first and its last cycle; between them it waits for `wait` cycles and some.
 */
static __global__ void turnover_kernel(int wait, int blocks, long long *log)
{
    extern __shared__ char room[]; /* only its size matters */
    const long long start = clock64();
    const long long until = start + wait + (scramble(blockIdx.x) & 1023);
    while (clock64() < until) {
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        log[blockIdx.x] = multiprocessor();
        log[blocks + blockIdx.x] = start;
        log[2 * blocks + blockIdx.x] = clock64();
        if (wait < 0)
            room[0] = 1;
    }
}

/* Median gap between the end of a block and the start of the one that takes its place. */
static double turnover(machine &m, int threads, bool lone)
{
    const size_t shared = lone ? lone_block_shared(m, (const void *)turnover_kernel) : 0;
    int resident = 0;
    CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, turnover_kernel, threads, shared));
    if (resident < 1 || (lone && resident != 1))
        return 0;
    const int blocks = m.sms * resident * 16;
    std::vector<double> gaps;
    for (int run = 0; run < 3; run++) {
        turnover_kernel<<<blocks, threads, shared>>>(4000, blocks, m.log);
        CUDA(cudaGetLastError());
        const std::vector<double> log = read_log(m, 3 * (size_t)blocks);
        std::map<int, std::vector<std::pair<double, double>>> by_sm;
        for (int b = 0; b < blocks && run > 0; b++)
            by_sm[(int)log[b]].push_back({log[blocks + b], log[2 * blocks + b]});
        for (auto &sm : by_sm) {
            std::vector<double> ends;
            for (const auto &b : sm.second)
                ends.push_back(b.second);
            std::sort(ends.begin(), ends.end());
            std::sort(sm.second.begin(), sm.second.end());
            /* places free up in the order of the ends and are taken in the order of the starts */
            for (size_t i = resident; i < sm.second.size(); i++)
                gaps.push_back(sm.second[i].first - ends[i - resident]);
        }
    }
    return median(gaps);
}

static void block_turnover(machine &m)
{
    double typical = 0;
    for (int threads = 32; threads <= 1024; threads *= 2) {
        const double lone = turnover(m, threads, true), full = turnover(m, threads, false);
        record(m, text("threads=%d;blocks=lone", threads), "turnover", lone, "cycles");
        record(m, text("threads=%d;blocks=full", threads), "turnover", full, "cycles");
        if (threads == 256)
            typical = lone;
    }
    keep(m, CAL_block_turnover, typical, "one block of 256 threads per multiprocessor; a fit over kernels gives more");
}

/* Blocks that load once (or write too) and log how long they live. */
template <int U, bool WRITE>
static __global__ void __launch_bounds__(256)
    phase_kernel(char *base, size_t mask, size_t out, long long *log, int logged)
{
    const long long start = clock64();
    const size_t at = blockIdx.x * (size_t)blockDim.x * U * 8 + threadIdx.x * 8;
    long long v[U], s = 0;
#pragma unroll
    for (int u = 0; u < U; u++)
        v[u] = load_long_past(base + ((at + u * (size_t)blockDim.x * 8) & mask));
#pragma unroll
    for (int u = 0; u < U; u++) {
        if (WRITE)
            store_long(base + out + ((at + u * (size_t)blockDim.x * 8) & mask), v[u]);
        s ^= v[u];
    }
    if (s == MAGIC)
        log[0] = s;
    __syncthreads();
    if (threadIdx.x == 0 && blockIdx.x < logged)
        log[blockIdx.x] = clock64() - start;
}

template <int U, bool WRITE> static double phase(machine &m, const char *where, size_t set)
{
    const int logged = 1 << 16, blocks = 1 << 17;
    const double cycles = log_median(m, logged, [&] {
        phase_kernel<U, WRITE><<<blocks, 256>>>(m.buffer, set - 1, m.buffer_bytes / 2, m.log, logged);
    });
    record(m, text("in=%s;loads=%d;write=%d;threads=256", where, U, WRITE), "block_life", cycles, "cycles");
    return cycles;
}

static void phase_waits(machine &m)
{
    const size_t l2 = l2_set_bytes(m), memory = memory_set_bytes(m);
    const double in_l2 = phase<1, false>(m, "l2", l2), in_memory = phase<1, false>(m, "memory", memory);
    const double loaded = phase<4, false>(m, "memory", memory), written = phase<4, true>(m, "memory", memory);
    keep(m, CAL_dram_wait_first, in_memory - in_l2,
         "life of blocks with one load from memory minus from the L2; a start value");
    if (written > loaded)
        keep(m, CAL_dram_wait_write, 2 * (written - loaded), "life of blocks that write what they read; a start value");
}

const benchmark launch_benchmarks[] = {
    {"launch", "time from launch to launch", launch_overhead},
    {"blocks", "blocks started per second", block_rate},
    {"turnover", "from the end of a block to the start of the next in its place", block_turnover},
    {"phase", "life of blocks that wait for one load", phase_waits},
    {nullptr, nullptr, nullptr},
};

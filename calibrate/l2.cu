/* l2.cu - the L2: latency, partitions, bandwidth, capacity, sectors written in pieces, atomics.
 * SPDX-License-Identifier: MIT */
#include "timing.h"

#include <cmath>

/* ---- latency and partitions ---- */

static ring l2_ring(machine &m, size_t bytes, int hops)
{
    const size_t n = bytes / 128;
    return {m.buffer, n, 128, ring_step(n), 3, 0, (int)std::min((size_t)hops, n), false, false};
}

static void latency(machine &m)
{
    const double cycles = chase_cycles(m, l2_ring(m, l2_set_bytes(m) / 2, 8192));
    record(m, text("bytes=%zu", l2_set_bytes(m) / 2), "latency", cycles, "cycles");
    const double l1 = known(m, CAL_l1_latency, 0);
    keep(m, CAL_l2_latency, cycles, {std::max(80.0, 2 * l1), 2000}, "pointer chase");
}

/* The latency of one line from one multiprocessor, past every cache that is not shared by all. */
static __global__ void from_one(char *at, unsigned target, int hops, long long *log, int *sink)
{
    if (threadIdx.x != 0 || multiprocessor() != target)
        return;
    long long p = (long long)at, start = 0;
    for (int h = -4; h < hops; h++) {
        if (h == 0) {
            consume(sink, (int)p);
            start = clock64();
        }
        asm volatile("ld.relaxed.gpu.global.b64 %0, [%1];" : "=l"(p) : "l"(p) : "memory");
    }
    consume(sink, (int)p);
    log[target] = clock64() - start;
}

/* Near and far: the latency of single lines over the multiprocessors. The CSV has the histogram. */
static void distances(machine &m)
{
    const int lines = 4, hops = 32;
    for (int l = 0; l < lines; l++) {
        char *at = m.buffer + (size_t)l * 128 * 37;
        std::vector<double> cycles;
        CUDA(cudaMemcpy(at, &at, sizeof at, cudaMemcpyHostToDevice));
        CUDA(cudaMemset(m.log, 0, (size_t)m.sms * sizeof *m.log));
        for (int sm = 0; sm < m.sms; sm++)
            from_one<<<m.sms, 32>>>(at, (unsigned)sm, hops, m.log, m.sink);
        CUDA(cudaGetLastError());
        const std::vector<double> log = read_log(m, m.sms);
        for (int sm = 0; sm < m.sms; sm++) {
            if (log[sm] <= 0)
                continue; /* no block came to this multiprocessor */
            cycles.push_back(log[sm] / hops);
            record(m, text("line=%d;multiprocessor=%d", l, sm), "latency", log[sm] / hops, "cycles");
        }
        std::sort(cycles.begin(), cycles.end());
        if (!cycles.empty())
            progress("line %d: %.0f to %.0f cycles over %zu multiprocessors", l, cycles.front(), cycles.back(),
                     cycles.size());
    }
}

/* A multiprocessor finds in its own partition what it has read, up to the partition's size: the latency steps up at
 * l2_size / l2_partitions, long before it becomes that of memory. */
static void partitions(machine &m)
{
    const double size = m.prop.l2CacheSize;
    double near = 0, middle = 0, memory = 0;
    for (const double share : {0.1, 0.2, 0.3, 0.4, 0.45, 0.5, 0.55, 0.6, 0.7, 0.8, 0.9, 1.0, 1.2, 1.5, 2.0}) {
        if (share * size > (double)m.buffer_bytes / 2)
            break;
        const double cycles = chase_cycles(m, l2_ring(m, (size_t)(share * size) / 4096 * 4096, 8192));
        record(m, text("share_of_l2=%.2f", share), "latency", cycles, "cycles");
        if (share == 0.2)
            near = cycles;
        if (share == 0.7)
            middle = cycles;
        if (share == 2.0)
            memory = cycles;
    }
    distances(m);
    if (!(memory > 1.2 * near)) {
        progress("the L2's end is not visible: partitions are assumed");
        return;
    }
    const double step = (middle - near) / (memory - near);
    keep(m, CAL_l2_partitions, step > 0.2 ? 2 : 1, {1, 2},
         text("latency at 0.7 of the L2: %.0f cycles, at 0.2 %.0f, beyond %.0f", middle, near, memory).c_str());
}

/* ---- bandwidth ---- */

static double best_stream(machine &m, int reads, int writes, const std::vector<int> &loads, size_t bytes)
{
    double best = 0;
    for (const int u : loads) {
        for (const int threads : {64, 128, 256, 512, 1024, 1536, 2048}) {
            if (threads > m.prop.maxThreadsPerMultiProcessor)
                continue;
            const double b = stream_bandwidth(m, {reads, writes, u, threads, bytes});
            if (b <= 0)
                continue;
            record(m, text("reads=%d;writes=%d;loads=%d;threads_per_sm=%d;bytes=%zu", reads, writes, u, threads, bytes),
                   "bandwidth", b, "B/s");
            best = std::max(best, b);
        }
    }
    progress("%d reads : %d writes: %.4g TB/s", reads, writes, best * 1e-12);
    return best;
}

static void bandwidth(machine &m)
{
    const size_t set = l2_set_bytes(m);
    const double read = best_stream(m, 1, 0, {1, 2, 4, 8}, set);
    const double copy = best_stream(m, 1, 1, {1, 2, 4}, set / 2);
    const double write = best_stream(m, 0, 1, {1, 4}, set);
    /* between half and twenty times what memory could give; any number where the query does not tell that */
    const window plausible = m.memory_peak > 0 ? window{0.5 * m.memory_peak, 20 * m.memory_peak} : window{1e10, 1e15};
    keep(m, CAL_l2_bandwidth, copy, plausible, "copies inside the L2, both directions");
    keep(m, CAL_l2_read_bandwidth, read, plausible, "full lines read");
    keep(m, CAL_l2_unit_bandwidth, read, plausible,
         "full lines read, a plain limit; a fit through bound_norm gives about 1.25 times as much");
    keep(m, CAL_l2_write_cost, 2 * read / copy - 1, {0.7, 5}, "copies against reads");
    record(m, "", "write_cost_of_pure_writes", read / write, "1");
    const double lone = sector_rate(m, 128, set);
    record(m, "stride=128", "lone_sectors", lone, "1/s");
    const double unit = read / lone; /* bytes of full lines in the time of a lone sector */
    record(m, "", "l2_unit", unit, "B");
    keep(m, CAL_l2_unit, unit < 45 ? 32 : unit < 90 ? 64 : 128, {32, 128}, "lone sectors against full lines");
}

/* ---- capacity ---- */

/* A row is what a block of 512 threads loads at once. Every block sweeps rows of its own, the same in every sweep,
 * eight in flight. L1_BYPASS 0: loads that leave no line in the L1; 1: loads that do not look into it. They need not be
 * the same to the L2. */
static const size_t ROW = 512 * 8;
template <int L1_BYPASS> __device__ inline long long load_row(const char *p)
{
    return L1_BYPASS ? load_long_l2(p) : load_long_past(p);
}
template <int L1_BYPASS>
static __global__ void __launch_bounds__(512)
    own_rows(const char *base, size_t block_step, size_t row_step, int rows, int sweeps, int *sink)
{
    const char *p = base + blockIdx.x * block_step + threadIdx.x * 8;
    long long s = 0;
#pragma unroll 1
    for (int r = 0; r < sweeps; r++)
#pragma unroll 1
        for (int i = 0; i < rows; i += 8) {
            long long v[8];
#pragma unroll
            for (int u = 0; u < 8; u++)
                v[u] = i + u < rows ? load_row<L1_BYPASS>(p + (i + u) * row_step) : 0;
#pragma unroll
            for (int u = 0; u < 8; u++)
                s ^= v[u];
        }
    consume_long(sink, s);
}

/* Every block sweeps all rows, a multiple of 8, from a place of its own: all multiprocessors read all lines, and
 * between two reads of a line the others have read the rest. */
static __global__ void __launch_bounds__(512) all_rows(const char *base, int rows, int sweeps, int *sink)
{
    const char *p = base + threadIdx.x * 8;
    int at = (int)(blockIdx.x * (size_t)rows / gridDim.x) / 8 * 8;
    long long s = 0;
#pragma unroll 1
    for (long long i = 0; i < (long long)sweeps * rows; i += 8) {
        long long v[8];
#pragma unroll
        for (int u = 0; u < 8; u++)
            v[u] = load_row<1>(p + (size_t)(at + u) * ROW);
#pragma unroll
        for (int u = 0; u < 8; u++)
            s ^= v[u];
        at = at + 8 < rows ? at + 8 : 0;
    }
    consume_long(sink, s);
}

/* Records the largest set that runs at 85 % of the speed of the smallest four, and the largest half way from there to
 * the last one's, which is that of memory. */
static void record_knees(machine &m, const char *which, const std::vector<double> &sizes,
                         const std::vector<double> &rates)
{
    const double plateau = median(std::vector<double>(rates.begin(), rates.begin() + 4));
    double knee = 0, half = 0;
    for (size_t i = 0; i < sizes.size(); i++) {
        if (rates[i] >= 0.85 * plateau)
            knee = sizes[i];
        if (rates[i] >= 0.5 * (plateau + rates.back()))
            half = sizes[i];
    }
    record(m, text("lines=%s", which), "plateau", plateau, "B/s");
    record(m, text("lines=%s", which), "knee", knee, "B");
    record(m, text("lines=%s", which), "half_way_to_memory", half, "B");
    progress("lines=%s: %.4g TB/s up to %.1f MiB, half way to the speed of memory at %.1f MiB", which, plateau * 1e-12,
             knee / 1048576, half / 1048576);
}

static void capacity(machine &m)
{
    const double size = m.prop.l2CacheSize;
    const int blocks = 2 * m.sms;
    const auto rows_of = [&](double share) { return std::max(8, (int)(share * size / blocks / ROW) / 4 * 4); };
    static const double shares[] = {0.15, 0.2,  0.25, 0.3,  0.35, 0.4,  0.45, 0.5, 0.55, 0.6,  0.65, 0.7, 0.75,
                                    0.8,  0.85, 0.9,  0.95, 1.0,  1.05, 1.15, 1.3, 1.5,  1.75, 2.0,  2.5, 3.0};
    std::vector<double> sizes, rates;
    int before = 0;
    for (const double share : shares) {
        const int rows = rows_of(share);
        const size_t bytes = (size_t)rows * ROW * blocks;
        if (bytes > m.buffer_bytes || rows == before)
            continue;
        before = rows;
        const int more = std::max(8, (int)(2e9 / (double)bytes));
        double best = 0;
        for (const int bypass : {0, 1}) {
            for (const bool interleaved : {true, false}) {
                const size_t block_step = interleaved ? ROW : (size_t)rows * ROW;
                const size_t row_step = interleaved ? (size_t)blocks * ROW : ROW;
                const double t = seconds_per_sweep(m, 4, 4 + more, [&](int sweeps) {
                    (bypass ? own_rows<1> : own_rows<0>)<<<blocks, 512>>>(m.buffer, block_step, row_step, rows, sweeps,
                                                                          m.sink);
                });
                const double rate = (double)bytes / t;
                record(m,
                       text("lines=own;bytes=%zu;load=%s;rows=%s", bytes, bypass ? "cg" : "no_allocate",
                            interleaved ? "interleaved" : "together"),
                       "bandwidth", rate, "B/s");
                if (rate > best && rate < 1e15)
                    best = rate;
            }
        }
        sizes.push_back((double)bytes);
        rates.push_back(best);
    }
    if (sizes.size() > 4)
        record_knees(m, "own", sizes, rates);

    sizes.clear();
    rates.clear();
    for (const double share : {0.1, 0.2, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.7, 0.8, 0.9, 1.0, 1.2, 1.5, 2.0}) {
        const int rows = (int)(share * size / ROW) / 8 * 8;
        const size_t bytes = (size_t)rows * ROW;
        if (rows < blocks || bytes > m.buffer_bytes)
            continue;
        const double t =
            seconds_per_sweep(m, 1, 3, [&](int sweeps) { all_rows<<<blocks, 512>>>(m.buffer, rows, sweeps, m.sink); });
        const double rate = (double)bytes * blocks / t;
        record(m, text("lines=all;bytes=%zu", bytes), "bandwidth", rate, "B/s");
        if (rate > 0 && rate < 1e15) {
            sizes.push_back((double)bytes);
            rates.push_back(rate);
        }
    }
    if (sizes.size() > 4)
        record_knees(m, "all", sizes, rates);
}

/* ---- pieces ---- */

/* Sectors of 32 bytes written in four pieces of 8 by neighbouring blocks. PACKED: a warp's pieces lie in consecutive
 * sectors; otherwise each is alone in its line. */
template <bool PACKED> static __global__ void __launch_bounds__(256) pieces_kernel(char *out, size_t mask, int rounds)
{
    const size_t group = blockIdx.x / 4, piece = blockIdx.x % 4, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const size_t sector = PACKED ? threadIdx.x : (warp / 4 * 32 + lane) * 4 + warp % 4;
    for (int r = 0; r < rounds; r++) {
        const size_t at = (group + r * (size_t)(gridDim.x / 4)) * 256 + sector;
        store_long(out + (at * 32 & mask) + piece * 8, r);
    }
}

static void pieces(machine &m)
{
    const size_t set = l2_set_bytes(m);
    const int blocks = m.prop.maxThreadsPerMultiProcessor / 256 * m.sms / 4 * 4;
    const auto rate = [&](const char *how, const std::function<void(int)> &launch) {
        const int rounds = rounds_for(m, 1.5e-3, launch);
        const double r = 256.0 * blocks * rounds /
                         seconds(
                             m, [&] { launch(rounds); }, 3);
        record(m, text("piece=8;%s", how), "pieces", r, "1/s");
        return r;
    };
    rate("packed", [&](int rounds) { pieces_kernel<true><<<blocks, 256>>>(m.buffer, set - 1, rounds); });
    keep(m, CAL_piece_rate,
         rate("alone in their lines",
              [&](int rounds) { pieces_kernel<false><<<blocks, 256>>>(m.buffer, set - 1, rounds); }),
         {1e9, known(m, CAL_l2_unit_bandwidth, 1e15) / 8}, "pieces of 8 bytes by neighbouring blocks");
}

/* ---- atomics ---- */

/* Every lane adds to a place of its own, chosen at random among mask + 1 places; or a whole warp to neighbouring words
 * of a random line. */
template <bool WARP_TOGETHER>
static __global__ void __launch_bounds__(256) atomics_kernel(char *base, unsigned mask, size_t apart, int rounds)
{
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned chooser = WARP_TOGETHER ? thread / 32 : thread;
    for (int r = 0; r < rounds; r++) {
        char *p = base + (scramble(chooser * 8191u + (unsigned)r * 0x9e3779b9u) & mask) * apart;
        if (WARP_TOGETHER)
            p += thread % 32 * 4;
        asm volatile("red.global.add.u32 [%0], %1;" ::"l"(p), "r"(1) : "memory");
    }
}

static double atomic_lanes(machine &m, const char *what, bool together, size_t places, size_t apart)
{
    const int blocks = m.prop.maxThreadsPerMultiProcessor / 256 * m.sms;
    const auto launch = [&](int rounds) {
        (together ? atomics_kernel<true> : atomics_kernel<false>)<<<blocks, 256>>>(m.buffer, (unsigned)(places - 1),
                                                                                   apart, rounds);
    };
    const int rounds = rounds_for(m, 1.5e-3, launch);
    const double rate = 256.0 * blocks * rounds /
                        seconds(
                            m, [&] { launch(rounds); }, 3);
    record(m, text("%s;places=%zu;apart=%zu", what, places, apart), "atomic_lanes", rate, "1/s");
    return rate;
}

static void atomics(machine &m)
{
    const size_t set = l2_set_bytes(m);
    const double sectors = atomic_lanes(m, "lane=a sector", false, set / 32, 32);
    keep(m, CAL_atomic_rate, sectors, {1e8, known(m, CAL_l2_unit_bandwidth, 1e15) / 32},
         "a random sector per lane, in the L2");
    /* a sector in each of many lines; words; what few places cost, near and far from each other */
    atomic_lanes(m, "lane=a line", false, set / 128, 128);
    atomic_lanes(m, "lane=a word", false, set / 4, 4);
    atomic_lanes(m, "lane=a word", false, (size_t)1 << 24, 4);
    atomic_lanes(m, "warp=a line", true, set / 128, 128);
    for (size_t places = 1 << 16; places >= 64; places /= 4) {
        atomic_lanes(m, "lane=one of few sectors", false, places, 32);
        if (places * 9728 * 4 <= m.buffer_bytes / 2) /* 38 KiB apart, an odd number of lines */
            atomic_lanes(m, "lane=one of few sectors", false, places, 9728 * 4 + 128);
    }
    keep(m, CAL_atomic_address_rate, atomic_lanes(m, "lane=the same word", false, 1, 32),
         {0.01 * m.clock_hz, 64 * m.clock_hz}, "one address");
}

const benchmark l2_benchmarks[] = {
    {"l2_latency", "latency of the L2", latency},
    {"l2_partitions", "latency of one multiprocessor over growing sets, of all over single lines", partitions},
    {"l2_rate", "bandwidth over threads and loads in flight; lone sectors", bandwidth},
    {"l2_capacity", "sweeps over growing sets", capacity},
    {"pieces", "sectors written in pieces", pieces},
    {"atomics", "global atomics", atomics},
    {nullptr, nullptr, nullptr},
};

/* l2.cu - the L2: latency, partitions, bandwidth, capacity, sectors written in pieces, atomics.
 * SPDX-License-Identifier: MIT */
#include "bench.h"

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
    keep(m, CAL_l2_latency, cycles, "pointer chase");
    const double l1 = known(m, CAL_l1_latency, 0);
    if (l1 > 0)
        (void)cal_set(m.out, CAL_phase_wait, sqrt(l1 * cycles),
                      "derived: geometric mean of l1_latency and l2_latency, a start value; refit with 'warpline fit'");
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
    keep(m, CAL_l2_partitions, step > 0.2 ? 2 : 1,
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
    keep(m, CAL_l2_bandwidth, copy, "copies inside the L2, both directions");
    keep(m, CAL_l2_unit_bandwidth, read,
         "full lines read, a plain limit; a fit through bound_norm gives about 1.25 times as much");
    keep(m, CAL_l2_write_cost, 2 * read / copy - 1, "copies against reads");
    record(m, "", "write_cost_of_pure_writes", read / write, "1");
    const double lone = sector_rate(m, 128, set);
    record(m, "stride=128", "lone_sectors", lone, "1/s");
    const double unit = read / lone; /* bytes of full lines in the time of a lone sector */
    record(m, "", "l2_unit", unit, "B");
    keep(m, CAL_l2_unit, unit < 45 ? 32 : unit < 90 ? 64 : 128, "lone sectors against full lines");
}

/* ---- capacity ---- */

/* Every block sweeps its own part, a multiple of 16 KiB, again and again. */
static __global__ void __launch_bounds__(512) own_part(const char *base, size_t part, int sweeps, int *sink)
{
    const char *p = base + blockIdx.x * part + threadIdx.x * 8;
    long long s = 0;
    for (int r = 0; r < sweeps; r++) {
#pragma unroll 1
        for (size_t i = 0; i < part; i += 16384) {
            long long v[4];
#pragma unroll
            for (int u = 0; u < 4; u++)
                v[u] = load_long_past(p + i + u * 4096);
            s ^= v[0] ^ v[1] ^ v[2] ^ v[3];
        }
    }
    consume_long(sink, s);
}

static void capacity(machine &m)
{
    const double size = m.prop.l2CacheSize;
    const int blocks = 2 * m.sms;
    double first = 0, knee = 0;
    for (const double share :
         {0.1, 0.2, 0.3, 0.4, 0.45, 0.5, 0.55, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2, 1.4, 1.6, 2.0, 3.0}) {
        const size_t part = std::max((size_t)1, (size_t)(share * size / blocks) / 16384) * 16384;
        if (part * blocks > m.buffer_bytes)
            break;
        const int sweeps = std::max(4, (int)(4 * size / ((double)part * blocks)));
        const double t = seconds(
            m, [&] { own_part<<<blocks, 512>>>(m.buffer, part, sweeps, m.sink); }, 3);
        const double rate = (double)part * blocks * sweeps / t;
        record(m, text("bytes=%zu;sweeps=%d", part * blocks, sweeps), "bandwidth", rate, "B/s");
        first = std::max(first, rate);
        if (rate > 0.7 * first)
            knee = (double)part * blocks;
    }
    record(m, "", "knee", knee, "B");
    progress("sweeps by the same multiprocessors run at L2 speed up to %.1f MiB of %.1f MiB", knee / 1048576,
             size / 1048576);
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
         "pieces of 8 bytes by neighbouring blocks");
}

/* ---- atomics ---- */

static __global__ void __launch_bounds__(256) atomics_kernel(char *base, unsigned mask, int rounds)
{
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    for (int r = 0; r < rounds; r++) {
        char *p = base + (size_t)(scramble(thread * 8191u + (unsigned)r * 0x9e3779b9u) & mask) * 32;
        asm volatile("red.global.add.u32 [%0], %1;" ::"l"(p), "r"(1) : "memory");
    }
}

static void atomics(machine &m)
{
    const int blocks = m.prop.maxThreadsPerMultiProcessor / 256 * m.sms;
    for (const unsigned sectors : {(unsigned)(l2_set_bytes(m) / 32), 1024u, 1u}) {
        const auto launch = [&](int rounds) { atomics_kernel<<<blocks, 256>>>(m.buffer, sectors - 1, rounds); };
        const int rounds = rounds_for(m, 1.5e-3, launch);
        const double rate = 256.0 * blocks * rounds /
                            seconds(
                                m, [&] { launch(rounds); }, 3);
        record(m, text("sectors=%u", sectors), "atomic_lanes", rate, "1/s");
        if (sectors == 1)
            keep(m, CAL_atomic_address_rate, rate, "one address");
        else if (sectors > 1024)
            keep(m, CAL_atomic_rate, rate, "a random sector per lane, in the L2");
    }
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

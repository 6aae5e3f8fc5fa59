/* dram.cu - device memory: latency, bandwidth over what is in flight, mixes of reads and writes, the unit of a fetch,
 * random fetches, many arrays, and what address translation adds. SPDX-License-Identifier: MIT */
#include "timing.h"

#include <cmath>

static void latency(machine &m)
{
    const size_t set = memory_set_bytes(m);
    /* neighbouring lines in order: what a fetch takes, without much of address translation */
    const double near = chase_cycles(m, {m.buffer, set / 256, 256, 1, 0, 64, 8192, true, false});
    record(m, text("bytes=%zu;order=ascending", set), "latency", near, "cycles");
    const double far = chase_cycles(m, {m.buffer, set / 256, 256, ring_step(set / 256), 0, 64, 8192, true, false});
    record(m, text("bytes=%zu;order=random", set), "latency", far, "cycles");
    const double l2 = known(m, CAL_l2_latency, 100);
    keep(m, CAL_dram_latency, near, {1.2 * l2, 20 * l2}, "pointer chase over neighbouring lines");
}

static void translation(machine &m)
{
    /* one line per 2 MiB, in a few lines' distance so that they do not meet in one set of the L2 */
    const size_t stride = ((size_t)2 << 20) + 128 * 33;
    double least = INFINITY, most = 0;
    size_t reach = 0;
    for (size_t pages = 8; pages * stride < m.buffer_bytes - ((size_t)1 << 20); pages *= 2) {
        const double cycles =
            chase_cycles(m, {m.buffer, pages, stride, ring_step(pages), 0, (int)pages * 2, 4096, false, true});
        record(m, text("window_mib=%zu", pages * 2), "latency", cycles, "cycles");
        progress("one line each in %zu MiB: %.0f cycles", pages * 2, cycles);
        least = std::min(least, cycles);
        most = std::max(most, cycles);
        reach = pages * 2;
    }
    record(m, text("window_mib=%zu", reach), "largest_extra_latency", most - least, "cycles");
}

/* What memory can give, by the query; any number where it does not tell. */
static window reachable(const machine &m)
{
    return m.memory_peak > 0 ? window{0.4 * m.memory_peak, 1.02 * m.memory_peak} : window{1e9, 1e15};
}

static void bandwidth(machine &m)
{
    const size_t set = memory_set_bytes(m);
    double best[2] = {0, 0};
    for (const int writes : {0, 1}) {
        for (const int loads : {1, 2, 4, 8}) {
            for (const int threads : {64, 128, 256, 512, 1024, 1536, 2048}) {
                if (threads > m.prop.maxThreadsPerMultiProcessor)
                    continue;
                const double b = stream_bandwidth(m, {1, writes, loads, threads, set});
                if (b <= 0)
                    continue;
                record(m, text("reads=1;writes=%d;loads=%d;threads_per_sm=%d", writes, loads, threads), "bandwidth", b,
                       "B/s");
                best[writes] = std::max(best[writes], b);
            }
        }
        progress("1 read : %d writes: %.4g TB/s", writes, best[writes] * 1e-12);
    }
    keep(m, CAL_dram_read_bandwidth, best[0], reachable(m), "reads over threads and loads in flight");
    keep(m, CAL_dram_bandwidth, best[1], reachable(m), "copies by persistent blocks, both directions");
}

/* One element of 8 bytes per thread and array, and no loop: blocks start in order, so that all of them stay close
 * together in every array. Persistent blocks can drift apart; they gave 10 % less on mixtures on an H200. */
template <int R, int W> static __global__ void __launch_bounds__(1024) one_pass(char *base, size_t distance, int *sink)
{
    const size_t at = (blockIdx.x * (size_t)blockDim.x + threadIdx.x) * 8;
    long long v = 1;
#pragma unroll
    for (int k = 0; k < R; k++)
        v += load_long(base + k * distance + at);
#pragma unroll
    for (int k = 0; k < W; k++)
        store_long(base + (R + k) * distance + at, v);
    if (W == 0)
        consume_long(sink, v);
}

/* The best bandwidth over block sizes and distances of the arrays: a bandwidth is a peak. */
template <int R, int W> static double best_one_pass(machine &m)
{
    double best = 0;
    for (const size_t skew : {(size_t)0, (size_t)4352, (size_t)73 << 10}) { /* bytes between neighbouring arrays */
        const size_t room = m.buffer_bytes / (R + W) - skew;
        const size_t array = std::min((size_t)1 << 30, room) >> 20 << 20;
        for (const int threads : {128, 256, 512, 1024}) {
            const unsigned blocks = (unsigned)(array / 8 / threads);
            const double t = seconds(
                                 m,
                                 [&] {
                                     for (int i = 0; i < 2; i++)
                                         one_pass<R, W><<<blocks, threads>>>(m.buffer, array + skew, m.sink);
                                 },
                                 3) /
                             2;
            const double b = (double)(R + W) * (double)array / t;
            record(m, text("reads=%d;writes=%d;threads=%d;array=%zu;distance=array+%zu", R, W, threads, array, skew),
                   "bandwidth", b, "B/s");
            best = std::max(best, b);
        }
    }
    progress("%d reads, %d writes: %.4g TB/s", R, W, best * 1e-12);
    return best;
}

static void mixes(machine &m)
{
    const double read = std::max({best_one_pass<2, 0>(m), best_one_pass<4, 0>(m), best_one_pass<8, 0>(m)});
    const double write = std::max(best_one_pass<0, 1>(m), best_one_pass<0, 4>(m));
    const double copy = std::max({best_one_pass<1, 1>(m), best_one_pass<2, 2>(m), best_one_pass<4, 4>(m)});
    const struct {
        int reads, writes;
        double total;
    } all[] = {{1, 1, copy},
               {3, 1, std::max(best_one_pass<3, 1>(m), best_one_pass<6, 2>(m))},
               {1, 3, std::max(best_one_pass<1, 3>(m), best_one_pass<2, 6>(m))}};
    std::vector<double> costs;
    for (const auto &x : all) {
        /* (reads + cost writes) / read bandwidth = (reads + writes) / mixed bandwidth */
        costs.push_back(((x.reads + x.writes) * read / x.total - x.reads) / x.writes);
        record(m, text("reads=%d;writes=%d", x.reads, x.writes), "write_cost", costs.back(), "1");
    }
    record(m, "reads=0;writes=1", "write_cost", read / write, "1");
    if (read > known(m, CAL_dram_read_bandwidth, 0))
        keep(m, CAL_dram_read_bandwidth, read, reachable(m), "reads, one element per thread and array");
    if (copy > known(m, CAL_dram_bandwidth, 0))
        keep(m, CAL_dram_bandwidth, copy, reachable(m), "copies, one element per thread and array, both directions");
    keep(m, CAL_dram_write_cost, median(costs), {0.8, 2.5}, "reads to writes 1:1, 3:1, 1:3");
}

static void fetch(machine &m)
{
    const size_t span = memory_set_bytes(m);
    double rate[4];
    for (int i = 0; i < 4; i++) {
        rate[i] = sector_rate(m, (size_t)32 << i, span);
        record(m, text("stride=%d", 32 << i), "lone_sectors", rate[i], "1/s");
    }
    /* twice the stride costs twice the time per sector as long as the fetch covers both strides */
    int bytes = 32;
    for (int i = 0; i < 2 && rate[i] > 1.5 * rate[i + 1]; i++)
        bytes *= 2;
    keep(m, CAL_dram_fetch, bytes, {32, 128}, "one sector per 32, 64, 128 bytes");
}

static __global__ void __launch_bounds__(512) gather(const char *base, unsigned mask, int rounds, int *sink)
{
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    int s = 0;
#pragma unroll 1
    for (int r = 0; r < rounds; r++) {
        int v[4];
#pragma unroll
        for (int u = 0; u < 4; u++)
            v[u] =
                load_past(base + (size_t)(scramble(thread * 8191u + (unsigned)(4 * r + u) * 0x9e3779b9u) & mask) * 64);
        s ^= v[0] ^ v[1] ^ v[2] ^ v[3];
    }
    consume(sink, s);
}

/* Pieces of P words from random places in a window, one word per thread, which writes it: what a gather in a kernel
 * does. */
template <int P> static __global__ void __launch_bounds__(256) gather_pieces(const char *base, unsigned mask, char *out)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const int v = load<4>(base + ((size_t)(scramble(i / P + 0x9e3779b9u) & mask) * P + i % P) * 4);
    asm volatile("st.global.b32 [%0], %1;" ::"l"(out + (size_t)i * 4), "r"(v) : "memory");
}

/* time = (bytes fetched + write cost * bytes written) / read bandwidth + fetches / rate, solved for the rate. */
template <int P> static double piece_gather_rate(machine &m, size_t window_bytes, double read)
{
    const unsigned n = (unsigned)std::min((size_t)1 << 26, power_of_two_below(window_bytes / 16));
    const double t = seconds(m, [&] {
        gather_pieces<P><<<n / 256, 256>>>(m.buffer, (unsigned)(window_bytes / 4 / P - 1), m.buffer + window_bytes);
    });
    /* some pieces are still in the L2, half of which a partition's reads can use */
    const double found = std::min(0.5, m.prop.l2CacheSize / known(m, CAL_l2_partitions, 1) / (double)window_bytes);
    const double unit = std::max(64.0, known(m, CAL_dram_fetch, 64)), fetches = n / (double)P * (1 - found);
    const double bytes = unit * fetches + known(m, CAL_dram_write_cost, 1.24) * 4.0 * n;
    const double rate = fetches / (t - bytes / read);
    record(m, text("piece=%d;window=%zu;words=%u", 4 * P, window_bytes, n), "time", t, "s");
    record(m, text("piece=%d;window=%zu;words=%u", 4 * P, window_bytes, n), "fetches_on_top_of_bytes", rate, "1/s");
    return rate;
}

/* Single sectors at random places of a set that stays in the L2. */
static void lone_sectors(machine &m, int blocks)
{
    const size_t reach = power_of_two_below((size_t)(m.prop.l2CacheSize / known(m, CAL_l2_partitions, 1) / 2));
    const auto launch = [&](int rounds) {
        gather<<<blocks, 512>>>(m.buffer, (unsigned)(reach / 64 - 1), rounds, m.sink);
    };
    const int rounds = rounds_for(m, 2e-3, launch);
    const double rate = 4.0 * 512 * blocks * rounds / seconds(m, [&] { launch(rounds); });
    record(m, text("window=%zu", reach), "lone_sectors", rate, "1/s");
    keep(m, CAL_l2_lone_rate, rate, {1e9, 1e13}, text("random sectors of %zu MiB", reach >> 20).c_str());
}

static void random_fetches(machine &m)
{
    const int blocks = m.prop.maxThreadsPerMultiProcessor / 512 * m.sms;
    for (size_t reach = (size_t)64 << 20; reach <= memory_set_bytes(m); reach *= 4) { /* reads alone */
        const auto launch = [&](int rounds) {
            gather<<<blocks, 512>>>(m.buffer, (unsigned)(reach / 64 - 1), rounds, m.sink);
        };
        const int rounds = rounds_for(m, 2e-3, launch);
        record(m, text("window=%zu", reach), "fetches",
               4.0 * 512 * blocks * rounds /
                   seconds(
                       m, [&] { launch(rounds); }, 3),
               "1/s");
    }
    lone_sectors(m, blocks);
    const size_t reach = memory_set_bytes(m);
    const double before = known(m, CAL_dram_read_bandwidth, 0), read = before > 0 ? before : best_one_pass<4, 0>(m);
    const double rate = median({piece_gather_rate<1>(m, reach, read), piece_gather_rate<2>(m, reach, read),
                                piece_gather_rate<4>(m, reach, read)});
    const double plain = read / std::max(64.0, known(m, CAL_dram_fetch, 64));
    if (!(rate > 0) || rate > 20 * plain)
        has_none(m, CAL_dram_random_rate, "random fetches cost no more than their bytes");
    else
        keep(m, CAL_dram_random_rate, rate, {0.05 * plain, 20 * plain},
             text("pieces of 4, 8, 16 bytes from %zu MiB, on top of their bytes", reach >> 20).c_str());
}

const benchmark dram_benchmarks[] = {
    {"dram_latency", "latency of device memory", latency},
    {"tlb", "latency of single lines in growing windows (CSV only)", translation},
    {"dram_rate", "bandwidth over threads and loads in flight", bandwidth},
    {"dram_mix", "reads and writes mixed", mixes},
    {"dram_fetch", "unit of a fetch", fetch},
    {"dram_random", "random fetches", random_fetches},
    {nullptr, nullptr, nullptr},
};

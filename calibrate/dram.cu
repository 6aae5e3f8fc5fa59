/* dram.cu - device memory: latency, bandwidth over what is in flight, mixes of reads and writes, the unit of a fetch,
 * random fetches, many arrays, and what address translation adds. SPDX-License-Identifier: MIT */
#include "bench.h"

#include <cmath>

static void latency(machine &m)
{
    const size_t set = memory_set_bytes(m);
    /* neighbouring lines in order: what a fetch takes, without much of address translation */
    const double near = chase_cycles(m, {m.buffer, set / 256, 256, 1, 0, 64, 8192, true, false});
    record(m, text("bytes=%zu;order=ascending", set), "latency", near, "cycles");
    const double far = chase_cycles(m, {m.buffer, set / 256, 256, ring_step(set / 256), 0, 64, 8192, true, false});
    record(m, text("bytes=%zu;order=random", set), "latency", far, "cycles");
    keep(m, CAL_dram_latency, near, "pointer chase over neighbouring lines");
}

static void translation(machine &m)
{
    /* one line per 2 MiB, in a few lines' distance so that they do not meet in one set of the L2 */
    const size_t stride = ((size_t)2 << 20) + 128 * 33;
    for (size_t pages = 8; pages * stride < m.buffer_bytes - ((size_t)1 << 20); pages *= 2) {
        const double cycles =
            chase_cycles(m, {m.buffer, pages, stride, ring_step(pages), 0, (int)pages * 2, 4096, false, true});
        record(m, text("window_mib=%zu", pages * 2), "latency", cycles, "cycles");
        progress("one line each in %zu MiB: %.0f cycles", pages * 2, cycles);
    }
    leave_out(m, CAL_tlb_page,
              "the reach of address translation is in the CSV (benchmark tlb), the page is not visible");
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
    keep(m, CAL_dram_read_bandwidth, best[0], "reads over threads and loads in flight");
    keep(m, CAL_dram_bandwidth, best[1], "copies, both directions");
}

static double best_of_mix(machine &m, int reads, int writes, int loads)
{
    const size_t array = memory_set_bytes(m) / 2; /* four of them fit */
    double best = 0;
    for (const int threads : {512, 1024, 1536, 2048}) {
        if (threads > m.prop.maxThreadsPerMultiProcessor)
            continue;
        const double b = stream_bandwidth(m, {reads, writes, loads, threads, array});
        if (b > 0)
            record(m, text("reads=%d;writes=%d;threads_per_sm=%d", reads, writes, threads), "bandwidth", b, "B/s");
        best = std::max(best, b);
    }
    progress("%d reads : %d writes: %.4g TB/s", reads, writes, best * 1e-12);
    return best;
}

static void mixes(machine &m)
{
    const double read = std::max(best_of_mix(m, 1, 0, 8), known(m, CAL_dram_read_bandwidth, 0));
    best_of_mix(m, 0, 1, 4);
    static const struct {
        int reads, writes, loads;
    } all[] = {{1, 1, 4}, {3, 1, 2}, {1, 3, 2}};
    std::vector<double> costs;
    for (const auto &x : all) {
        const double total = best_of_mix(m, x.reads, x.writes, x.loads);
        /* (reads + cost writes) / read bandwidth = (reads + writes) / mixed bandwidth */
        costs.push_back(((x.reads + x.writes) * read / total - x.reads) / x.writes);
        record(m, text("reads=%d;writes=%d", x.reads, x.writes), "write_cost", costs.back(), "1");
    }
    keep(m, CAL_dram_write_cost, median(costs), "reads to writes 1:1, 3:1, 1:3");
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
    keep(m, CAL_dram_fetch, bytes, "one sector per 32, 64, 128 bytes");
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

static void random_fetches(machine &m)
{
    const int blocks = m.prop.maxThreadsPerMultiProcessor / 512 * m.sms;
    double in_memory = 0;
    size_t window = 0;
    for (window = (size_t)64 << 20; window <= memory_set_bytes(m); window *= 4) {
        const auto launch = [&](int rounds) {
            gather<<<blocks, 512>>>(m.buffer, (unsigned)(window / 64 - 1), rounds, m.sink);
        };
        const int rounds = rounds_for(m, 2e-3, launch);
        in_memory = 4.0 * 512 * blocks * rounds /
                    seconds(
                        m, [&] { launch(rounds); }, 3);
        record(m, text("window=%zu", window), "fetches", in_memory, "1/s");
    }
    /* some are still found in the L2 */
    const double hit = known(m, CAL_l2_size, 0) / known(m, CAL_l2_partitions, 1) / (double)(window / 4);
    const double fetches = in_memory * (1 - std::min(hit, 0.5));
    const double own = std::max(64.0, known(m, CAL_dram_fetch, 64)) / known(m, CAL_dram_read_bandwidth, INFINITY);
    progress("%.3g fetches per second, of which bytes explain %.0f %%", fetches, 100 * own * fetches);
    if (1 / fetches > 1.05 * own)
        keep(m, CAL_dram_random_rate, 1 / (1 / fetches - own), "on top of the bytes; 1 GiB or what fits");
    else
        leave_out(m, CAL_dram_random_rate, "random fetches cost no more than their bytes");
}

/* S arrays walked at once, 16 or more loads per thread in all. */
template <int S>
static __global__ void __launch_bounds__(256) arrays_kernel(const char *base, size_t distance, int *sink)
{
    const int per_array = S < 16 ? 16 / S : 1;
    const size_t at = blockIdx.x * (size_t)256 * per_array * 8 + threadIdx.x * 8;
    long long s = 0;
#pragma unroll
    for (int u = 0; u < per_array; u++)
#pragma unroll
        for (int k = 0; k < S; k++)
            s ^= load_long_past(base + k * distance + at + u * 256 * 8);
    consume_long(sink, s);
}

template <int S> static double arrays(machine &m)
{
    const size_t total = 2 * memory_set_bytes(m), array = total / S, chunk = (size_t)256 * (S < 16 ? 16 / S : 1) * 8;
    const size_t distance = array + 128 * 34; /* not a power of two */
    const double t = seconds(
        m,
        [&] {
            for (int i = 0; i < 4; i++)
                arrays_kernel<S><<<(unsigned)(array / chunk), 256>>>(m.buffer, distance, m.sink);
        },
        3);
    record(m, text("arrays=%d", S), "bandwidth", 4.0 * (double)total / t, "B/s");
    return 4.0 * (double)total / t;
}

static void streams(machine &m)
{
    const double rate[] = {arrays<1>(m), arrays<2>(m), arrays<4>(m), arrays<8>(m), arrays<16>(m), arrays<32>(m)};
    const double best = *std::max_element(rate, rate + 6);
    int last = 1;
    for (int i = 0; i < 6; i++)
        if (rate[i] > 0.97 * best)
            last = 1 << i;
    keep(m, CAL_dram_streams, last, last == 32 ? "arrays read at once; more were not tried" : "arrays read at once");
}

const benchmark dram_benchmarks[] = {
    {"dram_latency", "latency of device memory", latency},
    {"tlb", "latency of single lines in growing windows (CSV only)", translation},
    {"dram_rate", "bandwidth over threads and loads in flight", bandwidth},
    {"dram_mix", "reads and writes mixed", mixes},
    {"dram_fetch", "unit of a fetch", fetch},
    {"dram_random", "random fetches", random_fetches},
    {"dram_streams", "many arrays at once", streams},
    {nullptr, nullptr, nullptr},
};

/* l1.cu - the L1: latency, sector, line, banks, capacity, rates, and the hash that spreads lines over tag banks.
 *
 * Wavefronts are seen by timing: 32 warps of a block repeat one access pattern over lines that the L1 holds; cycles per
 * load is what the pattern costs. Every iteration loads eight times, `STEP` bytes apart, from lines whose numbers
 * differ in a few bits only: the hash is linear over XOR, so all eight copies of the pattern behave alike.
 * SPDX-License-Identifier: MIT */
#include "timing.h"

#include <array>
#include <cmath>

typedef std::array<long long, 32> lanes; /* byte offset of every lane */

template <int BYTES, int STEP>
static __global__ void __launch_bounds__(1024)
    pattern_kernel(const char *base, const long long *offsets, int rounds, long long zero, long long *log, int *sink)
{
    const char *p = base + offsets[threadIdx.x % 32];
    int s = 0;
    for (int r = 0; r < 2; r++) { /* bring the lines in */
#pragma unroll
        for (int u = 0; u < 8; u++)
            s ^= load<BYTES>(p + u * STEP);
        p += zero;
    }
    consume(sink, s);
    __syncthreads();
    const long long start = clock64();
#pragma unroll 1
    for (int r = 0; r < rounds; r++) {
#pragma unroll
        for (int u = 0; u < 8; u++)
            s ^= load<BYTES>(p + u * STEP);
        p += zero;
    }
    consume(sink, s);
    __syncthreads();
    if (threadIdx.x == 0)
        log[blockIdx.x] = clock64() - start;
}

/* Cycles per load and multiprocessor. */
template <int BYTES, int STEP>
static double pattern(machine &m, const char *base, const lanes &offsets, int warps = 32, int rounds = 256)
{
    long long *on_device = m.log + m.log_entries - 32;
    CUDA(cudaMemcpy(on_device, offsets.data(), sizeof offsets, cudaMemcpyHostToDevice));
    const double cycles = log_median(m, m.sms, [&] {
        pattern_kernel<BYTES, STEP><<<m.sms, 32 * warps>>>(base, on_device, rounds, 0, m.log, m.sink);
    });
    return cycles / (8.0 * rounds * warps);
}

template <class F> static lanes each_lane(F offset)
{
    lanes l;
    for (int i = 0; i < 32; i++)
        l[i] = offset(i);
    return l;
}

/* ---- latency and sector ---- */

static void latency(machine &m)
{
    ring r = {m.buffer, 64, 128, 1, 0, 256, 4096, false, false};
    const double hit = chase_cycles(m, r);
    record(m, "stride=128;bytes=8192", "latency", hit, "cycles");
    keep(m, CAL_l1_latency, hit, {10, 200}, "pointer chase");
    /* lines that are in the L2 only: a hop into a sector that is there is short */
    double at[5];
    for (int i = 0; i < 5; i++) {
        r = {m.buffer, (size_t)(1 << 18) >> i, (size_t)8 << i, 1, 0, 0, 4096, false, false};
        at[i] = chase_cycles(m, r);
        record(m, text("stride=%d;first touch", 8 << i), "latency", at[i], "cycles");
    }
    int sector = 128;
    for (int i = 3; i >= 0 && at[i] > 0.85 * at[4]; i--)
        sector = 8 << i;
    if (sector == 32 || sector == 64 || sector == 128)
        keep(m, CAL_l1_sector, sector, {32, 128}, "first-touch latency over strides");
}

/* ---- rates and banks ---- */

static void rates(machine &m)
{
    double f64 = 0;
    for (const int warps : {1, 2, 4, 8, 16, 32}) {
        const double a = pattern<4, 4096>(m, m.buffer, each_lane([](int i) { return 4 * i; }), warps);
        const double b = pattern<8, 4096>(m, m.buffer, each_lane([](int i) { return 8 * i; }), warps);
        const double c = pattern<16, 4096>(m, m.buffer, each_lane([](int i) { return 16 * i; }), warps);
        record(m, text("bytes=4;warps=%d", warps), "cycles_per_load", a, "cycles");
        record(m, text("bytes=8;warps=%d", warps), "cycles_per_load", b, "cycles");
        record(m, text("bytes=16;warps=%d", warps), "cycles_per_load", c, "cycles");
        record(m, text("bytes=16;warps=%d", warps), "bytes_per_cycle", 512 / c, "1/cycle");
        f64 = std::min(b / 2, c / 4);
    }
    if (f64 < 0.45)
        throw failure(text("%.2f cycles per wavefront: the loads cannot all have been executed", f64));
    /* a whole number of wavefronts per cycle minus start and end effects */
    keep(m, CAL_l1_wavefront_rate, 1 / f64, {0.2, 2.1}, "loads of 8 and 16 bytes that hit");
}

static void banks(machine &m)
{
    double cycles[8];
    for (int i = 0; i <= 7; i++) {
        const int words = 1 << i; /* up to 64 words apart: lanes 256 bytes apart */
        cycles[i] = pattern<4, 16384>(m, m.buffer, each_lane([=](int l) { return 4LL * words * l; }), 32, 32);
        record(m, text("bytes=4;stride_words=%d", words), "cycles_per_load", cycles[i], "cycles");
    }
    for (const int words : {3, 5, 7, 9, 17, 33})
        record(m, text("bytes=4;stride_words=%d", words), "cycles_per_load",
               pattern<4, 16384>(m, m.buffer, each_lane([=](int l) { return 4LL * words * l; }), 32, 32), "cycles");
    for (int words = 1; words <= 32; words *= 2)
        record(m, text("bytes=8;stride_words=%d", 2 * words), "cycles_per_load",
               pattern<8, 16384>(m, m.buffer, each_lane([=](int l) { return 8LL * words * l; }), 32, 32), "cycles");
    /* the stride from which conflicts no longer grow covers all banks */
    int i = 1;
    while (i < 7 && cycles[i + 1] > 1.4 * cycles[i])
        i++;
    const int row_bytes = 4 << i;
    /* odd lanes one word beside the even ones: conflict-free with them if a bank is one word wide */
    const double same = pattern<4, 16384>(m, m.buffer, each_lane([](int l) { return 128LL * l; }), 32, 32);
    const double beside =
        pattern<4, 16384>(m, m.buffer, each_lane([](int l) { return 128LL * l + 4 * (l % 2); }), 32, 32);
    record(m, "32 lines;word 0", "cycles_per_load", same, "cycles");
    record(m, "32 lines;word lane%2", "cycles_per_load", beside, "cycles");
    const int width = beside < 0.7 * same ? 4 : 8;
    if (cycles[i] > 8 * cycles[0])
        keep(m, CAL_l1_banks, row_bytes / width, {16, 128}, "conflicts over strides");
    else
        progress("bank conflicts are not visible: banks are assumed");
}

/* 32 lanes in chunks of d bytes, no two on one bank: only the number of lines grows with d, until d is a line. */
static void line(machine &m)
{
    double cycles[6];
    for (int i = 0; i < 6; i++) {
        const int d = 16 << i; /* 16 ... 512 */
        cycles[i] = pattern<4, 16384>(
            m, m.buffer, each_lane([=](int l) {
                const int words = d / 4, at = l * words % 32; /* first bank of the chunk */
                int w =
                    0; /* a word of the chunk on a bank that no lane before has: chunks on the same banks take turns */
                if (words < 32)
                    w = l / (32 / words) % words;
                else
                    w = (l - at) & 31;
                return (long long)l * d + 4 * w;
            }),
            32, 64);
        record(m, text("chunk=%d", d), "cycles_per_load", cycles[i], "cycles");
    }
    int i = 1;
    while (i < 5 && cycles[i + 1] > 1.4 * cycles[i])
        i++;
    const int bytes = 16 << i;
    if (bytes >= 32 && bytes <= 256 && cycles[i] > 2.5 * cycles[0])
        keep(m, CAL_l1_line, bytes, {32, 256}, "cycles over the number of lines of a load");
    else
        progress("the line is not visible by timing: assumed");
}

/* ---- capacity ---- */

/* A chase over a growing set of lines, each seen twice before: one that is gone costs a trip to the L2. Bandwidth would
 * not show it, for the L2 fills the L1 nearly as fast as it is read. */
static void capacity(machine &m)
{
    cal_fill_facts(m.out);
    const int documented = (int)known(m, CAL_l1_size, 256 << 10), step = 8 << 10;
    std::vector<double> sizes, costs;
    for (int bytes = 4 * step; bytes <= documented * 3 / 2; bytes += step) {
        const size_t lines = (size_t)bytes / 128;
        const ring r = {m.buffer, lines, 128, ring_step(lines), 0, 2 * (int)lines, 8192, false, false};
        const double cycles = chase_cycles(m, r);
        record(m, text("bytes=%d", bytes), "latency", cycles, "cycles");
        sizes.push_back(bytes);
        costs.push_back(cycles);
    }
    const int knee = (int)sizes[cal_knee(costs.data(), costs.size(), 1.2)];
    record(m, "", "knee", knee, "B");
    const std::string source = text("%s; a chase hits up to %d KiB", m.out->entries[CAL_l1_size].source, knee >> 10);
    if (m.out->entries[CAL_l1_size].count == 0)
        keep(m, CAL_l1_size, knee, {16 << 10, 1 << 20}, "a chase that hits");
    else if (knee > 0.7 * documented && knee <= 1.1 * documented)
        (void)cal_set(m.out, CAL_l1_size, documented, source.c_str());
    progress("a chase hits up to %d KiB of %d KiB", knee >> 10, documented >> 10);
}

/* ---- tag hash ---- */

/* Lanes 0-15 on line a, 16-31 on line b, on different banks; the eight loads of a round move inside the lines. */
static double two_lines(machine &m, const char *base, long long a, long long b)
{
    return pattern<4, 4>(
        m, base, each_lane([=](int l) { return l < 16 ? 128 * a + l / 2 * 4 : 128 * b + 64 + (l - 16) / 2 * 4; }));
}

/* An address with zeros in all bits that lines up to 2^top need; the largest top for which the buffer has one. */
static char *aligned_base(const machine &m, int &top)
{
    for (top = 24; top > 6; top--) {
        const size_t align = (size_t)256 << top; /* line numbers below 2^(top+1) */
        char *base = (char *)(((size_t)m.buffer + align - 1) / align * align);
        if (base + ((size_t)128 << top) + 4096 <= m.buffer + m.buffer_bytes)
            return base;
    }
    throw failure("no aligned base in the buffer");
}

static void tag_hash(machine &m)
{
    int top = 0;
    char *base = aligned_base(m, top);
    const double one = two_lines(m, base, 0, 0);          /* a single line: no conflict possible */
    const auto conflict = [&](long long a, long long b) { /* 1 yes, 0 no, -1 not clear */
                                                          const double c = two_lines(m, base, a, b) / one;
                                                          record(m, text("a=%lld;b=%lld", a, b),
                                                                 "cycles_against_one_line", c, "1");
                                                          return c < 1.2 ? 0 : c > 1.4 && c < 2.6 ? 1 : -1;
    };
    record(m, "", "cycles_per_load_of_one_line", one, "cycles");
    std::vector<double> columns = {1, 2};
    std::string why;
    for (int a = 0; a < 4 && why.empty(); a++)
        for (int b = 0; b < a; b++)
            if (conflict(a, b) != 0)
                why = text("lines %d and %d are not served together: not four tag banks in line order", b, a);
    for (int k = 2; k <= top && why.empty(); k++) {
        int bank = -1, found = 0;
        for (int v = 0; v < 4; v++) {
            const int c = conflict(v, 1LL << k);
            if (c < 0)
                why = text("the time of lines %d and 2^%d is between one and two wavefronts", v, k);
            if (c == 1) {
                bank = v;
                found++;
            }
        }
        if (why.empty() && found != 1)
            why = text("line 2^%d conflicts with %d of the lines 0 to 3, not with one", k, found);
        columns.push_back(bank);
    }
    /* the law must hold for pairs it was not made from */
    unsigned seed = 12345;
    int right = 0;
    const int pairs = 64;
    for (int i = 0; i < pairs && why.empty(); i++) {
        long long line[2];
        int bank[2] = {0, 0};
        for (int j = 0; j < 2; j++) {
            seed = seed * 1664525u + 1013904223u;
            line[j] = (seed >> 4) & ((1LL << top) - 1);
            for (int k = 0; k <= top; k++)
                if (line[j] >> k & 1)
                    bank[j] ^= (int)columns[k];
        }
        right += line[0] == line[1] || conflict(line[0], line[1]) == (bank[0] == bank[1]);
    }
    if (why.empty() && right < pairs - 2)
        why = text("only %d of %d random pairs of lines follow an XOR hash", right, pairs);
    if (!why.empty()) {
        has_none(m, CAL_l1_tag_hash, why);
    } else {
        keep_list(m, CAL_l1_tag_hash, columns,
                  text("two-line loads; %d of %d other pairs as predicted", right, pairs).c_str());
    }
    leave_out(m, CAL_l1_thread_index_wavefronts, "timing does not show it; a profiler counts it");
}

const benchmark l1_benchmarks[] = {
    {"l1_latency", "latency of the L1, and its sector", latency},
    {"l1_rate", "cycles per load that hits, over warps and widths", rates},
    {"l1_banks", "data banks: conflicts over strides", banks},
    {"l1_line", "line: cycles over the number of lines of a load", line},
    {"l1_capacity", "a chase over growing sets", capacity},
    {"l1_hash", "tag banks: which lines are served together", tag_hash},
    {nullptr, nullptr, nullptr},
};

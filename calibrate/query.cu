/* query.cu - what the GPU says of itself, checked by probing where the answer can be wrong or is not given.
 * SPDX-License-Identifier: MIT */
#include "timing.h"

#include <cstring>

static void query(machine &m)
{
    const cudaDeviceProp &p = m.prop;
    cal_device *d = m.out;
    const std::string source = text("device query: %s, %s", p.name, m.when);
    const auto set = [&](cal_key key, double value) {
        if (!cal_set(d, key, value, source.c_str()))
            throw failure(text("the device query gives %g for %s", value, cal_key_name(key)));
        record(m, "", cal_key_name(key), value, "base unit");
    };
    const auto set_extents = [&](cal_key key, const int extents[3]) {
        const double values[3] = {(double)extents[0], (double)extents[1], (double)extents[2]};
        if (!cal_set_list(d, key, values, 3, source.c_str()))
            throw failure(text("the device query gives no extents for %s", cal_key_name(key)));
        for (int i = 0; i < 3; i++)
            record(m, text("direction=%c", "xyz"[i]), cal_key_name(key), values[i], "base unit");
    };
    record(m, text("name=%s", p.name), "compute_capability", p.major + 0.1 * p.minor, "1");
    set(CAL_sm_count, p.multiProcessorCount);
    set(CAL_clock, m.clock_hz); /* until the benchmark clock has measured it */
    set(CAL_warp_size, p.warpSize);
    set_extents(CAL_max_block, p.maxThreadsDim);
    set(CAL_max_threads_per_sm, p.maxThreadsPerMultiProcessor);
    set(CAL_max_blocks_per_sm, p.maxBlocksPerMultiProcessor);
    set(CAL_registers_per_sm, p.regsPerMultiprocessor);
    set(CAL_shared_per_sm, (double)p.sharedMemPerMultiprocessor);
    set(CAL_shared_per_block, (double)p.sharedMemPerBlockOptin);
    set(CAL_shared_reserved, (double)p.reservedSharedMemPerBlock);
    set(CAL_l2_size, p.l2CacheSize);
    (void)cal_set(d, CAL_max_registers_per_thread, 255,
                  "NVIDIA CUDA C++ Programming Guide, technical specifications per compute capability");
    if (m.memory_peak > 0) {
        (void)cal_set(d, CAL_dram_bandwidth_peak, m.memory_peak, (source + "; memory clock x 2 x bus width").c_str());
        record(m, "", "dram_bandwidth_peak", m.memory_peak, "B/s");
    }
    progress("%s: %d multiprocessors, compute capability %d.%d, L2 %d KiB", p.name, m.sms, p.major, p.minor,
             p.l2CacheSize / 1024);
}

/* A kernel that cannot do with fewer than about N registers: N values live through a loop. Never run. */
template <int N> static __global__ void __launch_bounds__(256) many_registers(int *data, int rounds)
{
    int v[N];
#pragma unroll
    for (int i = 0; i < N; i++)
        v[i] = (int)threadIdx.x * (2 * i + 1);
#pragma unroll 1
    for (int r = 0; r < rounds; r++)
#pragma unroll
        for (int i = 0; i < N; i++)
            v[i] = v[i] * v[(i + 1) % N] + r;
#pragma unroll
    for (int i = 0; i < N; i++)
        data[i] = v[i];
}

/* The rule of cuda_occupancy.h: registers are given to warps in granules, per sub-partition. */
static int blocks_by_registers(const machine &m, int registers, int threads, int granule)
{
    const int parts = (int)known(m, CAL_sub_partitions, 4), warp = m.prop.warpSize;
    const int per_warp = (registers * warp + granule - 1) / granule * granule, warps = (threads + warp - 1) / warp;
    const int by_registers = m.prop.regsPerMultiprocessor / parts / per_warp * parts / warps;
    return std::min(
        {by_registers, m.prop.maxThreadsPerMultiProcessor / (warps * warp), m.prop.maxBlocksPerMultiProcessor});
}

static __global__ void with_shared(int *sink)
{
    extern __shared__ int words[];
    if (sink == nullptr)
        words[threadIdx.x] = 1;
}

static void granularity(machine &m)
{
    cal_fill_facts(m.out);
    const void *kernels[] = {(const void *)many_registers<27>, (const void *)many_registers<29>,
                             (const void *)many_registers<31>, (const void *)many_registers<34>,
                             (const void *)many_registers<37>, (const void *)many_registers<42>,
                             (const void *)many_registers<53>, (const void *)many_registers<70>};
    std::vector<int> agreeing;
    for (const int granule : {64, 128, 256, 512, 1024}) {
        bool agrees = true;
        for (const void *kernel : kernels) {
            cudaFuncAttributes a;
            CUDA(cudaFuncGetAttributes(&a, kernel));
            for (int threads = 32; threads <= 256; threads += 32) {
                int blocks = 0;
                CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, 0));
                agrees = agrees && blocks == blocks_by_registers(m, a.numRegs, threads, granule);
            }
        }
        record(m, text("granule=%d", granule), "register_granularity_agrees", agrees, "1");
        if (agrees)
            agreeing.push_back(granule);
    }
    if (agreeing.size() == 1)
        keep(m, CAL_register_granularity, agreeing[0], {1, 4096}, "occupancy of kernels of 8 sizes");
    else
        progress("register_granularity: %zu granules agree with the occupancies", agreeing.size());

    /* the shared memory at which one block fewer fits, against the rule with each granule */
    CUDA(cudaFuncSetAttribute((const void *)with_shared, cudaFuncAttributeMaxDynamicSharedMemorySize,
                              (int)m.prop.sharedMemPerBlockOptin));
    agreeing.clear();
    for (const size_t granule : {32, 64, 128, 256, 512, 1024}) {
        bool agrees = true;
        /* around every size at which one block fewer fits */
        for (size_t n = 1; n <= 16; n++) {
            const size_t limit = m.prop.sharedMemPerMultiprocessor / n;
            for (size_t bytes = limit - std::min(limit, (size_t)2560) + 16; bytes < limit; bytes += 16) {
                int blocks = 0;
                if (bytes > m.prop.sharedMemPerBlockOptin)
                    break;
                CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, with_shared, 32, bytes));
                const size_t each = (bytes + m.prop.reservedSharedMemPerBlock + granule - 1) / granule * granule;
                const size_t fit = m.prop.sharedMemPerMultiprocessor / each;
                agrees = agrees && (size_t)blocks == std::min(fit, (size_t)m.prop.maxBlocksPerMultiProcessor);
            }
        }
        record(m, text("granule=%zu", granule), "shared_granularity_agrees", agrees, "1");
        if (agrees)
            agreeing.push_back((int)granule);
    }
    if (agreeing.size() == 1)
        keep(m, CAL_shared_granularity, agreeing[0], {1, 4096}, "occupancy over shared memory");
    else
        progress("shared_granularity: %zu granules agree with the occupancies", agreeing.size());
}

static __global__ void burn(long long wanted_ns, long long *log, float *sink)
{
    const unsigned long long start_ns = nanoseconds();
    const long long start = clock64();
    float x = (float)threadIdx.x, y = 1;
    unsigned long long now = start_ns;
    for (int i = 0; i < 1 << 20 && now - start_ns < (unsigned long long)wanted_ns; i++) {
#pragma unroll 16
        for (int k = 0; k < 256; k++) {
            x = fmaf(x, 0.999f, 0.5f);
            y = fmaf(y, 0.998f, 0.25f);
        }
        now = nanoseconds();
    }
    if (threadIdx.x == 0) {
        log[2 * blockIdx.x] = clock64() - start;
        log[2 * blockIdx.x + 1] = (long long)(nanoseconds() - start_ns);
    }
    if (x + y == -1)
        *sink = x;
}

static void clock_under_load(machine &m)
{
    std::vector<double> hz;
    for (int run = 0; run < 3; run++) {
        burn<<<m.sms, 512>>>(run == 0 ? 150000000LL : 50000000LL, m.log, (float *)m.sink);
        CUDA(cudaGetLastError());
        const std::vector<double> log = read_log(m, 2 * (size_t)m.sms);
        for (int b = 0; b < m.sms && run > 0; b++)
            if (log[2 * b + 1] > 0)
                hz.push_back(1e9 * log[2 * b] / log[2 * b + 1]);
    }
    const double clock = median(hz);
    record(m, "", "clock", clock, "Hz");
    const double stated = m.clock_hz;
    keep(m, CAL_clock, clock, {0.3 * stated, 1.15 * stated},
         "cycles over time of multiply-adds on all multiprocessors");
    m.clock_hz = known(m, CAL_clock, stated);
}

const benchmark query_benchmarks[] = {
    {"query", "device query", query},
    {"granularity", "granules of registers and shared memory, by occupancy probes", granularity},
    {"clock", "multiprocessor clock under load", clock_under_load},
    {nullptr, nullptr, nullptr},
};

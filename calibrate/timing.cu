/* timing.cu - see timing.h: timing, results, and the two kernels that several benchmarks share. SPDX-License-Identifier:
 * MIT */
#include "timing.h"

#include <cmath>

void cuda_check(cudaError_t error, const char *call, const char *file, int line)
{
    if (error != cudaSuccess)
        throw failure(text("%s:%d: %s: %s", file, line, call, cudaGetErrorString(error)));
}

static std::string vtext(const char *format, va_list arguments)
{
    char s[512];
    (void)vsnprintf(s, sizeof s, format, arguments);
    return s;
}

std::string text(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const std::string s = vtext(format, arguments);
    va_end(arguments);
    return s;
}

void progress(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)fprintf(stderr, "  %s\n", vtext(format, arguments).c_str());
    va_end(arguments);
}

void record(machine &m, const std::string &parameters, const char *quantity, double value, const char *unit)
{
    (void)fprintf(m.csv, "%s,%s,%s,%.6g,%s\n", m.bench, parameters.c_str(), quantity, value, unit);
    (void)fflush(m.csv);
}

static std::string source(const machine &m, const char *detail)
{
    return text("measured: %s, %s, calibrate %s%s%s", m.prop.name, m.when, m.bench, *detail ? "; " : "", detail);
}

void keep(machine &m, cal_key key, double value, window plausible, const char *detail)
{
    if (!(value >= plausible.low && value <= plausible.high) ||
        !cal_set(m.out, key, value, source(m, detail).c_str())) {
        doubt(m, key,
              text("measured as %.4g by %s, not used: plausible is %.4g to %.4g (base units)", value, m.bench,
                   plausible.low, plausible.high));
    } else {
        cal_note(m.out, key, "");
        progress("%s = %.6g", cal_key_name(key), value);
    }
}

void doubt(machine &m, cal_key key, const std::string &why)
{
    cal_note(m.out, key, why.c_str());
    progress("%s: %s", cal_key_name(key), why.c_str());
}

void keep_list(machine &m, cal_key key, const std::vector<double> &values, const char *detail)
{
    if (!cal_set_list(m.out, key, values.data(), values.size(), source(m, detail).c_str()))
        progress("%s makes no sense: not kept", cal_key_name(key));
    else
        progress("%s: %zu values", cal_key_name(key), values.size());
}

void leave_out(machine &m, cal_key key, const std::string &why)
{
    cal_leave_out(m.out, key, why.c_str());
    progress("%s left out: %s", cal_key_name(key), why.c_str());
}

void has_none(machine &m, cal_key key, const std::string &why)
{
    cal_set_none(m.out, key, source(m, why.c_str()).c_str());
    progress("%s: none, %s", cal_key_name(key), why.c_str());
}

double known(const machine &m, cal_key key, double otherwise)
{
    return m.out->entries[key].count ? m.out->entries[key].values[0] : otherwise;
}

double median(std::vector<double> values)
{
    if (values.empty())
        return NAN;
    std::sort(values.begin(), values.end());
    const size_t h = values.size() / 2;
    return values.size() % 2 ? values[h] : 0.5 * (values[h - 1] + values[h]);
}

double mean(const std::vector<double> &values)
{
    double sum = 0;
    for (const double v : values)
        sum += v;
    return sum / (double)values.size();
}

double seconds_per_sweep(machine &m, int few, int many, const std::function<void(int)> &launch)
{
    const double short_run = seconds(m, [&] { launch(few); });
    const double long_run = seconds(m, [&] { launch(many); });
    return (long_run - short_run) / (many - few);
}

double seconds(machine &m, const std::function<void()> &launch, int repeats)
{
    std::vector<double> times;
    for (int r = 0; r <= repeats; r++) {
        float ms = 0;
        CUDA(cudaEventRecord(m.begin));
        launch();
        CUDA(cudaGetLastError());
        CUDA(cudaEventRecord(m.end));
        CUDA(cudaEventSynchronize(m.end));
        CUDA(cudaEventElapsedTime(&ms, m.begin, m.end));
        if (r > 0)
            times.push_back(1e-3 * (double)ms);
    }
    return median(times);
}

std::vector<double> read_log(machine &m, size_t count)
{
    if (count > m.log_entries)
        throw failure("the log is too short");
    std::vector<long long> raw(count);
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaMemcpy(raw.data(), m.log, count * sizeof raw[0], cudaMemcpyDeviceToHost));
    return std::vector<double>(raw.begin(), raw.end());
}

double log_median(machine &m, size_t count, const std::function<void()> &launch)
{
    std::vector<double> runs;
    for (int r = 0; r < 3; r++) {
        launch();
        CUDA(cudaGetLastError());
        runs.push_back(median(read_log(m, count)));
    }
    return median(runs);
}

size_t lone_block_shared(machine &m, const void *kernel)
{
    const size_t bytes = m.prop.sharedMemPerBlockOptin / 1024 * 1024;
    CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
    return bytes;
}

int rounds_for(machine &m, double target, const std::function<void(int)> &launch)
{
    int rounds = 4;
    for (int tries = 0; tries < 8; tries++) {
        const double t = seconds(
            m, [&] { launch(rounds); }, 1);
        if (t >= 0.5 * target || rounds >= 1 << 24)
            return std::max(1, (int)std::min(rounds * std::max(0.25, target / t), 1e8));
        rounds = (int)std::min(rounds * std::min(64.0, std::max(2.0, 0.8 * target / t)), (double)(1 << 24));
    }
    return rounds;
}

size_t power_of_two_below(size_t n)
{
    size_t p = 1;
    while (p <= n / 2)
        p *= 2;
    return p;
}

size_t l2_set_bytes(const machine &m) { return power_of_two_below((size_t)m.prop.l2CacheSize / 4); }
size_t memory_set_bytes(const machine &m) { return std::min((size_t)1 << 30, power_of_two_below(m.buffer_bytes / 4)); }

/* ---- pointer chase ---- */

static __global__ void link_ring(char *base, size_t n, size_t stride, size_t step)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        *(char **)(base + i * stride) = base + (i + step) % n * stride;
}

__device__ inline long long load_long_strong(const char *p)
{
    long long v;
    asm volatile("ld.relaxed.gpu.global.b64 %0, [%1];" : "=l"(v) : "l"(p) : "memory");
    return v;
}

template <bool PAST_L1>
static __global__ void chase(const char *base, size_t n, size_t stride, int sweeps, const char *other,
                             size_t other_bytes, int warm_hops, int hops, long long *log, int *sink)
{
    int s = 0;
    for (int r = 0; r < sweeps; r++)
        for (size_t i = threadIdx.x; i < n; i += blockDim.x)
            s ^= load<4>(base + i * stride);
    for (size_t i = threadIdx.x * (size_t)32; i < other_bytes; i += blockDim.x * (size_t)32)
        s ^= load<4>(other + i);
    consume(sink, s);
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    const char *p = base;
    for (int h = 0; h < warm_hops; h++)
        p = (const char *)(PAST_L1 ? load_long_strong(p) : load_long(p));
    consume(sink, (int)(size_t)p);
    const long long start = clock64();
#pragma unroll 16
    for (int h = 0; h < hops; h++)
        p = (const char *)(PAST_L1 ? load_long_strong(p) : load_long(p));
    consume(sink, (int)(size_t)p);
    log[0] = clock64() - start;
}

size_t ring_step(size_t n)
{
    size_t step = (size_t)(0.618 * (double)n) | 1;
    for (;; step += 2) {
        size_t a = n, b = step;
        while (b) {
            const size_t rest = a % b;
            a = b;
            b = rest;
        }
        if (a == 1)
            return step;
    }
}

double chase_cycles(machine &m, const ring &r)
{
    /* clear the L1 with data from the end of the buffer, which no ring uses */
    const size_t other_bytes = 512 << 10;
    const char *other = m.buffer + m.buffer_bytes - other_bytes;
    const size_t flush_bytes = r.flush ? std::min((size_t)m.prop.l2CacheSize * 4, m.buffer_bytes / 4) : 0;
    if (r.base < m.buffer || r.base + r.n * r.stride > other - flush_bytes)
        throw failure("a ring does not fit into the buffer");
    link_ring<<<4 * m.sms, 256>>>(r.base, r.n, r.stride, r.step % r.n);
    CUDA(cudaGetLastError());
    const double cycles = log_median(m, 1, [&] {
        if (r.flush)
            CUDA(cudaMemsetAsync(m.buffer + m.buffer_bytes - other_bytes - flush_bytes, 0, flush_bytes));
        (r.past_l1 ? chase<true> : chase<false>)<<<1, 1024>>>(r.base, r.n, r.stride, r.sweeps, other, other_bytes,
                                                              r.warm_hops, r.hops, m.log, m.sink);
    });
    return cycles / r.hops;
}

/* ---- streams ---- */

template <int R, int W, int U>
static __global__ void __launch_bounds__(1024)
    stream_kernel(char *base, size_t array_bytes, size_t step, int rounds, int *sink)
{
    extern __shared__ char room[]; /* only its size matters */
    const size_t mask = array_bytes - 1, chunk = (size_t)blockDim.x * U * 8;
    size_t at = blockIdx.x * chunk + threadIdx.x * (size_t)8;
    long long s = 0;
#pragma unroll 1
    for (int r = 0; r < rounds; r++) { /* no more loads in flight than U per thread and array */
        long long v[U];
#pragma unroll
        for (int u = 0; u < U; u++) {
            v[u] = r;
#pragma unroll
            for (int k = 0; k < R; k++)
                v[u] ^= load_long_past(base + k * array_bytes + ((at + u * (size_t)blockDim.x * 8) & mask));
        }
#pragma unroll
        for (int u = 0; u < U; u++) {
#pragma unroll
            for (int k = 0; k < W; k++)
                store_long(base + (R + k) * array_bytes + ((at + u * (size_t)blockDim.x * 8) & mask), v[u]);
            s ^= v[u];
        }
        at += step * chunk;
    }
    consume_long(sink, s);
    if (rounds < 0)
        room[0] = 1;
}

typedef void (*stream_function)(char *, size_t, size_t, int, int *);

static stream_function find_stream(const stream &s)
{
    static const struct {
        int reads, writes, loads;
        stream_function kernel;
    } all[] = {
        {1, 0, 1, stream_kernel<1, 0, 1>}, {1, 0, 2, stream_kernel<1, 0, 2>}, {1, 0, 4, stream_kernel<1, 0, 4>},
        {1, 0, 8, stream_kernel<1, 0, 8>}, {1, 1, 1, stream_kernel<1, 1, 1>}, {1, 1, 2, stream_kernel<1, 1, 2>},
        {1, 1, 4, stream_kernel<1, 1, 4>}, {1, 1, 8, stream_kernel<1, 1, 8>}, {0, 1, 1, stream_kernel<0, 1, 1>},
        {0, 1, 4, stream_kernel<0, 1, 4>},
    };
    for (const auto &k : all)
        if (k.reads == s.reads && k.writes == s.writes && k.loads == s.loads)
            return k.kernel;
    throw failure("there is no such stream kernel");
}

double stream_bandwidth(machine &m, const stream &s)
{
    const stream_function kernel = find_stream(s);
    const int block = std::min(s.threads_per_sm, 512), per_sm = s.threads_per_sm / block, grid = per_sm * m.sms;
    const size_t shared = per_sm == 1 ? lone_block_shared(m, (const void *)kernel) : 0;
    int fit = 0;
    if ((s.reads + s.writes) * s.array_bytes > m.buffer_bytes)
        throw failure("the streams do not fit into the buffer");
    CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, (const void *)kernel, block, shared));
    if (fit < per_sm || per_sm * block != s.threads_per_sm)
        return 0;
    /* an odd step: a block comes back to a chunk only after all others, so that its L1 never helps */
    const size_t step = (size_t)grid | 1;
    const auto launch = [&](int rounds) {
        kernel<<<grid, block, shared>>>(m.buffer, s.array_bytes, step, rounds, m.sink);
    };
    const int rounds = rounds_for(m, 1.5e-3, launch);
    const double t = seconds(
        m, [&] { launch(rounds); }, 3);
    return 8.0 * (s.reads + s.writes) * s.loads * block * grid * (double)rounds / t;
}

static __global__ void __launch_bounds__(1024)
    sectors_kernel(const char *base, size_t span, size_t stride, size_t step, int rounds, int *sink)
{
    const size_t mask = span - 1, chunk = blockDim.x * stride * 4;
    size_t at = blockIdx.x * chunk + threadIdx.x * stride;
    int s = 0;
#pragma unroll 1
    for (int r = 0; r < rounds; r++) {
        int v[4];
#pragma unroll
        for (int u = 0; u < 4; u++)
            v[u] = load_past(base + ((at + u * (size_t)blockDim.x * stride) & mask));
        s ^= v[0] ^ v[1] ^ v[2] ^ v[3];
        at += step * chunk;
    }
    consume(sink, s);
}

double sector_rate(machine &m, size_t stride, size_t span_bytes)
{
    const int block = 512, grid = m.prop.maxThreadsPerMultiProcessor / block * m.sms;
    const size_t step = (size_t)grid | 1;
    const auto launch = [&](int rounds) {
        sectors_kernel<<<grid, block>>>(m.buffer, span_bytes, stride, step, rounds, m.sink);
    };
    const int rounds = rounds_for(m, 1.5e-3, launch);
    return 4.0 * block * grid * rounds /
           seconds(
               m, [&] { launch(rounds); }, 3);
}

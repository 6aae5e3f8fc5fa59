/* main.cu - calibrate: measures the GPU it runs on and writes its device file.
 *
 *   calibrate [--list] [--only NAME] [--device N] [--csv FILE] [OUT.yaml]
 *
 * SPDX-License-Identifier: MIT */
#include "timing.h"

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <ctime>

static const benchmark *const groups[] = {query_benchmarks, launch_benchmarks, arith_benchmarks, latency_benchmarks,
                                          l1_benchmarks,    l2_benchmarks,     dram_benchmarks,
                                          spread_benchmarks};
static const double time_limit_s = 85; /* no benchmark starts later */

static double now_s()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

static void open_machine(machine &m, int device)
{
    int count = 0, khz = 0, memory_khz = 0, bus_bits = 0;
    const cudaError_t error = cudaGetDeviceCount(&count);
    if (error != cudaSuccess || count == 0)
        throw failure(text("no usable GPU: %s", error == cudaSuccess ? "none found" : cudaGetErrorString(error)));
    if (device >= count)
        throw failure(text("there is no device %d, only 0 to %d", device, count - 1));
    CUDA(cudaSetDevice(device));
    CUDA(cudaGetDeviceProperties(&m.prop, device));
    CUDA(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, device));
    CUDA(cudaDeviceGetAttribute(&memory_khz, cudaDevAttrMemoryClockRate, device));
    CUDA(cudaDeviceGetAttribute(&bus_bits, cudaDevAttrGlobalMemoryBusWidth, device));
    if (m.prop.major < 7)
        throw failure(
            text("%s has compute capability %d.%d; 7.0 is the least", m.prop.name, m.prop.major, m.prop.minor));
    m.sms = m.prop.multiProcessorCount;
    m.clock_hz = 1e3 * khz;
    m.memory_peak = 1e3 * memory_khz * 2 * bus_bits / 8;

    size_t free_bytes = 0, total_bytes = 0;
    CUDA(cudaMemGetInfo(&free_bytes, &total_bytes));
    m.log_entries = 1 << 20;
    CUDA(cudaMalloc(&m.log, m.log_entries * sizeof *m.log));
    CUDA(cudaMemset(m.log, 0, m.log_entries * sizeof *m.log));
    CUDA(cudaMalloc(&m.sink, 4096));
    const size_t wanted = (size_t)8 << 30; /* room for a 4 GiB aligned base with 2 GiB behind it */
    m.buffer_bytes = std::min(wanted, (size_t)(0.55 * (double)free_bytes)) >> 21 << 21;
    if (m.buffer_bytes < (size_t)512 << 20)
        throw failure(text("only %zu MiB of device memory are free; about 1 GiB is needed", free_bytes >> 20));
    CUDA(cudaMalloc(&m.buffer, m.buffer_bytes));
    CUDA(cudaMemset(m.buffer, 0, m.buffer_bytes));
    CUDA(cudaEventCreate(&m.begin));
    CUDA(cudaEventCreate(&m.end));
    CUDA(cudaDeviceSynchronize());
}

/* Runs one benchmark; a failure is reported and the others go on. */
static bool run_one(machine &m, const benchmark &b)
{
    const double start = now_s();
    m.bench = b.name;
    (void)fprintf(stderr, "%s: %s\n", b.name, b.about);
    try {
        b.run(m);
        CUDA(cudaDeviceSynchronize());
        CUDA(cudaMemset(m.buffer, 0, m.buffer_bytes));
        CUDA(cudaDeviceSynchronize());
    } catch (const failure &f) {
        (void)fprintf(stderr, "%s: FAILED: %s\n", b.name, f.what());
        return false;
    }
    (void)fprintf(stderr, "  %.1f s\n", now_s() - start);
    return true;
}

struct options {
    const char *only, *csv, *out;
    int device;
    bool list;
};

static bool parse(int argc, char **argv, options &o)
{
    for (int i = 1; i < argc; i++) {
        const bool more = i + 1 < argc;
        if (!strcmp(argv[i], "--list"))
            o.list = true;
        else if (!strcmp(argv[i], "--only") && more)
            o.only = argv[++i];
        else if (!strcmp(argv[i], "--csv") && more)
            o.csv = argv[++i];
        else if (!strcmp(argv[i], "--device") && more)
            o.device = (int)strtol(argv[++i], nullptr, 10);
        else if (argv[i][0] != '-' && !o.out)
            o.out = argv[i];
        else
            return false;
    }
    return o.device >= 0;
}

static bool exists(const char *name)
{
    for (const benchmark *g : groups)
        for (; g->name; g++)
            if (!strcmp(g->name, name))
                return true;
    return false;
}

/* Prints what a single benchmark found. */
static void print_found(const machine &m)
{
    for (int k = 0; k < CAL_KEY_COUNT; k++) {
        const cal_entry &e = m.out->entries[k];
        for (size_t i = 0; i < e.count && strstr(e.source, m.bench); i++)
            (void)printf("%s%s%.6g%s", i ? " " : cal_key_name((cal_key)k), i ? "" : " ", e.values[i],
                         i + 1 < e.count ? "" : "\n");
    }
}

static int calibrate(const options &o)
{
    static cal_device device;
    machine m = {};
    const double start = now_s();
    const time_t today = time(nullptr);
    int failed = 0;
    open_machine(m, o.device);
    m.out = &device;
    (void)strftime(m.when, sizeof m.when, "%Y-%m", localtime(&today));
    cal_identify(&device, m.prop.name, m.prop.major, m.prop.minor);
    const std::string out = o.out ? o.out : std::string(device.name) + ".yaml";
    const size_t dot = out.rfind('.');
    const std::string csv = o.csv ? o.csv : (dot == std::string::npos ? out : out.substr(0, dot)) + ".csv";
    m.csv = fopen(csv.c_str(), "w");
    if (!m.csv)
        throw failure("cannot write " + csv);
    (void)fprintf(m.csv, "benchmark,parameters,quantity,value,unit\n");
    for (const benchmark *g : groups) {
        for (; g->name; g++) {
            /* the device query and the clock are needed by all */
            if (o.only && strcmp(g->name, o.only) != 0 && strcmp(g->name, "query") != 0 &&
                strcmp(g->name, "clock") != 0)
                continue;
            if (now_s() - start > time_limit_s) {
                (void)fprintf(stderr, "%s: skipped, %.0f s are over\n", g->name, time_limit_s);
                failed++;
                continue;
            }
            failed += !run_one(m, *g);
        }
    }
    (void)fclose(m.csv);
    if (o.only) {
        m.bench = o.only;
        print_found(m);
        (void)fprintf(stderr, "wrote %s; no device file with --only\n", csv.c_str());
        return failed ? 1 : 0;
    }
    cal_fill_facts(&device);
    char message[256] = "";
    FILE *file = fopen(out.c_str(), "w");
    if (!file)
        throw failure("cannot write " + out);
    const bool written = cal_write(&device, file, message, sizeof message);
    (void)fclose(file);
    if (!written)
        throw failure(out + ": " + message);
    (void)printf("%s\n", out.c_str());
    (void)fprintf(stderr, "wrote %s and %s in %.0f s%s\n", out.c_str(), csv.c_str(), now_s() - start,
                  failed ? "; some benchmarks failed, their numbers are assumed or missing" : "");
    return failed ? 1 : 0;
}

int main(int argc, char **argv)
{
    options o = {};
    if (!parse(argc, argv, o)) {
        (void)fprintf(stderr, "usage: calibrate [--list] [--only NAME] [--device N] [--csv FILE] [OUT.yaml]\n");
        return 2;
    }
    if (o.list) {
        for (const benchmark *g : groups)
            for (; g->name; g++)
                (void)printf("%-16s %s\n", g->name, g->about);
        return 0;
    }
    if (o.only && !exists(o.only)) {
        (void)fprintf(stderr, "calibrate: there is no benchmark %s; see --list\n", o.only);
        return 2;
    }
    try {
        return calibrate(o);
    } catch (const failure &f) {
        (void)fprintf(stderr, "calibrate: %s\n", f.what());
        return 1;
    }
}

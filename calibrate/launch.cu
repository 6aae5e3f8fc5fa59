/* launch.cu - launches and blocks: overhead of a launch, blocks started per second, turnover of a block's place, and
 * how long blocks that load wait. SPDX-License-Identifier: MIT */
#include "timing.h"

#include <cmath>
#include <map>

static __global__ void empty(int *sink, int value) { consume(sink, value); }

/* Median time per launch over batches, after the launch path is warm: plain launches, and a graph of a chain. */
static double plain_launches(machine &m, int blocks)
{
    const int launches = 200, batches = 30;
    std::vector<double> times;
    for (int b = -5; b < batches; b++) {
        const double t = seconds(
            m,
            [&] {
                for (int i = 0; i < launches; i++)
                    empty<<<blocks, 256>>>(m.sink, i);
            },
            1);
        if (b >= 0)
            times.push_back(t / launches);
    }
    record(m, text("how=plain;blocks=%d;threads=256", blocks), "time_per_launch", median(times), "s");
    record(m, text("how=plain;blocks=%d;threads=256", blocks), "least_time_per_launch",
           *std::min_element(times.begin(), times.end()), "s");
    return median(times);
}

static double graph_launches(machine &m, int blocks)
{
    const int nodes = 64, graphs = 8;
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t chain;
    CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    for (int i = 0; i < nodes; i++)
        empty<<<blocks, 256, 0, stream>>>(m.sink, i);
    CUDA(cudaStreamEndCapture(stream, &graph));
    CUDA(cudaGraphInstantiateWithFlags(&chain, graph, 0));
    std::vector<double> times;
    for (int b = -5; b < 30; b++) {
        float ms = 0;
        CUDA(cudaEventRecord(m.begin, stream));
        for (int g = 0; g < graphs; g++)
            CUDA(cudaGraphLaunch(chain, stream));
        CUDA(cudaEventRecord(m.end, stream));
        CUDA(cudaEventSynchronize(m.end));
        CUDA(cudaEventElapsedTime(&ms, m.begin, m.end));
        if (b >= 0)
            times.push_back(1e-3 * (double)ms / (nodes * graphs));
    }
    CUDA(cudaGraphExecDestroy(chain));
    CUDA(cudaGraphDestroy(graph));
    CUDA(cudaStreamDestroy(stream));
    record(m, text("how=graph;nodes=%d;blocks=%d;threads=256", nodes, blocks), "time_per_launch", median(times), "s");
    return median(times);
}

static void launch_overhead(machine &m)
{
    double plain = INFINITY, graph = INFINITY;
    for (const int blocks : {1, m.sms, 4 * m.sms}) {
        plain = std::min(plain, plain_launches(m, blocks));
        graph = std::min(graph, graph_launches(m, blocks));
    }
    keep(m, CAL_launch_overhead, plain, {0.3e-6, 50e-6},
         text("empty kernels back to back, median of 30 batches; %.2f us in a graph", 1e6 * graph).c_str());
}

static __global__ void one_load(const float *from, float *to)
{
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    to[i] = from[i] + 1;
}

/* One launch between two events, nothing before and after it. */
static double alone(machine &m, int blocks)
{
    std::vector<double> times;
    for (int run = -5; run < 51; run++) {
        const double t = seconds(
            m, [&] { one_load<<<blocks, 256>>>((const float *)m.buffer, (float *)m.buffer + (1 << 20)); }, 1);
        if (run >= 0)
            times.push_back(t);
    }
    record(m, text("blocks=%d;threads=256", blocks), "time", median(times), "s");
    return median(times);
}

static void launch_alone(machine &m)
{
    const double overhead = known(m, CAL_launch_overhead, 3e-6), clock = known(m, CAL_clock, 1e9);
    const double wait = known(m, CAL_block_turnover, 400) + known(m, CAL_l2_latency, 280);
    keep(m, CAL_launch_latency, alone(m, m.sms) - overhead - wait / clock, {0, 50e-6},
         "one load and one store per thread, timed alone");
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
    keep(m, CAL_block_rate, best, {1e7, 1e11}, "empty kernels");
}

/* Every block logs its multiprocessor, its first and its last cycle, and the first of its last warp; it waits for `wait`
 * cycles and some. */
static __global__ void turnover_kernel(int wait, int blocks, long long *log)
{
    extern __shared__ char room[]; /* only its size matters */
    const long long start = clock64();
    const long long until = start + wait + (scramble(blockIdx.x) & 1023);
    while (clock64() < until) {
    }
    if (threadIdx.x == blockDim.x - 1)
        log[3 * blocks + blockIdx.x] = start;
    __syncthreads();
    if (threadIdx.x == 0) {
        log[blockIdx.x] = multiprocessor();
        log[blocks + blockIdx.x] = start;
        log[2 * blocks + blockIdx.x] = clock64();
        if (wait < 0)
            room[0] = 1;
    }
}

/* Median gap between the end of a block and the start of the one that takes its place; `last`: of its last warp. */
static double turnover(machine &m, int threads, bool lone, bool last = false)
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
        const std::vector<double> log = read_log(m, 4 * (size_t)blocks);
        std::map<int, std::vector<std::pair<double, double>>> by_sm;
        for (int b = 0; b < blocks && run > 0; b++)
            by_sm[(int)log[b]].push_back({log[(last ? 3 : 1) * blocks + b], log[2 * blocks + b]});
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
        if (threads == 256 || threads == 1024) {
            const double last = turnover(m, threads, false, true); /* for the CSV: no model reads it */
            record(m, text("threads=%d;blocks=full", threads), "turnover_of_last_warp", last, "cycles");
        }
    }
    keep(m, CAL_block_turnover, typical, {50, 5000},
         "one block of 256 threads per multiprocessor; a start value: the one fitted over kernels is larger");
}

const benchmark launch_benchmarks[] = {
    {"launch", "time from launch to launch", launch_overhead},
    {"alone", "a launch on its own", launch_alone},
    {"blocks", "blocks started per second", block_rate},
    {"turnover", "from the end of a block to the start of the next in its place", block_turnover},
    {nullptr, nullptr, nullptr},
};

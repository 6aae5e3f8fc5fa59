// graph.cu - a heat equation whose steps are captured as a graph, with a fork to a second stream,
// and launched again and again.
// SPDX-License-Identifier: MIT
#include "host_check.h"

__global__ void step(const int *in, int *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = (in[(i + n - 1) % n] + 2 * in[i] + in[(i + 1) % n]) / 4;
}

__global__ void count(const int *values, unsigned *warm, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned votes = __ballot_sync(~0u, i < n && values[i] > 0);
    if (threadIdx.x % 32 == 0)
        atomicAdd(warm, __popc(votes));
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 4096;
    const int launches = 6;
    std::vector<int> start(n, 0);
    for (int i = n / 4; i < n / 2; i++)
        start[i] = 1 << 20;
    int *a = to_device(start), *b = to_device(start);
    unsigned *warm;
    CHECK(cudaMalloc(&warm, sizeof *warm));
    CHECK(cudaMemset(warm, 0, sizeof *warm));
    cudaStream_t main_stream, side;
    cudaEvent_t fork, join;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CHECK(cudaStreamCreate(&main_stream));
    CHECK(cudaStreamCreate(&side));
    CHECK(cudaEventCreate(&fork));
    CHECK(cudaEventCreate(&join));
    const int blocks = (n + 127) / 128;
    CHECK(cudaStreamBeginCapture(main_stream, cudaStreamCaptureModeGlobal));
    step<<<blocks, 128, 0, main_stream>>>(a, b, n);
    CHECK(cudaEventRecord(fork, main_stream));
    CHECK(cudaStreamWaitEvent(side, fork, 0));
    count<<<blocks, 128, 0, side>>>(b, warm, n);
    step<<<blocks, 128, 0, main_stream>>>(b, a, n);
    CHECK(cudaEventRecord(join, side));
    CHECK(cudaStreamWaitEvent(main_stream, join, 0));
    CHECK(cudaStreamEndCapture(main_stream, &graph));
    size_t nodes = 0;
    CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    for (int k = 0; k < launches; k++)
        CHECK(cudaGraphLaunch(exec, main_stream));
    CHECK(cudaStreamSynchronize(main_stream));
    const std::vector<int> end = to_host(a, n);
    const unsigned counted = to_host(warm, 1)[0];
    std::vector<int> now = start, next(n);
    unsigned expected = 0;
    for (int k = 0; k < 2 * launches; k++) {
        for (int i = 0; i < n; i++)
            next[i] = (now[(i + n - 1) % n] + 2 * now[i] + now[(i + 1) % n]) / 4;
        now.swap(next);
        for (int i = 0; i < n && k % 2 == 0; i++)
            expected += now[i] > 0;
    }
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    printf("%d cells, %zu nodes: warm %u, digest %08x\n", n, nodes, counted, digest(end));
    return finish(end == now && counted == expected);
}

// atomic_lines.cu - additions of all lanes of a warp to one float: how many lines of the L2 work at
// the same time, by their number and distance. Prints rows of validate/probes/h200_atomic_lines.csv:
// medians of 11 launches. SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdio>
#include <vector>

// Warp w adds to word `w / lines % words` of line `w % lines`.
__global__ void add(float *sums, int lines, int stride, int words)
{
    const int w = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    atomicAdd(&sums[(size_t)(w % lines) * stride + w / lines % words], 1.0f);
}
__global__ void add_int(int *sums, int lines, int stride, int words)
{
    const int w = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    atomicAdd(&sums[(size_t)(w % lines) * stride + w / lines % words], (int)threadIdx.x);
}
// Lane l adds to word l of the line: one pass of the whole line.
__global__ void add_apart(float *sums, int lines, int stride)
{
    const int w = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    atomicAdd(&sums[(size_t)(w % lines) * stride + threadIdx.x % 32], 1.0f);
}

template <class F> static void timed(const char *kind, int lines, int stride, int words, F launch)
{
    cudaEvent_t a, b;
    cudaEventCreate(&a);
    cudaEventCreate(&b);
    std::vector<float> t;
    for (int i = 0; i < 13; i++) {
        float ms;
        cudaEventRecord(a);
        launch();
        cudaEventRecord(b);
        cudaEventSynchronize(b);
        cudaEventElapsedTime(&ms, a, b);
        if (i > 1)
            t.push_back(ms * 1000);
    }
    std::sort(t.begin(), t.end());
    printf("%s,%d,%d,%d,%.2f%s\n", kind, lines, stride * 4, words, t[t.size() / 2],
           cudaGetLastError() == cudaSuccess ? "" : ",error");
    fflush(stdout);
}

int main()
{
    float *sums;
    cudaMalloc(&sums, (size_t)64 << 20);
    cudaMemset(sums, 0, (size_t)64 << 20);
    printf("kind,lines,stride_bytes,words,us\n");
    const int blocks = 4096; // of 8 warps: 32768 additions by warps, 1048576 by lanes
    for (int words : {1, 32})
        for (int stride : {32, 64, 128, 256, 1024, 4096})
            for (int lines = 1; lines <= 512; lines *= 2) {
                timed("float", lines, stride, words, [&] { add<<<blocks, 256>>>(sums, lines, stride, words); });
                if (stride == 32 || stride == 1024)
                    timed("int", lines, stride, words, [&] { add_int<<<blocks, 256>>>((int *)sums, lines, stride, words); });
                if (words == 1)
                    timed("apart", lines, stride, 32, [&] { add_apart<<<blocks, 256>>>(sums, lines, stride); });
            }
}

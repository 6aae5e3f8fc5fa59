// image.cu - an image in strips: each strip is copied, blurred, mapped by its histogram and copied
// back in a stream of its own; events order what strips need of each other.
// SPDX-License-Identifier: MIT
#include "host_check.h"

#define STRIPS 3

__global__ void blur(const unsigned char *in, unsigned char *out, int width, int height, int first, int rows)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = first + blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= first + rows)
        return;
    int sum = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            const int u = min(max(x + dx, 0), width - 1), v = min(max(y + dy, 0), height - 1);
            sum += in[v * width + u];
        }
    out[y * width + x] = (unsigned char)((sum + 4) / 9);
}

__global__ void histogram(const unsigned char *in, unsigned *bins, int count)
{
    __shared__ unsigned mine[256];
    mine[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        atomicAdd(&mine[in[i]], 1);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}

__global__ void invert(unsigned char *image, int count)
{
    const int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i + 3 < count) {
        uchar4 *at = (uchar4 *)(image + i);
        const uchar4 v = *at;
        *at = make_uchar4(255 - v.x, 255 - v.y, 255 - v.z, 255 - v.w);
    }
}

int main(int argc, char **argv)
{
    const int width = argc > 1 ? atoi(argv[1]) : 192, height = STRIPS * 40, rows = height / STRIPS;
    const int bytes = width * height, part = width * rows;
    unsigned char *host, *in, *out;
    unsigned *bins;
    CHECK(cudaMallocHost(&host, bytes));
    CHECK(cudaMalloc(&in, bytes));
    CHECK(cudaMalloc(&out, bytes));
    CHECK(cudaMalloc(&bins, 256 * sizeof *bins));
    CHECK(cudaMemset(bins, 0, 256 * sizeof *bins));
    Random random = {5};
    for (int i = 0; i < bytes; i++)
        host[i] = (unsigned char)((i % width + i / width + random.next() % 32) % 256);
    const std::vector<unsigned char> original(host, host + bytes);
    cudaStream_t stream[STRIPS];
    cudaEvent_t copied[STRIPS];
    for (int s = 0; s < STRIPS; s++) {
        CHECK(cudaStreamCreateWithFlags(&stream[s], cudaStreamNonBlocking));
        CHECK(cudaEventCreateWithFlags(&copied[s], cudaEventDisableTiming));
    }
    CHECK(cudaDeviceSynchronize());
    for (int s = 0; s < STRIPS; s++) {
        CHECK(cudaMemcpyAsync(in + s * part, host + s * part, part, cudaMemcpyHostToDevice, stream[s]));
        CHECK(cudaEventRecord(copied[s], stream[s]));
    }
    for (int s = 0; s < STRIPS; s++) {
        for (int other = s - 1; other <= s + 1; other += 2) // rows of the neighbours
            if (other >= 0 && other < STRIPS)
                CHECK(cudaStreamWaitEvent(stream[s], copied[other], 0));
        blur<<<dim3((width + 31) / 32, (rows + 7) / 8), dim3(32, 8), 0, stream[s]>>>(in, out, width, height, s * rows,
                                                                                    rows);
        histogram<<<4, 256, 0, stream[s]>>>(out + s * part, bins, part);
        invert<<<(part / 4 + 255) / 256, 256, 0, stream[s]>>>(out + s * part, part);
        CHECK(cudaMemcpyAsync(host + s * part, out + s * part, part, cudaMemcpyDeviceToHost, stream[s]));
    }
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    const std::vector<unsigned> counted = to_host(bins, 256);
    std::vector<unsigned> expected(256, 0);
    bool right = true;
    for (int i = 0; i < bytes; i++) {
        int sum = 0;
        for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++) {
                const int u = std::min(std::max(i % width + dx, 0), width - 1);
                const int v = std::min(std::max(i / width + dy, 0), height - 1);
                sum += original[v * width + u];
            }
        expected[(sum + 4) / 9]++;
        right = right && host[i] == 255 - (sum + 4) / 9;
    }
    printf("%d x %d: digest %08x, histogram %08x\n", width, height,
           digest(std::vector<unsigned char>(host, host + bytes)), digest(counted));
    return finish(right && counted == expected);
}

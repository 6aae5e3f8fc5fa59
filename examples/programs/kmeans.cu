// kmeans.cu - k-means: points are assigned to the nearest center, centers move to the mean of their
// points, until no point changes. Sums are integers, so that their order does not matter.
// SPDX-License-Identifier: MIT
#include "host_check.h"

#define DIMS 4
#define CENTERS 8

__constant__ int center[CENTERS][DIMS];

__global__ void assign(const int *points, int *owner, int *changed, int count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    int best = 0, least = 0x7fffffff;
    for (int c = 0; c < CENTERS; c++) {
        int distance = 0;
        for (int d = 0; d < DIMS; d++) {
            const int apart = points[d * count + i] - center[c][d];
            distance += apart * apart;
        }
        if (distance < least) {
            least = distance;
            best = c;
        }
    }
    if (owner[i] != best)
        atomicAdd(changed, 1);
    owner[i] = best;
}

__global__ void add(const int *points, const int *owner, int *sums, int *sizes, int count)
{
    __shared__ int sum[CENTERS * DIMS], size[CENTERS];
    for (int k = threadIdx.x; k < CENTERS * DIMS; k += blockDim.x)
        sum[k] = 0;
    if (threadIdx.x < CENTERS)
        size[threadIdx.x] = 0;
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        for (int d = 0; d < DIMS; d++)
            atomicAdd(&sum[owner[i] * DIMS + d], points[d * count + i]);
        atomicAdd(&size[owner[i]], 1);
    }
    __syncthreads();
    for (int k = threadIdx.x; k < CENTERS * DIMS; k += blockDim.x)
        atomicAdd(&sums[k], sum[k]);
    if (threadIdx.x < CENTERS)
        atomicAdd(&sizes[threadIdx.x], size[threadIdx.x]);
}

int main(int argc, char **argv)
{
    const int count = argc > 1 ? atoi(argv[1]) : 4096;
    Random random = {7};
    std::vector<int> points(DIMS * count), centers(CENTERS * DIMS);
    for (int i = 0; i < count; i++)
        for (int d = 0; d < DIMS; d++)
            points[d * count + i] = 100 * ((i + d) % CENTERS) + random.next() % 90;
    for (int k = 0; k < CENTERS * DIMS; k++)
        centers[k] = points[k % DIMS * count + k / DIMS];
    int *d_points = to_device(points), *owner = to_device(std::vector<int>(count, -1)), *sums, *sizes, *d_changed;
    CHECK(cudaMalloc(&sums, CENTERS * DIMS * sizeof(int)));
    CHECK(cudaMalloc(&sizes, CENTERS * sizeof(int)));
    CHECK(cudaMalloc(&d_changed, sizeof(int)));
    int changed = 1, rounds = 0;
    for (; changed > 0 && rounds < 50; rounds++) {
        CHECK(cudaMemcpyToSymbol(center, centers.data(), sizeof center));
        CHECK(cudaMemset(d_changed, 0, sizeof(int)));
        CHECK(cudaMemset(sums, 0, CENTERS * DIMS * sizeof(int)));
        CHECK(cudaMemset(sizes, 0, CENTERS * sizeof(int)));
        assign<<<(count + 127) / 128, 128>>>(d_points, owner, d_changed, count);
        add<<<(count + 127) / 128, 128>>>(d_points, owner, sums, sizes, count);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(&changed, d_changed, sizeof(int), cudaMemcpyDeviceToHost));
        const std::vector<int> sum = to_host(sums, CENTERS * DIMS), size = to_host(sizes, CENTERS);
        for (int k = 0; k < CENTERS * DIMS; k++)
            if (size[k / DIMS] > 0)
                centers[k] = sum[k] / size[k / DIMS];
    }
    const std::vector<int> owners = to_host(owner, count);
    bool right = changed == 0; // every point belongs to the nearest center
    for (int i = 0; i < count && right; i++) {
        long own = 0, least = 1L << 40;
        for (int c = 0; c < CENTERS; c++) {
            long distance = 0;
            for (int d = 0; d < DIMS; d++)
                distance += (long)(points[d * count + i] - centers[c * DIMS + d]) *
                            (points[d * count + i] - centers[c * DIMS + d]);
            own = c == owners[i] ? distance : own;
            least = distance < least ? distance : least;
        }
        right = own == least;
    }
    printf("%d points, %d centers: %d rounds, digest %08x\n", count, CENTERS, rounds, digest(owners));
    return finish(right);
}

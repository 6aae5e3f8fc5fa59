// managed.cu - memory that host and device share: a linked list of blocks, which the device walks
// by pointers that the host has written, and a managed counter. SPDX-License-Identifier: MIT
#include "host_check.h"

struct Block {
    Block *next;
    int count;
    float values[62];
};

__managed__ unsigned visited;

__global__ void scale(Block *const *blocks, int count, float factor)
{
    const int b = blockIdx.x;
    if (b >= count)
        return;
    Block *block = blocks[b];
    for (int i = threadIdx.x; i < block->count; i += blockDim.x)
        block->values[i] *= factor;
    if (threadIdx.x == 0)
        atomicAdd(&visited, 1);
}

__global__ void sum(const Block *list, float *out)
{
    float total = 0;
    for (; list; list = list->next)
        for (int i = threadIdx.x; i < list->count; i += 32)
            total += list->values[i];
    for (int step = 16; step > 0; step /= 2)
        total += __shfl_down_sync(~0u, total, step);
    if (threadIdx.x == 0)
        *out = total;
}

int main(int argc, char **argv)
{
    const int count = argc > 1 ? atoi(argv[1]) : 40;
    Block **blocks;
    float *total;
    CHECK(cudaMallocManaged(&blocks, count * sizeof *blocks));
    CHECK(cudaMallocManaged(&total, sizeof *total));
    float expected = 0;
    for (int b = 0; b < count; b++) {
        CHECK(cudaMallocManaged(&blocks[b], sizeof(Block)));
        blocks[b]->count = 1 + b % 62;
        for (int i = 0; i < blocks[b]->count; i++)
            expected += blocks[b]->values[i] = (float)(b + i);
    }
    for (int b = 0; b < count; b++)
        blocks[b]->next = b + 1 < count ? blocks[b + 1] : nullptr;
    float factor = 1;
    for (int round = 0; round < 3; round++) {
        scale<<<count, 32>>>(blocks, count, 2);
        factor *= 2;
        sum<<<1, 32>>>(blocks[0], total);
        CHECK(cudaGetLastError());
        CHECK(cudaDeviceSynchronize()); // the host reads what the device has written
        printf("round %d: %.1f\n", round, *total);
        blocks[0]->values[0] += 1; // and writes what it reads next
        expected += 1 / factor;
    }
    printf("%u blocks visited\n", visited);
    return finish(visited == 3u * count && *total == factor * (expected - 1 / factor));
}

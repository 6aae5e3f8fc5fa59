/* printing.cu - printf, assert, trap: calls of functions that are not in the file. SPDX-License-Identifier: MIT */
#include <assert.h>
#include <stdio.h>

__global__ void k_print(const float *x, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && x[i] < 0)
        printf("x[%d] = %f, \"%s\" %c %llu\n", i, x[i], "negative", 'c', 7ull);
}

__global__ void k_assert(const int *x)
{
    assert(x[threadIdx.x] >= 0 && "no negative numbers");
    if (x[threadIdx.x] == 77)
        __trap();
    if (x[threadIdx.x] == 78)
        __nanosleep(100);
    if (x[threadIdx.x] == 79)
        asm volatile("exit;");
}

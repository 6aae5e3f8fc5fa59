/* science.cu - small kernels as they are written every day: templates, lambdas, reductions, sparse products, stencils,
 * searches. SPDX-License-Identifier: MIT */
#include <stdint.h>

template <typename T, int R> __global__ void k_stencil(const T *__restrict__ in, T *__restrict__ out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x + R;
    if (i >= n - R)
        return;
    T sum = 0;
#pragma unroll
    for (int r = -R; r <= R; r++)
        sum += in[i + r] * T(r + 1);
    out[i] = sum;
}
template __global__ void k_stencil<float, 1>(const float *, float *, int);
template __global__ void k_stencil<double, 4>(const double *, double *, int);

__global__ void k_csr(const int *rows, const int *columns, const double *values, const double *x, double *y, int n)
{
    for (int row = blockIdx.x * blockDim.x + threadIdx.x; row < n; row += gridDim.x * blockDim.x) {
        double sum = 0;
        for (int k = rows[row]; k < rows[row + 1]; k++)
            sum += values[k] * x[columns[k]];
        y[row] = sum;
    }
}

template <int BLOCK> __global__ void k_reduce(const float *in, float *out, long long n)
{
    __shared__ float part[BLOCK];
    float sum = 0;
    for (long long i = (long long)blockIdx.x * BLOCK + threadIdx.x; i < n; i += (long long)gridDim.x * BLOCK)
        sum += in[i];
    part[threadIdx.x] = sum;
    __syncthreads();
    for (int by = BLOCK / 2; by > 0; by /= 2) {
        if (threadIdx.x < by)
            part[threadIdx.x] += part[threadIdx.x + by];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = part[0];
}
template __global__ void k_reduce<256>(const float *, float *, long long);

__global__ void k_bfs(const int *rows, const int *columns, const int *frontier, int count, int *level, int *next, int *next_count, int depth)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    const int v = frontier[i];
    for (int k = rows[v]; k < rows[v + 1]; k++)
        if (atomicCAS(&level[columns[k]], -1, depth) == -1)
            next[atomicAdd(next_count, 1)] = columns[k];
}

__global__ void k_search(const int64_t *sorted, int n, const int64_t *keys, int *found)
{
    int low = 0, high = n;
    const int64_t key = keys[threadIdx.x];
    while (low < high) {
        const int middle = (low + high) / 2;
        if (sorted[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    found[threadIdx.x] = low;
}

__global__ void k_mandelbrot(uint8_t *image, int width, int height, float scale)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    const float cr = x * scale - 2, ci = y * scale - 1;
    float zr = 0, zi = 0;
    int n = 0;
    for (; n < 255 && zr * zr + zi * zi < 4; n++) {
        const float t = zr * zr - zi * zi + cr;
        zi = 2 * zr * zi + ci;
        zr = t;
    }
    image[(size_t)y * width + x] = (uint8_t)n;
}

template <typename F> __global__ void k_for_each(int n, F f)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        f(i);
}
void launch(float *x, double a)
{
    k_for_each<<<1, 32>>>(7, [=] __device__(int i) { x[i] = (float)(x[i] * a); });
}

struct xorshift {
    uint64_t state;
    __device__ uint32_t next()
    {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        return (uint32_t)(state >> 32);
    }
};
__global__ void k_pi(unsigned long long *hits, int n)
{
    xorshift r = {blockIdx.x * 1000003ull + threadIdx.x + 1};
    unsigned long long count = 0;
    for (int i = 0; i < n; i++) {
        const float x = r.next() * 0x1p-32f, y = r.next() * 0x1p-32f;
        count += x * x + y * y < 1;
    }
    atomicAdd(hits, count);
}

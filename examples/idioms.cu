// idioms.cu - five kinds of loops, as docs/input.md writes them in kernel files. idioms.ptx is what
// "nvcc -ptx -lineinfo -arch=sm_80 idioms.cu" makes of it. SPDX-License-Identifier: MIT

// A row walk: a thread adds up a row.
extern "C" __global__ void row_walk(float *sums, const float *__restrict__ in, int rows, int width)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    float sum = 0;
    for (int i = 0; i < width; i++)
        sum += in[row * width + i];
    sums[row] = sum;
}

// A grid-stride loop: threads * blocks elements at a time.
extern "C" __global__ void grid_stride(float *out, const float *__restrict__ in, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = 2 * in[i];
}

// A reduction: a grid-stride loop, then a tree in shared memory.
extern "C" __global__ void reduction(float *sums, const float *__restrict__ in, int n)
{
    __shared__ float part[256];
    float sum = 0;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256)
        sum += in[i];
    part[threadIdx.x] = sum;
    __syncthreads();
    for (int half = 128; half > 0; half >>= 1) {
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        sums[blockIdx.x] = part[0];
}

// A tile loop: a matrix product of n x n floats in tiles of 16 x 16, which blocks of 16 x 16 threads load together.
extern "C" __global__ void tile_loop(float *c, const float *__restrict__ a, const float *__restrict__ b, int n)
{
    __shared__ float ta[16][16], tb[16][16];
    const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    float sum = 0;
    for (int t = 0; t < n / 16; t++) {
        ta[threadIdx.y][threadIdx.x] = a[y * n + 16 * t + threadIdx.x];
        tb[threadIdx.y][threadIdx.x] = b[(16 * t + threadIdx.y) * n + x];
        __syncthreads();
        for (int k = 0; k < 16; k++)
            sum += ta[threadIdx.y][k] * tb[k][threadIdx.x];
        __syncthreads();
    }
    c[y * n + x] = sum;
}

// A triangular loop: thread x reads rows 0 to x of its column.
extern "C" __global__ void triangle(float *out, const float *__restrict__ in, int n)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= n)
        return;
    float sum = 0;
    for (int j = 0; j <= x; j++)
        sum += in[j * n + x];
    out[x] = sum;
}

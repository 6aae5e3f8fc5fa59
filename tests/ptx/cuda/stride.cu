/* stride.cu - kernels that depend on the launch: grid-stride loops, tiles of the block's size. SPDX-License-Identifier: MIT */
extern "C" __global__ void product(const float *a, const float *b, float *c, int n)
{
    for (int y = blockIdx.y * blockDim.y + threadIdx.y; y < n; y += gridDim.y * blockDim.y)
        for (int x = blockIdx.x * blockDim.x + threadIdx.x; x < n; x += gridDim.x * blockDim.x) {
            float s = 0;
            for (int k = 0; k < n; k++)
                s += a[y * n + k] * b[k * n + x];
            c[y * n + x] = s;
        }
}

extern "C" __global__ void tiled(const float *a, const float *b, float *c, int n)
{
    extern __shared__ float tile[];
    const int size = blockDim.x, x = blockIdx.x * size + threadIdx.x, y = blockIdx.y * size + threadIdx.y;
    float *of_a = tile, *of_b = tile + size * size, s = 0;
    for (int k = 0; k < n; k += size) {
        of_a[threadIdx.y * size + threadIdx.x] = a[y * n + k + threadIdx.x];
        of_b[threadIdx.y * size + threadIdx.x] = b[(k + threadIdx.y) * n + x];
        __syncthreads();
        for (int j = 0; j < size; j++)
            s += of_a[threadIdx.y * size + j] * of_b[j * size + threadIdx.x];
        __syncthreads();
    }
    c[y * n + x] = s;
}

// seldom.cu - a hash of their index chooses the few blocks that do most of the work. SPDX-License-Identifier: MIT

__device__ unsigned hash(unsigned x)
{
    x ^= x >> 16;
    x *= 0x7feb352dU;
    x ^= x >> 15;
    x *= 0x846ca68bU;
    return x ^ x >> 16;
}

__global__ void seldom(const float *a, float *o)
{
    if (hash(blockIdx.x) % 4000 != 0)
        return;
    float s = 0;
    for (int i = 0; i < 1000; i++)
        s += a[(blockIdx.x * 1000 + i) * blockDim.x + threadIdx.x];
    o[blockIdx.x * blockDim.x + threadIdx.x] = s;
}

__global__ void seldom_more(const float *a, float *o)
{ // the others do a little
    float s = a[blockIdx.x * blockDim.x + threadIdx.x];
    if (hash(blockIdx.x) % 4000 == 0)
        for (int i = 0; i < 1000; i++)
            s += a[(blockIdx.x * 1000 + i) * blockDim.x + threadIdx.x];
    o[blockIdx.x * blockDim.x + threadIdx.x] = s;
}

__global__ void seldom_threads(const float *a, float *o)
{ // one thread of a few warps
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    if (hash(x) % 4000 == 0)
        o[x] = a[x];
}

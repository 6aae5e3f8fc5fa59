/* atomics.cu - atomics of every kind and scope, fences, barriers, clocks. SPDX-License-Identifier: MIT */
#include <cuda_fp16.h>

__global__ void k_atomics(int *i, unsigned *u, unsigned long long *l, float *f, double *d, __half2 *h)
{
    __shared__ int s[64];
    __shared__ float sf[8];
    const int t = threadIdx.x;
    s[t & 63] = 0;
    __syncthreads();
    i[0] = atomicAdd(i + 1, t) + atomicSub(i + 2, t) + atomicMin(i + 3, t) + atomicMax(i + 4, t) + atomicExch(i + 5, t);
    u[0] = atomicInc(u + 1, 100) + atomicDec(u + 2, 100) + atomicAnd(u + 3, t) + atomicOr(u + 4, t) + atomicXor(u + 5, t);
    i[6] = atomicCAS(i + 7, t, 5);
    l[0] = atomicAdd(l + 1, 7ull) + atomicMax(l + 2, 9ull) + atomicCAS(l + 3, 1ull, 2ull);
    f[0] = atomicAdd(f + 1, 1.5f);
    d[0] = atomicAdd(d + 1, 2.5);
    atomicAdd(f + 2, 1.0f);
    atomicAdd(d + 2, 1.0);
    atomicAdd(i + 8, 1);
    atomicMax(u + 9, 3u);
    atomicAdd(h, __floats2half2_rn(1.0f, 2.0f));
    atomicAdd(&s[t & 63], 1);
    atomicAdd(&sf[t & 7], 0.5f);
    atomicCAS(&s[3], 1, 2);
    atomicAdd_block(i + 10, 1);
    atomicAdd_system(i + 11, 1);
    __syncthreads();
    i[12 + t] = s[t & 63];
}

__global__ void k_fences(int *flag, int *data, long long *ticks)
{
    const long long start = clock64();
    const clock_t low = clock();
    data[threadIdx.x] = 1;
    __threadfence();
    __threadfence_block();
    __threadfence_system();
    const int some = __syncthreads_count(data[threadIdx.x] > 0) + __syncthreads_and(flag[0]) + __syncthreads_or(flag[1]);
    flag[2] = some;
    __syncwarp();
    ticks[threadIdx.x] = clock64() - start + low;
}

__global__ void k_lock(int *mutex, double *sum)
{
    bool done = false;
    while (!done) {
        if (atomicCAS(mutex, 0, 1) == 0) {
            *sum += 1;
            __threadfence();
            atomicExch(mutex, 0);
            done = true;
        }
    }
}

// contended.cu - kernels that judge laws found on others: histograms and sums with atomics on shared
// memory, stores of parts of records, trees of sums and prefix sums. Prints rows of
// validate/probes/h200_contended.csv. SPDX-License-Identifier: MIT
#include "advice.h"
#include <functional>

// ---- histograms of bytes: of counts, of weights in single and double precision ----
template <class T> __device__ void histogram(const unsigned char *key, const float *weight, T *out, int steps)
{
    __shared__ T bins[256];
    bins[threadIdx.x] = 0;
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
    for (int k = 0; k < steps; k++)
        atomicAdd(&bins[key[k * all + i]], (T)weight[k * all + i]);
    __syncthreads();
    atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}
extern "C" __global__ void histogram_weights(const unsigned char *key, const float *weight, float *out, int steps)
{
    histogram<float>(key, weight, out, steps);
}
extern "C" __global__ void histogram_doubles(const unsigned char *key, const float *weight, double *out, int steps)
{
    histogram<double>(key, weight, out, steps);
}
extern "C" __global__ void histogram_counts(const unsigned char *key, const float *weight, unsigned *out, int steps)
{
    histogram<unsigned>(key, weight, out, steps);
}

// ---- rows of eight values: sums in shared memory ----
extern "C" __global__ void rows_of_eight(const float *in, float *out)
{
    __shared__ float sums[32];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x < 32)
        sums[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&sums[threadIdx.x / 8], in[i]);
    __syncthreads();
    if (threadIdx.x < 32)
        out[blockIdx.x * 32 + threadIdx.x] = sums[threadIdx.x];
}

// ---- one sum of a block in double precision, of values that are seldom added ----
extern "C" __global__ void sum_of_few(const float *in, double *out, float least)
{
    __shared__ double sum;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    if (in[i] > least)
        atomicAdd(&sum, (double)in[i]);
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = sum;
}

// ---- the largest value of a block and where it is, packed in 64 bits ----
extern "C" __global__ void place_of_largest(const unsigned *in, unsigned long long *out)
{
    __shared__ unsigned long long best;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0)
        best = 0;
    __syncthreads();
    atomicMax(&best, ((unsigned long long)in[i] << 32) | (unsigned)i);
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = best;
}

// ---- records of three and of eight floats, member by member; pointers that may alias, or not ----
extern "C" __global__ void move_points(const float *in, float *out, float c)
{
    const int i = 3 * (blockIdx.x * blockDim.x + threadIdx.x);
    out[i] = in[i] + c;
    out[i + 1] = in[i + 1] - c;
    out[i + 2] = in[i + 2] * c;
}
extern "C" __global__ void move_points_restrict(const float *__restrict__ in, float *__restrict__ out, float c)
{
    const int i = 3 * (blockIdx.x * blockDim.x + threadIdx.x);
    out[i] = in[i] + c;
    out[i + 1] = in[i + 1] - c;
    out[i + 2] = in[i + 2] * c;
}
extern "C" __global__ void scale_eight(const float *in, float *out)
{
    const int i = 8 * (blockIdx.x * blockDim.x + threadIdx.x);
    for (int k = 0; k < 8; k++)
        out[i + k] = 2 * in[i + k];
}
extern "C" __global__ void scale_four_restrict(const float *__restrict__ in, float *__restrict__ out)
{
    const int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    for (int k = 0; k < 4; k++)
        out[i + k] = 2 * in[i + k];
}
extern "C" __global__ void pair_of_doubles(const double *in, double *out)
{
    const int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    out[i] = 2 * in[i];
    out[i + 1] = 2 * in[i + 1];
}

// ---- a tree of sums of 256 values, repeated; prefix sums ----
extern "C" __global__ void tree_of_256(const float *in, float *out, int repeats)
{
    __shared__ float part[256];
    const int t = threadIdx.x;
    float sum = in[blockIdx.x * 256 + t];
    for (int r = 0; r < repeats; r++) {
        part[t] = sum;
        __syncthreads();
        for (int d = 128; d > 0; d >>= 1) {
            if (t < d)
                part[t] += part[t + d];
            __syncthreads();
        }
        sum += part[0];
        __syncthreads();
    }
    out[blockIdx.x * 256 + t] = sum;
}
extern "C" __global__ void prefix_sums(const float *in, float *out, int repeats)
{
    __shared__ float part[512];
    const int t = threadIdx.x;
    float sum = in[blockIdx.x * 512 + t];
    for (int r = 0; r < repeats; r++) {
        part[t] = sum;
        __syncthreads();
        for (int d = 1; d < 512; d *= 2) {
            const float left = t >= d ? part[t - d] : 0;
            __syncthreads();
            part[t] += left;
            __syncthreads();
        }
        sum = part[t];
        __syncthreads();
    }
    out[blockIdx.x * 512 + t] = sum;
}

// ---- global atomics: sums of 1000 neighbouring groups, of 37 groups; lanes on eight words ----
extern "C" __global__ void sums_of_groups(const float *in, float *sums, int groups)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&sums[(i >> 5) % groups], in[i]);
}
extern "C" __global__ void sums_of_eights(const float *in, float *sums, int groups)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&sums[(i >> 3) % groups], in[i]);
}
extern "C" __global__ void counts_of_keys(const int *key, int *counts, int mask)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&counts[key[i] & mask], i & 3);
}

// One lane of each warp adds to word w / lines % words of line w % lines.
extern "C" __global__ void one_of_warp(const float *in, float *sums, int lines, int words)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, w = i >> 5;
    if ((i & 31) == 0)
        atomicAdd(&sums[w % lines * 32 + w / lines % words], in[i]);
}

int main()
{
    const size_t M = 1 << 20;
    char *x, *y, *z;
    printf("kernel,us\n");
    CHECK(cudaMalloc(&x, 1024 * M));
    CHECK(cudaMalloc(&y, 1024 * M));
    CHECK(cudaMalloc(&z, 256 * M));
    std::vector<unsigned> v(256 * M);
    unsigned s = 1;
    for (auto &w : v)
        w = s = s * 1664525u + 1013904223u;
    for (size_t i = 0; i < 64 * M; i++)
        v[i] = (v[i] >> 8) * 2654435761u;
    CHECK(cudaMemcpy(z, v.data(), 256 * M, cudaMemcpyHostToDevice));
    for (auto &w : v)
        w = ((w >> 9) & 0x3fffff) | 0x3f000000;
    CHECK(cudaMemcpy(x, v.data(), 1024 * M, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(y, 0, 1024 * M));
    float *fx = (float *)x, *fy = (float *)y;
    unsigned char *keys = (unsigned char *)z;
    timed("histogram_weights", [&] { histogram_weights<<<1056, 256>>>(keys, fx, fy, 64); });
    timed("histogram_doubles", [&] { histogram_doubles<<<1056, 256>>>(keys, fx, (double *)y, 64); });
    timed("histogram_counts", [&] { histogram_counts<<<1056, 256>>>(keys, fx, (unsigned *)y, 64); });
    timed("rows_of_eight", [&] { rows_of_eight<<<65536, 256>>>(fx, fy); });
    timed("sum_of_few", [&] { sum_of_few<<<65536, 256>>>(fx, (double *)y, 0.74f); });
    timed("place_of_largest", [&] { place_of_largest<<<65536, 256>>>((unsigned *)z, (unsigned long long *)y); });
    timed("move_points", [&] { move_points<<<65536, 256>>>(fx, fy, 2); });
    timed("move_points_restrict", [&] { move_points_restrict<<<65536, 256>>>(fx, fy, 2); });
    timed("scale_eight", [&] { scale_eight<<<8192, 256>>>(fx, fy); });
    timed("scale_four_restrict", [&] { scale_four_restrict<<<16384, 256>>>(fx, fy); });
    timed("pair_of_doubles", [&] { pair_of_doubles<<<16384, 256>>>((double *)x, (double *)y); });
    timed("tree_of_256", [&] { tree_of_256<<<10560, 256>>>(fx, fy, 20); });
    timed("prefix_sums", [&] { prefix_sums<<<5280, 512>>>(fx, fy, 20); });
    timed("sums_of_groups 1000", [&] { sums_of_groups<<<16384, 256>>>(fx, fy, 1000); });
    timed("sums_of_groups 37", [&] { sums_of_groups<<<16384, 256>>>(fx, fy, 37); });
    timed("sums_of_groups 100000", [&] { sums_of_groups<<<65536, 256>>>(fx, fy, 100000); });
    timed("sums_of_eights 1000", [&] { sums_of_eights<<<16384, 256>>>(fx, fy, 1000); });
    timed("counts_of_keys 255", [&] { counts_of_keys<<<16384, 256>>>((int *)z, (int *)y, 255); });
    timed("counts_of_keys 31", [&] { counts_of_keys<<<4096, 256>>>((int *)z, (int *)y, 31); });
    timed("counts_of_keys 7", [&] { counts_of_keys<<<4096, 256>>>((int *)z, (int *)y, 7); });
    timed("counts_of_keys 1023", [&] { counts_of_keys<<<16384, 256>>>((int *)z, (int *)y, 1023); });
    for (int lines : {1, 2, 4, 8, 16, 64})
        for (int words : {1, 8, 32}) {
            char name[40];
            snprintf(name, sizeof name, "one_of_warp %d %d", lines, words);
            timed(name, [&] { one_of_warp<<<16384, 256>>>(fx, fy, lines, words); });
        }
    timed("counts_of_keys 65535", [&] { counts_of_keys<<<16384, 256>>>((int *)z, (int *)y, 65535); });
}

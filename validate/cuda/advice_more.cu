// advice_more.cu - more pairs of kernels as in advice.cu: one as it might be written first, and one
// that follows the advice of `warpline advise` on it. Prints rows of
// validate/probes/h200_advice_more.csv. SPDX-License-Identifier: MIT
#include <functional>

#include "advice.h"

// ---- special functions: exponentials of x and 2 x, or one of them squared ----
extern "C" __global__ void exponentials(const float *in, float *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i], sum = 0;
    for (int k = 0; k < 256; k++) {
        sum += __expf(x) + __expf(2 * x);
        x -= 0.001f;
    }
    out[i] = sum;
}
extern "C" __global__ void exponentials_half(const float *in, float *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i], sum = 0;
    for (int k = 0; k < 256; k++) {
        const float e = __expf(x);
        sum += e + e * e;
        x -= 0.001f;
    }
    out[i] = sum;
}

// ---- special functions: the distance to many points, with a root and a division each, or a
// reciprocal root ----
extern "C" __global__ void forces(const float2 *at, const float2 *points, float *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float2 own = at[i];
    float sum = 0;
    for (int k = 0; k < n; k++) {
        const float dx = points[k].x - own.x, dy = points[k].y - own.y;
        sum += __fdividef(dx, __fsqrt_rn(dx * dx + dy * dy + 0.01f));
    }
    out[i] = sum;
}
extern "C" __global__ void forces_rsqrt(const float2 *at, const float2 *points, float *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float2 own = at[i];
    float sum = 0;
    for (int k = 0; k < n; k++) {
        const float dx = points[k].x - own.x, dy = points[k].y - own.y;
        sum += dx * rsqrtf(dx * dx + dy * dy + 0.01f);
    }
    out[i] = sum;
}

// ---- a sparse product: a thread for each row, or a warp ----
extern "C" __global__ void sparse_threads(const int *row_ptr, const int *col, const float *val, const float *x, float *y,
                                          int rows)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    float sum = 0;
    for (int k = row_ptr[row]; k < row_ptr[row + 1]; k++)
        sum += val[k] * x[col[k]];
    y[row] = sum;
}
extern "C" __global__ void sparse_warps(const int *row_ptr, const int *col, const float *val, const float *x, float *y,
                                        int rows)
{
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
    if (row >= rows)
        return;
    float sum = 0;
    for (int k = row_ptr[row] + lane; k < row_ptr[row + 1]; k += 32)
        sum += val[k] * x[col[k]];
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, d);
    if (lane == 0)
        y[row] = sum;
}

extern "C" __global__ void sparse_columns(const int *row_ptr, const int *col, const float *val, const float *x, float *y,
                                          int rows)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    float sum = 0;
    for (int k = row_ptr[row]; k < row_ptr[row + 1]; k++) {
        const int at = (k & 31) * rows + row; /* rows of 32, stored one beside the other */
        sum += val[at] * x[col[at]];
    }
    y[row] = sum;
}

// ---- sums of segments whose bounds are data: a thread for each, or a warp, or stored one beside
// the other ----
extern "C" __global__ void segments_threads(const int *begin, const float *in, float *out, int segments)
{
    const int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= segments)
        return;
    float sum = 0;
    for (int k = begin[s]; k < begin[s + 1]; k++)
        sum += in[k];
    out[s] = sum;
}
extern "C" __global__ void segments_warps(const int *begin, const float *in, float *out, int segments)
{
    const int s = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
    if (s >= segments)
        return;
    float sum = 0;
    for (int k = begin[s] + lane; k < begin[s + 1]; k += 32)
        sum += in[k];
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, d);
    if (lane == 0)
        out[s] = sum;
}

extern "C" __global__ void segments_columns(const int *begin, const float *in, float *out, int segments)
{
    const int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= segments)
        return;
    float sum = 0;
    for (int k = begin[s]; k < begin[s + 1]; k++)
        sum += in[(k & 63) * segments + s];
    out[s] = sum;
}

// ---- occupancy: a walk through memory with much shared memory for each block, or little ----
extern "C" __global__ void walk_shared(const float *in, float *out, int n)
{
    extern __shared__ float last[];
    const int first = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x;
    float sum = 0;
#pragma unroll 1
    for (int i = first; i < n; i += step)
        sum += in[i];
    last[threadIdx.x] = sum;
    __syncthreads();
    out[first] = sum + last[threadIdx.x ^ 1];
}

// ---- occupancy: a case that almost never happens takes most registers; with fewer of them, or in a
// kernel of its own ----
template <bool RARE> __device__ void walk_rare(const float *in, float *out, int n, int rare)
{
    const int first = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x;
    float sum = 0;
#pragma unroll 1
    for (int i = first; i < n; i += step)
        sum += in[i];
    if (RARE && rare) {
        float all[120];
#pragma unroll
        for (int k = 0; k < 120; k++)
            all[k] = in[first + k * step];
#pragma unroll 1
        for (int r = 0; r < rare; r++)
#pragma unroll
            for (int k = 0; k < 120; k++)
                all[k] = all[k] * all[(k + 1) % 120] + sum;
#pragma unroll
        for (int k = 0; k < 120; k++)
            sum += all[k];
    }
    out[first] = sum;
}
extern "C" __global__ void walk_with_rare(const float *in, float *out, int n, int rare)
{
    walk_rare<true>(in, out, n, rare);
}
extern "C" __global__ void __launch_bounds__(128, 4) walk_with_fewer(const float *in, float *out, int n, int rare)
{
    walk_rare<true>(in, out, n, rare);
}
extern "C" __global__ void walk_without(const float *in, float *out, int n, int rare)
{
    walk_rare<false>(in, out, n, rare);
}

// ---- vectors: bytes, one for each thread, or 16 ----
extern "C" __global__ void invert_bytes(const unsigned char *in, unsigned char *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = 255 - in[i];
}
extern "C" __global__ void invert_vectors(const uint4 *in, uint4 *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const uint4 v = in[i];
    out[i] = make_uint4(~v.x, ~v.y, ~v.z, ~v.w);
}

// ---- vectors: records of four floats, member by member, or as one ----
extern "C" __global__ void products_of_members(const float *in, float *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float x = in[4 * i], y = in[4 * i + 1], z = in[4 * i + 2], w = in[4 * i + 3];
    out[i] = x * y - z * w;
}
extern "C" __global__ void products_of_vectors(const float4 *in, float *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float4 v = in[i];
    out[i] = v.x * v.y - v.z * v.w;
}

// ---- index arithmetic: divisions by numbers known at run time, for one field or shared by two ----
extern "C" __global__ void unrank_each(const float *a, float *out, int nx, int ny, int steps)
{
    const int all = gridDim.x * blockDim.x;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < steps; k++, i += all) {
        const int x = i % nx, y = i / nx % ny;
        sum += a[(y & 15) * nx + x];
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
extern "C" __global__ void unrank_pairs(const float *a, float *out, int nx, int ny, int steps)
{
    const int all = gridDim.x * blockDim.x;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < steps; k += 2, i += 2 * all) {
        const int x = i % nx, y = i / nx % ny;
        sum += a[(y & 15) * nx + x] + a[(y & 15) * nx + x + nx];
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// ---- atomics: sums of values and squares of a block, by all of its threads, or one of each warp ----
extern "C" __global__ void moments_by_threads(const float *in, float *out)
{
    __shared__ float sums[2];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x < 2)
        sums[threadIdx.x] = 0;
    __syncthreads();
    const float v = in[i];
    atomicAdd(&sums[0], v);
    atomicAdd(&sums[1], v * v);
    __syncthreads();
    if (threadIdx.x < 2)
        out[2 * blockIdx.x + threadIdx.x] = sums[threadIdx.x];
}
extern "C" __global__ void moments_by_warps(const float *in, float *out)
{
    __shared__ float sums[2];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x < 2)
        sums[threadIdx.x] = 0;
    __syncthreads();
    float v = in[i], w = v * v;
    for (int d = 16; d > 0; d /= 2) {
        v += __shfl_down_sync(0xffffffffu, v, d);
        w += __shfl_down_sync(0xffffffffu, w, d);
    }
    if ((threadIdx.x & 31) == 0) {
        atomicAdd(&sums[0], v);
        atomicAdd(&sums[1], w);
    }
    __syncthreads();
    if (threadIdx.x < 2)
        out[2 * blockIdx.x + threadIdx.x] = sums[threadIdx.x];
}

// ---- atomics: sums of 4096 groups of neighbouring values in global memory ----
extern "C" __global__ void groups_by_threads(const float *in, float *sums)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&sums[(i >> 5) & 4095], in[i]);
}
extern "C" __global__ void groups_by_warps(const float *in, float *sums)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = in[i];
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_down_sync(0xffffffffu, v, d);
    if ((threadIdx.x & 31) == 0)
        atomicAdd(&sums[(i >> 5) & 4095], v);
}

// ---- barriers: a tree of sums in shared memory with a barrier for each halving, or for every
// other one ----
extern "C" __global__ void tree_of_two(const float *in, float *out, int repeats)
{
    __shared__ float part[1024];
    const int t = threadIdx.x;
    float sum = in[blockIdx.x * 1024 + t];
    for (int r = 0; r < repeats; r++) {
        part[t] = sum;
        __syncthreads();
        for (int d = 512; d > 0; d /= 2) {
            if (t < d)
                part[t] += part[t + d];
            __syncthreads();
        }
        sum += part[0];
        __syncthreads();
    }
    out[blockIdx.x * 1024 + t] = sum;
}
extern "C" __global__ void tree_of_four(const float *in, float *out, int repeats)
{
    __shared__ float part[1024];
    const int t = threadIdx.x;
    float sum = in[blockIdx.x * 1024 + t];
    for (int r = 0; r < repeats; r++) {
        part[t] = sum;
        __syncthreads();
        for (int d = 256; d > 0; d /= 4) {
            if (t < d)
                part[t] += part[t + d] + part[t + 2 * d] + part[t + 3 * d];
            __syncthreads();
        }
        sum += part[0];
        __syncthreads();
    }
    out[blockIdx.x * 1024 + t] = sum;
}

// ---- waves: 1.08 waves of blocks, or one, with as much work in all ----
extern "C" __global__ void long_blocks(float *a, int steps)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = a[i], w = v + 1;
    for (int k = 0; k < steps; k++) {
        v = v * 0.999f + 0.25f;
        w = w * 0.998f + 0.125f;
    }
    a[i] = v + w;
}

// ---- an array of a thread that is indexed by data, or held in registers ----
extern "C" __global__ void digits_local(const int *in, int *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
    int count[16];
    for (int k = 0; k < 16; k++)
        count[k] = 0;
    for (int k = 0; k < 64; k++)
        count[in[k * all + i] & 15]++;
    int most = 0;
    for (int k = 0; k < 16; k++)
        most = max(most, count[k]);
    out[i] = most;
}
extern "C" __global__ void digits_registers(const int *in, int *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
    int count[16];
    for (int k = 0; k < 16; k++)
        count[k] = 0;
    for (int k = 0; k < 64; k++) {
        const int digit = in[k * all + i] & 15;
#pragma unroll
        for (int c = 0; c < 16; c++)
            count[c] += digit == c;
    }
    int most = 0;
    for (int k = 0; k < 16; k++)
        most = max(most, count[k]);
    out[i] = most;
}

// ---- bank conflicts: a transposition through a tile, without and with padding ----
template <int PITCH> __device__ void transpose_tile(const float *in, float *out, int n)
{
    __shared__ float tile[32 * PITCH];
    const int x = threadIdx.x, y = threadIdx.y;
    for (int j = y; j < 32; j += 8)
        tile[j * PITCH + x] = in[(blockIdx.y * 32 + j) * n + blockIdx.x * 32 + x];
    __syncthreads();
    for (int j = y; j < 32; j += 8)
        out[(blockIdx.x * 32 + j) * n + blockIdx.y * 32 + x] = tile[x * PITCH + j];
}
extern "C" __global__ void transpose_32(const float *in, float *out, int n) { transpose_tile<32>(in, out, n); }
extern "C" __global__ void transpose_33(const float *in, float *out, int n) { transpose_tile<33>(in, out, n); }

// ---- two launches of one block each, or one launch ----
extern "C" __global__ void add_small(const float *in, float *out, float c)
{
    out[threadIdx.x] = in[threadIdx.x] + c;
}
extern "C" __global__ void add_small_twice(const float *in, float *out, float c)
{
    out[threadIdx.x] = in[threadIdx.x] + c + c;
}

static void fill(int *at, size_t count, const std::function<int(size_t)> &value)
{
    std::vector<int> v(count);
    for (size_t i = 0; i < count; i++)
        v[i] = value(i);
    CHECK(cudaMemcpy(at, v.data(), count * sizeof(int), cudaMemcpyHostToDevice));
}

int main()
{
    const size_t M = 1 << 20;
    char *x, *y, *z;
    int *rows, *col, *begin;
    const int row_count = 1 << 20, row_length = 32;
    printf("kernel,us\n");
    CHECK(cudaMalloc(&x, 1024 * M));
    CHECK(cudaMalloc(&y, 1024 * M));
    CHECK(cudaMalloc(&z, 4 * M));
    CHECK(cudaMalloc(&rows, (row_count + 1) * sizeof(int)));
    CHECK(cudaMalloc(&begin, (row_count + 1) * sizeof(int)));
    CHECK(cudaMalloc(&col, (size_t)row_count * row_length * sizeof(int)));
    fill((int *)x, 256 * M, [](size_t) { return (rand() & 0x3fffff) | 0x3f000000; });
    fill(rows, row_count + 1, [&](size_t i) { return (int)i * row_length; });
    fill(begin, row_count + 1, [&](size_t i) { return (int)i * 64; });
    fill(col, (size_t)row_count * row_length, [&](size_t) { return rand() % 65536; });
    CHECK(cudaMemset(y, 0, 1024 * M));
    CHECK(cudaMemset(z, 0, 4 * M));
    float *fx = (float *)x, *fy = (float *)y, *fz = (float *)z;
    CHECK(cudaFuncSetAttribute(walk_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 * 1024));
    const dim3 square(32, 8);
    timed("exponentials", [&] { exponentials<<<16384, 256>>>(fx, fy); });
    timed("exponentials_half", [&] { exponentials_half<<<16384, 256>>>(fx, fy); });
    timed("forces", [&] { forces<<<2112, 256>>>((float2 *)x, (float2 *)z, fy, 1000); });
    timed("forces_rsqrt", [&] { forces_rsqrt<<<2112, 256>>>((float2 *)x, (float2 *)z, fy, 1000); });
    timed("sparse_threads", [&] { sparse_threads<<<row_count / 256, 256>>>(rows, col, fx, fz, fy, row_count); });
    timed("sparse_warps", [&] { sparse_warps<<<row_count / 8, 256>>>(rows, col, fx, fz, fy, row_count); });
    timed("sparse_columns", [&] { sparse_columns<<<row_count / 256, 256>>>(rows, col, fx, fz, fy, row_count); });
    timed("segments_threads", [&] { segments_threads<<<row_count / 256, 256>>>(begin, fx, fy, row_count); });
    timed("segments_warps", [&] { segments_warps<<<row_count / 8, 256>>>(begin, fx, fy, row_count); });
    timed("segments_columns", [&] { segments_columns<<<row_count / 256, 256>>>(begin, fx, fy, row_count); });
    for (int kib = 100; kib >= 10; kib -= 10) {
        char name[40];
        snprintf(name, sizeof name, "walk_shared %d", kib);
        timed(name, [&] { walk_shared<<<132 * 64, 128, kib * 1024>>>(fx, fy, 132 * 64 * 128 * 100); });
    }
    timed("walk_with_rare", [&] { walk_with_rare<<<132 * 64, 128>>>(fx, fy, 132 * 64 * 128 * 100, 0); });
    timed("walk_with_fewer", [&] { walk_with_fewer<<<132 * 64, 128>>>(fx, fy, 132 * 64 * 128 * 100, 0); });
    timed("walk_without", [&] { walk_without<<<132 * 64, 128>>>(fx, fy, 132 * 64 * 128 * 100, 0); });
    timed("invert_bytes", [&] { invert_bytes<<<256 * M / 256, 256>>>((unsigned char *)x, (unsigned char *)y); });
    timed("invert_vectors", [&] { invert_vectors<<<16 * M / 256, 256>>>((uint4 *)x, (uint4 *)y); });
    timed("products_of_members", [&] { products_of_members<<<32 * M / 256, 256>>>(fx, fy); });
    timed("products_of_vectors", [&] { products_of_vectors<<<32 * M / 256, 256>>>((float4 *)x, fy); });
    timed("unrank_each", [&] { unrank_each<<<1056, 256>>>(fx, fy, 1000, 130, 200); });
    timed("unrank_pairs", [&] { unrank_pairs<<<1056, 256>>>(fx, fy, 1000, 130, 200); });
    timed("moments_by_threads", [&] { moments_by_threads<<<65536, 256>>>(fx, fy); });
    timed("moments_by_warps", [&] { moments_by_warps<<<65536, 256>>>(fx, fy); });
    timed("groups_by_threads", [&] { groups_by_threads<<<65536, 256>>>(fx, fz); });
    timed("groups_by_warps", [&] { groups_by_warps<<<65536, 256>>>(fx, fz); });
    timed("tree_of_two", [&] { tree_of_two<<<2640, 1024>>>(fx, fy, 20); });
    timed("tree_of_four", [&] { tree_of_four<<<2640, 1024>>>(fx, fy, 20); });
    timed("long_blocks 1144", [&] { long_blocks<<<1144, 256>>>(fy, 24000); });
    timed("long_blocks 1056", [&] { long_blocks<<<1056, 256>>>(fy, 26000); });
    timed("digits_local", [&] { digits_local<<<4096, 256>>>((int *)x, (int *)y); });
    timed("digits_registers", [&] { digits_registers<<<4096, 256>>>((int *)x, (int *)y); });
    timed("transpose_32", [&] { transpose_32<<<dim3(256, 256), square>>>(fx, fy, 8192); });
    timed("transpose_33", [&] { transpose_33<<<dim3(256, 256), square>>>(fx, fy, 8192); });
    timed("add_small twice", [&] {
        add_small<<<1, 128>>>(fx, fy, 1);
        add_small<<<1, 128>>>(fy, fy, 1);
    });
    timed("add_small_twice", [&] { add_small_twice<<<1, 128>>>(fx, fy, 1); });
}

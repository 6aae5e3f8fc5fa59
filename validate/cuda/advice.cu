// advice.cu - pairs of kernels: one as it might be written first, and one that follows the advice of
// `warpline advise` on it. Prints rows of validate/probes/h200_advice.csv: medians of 25 times of ten
// launches in a row; the table has medians of three runs. SPDX-License-Identifier: MIT
#include "advice.h"

// ---- sectors: every thread reads one member of a record ----
struct record {
    float key, a, b, c, d, e, f, g;
};
extern "C" __global__ void keys_of_records(const record *in, float *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i].key * 3 + 1;
}
extern "C" __global__ void keys_in_a_row(const float *in, float *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i] * 3 + 1;
}

// ---- stores down columns; through a tile ----
extern "C" __global__ void scatter_columns(const float *in, float *out, int n)
{
    const int x = blockIdx.x * 32 + threadIdx.x;
    for (int j = threadIdx.y; j < 32; j += 8)
        out[x * n + blockIdx.y * 32 + j] = in[(blockIdx.y * 32 + j) * n + x];
}
extern "C" __global__ void scatter_rows(const float *in, float *out, int n)
{
    const int x = blockIdx.x * 32 + threadIdx.x;
    for (int j = threadIdx.y; j < 32; j += 8)
        out[(blockIdx.y * 32 + j) * n + x] = in[(blockIdx.y * 32 + j) * n + x];
}

// ---- bank conflicts: sums down the columns of a tile ----
template <int PITCH> __device__ void sum_columns(const float *in, float *out)
{
    __shared__ float tile[32 * PITCH];
    const int t = threadIdx.x, first = blockIdx.x * 1024;
    for (int j = 0; j < 32; j++)
        tile[j * PITCH + t] = in[first + j * 32 + t];
    __syncwarp();
    float sum = 0;
    for (int r = 0; r < 8; r++)
        for (int j = 0; j < 32; j++)
            sum += tile[t * PITCH + j];
    out[blockIdx.x * 32 + t] = sum;
}
extern "C" __global__ void tile_of_32(const float *in, float *out) { sum_columns<32>(in, out); }
extern "C" __global__ void tile_of_33(const float *in, float *out) { sum_columns<33>(in, out); }

// ---- divergence: two kinds of particles, mixed or sorted by kind ----
extern "C" __global__ void two_kinds(float *a, int sorted)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int kind = sorted ? i >> 5 : i;
    float v = a[i];
    if (kind & 1)
        for (int k = 0; k < 600; k++)
            v = v * 0.999f + 0.25f;
    else
        for (int k = 0; k < 600; k++)
            v = v * v - 0.125f;
    a[i] = v;
}

// ---- atomics: a sum over all threads; one atomic for each warp ----
extern "C" __global__ void sum_by_threads(const float *in, float *sum)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&sum[blockIdx.x & 63], in[i]);
}
extern "C" __global__ void sum_by_warps(const float *in, float *sum)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = in[i];
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_down_sync(0xffffffffu, v, d);
    if ((threadIdx.x & 31) == 0)
        atomicAdd(&sum[blockIdx.x & 63], v);
}

// ---- precision: a polynomial in double and in single precision, on data of double precision ----
template <class T> __device__ T polynomial(T x)
{
    T sum = 1;
#pragma unroll 8
    for (int k = 0; k < 512; k++)
        sum = sum * x + T(0.5);
    return sum;
}
extern "C" __global__ void polynomial_double(const double *in, double *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = polynomial<double>(in[i]);
}
extern "C" __global__ void polynomial_single(const double *in, double *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = polynomial<float>((float)in[i]);
}

// ---- few loads in flight: few warps walk through memory, one load after another, or two ----
extern "C" __global__ void walk_by_one(const float *in, float *out, int n)
{
    float sum = 0;
    const int first = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x;
#pragma unroll 1
    for (int i = first; i < n; i += step)
        sum += in[i];
    out[first] = sum;
}
extern "C" __global__ void walk_by_two(const float *in, float *out, int n)
{
    float sum = 0, other = 0;
    const int first = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x;
#pragma unroll 1
    for (int i = first; i < n; i += 2 * step) {
        sum += in[i];
        other += in[i + step];
    }
    out[first] = sum + other;
}

// ---- index arithmetic: cells of a 3D array from one number, computed once for one or two cells ----
extern "C" __global__ void index_each(const int *in, int *out, int nx, int ny, int n)
{
    const int step = gridDim.x * blockDim.x;
    int sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        const int z = i / (nx * ny), y = i % (nx * ny) / nx, x = i % nx;
        sum += in[(z & 3) * nx * ny + (y & 63) * nx + x];
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
extern "C" __global__ void index_pairs(const int *in, int *out, int nx, int ny, int n)
{
    const int step = gridDim.x * blockDim.x;
    int sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 2; i += step) {
        const int z = i / (nx * ny), y = i % (nx * ny) / nx, x = i % nx, at = (z & 3) * nx * ny + (y & 63) * nx + x;
        sum += in[at] + in[at + 64 * nx];
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// ---- a table that all blocks read; staged in shared memory ----
extern "C" __global__ void table_global(const unsigned char *in, const float *table, float *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
    float sum = 0;
    for (int k = 0; k < 256; k++)
        sum += table[in[k * all + i]];
    out[i] = sum;
}
extern "C" __global__ void table_shared(const unsigned char *in, const float *table, float *out)
{
    __shared__ float staged[256];
    staged[threadIdx.x] = table[threadIdx.x];
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
    float sum = 0;
    for (int k = 0; k < 256; k++)
        sum += staged[in[k * all + i]];
    out[i] = sum;
}

// ---- loads of 4 bytes, or of 16 ----
extern "C" __global__ void scale_narrow(const float *in, float *out)
{
    const int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    for (int k = 0; k < 4; k++)
        out[i + k] = 2 * in[i + k];
}
extern "C" __global__ void scale_wide(const float4 *in, float4 *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float4 v = in[i];
    out[i] = make_float4(2 * v.x, 2 * v.y, 2 * v.z, 2 * v.w);
}

// ---- small blocks ----
extern "C" __global__ void scale(const float *in, float *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 2 * in[i];
}

// ---- a short launch, and one that does the work of two ----
extern "C" __global__ void two_arrays(const float *in, float *out, const float *in2, float *out2, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = 2 * in[i];
        out2[i] = 2 * in2[i];
    }
}

int main()
{
    const size_t M = 1 << 20;
    char *x, *y, *z;
    printf("kernel,us\n");
    CHECK(cudaMalloc(&x, 1024 * M));
    CHECK(cudaMalloc(&y, 1024 * M));
    CHECK(cudaMalloc(&z, M));
    std::vector<unsigned char> r(256 * M);
    for (auto &v : r)
        v = (unsigned char)(rand() >> 8);
    for (int i = 0; i < 4; i++)
        CHECK(cudaMemcpy(x + i * 256 * M, r.data(), r.size(), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(y, 0, 1024 * M));
    CHECK(cudaMemset(z, 0, M));
    float *fx = (float *)x, *fy = (float *)y, *fz = (float *)z;
    double *dx = (double *)x, *dy = (double *)y;
    const unsigned char *ux = (unsigned char *)x;
    const int n = 32 * M;
    const dim3 square(32, 8);
    timed("keys_of_records", [&] { keys_of_records<<<n / 256, 256>>>((record *)x, fy, n); });
    timed("keys_in_a_row", [&] { keys_in_a_row<<<n / 256, 256>>>(fx, fy, n); });
    timed("scatter_columns", [&] { scatter_columns<<<dim3(256, 256), square>>>(fx, fy, 8192); });
    timed("scatter_rows", [&] { scatter_rows<<<dim3(256, 256), square>>>(fx, fy, 8192); });
    timed("tile_of_32", [&] { tile_of_32<<<65536, 32>>>(fx, fy); });
    timed("tile_of_33", [&] { tile_of_33<<<65536, 32>>>(fx, fy); });
    timed("two_kinds 0", [&] { two_kinds<<<16384, 256>>>(fy, 0); });
    timed("two_kinds 1", [&] { two_kinds<<<16384, 256>>>(fy, 1); });
    timed("sum_by_threads", [&] { sum_by_threads<<<16384, 256>>>(fx, fz); });
    timed("sum_by_warps", [&] { sum_by_warps<<<16384, 256>>>(fx, fz); });
    timed("polynomial_double", [&] { polynomial_double<<<16384, 256>>>(dx, dy); });
    timed("polynomial_single", [&] { polynomial_single<<<16384, 256>>>(dx, dy); });
    timed("walk_by_one", [&] { walk_by_one<<<132, 256>>>(fx, fy, 132 * 256 * 2000); });
    timed("walk_by_two", [&] { walk_by_two<<<132, 256>>>(fx, fy, 132 * 256 * 2000); });
    timed("index_each", [&] { index_each<<<1056, 256>>>((int *)x, (int *)y, 1000, 130, 1056 * 256 * 200); });
    timed("index_pairs", [&] { index_pairs<<<1056, 256>>>((int *)x, (int *)y, 1000, 130, 1056 * 256 * 200); });
    timed("table_global", [&] { table_global<<<1056, 256>>>(ux, fz, fy); });
    timed("table_shared", [&] { table_shared<<<1056, 256>>>(ux, fz, fy); });
    timed("scale_narrow", [&] { scale_narrow<<<16384, 256>>>(fx, fy); });
    timed("scale_wide", [&] { scale_wide<<<16384, 256>>>((float4 *)x, (float4 *)y); });
    timed("scale 32", [&] { scale<<<n / 32, 32>>>(fx, fy, n); });
    timed("scale 128", [&] { scale<<<n / 128, 128>>>(fx, fy, n); });
    timed("scale 256", [&] { scale<<<n / 256, 256>>>(fx, fy, n); });
    timed("scale twice", [&] {
        scale<<<64, 256>>>(fx, fy, 16384);
        scale<<<64, 256>>>(fx + M, fy + M, 16384);
    });
    timed("two_arrays", [&] { two_arrays<<<64, 256>>>(fx, fy, fx + M, fy + M, 16384); });
}

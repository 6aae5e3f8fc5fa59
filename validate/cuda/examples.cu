// The example kernels of share/kernels and a few more of validate/kernels, launched with blocks of all sorts: an
// out-of-sample check of the exact counts.
#include <cuda_fp16.h>

#include "harness.h"

#define CELL_1D const long x = (long)blockIdx.x * blockDim.x + threadIdx.x
#define CELL_2D const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y
#define CELL_3D CELL_2D, z = blockIdx.z * blockDim.z + threadIdx.z

__global__ void k_blur3x3(const float *__restrict__ s, float *__restrict__ d, int nx, int ny, long sy)
{
    CELL_2D;
    if (x >= nx || y >= ny)
        return;
    const long o = x + y * sy;
    float v = 0;
#pragma unroll
    for (int j = -1; j <= 1; j++)
        v += s[o + j * sy - 1] + s[o + j * sy] + s[o + j * sy + 1];
    d[o] = v * 0.11111111f;
}

__global__ void k_star2d_5pt(const double *__restrict__ s, double *__restrict__ d, int nx, int ny, long sy)
{
    CELL_2D;
    if (x >= nx || y >= ny)
        return;
    const long o = x + y * sy;
    d[o] = 0.2 * (s[o] + s[o + 1] + s[o - 1] + s[o + sy] + s[o - sy]);
}

__global__ void k_star3d_7pt(const double *__restrict__ s, double *__restrict__ d, int nx, int ny, int nz, long sy, long sz)
{
    CELL_3D;
    if (x >= nx || y >= ny || z >= nz)
        return;
    const long o = x + y * sy + z * sz;
    d[o] = 0.25 * (s[o] + s[o + 1] + s[o - 1] + s[o + sy] + s[o - sy] + s[o + sz] + s[o - sz]);
}

__global__ void k_box3d_27pt(const double *__restrict__ s, double *__restrict__ d, int nx, int ny, int nz, long sy, long sz)
{
    CELL_3D;
    if (x >= nx || y >= ny || z >= nz)
        return;
    const long o = x + y * sy + z * sz;
    double v = 0;
#pragma unroll
    for (int k = -1; k <= 1; k++)
#pragma unroll
        for (int j = -1; j <= 1; j++)
            v += s[o + k * sz + j * sy - 1] + s[o + k * sz + j * sy] + s[o + k * sz + j * sy + 1];
    d[o] = v * 0.037037037037037035;
}

__global__ void k_triad(const double *__restrict__ a, double *__restrict__ y, long n, double alpha)
{
    CELL_1D;
    if (x < n)
        y[x] = alpha * a[x] + y[x];
}

__global__ void k_vec3(float *a, long n)
{
    CELL_1D;
    if (x >= n)
        return;
    const float p = a[3 * x], q = a[3 * x + 1], r = a[3 * x + 2], s = rsqrtf(p * p + q * q + r * r);
    a[3 * x] = p * s;
    a[3 * x + 1] = q * s;
    a[3 * x + 2] = r * s;
}

__global__ void k_transpose(const float *__restrict__ in, float *__restrict__ out, int w)
{
    CELL_2D;
    if (x < w && y < w)
        out[(long)x * w + y] = in[(long)y * w + x];
}

__global__ void k_matmul(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int n, int depth)
{
    CELL_2D;
    if (x >= n || y >= n)
        return;
    float v = 0;
    for (int i = 0; i < depth; i++)
        v += a[y * depth + i] * b[i * n + x];
    c[y * n + x] = v;
}

template <class T> __global__ void k_copy(const T *__restrict__ s, T *__restrict__ d, long n, long offset, long stride)
{
    CELL_1D;
    if (x < n)
        d[x] = s[x * stride + offset];
}

__global__ void k_tile(const float *__restrict__ s, float *__restrict__ d, int w)
{
    CELL_2D;
    if (x >= w || y >= w / 4)
        return;
    const int row = blockIdx.y * 32 + threadIdx.y;
#pragma unroll
    for (int j = 0; j < 4; j++)
        d[(long)x * w + row + 8 * j] = s[(long)(row + 8 * j) * w + x];
}

static std::vector<Config> configs;

static std::string P(const char *name, long value) { return std::string(name) + "=" + std::to_string(value); }

static void add(const char *family, const char *variant, std::string params, dim3 cells, dim3 b, const void *function,
                std::function<void(dim3, dim3)> go)
{
    const dim3 g(up(cells.x, b.x), up(cells.y, b.y), up(cells.z, b.z));
    configs.push_back({family, variant, params, g, b, (double)cells.x * cells.y * cells.z, function, 0, [=] { go(g, b); }});
}

int main(int argc, char **argv)
{
    char *p, *q, *r;
    const size_t bytes = (size_t)1 << 30;
    CHECK(cudaMalloc(&p, bytes));
    CHECK(cudaMalloc(&q, bytes));
    CHECK(cudaMalloc(&r, bytes));
    CHECK(cudaMemset(p, 1, bytes));
    CHECK(cudaMemset(q, 1, bytes));
    CHECK(cudaMemset(r, 1, bytes));
    float *fp = (float *)p, *fq = (float *)q, *fr = (float *)r;
    double *dp = (double *)p, *dq = (double *)q;

    const dim3 flat[] = {dim3(32, 8), dim3(24, 5), dim3(256, 1), dim3(7, 31), dim3(1, 128), dim3(96, 2)};
    for (const dim3 block : flat) {
        const int nx = 4001, ny = 1023;
        const std::string set = P("nx", nx) + ";" + P("ny", ny);
        const Grid<float> f(nx, ny, 1, 1);
        const Grid<double> d(nx, ny, 1, 1);
        add("blur3x3", "b32", set, dim3(nx, ny), block, (const void *)k_blur3x3,
            [=](dim3 g, dim3 b) { k_blur3x3<<<g, b>>>(fp + f.origin, fq + f.origin, nx, ny, f.sy); });
        add("star2d_5pt", "b64", set, dim3(nx, ny), block, (const void *)k_star2d_5pt,
            [=](dim3 g, dim3 b) { k_star2d_5pt<<<g, b>>>(dp + d.origin, dq + d.origin, nx, ny, d.sy); });
        add("transpose", "cells", P("w", 2000), dim3(2000, 2000), block, (const void *)k_transpose,
            [=](dim3 g, dim3 b) { k_transpose<<<g, b>>>(fp, fq, 2000); });
        add("matmul", "b32", P("n", 500) + ";" + P("depth", 300), dim3(500, 500), block, (const void *)k_matmul,
            [=](dim3 g, dim3 b) { k_matmul<<<g, b>>>(fp, fq, fr, 500, 300); });
    }
    const dim3 deep[] = {dim3(32, 4, 2), dim3(24, 3, 2), dim3(5, 5, 5), dim3(64, 2, 1), dim3(2, 8, 16), dim3(100, 1, 3)};
    for (const dim3 block : deep) {
        const int nx = 301, ny = 203, nz = 97;
        const Grid<double> d(nx, ny, nz, 1);
        const std::string set = P("nx", nx) + ";" + P("ny", ny) + ";" + P("nz", nz);
        add("star3d_7pt", "b64", set, dim3(nx, ny, nz), block, (const void *)k_star3d_7pt,
            [=](dim3 g, dim3 b) { k_star3d_7pt<<<g, b>>>(dp + d.origin, dq + d.origin, nx, ny, nz, d.sy, d.sz); });
        add("box3d_27pt", "b64", set, dim3(nx, ny, nz), block, (const void *)k_box3d_27pt,
            [=](dim3 g, dim3 b) { k_box3d_27pt<<<g, b>>>(dp + d.origin, dq + d.origin, nx, ny, nz, d.sy, d.sz); });
    }
    for (const unsigned threads : {32u, 96u, 200u, 1024u}) {
        const long n = 3000001;
        const dim3 block(threads), cells((unsigned)n);
        add("triad", "b64", P("n", n), cells, block, (const void *)k_triad, [=](dim3 g, dim3 b) { k_triad<<<g, b>>>(dp, dq, n, 3.0); });
        add("vec3", "b32", P("n", n), cells, block, (const void *)k_vec3, [=](dim3 g, dim3 b) { k_vec3<<<g, b>>>(fp, n); });
        for (const long offset : {0L, 5L}) {
            const std::string set = P("n", n) + ";" + P("read_offset", offset);
            add("copy", "b16", set, cells, block, (const void *)k_copy<__half>,
                [=](dim3 g, dim3 b) { k_copy<__half><<<g, b>>>((__half *)p, (__half *)q, n, offset, 1); });
            add("copy", "b8", set, cells, block, (const void *)k_copy<char>,
                [=](dim3 g, dim3 b) { k_copy<char><<<g, b>>>(p, q, n, offset, 1); });
        }
        for (const long stride : {1L, 3L})
            add("copy", "b32x4", P("n", n) + ";" + P("stride", stride), cells, block, (const void *)k_copy<float4>,
                [=](dim3 g, dim3 b) { k_copy<float4><<<g, b>>>((float4 *)p, (float4 *)q, n, 0, stride); });
    }
    const int w = 2048;
    add("tile", "b32", P("w", w), dim3(w, w / 4), dim3(32, 8), (const void *)k_tile, [=](dim3 g, dim3 b) { k_tile<<<g, b>>>(fp, fq, w); });
    configs.back().work = (double)w * w;    // four cells per thread
    return run(argc, argv, configs);
}

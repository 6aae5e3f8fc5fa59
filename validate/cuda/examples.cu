// The example kernels of share/kernels and a few more of validate/kernels, launched with blocks of all sorts: an
// out-of-sample check of the exact counts. `examples list` prints one line of `warpline predict --batch` per launch,
// `examples run` launches them in the same order, for a counter profiler to read.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#define CHECK(call)                                                                                     \
    do {                                                                                                \
        const cudaError_t status_ = (call);                                                             \
        if (status_ != cudaSuccess) {                                                                   \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_));            \
            exit(1);                                                                                    \
        }                                                                                               \
    } while (0)

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

struct Launch {
    std::string kernel, set;
    dim3 grid, block;
    const void *function;
    std::function<void()> go;
};
static std::vector<Launch> launches;

static unsigned up(long a, long b) { return (unsigned)((a + b - 1) / b); }

// Strides and origin as for a field given by extent and halo 1: cell 0 and every row on a 128-byte boundary.
struct Layout {
    long sy, sz, origin;
    Layout(long nx, long ny, long element, bool three)
    {
        const long unit = 128 / element;
        sy = (unit + nx + 1 + unit - 1) / unit * unit;
        sz = sy * (ny + 2);
        origin = unit + sy + (three ? sz : 0);
    }
};

static std::string set2(int nx, int ny) { return "\"nx\":" + std::to_string(nx) + ",\"ny\":" + std::to_string(ny); }

static void add(const char *kernel, std::string set, dim3 cells, dim3 b, const void *function, std::function<void()> go)
{
    launches.push_back({kernel, set, dim3(up(cells.x, b.x), up(cells.y, b.y), up(cells.z, b.z)), b, function, go});
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
    for (const dim3 b : flat) {
        const int nx = 4001, ny = 1023;
        const dim3 g(up(nx, b.x), up(ny, b.y));
        const Layout f(nx, ny, 4, false), d(nx, ny, 8, false);
        add("blur3x3", set2(nx, ny), dim3(nx, ny), b, (const void *)k_blur3x3,
            [=] { k_blur3x3<<<g, b>>>(fp + f.origin, fq + f.origin, nx, ny, f.sy); });
        add("star2d_5pt", set2(nx, ny), dim3(nx, ny), b, (const void *)k_star2d_5pt,
            [=] { k_star2d_5pt<<<g, b>>>(dp + d.origin, dq + d.origin, nx, ny, d.sy); });
        const dim3 gt(up(2000, b.x), up(2000, b.y)), gm(up(500, b.x), up(500, b.y));
        add("transpose", "\"w\":2000", dim3(2000, 2000), b, (const void *)k_transpose, [=] { k_transpose<<<gt, b>>>(fp, fq, 2000); });
        add("matmul", "\"n\":500,\"depth\":300", dim3(500, 500), b, (const void *)k_matmul,
            [=] { k_matmul<<<gm, b>>>(fp, fq, fr, 500, 300); });
    }
    const dim3 deep[] = {dim3(32, 4, 2), dim3(24, 3, 2), dim3(5, 5, 5), dim3(64, 2, 1), dim3(2, 8, 16), dim3(100, 1, 3)};
    for (const dim3 b : deep) {
        const int nx = 301, ny = 203, nz = 97;
        const dim3 g(up(nx, b.x), up(ny, b.y), up(nz, b.z));
        const Layout d(nx, ny, 8, true);
        const std::string set = set2(nx, ny) + ",\"nz\":" + std::to_string(nz);
        add("star3d_7pt", set, dim3(nx, ny, nz), b, (const void *)k_star3d_7pt,
            [=] { k_star3d_7pt<<<g, b>>>(dp + d.origin, dq + d.origin, nx, ny, nz, d.sy, d.sz); });
        add("box3d_27pt", set, dim3(nx, ny, nz), b, (const void *)k_box3d_27pt,
            [=] { k_box3d_27pt<<<g, b>>>(dp + d.origin, dq + d.origin, nx, ny, nz, d.sy, d.sz); });
    }
    for (const unsigned threads : {32u, 96u, 200u, 1024u}) {
        const long n = 3000001;
        const dim3 b(threads), g(up(n, threads)), cells((unsigned)n);
        const std::string set = "\"n\":" + std::to_string(n);
        add("triad", set, cells, b, (const void *)k_triad, [=] { k_triad<<<g, b>>>(dp, dq, n, 3.0); });
        add("vec3", set, cells, b, (const void *)k_vec3, [=] { k_vec3<<<g, b>>>(fp, n); });
        for (const long offset : {0L, 5L}) {
            const std::string with = set + ",\"read_offset\":" + std::to_string(offset);
            add("validate/kernels/copy_f16.yaml", with, cells, b, (const void *)k_copy<__half>,
                [=] { k_copy<__half><<<g, b>>>((__half *)p, (__half *)q, n, offset, 1); });
            add("validate/kernels/copy_i8.yaml", with, cells, b, (const void *)k_copy<char>, [=] { k_copy<char><<<g, b>>>(p, q, n, offset, 1); });
        }
        for (const long stride : {1L, 3L}) {
            const std::string with = set + ",\"stride\":" + std::to_string(stride);
            add("validate/kernels/copy_f32x4.yaml", with, cells, b, (const void *)k_copy<float4>,
                [=] { k_copy<float4><<<g, b>>>((float4 *)p, (float4 *)q, n, 0, stride); });
        }
    }
    {
        const int w = 2048;
        const dim3 b(32, 8), g(w / 32, w / 32);
        add("validate/kernels/tile.yaml", "\"w\":2048", dim3(w, w / 4), b, (const void *)k_tile, [=] { k_tile<<<g, b>>>(fp, fq, w); });
    }
    const bool run = argc > 1 && !strcmp(argv[1], "run");
    for (const Launch &l : launches) {
        if (run) {
            l.go();
            CHECK(cudaGetLastError());
            CHECK(cudaDeviceSynchronize());
            continue;
        }
        cudaFuncAttributes attributes;
        CHECK(cudaFuncGetAttributes(&attributes, l.function));
        int blocks = 0;
        CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, l.function, (int)(l.block.x * l.block.y * l.block.z), 0));
        printf("{\"kernel\":\"%s\",\"device\":\"h200\",\"set\":{%s},\"block\":[%u,%u,%u],\"registers\":%d} %d\n", l.kernel.c_str(), l.set.c_str(),
               l.block.x, l.block.y, l.block.z, attributes.numRegs, blocks);
    }
    return 0;
}

// jacobi.cu - a plate that is hot at one side: sweeps until the host sees that nothing changes.
// The number of sweeps follows from what the kernels compute. SPDX-License-Identifier: MIT
#include "host_check.h"

__global__ void sweep(const float *in, float *out, float *largest, int nx, int ny)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    __shared__ float change[128];
    const int thread = threadIdx.y * blockDim.x + threadIdx.x;
    float mine = 0;
    if (x > 0 && y > 0 && x < nx - 1 && y < ny - 1) {
        const int at = y * nx + x;
        const float value = 0.25f * (in[at - 1] + in[at + 1] + in[at - nx] + in[at + nx]);
        mine = fabsf(value - in[at]);
        out[at] = value;
    }
    change[thread] = mine;
    __syncthreads();
    for (int step = 64; step > 0; step /= 2) {
        if (thread < step)
            change[thread] = fmaxf(change[thread], change[thread + step]);
        __syncthreads();
    }
    if (thread == 0) // numbers that are not negative are ordered as integers
        atomicMax((int *)largest, __float_as_int(change[0]));
}

static bool is_right(const std::vector<float> &plate, int n, int sweeps)
{
    std::vector<float> a(n * n, 0), b;
    for (int x = 0; x < n; x++)
        a[x] = 100;
    b = a;
    for (int s = 0; s < sweeps; s++, std::swap(a, b))
        for (int y = 1; y < n - 1; y++)
            for (int x = 1; x < n - 1; x++) {
                const int at = y * n + x;
                b[at] = 0.25f * (a[at - 1] + a[at + 1] + a[at - n] + a[at + n]);
            }
    return a == plate;
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 64;
    const float enough = 0.05f;
    std::vector<float> start(n * n, 0);
    for (int x = 0; x < n; x++)
        start[x] = 100;
    float *a = to_device(start), *b = to_device(start), *largest, change = 100;
    CHECK(cudaMalloc(&largest, sizeof *largest));
    const dim3 block(32, 4), grid((n + 31) / 32, (n + 3) / 4);
    int sweeps = 0;
    for (; change > enough; sweeps++) {
        CHECK(cudaMemset(largest, 0, sizeof *largest));
        sweep<<<grid, block>>>(a, b, largest, n, n);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(&change, largest, sizeof change, cudaMemcpyDeviceToHost));
        std::swap(a, b);
    }
    const std::vector<float> plate = to_host(a, n * n);
    printf("%d x %d: %d sweeps, digest %08x\n", n, n, sweeps, digest(plate));
    return finish(is_right(plate, n, sweeps));
}

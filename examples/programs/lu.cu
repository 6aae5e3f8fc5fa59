// lu.cu - LU decomposition without pivots: two launches per column, the second smaller each time.
// SPDX-License-Identifier: MIT
#include "host_check.h"

__global__ void scale(float *a, int n, int k)
{
    const int row = k + 1 + blockIdx.x * blockDim.x + threadIdx.x;
    if (row < n)
        a[row * n + k] /= a[k * n + k];
}

__global__ void eliminate(float *a, int n, int k)
{
    const int column = k + 1 + blockIdx.x * blockDim.x + threadIdx.x;
    const int row = k + 1 + blockIdx.y * blockDim.y + threadIdx.y;
    if (row < n && column < n)
        a[row * n + column] -= a[row * n + k] * a[k * n + column];
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 48;
    Random random = {3};
    std::vector<float> matrix(n * n);
    for (int i = 0; i < n * n; i++)
        matrix[i] = i % (n + 1) == 0 ? n + random.unit() : random.unit();
    float *a = to_device(matrix);
    for (int k = 0; k < n - 1; k++) {
        const int left = n - k - 1;
        scale<<<(left + 63) / 64, 64>>>(a, n, k);
        eliminate<<<dim3((left + 15) / 16, (left + 15) / 16), dim3(16, 16)>>>(a, n, k);
    }
    CHECK(cudaGetLastError());
    const std::vector<float> lu = to_host(a, n * n);
    double worst = 0; // L U against the matrix
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int k = 0; k <= i && k <= j; k++)
                sum += (k == i ? 1.0 : lu[i * n + k]) * lu[k * n + j];
            worst = fmax(worst, fabs(sum - matrix[i * n + j]));
        }
    printf("%d x %d: digest %08x\n", n, n, digest(lu));
    return finish(worst < 1e-4 * n);
}

// cg.cu - conjugate gradients for the Laplacian of a square: a sparse product, sums of products and
// updates of vectors, until the residual is small. SPDX-License-Identifier: MIT
#include "host_check.h"

__global__ void multiply(const int *first, const int *column, const double *value, const double *x, double *y, int n)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n)
        return;
    double sum = 0;
    for (int k = first[row]; k < first[row + 1]; k++)
        sum += value[k] * x[column[k]];
    y[row] = sum;
}

// One block, so that the order of the sum is always the same.
__global__ void dot(const double *a, const double *b, double *out, int n)
{
    __shared__ double part[256];
    double sum = 0;
    for (int i = threadIdx.x; i < n; i += 256)
        sum += a[i] * b[i];
    part[threadIdx.x] = sum;
    __syncthreads();
    for (int step = 128; step > 0; step /= 2) {
        if (threadIdx.x < step)
            part[threadIdx.x] += part[threadIdx.x + step];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        *out = part[0];
}

// y = a x + b y
__global__ void update(double a, const double *x, double b, double *y, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + b * y[i];
}

static double dot_of(const double *a, const double *b, double *out, int n)
{
    double sum;
    dot<<<1, 256>>>(a, b, out, n);
    CHECK(cudaMemcpy(&sum, out, sizeof sum, cudaMemcpyDeviceToHost));
    return sum;
}

int main(int argc, char **argv)
{
    const int side = argc > 1 ? atoi(argv[1]) : 24, n = side * side, blocks = (n + 127) / 128;
    std::vector<int> first(1, 0), column;
    std::vector<double> value, right_side(n, 1);
    for (int row = 0; row < n; row++) {
        const int x = row % side, y = row / side, at[5] = {row, row - 1, row + 1, row - side, row + side};
        const bool there[5] = {true, x > 0, x < side - 1, y > 0, y < side - 1};
        for (int k = 0; k < 5; k++)
            if (there[k]) {
                column.push_back(at[k]);
                value.push_back(k == 0 ? 4 : -1);
            }
        first.push_back((int)column.size());
    }
    const int *d_first = to_device(first), *d_column = to_device(column);
    const double *d_value = to_device(value);
    double *x = to_device(std::vector<double>(n, 0)), *r = to_device(right_side), *p = to_device(right_side), *q, *out;
    CHECK(cudaMalloc(&q, n * sizeof(double)));
    CHECK(cudaMalloc(&out, sizeof(double)));
    double rr = dot_of(r, r, out, n);
    const double enough = 1e-12 * rr;
    int steps = 0;
    for (; rr > enough && steps < 1000; steps++) {
        multiply<<<blocks, 128>>>(d_first, d_column, d_value, p, q, n);
        const double alpha = rr / dot_of(p, q, out, n);
        update<<<blocks, 128>>>(alpha, p, 1, x, n);
        update<<<blocks, 128>>>(-alpha, q, 1, r, n);
        const double next = dot_of(r, r, out, n);
        update<<<blocks, 128>>>(1, r, next / rr, p, n);
        rr = next;
    }
    CHECK(cudaGetLastError());
    const std::vector<double> solution = to_host(x, n);
    double worst = 0;
    for (int row = 0; row < n; row++) {
        double sum = 0;
        for (int k = first[row]; k < first[row + 1]; k++)
            sum += value[k] * solution[column[k]];
        worst = fmax(worst, fabs(sum - 1));
    }
    printf("%d unknowns: %d steps, middle %.9f\n", n, steps, solution[n / 2 + side / 2]);
    return finish(worst < 1e-5);
}

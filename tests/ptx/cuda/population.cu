// population.cu - kernels whose blocks, warps or lanes do unequal work, by data or by place. SPDX-License-Identifier: MIT

__global__ void counts(const int *cnt, const float *a, float *o, int n)
{ // a block's trip count is data
    int i = blockIdx.x * blockDim.x + threadIdx.x, c = cnt[blockIdx.x];
    float s = 0;
    for (int j = 0; j < c; j++)
        s += a[(i + j * 64) % n];
    if (c)
        o[i] = s;
}

__global__ void rows(const unsigned *first, const unsigned *column, const float *value, const float *x, float *y, unsigned n)
{ // a thread per row of a sparse matrix; without __restrict__: every store may change what is read
    unsigned r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= n)
        return;
    float sum = 0;
    for (unsigned e = first[r]; e < first[r + 1]; e++)
        sum += value[e] * x[column[e]];
    y[r] = sum;
}

__global__ void triangle(const float *a, float *b, int n)
{ // blocks below the diagonal leave
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < y || x >= n || y >= n)
        return;
    b[y * n + x] = a[y * n + x] + a[x * n + y];
}

__global__ void corner(const float *a, float *b, int n)
{ // nearly all blocks leave at once
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= n)
        return;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (y >= n)
        return;
    b[y * n + x] = 2 * a[y * n + x];
}

__global__ void find(const float *cdf, const float *u, const float *x, float *xn, int n)
{ // a linear search that each lane leaves where it likes
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int at = n - 1;
    for (int k = 0; k < n; k++)
        if (cdf[k] >= u[i]) {
            at = k;
            break;
        }
    xn[i] = x[at];
}

__global__ void compact(const int *keep, int *out, int *total, int n)
{ // what lies in shared memory decides who stores, and where
    __shared__ int place[256], sum;
    int i = blockIdx.x * blockDim.x + threadIdx.x, mine = i < n ? keep[i] != 0 : 0;
    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    place[threadIdx.x] = mine ? atomicAdd(&sum, 1) : -1;
    __syncthreads();
    for (int k = 0; k < sum; k++)
        if (place[threadIdx.x] == k)
            out[blockIdx.x * blockDim.x + k] = i;
    if (threadIdx.x == 0 && sum)
        atomicAdd(total, sum);
}

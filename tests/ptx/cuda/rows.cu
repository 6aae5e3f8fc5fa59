// rows.cu - one block per row: a reduction that carries a choice through its loop, and that few warps store.
// SPDX-License-Identifier: MIT

// The place of the largest value of each row.
extern "C" __global__ void argmax_row(const float *a, int *place, float *largest, int columns)
{
    __shared__ float values[1024];
    __shared__ int places[1024];
    const float *row = a + (size_t)blockIdx.x * columns;
    float m = -1e30f;
    int at = -1;
    for (int i = threadIdx.x; i < columns; i += blockDim.x) {
        const float v = row[i];
        if (v > m) {
            m = v;
            at = i;
        }
    }
    values[threadIdx.x] = m;
    places[threadIdx.x] = at;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (threadIdx.x < s && values[threadIdx.x + s] > values[threadIdx.x]) {
            values[threadIdx.x] = values[threadIdx.x + s];
            places[threadIdx.x] = places[threadIdx.x + s];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        largest[blockIdx.x] = values[0];
        place[blockIdx.x] = places[0];
    }
}

// slow.cu - kernels that each have one thing that slows them down, and twins that do not have it: `advise` names it.
// SPDX-License-Identifier: MIT

struct particle {
    float x, y, z, mass;
};

extern "C" __global__ void array_of_structs(const particle *in, float *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = 2 * in[i].mass;
}

extern "C" __global__ void struct_of_arrays(const float *mass, float *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = 2 * mass[i];
}

extern "C" __global__ void columns(const float *in, float *out, int n)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    out[x * n + y] = in[y * n + x];
}

// Each warp sums up columns of a tile: all lanes in one bank, unless rows are padded.
template <int PITCH> __device__ void turn(const float *in, float *out, int n)
{
    __shared__ float tile[32 * PITCH];
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32;
    for (int j = threadIdx.y; j < 32; j += 8)
        tile[j * PITCH + threadIdx.x] = in[(y + j) * n + x];
    __syncthreads();
    for (int j = threadIdx.y; j < 32; j += 8)
        out[(blockIdx.x * 32 + j) * n + y + threadIdx.x] = tile[threadIdx.x * PITCH + j];
}
extern "C" __global__ void turn_conflicts(const float *in, float *out, int n) { turn<32>(in, out, n); }
extern "C" __global__ void turn_padded(const float *in, float *out, int n) { turn<33>(in, out, n); }

// Neighbouring lanes iterate equally often only if `same` says so.
extern "C" __global__ void iterate(float *a, int same)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int lane = same ? i / 32 : i;
    float v = a[i];
    if (lane % 2) {
        for (int k = 0; k < 400; k++)
            v = v * v + 0.5f;
    } else {
        for (int k = 0; k < 400; k++)
            v = v * 0.25f - v * v;
    }
    a[i] = v;
}

// An array that is indexed by data stays in local memory.
extern "C" __global__ void histogram_of_thread(const unsigned char *in, int *out, int n)
{
    int count[16] = {};
    const int i = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
    for (int k = 0; k < n; k++)
        count[in[k * all + i] & 15]++;
    int most = 0;
    for (int k = 0; k < 16; k++)
        most = max(most, count[k]);
    out[i] = most;
}

// A table that all blocks read, at places that depend on data.
extern "C" __global__ void look_up(const unsigned char *in, const float *table, float *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
    float sum = 0;
    for (int k = 0; k < 64; k++)
        sum += table[in[k * all + i]];
    out[i] = sum;
}

extern "C" __global__ void look_up_staged(const unsigned char *in, const float *table, float *out)
{
    __shared__ float staged[256];
    staged[threadIdx.x] = table[threadIdx.x];
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
    float sum = 0;
    for (int k = 0; k < 64; k++)
        sum += staged[in[k * all + i]];
    out[i] = sum;
}

// Coefficients that are the same for all lanes.
extern "C" __global__ void filter(const float *in, const float *weights, float *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < 64; k++)
        sum += weights[k] * in[i + k];
    out[i] = sum;
}

__constant__ float constant_weights[64];
extern "C" __global__ void filter_constant(const float *in, float *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < 64; k++)
        sum += constant_weights[k] * in[i + k];
    out[i] = sum;
}

// Four loads where one of 16 bytes would do.
extern "C" __global__ void four_loads(const float *in, float *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[4 * i] + in[4 * i + 1] + in[4 * i + 2] + in[4 * i + 3];
}

extern "C" __global__ void one_load(const float4 *in, float *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float4 v = in[i];
    out[i] = v.x + v.y + v.z + v.w;
}

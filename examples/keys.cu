// keys.cu - reads one member of every record: seven of eight bytes that memory delivers are not used. Measured on an H200
// as keys_of_records in validate/cuda/advice.cu. keys.ptx is what "nvcc -ptx -lineinfo -arch=sm_80 keys.cu" makes of it.
// SPDX-License-Identifier: MIT
struct record {
    float key, a, b, c, d, e, f, g;
};

extern "C" __global__ void keys(const record *in, float *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i].key * 3 + 1;
}

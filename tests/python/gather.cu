// gather.cu - loads from where an index array says. nvcc -ptx -arch=sm_90 gather.cu
extern "C" __global__ void gather(float *out, const float *in, const int *index)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[index[i]];
}

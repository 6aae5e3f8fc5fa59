// more.cu - the other source; it instantiates the same template.
template <class T> __global__ void scale(int n, T a, T *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] *= a;
}
template __global__ void scale<float>(int, float, float *);

__global__ void fill(int n, int *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = i;
}

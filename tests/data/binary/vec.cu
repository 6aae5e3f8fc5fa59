// vec.cu - one of two sources whose device code the files of this folder hold; see make_binaries.sh.
extern "C" __global__ void axpy(int n, float a, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] += a * x[i];
}

template <class T> __global__ void scale(int n, T a, T *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] *= a;
}
template __global__ void scale<float>(int, float, float *);

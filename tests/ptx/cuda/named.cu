// Names as programs have them: templates, namespaces, overloads, structs by value, constant tables.
struct Grid {
    const float *in;
    float *out;
    int nx, ny;
    double weight;
    unsigned char flags[4];
};

__constant__ float coef[9];
__constant__ int steps;

namespace phys {
__device__ float *table;
__constant__ int table_n;

template <int N>
__global__ void __launch_bounds__(256) sweep(Grid g, int n /* cells */, float alpha)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0;
    for (int k = 0; k < steps; k++)
        sum += coef[k] * g.in[i + k * N - 1];
    g.out[i] = alpha * sum + table[i % table_n];
}

template __global__ void sweep<32>(Grid, int, float);
template __global__ void sweep<64>(Grid, int, float);
} // namespace phys

namespace {
__global__ void fill(float *out, float value) { out[blockIdx.x * blockDim.x + threadIdx.x] = value; }
} // namespace

__global__ void scale(float *out, const float *in, float by)
{
    out[blockIdx.x * blockDim.x + threadIdx.x] = by * in[blockIdx.x * blockDim.x + threadIdx.x];
}

__global__ void scale(double *out, const double *in, double by)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = by * in[gridDim.x * blockDim.x - 1 - i];
}

void use(float *p) { fill<<<1, 32>>>(p, 1); }

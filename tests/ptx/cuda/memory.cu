/* memory.cu - state spaces and access forms: constants, device variables with initial values, local arrays, static and
 * dynamic shared memory, vectors, volatile, cache hints, the heap. SPDX-License-Identifier: MIT */
struct node {
    int key;
    const node *next;
    double weight;
};

__constant__ float coefficients[5] = {0.25f, -1.5f, 1e-30f, 3.0f, 0.0f};
__constant__ unsigned short small_table[3][4] = {{1, 2, 3}, {4}, {5, 6, 7, 65535}};
__device__ double matrix[2][3] = {{1.0, 2.0, 3.0}, {-4.5, 5e300, 6.0}};
__device__ int counter = 42;
__device__ int *where = &counter;
__device__ int values[4] = {1, -2, 3, -4};
__device__ int *inside = &values[2];
__device__ const char *message = "hello, \"world\"\n";
__device__ node last = {3, nullptr, 0.5};
__device__ node first = {1, &last, 1.5};
__device__ __managed__ long long shared_with_host = -7;

__global__ void k_constants(float *out, int i)
{
    out[0] = coefficients[i] * small_table[i % 3][i & 3];
    out[1] = (float)matrix[i & 1][i % 3];
    out[2] = (float)(*where + *inside + message[i] + shared_with_host);
    for (const node *n = &first; n; n = n->next)
        out[3] += (float)n->weight * n->key;
}

__global__ void k_local(const float *in, float *out, int n)
{
    float window[32];
    for (int i = 0; i < 32; i++)
        window[i] = in[i * n];
    for (int i = 0; i < n; i++)
        window[(i * 7) & 31] += window[i & 31];
    out[threadIdx.x] = window[threadIdx.x & 31];
}

__global__ void k_static_shared(float *data)
{
    __shared__ float tile[32][33];
    __shared__ double extra[4];
    tile[threadIdx.y][threadIdx.x] = data[threadIdx.y * 32 + threadIdx.x];
    if (threadIdx.x < 4)
        extra[threadIdx.x] = threadIdx.y;
    __syncthreads();
    data[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y] + (float)extra[threadIdx.x & 3];
}

extern __shared__ double dynamic[];
__global__ void k_dynamic_shared(double *data, int n)
{
    float *second = reinterpret_cast<float *>(dynamic + n);
    dynamic[threadIdx.x] = data[threadIdx.x];
    second[threadIdx.x] = 1.0f;
    __syncthreads();
    data[threadIdx.x] = dynamic[n - 1 - threadIdx.x] * second[threadIdx.x];
}

__global__ void k_vectors(const float4 *a, double2 *b, char4 *c, ushort2 *d, longlong2 *e)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float4 v = a[i];
    b[i] = make_double2(v.x + v.y, v.z * v.w);
    c[i] = make_char4((char)v.x, 1, 2, 3);
    d[i] = make_ushort2(7, (unsigned short)v.y);
    e[i] = make_longlong2(i, -i);
}

__global__ void k_hints(const float *__restrict__ in, float *out, volatile int *flag)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = __ldg(in + i) + __ldcg(in + i + 32) + __ldcs(in + i + 64) + __ldca(in + i + 96) + __ldcv(in + i + 128) +
              __ldlu(in + i + 160);
    __stcg(out + i, s);
    __stcs(out + i + 32, s);
    __stwb(out + i + 64, s);
    __stwt(out + i + 96, s);
    while (*flag == 0) {
    }
    *flag = 2;
}

__global__ void k_bytes(const unsigned char *in, signed char *out, short *s, bool *b)
{
    const int i = threadIdx.x;
    out[i] = (signed char)(in[i] - 128);
    s[i] = (short)(in[i] * out[i]);
    b[i] = in[i] > 3;
}

__global__ void k_heap(int **out, int n)
{
    int *p = (int *)malloc(n * sizeof(int));
    if (p) {
        for (int i = 0; i < n; i++)
            p[i] = i;
        out[threadIdx.x] = p;
    }
    int *q = new int[8];
    q[n & 7] = n;
    out[threadIdx.x + 1] = q;
    free(p);
}

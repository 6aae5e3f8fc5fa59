/* control.cu - branches of every kind: switches, loops with several exits, recursion, calls through pointers and virtual
 * functions. SPDX-License-Identifier: MIT */
enum { CASES = 24 };

__global__ void k_switch(int *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int v = out[i];
    switch (v % CASES) {
    case 0: v = n; break;
    case 1: v ^= 17; break;
    case 2: v *= v; break;
    case 3: v = v / 3; break;
    case 4: v = -v; [[fallthrough]];
    case 5: v += out[i + 1]; break;
    case 6: v = n % (v + 1); break;
    case 7: v |= 0x55; break;
    case 8: v &= 0x1234; break;
    case 9: v >>= 2; break;
    case 10: v <<= 3; break;
    case 11: out[i + 2] = 1; break;
    case 12: return;
    default: v = 5;
    }
    out[i] = v;
}

__global__ void k_collatz(const unsigned long long *in, int *steps, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned long long x = in[i];
    int count = 0;
    while (x > 1) {
        if (++count > 1000)
            break;
        if (x & 1) {
            x = 3 * x + 1;
            continue;
        }
        x /= 2;
    }
    steps[i] = count;
}

__global__ void k_gcd(int *a, const int *b)
{
    int x = a[threadIdx.x], y = b[threadIdx.x];
    do {
        const int r = x % y;
        x = y;
        y = r;
    } while (y != 0);
    a[threadIdx.x] = x;
}

__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

__global__ void k_recursive(int *out) { out[threadIdx.x] = fibonacci(threadIdx.x); }

typedef float (*unary)(float);
__device__ __noinline__ float twice(float x) { return 2 * x; }
__device__ __noinline__ float square(float x) { return x * x; }
__device__ unary table[2] = {twice, square};

__global__ void k_pointer(float *out, int which) { out[threadIdx.x] = table[which & 1](out[threadIdx.x]); }

struct shape {
    __device__ virtual float area() const = 0;
    __device__ virtual ~shape() {}
};
struct box : shape {
    float w, h;
    __device__ box(float a, float b) : w(a), h(b) {}
    __device__ float area() const override { return w * h; }
};
struct disk : shape {
    float r;
    __device__ explicit disk(float a) : r(a) {}
    __device__ float area() const override { return 3.14159265f * r * r; }
};

__global__ void k_virtual(float *out, int n)
{
    shape *s = n & 1 ? static_cast<shape *>(new box(n, 2)) : static_cast<shape *>(new disk(n));
    out[threadIdx.x] = s->area();
    delete s;
}

struct wide {
    double v[6];
    char tag[3];
};
__device__ __noinline__ wide shifted(wide w, int by)
{
    for (int i = 0; i < 6; i++)
        w.v[i] += by;
    w.tag[1] = 'x';
    return w;
}
__global__ void k_by_value(wide in, wide *out, int n) { out[threadIdx.x] = shifted(in, n); }

__global__ void __launch_bounds__(256, 2) k_bounded(float *x) { x[blockIdx.x * 256 + threadIdx.x] *= 2; }

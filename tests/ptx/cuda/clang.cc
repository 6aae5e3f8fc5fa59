/* clang.cc - CUDA without NVIDIA's headers, for clang. SPDX-License-Identifier: MIT */
#define GLOBAL __attribute__((global))
#define DEVICE __attribute__((device))
#define SHARED __attribute__((shared))
#define CONSTANT __attribute__((constant))

static DEVICE int thread() { return __nvvm_read_ptx_sreg_tid_x(); }
static DEVICE int block() { return __nvvm_read_ptx_sreg_ctaid_x(); }

CONSTANT float weights[4] = {1.0f, -2.0f, 0.5f, 0.25f};
DEVICE int counters[8] = {1, 2, 3};

extern "C" GLOBAL void k_axpy(float a, const float *x, float *y, int n)
{
    const int i = block() * (int)__nvvm_read_ptx_sreg_ntid_x() + thread();
    if (i < n)
        y[i] += a * x[i];
}

extern "C" GLOBAL void k_tile(float *x)
{
    SHARED static float tile[32][33];
    tile[thread() / 32][thread() % 32] = x[thread()];
    __syncthreads();
    x[thread()] = tile[thread() % 32][thread() / 32] * weights[thread() & 3];
}

extern "C" GLOBAL void k_count(const unsigned char *x)
{
    __nvvm_atom_add_gen_i(&counters[x[thread()] & 7], 1);
}

DEVICE __attribute__((noinline)) int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }

extern "C" GLOBAL void k_switch(int *x)
{
    switch (x[thread()]) {
    case 0: x[1] = factorial(x[2]); break;
    case 1: x[1] = x[3] / 5; break;
    case 2: x[2] = x[3] % x[4]; break;
    case 3: x[3] = __builtin_popcount(x[5]); break;
    case 4: x[5] = __builtin_clz(x[6]); break;
    case 5: x[6] = x[7] << x[8]; break;
    }
}

extern "C" GLOBAL void k_double(double *d, long long *l)
{
    double local[16];
    for (int i = 0; i < 16; i++)
        local[i] = d[i * 3];
    for (int i = 0; i < 16; i++)
        local[(i * l[i]) & 15] += d[i];
    d[0] = local[l[3] & 15];
    l[0] = (long long)d[1];
}

/* test_first_launch.c - the first launch that is guessed from CUDA source: what the file says of
 * block, grid and numbers, and what names and types tell of the rest.
 * SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "warpline/first_launch.h"

#define INDEX "int i = blockIdx.x * blockDim.x + threadIdx.x; "

static const struct {
    const char *name, *source;
    int revised;
    const char *want; /* block; grid; shared; sets and arguments */
} cases[] = {
    {"numbers of the launch",
     "__global__ void k(int n, float a, float *x) { " INDEX "if (i < n) x[i] *= a; }\n"
     "void f() { const int N = 1 << 20; k<<<(N + 255) / 256, 256>>>(N, 2.5f, p); }",
     0, "256; cdiv(n,block.x); -; n=1048576 a=2.5 x=buf:n*4"},
    {"no launch", "__global__ void k(int n, double *x) { " INDEX "if (i < n) x[i] = 0; }", 0,
     "256; cdiv(n,block.x); -; n=16777216 x=buf:n*8"},
    {"comments, texts and directives",
     "// k<<<1, 2>>>(3, x)\n/* __global__ void j(int q) {} */ const char *s = \"k<<<4, 5>>>(6, x)\";\n"
     "#define BLOCK 64\n__global__ void k(int n, char *x);\nvoid f() { k<<<n / BLOCK, BLOCK>>>(n, x); }",
     0, "64; n/block.x; -; n=16777216 x=buf:n"},
    {"dim3 and its members",
     "#define T 16\n__global__ void k(float *a, int width, int height) { int y = threadIdx.y; }\n"
     "void f(int w, int h) { dim3 b(T, T), g((w + b.x - 1) / b.x, (h + T - 1) / T); k<<<g, b>>>(a, w, h); }",
     0, "16x16; cdiv(width,block.x),cdiv(height,block.y); -; a=buf:width*height*4 width=4096 height=4096"},
    {"a dim3 with braces", "__global__ void k() {}\nvoid f() { k<<<{2, 3}, dim3{32, 4}>>>(); }", 0, "32x4; 2,3; -; "},
    {"casts, ceil, sizeof",
     "__global__ void k(float *x, size_t n);\nvoid f(size_t n) { const unsigned B = 128u;\n"
     "k<<<static_cast<int>(ceil((float)n / B)), B, B * sizeof(float2)>>>(x, n); }",
     0, "128; cdiv(n,block.x); block.x*8; x=buf:n*4 n=16777216"},
    {"a division of one's own",
     "__global__ void k(int *x, int n);\nvoid f(int n) { k<<<ceil_div(n, 96), 96>>>(x, n); }", 0,
     "96; cdiv(n,96); -; x=buf:n*4 n=16777216"},
    {"not constant", "__global__ void k(int *x, int n);\nvoid f(int n) { int b = ask(); k<<<n / b, b>>>(x, n); }", 0,
     "256; cdiv(n,block.x); -; x=buf:n*4 n=16777216"},
    {"a name that is defined in a circle",
     "#define A B\n#define B A\n__global__ void k(int n);\nvoid f() { k<<<A, B>>>(A); }", 0,
     "256; cdiv(n,block.x); -; n=16777216"},
    {"templates, launch bounds, names of types",
     "using real = double;\ntemplate <class T, int R> __global__ void __launch_bounds__(R * 32, 2) a(T *x, int n) {}\n",
     0, "256; cdiv(n,block.x); -; x=buf:n*8 n=16777216"},
    {"typedef", "typedef float real;\n__global__ void __launch_bounds__(512) k(const real *x, int n) {}", 0,
     "512; cdiv(n,block.x); -; x=buf:n*4 n=16777216"},
    {"a row per block",
     "__global__ void k(const float *x, int rows, int cols) { for (int i = threadIdx.x; i < cols; i += 1)"
     " s += x[blockIdx.x * cols + i]; }",
     0, "256; rows; -; x=buf:rows*cols*4 rows=4096 cols=4096"},
    {"product of matrices",
     "__global__ void k(const float *A, const float *B, float *C, int M, int N, int K) { int y = blockIdx.y; }", 0,
     "32x8; cdiv(M,block.x),cdiv(N,block.y); -; A=buf:M*K*4 B=buf:K*N*4 C=buf:M*N*4 M=1024 N=1024 K=1024"},
    {"squares", "__global__ void k(float *a, int n) { " INDEX "if (i < n) a[i * n] = 0; }", 0,
     "256; cdiv(n,block.x); -; a=buf:n*n*4 n=4096"},
    {"offsets and indices",
     "__global__ void k(int rows, const int *row_ptr, const unsigned *col, double *y) { " INDEX
     "if (i < rows) y[i] = 0; }",
     0,
     "256; cdiv(rows,block.x); -; rows=16777216 row_ptr=buf:(rows+1)*4=iota:s32:0:16 "
     "col=buf:rows*16*4=random:u32:0..16777215 y=buf:rows*8"},
    {"narrow indices",
     "__global__ void k(const unsigned char *in, const short *plain, int *bins, int n) { " INDEX
     "if (i < n) bins[in[i]] += plain[i]; }",
     0, "256; cdiv(n,block.x); -; in=buf:n=random:u8 plain=buf:n*2 bins=buf:n*4 n=16777216"},
    {"pitch and small numbers",
     "__global__ void k(uchar4 *img, int w, int h, int pitch, int radius, bool on, float2 v) { int y = threadIdx.y; }",
     0, "32x8; cdiv(w,block.x),cdiv(h,block.y); -; img=buf:w*h*4 w=4096 h=4096 pitch=w radius=1 on=1 v={0.5, 0.5}"},
    {"three axes", "__global__ void k(double *u, int nx, int ny, int nz) { int z = blockIdx.z; }", 0,
     "32x4x2; cdiv(nx,block.x),cdiv(ny,block.y),cdiv(nz,block.z); -; u=buf:nx*ny*nz*8 nx=256 ny=256 nz=256"},
    {"a struct by value", "struct P { float *a, *b; int n; double c; };\n__global__ void k(P p, int n) {}", 0,
     "256; cdiv(n,block.x); -; p={buf:n*4, buf:n*4, 16777216:s32, 0.5:f64} n=16777216"},
    {"elements that are structs", "struct P { char c; double v; };\n__global__ void k(P *p, int n) {}", 0,
     "256; cdiv(n,block.x); -; p=buf:n*16 n=16777216"},
    {"no numbers", "__global__ void k(float *x) {}", 0, "256; cdiv(n,block.x); -; n=16777216 x=buf:n*4"},
    {"a tile in shared memory",
     "#define T 16\n__global__ void k(float *x, int n) { __shared__ float t[T][T + 1]; int y = threadIdx.y; }", 0,
     "16x16; cdiv(n,block.x),cdiv(n,block.y); -; x=buf:n*n*4 n=4096"},
    {"dynamic shared memory", "__global__ void k(float *x, int n) { extern __shared__ double t[]; }", 0,
     "256; cdiv(n,block.x); threads*8; x=buf:n*4 n=16777216"},
    {"larger", "__global__ void k(float *x, int n) {}", WL_FIRST_LAUNCH_LARGER,
     "256; cdiv(n*n,block.x); -; x=buf:n*n*4 n=4096"},
    {"padded", "__global__ void k(float *x, int n) {}", WL_FIRST_LAUNCH_PADDED,
     "256; cdiv(n,block.x); -; x=buf:(n)*4+2097152:1048576 n=16777216"},
    {"shorter", "__global__ void k(float *x, int n) {}", WL_FIRST_LAUNCH_SHORTER,
     "256; cdiv(n,block.x); -; x=buf:n*4 n=65536"},
};

static void describe(const wl_first_launch *l, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "%s; %s; %s;", l->block, l->grid, l->shared ? l->shared : "-");
    for (size_t i = 0; l->sets[i]; i++)
        used += (size_t)snprintf(text + used, size - used, " %s", l->sets[i]);
    for (size_t i = 0; l->args[i]; i++)
        used += (size_t)snprintf(text + used, size - used, " %s", l->args[i]);
    if (text[used - 1] == ';')
        (void)snprintf(text + used, size - used, " ");
}

static void test_guesses(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char got[512] = "";
        const char *source = cases[i].source;
        wl_first_launch *launch = NULL, *other = NULL;
        wl_error err = {0};
        check_ok(cases[i].name, wl_first_launch_of_cuda(source, strlen(source), 0, cases[i].revised, &launch, &err),
                 &err);
        check_ok(cases[i].name, wl_first_launch_of_cuda(source, strlen(source), 1, 0, &other, &err), &err);
        check_true(cases[i].name, "one kernel", launch && !other);
        if (launch)
            describe(launch, got, sizeof got);
        check_text(cases[i].name, "launch", got, cases[i].want);
        wl_first_launch_free(launch);
    }
    check_done();
}

/* Cut anywhere, a source is read without a crash; sanitizers watch. */
static void test_cut(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        for (size_t length = 0; length < strlen(cases[i].source); length++) {
            wl_first_launch *launch = NULL;
            wl_error err = {0};
            char *cut = malloc(length ? length : 1); /* without a 0 behind it */
            memcpy(cut, cases[i].source, length);
            check_ok(cases[i].name, wl_first_launch_of_cuda(cut, length, 0, 0, &launch, &err), &err);
            wl_first_launch_free(launch);
            free(cut);
        }
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_guesses), cmocka_unit_test(test_cut)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

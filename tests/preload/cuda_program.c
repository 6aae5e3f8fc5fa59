/* cuda_program.c - what nvcc makes of a small CUDA program, written in C: a test of `warpline run`
 * on a machine without CUDA. program N [break|idle]: y = 3 x + y for N numbers, five times, and a
 * sum by atomics; checks the result itself. SPDX-License-Identifier: MIT */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the runtime, as nvcc's code calls it ---- */

typedef struct dim3 {
    unsigned x, y, z;
} dim3;
void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int threads, void *a,
                            void *b, void *c, void *d, int *e);
void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int is_extern, size_t bytes,
                       int constant, int global);
int cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments, size_t shared, void *stream);
int cudaMalloc(void **pointer, size_t bytes);
int cudaFree(void *pointer);
int cudaMemcpy(void *to, const void *from, size_t bytes, int direction);
int cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset, int direction);
int cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset, int direction);
int cudaMemset(void *to, int value, size_t bytes);
int cudaDeviceSynchronize(void);
int cudaGetLastError(void);
int cudaStreamCreate(void **stream);
int cudaStreamBeginCapture(void *stream, int mode);
int cudaStreamEndCapture(void *stream, void **graph);
int cudaGraphInstantiate(void **out, void *graph, unsigned long long flags);
int cudaGraphLaunch(void *graph, void *stream);
int cudaIpcGetMemHandle(void *handle, void *pointer);
const char *cudaGetErrorString(int error);

/* ---- device code: a fatbin with PTX that is not compressed ---- */

static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                          ".const .align 4 .b8 factor[4];\n"
                          ".global .align 4 .u32 count;\n"
                          ".visible .entry axpy(.param .u64 axpy_0, .param .u64 axpy_1, .param .u32 axpy_2)\n"
                          "{\n"
                          "  .reg .pred %p<2>; .reg .b32 %r<8>; .reg .f32 %f<5>; .reg .b64 %d<8>;\n"
                          "  ld.param.u64 %d1, [axpy_0]; ld.param.u64 %d2, [axpy_1]; ld.param.u32 %r1, [axpy_2];\n"
                          "  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;\n"
                          "  mad.lo.s32 %r5, %r2, %r3, %r4;\n"
                          "  setp.ge.u32 %p1, %r5, %r1;\n"
                          "  @%p1 bra done;\n"
                          "  mul.wide.u32 %d3, %r5, 4; add.s64 %d4, %d1, %d3; add.s64 %d5, %d2, %d3;\n"
                          "  ld.global.f32 %f1, [%d4]; ld.global.f32 %f2, [%d5]; ld.const.f32 %f3, [factor];\n"
                          "  fma.rn.f32 %f4, %f3, %f1, %f2;\n"
                          "  st.global.f32 [%d5], %f4;\n"
                          "  red.global.add.u32 [count], 1;\n"
                          "done:\n  ret;\n}\n";

typedef struct fatbin {
    uint32_t magic;
    uint16_t version, header;
    uint64_t bytes;
    struct {
        uint16_t kind, version;
        uint32_t header;
        uint64_t bytes;
        uint32_t compressed, options;
        uint16_t minor, major;
        uint32_t arch, name, name_bytes;
        uint64_t flags, zero, unpacked;
    } entry;
    char text[sizeof ptx];
} fatbin;
static fatbin code = {.magic = 0xba55ed50u, .version = 1, .header = 16};
static struct {
    uint32_t magic, version;
    const void *fatbin;
    void *file;
} wrapper = {0x466243b1u, 1, &code, NULL};

static char axpy, factor, count; /* shadows of the kernel and the variables */

__attribute__((constructor)) static void register_all(void)
{
    code.entry.kind = 1;
    code.entry.version = 0x101;
    code.entry.header = sizeof code.entry;
    code.entry.bytes = (sizeof ptx + 7) / 8 * 8;
    code.entry.arch = 70;
    code.bytes = sizeof code.entry + code.entry.bytes;
    memcpy(code.text, ptx, sizeof ptx);
    void **handle = __cudaRegisterFatBinary(&wrapper);
    __cudaRegisterFunction(handle, &axpy, NULL, "axpy", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterVar(handle, &factor, NULL, "factor", 0, 4, 1, 0);
    __cudaRegisterVar(handle, &count, NULL, "count", 0, 4, 0, 0);
}

/* ---- the program ---- */

static void must(int error, const char *what)
{
    if (error) {
        printf("%s: %s\n", what, cudaGetErrorString(error));
        exit(1);
    }
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 1000;
    const size_t bytes = (size_t)n * sizeof(float);
    const float three = 3;
    float *host = malloc(bytes), *x = NULL, *y = NULL;
    void *stream = NULL, *graph = NULL, *exec = NULL;
    int counted = 0, wrong = 0;
    if (!host)
        return 2;
    for (int i = 0; i < n; i++)
        host[i] = (float)(i % 100);
    must(cudaMalloc((void **)&x, bytes), "cudaMalloc");
    must(cudaMalloc((void **)&y, bytes), "cudaMalloc");
    must(cudaMemcpy(x, host, bytes, 1), "cudaMemcpy");
    must(cudaMemset(y, 0, bytes), "cudaMemset");
    if (argc > 2 && strcmp(argv[2], "idle") == 0)
        return 0;
    must(cudaMemcpyToSymbol(&factor, &three, sizeof three, 0, 1), "cudaMemcpyToSymbol");
    int threads = argc > 2 && strcmp(argv[2], "break") == 0 ? n + 256 : n;
    void *arguments[] = {&x, &y, &threads};
    const dim3 grid = {((unsigned)threads + 127) / 128, 1, 1}, block = {128, 1, 1};
    for (int k = 0; k < 4; k++)
        must(cudaLaunchKernel(&axpy, grid, block, arguments, 0, NULL), "launch");
    must(cudaStreamCreate(&stream), "stream");
    must(cudaStreamBeginCapture(stream, 0), "capture");
    must(cudaLaunchKernel(&axpy, grid, block, arguments, 0, stream), "launch");
    must(cudaStreamEndCapture(stream, &graph), "capture");
    must(cudaGraphInstantiate(&exec, graph, 0), "graph");
    must(cudaGraphLaunch(exec, stream), "graph");
    must(cudaDeviceSynchronize(), "synchronize");
    must(cudaMemcpy(host, y, bytes, 2), "cudaMemcpy");
    must(cudaMemcpyFromSymbol(&counted, &count, sizeof counted, 0, 2), "cudaMemcpyFromSymbol");
    for (int i = 0; i < n; i++)
        wrong += host[i] != 15 * (float)(i % 100);
    printf("%d wrong, counted %d, not known: %s\n", wrong, counted, cudaGetErrorString(cudaIpcGetMemHandle(host, x)));
    if (cudaMemcpy(x, NULL, bytes, 1) != 1 || cudaMemcpy(NULL, x, bytes, 2) != 1)
        printf("a copy from or to a null pointer is possible\n");
    (void)cudaGetLastError();
    must(cudaFree(x), "cudaFree");
    must(cudaFree(y), "cudaFree");
    free(host);
    return wrong > 0;
}

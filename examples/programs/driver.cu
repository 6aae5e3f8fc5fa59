// driver.cu - the driver interface: a module from PTX in a string, a function, a variable, launches
// with parameters one by one and as a block of bytes. SPDX-License-Identifier: MIT
#include "host_check.h"
#include <cstring>
#include <cuda.h>

#define DRIVER(call)                                                                                                   \
    do {                                                                                                               \
        const CUresult error = call;                                                                                   \
        const char *text = "";                                                                                         \
        if (error != CUDA_SUCCESS) {                                                                                   \
            cuGetErrorString(error, &text);                                                                            \
            fprintf(stderr, "line %d: %s: %s\n", __LINE__, #call, text);                                               \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

// out[i] = in[i] + offset, where the offset is a variable of the module
static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                          ".visible .global .align 4 .u32 offset = 5;\n"
                          ".visible .entry shift(.param .u64 p_in, .param .u64 p_out, .param .u32 p_n)\n"
                          "{\n"
                          "  .reg .pred %p<2>; .reg .b32 %r<8>; .reg .b64 %d<8>;\n"
                          "  ld.param.u64 %d1, [p_in]; ld.param.u64 %d2, [p_out]; ld.param.u32 %r1, [p_n];\n"
                          "  cvta.to.global.u64 %d1, %d1; cvta.to.global.u64 %d2, %d2;\n"
                          "  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;\n"
                          "  mad.lo.s32 %r5, %r2, %r3, %r4;\n"
                          "  setp.ge.u32 %p1, %r5, %r1;\n"
                          "  @%p1 bra done;\n"
                          "  mul.wide.u32 %d3, %r5, 4; add.s64 %d4, %d1, %d3; add.s64 %d5, %d2, %d3;\n"
                          "  ld.global.u32 %r6, [%d4]; ld.global.u32 %r7, [offset];\n"
                          "  add.u32 %r6, %r6, %r7;\n"
                          "  st.global.u32 [%d5], %r6;\n"
                          "done:\n  ret;\n}\n";

int main(int argc, char **argv)
{
    unsigned n = argc > 1 ? (unsigned)atoi(argv[1]) : 10000;
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUfunction shift;
    CUdeviceptr a, b, offset;
    CUstream stream;
    size_t bytes;
    char name[128], log[256] = "";
    int major = 0;
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)sizeof log};
    DRIVER(cuInit(0));
    DRIVER(cuDeviceGet(&device, 0));
    DRIVER(cuDeviceGetName(name, sizeof name, device));
    DRIVER(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
    DRIVER(cuDevicePrimaryCtxRetain(&context, device));
    DRIVER(cuCtxSetCurrent(context));
    DRIVER(cuModuleLoadDataEx(&module, ptx, 2, options, values));
    DRIVER(cuModuleGetFunction(&shift, module, "shift"));
    DRIVER(cuModuleGetGlobal(&offset, &bytes, module, "offset"));
    DRIVER(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    DRIVER(cuMemAlloc(&a, n * sizeof(int)));
    DRIVER(cuMemAlloc(&b, n * sizeof(int)));
    std::vector<int> host(n);
    for (unsigned i = 0; i < n; i++)
        host[i] = (int)(i * i);
    DRIVER(cuMemcpyHtoD(a, host.data(), n * sizeof(int)));
    DRIVER(cuMemsetD32(b, 0, n));
    void *params[] = {&a, &b, &n};
    DRIVER(cuLaunchKernel(shift, (n + 127) / 128, 1, 1, 128, 1, 1, 0, stream, params, nullptr));
    DRIVER(cuStreamSynchronize(stream));
    const int seven = 7;
    DRIVER(cuMemcpyHtoD(offset, &seven, sizeof seven));
    unsigned char block[20]; // b, a, n
    memcpy(block, &b, 8);
    memcpy(block + 8, &a, 8);
    memcpy(block + 16, &n, 4);
    size_t size = sizeof block;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, block, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
    DRIVER(cuLaunchKernel(shift, (n + 127) / 128, 1, 1, 128, 1, 1, 0, stream, nullptr, extra));
    DRIVER(cuMemcpyDtoHAsync(host.data(), a, n * sizeof(int), stream));
    DRIVER(cuStreamSynchronize(stream));
    bool right = major > 0 && bytes == 4 && name[0];
    for (unsigned i = 0; i < n; i++)
        right = right && host[i] == (int)(i * i) + 12;
    DRIVER(cuMemFree(a));
    DRIVER(cuMemFree(b));
    DRIVER(cuModuleUnload(module));
    printf("%u numbers: digest %08x\n", n, digest(host));
    return finish(right);
}

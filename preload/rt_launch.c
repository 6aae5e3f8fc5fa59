/* rt_launch.c - calls of the runtime that launch kernels, or ask about them.
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "ptx/kernel/ptx_file.h"
#include "world.h"

/* ---- <<<..>>> ---- */

typedef struct pushed {
    cuda_dim3 grid, block;
    size_t shared;
    cuda_stream_t stream;
} pushed;
#define PUSHED_MAX 32
static _Thread_local pushed stack[PUSHED_MAX];
static _Thread_local int depth;

CUDA_EXPORT unsigned __cudaPushCallConfiguration(cuda_dim3 grid, cuda_dim3 block, size_t shared, cuda_stream_t stream);
CUDA_CALL __cudaPopCallConfiguration(cuda_dim3 *grid, cuda_dim3 *block, size_t *shared, void *stream);

unsigned __cudaPushCallConfiguration(cuda_dim3 grid, cuda_dim3 block, size_t shared, cuda_stream_t stream)
{
    if (depth == PUSHED_MAX)
        return 1;
    stack[depth++] = (pushed){grid, block, shared, stream};
    return 0;
}

cuda_error __cudaPopCallConfiguration(cuda_dim3 *grid, cuda_dim3 *block, size_t *shared, void *stream)
{
    if (depth == 0)
        return CUDA_INVALID_CONFIGURATION;
    const pushed *p = &stack[--depth];
    *grid = p->grid;
    *block = p->block;
    *shared = p->shared;
    memcpy(stream, &p->stream, sizeof p->stream);
    return CUDA_OK;
}

/* ---- launches ---- */

/* Now, or when the graph is launched that the stream captures. */
static cuda_error launch(gpu_world *w, gpu_launch l, void **arguments)
{
    size_t bytes = 0;
    if (!l.function)
        return CUDA_INVALID_FUNCTION;
    uint8_t *params = gpu_params(w, l.function, arguments, &bytes);
    if (!params)
        return l.function->module->failed ? CUDA_NO_BINARY : CUDA_INVALID_FUNCTION;
    l.params = params;
    l.graph = -1;
    const cuda_error error = gpu_issue(w, &l, bytes);
    free(params);
    return error;
}

CUDA_CALL cudaLaunchKernel(const void *function, cuda_dim3 grid, cuda_dim3 block, void **arguments, size_t shared,
                           cuda_stream_t stream);
CUDA_CALL cudaLaunchCooperativeKernel(const void *function, cuda_dim3 grid, cuda_dim3 block, void **arguments,
                                      size_t shared, cuda_stream_t stream);
CUDA_CALL cudaLaunchKernelExC(const cuda_launch_config *config, const void *function, void **arguments);
CUDA_CALL __cudaGetKernel(void **kernel, const void *host);
CUDA_CALL __cudaLaunchKernel(void *kernel, cuda_dim3 grid, cuda_dim3 block, void **arguments, size_t shared,
                             cuda_stream_t stream);
CUDA_CALL cudaGetKernel(void **kernel, const void *host);
CUDA_CALL cudaGetFuncBySymbol(void **function, const void *host);

cuda_error cudaLaunchKernel(const void *function, cuda_dim3 grid, cuda_dim3 block, void **arguments, size_t shared,
                            cuda_stream_t stream)
{
    gpu_world *w = gpu_enter();
    return gpu_end(launch(
        w,
        (gpu_launch){
            .function = gpu_function_of(w, function), .grid = grid, .block = block, .shared = shared, .stream = stream},
        arguments));
}

cuda_error cudaLaunchCooperativeKernel(const void *function, cuda_dim3 grid, cuda_dim3 block, void **arguments,
                                       size_t shared, cuda_stream_t stream)
{
    gpu_world *w = gpu_enter();
    return gpu_end(launch(w,
                          (gpu_launch){.function = gpu_function_of(w, function),
                                       .grid = grid,
                                       .block = block,
                                       .shared = shared,
                                       .stream = stream,
                                       .cooperative = true},
                          arguments));
}

cuda_error cudaLaunchKernelExC(const cuda_launch_config *config, const void *function, void **arguments)
{
    gpu_world *w = gpu_enter();
    gpu_launch l = {.function = gpu_function_of(w, function),
                    .grid = config->grid,
                    .block = config->block,
                    .shared = config->shared,
                    .stream = config->stream};
    for (unsigned i = 0; i < config->count; i++)
        gpu_take_attribute(&l, &config->attributes[i]);
    return gpu_end(launch(w, l, arguments));
}

/* A handle of a kernel is what we know about it. */
cuda_error __cudaGetKernel(void **kernel, const void *host)
{
    gpu_world *w = gpu_enter();
    *kernel = gpu_function_of(w, host);
    return gpu_end(*kernel ? CUDA_OK : CUDA_INVALID_FUNCTION);
}

cuda_error __cudaLaunchKernel(void *kernel, cuda_dim3 grid, cuda_dim3 block, void **arguments, size_t shared,
                              cuda_stream_t stream)
{
    return cudaLaunchKernel(kernel, grid, block, arguments, shared, stream);
}

cuda_error cudaGetKernel(void **kernel, const void *host) { return __cudaGetKernel(kernel, host); }
cuda_error cudaGetFuncBySymbol(void **function, const void *host) { return __cudaGetKernel(function, host); }

/* ---- attributes and occupancy ---- */

CUDA_CALL cudaFuncGetAttributes(cuda_function_attributes *out, const void *function);
CUDA_CALL cudaFuncSetAttribute(const void *function, int attribute, int value);
CUDA_CALL cudaFuncSetCacheConfig(const void *function, int config);
CUDA_CALL cudaFuncSetSharedMemConfig(const void *function, int config);
CUDA_CALL cudaFuncGetName(const char **name, const void *function);
CUDA_CALL cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function, int threads, size_t shared);
CUDA_CALL cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *function, int threads,
                                                                 size_t shared, unsigned flags);
CUDA_CALL cudaOccupancyAvailableDynamicSMemPerBlock(size_t *shared, const void *function, int blocks, int threads);

#define REGISTERS 32 /* of a thread: only the assembler knows them */
#define ATTRIBUTE_DYNAMIC_SHARED 8

static int64_t static_shared(const gpu_function *f)
{
    const wl_ptx_module *m = f->module->ptx->module;
    int64_t bytes = 0;
    for (int32_t v = 0; v < m->variable_count; v++) {
        const wl_ptx_variable *variable = &m->variables[v];
        const bool mine = variable->function >= 0 && strcmp(m->functions[variable->function].name, f->name) == 0;
        if (variable->space == WL_PTX_SHARED && mine)
            bytes += variable->bytes;
    }
    return bytes;
}

cuda_error cudaFuncGetAttributes(cuda_function_attributes *out, const void *function)
{
    gpu_world *w = gpu_enter();
    gpu_function *f = gpu_function_of(w, function);
    if (!f || !gpu_function_ready(w, f))
        return gpu_end(CUDA_INVALID_FUNCTION);
    *out = (cuda_function_attributes){.shared_bytes = (size_t)static_shared(f),
                                      .threads_max = (int)wl_device_list_value(w->device, WL_DEVICE_max_block, 0),
                                      .registers = REGISTERS,
                                      .ptx_version = 90,
                                      .binary_version = 90,
                                      .dynamic_shared_max = f->dynamic_shared ? (int)f->dynamic_shared : 48 << 10,
                                      .carveout = -1};
    return gpu_end(CUDA_OK);
}

cuda_error cudaFuncSetAttribute(const void *function, int attribute, int value)
{
    gpu_world *w = gpu_enter();
    gpu_function *f = gpu_function_of(w, function);
    if (!f)
        return gpu_end(CUDA_INVALID_FUNCTION);
    double most = 0;
    if (attribute == ATTRIBUTE_DYNAMIC_SHARED && wl_device_get(w->device, WL_DEVICE_shared_per_block, &most) &&
        value > most)
        return gpu_end(CUDA_INVALID_VALUE);
    if (attribute == ATTRIBUTE_DYNAMIC_SHARED)
        f->dynamic_shared = value;
    return gpu_end(CUDA_OK);
}

cuda_error cudaFuncSetCacheConfig(const void *function, int config)
{
    (void)function, (void)config;
    return CUDA_OK;
}

cuda_error cudaFuncSetSharedMemConfig(const void *function, int config)
{
    (void)function, (void)config;
    return CUDA_OK;
}

cuda_error cudaFuncGetName(const char **name, const void *function)
{
    gpu_world *w = gpu_enter();
    const gpu_function *f = gpu_function_of(w, function);
    *name = f ? f->name : NULL;
    return gpu_end(f ? CUDA_OK : CUDA_INVALID_FUNCTION);
}

cuda_error cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function, int threads, size_t shared)
{
    gpu_world *w = gpu_enter();
    gpu_function *f = gpu_function_of(w, function);
    if (!f || threads <= 0 || !gpu_function_ready(w, f))
        return gpu_end(f ? CUDA_INVALID_VALUE : CUDA_INVALID_FUNCTION);
    wl_occupancy occupancy;
    wl_error err = {0};
    *blocks = wl_occupancy_compute(w->device, threads, REGISTERS, static_shared(f) + (int64_t)shared, &occupancy,
                                   &err) == WL_OK
                  ? (int)occupancy.blocks_per_sm
                  : 0;
    return gpu_end(CUDA_OK);
}

cuda_error cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *function, int threads,
                                                                  size_t shared, unsigned flags)
{
    (void)flags;
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, threads, shared);
}

cuda_error cudaOccupancyAvailableDynamicSMemPerBlock(size_t *shared, const void *function, int blocks, int threads)
{
    (void)function, (void)threads;
    gpu_world *w = gpu_enter();
    double all = 228 << 10, most = 227 << 10;
    (void)wl_device_get(w->device, WL_DEVICE_shared_per_sm, &all);
    (void)wl_device_get(w->device, WL_DEVICE_shared_per_block, &most);
    const double each = all / (blocks > 0 ? blocks : 1);
    *shared = (size_t)(each < most ? each : most);
    return gpu_end(CUDA_OK);
}

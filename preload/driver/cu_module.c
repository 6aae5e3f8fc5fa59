/* cu_module.c - the driver's calls about device code: modules, libraries, kernels, launches.
 *
 * A module, a library and their handles are the same here, and so are a kernel and a function.
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "binary/fatbin.h"
#include "driver.h"

#define WRAPPER_MAGIC 0x466243b1u
#define ELF_MAGIC 0x464c457fu
#define FILE_BYTES_MAX ((size_t)1 << 28)

CUDA_CALL cuModuleLoadData(void **module, const void *image);
CUDA_CALL cuModuleLoadDataEx(void **module, const void *image, unsigned count, int *options, void **values);
CUDA_CALL cuModuleLoadFatBinary(void **module, const void *image);
CUDA_CALL cuModuleLoad(void **module, const char *path);
CUDA_CALL cuModuleGetFunction(void **function, gpu_module *module, const char *name);
CUDA_CALL cuModuleGetGlobal_v2(uint64_t *address, size_t *bytes, gpu_module *module, const char *name);
CUDA_CALL cuLibraryLoadData(void **library, const void *image, int *options, void **values, unsigned count,
                            int *library_options, void **library_values, unsigned library_count);
CUDA_CALL cuLibraryLoadFromFile(void **library, const char *path, int *options, void **values, unsigned count,
                                int *library_options, void **library_values, unsigned library_count);
CUDA_CALL cuLibraryGetKernel(void **kernel, gpu_module *library, const char *name);
CUDA_CALL cuLibraryGetModule(void **module, void *library);
CUDA_CALL cuLibraryGetGlobal(uint64_t *address, size_t *bytes, gpu_module *library, const char *name);
CUDA_CALL cuKernelGetFunction(void **function, void *kernel);
ACCEPTED(cuModuleUnload)
ACCEPTED(cuLibraryUnload)
ACCEPTED(cuFuncLoad)

/* ---- modules ---- */

/* The program may free the image of a module as soon as it is loaded: so its PTX is unpacked at
 * once. */
static cuda_error load(void **out, const void *image)
{
    uint32_t magic;
    const void *fatbin = image;
    if (!out || !image)
        return CUDA_INVALID_VALUE;
    memcpy(&magic, image, sizeof magic);
    if (magic == WRAPPER_MAGIC)
        memcpy(&fatbin, (const char *)image + 8, sizeof fatbin);
    memcpy(&magic, fatbin, sizeof magic);
    if (magic == ELF_MAGIC)
        return CUDA_NO_BINARY; /* machine code */
    gpu_world *w = gpu_enter();
    const bool is_fatbin = wl_fatbin_is((wl_bytes){fatbin, WL_FATBIN_HEADER_BYTES});
    gpu_module *m =
        is_fatbin ? gpu_module_add(w, fatbin, NULL, 0) : gpu_module_add(w, NULL, fatbin, strlen((const char *)fatbin));
    *out = m;
    const cuda_error error = !m                      ? CUDA_OUT_OF_MEMORY
                             : gpu_module_open(w, m) ? CUDA_OK
                             : m->fatbin != NULL     ? CUDA_NO_BINARY
                                                     : CUDA_INVALID_PTX;
    gpu_leave();
    return error;
}

static cuda_error load_file(void **out, const char *path)
{
    FILE *file = fopen(path, "rb");
    char *bytes = file ? malloc(FILE_BYTES_MAX) : NULL;
    const size_t length = bytes ? fread(bytes, 1, FILE_BYTES_MAX - 1, file) : 0;
    if (file)
        (void)fclose(file);
    if (bytes)
        bytes[length] = '\0';
    const cuda_error error = !file ? CUDA_FILE_NOT_FOUND : length < 4 ? CUDA_INVALID_IMAGE : load(out, bytes);
    free(bytes);
    return error;
}

cuda_error cuModuleLoadData(void **module, const void *image) { return load(module, image); }

cuda_error cuModuleLoadDataEx(void **module, const void *image, unsigned count, int *options, void **values)
{
    (void)count, (void)options, (void)values;
    return load(module, image);
}

cuda_error cuModuleLoadFatBinary(void **module, const void *image) { return load(module, image); }
cuda_error cuModuleLoad(void **module, const char *path) { return load_file(module, path); }

cuda_error cuLibraryLoadData(void **library, const void *image, int *options, void **values, unsigned count,
                             int *library_options, void **library_values, unsigned library_count)
{
    (void)options, (void)values, (void)count, (void)library_options, (void)library_values, (void)library_count;
    return load(library, image);
}

cuda_error cuLibraryLoadFromFile(void **library, const char *path, int *options, void **values, unsigned count,
                                 int *library_options, void **library_values, unsigned library_count)
{
    (void)options, (void)values, (void)count, (void)library_options, (void)library_values, (void)library_count;
    return load_file(library, path);
}

cuda_error cuLibraryGetModule(void **module, void *library)
{
    *module = library;
    return CUDA_OK;
}

/* ---- what is in them ---- */

static cuda_error find_function(void **out, gpu_module *m, const char *name)
{
    gpu_world *w = gpu_enter();
    gpu_function *f = NULL;
    *out = NULL;
    for (size_t i = 0; i < w->function_count && !f; i++)
        if (w->functions[i]->module == m && strcmp(w->functions[i]->name, name) == 0)
            f = w->functions[i];
    bool there = f != NULL;
    for (size_t i = 0; !there && gpu_module_open(w, m) && i < wl_ptx_entry_count(m->ptx); i++)
        there = strcmp(wl_ptx_entry_symbol(m->ptx, i), name) == 0;
    if (there && !f)
        f = gpu_function_add(w, m, NULL, name);
    *out = f;
    gpu_leave();
    return f ? CUDA_OK : there ? CUDA_OUT_OF_MEMORY : CUDA_NOT_FOUND;
}

static cuda_error find_variable(uint64_t *address, size_t *bytes, gpu_module *m, const char *name)
{
    gpu_world *w = gpu_enter();
    const int64_t number = gpu_module_variable(w, m, name);
    if (number >= 0 && address)
        *address = m->variables[number].address;
    if (number >= 0 && bytes)
        *bytes = m->variables[number].bytes;
    gpu_leave();
    return number >= 0 ? CUDA_OK : CUDA_NOT_FOUND;
}

cuda_error cuModuleGetFunction(void **function, gpu_module *module, const char *name)
{
    return find_function(function, module, name);
}

cuda_error cuLibraryGetKernel(void **kernel, gpu_module *library, const char *name)
{
    return find_function(kernel, library, name);
}

cuda_error cuKernelGetFunction(void **function, void *kernel)
{
    gpu_function *f = gpu_function_of(gpu_enter(), kernel);
    gpu_leave();
    *function = f ? &f->made : NULL;
    return f ? CUDA_OK : CUDA_NOT_FOUND;
}

cuda_error cuModuleGetGlobal_v2(uint64_t *address, size_t *bytes, gpu_module *module, const char *name)
{
    return find_variable(address, bytes, module, name);
}

cuda_error cuLibraryGetGlobal(uint64_t *address, size_t *bytes, gpu_module *library, const char *name)
{
    return find_variable(address, bytes, library, name);
}

/* ---- functions ---- */

CUDA_CALL cudaFuncGetAttributes(cuda_function_attributes *out, const void *function);
CUDA_CALL cuFuncGetAttribute(int *value, int attribute, const void *function);
CUDA_CALL cuKernelGetAttribute(int *value, int attribute, const void *kernel, int device);
CUDA_CALL cuFuncSetAttribute(const void *function, int attribute, int value);
CUDA_CALL cuKernelSetAttribute(int attribute, int value, const void *kernel, int device);
CUDA_CALL cudaFuncSetAttribute(const void *function, int attribute, int value);
CUDA_CALL cuFuncGetModule(gpu_module **module, gpu_function *function);
CUDA_CALL cuFuncGetName(const char **name, gpu_function *function);
ACCEPTED(cuFuncSetCacheConfig)
ACCEPTED(cuFuncSetSharedMemConfig)
SAME(cuOccupancyMaxActiveBlocksPerMultiprocessor, cudaOccupancyMaxActiveBlocksPerMultiprocessor,
     (int *blocks, const void *function, int threads, size_t shared), (blocks, function, threads, shared))
SAME(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
     (int *blocks, const void *function, int threads, size_t shared, unsigned flags),
     (blocks, function, threads, shared, flags))

/* CUfunction_attribute, in the order of their numbers */
cuda_error cuFuncGetAttribute(int *value, int attribute, const void *function)
{
    cuda_function_attributes a;
    const cuda_error error = cudaFuncGetAttributes(&a, function);
    if (error != CUDA_OK)
        return CUDA_INVALID_HANDLE;
    const int values[] = {a.threads_max, (int)a.shared_bytes, (int)a.const_bytes, (int)a.local_bytes,   a.registers,
                          a.ptx_version, a.binary_version,    a.cache_mode,       a.dynamic_shared_max, a.carveout};
    const bool known = attribute >= 0 && attribute < (int)(sizeof values / sizeof *values);
    *value = known ? values[attribute] : 0;
    return CUDA_OK;
}

cuda_error cuKernelGetAttribute(int *value, int attribute, const void *kernel, int device)
{
    (void)device;
    return cuFuncGetAttribute(value, attribute, kernel);
}

cuda_error cuFuncSetAttribute(const void *function, int attribute, int value)
{
    return gpu_as_driver(cudaFuncSetAttribute(function, attribute, value));
}

cuda_error cuKernelSetAttribute(int attribute, int value, const void *kernel, int device)
{
    (void)device;
    return cuFuncSetAttribute(kernel, attribute, value);
}

cuda_error cuFuncGetModule(gpu_module **module, gpu_function *function)
{
    *module = function->module;
    return CUDA_OK;
}

cuda_error cuFuncGetName(const char **name, gpu_function *function)
{
    *name = function->name;
    return CUDA_OK;
}

/* ---- launches ---- */

CUDA_CALL cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                         unsigned shared, cuda_stream_t stream, void **params, void **extra);
CUDA_CALL cuLaunchKernel_ptsz(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                              unsigned bz, unsigned shared, cuda_stream_t stream, void **params, void **extra);
CUDA_CALL cuLaunchCooperativeKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                                    unsigned bz, unsigned shared, cuda_stream_t stream, void **params);
CUDA_CALL cuLaunchKernelEx(const cuda_driver_config *config, void *function, void **params, void **extra);
CUDA_CALL cuLaunchKernelEx_ptsz(const cuda_driver_config *config, void *function, void **params, void **extra);

static cuda_error launch(const cuda_driver_config *c, void *function, void **params, void **extra)
{
    gpu_world *w = gpu_enter();
    gpu_launch l = {.function = gpu_function_of(w, function),
                    .grid = {c->grid[0], c->grid[1], c->grid[2]},
                    .block = {c->block[0], c->block[1], c->block[2]},
                    .shared = c->shared,
                    .stream = c->stream,
                    .graph = -1};
    size_t bytes = 0;
    for (unsigned i = 0; i < c->count; i++)
        gpu_take_attribute(&l, &c->attributes[i]);
    uint8_t *own = l.function ? gpu_driver_params(w, l.function, params, extra, &bytes) : NULL;
    l.params = own;
    const cuda_error error = own ? gpu_issue(w, &l, bytes) : l.function ? CUDA_INVALID_VALUE : CUDA_INVALID_HANDLE;
    free(own);
    gpu_leave();
    return gpu_as_driver(error);
}

cuda_error cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                          unsigned shared, cuda_stream_t stream, void **params, void **extra)
{
    const cuda_driver_config config = {.grid = {gx, gy, gz}, .block = {bx, by, bz}, .shared = shared, .stream = stream};
    return launch(&config, function, params, extra);
}

cuda_error cuLaunchKernel_ptsz(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                               unsigned bz, unsigned shared, cuda_stream_t stream, void **params, void **extra)
{
    return cuLaunchKernel(function, gx, gy, gz, bx, by, bz, shared, stream, params, extra);
}

cuda_error cuLaunchCooperativeKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                                     unsigned bz, unsigned shared, cuda_stream_t stream, void **params)
{
    cuda_launch_attribute cooperative = {.id = CUDA_ATTRIBUTE_COOPERATIVE, .value.flag = 1};
    const cuda_driver_config config = {.grid = {gx, gy, gz},
                                       .block = {bx, by, bz},
                                       .shared = shared,
                                       .stream = stream,
                                       .attributes = &cooperative,
                                       .count = 1};
    return launch(&config, function, params, NULL);
}

cuda_error cuLaunchKernelEx(const cuda_driver_config *config, void *function, void **params, void **extra)
{
    return launch(config, function, params, extra);
}

cuda_error cuLaunchKernelEx_ptsz(const cuda_driver_config *config, void *function, void **params, void **extra)
{
    return launch(config, function, params, extra);
}

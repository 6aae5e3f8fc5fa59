/* calls.c - the driver's calls about code and launches, each with what is recorded of it.
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "record.h"

/* ---- modules and kernels ---- */

CUDA_CALL cuModuleLoad(void **module, const char *path);
CUDA_CALL cuModuleLoadData(void **module, const void *image);
CUDA_CALL cuModuleLoadDataEx(void **module, const void *image, unsigned count, int *options, void **values);
CUDA_CALL cuModuleLoadFatBinary(void **module, const void *image);
CUDA_CALL cuModuleUnload(void *module);
CUDA_CALL cuLibraryLoadData(void **library, const void *image, int *options, void **values, unsigned count,
                            int *library_options, void **library_values, unsigned library_count);
CUDA_CALL cuLibraryLoadFromFile(void **library, const char *path, int *options, void **values, unsigned count,
                                int *library_options, void **library_values, unsigned library_count);
CUDA_CALL cuLibraryUnload(void *library);
CUDA_CALL cuModuleGetFunction(void **function, void *module, const char *name);
CUDA_CALL cuLibraryGetKernel(void **kernel, void *library, const char *name);
CUDA_CALL cuLibraryGetModule(void **module, void *library);
CUDA_CALL cuKernelGetFunction(void **function, void *kernel);

cuda_error cuModuleLoad(void **module, const char *path)
{
    DRIVER("cuModuleLoad", (void **, const char *));
    const cuda_error error = real(module, path);
    if (error == CUDA_OK)
        handle_new_file(*module, path, false);
    return error;
}

cuda_error cuModuleLoadData(void **module, const void *image)
{
    DRIVER("cuModuleLoadData", (void **, const void *));
    const cuda_error error = real(module, image);
    if (error == CUDA_OK)
        handle_new_module(*module, image, false);
    return error;
}

cuda_error cuModuleLoadDataEx(void **module, const void *image, unsigned count, int *options, void **values)
{
    DRIVER("cuModuleLoadDataEx", (void **, const void *, unsigned, int *, void **));
    const cuda_error error = real(module, image, count, options, values);
    if (error == CUDA_OK)
        handle_new_module(*module, image, false);
    return error;
}

cuda_error cuModuleLoadFatBinary(void **module, const void *image)
{
    DRIVER("cuModuleLoadFatBinary", (void **, const void *));
    const cuda_error error = real(module, image);
    if (error == CUDA_OK)
        handle_new_module(*module, image, false);
    return error;
}

cuda_error cuModuleUnload(void *module)
{
    DRIVER("cuModuleUnload", (void *));
    handle_forget_module(module);
    return real(module);
}

cuda_error cuLibraryLoadData(void **library, const void *image, int *options, void **values, unsigned count,
                             int *library_options, void **library_values, unsigned library_count)
{
    DRIVER("cuLibraryLoadData", (void **, const void *, int *, void **, unsigned, int *, void **, unsigned));
    const cuda_error error =
        real(library, image, options, values, count, library_options, library_values, library_count);
    if (error == CUDA_OK)
        handle_new_module(*library, image, true);
    return error;
}

cuda_error cuLibraryLoadFromFile(void **library, const char *path, int *options, void **values, unsigned count,
                                 int *library_options, void **library_values, unsigned library_count)
{
    DRIVER("cuLibraryLoadFromFile", (void **, const char *, int *, void **, unsigned, int *, void **, unsigned));
    const cuda_error error =
        real(library, path, options, values, count, library_options, library_values, library_count);
    if (error == CUDA_OK)
        handle_new_file(*library, path, true);
    return error;
}

cuda_error cuLibraryUnload(void *library)
{
    DRIVER("cuLibraryUnload", (void *));
    handle_forget_module(library);
    return real(library);
}

cuda_error cuModuleGetFunction(void **function, void *module, const char *name)
{
    DRIVER("cuModuleGetFunction", (void **, void *, const char *));
    const cuda_error error = real(function, module, name);
    if (error == CUDA_OK)
        handle_new_function(*function, module, name);
    return error;
}

cuda_error cuLibraryGetKernel(void **kernel, void *library, const char *name)
{
    DRIVER("cuLibraryGetKernel", (void **, void *, const char *));
    const cuda_error error = real(kernel, library, name);
    if (error == CUDA_OK)
        handle_new_function(*kernel, library, name);
    return error;
}

cuda_error cuLibraryGetModule(void **module, void *library)
{
    DRIVER("cuLibraryGetModule", (void **, void *));
    const cuda_error error = real(module, library);
    if (error == CUDA_OK && *module != library)
        handle_is_module_of(*module, library);
    return error;
}

cuda_error cuKernelGetFunction(void **function, void *kernel)
{
    DRIVER("cuKernelGetFunction", (void **, void *));
    const cuda_error error = real(function, kernel);
    if (error == CUDA_OK && *function != kernel)
        handle_is_function_of(*function, kernel);
    return error;
}

/* ---- tensor maps ---- */

CUDA_CALL cuTensorMapEncodeTiled(GPU_TILED_PARAMETERS);
CUDA_CALL cuTensorMapEncodeIm2col(GPU_IMAGES_PARAMETERS);

cuda_error cuTensorMapEncodeTiled(GPU_TILED_PARAMETERS)
{
    const gpu_tensor t = GPU_TILED;
    DRIVER("cuTensorMapEncodeTiled", (GPU_TILED_PARAMETERS));
    const cuda_error error =
        real(map, type, rank, base, extent, stride, box, step, interleave, swizzle, promotion, fill);
    if (error == CUDA_OK)
        reach_learn_map(map, &t);
    return error;
}

cuda_error cuTensorMapEncodeIm2col(GPU_IMAGES_PARAMETERS)
{
    const gpu_tensor t = GPU_IMAGES;
    DRIVER("cuTensorMapEncodeIm2col", (GPU_IMAGES_PARAMETERS));
    const cuda_error error = real(map, type, rank, base, extent, stride, lower, upper, channels, pixels, step,
                                  interleave, swizzle, promotion, fill);
    if (error == CUDA_OK)
        reach_learn_map(map, &t);
    return error;
}

/* ---- launches ---- */

#define LAUNCH (void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **)
#define LAUNCH_CALL(name)                                                                                              \
    CUDA_CALL name(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,       \
                   unsigned shared, void *stream, void **params, void **extra);                                        \
    cuda_error name(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,      \
                    unsigned shared, void *stream, void **params, void **extra)                                        \
    {                                                                                                                  \
        DRIVER(#name, LAUNCH);                                                                                         \
        kept_launch l = {.handle = function,                                                                           \
                         .params = params,                                                                             \
                         .extra = extra,                                                                               \
                         .launch = {.grid = {gx, gy, gz}, .block = {bx, by, bz}, .shared = shared, .stream = stream}}; \
        keep_before(&l);                                                                                               \
        const cuda_error error = real(function, gx, gy, gz, bx, by, bz, shared, stream, params, extra);                \
        keep_after(&l);                                                                                                \
        return error;                                                                                                  \
    }
LAUNCH_CALL(cuLaunchKernel)
LAUNCH_CALL(cuLaunchKernel_ptsz)

#define COOPERATIVE (void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **)
#define COOPERATIVE_CALL(name)                                                                                         \
    CUDA_CALL name(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,       \
                   unsigned shared, void *stream, void **params);                                                      \
    cuda_error name(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,      \
                    unsigned shared, void *stream, void **params)                                                      \
    {                                                                                                                  \
        DRIVER(#name, COOPERATIVE);                                                                                    \
        kept_launch l = {.handle = function,                                                                           \
                         .params = params,                                                                             \
                         .launch = {.grid = {gx, gy, gz},                                                              \
                                    .block = {bx, by, bz},                                                             \
                                    .shared = shared,                                                                  \
                                    .stream = stream,                                                                  \
                                    .cooperative = true}};                                                             \
        keep_before(&l);                                                                                               \
        const cuda_error error = real(function, gx, gy, gz, bx, by, bz, shared, stream, params);                       \
        keep_after(&l);                                                                                                \
        return error;                                                                                                  \
    }
COOPERATIVE_CALL(cuLaunchCooperativeKernel)
COOPERATIVE_CALL(cuLaunchCooperativeKernel_ptsz)

#define CONFIG_CALL(name)                                                                                              \
    CUDA_CALL name(const cuda_driver_config *config, void *function, void **params, void **extra);                     \
    cuda_error name(const cuda_driver_config *c, void *function, void **params, void **extra)                          \
    {                                                                                                                  \
        DRIVER(#name, (const cuda_driver_config *, void *, void **, void **));                                         \
        kept_launch l = {.handle = function,                                                                           \
                         .params = params,                                                                             \
                         .extra = extra,                                                                               \
                         .launch = {.grid = {c->grid[0], c->grid[1], c->grid[2]},                                      \
                                    .block = {c->block[0], c->block[1], c->block[2]},                                  \
                                    .shared = c->shared,                                                               \
                                    .stream = c->stream}};                                                             \
        for (unsigned i = 0; i < c->count; i++)                                                                        \
            gpu_take_attribute(&l.launch, &c->attributes[i]);                                                          \
        keep_before(&l);                                                                                               \
        const cuda_error error = real(c, function, params, extra);                                                     \
        keep_after(&l);                                                                                                \
        return error;                                                                                                  \
    }
CONFIG_CALL(cuLaunchKernelEx)
CONFIG_CALL(cuLaunchKernelEx_ptsz)

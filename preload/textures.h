/* textures.h - texture and surface objects, and the arrays behind them.
 * SPDX-License-Identifier: MIT */
#ifndef WL_PRELOAD_TEXTURES_H
#define WL_PRELOAD_TEXTURES_H

#include "ptx/emulate/texture.h"
#include "world.h"

/* An array in memory of the world, laid out as the emulator reads it. */
typedef struct cuda_array {
    wl_ptx_texture layout;
    const char *type; /* of a channel, as in the text of a texture */
    uint8_t *memory;
    size_t width, height, depth; /* as they were asked for; 0: no such dimension */
    unsigned flags;
} cuda_array;

/* What a texture object says beside its memory; the numbers of CUDA. */
typedef struct gpu_sampler {
    int mode;
    bool linear, normalized;
} gpu_sampler;

/* The layout without memory, and the bytes that it takes; false: no array that a GPU has. */
bool gpu_array_lay_out(cuda_array *array, const char *type, int channels, size_t width, size_t height, size_t depth,
                       unsigned flags, int64_t *bytes);
/* NULL: no array that a GPU has, or no memory. */
cuda_array *gpu_array_new(gpu_world *w, const char *type, int channels, size_t width, size_t height, size_t depth,
                          unsigned flags);
void gpu_array_free(gpu_world *w, cuda_array *array);
/* Copies rows of bytes into (in: true) or out of an array; x is in bytes. */
bool gpu_array_copy(const cuda_array *array, bool in, size_t x, size_t y, size_t z, void *other, size_t pitch,
                    size_t width, size_t height);

/* `handle` is that of another driver; 0: it gets one. Each returns the handle; 0: no memory, or not
 * known here. `sampler` NULL: a surface. */
uint64_t gpu_object_of_array(gpu_world *w, uint64_t handle, const cuda_array *array, const gpu_sampler *sampler);
/* height 0: linear memory of `width` texels */
uint64_t gpu_object_of_memory(gpu_world *w, uint64_t handle, uint64_t address, const char *type, int channels,
                              size_t width, size_t height, size_t pitch, const gpu_sampler *sampler);
/* As the driver is asked for it; `texture` NULL: a surface; `array`: in place of the resource's. */
uint64_t gpu_object_of_driver(gpu_world *w, uint64_t handle, const cuda_driver_resource *r,
                              const cuda_driver_texture *texture, const cuda_array *array);
void gpu_object_free(gpu_world *w, uint64_t handle);

/* CUarray_format as the text of a texture names it; NULL: not known. */
const char *gpu_array_format(int format);

#endif /* WL_PRELOAD_TEXTURES_H */

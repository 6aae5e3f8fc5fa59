/* tensor.h - tensor maps as programs ask the driver for them.
 * SPDX-License-Identifier: MIT */
#ifndef WL_PRELOAD_TENSOR_H
#define WL_PRELOAD_TENSOR_H

#include <stdbool.h>
#include <stdint.h>

/* What cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col take. */
typedef struct gpu_tensor {
    int type;
    uint32_t rank;
    const void *base;
    const uint64_t *extent, *stride; /* stride: of dimension 1, 2, .. */
    const uint32_t *box, *step;
    int interleave, swizzle, fill;
    uint32_t channels, pixels; /* images: what a copy takes; pixels 0: no image */
    const int *lower, *upper;  /* of images */
} gpu_tensor;

/* The parameters of these calls, and what they describe. */
#define GPU_TILED_PARAMETERS                                                                                           \
    void *map, int type, uint32_t rank, void *base, const uint64_t *extent, const uint64_t *stride,                    \
        const uint32_t *box, const uint32_t *step, int interleave, int swizzle, int promotion, int fill
#define GPU_TILED                                                                                                      \
    {                                                                                                                  \
        .type = type, .rank = rank, .base = base, .extent = extent, .stride = stride, .box = box, .step = step,        \
        .interleave = interleave, .swizzle = swizzle, .fill = fill                                                     \
    }
#define GPU_IMAGES_PARAMETERS                                                                                          \
    void *map, int type, uint32_t rank, void *base, const uint64_t *extent, const uint64_t *stride, const int *lower,  \
        const int *upper, uint32_t channels, uint32_t pixels, const uint32_t *step, int interleave, int swizzle,       \
        int promotion, int fill
#define GPU_IMAGES                                                                                                     \
    {                                                                                                                  \
        .type = type, .rank = rank, .base = base, .extent = extent, .stride = stride, .step = step,                    \
        .interleave = interleave, .swizzle = swizzle, .fill = fill, .channels = channels, .pixels = pixels,            \
        .lower = lower, .upper = upper                                                                                 \
    }

/* Writes 128 bytes in the layout of ptx/async/tensor_map.h. False: no map that hardware takes. */
bool gpu_tensor_map(const gpu_tensor *tensor, void *out);
bool gpu_tensor_map_move(void *map, const void *base);

#endif /* WL_PRELOAD_TENSOR_H */

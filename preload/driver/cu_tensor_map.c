/* cu_tensor_map.c - tensor maps as a program asks the driver for them, in the layout that the
 * emulator reads.
 * SPDX-License-Identifier: MIT */
#include "tensor.h"
#include "world.h"

CUDA_CALL cuTensorMapEncodeTiled(void *map, int type, uint32_t rank, void *base, const uint64_t *extent,
                                 const uint64_t *stride, const uint32_t *box, const uint32_t *step, int interleave,
                                 int swizzle, int promotion, int fill);
CUDA_CALL cuTensorMapEncodeIm2col(void *map, int type, uint32_t rank, void *base, const uint64_t *extent,
                                  const uint64_t *stride, const int *lower, const int *upper, uint32_t channels,
                                  uint32_t pixels, const uint32_t *step, int interleave, int swizzle, int promotion,
                                  int fill);
CUDA_CALL cuTensorMapReplaceAddress(void *map, void *base);

cuda_error cuTensorMapEncodeTiled(void *map, int type, uint32_t rank, void *base, const uint64_t *extent,
                                  const uint64_t *stride, const uint32_t *box, const uint32_t *step, int interleave,
                                  int swizzle, int promotion, int fill)
{
    (void)promotion;
    const gpu_tensor t = {.type = type,
                          .rank = rank,
                          .base = base,
                          .extent = extent,
                          .stride = stride,
                          .box = box,
                          .step = step,
                          .interleave = interleave,
                          .swizzle = swizzle,
                          .fill = fill};
    return gpu_tensor_map(&t, map) ? CUDA_OK : CUDA_INVALID_VALUE;
}

cuda_error cuTensorMapEncodeIm2col(void *map, int type, uint32_t rank, void *base, const uint64_t *extent,
                                   const uint64_t *stride, const int *lower, const int *upper, uint32_t channels,
                                   uint32_t pixels, const uint32_t *step, int interleave, int swizzle, int promotion,
                                   int fill)
{
    (void)promotion;
    const gpu_tensor t = {.type = type,
                          .rank = rank,
                          .base = base,
                          .extent = extent,
                          .stride = stride,
                          .step = step,
                          .interleave = interleave,
                          .swizzle = swizzle,
                          .fill = fill,
                          .channels = channels,
                          .pixels = pixels,
                          .lower = lower,
                          .upper = upper};
    return gpu_tensor_map(&t, map) ? CUDA_OK : CUDA_INVALID_VALUE;
}

cuda_error cuTensorMapReplaceAddress(void *map, void *base)
{
    return gpu_tensor_map_move(map, base) ? CUDA_OK : CUDA_INVALID_VALUE;
}

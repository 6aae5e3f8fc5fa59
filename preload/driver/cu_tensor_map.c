/* cu_tensor_map.c - tensor maps as a program asks the driver for them, in the layout that the
 * emulator reads.
 * SPDX-License-Identifier: MIT */
#include "tensor.h"
#include "world.h"

CUDA_CALL cuTensorMapEncodeTiled(GPU_TILED_PARAMETERS);
CUDA_CALL cuTensorMapEncodeIm2col(GPU_IMAGES_PARAMETERS);
CUDA_CALL cuTensorMapReplaceAddress(void *map, void *base);

cuda_error cuTensorMapEncodeTiled(GPU_TILED_PARAMETERS)
{
    const gpu_tensor t = GPU_TILED;
    (void)promotion;
    return gpu_tensor_map(&t, map) ? CUDA_OK : CUDA_INVALID_VALUE;
}

cuda_error cuTensorMapEncodeIm2col(GPU_IMAGES_PARAMETERS)
{
    const gpu_tensor t = GPU_IMAGES;
    (void)promotion;
    return gpu_tensor_map(&t, map) ? CUDA_OK : CUDA_INVALID_VALUE;
}

cuda_error cuTensorMapReplaceAddress(void *map, void *base)
{
    return gpu_tensor_map_move(map, base) ? CUDA_OK : CUDA_INVALID_VALUE;
}

/* driver.h - the driver's interface to the same world: a call that differs from one of the runtime
 * in its name alone is SAME.
 * SPDX-License-Identifier: MIT */
#ifndef WL_PRELOAD_DRIVER_H
#define WL_PRELOAD_DRIVER_H

#include "world.h"

/* The driver has fewer numbers than the runtime. */
cuda_error gpu_as_driver(cuda_error error);

#define SAME(name, like, parameters, arguments)                                                                        \
    CUDA_CALL like parameters;                                                                                         \
    CUDA_CALL name parameters;                                                                                         \
    cuda_error name parameters { return gpu_as_driver(like arguments); }

/* cu_texture.c: one side is an array. */
cuda_error gpu_copy_array_2d(const cuda_driver_copy_2d *copy, cuda_stream_t stream);

/* A call that does nothing here. */
#define ACCEPTED(name)                                                                                                 \
    CUDA_CALL name(void);                                                                                              \
    cuda_error name(void) { return CUDA_OK; }

#endif /* WL_PRELOAD_DRIVER_H */

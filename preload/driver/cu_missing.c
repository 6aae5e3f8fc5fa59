/* cu_missing.c - calls of the driver that the double does not have: each says so once, and returns
 * an error that the program sees.
 * SPDX-License-Identifier: MIT */
#include "world.h"

#define MISSING(name)                                                                                                  \
    CUDA_CALL name(void);                                                                                              \
    __attribute__((weak)) cuda_error name(void) { return gpu_missing(#name); }
#include "missing_driver.def"

/* this_gpu.h - the GPU of this machine, for --device auto. SPDX-License-Identifier: MIT */
#ifndef WL_CLI_THIS_GPU_H
#define WL_CLI_THIS_GPU_H

#include "warpline/warpline.h"

/* The built-in device that the first GPU here is. WL_E_INPUT: there is none, or none of the
 * built-in ones is like it; the message says which. */
wl_status this_gpu(const char **device, wl_error *err);

/* The built-in device that is a product as drivers and shops name it, "NVIDIA H200", in capital
 * letters or not; NULL: none is. */
const char *gpu_of_product(const char *product);

#endif /* WL_CLI_THIS_GPU_H */

/* first_guess.h - what is known of a kernel, and the first launch that is guessed from it.
 *
 * Layer  cuda (uses base, kernel). Oracle: tests/unit/test_first_launch.c.
 * SPDX-License-Identifier: MIT */
#ifndef WL_CUDA_FIRST_GUESS_H
#define WL_CUDA_FIRST_GUESS_H

#include "cuda/cuda_source.h"
#include "warpline/first_launch.h"

typedef struct wl_first_param {
    const char *name; /* NULL: not known */
    const char *type; /* "const double *" */
    int64_t bytes;    /* 0: not known */
} wl_first_param;

typedef struct wl_first_facts {
    const char *name; /* of the kernel */
    const wl_first_param *params;
    int count;
    const wl_cuda *cuda; /* NULL: no source */
    const wl_cuda_kernel *kernel;
    int dims;             /* extents of blocks and grids that the code uses, 1 .. 3; 0: not known */
    int64_t required[3];  /* the block that the code demands; 0: none */
    int64_t most_threads; /* of a block; 0: not known */
    int revised;          /* WL_FIRST_LAUNCH_.. */
} wl_first_facts;

wl_status wl_first_guess(const wl_first_facts *facts, wl_first_launch **out, wl_error *err);

#endif /* WL_CUDA_FIRST_GUESS_H */

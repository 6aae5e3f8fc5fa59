/* cuda_source.h - the kernels of a CUDA source and their launches in it.
 *
 * Layer  cuda (uses base, kernel). Oracle: tests/unit/test_first_launch.c.
 * SPDX-License-Identifier: MIT */
#ifndef WL_CUDA_SOURCE_H
#define WL_CUDA_SOURCE_H

#include <stdint.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "cuda/cuda_params.h"
#include "warpline/status.h"

typedef struct wl_cuda_kernel {
    const char *name;
    wl_cuda_params *params;
    wl_cuda_range body;   /* empty: only declared */
    wl_cuda_range bounds; /* of __launch_bounds__(..); empty: none */
} wl_cuda_kernel;

/* Borrows the text. */
typedef struct wl_cuda {
    wl_arena arena;
    wl_cuda_range text;
    wl_cuda_kernel *kernels;
    size_t count, room;
} wl_cuda;
wl_status wl_cuda_read(wl_cuda *cuda, const char *text, size_t length, wl_error *err);
void wl_cuda_drop(wl_cuda *cuda);

/* k<<<grid, block, shared>>>(arguments); ranges are empty where there is nothing. */
typedef struct wl_cuda_launch {
    wl_cuda_range grid, block, shared, arguments;
} wl_cuda_launch;
/* The first launch of the kernel in the text; false: there is none. */
bool wl_cuda_find_launch(const wl_cuda *cuda, const wl_cuda_kernel *kernel, wl_cuda_launch *out);

/* ---- what expressions of the host mean ---- */

/* Names of the host that stand for others. */
typedef struct wl_cuda_reader {
    const wl_cuda *cuda;
    const wl_cuda_kernel *kernel;
    const wl_cuda_launch *launch; /* NULL: none */
    wl_cuda_range blocks[3];      /* extents of the block, as the source says them */
    int axis;                     /* of the extent that is read, for names of blocks */
    bool symbolic;                /* keep names of parameters and of the block */
} wl_cuda_reader;

/* An expression of the host as a rule of ours (wl_grid_rule), "(n+255)/256"; false: it is none. */
bool wl_cuda_rule(const wl_cuda_reader *reader, wl_cuda_range expression, wl_buffer *out);
/* Its value; false: it is not a constant of the file. */
bool wl_cuda_constant(const wl_cuda_reader *reader, wl_cuda_range expression, int64_t *value);
/* The value of a rule; false: it depends on the launch or on a name. */
bool wl_cuda_rule_value(const char *rule, int64_t *value);
/* The extents of "256", "dim3(32, 8)", "{32, 8}", or of a variable of type dim3; how many. */
int wl_cuda_extents(const wl_cuda_reader *reader, wl_cuda_range expression, wl_cuda_range extents[3]);
/* What "using real = double;", a typedef or a #define says of a name; false: nothing. */
bool wl_cuda_meaning(const wl_cuda *cuda, wl_cuda_word name, wl_cuda_range *meaning);

/* The members of "struct NAME {..};", without those that are functions; false: it is not defined in
 * the text, or has members of another kind: arrays, bit fields. */
bool wl_cuda_members(const wl_cuda *cuda, wl_cuda_word name, wl_cuda_params *members);

/* The first array in shared memory of a code: its type, and its extents, outermost first (-1: not a
 * constant); how many, 0: there is none, or its size is that of the launch. */
int wl_cuda_shared_array(const wl_cuda_reader *reader, wl_cuda_range code, wl_cuda_type *type, bool *is_extern,
                         int64_t extents[3]);

#endif /* WL_CUDA_SOURCE_H */

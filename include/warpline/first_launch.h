/* first_launch.h - a first guess of how a kernel is launched: arguments, block and grid.
 *
 * CUDA source is read as text, without compiler or preprocessor: parameters with names and types,
 * and the launches <<<grid, block>>> in it. What it does not say is guessed from names, as people
 * call things: n, nx, width are extents. The guess is a start, for a person to edit.
 * SPDX-License-Identifier: MIT */
#ifndef WL_FIRST_LAUNCH_H
#define WL_FIRST_LAUNCH_H

#include "warpline/ptx.h"

/* Texts for options of the command line; each list ends in NULL. */
typedef struct wl_first_launch {
    const char *kernel, *declaration;  /* "heat"; "heat(double *next, int n)" */
    const char *block, *grid, *shared; /* "32x8"; "cdiv(nx,block.x)"; NULL: none */
    /* "n=4096" where parameters have no names; "now=buf:nx*ny*8"; what was guessed, in sentences */
    const char **sets, **args, **notes;
} wl_first_launch;

/* How a guess that did not work is revised; 0: the best guess. They can be combined. */
enum {
    WL_FIRST_LAUNCH_LARGER = 1,  /* buffers were too small */
    WL_FIRST_LAUNCH_PADDED = 2,  /* threads read before the start of buffers or behind their end */
    WL_FIRST_LAUNCH_SHORTER = 4, /* loops took too long: a smaller problem */
    WL_FIRST_LAUNCH_BLOCK = 8    /* shared memory was too small: smaller blocks, more of it */
};

/* For a kernel that CUDA source declares, counted from 0; *out is NULL beyond the last. */
WL_FALLIBLE wl_first_launch_of_cuda(const char *text, size_t length, size_t kernel, int revised, wl_first_launch **out,
                                    wl_error *err);
/* For an entry of PTX, with the source it was compiled from; text NULL: not known. */
WL_FALLIBLE wl_first_launch_of_ptx(const wl_ptx *ptx, size_t entry, const char *text, size_t length, int revised,
                                   wl_first_launch **out, wl_error *err);
WL_API void wl_first_launch_free(wl_first_launch *launch);

#endif /* WL_FIRST_LAUNCH_H */

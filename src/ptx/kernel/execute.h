/* execute.h - carries launches out: what a kernel writes is in the program's memory afterwards.
 *
 * Blocks run one after the other in launch order, or on several threads where no atomic or flag
 * tells them of each other; sums of whole numbers do not. Results that the emulator does not
 * compute are zeros, and named.
 * Layer  ptx/kernel (uses base, ptx/module, ptx/emulate). Oracle: tests/unit/test_execute.c.
 * SPDX-License-Identifier: MIT */
#ifndef WL_PTX_KERNEL_EXECUTE_H
#define WL_PTX_KERNEL_EXECUTE_H

#include <stdbool.h>

#include "warpline/ptx.h"

/* One kernel of a module, decoded once for many launches. Not thread-safe. */
typedef struct wl_ptx_runner wl_ptx_runner;
/* `symbol` as in the file. `ptx` is borrowed. */
wl_status wl_ptx_runner_new(const wl_ptx *ptx, const char *symbol, wl_ptx_runner **out, wl_error *err);
void wl_ptx_runner_free(wl_ptx_runner *runner);

typedef struct wl_ptx_work {
    int64_t grid[3], block[3], cluster[3]; /* cluster: 0 as 1 */
    int64_t dynamic_shared;
    wl_ptx_image image; /* all of its memory has contents */
    double seconds;     /* limit; 0: none */
    /* called between blocks from time to time, on the caller's thread; NULL: not called */
    void (*idle)(void *user);
    void *user;
} wl_ptx_work;

#define WL_PTX_WORK_READS 1
#define WL_PTX_WORK_WRITES 2
typedef struct wl_ptx_worked {
    int64_t instructions; /* of warps */
    bool whole;           /* all blocks ran */
    char unknown[120];    /* what was not computed, as "wgmma.mma_async at k.cu:12"; "": nothing */
} wl_ptx_worked;

/* WL_E_BOUNDS, WL_E_INPUT: an access outside of the memory, or not aligned; blocks before it have
 * run. Time that runs out is no error. */
wl_status wl_ptx_runner_run(wl_ptx_runner *runner, const wl_ptx_work *work, wl_ptx_worked *out, wl_error *err);

/* C text of the kernel as it was last launched, for a compiler; NULL: it cannot be had. The caller
 * frees it. */
char *wl_ptx_runner_text(const wl_ptx_runner *runner);
/* From now on the functions that `find` names from the compiled text do the work: until variables
 * or shared memory are elsewhere. False: none were found. */
typedef void *(*wl_ptx_find_code)(void *user, const char *name);
bool wl_ptx_runner_take_code(wl_ptx_runner *runner, wl_ptx_find_code find, void *user);
bool wl_ptx_runner_has_code(const wl_ptx_runner *runner);

/* What the last launch has done to the pieces of memory of its image: for each, an or of
 * WL_PTX_WORK_READS and _WRITES. */
void wl_ptx_runner_uses(const wl_ptx_runner *runner, size_t count, uint8_t *uses);

/* Bytes of the parameters of an entry, and of each of them, where a program passes them one by one:
 * calls `take` with the number, the offset and the size of each. */
typedef void (*wl_ptx_take_param)(void *user, int number, int64_t offset, int64_t bytes);
int64_t wl_ptx_runner_params(const wl_ptx_runner *runner, wl_ptx_take_param take, void *user);

#endif /* WL_PTX_KERNEL_EXECUTE_H */

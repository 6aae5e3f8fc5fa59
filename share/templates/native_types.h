/* native_types.h - what the emulator and kernels in machine code share: see
 * src/ptx/emulate/native.h.
 * The emulator includes this file; it also begins every text that it writes for a compiler.
 * SPDX-License-Identifier: MIT */
#ifndef WL_NATIVE_H
#define WL_NATIVE_H

#include <stdint.h>

/* A piece of memory that an instruction found last. */
typedef struct wl_native_piece {
    uint8_t *data;  /* its first byte; NULL: none */
    uint64_t begin; /* its address */
    uint64_t bytes;
} wl_native_piece;

/* One warp, as a kernel in machine code sees it. */
typedef struct wl_native {
    /* slots of the frame: constants, and operands of steps that are called */
    uint64_t (*value)[32];
    uint8_t *registers;      /* of the frame, each in the size of its type */
    wl_native_piece *pieces; /* by memory instruction */
    wl_native_piece shared, local;
    uint64_t local_lane;        /* bytes of local memory that each lane has */
    uint32_t dead;              /* lanes that have exited */
    int32_t until, until_place; /* where the path ends */
    int32_t ends;               /* it has come there */
    int32_t alone;              /* no other thread carries out blocks of the launch */
    int64_t count;              /* instructions so far */
    /* Executes a step by the emulator, from and to slots of the frame: not 0 if the path may have
     * changed. `leave` runs what ends a path. */
    int32_t (*step)(struct wl_native *x, int32_t number, uint32_t active, uint32_t mask);
} wl_native;

/* Runs a path from an instruction on; returns the one after the last. */
typedef int32_t (*wl_native_run)(wl_native *x, int32_t at, uint32_t active);

#endif

/* unknown_origin.h - where an unknown value comes from: buffers whose contents are not given, or
 * results that are not computed.
 *
 * A backward slice through registers and through shared and local memory, without regard to order:
 * every definition of a register counts, and every store to the space of a load.
 * Layer  ptx/kernel. SPDX-License-Identifier: MIT */
#ifndef WL_PTX_KERNEL_UNKNOWN_ORIGIN_H
#define WL_PTX_KERNEL_UNKNOWN_ORIGIN_H

#include "ptx/kernel/ptx_source.h"

typedef struct wl_ptx_origin {
    const wl_ptx_buffer *buffers[WL_GAP_BUFFERS]; /* without contents */
    wl_ptx_type types[WL_GAP_BUFFERS];            /* as which they are loaded */
    int buffer_count;
    int32_t uncomputed;  /* an instruction whose result is not computed; -1: none */
    bool through_shared; /* shared memory may hold it */
} wl_ptx_origin;

/* The definitions of every register of a function. */
typedef struct wl_ptx_slicer {
    const wl_ptx_source *source;
    const wl_ptx_fields *fields;
    int32_t function;
    int32_t *first_definition, *definitions; /* by register */
    bool *seen;                              /* by instruction; scratch */
    bool *followed;                          /* by register: its definitions are seen; scratch */
    int32_t *work;                           /* list of instructions to visit; scratch */
    int32_t work_count;
    bool wants_local, wants_shared; /* the stores to local, to shared memory are seen */
    int32_t at;                     /* the instruction whose registers are visited */
    wl_ptx_origin *out;
} wl_ptx_slicer;

wl_status wl_ptx_slicer_make(const wl_ptx_source *source, const wl_ptx_fields *fields, int32_t function,
                             wl_arena *arena, wl_ptx_slicer *out, wl_error *err);

/* Of the guard and the operands of an instruction or, for `address`, of its addresses alone. */
wl_ptx_origin wl_ptx_origin_of(wl_ptx_slicer *slicer, int32_t instruction, bool address);

#endif /* WL_PTX_KERNEL_UNKNOWN_ORIGIN_H */

/* decode.h - decodes the mnemonic of an instruction: operation, types, state space, modifiers.
 * Layer  ptx/read (uses base, ptx/module). SPDX-License-Identifier: MIT */
#ifndef WL_PTX_READ_DECODE_H
#define WL_PTX_READ_DECODE_H

#include "ptx/module/module.h"

/* A part of a text. */
typedef struct wl_ptx_slice {
    const char *text;
    int32_t length;
} wl_ptx_slice;

/* Decodes "ld.global.nc.f32" into *out, except for operands and line numbers. `unknown` is the
 * part that is not understood: all of it if the operation is unknown, length 0 if none. */
void wl_ptx_decode(const char *mnemonic, size_t length, wl_ptx_instruction *out, wl_ptx_slice *unknown);

/* A type by its name without the dot; NONE: no such type. */
wl_ptx_type wl_ptx_type_named(const char *name, size_t length);
/* A state space by its name without the dot; NONE: no such space. */
wl_ptx_space wl_ptx_space_named(const char *name, size_t length);

#endif /* WL_PTX_READ_DECODE_H */

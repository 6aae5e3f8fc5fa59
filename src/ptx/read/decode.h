/* decode.h - what the mnemonic of an instruction says: operation, types, space, modifiers.
 * Layer  ptx (uses base). SPDX-License-Identifier: MIT */
#ifndef WL_PTX_READ_DECODE_H
#define WL_PTX_READ_DECODE_H

#include "ptx/module/module.h"

/* A part of a text. */
typedef struct wl_ptx_slice {
    const char *text;
    int32_t length;
} wl_ptx_slice;

/* Fills everything of *out but operands and places, from "ld.global.nc.f32". `unknown` is the part that is not
 * understood (length 0: none): all of it where the operation is unknown. */
void wl_ptx_decode(const char *mnemonic, size_t length, wl_ptx_instruction *out, wl_ptx_slice *unknown);

/* A type by its name, without the dot; NONE: no such type. */
wl_ptx_type wl_ptx_type_named(const char *name, size_t length);
/* A state space of variables, without the dot; NONE: no such space. */
wl_ptx_space wl_ptx_space_named(const char *name, size_t length);

#endif /* WL_PTX_READ_DECODE_H */

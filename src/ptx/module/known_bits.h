/* known_bits.h - bits of a register that follow from constants in the program text, such as those
 * of an instruction descriptor (tcgen05.mma) whose other bits are computed.
 * Layer  ptx/module (uses base, kernel). Oracle: tests/unit/test_ptx_tensor.c.
 * SPDX-License-Identifier: MIT */
#ifndef WL_PTX_MODULE_KNOWN_BITS_H
#define WL_PTX_MODULE_KNOWN_BITS_H

#include "ptx/module/def_use.h"

typedef struct wl_ptx_bits {
    uint64_t known, value; /* value: 0 where a bit is not known */
} wl_ptx_bits;

wl_ptx_bits wl_ptx_bits_of(const wl_ptx_def_use *def_use, const wl_ptx_operand *operand);

/* Sets the descriptors of all products of tensor memory in a function; 0: not known. */
wl_status wl_ptx_find_descriptors(wl_ptx_function *function, wl_error *err);

#endif /* WL_PTX_MODULE_KNOWN_BITS_H */

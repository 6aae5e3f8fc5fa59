/* alignment.h - by which power of two the value of a register can be divided, whatever the launch.
 * Layer  ptx/module (uses base, kernel). Oracle: tests/unit/test_shared_vectors.c.
 * SPDX-License-Identifier: MIT */
#ifndef WL_PTX_MODULE_ALIGNMENT_H
#define WL_PTX_MODULE_ALIGNMENT_H

#include "ptx/module/def_use.h"

#define WL_PTX_ALIGNMENT_MAX 4 /* of the widest access, 16 bytes: larger ones are not told apart */

/* By register: the exponent of the power, 0 to WL_PTX_ALIGNMENT_MAX. of_variable: the same of the
 * addresses of the module's variables. */
wl_status wl_ptx_alignments_find(const wl_ptx_function *function, const uint8_t *of_variable, wl_arena *arena,
                                 uint8_t **out, wl_error *err);

#endif /* WL_PTX_MODULE_ALIGNMENT_H */

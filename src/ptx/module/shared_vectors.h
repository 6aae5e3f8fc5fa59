/* shared_vectors.h - wide accesses to shared memory, made of narrow ones.
 *
 * ptxas joins loads of neighbouring words of shared memory, and stores, to the widest access that
 * the address is known to be aligned for: of 16 bytes where it needs three of the four words or
 * both doubles, else of pairs. (Those of global memory stay as they are.) So a row of a matrix that
 * all lanes read takes a quarter of the wavefronts. As seen in machine code of sm_90 (ptxas 13.0):
 * tests/unit/test_shared_vectors.c.
 * Layer  ptx/module (uses base, kernel). SPDX-License-Identifier: MIT */
#ifndef WL_PTX_MODULE_SHARED_VECTORS_H
#define WL_PTX_MODULE_SHARED_VECTORS_H

#include "ptx/module/module.h"

/* Rewrites all functions so: the first of the loads, or the last of the stores, accesses a vector;
 * the others become copies between registers. */
wl_status wl_ptx_join_shared(wl_ptx_module *module, wl_error *err);

#endif /* WL_PTX_MODULE_SHARED_VECTORS_H */

/* contraction.h - floating-point products and sums that machine code computes by one multiply-add.
 *
 * PTX allows it where neither names a rounding, and the assembler does it always: a product goes
 * into the sums that read it if all its readers are such sums of its basic block. Of two products
 * in one sum, the first one goes into it, and the second is computed for itself. As seen in
 * machine code of sm_90 (ptxas 13.0): tests/unit/test_contraction.c.
 * Layer  ptx/module (uses base, kernel). SPDX-License-Identifier: MIT */
#ifndef WL_PTX_MODULE_CONTRACTION_H
#define WL_PTX_MODULE_CONTRACTION_H

#include "ptx/module/def_use.h"

/* What becomes of an instruction. */
typedef struct wl_ptx_contraction {
    int32_t product; /* of a sum: the product that goes into it; -1: none */
    int8_t operand;  /* of a sum: where it reads the product, 1 or 2 */
    bool negated;    /* of a sum: the product changes its sign on the way */
    bool kept;       /* of a sum: the factors are still in their registers */
    bool folded;     /* of a product, or of its change of sign: no instruction of its own */
} wl_ptx_contraction;

/* By instruction. */
wl_status wl_ptx_contract(const wl_ptx_def_use *def_use, wl_arena *arena, wl_ptx_contraction **out, wl_error *err);

#endif /* WL_PTX_MODULE_CONTRACTION_H */

/* recover_value.h - the value that an instruction computes, as a symbol.
 * Layer  ptx/recover. Oracle: tests/unit/test_ptx_recover.c. SPDX-License-Identifier: MIT */
#ifndef WL_PTX_RECOVER_RECOVER_VALUE_H
#define WL_PTX_RECOVER_RECOVER_VALUE_H

#include "ptx/emulate/emulate.h"
#include "ptx/recover/symbol.h"

/* The registers of the function. A symbol represents the bits of a register as an integer modulo
 * two to the power of its width. */
typedef struct wl_ptx_values {
    wl_symbols *symbols;
    const wl_ptx_launch *launch;
    const wl_symbol **registers;
} wl_ptx_values;

/* The value of an operand; NULL: unknown. */
const wl_symbol *wl_ptx_operand_value(const wl_ptx_values *v, const wl_ptx_operand *operand);

/* The address of an operand [..]. */
const wl_symbol *wl_ptx_address_value(const wl_ptx_values *v, const wl_ptx_operand *operand);

/* The result of an instruction without side effects; *other gets the second predicate of setp.
 * NULL: unknown. */
const wl_symbol *wl_ptx_result(const wl_ptx_values *v, const wl_ptx_instruction *in, const wl_symbol **other);

#endif /* WL_PTX_RECOVER_RECOVER_VALUE_H */

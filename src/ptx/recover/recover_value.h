/* recover_value.h - the value an instruction computes, as a symbol. SPDX-License-Identifier: MIT */
#ifndef WL_PTX_RECOVER_RECOVER_VALUE_H
#define WL_PTX_RECOVER_RECOVER_VALUE_H

#include "ptx/emulate/emulate.h"
#include "ptx/recover/symbol.h"

/* Registers of the function that is followed. A register holds its bits as a whole number, up to multiples of two to
 * the power of its width. */
typedef struct wl_ptx_values {
    wl_symbols *symbols;
    const wl_ptx_launch *launch;
    const wl_symbol **registers;
} wl_ptx_values;

/* What an operand is; NULL: not known. */
const wl_symbol *wl_ptx_operand_value(const wl_ptx_values *v, const wl_ptx_operand *operand);

/* The address [..] names. */
const wl_symbol *wl_ptx_address_value(const wl_ptx_values *v, const wl_ptx_operand *operand);

/* The result of an instruction that only computes; setp's second predicate goes to *other. NULL: not known. */
const wl_symbol *wl_ptx_result(const wl_ptx_values *v, const wl_ptx_instruction *in, const wl_symbol **other);

#endif /* WL_PTX_RECOVER_RECOVER_VALUE_H */

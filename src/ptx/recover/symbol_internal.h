/* symbol_internal.h - shared by symbol.c, symbol_ops.c and symbol_bounds.c.
 * Layer  ptx/recover. SPDX-License-Identifier: MIT */
#ifndef WL_PTX_RECOVER_SYMBOL_INTERNAL_H
#define WL_PTX_RECOVER_SYMBOL_INTERNAL_H

#include "ptx/recover/symbol.h"

/* The unique symbol or atom with these parts. NULL: too large, or out of memory, which is
 * recorded. */
const wl_symbol *wl_symbol_keep(wl_symbols *s, int64_t c, const wl_term *terms, int count);
wl_atom *wl_atom_keep(wl_symbols *s, const wl_atom *wanted);
/* 1 * atom */
const wl_symbol *wl_symbol_of(wl_symbols *s, const wl_atom *wanted);

#endif /* WL_PTX_RECOVER_SYMBOL_INTERNAL_H */

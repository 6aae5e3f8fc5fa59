/* constant.h - constant expressions of PTX. Layer  ptx (uses base, expr). SPDX-License-Identifier: MIT */
#ifndef WL_PTX_READ_CONSTANT_H
#define WL_PTX_READ_CONSTANT_H

#include "ptx/read/ptx_lexer.h"
#include "ptx/module/module.h"

typedef wl_literal wl_ptx_constant; /* of a floating-point number `integer` has the bits as written */

/* Does a constant begin with this token? */
bool wl_ptx_constant_begins(const wl_lexer *lexer);
wl_status wl_ptx_read_constant(wl_lexer *lexer, wl_ptx_constant *out);
/* Sums end before '+' and '-', so that a caller can add up what is not all constant: [a + 4 - 8]. */
wl_status wl_ptx_read_product(wl_lexer *lexer, wl_ptx_constant *out);
/* An integer of at least `low` and at most `high`; `what` names it in messages. */
wl_status wl_ptx_read_integer(wl_lexer *lexer, int64_t low, int64_t high, const char *what, int64_t *out);

/* As an operand of that type: integers sign-extended to 64 bits, floating-point numbers as their bits. */
int64_t wl_ptx_constant_bits(const wl_ptx_constant *constant, wl_ptx_type type);

#endif /* WL_PTX_READ_CONSTANT_H */

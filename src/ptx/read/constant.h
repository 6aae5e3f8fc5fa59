/* constant.h - parses and evaluates constant expressions of PTX.
 * Layer  ptx/read (uses base, expr, ptx/module). Oracle: tests/unit/test_ptx_parse.c.
 * SPDX-License-Identifier: MIT */
#ifndef WL_PTX_READ_CONSTANT_H
#define WL_PTX_READ_CONSTANT_H

#include "ptx/read/ptx_lexer.h"
#include "ptx/module/module.h"

/* a floating-point number also has its bits as written in `integer` */
typedef wl_literal wl_ptx_constant;

/* Whether the current token starts a constant. */
bool wl_ptx_constant_begins(const wl_lexer *lexer);
wl_status wl_ptx_read_constant(wl_lexer *lexer, wl_ptx_constant *out);
/* Stops before '+' and '-', so that a caller can add terms that are not all constant: [a + 4 -
 * 8]. */
wl_status wl_ptx_read_product(wl_lexer *lexer, wl_ptx_constant *out);
/* Parses an integer of low .. high; `what` names it in messages. */
wl_status wl_ptx_read_integer(wl_lexer *lexer, int64_t low, int64_t high, const char *what, int64_t *out);

/* The constant as an operand of that type: integers sign-extended to 64 bits, floats as their
 * bits. */
int64_t wl_ptx_constant_bits(const wl_ptx_constant *constant, wl_ptx_type type);

#endif /* WL_PTX_READ_CONSTANT_H */

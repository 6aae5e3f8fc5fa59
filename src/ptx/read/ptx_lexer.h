/* ptx_lexer.h - PTX for the lexer of src/expr: names, directives, numbers.
 *
 * A name includes everything that '.' or '::' attaches to it: "ld.global.L1::evict_last.f32",
 * "%tid.x", "$L__BB0_3". A directive starts with a dot: ".reg", ".shared::cta".
 *
 * Layer  ptx/read (uses base, expr). SPDX-License-Identifier: MIT */
#ifndef WL_PTX_READ_PTX_LEXER_H
#define WL_PTX_READ_PTX_LEXER_H

#include "expr/lexer.h"

/* The text must be 0-terminated and outlive its tokens. */
wl_status wl_ptx_lexer_start(wl_lexer *lexer, const char *text, size_t length, wl_error *err);
/* Skips the current token and the rest of its line. */
wl_status wl_ptx_lexer_skip_line(wl_lexer *lexer);

#endif /* WL_PTX_READ_PTX_LEXER_H */

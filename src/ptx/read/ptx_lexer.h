/* ptx_lexer.h - the language that PTX is written in, for the lexer of expressions.
 *
 * A name has everything that a dot or '::' attaches to it: "ld.global.L1::evict_last.f32", "%tid.x", "$L__BB0_3". A
 * directive begins with the dot: ".reg", ".shared::cta".
 *
 * Layer  ptx (uses base, expr). SPDX-License-Identifier: MIT */
#ifndef WL_PTX_READ_PTX_LEXER_H
#define WL_PTX_READ_PTX_LEXER_H

#include "expr/lexer.h"

/* The text must be followed by a 0 and stay as long as its tokens. */
wl_status wl_ptx_lexer_start(wl_lexer *lexer, const char *text, size_t length, wl_error *err);
/* Drops the token to be read and the rest of its line. */
wl_status wl_ptx_lexer_skip_line(wl_lexer *lexer);

#endif /* WL_PTX_READ_PTX_LEXER_H */

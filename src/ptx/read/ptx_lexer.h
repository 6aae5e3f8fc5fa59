/* ptx_lexer.h - tokens of PTX, each with its place.
 *
 * A word is a name with everything that a dot or '::' attaches to it: "ld.global.L1::evict_last.f32", "%tid.x",
 * "$L__BB0_3". A directive begins with the dot: ".reg", ".shared::cta".
 *
 * Layer  ptx (uses base). SPDX-License-Identifier: MIT */
#ifndef WL_PTX_READ_PTX_LEXER_H
#define WL_PTX_READ_PTX_LEXER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "warpline/status.h"

typedef enum wl_ptx_token_kind {
    WL_PTX_TOKEN_END,
    WL_PTX_TOKEN_WORD,
    WL_PTX_TOKEN_DIRECTIVE,
    WL_PTX_TOKEN_INT,
    WL_PTX_TOKEN_FLOAT,
    WL_PTX_TOKEN_STRING, /* the text has its quotes */
    WL_PTX_TOKEN_PUNCT   /* one character, or two: << >> <= >= == != && || */
} wl_ptx_token_kind;

typedef struct wl_ptx_token {
    wl_ptx_token_kind kind;
    bool is_unsigned; /* INT: suffix U, or beyond the signed numbers */
    bool is_single;   /* FLOAT: written as the bits of an f32 */
    wl_loc loc;
    const char *text;
    size_t length;
    uint64_t integer; /* INT   */
    double number;    /* FLOAT */
} wl_ptx_token;

typedef struct wl_ptx_lexer {
    const char *at, *end;
    const char *line_start;
    int32_t line;
    wl_ptx_token token; /* the one to be read next */
    wl_error *err;
} wl_ptx_lexer;

/* The text must be followed by a 0 and stay as long as its tokens. */
wl_status wl_ptx_lexer_start(wl_ptx_lexer *lexer, const char *text, size_t length, wl_error *err);
wl_status wl_ptx_lexer_next(wl_ptx_lexer *lexer);
/* Drops the token to be read and the rest of its line. */
wl_status wl_ptx_lexer_skip_line(wl_ptx_lexer *lexer);
/* Fails: "expected WANTED, not 'x'". */
wl_status wl_ptx_lexer_unexpected(const wl_ptx_lexer *lexer, const char *wanted);
/* Reads the punctuation or fails. */
wl_status wl_ptx_lexer_take(wl_ptx_lexer *lexer, char punct);

bool wl_ptx_token_equals(const wl_ptx_token *token, const char *text);
static inline bool wl_ptx_lexer_is(const wl_ptx_lexer *lexer, char punct)
{
    return lexer->token.kind == WL_PTX_TOKEN_PUNCT && lexer->token.length == 1 && lexer->token.text[0] == punct;
}

#endif /* WL_PTX_READ_PTX_LEXER_H */

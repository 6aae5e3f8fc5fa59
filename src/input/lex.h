/* lex.h - tokens of expressions and assignments, each with its place. SPDX-License-Identifier: MIT */
#ifndef WL_INPUT_LEX_H
#define WL_INPUT_LEX_H

#include <stdbool.h>
#include <stddef.h>

#include "warpline/status.h"

typedef enum wl_token_kind {
    WL_TOKEN_END,
    WL_TOKEN_LINE_END,
    WL_TOKEN_INT,
    WL_TOKEN_FLOAT,
    WL_TOKEN_NAME,
    WL_TOKEN_PUNCT
} wl_token_kind;

typedef struct wl_token {
    wl_token_kind kind;
    const char *text;
    size_t length;
    wl_loc loc;
    int64_t integer; /* INT            */
    double number;   /* INT and FLOAT  */
    char punct;      /* PUNCT: the character, or one of the below */
} wl_token;

/* Operators of two characters. */
typedef enum wl_punct {
    WL_PUNCT_LESS_EQUAL = 1,
    WL_PUNCT_GREATER_EQUAL,
    WL_PUNCT_EQUAL,
    WL_PUNCT_UNEQUAL,
    WL_PUNCT_BOTH,
    WL_PUNCT_ANY,
    WL_PUNCT_SHIFT_LEFT,
    WL_PUNCT_SHIFT_RIGHT
} wl_punct;

/* A name's characters may include one dot: threadIdx.x. With lines set, a line break and ';' are tokens, and there are
 * no comparisons, logic or bits (assignments know none); otherwise line breaks are blanks. '#' starts a comment. */
typedef struct wl_lexer {
    const char *at;
    int32_t line, col;
    bool lines;
    wl_token token; /* the one to be read next */
    wl_error *err;
} wl_lexer;

wl_status wl_lexer_start(wl_lexer *lexer, const char *text, bool lines, wl_error *err);
wl_status wl_lexer_next(wl_lexer *lexer);
bool wl_lexer_is(const wl_lexer *lexer, char punct);
/* Reads the punctuation or fails: "expected ')' ...". */
wl_status wl_lexer_take(wl_lexer *lexer, char punct);
wl_status wl_lexer_unexpected(const wl_lexer *lexer, const char *wanted);
bool wl_token_equals(const wl_token *token, const char *name);

#endif /* WL_INPUT_LEX_H */

/* lexer.h - the one lexer, for kernel files, conditions, updates and PTX. Every token knows its
 * position.
 *
 * A text's language says what separates tokens and what names and numbers look like. Operators and
 * punctuation are C's in all of them.
 *
 * Layer  expr (uses base). Oracle: tests/unit/test_expr.c.
 * SPDX-License-Identifier: MIT */
#ifndef WL_EXPR_LEXER_H
#define WL_EXPR_LEXER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "warpline/status.h"

typedef enum wl_token_kind {
    WL_TOKEN_END,
    WL_TOKEN_LINE_END,
    WL_TOKEN_INT,
    WL_TOKEN_FLOAT,
    WL_TOKEN_NAME,
    WL_TOKEN_DIRECTIVE, /* PTX: .reg */
    WL_TOKEN_STRING,    /* PTX: "..", the text has its quotes */
    WL_TOKEN_PUNCT
} wl_token_kind;

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

/* A number literal. */
typedef struct wl_literal {
    /* PTX: is_single: the bits of an f32; is_unsigned: beyond int64_t */
    bool is_float, is_single, is_unsigned;
    uint64_t integer; /* PTX floats: the bits */
    double number;
} wl_literal;

typedef struct wl_token {
    wl_token_kind kind;
    char punct; /* PUNCT: the character, or a wl_punct */
    wl_loc loc;
    const char *text;
    size_t length;
    wl_literal literal; /* INT and FLOAT */
} wl_token;

typedef struct wl_lexer wl_lexer;

typedef struct wl_language {
    wl_status (*skip)(wl_lexer *lexer); /* blanks and comments */
    /* a token other than punctuation; leaves the kind alone if there is none */
    wl_status (*read)(wl_lexer *lexer);
    const char *punctuation; /* single-character punctuation */
} wl_language;

/* Kernel files and options: '#' starts a comment, names may contain dots (threadIdx.x). Conditions
 * have no comments. */
extern const wl_language wl_language_kernel, wl_language_condition;

struct wl_lexer {
    const char *at, *end, *line_start;
    int32_t line;
    bool lines;      /* line ends and ';' are tokens, except inside brackets */
    int32_t nesting; /* open brackets */
    const wl_language *language;
    const char *noun; /* what the text is, for messages */
    wl_token token;   /* the next token, not yet consumed */
    wl_error *err;
};

/* The text must outlive its tokens. */
wl_status wl_lexer_start(wl_lexer *lexer, const char *text, bool lines, wl_error *err);
/* Other languages fill in at, end, line_start, line, language and noun, then read the first
 * token. */
wl_status wl_lexer_next(wl_lexer *lexer);
/* Consumes the punctuation, or fails with "expected ')' ...". */
wl_status wl_lexer_take(wl_lexer *lexer, char punct);
/* Fails with "expected WANTED, not 'x'". */
wl_status wl_lexer_unexpected(const wl_lexer *lexer, const char *wanted);
bool wl_token_equals(const wl_token *token, const char *text);

static inline bool wl_lexer_is(const wl_lexer *lexer, char punct)
{
    return lexer->token.kind == WL_TOKEN_PUNCT && lexer->token.punct == punct;
}

static inline wl_loc wl_lexer_place(const wl_lexer *lexer)
{
    return (wl_loc){lexer->line, (int32_t)(lexer->at - lexer->line_start) + 1, 1};
}

/* A new line starts at `at`. */
static inline void wl_lexer_new_line(wl_lexer *lexer, const char *at)
{
    lexer->line++;
    lexer->line_start = at;
}

#endif /* WL_EXPR_LEXER_H */

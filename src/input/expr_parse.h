/* expr_parse.h - parses addresses and sizes of kernel files.
 *
 * Layer  input (uses base, expr, kernel). Oracle: tests/unit/test_expr.c.
 * SPDX-License-Identifier: MIT */
#ifndef WL_INPUT_EXPR_PARSE_H
#define WL_INPUT_EXPR_PARSE_H

#include "base/arena.h"
#include "expr/lexer.h"
#include "kernel/expr.h"

typedef struct wl_param {
    const char *name;
    int64_t value;
    wl_loc loc;
} wl_param;

/* The names an expression may use. */
typedef struct wl_scope {
    const wl_param *params;
    size_t param_count;
    const char *const *loops;
    int loop_count;
    bool coordinates; /* x y z, threadIdx.x ... */
} wl_scope;

/* Parses one expression and folds constants; leaves the lexer at the token after it. */
wl_status wl_expr_read(wl_lexer *lexer, const wl_scope *scope, wl_arena *arena, const wl_expr **out);

/* The whole text must be one expression without coordinates; returns its value. */
wl_status wl_expr_constant(const char *text, const wl_scope *scope, wl_arena *arena, int64_t *value, wl_error *err);

#endif /* WL_INPUT_EXPR_PARSE_H */

/* expr_parse.h - addresses and sizes of kernel files, from text. SPDX-License-Identifier: MIT */
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

/* Reads one expression and leaves the lexer behind it. Constants are folded on the way. */
wl_status wl_expr_read(wl_lexer *lexer, const wl_scope *scope, wl_arena *arena, const wl_expr **out);

/* The whole text must be one expression without coordinates; gives its value. */
wl_status wl_expr_constant(const char *text, const wl_scope *scope, wl_arena *arena, int64_t *value, wl_error *err);

#endif /* WL_INPUT_EXPR_PARSE_H */

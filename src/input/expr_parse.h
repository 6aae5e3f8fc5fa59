/* expr_parse.h - integer expressions from text. SPDX-License-Identifier: MIT */
#ifndef WL_INPUT_EXPR_PARSE_H
#define WL_INPUT_EXPR_PARSE_H

#include "base/arena.h"
#include "input/lex.h"
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

/* Building blocks for accesses written as offsets. NULL when memory is short. */
const wl_expr *wl_expr_new_const(wl_arena *arena, int64_t value, wl_loc loc);
const wl_expr *wl_expr_new_var(wl_arena *arena, wl_var var, wl_loc loc);
/* Folds constants; fails on division by zero and on leaving 2^60. */
wl_status wl_expr_new_op(wl_arena *arena, wl_expr_op op, const wl_expr *a, const wl_expr *b, wl_loc loc,
                         const wl_expr **out, wl_error *err);

/* `a` where the condition is not 0, else `b`. */
wl_status wl_expr_new_select(wl_arena *arena, const wl_expr *condition, const wl_expr *a, const wl_expr *b, wl_loc loc,
                             const wl_expr **out, wl_error *err);

#endif /* WL_INPUT_EXPR_PARSE_H */

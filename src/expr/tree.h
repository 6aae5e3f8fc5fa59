/* tree.h - integer expressions as trees: built from text or node by node, and evaluated.
 *
 * The caller decides what the variables are: coordinates of a thread in an address, extents of a
 * launch in a condition.
 *
 * Layer  expr (uses base). Oracle: tests/unit/test_expr.c, test_expr_bounds.c (random trees).
 * SPDX-License-Identifier: MIT */
#ifndef WL_EXPR_TREE_H
#define WL_EXPR_TREE_H

#include "base/arena.h"
#include "expr/grammar.h"

typedef struct wl_expr {
    wl_expr_op op;
    unsigned var;
    uint32_t vars; /* of an operator: those that its operands name, set by wl_expr_new_... */
    int64_t value;
    const struct wl_expr *a, *b;
    wl_loc loc;
} wl_expr;

/* ---- nodes; NULL: out of memory ---- */

const wl_expr *wl_expr_new_const(wl_arena *arena, int64_t value, wl_loc loc);
const wl_expr *wl_expr_new_var(wl_arena *arena, unsigned var, wl_loc loc);
/* The operator of `e` on other operands, without folding constants. */
const wl_expr *wl_expr_new_like(wl_arena *arena, const wl_expr *e, const wl_expr *a, const wl_expr *b);
/* Folds constants; fails on division by zero and beyond +-2^60. */
wl_status wl_expr_new_op(wl_arena *arena, wl_expr_op op, const wl_expr *a, const wl_expr *b, wl_loc loc,
                         const wl_expr **out, wl_error *err);
/* `a` if the condition is not 0, else `b`. */
wl_status wl_expr_new_select(wl_arena *arena, const wl_expr *condition, const wl_expr *a, const wl_expr *b, wl_loc loc,
                             const wl_expr **out, wl_error *err);

/* ---- from text ---- */

/* A function: the operator to apply between its arguments. WL_EXPR_DIV means division rounding
 * up. */
typedef struct wl_expr_function {
    const char *name;
    wl_expr_op op;
    int most; /* arguments, at least two; 0: any number. SELECT takes three */
} wl_expr_function;

typedef struct wl_expr_reader {
    const wl_grammar *grammar; /* its actions are those below */
    const wl_expr_function *functions;
    size_t function_count;
    /* Resolves a name to a number or a variable; fails for an unknown name. */
    wl_status (*name)(const void *scope, const wl_token *t, bool *is_var, int64_t *value, wl_error *err);
    const void *scope;
    const char *noun; /* what the text is, for messages */
    int length_max;   /* operators: bounds the recursion of everything that walks the tree */
    wl_status too_long;
    bool lazy; /* a constant that cannot be computed is an error only when it is evaluated */
} wl_expr_reader;

wl_status wl_expr_parse(const wl_expr_reader *reader, wl_lexer *lexer, wl_arena *arena, const wl_expr **out);

/* Actions for grammars that build trees. */
wl_status wl_expr_read_operand(wl_parser *p, wl_parsed *out);
wl_status wl_expr_read_sign(wl_parser *p, char sign, wl_loc loc, wl_parsed *value);
wl_status wl_expr_read_binary(wl_parser *p, wl_expr_op op, wl_loc loc, const wl_parsed *a, const wl_parsed *b,
                              wl_parsed *out);

/* ---- queries ---- */

/* The value, with variable v = values[v * stride]. WL_E_INPUT: division by zero, shift out of
 * range. WL_E_RANGE: beyond +-2^60. */
wl_status wl_expr_value(const wl_expr *expr, const int64_t *values, size_t stride, int64_t *out, wl_error *err);

/* The variables it names, as a bit set. */
uint32_t wl_expr_vars(const wl_expr *expr);

/* Does it call random()? */
bool wl_expr_is_random(const wl_expr *expr);

#endif /* WL_EXPR_TREE_H */

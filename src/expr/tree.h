/* tree.h - integer expressions as trees: made from text or piece by piece, and evaluated.
 *
 * What the variables are, whoever makes a tree knows: coordinates of a thread in an address, extents of a launch in a
 * condition. Layer  expr (uses base). SPDX-License-Identifier: MIT */
#ifndef WL_EXPR_TREE_H
#define WL_EXPR_TREE_H

#include "base/arena.h"
#include "expr/grammar.h"

typedef struct wl_expr {
    wl_expr_op op;
    unsigned var;
    int64_t value;
    const struct wl_expr *a, *b;
    wl_loc loc;
} wl_expr;

/* ---- pieces; NULL when memory is short ---- */

const wl_expr *wl_expr_new_const(wl_arena *arena, int64_t value, wl_loc loc);
const wl_expr *wl_expr_new_var(wl_arena *arena, unsigned var, wl_loc loc);
/* Folds constants; fails on division by zero and on leaving 2^60. */
wl_status wl_expr_new_op(wl_arena *arena, wl_expr_op op, const wl_expr *a, const wl_expr *b, wl_loc loc,
                         const wl_expr **out, wl_error *err);
/* `a` where the condition is not 0, else `b`. */
wl_status wl_expr_new_select(wl_arena *arena, const wl_expr *condition, const wl_expr *a, const wl_expr *b, wl_loc loc,
                             const wl_expr **out, wl_error *err);

/* ---- from text ---- */

/* A function of expressions: the operator between its arguments. WL_EXPR_DIV is a division that rounds up. */
typedef struct wl_expr_function {
    const char *name;
    wl_expr_op op;
    int most; /* arguments, two at least; 0: any number. A SELECT has three. */
} wl_expr_function;

typedef struct wl_expr_reader {
    const wl_grammar *grammar; /* one whose actions are the below */
    const wl_expr_function *functions;
    size_t function_count;
    /* Finds what a name stands for: a number, or a variable. Fails when it stands for nothing. */
    wl_status (*name)(const void *scope, const wl_token *t, bool *is_var, int64_t *value, wl_error *err);
    const void *scope;
    const char *noun; /* what is read, in messages */
    int length_max;   /* operators: bounds the recursion of everything that walks the tree */
    wl_status too_long;
    bool lazy; /* a constant that cannot be computed is an error when it is evaluated, not before */
} wl_expr_reader;

wl_status wl_expr_parse(const wl_expr_reader *reader, wl_lexer *lexer, wl_arena *arena, const wl_expr **out);

/* Actions for grammars of trees. */
wl_status wl_expr_read_operand(wl_parser *p, wl_parsed *out);
wl_status wl_expr_read_sign(wl_parser *p, char sign, wl_loc loc, wl_parsed *value);
wl_status wl_expr_read_binary(wl_parser *p, wl_expr_op op, wl_loc loc, const wl_parsed *a, const wl_parsed *b,
                              wl_parsed *out);

/* ---- questions ---- */

/* The value, variable v being values[v * stride]. WL_E_INPUT: division by zero, a shift out of range; WL_E_RANGE: a
 * number leaves 2^60. */
wl_status wl_expr_value(const wl_expr *expr, const int64_t *values, size_t stride, int64_t *out, wl_error *err);

/* Which variables it names, as a bit set. */
uint32_t wl_expr_vars(const wl_expr *expr);

/* Whether it draws random numbers. */
bool wl_expr_is_random(const wl_expr *expr);

#endif /* WL_EXPR_TREE_H */

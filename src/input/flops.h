/* flops.h - value numbering of an update: each value once, and the floating-point operations that
 * remain.
 *
 * Equal values share a node, constants are folded, and dead values cost nothing, as after a
 * compiler's optimizations.
 *
 * Layer  input (uses base, expr). Units: operations per cell. Oracle: tests/unit/test_update.c.
 * SPDX-License-Identifier: MIT */
#ifndef WL_INPUT_FLOPS_H
#define WL_INPUT_FLOPS_H

#include "expr/lexer.h"
#include "expr/operate.h"

#define WL_FLOPS_ARGUMENTS_MAX 3 /* of a function */

typedef struct wl_flops {
    struct wl_flops_node *nodes;
    int32_t node_count;
    int32_t *table; /* hash table of node numbers; 0: empty */
    size_t table_size;
    wl_error *err;
} wl_flops;

/* For an update of so many characters: it has no more nodes than characters. */
wl_status wl_flops_start(wl_flops *f, size_t length, wl_error *err);
void wl_flops_free(wl_flops *f);

/* Each returns the number of its node. */
wl_status wl_flops_constant(wl_flops *f, double value, wl_loc loc, int32_t *out);
wl_status wl_flops_load(wl_flops *f, size_t access, wl_loc loc, int32_t *out);
wl_status wl_flops_scalar(wl_flops *f, size_t number, wl_loc loc, int32_t *out);
/* + - * / */
wl_status wl_flops_binary(wl_flops *f, wl_expr_op op, int32_t a, int32_t b, wl_loc loc, int32_t *out);
wl_status wl_flops_negate(wl_flops *f, int32_t a, wl_loc loc, int32_t *out);
/* Stores as many arguments as the function takes; further ones are only counted. */
wl_status wl_flops_call(wl_flops *f, int function, const int32_t arguments[WL_FLOPS_ARGUMENTS_MAX], int count,
                        wl_loc loc, int32_t *out);

/* -1: no such function. */
int wl_flops_function(const wl_token *name);
wl_status wl_flops_unknown_function(const wl_token *name, wl_error *err);

/* wl_flops_need marks a value as stored (live); the other counts the operations of all live
 * values. */
void wl_flops_need(wl_flops *f, int32_t value);
void wl_flops_count(wl_flops *f, int64_t *flops, int64_t *fp_results, int64_t *specials);
bool wl_flops_is_needed(const wl_flops *f, int32_t value);

#endif /* WL_INPUT_FLOPS_H */

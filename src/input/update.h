/* update.h - parses stencil assignments: relative accesses and arithmetic.
 *
 *  update     = { assignment (line end | ;) }
 *  assignment = (field[offsets] | temporary) = sum
 *  primary    = number | name | field[offsets] | function ( sum, .. ) | ( sum )
 *
 * Returns the accesses in program order, each address once, and the flops left after common
 * subexpression elimination, constant folding and dead code elimination.
 *
 * Layer  input (uses base, expr). Oracle: tests/unit/test_update.c.
 * SPDX-License-Identifier: MIT */
#ifndef WL_INPUT_UPDATE_H
#define WL_INPUT_UPDATE_H

#include "input/expr_parse.h"
#include "kernel/kernel_internal.h"

#define WL_UPDATE_ACCESSES_MAX 4096

typedef struct wl_relative {
    bool store;
    size_t field;
    int64_t offset[WL_FIELD_DIMS_MAX];
    wl_loc loc;
    const char *text;
} wl_relative;

typedef struct wl_update {
    wl_relative *accesses;
    size_t access_count;
    int64_t flops;
    int64_t fp_results; /* flops where each product that only an addition uses is fused with it */
    /* at least so many instructions of the special-function unit: reciprocals, roots,
     * exponentials */
    int64_t specials;
} wl_update;

/* `fields` holds the names and the number of subscripts of each. */
wl_status wl_update_read(const char *text, const wl_scope *scope, const char *const *scalars, size_t scalar_count,
                         const wl_field *fields, size_t field_count, wl_arena *arena, wl_update *out, wl_error *err);

/* The subscripted names of a text, for a kernel that declares no fields: name, number of
 * subscripts, largest offsets. */
typedef struct wl_update_field {
    const char *name;
    int dims;
    int64_t reach[WL_FIELD_DIMS_MAX]; /* largest |offset| */
    wl_loc loc;
} wl_update_field;
wl_status wl_update_fields(const char *text, wl_arena *arena, wl_update_field *fields, size_t capacity, size_t *count,
                           wl_error *err);

#endif /* WL_INPUT_UPDATE_H */

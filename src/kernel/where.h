/* where.h - conditions on a launch: "block.x * block.y <= 512 && fold.z == 1"; and numbers computed
 * from it.
 *
 * Integers, + - * / % (rounding down), min, max, cdiv (division rounding up), comparisons, && || !
 * and parentheses over named variables. Comparisons give 1 or 0; a condition holds when it is not
 * 0. && and || short-circuit: "registers == 0 || 65536 / registers >= threads".
 *
 * Layer  kernel (uses base, expr). Oracle: tests/unit/test_where.c.
 * SPDX-License-Identifier: MIT */
#ifndef WL_KERNEL_WHERE_H
#define WL_KERNEL_WHERE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "warpline/status.h"

typedef struct wl_where wl_where;

/* The names a condition may use, in this order. */
typedef enum wl_where_name {
    WL_WHERE_BLOCK,        /* block.x block.y block.z */
    WL_WHERE_FOLD = 3,     /* cells of one thread */
    WL_WHERE_TILE = 6,     /* cells of one block */
    WL_WHERE_GRID = 9,     /* blocks */
    WL_WHERE_DOMAIN = 12,  /* cells */
    WL_WHERE_THREADS = 15, /* of a block */
    WL_WHERE_WARPS,        /* of a block */
    WL_WHERE_CELLS,        /* of one thread: the product of the folds */
    WL_WHERE_REGISTERS,    /* of a thread; 0: unknown */
    WL_WHERE_NAMES
} wl_where_name;

/* A number with a name. */
typedef struct wl_where_named {
    const char *name;
    int64_t value;
} wl_where_named;

/* Copies the text. The position of an error is relative to it. The names of launches take
 * precedence over the given ones. */
wl_status wl_where_parse(const char *text, const wl_where_named *named, size_t named_count, wl_arena *arena,
                         const wl_where **out, wl_error *err);
const char *wl_where_text(const wl_where *where);

/* Is it a name of launches? */
bool wl_where_knows(const char *name);

/* Parses one of several expressions separated by commas: from *at to the next comma outside
 * parentheses, or to the end, where *at is left. The given names take precedence over those of
 * launches. */
wl_status wl_where_parse_part(const char *text, const char **at, const wl_where_named *named, size_t named_count,
                              wl_arena *arena, const wl_where **out, wl_error *err);
bool wl_where_uses(const wl_where *where, wl_where_name name);

/* WL_E_INPUT: division by zero. WL_E_RANGE: beyond +-2^60. */
wl_status wl_where_value(const wl_where *where, const int64_t values[WL_WHERE_NAMES], int64_t *value, wl_error *err);
wl_status wl_where_holds(const wl_where *where, const int64_t values[WL_WHERE_NAMES], bool *holds, wl_error *err);
/* Moves *at to the next condition of a list that does not hold or cannot be evaluated, or to count;
 * an error names the condition. */
wl_status wl_where_next_broken(const wl_where *const *list, size_t count, const int64_t values[WL_WHERE_NAMES],
                               size_t *at, wl_error *err);

#endif /* WL_KERNEL_WHERE_H */

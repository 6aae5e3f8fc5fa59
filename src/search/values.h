/* values.h - the values on one axis of a space.
 *
 * Layer  search (uses base). Oracle: tests/unit/test_values.c.
 * SPDX-License-Identifier: MIT */
#ifndef WL_SEARCH_VALUES_H
#define WL_SEARCH_VALUES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "warpline/status.h"

#define WL_VALUES_MAX 65536

typedef struct wl_values {
    int64_t *at; /* ascending, unique */
    size_t count;
} wl_values;

/* "16,32,64", "1..64", "32..1024:32" (steps of 32), "1..1024:x2" (doubling), or several of them
 * with commas; all from 1 to WL_VALUES_MAX. The position of an error is relative to the text. */
wl_status wl_values_parse(const char *text, wl_arena *arena, wl_values *out, wl_error *err);

/* Builds "2..64:x2", "32..1024:32" and the like; step 0: doubling. */
wl_status wl_values_range(int64_t first, int64_t last, int64_t step, wl_arena *arena, wl_values *out, wl_error *err);

/* Merges two lists. */
wl_status wl_values_merge(const wl_values *a, const wl_values *b, wl_arena *arena, wl_values *out, wl_error *err);

bool wl_values_contain(const wl_values *values, int64_t value);

/* Reads "32x4x2" at the start of the text; missing extents are 1. Returns the characters read, 0 if
 * malformed. */
size_t wl_shape_parse(const char *text, int64_t extent[3]);

#endif /* WL_SEARCH_VALUES_H */

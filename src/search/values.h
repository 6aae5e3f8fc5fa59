/* values.h - the numbers an axis of a space takes. Layer  search (uses base). SPDX-License-Identifier: MIT */
#ifndef WL_SEARCH_VALUES_H
#define WL_SEARCH_VALUES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "warpline/status.h"

#define WL_VALUES_MAX 65536

typedef struct wl_values {
    int64_t *at; /* ascending, each once */
    size_t count;
} wl_values;

/* "16,32,64", "1..64", "32..1024:32" (steps of 32), "1..1024:x2" (doubling), or several of them with commas; all from
 * 1 to WL_VALUES_MAX. An error's place is inside the text. */
wl_status wl_values_parse(const char *text, wl_arena *arena, wl_values *out, wl_error *err);

/* "2..64:x2", "32..1024:32" and the like, made from their numbers; step 0: doubling. */
wl_status wl_values_range(int64_t first, int64_t last, int64_t step, wl_arena *arena, wl_values *out, wl_error *err);

/* Both lists as one. */
wl_status wl_values_merge(const wl_values *a, const wl_values *b, wl_arena *arena, wl_values *out, wl_error *err);

bool wl_values_contain(const wl_values *values, int64_t value);

/* "32x4x2" at the start of the text, missing extents 1; the number of characters read, 0 when malformed. */
size_t wl_shape_parse(const char *text, int64_t extent[3]);

#endif /* WL_SEARCH_VALUES_H */

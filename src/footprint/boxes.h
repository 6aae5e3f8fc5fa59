/* boxes.h - the boxes of points that a shape makes of a region of cells.
 *
 * Layer  footprint (uses base, kernel, launch). Units: level coordinates, bytes.
 * SPDX-License-Identifier: MIT */
#ifndef WL_FOOTPRINT_BOXES_H
#define WL_FOOTPRINT_BOXES_H

#include "footprint/count.h"

/* Points with lo <= coordinate < hi on every level, each touching bytes byte_lo .. byte_hi - 1. */
typedef struct wl_point_box {
    int64_t lo[WL_LEVELS_MAX], hi[WL_LEVELS_MAX];
    int64_t byte_lo, byte_hi;
    int64_t first, last; /* lowest and highest byte address */
} wl_point_box;

/* Fills counter->boxes; sets *count. */
wl_status wl_boxes_make(wl_counter *counter, const wl_shape *shape, const wl_region *region, int *count, wl_error *err);

#endif /* WL_FOOTPRINT_BOXES_H */

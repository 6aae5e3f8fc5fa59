/* solid.h - the bytes of one row that are accessed without a gap.
 *
 * A box whose innermost steps leave gaps is a comb: teeth of a few bytes, one stride apart. Several
 * combs, or a comb and a run, may fill each other's gaps. Between two places where a comb or run
 * starts or ends, the teeth leave either a hole in every step, so no granule is covered, or none at
 * all. So only the teeth near those places are laid out one by one, whatever the length of the row.
 *
 * Layer  footprint (uses base). Units: bytes.
 * SPDX-License-Identifier: MIT */
#ifndef WL_FOOTPRINT_SOLID_H
#define WL_FOOTPRINT_SOLID_H

#include "footprint/shape.h"

struct wl_point_box; /* boxes.h */

typedef struct wl_run {
    int64_t first, last; /* bytes, inclusive */
} wl_run;

/* Teeth: bytes first..last, moved by stride * c for lo <= c < hi. 0 <= first < stride, and the
 * tooth is shorter. */
typedef struct wl_comb {
    int64_t lo, hi, first, last;
} wl_comb;

typedef struct wl_solid {
    int64_t stride;  /* of the combs */
    int64_t granule; /* at least the stride */
    wl_run *runs;    /* after wl_solid_finish: sorted, none touches the next */
    wl_comb *combs;
    int64_t *points;
    bool out_of_memory; /* in this row */
    size_t run_count, run_capacity, comb_count, comb_capacity, point_count, point_capacity;
} wl_solid;

void wl_solid_start(wl_solid *solid, int64_t stride, int64_t granule);
bool wl_solid_add_run(wl_solid *solid, int64_t first, int64_t last);
/* Adds one box whose first `collapsed` levels make up the row. Each returns false when there are
 * too many pieces, or memory is short, which is remembered. */
bool wl_solid_add_box(wl_solid *solid, const wl_shape *shape, const struct wl_point_box *box, int collapsed);
bool wl_solid_finish(wl_solid *solid);
void wl_solid_free(wl_solid *solid);

#endif /* WL_FOOTPRINT_SOLID_H */

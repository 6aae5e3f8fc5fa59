/* sweep.h - counts a cluster of boxes, level by level.
 *
 * The coordinates of the outermost level are cut where a box begins or ends. Between two cuts the
 * same boxes are there, so one coordinate stands for all of them, up to the alignment of its rows
 * (residues.h). Levels that leave no gap at this granule are runs of bytes, and a row is a few
 * runs.
 *
 * Layer  footprint (uses base). Units: bytes.
 * Maths  docs/model.md, "Counting". Oracle: tests/property/prop_footprint.c
 * SPDX-License-Identifier: MIT */
#ifndef WL_FOOTPRINT_SWEEP_H
#define WL_FOOTPRINT_SWEEP_H

#include "footprint/boxes.h"
#include "footprint/count.h"
#include "footprint/residues.h"

#define WL_SWEEP_MAX 256 /* boxes in one sweep; beyond, rows are visited one by one */

/* A run of bytes relative to its row; `solid`: every byte of it is accessed. */
typedef struct wl_byte_run {
    int64_t first, last;
    bool solid;
} wl_byte_run;

/* One box, reduced to the levels that do not collapse at this granule. */
typedef struct wl_sweep_box {
    int64_t lo[WL_LEVELS_MAX], hi[WL_LEVELS_MAX];
    wl_byte_run run;
    const wl_point_box *box; /* the box before the reduction */
} wl_sweep_box;

typedef struct wl_sweep {
    int64_t granule;
    int shift; /* log2 of the granule */
    const wl_shape *shape;
    wl_solid *solid;
    int outer_count; /* remaining levels and their strides, ascending */
    int64_t stride[WL_LEVELS_MAX];
    wl_sweep_box boxes[WL_SWEEP_MAX];
    /* one_by_one: too many alignment classes, visit coordinates one by one */
    bool want_covered, one_by_one;
    bool too_fine;  /* a row has too many pieces to tell what it covers */
    bool uncertain; /* covered could not be determined */
    bool out_of_memory;
    const wl_residues *moves; /* all of these are counted at once; NULL: there are none */
    bool singly;              /* they must be counted one by one */
    wl_count total;
} wl_sweep;

/* Adds the granules of n boxes to the total. `order` sorts them by the first byte of their runs;
 * `rows` holds the alignments of the row at the origin. */
void wl_sweep_count(wl_sweep *sweep, const int16_t *order, int n, const wl_residues *rows);

#endif /* WL_FOOTPRINT_SWEEP_H */

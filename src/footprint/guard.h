/* guard.h - conditions that are affine in the coordinates of a launch, and the boxes that meet
 * them.
 *
 * A guard is a tree of comparisons: an affine form is at least 0, or equal to 0. Over a box of
 * coordinates each comparison holds everywhere, nowhere, or is undecided; cutting the box where an
 * undecided one changes leaves boxes on which the condition is decided. A condition on single
 * coordinates (1 <= x < nx - 1) needs a few boxes, one that mixes coordinates (x + y < n) one per
 * row.
 *
 * Layer  footprint (uses base, kernel, launch).
 * Oracle  tests/property/prop_guards.c: enumeration of every thread
 * SPDX-License-Identifier: MIT */
#ifndef WL_FOOTPRINT_GUARD_H
#define WL_FOOTPRINT_GUARD_H

#include "footprint/axes.h"

#define WL_GUARD_NODES_MAX 48

typedef enum wl_guard_op {
    WL_GUARD_NEVER,
    WL_GUARD_ALWAYS,
    WL_GUARD_AT_LEAST, /* the form is >= 0 */
    WL_GUARD_ZERO,     /* the form is 0 */
    WL_GUARD_NOT,
    WL_GUARD_BOTH,
    WL_GUARD_ANY
} wl_guard_op;

/* The form has its coefficients on cells, and on blocks, threads and folded cells: a box uses the
 * first for dimensions that are counted in cells, the others for those that are split. */
typedef struct wl_guard_node {
    wl_guard_op op;
    int a, b; /* operands: earlier nodes */
    int64_t c, k[WL_AXIS_COUNT];
    uint8_t axis[WL_AXIS_COUNT]; /* those with k != 0 */
    int axes;
} wl_guard_node;

typedef struct wl_guard {
    /* dimensions in which it depends on threads, or on blocks and threads in different ways */
    bool split[3];
    bool placed;    /* depends on cells or blocks: it may hold for other threads in another block */
    uint32_t loops; /* bit set of the loops it names */
    double rows;    /* estimated maximum of boxes that describe where it holds */
    int count;      /* the last node is the condition */
    wl_guard_node nodes[WL_GUARD_NODES_MAX];
} wl_guard;

/* False: the condition is not affine, or too long. */
bool wl_guard_make(const wl_expr *condition, const wl_geometry *geometry, const wl_ranges *ranges, wl_guard *out);
bool wl_guard_same(const wl_guard *a, const wl_guard *b);

/* Guards that accesses share: those under the same one can be joined. */
typedef struct wl_kept_guard {
    wl_guard guard;
    const struct wl_kept_guard *next;
} wl_kept_guard;

/* The guard in the list that is the same, or a new one; NULL: out of memory. */
const wl_guard *wl_guard_keep(const wl_kept_guard **list, const wl_guard *guard, wl_arena *arena);

/* Adds lo <= form <= hi to a guard, which may be empty (zeroed). False: too long, or out of
 * range. */
bool wl_guard_narrow(wl_guard *guard, const wl_form *form, int64_t lo, int64_t hi, const wl_geometry *geometry,
                     const wl_ranges *ranges);

/* 1: holds everywhere in the box, 0: nowhere, -1: neither. Axes that the box does not use have the
 * one coordinate 0. With -1, *undecided is a comparison on which it depends and whose form varies
 * along one of `axes` (a bit set); -1: there is none. */
int wl_guard_truth(const wl_guard *guard, const wl_axis_box *box, uint32_t axes, int *undecided);

/* The same in two steps: for every node, and the comparison if the last node is undecided. */
void wl_guard_truths(const wl_guard *guard, const wl_axis_box *box, int8_t truth[WL_GUARD_NODES_MAX]);
int wl_guard_undecided(const wl_guard *guard, const wl_axis_box *box, uint32_t axes, const int8_t *truth);

/* Least and largest value of the form of a comparison in the box. */
void wl_guard_range(const wl_guard_node *comparison, const wl_axis_box *box, int64_t *lo, int64_t *hi);

/* Where to cut a box in which a comparison is undecided: before which coordinate of which axis.
 * `stride` are those of the address: the axis of the shortest is cut exactly, others in halves. */
int64_t wl_guard_cut(const wl_guard_node *comparison, const wl_axis_box *box, const int64_t stride[WL_AXIS_COUNT],
                     int *axis);

/* Does it hold at a point? */
bool wl_guard_holds(const wl_guard *guard, const int64_t at[WL_AXIS_COUNT]);

#endif /* WL_FOOTPRINT_GUARD_H */

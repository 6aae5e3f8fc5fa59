/* shape.h - the geometry of a field's accesses, independent of the number of threads.
 *
 * An affine access maps thread coordinates to base + sum over axes of stride * coordinate. The
 * distinct strides of a field's accesses, sorted, are its *levels* (elements, rows, planes): every
 * address is a point with one coordinate per level, plus a byte offset. Accesses that differ by a
 * constant are translated copies, so many of them form a few *patches*: boxes of offsets. A box of
 * threads moved through a patch is again a box; count.h counts unions of such boxes. A condition
 * (guard.h) cuts the box of threads first.
 *
 * Layer  footprint (uses base, kernel, launch). Units: bytes.
 * Maths  docs/model.md, "Counting". Oracle: tests/property/prop_footprint.c
 * SPDX-License-Identifier: MIT */
#ifndef WL_FOOTPRINT_SHAPE_H
#define WL_FOOTPRINT_SHAPE_H

#include "footprint/guard.h"

#define WL_LEVELS_MAX 8

/* An access at a given launch: its byte address as an affine form, or not affine. */
typedef struct wl_bound {
    const wl_access *access;
    bool affine;      /* and executed by every thread */
    bool conditional; /* its condition is undecided: some threads may skip it */
    bool never;       /* no thread executes it */
    bool linear;      /* conditional with an affine address, which is `form` */
    /* affine in the cell, but a schedule orders the threads: `form` is that of the cell */
    bool reordered;
    bool of_cell; /* such a form that depends on the cell alone, not on loops */
    wl_form form;
    const wl_guard *guard;         /* of a linear one, if its condition is affine, too; else NULL */
    const struct wl_bound *pieces; /* of one that is affine piece by piece: linear, with guards */
    int piece_count;
    uint32_t loops, index_loops; /* bits of the loops that it names, and those in its address */
    /* every loop has the same stride for all threads, and the condition names none */
    bool even;
    int64_t loop_strides[WL_LOOPS_MAX]; /* then: in units of the access */
} wl_bound;

/* Coefficients that several accesses share. */
typedef struct wl_linear {
    int64_t stride[WL_AXIS_COUNT]; /* bytes */
    int8_t level[WL_AXIS_COUNT];   /* of each axis; -1 where the stride is 0 */
    bool split[3];                 /* dimension counted in blocks, threads, folds */
} wl_linear;

typedef struct wl_patch {
    int linear;
    const wl_guard *guard;                        /* where it is accessed; NULL: everywhere */
    int64_t lo[WL_LEVELS_MAX], hi[WL_LEVELS_MAX]; /* offsets per level, half open */
    int64_t byte_lo, byte_hi;                     /* half open */
} wl_patch;

typedef struct wl_shape {
    int id;       /* of shapes that outlive a launch, as key for cached counts (memo.h); 0: none */
    int64_t base; /* address of the point with all coordinates 0 */
    int level_count;
    int64_t stride[WL_LEVELS_MAX]; /* ascending, bytes, > 0 */
    int linear_count, patch_count;
    /* some patch has a guard on cells or blocks: counts depend on where a region lies */
    bool guarded;
    wl_linear *linears;
    wl_patch *patches;
} wl_shape;

/* The byte address of an access at a launch. Cheap if the access does not depend on the launch. */
wl_status wl_bind(const wl_kernel *kernel, const wl_access *access, const wl_geometry *geometry,
                  const wl_ranges *ranges, wl_bound *out, wl_error *err);

/* The byte address of an access as an affine form; *affine is false if it is not affine. */
wl_status wl_bind_address(const wl_kernel *kernel, const wl_access *access, const wl_geometry *geometry,
                          const wl_ranges *ranges, bool *affine, wl_form *form, wl_error *err);

/* The coefficients of an affine access on the axes. */
void wl_linear_make(const wl_bound *bound, const wl_geometry *geometry, wl_linear *out);

/* Bytes from thread to thread, and from block to block, along dimension d. */
int64_t wl_thread_stride(const wl_linear *linear, const wl_geometry *geometry, int d);
int64_t wl_block_stride(const wl_linear *linear, const wl_geometry *geometry, int d);

/* Is an access counted in closed form: affine or a few affine pieces, under an affine condition if
 * any? */
static inline bool wl_bound_has_form(const wl_bound *bound)
{
    return bound->affine || bound->guard || bound->piece_count > 0;
}

/* The shape of `count` accesses of one field that have a form. WL_E_UNSUPPORTED: more than
 * WL_LEVELS_MAX distinct strides; such a field is enumerated. */
wl_status wl_shape_make(const wl_bound *const *accesses, size_t count, const wl_geometry *geometry, wl_arena *arena,
                        wl_shape *out, wl_error *err);

#endif /* WL_FOOTPRINT_SHAPE_H */

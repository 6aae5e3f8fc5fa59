/* count.h - distinct granules (sectors, lines, fetch units, pages) of a field touched by sets of
 * blocks.
 *
 * For a shape (affine accesses) the count is exact and in closed form. Its cost depends on the
 * number of patches and boxes, never on the number of threads. A level whose stride is at most a
 * granule leaves no gap and collapses into an interval of bytes. Over the remaining levels, break
 * points are sorted and swept from the outermost inwards; rows with the same intervals are counted
 * once per alignment class. The same sweep finds granules that two consecutive rows share. Where
 * rows overlap (a stride smaller than the row) the sweep does not apply, and rows are visited one
 * by one.
 *
 * Intersections and differences follow from unions: |A and B| = |A| + |B| - |A or B|.
 *
 * Layer  footprint (uses base, kernel, launch). Units: granules.
 * Oracle  tests/property/prop_footprint.c: enumeration of every thread, and isl
 * SPDX-License-Identifier: MIT */
#ifndef WL_FOOTPRINT_COUNT_H
#define WL_FOOTPRINT_COUNT_H

#include "footprint/granules.h"
#include "footprint/memo.h"
#include "footprint/residues.h"
#include "footprint/shape.h"
#include "footprint/solid.h"

/* How a count was obtained; the most expensive method used is reported. */
typedef enum wl_count_method { WL_COUNT_CLOSED_FORM, WL_COUNT_ROWS, WL_COUNT_THREADS } wl_count_method;

typedef struct wl_count {
    int64_t touched; /* granules with at least one byte accessed */
    int64_t covered; /* every byte accessed; -1: not asked for, or too expensive */
} wl_count;

/* A union of sets of blocks, each at most WL_BLOCK_BOXES_MAX boxes. */
typedef struct wl_region {
    const wl_geometry *geometry;
    const wl_kernel *kernel;
    const int64_t *steps; /* extents of the kernel's loops; NULL: the full ones */
    wl_block_set blocks;
    int64_t first_thread, thread_count; /* per block, when threads are enumerated; count 0: all */
    bool onto_last;                     /* enumeration: add to the granules of the previous count */
    bool recorded;                      /* enumeration: leave the granules in the counter */
} wl_region;

static inline const int64_t *wl_region_steps(const wl_region *region)
{
    return region->steps ? region->steps : region->kernel->loop_extent;
}

/* Scratch memory, reused between counts. */
typedef struct wl_counter {
    struct wl_point_box *boxes;
    size_t box_capacity;
    /* starts: addresses at the first step of loops with constant stride */
    wl_granules granules, starts;
    wl_solid solid;
    wl_count_method method; /* the most expensive one since the last reset */
    int64_t evaluated;      /* addresses of threads, one by one, since it was set to 0 */
    int64_t row_budget;     /* steps to spend on one box before giving up */
    bool keep;              /* cache counts of shapes with an id; such shapes must not change */
    wl_count_memo *memo;
    /* whose compiled accesses are kept; NULL: each count compiles them */
    const wl_kernel *threads_of;
    struct wl_threads_kept *threads; /* these; NULL: none yet */
} wl_counter;

#define WL_ROW_BUDGET ((int64_t)1 << 22)
#define WL_THREADS_BUDGET ((int64_t)1 << 26) /* addresses evaluated for one count of threads */

/* Evaluations per thread: loops with a constant stride are not evaluated step by step. */
double wl_threads_steps(const wl_region *region, const wl_bound *access);

/* granule_bytes is a power of two. `covered` costs extra: ask only where needed. WL_E_LIMIT: rows
 * must be visited one by one and exceed the budget. */
wl_status wl_shape_count(wl_counter *counter, const wl_shape *shape, const wl_region *region, int64_t granule_bytes,
                         bool want_covered, wl_count *out, wl_error *err);

/* The same in two steps, to count a region several times: its boxes are made once and counted at
 * any granule, all addresses moved by some bytes. Valid until the counter makes other boxes, and
 * while shape and region live. */
typedef struct wl_laid {
    const wl_shape *shape;
    const wl_region *region;
    bool made;                        /* boxes are made when a count is not cached */
    const struct wl_point_box *boxes; /* the counter's, sorted */
    int count;
    bool has_key;
    wl_count_key key;
    uint64_t hash;  /* of the key, see memo.h */
    int64_t origin; /* address of the key's origin */
} wl_laid;
void wl_shape_lay(const wl_counter *counter, const wl_shape *shape, const wl_region *region, wl_laid *out);
wl_status wl_laid_count(wl_counter *counter, wl_laid *laid, int64_t moved, int64_t granule_bytes, bool want_covered,
                        wl_count *out, wl_error *err);

/* Is the count cached with all addresses moved by some bytes? */
bool wl_laid_is_kept(wl_counter *counter, wl_laid *laid, int64_t moved, int64_t granule_bytes, bool want_covered);

/* The sum over many moves, given as a histogram, in one sweep. *done is false, with nothing
 * counted, where each must be counted on its own. */
wl_status wl_laid_sum(wl_counter *counter, wl_laid *laid, const wl_residues *moves, int64_t granule_bytes,
                      bool want_covered, bool *done, wl_count *out, wl_error *err);

/* The same for accesses that are not affine, by evaluating every thread. */
wl_status wl_threads_count(wl_counter *counter, const wl_bound *const *accesses, size_t count, const wl_region *region,
                           int64_t granule_bytes, bool want_covered, wl_count *out, wl_error *err);

/* Between the two, accesses are compiled once for all counts of threads; kernel and bounds must not
 * change. */
void wl_threads_begin(wl_counter *counter, const wl_kernel *kernel);
void wl_threads_end(wl_counter *counter);

void wl_counter_free(wl_counter *counter);

#endif /* WL_FOOTPRINT_COUNT_H */

/* miss_fit.h - published curves of misses, fitted to the points of measured launches.
 *
 * The volume of a launch is `fixed` whatever hits, and `again` times the share that misses. Of the
 * L2, `again` is the sum of what blocks in the row, in the rows and in the layers before have
 * loaded, each at its own oversubscription. If less than `fixed` was measured, or more than all,
 * the curve gets as near as it can.
 *
 * Layer  fit. Units: bytes; shares. Maths: validate/notes/curves.md. Oracle: tests/cli/fit.test.
 * SPDX-License-Identifier: MIT */
#ifndef WL_FIT_MISS_FIT_H
#define WL_FIT_MISS_FIT_H

#include "device/device_internal.h"
#include "warpline/fit.h"

#define WL_MISS_NUMBERS 3    /* a, b, c */
#define WL_MISS_DIRECTIONS 3 /* x, y, z */

typedef struct wl_miss_point {
    const char *family;
    int32_t line; /* of the table */
    int count;    /* of the following: */
    double oversubscription[WL_MISS_DIRECTIONS], share[WL_MISS_DIRECTIONS];
    double fixed, again; /* bytes whatever hits, and that could miss */
    double measured;     /* the volume */
    double miss;         /* share of `again` that was measured to miss, */
    bool outside;        /* below 0 or above 1, before it was made the nearest of them */
    double weight;       /* families weigh alike */
} wl_miss_point;

/* Why a launch has no point. */
typedef enum wl_miss_lack {
    WL_MISS_UNMEASURED,
    WL_MISS_LOOPS,    /* its loops use data again at several distances */
    WL_MISS_REPLAYED, /* its volume does not come from the curve */
    WL_MISS_SMALL,    /* what is measured depends on launches before and after it */
    WL_MISS_NOTHING,  /* next to nothing is used again */
    WL_MISS_LACKS
} wl_miss_lack;

/* How far the curve is from the points. */
typedef struct wl_miss_score {
    double miss;   /* mean |difference| of the share that misses, */
    double volume; /* mean |relative error| of the volume; families have equal weight */
} wl_miss_score;

struct wl_miss_fit {
    wl_miss_curve curve;
    wl_device *device; /* with the fitted numbers, once run */
    wl_miss_point *points;
    size_t count, room, lacks[WL_MISS_LACKS], outside;
    double start[WL_MISS_NUMBERS], fitted[WL_MISS_NUMBERS];
    wl_miss_score before, after;
};

const char *wl_miss_curve_name(wl_miss_curve curve);
wl_device_key wl_miss_curve_key(wl_miss_curve curve);
const char *wl_miss_lack_words(wl_miss_lack lack);
/* The share that misses by the curve. */
double wl_miss_of_point(const wl_miss_point *point, const double numbers[WL_MISS_NUMBERS]);

#endif /* WL_FIT_MISS_FIT_H */

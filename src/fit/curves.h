/* curves.h - published measurements of one GPU as curves, and the device numbers that follow from
 * them.
 *
 * A table is CSV with a header; which curve it holds follows from its columns (docs/manual.md,
 * "Published curves"). Numbers that no curve determines stay those of the file, or what it
 * inherits; those that are shares of a number that was found follow it.
 *
 * Layer  fit. Units: bytes, seconds, cycles, bytes per second. Oracle: tests/unit/test_curves.c.
 * SPDX-License-Identifier: MIT */
#ifndef WL_FIT_CURVES_H
#define WL_FIT_CURVES_H

#include "base/arena.h"
#include "device/device_internal.h"
#include "laws/estimates.h"
#include "warpline/fit.h"

typedef enum wl_curve_kind {
    WL_CURVE_LATENCY, /* cycles of a dependent load over the size of the buffer */
    WL_CURVE_BLOCKS,  /* bandwidth over the buffer of a block */
    WL_CURVE_L2,      /* bandwidth over the data set of all blocks */
    WL_CURVE_STREAMS, /* bandwidth over threads per block: init, read, scale */
    WL_CURVE_SMALL,   /* bandwidth of short copies over elements, one value per block size */
    WL_CURVE_KINDS
} wl_curve_kind;

enum { WL_STREAM_INIT, WL_STREAM_READ, WL_STREAM_SCALE, WL_STREAMS };

#define WL_CURVE_VALUES 12

typedef struct wl_curve_row {
    wl_curve_kind kind;
    double x;      /* bytes; threads of a block; elements */
    double blocks; /* streams: resident on a multiprocessor */
    /* number of values; for short copies the last is for 1024 threads, each earlier one for half as
     * many */
    size_t count;
    double values[WL_CURVE_VALUES];
    double clock;       /* Hz, of the run; 0: the table does not say */
    const char *source; /* as the table states it, else the table's name */
    int32_t line;
} wl_curve_row;

struct wl_curves {
    wl_arena arena; /* texts */
    wl_curve_row *rows;
    size_t count, capacity;
};

/* A number that was found: its value is in the device. */
typedef struct wl_curve_numbers {
    wl_device *device;                        /* a copy of the device, with these numbers */
    const char *sources[WL_DEVICE_KEY_COUNT]; /* NULL: as it was */
    wl_device_entry *before;                  /* room for the entries before a change */
    wl_estimates estimates;                   /* of instructions */
    wl_arena *arena;
    bool failed; /* memory */
} wl_curve_numbers;

void wl_curves_found(wl_curve_numbers *n, wl_device_key key, double value, const char *format, ...) WL_PRINTF(4, 5);
/* 0: the device has none. */
double wl_curves_known(const wl_device *device, wl_device_key key);

/* curve_levels.c: latencies and bandwidths of L1, L2, memory and the cache it may have. */
void wl_curves_memory(const wl_curves *curves, wl_curve_numbers *out);
/* curve_launches.c: waits of blocks, from streams, given the latency of memory in a pointer chase;
 * then starts of launches, from short copies. */
void wl_curves_streams(const wl_curves *curves, double chase, wl_curve_numbers *out);
void wl_curves_starts(const wl_curves *curves, wl_curve_numbers *out);
/* Raises the block start rate to the largest one of any stream. */
void wl_curves_least_starts(const wl_curves *curves, wl_curve_numbers *out);
/* The rows of one kind from the table that was added last, by ascending x; their number. `out` has
 * room for all. */
size_t wl_curve_rows(const wl_curves *curves, wl_curve_kind kind, const wl_curve_row **out);
/* The median of `count` values; sorts them. NAN: there are none. */
double wl_curve_median(double *values, size_t count);

#endif /* WL_FIT_CURVES_H */

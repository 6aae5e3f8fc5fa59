/* roofline_internal.h - ceilings of a device, launches under them, and the plot of both.
 *
 * A launch uses a resource to amount / (peak x time). On a log-log plot of the rate over the
 * intensity, bandwidths are slanted roofs, peaks are flat ones; the nearest roof above a mark
 * belongs to the resource that is used most.
 *
 * Layer  roofline (uses metrics, device). Units: seconds, flops, bytes, instructions, transactions.
 * Oracle tests/unit/test_roofline.c: the numbers of Ding and Williams 2019 and of the roofline
 * slides
 * SPDX-License-Identifier: MIT */
#ifndef WL_ROOFLINE_INTERNAL_H
#define WL_ROOFLINE_INTERNAL_H

#include "base/buffer.h"
#include "warpline/roofline.h"

/* bytes: the unit of Ding and Williams 2019, a sector of NVIDIA's caches */
#define WL_TRANSACTION 32.0

/* ---- ceilings ---- */

typedef enum wl_level { WL_LEVEL_L1, WL_LEVEL_L2, WL_LEVEL_DRAM, WL_LEVEL_SHARED, WL_LEVEL_COUNT } wl_level;
const char *wl_level_name(wl_level level); /* "L1", "DRAM" */

typedef enum wl_pipe {
    WL_PIPE_F16,
    WL_PIPE_F32,
    WL_PIPE_F64,
    WL_PIPE_TENSOR_F16,
    WL_PIPE_TENSOR_TF32,
    WL_PIPE_TENSOR_I8,
    WL_PIPE_TENSOR_F64,
    WL_PIPE_ISSUE,              /* warp instructions */
    WL_PIPE_TENSOR_INSTRUCTION, /* those of tensor cores, f16 */
    WL_PIPE_COUNT
} wl_pipe;
const char *wl_pipe_name(wl_pipe pipe); /* "f64", "tensor f16", "issue" */

/* All multiprocessors together; 0: not in the device file. */
typedef struct wl_ceilings {
    double bandwidth[WL_LEVEL_COUNT]; /* bytes per second */
    double peak[WL_PIPE_COUNT];       /* flops (fused multiply-adds) or instructions per second */
    double data_sheet;                /* bandwidth of device memory */
    double pass_bytes;                /* of shared memory in one pass */
    /* shared memory is a part of the L1 and uses its data stage */
    bool shared_in_l1;
    double lanes, sector;
    /* one warp per scheduler that waits for each instruction, or load of a byte per lane, in units
     * of peak and bandwidth; 0: not known */
    double alone[WL_PIPE_COUNT], alone_dram;
} wl_ceilings;
void wl_ceilings_read(const wl_device *device, wl_ceilings *out);
/* The key that a roof lacks. */
wl_device_key wl_level_key(wl_level level);
wl_device_key wl_pipe_key(wl_pipe pipe);

/* ---- what a launch uses ---- */

/* Transactions of 32 bytes at a level; those of the L1 are global + local + texture + 4 x
 * shared. */
bool wl_level_transactions(const wl_tallies *launch, const wl_ceilings *ceilings, wl_level level, double *out);
/* Flops or instructions of a pipe. */
bool wl_pipe_amount(const wl_tallies *launch, wl_pipe pipe, double *out);
/* The share of flops in fused multiply-adds; false: unknown, or the pipe has none. */
bool wl_fused_share(const wl_tallies *launch, wl_pipe pipe, double *out);
/* All types together, tensor cores included; false where none is known. */
bool wl_all_flops(const wl_tallies *launch, double *out);

/* One resource: its rate and peak, in its own unit. */
typedef struct wl_use {
    bool is_level;
    wl_level level;
    wl_pipe pipe;
    double rate, peak;
    double share; /* of the peak */
    double busy;  /* share of the time: larger than `share` if multiply-adds are not fused */
} wl_use;
#define WL_USES_MAX (WL_LEVEL_COUNT + WL_PIPE_COUNT)
/* The resources with an amount above 0 and a known peak, memory first; returns how many. */
int wl_uses(const wl_tallies *launch, const wl_ceilings *ceilings, wl_use out[WL_USES_MAX]);
/* Is the resource shown? Not shared memory inside the L1, nor tensor instructions, which would
 * repeat others. */
bool wl_use_shows(const wl_use *use, const wl_ceilings *ceilings);
const char *wl_use_name(const wl_use *use);
/* "3.04 TB/s", "12.3 TFLOP/s", "212 GIPS" */
void wl_use_text(const wl_use *use, double rate, char *text, size_t size);

/* ---- the picture ---- */

typedef enum wl_series {
    WL_SERIES_ALL, /* flops, or all warp instructions */
    /* thread instructions / lanes of a warp: without inactive lanes (predication, divergence) */
    WL_SERIES_THREAD,
    WL_SERIES_GLOBAL, /* loads and stores of global memory alone */
    WL_SERIES_SHARED,
    WL_SERIES_TENSOR, /* tensor instructions */
    WL_SERIES_COUNT
} wl_series;
const char *wl_series_name(wl_series series);

typedef struct wl_mark {
    size_t launch; /* index */
    wl_series series;
    wl_level level;
    double x, y;
    double ceiling;  /* the roof above it; 0: none is known */
    bool under_flat; /* the roof is that of a pipe, else of its level */
    wl_pipe pipe;    /* the flat roof that applies */
} wl_mark;

typedef struct wl_roof {
    bool slanted; /* rate x intensity */
    wl_level level;
    wl_pipe pipe;
    bool unfused; /* a peak without fused multiply-adds, */
    bool alone;   /* and with one warp per scheduler that waits for each instruction, or load */
    double rate;
} wl_roof;
#define WL_ROOFS_MAX 24

/* An intensity of loads and stores that belongs to an access pattern, such as stride 1. */
typedef struct wl_wall {
    bool shared;
    double x;
    const char *name;
} wl_wall;
#define WL_WALLS_MAX 8

typedef struct wl_roofline_launch {
    wl_tallies tallies; /* its texts are owned */
    char *kernel, *launch;
} wl_roofline_launch;

struct wl_roofline {
    wl_roofline_kind kind;
    wl_ceilings ceilings;
    char *device, *title;
    wl_roofline_launch *launches;
    size_t launch_count;
    wl_mark *marks;
    size_t mark_count;
};

/* The roofs and walls to draw for the launches; each returns how many. */
int wl_roofline_roofs(const wl_roofline *roofline, wl_roof out[WL_ROOFS_MAX]);
int wl_roofline_walls(const wl_roofline *roofline, wl_wall out[WL_WALLS_MAX]);
/* "DRAM", "f64 FMA", "f64 without FMA", "issue" */
void wl_roof_text(const wl_roof *roof, char *text, size_t size);
/* With so many digits, but without an exponent for large numbers: "0.0833", "1460" */
void wl_roofline_number_text(double value, int digits, wl_buffer *out);
/* Units of rates and intensities: "FLOP/s", "FLOP/byte" */
const char *wl_roofline_rate_unit(const wl_roofline *roofline);
const char *wl_roofline_intensity_unit(const wl_roofline *roofline);
/* Has it L1 and L2? */
bool wl_roofline_has_levels(const wl_roofline *roofline);
/* The bandwidth of a level in the unit of the picture: bytes or transactions per second. */
double wl_roofline_bandwidth(const wl_roofline *roofline, wl_level level);

/* Are there tensor instructions worth a mark? */
bool wl_has_products(const wl_tallies *launch);

/* Writes the marks of a launch to out[WL_MARKS_MAX]; returns how many. */
#define WL_MARKS_MAX 16
int wl_roofline_mark(const wl_roofline *roofline, const wl_tallies *launch, wl_mark *out);

/* What bounds the launch, how far it is from each roof, which wall it sits on: a paragraph without
 * a line end. */
void wl_roofline_words(const wl_roofline *roofline, size_t launch, wl_buffer *out);
/* What the plot lacks; false beyond the last. *key is the missing number of the device. */
bool wl_roofline_lacks(const wl_roofline *roofline, size_t index, const char **roof, wl_device_key *key);

#endif /* WL_ROOFLINE_INTERNAL_H */

/* sweep_report.h - launches over the values of one parameter: warpline/report.h, wl_sweep.
 * SPDX-License-Identifier: MIT */
#ifndef WL_REPORT_COMMON_SWEEP_REPORT_H
#define WL_REPORT_COMMON_SWEEP_REPORT_H

#include "base/arena.h"
#include "report/common/render.h"

/* Volumes of which pictures and tables show bytes per element or update. */
typedef enum wl_sweep_volume { WL_SWEEP_L2, WL_SWEEP_DRAM_LOAD, WL_SWEEP_DRAM_STORE, WL_SWEEP_VOLUMES } wl_sweep_volume;

/* One launch at one value. */
typedef struct wl_sweep_point {
    double value;
    size_t line;        /* which launch on which device */
    const char *launch; /* "h200, 32x8x1" */
    const char *block;  /* "32x8x1 fold 1x2x1", the part of it that a search chose */
    int64_t best_of;    /* so many launches; 0: no search */
    double time_s, items_per_s;
    double volume[WL_SWEEP_VOLUMES]; /* bytes per item; NAN: not known */
    wl_bound_id limiter;
    double needed, room; /* of the layer condition, bytes; needed 0: there is none */
} wl_sweep_point;

struct wl_sweep {
    wl_arena arena;
    const char *name, *kernel; /* of the parameter; of the kernel */
    const char *unit;          /* of an item, in tables */
    const char **lines;        /* "h200, 32x8x1"; of searches "h200" */
    size_t line_count, line_room;
    wl_sweep_point *points;
    size_t count, room;
};

wl_text_writer wl_sweep_text, wl_sweep_csv, wl_sweep_svg; /* wl_sweep */
wl_json_writer wl_sweep_json;

#endif /* WL_REPORT_COMMON_SWEEP_REPORT_H */

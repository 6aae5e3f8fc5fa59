/* nvprof.h - the CSV of nvprof: summaries over the launches of each kernel.
 *
 * Its parts come in any order, in one text: metrics and events (a line per kernel and metric), the
 * summary of times, the trace of launches with their blocks. All lines of a kernel become one row:
 * its average launch.
 *
 * Layer  measure (uses base). Oracle: tests/unit/test_counters.c.
 * SPDX-License-Identifier: MIT */
#ifndef WL_MEASURE_NVPROF_H
#define WL_MEASURE_NVPROF_H

#include "measure/csv.h"
#include "measure/row.h"

typedef enum wl_nvprof_part {
    WL_NVPROF_NONE,
    /* "Device","Kernel","Invocations","Metric Name","Metric Description","Min","Max","Avg" */
    WL_NVPROF_COUNTS,
    /* "Type","Time(%)","Time","Calls","Avg","Min","Max","Name" and a line of units */
    WL_NVPROF_SUMMARY,
    WL_NVPROF_TRACE,  /* "Start","Duration","Grid X",.. "Name" and a line of units */
    WL_NVPROF_UNKNOWN /* a part that is not read: metrics of single launches */
} wl_nvprof_part;
wl_nvprof_part wl_nvprof_recognise(const wl_csv *header);

enum { WL_NVPROF_KERNEL, WL_NVPROF_NAME, WL_NVPROF_VALUE, WL_NVPROF_SHAPE, WL_NVPROF_PLACES = WL_NVPROF_SHAPE + 6 };

typedef struct wl_nvprof_kernel {
    wl_row row;
    double time_s, launches; /* of the trace: total time, number of launches */
} wl_nvprof_kernel;

typedef struct wl_nvprof {
    wl_nvprof_part part; /* being read */
    size_t places[WL_NVPROF_PLACES];
    double time_scale; /* of the column of times; 0: its unit is not known yet */
    wl_nvprof_kernel **kernels;
    size_t count, capacity;
} wl_nvprof;

/* Starts a part at its header, which need not outlive the call. */
void wl_nvprof_open(wl_nvprof *nvprof, wl_nvprof_part part, const wl_csv *header);
/* WL_E_NOMEM; WL_E_LIMIT: too many kernels. */
wl_status wl_nvprof_take(wl_nvprof *nvprof, const wl_csv *record, wl_notes *notes, wl_error *err);
void wl_nvprof_free(wl_nvprof *nvprof);

#endif /* WL_MEASURE_NVPROF_H */

/* tuning_report.h - configurations of a kernel: warpline/report.h, wl_tuning.
 * SPDX-License-Identifier: MIT */
#ifndef WL_REPORT_COMMON_TUNING_REPORT_H
#define WL_REPORT_COMMON_TUNING_REPORT_H

#include "base/arena.h"
#include "report/common/render.h"
#include "warpline/trust.h"

typedef struct wl_tuned {
    const char *const *values; /* one for each name */
    const char *reason;        /* why it is not predicted; NULL: it is */
    size_t number;             /* in the order of the space */
    wl_launch launch;
    wl_occupancy occupancy;
    double time_s;
    wl_bound_id limiter;
} wl_tuned;

struct wl_tuning {
    wl_arena arena;
    const char *const *names;
    size_t name_count;
    wl_trust trust;
    const char *kernel, *device, *title; /* of what was predicted first; NULL: nothing was */
    wl_tuned *all;                       /* sorted: predicted ones first, by time */
    size_t count, room, predicted;
    size_t top, variants;
};

void wl_tuning_sort(wl_tuning *tuning, size_t top, size_t variants);

wl_text_writer wl_tuning_text, wl_tuning_csv; /* wl_tuning */
wl_json_writer wl_tuning_json;

#endif /* WL_REPORT_COMMON_TUNING_REPORT_H */

/* render.h - the writers behind warpline/report.h, one per result and format; render.c has the
 * table of them. A writer only formats.
 * SPDX-License-Identifier: MIT */
#ifndef WL_REPORT_COMMON_RENDER_H
#define WL_REPORT_COMMON_RENDER_H

#include "base/buffer.h"
#include "base/json_out.h"
#include "launch/occupancy_next.h"
#include "ptx/kernel/coverage.h"
#include "warpline/diff.h"
#include "warpline/report.h"

/* ---- what is written: writers get a pointer to one of these, or to a result itself ---- */

typedef struct wl_check_report {
    const wl_check *check;
    const char *kernel;
} wl_check_report;

typedef struct wl_choice_report {
    const wl_choice *choice;
    const wl_kernel *kernel;
    const wl_device *device;
} wl_choice_report;

typedef struct wl_comparison_report {
    const wl_comparison *comparison;
    bool all_rows;
} wl_comparison_report;

typedef struct wl_fit_report {
    const wl_fit *fit;
    const char *origin;
} wl_fit_report;

typedef struct wl_miss_fit_report {
    const wl_miss_fit *fit;
    const char *origin;
} wl_miss_fit_report;

typedef struct wl_devices_report {
    const wl_device *const *devices;
    size_t count;
    bool sources;
} wl_devices_report;

typedef struct wl_occupancy_report {
    const wl_device *device;
    int64_t threads, registers, shared_bytes;
    wl_occupancy occupancy;
    wl_occupancy_step next;
} wl_occupancy_report;

typedef struct wl_profiles_report {
    const wl_profile *const *profiles; /* of one recording */
    size_t count;
} wl_profiles_report;

/* ---- writers ---- */

/* A text that can only fail for want of memory, which the buffer remembers. */
typedef void wl_text_writer(const void *result, wl_buffer *out);
/* The members of an object of JSON. */
typedef void wl_json_writer(wl_json_out *out, const void *result);
/* Whatever can fail. */
typedef wl_status wl_any_writer(const void *result, wl_buffer *out, wl_error *err);

wl_any_writer wl_advise_text; /* wl_advise_report */
wl_json_writer wl_advise_json;
wl_text_writer wl_check_text; /* wl_check_report */
wl_json_writer wl_check_json;
wl_text_writer wl_choice_text, wl_choice_csv; /* wl_choice_report */
wl_json_writer wl_choice_json;
wl_text_writer wl_comparison_text, wl_comparison_csv; /* wl_comparison_report */
wl_json_writer wl_comparison_json;
wl_any_writer wl_comparison_svg;
wl_text_writer wl_coverage_text; /* wl_coverage */
wl_json_writer wl_coverage_json;
wl_text_writer wl_device_text; /* wl_device */
wl_json_writer wl_device_json;
wl_text_writer wl_device_list_text, wl_device_compare_text; /* wl_devices_report */
wl_json_writer wl_device_list_json, wl_device_compare_json;
wl_text_writer wl_diff_text; /* wl_diff */
wl_json_writer wl_diff_json;
wl_text_writer wl_fit_text; /* wl_fit_report */
wl_json_writer wl_fit_json;
wl_text_writer wl_miss_fit_text; /* wl_miss_fit_report */
wl_json_writer wl_miss_fit_json;
wl_text_writer wl_occupancy_text; /* wl_occupancy_report */
wl_json_writer wl_occupancy_json;
wl_text_writer wl_profile_text, wl_profile_csv; /* wl_profiles_report */
wl_json_writer wl_profile_json;
wl_json_writer wl_profile_events; /* wl_profile */
wl_text_writer wl_binary_text;    /* wl_binary_report */
wl_json_writer wl_binary_json;
wl_text_writer wl_ptx_text; /* wl_ptx_report */
wl_json_writer wl_ptx_json;

#endif /* WL_REPORT_COMMON_RENDER_H */

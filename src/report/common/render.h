/* render.h - the writers behind warpline/report.h: one per result and format.
 * SPDX-License-Identifier: MIT */
#ifndef WL_REPORT_COMMON_RENDER_H
#define WL_REPORT_COMMON_RENDER_H

#include "base/buffer.h"
#include "launch/occupancy_next.h"
#include "warpline/diff.h"
#include "warpline/report.h"

void wl_diff_text(const wl_diff *diff, wl_buffer *out);
wl_status wl_diff_json(const wl_diff *diff, bool one_line, char **out, wl_error *err);

void wl_check_text(const wl_check *check, const char *kernel, wl_buffer *out);
wl_status wl_check_json(const wl_check *check, const char *kernel, char **out, wl_error *err);

wl_status wl_advise_text(const wl_advise_report *report, wl_buffer *out, wl_error *err);
wl_status wl_advise_json(const wl_advise_report *report, char **out, wl_error *err);

void wl_choice_text(const wl_choice *choice, const wl_kernel *kernel, const wl_device *device, wl_buffer *out);
void wl_choice_csv(const wl_choice *choice, const wl_kernel *kernel, const wl_device *device, wl_buffer *out);
wl_status wl_choice_json(const wl_choice *choice, const wl_kernel *kernel, const wl_device *device, char **out,
                         wl_error *err);

void wl_comparison_text(const wl_comparison *comparison, bool all_rows, wl_buffer *out);
void wl_comparison_csv(const wl_comparison *comparison, wl_buffer *out);
wl_status wl_comparison_json(const wl_comparison *comparison, char **out, wl_error *err);

void wl_fit_text(const wl_fit *fit, const char *origin, wl_buffer *out);
wl_status wl_fit_json(const wl_fit *fit, const char *origin, char **out, wl_error *err);

void wl_device_text(const wl_device *device, wl_buffer *out);
wl_status wl_device_json(const wl_device *device, char **out, wl_error *err);
void wl_device_list_text(const wl_device *const *devices, size_t count, wl_buffer *out);
wl_status wl_device_list_json(const wl_device *const *devices, size_t count, char **out, wl_error *err);

void wl_device_compare_text(const wl_device *const *devices, size_t count, bool sources, wl_buffer *out);
wl_status wl_device_compare_json(const wl_device *const *devices, size_t count, char **out, wl_error *err);

typedef struct wl_occupancy_report {
    const wl_device *device;
    int64_t threads, registers, shared_bytes;
    wl_occupancy occupancy;
    wl_occupancy_step next;
} wl_occupancy_report;
void wl_occupancy_text(const wl_occupancy_report *report, wl_buffer *out);
wl_status wl_occupancy_json(const wl_occupancy_report *report, char **out, wl_error *err);

void wl_ptx_text(const wl_ptx_report *report, wl_buffer *out);
wl_status wl_ptx_json(const wl_ptx_report *report, char **out, wl_error *err);

#endif /* WL_REPORT_COMMON_RENDER_H */

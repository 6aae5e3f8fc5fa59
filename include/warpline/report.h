/* report.h - results as text, and stored results read back. Predictions and differences have their own: predict.h,
 * diff.h. Where *out is given, it is allocated with malloc; JSON comes without a line end. SPDX-License-Identifier: MIT */
#ifndef WL_REPORT_H
#define WL_REPORT_H

#include "warpline/advise.h"
#include "warpline/check.h"

/* ---- stored predictions ---- */

/* Reads predictions of the schema warpline.predict/1, one object or several after one another. WL_E_INPUT: not JSON, not
 * predictions, no prediction at all. */
typedef struct wl_stored_list wl_stored_list;
WL_API WL_NODISCARD wl_status wl_stored_read(const char *input, const char *text, size_t length, wl_stored_list **out,
                                             wl_error *err);
WL_API void wl_stored_free(wl_stored_list *list);
WL_API size_t wl_stored_count(const wl_stored_list *list);
WL_API const wl_stored *wl_stored_at(const wl_stored_list *list, size_t index);

/* ---- checks and advice: TEXT, or JSON of the schemas warpline.check/1 and warpline.advise/1 ---- */

WL_API WL_NODISCARD wl_status wl_check_render(const wl_check *check, wl_format format, char **out, wl_error *err);

typedef struct wl_advise_report {
    const wl_kernel *kernel;
    const wl_device *device;
    const wl_advised *result;
    const wl_advice *advice;
    const wl_elsewhere *devices; /* the one asked about first */
    size_t device_count;
    const char *device_model;
    bool devices_left; /* other devices were not looked at, for the time it would take */
} wl_advise_report;
WL_API WL_NODISCARD wl_status wl_advise_render(const wl_advise_report *report, wl_format format, char **out,
                                               wl_error *err);

#endif /* WL_REPORT_H */

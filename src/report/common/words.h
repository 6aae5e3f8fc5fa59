/* words.h - words that texts, JSON and pages share: shapes and schedules, units of work, kernels;
 * and long sentences for people. Texts of shapes and schedules live to the end of the call that
 * wl_shape_text(x).text is an argument of.
 * SPDX-License-Identifier: MIT */
#ifndef WL_REPORT_COMMON_WORDS_H
#define WL_REPORT_COMMON_WORDS_H

#include "base/buffer.h"
#include "metrics/prediction.h"
#include "warpline/schedule.h"

/* ---- shapes ---- */

/* "32x4x2"; an extent that is not given counts as 1. */
#define WL_SHAPE_LENGTH 64
typedef struct wl_shape_words {
    char text[WL_SHAPE_LENGTH];
} wl_shape_words;
wl_shape_words wl_shape_text(const int64_t extent[3]);

/* "column:32" */
typedef struct wl_schedule_name {
    char text[WL_SCHEDULE_TEXT_MAX];
} wl_schedule_name;
wl_schedule_name wl_schedule_words(const wl_schedule *schedule);

/* ---- work ---- */

typedef struct wl_unit_heads {
    char per[16], bytes[16], rate[16];
} wl_unit_heads;

wl_unit_heads wl_unit_heads_of(wl_work_unit unit);

/* "LEAD167772160 lattice updates (LUP)" if all launches have as many; else only the meaning of the
 * unit. */
void wl_unit_explain(const char *lead, wl_work_unit unit, int64_t items, wl_buffer *out);

/* "star3d_r4 on h200 (NVIDIA H200)", marked as a headline. */
void wl_kernel_headline(wl_buffer *out, const wl_kernel *kernel, const wl_device *device);

/* The symbol of a PTX entry where it is not its name; NULL elsewhere. */
const char *wl_kernel_symbol(const wl_kernel *kernel);
/* "load", "store" or "atomic" */
const char *wl_access_kind(const wl_kernel *kernel, size_t access);

/* ---- sentences ---- */

/* "L1 tag-hash, volumes l2-partitions (counted by closed form), time turnover" */
void wl_estimators_text(const wl_prediction *prediction, wl_buffer *out);

/* "warning: ..", a line for each thing that the prediction leaves out or guesses; they stand above
 * all else, and are no notes. */
void wl_gap_line(const char *text, wl_buffer *out);
void wl_gap_lines(const wl_prediction *prediction, wl_buffer *out);
bool wl_prediction_has_gaps(const wl_prediction *prediction);
/* The other warnings, as notes. */
void wl_prediction_notes(const wl_prediction *prediction, const char *lead, wl_buffer *out);

/* Wraps text at blanks into lines of `width` columns, indented by two. */
void wl_wrapped_text(const char *text, int width, wl_buffer *out);

/* The same after a head; further lines are indented by its length. */
void wl_hanging_text(const char *head, const char *text, size_t width, wl_buffer *out);

#endif /* WL_REPORT_COMMON_WORDS_H */

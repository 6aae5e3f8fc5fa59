/* tag_window.h - tag-hash costs of patterns that span a few neighbouring lines, over all executions.
 *
 * Which neighbouring lines share a tag bank depends on the low bits of the line number alone, but for carries. So the
 * positions of all executions within a window of lines, a histogram in closed form, give the exact total; where a carry
 * leaves the window, the higher bits are as good as random and the expected value is taken.
 *
 * Layer  metrics. SPDX-License-Identifier: MIT */
#ifndef WL_METRICS_TAG_WINDOW_H
#define WL_METRICS_TAG_WINDOW_H

#include "metrics/executions.h"

#define WL_WINDOW_LINES 64
#define WL_WINDOW_STEP 4 /* bytes between the positions told apart */
#define WL_WINDOW_SLOTS (WL_WINDOW_LINES * WL_PERIOD_MAX / WL_WINDOW_STEP)

typedef struct wl_tag_window {
    bool open;                                         /* the pattern is of that kind */
    wl_residues positions;                             /* of the executions, but for the instruction's offset */
    float tag[WL_WINDOW_SLOTS], cold[WL_WINDOW_SLOTS]; /* by position; tag 0: not computed yet */
    float split[WL_WINDOW_SLOTS];                      /* share with more than one tag wavefront */
} wl_tag_window;

void wl_tag_window_open(const wl_pattern_context *context, const wl_executions *executions, wl_tag_window *out);

/* Totals over all executions of an instruction at this offset. */
typedef struct wl_tag_total {
    double tag, cold, split;
} wl_tag_total;
wl_tag_total wl_tag_window_sum(const wl_pattern_context *context, wl_tag_window *window, wl_pattern *pattern,
                               int32_t width, int64_t offset);

#endif /* WL_METRICS_TAG_WINDOW_H */

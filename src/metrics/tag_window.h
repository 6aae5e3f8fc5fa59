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

/* Sets *open when the pattern is of that kind, and fills *positions with those of the executions, but for the
 * instruction's offset. */
wl_status wl_tag_window_open(const wl_pattern_context *context, const wl_executions *executions, bool *open,
                             wl_residues *positions, wl_error *err);

/* Totals over all executions of an instruction at this offset. */
typedef struct wl_tag_total {
    double tag, cold, split;
} wl_tag_total;
wl_tag_total wl_tag_window_sum(const wl_pattern_context *context, const wl_residues *positions, wl_pattern *pattern,
                               int64_t offset);

#endif /* WL_METRICS_TAG_WINDOW_H */

/* diff.h - the pieces behind wl_diff_compute and wl_diff_render. SPDX-License-Identifier: MIT */
#ifndef WL_JUDGE_DIFF_H
#define WL_JUDGE_DIFF_H

#include "base/buffer.h"
#include "warpline/diff.h"

/* Per update, for totals of a launch; as it is for what a multiprocessor or a wave holds. */
double wl_diff_rate(const wl_prediction *prediction, wl_metric metric, double value);

/* Part names of either side, in order, without repetition; returns how many. */
size_t wl_diff_parts(const wl_value *a, const wl_value *b, const char *names[2 * WL_PARTS_MAX]);

/* Fills diff->reasons from the rest of it. */
void wl_diff_explain(wl_diff *diff);

void wl_diff_text(const wl_diff *diff, wl_buffer *out);
wl_status wl_diff_json(const wl_diff *diff, bool one_line, char **out, wl_error *err);

#endif /* WL_JUDGE_DIFF_H */

/* difference.h - the pieces behind wl_diff_compute. SPDX-License-Identifier: MIT */
#ifndef WL_JUDGE_DIFFERENCE_H
#define WL_JUDGE_DIFFERENCE_H

#include "warpline/diff.h"

/* Per update, for totals of a launch; as it is for what a multiprocessor or a wave holds. */
double wl_diff_rate(const wl_prediction *prediction, wl_metric metric, double value);

/* Part names of either side, in order, without repetition; returns how many. */
size_t wl_diff_parts(const wl_value *a, const wl_value *b, const char *names[2 * WL_PARTS_MAX]);

/* Fills diff->reasons from the rest of it. */
void wl_diff_explain(wl_diff *diff);

#endif /* WL_JUDGE_DIFFERENCE_H */

/* explain_text.h - the words that wl_explain knows besides metrics. SPDX-License-Identifier: MIT */
#ifndef WL_REPORT_TEXT_EXPLAIN_TEXT_H
#define WL_REPORT_TEXT_EXPLAIN_TEXT_H

#include "base/buffer.h"
#include "warpline/metrics.h"

/* A list of them, for people. */
void wl_explain_list(wl_buffer *out);

/* A metric in full. */
void wl_metric_explain(wl_metric metric, wl_buffer *out);

#endif /* WL_REPORT_TEXT_EXPLAIN_TEXT_H */

/* answer_words.h - the sentences of a short answer, which the first lines of a page share: how
 * fast, what limits it, what would help, how far to trust it. Each is a part of a line, without a
 * full stop.
 * SPDX-License-Identifier: MIT */
#ifndef WL_REPORT_COMMON_ANSWER_WORDS_H
#define WL_REPORT_COMMON_ANSWER_WORDS_H

#include "base/buffer.h"
#include "roofline/limit_words.h"
#include "warpline/advise.h"

/* "176 Gelem/s, 352 GFLOP/s"; a launch that takes time. */
void wl_answer_rate(const wl_limited *launch, wl_buffer *out);
/* "DRAM bandwidth, 98 % of the time (91 % of peak); next: latency of the L2, 10 %". The first words
 * are marked, if marks are wanted. */
void wl_answer_limit(const wl_limited *launch, const wl_explanation *explanation, wl_buffer *out);
/* "7.0 GB loaded (2.6 x the least), 1.1 GB stored (the least)" */
void wl_answer_volumes(const wl_prediction *prediction, wl_metric load, wl_metric store, wl_buffer *out);
/* "dst[0,0]: .. (heat.cu:14); with ..: 1.2 ms, 30 % less"; the cause has a change. */
void wl_answer_cause(const wl_cause *cause, wl_buffer *out);
/* "--block 32x4x2: 1.2 ms, 30 % less" */
void wl_answer_advice(const wl_advice *advice, wl_buffer *out);
/* "mean error of times 6 %, measured on this GPU; counts sampled within 0.4 %" */
void wl_answer_trust(const wl_limited *launch, wl_buffer *out);

#endif /* WL_REPORT_COMMON_ANSWER_WORDS_H */

/* limit_words.h - what limits a predicted launch, in the words of a CUDA programmer, and how much
 * of its peak that unit reaches.
 *
 * Layer  roofline (uses model).
 * SPDX-License-Identifier: MIT */
#ifndef WL_ROOFLINE_LIMIT_WORDS_H
#define WL_ROOFLINE_LIMIT_WORDS_H

#include "model/explanation.h"
#include "roofline/roofline_internal.h"

/* A launch that was predicted. */
typedef struct wl_limited {
    const wl_prediction *prediction;
    const wl_kernel *kernel;
    const wl_device *device;
} wl_limited;

/* "DRAM bandwidth", "latency of the L2" */
const char *wl_limit_words(const wl_limited *launch, const wl_explanation *explanation, wl_bound_id bound);
/* What helps: "only moving fewer bytes helps: .." */
const char *wl_limit_remedy(const wl_limited *launch, wl_bound_id bound);

/* How much of the peak of that unit the launch reaches; false if it has none. */
bool wl_limit_of_peak(const wl_limited *launch, wl_bound_id bound, double *share);
/* What a predicted launch uses, as wl_uses; but of DRAM relative to the data sheet, so that no
 * share is above 1, and of the L1 the share of its busiest stage, as in Nsight Compute: bytes
 * alone do not show what uncoalesced accesses cost. */
int wl_uses_predicted(const wl_limited *launch, wl_ceilings *ceilings, wl_use out[WL_USES_MAX]);

#endif /* WL_ROOFLINE_LIMIT_WORDS_H */

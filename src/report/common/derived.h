/* derived.h - figures derived from metrics, shared by text and JSON.
 * SPDX-License-Identifier: MIT */
#ifndef WL_REPORT_COMMON_DERIVED_H
#define WL_REPORT_COMMON_DERIVED_H

#include "report/common/prediction_report.h"

typedef enum wl_derived_id {
    WL_SECTORS_PER_LOAD,
    WL_SECTORS_PER_STORE,
    WL_WAVEFRONTS_PER_SHARED, /* 1: no bank conflicts */
    WL_LANES_ACTIVE,          /* of a warp instruction, on average */
    WL_FLOPS_PER_DRAM_BYTE,   /* arithmetic intensity */
    WL_FLOPS_PER_L2_BYTE,
    WL_FLOPS_PER_L1_BYTE,
    WL_DERIVED_COUNT
} wl_derived_id;
const char *wl_derived_name(wl_derived_id id);

/* False: a metric is unknown, or the divisor is 0. */
bool wl_derived(const wl_report *report, wl_derived_id id, double *value);

#endif /* WL_REPORT_COMMON_DERIVED_H */

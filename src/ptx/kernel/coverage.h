/* coverage.h - how much of a PTX file is supported, operation by operation.
 * Layer  ptx/kernel. SPDX-License-Identifier: MIT */
#ifndef WL_PTX_KERNEL_COVERAGE_H
#define WL_PTX_KERNEL_COVERAGE_H

#include "ptx/module/module.h"
#include "warpline/ptx.h"

typedef struct wl_coverage {
    const wl_ptx_module *module;
    int64_t count[WL_PTX_OP_COUNT][WL_INST_CLASS_COUNT];
    int64_t by_support[3]; /* fully understood instructions, by support */
    int64_t unknown, partial, all;
    int entries, functions;
} wl_coverage;

void wl_coverage_count(const wl_ptx *ptx, wl_coverage *out);
/* "exact", "counted", "ignored", "unknown" */
const char *wl_coverage_support(wl_ptx_op op);
/* The spellings of an operation, and the length of the first. */
const char *wl_coverage_name(wl_ptx_op op);
int wl_coverage_name_length(wl_ptx_op op);

#endif /* WL_PTX_KERNEL_COVERAGE_H */

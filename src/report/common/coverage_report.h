/* coverage_report.h - the renderings behind wl_ptx_coverage. SPDX-License-Identifier: MIT */
#ifndef WL_REPORT_COMMON_COVERAGE_REPORT_H
#define WL_REPORT_COMMON_COVERAGE_REPORT_H

#include "base/buffer.h"
#include "ptx/kernel/coverage.h"

void wl_coverage_text(const wl_coverage *coverage, wl_buffer *out);
wl_status wl_coverage_json(const wl_coverage *coverage, char **out, wl_error *err);

#endif /* WL_REPORT_COMMON_COVERAGE_REPORT_H */

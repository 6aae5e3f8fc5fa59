/* counter_needs.h - which counters a roofline or a comparison needs, and the ncu command that
 * collects them.
 *
 * Layer  report/common. Oracle: tests/unit/test_counters.c. SPDX-License-Identifier: MIT */
#ifndef WL_REPORT_COMMON_COUNTER_NEEDS_H
#define WL_REPORT_COMMON_COUNTER_NEEDS_H

#include "base/buffer.h"
#include "measure/counters.h"
#include "warpline/roofline.h"

/* The purpose of the counters: one bit per kind of roofline, and one for `compare` and `fit`. */
typedef unsigned wl_purpose;
#define WL_PURPOSE_ROOFLINES ((1u << WL_ROOFLINE_KIND_COUNT) - 1)
#define WL_PURPOSE_COMPARE (1u << WL_ROOFLINE_KIND_COUNT)
/* "classic", .., "roofline" (all kinds), "compare"; false for another name. */
bool wl_purpose_find(const char *name, wl_purpose *purpose);

bool wl_tally_is_needed(wl_tally tally, wl_purpose purpose);
/* Sets needed[i] for the counters of counters.def that the purpose needs. */
void wl_counters_needed(wl_purpose purpose, bool needed[WL_COUNTER_COUNT]);
/* "ncu --csv --page raw .. PROGRAM >measured.csv", without a line end; in lines of `width` columns
 * that a shell joins again (0: in one line). */
void wl_counters_command(const bool needed[WL_COUNTER_COUNT], size_t width, wl_buffer *out);

#endif /* WL_REPORT_COMMON_COUNTER_NEEDS_H */

/* gaps.c - see gaps.h. SPDX-License-Identifier: MIT */
#include "kernel/gaps.h"

const char *wl_gap_reason_name(wl_gap_reason reason)
{
    static const char *const names[WL_GAP_REASON_COUNT] = {"uncounted", "trip_count", "branch", "address"};
    return names[reason];
}

/* windows.h - what runs of blocks touch: the part of the traffic that decides what is found again in the L2.
 * Layer  count (uses footprint). SPDX-License-Identifier: MIT */
#ifndef WL_COUNT_WINDOWS_H
#define WL_COUNT_WINDOWS_H

#include "count/traffic.h"

/* Fills the windows, the wave, and what the launch stores; the rest of *out must be there. WL_E_LIMIT when it would
 * take too long. */
wl_status wl_windows_count(const wl_traffic_input *input, wl_counter *counter, wl_traffic *out, wl_error *err);

#endif /* WL_COUNT_WINDOWS_H */

/* windows.h - what runs of blocks touch: the counts behind reuse in the L2.
 *
 * Layer  count (uses footprint). Units: granules and bytes.
 * SPDX-License-Identifier: MIT */
#ifndef WL_COUNT_WINDOWS_H
#define WL_COUNT_WINDOWS_H

#include "count/traffic.h"

/* Fills the windows, the wave and the launch's stores; the rest of *out must be set. WL_E_LIMIT:
 * too expensive. */
wl_status wl_windows_count(const wl_traffic_input *input, wl_counter *counter, wl_traffic *out, wl_error *err);

/* The most granules a side of a field can touch: from its lowest to its highest address, or its
 * size; INFINITY: unknown. */
double wl_windows_most(const wl_traffic_input *input, size_t field, wl_side side, double granule);

#endif /* WL_COUNT_WINDOWS_H */

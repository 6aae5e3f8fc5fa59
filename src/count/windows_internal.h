/* windows_internal.h - shared by the two ways to count windows: in closed form (windows.c), and by
 * waves that are enumerated (windows_waves.c).
 * Layer  count. SPDX-License-Identifier: MIT */
#ifndef WL_COUNT_WINDOWS_INTERNAL_H
#define WL_COUNT_WINDOWS_INTERNAL_H

#include "count/windows.h"

typedef struct wl_window_tally {
    const wl_traffic_input *in;
    wl_counter *counter;
    wl_traffic *out;
    wl_error *err;
    bool differ; /* blocks, by affine conditions */
} wl_window_tally;

void wl_window_add(wl_traffic *out, double blocks, double repeats, int direction);

/* What the launch stores in a field, and which sectors it leaves partially written. */
wl_status wl_window_stored(const wl_window_tally *tally, size_t field);

/* Launches with accesses that are enumerated. */
wl_status wl_windows_count_waves(const wl_window_tally *tally);

#endif /* WL_COUNT_WINDOWS_INTERNAL_H */

/* windows_internal.h - shared by the two ways to count windows: for blocks that are all alike
 * (windows.c), and for blocks that differ by affine conditions (windows_guarded.c).
 * Layer  count. SPDX-License-Identifier: MIT */
#ifndef WL_COUNT_WINDOWS_INTERNAL_H
#define WL_COUNT_WINDOWS_INTERNAL_H

#include "count/windows.h"

typedef struct wl_window_tally {
    const wl_traffic_input *in;
    wl_counter *counter;
    wl_traffic *out;
    wl_error *err;
} wl_window_tally;

void wl_window_add(wl_traffic *out, double blocks, double repeats, int direction);

/* What the launch stores in a field, and which sectors it leaves partially written. */
wl_status wl_window_stored(const wl_window_tally *tally, size_t field);

/* Distinct sectors, fetch units, L2 lines and pages of one side of a field: in one wave, in two, in
 * the launch. */
#define WL_WINDOW_GRANULES 4
typedef struct wl_window_waves {
    double first[WL_WINDOW_GRANULES], both[WL_WINDOW_GRANULES], all[WL_WINDOW_GRANULES];
} wl_window_waves;

/* windows_traced.c: a side with traced accesses, of a kernel with a population. */
bool wl_window_is_traced(const wl_window_tally *tally, size_t field, wl_side side);
wl_status wl_window_traced(const wl_window_tally *tally, size_t field, wl_side side, wl_window_waves *out);

wl_status wl_windows_count_guarded(const wl_window_tally *tally);

#endif /* WL_COUNT_WINDOWS_INTERNAL_H */

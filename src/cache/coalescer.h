/* coalescer.h - merges requests of several multiprocessors before they reach the L2.
 *
 * The multiprocessors of a GPC share a path to the L2. While a request is in flight, others for the
 * same sectors merge with it, up to a maximum. The caller divides time into steps: all requests of
 * one step are in flight together. The table is direct-mapped: a line replaces the one in its
 * entry.
 *
 * Layer  cache. Units: sectors. Oracle  tests/unit/test_simulate_launch.c
 * SPDX-License-Identifier: MIT */
#ifndef WL_CACHE_COALESCER_H
#define WL_CACHE_COALESCER_H

#include <stdbool.h>
#include <stdint.h>

typedef struct wl_coalescer wl_coalescer;

/* For `sms` multiprocessors in so many GPCs; requests: the most that merge into one. NULL: out of
 * memory. */
wl_coalescer *wl_coalescer_new(int64_t sms, int64_t gpcs, int64_t requests);
void wl_coalescer_free(wl_coalescer *coalescer);
void wl_coalescer_next_moment(wl_coalescer *coalescer);
/* Does this request merge with one in flight? Otherwise it is now in flight itself. */
bool wl_coalescer_join(wl_coalescer *coalescer, int64_t sm, uint64_t line, uint32_t sectors);

#endif /* WL_CACHE_COALESCER_H */

/* coalescer.h - requests of several multiprocessors that become one before they reach the L2.
 *
 * A few multiprocessors share a way to the L2. While a request is under way, others for the same
 * sectors join it, up to so many. Time is counted in moments, which the caller ends: what is asked
 * within one is under way at once. The table forgets lines whose place others take.
 *
 * Layer  cache. Units: sectors. Oracle  tests/unit/test_simulate_launch.c
 * SPDX-License-Identifier: MIT */
#ifndef WL_CACHE_COALESCER_H
#define WL_CACHE_COALESCER_H

#include <stdbool.h>
#include <stdint.h>

typedef struct wl_coalescer wl_coalescer;

/* For `sms` multiprocessors; requests: that one stands for. NULL: out of memory. */
wl_coalescer *wl_coalescer_new(int64_t sms, int64_t requests);
void wl_coalescer_free(wl_coalescer *coalescer);
void wl_coalescer_next_moment(wl_coalescer *coalescer);
/* Does this request join one that is under way? Otherwise it is under way itself. */
bool wl_coalescer_join(wl_coalescer *coalescer, int64_t sm, uint64_t line, uint32_t sectors);

#endif /* WL_CACHE_COALESCER_H */

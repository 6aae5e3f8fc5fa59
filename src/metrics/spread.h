/* spread.h - samples spread evenly, the same every time. SPDX-License-Identifier: MIT */
#ifndef WL_METRICS_SPREAD_H
#define WL_METRICS_SPREAD_H

#include <stdint.h>

#define WL_SPREAD_DIMENSIONS 6

/* A whole number below n, the i-th of the sequence of one dimension (0 .. WL_SPREAD_DIMENSIONS-1). */
int64_t wl_spread_below(uint64_t i, int dimension, int64_t n);

/* The i-th of `count` blocks out of `blocks`: all of them in order when count reaches them. */
int64_t wl_sample_block(int64_t i, int64_t count, int64_t blocks);

#endif /* WL_METRICS_SPREAD_H */

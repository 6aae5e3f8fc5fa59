/* spread.h - evenly spread samples, the same in every run.
 *
 * Layer  count.
 * SPDX-License-Identifier: MIT */
#ifndef WL_COUNT_SPREAD_H
#define WL_COUNT_SPREAD_H

#include <stdint.h>

#define WL_SPREAD_DIMENSIONS 6 /* that are spread independently */

/* Additive recurrences with the powers of the root of x^7 = x + 1: low discrepancy in up to six
 * dimensions. */
static const uint64_t wl_spread_steps[WL_SPREAD_DIMENSIONS] = {0xE60E2B722B53AEEBu, 0xCEBD76D9EDB6A8EFu,
                                                               0xB9C9AA3A51D00B65u, 0xA6F5777F6F88983Fu,
                                                               0x9609C71EB7D03F7Au, 0x86D516E50B04AB1Bu};

#define WL_SPREAD_UNIT 4294967296.0 /* 2^32: fractions of this */

/* An integer below n: the i-th of the sequence of one dimension (0 .. WL_SPREAD_DIMENSIONS - 1). */
static inline int64_t wl_spread_below(uint64_t i, int dimension, int64_t n)
{
    const uint64_t fraction = ((i + 1) * wl_spread_steps[dimension]) >> 32;
    if (n <= ((int64_t)1 << 31))
        return (int64_t)((fraction * (uint64_t)n) >> 32);
    return (int64_t)((double)fraction / WL_SPREAD_UNIT * (double)n);
}

/* The i-th of `count` sampled blocks out of `blocks`; all of them, in order, if count reaches
 * them. */
int64_t wl_sample_block(int64_t i, int64_t count, int64_t blocks);

#endif /* WL_COUNT_SPREAD_H */

/* interval.h - interval arithmetic on integers: all values a result can take when its operands lie
 * anywhere in their intervals.
 *
 * Both ends are included. An end at +-WL_FAR means unknown; ends saturate there, so nothing
 * overflows. A result contains every value that can occur but need not be the tightest interval. lo
 * > hi means empty: the facts contradict each other, and any result will do.
 *
 * Layer  base. Oracle: tests/unit/test_interval.c tries all small intervals.
 * SPDX-License-Identifier: MIT */
#ifndef WL_BASE_INTERVAL_H
#define WL_BASE_INTERVAL_H

#include "base/ckd.h"

typedef struct wl_interval {
    int64_t lo, hi;
} wl_interval;

#define WL_FAR ((int64_t)1 << 61)
#define WL_INTERVAL_UNKNOWN ((wl_interval){-WL_FAR, WL_FAR})

static inline wl_interval wl_interval_one(int64_t value) { return (wl_interval){value, value}; }

static inline bool wl_interval_is_known(wl_interval a) { return a.lo > -WL_FAR && a.hi < WL_FAR; }

/* Intersection, and convex hull. */
static inline wl_interval wl_interval_meet(wl_interval a, wl_interval b)
{
    return (wl_interval){wl_max(a.lo, b.lo), wl_min(a.hi, b.hi)};
}
static inline wl_interval wl_interval_join(wl_interval a, wl_interval b)
{
    return (wl_interval){wl_min(a.lo, b.lo), wl_max(a.hi, b.hi)};
}

/* ---- sums and products ---- */

static inline wl_interval wl_interval_clamp(wl_wide lo, wl_wide hi)
{
    return (wl_interval){lo < -WL_FAR  ? -WL_FAR
                         : lo > WL_FAR ? WL_FAR
                                       : (int64_t)lo,
                         hi < -WL_FAR  ? -WL_FAR
                         : hi > WL_FAR ? WL_FAR
                                       : (int64_t)hi};
}

static inline wl_interval wl_interval_add(wl_interval a, wl_interval b)
{
    return wl_interval_clamp((wl_wide)a.lo + b.lo, (wl_wide)a.hi + b.hi);
}

static inline wl_interval wl_interval_sub(wl_interval a, wl_interval b)
{
    return wl_interval_clamp((wl_wide)a.lo - b.hi, (wl_wide)a.hi - b.lo);
}

static inline wl_interval wl_interval_scale(wl_interval a, int64_t k)
{
    return wl_interval_clamp((wl_wide)k * (k > 0 ? a.lo : a.hi), (wl_wide)k * (k > 0 ? a.hi : a.lo));
}

static inline wl_interval wl_interval_mul(wl_interval a, wl_interval b)
{
    const wl_wide corners[4] = {(wl_wide)a.lo * b.lo, (wl_wide)a.lo * b.hi, (wl_wide)a.hi * b.lo, (wl_wide)a.hi * b.hi};
    wl_wide lo = corners[0], hi = corners[0];
    for (int i = 1; i < 4; i++) {
        lo = corners[i] < lo ? corners[i] : lo;
        hi = corners[i] > hi ? corners[i] : hi;
    }
    return wl_interval_clamp(lo, hi);
}

/* ---- floor division; unknown unless the divisor is positive ---- */

static inline wl_interval wl_interval_div(wl_interval a, wl_interval b)
{
    if (b.lo <= 0 || b.hi < b.lo)
        return WL_INTERVAL_UNKNOWN;
    return (wl_interval){a.lo <= -WL_FAR ? -WL_FAR : wl_floor_div(a.lo, a.lo < 0 ? b.lo : b.hi),
                         a.hi >= WL_FAR ? WL_FAR : wl_floor_div(a.hi, a.hi < 0 ? b.hi : b.lo)};
}

static inline wl_interval wl_interval_mod(wl_interval a, wl_interval b)
{
    if (b.lo <= 0)
        return WL_INTERVAL_UNKNOWN;
    if (a.lo >= 0 && a.hi < b.lo)
        return a;
    return (wl_interval){0, a.lo >= 0 ? wl_min(a.hi, b.hi - 1) : b.hi - 1};
}

static inline wl_interval wl_interval_min(wl_interval a, wl_interval b)
{
    return (wl_interval){wl_min(a.lo, b.lo), wl_min(a.hi, b.hi)};
}

static inline wl_interval wl_interval_max(wl_interval a, wl_interval b)
{
    return (wl_interval){wl_max(a.lo, b.lo), wl_max(a.hi, b.hi)};
}

/* ---- bits ---- */

/* The interval of k-bit two's complement numbers that contains both operands, and so any bitwise
 * combination of them. */
static inline wl_interval wl_interval_bits(wl_interval a, wl_interval b)
{
    const wl_interval all = wl_interval_join(a, b);
    const int64_t largest = wl_max(all.hi, ~all.lo); /* never negative */
    const int64_t power = largest > 0 ? (int64_t)2 << wl_log2(largest) : 1;
    if (!wl_interval_is_known(all))
        return WL_INTERVAL_UNKNOWN;
    return (wl_interval){all.lo >= 0 ? 0 : -power, power - 1};
}

static inline wl_interval wl_interval_and(wl_interval a, wl_interval b)
{
    wl_interval bits = wl_interval_bits(a, b);
    if (!wl_interval_is_known(bits))
        return bits;
    if (a.lo >= 0)
        bits = (wl_interval){0, wl_min(bits.hi, a.hi)};
    if (b.lo >= 0)
        bits = (wl_interval){0, wl_min(bits.hi, b.hi)};
    return bits;
}

static inline wl_interval wl_interval_or(wl_interval a, wl_interval b)
{
    wl_interval bits = wl_interval_bits(a, b);
    if (a.lo >= 0 && b.lo >= 0 && wl_interval_is_known(bits))
        bits.lo = wl_max(a.lo, b.lo);
    return bits;
}

static inline wl_interval wl_interval_xor(wl_interval a, wl_interval b) { return wl_interval_bits(a, b); }

#define WL_SHIFT_MAX 62 /* shifts are by 0 to this */

static inline wl_interval wl_interval_shift_left(wl_interval a, wl_interval b)
{
    if (b.lo < 0 || b.hi > WL_SHIFT_MAX || b.hi < b.lo)
        return WL_INTERVAL_UNKNOWN;
    return wl_interval_mul(a, (wl_interval){(int64_t)1 << b.lo, (int64_t)1 << b.hi});
}

/* Rounds down. */
static inline wl_interval wl_interval_shift_right(wl_interval a, wl_interval b)
{
    if (b.lo < 0 || b.hi > WL_SHIFT_MAX || b.hi < b.lo)
        return WL_INTERVAL_UNKNOWN;
    return (wl_interval){a.lo <= -WL_FAR ? -WL_FAR : wl_shift_down(a.lo, (int)(a.lo < 0 ? b.lo : b.hi)),
                         a.hi >= WL_FAR ? WL_FAR : wl_shift_down(a.hi, (int)(a.hi < 0 ? b.hi : b.lo))};
}

/* ---- truth values: 0, 1, or both ---- */

static inline wl_interval wl_interval_less(wl_interval a, wl_interval b)
{
    return (wl_interval){a.hi < b.lo, a.lo < b.hi};
}

static inline wl_interval wl_interval_less_equal(wl_interval a, wl_interval b)
{
    return (wl_interval){a.hi <= b.lo, a.lo <= b.hi};
}

static inline wl_interval wl_interval_equal(wl_interval a, wl_interval b)
{
    return (wl_interval){a.lo == b.hi && a.hi == b.lo, a.lo <= b.hi && b.lo <= a.hi};
}

static inline wl_interval wl_interval_not(wl_interval truth) { return (wl_interval){1 - truth.hi, 1 - truth.lo}; }

/* Is a number different from 0? */
static inline wl_interval wl_interval_truth(wl_interval a)
{
    return wl_interval_not(wl_interval_equal(a, wl_interval_one(0)));
}

#endif /* WL_BASE_INTERVAL_H */

/* ckd.h - integer arithmetic with overflow checks.
 *
 * Addresses and counts are int64_t and stay within +-2^60 once checked, so the sum or difference of
 * two checked values cannot overflow; products go through wl_mul.
 *
 * Layer  base.
 * SPDX-License-Identifier: MIT */
#ifndef WL_BASE_CKD_H
#define WL_BASE_CKD_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

/* Analyzers take it for granted, even in builds that do not check it. */
#ifdef __clang_analyzer__
#define WL_ASSERT(condition) ((condition) ? (void)0 : __builtin_unreachable())
#else
#define WL_ASSERT(condition) assert(condition)
#endif

__extension__ typedef __int128 wl_wide; /* gcc and clang have it on every target we build for */

#define WL_ADDRESS_LIMIT ((int64_t)1 << 60)

static inline bool wl_in_range(int64_t value) { return value > -WL_ADDRESS_LIMIT && value < WL_ADDRESS_LIMIT; }

/* Each returns false and leaves *out alone when the result exceeds +-2^60. */
static inline bool wl_add(int64_t a, int64_t b, int64_t *out)
{
    int64_t r;
    if (__builtin_add_overflow(a, b, &r) || !wl_in_range(r))
        return false;
    *out = r;
    return true;
}

static inline bool wl_mul(int64_t a, int64_t b, int64_t *out)
{
    int64_t r;
    if (__builtin_mul_overflow(a, b, &r) || !wl_in_range(r))
        return false;
    *out = r;
    return true;
}

/* Floor division; b > 0. Halos make addresses negative, where C's division rounds towards zero. */
static inline int64_t wl_floor_div(int64_t a, int64_t b)
{
    const int64_t q = a / b;
    return q - (a % b < 0);
}

static inline int64_t wl_floor_mod(int64_t a, int64_t b)
{
    const int64_t r = a % b;
    return r < 0 ? r + b : r;
}

static inline int64_t wl_ceil_div(int64_t a, int64_t b) { return -wl_floor_div(-a, b); }

/* a / b for a >= 0 and b > 0, for inner loops: many quotients are 0, and processors may divide 32
 * bits several times as fast as 64. */
static inline int64_t wl_divide(int64_t a, int64_t b)
{
    WL_ASSERT(b > 0);
    if (a < b)
        return 0;
    if ((uint64_t)(a | b) >> 32 == 0)
        return (int64_t)((uint32_t)a / (uint32_t)b);
    return a / b;
}

static inline int64_t wl_round_up(int64_t a, int64_t b) { return wl_ceil_div(a, b) * b; }

static inline int64_t wl_gcd(int64_t a, int64_t b)
{
    if (a < 0)
        a = -a;
    if (b < 0)
        b = -b;
    while (b) {
        const int64_t r = a % b;
        a = b;
        b = r;
    }
    return a;
}

static inline int64_t wl_min(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t wl_max(int64_t a, int64_t b) { return a > b ? a : b; }
static inline bool wl_is_pow2(int64_t a) { return a > 0 && (a & (a - 1)) == 0; }
static inline int wl_log2(int64_t pow2) { return 63 - __builtin_clzll((unsigned long long)pow2); }

/* Floor of a / 2^shift. Halo addresses may be negative; gcc and clang shift arithmetically. */
_Static_assert((-3 >> 1) == -2, "right shift of a negative number must round down");
static inline int64_t wl_shift_down(int64_t a, int shift) { return a >> shift; }

#endif /* WL_BASE_CKD_H */

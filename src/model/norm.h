/* norm.h - combines two times that overlap: at least the larger one, and more the closer they are
 * to each other.
 * Layer  model. SPDX-License-Identifier: MIT */
#ifndef WL_MODEL_NORM_H
#define WL_MODEL_NORM_H

#include <math.h>

/* (a^p + b^p)^(1/p); neither is negative. */
static inline double wl_norm2(double a, double b, double p)
{
    const double most = a > b ? a : b, least = a > b ? b : a;
    return least > 0 ? most * pow(1 + pow(least / most, p), 1 / p) : most;
}

/* The p with which the work of others hides a wait: 2 of two blocks; many average out. */
static inline double wl_hiding_norm(double blocks, double growth)
{
    return blocks > 2 ? 2 * pow(blocks / 2, growth) : 2;
}

#endif /* WL_MODEL_NORM_H */

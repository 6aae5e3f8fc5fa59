/* norm.h - combines two times that overlap: at least the larger one, and more the closer they are
 * to each other.
 * Layer  model. SPDX-License-Identifier: MIT */
#ifndef WL_MODEL_NORM_H
#define WL_MODEL_NORM_H

#include <math.h>

static inline double wl_norm2(double a, double b, double p) { return pow(pow(a, p) + pow(b, p), 1 / p); }

/* The p with which the work of others hides a wait: 2 of two blocks; many average out. */
static inline double wl_hiding_norm(double blocks, double growth) { return 2 * pow(fmax(1, blocks / 2), growth); }

#endif /* WL_MODEL_NORM_H */

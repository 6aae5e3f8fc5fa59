/* norm.h - combines two times that overlap: at least the larger one, and more the closer they are
 * to each other.
 * Layer  model. SPDX-License-Identifier: MIT */
#ifndef WL_MODEL_NORM_H
#define WL_MODEL_NORM_H

#include <math.h>

static inline double wl_norm2(double a, double b, double p) { return pow(pow(a, p) + pow(b, p), 1 / p); }

#endif /* WL_MODEL_NORM_H */

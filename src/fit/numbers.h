/* numbers.h - which device numbers determine which target, and where a fit starts.
 *
 * Layer  fit. Units: base units of the keys. Oracle: tests/unit/test_fit.c.
 * SPDX-License-Identifier: MIT */
#ifndef WL_FIT_NUMBERS_H
#define WL_FIT_NUMBERS_H

#include "fit/fit_internal.h"

typedef struct wl_fit_spec {
    wl_fit_target target;
    wl_device_key key;
    size_t index;
    /* The neutral start of a number that affects only few kernels. If it affects no launch of the
     * fit, the device keeps its own value; if it affects one, a device without the number gets it.
     * 0: always fitted, from wl_fit_start. */
    double if_shown;
} wl_fit_spec;

extern const wl_fit_spec wl_fit_specs[];
extern const size_t wl_fit_spec_count;

/* The neutral start, from sizes, latencies and bandwidths of the device. */
double wl_fit_start(const wl_device *device, const wl_fit_spec *spec);

#endif /* WL_FIT_NUMBERS_H */

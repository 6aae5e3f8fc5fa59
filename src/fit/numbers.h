/* numbers.h - which numbers decide which target, and where a fit starts. SPDX-License-Identifier: MIT */
#ifndef WL_FIT_NUMBERS_H
#define WL_FIT_NUMBERS_H

#include "warpline/fit.h"

typedef struct wl_fit_spec {
    wl_fit_target target;
    wl_device_key key;
    size_t index;
} wl_fit_spec;

extern const wl_fit_spec wl_fit_specs[];
extern const size_t wl_fit_spec_count;

/* The neutral value: from sizes, latencies and bandwidths of the device. */
double wl_fit_start(const wl_device *device, const wl_fit_spec *spec);

#endif /* WL_FIT_NUMBERS_H */

/* profile_internal.h - a profile as writers see it.
 *
 * Layer  profile (uses recording, and what predicts). SPDX-License-Identifier: MIT */
#ifndef WL_PROFILE_PROFILE_INTERNAL_H
#define WL_PROFILE_PROFILE_INTERNAL_H

#include "warpline/program_profile.h"

/* Launches that are predicted alike. */
typedef struct wl_profile_kind {
    size_t launch; /* the first */
    wl_launch needs;
    wl_prediction *prediction; /* NULL: refused, because */
    char reason[WL_MESSAGE_MAX + WL_INPUT_NAME_MAX];
    wl_tallies tallies;
} wl_profile_kind;

/* When an event of the recording happens, in seconds from the first. */
typedef struct wl_profile_span {
    size_t event;
    double start_s, end_s;
} wl_profile_span;

struct wl_profile {
    const wl_recording *recording;
    const wl_device *device;
    wl_profile_kind *kinds;
    size_t *kind_of; /* launch by launch */
    size_t kind_count, launch_count;
    wl_profile_kernel *kernels;
    size_t kernel_count;
    wl_profile_span *spans; /* of launches, copies and memsets, in the order of events */
    size_t span_count;
    wl_profile_times times;
};

/* Fills spans and the time of the program; everything else is there. */
wl_status wl_profile_order(wl_profile *profile, wl_error *err);

#endif /* WL_PROFILE_PROFILE_INTERNAL_H */

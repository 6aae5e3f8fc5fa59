/* program_profile.h - the profile of a recorded program: its launches predicted on a device, by
 * kernel, and how long the program takes with its copies. SPDX-License-Identifier: MIT */
#ifndef WL_PROGRAM_PROFILE_H
#define WL_PROGRAM_PROFILE_H

#include "warpline/predict.h"
#include "warpline/recording.h"
#include "warpline/tallies.h"

typedef struct wl_profile_options {
    wl_predict_options predict;
    double effort;  /* seconds to emulate one launch, approximately; 0: 0.1 */
    int64_t budget; /* as wl_ptx_options */
    int threads;    /* 0: what OpenMP takes by default */
    /* Sets registers, or shared memory, of the kernel of a launch, where they are known; NULL: from
     * PTX. Called before anything is predicted. */
    void (*needs)(void *user, const wl_recorded_launch *launch, wl_launch *needs);
    void *user;
} wl_profile_options;

/* Launches of one kind are predicted once. Those that cannot be are in the profile with their
 * reason. The recording must outlive it. WL_E_NOMEM; WL_E_INPUT: there is no launch. */
typedef struct wl_profile wl_profile;
WL_FALLIBLE wl_profile_make(wl_recording *recording, const wl_device *device, const wl_profile_options *options,
                            wl_profile **out, wl_error *err);
WL_API void wl_profile_free(wl_profile *profile);

/* One kernel, over all of its launches that were predicted. */
typedef struct wl_profile_kernel {
    const char *name;
    size_t calls, predicted, like; /* like: of these, not kept (recording.h) */
    double total_s, least_s, most_s;
    double measured_s;               /* of all calls, where they were recorded; else negative */
    size_t launch;                   /* the first of the kind that takes most of the time; of it: */
    wl_bound_id limiter;             /* what limits it, */
    double of_peak;                  /* the share of the time that this alone would take, */
    const wl_prediction *prediction; /* or NULL: ... */
    const char *reason;              /* ... why one of the launches was not predicted, or NULL */
} wl_profile_kernel;
/* By total time; NULL beyond the last. */
WL_API const wl_profile_kernel *wl_profile_kernel_at(const wl_profile *profile, size_t index);

/* The prediction of a launch, without shares and lines, and what it counts; NULL: *reason says why
 * there is none. */
WL_API const wl_prediction *wl_profile_launch(const wl_profile *profile, size_t launch, const char **reason);
WL_API const wl_tallies *wl_profile_tallies(const wl_profile *profile, size_t launch);

/* Sums in seconds. The program: streams wait as they did, kernels run one at a time, and a copy in
 * each direction beside them. */
typedef struct wl_profile_times {
    double kernels_s, copies_s, memsets_s, program_s;
    size_t refused; /* launches without a prediction: no part of any sum */
    size_t copies[WL_COPY_COUNT];
    int64_t copied_bytes[WL_COPY_COUNT];
    bool no_link; /* copies took no time: the device has no host_bandwidth */
} wl_profile_times;
WL_API const wl_profile_times *wl_profile_times_of(const wl_profile *profile);
WL_API const wl_device *wl_profile_device(const wl_profile *profile);

#endif /* WL_PROGRAM_PROFILE_H */

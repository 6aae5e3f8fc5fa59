/* changes.h - the changes to one launch that are worth trying.
 *
 * Layer  search. Oracle: tests/unit/test_advise.c.
 * SPDX-License-Identifier: MIT */
#ifndef WL_SEARCH_CHANGES_H
#define WL_SEARCH_CHANGES_H

#include "metrics/prediction.h"
#include "warpline/advise.h"

/* A launch, and the layout of the kernel's fields. */
typedef struct wl_setting {
    wl_launch launch;
    wl_layout layout;
} wl_setting;

typedef struct wl_study {
    const wl_kernel *kernel; /* as given */
    const wl_device *device;
    wl_advise_options options;
    wl_launch given; /* with everything filled in */
    bool costly;     /* accesses are enumerated: a prediction takes long */
} wl_study;

bool wl_is_costly(const wl_prediction *prediction);
bool wl_layout_is_plain(const wl_layout *layout);

/* May the block change? No if the algorithm depends on it and the kernel does not state which
 * blocks work, or if the grid is given. */
bool wl_block_is_free(const wl_kernel *kernel, const wl_launch *launch);

/* The fastest launch with the folding of `from`, or with any other folding of the default space;
 * *found is false if there is none. The layout of `kernel` is changed already. A costly study tries
 * only blocks of WL_COSTLY_THREADS. */
#define WL_COSTLY_THREADS "128,256,512,1024"
wl_status wl_fastest_block(const wl_study *study, const wl_kernel *kernel, const wl_device *device,
                           const wl_launch *from, bool same_fold, wl_launch *out, bool *found, wl_error *err);

/* Settings that differ from `from` by one change of this kind, the easiest first; `p` is the
 * prediction of `from`. Returns their number; 0 for blocks and foldings, which wl_fastest_block
 * searches. */
#define WL_SETTINGS_MAX 16
size_t wl_settings_of(const wl_study *study, wl_change change, const wl_setting *from, const wl_prediction *p,
                      wl_setting settings[WL_SETTINGS_MAX]);

#endif /* WL_SEARCH_CHANGES_H */

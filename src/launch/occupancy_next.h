/* occupancy_next.h - what one more resident block would take. Layer  launch. SPDX-License-Identifier: MIT */
#ifndef WL_LAUNCH_OCCUPANCY_NEXT_H
#define WL_LAUNCH_OCCUPANCY_NEXT_H

#include "warpline/launch.h"

/* What one number alone would have to become for one more block per multiprocessor; -1 where it cannot help. */
typedef struct wl_occupancy_step {
    int64_t registers, shared_bytes, threads;
} wl_occupancy_step;

wl_status wl_occupancy_next(const wl_device *device, int64_t threads, int64_t registers, int64_t shared_bytes,
                            wl_occupancy_step *out, wl_error *err);

#endif /* WL_LAUNCH_OCCUPANCY_NEXT_H */

/* occupancy_next.h - the resources at which one more block would be resident.
 *
 * Layer  launch. Oracle: tests/unit/test_occupancy.c.
 * SPDX-License-Identifier: MIT */
#ifndef WL_LAUNCH_OCCUPANCY_NEXT_H
#define WL_LAUNCH_OCCUPANCY_NEXT_H

#include "warpline/launch.h"

/* What each number alone would have to become for one more block per multiprocessor; -1 if it
 * cannot help. */
typedef struct wl_occupancy_step {
    int64_t registers, shared_bytes, threads;
} wl_occupancy_step;

wl_status wl_occupancy_next(const wl_device *device, int64_t threads, int64_t registers, int64_t shared_bytes,
                            wl_occupancy_step *out, wl_error *err);

#define WL_OCCUPANCY_STEPS 4 /* further blocks per multiprocessor that are worth a try */
#define WL_KEPT_SHARED 0.5   /* of the shared memory given, that a change must leave */

/* Lists the numbers of registers, or of bytes of shared memory, at which one more block fits, and
 * further ones, in descending order. The first additional block may take any reduction; further
 * ones must leave the kernel a good part of what it has now. Returns how many there are. */
size_t wl_fewer_registers(const wl_device *device, int64_t threads, int64_t registers, int64_t shared_bytes,
                          int64_t given, int64_t out[WL_OCCUPANCY_STEPS]);
size_t wl_less_shared(const wl_device *device, int64_t threads, int64_t registers, int64_t shared_bytes, int64_t given,
                      int64_t out[WL_OCCUPANCY_STEPS]);

#endif /* WL_LAUNCH_OCCUPANCY_NEXT_H */

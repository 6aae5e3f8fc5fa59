/* local_volumes.h - what the local memory of threads adds to the volumes beyond the L1.
 *
 * Places are given to resident threads, and later ones find them in the caches: nothing is compulsory.
 * Stores are written through to the L2, each instruction's sectors. Loads find what their warp stored
 * in the L1 as far as the regions of the resident warps fit there, then in the L2.
 *
 * Layer  laws (uses count). Maths  docs/model.md, "Local memory". SPDX-License-Identifier: MIT */
#ifndef WL_LAWS_LOCAL_VOLUMES_H
#define WL_LAWS_LOCAL_VOLUMES_H

#include "count/local_count.h"
#include "laws/volumes.h"

/* Adds to the volumes and requests of the fields. */
void wl_local_volumes(const wl_local *local, const wl_geometry *launched, const wl_device *device, wl_volumes *out);

#endif /* WL_LAWS_LOCAL_VOLUMES_H */

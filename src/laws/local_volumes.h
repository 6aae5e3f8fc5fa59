/* local_volumes.h - L2 and DRAM traffic of local memory.
 *
 * Local memory belongs to resident threads, and later threads reuse it, so nothing is compulsory.
 * Stores write through to the L2, sector by sector. Loads hit in the L1 as far as the regions of
 * the resident warps fit, then in the L2.
 *
 * Layer  laws (uses count). Units: bytes per launch.
 * Maths  docs/model.md, "Local memory". Oracle: tests/unit/test_local.c
 * SPDX-License-Identifier: MIT */
#ifndef WL_LAWS_LOCAL_VOLUMES_H
#define WL_LAWS_LOCAL_VOLUMES_H

#include "count/local_count.h"
#include "laws/traffic_laws.h"
#include "laws/volumes.h"

/* Adds to the volumes and requests of the fields. */
void wl_local_volumes(const wl_local *local, const wl_geometry *launched, const wl_device *device, const wl_laws *laws,
                      wl_volumes *out);

#endif /* WL_LAWS_LOCAL_VOLUMES_H */

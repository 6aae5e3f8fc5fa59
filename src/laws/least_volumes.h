/* least_volumes.h - lower bounds of the DRAM volumes of a launch whose volumes cannot be counted.
 *
 * Accesses with a closed form are counted. For enumerated accesses, a sample of blocks shows what a
 * block touches, and how much of it other blocks touch as well. If B is the sum over all blocks and
 * a granule of a block is shared by m blocks on average, the launch touches at least B / m granules
 * (Jensen); but never more than there are between the lowest and the highest address, or in the
 * buffer.
 *
 * Layer  laws (uses count). Units: bytes per launch. Maths: docs/model.md, "Unknown volumes".
 * Oracle  tests/unit/test_least_volumes.c
 * SPDX-License-Identifier: MIT */
#ifndef WL_LAWS_LEAST_VOLUMES_H
#define WL_LAWS_LEAST_VOLUMES_H

#include "count/traffic.h"

/* Of all fields: loads, stores. */
wl_status wl_least_volumes(const wl_traffic_input *input, wl_counter *counter, double bytes[2], wl_error *err);

/* Bytes of all elements that the launch loads, and that it stores, each element once: what caches
 * without limits would move. */
wl_status wl_distinct_bytes(const wl_traffic_input *input, wl_counter *counter, double bytes[2], wl_error *err);

#endif /* WL_LAWS_LEAST_VOLUMES_H */

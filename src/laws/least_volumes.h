/* least_volumes.h - the least that a launch moves to and from DRAM, where its volumes cannot be
 * counted.
 *
 * Closed forms are counted. Of enumerated accesses, what a sample of blocks touches is known, and
 * how much of it other blocks touch, too. If B is the sum over all blocks and a granule of a block
 * is shared by m blocks on average, the launch touches at least B / m granules (Jensen); never more
 * than lie between the lowest and the highest address, or in the buffer.
 *
 * Layer  laws (uses count). Units: bytes per launch. Maths: docs/model.md, "Unknown volumes".
 * Oracle  tests/unit/test_least_volumes.c
 * SPDX-License-Identifier: MIT */
#ifndef WL_LAWS_LEAST_VOLUMES_H
#define WL_LAWS_LEAST_VOLUMES_H

#include "count/traffic.h"

/* Of all fields: loads, stores. */
wl_status wl_least_volumes(const wl_traffic_input *input, wl_counter *counter, double bytes[2], wl_error *err);

/* Bytes of all elements that the launch loads, and that it stores, each element once: what caches without limits
 * would move. */
wl_status wl_distinct_bytes(const wl_traffic_input *input, wl_counter *counter, double bytes[2], wl_error *err);

#endif /* WL_LAWS_LEAST_VOLUMES_H */

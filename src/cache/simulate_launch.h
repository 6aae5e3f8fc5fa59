/* simulate_launch.h - the traffic of a launch by simulating its caches, without a fitted number.
 *
 * Blocks are assigned to multiprocessors in launch order, one each in turn; resident blocks run
 * concurrently, and their warps take turns: a warp issues loads until the values in flight fill its
 * registers. A multiprocessor takes its next blocks when all of these have ended. Of a launch that
 * is too long, only the beginning is simulated, if necessary on a few multiprocessors with their
 * share of the L2. The second half of the simulated part is extrapolated to the rest.
 *
 * Layer  cache (uses base, device, kernel, launch). Units: bytes and sectors of the whole launch.
 * Maths  docs/schedule.md, "Cache simulator". Oracle  tests/unit/test_simulate_launch.c
 * SPDX-License-Identifier: MIT */
#ifndef WL_CACHE_SIMULATE_LAUNCH_H
#define WL_CACHE_SIMULATE_LAUNCH_H

#include "cache/cache.h"
#include "launch/geometry.h"

/* Of one field, in bytes of the whole launch. */
typedef struct wl_simulated_field {
    double l2_load, l2_store, dram_load;
} wl_simulated_field;

typedef struct wl_simulate_options {
    /* the most to evaluate; 0: as many as take a few seconds. Those of the blocks of one
     * multiprocessor always are */
    int64_t addresses;
    wl_policy policy; /* of the L1s, which are fully associative */
    uint64_t seed;
    /* instructions that a warp issues before the next warp's turn; 0: its registers limit them */
    int64_t turn;
    wl_simulated_field *fields; /* one for each field of the kernel, filled; NULL: not wanted */
} wl_simulate_options;

typedef struct wl_simulated {
    int64_t blocks, simulated; /* simulated: fewer where it is a sample */
    int64_t sms, simulated_sms;
    int64_t generations; /* sets of resident blocks that each of them ran, one after the other */
    double addresses;    /* evaluated */
    /* The first half replaced as many lines as the L2 has: the second half then sees all reuse that
     * an L2 can give, so that DRAM volumes of a sample are meaningful. */
    bool l2_filled;
    /* launch totals */
    double l1_load_sectors, l1_load_hits; /* requested from the L1s; hits */
    double l2_load_bytes, l2_store_bytes; /* between L2 and L1 */
    /* of the loaded sectors, those that hit the L2 */
    double l2_load_hits;
    double dram_load_bytes, dram_store_bytes; /* stored: including all that is dirty at the end */
    double dirty_bytes;                       /* of these, what is in the L2 when the launch ends */
} wl_simulated;

/* WL_E_UNSUPPORTED: lines of too many sectors. WL_E_LIMIT: the blocks of one multiprocessor alone
 * have too many addresses. */
wl_status wl_simulate_launch(const wl_kernel *kernel, const wl_device *device, const wl_geometry *geometry,
                             const wl_simulate_options *options, wl_simulated *out, wl_error *err);

#endif /* WL_CACHE_SIMULATE_LAUNCH_H */

/* reloads.h - reloads of a block: how many miss the L1, and how many of those the L2.
 *
 * Reloads at about the same moment, mostly by other warps, follow a fitted curve of the working set
 * against the L1. Reuse after a run of steps (the next pass over a row) follows from the
 * replacement policy of the replay (replay/l1_replay.h): a missing line replaces the older of two
 * random ones. Nothing there is fitted.
 *
 * Layer  laws. Units: sectors, shares. Maths: docs/model.md, "Measured laws". Oracle:
 * tests/property/prop_passes.c.
 * SPDX-License-Identifier: MIT */
#ifndef WL_LAWS_RELOADS_H
#define WL_LAWS_RELOADS_H

#include "laws/traffic_laws.h"

typedef struct wl_reloads {
    double fetched; /* sectors that miss the L1, including those of the first pass */
    double rate;    /* share of what is requested again that misses the L1 */
    /* share of what the shortest runs of steps request again that misses the L1 */
    double at_once;
    /* of the data that a run of so many steps reuses from shorter runs, the share that misses the
     * L1 */
    double missed[WL_STEPS_MAX];
    double missed_own[WL_STEPS_MAX]; /* the same for data that the warp itself has loaded before */
    double through[WL_STEPS_MAX];    /* the share of `missed` which misses the L2, too */
} wl_reloads;

wl_reloads wl_reloads_find(const wl_traffic *traffic, const wl_laws *laws);

/* Sectors of one field that are loaded again. */
double wl_reloads_of(const wl_reloads *reloads, const wl_traffic *traffic, const wl_field_traffic *field);

/* Of these, sectors that come from DRAM again. */
double wl_reloads_from_dram(const wl_reloads *reloads, const wl_traffic *traffic, const wl_field_traffic *field);

/* Share of lines that have been evicted once so many others (relative to the size of the cache)
 * have been touched; a share `fresh` of the others missed, and each miss evicted a line. */
double wl_reloads_gone(double touched, double fresh);

/* The same share where every pass touches so many lines again, and those that are gone are the
 * ones that miss. */
double wl_reloads_gone_in_passes(double touched);

#endif /* WL_LAWS_RELOADS_H */

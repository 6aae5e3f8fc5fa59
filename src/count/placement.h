/* placement.h - a pattern of lanes at one alignment: the lines it touches, and what the tag hash
 * makes of them.
 *
 * The lanes of one group on one line form a part, a set of banks: their words differ in bank or are
 * the same. So a tag wavefront's data wavefronts are, per group, the most parts on one bank.
 *
 * Layer  count. Units: bytes; costs per warp instruction.
 * Oracle  wl_warp_tag_cost, lane by lane: tests/unit/test_kept.c, tests/property/prop_warps.c
 * SPDX-License-Identifier: MIT */
#ifndef WL_COUNT_PLACEMENT_H
#define WL_COUNT_PLACEMENT_H

#include "count/warp_law.h"

/* The active lanes of a warp and their distances from the first. */
typedef struct wl_arrangement {
    int32_t width; /* bytes per lane */
    int lanes;
    uint8_t lane[WL_LANES_MAX];
    int64_t relative[WL_LANES_MAX]; /* bytes from the first active lane */
} wl_arrangement;

/* Lanes of one group that follow each other in memory without a gap. */
typedef struct wl_segment {
    int64_t first; /* bytes from the first active lane */
    int32_t bytes;
    uint8_t group;
} wl_segment;
typedef struct wl_segments {
    int count; /* 0: lanes are not aligned to their width, so some may cross lines */
    wl_segment list[WL_LANES_MAX];
} wl_segments;
void wl_segments_make(const wl_l1_rules *rules, const wl_arrangement *lanes, wl_segments *out);

typedef struct wl_placement {
    bool known; /* otherwise lanes share words and cross lines: evaluate them one by one */
    int lines, parts, groups;
    int64_t line[WL_LANES_MAX];                            /* relative to that of address 0, in lane order */
    uint8_t line_of[WL_LANES_MAX], group_of[WL_LANES_MAX]; /* of each part */
    uint64_t banks[WL_LANES_MAX];                          /* of each part, as bits */
} wl_placement;

/* The first lane is at address `alignment`. separate: no two lanes share a bank word. */
void wl_placement_make(const wl_l1_rules *rules, const wl_arrangement *lanes, const wl_segments *segments,
                       bool separate, int64_t alignment, wl_placement *out);

/* The tag wavefront that looks up each line, with address 0 at line `base`; returns their number. */
int wl_placement_rank(const wl_l1_rules *rules, const wl_placement *placement, int64_t base,
                      uint8_t rank[WL_LANES_MAX]);

/* Data wavefronts of a known placement whose lines are looked up by these tag wavefronts. */
int wl_placement_wavefronts(const wl_placement *placement, const uint8_t rank[WL_LANES_MAX], int tags);

#endif /* WL_COUNT_PLACEMENT_H */

/* pattern.h - the lanes of a warp relative to each other, and what they cost in the L1 at a given address.
 *
 * Warps of a block whose lanes are arranged alike share one pattern; so do all blocks that the domain's edge cuts off
 * in the same way. Costs that depend on the alignment only are computed once per alignment and kept.
 *
 * Layer  metrics (uses footprint, launch). SPDX-License-Identifier: MIT */
#ifndef WL_METRICS_PATTERN_H
#define WL_METRICS_PATTERN_H

#include "metrics/instructions.h"
#include "metrics/warp_law.h"

#define WL_WARPS_MAX 128  /* warps of the largest block: 4096 threads, 32 lanes */
#define WL_PERIOD_MAX 256 /* L1 costs repeat with the line or the bank row, whichever is longer */
#define WL_FEW_LINES 5    /* with so few, the cost of every subset is kept */
#define WL_PLACEMENTS 16  /* alignments of a pattern kept at hand */

/* What patterns are made from. */
typedef struct wl_pattern_context {
    const wl_geometry *geometry;
    const wl_l1_rules *rules;
    int64_t period; /* of the alignments that matter */
} wl_pattern_context;

/* A pattern at one alignment: which lines, relative to that of the first lane, its lanes touch, and which banks. */
typedef struct wl_placement {
    int64_t alignment; /* -1: none */
    int lines;
    int64_t line[WL_LANES_MAX];
    uint8_t line_of[WL_LANES_MAX], bank_of[WL_LANES_MAX];
    int alone; /* data wavefronts with every line on its own: the most there can be; -1: not computed yet */
    int8_t together[1 << WL_FEW_LINES]; /* data wavefronts of some of the lines, by bit set; -1: not computed yet */
} wl_placement;

/* One or more warps of a block whose lanes are arranged alike. */
typedef struct wl_pattern {
    int lanes;
    uint8_t lane[WL_LANES_MAX];
    int64_t relative[WL_LANES_MAX]; /* bytes from the first active lane */
    int64_t span;                   /* from the lowest lane to the highest */
    bool separate;                  /* no two lanes share a bank word */
    int warps;
    int64_t start[WL_WARPS_MAX]; /* of each warp: bytes from thread 0 of the block to its first active lane */
    int16_t sectors[WL_PERIOD_MAX], hit[WL_PERIOD_MAX]; /* by alignment of the first lane; -1: not computed yet */
    wl_warp_written written[WL_PERIOD_MAX];             /* the same; sectors 0: not computed yet */
    wl_placement placements[WL_PLACEMENTS];
} wl_pattern;

/* All warps of a block of this class that need an instruction of these folded cells, gathered into different patterns.
 * patterns has room for WL_WARPS_MAX; returns how many there are. */
int wl_patterns_gather(const wl_pattern_context *context, const wl_instruction_group *group, const wl_block_class *c,
                       uint64_t cells, wl_pattern *patterns);

/* Fills sectors[alignment] and hit[alignment]. */
void wl_pattern_cost(const wl_pattern_context *context, wl_pattern *p, int32_t width, int64_t alignment);

/* What a store writes at this alignment. */
const wl_warp_written *wl_pattern_written(const wl_pattern_context *context, wl_pattern *p, int32_t width,
                                          int64_t alignment);

/* By the tag-hash law, with the first lane at this address. */
wl_tag_cost wl_pattern_tag_cost(const wl_pattern_context *context, wl_pattern *p, int32_t width, int64_t address);

#endif /* WL_METRICS_PATTERN_H */

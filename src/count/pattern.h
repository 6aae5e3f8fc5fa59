/* pattern.h - the lanes of a warp relative to each other, and what they cost in the L1 at a given address.
 *
 * Warps whose lanes are arranged alike share one pattern, whatever block and launch they belong to. Costs that depend
 * on the alignment only are computed once per alignment and kept.
 *
 * Layer  count (uses footprint, launch). SPDX-License-Identifier: MIT */
#ifndef WL_COUNT_PATTERN_H
#define WL_COUNT_PATTERN_H

#include "count/instructions.h"
#include "count/warp_law.h"

#define WL_WARPS_MAX 128  /* warps of the largest block: 4096 threads, 32 lanes */
#define WL_PERIOD_MAX 256 /* L1 costs repeat with the line or the bank row, whichever is longer */
#define WL_FEW_LINES 5    /* with so few, the cost of every subset is kept */
#define WL_PLACEMENTS 256 /* alignments of patterns kept at hand */

/* What patterns are made from. */
typedef struct wl_pattern_context {
    const wl_geometry *geometry;
    const wl_l1_rules *rules;
    int64_t period; /* of the alignments that matter */
    struct wl_pattern_table *table;
} wl_pattern_context;

/* A pattern at one alignment: which lines, relative to that of the first lane, its lanes touch, and which banks. */
typedef struct wl_placement {
    const struct wl_pattern *pattern; /* NULL: none */
    int64_t alignment;
    int lines;
    int64_t line[WL_LANES_MAX];
    uint8_t line_of[WL_LANES_MAX], bank_of[WL_LANES_MAX];
    int alone; /* data wavefronts with every line on its own: the most there can be; -1: not computed yet */
    int8_t together[1 << WL_FEW_LINES]; /* data wavefronts of some of the lines, by bit set; -1: not computed yet */
} wl_placement;

/* Which lanes of a warp take part, and how far they lie from the first of them. */
typedef struct wl_arrangement {
    int32_t width; /* bytes per lane */
    int lanes;
    uint8_t lane[WL_LANES_MAX];
    int64_t relative[WL_LANES_MAX]; /* bytes from the first active lane */
} wl_arrangement;

/* Tag costs by position (tag_window.h): exact, or the mean over many places in memory, over a few, or at a single one.
 */
typedef enum wl_window_kind {
    WL_WINDOW_EXACT,
    WL_WINDOW_MEAN,
    WL_WINDOW_GLANCE,
    WL_WINDOW_BLINK,
    WL_TAG_WINDOWS
} wl_window_kind;
typedef struct wl_pattern_window {
    int64_t bytes; /* 0: none yet */
    float *slots;
} wl_pattern_window;

/* What follows from an arrangement and the rules of the L1, wherever and whenever it is met: kept from launch to launch
 * (pattern_table.h). Costs are filled in as they are asked for. */
typedef struct wl_pattern {
    wl_arrangement lanes;
    wl_runs runs;                   /* its bytes, from that of the first lane */
    int64_t span, highest;          /* from the lowest lane to the highest, and from the first to the highest */
    bool separate;                  /* no two lanes share a bank word */
    int16_t sectors[WL_PERIOD_MAX]; /* by place of the first lane in its sector; -1: not computed yet    */
    int16_t hit[WL_PERIOD_MAX];     /* by place in its bank word: moving all lanes by a word turns the banks, no more */
    wl_warp_written written[WL_PERIOD_MAX]; /* by alignment; sectors 0: not computed yet */
    wl_pattern_window windows[WL_TAG_WINDOWS];
    uint64_t hash; /* pattern_table.h */
    struct wl_pattern *next;
    uint64_t gathering; /* the last one it took part in, and its number there */
    int number;
} wl_pattern;

/* The warps of blocks of several classes, by pattern. */
#define WL_GATHERED_MAX (WL_BLOCK_CLASSES_MAX * WL_WARPS_MAX)
typedef struct wl_gathered {
    int count, in_first; /* patterns: of all classes, and of the first, which most blocks belong to */
    wl_pattern *pattern[WL_GATHERED_MAX];
    int first[WL_GATHERED_MAX + 1]; /* of each pattern's warps, which lie together, class by class */
    uint8_t block_class[WL_GATHERED_MAX];
    int64_t start[WL_GATHERED_MAX]; /* of each warp: bytes from thread 0 of the block to its first active lane */
    struct {
        int pattern; /* -1: no lane takes part */
        int64_t start;
    } warp[WL_BLOCK_CLASSES_MAX][WL_WARPS_MAX];
} wl_gathered;

/* Folded threads at the domain's edges may have only some of their cells inside. One bit for each way of being cut off
 * (at the back in x, y, z and at the front in x, y, z): do threads cut off like that need an instruction of these
 * folded cells? */
uint64_t wl_cut_threads(const wl_geometry *geometry, const wl_block_class *c, uint64_t cells);

/* All warps of blocks of these classes that need an instruction, given by its wl_cut_threads, gathered by pattern.
 * False when memory is short. */
bool wl_patterns_gather(const wl_pattern_context *context, const wl_instruction_group *group,
                        const wl_block_class *classes, int class_count, uint64_t cut_threads, wl_gathered *out);

/* A pattern with no cost computed yet. */
void wl_pattern_start(const wl_l1_rules *rules, const wl_arrangement *lanes, wl_pattern *out);

/* Sectors, and data wavefronts with every line present, with the first lane at this address. */
int wl_pattern_sectors(const wl_l1_rules *rules, wl_pattern *p, int64_t address);
int wl_pattern_hit(const wl_l1_rules *rules, wl_pattern *p, int64_t address);
/* The same for a load from shared memory; not kept. */
int wl_pattern_shared(const wl_l1_rules *rules, const wl_pattern *p, int64_t address);

/* What a store writes at this alignment. */
const wl_warp_written *wl_pattern_written(const wl_l1_rules *rules, wl_pattern *p, int64_t alignment);

/* By the tag-hash law, with the first lane at this address. */
wl_tag_cost wl_pattern_tag_cost(const wl_pattern_context *context, wl_pattern *p, int64_t address);

#endif /* WL_COUNT_PATTERN_H */

/* pattern.h - the relative addresses of a warp's lanes, and what they cost in the L1 at a given
 * address.
 *
 * Warps whose lanes have the same relative addresses share a pattern, whatever their block or
 * launch. Costs that depend only on alignment are computed once per alignment and cached.
 *
 * Layer  count (uses footprint, launch). Units: bytes; costs per warp instruction.
 * Oracle  tests/property/prop_warps.c
 * SPDX-License-Identifier: MIT */
#ifndef WL_COUNT_PATTERN_H
#define WL_COUNT_PATTERN_H

#include "count/instructions.h"
#include "count/placement.h"

#define WL_WARPS_MAX 128  /* warps of the largest block: 4096 threads, 32 lanes */
#define WL_PERIOD_MAX 256 /* L1 costs repeat with the line or the bank row, whichever is longer */

/* What patterns depend on. */
typedef struct wl_pattern_context {
    const wl_geometry *geometry;
    const wl_l1_rules *rules;
    int64_t period; /* of alignments that matter */
    struct wl_pattern_table *table;
} wl_pattern_context;

/* Tag costs by position (tag_window.h): exact, or the mean over many, a few, or one random
 * address. */
typedef enum wl_window_kind {
    WL_WINDOW_EXACT,
    WL_WINDOW_MEAN,
    WL_WINDOW_GLANCE,
    WL_WINDOW_BLINK,
    WL_TAG_WINDOWS
} wl_window_kind;
#define WL_WINDOWS_KEPT (WL_TAG_WINDOWS + 2) /* exact ones of three lengths */
typedef struct wl_window_cost {
    float tag, cold; /* tag 0: not computed yet */
} wl_window_cost;
typedef struct wl_pattern_window {
    int64_t bytes;         /* 0: none yet */
    int64_t room;          /* the longest one that there is memory for */
    wl_window_cost *costs; /* by position */
    /* share of executions with more than one tag wavefront; behind the costs */
    float *split;
} wl_pattern_window;

/* What follows from an arrangement and the L1 rules alone, so it is cached across launches
 * (pattern_table.h). Costs are computed on demand. */
typedef struct wl_pattern {
    wl_arrangement lanes;
    wl_runs runs; /* its bytes, relative to the first lane */
    wl_run_kinds kinds;
    wl_segments segments;
    int64_t span, highest; /* lowest to highest lane, and first to highest lane */
    /* by offset of the first lane in its sector; -1: not computed yet */
    int16_t sectors[WL_PERIOD_MAX];
    /* by offset in its bank word: moving all lanes by a word only rotates the banks */
    int16_t hit[WL_PERIOD_MAX];
    int16_t shared[2][WL_SHARED_WORD_MAX];      /* the same in shared memory: stores, loads */
    wl_warp_written written[WL_PERIOD_MAX];     /* by alignment; sectors 0: not computed yet */
    wl_pattern_window windows[WL_WINDOWS_KEPT]; /* tag_window.c */
    uint64_t hash;                              /* pattern_table.h */
    struct wl_pattern *next;
    uint64_t gathering; /* the latest one it took part in, and its index there */
    int number;
} wl_pattern;

/* The position of each warp in its block. */
typedef struct wl_warp_box {
    int64_t index[3]; /* of the first thread */
    /* folded cells of the bounding box of the threads, relative to the block */
    int64_t begin[3], end[3];
} wl_warp_box;
typedef struct wl_warp_boxes {
    int64_t count;
    wl_warp_box list[WL_WARPS_MAX];
} wl_warp_boxes;
void wl_warp_boxes_make(const wl_geometry *geometry, int64_t warp_size, wl_warp_boxes *out);

/* The warps of blocks of several classes, grouped by pattern. */
#define WL_GATHERED_MAX (WL_BLOCK_CLASSES_MAX * WL_WARPS_MAX)
typedef struct wl_gathered {
    wl_warp_boxes boxes; /* to be made first, for the launch */
    /* number of patterns: over all classes, and in the first class, to which most blocks belong */
    int count, in_first;
    wl_pattern *pattern[WL_GATHERED_MAX];
    /* first warp of each pattern; its warps are contiguous, class by class */
    int first[WL_GATHERED_MAX + 1];
    uint8_t block_class[WL_GATHERED_MAX];
    /* per warp: bytes from thread 0 of the block to its first active lane */
    int64_t start[WL_GATHERED_MAX];
    struct {
        int pattern; /* -1: no active lane */
        int64_t start;
    } warp[WL_BLOCK_CLASSES_MAX][WL_WARPS_MAX];
} wl_gathered;

/* Threads at the domain's edges may have only some of their folded cells inside. One bit per kind
 * of cut (at the end in x, y, z, at the start in x, y, z): do such threads need an instruction of
 * these folded cells? */
uint64_t wl_cut_threads(const wl_geometry *geometry, const wl_block_class *c, uint64_t cells);

/* Groups all warps of blocks of these classes that need an instruction, given by its
 * wl_cut_threads, by pattern. False: out of memory. */
bool wl_patterns_gather(const wl_pattern_context *context, const wl_instruction_group *group,
                        const wl_block_class *classes, int class_count, uint64_t cut_threads, wl_gathered *out);

/* A pattern without any cost computed. The memory of its windows stays with it. */
void wl_pattern_start(const wl_l1_rules *rules, const wl_arrangement *lanes, wl_pattern *out);

/* Sectors, and data wavefronts if every line hits, with the first lane at this address. */
int wl_pattern_sectors(const wl_l1_rules *rules, wl_pattern *p, int64_t address);
int wl_pattern_hit(const wl_l1_rules *rules, wl_pattern *p, int64_t address);
/* Wavefronts of a load from shared memory, or of a store or an atomic. */
int wl_pattern_shared(const wl_l1_rules *rules, wl_pattern *p, int64_t address, bool load);

/* What a store writes at this alignment. */
const wl_warp_written *wl_pattern_written(const wl_l1_rules *rules, wl_pattern *p, int64_t alignment);

/* Tag-hash costs with the first lane at each of n addresses; and at one. What follows from the
 * alignment alone is cached. */
void wl_pattern_tag_costs(const wl_pattern_context *context, wl_pattern *p, const int64_t *address, int n,
                          wl_tag_cost *out);
wl_tag_cost wl_pattern_tag_cost(const wl_pattern_context *context, wl_pattern *p, int64_t address);

/* The same at addresses of one alignment that is not asked for again: nothing is cached. */
void wl_pattern_tag_costs_once(const wl_pattern_context *context, const wl_pattern *p, const int64_t *address, int n,
                               wl_tag_cost *out);

/* Adds the tag-hash costs with the first lane at each of n addresses, moved by `offset`. The
 * addresses differ by whole periods. */
void wl_pattern_add_tags(const wl_pattern_context *context, wl_pattern *p, const int64_t *address, int64_t n,
                         int64_t offset, wl_tag_sum *sum);

#endif /* WL_COUNT_PATTERN_H */

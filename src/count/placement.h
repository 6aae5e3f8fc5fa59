/* placement.h - a pattern of lanes at one alignment: the lines it touches, and their cost under the
 * tag hash.
 *
 * Words of one line lie in different banks. So what the lanes of a group read from a line is a set
 * of banks, and the data wavefronts of a tag wavefront are, per group, the most lines that share a
 * bank. That needs no list of words. The banks of as many groups as fit share one word of bits.
 *
 * Layer  count. Units: bytes; costs per warp instruction.
 * Oracle  wl_warp_tag_cost, lane by lane: tests/unit/test_shortcuts.c
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

/* Lanes of one group that follow each other in memory without a gap, up or down, at most a line of
 * them. */
typedef struct wl_segment {
    int64_t line;   /* its lowest byte, relative to the first active lane: whole lines .. */
    uint32_t place; /* .. and bytes in one */
    uint32_t word;  /* where the bits of its group are: the word .. */
    uint64_t bits;  /* its words, as low bits */
    int shift;      /* .. and the lowest bit */
    bool down;      /* the highest lane comes first */
} wl_segment;
typedef struct wl_segments {
    int words; /* of bits for all groups */
    int count; /* 0: lanes may cross lines, or lines are not rows of banks */
    wl_segment list[WL_LANES_MAX];
} wl_segments;
void wl_segments_make(const wl_l1_rules *rules, const wl_arrangement *lanes, wl_segments *out);

#define WL_BANK_WORDS_MAX 4 /* of one bank, counted separately */
typedef struct wl_placement {
    int64_t alignment; /* address of the first lane */
    int lines;
    bool crowded; /* some bank is needed by more than two lines */
    /* relative to that of address 0, in lane order */
    int64_t line[WL_LANES_MAX];
    uint64_t banks[(WL_LANES_MAX + 1) * WL_BANK_WORDS_MAX]; /* per line; then none */
    /* costs of a few lines by how they share tag banks, if there is such a list; tag 0: not
     * computed yet */
    bool has_list;
    struct {
        uint8_t tag, cold;
    } shared[WL_SHARINGS_MAX];
} wl_placement;

/* With the first lane at address `alignment`. False: evaluate lane by lane. */
bool wl_placement_make(const wl_l1_rules *rules, const wl_arrangement *lanes, const wl_segments *segments,
                       int64_t alignment, wl_placement *out);

/* Data wavefronts if every line hits. */
int wl_placement_hit(const wl_l1_rules *rules, const wl_segments *segments, const wl_placement *placement);

/* Tag wavefronts, and data wavefronts if every line misses, at each of n addresses with this
 * alignment. `often`: many more will follow. */
void wl_placement_costs(const wl_l1_rules *rules, const wl_segments *segments, wl_placement *placement,
                        const int64_t *address, int n, bool often, wl_tag_cost *out);

/* Sums over warps; `split`: those with more than one tag wavefront. */
typedef struct wl_tag_sum {
    int64_t tag, cold, split;
} wl_tag_sum;

static inline void wl_tag_sum_add(wl_tag_sum *sum, wl_tag_cost cost)
{
    sum->tag += cost.tag;
    sum->cold += cost.cold;
    sum->split += cost.tag > 1;
}

/* Adds the costs at n addresses, each moved by `offset`, that have this alignment then. */
void wl_placement_add_costs(const wl_l1_rules *rules, const wl_segments *segments, wl_placement *placement,
                            const int64_t *address, int64_t n, int64_t offset, wl_tag_sum *sum);

#endif /* WL_COUNT_PLACEMENT_H */

/* tag_window.h - tag conflicts of a pattern over all its executions, without visiting each.
 *
 * Which lines share a tag bank depends on the low bits of the line number, except for carries. So
 * the positions of all executions within a window of lines, a histogram in closed form, decide.
 * Patterns that span a few neighbouring lines: the exact total; where a carry leaves the window,
 * the higher bits are practically random, and the expected value is taken. Patterns that span more:
 * the mean over random addresses for each position. The cost at a position belongs to the pattern
 * and is cached with it.
 *
 * Layer  count. Units: wavefronts. Maths: docs/model.md, "L1".
 * SPDX-License-Identifier: MIT */
#ifndef WL_COUNT_TAG_WINDOW_H
#define WL_COUNT_TAG_WINDOW_H

#include "count/executions.h"

typedef struct wl_tag_window {
    bool open; /* the pattern has one */
    bool rare; /* one position represents all */
    /* not open, because executions start at a few positions: see wl_executions_in_step */
    bool in_step;
    wl_window_kind kind;
    int64_t bytes;            /* its length */
    wl_pattern_window *costs; /* the pattern's */
    int count;                /* positions of the executions, without the instruction's offset */
    uint32_t position[WL_RESIDUES_MAX];
    double weight[WL_RESIDUES_MAX]; /* executions */
} wl_tag_window;

/* Stays closed for long patterns that are executed in loops, or whose strides are whole powers of
 * two: they may visit only a few positions of the window, so they are evaluated at their true
 * addresses. alignments: the positions modulo the context's period. patterns: how many there are in
 * most blocks. share: part of all executions of an instruction. */
wl_status wl_tag_window_open(const wl_pattern_context *context, wl_pattern *pattern, const wl_executions *parts,
                             int part_count, const wl_residues *alignments, int patterns, double share,
                             wl_tag_window *out, wl_error *err);

/* At how many random addresses the costs at all positions are evaluated; 0: they are exact. */
int64_t wl_tag_window_addresses(const wl_tag_window *window);

/* Adds the cost of all executions of an instruction at this offset; `split` of stores only. */
typedef struct wl_tag_total {
    double tag, cold, split;
} wl_tag_total;
void wl_tag_window_add(const wl_pattern_context *context, const wl_tag_window *window, wl_pattern *pattern,
                       int64_t offset, bool store, wl_tag_total *total);

#endif /* WL_COUNT_TAG_WINDOW_H */

/* tag_window.h - tag-hash costs of patterns over all executions, without looking at each.
 *
 * Which lines share a tag bank depends on the low bits of the line number, but for carries. So the positions of all
 * executions within a window of lines, a histogram in closed form, decide. Patterns that span a few neighbouring lines:
 * the exact total, and where a carry leaves the window, the higher bits are as good as random and the expected value is
 * taken. Patterns that reach farther: the mean over places in memory drawn at random for each position. What a position
 * costs belongs to the pattern and is kept with it, from instruction to instruction and from launch to launch.
 *
 * Layer  count. SPDX-License-Identifier: MIT */
#ifndef WL_COUNT_TAG_WINDOW_H
#define WL_COUNT_TAG_WINDOW_H

#include "count/executions.h"

typedef struct wl_tag_window {
    bool open; /* the pattern has one */
    bool rare;
    wl_window_kind kind;
    const wl_residues *positions; /* of the executions, but for the instruction's offset */
    wl_residues own;
} wl_tag_window;

/* Closed for patterns that reach far and are executed in loops: their steps may stay in a few places of the window, so
 * they are looked at where they really are. alignments: the positions modulo the context's period, which must live on;
 * patterns: how many there are beside each other in most blocks; share: part of all executions of an instruction. */
wl_status wl_tag_window_open(const wl_pattern_context *context, wl_pattern *pattern, const wl_executions *parts,
                             int part_count, const wl_residues *alignments, int patterns, double share,
                             wl_tag_window *out, wl_error *err);

/* Adds what all executions of an instruction at this offset cost. */
typedef struct wl_tag_total {
    double tag, cold, split;
} wl_tag_total;
void wl_tag_window_add(const wl_pattern_context *context, const wl_tag_window *window, wl_pattern *pattern,
                       int64_t offset, int64_t executions, wl_tag_total *total);

#endif /* WL_COUNT_TAG_WINDOW_H */

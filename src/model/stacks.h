/* stacks.h - the stacks of a launch by every model that has one, and the lines of PTX that cost
 * most.
 *
 * The interval models give the cost of each interval. The turnover model has only totals: these are
 * distributed over the intervals in proportion to what they issue, wait for and request.
 *
 * Layer  model (uses timeline, metrics). Units: cycles of a multiprocessor.
 * Maths  docs/model.md, "Where the cycles go". Oracle: tests/unit/test_stacks.c
 * SPDX-License-Identifier: MIT */
#ifndef WL_MODEL_STACKS_H
#define WL_MODEL_STACKS_H

#include "base/arena.h"
#include "metrics/counts.h"
#include "model/turnover.h"
#include "timeline/life.h"

/* Intervals that end at one line of PTX, of all warps; without PTX one kind of interval. */
typedef struct wl_stack_line {
    /* the operation that stalls, and the one it waits for; NULL: the end of a warp, or unknown */
    const wl_op *op, *from;
    wl_stall cause;
    /* of a memory stall: L1, L2 or DRAM, the slowest it waits for */
    int level;
    /* warps of the launch that execute it; how often each does, on average */
    double warps, times;
    double instructions, stall, reads, misses, writes; /* of one execution */
    double cycles[WL_MODEL_COUNT][WL_STACK_PART_COUNT];
    double cost; /* the sum of these of the first model */
} wl_stack_line;

typedef struct wl_stacks {
    wl_model_id asked, first;            /* by the options; the one that lines are sorted by */
    const char *missing[WL_MODEL_COUNT]; /* the number a device lacks for the model */
    bool known[WL_MODEL_COUNT];
    wl_stack stack[WL_MODEL_COUNT];
    wl_stack_line *lines; /* that cost most first */
    size_t line_count;
    /* the life of a warp comes from its accesses, not from instructions */
    bool assumed;
    const char *const *files; /* of source lines */
    /* what the stack of turnover was made from; the demand refers to these members */
    wl_turnover numbers;
    wl_demand demand;
    wl_waiting waiting, leading;
    wl_kinds kinds;
} wl_stacks;

/* The result of the model turnover if each part took that many times as long; false: there is no
 * stack by that model. */
bool wl_stacks_what_if(const wl_stacks *stacks, const double factors[WL_STACK_PART_COUNT], wl_model_result *out);

typedef struct wl_stacks_input {
    const wl_counts *counts;
    const wl_device *device;
    const wl_volumes *volumes;
    const wl_lives *lives; /* behind those of the counts; NULL: none */
    wl_model_id model;     /* that the options name */
} wl_stacks_input;

/* Metrics and time of the prediction are known. Warns if a life is assumed and no warning says so
 * yet. */
wl_status wl_stacks_make(const wl_stacks_input *input, wl_prediction *prediction, wl_arena *arena, wl_stacks **out,
                         wl_error *err);

/* What a line costs by one model. */
double wl_stack_line_cycles(const wl_stack_line *line, wl_model_id model);

#endif /* WL_MODEL_STACKS_H */

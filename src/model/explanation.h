/* explanation.h - the one explanation of a predicted time: what limits the launch, and by how much.
 *
 * Headline, stack, roofline sentence and advice all take it from here, so that they cannot
 * contradict each other. Shares are those of the stack: if what a bound stands for takes 1 % less,
 * the time is shorter by 1 % of its share.
 *
 * Layer  model (uses metrics). Oracle: tests/unit/test_explanation.c, tests/cli/one_story.sh
 * SPDX-License-Identifier: MIT */
#ifndef WL_MODEL_EXPLANATION_H
#define WL_MODEL_EXPLANATION_H

#include "metrics/prediction.h"
#include "model/stack.h"

/* What a launch is limited by, as a CUDA programmer would say it. */
typedef struct wl_limit {
    wl_bound_id bound;
    double share; /* of the time; 0: not known */
    double busy;  /* share of the time in which the unit works, or warps wait; 0: not known */
} wl_limit;

typedef struct wl_explanation {
    bool known;           /* the shares: the prediction has stacks */
    wl_limit first, next; /* next.share 0: nothing else is worth naming */
    double share[WL_BOUND_COUNT];
    double idle;        /* multiprocessors wait for others to end: tail and imbalance */
    wl_stack_part wait; /* what warps wait for most */
} wl_explanation;

wl_explanation wl_explanation_of(const wl_prediction *prediction);

/* The bound that a part of the stack belongs to; WL_BOUND_COUNT: to none (tail and imbalance). */
wl_bound_id wl_stack_part_bound(const wl_model_result *model, wl_stack_part part);

#endif /* WL_MODEL_EXPLANATION_H */

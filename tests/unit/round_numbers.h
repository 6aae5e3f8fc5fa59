/* round_numbers.h - a device and a launch for the model "turnover" that can be followed by hand.
 * SPDX-License-Identifier: MIT */
#ifndef WL_TESTS_ROUND_NUMBERS_H
#define WL_TESTS_ROUND_NUMBERS_H

#include <math.h>

#include "model/turnover.h"

/* A device of round numbers: 10 multiprocessors at 1 GHz; nothing waits unless a test says so. */
static inline wl_turnover numbers(void)
{
    return (wl_turnover){
        .sms = 10,
        .clock = 1e9,
        .norm = 4,
        .l1 = {.line = 128, .wavefront_rate = 1},
        .sm = {.issue_rate = 4, .schedulers = 4, .narrow_multiply = 2},
        .l2 = {.unit = 64, .bandwidth = 1e30, .write_cost = 1},
        .dram = {.bandwidth = 1e30, .write_cost = 1},
        .launch = {.block_rate = 1e30},
    };
}

static inline wl_demand demand(void)
{
    return (wl_demand){
        .blocks = 1000, .blocks_per_sm = 2, .requests = {.chunk = 128, .write_chunk = 128}, .thread = {.planes = 1}};
}

static inline wl_model_result apply(const wl_turnover *n, const wl_demand *d)
{
    wl_model_result m;
    wl_turnover_apply(n, d, &m);
    return m;
}

#endif /* WL_TESTS_ROUND_NUMBERS_H */

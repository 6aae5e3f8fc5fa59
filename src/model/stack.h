/* stack.h - where the cycles of a launch go: a CPI stack.
 *
 * All parts are cycles of a multiprocessor, over the whole launch; they add up to the total.
 * Divided by the instructions that one multiprocessor issues, they are the parts of its CPI.
 *
 * Layer  model. Units: cycles, warp instructions, seconds. Oracle: tests/unit/test_interval_model.c
 * SPDX-License-Identifier: MIT */
#ifndef WL_MODEL_STACK_H
#define WL_MODEL_STACK_H

/* WL_STACK_PART(id, name, meaning), in the order in which stacks are shown */
#define WL_STACK_PARTS                                                                                                 \
    WL_STACK_PART(BASE, "base", "instructions issue; in turnover, the busiest unit of a multiprocessor works")         \
    WL_STACK_PART(DEPENDENCE, "dependence", "warps wait for arithmetic")                                               \
    WL_STACK_PART(SHARED, "shared", "warps wait for shared memory or shuffles")                                        \
    WL_STACK_PART(L1, "l1", "warps wait for the L1, without contention")                                               \
    WL_STACK_PART(L2, "l2", "warps wait for the L2, without contention")                                               \
    WL_STACK_PART(DRAM, "dram", "warps wait for device memory, without contention")                                    \
    WL_STACK_PART(MSHR, "mshr", "all MSHRs of the L1 are in use")                                                      \
    WL_STACK_PART(NOC, "noc", "requests queue for the network to the L2, or in the L2")                                \
    WL_STACK_PART(DRAM_QUEUE, "dram_queue", "requests queue for device memory")                                        \
    WL_STACK_PART(BARRIER, "barrier", "warps wait for others of their block")                                          \
    WL_STACK_PART(IMBALANCE, "imbalance", "sub-cores with fewer warps, and warps with less work, have ended")          \
    WL_STACK_PART(TAIL, "tail", "the last blocks do not fill the multiprocessors")                                     \
    WL_STACK_PART(LAUNCH, "launch", "the launch itself, and the start of blocks")

typedef enum wl_stack_part {
#define WL_STACK_PART(id, name, meaning) WL_STACK_##id,
    WL_STACK_PARTS
#undef WL_STACK_PART
        WL_STACK_PART_COUNT
} wl_stack_part;

const char *wl_stack_part_name(wl_stack_part part);
const char *wl_stack_part_meaning(wl_stack_part part);

/* The cost of one interval over all its executions. Without imbalance, tail and launch, which
 * belong to no interval. */
typedef struct wl_stack_row {
    int profile, interval; /* number of the life, and of its interval */
    double cycles[WL_STACK_PART_COUNT];
} wl_stack_row;

typedef struct wl_stack {
    double cycles[WL_STACK_PART_COUNT];
    double total;        /* their sum, in this order */
    double instructions; /* of the launch */
    double sms;          /* multiprocessors with blocks */
    double seconds;
} wl_stack;

/* The sum of the parts. Every total is computed like this, so that it equals the sum exactly. */
double wl_stack_sum(const double cycles[WL_STACK_PART_COUNT]);

/* Cycles per instruction of one multiprocessor; 0 without instructions. */
double wl_stack_cpi(const wl_stack *stack, wl_stack_part part);

#endif /* WL_MODEL_STACK_H */

/* stack.h - where the cycles of a launch go: a CPI stack.
 *
 * All parts are cycles of a multiprocessor, over the whole launch; they add up to the total.
 * Divided by the instructions that one multiprocessor issues, they are the parts of its CPI.
 *
 * Layer  model. Units: cycles, warp instructions, seconds. Oracle: tests/unit/test_interval_model.c
 * SPDX-License-Identifier: MIT */
#ifndef WL_MODEL_STACK_H
#define WL_MODEL_STACK_H

/* WL_STACK_PART(id, name, reason, meaning), in the order in which stacks are shown; `reason` is the
 * stall reason of Nsight Compute under which most of it shows up */
#define WL_STACK_PARTS                                                                                                 \
    WL_STACK_PART(ISSUE, "issue", "selected", "instructions issue")                                                    \
    WL_STACK_PART(FP, "fp", "math pipe throttle", "floating-point and special-function pipes work")                    \
    WL_STACK_PART(TENSOR, "tensor", "math pipe throttle", "tensor cores work")                                         \
    WL_STACK_PART(MULTIPLY, "multiply", "math pipe throttle", "the pipe that multiplies works")                        \
    WL_STACK_PART(INTEGER, "integer", "math pipe throttle", "the integer pipe works")                                  \
    WL_STACK_PART(L1_QUEUE, "l1_queue", "lg throttle", "requests queue for the L1 or for shared memory")               \
    WL_STACK_PART(DEPENDENCE, "dependence", "wait", "warps wait for arithmetic")                                       \
    WL_STACK_PART(FETCH, "fetch", "no instruction", "warps wait for their next instruction")                           \
    WL_STACK_PART(SHARED, "shared", "short scoreboard", "warps wait for shared memory or shuffles")                    \
    WL_STACK_PART(L1, "l1", "long scoreboard", "warps wait for the L1, without contention")                            \
    WL_STACK_PART(L2, "l2", "long scoreboard", "warps wait for the L2, without contention")                            \
    WL_STACK_PART(DRAM, "dram", "long scoreboard", "warps wait for device memory, without contention")                 \
    WL_STACK_PART(MSHR, "mshr", "lg throttle", "all MSHRs of the L1 are in use")                                       \
    WL_STACK_PART(NOC, "noc", "long scoreboard", "requests queue for the network to the L2, or in the L2")             \
    WL_STACK_PART(DRAM_QUEUE, "dram_queue", "long scoreboard", "requests queue for device memory")                     \
    WL_STACK_PART(ATOMICS, "atomics", "lg throttle", "atomics queue in the L2")                                        \
    WL_STACK_PART(BARRIER, "barrier", "barrier", "warps wait for others of their block")                               \
    WL_STACK_PART(IMBALANCE, "imbalance", "", "sub-cores with fewer warps, and warps with less work, have ended")      \
    WL_STACK_PART(TAIL, "tail", "", "the last blocks do not fill the multiprocessors")                                 \
    WL_STACK_PART(LAUNCH, "launch", "", "the launch itself, and the start of blocks")

typedef enum wl_stack_part {
#define WL_STACK_PART(id, name, reason, meaning) WL_STACK_##id,
    WL_STACK_PARTS
#undef WL_STACK_PART
        WL_STACK_PART_COUNT
} wl_stack_part;

const char *wl_stack_part_name(wl_stack_part part);
const char *wl_stack_part_meaning(wl_stack_part part);
const char *wl_stack_part_reason(wl_stack_part part); /* "": no warp stalls meanwhile */

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

/* Of the total; 0 if that is 0. */
double wl_stack_part_share(const wl_stack *stack, wl_stack_part part);

/* Cycles per instruction of one multiprocessor; 0 without instructions. */
double wl_stack_cpi(const wl_stack *stack, wl_stack_part part);

#endif /* WL_MODEL_STACK_H */

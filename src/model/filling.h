/* filling.h - how blocks of several kinds fill the GPU.
 *
 * Blocks are assigned to multiprocessors in launch order, each as soon as a slot is free. Given how
 * long a block of each kind works and waits, this file computes how long all of them take together,
 * which kind ends last, and the load of the busiest multiprocessor.
 *
 * Layer  model. Units: cycles, blocks.
 * Maths docs/model.md, "Blocks of several kinds". Oracle: tests/unit/test_filling.c assigns blocks
 * one by one
 * SPDX-License-Identifier: MIT */
#ifndef WL_MODEL_FILLING_H
#define WL_MODEL_FILLING_H

#include "kernel/counted_mix.h"

/* One kind. Its blocks lie between two numbers of the launch order: evenly, or with a density that
 * grows towards one end, so that `middle` is the mean of their numbers. */
typedef struct wl_block_time {
    double blocks, first, last, middle;
    /* of one block: its multiprocessor's busiest unit, and latency */
    double own, wait;
    double longest_own, longest_wait; /* of its longest block */
    /* the part of its work that is done while its longest warp waits; 0 if its warps are alike */
    double hidden;
    double traffic; /* of all its blocks: share of the launch's memory traffic */
} wl_block_time;

/* The machine parameters, common to all kinds. */
typedef struct wl_slots {
    double sms, resident; /* multiprocessors; blocks each of them holds */
    double launch;        /* cycles from one block start to the next */
    double growth;        /* of the norm of waits and the work of others, with their number */
    /* share of a block's waits in which its warps wait together, its work included */
    double met;
    double norm;            /* of multiprocessors, memory and atomics */
    double memory, atomics; /* cycles of the launch */
} wl_slots;

typedef struct wl_filled {
    double cycles;
    double balanced; /* if all multiprocessors had the same work and ended together */
    int last;        /* the kind whose last block ends last; -1: none in particular */
} wl_filled;

/* At most WL_KINDS_MAX kinds. */
wl_filled wl_fill(const wl_slots *slots, const wl_block_time *kinds, int count);

#endif /* WL_MODEL_FILLING_H */

/* find_causes.h - what makes a launch slower than it could be.
 *
 * Counts of the launch raise a suspicion; a what-if, the prediction of the launch without the
 * cause, confirms it. Only causes with a gain are named, and some that cannot be predicted: those
 * without a number.
 *
 * Layer  causes. Oracle: tests/unit/test_causes.c, tests/cli/causes.test.
 * SPDX-License-Identifier: MIT */
#ifndef WL_CAUSES_FIND_CAUSES_H
#define WL_CAUSES_FIND_CAUSES_H

#include "base/arena.h"
#include "warpline/cause.h"

typedef struct wl_questioned {
    const wl_kernel *kernel;
    const wl_device *device;
    wl_launch launch;
    wl_predict_options options;
    bool block_is_free; /* other block shapes compute the same */
    /* of the kernel and the device, to use its counts of the launch; NULL: there is none */
    wl_predictor *predictor;
} wl_questioned;

/* Causes by gain, the largest first, then those without a predicted gain; they and their texts are
 * in `arena`. Fails like wl_predict. */
wl_status wl_causes_find(const wl_questioned *what, wl_arena *arena, const wl_cause **out, size_t *count,
                         wl_error *err);

#endif /* WL_CAUSES_FIND_CAUSES_H */

/* find_causes.h - what makes a launch slower than it could be.
 *
 * Every cause is a suspicion, from counts of the launch, and a what-if: the prediction of the
 * launch without it. Only what gains is named; what cannot be predicted is named without a
 * number.
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
    bool block_is_free; /* another block computes the same */
} wl_questioned;

/* Causes that gain most first, then those without a gain; in `arena`, like their texts. Fails as
 * wl_predict does. */
wl_status wl_causes_find(const wl_questioned *what, wl_arena *arena, const wl_cause **out, size_t *count,
                         wl_error *err);

#endif /* WL_CAUSES_FIND_CAUSES_H */

/* idle_stage.h - what threads outside the domain execute if they exit late.
 *
 * All threads outside execute some instructions up to the first exit. Those inside a larger box
 * pass it and execute more, up to the next exit.
 *
 * Layer  kernel. SPDX-License-Identifier: MIT */
#ifndef WL_KERNEL_IDLE_STAGE_H
#define WL_KERNEL_IDLE_STAGE_H

#include <stdint.h>

#include "warpline/mix.h"

#define WL_IDLE_STAGES_MAX 3

typedef struct wl_idle_stage {
    int64_t first[3], end[3];        /* the box; end 0: not limited */
    double mix[WL_INST_CLASS_COUNT]; /* of a thread inside the box, outside the domain */
} wl_idle_stage;

#endif /* WL_KERNEL_IDLE_STAGE_H */

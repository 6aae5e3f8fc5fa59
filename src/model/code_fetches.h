/* code_fetches.h - how often a launch fetches its machine code from the L2.
 *
 * Layer  model (uses metrics, laws, device). Units: bytes per launch.
 * Oracle  tests/unit/test_code_volumes.c
 * SPDX-License-Identifier: MIT */
#ifndef WL_MODEL_CODE_FETCHES_H
#define WL_MODEL_CODE_FETCHES_H

#include "metrics/counts.h"
#include "metrics/prediction.h"

/* Sets the volume of code. `launched`: only its launch is known yet. */
void wl_code_fetches(const wl_counts *counts, const wl_device *device, const wl_prediction *launched,
                     wl_volumes *volumes);

#endif /* WL_MODEL_CODE_FETCHES_H */

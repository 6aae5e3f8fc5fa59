/* tensor_clock.h - the clock of the multiprocessors under load of the tensor cores.
 *
 * Products of matrices lower the clock at once, the more so the busier the tensor cores are. How
 * busy they are depends on the time, and that on the clock: a few rounds agree on both.
 *
 * Layer  model. Maths  docs/model.md, table of laws. SPDX-License-Identifier: MIT */
#ifndef WL_MODEL_TENSOR_CLOCK_H
#define WL_MODEL_TENSOR_CLOCK_H

#include "model/turnover.h"

/* wl_turnover_apply, at the clock that the launch runs at: out->clock_hz. */
void wl_turnover_at_clock(const wl_turnover *numbers, const wl_demand *demand, wl_model_result *out);

/* Cycles of a tensor pipe that executes these products at its full rate. A type with fewer results
 * per cycle than 16-bit matrices has as many fewer multipliers at work. */
double wl_tensor_load_cycles(const wl_mix *mix, const wl_device *device);

#endif /* WL_MODEL_TENSOR_CLOCK_H */

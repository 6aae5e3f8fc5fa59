/* with_effect.h - which --with of a prediction changes nothing. SPDX-License-Identifier: MIT */
#ifndef WL_CLI_WITH_EFFECT_H
#define WL_CLI_WITH_EFFECT_H

#include "job.h"

/* Predicts the launches again without each --with in turn, and prints a note for every one that
 * changes no number of any of them. `device`: its name or file; `what`: the launches, in words. */
wl_status note_no_effect(const options *options, const char *device, const wl_kernel *kernel, const wl_launch *launches,
                         size_t count, const char *what, const wl_predict_options *predict, wl_error *err);

#endif /* WL_CLI_WITH_EFFECT_H */

/* predict_sweep.h - predict over the values of a parameter: --set n=64..4096:x2.
 * SPDX-License-Identifier: MIT */
#ifndef WL_CLI_PREDICT_SWEEP_H
#define WL_CLI_PREDICT_SWEEP_H

#include "options.h"

/* Is one of the values of --set a range? */
bool sweep_is_asked(const options *options);

/* Predicts every launch on every device for each value; prints a table, and draws it with --plot.
 * The exit code. */
int sweep_predict(const options *options);

#endif /* WL_CLI_PREDICT_SWEEP_H */

/* parameter_sweep.h - predict and rank over the values of a parameter: --set n=64..4096:x2.
 * SPDX-License-Identifier: MIT */
#ifndef WL_CLI_PARAMETER_SWEEP_H
#define WL_CLI_PARAMETER_SWEEP_H

#include "options.h"

/* Is one of the values of --set a range? */
bool sweep_is_asked(const options *options);

/* Adds the launches of one value, which its options have in place of the range; `given` still has
 * the range, and extents as expressions. The exit code; after EXIT_INTERRUPTED the values before
 * are shown. */
typedef int sweep_adder(const options *of_value, const options *given, double value, wl_sweep *sweep);

/* Calls `add` for each value, then prints a table, or writes it to --output, and draws it with
 * --plot. The exit code. */
int sweep_run(const options *options, sweep_adder *add);

#endif /* WL_CLI_PARAMETER_SWEEP_H */

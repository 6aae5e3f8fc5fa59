/* tune.h - rank --tune: configurations of a kernel, each variant of it compiled once.
 * SPDX-License-Identifier: MIT */
#ifndef WL_CLI_TUNE_H
#define WL_CLI_TUNE_H

#include "options.h"

/* What goes together with --tune is not given, or what does not is; NULL: all is well. */
const char *tune_usage(const options *options);
/* Ranks the configurations and prints them; the exit code. */
int tune_run(const options *options);

#endif /* WL_CLI_TUNE_H */

/* preset.h - models as published, before anything was measured here: what one name of --model
 * stands for.
 * SPDX-License-Identifier: MIT */
#ifndef WL_CLI_PRESET_H
#define WL_CLI_PRESET_H

#include "options.h"

/* Replaces such a --model by what it stands for; what the user says comes after it. Prints what is
 * wrong; the exit code. */
int preset_take(options *options);

#endif /* WL_CLI_PRESET_H */

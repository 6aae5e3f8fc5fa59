/* batch.h - launches from lines of JSON, each with its kernel, arguments and device.
 * SPDX-License-Identifier: MIT */
#ifndef WL_CLI_BATCH_H
#define WL_CLI_BATCH_H

#include "options.h"

/* What a line may ask for. */
#define BATCH_EXTENT_MAX ((int64_t)1 << 40) /* of block, fold and grid */
#define BATCH_REGISTERS_MAX 1024
#define BATCH_SHARED_MAX ((int64_t)1 << 30) /* bytes */

/* A launch that was predicted; valid during the visit. */
typedef struct batch_launch {
    const wl_prediction *prediction;
    const wl_kernel *kernel;
    const wl_device *device;
    const wl_launch *launch; /* as in the line; grid 0: determined by the domain */
} batch_launch;
typedef wl_status (*batch_visit)(void *user, const batch_launch *launch, wl_error *err);

/* Predicts every line of --batch and passes it to `visit`. Ends at the first line that cannot be
 * predicted or that `visit` refuses, with a message that names the line. Returns the exit code. */
int batch_each(const options *options, const wl_predict_options *predict, batch_visit visit, void *user);

#endif /* WL_CLI_BATCH_H */

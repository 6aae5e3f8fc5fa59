/* fit_from_curves.h - warpline fit --from-curves: a device file from published curves.
 * SPDX-License-Identifier: MIT */
#ifndef WL_CLI_FIT_FROM_CURVES_H
#define WL_CLI_FIT_FROM_CURVES_H

#include "options.h"

int fit_from_curves(const options *o);

/* The text of a device file, built in (*file is NULL) or loaded (*file is to be freed). An exit
 * code. */
int fit_device_text(const char *device, const char **text, char **file, size_t *length);

#endif /* WL_CLI_FIT_FROM_CURVES_H */

/* volumes.c - which estimator for which device: see volumes.h. SPDX-License-Identifier: MIT */
#include "metrics/volumes.h"

static bool any_device(const wl_device *device)
{
    (void)device; /* all it needs is required of every device file */
    return true;
}

/* The most accurate first. */
static const wl_volumes_estimator estimators[] = {
    {"reuse-sets", any_device, wl_reuse_sets_estimate},
};

const wl_volumes_estimator *wl_volumes_choose(const wl_device *device)
{
    size_t i = 0;
    while (!estimators[i].applies(device))
        i++;
    return &estimators[i];
}

/* h200_rules.h - the rules of the L1 of an H200, for a group of tests: start and stop of it.
 * SPDX-License-Identifier: MIT */
#ifndef WL_TESTS_H200_RULES_H
#define WL_TESTS_H200_RULES_H

#include "count/warp_law.h"
#include "warpline/warpline.h"

static wl_device *device;
static wl_l1_rules rules;

static int start(void **state)
{
    wl_error err = {0};
    (void)state;
    if (wl_device_builtin("h200", &device, &err) != WL_OK)
        return 1;
    wl_l1_rules_make(device, &rules);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    wl_device_free(device);
    return 0;
}

#endif /* WL_TESTS_H200_RULES_H */

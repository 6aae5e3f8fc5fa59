/* fit_fixture.h - devices that fits start from, and what they wrote, read back.
 * SPDX-License-Identifier: MIT */
#ifndef WL_TEST_FIT_FIXTURE_H
#define WL_TEST_FIT_FIXTURE_H

#include <string.h>

#include "unit/checks.h"
#include "warpline/warpline.h"

static inline wl_device *device_of(const char *name)
{
    wl_error err = {0};
    wl_device *device = NULL;
    assert_int_equal(wl_device_builtin(name, &device, &err), WL_OK);
    return device;
}

static inline wl_device *read_back(const char *text)
{
    wl_error err = {0};
    wl_device *device = NULL;
    check_ok("read back", wl_device_parse("fitted.yaml", text, strlen(text), &device, &err), &err);
    return device;
}

#endif /* WL_TEST_FIT_FIXTURE_H */

/* given.h - devices and kernels that tests start from. SPDX-License-Identifier: MIT */
#ifndef WL_TESTS_UNIT_GIVEN_H
#define WL_TESTS_UNIT_GIVEN_H

#include "unit/checks.h"

#include <stdio.h>
#include <string.h>

#include "warpline/device.h"
#include "warpline/kernel.h"

/* A device that is shipped; the caller frees it. */
static inline wl_device *given_device(const char *name)
{
    wl_device *device = NULL;
    wl_error err = {0};
    if (wl_device_builtin(name, &device, &err) != WL_OK)
        fail_msg("%s: %s", name, err.message);
    return device;
}

/* A shipped device, as if nobody knew its architecture; the caller frees it. */
static inline wl_device *given_unknown(const char *name)
{
    static const char key[] = "\narchitecture: ";
    size_t length = 0;
    const char *text = wl_device_builtin_text(name, &length), *at = strstr(text, key) + strlen(key);
    char *changed = test_malloc(length + 16);
    const int n = snprintf(changed, length + 16, "%.*sunknown%s", (int)(at - text), text, at + strcspn(at, "\n"));
    wl_device *device = NULL;
    wl_error err = {0};
    if (wl_device_parse(name, changed, (size_t)n, &device, &err) != WL_OK)
        fail_msg("%s: %s", name, err.message);
    test_free(changed);
    return device;
}

/* A kernel file's text as a kernel; the caller frees it. */
static inline wl_kernel *given_kernel(const char *text)
{
    wl_kernel *kernel = NULL;
    wl_error err = {0};
    if (wl_kernel_parse("kernel", text, strlen(text), NULL, &kernel, &err) != WL_OK)
        fail_msg("%s", err.message);
    return kernel;
}

#endif /* WL_TESTS_UNIT_GIVEN_H */

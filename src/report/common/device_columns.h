/* device_columns.h - shared by text and JSON of a comparison of devices.
 * SPDX-License-Identifier: MIT */
#ifndef WL_REPORT_COMMON_DEVICE_COLUMNS_H
#define WL_REPORT_COMMON_DEVICE_COLUMNS_H

#include "device/device_internal.h"

/* How many of the devices have the key, and which is the last of them. */
static inline size_t wl_devices_with(const wl_device *const *devices, size_t count, wl_device_key key, size_t *last)
{
    size_t having = 0;
    for (size_t d = 0; d < count; d++) {
        if (devices[d]->entries[key].count == 0)
            continue;
        having++;
        *last = d;
    }
    return having;
}

/* A number of device `d` / that of the first device; false: a list, or one of them lacks it. */
static inline bool wl_device_ratio(const wl_device *const *devices, size_t d, wl_device_key key, double *ratio)
{
    const wl_device_entry *first = &devices[0]->entries[key], *e = &devices[d]->entries[key];
    if (wl_device_keys[key].list || first->count == 0 || e->count == 0 || !(first->values[0] > 0))
        return false;
    *ratio = e->values[0] / first->values[0];
    return true;
}

#endif /* WL_REPORT_COMMON_DEVICE_COLUMNS_H */

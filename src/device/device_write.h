/* device_write.h - numbers of a device as lines of a device file.
 *
 * Layer  device (uses base). Oracle: tests/unit/test_basis.c, test_fit.c.
 * SPDX-License-Identifier: MIT */
#ifndef WL_DEVICE_WRITE_H
#define WL_DEVICE_WRITE_H

#include "base/buffer.h"
#include "device/device_internal.h"

/* "key: {value: .., of: .., source: ".."}" for a number that is a share of another, else with this
 * unit ("unit: GB/s") and number of digits. */
void wl_device_write_entry(wl_buffer *out, const wl_device *device, wl_device_key key, const char *unit, int digits,
                           const char *source);

#endif /* WL_DEVICE_WRITE_H */

/* constants.h - what a device says of its cache of constants (device key constant_cache).
 * Layer  model (uses device). Measured: validate/probes/h200_constants.csv.
 * SPDX-License-Identifier: MIT */
#ifndef WL_MODEL_CONSTANTS_H
#define WL_MODEL_CONSTANTS_H

#include "device/device_internal.h"

/* All 0: not known. */
typedef struct wl_constants {
    double first, further; /* cycles to read the first address of a warp, each other */
    double pass;           /* that an address occupies the cache of a multiprocessor, in cycles */
    double bytes;          /* that it holds */
    double miss, line;     /* cycles more if it does not hold a line; between two such lines */
} wl_constants;

static inline wl_constants wl_constants_read(const wl_device *device)
{
    wl_constants c = {0};
    wl_device_read_list(device, WL_DEVICE_constant_cache, &c.first, (int)(sizeof c / sizeof c.first));
    return c;
}

/* The share of lines that it does not hold, if lanes read so many bytes at random. */
static inline double wl_constants_missed(const wl_constants *c, double read)
{
    return read > c->bytes ? 1 - c->bytes / read : 0;
}

#endif /* WL_MODEL_CONSTANTS_H */

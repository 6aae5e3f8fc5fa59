/* code_volumes.c - see code_volumes.h. SPDX-License-Identifier: MIT */
#include "laws/code_volumes.h"

#include <math.h>

#include "device/device_internal.h"

#define INSTRUCTION_BYTES 16 /* since Volta, the first generation with a known instruction_cache */
#define HALVINGS 60          /* of an interval of length 1: to the last bit */

double wl_code_missing(double size)
{
    double low = 0, high = 1;
    if (!(size > 1))
        return 0;
    for (int i = 0; i < HALVINGS; i++) {
        const double m = (low + high) / 2;
        if (1 - exp(-m * size) > m)
            low = m;
        else
            high = m;
    }
    return low;
}

void wl_code_volumes(double instructions, double blocks, const wl_device *device, wl_volumes *out)
{
    double cache = 0, share = 0, unit = 0;
    out->code = 0;
    if (!wl_device_get(device, WL_DEVICE_instruction_cache, &cache) ||
        !wl_device_get(device, WL_DEVICE_instruction_share, &share) || !(cache > 0))
        return;
    const double bytes = instructions * INSTRUCTION_BYTES;
    out->code = share * wl_code_missing(bytes / cache) * bytes * blocks;
    if (out->requests_known && wl_device_get(device, WL_DEVICE_l2_unit, &unit) && unit > 0)
        out->requests.read_units += out->code / unit;
}

/* curve.c - see curve.h. SPDX-License-Identifier: MIT */
#include "laws/curve.h"

#include <math.h>

double wl_curve_miss(const wl_device *device, wl_device_key curve, double oversubscription)
{
    const double a = wl_device_list_value(device, curve, 0), b = wl_device_list_value(device, curve, 1);
    const double c = wl_device_list_value(device, curve, 2);
    return a * exp(-b * exp(-c * oversubscription));
}

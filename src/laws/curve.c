/* curve.c - see curve.h. SPDX-License-Identifier: MIT */
#include "laws/curve.h"

#include <math.h>

double wl_curve_at(const double numbers[3], double oversubscription)
{
    return numbers[0] * exp(-numbers[1] * exp(-numbers[2] * oversubscription));
}

double wl_curve_miss(const wl_device *device, wl_device_key curve, double oversubscription)
{
    double numbers[3];
    for (size_t i = 0; i < 3; i++)
        numbers[i] = wl_device_list_value(device, curve, i);
    return wl_curve_at(numbers, oversubscription);
}

/* curve.h - the share of reusable volume that misses, as a function of oversubscription O: a exp(-b
 * exp(-c O)), with a, b, c from the device file. It rises with O, so a larger cache never misses
 * more.
 *
 * Layer  laws. Maths: validate/notes/curves.md.
 * SPDX-License-Identifier: MIT */
#ifndef WL_LAWS_CURVE_H
#define WL_LAWS_CURVE_H

#include "warpline/device.h"

/* numbers: a, b, c */
double wl_curve_at(const double numbers[3], double oversubscription);
double wl_curve_miss(const wl_device *device, wl_device_key curve, double oversubscription);

#endif /* WL_LAWS_CURVE_H */

/* curve.h - the share of reusable volume that misses, over oversubscription: a exp(-b exp(-c O)), from the device
 * file. It rises with O, so more room never misses more. SPDX-License-Identifier: MIT */
#ifndef WL_LAWS_CURVE_H
#define WL_LAWS_CURVE_H

#include "warpline/device.h"

double wl_curve_miss(const wl_device *device, wl_device_key curve, double oversubscription);

#endif /* WL_LAWS_CURVE_H */

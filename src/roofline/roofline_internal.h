/* roofline_internal.h - ceilings of a device, launches under them, and what the picture shows.
 *
 * Layer  roofline (uses metrics, device). Units: seconds, flops, bytes, instructions, transactions.
 * Oracle: tests/unit/test_roofline.c, the numbers of Ding and Williams 2019.
 * SPDX-License-Identifier: MIT */
#ifndef WL_ROOFLINE_INTERNAL_H
#define WL_ROOFLINE_INTERNAL_H

#include "warpline/roofline.h"

#define WL_TRANSACTION 32.0 /* bytes: the unit of Ding and Williams 2019, a sector of NVIDIA's caches */

#endif /* WL_ROOFLINE_INTERNAL_H */

/* pieces.h - addresses that are affine piece by piece: threadIdx.x / 8, (threadIdx.x +
 * 16*threadIdx.y) % 128.
 *
 * Where the quotient of a division by a constant takes few values among the threads of a block, the
 * threads with one value form a box, or a few: within them the address is affine. So an access is
 * the union of as many affine accesses, each under the condition that the quotient has its value.
 *
 * Layer  footprint (uses base, kernel, launch).
 * Oracle  tests/property/prop_footprint.c: enumeration of every thread
 * SPDX-License-Identifier: MIT */
#ifndef WL_FOOTPRINT_PIECES_H
#define WL_FOOTPRINT_PIECES_H

#include "footprint/shape.h"

/* Gives a bound that is not affine its pieces, if there are few of them. */
wl_status wl_pieces_make(const wl_kernel *kernel, const wl_geometry *geometry, const wl_ranges *ranges,
                         const wl_kept_guard **kept, wl_arena *arena, wl_bound *bound, wl_error *err);

#endif /* WL_FOOTPRINT_PIECES_H */

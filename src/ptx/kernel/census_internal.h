/* census_internal.h - shared by the ways of taking a census.
 * Layer  ptx/kernel. SPDX-License-Identifier: MIT */
#ifndef WL_PTX_KERNEL_CENSUS_INTERNAL_H
#define WL_PTX_KERNEL_CENSUS_INTERNAL_H

#include "ptx/kernel/census.h"

/* the most blocks, even if they cost little: their records take memory */
#define WL_PTX_FOLLOWED_MAX ((size_t)1 << 20)

/* Follows a block and adds it to the list. */
wl_status wl_ptx_census_follow(wl_ptx_emulator *emulator, const wl_ptx_launch *launch, int64_t number, int of_stratum,
                               wl_ptx_census *census, wl_error *err);

/* The first, the inner and the last blocks of each dimension are parts of the grid. False: there is
 * no such part. */
#define WL_PTX_PARTS 27
bool wl_ptx_grid_part(const int64_t grid[3], int part, int64_t first[3], int64_t extent[3]);

/* By signature, then number. */
void wl_ptx_census_sort(wl_ptx_census *census);

/* census_places.c: for control flow that depends linearly on the position of the block. *done is
 * false, with an empty list, if that takes more than `affordable` steps. */
wl_status wl_ptx_census_places(wl_ptx_emulator *emulator, const wl_ptx_launch *launch, double affordable,
                               wl_ptx_census *census, bool *done, wl_error *err);

#endif /* WL_PTX_KERNEL_CENSUS_INTERNAL_H */

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

/* census_places.c: for control flow that depends linearly on the position of the block. *done is
 * false, with an empty list, if that takes more than `affordable` steps. */
wl_status wl_ptx_census_places(wl_ptx_emulator *emulator, const wl_ptx_launch *launch, double affordable,
                               wl_ptx_census *census, bool *done, wl_error *err);

#endif /* WL_PTX_KERNEL_CENSUS_INTERNAL_H */

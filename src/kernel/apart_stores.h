/* apart_stores.h - which stores of a warp to a field follow others at once.
 *
 * The write-combining stage holds a store for less time than any load takes. So stores of a warp to
 * the same sectors combine only if the warp waits for nothing between them: not if every store
 * waits for a load of its own, which compilers may not move before the stores.
 *
 * Layer  kernel (uses timeline). Units: shares of stores. Oracle: tests/unit/test_apart_stores.c
 * SPDX-License-Identifier: MIT */
#ifndef WL_KERNEL_APART_STORES_H
#define WL_KERNEL_APART_STORES_H

#include "kernel/kernel_internal.h"

/* By field: of the stores that follow another one of the same warp, the share before which it
 * waits; as the kernel states it, or as its instructions show. 0 where they are not known. */
wl_status wl_stores_apart(const wl_kernel *kernel, wl_arena *arena, double *share, wl_error *err);

/* The same of given lives. */
wl_status wl_lives_stores_apart(const wl_lives *lives, size_t field_count, wl_arena *arena, double *share,
                                wl_error *err);

#endif /* WL_KERNEL_APART_STORES_H */

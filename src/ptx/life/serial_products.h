/* serial_products.h - whether the assembler lets a warp wait for each product of warp groups
 * (wgmma) at once. It says so itself: "non wgmma instructions defining accumulator registers".
 *
 * Layer  ptx/life. Oracle: tests/unit/test_ptx_life.c
 * SPDX-License-Identifier: MIT */
#ifndef WL_PTX_LIFE_SERIAL_PRODUCTS_H
#define WL_PTX_LIFE_SERIAL_PRODUCTS_H

#include "base/arena.h"
#include "ptx/module/flow.h"
#include "ptx/module/module.h"

/* On a way around the products, something else writes their sums, and that way meets theirs at a
 * wait for products that still run: where a loop with products does no trip, for example. */
wl_status wl_ptx_products_in_turn(const wl_ptx_function *f, const wl_ptx_flow *flow, wl_arena *arena, bool *in_turn,
                                  wl_error *err);

#endif /* WL_PTX_LIFE_SERIAL_PRODUCTS_H */

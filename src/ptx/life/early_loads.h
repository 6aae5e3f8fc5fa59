/* early_loads.h - in which order the assembler issues the operations of a segment: loads first, as
 * early as their addresses, stores before them and uses of their registers allow; then arithmetic,
 * with its dependent chains interleaved.
 *
 * Layer  ptx/life. Oracle: tests/unit/test_ptx_life.c
 * SPDX-License-Identifier: MIT */
#ifndef WL_PTX_LIFE_EARLY_LOADS_H
#define WL_PTX_LIFE_EARLY_LOADS_H

#include "ptx/life/interleave.h"
#include "timeline/life.h"

typedef struct wl_ptx_early {
    int32_t *list; /* operations in this order, by their index */
    /* by index; 0: a load, or an operand of its address; 1: others; 2: the end of the segment */
    uint8_t *rest;
    /* kept from segment to segment */
    struct wl_ptx_place *places;
    struct wl_ptx_known *registers; /* by number */
    wl_op *moved;
    wl_ptx_interleave interleave;
    int32_t room, register_room;
} wl_ptx_early;

/* False: no memory. `registers`: their number. */
bool wl_ptx_early_find(wl_ptx_early *order, const wl_op *ops, int32_t count, int32_t registers);
/* The order of machine code: `at`, by operation, is its place there; -1: it has none, and follows
 * what it reads. */
bool wl_ptx_early_by_places(wl_ptx_early *order, const wl_op *ops, int32_t count, int32_t registers, const int32_t *at);
void wl_ptx_early_apply(wl_ptx_early *order, wl_op *ops, int32_t count);
void wl_ptx_early_free(wl_ptx_early *order);

#endif /* WL_PTX_LIFE_EARLY_LOADS_H */

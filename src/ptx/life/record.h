/* record.h - records what a warp executes as a tree of segments and loops, while it is emulated.
 *
 * Trips of a loop with the same control flow are one body with a number of trips. Trips that differ
 * are separate bodies, up to a few; their order is lost. Divergent lanes execute one side after the
 * other, and are recorded in that order.
 *
 * Layer  ptx/life (uses base, timeline, ptx/emulate). Oracle: tests/unit/test_ptx_life.c
 * SPDX-License-Identifier: MIT */
#ifndef WL_PTX_LIFE_RECORD_H
#define WL_PTX_LIFE_RECORD_H

#include "ptx/emulate/emulate.h"
#include "ptx/life/segments.h"

typedef struct wl_ptx_record wl_ptx_record;

/* Records the run of warps 0 .. count - 1 of a block; segments by function. */
wl_ptx_record *wl_ptx_record_new(const wl_ptx_segments *segments, int32_t warps);
void wl_ptx_record_free(wl_ptx_record *record);
/* For wl_ptx_on_run; user is the record. */
void wl_ptx_record_visit(void *user, const wl_ptx_ran *ran);

/* The parts of one warp's life; *signature is the same for warps with the same control flow. NULL:
 * nothing was executed, or out of memory, *failed. */
const wl_stretch *wl_ptx_record_parts(wl_ptx_record *record, int32_t warp, wl_arena *arena, size_t *count,
                                      uint64_t *signature, bool *failed);

#endif /* WL_PTX_LIFE_RECORD_H */

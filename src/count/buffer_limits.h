/* buffer_limits.h - does a launch stay inside the buffers of its kernel?
 *
 * A kernel made from PTX knows how large its buffers are, and is read for one launch. Another
 * launch may have threads that the first had not: without a test of bounds in the kernel, they
 * access what lies behind the buffers.
 *
 * Layer  count (uses footprint). Units: bytes.
 * Oracle  tests/property/prop_guards.c: enumeration of every thread
 * SPDX-License-Identifier: MIT */
#ifndef WL_COUNT_BUFFER_LIMITS_H
#define WL_COUNT_BUFFER_LIMITS_H

#include "count/view.h"

/* WL_E_BOUNDS: some thread accesses bytes before or behind a buffer whose size is known. Exact for
 * addresses that have a closed form, unless an access from PTX lies outside in all threads: it may
 * belong to another buffer. Nothing is claimed of others, which the emulator checks where it
 * executes them. */
wl_status wl_buffer_limits_check(const wl_view *view, const wl_geometry *busy, wl_counter *counter, wl_arena *arena,
                                 wl_error *err);

#endif /* WL_COUNT_BUFFER_LIMITS_H */

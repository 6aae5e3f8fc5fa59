/* buffer_limits.h - does a launch stay inside the buffers of its kernel?
 *
 * A kernel made from PTX knows how large its buffers are, and is read for one launch. Another
 * launch may have more threads: without a bounds check in the kernel, they access memory beyond the
 * buffers.
 *
 * Layer  count (uses footprint). Units: bytes.
 * Oracle  tests/property/prop_guards.c: enumeration of every thread
 * SPDX-License-Identifier: MIT */
#ifndef WL_COUNT_BUFFER_LIMITS_H
#define WL_COUNT_BUFFER_LIMITS_H

#include "count/view.h"

/* WL_E_BOUNDS: some thread accesses bytes before or after a buffer whose size is known. Exact for
 * addresses with a closed form, except for accesses from PTX that are outside in all threads: those
 * may belong to another buffer. Other addresses are not checked here; the emulator checks the ones
 * it executes. */
wl_status wl_buffer_limits_check(const wl_view *view, const wl_geometry *busy, wl_counter *counter, wl_arena *arena,
                                 wl_error *err);

#endif /* WL_COUNT_BUFFER_LIMITS_H */

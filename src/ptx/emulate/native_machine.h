/* native_machine.h - the machine that kernels in machine code come back to. See native.h.
 *
 * Layer  ptx/emulate. SPDX-License-Identifier: MIT */
#ifndef WL_PTX_EMULATE_NATIVE_MACHINE_H
#define WL_PTX_EMULATE_NATIVE_MACHINE_H

#include "ptx/emulate/emulate_internal.h"

int32_t wl_native_bytes(const wl_ptx_program *program); /* of all of its registers */
/* Executes the top path of the frame to its end, or to a step that changes paths. *to: the step
 * after the last one; *ends: the path ends before it. */
wl_status wl_native_run_path(wl_ptx_machine *m, wl_native_run run, int32_t *to, bool *ends, wl_error *err);

#endif /* WL_PTX_EMULATE_NATIVE_MACHINE_H */

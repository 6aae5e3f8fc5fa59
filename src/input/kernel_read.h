/* kernel_read.h - reads a kernel from text.
 *
 * Layer  input (uses base, kernel).
 * SPDX-License-Identifier: MIT */
#ifndef WL_INPUT_KERNEL_READ_H
#define WL_INPUT_KERNEL_READ_H

#include "kernel/kernel_internal.h"

/* Reads a kernel file, or an assignment. `input` names the text in messages; `layout` changes the
 * fields' layout and may be NULL. */
wl_status wl_kernel_read_file(const char *input, const wl_kernel_text *text, const wl_layout *layout, wl_kernel **out,
                              wl_error *err);
wl_status wl_kernel_read_assignment(const char *input, const wl_kernel_text *text, const wl_layout *layout,
                                    wl_kernel **out, wl_error *err);

#endif /* WL_INPUT_KERNEL_READ_H */

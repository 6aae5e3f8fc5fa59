/* show_counts.h - what a kernel with an instruction stream executes, as keys of a kernel file.
 *
 * Layer  kernel. SPDX-License-Identifier: MIT */
#ifndef WL_KERNEL_SHOW_COUNTS_H
#define WL_KERNEL_SHOW_COUNTS_H

#include "base/buffer.h"
#include "kernel/kernel_internal.h"

/* Writes the keys that the kernel's own text leaves out: thread indices and executed accesses, and
 * what a work item executes where threads differ, as averages of the launch that the kernel was
 * made for. *averaged: there are such. */
wl_status wl_kernel_show_counts(const wl_kernel *kernel, wl_buffer *out, bool *averaged, wl_error *err);

#endif /* WL_KERNEL_SHOW_COUNTS_H */

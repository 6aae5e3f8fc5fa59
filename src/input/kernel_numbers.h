/* kernel_numbers.h - numbers in kernel files: integers and reals, expressions of params, range
 * checks.
 *
 * Layer  input (uses base, kernel).
 * SPDX-License-Identifier: MIT */
#ifndef WL_INPUT_KERNEL_NUMBERS_H
#define WL_INPUT_KERNEL_NUMBERS_H

#include "base/yaml.h"
#include "input/kernel_build.h"

/* The names that an expression may use: params and, with `coordinates`, thread coordinates and
 * loops. */
wl_scope wl_kernel_scope(const wl_kernel_builder *b, bool coordinates);

/* Turns the position of an error inside a YAML scalar into its position in the file. */
wl_status wl_kernel_place(const wl_yaml *node, wl_error *err, wl_status status);

wl_status wl_kernel_integer(const wl_kernel_builder *b, const wl_yaml *node, const char *what, int64_t *value);
wl_status wl_kernel_bounded(const wl_kernel_builder *b, const wl_yaml *node, const char *what, int64_t lo, int64_t hi,
                            int64_t *value);
/* A number, not necessarily an integer, or an expression. */
wl_status wl_kernel_amount(const wl_kernel_builder *b, const wl_yaml *node, const char *what, double *value);
wl_status wl_kernel_yes_or_no(const wl_kernel_builder *b, const wl_yaml *node, const char *what, bool *out);

/* Registers, shared memory, barriers, and instructions by class: all that a file states besides its
 * accesses. */
wl_status wl_kernel_read_resources(wl_kernel_builder *b);

#endif /* WL_INPUT_KERNEL_NUMBERS_H */

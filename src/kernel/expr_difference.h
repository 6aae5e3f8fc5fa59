/* expr_difference.h - how far two expressions are apart, whatever they have in common.
 *
 * Addresses of unrolled or peeled trips of a loop differ by a constant, also where a part of them
 * is not affine: this part is the same in all of them.
 *
 * Layer  kernel (uses expr). Oracle: tests/unit/test_expr_difference.c
 * SPDX-License-Identifier: MIT */
#ifndef WL_KERNEL_EXPR_DIFFERENCE_H
#define WL_KERNEL_EXPR_DIFFERENCE_H

#include "kernel/expr.h"

/* b - a as a form, if all that is not affine occurs in both as often; false: unknown. */
bool wl_expr_difference(const wl_expr *a, const wl_expr *b, wl_form *out);

#endif /* WL_KERNEL_EXPR_DIFFERENCE_H */

/* bounded.h - is a kernel small enough to be predicted in milliseconds?
 *
 * Closed forms cost the same for every domain; accesses without one are evaluated thread by thread,
 * and the library's own budgets for that are seconds, not milliseconds.
 * SPDX-License-Identifier: MIT */
#ifndef WL_TESTS_FUZZ_BOUNDED_H
#define WL_TESTS_FUZZ_BOUNDED_H

#include "kernel/kernel_internal.h"

#define STEPS_MAX 64      /* of all loops together */
#define OPAQUE_CELLS 4096 /* of a domain, where an access may have no closed form */
#define AFFINE_ACCESSES 64
#define SAMPLES_MAX 16 /* warp instructions looked at for conflicts in the L1 */

/* Sums and products with a constant only: sure to be affine. */
static inline bool is_plainly_affine(const wl_expr *e)
{
    switch (e->op) {
    case WL_EXPR_CONST:
    case WL_EXPR_VAR: return true;
    case WL_EXPR_ADD:
    case WL_EXPR_SUB: return is_plainly_affine(e->a) && is_plainly_affine(e->b);
    case WL_EXPR_MUL:
        return is_plainly_affine(e->a) && is_plainly_affine(e->b) &&
               (e->a->op == WL_EXPR_CONST || e->b->op == WL_EXPR_CONST);
    default: return false;
    }
}

static inline bool is_bounded(const wl_kernel *k)
{
    bool affine = true;
    double steps = 1, cells = 1;
    for (int i = 0; i < k->loop_count; i++)
        steps *= (double)k->loop_extent[i];
    for (int d = 0; d < 3; d++)
        cells *= (double)k->domain[d];
    for (size_t i = 0; i < k->access_count && affine; i++)
        affine = is_plainly_affine(k->accesses[i].index) && !k->accesses[i].when;
    return steps <= STEPS_MAX && k->access_count <= AFFINE_ACCESSES && (affine || cells <= OPAQUE_CELLS);
}

#endif /* WL_TESTS_FUZZ_BOUNDED_H */

/* relayout.h - the elements of one field in another order, for all its accesses.
 *
 * With rows of R elements, element i = R q + r, 0 <= r < R. With n rows, it can become element r n
 * + q: rows become columns, which turns an array of structures into a structure of arrays, or
 * transposes a matrix. Or rows become longer: element (R + pad) q + r, which spreads a column over
 * the banks of shared memory. Both are affine if the address is, so the variant is counted in
 * closed form as well.
 *
 * Layer  causes (uses kernel, launch). Units: units of the accesses. Oracle:
 * tests/unit/test_relayout.c
 * SPDX-License-Identifier: MIT */
#ifndef WL_CAUSES_RELAYOUT_H
#define WL_CAUSES_RELAYOUT_H

#include "causes/inquiry.h"

/* The index of an access as an affine form; false: it is not affine. */
bool wl_index_form(const wl_inquiry *inquiry, size_t access, wl_form *out);
/* Units from one lane of a warp to the next. */
int64_t wl_lane_stride(const wl_inquiry *inquiry, const wl_form *form);
/* An affine form as an expression. */
wl_status wl_form_expr(wl_arena *arena, const wl_form *form, wl_loc loc, const wl_expr **out, wl_error *err);

typedef struct wl_relayout {
    size_t field;
    int64_t row;     /* units, above 1 */
    int64_t pad;     /* rows become longer by so many units; 0: rows become columns */
    int64_t aligned; /* columns start at multiples of so many units */
} wl_relayout;

/* Changes the accesses of a variant. *done is false, and the variant useless, if some access is
 * not affine, or the row of an element depends on more than its quotient. *rows: how many rows
 * the accesses reach. */
wl_status wl_relay_out(wl_inquiry *inquiry, const wl_relayout *how, wl_kernel *variant, int64_t *rows, bool *done,
                       wl_error *err);

#endif /* WL_CAUSES_RELAYOUT_H */

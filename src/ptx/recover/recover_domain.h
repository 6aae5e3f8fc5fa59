/* recover_domain.h - the domain of a kernel: the box of cells that pass its bounds checks.
 * Layer  ptx/recover. SPDX-License-Identifier: MIT */
#ifndef WL_PTX_RECOVER_RECOVER_DOMAIN_H
#define WL_PTX_RECOVER_RECOVER_DOMAIN_H

#include "ptx/recover/recover.h"

/* The box of cells that pass a bounds check, inclusive. */
typedef struct wl_ptx_limits {
    int64_t first[3], last[3];
} wl_ptx_limits;
extern const wl_ptx_limits wl_ptx_no_limits;

/* Moves the parts of a condition that limit single coordinates into *out; returns the rest,
 * NULL: nothing. */
const wl_symbol *wl_ptx_take_limits(wl_symbols *symbols, const wl_symbol *condition, wl_ptx_limits *out);

/* Whether some threads of the launch are inside and no dimension of the domain is empty. */
bool wl_ptx_holds_cells(const wl_ptx_recovery *recovery, const wl_ptx_limits *limits);

void wl_ptx_limit_domain(wl_ptx_recovery *recovery, const wl_ptx_limits *limits);

/* If every step has a limit in a dimension, the domain gets the widest; conditions keep the
 * rest. */
void wl_ptx_share_limits(wl_ptx_recovery *recovery);

#endif /* WL_PTX_RECOVER_RECOVER_DOMAIN_H */

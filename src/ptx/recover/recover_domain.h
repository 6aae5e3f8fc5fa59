/* recover_domain.h - which cells tests let pass: the domain of a kernel. SPDX-License-Identifier: MIT */
#ifndef WL_PTX_RECOVER_RECOVER_DOMAIN_H
#define WL_PTX_RECOVER_RECOVER_DOMAIN_H

#include "ptx/recover/recover.h"

/* Cells that a test lets pass. */
typedef struct wl_ptx_limits {
    int64_t first[3], last[3];
} wl_ptx_limits;
extern const wl_ptx_limits wl_ptx_no_limits;

/* Takes out of a condition what limits single coordinates; gives what is left, NULL: nothing. */
const wl_symbol *wl_ptx_take_limits(wl_symbols *symbols, const wl_symbol *condition, wl_ptx_limits *out);

/* Does the launch have threads inside, and every dimension of the domain a cell? */
bool wl_ptx_holds_cells(const wl_ptx_recovery *recovery, const wl_ptx_limits *limits);

void wl_ptx_limit_domain(wl_ptx_recovery *recovery, const wl_ptx_limits *limits);

/* Where every step has a limit in a dimension, the widest of them is the domain's; conditions keep what is left. */
void wl_ptx_share_limits(wl_ptx_recovery *recovery);

#endif /* WL_PTX_RECOVER_RECOVER_DOMAIN_H */

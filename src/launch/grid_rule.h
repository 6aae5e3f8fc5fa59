/* grid_rule.h - grid rules, for searches.
 *
 * Layer  launch (uses base, device, kernel). Oracle: tests/unit/test_grid_rule.c.
 * SPDX-License-Identifier: MIT */
#ifndef WL_LAUNCH_GRID_RULE_H
#define WL_LAUNCH_GRID_RULE_H

#include <stdbool.h>

#include "kernel/where.h"
#include "warpline/launch.h"

/* A deep copy, in which the params of this kernel have their values. */
wl_status wl_grid_rule_copy(const wl_grid_rule *rule, const wl_kernel *kernel, wl_grid_rule **out, wl_error *err);

/* The names that have a value: params of the kernel (NULL: none) unless launches have such a name,
 * then those that "nx=640" sets; the last definition counts. Kernel and texts must outlive them. */
wl_status wl_launch_names(const wl_kernel *kernel, const char *const *sets, size_t set_count, wl_arena *arena,
                          wl_where_named **out, size_t *count, wl_error *err);

/* If the rule names the domain, is it given (not 0)? WL_E_INPUT: it is not. */
wl_status wl_grid_rule_check_domain(const wl_grid_rule *rule, const int64_t domain[3], wl_error *err);

/* Does the grid depend on the block's extent in dimension d? */
bool wl_grid_rule_follows(const wl_grid_rule *rule, int d);
/* The extents that it gives: 1 .. 3. */
int wl_grid_rule_dims(const wl_grid_rule *rule);

#endif /* WL_LAUNCH_GRID_RULE_H */

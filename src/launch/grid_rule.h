/* grid_rule.h - what a search asks of a grid rule. Layer  launch (uses base, device, kernel). SPDX-License-Identifier: MIT */
#ifndef WL_LAUNCH_GRID_RULE_H
#define WL_LAUNCH_GRID_RULE_H

#include <stdbool.h>

#include "warpline/launch.h"

/* The same rule once more, with a life of its own. */
wl_status wl_grid_rule_copy(const wl_grid_rule *rule, wl_grid_rule **out, wl_error *err);

/* Is the domain given, where the rule names it? 0: it is not. WL_E_INPUT when it is not. */
wl_status wl_grid_rule_check_domain(const wl_grid_rule *rule, const int64_t domain[3], wl_error *err);

/* Does the grid change with the block's extent in dimension d? */
bool wl_grid_rule_follows(const wl_grid_rule *rule, int d);

#endif /* WL_LAUNCH_GRID_RULE_H */

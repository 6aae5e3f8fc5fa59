/* shares.h - the contribution of each field, and of each access, to the metrics.
 *
 * Layer  metrics (uses count, laws).
 * SPDX-License-Identifier: MIT */
#ifndef WL_METRICS_SHARES_H
#define WL_METRICS_SHARES_H

#include "laws/volumes.h"
#include "metrics/counts.h"
#include "metrics/prediction.h"

/* One share per field: L1 side and volumes. */
void wl_field_shares(const wl_costs *costs, const wl_volumes *volumes, wl_share *shares);

/* Which fields have L2 loads that come from a replay; returns how many. */
size_t wl_fields_replayed(const wl_kernel *kernel, const wl_volumes *volumes, bool *replayed);

/* One share per access: its L1 side. attribution.h adds the volumes. */
void wl_access_shares(const wl_costs *costs, wl_share *shares);

#endif /* WL_METRICS_SHARES_H */

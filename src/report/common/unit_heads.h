/* unit_heads.h - heads of columns in the unit of work: "per LUP", "B/cell", "GLUP/s".
 * SPDX-License-Identifier: MIT */
#ifndef WL_REPORT_COMMON_UNIT_HEADS_H
#define WL_REPORT_COMMON_UNIT_HEADS_H

#include "base/buffer.h"
#include "metrics/prediction.h"

typedef struct wl_unit_heads {
    char per[16], bytes[16], rate[16];
} wl_unit_heads;

wl_unit_heads wl_unit_heads_of(wl_work_unit unit);

/* "LEAD167772160 lattice updates (LUP)" if all launches have as many; else only the meaning of the
 * unit. */
void wl_unit_explain(const char *lead, wl_work_unit unit, int64_t items, wl_buffer *out);

/* "star3d_r4 on h200 (NVIDIA H200)", marked as a headline. */
void wl_kernel_headline(wl_buffer *out, const wl_kernel *kernel, const wl_device *device);

/* The symbol of a PTX entry where it is not its name; NULL elsewhere. */
const char *wl_kernel_symbol(const wl_kernel *kernel);
/* "load", "store" or "atomic" */
const char *wl_access_kind(const wl_kernel *kernel, size_t access);

#endif /* WL_REPORT_COMMON_UNIT_HEADS_H */

/* unit_heads.c - see unit_heads.h. SPDX-License-Identifier: MIT */
#include "report/common/unit_heads.h"

#include <stdio.h>
#include <string.h>

#include "kernel/kernel_internal.h"
#include "report/common/marks.h"

wl_unit_heads wl_unit_heads_of(wl_work_unit unit)
{
    const char *name = wl_work_unit_words(unit)->name;
    wl_unit_heads out;
    (void)snprintf(out.per, sizeof out.per, "per %s", name);
    (void)snprintf(out.bytes, sizeof out.bytes, "B/%s", name);
    (void)snprintf(out.rate, sizeof out.rate, "G%s/s", name);
    return out;
}

void wl_unit_explain(const char *lead, wl_work_unit unit, int64_t items, wl_buffer *out)
{
    if (items > 0)
        wl_buffer_add(out, "%s%lld %s", lead, (long long)items, wl_work_unit_explained(unit, items));
    else if (unit == WL_WORK_UPDATE)
        wl_buffer_add(out, "%sper lattice update (LUP)", lead);
}

void wl_kernel_headline(wl_buffer *out, const wl_kernel *kernel, const wl_device *device)
{
    wl_headline(out, "%s on %s (%s)", wl_kernel_name(kernel), wl_device_name(device), wl_device_title(device));
}

const char *wl_kernel_symbol(const wl_kernel *kernel)
{
    return kernel->symbol && strcmp(kernel->symbol, kernel->name) != 0 ? kernel->symbol : NULL;
}

const char *wl_access_kind(const wl_kernel *kernel, size_t access)
{
    return wl_kernel_access_is_atomic(kernel, access)  ? "atomic"
           : wl_kernel_access_is_store(kernel, access) ? "store"
                                                       : "load";
}

/* source_kind.c - what kind of source a number has, read off the text of its source and off whose
 * number it is.
 *
 * Layer  device (uses base). Oracle: tests/unit/test_source_kind.c.
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "device/device_internal.h"

static const char *const kind_names[WL_SOURCE_KINDS] = {"measured",   "fitted",  "published",
                                                        "data sheet", "assumed", "user"};

/* The first words of the sources of each kind. Any other source is a publication, such as a paper
 * or a benchmark. */
static const struct {
    const char *start;
    wl_source_kind kind;
} starts[] = {
    {"measured", WL_SOURCE_MEASURED},
    {"device query", WL_SOURCE_MEASURED},
    {"fitted", WL_SOURCE_FITTED},
    {"chosen", WL_SOURCE_FITTED}, /* by hand, to match measured launches */
    {"inferred", WL_SOURCE_FITTED},
    {"assumed", WL_SOURCE_ASSUMED},
    {"believed", WL_SOURCE_ASSUMED},
    {"scaled", WL_SOURCE_ASSUMED},
    {"set by the user", WL_SOURCE_USER},
    {"NVIDIA", WL_SOURCE_DATA_SHEET},
    {"AMD", WL_SOURCE_DATA_SHEET},
    {"HIP device properties", WL_SOURCE_DATA_SHEET},
    {"LLVM AMDGPU", WL_SOURCE_DATA_SHEET},
    {"ptxas", WL_SOURCE_DATA_SHEET},
    {"four schedulers", WL_SOURCE_DATA_SHEET},
};

const char *wl_source_kind_name(wl_source_kind kind) { return kind_names[kind]; }

bool wl_source_kind_of(const wl_device *device, wl_device_key key, wl_source_kind *kind)
{
    const wl_device_entry *e = &device->entries[key];
    if (e->count == 0)
        return false;
    *kind = WL_SOURCE_PUBLISHED;
    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++)
        if (strncmp(e->source, starts[i].start, strlen(starts[i].start)) == 0)
            *kind = starts[i].kind;
    /* measured, but on a GPU of another architecture */
    if (e->owner == WL_OWNER_OTHER && *kind != WL_SOURCE_DATA_SHEET)
        *kind = WL_SOURCE_ASSUMED;
    return true;
}

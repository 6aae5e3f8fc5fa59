/* memory.h - bytes of which each is known or not: shared, local and parameter memory, and what a block wrote to
 * buffers.
 *
 * Layer  ptx (uses base). SPDX-License-Identifier: MIT */
#ifndef WL_PTX_EMULATE_MEMORY_H
#define WL_PTX_EMULATE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Memory of a fixed size. */
typedef struct wl_ptx_region {
    uint8_t *data, *unknown; /* unknown: 1 or 0 for each byte */
    int64_t bytes;
} wl_ptx_region;

/* All unknown; keeps its memory when it is large enough. False: memory is short. */
bool wl_ptx_region_resize(wl_ptx_region *region, int64_t bytes);
void wl_ptx_region_clear(wl_ptx_region *region);
void wl_ptx_region_free(wl_ptx_region *region);

/* A value of 1 to 8 bytes; the place must be inside. Unknown when any of its bytes is. */
static inline uint64_t wl_ptx_region_read(const wl_ptx_region *region, int64_t at, int bytes, bool *unknown)
{
    uint64_t value = 0, flags = 0;
    switch (bytes) { /* constant sizes become single loads */
    case 4:
        memcpy(&value, region->data + at, 4);
        memcpy(&flags, region->unknown + at, 4);
        break;
    case 8:
        memcpy(&value, region->data + at, 8);
        memcpy(&flags, region->unknown + at, 8);
        break;
    default: memcpy(&value, region->data + at, (size_t)bytes); memcpy(&flags, region->unknown + at, (size_t)bytes);
    }
    *unknown = flags != 0;
    return value;
}

static inline void wl_ptx_region_write(wl_ptx_region *region, int64_t at, int bytes, uint64_t value, bool unknown)
{
    const uint64_t flags = unknown ? 0x0101010101010101u : 0;
    switch (bytes) {
    case 4:
        memcpy(region->data + at, &value, 4);
        memcpy(region->unknown + at, &flags, 4);
        break;
    case 8:
        memcpy(region->data + at, &value, 8);
        memcpy(region->unknown + at, &flags, 8);
        break;
    default: memcpy(region->data + at, &value, (size_t)bytes); memcpy(region->unknown + at, &flags, (size_t)bytes);
    }
}

/* ---- what was written to buffers ---- */

#define WL_PTX_PAGE_BYTES 512

/* Bytes at an address; state: 0 as before the launch, 1 written, 2 written with something unknown. */
typedef struct wl_ptx_page {
    uint64_t number;
    struct wl_ptx_page *next; /* of the same hash, or free */
    uint8_t data[WL_PTX_PAGE_BYTES], state[WL_PTX_PAGE_BYTES];
} wl_ptx_page;

typedef struct wl_ptx_pages {
    wl_ptx_page **table, *unused, *last; /* last: found last */
    uint64_t lowest, highest;            /* addresses that were written lie in lowest .. highest - 1 */
    size_t slots, count;
} wl_ptx_pages;

void wl_ptx_pages_clear(wl_ptx_pages *pages);
void wl_ptx_pages_free(wl_ptx_pages *pages);

/* NULL: nothing was written there. */
wl_ptx_page *wl_ptx_pages_find(wl_ptx_pages *pages, uint64_t address);
/* Writes 1 to 8 bytes that do not cross a multiple of their size. False: memory is short. */
bool wl_ptx_pages_write(wl_ptx_pages *pages, uint64_t address, int bytes, uint64_t value, bool unknown);

#endif /* WL_PTX_EMULATE_MEMORY_H */

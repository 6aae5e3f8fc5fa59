/* memory.h - memory whose bytes are known or unknown: shared, local and parameter memory, and a
 * block's writes to buffers.
 *
 * Layer  ptx/emulate (uses base). SPDX-License-Identifier: MIT */
#ifndef WL_PTX_EMULATE_MEMORY_H
#define WL_PTX_EMULATE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Memory of a fixed size. */
typedef struct wl_ptx_region {
    uint8_t *data, *unknown; /* unknown: 1 or 0 per byte */
    int64_t bytes;
    bool hides; /* some byte may be unknown */
} wl_ptx_region;

/* Sizes the region and makes all of it unknown, or known zeros; reuses its memory if possible.
 * False: out of memory. */
bool wl_ptx_region_resize(wl_ptx_region *region, int64_t bytes, bool known);
void wl_ptx_region_clear(wl_ptx_region *region);
void wl_ptx_region_zero(wl_ptx_region *region); /* all of it is known */
void wl_ptx_region_free(wl_ptx_region *region);

/* Reads 1 to 8 bytes inside the region. The value is unknown if any byte is. */
static inline uint64_t wl_ptx_region_read(const wl_ptx_region *region, int64_t at, int bytes, bool *unknown)
{
    uint64_t value = 0, flags = 0;
    switch (bytes) { /* constant sizes compile to single loads */
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
    region->hides = region->hides || unknown;
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

/* ---- writes to buffers ---- */

#define WL_PTX_PAGE_BYTES 512

/* Bytes at an address. State: 0 not written, 1 written, 2 written with an unknown value. */
typedef struct wl_ptx_page {
    uint64_t number;
    struct wl_ptx_page *next; /* next in the hash bucket or in the free list */
    uint8_t data[WL_PTX_PAGE_BYTES], state[WL_PTX_PAGE_BYTES];
} wl_ptx_page;

typedef struct wl_ptx_pages {
    wl_ptx_page **table, *unused, *last; /* last: the page found last */
    uint64_t lowest, highest;            /* written addresses lie in lowest .. highest - 1 */
    size_t slots, count;
} wl_ptx_pages;

void wl_ptx_pages_clear(wl_ptx_pages *pages);
void wl_ptx_pages_free(wl_ptx_pages *pages);

/* NULL: nothing was written there. */
wl_ptx_page *wl_ptx_pages_find(wl_ptx_pages *pages, uint64_t address);
/* Writes 1 to 8 naturally aligned bytes. False: out of memory. */
bool wl_ptx_pages_write(wl_ptx_pages *pages, uint64_t address, int bytes, uint64_t value, bool unknown);

#endif /* WL_PTX_EMULATE_MEMORY_H */

/* memory.c - see memory.h.
 * Layer  ptx/emulate. SPDX-License-Identifier: MIT */
#include "ptx/emulate/memory.h"

#include <stdlib.h>

#include "base/hash.h"

bool wl_ptx_region_resize(wl_ptx_region *region, int64_t bytes, bool known)
{
    if (bytes > region->bytes) {
        const size_t room = (size_t)bytes;
        uint8_t *data = calloc(room, 1), *unknown = calloc(room, 1);
        if (!data || !unknown) {
            free(data);
            free(unknown);
            return false;
        }
        wl_ptx_region_free(region);
        *region = (wl_ptx_region){data, unknown, bytes, true};
    }
    if (known)
        wl_ptx_region_zero(region);
    else
        wl_ptx_region_clear(region);
    return true;
}

void wl_ptx_region_clear(wl_ptx_region *region)
{
    if (region->bytes > 0) {
        memset(region->data, 0, (size_t)region->bytes);
        /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc) the region was replaced after it was freed */
        memset(region->unknown, 1, (size_t)region->bytes);
        region->hides = true;
    }
}

void wl_ptx_region_zero(wl_ptx_region *region)
{
    if (region->bytes > 0) {
        memset(region->data, 0, (size_t)region->bytes);
        /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc) as above */
        memset(region->unknown, 0, region->hides ? (size_t)region->bytes : 0);
    }
    region->hides = false;
}

void wl_ptx_region_free(wl_ptx_region *region)
{
    free(region->data);
    free(region->unknown);
    *region = (wl_ptx_region){0};
}

static size_t slot_of(const wl_ptx_pages *pages, uint64_t number)
{
    return (size_t)wl_hash_word(number) & (pages->slots - 1);
}

wl_ptx_page *wl_ptx_pages_find(wl_ptx_pages *pages, uint64_t address)
{
    const uint64_t number = address / WL_PTX_PAGE_BYTES;
    if (pages->last && pages->last->number == number)
        return pages->last;
    if (pages->count == 0)
        return NULL;
    for (wl_ptx_page *page = pages->table[slot_of(pages, number)]; page; page = page->next)
        if (page->number == number)
            return pages->last = page;
    return NULL;
}

static bool grow(wl_ptx_pages *pages)
{
    wl_ptx_pages larger = *pages;
    larger.slots = pages->slots ? 4 * pages->slots : 256;
    larger.table = calloc(larger.slots, sizeof(wl_ptx_page *));
    if (!larger.table)
        return false;
    for (size_t s = 0; s < pages->slots; s++)
        for (wl_ptx_page *page = pages->table[s], *next; page; page = next) {
            next = page->next;
            wl_ptx_page **slot = &larger.table[slot_of(&larger, page->number)];
            page->next = *slot;
            *slot = page;
        }
    free(pages->table);
    *pages = larger;
    return true;
}

static wl_ptx_page *add(wl_ptx_pages *pages, uint64_t number)
{
    if (pages->count >= pages->slots && !grow(pages))
        return NULL;
    wl_ptx_page *page = pages->unused;
    if (page)
        pages->unused = page->next;
    else
        page = malloc(sizeof *page);
    if (!page)
        return NULL;
    memset(page->state, 0, sizeof page->state);
    page->number = number;
    wl_ptx_page **slot = &pages->table[slot_of(pages, number)];
    page->next = *slot;
    *slot = page;
    const uint64_t first = number * WL_PTX_PAGE_BYTES, end = first + WL_PTX_PAGE_BYTES;
    if (pages->count == 0 || first < pages->lowest)
        pages->lowest = first;
    if (pages->count == 0 || end > pages->highest)
        pages->highest = end;
    pages->count++;
    return pages->last = page;
}

bool wl_ptx_pages_write(wl_ptx_pages *pages, uint64_t address, int bytes, uint64_t value, bool unknown)
{
    wl_ptx_page *page = wl_ptx_pages_find(pages, address);
    if (!page)
        page = add(pages, address / WL_PTX_PAGE_BYTES);
    if (!page)
        return false;
    const size_t at = address % WL_PTX_PAGE_BYTES;
    const uint64_t state = unknown ? 0x0202020202020202u : 0x0101010101010101u;
    memcpy(page->data + at, &value, (size_t)bytes);
    memcpy(page->state + at, &state, (size_t)bytes);
    return true;
}

void wl_ptx_pages_clear(wl_ptx_pages *pages)
{
    for (size_t s = 0; pages->count > 0 && s < pages->slots; s++)
        for (wl_ptx_page *page = pages->table[s], *next; page; page = next) {
            next = page->next;
            page->next = pages->unused;
            pages->unused = page;
            pages->table[s] = NULL;
            pages->count--;
        }
    pages->last = NULL;
    pages->lowest = pages->highest = 0;
}

void wl_ptx_pages_free(wl_ptx_pages *pages)
{
    wl_ptx_pages_clear(pages);
    for (wl_ptx_page *page = pages->unused, *next; page; page = next) {
        next = page->next;
        free(page);
    }
    free(pages->table);
    *pages = (wl_ptx_pages){0};
}

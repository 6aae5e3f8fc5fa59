/* granules.h - a set of granule numbers, for footprints without a closed form: a hash table of bit
 * maps, small for dense and for scattered sets.
 *
 * Layer  footprint (uses base).
 * SPDX-License-Identifier: MIT */
#ifndef WL_FOOTPRINT_GRANULES_H
#define WL_FOOTPRINT_GRANULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "warpline/status.h"

#define WL_GRANULE_CHUNK_WORDS 32 /* 2048 granules per chunk */

typedef struct wl_granule_chunk {
    int64_t number; /* of the first granule / granules per chunk */
    uint32_t used;  /* a bit for each word that is not 0 */
    uint64_t bits[WL_GRANULE_CHUNK_WORDS];
} wl_granule_chunk;

typedef struct wl_granules {
    wl_granule_chunk *chunks;
    size_t chunk_count, chunk_capacity;
    uint32_t *table; /* 1 + index into chunks, 0: empty */
    size_t table_size;
    int64_t count;
    uint32_t last;      /* index of the most recently used chunk */
    bool out_of_memory; /* since the set was cleared */
} wl_granules;

/* Adds the granules of another set, moved by a distance; and those of the set itself, moved by 0,
 * 1, .. times - 1 distances. False: out of memory, or too many. */
bool wl_granules_add_moved(wl_granules *set, const wl_granules *from, int64_t distance);
bool wl_granules_repeat(wl_granules *set, int64_t distance, int64_t times);

/* Adds granules first .. last (inclusive). False: the set exceeds WL_GRANULE_CHUNKS_MAX, or memory
 * is short, which the set remembers. */
#define WL_GRANULE_CHUNKS_MAX ((size_t)1 << 19) /* some 140 MB */
bool wl_granules_add(wl_granules *set, int64_t first, int64_t last);
/* Does the set have granules first .. last (inclusive)? */
bool wl_granules_has_all(const wl_granules *set, int64_t first, int64_t last);
/* Why nothing more could be added: WL_E_NOMEM, WL_E_LIMIT. */
wl_status wl_granules_fail(const wl_granules *set, wl_error *err);
/* For sets of byte numbers: how many aligned units of `unit` bytes (a power of two) are
 * complete. */
int64_t wl_granules_full(const wl_granules *bytes, int64_t unit);
/* How many units have at least one byte in the set. */
int64_t wl_granules_touched(const wl_granules *bytes, int64_t unit);

/* How many units of `unit` bytes a set of granules of `base` bytes touches. Of units smaller than a
 * granule, all that a granule has count. */
static inline int64_t wl_granules_of(const wl_granules *set, int64_t base, int64_t unit)
{
    return unit >= base ? wl_granules_touched(set, unit / base) : wl_granules_touched(set, 1) * (base / unit);
}
void wl_granules_clear(wl_granules *set);
void wl_granules_free(wl_granules *set);

#endif /* WL_FOOTPRINT_GRANULES_H */

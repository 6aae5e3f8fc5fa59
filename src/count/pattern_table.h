/* pattern_table.h - a cache of patterns, keyed by the arrangement of their lanes.
 *
 * A pattern follows from its arrangement and the L1 rules alone. A table serves one set of rules,
 * and earlier lookups change no answer.
 *
 * Layer  count. Oracle: tests/unit/test_kept.c.
 * SPDX-License-Identifier: MIT */
#ifndef WL_COUNT_PATTERN_TABLE_H
#define WL_COUNT_PATTERN_TABLE_H

#include "count/pattern.h"

#define WL_PATTERNS_KEPT 128 /* across launches: some 1 MB, and as much for their windows */

#define WL_PLACEMENTS 64 /* cached (pattern, alignment) pairs */

typedef struct wl_pattern_table {
    wl_pattern *buckets[256];
    wl_pattern *spare; /* memory to reuse */
    size_t count;
    uint64_t gatherings; /* counter: patterns record the gathering they took part in */
    struct {
        const wl_pattern *pattern; /* NULL: empty */
        int64_t alignment;
        bool known;
    } placed[WL_PLACEMENTS];
    /* of those known; last and not cleared, as they are large */
    wl_placement placements[WL_PLACEMENTS];
} wl_pattern_table;

/* Empty. NULL: out of memory. */
wl_pattern_table *wl_pattern_table_new(void);

/* The pattern of these lanes; NULL: out of memory. Valid until the table is trimmed. */
wl_pattern *wl_pattern_table_get(wl_pattern_table *table, const wl_l1_rules *rules, const wl_arrangement *lanes);

/* Drops patterns once they are too many: those not gathered lately, or all. */
void wl_pattern_table_trim(wl_pattern_table *table);
void wl_pattern_table_free(wl_pattern_table *table);

#endif /* WL_COUNT_PATTERN_TABLE_H */

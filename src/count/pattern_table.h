/* pattern_table.h - patterns by the arrangement of their lanes, so that none is made twice.
 *
 * What a pattern holds follows from its arrangement and the rules alone: a table serves one set of rules, and what was
 * looked up before changes no answer. Layer  count. SPDX-License-Identifier: MIT */
#ifndef WL_COUNT_PATTERN_TABLE_H
#define WL_COUNT_PATTERN_TABLE_H

#include "count/pattern.h"

#define WL_PATTERNS_KEPT 512 /* from one launch to the next: some 3 MB */

typedef struct wl_pattern_table {
    wl_pattern *buckets[256];
    wl_pattern *spare; /* memory to use again */
    size_t count;
    uint64_t gatherings; /* so far: patterns know in which they took part */
    wl_placement placements[WL_PLACEMENTS];
} wl_pattern_table;

/* The pattern of these lanes; NULL when memory is short. Valid until the table is trimmed. */
wl_pattern *wl_pattern_table_get(wl_pattern_table *table, const wl_l1_rules *rules, const wl_arrangement *lanes);

/* Forgets all patterns when they have become too many to keep. */
void wl_pattern_table_trim(wl_pattern_table *table);
void wl_pattern_table_free(wl_pattern_table *table);

#endif /* WL_COUNT_PATTERN_TABLE_H */

/* pattern_table.c - see pattern_table.h. SPDX-License-Identifier: MIT */
#include "count/pattern_table.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

#define RECENT 16 /* gatherings: patterns of these are kept, as some recur in most launches */

wl_pattern_table *wl_pattern_table_new(void)
{
    wl_pattern_table *table = malloc(sizeof *table);
    if (table)
        memset(table, 0, offsetof(wl_pattern_table, placements));
    return table;
}

static uint64_t hash_of(const wl_arrangement *a)
{
    uint64_t h = (uint64_t)a->width << 32 | (uint64_t)a->lanes;
    for (int i = 0; i < a->lanes; i++)
        h = wl_hash_add(h, (uint64_t)a->relative[i] ^ (uint64_t)a->lane[i] << 56);
    return wl_hash_end(h);
}

static bool same(const wl_arrangement *a, const wl_arrangement *b)
{
    return a->width == b->width && a->lanes == b->lanes && memcmp(a->lane, b->lane, (size_t)a->lanes) == 0 &&
           memcmp(a->relative, b->relative, (size_t)a->lanes * sizeof *a->relative) == 0;
}

/* Memory for one, with that of the windows of the one before. NULL: there is none. */
static wl_pattern *new_pattern(wl_pattern_table *table)
{
    wl_pattern *p = table->spare;
    if (p) {
        table->spare = p->next;
        return p;
    }
    p = malloc(sizeof *p);
    if (p)
        memset(p->windows, 0, sizeof p->windows);
    return p;
}

wl_pattern *wl_pattern_table_get(wl_pattern_table *table, const wl_l1_rules *rules, const wl_arrangement *lanes)
{
    const uint64_t hash = hash_of(lanes);
    wl_pattern **bucket = &table->buckets[hash % (sizeof table->buckets / sizeof table->buckets[0])];
    for (wl_pattern *p = *bucket; p; p = p->next)
        if (p->hash == hash && same(&p->lanes, lanes))
            return p;
    wl_pattern *p = new_pattern(table);
    if (!p)
        return NULL;
    wl_pattern_start(rules, lanes, p);
    p->hash = hash;
    p->next = *bucket;
    *bucket = p;
    table->count++;
    return p;
}

/* Makes the memory of all patterns spare that took part in no gathering since this one. */
static void drop_older(wl_pattern_table *table, uint64_t gathering)
{
    for (size_t i = 0; i < sizeof table->buckets / sizeof table->buckets[0]; i++)
        for (wl_pattern **at = &table->buckets[i], *p = *at; p; p = *at) {
            if (p->gathering >= gathering) {
                at = &p->next;
                continue;
            }
            *at = p->next;
            p->next = table->spare;
            table->spare = p;
            table->count--;
        }
    memset(table->placed, 0, sizeof table->placed);
}

void wl_pattern_table_trim(wl_pattern_table *table)
{
    if (table->count > WL_PATTERNS_KEPT)
        drop_older(table, table->gatherings > RECENT ? table->gatherings - RECENT : 0);
    if (table->count > WL_PATTERNS_KEPT)
        drop_older(table, UINT64_MAX);
}

void wl_pattern_table_free(wl_pattern_table *table)
{
    drop_older(table, UINT64_MAX);
    for (wl_pattern *p = table->spare, *next; p; p = next) {
        next = p->next;
        for (int k = 0; k < WL_WINDOWS_KEPT; k++)
            free(p->windows[k].costs);
        free(p);
    }
    table->spare = NULL;
}

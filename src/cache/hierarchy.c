/* hierarchy.c - see hierarchy.h. SPDX-License-Identifier: MIT */
#include "cache/hierarchy.h"

#include <stdlib.h>

#include "base/fail.h"
#include "base/hash.h"
#include "cache/coalescer.h"

#define CACHES_MAX 4096 /* of a level */

struct wl_hierarchy {
    wl_hierarchy_shape shape;
    wl_cache **l1, **l2;
    wl_coalescer *coalescer;    /* NULL: none */
    bool together;              /* multiprocessors load at the same time */
    wl_hierarchy_counts counts; /* without those of the caches */
};

static wl_status make_level(const wl_cache_shape *shape, int64_t count, wl_cache ***out, wl_error *err)
{
    *out = calloc((size_t)count, sizeof **out);
    if (!*out)
        return wl_fail_memory(err);
    for (int64_t i = 0; i < count; i++) {
        wl_cache_shape one = *shape;
        one.seed += (uint64_t)i;
        WL_TRY(wl_cache_new(&one, &(*out)[i], err));
    }
    return WL_OK;
}

static wl_status check(const wl_hierarchy_shape *s, wl_error *err)
{
    if (s->sms < 1 || s->sms > CACHES_MAX || s->partitions < 1 || s->partitions > CACHES_MAX)
        return wl_fail(err, WL_E_INPUT, WL_NOWHERE, "there are 1 to %d multiprocessors and partitions", CACHES_MAX);
    if (s->l1.write_back)
        return wl_fail(err, WL_E_INPUT, WL_NOWHERE, "an L1 passes stores through");
    if (s->dram_sectors < 1 || s->dram_sectors > WL_SECTORS_MAX || (s->dram_sectors & (s->dram_sectors - 1)) != 0)
        return wl_fail(err, WL_E_INPUT, WL_NOWHERE, "1, 2, 4, .. sectors come from DRAM together, not %d",
                       s->dram_sectors);
    return WL_OK;
}

wl_status wl_hierarchy_new(const wl_hierarchy_shape *shape, wl_hierarchy **out, wl_error *err)
{
    *out = NULL;
    WL_TRY(check(shape, err));
    wl_hierarchy *h = calloc(1, sizeof *h);
    if (!h)
        return wl_fail_memory(err);
    h->shape = *shape;
    wl_status status = make_level(&shape->l1, shape->sms, &h->l1, err);
    if (status == WL_OK)
        status = make_level(&shape->l2, shape->partitions, &h->l2, err);
    if (status == WL_OK && shape->coalesced > 1 && shape->sms > 1) {
        h->coalescer = wl_coalescer_new(shape->sms, shape->gpcs, shape->coalesced);
        status = h->coalescer ? WL_OK : wl_fail_memory(err);
    }
    if (status == WL_OK)
        *out = h;
    else
        wl_hierarchy_free(h);
    return status;
}

void wl_hierarchy_free(wl_hierarchy *h)
{
    if (!h)
        return;
    for (int64_t i = 0; h->l1 && i < h->shape.sms; i++)
        wl_cache_free(h->l1[i]);
    for (int64_t i = 0; h->l2 && i < h->shape.partitions; i++)
        wl_cache_free(h->l2[i]);
    wl_coalescer_free(h->coalescer);
    free(h->l1);
    free(h->l2);
    free(h);
}

int64_t wl_home_partition(uint64_t line, int64_t partitions)
{
    return partitions == 1 ? 0 : (int64_t)(wl_hash_word(line) % (uint64_t)partitions);
}

/* Groups of n neighbouring sectors that the mask touches. */
static uint32_t widen(uint32_t mask, int n)
{
    const uint32_t group = (1u << n) - 1;
    uint32_t wide = 0;
    for (int first = 0; first < WL_SECTORS_MAX && mask >> first; first += n)
        wide |= mask >> first & group ? group << first : 0;
    return wide;
}

static void load_from_dram(wl_hierarchy *h, wl_cache *home, uint64_t line, uint32_t sectors)
{
    const uint32_t whole = (1u << h->shape.l2.sectors) - 1;
    const uint32_t extra = h->shape.dram_sectors > 1 ? widen(sectors, h->shape.dram_sectors) & whole & ~sectors : 0;
    h->counts.dram_to_l2 += wl_bit_count(sectors);
    if (extra)
        h->counts.dram_to_l2 += wl_bit_count(wl_cache_fill(home, line, extra));
}

static void load_from_l2(wl_hierarchy *h, int64_t sm, uint64_t line, uint32_t sectors)
{
    const int64_t near = sm % h->shape.partitions, home = wl_home_partition(line, h->shape.partitions);
    if (h->together && wl_coalescer_join(h->coalescer, sm, line, sectors))
        return;
    uint32_t missing = wl_cache_load(h->l2[near], line, sectors).missing;
    h->counts.l2_to_l1 += wl_bit_count(sectors);
    if (missing && home != near) {
        h->counts.between_partitions += wl_bit_count(missing);
        missing = wl_cache_load(h->l2[home], line, missing).missing;
    }
    h->counts.l2_hits += wl_bit_count(sectors & ~missing);
    if (missing)
        load_from_dram(h, h->l2[home], line, missing);
}

void wl_hierarchy_next_moment(wl_hierarchy *h)
{
    h->together = h->coalescer != NULL;
    if (h->together)
        wl_coalescer_next_moment(h->coalescer);
}

void wl_hierarchy_drift_apart(wl_hierarchy *h) { h->together = false; }

void wl_hierarchy_expect(const wl_hierarchy *h, int64_t sm, uint64_t line)
{
    wl_cache_expect(h->l1[sm], line);
    wl_cache_expect(h->l2[sm % h->shape.partitions], line);
}

void wl_hierarchy_load(wl_hierarchy *h, int64_t sm, const wl_request *r)
{
    const uint32_t missing = wl_cache_load(h->l1[sm], r->line, r->sectors).missing;
    if (missing)
        load_from_l2(h, sm, r->line, missing);
}

void wl_hierarchy_load_past_l1(wl_hierarchy *h, int64_t sm, const wl_request *r)
{
    load_from_l2(h, sm, r->line, r->sectors);
}

void wl_hierarchy_store(wl_hierarchy *h, int64_t sm, const wl_request *r)
{
    const int64_t near = sm % h->shape.partitions, home = wl_home_partition(r->line, h->shape.partitions);
    (void)wl_cache_store(h->l1[sm], r->line, r->sectors, r->written);
    (void)wl_cache_store(h->l2[home], r->line, r->sectors, r->written);
    h->counts.l1_to_l2 += wl_bit_count(r->sectors);
    if (near == home)
        return;
    h->counts.between_partitions += wl_bit_count(r->sectors);
    if (!r->written) /* the copy that passes through stays */
        (void)wl_cache_fill(h->l2[near], r->line, r->sectors);
}

void wl_hierarchy_clean(wl_hierarchy *h)
{
    for (int64_t i = 0; i < h->shape.partitions; i++)
        wl_cache_clean(h->l2[i]);
}

static void add(wl_cache_counts *sum, const wl_cache_counts *one)
{
    sum->loads += one->loads;
    sum->hits += one->hits;
    sum->sector_misses += one->sector_misses;
    sum->line_misses += one->line_misses;
    sum->stores += one->stores;
    sum->store_hits += one->store_hits;
    sum->load_sectors += one->load_sectors;
    sum->fetched_sectors += one->fetched_sectors;
    sum->store_sectors += one->store_sectors;
    sum->evicted_lines += one->evicted_lines;
    sum->written_back += one->written_back;
    sum->partial += one->partial;
}

const wl_hierarchy_counts *wl_hierarchy_moved(const wl_hierarchy *h) { return &h->counts; }

wl_hierarchy_counts wl_hierarchy_count(const wl_hierarchy *h)
{
    wl_hierarchy_counts counts = h->counts;
    for (int64_t i = 0; i < h->shape.sms; i++) {
        const wl_cache_counts one = wl_cache_count(h->l1[i]);
        add(&counts.l1, &one);
    }
    for (int64_t i = 0; i < h->shape.partitions; i++) {
        const wl_cache_counts one = wl_cache_count(h->l2[i]);
        add(&counts.l2, &one);
    }
    counts.l2_to_dram = counts.l2.written_back;
    return counts;
}

/* census_places.c - a census of blocks whose control flow depends linearly on their position: if
 * the corners of a box of blocks execute the same, so does the whole box
 * (ptx/emulate/emulate_place.c). Other boxes are divided. The middle of a box is followed as well,
 * in case a sum overflows.
 * Layer  ptx/kernel. SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "base/hash.h"
#include "ptx/kernel/census_internal.h"

#define CORNERS 8

typedef struct box {
    int64_t lo[3], hi[3]; /* both inclusive */
} box;

typedef struct surveyor {
    wl_ptx_emulator *emulator;
    const wl_ptx_launch *launch;
    wl_ptx_census *census;
    double affordable;
    uint32_t *table; /* 1 + index of the list by block number, 0: empty */
    size_t slots;
    bool too_much;
    wl_error *err;
} surveyor;

static wl_status grow(surveyor *s)
{
    const size_t slots = s->slots ? 4 * s->slots : 1024;
    uint32_t *table = calloc(slots, sizeof *table);
    if (!table)
        return wl_fail_memory(s->err);
    for (size_t i = 0; i < s->census->count; i++) {
        size_t at = (size_t)wl_hash_word((uint64_t)s->census->list[i].number) & (slots - 1);
        while (table[at])
            at = (at + 1) & (slots - 1);
        table[at] = (uint32_t)i + 1;
    }
    free(s->table);
    s->table = table;
    s->slots = slots;
    return WL_OK;
}

/* The index of a block in the list; follows the block if it is new. */
static wl_status look_up(surveyor *s, const int64_t block[3], size_t *index)
{
    const int64_t *g = s->launch->grid, number = block[0] + g[0] * (block[1] + g[1] * block[2]);
    if (!s->table || 2 * (s->census->count + 1) > s->slots)
        WL_TRY(grow(s));
    size_t at = (size_t)wl_hash_word((uint64_t)number) & (s->slots - 1);
    for (; s->table[at]; at = (at + 1) & (s->slots - 1))
        if (s->census->list[s->table[at] - 1].number == number) {
            *index = s->table[at] - 1;
            return WL_OK;
        }
    *index = s->census->count;
    s->table[at] = (uint32_t)*index + 1;
    WL_TRY(wl_ptx_census_follow(s->emulator, s->launch, number, 0, s->census, s->err));
    s->too_much = s->too_much || s->census->work > s->affordable || s->census->count == WL_PTX_FOLLOWED_MAX;
    return WL_OK;
}

/* The dimension to divide: the longest of those along which corners differ. -1: all are the
 * same. */
static int differing(const surveyor *s, const box *b, const size_t corner[CORNERS])
{
    int which = -1;
    for (int i = 0; i < CORNERS; i++)
        for (int d = 0; d < 3; d++) {
            const bool differs = s->census->list[corner[i]].signature != s->census->list[corner[i ^ 1 << d]].signature;
            if (differs && (which < 0 || b->hi[d] - b->lo[d] > b->hi[which] - b->lo[which]))
                which = d;
        }
    return which;
}

static wl_status survey(surveyor *s, const box *b)
{
    size_t corner[CORNERS], inside;
    int64_t middle[3];
    for (int i = 0; i < CORNERS && !s->too_much; i++) {
        const int64_t at[3] = {i & 1 ? b->hi[0] : b->lo[0], i & 2 ? b->hi[1] : b->lo[1], i & 4 ? b->hi[2] : b->lo[2]};
        WL_TRY(look_up(s, at, &corner[i]));
    }
    if (s->too_much)
        return WL_OK;
    int d = differing(s, b, corner), longest = 0;
    for (int k = 0; k < 3; k++) {
        middle[k] = b->lo[k] + (b->hi[k] - b->lo[k]) / 2;
        longest = b->hi[k] - b->lo[k] > b->hi[longest] - b->lo[longest] ? k : longest;
    }
    if (d < 0) {
        WL_TRY(look_up(s, middle, &inside));
        if (s->census->list[inside].signature != s->census->list[corner[0]].signature)
            d = longest;
    }
    if (d < 0) {
        wl_ptx_census_block *at = &s->census->list[corner[0]], *last = &s->census->list[corner[CORNERS - 1]];
        const double blocks =
            (double)(b->hi[0] - b->lo[0] + 1) * (double)(b->hi[1] - b->lo[1] + 1) * (double)(b->hi[2] - b->lo[2] + 1);
        /* the sum over the blocks it represents, until all are added up */
        at->middle = at->weight > 0 ? at->middle : 0;
        at->middle += blocks * 0.5 * ((double)at->number + (double)last->number);
        at->weight += blocks;
        return WL_OK;
    }
    box low = *b, high = *b;
    low.hi[d] = middle[d];
    high.lo[d] = middle[d] + 1;
    WL_TRY(survey(s, &low));
    return survey(s, &high);
}

static wl_status survey_grid(surveyor *s)
{
    for (int i = 0; i < WL_PTX_PARTS && !s->too_much; i++) {
        int64_t extent[3];
        box b = {0};
        if (!wl_ptx_grid_part(s->launch->grid, i, b.lo, extent))
            continue;
        for (int d = 0; d < 3; d++)
            b.hi[d] = b.lo[d] + extent[d] - 1;
        WL_TRY(survey(s, &b));
    }
    return WL_OK;
}

/* Counts one block of each kind for all. */
static wl_status add_up(surveyor *s)
{
    wl_ptx_census *c = s->census;
    size_t kept = 0;
    wl_ptx_forget(s->emulator);
    wl_ptx_census_sort(c);
    for (size_t i = 0, first = 0; i < c->count; i++) {
        const bool last = i + 1 == c->count || c->list[i + 1].signature != c->list[i].signature;
        double blocks = 0, middle = 0;
        for (size_t k = first; last && k <= i; k++) {
            blocks += c->list[k].weight;
            middle += c->list[k].weight > 0 ? c->list[k].middle : 0;
        }
        if (!last)
            continue;
        if (blocks > 0) {
            wl_ptx_followed f;
            int64_t block[3];
            wl_ptx_block_of(s->launch, c->list[first].number, block);
            WL_TRY(wl_ptx_follow_block(s->emulator, block, &f, s->err));
            wl_ptx_collect(s->emulator, blocks, &c->total);
            for (size_t k = first; k <= i; k++, kept++) {
                /* the first represents the blocks that were not followed */
                c->list[kept] = c->list[k];
                c->list[kept].weight = k == first ? blocks - (double)(i - first) : 1;
                c->list[kept].middle = middle / blocks;
            }
        }
        first = i + 1;
    }
    c->count = kept;
    return WL_OK;
}

wl_status wl_ptx_census_places(wl_ptx_emulator *emulator, const wl_ptx_launch *launch, double affordable,
                               wl_ptx_census *census, bool *done, wl_error *err)
{
    surveyor s = {.emulator = emulator, .launch = launch, .census = census, .affordable = affordable, .err = err};
    wl_status status = survey_grid(&s);
    *done = !s.too_much;
    if (status == WL_OK && !s.too_much)
        status = add_up(&s);
    if (s.too_much) {
        census->count = census->witness_count = 0;
        census->work = census->skipped = 0;
        wl_ptx_forget(emulator); /* drops the counts of the blocks followed so far */
    }
    free(s.table);
    return status;
}

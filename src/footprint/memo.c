/* memo.c - see memo.h. SPDX-License-Identifier: MIT */
#include "footprint/memo.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"

#ifndef COUNTS_KEPT      /* fuzz targets cache fewer: a predictor lives for one run there */
#define COUNTS_KEPT 2048 /* some 700 KB; a power of two */
#endif

/* Slots are made when they are first used: few launches need many, and one prediction alone would
 * spend more time on clearing all of them than on most of its counts. */
struct wl_count_memo {
    wl_kept_count *kept[COUNTS_KEPT];
    wl_arena slots;
};

static size_t key_bytes(const wl_count_key *key)
{
    return offsetof(wl_count_key, box) + (size_t)key->boxes * sizeof key->box[0];
}

static uint64_t hash_of(const wl_count_key *key)
{
    uint64_t h = 0;
    for (size_t at = 0; at < key_bytes(key); at += sizeof(uint64_t)) {
        /* the key is nothing but 64-bit words */
        uint64_t word;
        memcpy(&word, (const char *)key + at, sizeof word);
        h = wl_hash_add(h, word);
    }
    return wl_hash_end(h);
}

bool wl_count_key_same(const wl_count_key *a, const wl_count_key *b)
{
    return a->boxes == b->boxes && memcmp(a, b, key_bytes(a)) == 0;
}

wl_kept_count *wl_count_memo_find(wl_count_memo **memo, const wl_count_key *key)
{
    if (!*memo)
        *memo = calloc(1, sizeof **memo);
    if (!*memo)
        return NULL;
    wl_kept_count **slot = &(*memo)->kept[hash_of(key) % COUNTS_KEPT];
    if (!*slot)
        *slot = WL_ARENA_NEW(&(*memo)->slots, wl_kept_count, 1);
    return *slot;
}

void wl_count_memo_free(wl_count_memo *memo)
{
    if (memo)
        wl_arena_free(&memo->slots);
    free(memo);
}

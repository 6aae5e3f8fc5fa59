/* memo.c - see memo.h. SPDX-License-Identifier: MIT */
#include "footprint/memo.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"

#ifndef COUNTS_KEPT      /* fuzz targets cache fewer: a predictor lives for one run there */
#define COUNTS_KEPT 2048 /* some 500 KB; a power of two */
#endif

/* A count and the words of its key. */
typedef struct slot {
    wl_kept_count count;
    size_t bytes, room; /* of the key, and for one */
    int64_t key[];
} slot;

/* Slots are made when they are first used: few launches need many, and one prediction alone would
 * spend more time on clearing all of them than on most of its counts. They have room for the key
 * that came first, since most keys are a tenth of the longest. */
struct wl_count_memo {
    struct {
        uint64_t hash; /* of the whole key: most lookups of other keys end here */
        slot *slot;
    } at[COUNTS_KEPT];
    wl_arena arena;
};

static size_t key_bytes(const wl_count_key *key)
{
    return offsetof(wl_count_key, box) + (size_t)key->boxes * sizeof key->box[0];
}

uint64_t wl_count_key_hash(const wl_count_key *key)
{
    uint64_t h = 0;
    for (size_t at = offsetof(wl_count_key, shape); at < key_bytes(key); at += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, (const char *)key + at, sizeof word);
        h = wl_hash_add(h, word);
    }
    return h;
}

static uint64_t hash_of(const wl_count_key *key, uint64_t hash)
{
    hash = wl_hash_add(wl_hash_end(hash), (uint64_t)key->alignment);
    hash = wl_hash_add(hash, (uint64_t)(key->granule << 1 | key->want_covered));
    return wl_hash_end(hash);
}

const wl_kept_count *wl_count_memo_find(const wl_count_memo *memo, const wl_count_key *key, uint64_t hash)
{
    const uint64_t whole = hash_of(key, hash);
    if (!memo || memo->at[whole % COUNTS_KEPT].hash != whole)
        return NULL;
    const slot *s = memo->at[whole % COUNTS_KEPT].slot;
    return s && s->bytes == key_bytes(key) && memcmp(s->key, key, s->bytes) == 0 ? &s->count : NULL;
}

void wl_count_memo_keep(wl_count_memo **memo, const wl_count_key *key, uint64_t hash, wl_kept_count count)
{
    const size_t bytes = key_bytes(key);
    const uint64_t whole = hash_of(key, hash);
    if (!*memo)
        *memo = calloc(1, sizeof **memo);
    if (!*memo)
        return;
    slot **at = &(*memo)->at[whole % COUNTS_KEPT].slot;
    if (!*at || (*at)->room < bytes) {
        slot *made = wl_arena_alloc(&(*memo)->arena, 1, sizeof **at + bytes);
        if (!made)
            return;
        made->room = bytes;
        *at = made;
    }
    (*memo)->at[whole % COUNTS_KEPT].hash = whole;
    (*at)->count = count;
    (*at)->bytes = bytes;
    memcpy((*at)->key, key, bytes);
}

void wl_count_memo_free(wl_count_memo *memo)
{
    if (memo)
        wl_arena_free(&memo->arena);
    free(memo);
}

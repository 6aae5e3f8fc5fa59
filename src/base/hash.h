/* hash.h - the library's one hash function: words are multiplied in, then the high half is folded
 * down. Hashes of words are the same on every machine, so an order by hash is, too. Not safe
 * against an attacker.
 *
 * Layer  base.
 * SPDX-License-Identifier: MIT */
#ifndef WL_BASE_HASH_H
#define WL_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Adds one word. Only the upper bits of the result depend on all words. */
static inline uint64_t wl_hash_add(uint64_t hash, uint64_t word)
{
    /* 2^64 / golden ratio: spreads neighbouring words */
    return (hash ^ word) * 0x9e3779b97f4a7c15u;
}

/* Call after the last word: then every bit depends on all words. */
static inline uint64_t wl_hash_end(uint64_t hash) { return hash ^ hash >> 32; }

static inline uint64_t wl_hash_word(uint64_t word) { return wl_hash_end(wl_hash_add(0, word)); }

/* Eight characters at a time. The result depends on the byte order: never sort by it. */
static inline uint64_t wl_hash_text(const char *text, size_t length)
{
    uint64_t hash = length, word = 0;
    for (; length >= sizeof word; length -= sizeof word, text += sizeof word) {
        memcpy(&word, text, sizeof word);
        hash = wl_hash_add(hash, word);
    }
    for (word = 0; length > 0; length--)
        word = word << 8 | (unsigned char)text[length - 1];
    return wl_hash_end(wl_hash_add(hash, word));
}

#endif /* WL_BASE_HASH_H */

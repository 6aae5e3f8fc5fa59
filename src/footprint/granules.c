/* granules.c - see granules.h. SPDX-License-Identifier: MIT */
#include "footprint/granules.h"

#include <stdlib.h>
#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "base/hash.h"
#include "base/room.h"

#define CHUNK_GRANULES (WL_GRANULE_CHUNK_WORDS * 64)

static size_t slot_of(const wl_granules *set, int64_t number)
{
    return (size_t)wl_hash_word((uint64_t)number) & (set->table_size - 1);
}

static bool grow_table(wl_granules *set)
{
    const size_t size = set->table_size ? 2 * set->table_size : 1024;
    uint32_t *table = calloc(size, sizeof *table);
    if (!table) {
        set->out_of_memory = true;
        return false;
    }
    free(set->table);
    set->table = table;
    set->table_size = size;
    for (size_t i = 0; i < set->chunk_count; i++) {
        size_t slot = slot_of(set, set->chunks[i].number);
        while (table[slot])
            slot = (slot + 1) & (size - 1);
        table[slot] = (uint32_t)i + 1;
    }
    return true;
}

static wl_granule_chunk *new_chunk(wl_granules *set, int64_t number, size_t slot)
{
    if (set->chunk_count == WL_GRANULE_CHUNKS_MAX)
        return NULL;
    if (!WL_ROOM(set->chunks, set->chunk_count + 1, set->chunk_capacity)) {
        set->out_of_memory = true;
        return NULL;
    }
    wl_granule_chunk *chunk = &set->chunks[set->chunk_count++];
    memset(chunk, 0, sizeof *chunk);
    chunk->number = number;
    set->table[slot] = (uint32_t)set->chunk_count;
    set->last = (uint32_t)set->chunk_count - 1;
    return chunk;
}

static wl_granule_chunk *find_chunk(wl_granules *set, int64_t number)
{
    if (set->chunk_count && set->chunks[set->last].number == number)
        return &set->chunks[set->last];
    if (2 * (set->chunk_count + 1) > set->table_size && !grow_table(set))
        return NULL;
    size_t slot = slot_of(set, number);
    for (; set->table[slot]; slot = (slot + 1) & (set->table_size - 1)) {
        if (set->chunks[set->table[slot] - 1].number == number) {
            set->last = set->table[slot] - 1;
            return &set->chunks[set->last];
        }
    }
    return new_chunk(set, number, slot);
}

/* Population count. On processors without such an instruction the builtin would call a function. */
static int64_t count_bits(uint64_t word)
{
    word -= word >> 1 & 0x5555555555555555;
    word = (word & 0x3333333333333333) + (word >> 2 & 0x3333333333333333);
    word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0f;
    return (int64_t)(word * 0x0101010101010101 >> 56);
}

/* Bits from..to (inclusive) of one word. */
static uint64_t word_mask(int from, int to) { return (~(uint64_t)0 << from) & (~(uint64_t)0 >> (63 - to)); }

/* One granule, as most accesses of a lane touch. */
static bool add_one(wl_granules *set, int64_t granule)
{
    const int64_t number = wl_floor_div(granule, CHUNK_GRANULES);
    const uint64_t at = (uint64_t)(granule - number * CHUNK_GRANULES);
    wl_granule_chunk *chunk = find_chunk(set, number);
    if (!chunk)
        return false;
    uint64_t *word = &chunk->bits[at / 64];
    const uint64_t bit = (uint64_t)1 << at % 64;
    set->count += (*word & bit) == 0;
    *word |= bit;
    chunk->used |= 1u << at / 64;
    return true;
}

bool wl_granules_add(wl_granules *set, int64_t first, int64_t last)
{
    if (first == last)
        return add_one(set, first);
    while (first <= last) {
        const int64_t number = wl_floor_div(first, CHUNK_GRANULES);
        wl_granule_chunk *chunk = find_chunk(set, number);
        if (!chunk)
            return false;
        const int64_t start = number * CHUNK_GRANULES;
        const int64_t end = wl_min(last, start + CHUNK_GRANULES - 1);
        for (int64_t w = (first - start) / 64; w <= (end - start) / 64; w++) {
            const int from = (int)wl_max(0, first - start - w * 64), to = (int)wl_min(63, end - start - w * 64);
            const uint64_t mask = word_mask(from, to) & ~chunk->bits[w];
            chunk->bits[w] |= mask;
            chunk->used |= 1u << w;
            set->count += mask ? count_bits(mask) : 0;
        }
        first = end + 1;
    }
    return true;
}

/* The chunk with this number in a set that is not empty. NULL: the set has no granule of it. */
static const wl_granule_chunk *look_up(const wl_granules *set, int64_t number)
{
    for (size_t slot = slot_of(set, number); set->table[slot]; slot = (slot + 1) & (set->table_size - 1))
        if (set->chunks[set->table[slot] - 1].number == number)
            return &set->chunks[set->table[slot] - 1];
    return NULL;
}

bool wl_granules_has_all(const wl_granules *set, int64_t first, int64_t last)
{
    if (set->count < last - first + 1)
        return false;
    while (first <= last) {
        const int64_t number = wl_floor_div(first, CHUNK_GRANULES), start = number * CHUNK_GRANULES;
        const wl_granule_chunk *chunk = look_up(set, number);
        const int64_t end = wl_min(last, start + CHUNK_GRANULES - 1);
        for (int64_t w = (first - start) / 64; chunk && w <= (end - start) / 64; w++) {
            const int from = (int)wl_max(0, first - start - w * 64), to = (int)wl_min(63, end - start - w * 64);
            if (word_mask(from, to) & ~chunk->bits[w])
                return false;
        }
        if (!chunk)
            return false;
        first = end + 1;
    }
    return true;
}

/* Adds the granules 64 * word + b for the bits b. */
static bool add_word(wl_granules *set, int64_t word, uint64_t bits)
{
    const int64_t number = wl_floor_div(word, WL_GRANULE_CHUNK_WORDS);
    wl_granule_chunk *chunk = bits ? find_chunk(set, number) : NULL;
    if (!chunk)
        return !bits;
    const int64_t at = word - number * WL_GRANULE_CHUNK_WORDS;
    uint64_t *to = &chunk->bits[at];
    chunk->used |= 1u << at;
    set->count += count_bits(bits & ~*to);
    *to |= bits;
    return true;
}

bool wl_granules_add_moved(wl_granules *set, const wl_granules *from, int64_t distance)
{
    const int64_t words = wl_floor_div(distance, 64);
    const int by = (int)wl_floor_mod(distance, 64);
    for (size_t i = 0; i < from->chunk_count; i++)
        for (uint32_t left = from->chunks[i].used; left; left &= left - 1) {
            const int w = __builtin_ctz(left);
            const uint64_t bits = from->chunks[i].bits[w];
            const int64_t to = from->chunks[i].number * WL_GRANULE_CHUNK_WORDS + w + words;
            if (!add_word(set, to, bits << by) || !add_word(set, to + 1, by ? bits >> (64 - by) : 0))
                return false;
        }
    return true;
}

bool wl_granules_repeat(wl_granules *set, int64_t distance, int64_t times)
{
    wl_granules before = {0}; /* only its chunks are used */
    bool complete = true;
    for (int64_t n = 1, more; n < times && complete; n += more) { /* twice as many each time */
        more = wl_min(n, times - n);
        wl_granule_chunk *chunks = realloc(before.chunks, (set->chunk_count + 1) * sizeof *chunks);
        complete = chunks != NULL;
        set->out_of_memory = set->out_of_memory || !complete;
        if (!complete)
            break;
        before.chunks = chunks;
        before.chunk_count = set->chunk_count;
        if (set->chunk_count > 0)
            memcpy(chunks, set->chunks, set->chunk_count * sizeof *chunks);
        complete = wl_granules_add_moved(set, &before, more * distance);
    }
    free(before.chunks);
    return complete;
}

wl_status wl_granules_fail(const wl_granules *set, wl_error *err)
{
    if (set->out_of_memory)
        return wl_fail_memory(err);
    return wl_fail(err, WL_E_LIMIT, WL_NOWHERE, "the footprint of one field is too scattered to count");
}

/* Is every granule of the chunk in the set? */
static bool chunk_full(const wl_granule_chunk *chunk)
{
    for (int w = 0; w < WL_GRANULE_CHUNK_WORDS; w++)
        if (~chunk->bits[w])
            return false;
    return true;
}

/* Units that span several chunks: each is checked from its first chunk. */
static int64_t full_chunk_groups(const wl_granules *bytes, int64_t chunks_per_unit)
{
    int64_t full = 0;
    for (size_t i = 0; i < bytes->chunk_count; i++) {
        const int64_t first = bytes->chunks[i].number;
        if (wl_floor_mod(first, chunks_per_unit) != 0)
            continue;
        bool all = true;
        for (int64_t n = first; n < first + chunks_per_unit && all; n++) {
            const wl_granule_chunk *chunk = look_up(bytes, n);
            all = chunk && chunk_full(chunk);
        }
        full += all;
    }
    return full;
}

/* Units of a word, a power of two of bits each, that have a bit. `first`: the first bit of each. */
static int64_t touched_in_word(uint64_t word, int64_t unit, uint64_t first)
{
    for (int64_t width = 1; width < unit; width *= 2)
        word |= word >> width;
    return count_bits(word & first);
}

static uint64_t first_bits(int64_t unit)
{
    uint64_t first = 1;
    for (int64_t at = unit; at < 64; at *= 2)
        first |= first << at;
    return first;
}

/* Units of a chunk that have a bit. */
static int64_t units_touched(const wl_granule_chunk *chunk, int64_t unit, uint64_t first)
{
    int64_t touched = 0;
    if (unit >= 64) /* whole words */
        return touched_in_word(chunk->used, unit / 64, first);
    for (uint32_t left = chunk->used; left; left &= left - 1)
        touched += touched_in_word(chunk->bits[__builtin_ctz(left)], unit, first);
    return touched;
}

/* Units of a chunk that have all their bits. */
static int64_t units_full(const wl_granule_chunk *chunk, int64_t unit, uint64_t first)
{
    uint64_t words = 0; /* full ones */
    int64_t full = 0;
    for (uint32_t left = chunk->used; left; left &= left - 1) {
        const int w = __builtin_ctz(left);
        if (unit < 64)
            full += count_bits(first) - touched_in_word(~chunk->bits[w], unit, first);
        words |= (uint64_t)(chunk->bits[w] == UINT64_MAX) << w;
    }
    if (unit < 64)
        return full;
    const uint64_t outside = ~(uint64_t)0 << WL_GRANULE_CHUNK_WORDS;
    return CHUNK_GRANULES / unit - touched_in_word(~words & ~outside, unit / 64, first);
}

int64_t wl_granules_full(const wl_granules *bytes, int64_t unit)
{
    int64_t full = 0;
    if (unit > CHUNK_GRANULES)
        return full_chunk_groups(bytes, unit / CHUNK_GRANULES);
    const uint64_t first = first_bits(unit < 64 ? unit : unit / 64);
    for (size_t i = 0; i < bytes->chunk_count; i++)
        full += units_full(&bytes->chunks[i], unit, first);
    return full;
}

int64_t wl_granules_touched(const wl_granules *bytes, int64_t unit)
{
    int64_t touched = 0;
    if (unit > CHUNK_GRANULES) { /* count such a unit with the first of its chunks that exists */
        for (size_t i = 0; i < bytes->chunk_count; i++) {
            const int64_t number = bytes->chunks[i].number, per_unit = unit / CHUNK_GRANULES;
            int64_t earlier = number - wl_floor_mod(number, per_unit);
            while (earlier < number && !look_up(bytes, earlier))
                earlier++;
            touched += earlier == number;
        }
        return touched;
    }
    const uint64_t first = first_bits(unit < 64 ? unit : unit / 64);
    for (size_t i = 0; i < bytes->chunk_count; i++)
        touched += units_touched(&bytes->chunks[i], unit, first);
    return touched;
}

void wl_granules_clear(wl_granules *set)
{
    if (set->table)
        memset(set->table, 0, set->table_size * sizeof *set->table);
    set->chunk_count = 0;
    set->count = 0;
    set->last = 0;
    set->out_of_memory = false;
}

void wl_granules_free(wl_granules *set)
{
    free(set->chunks);
    free(set->table);
    *set = (wl_granules){0};
}

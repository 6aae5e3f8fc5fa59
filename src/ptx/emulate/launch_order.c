/* launch_order.c - see launch_order.h.
 * Layer  ptx/emulate. SPDX-License-Identifier: MIT */
#include "ptx/emulate/launch_order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/room.h"

#define BLOCKS_LEAST 4 /* with fewer, nothing is extrapolated */

void wl_ptx_history_free(wl_ptx_history *h)
{
    for (size_t i = 0; i < h->count; i++)
        free(h->words[i].versions);
    free(h->words);
    free(h->table);
    free(h->strides);
    *h = (wl_ptx_history){0};
}

/* ---- words ---- */

static size_t slot_of(const wl_ptx_history *h, uint64_t address)
{
    size_t slot = (size_t)wl_hash_word(address) & (h->slots - 1);
    while (h->table[slot] && h->words[h->table[slot] - 1].address != address)
        slot = (slot + 1) & (h->slots - 1);
    return slot;
}

static const wl_ptx_word *find_word(const wl_ptx_history *h, uint64_t address)
{
    const uint32_t number = h->slots ? h->table[slot_of(h, address)] : 0;
    return number ? &h->words[number - 1] : NULL;
}

static bool grow(wl_ptx_history *h)
{
    const size_t slots = h->slots ? 2 * h->slots : 256;
    uint32_t *table = calloc(slots, sizeof *table);
    if (!table)
        return false;
    free(h->table);
    h->table = table;
    h->slots = slots;
    for (size_t i = 0; i < h->count; i++)
        h->table[slot_of(h, h->words[i].address)] = (uint32_t)(i + 1);
    return true;
}

static wl_ptx_word *add_word(wl_ptx_history *h, uint64_t address, int32_t group)
{
    if (2 * h->count >= h->slots && !grow(h))
        return NULL;
    const size_t slot = slot_of(h, address);
    if (h->table[slot])
        return &h->words[h->table[slot] - 1];
    if (!WL_ROOM(h->words, h->count + 1, h->room))
        return NULL;
    h->words[h->count] = (wl_ptx_word){.address = address, .group = group};
    h->table[slot] = (uint32_t)++h->count;
    return &h->words[h->count - 1];
}

/* The bytes of `later` over those of `before`. */
static wl_ptx_left merged(wl_ptx_left before, wl_ptx_left later)
{
    uint32_t bytes = 0;
    for (int k = 0; k < WL_PTX_WORD_BYTES; k++)
        bytes |= later.written >> k & 1 ? (uint32_t)0xff << 8 * k : 0;
    return (wl_ptx_left){.value = (before.value & ~bytes) | (later.value & bytes),
                         .written = before.written | later.written,
                         .told = later.told,
                         .unknown = (uint8_t)((before.unknown & ~later.written) | later.unknown)};
}

bool wl_ptx_history_add(wl_ptx_history *h, uint64_t address, int32_t group, int64_t block, wl_ptx_left left)
{
    wl_ptx_word *w = add_word(h, address, group);
    if (!w || !WL_ROOM(w->versions, w->count + 1, w->room))
        return false;
    if (w->count > 0)
        left = merged(w->versions[w->count - 1].left, left);
    w->versions[w->count++] = (wl_ptx_version){block, left};
    h->versions++;
    return true;
}

/* ---- spacing ---- */

/* The lowest address that each block of the second half was the first to write in a group. */
static void find_lowest(const wl_ptx_history *h, int32_t group, int64_t from, uint64_t *lowest)
{
    for (int64_t b = from; b < h->blocks; b++)
        lowest[b - from] = UINT64_MAX;
    for (size_t i = 0; i < h->count; i++) {
        const wl_ptx_word *w = &h->words[i];
        const int64_t first = w->versions[0].block;
        if (w->group == group && first >= from && first < h->blocks && w->address < lowest[first - from])
            lowest[first - from] = w->address;
    }
}

static int64_t stride_of(const uint64_t *lowest, int64_t count)
{
    const int64_t stride = (int64_t)(lowest[1] - lowest[0]);
    for (int64_t i = 0; i < count; i++)
        if (lowest[i] == UINT64_MAX || (i > 0 && (int64_t)(lowest[i] - lowest[i - 1]) != stride))
            return 0;
    return stride;
}

bool wl_ptx_history_end(wl_ptx_history *h, int64_t blocks, int32_t groups)
{
    const int64_t from = blocks / 2;
    h->blocks = blocks;
    h->groups = groups;
    h->strides = calloc((size_t)groups + 1, sizeof *h->strides);
    if (!h->strides)
        return false;
    if (blocks < BLOCKS_LEAST)
        return true;
    uint64_t *lowest = calloc((size_t)(blocks - from), sizeof *lowest);
    for (int32_t g = 0; g < groups && lowest; g++) {
        find_lowest(h, g, from, lowest);
        h->strides[g] = stride_of(lowest, blocks - from);
    }
    free(lowest);
    return lowest != NULL;
}

/* ---- what a block sees ---- */

/* The last one of the blocks before this one. */
static const wl_ptx_version *version_before(const wl_ptx_word *w, int64_t block)
{
    size_t low = 0, high = w ? w->count : 0; /* versions below `low` are of earlier blocks */
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (w->versions[middle].block < block)
            low = middle + 1;
        else
            high = middle;
    }
    return low == 0 ? NULL : &w->versions[low - 1];
}

/* As the blocks before this one have left it. */
static bool find_version(const wl_ptx_word *w, int64_t block, wl_ptx_left *out)
{
    const wl_ptx_version *last = version_before(w, block);
    if (last)
        *out = last->left;
    return last != NULL;
}

const wl_ptx_version *wl_ptx_history_writer(const wl_ptx_history *h, uint64_t address, int64_t block)
{
    return version_before(find_word(h, address), block);
}

/* A value that grew from `before` to `now` in so many blocks, some blocks later. */
static uint32_t grown(uint32_t before, uint32_t now, int64_t blocks, int64_t later)
{
    const double each = (double)(int32_t)(now - before) / (double)blocks;
    return now + (uint32_t)(int64_t)floor(each * (double)later + 0.5);
}

/* A word that followed blocks have written. */
static void extrapolate_word(const wl_ptx_history *h, const wl_ptx_word *w, int64_t block, wl_ptx_left *out)
{
    const int64_t middle = h->blocks / 2;
    wl_ptx_left before;
    *out = w->versions[w->count - 1].left;
    const bool counts = h->blocks >= BLOCKS_LEAST && 2 * (int64_t)w->count > h->blocks;
    if (counts && find_version(w, middle, &before))
        out->value = grown(before.value, out->value, h->blocks - middle, block - h->blocks);
}

/* A word of a later block: the one as far from the last followed block. */
static bool find_moved(const wl_ptx_history *h, uint64_t address, int32_t group, int64_t block, wl_ptx_left *out)
{
    const int64_t stride = group >= 0 && group < h->groups ? h->strides[group] : 0, last = h->blocks - 1;
    const int64_t shift = block - last, back = last / 2;
    wl_ptx_left before;
    if (stride == 0)
        return false;
    const uint64_t at = address - (uint64_t)(shift * stride);
    if (!find_version(find_word(h, at), last, out))
        return false;
    if (find_version(find_word(h, at - (uint64_t)(back * stride)), last - back, &before) &&
        before.unknown == out->unknown)
        out->value = grown(before.value, out->value, back, shift);
    return true;
}

bool wl_ptx_history_find(const wl_ptx_history *h, uint64_t address, int32_t group, int64_t block, wl_ptx_left *out)
{
    const wl_ptx_word *w = find_word(h, address);
    if (block <= h->blocks)
        return find_version(w, block, out);
    if (!w)
        return h->blocks >= BLOCKS_LEAST && find_moved(h, address, group, block, out);
    extrapolate_word(h, w, block, out);
    return true;
}

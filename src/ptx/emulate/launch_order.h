/* launch_order.h - what the blocks of a launch leave to later ones in global memory.
 *
 * Blocks are taken to run one after another, in launch order. Of each word that they write the
 * history keeps the values: a block sees what the blocks before it have left. If only the first
 * blocks of a launch were followed, what later ones see is extrapolated:
 *  - a word that most blocks write (a counter) grows on as it did;
 *  - a word that no followed block wrote is compared with the words of followed blocks, if each
 *    block writes words of its own at equal distances (flags, partial sums);
 *  - other words stay as they are.
 * Layer  ptx/emulate (uses base). Oracle: tests/unit/test_launch_order.c.
 * SPDX-License-Identifier: MIT */
#ifndef WL_PTX_EMULATE_LAUNCH_ORDER_H
#define WL_PTX_EMULATE_LAUNCH_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WL_PTX_WORD_BYTES 4

/* When a block wrote a word: before it polled what others write, behind that, or both. */
typedef enum wl_ptx_told { WL_PTX_TOLD_FIRST, WL_PTX_TOLD_BEHIND, WL_PTX_TOLD_TWICE } wl_ptx_told;

/* A word as some block has left it. Masks of bytes: written at all; with an unknown value. */
typedef struct wl_ptx_left {
    uint32_t value;
    uint8_t written, unknown;
    uint8_t told; /* wl_ptx_told */
} wl_ptx_left;

typedef struct wl_ptx_version {
    int64_t block; /* which left it so */
    wl_ptx_left left;
} wl_ptx_version;

typedef struct wl_ptx_word {
    uint64_t address;
    int32_t group;            /* the buffer it lies in */
    wl_ptx_version *versions; /* by block */
    size_t count, room;
} wl_ptx_word;

typedef struct wl_ptx_history {
    wl_ptx_word *words;
    size_t count, room;
    uint32_t *table; /* hash table of numbers of words, plus one */
    size_t slots;
    size_t versions;  /* of all words */
    int64_t blocks;   /* that were followed: 0 .. blocks - 1 */
    int64_t *strides; /* by group: distance of the words of neighbouring blocks; 0: there is none */
    int32_t groups;
} wl_ptx_history;

void wl_ptx_history_free(wl_ptx_history *history);

/* A block, not before the last one, leaves some bytes of a word. False: out of memory. */
bool wl_ptx_history_add(wl_ptx_history *history, uint64_t address, int32_t group, int64_t block, wl_ptx_left left);
/* So many blocks were followed; finds how their words are spaced. False: out of memory. */
bool wl_ptx_history_end(wl_ptx_history *history, int64_t blocks, int32_t groups);

/* What a block sees of a word when it starts; false: no block before it has written it. */
bool wl_ptx_history_find(const wl_ptx_history *history, uint64_t address, int32_t group, int64_t block,
                         wl_ptx_left *out);

/* Which block before this one has written a word last; NULL: none that was followed. */
const wl_ptx_version *wl_ptx_history_writer(const wl_ptx_history *history, uint64_t address, int64_t block);

#endif /* WL_PTX_EMULATE_LAUNCH_ORDER_H */

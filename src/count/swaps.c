/* swaps.c - see swaps.h. SPDX-License-Identifier: MIT */
#include "count/swaps.h"

#include "base/hash.h"

#define PLACES (1 << 16)             /* hash table slots for words of a block, with room to spare */
#define LAST_BIT 63                  /* of a set of warps: a block has no more */
#define PLACES_FULL (PLACES / 4 * 3) /* beyond that, looking up takes long */

/* What the lanes of a block add to one word. */
typedef struct word_place {
    int64_t word;
    uint32_t block; /* it belongs to; of an earlier one: free */
    int warp;       /* that changed it last, */
    double own;     /* and how often */
    double all;     /* changes by all warps */
    double squares; /* of the changes of each warp before, summed */
} word_place;

struct wl_swap_words {
    double scale;
    uint32_t block; /* number of the current one */
    uint64_t warps; /* of it, that execute any */
    wl_swaps now;   /* of it */
    double banks;   /* of one word, summed over executions */
    int used;       /* slots */
    int list[PLACES_FULL];
    word_place place[PLACES];
};

wl_swap_words *wl_swap_words_new(wl_arena *arena) { return WL_ARENA_NEW(arena, wl_swap_words, 1); }

void wl_swaps_begin(wl_swap_words *words, double scale)
{
    words->block++;
    words->scale = scale;
    words->warps = 0;
    words->now = (wl_swaps){0};
    words->banks = 0;
    words->used = 0;
}

/* NULL: the table is full. */
static word_place *find(wl_swap_words *words, int64_t word)
{
    uint64_t at = wl_hash_word((uint64_t)word) % PLACES;
    while (words->place[at].block == words->block && words->place[at].word != word)
        at = (at + 1) % PLACES;
    word_place *p = &words->place[at];
    if (p->block == words->block)
        return p;
    if (words->used == PLACES_FULL)
        return NULL;
    words->list[words->used++] = (int)at;
    *p = (word_place){.word = word, .block = words->block};
    return p;
}

static void change(wl_swap_words *words, int warp, int64_t word, double lanes)
{
    word_place *p = find(words, word);
    if (!p)
        return;
    if (p->warp != warp) {
        p->squares += p->own * p->own;
        p->own = 0;
        p->warp = warp;
    }
    p->own += lanes;
    p->all += lanes;
}

/* Puts lanes on one word next to each other: insertion sort. Returns how many lanes the busiest
 * word has. */
static int sort_words(const wl_warp_access *a, wl_warp_access *out)
{
    int most = 0, run = 0;
    *out = *a;
    for (int i = 1; i < a->count; i++)
        for (int at = i; at > 0 && out->address[at - 1] > out->address[at]; at--) {
            const int64_t address = out->address[at];
            out->address[at] = out->address[at - 1];
            out->address[at - 1] = address;
        }
    for (int i = 0; i < a->count; i++) {
        run = i > 0 && out->address[i] == out->address[i - 1] ? run + 1 : 1;
        most = run > most ? run : most;
    }
    return most;
}

/* One lane of every word that more than `done` lanes change. */
static wl_warp_access left_after(const wl_warp_access *sorted, int done)
{
    wl_warp_access left = {.count = 0, .width = sorted->width};
    for (int i = 0, run = 0; i < sorted->count; i++) {
        run = i > 0 && sorted->address[i] == sorted->address[i - 1] ? run + 1 : 1;
        if (run == done + 1) {
            left.lane[left.count] = sorted->lane[left.count];
            left.address[left.count++] = sorted->address[i];
        }
    }
    return left;
}

double wl_swaps_add(wl_swap_words *words, const wl_l1_rules *rules, int warp, const wl_warp_access *a)
{
    wl_warp_access sorted;
    const int most = sort_words(a, &sorted);
    const int banks = a->width >> rules->shared.bank_shift > 1 ? a->width >> rules->shared.bank_shift : 1;
    double wavefronts = 0;
    for (int i = 0, run = 0; i < sorted.count; i += run) {
        for (run = 1; i + run < sorted.count && sorted.address[i + run] == sorted.address[i];)
            run++;
        words->now.lanes += run * (run + 1) / 2.0;
        change(words, warp, sorted.address[i], run);
    }
    for (int round = 0; round < most; round++) {
        const wl_warp_access left = left_after(&sorted, round);
        const int load = wl_warp_shared_wavefronts(rules, &left, true);
        wavefronts += load + (load > banks ? load : banks); /* a swap takes one bank at a time */
    }
    words->warps |= (uint64_t)1 << (warp & LAST_BIT);
    words->now.executions++;
    words->now.rounds += most;
    words->banks += banks;
    return wavefronts;
}

void wl_swaps_end(wl_swap_words *words, wl_swaps *totals)
{
    double changes = 0, by_others = 0; /* to the word of each change, summed over changes */
    for (int i = 0; i < words->used; i++) {
        const word_place *p = &words->place[words->list[i]];
        changes += p->all;
        by_others += p->all * p->all - p->squares - p->own * p->own;
    }
    const double executions = words->now.executions, scale = words->scale;
    if (!(changes > 0))
        return;
    /* of these, as many as fall into the time of one execution */
    const double lost = by_others / changes * __builtin_popcountll(words->warps);
    totals->executions += scale * executions;
    totals->rounds += scale * words->now.rounds;
    totals->lost += scale * lost;
    totals->lanes += scale * (words->now.lanes + lost);
    totals->wavefronts += scale * lost * (1 + words->banks / executions);
}

void wl_swaps_scale(wl_swaps *totals, double executions)
{
    const double by = totals->executions > 0 ? executions / totals->executions : 0;
    totals->rounds *= by;
    totals->lost *= by;
    totals->lanes *= by;
    totals->wavefronts *= by;
    totals->executions = executions;
}

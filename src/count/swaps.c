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

/* The words that a warp changes, in ascending order, and how many of its lanes change each. */
typedef struct changed {
    int64_t word[WL_LANES_MAX];
    int lanes[WL_LANES_MAX];
    int count;
    int most; /* lanes of the busiest one */
} changed;

/* By insertion: lanes mostly are in order. */
static void sort_words(const wl_warp_access *a, changed *out)
{
    out->count = out->most = 0;
    for (int i = 0; i < a->count; i++) {
        int at = out->count;
        while (at > 0 && out->word[at - 1] > a->address[i])
            at--;
        if (at > 0 && out->word[at - 1] == a->address[i]) {
            at--;
        } else {
            for (int k = out->count++; k > at; k--) {
                out->word[k] = out->word[k - 1];
                out->lanes[k] = out->lanes[k - 1];
            }
            out->word[at] = a->address[i];
            out->lanes[at] = 0;
        }
        out->lanes[at]++;
        out->most = out->lanes[at] > out->most ? out->lanes[at] : out->most;
    }
}

/* One lane of every word that more than `done` lanes change. */
static wl_warp_access left_after(const wl_warp_access *a, const changed *c, int done)
{
    wl_warp_access left = {.count = 0, .width = a->width};
    for (int i = 0; i < c->count; i++)
        if (c->lanes[i] > done) {
            left.lane[left.count] = a->lane[left.count];
            left.address[left.count++] = c->word[i];
        }
    return left;
}

double wl_swaps_add(wl_swap_words *words, const wl_l1_rules *rules, int warp, const wl_warp_access *a)
{
    changed c;
    sort_words(a, &c);
    const int banks = a->width >> rules->shared.bank_shift > 1 ? a->width >> rules->shared.bank_shift : 1;
    double wavefronts = 0;
    for (int i = 0; i < c.count; i++) {
        words->now.lanes += c.lanes[i] * (c.lanes[i] + 1) / 2.0;
        change(words, warp, c.word[i], c.lanes[i]);
    }
    for (int round = 0, next; round < c.most; round = next) { /* to where the next word is done */
        const wl_warp_access left = left_after(a, &c, round);
        next = c.most;
        for (int i = 0; i < c.count; i++)
            next = c.lanes[i] > round && c.lanes[i] < next ? c.lanes[i] : next;
        const int load = wl_warp_shared_wavefronts(rules, &left, true);
        /* a swap takes one bank at a time */
        wavefronts += (next - round) * (load + (load > banks ? load : banks));
    }
    words->warps |= (uint64_t)1 << (warp & LAST_BIT);
    words->now.executions++;
    words->now.rounds += c.most;
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

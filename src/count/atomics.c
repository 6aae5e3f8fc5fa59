/* atomics.c - see atomics.h. SPDX-License-Identifier: MIT */
#include "count/atomics.h"

#include <math.h>

#include "base/hash.h"

#define PLACES (1 << 16)             /* hash table slots for distinct lines, with room to spare */
#define PLACES_FULL (PLACES / 4 * 3) /* beyond that, looking up takes long */

#define WORD_BITS 64 /* of a mask of words */

typedef struct line_place {
    int64_t line; /* line number + 1; 0: free */
    size_t field;
    double requests, sectors;
    double sums, summed; /* of the busiest word of each request; words of requests */
    uint64_t words;      /* a bit for each that was updated, modulo 64 */
} line_place;

struct wl_atomic_lines {
    wl_atomics sum;
    int used; /* slots in use: distinct lines seen */
    line_place place[PLACES];
};

wl_atomic_lines *wl_atomic_lines_new(wl_arena *arena) { return WL_ARENA_NEW(arena, wl_atomic_lines, 1); }

/* Where this line is, or the free slot where it would be. */
static size_t place_of(const wl_atomic_lines *all, size_t field, int64_t line)
{
    uint64_t at = wl_hash_end(wl_hash_add(wl_hash_add(0, field), (uint64_t)line)) % PLACES;
    while (all->place[at].line && !(all->place[at].line == line + 1 && all->place[at].field == field))
        at = (at + 1) % PLACES;
    return (size_t)at;
}

/* NULL: the table is full. */
static line_place *find(wl_atomic_lines *all, size_t field, int64_t line)
{
    line_place *p = &all->place[place_of(all, field, line)];
    if (p->line)
        return p;
    if (all->used == PLACES_FULL)
        return NULL;
    all->used++;
    *p = (line_place){.line = line + 1, .field = field};
    return p;
}

static const line_place *seen(const wl_atomic_lines *all, size_t field, int64_t line)
{
    const line_place *p = &all->place[place_of(all, field, line)];
    return p->line ? p : NULL;
}

/* Sorts the words by address: insertion sort. */
static int sort_words(const wl_l1_rules *r, const wl_warp_access *a, int64_t words[WL_LANES_MAX])
{
    for (int i = 0; i < a->count; i++) {
        const int64_t word = a->address[i] >> r->data.bank_shift;
        int at = i;
        for (; at > 0 && words[at - 1] > word; at--)
            words[at] = words[at - 1];
        words[at] = word;
    }
    return a->count;
}

/* Passes of a sector that change more than `at_once` words: as many as the lanes of the first word
 * that does not fit, most lanes first. */
static int passes_beyond(const int of_word[WL_LANES_MAX], int count, int at_once)
{
    for (int w = 0; w < count && at_once < count; w++) {
        int before = 0;
        for (int o = 0; o < count; o++)
            before += of_word[o] > of_word[w] || (of_word[o] == of_word[w] && o < w);
        if (before == at_once)
            return of_word[w];
    }
    return 0;
}

wl_atomic_cost wl_atomic_lines_add(wl_atomic_lines *all, const wl_l1_rules *r, size_t field, wl_atomic_kind kind,
                                   const wl_warp_access *a, double scale)
{
    int64_t words[WL_LANES_MAX];
    const int n = sort_words(r, a, words), to_line = r->line_shift - r->data.bank_shift,
              to_sector = r->sector_shift - r->data.bank_shift;
    /* words of a sector */
    const int at_once = kind.slow ? (int)r->sector / 2 / a->width : WL_LANES_MAX;
    wl_atomic_cost cost = {0};
    for (int i = 0; i < n;) {
        const int64_t line = words[i] >> to_line;
        uint64_t updated = 0;
        int most = 0, sectors = 0, more = 0;
        while (i < n && words[i] >> to_line == line) { /* sector by sector */
            const int64_t sector = words[i] >> to_sector;
            int most_here = 0, of_word[WL_LANES_MAX], count = 0;
            while (i < n && words[i] >> to_sector == sector) { /* word by word */
                const int first = i;
                updated |= (uint64_t)1 << ((uint64_t)words[i] % WORD_BITS);
                while (i < n && words[i] == words[first])
                    i++;
                most_here = i - first > most_here ? i - first : most_here;
                of_word[count++] = i - first;
            }
            sectors += most_here;
            more += passes_beyond(of_word, count, at_once);
            most = most_here > most ? most_here : most;
        }
        cost.passes += most;
        cost.sectors += sectors;
        cost.more += more;
        line_place *p = find(all, field, line);
        if (p) {
            p->words |= updated;
            p->requests += scale;
            p->sectors += scale * (sectors + more);
            p->sums += kind.sums ? scale * most : 0;
            p->summed += kind.sums ? scale * __builtin_popcountll(updated) : 0;
        }
    }
    all->sum.inst += scale;
    all->sum.passes += scale * cost.passes;
    all->sum.sectors += scale * (cost.sectors + cost.more);
    return cost;
}

/* Sectors of the group of lines that begins here; 0: it is counted at another of its lines. */
static double group_sectors(const wl_atomic_lines *all, const line_place *p, int64_t lines)
{
    const int64_t at = (p->line - 1) % lines;
    double sum = p->sectors;
    for (int64_t i = 0; i < lines; i++) {
        const line_place *other = i == at ? NULL : seen(all, p->field, p->line - 1 - at + i);
        if (other && i < at)
            return 0;
        sum += other ? other->sectors : 0;
    }
    return sum;
}

/* Sums of a line that wait for one another. Two requests for different words are added at the same
 * time. */
static double waiting_sums(const line_place *p)
{
    const double words = __builtin_popcountll(p->words), of_request = p->summed / fmax(1, p->requests);
    return p->sums / (of_request > 0 ? fmax(1, fmin(2, words / of_request)) : 1);
}

wl_atomics wl_atomic_lines_total(const wl_atomic_lines *all, const wl_l1_rules *r)
{
    wl_atomics total = all->sum;
    for (int i = 0; i < PLACES; i++) {
        const line_place *p = &all->place[i];
        const double sectors = p->line ? group_sectors(all, p, r->slice_lines) : 0;
        total.hot_requests = fmax(total.hot_requests, p->requests);
        total.hot_sectors = fmax(total.hot_sectors, sectors);
        total.squared_sectors += sectors * sectors;
        total.hot_sums = fmax(total.hot_sums, waiting_sums(p));
        if (p->words)
            total.word_requests = fmax(total.word_requests, p->requests / __builtin_popcountll(p->words));
    }
    return total;
}

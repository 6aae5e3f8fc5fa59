/* sampling.c - see sampling.h. SPDX-License-Identifier: MIT */
#include "count/sampling.h"

#include <math.h>

#include "base/fail.h"
#include "count/spread.h"

#define STRATUM_LEAST 2 /* blocks of each stratum, if it has as many */

wl_status wl_sample_evenly(int64_t count, int64_t blocks, wl_arena *arena, wl_sample *out, wl_error *err)
{
    *out = (wl_sample){.count = count,
                       .number = WL_ARENA_NEW(arena, int64_t, count),
                       .stratum = WL_ARENA_NEW(arena, int, count),
                       .strata = WL_ARENA_NEW(arena, wl_stratum, 1),
                       .stratum_count = 1};
    if (!out->number || !out->stratum || !out->strata)
        return wl_fail_memory(err);
    out->strata[0] = (wl_stratum){.blocks = (double)blocks, .chosen = (double)count};
    for (int64_t i = 0; i < count; i++)
        out->number[i] = wl_sample_block(i, count, blocks);
    return WL_OK;
}

/* ---- traced blocks ---- */

/* The stride n for taking every n-th block of a stratum: about `most` of all remain, but a few of
 * each. */
static int64_t stride_of(int64_t have, int64_t all, int64_t most)
{
    const int64_t share = (int64_t)((double)have * (double)most / (double)all), least = STRATUM_LEAST;
    const int64_t wanted = share > least ? share : least;
    return have > wanted ? have / wanted : 1;
}

static void add_stratum(const wl_population *p, int64_t first, int64_t end, int64_t most, wl_sample *out)
{
    const int64_t stride = stride_of(end - first, p->count, most);
    const double blocks = p->number ? p->stands[p->stratum[first]] : (double)p->count;
    const int64_t before = out->count;
    for (int64_t i = first + (stride - 1) / 2; i < end; i += stride) {
        out->number[out->count] = p->number ? p->number[i] : i;
        out->stratum[out->count++] = out->stratum_count;
    }
    out->strata[out->stratum_count++] = (wl_stratum){.blocks = blocks, .chosen = (double)(out->count - before)};
}

wl_status wl_sample_traced(const wl_population *p, const wl_geometry *geometry, int64_t most, wl_arena *arena,
                           wl_sample *out, wl_error *err)
{
    if (!p)
        return wl_sample_evenly(geometry->blocks < most ? geometry->blocks : most, geometry->blocks, arena, out, err);
    *out = (wl_sample){.launched = true,
                       .number = WL_ARENA_NEW(arena, int64_t, p->count),
                       .stratum = WL_ARENA_NEW(arena, int, p->count),
                       .strata = WL_ARENA_NEW(arena, wl_stratum, p->stratum_count + 1)};
    if (!out->number || !out->stratum || !out->strata)
        return wl_fail_memory(err);
    for (int64_t first = 0, i = 1; i <= p->count; i++)
        if (i == p->count || (p->number && p->stratum[i] != p->stratum[first])) {
            add_stratum(p, first, i, most < p->count ? most : p->count, out);
            first = i;
        }
    return WL_OK;
}

void wl_sample_block_at(const wl_sample *sample, const wl_geometry *g, int64_t i, int64_t block[3])
{
    const int64_t number = sample->number[i];
    if (!sample->launched) {
        wl_block_placed(g, number, block);
        return;
    }
    block[0] = number % g->grid_dim[0];
    block[1] = number / g->grid_dim[0] % g->grid_dim[1];
    block[2] = number / g->grid_dim[0] / g->grid_dim[1];
}

/* ---- strata ---- */

#define PILOT_BLOCKS 2   /* of each stratum, the fewest that show a difference */
#define STRATUM_BLOCKS 8 /* on average, of the final sample */
/* of the final sample, distributed by size, to cover what the pilot sample missed */
#define EVEN_SHARE 0.75
/* the pilot determines how many blocks are chosen, so the final sample is drawn independently */
#define APART 123457

/* Halves the longest dimension until there are enough parts. */
static void divide_grid(const int64_t grid[3], int64_t strata, int64_t parts[3])
{
    int64_t all = 1;
    parts[0] = parts[1] = parts[2] = 1;
    while (2 * all <= strata) {
        int longest = 2;
        for (int d = 1; d >= 0; d--)
            if (grid[d] / parts[d] > grid[longest] / parts[longest])
                longest = d;
        if (grid[longest] / parts[longest] < 2)
            return;
        parts[longest] *= 2;
        all *= 2;
    }
}

static int64_t block_of(const wl_stratum *h, const int64_t grid[3], int64_t n)
{
    const int64_t x = h->first[0] + n % h->count[0], y = h->first[1] + n / h->count[0] % h->count[1],
                  z = h->first[2] + n / h->count[0] / h->count[1];
    return x + grid[0] * (y + grid[1] * z);
}

/* Chooses the blocks of all strata, given how many of each. */
static wl_status choose_blocks(const int64_t grid[3], int64_t from, wl_arena *arena, wl_sample *s, wl_error *err)
{
    s->count = 0;
    for (int h = 0; h < s->stratum_count; h++)
        s->count += (int64_t)s->strata[h].chosen;
    s->number = WL_ARENA_NEW(arena, int64_t, s->count);
    s->stratum = WL_ARENA_NEW(arena, int, s->count);
    if (!s->number || !s->stratum)
        return wl_fail_memory(err);
    int64_t at = 0;
    for (int h = 0; h < s->stratum_count; h++)
        for (int64_t i = 0; i < (int64_t)s->strata[h].chosen; i++, at++) {
            const int64_t n = (int64_t)s->strata[h].chosen, blocks = (int64_t)s->strata[h].blocks;
            const int64_t k = n >= blocks ? i : wl_spread_below((uint64_t)(from + i + 3 * h), h % 3, blocks);
            s->stratum[at] = h;
            s->number[at] = block_of(&s->strata[h], grid, k);
        }
    return WL_OK;
}

wl_status wl_sample_by_place(const int64_t grid[3], int64_t count, wl_arena *arena, wl_sample *out, wl_error *err)
{
    return wl_sample_pilot(grid, count / PILOT_BLOCKS * STRATUM_BLOCKS, arena, out, err);
}

wl_status wl_sample_pilot(const int64_t grid[3], int64_t count, wl_arena *arena, wl_sample *out, wl_error *err)
{
    int64_t parts[3], p[3];
    divide_grid(grid, count / STRATUM_BLOCKS, parts);
    *out = (wl_sample){.stratum_count = 0, .strata = WL_ARENA_NEW(arena, wl_stratum, parts[0] * parts[1] * parts[2])};
    if (!out->strata)
        return wl_fail_memory(err);
    for (p[2] = 0; p[2] < parts[2]; p[2]++)
        for (p[1] = 0; p[1] < parts[1]; p[1]++)
            for (p[0] = 0; p[0] < parts[0]; p[0]++) {
                wl_stratum *h = &out->strata[out->stratum_count++];
                h->blocks = 1;
                for (int d = 0; d < 3; d++) {
                    h->first[d] = p[d] * grid[d] / parts[d];
                    h->count[d] = (p[d] + 1) * grid[d] / parts[d] - h->first[d];
                    h->blocks *= (double)h->count[d];
                }
                h->chosen = h->blocks < PILOT_BLOCKS ? h->blocks : PILOT_BLOCKS;
            }
    return choose_blocks(grid, 0, arena, out, err);
}

/* How much the blocks of a stratum differ, times their number: its share of the error. */
static double importance(const wl_sample *s, int stratum, const double *added)
{
    double least = INFINITY, most = -INFINITY;
    for (int64_t i = 0; i < s->count; i++)
        if (s->stratum[i] == stratum) {
            least = fmin(least, added[i]);
            most = fmax(most, added[i]);
        }
    return most > least ? most - least : 0; /* the values include weights */
}

wl_status wl_sample_refine(const int64_t grid[3], const wl_sample *pilot, const double *added, int64_t count,
                           wl_arena *arena, wl_sample *out, wl_error *err)
{
    double all = 0, blocks = 0;
    *out = (wl_sample){.stratum_count = pilot->stratum_count,
                       .strata = WL_ARENA_NEW(arena, wl_stratum, pilot->stratum_count)};
    if (!out->strata)
        return wl_fail_memory(err);
    for (int h = 0; h < pilot->stratum_count; h++) {
        all += importance(pilot, h, added);
        blocks += pilot->strata[h].blocks;
    }
    for (int h = 0; h < pilot->stratum_count; h++) {
        wl_stratum *this = &out->strata[h];
        *this = pilot->strata[h];
        const double even = this->blocks / blocks,
                     share = all > 0 ? EVEN_SHARE * even + (1 - EVEN_SHARE) * importance(pilot, h, added) / all : even;
        this->chosen = fmin(this->blocks, fmax(PILOT_BLOCKS, floor((double)count * share)));
    }
    return choose_blocks(grid, APART, arena, out, err);
}

/* ---- errors ---- */

/* strata taken together: the few blocks of one do not show how rare an event is */
#define TOGETHER 8

/* The variance that some strata contribute, as if they were one; their samples are next to each
 * other, from `first` on. */
static double variance_of(const wl_stratum *strata, int n, const double *added)
{
    double blocks = 0, chosen = 0, sum = 0, squares = 0;
    int64_t at = 0;
    for (int h = 0; h < n; h++) {
        if (strata[h].chosen < strata[h].blocks) {
            blocks += strata[h].blocks;
            chosen += strata[h].chosen;
            for (int64_t i = 0; i < (int64_t)strata[h].chosen; i++)
                sum += added[at + i];
        }
        at += (int64_t)strata[h].chosen;
    }
    if (chosen <= 0)
        return 0;
    at = 0;
    for (int h = 0; h < n; h++) {
        for (int64_t i = 0; i < (int64_t)strata[h].chosen && strata[h].chosen < strata[h].blocks; i++)
            squares += (added[at + i] - sum / chosen) * (added[at + i] - sum / chosen);
        at += (int64_t)strata[h].chosen;
    }
    if (chosen < 2) /* one block does not show how blocks differ: its whole value counts as error */
        return sum * sum;
    return squares * chosen / (chosen - 1) * (1 - chosen / blocks);
}

double wl_sample_error(const wl_sample *s, const double *added)
{
    double variance = 0;
    int64_t first = 0;
    for (int h = 0; h < s->stratum_count; h += TOGETHER) {
        const int n = s->stratum_count - h < TOGETHER ? s->stratum_count - h : TOGETHER;
        variance += variance_of(&s->strata[h], n, added + first);
        for (int i = h; i < h + n; i++)
            first += (int64_t)s->strata[i].chosen;
    }
    return sqrt(variance);
}

double wl_sample_rare(const wl_sample *s)
{
    double chosen = 0, blocks = 0;
    for (int h = 0; h < s->stratum_count; h++)
        if (s->strata[h].chosen < s->strata[h].blocks) {
            chosen += s->strata[h].chosen;
            blocks += s->strata[h].blocks;
        }
    return chosen > 0 ? sqrt(1 - chosen / blocks) / chosen : 0;
}

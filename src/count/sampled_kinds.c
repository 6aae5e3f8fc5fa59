/* sampled_kinds.c - see block_kinds.h: sampled kinds. SPDX-License-Identifier: MIT */
#include <math.h>

#include "base/fail.h"
#include "count/block_kinds.h"
#include "count/spread.h"

#define STRATUM_LEAST 2 /* blocks of each stratum, if it has as many */

bool wl_kinds_are_exact(const wl_block_kinds *kinds)
{
    for (int h = 0; h < kinds->stratum_count; h++)
        if (kinds->strata[h].chosen < kinds->strata[h].blocks)
            return false;
    return true;
}

/* Room for so many blocks and strata. */
static wl_status make_room(size_t count, int strata, wl_arena *arena, wl_block_kinds *out, wl_error *err)
{
    *out = (wl_block_kinds){.list = WL_ARENA_NEW(arena, wl_representative, count),
                            .strata = WL_ARENA_NEW(arena, wl_stratum, strata)};
    return out->list && out->strata ? WL_OK : wl_fail_memory(err);
}

/* Ends a stratum: the blocks from `first` on represent `blocks`. */
static void end_stratum(wl_block_kinds *kinds, size_t first, double blocks)
{
    const double chosen = (double)(kinds->count - first);
    for (size_t i = first; i < kinds->count; i++) {
        kinds->list[i].blocks = blocks / chosen;
        kinds->list[i].stratum = kinds->stratum_count;
    }
    kinds->strata[kinds->stratum_count].blocks = blocks;
    kinds->strata[kinds->stratum_count++].chosen = chosen;
}

wl_status wl_kinds_evenly(const wl_geometry *g, int64_t count, wl_arena *arena, wl_block_kinds *out, wl_error *err)
{
    const int64_t n = wl_min(count, g->blocks);
    WL_TRY(make_room((size_t)n, 1, arena, out, err));
    for (int64_t i = 0; i < n; i++)
        wl_block_placed(g, wl_sample_block(i, n, g->blocks), out->list[out->count++].block);
    end_stratum(out, 0, (double)g->blocks);
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

wl_status wl_kinds_traced(const wl_population *p, const wl_geometry *g, int64_t most, wl_arena *arena,
                          wl_block_kinds *out, wl_error *err)
{
    if (!p)
        return wl_kinds_evenly(g, most, arena, out, err);
    WL_TRY(make_room((size_t)p->count, p->stratum_count + 1, arena, out, err));
    for (int64_t first = 0, end = 1; first < p->count; first = end++) {
        while (end < p->count && (!p->number || p->stratum[end] == p->stratum[first]))
            end++;
        const int64_t stride = stride_of(end - first, p->count, wl_min(most, p->count));
        const size_t before = out->count;
        for (int64_t i = first + (stride - 1) / 2; i < end; i += stride) {
            /* among all blocks that are launched */
            const int64_t number = p->number ? p->number[i] : i;
            int64_t *block = out->list[out->count++].block;
            block[0] = number % g->grid_dim[0];
            block[1] = number / g->grid_dim[0] % g->grid_dim[1];
            block[2] = number / g->grid_dim[0] / g->grid_dim[1];
        }
        end_stratum(out, before, p->number ? p->stands[p->stratum[first]] : (double)p->count);
    }
    return WL_OK;
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

/* Chooses the blocks of all strata, given how many of each. */
static wl_status choose_blocks(const wl_geometry *g, int64_t from, wl_arena *arena, wl_block_kinds *out, wl_error *err)
{
    double count = 0;
    for (int h = 0; h < out->stratum_count; h++)
        count += out->strata[h].chosen;
    out->list = WL_ARENA_NEW(arena, wl_representative, count);
    if (!out->list)
        return wl_fail_memory(err);
    for (int h = 0; h < out->stratum_count; h++) {
        const wl_stratum *s = &out->strata[h];
        const int64_t chosen = (int64_t)s->chosen, blocks = (int64_t)s->blocks;
        for (int64_t i = 0; i < chosen; i++) {
            const int64_t n = chosen >= blocks ? i : wl_spread_below((uint64_t)(from + i + 3 * h), h % 3, blocks);
            out->list[out->count++] =
                (wl_representative){.block = {g->start[0] + s->first[0] + n % s->count[0],
                                              g->start[1] + s->first[1] + n / s->count[0] % s->count[1],
                                              g->start[2] + s->first[2] + n / s->count[0] / s->count[1]},
                                    .blocks = s->blocks / s->chosen,
                                    .stratum = h};
        }
    }
    return WL_OK;
}

wl_status wl_kinds_by_place(const wl_geometry *g, int64_t count, wl_arena *arena, wl_block_kinds *out, wl_error *err)
{
    return count < g->blocks ? wl_kinds_pilot(g, count / PILOT_BLOCKS * STRATUM_BLOCKS, arena, out, err)
                             : wl_kinds_evenly(g, count, arena, out, err);
}

wl_status wl_kinds_pilot(const wl_geometry *g, int64_t count, wl_arena *arena, wl_block_kinds *out, wl_error *err)
{
    const int64_t *grid = g->grid;
    int64_t parts[3], p[3];
    divide_grid(grid, count / STRATUM_BLOCKS, parts);
    *out = (wl_block_kinds){.strata = WL_ARENA_NEW(arena, wl_stratum, parts[0] * parts[1] * parts[2])};
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
    return choose_blocks(g, 0, arena, out, err);
}

/* How much the blocks of a stratum differ, times their number: its share of the error. */
static double importance(const wl_block_kinds *kinds, int stratum, const double *added)
{
    double least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < kinds->count; i++)
        if (kinds->list[i].stratum == stratum) {
            least = fmin(least, added[i]);
            most = fmax(most, added[i]);
        }
    return most > least ? most - least : 0; /* the values include weights */
}

wl_status wl_kinds_refine(const wl_geometry *g, const wl_block_kinds *pilot, const double *added, int64_t count,
                          wl_arena *arena, wl_block_kinds *out, wl_error *err)
{
    double all = 0, blocks = 0;
    *out = (wl_block_kinds){.stratum_count = pilot->stratum_count,
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
    return choose_blocks(g, APART, arena, out, err);
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

double wl_kinds_error(const wl_block_kinds *s, const double *added)
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

double wl_kinds_rare(const wl_block_kinds *s)
{
    double chosen = 0, blocks = 0;
    for (int h = 0; h < s->stratum_count; h++)
        if (s->strata[h].chosen < s->strata[h].blocks) {
            chosen += s->strata[h].chosen;
            blocks += s->strata[h].blocks;
        }
    return chosen > 0 ? sqrt(1 - chosen / blocks) / chosen : 0;
}

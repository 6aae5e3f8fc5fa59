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
    out->strata[0] = (wl_stratum){(double)blocks, (double)count};
    for (int64_t i = 0; i < count; i++)
        out->number[i] = wl_sample_block(i, count, blocks);
    return WL_OK;
}

/* Every n-th block of a stratum, so that about `most` of all remain, but a few of each. */
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
    out->strata[out->stratum_count++] = (wl_stratum){blocks, (double)(out->count - before)};
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
        wl_block_at(g, number, block);
        return;
    }
    block[0] = number % g->grid_dim[0];
    block[1] = number / g->grid_dim[0] % g->grid_dim[1];
    block[2] = number / g->grid_dim[0] / g->grid_dim[1];
}

/* The variance that one stratum contributes; the samples of a stratum lie anywhere in the list. */
static double stratum_variance(const wl_sample *s, int stratum, const double *added)
{
    const wl_stratum *h = &s->strata[stratum];
    double sum = 0, squares = 0;
    if (h->chosen >= h->blocks)
        return 0;
    for (int64_t i = 0; i < s->count; i++)
        sum += s->stratum[i] == stratum ? added[i] : 0;
    const double mean = sum / h->chosen;
    for (int64_t i = 0; i < s->count; i++)
        squares += s->stratum[i] == stratum ? (added[i] - mean) * (added[i] - mean) : 0;
    if (h->chosen < 2) /* one block says nothing about how they differ: all of it may be wrong */
        return sum * sum;
    return squares * h->chosen / (h->chosen - 1) * (1 - h->chosen / h->blocks);
}

double wl_sample_error(const wl_sample *s, const double *added)
{
    double variance = 0;
    for (int h = 0; h < s->stratum_count; h++)
        variance += stratum_variance(s, h, added);
    return sqrt(variance);
}

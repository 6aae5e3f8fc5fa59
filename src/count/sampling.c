/* sampling.c - see sampling.h. SPDX-License-Identifier: MIT */
#include "count/sampling.h"

#include <math.h>

#include "base/fail.h"
#include "count/spread.h"

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

/* loop_nest.c - see loop_nest.h.
 * Layer  ptx/recover. SPDX-License-Identifier: MIT */
#include "ptx/recover/loop_nest.h"

#include <stddef.h>
#include <string.h>

#include "base/ckd.h"

static bool grows_by(const int64_t *from, const int64_t *to, const int64_t *growth, int places)
{
    for (int i = 0; i < places; i++)
        if (to[i] - from[i] != growth[i])
            return false;
    return true;
}

/* n rows, `stride` apart: does every run of `length` rows grow by the same amounts? */
static bool grows_evenly(const int64_t *rows, int places, size_t n, size_t stride, size_t length, const int64_t *growth)
{
    for (size_t i = 0; i + 1 < n; i++)
        if ((i + 1) % length != 0 &&
            !grows_by(rows + i * stride * (size_t)places, rows + (i + 1) * stride * (size_t)places, growth, places))
            return false;
    return true;
}

static bool find_levels(const int64_t *rows, int places, size_t n, size_t stride, wl_arena *arena, wl_ptx_nest *out)
{
    if (n == 1)
        return true;
    if (out->depth == WL_PTX_NEST_MAX)
        return false;
    int64_t *growth = WL_ARENA_NEW(arena, int64_t, places + 1);
    if (!growth)
        return false;
    for (int i = 0; i < places; i++)
        growth[i] = rows[stride * (size_t)places + (size_t)i] - rows[i];
    size_t length = 2;
    while (length < n && grows_by(rows + (length - 1) * stride * (size_t)places,
                                  rows + length * stride * (size_t)places, growth, places))
        length++;
    while (length > 1 && (n % length != 0 || !grows_evenly(rows, places, n, stride, length, growth)))
        length--;
    if (length < 2)
        return false;
    out->extent[out->depth] = (int64_t)length;
    out->stride[out->depth] = (int64_t)stride;
    out->growth[out->depth++] = growth;
    return find_levels(rows, places, n / length, stride * length, arena, out);
}

bool wl_ptx_nest_find(const int64_t *rows, int places, size_t count, wl_arena *arena, wl_ptx_nest *out)
{
    *out = (wl_ptx_nest){0};
    return find_levels(rows, places, count, 1, arena, out);
}

/* ---- periods ---- */

#define PERIOD_MAX 64 /* rows of a period, and before the first one */

/* The first row from which on each row exceeds the one a period earlier by `growth`. */
static size_t start_of_periods(const int64_t *rows, int places, size_t n, size_t length, const int64_t *growth)
{
    size_t first = n - length;
    while (first > 0 &&
           grows_by(rows + (first - 1) * (size_t)places, rows + (first - 1 + length) * (size_t)places, growth, places))
        first--;
    return first + (n - first) % length; /* so that whole periods follow */
}

bool wl_ptx_period_find(const int64_t *rows, int places, size_t n, size_t least, wl_arena *arena, wl_ptx_period *out)
{
    int64_t *growth = WL_ARENA_NEW(arena, int64_t, places + 1);
    for (size_t length = 1; growth && length <= PERIOD_MAX && length * least <= n; length++) {
        const int64_t *last = rows + (n - 1) * (size_t)places;
        for (int i = 0; i < places; i++)
            growth[i] = last[i] - last[i - (ptrdiff_t)(length * (size_t)places)];
        *out = (wl_ptx_period){start_of_periods(rows, places, n, length, growth), length};
        if (out->first <= PERIOD_MAX && (n - out->first) / length >= least)
            return true;
    }
    return false;
}

/* ---- runs ---- */

/* Are the first `levels` levels the same? */
static bool same_levels(const wl_ptx_run *a, const wl_ptx_run *b, int levels)
{
    for (int i = 0; i < levels; i++)
        if (a->nest.extent[i] != b->nest.extent[i] ||
            memcmp(a->nest.growth[i], b->nest.growth[i], (size_t)a->places * sizeof *a->base) != 0)
            return false;
    return true;
}

/* Whether b begins `times` iterations of `growth` after a. */
static bool follows(const wl_ptx_run *a, const wl_ptx_run *b, int64_t times, const int64_t *growth)
{
    for (int i = 0; i < a->places; i++)
        if ((wl_wide)b->base[i] - a->base[i] != (wl_wide)times * growth[i])
            return false;
    return true;
}

static bool add_level(wl_ptx_run *run, int64_t extent, const int64_t *growth, wl_arena *arena)
{
    int64_t *copy = WL_ARENA_NEW(arena, int64_t, run->places + 1);
    if (!copy || run->nest.depth == WL_PTX_NEST_MAX)
        return false;
    memcpy(copy, growth, (size_t)run->places * sizeof *copy);
    run->nest.extent[run->nest.depth] = extent;
    run->nest.growth[run->nest.depth++] = copy;
    return true;
}

bool wl_ptx_run_append(wl_ptx_run *run, const wl_ptx_run *next, wl_arena *arena)
{
    const int own = run->nest.depth, other = next->nest.depth;
    const int inner = own == other ? own - 1 : own < other ? own : other;
    if (run->places != next->places || own > other + 1 || other > own + 1)
        return false;
    const int64_t *growth = own >= other && own > 0   ? run->nest.growth[own - 1]
                            : other > 0 && inner >= 0 ? next->nest.growth[inner]
                                                      : NULL;
    const int64_t before = own > inner && own > 0 ? run->nest.extent[own - 1] : 1;
    const int64_t added = other > inner && other > 0 ? next->nest.extent[other - 1] : 1;
    const bool same_growth = own != other || (own > 0 && memcmp(growth, next->nest.growth[own - 1],
                                                                (size_t)run->places * sizeof *growth) == 0);
    if (growth && inner >= 0 && same_growth && same_levels(run, next, inner) && follows(run, next, before, growth)) {
        if (own < other && !add_level(run, 1, growth, arena))
            return false;
        run->nest.extent[run->nest.depth - 1] = before + added;
        return true;
    }
    if (own != other || !same_levels(run, next, own))
        return false;
    int64_t *between = WL_ARENA_NEW(arena, int64_t, run->places + 1);
    for (int i = 0; between && i < run->places; i++)
        between[i] = next->base[i] - run->base[i];
    return between && add_level(run, 2, between, arena);
}

bool wl_ptx_run_repeat(wl_ptx_run *run, int64_t trips, const int64_t *growth, wl_arena *arena)
{
    const int top = run->nest.depth - 1;
    bool goes_on = top >= 0;
    for (int i = 0; i < run->places && goes_on; i++)
        goes_on = (wl_wide)run->nest.extent[top] * run->nest.growth[top][i] == growth[i];
    if (!goes_on)
        return add_level(run, trips, growth, arena);
    return wl_mul(run->nest.extent[top], trips, &run->nest.extent[top]);
}

/* ---- the loops of the kernel ---- */

bool wl_ptx_nest_place(const wl_ptx_nest *nest, wl_ptx_loop_table *table, wl_ptx_in_loops *out)
{
    wl_ptx_loop_table longer = *table;
    int at = 0;
    *out = (wl_ptx_in_loops){.count = nest->depth};
    if (nest->depth > WL_LOOPS_MAX)
        return false;
    for (int i = nest->depth; i-- > 0;) {
        while (at < longer.count && longer.extent[at] != nest->extent[i])
            at++;
        if (at == WL_LOOPS_MAX)
            return false;
        if (at == longer.count)
            longer.extent[longer.count++] = nest->extent[i];
        out->times[nest->depth - 1 - i] = 1;
        out->level[nest->depth - 1 - i] = i;
        out->loop[nest->depth - 1 - i] = at++;
    }
    *table = longer;
    return true;
}

/* Writes levels `level` and below as loops from `at` on; `left` steps of the level are in no loop
 * yet. A run of 256 steps is 128 iterations of one loop, each with 2 of another. */
static bool fit_levels(const wl_ptx_nest *nest, const wl_ptx_loop_table *table, int level, int64_t left, int at,
                       wl_ptx_in_loops *out)
{
    if (left == 1) {
        do
            level--;
        while (level >= 0 && level < WL_PTX_NEST_MAX && out->expanded >> level & 1);
        return level < 0 || fit_levels(nest, table, level, nest->extent[level], at, out);
    }
    for (; at < table->count; at++) {
        if (table->extent[at] < 2 || left % table->extent[at] != 0)
            continue;
        const int place = out->count++;
        out->loop[place] = at;
        out->level[place] = level;
        out->times[place] = left / table->extent[at];
        if (fit_levels(nest, table, level, left / table->extent[at], at + 1, out))
            return true;
        out->count = place;
    }
    return false;
}

bool wl_ptx_nest_fit(const wl_ptx_nest *nest, const wl_ptx_loop_table *table, int64_t most, wl_ptx_in_loops *out)
{
    int64_t fewest = most + 1;
    const int depth = (int)wl_min(WL_PTX_NEST_MAX, wl_max(0, nest->depth));
    for (unsigned expanded = 0; expanded < 1u << depth; expanded++) {
        wl_ptx_in_loops in = {.expanded = expanded};
        int64_t accesses = 1;
        for (int i = 0; i < nest->depth && accesses <= most; i++)
            accesses *= expanded >> i & 1 ? nest->extent[i] : 1;
        if (accesses >= fewest || !fit_levels(nest, table, nest->depth, 1, 0, &in))
            continue;
        fewest = accesses;
        *out = in;
    }
    return fewest <= most;
}

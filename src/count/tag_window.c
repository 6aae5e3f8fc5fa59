/* tag_window.c - see tag_window.h. SPDX-License-Identifier: MIT */
#include "count/tag_window.h"

#include <stdlib.h>

#include "base/fail.h"

#define WINDOW_LINES 64
#define SHORTEST 16      /* lines: in shorter windows, carries out of the window would dominate */
#define WINDOW_STEP 4    /* bytes between distinguished positions */
#define SPAN_LINES 4     /* the largest distance of two lanes for that */
#define POSITIONS 16     /* at most so many, unless the window would become too short */
#define FEW_PATTERNS 4   /* beyond, each matters less: few samples suffice */
#define BLINK 0.05       /* below this share of the executions, one random address suffices .. */
#define MANY_POSITIONS 8 /* .. if it has at least so many positions */
#define RARE 0.003       /* below this share of the executions, one position stands for all */
#define CARRY_MAX 16     /* carry chains longer than this no longer matter */

/* Costs at one position, as cached with a pattern. */
typedef struct slot {
    float tag, cold; /* tag 0: not computed yet */
    float split;     /* share of executions with more than one tag wavefront */
} slot;
_Static_assert(sizeof(slot) == 3 * sizeof(float), "a window is an array of floats");

/* Random addresses per mean, by kind of window: the fewer patterns in a launch, the more for
 * each. */
static const int draws_of[WL_TAG_WINDOWS] = {0, 8, 4, 1};

/* A pattern caches one window of each kind. Other lengths are rare and start afresh. */
static wl_status keep_window(wl_pattern_window *w, int64_t bytes, wl_error *err)
{
    if (w->bytes == bytes)
        return WL_OK;
    free(w->slots);
    w->slots = calloc((size_t)(bytes / WINDOW_STEP), sizeof(slot));
    w->bytes = w->slots ? bytes : 0;
    return w->slots ? WL_OK : wl_fail_memory(err);
}

static wl_status open_at(wl_pattern *p, wl_window_kind kind, const wl_residues *positions, wl_tag_window *out,
                         wl_error *err)
{
    out->open = true;
    out->kind = kind;
    out->bytes = positions->granule;
    out->count = 0;
    for (int i = 0; i < positions->count; i++)
        if (positions->weight[i]) {
            out->position[out->count] = (int32_t)wl_residue(positions, i);
            out->weight[out->count++] = (double)positions->weight[i];
        }
    return keep_window(&p->windows[kind], out->bytes, err);
}

/* The longest window whose positions fall into at most so many classes. */
static bool longest_window(const wl_executions *parts, int count, int64_t line, int64_t shortest, int most,
                           wl_residues *out)
{
    for (int64_t lines = WINDOW_LINES; lines >= shortest; lines /= 2)
        if (wl_executions_positions(parts, count, lines * line, most, out))
            return true;
    return false;
}

wl_status wl_tag_window_open(const wl_pattern_context *context, wl_pattern *p, const wl_executions *parts,
                             int part_count, const wl_residues *alignments, int patterns, double share,
                             wl_tag_window *out, wl_error *err)
{
    const int64_t line = context->rules->line;
    const bool wide = p->span > SPAN_LINES * line, blink = share < BLINK && alignments->count >= MANY_POSITIONS;
    const int64_t shortest = wide ? 1 : SHORTEST;
    out->open = false;
    out->rare = share < RARE;
    if (p->lanes.width % WINDOW_STEP != 0)
        return WL_OK;
    if (out->rare || blink || (wide && patterns > FEW_PATTERNS))
        return open_at(p, blink ? WL_WINDOW_BLINK : WL_WINDOW_GLANCE, alignments, out, err);
    if (wide && parts->group->loops)
        return WL_OK;
    wl_residues positions;
    if (!longest_window(parts, part_count, line, shortest, wide ? POSITIONS : 4 * POSITIONS, &positions) &&
        !longest_window(parts, part_count, line, shortest, WL_RESIDUES_MAX, &positions))
        return WL_OK;
    return open_at(p, wide ? WL_WINDOW_MEAN : WL_WINDOW_EXACT, &positions, out, err);
}

/* The mean cost at one position over random addresses, the same ones every time. With many patterns
 * each has its own addresses, so that errors cancel out. */
static slot mean_in_window(const wl_pattern_context *context, wl_pattern *p, wl_window_kind kind, int64_t bytes,
                           int64_t at)
{
    const int draws = draws_of[kind];
    const int64_t first = (kind == WL_WINDOW_MEAN ? 0 : (int64_t)(p->hash >> 40)) + at * draws;
    double tag = 0, cold = 0, split = 0;
    for (int j = 0; j < draws; j++) {
        const int64_t place = wl_random_below(first + j, (int64_t)1 << 24);
        const wl_tag_cost t = wl_pattern_tag_cost(context, p, at + place * bytes);
        tag += t.tag;
        cold += t.cold;
        split += t.tag > 1;
    }
    return (slot){(float)(tag / draws), (float)(cold / draws), (float)(split / draws)};
}

/* The cost at one position. A chain of j carries out of the window has probability 2^-(j+1). */
static slot cost_in_window(const wl_pattern_context *context, wl_pattern *p, int64_t bytes, int64_t at)
{
    const int chains = at + p->highest < bytes ? 1 : CARRY_MAX;
    double tag = 0, cold = 0, split = 0, probability = 1;
    for (int j = 0; j < chains; j++) {
        const wl_tag_cost t = wl_pattern_tag_cost(context, p, at + (((int64_t)1 << j) - 1) * bytes);
        if (j + 1 < chains)
            probability /= 2;
        tag += probability * t.tag;
        cold += probability * t.cold;
        split += probability * (t.tag > 1);
    }
    return (slot){(float)tag, (float)cold, (float)split};
}

static void fill_slot(const wl_pattern_context *context, const wl_tag_window *window, wl_pattern *p, int64_t at,
                      slot *s)
{
    const int64_t bytes = window->bytes;
    *s = window->kind == WL_WINDOW_EXACT ? cost_in_window(context, p, bytes, at)
                                         : mean_in_window(context, p, window->kind, bytes, at);
}

static inline const slot *slot_at(const wl_pattern_context *context, const wl_tag_window *window, wl_pattern *p,
                                  int64_t at)
{
    slot *s = (slot *)(void *)p->windows[window->kind].slots + (uint64_t)at / WINDOW_STEP;
    if (s->tag == 0)
        fill_slot(context, window, p, at, s);
    return s;
}

void wl_tag_window_add(const wl_pattern_context *context, const wl_tag_window *window, wl_pattern *pattern,
                       int64_t offset, int64_t executions, wl_tag_total *total)
{
    const int64_t mask = window->bytes - 1;
    wl_tag_total sum = *total;
    if (window->rare) { /* one position stands for all */
        const slot *s = slot_at(context, window, pattern, window->position[0]);
        sum.tag += (double)executions * (double)s->tag;
        sum.cold += (double)executions * (double)s->cold;
        sum.split += (double)executions * (double)s->split;
    } else {
        for (int i = 0; i < window->count; i++) {
            const slot *s = slot_at(context, window, pattern, (window->position[i] + offset) & mask);
            sum.tag += window->weight[i] * (double)s->tag;
            sum.cold += window->weight[i] * (double)s->cold;
            sum.split += window->weight[i] * (double)s->split;
        }
    }
    *total = sum;
}

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

static wl_status open_glance(wl_pattern *p, const wl_residues *alignments, bool blink, wl_tag_window *out,
                             wl_error *err)
{
    out->open = true;
    out->kind = blink ? WL_WINDOW_BLINK : WL_WINDOW_GLANCE;
    out->positions = alignments;
    return keep_window(&p->windows[out->kind], alignments->granule, err);
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
        return open_glance(p, alignments, blink, out, err);
    if (wide && parts->group->loops)
        return WL_OK;
    out->kind = wide ? WL_WINDOW_MEAN : WL_WINDOW_EXACT;
    out->positions = &out->own;
    out->open = longest_window(parts, part_count, line, shortest, wide ? POSITIONS : 4 * POSITIONS, &out->own) ||
                longest_window(parts, part_count, line, shortest, WL_RESIDUES_MAX, &out->own);
    return out->open ? keep_window(&p->windows[out->kind], out->own.granule, err) : WL_OK;
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

static const slot *slot_at(const wl_pattern_context *context, const wl_tag_window *window, wl_pattern *p, int64_t at)
{
    const int64_t bytes = window->positions->granule;
    slot *s = (slot *)(void *)p->windows[window->kind].slots + at / WINDOW_STEP;
    if (s->tag == 0)
        *s = window->kind == WL_WINDOW_EXACT ? cost_in_window(context, p, bytes, at)
                                             : mean_in_window(context, p, window->kind, bytes, at);
    return s;
}

static void add_slot(wl_tag_total *total, const slot *s, double weight)
{
    total->tag += weight * (double)s->tag;
    total->cold += weight * (double)s->cold;
    total->split += weight * (double)s->split;
}

void wl_tag_window_add(const wl_pattern_context *context, const wl_tag_window *window, wl_pattern *pattern,
                       int64_t offset, int64_t executions, wl_tag_total *total)
{
    const wl_residues *positions = window->positions;
    const int64_t mask = positions->granule - 1;
    if (window->rare) { /* one position stands for all */
        int i = 0;
        while (!positions->weight[i])
            i++;
        add_slot(total, slot_at(context, window, pattern, wl_residue(positions, i)), (double)executions);
        return;
    }
    for (int i = 0; i < positions->count; i++)
        if (positions->weight[i])
            add_slot(total, slot_at(context, window, pattern, (wl_residue(positions, i) + offset) & mask),
                     (double)positions->weight[i]);
}

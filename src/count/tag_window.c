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
    float unused;
} slot;
_Static_assert(sizeof(slot) == 4 * sizeof(float), "a window is an array of floats");

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
            out->position[out->count] = (uint32_t)wl_residue(positions, i);
            out->weight[out->count++] = (double)positions->weight[i];
        }
    if (out->rare) { /* one position stands for all, whatever the offset */
        for (int i = 1; i < out->count; i++)
            out->weight[0] += out->weight[i];
        out->count = 1;
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
    return (slot){(float)(tag / draws), (float)(cold / draws), (float)(split / draws), 0};
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
    return (slot){(float)tag, (float)cold, (float)split, 0};
}

/* Computes the costs that are missing at the positions, moved by some bytes. */
static void fill_slots(const wl_pattern_context *context, const wl_tag_window *window, wl_pattern *p, uint32_t moved)
{
    slot *slots = (slot *)(void *)p->windows[window->kind].slots;
    for (int i = 0; i < window->count; i++) {
        const uint32_t at = (window->position[i] + moved) & ((uint32_t)window->bytes - 1);
        if (slots[at / WINDOW_STEP].tag == 0)
            slots[at / WINDOW_STEP] = window->kind == WL_WINDOW_EXACT
                                          ? cost_in_window(context, p, window->bytes, at)
                                          : mean_in_window(context, p, window->kind, window->bytes, at);
    }
}

/* False: a cost is missing. */
static bool add_slots(const slot *slots, const wl_tag_window *window, uint32_t moved, wl_tag_total *total)
{
    const uint32_t mask = (uint32_t)window->bytes - 1;
    const int count = window->count;
    wl_tag_total sum = *total;
    float least = 1;
    for (int i = 0; i < count; i++) {
        const slot *s = &slots[((window->position[i] + moved) & mask) / WINDOW_STEP];
        least = s->tag < least ? s->tag : least;
        sum.tag += window->weight[i] * (double)s->tag;
        sum.cold += window->weight[i] * (double)s->cold;
        sum.split += window->weight[i] * (double)s->split;
    }
    if (least > 0)
        *total = sum;
    return least > 0;
}

void wl_tag_window_add(const wl_pattern_context *context, const wl_tag_window *window, wl_pattern *pattern,
                       int64_t offset, wl_tag_total *total)
{
    const slot *slots = (const slot *)(const void *)pattern->windows[window->kind].slots;
    const uint32_t moved = window->rare ? 0 : (uint32_t)offset;
    if (add_slots(slots, window, moved, total))
        return;
    fill_slots(context, window, pattern, moved);
    (void)add_slots(slots, window, moved, total);
}

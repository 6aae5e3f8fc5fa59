/* tag_window.c - see tag_window.h. SPDX-License-Identifier: MIT */
#include "count/tag_window.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"

#define WINDOW_LINES 64  /* of the longest window */
#define SHORTEST 16      /* lines: in shorter windows, carries out of the window would dominate */
#define WINDOW_STEP 4    /* bytes between distinguished positions */
#define SPAN_LINES 4     /* the largest distance of two lanes for that */
#define POSITIONS 16     /* at most so many, unless the window would become too short */
#define FEW_PATTERNS 4   /* with more patterns, each matters less: few samples suffice */
#define BLINK 0.05       /* below this share of the executions, one random address suffices .. */
#define MANY_POSITIONS 8 /* .. if it has at least so many positions */
#define RARE 0.003       /* below this share of the executions, one position represents all */
#define CARRY_MAX 16     /* carry chains longer than this no longer matter */
#define DRAWS_MAX 8      /* random addresses per mean */

/* Costs at one position. */
typedef struct slot {
    float tag, cold;
    float split; /* share of executions with more than one tag wavefront */
} slot;

/* Random addresses per mean, by kind of window: the fewer patterns in a launch, the more for
 * each. */
static const int draws_of[WL_TAG_WINDOWS] = {0, DRAWS_MAX, 4, 1};

/* A pattern caches one window of each kind, and exact ones by length. */
static wl_pattern_window *window_of(wl_pattern *p, const wl_l1_rules *rules, wl_window_kind kind, int64_t bytes)
{
    const int64_t times = kind == WL_WINDOW_EXACT ? bytes / rules->line / SHORTEST : WINDOW_LINES / SHORTEST;
    return &p->windows[(int)kind + wl_log2(times)];
}

/* Other lengths of the same kind are rare and start afresh. */
static wl_status keep_window(wl_pattern_window *w, int64_t bytes, wl_error *err)
{
    const size_t slots = (size_t)(bytes / WINDOW_STEP), costs = slots * sizeof *w->costs;
    if (w->bytes == bytes)
        return WL_OK;
    if (w->room < bytes) {
        free(w->costs);
        w->costs = malloc(costs + slots * sizeof *w->split);
        w->room = w->costs ? bytes : 0;
    }
    w->bytes = w->room > 0 ? bytes : 0;
    if (w->bytes == 0)
        return wl_fail_memory(err);
    memset(w->costs, 0, costs);
    w->split = (float *)(void *)(w->costs + slots);
    return WL_OK;
}

static wl_status open_at(const wl_l1_rules *rules, wl_pattern *p, wl_window_kind kind, const wl_residues *positions,
                         wl_tag_window *out, wl_error *err)
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
    if (out->rare) { /* one position represents all, whatever the offset */
        for (int i = 1; i < out->count; i++)
            out->weight[0] += out->weight[i];
        out->count = 1;
    }
    out->costs = window_of(p, rules, kind, out->bytes);
    return keep_window(out->costs, out->bytes, err);
}

/* The power of two that holds the lines of a pattern. */
static int64_t period_of(const wl_pattern *p)
{
    int64_t period = 1;
    while (period <= p->span && period < INT64_MAX / 4)
        period *= 2;
    return period;
}

wl_status wl_tag_window_open(const wl_pattern_context *context, wl_pattern *p, const wl_executions *parts,
                             int part_count, const wl_residues *alignments, int patterns, double share,
                             wl_tag_window *out, wl_error *err)
{
    const int64_t line = context->rules->line;
    const bool wide = p->span > SPAN_LINES * line, blink = share < BLINK && alignments->count >= MANY_POSITIONS;
    const int64_t shortest = line * (wide ? 1 : SHORTEST), longest = line * WINDOW_LINES;
    out->open = false;
    out->rare = share < RARE;
    out->in_step = false;
    if (p->lanes.width % WINDOW_STEP != 0)
        return WL_OK;
    out->in_step = wide && !out->rare && !blink && wl_executions_in_step(parts, part_count, period_of(p));
    if (out->in_step)
        return WL_OK;
    if (out->rare || blink || (wide && patterns > FEW_PATTERNS))
        return open_at(context->rules, p, blink ? WL_WINDOW_BLINK : WL_WINDOW_GLANCE, alignments, out, err);
    if (wide && parts->group->loops)
        return WL_OK;
    wl_residues positions;
    if (!wl_executions_positions(parts, part_count, shortest, longest, wide ? POSITIONS : 4 * POSITIONS, &positions) &&
        !wl_executions_positions(parts, part_count, shortest, longest, WL_RESIDUES_MAX, &positions))
        return WL_OK;
    return open_at(context->rules, p, wide ? WL_WINDOW_MEAN : WL_WINDOW_EXACT, &positions, out, err);
}

int64_t wl_tag_window_addresses(const wl_tag_window *w) { return (int64_t)w->count * draws_of[w->kind]; }

/* The mean cost at one position over random addresses, the same ones every time. With many patterns
 * each has its own addresses, so that errors cancel out. */
static slot mean_in_window(const wl_pattern_context *context, wl_pattern *p, wl_window_kind kind, int64_t bytes,
                           int64_t at)
{
    const int draws = draws_of[kind];
    const int64_t first = (kind == WL_WINDOW_MEAN ? 0 : (int64_t)(p->hash >> 40)) + at * draws;
    int64_t address[DRAWS_MAX];
    wl_tag_cost cost[DRAWS_MAX];
    int tag = 0, cold = 0, split = 0;
    for (int j = 0; j < draws; j++)
        address[j] = at + wl_random_below(first + j, (int64_t)1 << 24) * bytes;
    if (kind == WL_WINDOW_MEAN)
        wl_pattern_tag_costs(context, p, address, draws, cost);
    else /* a window of these kinds is as long as the period: no two positions are aligned alike */
        wl_pattern_tag_costs_once(context, p, address, draws, cost);
    for (int j = 0; j < draws; j++) {
        tag += cost[j].tag;
        cold += cost[j].cold;
        split += cost[j].tag > 1;
    }
    return (slot){(float)tag / (float)draws, (float)cold / (float)draws, (float)split / (float)draws};
}

/* The chains of carries out of a window, by what they do to the tag banks of lines behind it. */
typedef struct carry_kinds {
    int count;
    int of[CARRY_MAX];        /* the kind of a chain, by its length */
    int64_t first[CARRY_MAX]; /* the shortest chain of each kind */
} carry_kinds;

/* The hash is linear: a chain moves the lines behind the window to other tag banks than those in
 * it, by the hash of the bits that it changes. Chains with equal hashes cost the same, unless
 * lanes before the first leave the window on the other side. */
static void find_carry_kinds(const wl_l1_rules *rules, const wl_pattern *p, int64_t bytes, carry_kinds *out)
{
    int8_t known[UCHAR_MAX + 1]; /* by hash */
    memset(known, -1, sizeof known);
    out->count = 0;
    for (int j = 0; j < CARRY_MAX; j++) {
        const int moved = wl_l1_tag_bank(rules, (((int64_t)2 << j) - 1) * (bytes >> rules->line_shift));
        if (known[moved] < 0 || p->span != p->highest) {
            known[moved] = (int8_t)out->count;
            out->first[out->count++] = j;
        }
        out->of[j] = known[moved];
    }
}

/* The cost at a position from which the pattern leaves the window. A chain of j carries has
 * probability 2^-(j+1). */
static slot cost_with_carries(const wl_pattern_context *context, wl_pattern *p, int64_t bytes, int64_t at)
{
    carry_kinds kinds;
    int64_t address[CARRY_MAX];
    wl_tag_cost cost[CARRY_MAX];
    double tag = 0, cold = 0, split = 0, probability = 1;
    find_carry_kinds(context->rules, p, bytes, &kinds);
    for (int i = 0; i < kinds.count; i++)
        address[i] = at + (((int64_t)1 << kinds.first[i]) - 1) * bytes;
    wl_pattern_tag_costs(context, p, address, kinds.count, cost);
    for (int j = 0; j < CARRY_MAX; j++) {
        const wl_tag_cost *c = &cost[kinds.of[j]];
        if (j + 1 < CARRY_MAX)
            probability /= 2;
        tag += probability * c->tag;
        cold += probability * c->cold;
        split += probability * (c->tag > 1);
    }
    return (slot){(float)tag, (float)cold, (float)split};
}

/* Computes the cost that is missing at a position. */
static void fill_slot(const wl_pattern_context *context, const wl_tag_window *window, wl_pattern *p, int64_t at)
{
    wl_pattern_window *w = window->costs;
    slot s;
    if (window->kind != WL_WINDOW_EXACT) {
        s = mean_in_window(context, p, window->kind, w->bytes, at);
    } else if (at + p->highest >= w->bytes) {
        s = cost_with_carries(context, p, w->bytes, at);
    } else {
        const wl_tag_cost cost = wl_pattern_tag_cost(context, p, at);
        s = (slot){(float)cost.tag, (float)cost.cold, cost.tag > 1};
    }
    w->costs[at / WINDOW_STEP] = (wl_window_cost){s.tag, s.cold};
    w->split[at / WINDOW_STEP] = s.split;
}

/* Sums up the costs at all positions, moved by some bytes. */
static wl_tag_total sum_costs(const wl_pattern_context *context, const wl_tag_window *window, wl_pattern *p,
                              uint32_t moved)
{
    const uint32_t mask = (uint32_t)window->bytes - 1;
    const wl_window_cost *costs = window->costs->costs;
    const uint32_t *position = window->position;
    const double *weight = window->weight;
    const int n = window->count;
    double tag = 0, cold = 0;
    for (int i = 0; i < n; i++) {
        const uint32_t at = (position[i] + moved) & mask;
        const wl_window_cost *c = &costs[at / WINDOW_STEP];
        if (c->tag == 0)
            fill_slot(context, window, p, at);
        tag += weight[i] * (double)c->tag;
        cold += weight[i] * (double)c->cold;
    }
    return (wl_tag_total){tag, cold, 0};
}

static double add_split(const float *split, const wl_tag_window *window, uint32_t moved)
{
    const uint32_t mask = (uint32_t)window->bytes - 1;
    double sum = 0;
    for (int i = 0; i < window->count; i++)
        sum += window->weight[i] * (double)split[((window->position[i] + moved) & mask) / WINDOW_STEP];
    return sum;
}

void wl_tag_window_add(const wl_pattern_context *context, const wl_tag_window *window, wl_pattern *pattern,
                       int64_t offset, bool store, wl_tag_total *total)
{
    const uint32_t moved = window->rare ? 0 : (uint32_t)offset;
    const wl_tag_total sum = sum_costs(context, window, pattern, moved);
    total->tag += sum.tag;
    total->cold += sum.cold;
    if (store)
        total->split += add_split(window->costs->split, window, moved);
}

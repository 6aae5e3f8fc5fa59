/* stacks.c - see stacks.h. SPDX-License-Identifier: MIT */
#include "model/tensor_clock.h"
#include "model/stacks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "metrics/warnings.h"
#include "model/interval_time.h"
#include "model/time.h"

typedef struct maker {
    const wl_stacks_input *in;
    wl_prediction *prediction;
    wl_demand demand;
    wl_assumed_life assumed;
    const wl_life_profile *lives;
    size_t life_count, row_count;
    wl_stack_row *rows; /* of one model at a time */
    size_t *line_of;    /* by row */
    size_t step;        /* lines of PTX that are added up */
    wl_stacks *out;
} maker;

/* ---- lines ---- */

/* lines that are told apart: of longer functions, neighbouring ones are added up */
#define LINES_MOST ((size_t)1 << 15)

/* Which line an interval belongs to: that of its operation, 0 for the end of a warp; without
 * operations, every interval is one. */
static size_t key_of(const maker *m, const wl_life_interval *at, size_t row)
{
    if (m->out->assumed)
        return row;
    return m->in->lives && at->op >= 0 ? ((size_t)m->in->lives->ops[at->op].line + m->step - 1) / m->step : 0;
}

/* Chooses the step; returns how many keys there may be. */
static size_t count_keys(maker *m)
{
    size_t last = 0;
    for (int32_t i = 0; m->in->lives && i < m->in->lives->op_count; i++)
        last = (size_t)m->in->lives->ops[i].line > last ? (size_t)m->in->lives->ops[i].line : last;
    m->step = last / LINES_MOST + 1;
    return (m->out->assumed ? m->row_count : last / m->step + 1) + 1;
}

static int slowest_level(const wl_life_interval *at)
{
    int level = 0;
    for (int l = 1; l < 3; l++)
        level = at->level[l] > 0 ? l : level;
    return level;
}

/* Of a line, while intervals are added up. */
typedef struct tally {
    double stalled; /* the longest wait so far, which determines what the line waits for */
    size_t life;    /* the latest that was counted, plus 1; a loop may be several intervals */
} tally;

/* Adds up an interval of life number `life`. */
static void add_interval(const maker *m, wl_stack_line *line, const wl_life_interval *at, size_t life, tally *so_far)
{
    const wl_lives *lives = m->in->lives;
    const double warps = m->lives[life].warps, passes = warps * at->times;
    line->warps += so_far->life == life + 1 ? 0 : warps;
    so_far->life = life + 1;
    line->times += passes;
    line->instructions += passes * at->instructions;
    line->stall += passes * at->stall;
    line->reads += passes * at->reads;
    line->misses += passes * at->misses;
    line->writes += passes * at->writes;
    if (so_far->stalled > passes * at->stall)
        return;
    so_far->stalled = passes * at->stall;
    line->cause = at->cause;
    line->level = slowest_level(at);
    if (!lives || at->op < 0)
        return;
    line->op = &lives->ops[at->op];
    line->from = at->from >= 0 && at->from != at->op ? &lives->ops[at->from] : NULL;
}

static void average(wl_stack_line *line)
{
    const double passes = line->times;
    line->instructions /= passes;
    line->stall /= passes;
    line->reads /= passes;
    line->misses /= passes;
    line->writes /= passes;
    line->times /= line->warps;
}

static wl_status find_lines(maker *m, wl_arena *arena, wl_error *err)
{
    wl_stacks *out = m->out;
    const size_t keys = count_keys(m), lines = keys < m->row_count ? keys : m->row_count;
    /* by key; one more than its number */
    size_t *line_at = WL_ARENA_NEW(arena, size_t, keys), row = 0;
    tally *tallies = WL_ARENA_NEW(arena, tally, lines + 1);
    out->lines = WL_ARENA_NEW(arena, wl_stack_line, lines + 1);
    m->line_of = WL_ARENA_NEW(arena, size_t, m->row_count + 1);
    m->rows = WL_ARENA_NEW(arena, wl_stack_row, m->row_count + 1);
    if (!line_at || !tallies || !out->lines || !m->line_of || !m->rows)
        return wl_fail_memory(err);
    for (size_t i = 0; i < m->life_count; i++)
        for (size_t k = 0; k < m->lives[i].count; k++, row++) {
            size_t *number = &line_at[key_of(m, &m->lives[i].list[k], row)];
            *number = *number > 0 ? *number : ++out->line_count;
            m->line_of[row] = *number - 1;
            add_interval(m, &out->lines[*number - 1], &m->lives[i].list[k], i, &tallies[*number - 1]);
        }
    for (size_t i = 0; i < out->line_count; i++)
        average(&out->lines[i]);
    return WL_OK;
}

double wl_stack_line_cycles(const wl_stack_line *line, wl_model_id model) { return wl_stack_sum(line->cycles[model]); }

static void add_rows(maker *m, wl_model_id model)
{
    for (size_t r = 0; r < m->row_count; r++)
        for (int p = 0; p < WL_STACK_PART_COUNT; p++)
            m->out->lines[m->line_of[r]].cycles[model][p] += m->rows[r].cycles[p];
}

/* ---- the interval models ---- */

/* Contention makes waits for memory longer. The contention of reads in an interval that does not
 * itself wait for memory is assigned to the intervals that do, in proportion; if there are none, it
 * stays. */
static void move_contention(wl_stack_row *rows, const wl_life_profile *life)
{
    double waited = 0, moved[WL_STACK_PART_COUNT] = {0};
    for (size_t i = 0; i < life->count; i++)
        waited += life->list[i].cause == WL_STALL_MEMORY ? life->list[i].times * life->list[i].stall : 0;
    for (size_t i = 0; i < life->count && waited > 0; i++) {
        const wl_life_interval *at = &life->list[i];
        const double reads = at->reads + at->writes > 0 ? at->reads / (at->reads + at->writes) : 0;
        for (int p = WL_STACK_MSHR; p <= WL_STACK_DRAM_QUEUE && at->cause != WL_STALL_MEMORY; p++) {
            moved[p] += reads * rows[i].cycles[p];
            rows[i].cycles[p] -= reads * rows[i].cycles[p];
        }
    }
    for (size_t i = 0; i < life->count && waited > 0; i++) {
        const wl_life_interval *at = &life->list[i];
        for (int p = WL_STACK_MSHR; p <= WL_STACK_DRAM_QUEUE && at->cause == WL_STALL_MEMORY; p++)
            rows[i].cycles[p] += moved[p] * at->times * at->stall / waited;
    }
}

static void by_intervals(maker *m, wl_model_id model)
{
    wl_interval_machine machine;
    if (!wl_interval_machine_read(m->in->device, &machine, &m->out->missing[model]))
        return;
    const wl_interval_launch launch = wl_interval_launch_of(m->in->counts, m->prediction);
    wl_interval_stack(wl_contention_model_of(model), m->lives, m->life_count, &machine, &launch, &m->out->stack[model],
                      m->rows);
    m->out->known[model] = true;
    for (size_t i = 0, row = 0; i < m->life_count; row += m->lives[i++].count)
        move_contention(&m->rows[row], &m->lives[i]);
    add_rows(m, model);
}

/* ---- turnover ---- */

/* The weight of an interval in a part of the stack. */
static double weight_of(const wl_life_interval *at, wl_stack_part part)
{
    switch (part) {
    case WL_STACK_ISSUE:
    case WL_STACK_FP:
    case WL_STACK_TENSOR:
    case WL_STACK_MULTIPLY:
    case WL_STACK_INTEGER: return at->instructions;
    case WL_STACK_L1_QUEUE: return at->cause == WL_STALL_MEMORY || at->cause == WL_STALL_SHARED ? at->stall : 0;
    case WL_STACK_DEPENDENCE: return at->cause == WL_STALL_DEPENDENCE ? at->stall : 0;
    case WL_STACK_SHARED: return at->cause == WL_STALL_SHARED ? at->stall : 0;
    case WL_STACK_BARRIER: return at->cause == WL_STALL_BARRIER ? at->stall : 0;
    case WL_STACK_L1:
    case WL_STACK_L2:
    case WL_STACK_DRAM: return at->level[part - WL_STACK_L1];
    case WL_STACK_NOC: return at->level[1] + at->level[2];
    case WL_STACK_DRAM_QUEUE: return at->level[2];
    case WL_STACK_ATOMICS: return at->atomics;
    default: return 0;
    }
}

/* Its weight or, if nothing waits for memory, its requests. */
static double weight_or_requests(const wl_life_interval *at, wl_stack_part part, bool requests)
{
    const bool queue =
        part == WL_STACK_L1_QUEUE || part == WL_STACK_NOC || part == WL_STACK_DRAM_QUEUE || part == WL_STACK_ATOMICS;
    return requests ? (queue ? at->reads + at->writes : 0) : weight_of(at, part);
}

/* Distributes a part of the launch's stack over the intervals by their weights. A part for which no
 * interval has a weight is not distributed. */
static void share_out(maker *m, double cycles, wl_stack_part part)
{
    double all = 0, requests = 0;
    size_t row = 0;
    for (size_t i = 0; i < m->life_count; i++)
        for (size_t k = 0; k < m->lives[i].count; k++) {
            const wl_life_interval *at = &m->lives[i].list[k];
            all += m->lives[i].warps * at->times * weight_of(at, part);
            requests += m->lives[i].warps * at->times * weight_or_requests(at, part, true);
        }
    const bool by_requests = !(all > 0);
    all = by_requests ? requests : all;
    for (size_t i = 0; i < m->life_count; i++)
        for (size_t k = 0; k < m->lives[i].count; k++, row++) {
            const wl_life_interval *at = &m->lives[i].list[k];
            const double one = m->lives[i].warps * at->times * weight_or_requests(at, part, by_requests);
            m->rows[row].cycles[part] = all > 0 ? cycles * one / all : 0;
        }
}

/* What the demand refers to belongs to the prediction that is being made. */
static void keep_demand(const wl_demand *d, wl_stacks *out)
{
    out->demand = *d;
    out->waiting = *d->waiting;
    out->leading = *d->leading;
    out->kinds = *d->uneven.kinds;
    out->demand.waiting = &out->waiting;
    out->demand.leading = &out->leading;
    out->demand.uneven.kinds = &out->kinds;
}

static void by_turnover(maker *m)
{
    wl_model_result result;
    wl_stacks *out = m->out;
    const char **missing = &out->missing[WL_MODEL_TURNOVER];
    if (!m->in->volumes->requests_known)
        *missing = wl_device_key_name(WL_DEVICE_l1_reload_curve);
    if (*missing || !wl_turnover_read(m->in->device, &out->numbers, missing))
        return;
    keep_demand(&m->demand, out);
    wl_turnover_at_clock(&out->numbers, &m->demand, &result);
    wl_turnover_stack(&out->numbers, &m->demand, &result, &out->stack[WL_MODEL_TURNOVER]);
    out->known[WL_MODEL_TURNOVER] = true;
    for (int p = 0; p < WL_STACK_PART_COUNT; p++)
        share_out(m, out->stack[WL_MODEL_TURNOVER].cycles[p], (wl_stack_part)p);
    add_rows(m, WL_MODEL_TURNOVER);
}

bool wl_stacks_what_if(const wl_stacks *s, const double factors[WL_STACK_PART_COUNT], wl_model_result *out)
{
    if (!s->known[WL_MODEL_TURNOVER])
        return false;
    wl_turnover_what_if(&s->numbers, &s->demand, factors, out);
    wl_limiters_name(out);
    return true;
}

/* ---- all of them ---- */

/* By cycles of the chosen model, most first; then in the order of the text. */
static int by_cost(const void *p, const void *q)
{
    const wl_stack_line *a = p, *b = q;
    const double x = a->cost, y = b->cost;
    const int32_t i = a->op ? a->op->line : 0, k = b->op ? b->op->line : 0;
    return x != y ? (x < y) - (x > y) : (i > k) - (i < k);
}

static void sort_lines(wl_stacks *out)
{
    out->first = out->known[out->asked] ? out->asked : out->known[WL_MODEL_TURNOVER] ? WL_MODEL_TURNOVER : WL_MODEL_MDM;
    for (size_t i = 0; i < out->line_count; i++)
        out->lines[i].cost = wl_stack_line_cycles(&out->lines[i], out->first);
    qsort(out->lines, out->line_count, sizeof *out->lines, by_cost);
}

/* Warns if a model that is shown by default is missing. */
static void warn_of_missing(maker *m)
{
    static const wl_model_id shown[] = {WL_MODEL_TURNOVER, WL_MODEL_MDM};
    for (size_t i = 0; i < sizeof shown / sizeof shown[0] && m->out->asked == WL_MODEL_BEST; i++)
        if (!m->out->known[shown[i]])
            wl_warn(m->prediction, "the device file has no %s: no stack by the model %s", m->out->missing[shown[i]],
                    wl_model_name(shown[i]));
}

static void find_lives(maker *m)
{
    const wl_counts *c = m->in->counts;
    m->out->assumed = c->life_count == 0;
    m->lives = m->out->assumed ? &m->assumed.profile : c->lives;
    m->life_count = m->out->assumed ? 1 : c->life_count;
    if (m->out->assumed)
        wl_assume_life(c, m->in->device, &m->demand, m->prediction, &m->assumed);
    /* otherwise the model has warned already */
    if (m->out->assumed && !wl_contention_model_of(m->prediction->model.id))
        wl_assumed_life_warn(&m->assumed, &m->demand, m->prediction);
    for (size_t i = 0; i < m->life_count; i++)
        m->row_count += m->lives[i].count;
}

wl_status wl_stacks_make(const wl_stacks_input *in, wl_prediction *prediction, wl_arena *arena, wl_stacks **out,
                         wl_error *err)
{
    maker m = {.in = in, .prediction = prediction, .out = WL_ARENA_NEW(arena, wl_stacks, 1)};
    if (!m.out)
        return wl_fail_memory(err);
    m.demand = wl_demand_of(in->counts, in->device, in->volumes, prediction);
    m.out->asked = in->model;
    m.out->files = in->lives ? in->lives->files : NULL;
    find_lives(&m);
    WL_TRY(find_lines(&m, arena, err));
    by_turnover(&m);
    for (int i = 0; i < WL_MODEL_COUNT; i++)
        if (wl_contention_model_of((wl_model_id)i))
            by_intervals(&m, (wl_model_id)i);
    sort_lines(m.out);
    warn_of_missing(&m);
    *out = m.out;
    return WL_OK;
}

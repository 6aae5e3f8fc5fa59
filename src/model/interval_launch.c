/* interval_launch.c - interval models of a whole launch: rounds of resident blocks, sub-cores,
 * kinds of warps (refinements after Lee et al. 2022). See interval_model.h.
 * SPDX-License-Identifier: MIT */
#include "model/interval_model.h"

#include <math.h>

/* Of one life on one multiprocessor. */
typedef struct evaluation {
    wl_contention_model *model;
    const wl_life_profile *life;
    const wl_interval_machine *machine;
    const wl_round *round;
    wl_life_sums sums;
    double weight;
    double *cycles; /* by part */
} evaluation;

static void book(const evaluation *e, wl_stack_row *row, wl_stack_part part, double cycles)
{
    e->cycles[part] += e->weight * cycles;
    if (row)
        row->cycles[part] += e->weight * cycles;
}

/* Cycles of a stall that other warps do not fill, by what it waits for. */
static void book_stall(const evaluation *e, const wl_life_interval *at, double cycles, wl_stack_row *row)
{
    static const wl_stack_part parts[WL_STALL_COUNT] = {[WL_STALL_NONE] = WL_STACK_DEPENDENCE,
                                                        [WL_STALL_DEPENDENCE] = WL_STACK_DEPENDENCE,
                                                        [WL_STALL_SHARED] = WL_STACK_SHARED,
                                                        [WL_STALL_MEMORY] = WL_STACK_L1,
                                                        [WL_STALL_BARRIER] = WL_STACK_BARRIER};
    const double levels = at->level[0] + at->level[1] + at->level[2];
    if (at->cause != WL_STALL_MEMORY || !(levels > 0)) {
        book(e, row, parts[at->cause], cycles);
        return;
    }
    for (int l = 0; l < 3; l++)
        book(e, row, (wl_stack_part)(WL_STACK_L1 + l), cycles * at->level[l] / levels);
}

static wl_contention contention_of(const evaluation *e, const wl_life_interval *at)
{
    const wl_interval_machine *m = e->machine;
    const double of_life = e->sums.reads > 0 ? e->sums.misses / e->sums.reads : 0;
    const double ratio = fmin(1, at->reads > 0 ? at->misses / at->reads : of_life);
    const double reads = at->reads * e->round->warps, writes = at->writes * e->round->warps;
    const double dram = m->clock * m->request / m->dram;
    return (wl_contention){.reads = reads,
                           .mshrs = m->mshrs,
                           .flying = e->round->sms * (fmin(reads, m->mshrs) + writes),
                           .noc_service = m->clock * m->request / m->noc,
                           .dram_service = dram * ratio,
                           .dram_one = dram,
                           .latency = m->l2_latency + ratio * m->dram_latency,
                           .alone = at->instructions / m->issue + at->stall};
}

static void book_contention(const evaluation *e, const wl_life_interval *at, wl_stack_row *row)
{
    if (!(at->reads + at->writes > 0))
        return;
    const wl_contention c = contention_of(e, at);
    const wl_contended s = e->model(&c);
    book(e, row, WL_STACK_MSHR, at->times * s.mshr);
    book(e, row, WL_STACK_NOC, at->times * s.noc);
    book(e, row, WL_STACK_DRAM_QUEUE, at->times * s.dram);
}

/* Sub-cores: `more` of `active` have one warp more than the others. */
typedef struct pools {
    double active, more, most; /* most: warps of those with more */
} pools;

static pools deal_out(double warps, double available)
{
    pools p = {.active = fmax(1, fmin(available, warps))};
    p.most = ceil(warps / p.active);
    p.more = warps - (p.most - 1) * p.active;
    return p;
}

void wl_interval_round(wl_contention_model *model, const wl_life_profile *life, const wl_interval_machine *machine,
                       const wl_round *round, double weight, double cycles[WL_STACK_PART_COUNT], wl_stack_row *rows)
{
    evaluation e = {model, life, machine, round, wl_life_add_up(life), weight, cycles};
    const pools p = deal_out(round->warps, machine->pools);
    const double busiest = wl_pool_cycles(life, &e.sums, p.most, machine);
    double mean = busiest;
    if (p.more < p.active)
        mean = (p.more * busiest + (p.active - p.more) * wl_pool_cycles(life, &e.sums, p.most - 1, machine)) / p.active;
    /* cycles of an instruction of all warps */
    const double each = round->warps / (machine->issue * p.active);
    const double exposed = fmax(0, mean - each * e.sums.instructions);
    for (size_t i = 0; i < life->count; i++) {
        const wl_life_interval *at = &life->list[i];
        wl_stack_row *row = rows ? &rows[i] : NULL;
        book(&e, row, WL_STACK_ISSUE, each * at->times * at->instructions);
        if (e.sums.stall > 0)
            book_stall(&e, at, exposed * (at->times * at->stall / e.sums.stall), row);
        book_contention(&e, at, row);
    }
    book(&e, NULL, WL_STACK_IMBALANCE, fmax(0, busiest - mean));
}

/* ---- a launch ---- */

/* Rounds of one multiprocessor with the larger share of the blocks. */
typedef struct rounds {
    wl_round full, rest;
    double count; /* of full ones */
    double even;  /* full waves, if all blocks were distributed in full ones */
    bool has_rest;
} rounds;

static rounds divide(const wl_interval_machine *m, const wl_interval_launch *l)
{
    const double sms = fmax(1, fmin(m->sms, l->blocks)), share = ceil(l->blocks / sms);
    const double resident = fmax(1, fmin(l->resident, share)), count = floor(share / resident);
    const double rest = share - count * resident;
    rounds r = {.count = count, .even = l->blocks / sms / resident, .has_rest = rest > 0};
    r.full = (wl_round){resident * l->warps_per_block, rest > 0 ? sms : fmin(sms, l->blocks / share)};
    if (rest > 0)
        r.rest = (wl_round){rest * l->warps_per_block, fmin(sms, (l->blocks - sms * count * resident) / rest)};
    return r;
}

/* Adds the cycles of the launch as if all its warps had this life, times the share of warps that
 * do. */
static void add_life(wl_contention_model *model, const wl_life_profile *life, const wl_interval_machine *machine,
                     const rounds *r, double share, wl_stack *out, wl_stack_row *rows)
{
    double full[WL_STACK_PART_COUNT] = {0}, rest[WL_STACK_PART_COUNT] = {0};
    wl_interval_round(model, life, machine, &r->full, 1, full, NULL);
    if (r->has_rest)
        wl_interval_round(model, life, machine, &r->rest, 1, rest, NULL);
    const double even = r->even * wl_stack_sum(full), taken = r->count * wl_stack_sum(full) + wl_stack_sum(rest);
    /* fewer warps may have less contention than their share of a full round */
    const double scale = taken < even ? taken / even : 1;
    wl_interval_round(model, life, machine, &r->full, share * r->even * scale, out->cycles, rows);
    out->cycles[WL_STACK_TAIL] += share * fmax(0, taken - even);
}

void wl_interval_stack(wl_contention_model *model, const wl_life_profile *lives, size_t count,
                       const wl_interval_machine *machine, const wl_interval_launch *launch, wl_stack *out,
                       wl_stack_row *rows)
{
    const rounds r = divide(machine, launch);
    double warps = 0, longest = 0;
    *out = (wl_stack){.sms = fmax(1, fmin(machine->sms, launch->blocks))};
    for (size_t i = 0; i < count; i++)
        warps += lives[i].warps;
    for (size_t i = 0; i < count && warps > 0; i++) {
        const wl_life_sums sums = wl_life_add_up(&lives[i]);
        for (size_t k = 0; rows && k < lives[i].count; k++)
            rows[k] = (wl_stack_row){.profile = (int)i, .interval = (int)k};
        add_life(model, &lives[i], machine, &r, lives[i].warps / warps, out, rows);
        rows = rows ? rows + lives[i].count : NULL;
        longest = fmax(longest, sums.instructions / machine->issue + sums.stall);
        out->instructions += lives[i].warps * sums.instructions;
    }
    /* the longest warp needs its own time, whatever the others do */
    out->cycles[WL_STACK_IMBALANCE] += fmax(0, longest - wl_stack_sum(out->cycles));
    out->cycles[WL_STACK_LAUNCH] = machine->launch * machine->clock;
    out->total = wl_stack_sum(out->cycles);
    out->seconds = out->total / machine->clock;
}

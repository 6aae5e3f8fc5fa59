/* turnover_stack.c - where the cycles of the model turnover go. See turnover.h, stack.h.
 *
 * Base is the work of the busiest unit, in full. Waits, network and memory add the rest. They are
 * combined by norms; the share of each follows from its weight in the time: if a part is 1 %
 * smaller, the time is shorter by 1 % of its share. SPDX-License-Identifier: MIT */
#include <math.h>

#include "model/turnover.h"

static double waits_sum(const wl_block_waits *w)
{
    return w->start + w->issue + w->dependence + w->shared + w->level[0] + w->level[1] + w->level[2] + w->queue +
           w->barrier;
}

static void add_waits(const wl_block_waits *w, double cycles, double out[WL_STACK_PART_COUNT])
{
    const double each = cycles / waits_sum(w);
    out[WL_STACK_LAUNCH] += each * w->start;
    out[WL_STACK_BASE] += each * w->issue;
    out[WL_STACK_DEPENDENCE] += each * w->dependence;
    out[WL_STACK_SHARED] += each * w->shared;
    for (int l = 0; l < 3; l++)
        out[WL_STACK_L1 + l] += each * w->level[l];
    out[WL_STACK_DRAM_QUEUE] += each * w->queue;
    out[WL_STACK_BARRIER] += each * w->barrier;
}

/* The weight of a member in a norm, per unit of the norm. */
static double weight(double member, double all, double norm) { return all > 0 ? pow(member / all, norm) : 0; }

/* Adds `cycles` beyond the own work: waits, the L2 with its network and atomics, DRAM. */
static void add_rest(const wl_turnover *n, const wl_model_result *m, double cycles, double out[WL_STACK_PART_COUNT])
{
    const wl_turnover_steps *s = &m->steps;
    const double inner = fmax(0, s->memory - s->alone[0] - s->alone[1]);
    const double beside = s->rest - s->conflicts; /* of sm and memory */
    const double memory = (1 - s->atomics) * weight(s->memory, beside, n->norm);
    const double l2 = s->alone[0] + inner * weight(s->l2, inner, n->norm);
    const double dram = s->alone[1] + inner * weight(s->dram, inner, n->norm);
    const double sm = s->sm > 0 ? (1 - s->atomics) * weight(s->sm, beside, n->norm) / s->sm : 0;
    const double waits = waits_sum(&m->waits) > 0 ? sm * fmax(0, s->sm - s->apart - s->own) : 0;
    const double tail = sm * s->apart;
    const double conflicts = beside > 0 ? s->conflicts / beside : 0;
    const double noc = (l2 + dram > 0 ? memory * l2 / (l2 + dram) : 0) + s->atomics + conflicts;
    const double queue = l2 + dram > 0 ? memory * dram / (l2 + dram) : 0;
    const double all = waits + tail + noc + queue;
    if (!(all > 0)) {
        out[WL_STACK_BASE] += cycles;
        return;
    }
    if (waits > 0)
        add_waits(&m->waits, cycles * waits / all, out);
    out[WL_STACK_TAIL] += cycles * tail / all;
    out[WL_STACK_NOC] += cycles * noc / all;
    out[WL_STACK_DRAM_QUEUE] += cycles * queue / all;
}

void wl_turnover_stack(const wl_turnover *n, const wl_demand *d, const wl_model_result *m, wl_stack *out)
{
    const wl_turnover_steps *s = &m->steps;
    const double whole = s->filled > 0 ? fmin(s->filled, s->balanced) : s->together;
    const double own = fmin(s->own, whole), even = fmin(s->even, own);
    const double ended = s->filled > 0 ? s->filled : fmax(s->together, s->longest);
    *out = (wl_stack){.instructions = d->instructions, .sms = fmax(1, fmin(n->sms, d->blocks)), .seconds = m->time_s};
    double *cycles = out->cycles;
    cycles[WL_STACK_BASE] = even * n->clock;
    add_rest(n, m, (whole - own) * n->clock, cycles);
    cycles[WL_STACK_IMBALANCE] += (ended - whole) * n->clock;
    cycles[WL_STACK_TAIL] += (own - even + s->last) * n->clock;
    cycles[WL_STACK_LAUNCH] += (fmax(0, s->first_end + m->bound_s[WL_BOUND_LAUNCH] - ended) + s->started) * n->clock;
    out->total = wl_stack_sum(cycles);
}

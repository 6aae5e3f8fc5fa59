/* interval_model.c - see interval_model.h. SPDX-License-Identifier: MIT */
#include "model/interval_model.h"

#include <math.h>

#define ROUNDING 1e-9 /* rounding error of a quotient that should be a whole number */

/* ---- contention ---- */

bool wl_divergent(const wl_contention *c) { return c->reads > c->mshrs * (1 + ROUNDING); }

double wl_batches(const wl_contention *c) { return fmax(1, ceil(c->reads / c->mshrs * (1 - ROUNDING))); }

double wl_mean_wait(const wl_contention *c)
{
    const double k = wl_batches(c), full = c->mshrs * (k - 1);
    if (!wl_divergent(c))
        return 0;
    return (full * k / 2 + (c->reads - full) * k) / c->reads - 1;
}

wl_contended wl_half_queues(const wl_contention *c)
{
    return (wl_contended){.noc = c->flying * c->noc_service / 2, .dram = c->flying * c->dram_service / 2};
}

wl_contended wl_saturated_queues(const wl_contention *c)
{
    if (!wl_divergent(c))
        return wl_half_queues(c);
    return (wl_contended){.noc = c->flying * c->noc_service, .dram = c->flying * c->dram_service};
}

/* ---- warps that take turns ---- */

wl_life_sums wl_life_add_up(const wl_life_profile *life)
{
    wl_life_sums sums = {0};
    for (size_t i = 0; i < life->count; i++) {
        const wl_life_interval *at = &life->list[i];
        sums.passes += at->times;
        sums.instructions += at->times * at->instructions;
        sums.stall += at->times * at->stall;
        sums.reads += at->times * at->reads;
        sums.misses += at->times * at->misses;
    }
    return sums;
}

/* The share of its time in which a warp alone could issue. */
static double issuing(const wl_life_sums *life, double issue)
{
    const double cycles = life->instructions / issue;
    return cycles > 0 ? cycles / (cycles + life->stall) : 0;
}

/* Round robin: between two instructions of the warp, and after its stall, every other ready warp
 * issues once. */
static double round_robin(const wl_life_interval *at, const wl_life_sums *life, double others, double issue)
{
    return issuing(life, issue) * (others * fmax(0, at->instructions - 1) + fmax(0, others - issue * at->stall));
}

/* Greedy, then oldest: other warps issue whole intervals, but only after this one stalls. */
static double greedy(const wl_life_interval *at, const wl_life_sums *life, double others, double issue)
{
    const double mean = life->passes > 0 ? life->instructions / life->passes : 0;
    const double start = at->stall > 0 ? fmin(1, issuing(life, issue) * issue * at->stall) : 1;
    return fmax(0, start * others * mean - issue * at->stall);
}

double wl_not_overlapped(const wl_life_interval *interval, const wl_life_sums *life, double warps,
                         const wl_interval_machine *machine)
{
    const double others = fmax(0, warps - 1);
    return machine->order == WL_ORDER_GREEDY ? greedy(interval, life, others, machine->issue)
                                             : round_robin(interval, life, others, machine->issue);
}

double wl_pool_cycles(const wl_life_profile *life, const wl_life_sums *sums, double warps,
                      const wl_interval_machine *machine)
{
    double waited = 0;
    for (size_t i = 0; i < life->count; i++)
        waited += life->list[i].times * wl_not_overlapped(&life->list[i], sums, warps, machine);
    const double cycles = (sums->instructions + waited) / machine->issue + sums->stall;
    return fmax(cycles, warps * sums->instructions / machine->issue);
}

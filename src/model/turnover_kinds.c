/* turnover_kinds.c - the model "turnover" for blocks of unequal work: how long a block of each kind
 * works and waits. filling.h computes how such blocks fill the GPU. See turnover.h.
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "model/filling.h"
#include "model/residence.h"
#include "model/turnover.h"

/* The share of a kind in the work of the busiest unit of a multiprocessor. */
static double work_of(const wl_block_kind *k, const wl_model_result *m)
{
    double others = 0;
    for (int i = 0; i < WL_BOUND_COUNT; i++)
        if (i == WL_BOUND_ISSUE || i == WL_BOUND_FP || i == WL_BOUND_TENSOR || i == WL_BOUND_MULTIPLY ||
            i == WL_BOUND_INTEGER)
            others = fmax(others, m->bound_s[i]);
    const bool memory = wl_l1_seconds(m) > others;
    return memory ? k->loads + k->stores : k->instructions;
}

/* How many times as long as the life of a mean block that of a kind is: as of the followed kind
 * with about as many instructions, and in proportion to them. */
static double length_of(const wl_waiting *life, const wl_block_kind *k)
{
    const double instructions = k->longest.instructions;
    const wl_kind_life mean = {life->issue, 1}, *best = &mean;
    for (int i = 0; i < life->kind_count; i++)
        if (i == 0 || fabs(life->kinds[i].issue - instructions) < fabs(best->issue - instructions))
            best = &life->kinds[i];
    return best->issue > 0 ? best->length * instructions / best->issue : 1;
}

/* How long a block of the kind waits: as long as its longest warp, or `share` of that. Its loads
 * wait in phases, or for one another in rounds, and each of these for the L1, the L2 or DRAM. */
static double wait_of(const wl_turnover *n, const wl_demand *d, const wl_block_kind *k, double cold, double share,
                      wl_block_waits *parts)
{
    const wl_longest_warp *w = &k->longest;
    const double rounds = share * fmax(w->rounds, w->loads / fmax(1, d->thread.loads_per_phase));
    const double missed = rounds * (1 - d->l1_hits), far = missed * (1 - d->l2_hits);
    *parts = wl_waits_of_life(d->waiting, cold, share * length_of(d->waiting, k));
    parts->start = n->launch.turnover;
    if (!d->waiting->copies) {
        parts->level[0] = rounds * n->l1.latency;
        parts->level[1] = missed * fmax(0, n->l2.latency - n->l1.latency);
        parts->level[2] = cold * far * fmax(0, n->dram.latency - n->l2.latency);
    }
    return wl_waits_sum(parts);
}

double wl_kind_traffic(const wl_block_kind *k, const wl_kinds *all)
{
    double sum = 0;
    for (int i = 0; i < all->count; i++)
        sum += all->list[i].blocks * (all->list[i].loads + all->list[i].stores);
    return sum > 0 ? k->blocks * (k->loads + k->stores) / sum : 0;
}

static void add_waits(wl_block_waits *to, const wl_block_waits *one, double share)
{
    to->start += share * one->start;
    to->issue += share * one->issue;
    to->dependence += share * one->dependence;
    to->shared += share * one->shared;
    to->fetch += share * one->fetch;
    to->barrier += share * one->barrier;
    for (int l = 0; l < 3; l++)
        to->level[l] += share * one->level[l];
}

/* The part of a block's work that its warps do while they wait for the longest one. */
static double hidden_of(const wl_demand *d, const wl_block_kind *k)
{
    const double each = k->most / fmax(1, d->warps / d->blocks);
    return k->longest.instructions > each ? 1 - each / k->longest.instructions : 0;
}

static void find_times(const wl_turnover *n, const wl_demand *d, double own, double in_step, wl_model_result *m,
                       wl_block_time *out)
{
    double mean = 0;
    m->waits = (wl_block_waits){0};
    for (int i = 0; i < d->uneven.kinds->count; i++)
        mean += d->uneven.kinds->list[i].blocks * work_of(&d->uneven.kinds->list[i], m) / d->blocks;
    for (int i = 0; i < d->uneven.kinds->count; i++) {
        const wl_block_kind *k = &d->uneven.kinds->list[i];
        const double share = k->most > 0 ? k->instructions / k->most : 1, traffic = wl_kind_traffic(k, d->uneven.kinds);
        const double busy = mean > 0 ? own * work_of(k, m) / mean : own;
        /* other warps delay the longest one by what they do not do meanwhile */
        const double hidden = hidden_of(d, k), delay = (1 - hidden) * in_step * busy;
        wl_block_waits of_mean, of_longest;
        const double wait = wait_of(n, d, k, 1 - m->remains, share, &of_mean);
        const double longest = wait_of(n, d, k, 1 - m->remains, 1, &of_longest);
        add_waits(&m->waits, &of_mean, k->blocks / d->blocks);
        out[i] = (wl_block_time){.blocks = k->blocks,
                                 .first = k->first,
                                 .last = k->last,
                                 .middle = k->middle,
                                 .own = busy,
                                 .wait = wait + delay,
                                 .longest_own = busy / share,
                                 .hidden = hidden,
                                 .longest_wait = longest + delay / share,
                                 .traffic = traffic};
    }
}

/* Which kind the result names, and the bound that waiting sets: all kinds in turn, or the
 * longest. */
static void note_kinds(const wl_turnover *n, const wl_demand *d, const wl_block_time *kinds, int last,
                       wl_model_result *m)
{
    double wait = 0;
    int slowest = 0;
    for (int i = 0; i < d->uneven.kinds->count; i++) {
        wait += kinds[i].blocks * kinds[i].wait / d->blocks;
        slowest = kinds[i].longest_wait > kinds[slowest].longest_wait ? i : slowest;
    }
    const int named = last >= 0 ? last : slowest;
    const double turns = d->blocks / (n->sms * d->blocks_per_sm);
    m->wait_cycles = wait;
    m->bound_s[WL_BOUND_LATENCY] = fmax(turns * wait, kinds[slowest].longest_wait) / n->clock;
    m->kinds.count = d->uneven.kinds->count;
    m->kinds.last = last;
    m->kinds.blocks = kinds[named].blocks;
    m->kinds.wait_cycles = kinds[named].longest_wait;
}

double wl_turnover_fill(const wl_turnover *n, const wl_demand *d, double own, const wl_residents *mean, double memory,
                        wl_model_result *m)
{
    wl_block_time kinds[WL_KINDS_MAX] = {{0}};
    const wl_slots slots = {.sms = n->sms,
                            .resident = d->blocks_per_sm,
                            .launch = n->clock / n->launch.block_rate,
                            .growth = n->sm.overlap_growth,
                            .norm = n->norm,
                            .met = 1 - mean->apart,
                            .memory = memory * n->clock,
                            .atomics = m->bound_s[WL_BOUND_ATOMICS] * n->clock};
    const double in_step = mean->own > 0 ? slots.met * mean->in_step / mean->own : 0;
    find_times(n, d, own, in_step, m, kinds);
    const wl_filled filled = wl_fill(&slots, kinds, d->uneven.kinds->count);
    note_kinds(n, d, kinds, filled.last, m);
    m->steps.balanced = filled.balanced / n->clock;
    return filled.cycles;
}

/* turnover_stack.c - where the cycles of the model turnover go. See turnover.h, stack.h.
 *
 * The share of a part is its weight in the time: if the part takes 1 % less, the time is shorter by
 * 1 % of its share. The time is homogeneous: if everything takes twice as long, so does the launch.
 * Therefore the shares add up to 1 (Euler). They are found by predicting again with each part a
 * little shorter. What multiprocessors do while others have ended already is not in the parts: it
 * is taken out as tail and imbalance. SPDX-License-Identifier: MIT */
#include <math.h>

#include "model/tensor_clock.h"
#include "model/turnover.h"

/* The same launch with other numbers; it borrows from itself. */
typedef struct variant {
    wl_turnover n;
    wl_demand d;
    wl_waiting waiting, leading;
} variant;

static variant variant_of(const wl_turnover *n, const wl_demand *d)
{
    variant v = {.n = *n, .d = *d};
    v.waiting = wl_life_of_block(n, d);
    v.leading = d->leading ? *d->leading : v.leading;
    return v;
}

static void scale(double *const numbers[], size_t count, double by)
{
    for (size_t i = 0; i < count; i++)
        *numbers[i] *= by;
}
#define SCALE(by, ...) scale((double *const[]){__VA_ARGS__}, sizeof(double *[]){__VA_ARGS__} / sizeof(double *), by)

/* A cause for which the warps of a block stall, if they are followed. */
static void scale_stall(variant *v, wl_stall cause, double by)
{
    SCALE(by, &v->waiting.stall[cause], &v->leading.stall[cause]);
}

/* The wait for a level of memory is a part of the stalls for memory. */
static void scale_level(variant *v, int level, double by)
{
    wl_waiting *const both[] = {&v->waiting, &v->leading};
    for (int i = 0; i < 2; i++) {
        both[i]->stall[WL_STALL_MEMORY] += (by - 1) * both[i]->level[level];
        both[i]->level[level] *= by;
    }
}

/* The life of a warp: what it issues, and its stalls. */
static void add_up(variant *v)
{
    v->waiting.cycles = v->waiting.issue;
    v->leading.cycles = v->leading.issue;
    for (int c = 0; c < WL_STALL_COUNT; c++) {
        v->waiting.cycles += v->waiting.stall[c];
        v->leading.cycles += v->leading.stall[c];
    }
}

static void scale_wait(variant *v, wl_stack_part part, double by)
{
    wl_turnover *n = &v->n;
    switch (part) {
    case WL_STACK_DEPENDENCE:
        SCALE(by, &n->sm.instruction_wait);
        scale_stall(v, WL_STALL_NONE, by);
        scale_stall(v, WL_STALL_DEPENDENCE, by);
        break;
    case WL_STACK_FETCH:
        SCALE(by, &n->sm.code[2], &n->sm.code[3]);
        scale_stall(v, WL_STALL_FETCH, by);
        break;
    case WL_STACK_SHARED: scale_stall(v, WL_STALL_SHARED, by); break;
    case WL_STACK_BARRIER: scale_stall(v, WL_STALL_BARRIER, by); break;
    case WL_STACK_L1:
        SCALE(by, &n->l1.latency);
        scale_level(v, 0, by);
        break;
    case WL_STACK_L2:
        SCALE(by, &n->l2.latency, &v->waiting.asking.cycles, &v->waiting.asking.latency);
        scale_level(v, 1, by);
        break;
    case WL_STACK_DRAM:
        SCALE(by, &n->dram.latency, &n->dram.write_wait);
        scale_level(v, 2, by);
        break;
    default: break;
    }
    add_up(v);
}

/* Everything that is done in this part takes `by` times as long. */
static void scale_part(variant *v, wl_stack_part part, double by)
{
    wl_turnover *n = &v->n;
    wl_demand *d = &v->d;
    switch (part) {
    case WL_STACK_ISSUE: /* the rates of pipes stay as they are */
        SCALE(1 / by, &n->sm.issue_rate, &n->sm.narrow_multiply, &n->sm.wide_multiply);
        SCALE(by, &v->waiting.issue, &v->leading.issue);
        add_up(v);
        break;
    case WL_STACK_FP: SCALE(by, &d->sm.fp_cycles); break;
    case WL_STACK_TENSOR:
        SCALE(by, &d->sm.tensor_cycles, &d->sm.group_cycles, &d->sm.turn_cycles, &d->sm.tensor_load);
        break;
    case WL_STACK_INTEGER: SCALE(by, &d->sm.integer_cycles); break;
    case WL_STACK_MULTIPLY: SCALE(by, &n->sm.narrow_multiply, &n->sm.wide_multiply); break;
    case WL_STACK_L1_QUEUE:
        SCALE(by, &d->sm.l1_wavefronts, &d->sm.tag_wavefronts, &d->sm.remote_cycles, &d->sm.constant_cycles,
              &d->uneven.last_block);
        SCALE(1 / by, &n->l1.fill_width);
        break;
    case WL_STACK_NOC:
        SCALE(by, &d->sm.port_cycles);
        SCALE(1 / by, &n->l2.bandwidth, &n->l2.lone_rate, &n->l2.read_bandwidth, &n->l2.piece_rate);
        break;
    case WL_STACK_DRAM_QUEUE: SCALE(1 / by, &n->dram.bandwidth, &n->dram.random_rate, &n->dram.cache_bandwidth); break;
    case WL_STACK_ATOMICS:
        SCALE(1 / by, &n->atomic.rate, &n->atomic.address_rate, &n->atomic.word_rate[0], &n->atomic.word_rate[1]);
        break;
    case WL_STACK_LAUNCH:
        SCALE(by, &n->launch.duration, &n->launch.turnover, &n->launch.store_wait);
        SCALE(1 / by, &n->launch.block_rate);
        break;
    default: scale_wait(v, part, by); break;
    }
}

void wl_turnover_what_if(const wl_turnover *n, const wl_demand *d, const double factors[WL_STACK_PART_COUNT],
                         wl_model_result *out)
{
    variant v = variant_of(n, d);
    v.d.waiting = &v.waiting;
    v.d.leading = d->leading ? &v.leading : NULL;
    for (int p = 0; p < WL_STACK_PART_COUNT; p++)
        if (factors[p] != 1)
            scale_part(&v, (wl_stack_part)p, factors[p]);
    wl_turnover_at_clock(&v.n, &v.d, out);
}

/* Of the time, by how much it falls with the part; a part that hides others has none. */
static double share_of(const wl_turnover *n, const wl_demand *d, double time_s, wl_stack_part part)
{
    double factors[WL_STACK_PART_COUNT];
    wl_model_result shorter;
    for (int p = 0; p < WL_STACK_PART_COUNT; p++)
        factors[p] = p == (int)part ? 1 - WL_LITTLE : 1;
    wl_turnover_what_if(n, d, factors, &shorter);
    return fmax(0, 1 - shorter.time_s / time_s) / WL_LITTLE;
}

/* Is it done by the multiprocessors themselves? */
static bool is_of_sm(wl_stack_part part)
{
    return part != WL_STACK_NOC && part != WL_STACK_DRAM_QUEUE && part != WL_STACK_ATOMICS && part != WL_STACK_LAUNCH;
}

/* Time that multiprocessors, or sub-cores, are idle because others have more to do: the last blocks
 * do not fill them, blocks end one after the other, the longest ones end last. */
static void take_out_idle(const wl_turnover *n, const wl_model_result *m, double cycles[WL_STACK_PART_COUNT])
{
    const wl_turnover_steps *s = &m->steps;
    const double whole = s->filled > 0 ? fmin(s->filled, s->balanced) : s->together;
    const double ended = s->filled > 0 ? s->filled : fmax(s->together, s->longest);
    const double idle[2] = {(ended - whole) * n->clock, s->last * n->clock}, all = m->time_s * n->clock;
    const double kept = fmax(0, 1 - (idle[0] + idle[1]) / all);
    const double uneven = s->own > 0 ? 1 - fmin(1, s->even / s->own) : 0, apart = s->sm > 0 ? s->apart / s->sm : 0;
    double tail = 0;
    for (int p = 0; p < WL_STACK_PART_COUNT; p++) {
        const double each = is_of_sm((wl_stack_part)p) ? fmin(1, uneven + apart) : 0;
        cycles[p] *= kept;
        tail += each * cycles[p];
        cycles[p] *= 1 - each;
    }
    cycles[WL_STACK_IMBALANCE] = idle[0];
    cycles[WL_STACK_TAIL] = tail + idle[1];
}

void wl_turnover_stack(const wl_turnover *n, const wl_demand *d, const wl_model_result *m, wl_stack *out)
{
    double shares = 0;
    *out =
        (wl_stack){.instructions = d->sm.instructions, .sms = fmax(1, fmin(n->sms, d->blocks)), .seconds = m->time_s};
    for (int p = 0; p < WL_STACK_PART_COUNT && m->time_s > 0; p++) {
        out->cycles[p] = share_of(n, d, m->time_s, (wl_stack_part)p);
        shares += out->cycles[p];
    }
    for (int p = 0; p < WL_STACK_PART_COUNT && shares > 0; p++)
        out->cycles[p] *= m->time_s * n->clock / shares;
    if (shares > 0)
        take_out_idle(n, m, out->cycles);
    out->total = wl_stack_sum(out->cycles);
}

/* cause_time.c - causes in how the time is spent: waits for memory, atomics, arithmetic of a slow
 * type, special functions, index arithmetic, barriers, the launch itself. What the launch would
 * take without is predicted by the model turnover, with the parts of its stack shortened.
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "base/fail.h"
#include "base/print.h"
#include "causes/inquiry.h"
#include "device/device_internal.h"
#include "model/explanation.h"
#include "model/pipes.h"
#include "model/stacks.h"

#define PERCENT 100.0
#define WORTH_A_LOOK 0.1  /* share of the time: parts that take less are not looked at */
#define WORTH_SAYING 0.05 /* gains below are within the error of every model */
#define HALF 0.5
/* share of the time in which warps wait for memory, from which on that is named beside another
 * limiter */
#define WEIGHS 0.25

typedef struct what_if {
    double factors[WL_STACK_PART_COUNT];
} what_if;

static what_if as_it_is(void)
{
    what_if w;
    for (int p = 0; p < WL_STACK_PART_COUNT; p++)
        w.factors[p] = 1;
    return w;
}

/* The first atomic on global memory; NULL: operations are not known. */
static const wl_op *first_atomic(const wl_inquiry *q)
{
    for (int32_t i = 0; q->lives && i < q->lives->op_count; i++)
        if (q->lives->ops[i].kind == WL_OP_ATOMIC)
            return &q->lives->ops[i];
    return NULL;
}

/* The operation at which a warp spends most of the time that the what-if shortens; of a wait, the
 * one that is waited for, and of atomics, which nothing waits for, the first of them. NULL:
 * operations are not known. */
static const wl_op *costliest(const wl_inquiry *q, const what_if *w)
{
    if (w->factors[WL_STACK_ATOMICS] < 1)
        return first_atomic(q);
    const wl_stacks *s = q->now.stacks;
    const wl_op *found = NULL;
    double most = 0;
    for (size_t i = 0; !s->assumed && i < s->line_count; i++) {
        const wl_stack_line *line = &s->lines[i];
        double saved = 0;
        for (int p = 0; p < WL_STACK_PART_COUNT; p++)
            saved += (1 - w->factors[p]) * line->cycles[WL_MODEL_TURNOVER][p];
        if (saved > most) {
            most = saved;
            found = line->cause == WL_STALL_MEMORY && line->from ? line->from : line->op;
        }
    }
    return found;
}

/* Blames what takes `share` of the time, if it is worth a look. `text` has the share. */
static wl_status blame(wl_inquiry *q, wl_cause_id id, double share, const what_if *w, const char *text,
                       const char *change, wl_error *err)
{
    wl_model_result without;
    if (share < WORTH_A_LOOK || !wl_stacks_what_if(q->now.stacks, w->factors, &without))
        return WL_OK;
    const wl_tried tried = {true, without.time_s, without.limiter};
    if (without.time_s > (1 - WORTH_SAYING) * q->now.model.time_s)
        return WL_OK;
    return wl_blame_op(q, id, costliest(q, w), &tried, text, change, err);
}

/* More loads in flight help where latency limits, or weighs much beside what limits. */
static wl_status waits_for_memory(wl_inquiry *q, wl_bound_id limiter, const double *shares, wl_error *err)
{
    static const wl_stack_part levels[] = {WL_STACK_L1, WL_STACK_L2, WL_STACK_DRAM};
    static const char *const names[] = {"L1", "L2", "DRAM"};
    const double share = shares[WL_STACK_L1] + shares[WL_STACK_L2] + shares[WL_STACK_DRAM];
    what_if w = as_it_is();
    int most = 0;
    char text[160];
    if (limiter != WL_BOUND_LATENCY && share < WEIGHS)
        return WL_OK;
    for (int l = 0; l < 3; l++) {
        w.factors[levels[l]] = HALF;
        most = shares[levels[l]] > shares[levels[most]] ? l : most;
    }
    (void)wl_print(
        text, sizeof text,
        "warps wait for memory for %.0f %% of the time, mostly for the latency of %s: too few loads in flight",
        PERCENT * share, names[most]);
    return blame(q, WL_CAUSE_FLIGHT, share, &w, text, "twice as many independent loads in flight", err);
}

static wl_status atomics(wl_inquiry *q, const double *shares, wl_error *err)
{
    what_if w = as_it_is();
    char text[120];
    w.factors[WL_STACK_ATOMICS] = 1 / wl_device_or(q->device, WL_DEVICE_warp_size, 1);
    (void)wl_print(text, sizeof text, "atomics queue for %.0f %% of the time", PERCENT * shares[WL_STACK_ATOMICS]);
    return blame(q, WL_CAUSE_ATOMICS, shares[WL_STACK_ATOMICS], &w, text, "one atomic for each warp", err);
}

/* Is most arithmetic in double precision? */
static bool is_double(const wl_inquiry *q)
{
    const double *flops = q->now.mix.flops_of;
    const double all = flops[WL_TYPE_F16] + flops[WL_TYPE_F32] + flops[WL_TYPE_F64];
    return all > 0 ? flops[WL_TYPE_F64] > HALF * all : q->kernel->precision == WL_TYPE_F64;
}

/* By which share the special functions take longer than other floating-point arithmetic. */
static double special_excess(const wl_inquiry *q)
{
    return q->now.has_mix ? wl_special_excess(&q->now.mix, q->device) : 0;
}

/* The instructions with what the sequences of special functions and divisions consist of: kernels
 * whose threads all execute the same state classes only. */
static wl_status mix_of_sequences(wl_inquiry *q, wl_mix *out, wl_error *err)
{
    const wl_source *source = &q->kernel->source;
    const wl_line_mix *lines;
    size_t count;
    *out = q->now.mix;
    if (!source->count_instructions || !(out->warp[WL_INST_special] > 0) ||
        wl_inst_total(out->of_functions) + out->of_divisions > 0)
        return WL_OK;
    return source->count_instructions(source->context, q->now.launch.block, q->now.launch.grid, out, &lines, &count,
                                      err);
}

/* How long the busiest floating-point pipe works without `gone`, against now. */
static double pipes_without(const wl_inquiry *q, const wl_mix *mix, const double gone[WL_INST_CLASS_COUNT])
{
    const double now = wl_arithmetic_cycles(mix, q->device);
    wl_mix less = *mix;
    for (int c = 0; c < WL_INST_CLASS_COUNT; c++)
        less.warp[c] = fmax(0, less.warp[c] - gone[c]);
    return now > 0 ? wl_arithmetic_cycles(&less, q->device) / now : 1;
}

/* Without half of the special functions, the rest of their sequences is not issued, either. */
static wl_status special_functions(wl_inquiry *q, const wl_mix *mix, const double *shares, wl_error *err)
{
    const double excess = special_excess(q), slow = wl_device_or(q->device, WL_DEVICE_sfu_rate, 0);
    const double all = wl_inst_total(mix->warp), sequences = wl_inst_total(mix->of_functions);
    double share = shares[WL_STACK_FP], gone[WL_INST_CLASS_COUNT];
    what_if w = as_it_is();
    char text[200];
    if (!(excess > 0) || !(slow > 0) || mix->of_divisions > HALF * mix->warp[WL_INST_special])
        return WL_OK;
    w.factors[WL_STACK_FP] = fmax(HALF, 1 - excess);
    if (sequences > 0) {
        for (int c = 0; c < WL_INST_CLASS_COUNT; c++)
            gone[c] = HALF * mix->of_functions[c];
        w.factors[WL_STACK_FP] = pipes_without(q, mix, gone);
        w.factors[WL_STACK_ISSUE] = 1 - HALF * sequences / all;
        share += shares[WL_STACK_ISSUE] * sequences / all;
    }
    (void)wl_print(text, sizeof text,
                   "special functions (divisions, roots, exponentials, sines) take %.0f %% of the time: %.0f lanes a "
                   "cycle, against %.0f of f32",
                   PERCENT * share, slow, wl_device_or(q->device, WL_DEVICE_fp32_rate, slow));
    return blame(q, WL_CAUSE_SPECIAL, share, &w, text, "half of them", err);
}

static wl_status precision(wl_inquiry *q, const double *shares, wl_error *err)
{
    const double slow = wl_device_or(q->device, WL_DEVICE_fp64_rate, 0);
    const double fast = wl_device_or(q->device, WL_DEVICE_fp32_rate, 0);
    what_if w = as_it_is();
    char text[120];
    if (!is_double(q) || !(fast > slow) || !(slow > 0) || special_excess(q) > 0)
        return WL_OK;
    w.factors[WL_STACK_FP] = slow / fast;
    (void)wl_print(text, sizeof text,
                   "double precision takes %.0f %% of the time: its units are %.0f times slower here",
                   PERCENT * shares[WL_STACK_FP], fast / slow);
    return blame(q, WL_CAUSE_PRECISION, shares[WL_STACK_FP], &w, text, "arithmetic in single precision", err);
}

/* Integer instructions are mostly index arithmetic, divisions of integers with their reciprocals;
 * if instructions are not counted, multiplications of addresses are known. */
static wl_status overhead(wl_inquiry *q, const wl_mix *mix, const double *shares, wl_error *err)
{
    const double divisions[WL_INST_CLASS_COUNT] = {[WL_INST_special] = HALF * mix->of_divisions};
    const double all = wl_inst_total(mix->warp);
    const double integer = q->now.has_mix ? mix->warp[WL_INST_int] + mix->of_divisions : 0;
    double share = shares[WL_STACK_INTEGER] + shares[WL_STACK_MULTIPLY];
    what_if w = as_it_is();
    char text[160];
    w.factors[WL_STACK_INTEGER] = w.factors[WL_STACK_MULTIPLY] = HALF;
    if (integer > 0) {
        w.factors[WL_STACK_ISSUE] = 1 - HALF * integer / all;
        w.factors[WL_STACK_FP] = pipes_without(q, mix, divisions);
        share += shares[WL_STACK_ISSUE];
        (void)wl_print(text, sizeof text, "%.0f %% of the instructions are integer arithmetic, mostly of addresses",
                       PERCENT * integer / all);
    } else {
        (void)wl_print(text, sizeof text, "integer multiplications of addresses take %.0f %% of the time",
                       PERCENT * share);
    }
    return blame(q, WL_CAUSE_OVERHEAD, share, &w, text, "half of them", err);
}

static wl_status barriers(wl_inquiry *q, const double *shares, wl_error *err)
{
    what_if w = as_it_is();
    char text[120];
    w.factors[WL_STACK_BARRIER] = HALF;
    (void)wl_print(text, sizeof text, "warps wait at barriers for %.0f %% of the time",
                   PERCENT * shares[WL_STACK_BARRIER]);
    return blame(q, WL_CAUSE_BARRIERS, shares[WL_STACK_BARRIER], &w, text, "half of these waits", err);
}

/* The launch itself: a launch that does the work of two saves half of it. */
static wl_status launch(wl_inquiry *q, wl_error *err)
{
    const wl_model_result *m = &q->now.model;
    const double share = m->steps.started / m->time_s;
    wl_tried tried = {.known = true, .limiter = m->limiter, .time_s = m->time_s - HALF * m->steps.started};
    char text[120];
    if (m->limiter != WL_BOUND_LAUNCH || share < HALF)
        return WL_OK;
    (void)wl_print(text, sizeof text, "the launch itself takes %.0f %% of the time", PERCENT * share);
    return wl_blame(q, WL_CAUSE_LAUNCH, WL_NO_ACCESS, &tried, text, "the work of two launches in one, each", err);
}

wl_status wl_cause_time(wl_inquiry *q, wl_error *err)
{
    const wl_explanation e = wl_explanation_of(&q->now);
    double shares[WL_STACK_PART_COUNT];
    wl_mix mix;
    if (!e.known || q->now.model.id != WL_MODEL_TURNOVER)
        return WL_OK;
    const wl_stack *s = &q->now.stacks->stack[WL_MODEL_TURNOVER];
    for (int p = 0; p < WL_STACK_PART_COUNT; p++)
        shares[p] = wl_stack_part_share(s, (wl_stack_part)p);
    WL_TRY(waits_for_memory(q, e.first.bound, shares, err));
    WL_TRY(atomics(q, shares, err));
    WL_TRY(precision(q, shares, err));
    WL_TRY(mix_of_sequences(q, &mix, err));
    WL_TRY(special_functions(q, &mix, shares, err));
    WL_TRY(overhead(q, &mix, shares, err));
    WL_TRY(barriers(q, shares, err));
    return launch(q, err);
}

/* limit_words.c - see limit_words.h. SPDX-License-Identifier: MIT */
#include "roofline/limit_words.h"

#include <math.h>

#include "kernel/kernel_internal.h"
#include "model/pipes.h"

#define MOSTLY 0.5
#define MUCH 0.25

/* Is it shared memory that takes most wavefronts of the L1? */
static bool is_shared(const wl_prediction *p)
{
    const wl_value *v = &p->metrics[WL_METRIC_l1_wavefronts];
    return v->known && wl_value_part(v, "shared") > MOSTLY * v->value;
}

/* Do single fetches take much of DRAM's time? */
static bool is_random(const wl_model_result *m)
{
    return m->bound_s[WL_BOUND_RANDOM] > MUCH * (m->bound_s[WL_BOUND_DRAM] + m->bound_s[WL_BOUND_RANDOM]);
}

/* The type of most floating-point results. */
static const char *float_words(const wl_limited *r)
{
    static const char *const words[WL_FLOAT_COUNT] = {"FP16 arithmetic", "FP32 arithmetic", "FP64 arithmetic"};
    const double *flops = r->prediction->mix.flops_of;
    int most = r->kernel->precision <= WL_TYPE_F64 ? (int)r->kernel->precision : WL_TYPE_F32;
    for (int i = 0; i < WL_FLOAT_COUNT; i++)
        most = flops[i] > flops[most] ? i : most;
    return words[most];
}

/* Is the pipe of special functions the busiest of those for floating-point numbers? */
static bool is_special(const wl_limited *r)
{
    const wl_prediction *p = r->prediction;
    return p->has_mix && wl_special_excess(&p->mix, r->device) > 0;
}

static const char *wait_words(wl_stack_part wait)
{
    switch (wait) {
    case WL_STACK_DEPENDENCE: return "latency of arithmetic";
    case WL_STACK_FETCH: return "fetching of instructions";
    case WL_STACK_SHARED: return "latency of shared memory";
    case WL_STACK_L1: return "latency of the L1";
    case WL_STACK_L2: return "latency of the L2";
    case WL_STACK_DRAM: return "latency of DRAM";
    case WL_STACK_MSHR: return "outstanding misses of the L1";
    case WL_STACK_BARRIER: return "barriers";
    default: return "latency";
    }
}

const char *wl_limit_words(const wl_limited *r, const wl_explanation *e, wl_bound_id bound)
{
    switch (bound) {
    case WL_BOUND_FP: return is_special(r) ? "special functions" : float_words(r);
    case WL_BOUND_TENSOR: return "tensor cores";
    case WL_BOUND_MULTIPLY: return "integer multiplications of addresses";
    case WL_BOUND_ISSUE: return "instruction issue";
    case WL_BOUND_L1: return is_shared(r->prediction) ? "shared-memory throughput" : "L1 throughput";
    case WL_BOUND_TAG: return "L1 throughput (tag lookups)";
    case WL_BOUND_L2: return "L2 bandwidth";
    case WL_BOUND_PIECES: return "partial writes to the L2";
    case WL_BOUND_DRAM:
    case WL_BOUND_RANDOM: return is_random(&r->prediction->model) ? "random accesses to DRAM" : "DRAM bandwidth";
    case WL_BOUND_ATOMICS: return "atomics";
    case WL_BOUND_LAUNCH: return "launch and start of blocks";
    case WL_BOUND_LATENCY: return wait_words(e->wait);
    case WL_BOUND_INTEGER: return "integer arithmetic";
    case WL_BOUND_DSMEM: return "shared memory of other blocks";
    case WL_BOUND_CONSTANT: return "constants that differ by lane";
    default: return "";
    }
}

const char *wl_limit_remedy(const wl_limited *r, wl_bound_id bound)
{
    switch (bound) {
    case WL_BOUND_FP:
        return is_special(r) ? "fewer or cheaper divisions, roots, exponentials and sines help"
                             : "fewer operations help, or a faster type or tensor cores";
    case WL_BOUND_TENSOR: return "the tensor cores are busy: a narrower type helps";
    case WL_BOUND_MULTIPLY:
    case WL_BOUND_INTEGER:
    case WL_BOUND_ISSUE: return "fewer instructions help: wider accesses, simpler addresses, unrolled loops";
    case WL_BOUND_L1:
    case WL_BOUND_TAG: return "fewer or wider accesses, coalesced ones, or values kept in registers help";
    case WL_BOUND_L2:
    case WL_BOUND_PIECES: return "more reuse inside a block, in L1, shared memory or registers, helps";
    case WL_BOUND_DSMEM:
        return "fewer accesses to other blocks of the cluster help: a copy in a block's own shared memory";
    case WL_BOUND_CONSTANT: return "a table in shared memory helps: lanes read all of its banks at once";
    case WL_BOUND_DRAM: return "only moving fewer bytes helps: more reuse, narrower types, fused kernels";
    case WL_BOUND_RANDOM: return "neighbouring threads that access neighbouring addresses help";
    case WL_BOUND_ATOMICS: return "fewer atomics on one address help: one for each warp or block";
    case WL_BOUND_LAUNCH: return "fewer, larger launches or blocks help";
    case WL_BOUND_LATENCY: return "more warps or more independent work per thread help";
    default: return "";
    }
}

int wl_uses_predicted(const wl_limited *r, wl_ceilings *c, wl_use out[WL_USES_MAX])
{
    const wl_model_result *m = &r->prediction->model;
    const double l1 = fmax(m->bound_s[WL_BOUND_L1], m->bound_s[WL_BOUND_TAG]);
    wl_tallies tallies;
    wl_tallies_predicted(r->prediction, r->kernel, r->device, &tallies);
    wl_ceilings_read(r->device, c);
    const int count = wl_uses(&tallies, c, out);
    for (int i = 0; i < count; i++) {
        wl_use *u = &out[i];
        if (u->is_level && u->level == WL_LEVEL_DRAM && c->data_sheet > u->peak) {
            u->peak = c->data_sheet;
            u->share = u->busy = u->rate / u->peak;
        }
        if (u->is_level && u->level == WL_LEVEL_L1)
            u->share = u->busy = fmax(u->share, l1 / m->time_s);
    }
    return count;
}

/* Does the resource belong to the bound? */
static bool belongs(const wl_use *use, wl_bound_id bound)
{
    switch (bound) {
    case WL_BOUND_DRAM:
    case WL_BOUND_RANDOM: return use->is_level && use->level == WL_LEVEL_DRAM;
    case WL_BOUND_L2:
    case WL_BOUND_PIECES: return use->is_level && use->level == WL_LEVEL_L2;
    case WL_BOUND_L1:
    case WL_BOUND_TAG: return use->is_level && use->level == WL_LEVEL_L1;
    case WL_BOUND_FP: return !use->is_level && use->pipe <= WL_PIPE_F64;
    case WL_BOUND_TENSOR: return !use->is_level && use->pipe > WL_PIPE_F64 && use->pipe < WL_PIPE_ISSUE;
    case WL_BOUND_ISSUE: return !use->is_level && use->pipe == WL_PIPE_ISSUE;
    default: return false;
    }
}

bool wl_limit_of_peak(const wl_limited *r, wl_bound_id bound, double *share)
{
    wl_ceilings ceilings;
    wl_use uses[WL_USES_MAX];
    const int count = wl_uses_predicted(r, &ceilings, uses);
    const wl_model_result *m = &r->prediction->model;
    *share = 0;
    if (bound == WL_BOUND_FP && is_special(r)) /* no ceiling of rooflines is for this pipe */
        *share = m->bound_s[WL_BOUND_FP] / m->time_s;
    for (int i = 0; i < count; i++)
        if (belongs(&uses[i], bound))
            *share = fmax(*share, uses[i].share);
    return *share > 0;
}

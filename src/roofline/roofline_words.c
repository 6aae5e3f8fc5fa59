/* roofline_words.c - what a roofline shows about a launch, in a few sentences.
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "roofline/roofline_internal.h"

#define AT_ROOF 0.8    /* a resource used to this share of its peak bounds the launch */
#define NEAR_ROOF 0.5  /* if all uses are below this share, no resource bounds the launch */
#define SAYS 0.01      /* uses below this share are not listed */
#define AT_WALL 1.1    /* within this factor of a wall, a launch sits on it */
#define FEW_LANES 0.9  /* below this share, active lanes are worth a sentence */
#define MOST_FUSED 0.9 /* so is a smaller share of flops in fused multiply-adds, ... */
#define BUSY 0.3       /* ... if the pipe is this busy */
#define CONFLICTS 1.1  /* passes of a shared access / least passes: more are bank conflicts */

static void add_percent(double share, wl_buffer *out)
{
    wl_buffer_add(out, share < 0.1 ? "%.1f %%" : "%.0f %%", 100 * share);
}

/* Would this use repeat another one: tensor instructions their flops, shared memory the L1 that it
 * is part of? */
static bool is_double(const wl_roofline *r, const wl_use *use)
{
    return use->is_level ? use->level == WL_LEVEL_SHARED && r->ceilings.shared_in_l1
                         : use->pipe == WL_PIPE_TENSOR_INSTRUCTION;
}

static const char *advice(const wl_use *use)
{
    static const char *const of_level[WL_LEVEL_COUNT] = {
        [WL_LEVEL_L1] = "fewer or wider accesses, or values kept in registers, would help",
        [WL_LEVEL_L2] = "more reuse inside a block, in L1, shared memory or registers, would help",
        [WL_LEVEL_DRAM] = "only moving fewer bytes helps: more reuse, narrower types, fused kernels",
        [WL_LEVEL_SHARED] = "fewer or wider accesses, or values kept in registers, would help"};
    if (use->is_level)
        return of_level[use->level];
    return use->pipe == WL_PIPE_ISSUE ? "fewer instructions help: wider accesses, simpler addresses, unrolled loops"
           : use->pipe <= WL_PIPE_F64 ? "fewer operations help, or a faster type or tensor cores"
                                      : "this is the peak of the tensor cores";
}

/* The other uses, largest first: "; L2 40 %, L1 22 %". */
static void add_others(const wl_roofline *r, const wl_use *uses, int count, int first, wl_buffer *out)
{
    bool taken[WL_USES_MAX] = {false};
    const char *separator = "; ";
    taken[first] = true;
    for (int n = 0; n < count; n++) {
        int most = -1;
        for (int i = 0; i < count; i++)
            if (!taken[i] && (most < 0 || uses[i].share > uses[most].share))
                most = i;
        if (most < 0)
            return;
        taken[most] = true;
        if (is_double(r, &uses[most]) || uses[most].share < SAYS)
            continue;
        wl_buffer_add(out, "%s%s ", separator, wl_use_name(&uses[most]));
        add_percent(uses[most].share, out);
        separator = ", ";
    }
}

/* A predicted launch: what its time says. Roofs alone do not show waits, or what uncoalesced
 * accesses cost. */
static void add_limit(const wl_tallies *t, wl_buffer *out)
{
    wl_buffer_add(out, "Limited by %s", t->limit);
    if (t->limit_share > 0) {
        wl_buffer_text(out, " for ");
        add_percent(t->limit_share, out);
        wl_buffer_text(out, " of the time");
    }
    wl_buffer_add(out, ": %s. ", t->remedy);
}

static void add_bound(const wl_roofline *r, const wl_tallies *t, wl_buffer *out)
{
    wl_use uses[WL_USES_MAX];
    char rate[32], peak[32];
    int most = -1;
    const int count = wl_uses(t, &r->ceilings, uses);
    for (int i = 0; i < count; i++)
        if (!is_double(r, &uses[i]) && (most < 0 || uses[i].busy > uses[most].busy))
            most = i;
    if (most < 0)
        return;
    const wl_use *u = &uses[most];
    if (t->limit)
        add_limit(t, out);
    wl_use_text(u, u->rate, rate, sizeof rate);
    wl_use_text(u, u->peak, peak, sizeof peak);
    wl_buffer_add(out, "%s%s: %s, ",
                  t->limit               ? "The nearest roof is "
                  : u->busy >= AT_ROOF   ? "Bound by "
                  : u->busy >= NEAR_ROOF ? "Nearest roof: "
                                         : "Near no roof; the nearest is ",
                  wl_use_name(u), rate);
    add_percent(u->share, out);
    wl_buffer_add(out, " of %s", peak);
    if (u->is_level && u->level == WL_LEVEL_DRAM && r->ceilings.data_sheet > u->peak) {
        wl_buffer_text(out, " (");
        add_percent(u->rate / r->ceilings.data_sheet, out);
        wl_buffer_text(out, " of the data sheet's)");
    }
    add_others(r, uses, count, most, out);
    if (t->limit) {
        wl_buffer_text(out, ".");
        return;
    }
    wl_buffer_add(out, ". %s%s.", u->busy >= AT_ROOF ? "At that roof, " : "",
                  u->busy >= AT_ROOF     ? advice(u)
                  : u->busy >= NEAR_ROOF ? "Latency takes the rest: more warps or more independent work per thread help"
                                         : "Latency bounds it, or requests that memory serves one by one: more warps, "
                                           "more independent work per thread "
                                           "or better access patterns help");
}

/* ---- flops ---- */

static void add_fused(const wl_roofline *r, const wl_tallies *t, wl_buffer *out)
{
    wl_use uses[WL_USES_MAX];
    double fused;
    const int count = wl_uses(t, &r->ceilings, uses);
    for (int i = 0; i < count; i++) {
        if (uses[i].is_level || !wl_fused_share(t, uses[i].pipe, &fused) || fused > MOST_FUSED || uses[i].busy < BUSY)
            continue;
        wl_buffer_add(out, " Of its %s operations ", wl_pipe_name(uses[i].pipe));
        add_percent(fused, out);
        wl_buffer_text(out, " are in fused multiply-adds, which leaves ");
        add_percent(1 / (2 - fused), out);
        wl_buffer_text(out, " of that peak within reach.");
    }
}

/* How often the caches serve data that was loaded once. */
static void add_reuse(const wl_roofline *r, const wl_tallies *t, wl_buffer *out)
{
    double l1, l2, dram;
    if (r->kind != WL_ROOFLINE_HIERARCHICAL || !wl_level_transactions(t, &r->ceilings, WL_LEVEL_L1, &l1) ||
        !wl_level_transactions(t, &r->ceilings, WL_LEVEL_L2, &l2) ||
        !wl_level_transactions(t, &r->ceilings, WL_LEVEL_DRAM, &dram) || !(l2 > 0) || !(dram > 0))
        return;
    wl_buffer_text(out, " For each byte of DRAM the L2 moves ");
    wl_roofline_number_text(l2 / dram, 3, out);
    wl_buffer_text(out, " and the L1 ");
    wl_roofline_number_text(l1 / dram, 3, out);
    wl_buffer_text(out, ".");
}

/* ---- walls ---- */

/* Transactions per global access, and which access pattern they mean for so many bytes per lane. */
static void add_global(const wl_roofline *r, const wl_tallies *t, wl_buffer *out)
{
    const wl_ceilings *c = &r->ceilings;
    const double *v = t->value;
    const bool has_width = t->known[WL_TALLY_element_bytes];
    if (!t->known[WL_TALLY_inst_global] || !t->known[WL_TALLY_global_transactions] || !(v[WL_TALLY_inst_global] > 0) ||
        !(v[WL_TALLY_global_transactions] > 0))
        return;
    const double each = v[WL_TALLY_global_transactions] / v[WL_TALLY_inst_global];
    const double width = has_width ? v[WL_TALLY_element_bytes] : 4;
    const double unit = fmax(1, c->lanes * width / WL_TRANSACTION),
                 most = fmax(unit, c->lanes * c->sector / WL_TRANSACTION);
    wl_buffer_add(out, " A global access takes %.3g transactions: ", each);
    if (each <= AT_WALL && unit > AT_WALL)
        wl_buffer_text(out, "all lanes read the same address (the stride-0 wall).");
    else if (each * AT_WALL < unit)
        wl_buffer_add(out, "fewer than the %.3g of unit stride, so lanes share words or are inactive.", unit);
    else if (each <= unit * AT_WALL)
        wl_buffer_add(out, "unit stride%s.", has_width ? "" : " of 4-byte elements");
    else if (!has_width && fabs(each / (2 * unit) - 1) < AT_WALL - 1)
        wl_buffer_text(out, "unit stride of 8-byte elements, or stride 2 of 4-byte ones.");
    else if (each * AT_WALL >= most)
        wl_buffer_text(out, "one or more for each thread, so lanes are 32 bytes or more apart. Give neighbouring lanes "
                            "neighbouring addresses, through shared memory if need be.");
    else
        wl_buffer_add(out,
                      "unit stride needs %.3g, so accesses are strided, scattered or misaligned. Neighbouring lanes "
                      "should use neighbouring addresses.",
                      unit);
}

static void add_shared(const wl_roofline *r, const wl_tallies *t, wl_buffer *out)
{
    const double *v = t->value;
    if (!t->known[WL_TALLY_inst_shared] || !t->known[WL_TALLY_shared_transactions] || !(v[WL_TALLY_inst_shared] > 0) ||
        !(v[WL_TALLY_shared_transactions] > 0))
        return;
    const double each = v[WL_TALLY_shared_transactions] / v[WL_TALLY_inst_shared];
    const double least = fmax(1, 4 * r->ceilings.lanes / r->ceilings.pass_bytes);
    if (each <= least * CONFLICTS)
        wl_buffer_text(out, " Shared memory is at the conflict-free wall.");
    else
        wl_buffer_add(out,
                      " A shared access takes %.3g passes: bank conflicts%s. Pad rows by one element, or permute them.",
                      each, each <= 2 * least * CONFLICTS ? ", or elements wider than 4 bytes" : "");
}

static void add_lanes(const wl_roofline *r, const wl_tallies *t, wl_buffer *out)
{
    const double *v = t->value;
    const bool guarded = t->known[WL_TALLY_thread_inst_on];
    const wl_tally threads = guarded ? WL_TALLY_thread_inst_on : WL_TALLY_thread_inst;
    if (!t->known[WL_TALLY_inst] || !t->known[threads] || !(v[WL_TALLY_inst] > 0))
        return;
    const double share = v[threads] / (v[WL_TALLY_inst] * r->ceilings.lanes);
    if (share >= FEW_LANES)
        return;
    wl_buffer_text(out, " Only ");
    add_percent(share, out);
    wl_buffer_add(out,
                  " of the lanes are active: divergent branches%s mask off the others. Distribute the work so that "
                  "whole warps take the "
                  "same branch.",
                  guarded ? " and predicates" : "");
}

static void add_tensor(const wl_roofline *r, const wl_tallies *t, wl_buffer *out)
{
    const double peak = r->ceilings.peak[WL_PIPE_TENSOR_INSTRUCTION], time = t->value[WL_TALLY_time];
    if (!wl_has_products(t) || !(peak > 0))
        return;
    wl_buffer_text(out, " Tensor instructions reach ");
    add_percent(t->value[WL_TALLY_inst_tensor] / time / peak, out);
    wl_buffer_text(out, " of their own ceiling.");
}

void wl_roofline_words(const wl_roofline *r, size_t launch, wl_buffer *out)
{
    const wl_tallies *t = &r->launches[launch].tallies;
    add_bound(r, t, out);
    if (r->kind == WL_ROOFLINE_INSTRUCTION) {
        add_tensor(r, t, out);
        add_global(r, t, out);
        add_shared(r, t, out);
        add_lanes(r, t, out);
        return;
    }
    add_fused(r, t, out);
    add_reuse(r, t, out);
}

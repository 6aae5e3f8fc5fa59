/* warnings.c - see warnings.h. SPDX-License-Identifier: MIT */
#include "metrics/warnings.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/print.h"
#include "count/remapping.h"
#include "device/device_internal.h"
#include "metrics/rates.h"

#define MEGA 1e6
#define PERCENT 100.0

static void add_warning(wl_prediction *out, wl_warning_kind kind, const char *format, va_list args)
{
    if (out->warning_count == WL_WARNINGS_MAX)
        return;
    out->warning_kind[out->warning_count] = kind;
    (void)wl_print_list(out->warnings[out->warning_count++], WL_WARNING_LENGTH, format, args);
}

void wl_warn(wl_prediction *out, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add_warning(out, WL_WARNING_ACT, format, args);
    va_end(args);
}

void wl_warn_of(wl_prediction *out, wl_warning_kind kind, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add_warning(out, kind, format, args);
    va_end(args);
}

static bool is_assumed(const wl_device *device, wl_device_key key)
{
    wl_source_kind kind;
    return wl_source_kind_of(device, key, &kind) && kind == WL_SOURCE_ASSUMED;
}

static void warn_about_device(const wl_warned *p, wl_prediction *out)
{
    double value;
    if (!wl_device_get(p->device, WL_DEVICE_l2_bandwidth, &value))
        wl_warn(out, "the device file has no l2_bandwidth: no L2 bound");
    for (int k = 0; k < WL_TENSOR_KIND_COUNT; k++)
        if (out->mix.tensor[k] > 0 && !wl_device_get(p->device, wl_tensor_rate_key((wl_tensor_kind)k), &value))
            wl_warn(out, "the device file has no tensor_%s_rate: these products take no time",
                    wl_tensor_kind_name((wl_tensor_kind)k));
    if (!p->rules->has_hash)
        wl_warn(out,
                "the device file has no l1_tag_hash: the bank and distance rule is used, l1_tag_wavefronts is unknown");
    if (p->rules->has_hash && is_assumed(p->device, WL_DEVICE_l1_tag_hash))
        wl_warn_of(out, WL_WARNING_ASSUMED, "the L1 tag hash of this device is assumed, not measured");
    if (p->kernel->has_flops && p->kernel->flops > 0) {
        const wl_device_key key = wl_fp_rate_key(p->kernel->precision);
        if (!wl_device_get(p->device, key, &value))
            wl_warn(out, "the device file has no %s: no fp bound", wl_device_key_name(key));
    }
}

static void warn_about_conditions(const wl_warned *p, wl_prediction *out)
{
    int64_t values[WL_WHERE_NAMES];
    if (p->kernel->condition_count == 0)
        return;
    wl_launch_values(p->kernel, p->rules->warp_size, &out->launch, values);
    for (size_t i = 0;; i++) {
        (void)wl_where_next_broken(p->kernel->conditions, p->kernel->condition_count, values, &i, NULL);
        if (i >= p->kernel->condition_count)
            return;
        wl_warn(out, "the kernel does not support this launch: it requires %s",
                wl_where_text(p->kernel->conditions[i]));
    }
}

#define NOTED_ADDRESSES 2e7 /* evaluated: they take about a second */
#define NOTED_REMAINS 0.01  /* share of the data */
#define NOTED_CACHED 0.01   /* share of the loads behind the L2 that is worth a note */

static void warn_about_instructions(const wl_counts *c, wl_prediction *out)
{
    const bool shared = c->l1.shared > 0;
    if (!c->executed.known)
        wl_warn_of(out, WL_WARNING_ASSUMED, "no instruction stream: inst_executed%s unknown",
                   shared ? " and thread_inst are" : ", thread_inst and shared-memory metrics are");
    else if (!c->executed.by_class && !shared)
        wl_warn_of(out, WL_WARNING_ASSUMED, "no instruction stream: shared-memory metrics are unknown");
    if (c->executed.by_class && c->executed.mix.sampled)
        wl_warn_of(out, WL_WARNING_SAMPLED, "instruction counts come from %.0f of %.0f blocks, within %.2g %%",
                   c->executed.mix.followed, c->executed.mix.blocks,
                   PERCENT * WL_STATED_ERRORS * c->executed.mix.error);
}

/* Are sectors written in pieces by blocks whose distance is not known? */
static bool pieces_far_apart(const wl_traffic *t, bool known)
{
    for (size_t i = 0; known && i < t->field_count; i++)
        if (t->fields[i].stores.again_assumed && t->fields[i].stores.block_full < t->fields[i].stores.block)
            return true;
    return false;
}

static void warn_about_simulation(const wl_simulation *s, bool known, wl_prediction *out)
{
    if (!s->used)
        return;
    if (s->simulated_blocks == s->blocks)
        wl_warn_of(out, WL_WARNING_SAMPLED,
                   "volumes come from simulated caches, without a fitted curve: all %lld blocks, %.3g addresses",
                   (long long)s->blocks, s->addresses);
    else
        wl_warn(
            out,
            "volumes come from simulated caches, without a fitted curve: %lld of %lld blocks (%.2g %%), %lld wave%s "
            "on %lld of %lld multiprocessors, %.3g addresses; %s to the rest",
            (long long)s->simulated_blocks, (long long)s->blocks,
            PERCENT * (double)s->simulated_blocks / (double)s->blocks, (long long)s->waves, s->waves > 1 ? "s" : "",
            (long long)s->simulated_sms, (long long)s->sms, s->addresses,
            s->waves > 1 ? "the second half of the waves is extrapolated" : "they are extrapolated");
    if (!s->dram && known)
        wl_warn_of(out, WL_WARNING_SAMPLED,
                   "DRAM volumes are not simulated but come from %s: the simulated blocks did not fill the L2",
                   wl_volume_estimator_name(s->dram_estimator));
    if (s->by_laws > 0)
        wl_warn_of(out, WL_WARNING_SAMPLED, "volumes of %zu field%s with atomics are not simulated but come from %s",
                   s->by_laws, s->by_laws > 1 ? "s" : "", wl_volume_estimator_name(s->dram_estimator));
    wl_warn_of(out, WL_WARNING_SAMPLED, "not simulated: units of requests, pieces of partial stores and local memory");
}

#define NOTED_LAUNCH 0.1 /* share of the time */

/* How much of the time of a small launch is the launch itself, or that the model leaves it out. */
static void warn_about_launch(const wl_warned *p, wl_prediction *out)
{
    const wl_model_result *m = &out->model;
    double launch = 0;
    if (!wl_device_get(p->device, WL_DEVICE_launch_duration, &launch) || launch < NOTED_LAUNCH * m->time_s)
        return;
    const bool assumes = is_assumed(p->device, WL_DEVICE_launch_duration);
    const char *from = wl_device_inherited_from(p->device, WL_DEVICE_launch_duration);
    const char *assumed = assumes ? ", assumed" : "", *as = assumes && from ? " as on " : "";
    if (m->id == WL_MODEL_SIMPLE || m->id == WL_MODEL_FOUR_LIMITERS)
        wl_warn_of(out, WL_WARNING_ASSUMED,
                   "the launch itself, %.3g us, is not counted: the time is a lower bound (launch_duration%s%s%s)",
                   launch * MEGA, assumed, as, as[0] ? from : "");
    else
        wl_warn_of(out, WL_WARNING_ASSUMED,
                   "%.3g us of the time are the launch itself (launch_duration%s%s%s); between events of the host it "
                   "takes %.3g us more",
                   launch * MEGA, assumed, as, as[0] ? from : "", m->launch_gap_s * MEGA);
}

/* What the model limiter leaves out. */
static void warn_about_limiter(const wl_warned *p, wl_prediction *out)
{
    const wl_model_result *m = &out->model;
    if (m->id != WL_MODEL_LIMITER)
        return;
    const double sms = wl_device_or(p->device, WL_DEVICE_sm_count, 0);
    if ((double)out->blocks < sms)
        wl_warn_of(out, WL_WARNING_ASSUMED,
                   "%.0f of %.0f multiprocessors have no block; the model counts no waits: the time is a lower bound",
                   sms - (double)out->blocks, sms);
    if (m->limiter == WL_BOUND_ISSUE && !p->counts->executed.known && !p->counts->thread.instructions_stated)
        wl_warn_of(out, WL_WARNING_ASSUMED,
                   "instructions are estimated from the accesses: %.0f per thread (a kernel file may state them)",
                   p->counts->thread.instructions);
}

/* Each sector that the L2 misses brings a whole piece of DRAM: the only way in which DRAM loads
 * more than the L2 does, besides local memory and sectors that are completed (invariants.h). */
static void warn_about_pieces(const wl_warned *p, wl_prediction *out)
{
    const wl_value *dram = &out->metrics[WL_METRIC_dram_load_bytes], *l2 = &out->metrics[WL_METRIC_l2_load_bytes];
    const double stated = wl_value_part(dram, "partial_stores") + wl_value_part(dram, "local");
    const double more = dram->value - stated - (l2->value - wl_value_part(l2, "local"));
    if (dram->known && l2->known && more > NOTED_CACHED * l2->value)
        wl_warn_of(
            out, WL_WARNING_ASSUMED,
            "DRAM is read in pieces of %lld bytes: %.3g MB of its loads are sectors that were not requested with "
            "the others of their piece",
            (long long)wl_device_int(p->device, WL_DEVICE_dram_fetch), more / MEGA);
}

static void warn_about_replay(const wl_warned *p, wl_prediction *out)
{
    const wl_replay_size *size = &p->volumes->replay_size;
    if (!out->replayed || size->blocks == 0)
        return;
    char part[40] = "";
    if (size->steps < 1)
        (void)wl_print(part, sizeof part, ", the first %.2g %% of their loops", PERCENT * size->steps);
    wl_warn_of(out, WL_WARNING_SAMPLED, "L2 loads are replayed, with random draws: %lld of %lld blocks, on %lld %ss%s",
               (long long)size->blocks, (long long)out->blocks, (long long)size->multiprocessors, out->sm_word, part);
}

static void warn_about_estimate(const wl_warned *p, wl_prediction *out)
{
    const wl_counts *c = p->counts;
    const wl_volumes *v = p->volumes;
    const wl_geometry *g = &c->busy;
    const wl_warps_result *w = &c->warps;
    if (g->registers_assumed)
        wl_warn(out, "registers per thread are not given: %lld assumed for the occupancy", (long long)g->registers);
    if (w->tags.instructions > 0)
        wl_warn_of(out, WL_WARNING_SAMPLED,
                   "L1 tag conflicts of %lld warp instructions come from a sample of %lld addresses",
                   (long long)w->tags.instructions, (long long)w->tags.evaluated);
    if (w->wavefronts.instructions > 0)
        wl_warn_of(out, WL_WARNING_SAMPLED, "L1 wavefronts of traced accesses come from %lld of %lld warp instructions",
                   (long long)w->wavefronts.evaluated, (long long)llround(w->wavefronts.instructions));
    const char *tags = w->half_of_tags ? "; tag conflicts of each access from half of these warps" : "";
    if (w->blocks_sampled && w->warps_evaluated > 0)
        wl_warn_of(out, WL_WARNING_SAMPLED,
                   "L1 metrics of accesses without a closed form come from %lld warp%s of each of %lld of %lld blocks, "
                   "within %.3g %%%s",
                   (long long)w->warps_evaluated, w->warps_evaluated > 1 ? "s" : "", (long long)w->blocks_evaluated,
                   (long long)g->blocks, PERCENT * WL_STATED_ERRORS * w->error, tags);
    else if (w->blocks_sampled)
        wl_warn_of(out, WL_WARNING_SAMPLED,
                   "L1 metrics of accesses without a closed form come from %lld of %lld blocks, within %.3g %%%s",
                   (long long)w->blocks_evaluated, (long long)g->blocks, PERCENT * WL_STATED_ERRORS * w->error, tags);
    if (c->has_traffic && c->traffic.waves_sampled > 0)
        wl_warn_of(out, WL_WARNING_SAMPLED,
                   "memory volumes of accesses under conditions without a closed form come from %.0f of %.0f waves, "
                   "within %.3g %%",
                   c->traffic.waves_sampled, ceil((double)g->blocks / (double)g->wave_blocks),
                   PERCENT * WL_STATED_ERRORS * c->traffic.waves_error);
    warn_about_simulation(&v->simulation, v->known, out);
    if (c->has_traffic && c->traffic.evaluated > NOTED_ADDRESSES)
        wl_warn_of(out, WL_WARNING_SAMPLED,
                   "footprints have no closed form: %.2g addresses were evaluated one by one, which takes time",
                   c->traffic.evaluated);
    if (v->sampled)
        wl_warn_of(out, WL_WARNING_SAMPLED, "L2 load volume comes from a sample of blocks: at least %lld of %lld",
                   (long long)v->sampled, (long long)c->launched.blocks);
    warn_about_replay(p, out);
    warn_about_pieces(p, out);
    if (v->partial_unknown)
        wl_warn_of(out, WL_WARNING_ASSUMED,
                   "sectors written only in part are not counted: the stores are too irregular");
    if (pieces_far_apart(&c->traffic, c->has_traffic && v->known))
        wl_warn_of(out, WL_WARNING_ASSUMED,
                   "blocks more than two waves apart write pieces of the same sectors: "
                   "everything is assumed to be written once in between");
    if (!v->known)
        wl_warn(out,
                "memory volumes are unknown: the accesses have no closed form and are too many to evaluate one by one; "
                "the time uses lower bounds, %.3g MB loaded and %.3g MB stored",
                v->least[0] / MEGA, v->least[1] / MEGA);
    if (v->cached > NOTED_CACHED * wl_volume_dram_loads(&v->total))
        wl_warn_of(
            out, WL_WARNING_ASSUMED,
            "%.0f %% of the L2 misses hit the memory cache, loaded earlier in the launch; the volumes count them "
            "as DRAM loads",
            PERCENT * v->cached / wl_volume_dram_loads(&v->total));
    if (out->model.remains >= NOTED_REMAINS)
        wl_warn_of(out, WL_WARNING_ASSUMED,
                   "the time is that of a repeated launch, caches warm: %.0f %% of its data are still in the L2 from "
                   "the previous one; "
                   "volumes "
                   "are those of the first",
                   PERCENT * out->model.remains);
    if (!p->kernel->has_flops && !c->executed.by_class)
        wl_warn(out, "flops are not given: no fp bound");
    if (out->model.id == WL_MODEL_TURNOVER && !c->thread.instructions_stated)
        wl_warn_of(out, WL_WARNING_ASSUMED,
                   "instructions are estimated from the accesses: %.0f per thread (a kernel file may state them)",
                   c->thread.instructions);
    warn_about_launch(p, out);
    warn_about_limiter(p, out);
    if (!p->found_schedule && wl_remapping_is_idle(p->kernel, &c->launched))
        wl_warn(out, "over this %s, the schedule equals linear order",
                g->schedule.kind == WL_SCHEDULE_SWIZZLE ? "grid" : "domain");
    if (c->remapping > 0)
        wl_warn_of(
            out, WL_WARNING_ASSUMED,
            "computing the %s in this order takes %.0f instructions per thread, as in the code of 'warpline emit'",
            g->schedule.kind == WL_SCHEDULE_SWIZZLE ? "block" : "cell", c->remapping);
    warn_about_instructions(c, out);
}

/* What was assumed when the kernel was read. The last warning says how many did not fit. */
static void warn_about_kernel(const wl_kernel *kernel, wl_prediction *out)
{
    const size_t room = (size_t)(WL_WARNINGS_MAX - out->warning_count);
    const size_t shown = kernel->note_count <= room ? kernel->note_count : room > 0 ? room - 1 : 0;
    for (size_t i = 0; i < shown; i++)
        wl_warn_of(out, i < kernel->urgent_notes ? WL_WARNING_ACT : WL_WARNING_ASSUMED, "%s", kernel->notes[i]);
    if (shown < kernel->note_count)
        wl_warn(out, "and %zu more notes on the kernel", kernel->note_count - shown);
}

static void warn_about_gaps(const wl_kernel *kernel, wl_prediction *out)
{
    for (size_t i = 0; i < kernel->gap_text_count; i++)
        wl_warn_of(out, WL_WARNING_GAP, "%s", kernel->gap_texts[i]);
}

void wl_warn_about_all(const wl_warned *p, wl_prediction *out)
{
    warn_about_gaps(p->kernel, out);
    warn_about_conditions(p, out);
    warn_about_device(p, out);
    warn_about_estimate(p, out);
    if (p->view->nearly)
        wl_warn_of(out, WL_WARNING_ASSUMED, "the volumes ignore conditions that nearly all threads meet");
    warn_about_kernel(p->kernel, out);
}

/* predict.c - a prediction, stage by stage: the table of contents of the library.
 *
 * geometry   launch + device + kernel   -> grid, occupancy, wave             launch/
 * view       kernel                     -> shapes of each field              count/view
 * limits     view + geometry            -> no thread leaves the buffers      count/buffer_limits
 * warps      view + L1 rules            -> wavefronts, sectors               count/warps
 * thread     view                       -> what a thread waits for           laws/thread
 * executed   kernel + geometry          -> instructions                      count/executed
 * remapping  schedule                   -> instructions to find a cell       count/remapping
 * local      kernel + geometry          -> local memory of threads           count/local_count
 * traffic    view + geometry            -> what warps, blocks and runs touch count/traffic
 * replay     traffic + device           -> what hits the L1, if not countable replay/
 * volumes    traffic + laws, or curves  -> L2 and memory volumes             laws/volumes
 * simulation kernel + geometry          -> volumes by caches, if asked for   laws/simulated_volumes
 * invariants volumes + counts           -> volumes that can be               metrics/invariants
 * metrics    the above                  -> one table of named values         metrics/fill
 * lives      instructions + volumes     -> intervals of warps, their waits   model/follow_warps
 * time       metrics + device           -> bounds, time, limiter             model/
 * stacks     time + intervals           -> where the cycles go, if asked for model/stacks
 * warnings   the above                  -> what was assumed or is unknown    metrics/warnings
 * SPDX-License-Identifier: MIT */
#include "warpline/predict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/print.h"
#include "count/buffer_limits.h"
#include "count/place_kinds.h"
#include "count/remapping.h"
#include "device/device_internal.h"
#include "laws/least_volumes.h"
#include "laws/local_volumes.h"
#include "laws/simulated_volumes.h"
#include "laws/traffic_laws.h"
#include "metrics/attribution.h"
#include "metrics/fill.h"
#include "metrics/invariants.h"
#include "metrics/shares.h"
#include "metrics/warnings.h"
#include "model/follow_warps.h"
#include "model/interval_time.h"
#include "model/limiter.h"
#include "model/stacks.h"
#include "model/time.h"
#include "predictor.h"
#include "replay/replay_traffic.h"

static wl_costs costs_of(const wl_predictor *p)
{
    return (wl_costs){p->kernel, p->device, &p->rules, p->l1.split[0], p->l1.split[1], p->costs, 0};
}

/* Instructions per thread and per warp, and what a thread waits for. */
static wl_status count_instructions(wl_predictor *p, const wl_predict_options *options, const wl_view *view,
                                    const wl_instructions *instructions, wl_counts *out, wl_error *err)
{
    WL_TRY(wl_thread_profile(p->kernel, &out->busy, view->bounds, instructions, p->costs, p->rules.line, &p->estimates,
                             &p->launch_arena, &out->thread, err));
    wl_executor by = {.warp_size = p->rules.warp_size};
    (void)wl_device_get(p->device, WL_DEVICE_tensor_instruction_flops, &by.tensor_flops);
    WL_TRY(wl_executed_count(p->kernel, &out->launched, &by, options && (options->emulate || options->per_line),
                             &out->executed, err));
    /* a kernel that computes the schedule itself counts that with the rest, unless instructions are
     * estimated */
    const bool own = p->schedule.kind != WL_SCHEDULE_LINEAR && out->executed.known;
    out->remapping = own ? 0 : wl_remapping_instructions(p->kernel, &out->launched, p->estimates.division_instructions);
    out->thread.instructions += out->remapping;
    wl_remapping_add(&out->launched, p->rules.warp_size, out->remapping, &out->executed);
    wl_executed_add_swaps(&out->warps.swaps, &out->executed);
    if (out->work.has_instructions && !p->kernel->has_mix && out->executed.warps > 0) {
        out->thread.instructions = out->executed.warp / out->executed.warps;
        out->thread.instructions_stated = true;
    }
    if (!p->kernel->source.count_instructions || p->kernel->has_mix) {
        const wl_place_input in = {.kernel = p->kernel,
                                   .bounds = view->bounds,
                                   .launched = &out->launched,
                                   .busy = &out->busy,
                                   .warp_size = p->rules.warp_size,
                                   .instructions = out->thread.instructions,
                                   .start = p->estimates.start_instructions};
        WL_TRY(wl_place_kinds(&in, &out->executed.mix.kinds, err));
    }
    return wl_local_count(p->kernel, &out->launched, &p->rules, &out->local, err);
}

static wl_traffic_input input_of(const wl_predictor *p, const wl_view *view, const wl_geometry *busy)
{
    const bool by_cells = p->has_fixed_view && !p->fixed_view.opaque && wl_threads_visit_all(busy);
    return (wl_traffic_input){
        .view = view,
        .geometry = busy,
        .device = p->device,
        .costs = p->costs,
        .page_bytes = p->page_bytes,
        .cells = by_cells ? &p->fixed_view : NULL,
        .any_room = p->any_room,
    };
}

static wl_status count_traffic(wl_predictor *p, const wl_view *view, wl_replays replays, wl_counts *out, wl_error *err)
{
    out->has_traffic = p->has_laws;
    if (!out->has_traffic)
        return WL_OK;
    const wl_traffic_input in = input_of(p, view, &out->busy);
    WL_TRY(wl_traffic_count(&in, &p->counter, &p->launch_arena, &out->traffic, err));
    return wl_replay_traffic(&in, replays, &p->launch_arena, &out->traffic, err);
}

/* How often a warp of the launch executes the same store. */
static double rounds_of(const wl_predictor *p, const wl_counts *c)
{
    double most = 0;
    for (size_t a = 0; a < p->kernel->access_count; a++)
        if (p->kernel->accesses[a].store)
            most = fmax(most, p->costs[a].inst);
    return c->traffic.warps > 0 ? most / c->traffic.warps : 0;
}

/* Bytes of bulk copies that a block has in flight while it computes on others, all of them in its
 * shared memory. */
static double bytes_ahead(const wl_lives *lives, double shared)
{
    double sum = 0, waits = 0;
    for (int32_t i = 0; lives && i < lives->op_count; i++) {
        const wl_op *op = &lives->ops[i];
        if (op->awaits_copies && op->bytes > 0 && isfinite(op->ahead)) {
            sum += fmax(0, fmin(op->bytes * op->ahead, shared - op->bytes));
            waits++;
        }
    }
    return waits > 0 ? sum / waits : 0;
}

/* For how long the products last whose operands are in flight. Blocks of different lengths are
 * apart as soon as one ends. */
static wl_status find_ring(const wl_predictor *p, wl_counts *c, wl_error *err)
{
    double copied = 0;
    const wl_lives *lives = NULL;
    for (size_t a = 0; a < p->kernel->access_count; a++)
        if (p->kernel->accesses[a].bulk && !p->kernel->accesses[a].store)
            copied += p->costs[a].sectors * (double)p->rules.sector;
    c->traffic.ring_cycles = 0;
    if (copied > 0 && c->executed.mix.kinds.count > 1)
        c->traffic.ring_cycles = INFINITY;
    if (copied <= 0 || c->executed.mix.kinds.count > 1 || !c->executed.by_class || !p->kernel->source.live)
        return WL_OK;
    WL_TRY(p->kernel->source.live(p->kernel->source.context, &lives, err));
    const double cycles = wl_limiter_tensor_cycles(&c->executed.mix, p->device);
    c->traffic.ring_cycles = bytes_ahead(lives, (double)c->busy.shared_bytes) * cycles * c->traffic.resident / copied;
    return WL_OK;
}

/* As it is predicted: a kernel's index arithmetic may be a schedule. */
static wl_launch launch_of(const wl_predictor *p, const wl_launch *launch)
{
    wl_launch as = *launch;
    if (p->schedule.kind != WL_SCHEDULE_LINEAR)
        as.schedule = p->schedule;
    return as;
}

/* Whether a model looks at lives whether or not warps loop or meet at barriers. */
static bool shows_lives(const wl_predict_options *options)
{
    return options && (options->stacks || wl_contention_model_of(options->model));
}

/* A repeated launch is replayed if its time is wanted. */
static wl_replays wanted(const wl_predictor *p, const wl_predict_options *options, bool least)
{
    const wl_model_id model = options ? options->model : WL_MODEL_BEST;
    if (least && wl_time_has_least(model))
        return WL_REPLAYS_NONE;
    if (shows_lives(options) || wl_time_repeats(p->device, model))
        return WL_REPLAYS_ALL;
    return WL_REPLAYS_FIRST;
}

/* Where it is allowed, an access outside of a buffer is a finding, not a failure. */
static wl_status check_buffers(wl_predictor *p, const wl_view *view, const wl_geometry *busy,
                               const wl_predict_options *options, wl_error *err)
{
    p->outside = (wl_error){0};
    const wl_status status = wl_buffer_limits_check(view, busy, &p->counter, &p->launch_arena, &p->outside);
    if (status == WL_OK || (status == WL_E_BOUNDS && options && options->outside))
        return WL_OK;
    if (err)
        *err = p->outside;
    return status;
}

/* Everything before the first fitted number. */
static wl_status count(wl_predictor *p, const wl_launch *launch, const wl_predict_options *options, wl_replays replays,
                       const wl_view **view, wl_counts *out, wl_error *err)
{
    wl_instructions instructions;
    const wl_warps_options warps_options = {.samples = options ? options->l1_samples : 0};
    const wl_costs costs = costs_of(p);
    *out = (wl_counts){.work = wl_work_of(p->kernel)};
    wl_arena_reset(&p->launch_arena);
    p->counter.method = WL_COUNT_CLOSED_FORM;
    p->warps.arena = &p->launch_arena;
    const wl_launch as = launch_of(p, launch);
    WL_TRY(wl_geometry_make(p->kernel, p->device, &as, &out->launched, err));
    out->busy = wl_geometry_busy(&out->launched);
    WL_TRY(wl_predictor_view(p, &out->launched, view, err));
    WL_TRY(check_buffers(p, *view, &out->busy, options, err));
    WL_TRY(wl_predictor_instructions(p, *view, &out->busy, &instructions, err));
    wl_recalled known = wl_kept_counts_find(&p->launches, &as, warps_options.samples, replays, p->costs, out);
    known.traffic = known.traffic && (out->traffic.any_room || !p->any_room);
    if (known.traffic)
        p->counter.method = out->method;
    if (!known.warps)
        WL_TRY(wl_warps_measure(p->kernel, &out->busy, (*view)->bounds, &instructions, &p->rules, &warps_options,
                                &p->warps, p->costs, &out->warps, err));
    WL_TRY(count_instructions(p, options, *view, &instructions, out, err));
    wl_counts_add_up(&costs, out);
    if (!known.traffic)
        WL_TRY(count_traffic(p, *view, replays, out, err));
    WL_TRY(find_ring(p, out, err));
    out->traffic.rounds = rounds_of(p, out);
    wl_counts_add_hits(&costs, out);
    out->method = p->counter.method;
    if (!known.traffic)
        wl_kept_counts_add(&p->launches, p->kernel, &as, warps_options.samples, p->costs, out);
    return WL_OK;
}

/* The lives of representative warps, where they are known, with the waits of this launch. */
static wl_status find_lives(wl_predictor *p, const wl_volumes *volumes, wl_counts *out, const wl_lives **from,
                            wl_error *err)
{
    const wl_costs costs = costs_of(p);
    wl_followed followed;
    wl_waits waits;
    WL_TRY(wl_follow_find(&costs, &out->launched, &out->warps, &p->launch_arena, &followed, err));
    *from = followed.lives;
    if (!followed.lives)
        return WL_OK;
    wl_field_waits *fields = WL_ARENA_NEW(&p->launch_arena, wl_field_waits, followed.field_count + 1);
    if (!fields)
        return wl_fail_memory(err);
    wl_follow_waits(&followed, p->device, volumes, fields, &waits);
    return wl_follow_warps(&followed, &waits, &p->launch_arena, out, err);
}

/* Metrics and time from counts and volumes. */
/* Puts a measured value in the place of one that was counted. Returns how many times that one. */
static double take_measured(const double *measured, wl_metric metric, wl_prediction *out)
{
    wl_value *m = &out->metrics[metric];
    const double counted = m->value;
    if (isnan(measured[metric]))
        return 1;
    m->value = measured[metric];
    return counted > 0 ? m->value / counted : 1;
}

/* The time of measured volumes: requests are as many per byte as counted. */
static void measure(const double *measured, wl_volumes *v, wl_prediction *out)
{
    wl_requests *r = &v->requests;
    (void)take_measured(measured, WL_METRIC_l1_wavefronts, out);
    (void)take_measured(measured, WL_METRIC_l1_tag_wavefronts, out);
    (void)take_measured(measured, WL_METRIC_dram_store_bytes, out);
    const double loaded = take_measured(measured, WL_METRIC_l2_load_bytes, out);
    const double stored = take_measured(measured, WL_METRIC_l2_store_bytes, out);
    const double fetched = take_measured(measured, WL_METRIC_dram_load_bytes, out);
    r->read_units *= loaded;
    r->lone_units *= loaded;
    r->written_units *= stored;
    r->pieces *= stored;
    r->lone_pieces *= stored;
    r->random *= fetched;
    r->cleaned *= fetched;
}

static void evaluate(const wl_counts *c, const wl_device *device, const wl_volumes *counted, wl_model_id model,
                     const double *measured, wl_prediction *out)
{
    const char *missing = NULL;
    wl_volumes volumes = *counted;
    wl_metrics_fill(c, device, counted, out);
    if (measured)
        measure(measured, &volumes, out);
    wl_time_apply(c, device, &volumes, model, out, &missing);
    if (missing)
        wl_warn(out, "the device file has no %s: no %s model, the limiter model is used", missing,
                wl_model_name(model));
    wl_invariants_of_results(out);
}

static wl_status share_out(wl_predictor *p, const wl_costs *costs, const wl_counts *counts, const wl_view *view,
                           wl_prediction *out, wl_error *err)
{
    const wl_attribution_input in = {view, &counts->busy, p->device, p->field_shares};
    wl_error limit = {0};
    wl_access_shares(costs, p->access_shares);
    const wl_status status = wl_attribute(&in, &p->counter, &p->launch_arena, p->access_shares, &limit);
    if (status == WL_E_LIMIT) {
        wl_warn(out, "volumes are not attributed to accesses: %s", limit.message);
        return WL_OK;
    }
    if (status != WL_OK)
        return wl_fail(err, status, limit.loc, "%s", limit.message);
    out->accesses = p->access_shares;
    return WL_OK;
}

/* Accesses outside of buffers: those of emulated threads or, if there is none, what the closed
 * forms of addresses show. */
static wl_status find_outside(const wl_predictor *p, const wl_predict_options *options, wl_prediction *out,
                              wl_error *err)
{
    const wl_source *source = &p->kernel->source;
    const wl_outside *list = NULL;
    const size_t count = source->outside ? source->outside(source->context, &list) : 0;
    out->outside_count = 0;
    for (size_t i = 0; i < count && i < WL_OUTSIDE_SHOWN; i++)
        out->outside[out->outside_count++] = list[i];
    if (count == 0 && p->outside.code == WL_E_BOUNDS) {
        wl_outside *o = &out->outside[out->outside_count++];
        *o = (wl_outside){.bytes = 0};
        (void)wl_print(o->text, sizeof o->text, "%.230s", p->outside.message);
    }
    if (out->outside_count > 0 && !(options && options->outside))
        return wl_fail(err, WL_E_BOUNDS, WL_NOWHERE, "%s", out->outside[0].text);
    if (out->outside_count > 0) { /* JSON has the others */
        const char *place = out->outside[0].place, *slash = strrchr(place, '/');
        char more[32] = "";
        if (out->outside_count > 1)
            (void)wl_print(more, sizeof more, " (and %d others)", out->outside_count - 1);
        wl_warn_of(out, WL_WARNING_GAP, "out of bounds: %s%s%.170s%s", slash ? slash + 1 : place, *place ? ": " : "",
                   out->outside[0].text, more);
    }
    return WL_OK;
}

/* The launch is as it was given; the note tells how it was understood. */
static void say_found(const wl_predictor *p, wl_prediction *out)
{
    char text[WL_SCHEDULE_TEXT_MAX];
    wl_schedule_print(&p->schedule, text);
    out->launch.schedule = (wl_schedule){0};
    wl_warn_of(out, WL_WARNING_ASSUMED, "the index arithmetic is %s over %lld x %lld cells: predicted as that schedule",
               text, (long long)p->kernel->domain[0], (long long)p->kernel->domain[1]);
}

/* Distinct bytes, or those that were counted for this launch before. */
static wl_status count_distinct(wl_predictor *p, const wl_launch *launch, int64_t samples,
                                const wl_traffic_input *input, wl_volumes *volumes, wl_error *err)
{
    const wl_launch as = launch_of(p, launch);
    wl_kept_distinct here = {0}, *kept = wl_kept_distinct_of(&p->launches, &as, samples);
    wl_kept_distinct *d = kept ? kept : &here;
    if (!d->known) {
        WL_TRY(wl_distinct_bytes(input, &p->counter, d->bytes, err));
        d->method = p->counter.method;
        d->known = true;
    }
    p->counter.method = d->method;
    memcpy(volumes->distinct, d->bytes, sizeof d->bytes);
    volumes->has_distinct = true;
    return WL_OK;
}

/* The least that a launch can move, if it can be counted without evaluating single addresses. */
static wl_status find_distinct(wl_predictor *p, const wl_launch *launch, int64_t samples, const wl_traffic_input *input,
                               wl_volumes *volumes, wl_prediction *out, wl_error *err)
{
    const wl_count_method method = p->counter.method;
    if (method == WL_COUNT_THREADS || !volumes->known)
        return WL_OK;
    if (!volumes->has_distinct)
        WL_TRY(count_distinct(p, launch, samples, input, volumes, err));
    p->counter.method = method;
    out->has_distinct = volumes->has_distinct;
    memcpy(out->distinct, volumes->distinct, sizeof out->distinct);
    return WL_OK;
}

/* Predictions that leave something out, or guess it, cannot be compared with others. */
static wl_status check_complete(const wl_kernel *kernel, const wl_predict_options *options, wl_error *err)
{
    if (!options || !options->complete || kernel->gap_text_count == 0)
        return WL_OK;
    (void)wl_fail(err, WL_E_UNSUPPORTED, WL_NOWHERE, "%s", kernel->gap_texts[0]);
    return wl_fail_in(err, "--incomplete");
}

static wl_status predict(wl_predictor *predictor, const wl_launch *launch, const wl_predict_options *options,
                         wl_prediction *out, wl_error *err)
{
    wl_predictor *p = NULL;
    wl_counts counts;
    const wl_view *view = NULL;
    const wl_lives *lives = NULL;
    wl_volumes volumes;
    WL_TRY(wl_predictor_at(predictor, launch, &p, err));
    WL_TRY(check_complete(p->kernel, options, err));
    const wl_replays replays = wanted(p, options, predictor->least_times);
    WL_TRY(count(p, launch, options, replays, &view, &counts, err));
    wl_metrics_set_launch(&counts.launched, out);
    /* of the kernel that was given: rankings have no other */
    out->work_unit = predictor->work_unit;
    out->sm_word = wl_device_sm_word(predictor->device);
    wl_traffic_input input = input_of(p, view, &counts.busy);
    input.unreplayed = replays == WL_REPLAYS_NONE;
    WL_TRY(wl_volumes_estimate(&input, counts.has_traffic ? &counts.traffic : NULL, &p->laws, &p->counter,
                               &p->launch_arena, &volumes, err));
    if (options && options->simulate)
        WL_TRY(wl_volumes_simulate(&input, &counts.launched, options->simulate, &p->launch_arena, &volumes, err));
    if (options && options->model == WL_MODEL_SIMPLE)
        WL_TRY(count_distinct(p, launch, options->l1_samples, &input, &volumes, err));
    const wl_invariants_input known = {p->kernel, p->device, p->costs, counts.has_traffic ? &counts.traffic : NULL};
    wl_invariants_of_volumes(&known, &volumes, out);
    wl_local_volumes(&counts.local, &counts.launched, p->device, &p->laws, &volumes);
    volumes.cold = options && options->caches == WL_CACHES_COLD;
    counts.method = p->counter.method;
    wl_costs costs = costs_of(p);
    costs.repeats = wl_l1_repeats_that_hit(volumes.l1_miss_rate);
    wl_field_shares(&costs, &volumes, p->field_shares);
    WL_TRY(find_lives(p, &volumes, &counts, &lives, err));
    const bool unreplayed = volumes.unreplayed || (counts.has_traffic && counts.traffic.replays == WL_REPLAYS_NONE);
    const wl_model_id model = options ? options->model : WL_MODEL_BEST;
    evaluate(&counts, p->device, &volumes, unreplayed ? WL_MODEL_LIMITER : model, options ? options->measured : NULL,
             out);
    if (unreplayed)
        out->model.time_s = wl_limiter_without_memory(p->device, &out->model);
    out->confidence = options && options->confidence;
    out->kernel = p->kernel;
    out->fields = p->field_shares;
    out->has_replayed = wl_fields_replayed(p->kernel, &volumes, p->replayed) > 0;
    out->replayed = out->has_replayed ? p->replayed : NULL;
    out->fixed_view = p->has_fixed_view ? &p->fixed_view : NULL;
    if (options && options->per_line) {
        out->lines = counts.executed.lines;
        out->line_count = counts.executed.line_count;
    }
    if (options && options->per_access && volumes.known)
        WL_TRY(share_out(p, &costs, &counts, view, out, err));
    if (options && options->stacks) {
        WL_TRY(find_distinct(p, launch, options->l1_samples, &input, &volumes, out, err));
        const wl_stacks_input stacked = {&counts, p->device, &volumes, lives, options->model};
        wl_stacks *stacks = NULL;
        WL_TRY(wl_stacks_make(&stacked, out, &p->launch_arena, &stacks, err));
        out->stacks = stacks;
    }
    if (p->schedule.kind != WL_SCHEDULE_LINEAR)
        say_found(p, out);
    WL_TRY(find_outside(p, options, out, err));
    const bool found = p->schedule.kind != WL_SCHEDULE_LINEAR;
    const wl_warned about = {p->kernel, p->device, &p->rules, view, &counts, &volumes, found};
    wl_warn_about_all(&about, out);
    return WL_OK;
}

wl_status wl_predict(wl_predictor *predictor, const wl_launch *launch, const wl_predict_options *options,
                     wl_prediction *out, wl_error *err)
{
    wl_error local = {0};
    wl_error *e = err ? err : &local;
    const wl_status status = predict(predictor, launch, options, out, e);
    if (status != WL_OK && e->loc.line > 0)
        (void)wl_fail_in(e, predictor->kernel->input);
    return status;
}

/* ---- counts kept for fits ---- */

struct wl_counted {
    wl_counts counts;   /* without lines, which belong to the kernel */
    wl_volume *volumes; /* scratch, one per field */
    wl_followed followed;
    wl_lives lives;
    /* for lives, and for what follows from them with the waits seen last: */
    wl_arena kept, profiles;
    wl_field_waits *waited, *tried; /* one per field */
    wl_waits waits;
    bool has_waits;
    bool cold; /* no caches are filled when the launch starts */
};

static wl_status keep_traffic(wl_counted *c, size_t fields, wl_error *err)
{
    void *kept = wl_arena_alloc(&c->kept, 1, wl_traffic_room(fields + 1, c->counts.traffic.of_l1));
    c->volumes = WL_ARENA_NEW(&c->kept, wl_volume, fields + 1);
    if (!kept || !c->volumes)
        return wl_fail_memory(err);
    if (!c->counts.has_traffic || !c->counts.traffic.windows_known)
        return wl_fail(err, WL_E_UNSUPPORTED, WL_NOWHERE,
                       c->counts.has_traffic ? "memory volumes cannot be counted"
                                             : "the device file lacks the numbers of the measured laws");
    wl_traffic_copy(&c->counts.traffic, kept, &c->counts.traffic);
    c->counts.executed.lines = NULL;
    c->counts.executed.line_count = 0;
    return WL_OK;
}

static wl_status keep_lives(wl_counted *c, const wl_predictor *p, wl_error *err)
{
    const wl_costs costs = costs_of(p);
    WL_TRY(wl_follow_find(&costs, &c->counts.launched, &c->counts.warps, &c->kept, &c->followed, err));
    if (!c->followed.lives)
        return WL_OK;
    c->waited = WL_ARENA_NEW(&c->kept, wl_field_waits, c->followed.field_count + 1);
    c->tried = WL_ARENA_NEW(&c->kept, wl_field_waits, c->followed.field_count + 1);
    if (!c->waited || !c->tried)
        return wl_fail_memory(err);
    WL_TRY(wl_lives_copy(c->followed.lives, &c->kept, &c->lives, err));
    c->followed.lives = &c->lives;
    return WL_OK;
}

wl_status wl_counted_make(wl_predictor *predictor, const wl_launch *launch, const wl_predict_options *options,
                          wl_counted **out, wl_error *err)
{
    const wl_view *view = NULL;
    wl_predictor *p = NULL;
    WL_TRY(wl_predictor_at(predictor, launch, &p, err));
    WL_TRY(check_complete(p->kernel, options, err));
    wl_counted *c = calloc(1, sizeof *c);
    if (!c)
        return wl_fail_memory(err);
    c->cold = options && options->caches == WL_CACHES_COLD;
    /* for any model, and any room: a number that fits change */
    p->any_room = true;
    wl_status status = count(p, launch, options, WL_REPLAYS_ALL, &view, &c->counts, err);
    p->any_room = false;
    if (status == WL_OK)
        status = keep_traffic(c, p->kernel->field_count, err);
    if (status == WL_OK)
        status = keep_lives(c, p, err);
    if (status != WL_OK) {
        wl_counted_free(c);
        return status;
    }
    *out = c;
    return WL_OK;
}

/* The waits of warps with these numbers. Most numbers of a fit leave them as they are. */
static wl_status follow_again(wl_counted *c, const wl_device *device, const wl_volumes *volumes, wl_error *err)
{
    wl_waits waits;
    if (!c->followed.lives)
        return WL_OK;
    wl_follow_waits(&c->followed, device, volumes, c->tried, &waits);
    if (c->has_waits && wl_follow_same(&c->waits, &waits))
        return WL_OK;
    c->has_waits = false;
    wl_arena_reset(&c->profiles);
    WL_TRY(wl_follow_warps(&c->followed, &waits, &c->profiles, &c->counts, err));
    wl_field_waits *spare = c->waited;
    c->waited = c->tried;
    c->tried = spare;
    c->waits = waits;
    c->has_waits = true;
    return WL_OK;
}

wl_status wl_counted_predict(wl_counted *counted, const wl_device *device, wl_model_id model, wl_prediction *out,
                             wl_error *err)
{
    wl_laws laws;
    wl_volumes volumes;
    (void)wl_laws_read(device, &laws);
    wl_metrics_set_launch(&counted->counts.launched, out);
    wl_volumes_by_laws(&counted->counts.traffic, &laws, counted->volumes, &volumes);
    wl_local_volumes(&counted->counts.local, &counted->counts.launched, device, &laws, &volumes);
    volumes.cold = counted->cold;
    WL_TRY(follow_again(counted, device, &volumes, err));
    evaluate(&counted->counts, device, &volumes, model, NULL, out);
    return WL_OK;
}

void wl_counted_free(wl_counted *counted)
{
    if (!counted)
        return;
    wl_arena_free(&counted->kept);
    wl_arena_free(&counted->profiles);
    free(counted);
}

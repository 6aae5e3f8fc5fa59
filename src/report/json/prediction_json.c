/* prediction_json.c - schemas warpline.predict/2 and warpline.prediction/2, streamed, since there
 * may be many predictions. Values that are not known are absent. SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>

#include "base/fail.h"
#include "base/json_out.h"
#include "kernel/kernel_internal.h"
#include "metrics/layer_condition.h"
#include "report/common/derived.h"
#include "report/common/prediction_report.h"
#include "report/common/words.h"

#define USUAL_LENGTH 4096 /* bytes of a line */
#define ELEMENT_DEPTH 2   /* of a prediction in {"predictions": [..]} */

static void launch(wl_json_out *o, const wl_prediction *p)
{
    wl_out_members(o,
                   "launch:{block:x grid:x fold:x schedule:s registers:d shared_bytes:d} "
                   "occupancy:{blocks_per_sm:d warps_per_sm:d limiter:s multiprocessor:s} "
                   "work:{items:d unit:s} wave:{blocks:d of:d waves:r}",
                   p->launch.block, p->launch.grid, p->launch.fold, wl_schedule_words(&p->launch.schedule).text,
                   p->launch.registers, p->launch.shared_bytes, p->occupancy.blocks_per_sm, p->occupancy.warps_per_sm,
                   wl_occupancy_limit_name(p->occupancy.limiter), p->sm_word, p->items,
                   wl_work_unit_words(p->work_unit)->name, p->wave_blocks, p->blocks, p->waves);
}

/* Most of what a prediction has, so without formats, which take longer to read. */
static void metrics(wl_json_out *o, const wl_prediction *p)
{
    wl_out_object(o, "metrics");
    for (int i = 0; i < WL_METRIC_COUNT; i++) {
        const wl_value *v = &p->metrics[i];
        if (!v->known)
            continue;
        wl_out_object(o, wl_metric_name((wl_metric)i));
        wl_out_members(o, "value:n", v->value);
        wl_out_text(o, "unit", wl_metric_unit((wl_metric)i));
        wl_out_object(o, "parts");
        for (int k = 0; k < v->part_count; k++)
            wl_out_number(o, v->parts[k].name, v->parts[k].value);
        wl_out_object_end(o);
        wl_out_object_end(o);
    }
    wl_out_object_end(o);
}

static void derived(wl_json_out *o, const wl_report *r)
{
    double value;
    wl_out_object(o, "derived");
    for (int i = 0; i < WL_DERIVED_COUNT; i++)
        if (wl_derived(r, (wl_derived_id)i, &value))
            wl_out_number(o, wl_derived_name((wl_derived_id)i), value);
    wl_out_object_end(o);
}

static void tensor(wl_json_out *o, const wl_mix *mix)
{
    bool any = false;
    for (int k = 0; k < WL_TENSOR_KIND_COUNT; k++)
        any = any || mix->tensor[k] > 0;
    if (!any)
        return;
    wl_out_object(o, "tensor");
    for (int k = 0; k < WL_TENSOR_KIND_COUNT; k++)
        if (mix->tensor[k] > 0)
            wl_out_number(o, wl_tensor_kind_name((wl_tensor_kind)k), mix->tensor[k]);
    wl_out_object_end(o);
}

static void instructions(wl_json_out *o, const wl_mix *mix)
{
    wl_out_members(o, "instructions:{classes:{");
    for (int c = 0; c < WL_INST_CLASS_COUNT; c++)
        if (mix->warp[c] > 0)
            wl_out_row(o, wl_inst_class_name((wl_inst_class)c), "warp:n thread:n", mix->warp[c], mix->thread[c]);
    wl_out_members(o, "} thread_on:n branches:n divergent:n sampled:b", mix->thread_on, mix->branches, mix->divergent,
                   mix->sampled);
    tensor(o, mix);
    wl_out_object_end(o);
}

static void line(wl_json_out *o, const void *of, size_t i)
{
    const wl_line_mix *l = &((const wl_prediction *)of)->lines[i];
    wl_out_members(o, "file:s line:i warp:n thread:n global_accesses:n shared_accesses:n", l->file, (int)l->line,
                   l->warp, l->thread, l->global_accesses, l->shared_accesses);
}

static void waits(wl_json_out *o, const wl_model_result *m)
{
    wl_named_wait list[WL_NAMED_WAITS];
    const int count = wl_named_waits(&m->waits, list);
    wl_out_members(o, "waits:{from_life:b", m->from_life);
    for (int i = 0; i < count; i++)
        wl_out_real(o, list[i].name, list[i].cycles);
    wl_out_object_end(o);
}

static void model(wl_json_out *o, const wl_model_result *m)
{
    wl_out_members(o,
                   "model:{name:s time_s:r launch_gap_s:r caches:s items_per_s:r limiter:s next_limiter:s bounds_s:{",
                   wl_model_name(m->id), m->time_s, m->launch_gap_s, wl_caches_name(m->caches), m->items_per_s,
                   wl_bound_name(m->limiter), wl_bound_name(m->next));
    for (int i = 0; i < WL_BOUND_COUNT; i++)
        if (m->bound_known[i])
            wl_out_real(o, wl_bound_name((wl_bound_id)i), m->bound_s[i]);
    wl_out_object_end(o);
    if (m->tensor_load > 0)
        wl_out_row(o, "clock", "hz:r tensor_load:r", m->clock_hz, m->tensor_load);
    if (m->own_cycles > 0) {
        wl_out_row(o, "block", "own_cycles:r wait_cycles:r tail_cycles:r?", m->own_cycles, m->wait_cycles,
                   m->tail_cycles > 0 ? m->tail_cycles : NAN);
        waits(o, m);
    }
    if (m->kinds.count > 0)
        wl_out_row(o, "kinds", "count:i decides:s blocks:r wait_cycles:r", (int)m->kinds.count,
                   m->kinds.last >= 0 ? "last" : "all", m->kinds.blocks, m->kinds.wait_cycles);
    wl_out_object_end(o);
}

static void share(wl_json_out *o, const wl_prediction *p, const wl_share *s)
{
    const bool dram = p->metrics[WL_METRIC_dram_load_bytes].known;
    wl_out_members(o,
                   "inst:n l1_wavefronts:n l1_sectors:n l2_load_bytes:n l2_store_bytes:n dram_load_bytes:n? "
                   "dram_store_bytes:n?",
                   s->inst, s->l1_wavefronts, s->l1_sectors, s->l2_load_bytes, s->l2_store_bytes,
                   dram ? s->dram_load_bytes : NAN, dram ? s->dram_store_bytes : NAN);
}

static void fields(wl_json_out *o, const wl_report *r)
{
    wl_out_object(o, "fields");
    for (size_t f = 0; r->prediction->fields && f < wl_kernel_field_count(r->kernel); f++) {
        wl_out_object(o, wl_kernel_field_name(r->kernel, f));
        share(o, r->prediction, &r->prediction->fields[f]);
        wl_out_object_end(o);
    }
    wl_out_object_end(o);
}

static void access_of(wl_json_out *o, const void *of, size_t a)
{
    const wl_report *r = of;
    share(o, r->prediction, &r->prediction->accesses[a]);
    wl_out_members(o, "access:s kind:s", wl_kernel_access_text(r->kernel, a), wl_access_kind(r->kernel, a));
}

static void reuse(wl_json_out *o, const wl_prediction *p)
{
    static const char *const names[3] = {"x", "y", "z"};
    wl_out_object(o, "reuse");
    for (int i = 0; i < 3; i++)
        if (p->reuse[i].exists)
            wl_out_row(o, names[i], "wave_overlap_bytes:r oversubscription:r hit_rate:r", p->reuse[i].overlap_bytes,
                       p->reuse[i].oversubscription, p->reuse[i].hit_rate);
    wl_out_object_end(o);
}

static void estimators_and_warnings(wl_json_out *o, const wl_prediction *p)
{
    wl_out_members(o, "estimators:{l1:s volumes:s counting:s instructions:s?", wl_l1_estimator_name(p->has_tag_hash),
                   wl_volume_estimator_name(p->volume_estimator), wl_count_method_name(p->count_method),
                   p->kernel ? p->kernel->counted_by : NULL);
    if (p->replayed) {
        wl_out_array(o, "replayed");
        for (size_t f = 0; f < wl_kernel_field_count(p->kernel); f++)
            if (p->replayed[f])
                wl_out_text(o, NULL, wl_kernel_field_name(p->kernel, f));
        wl_out_array_end(o);
    }
    wl_out_object_end(o);
    wl_out_array(o, "warnings");
    wl_out_texts(o, p->warnings[0], sizeof p->warnings[0], p->warning_count);
    wl_out_array_end(o);
}

/* What the prediction leaves out or guesses. */
static void gap(wl_json_out *o, const void *of, size_t i)
{
    const wl_prediction *p = of;
    const wl_gap *g = &p->kernel->gaps[i];
    wl_out_members(o, "reason:s operation:s executions:n per_block:n source:s", wl_gap_reason_name(g->reason),
                   g->operation, g->executions, p->blocks > 0 ? g->executions / (double)p->blocks : 0, g->place);
    if (g->buffer_count == 0)
        return;
    wl_out_array(o, "contents_of");
    for (int b = 0; b < g->buffer_count; b++)
        wl_out_text(o, NULL, g->buffers[b]);
    wl_out_array_end(o);
}

/* An access outside of all buffers; of closed forms only the sentence is known. */
static void outside(wl_json_out *o, const void *of, size_t i)
{
    const wl_outside *x = &((const wl_prediction *)of)->outside[i];
    char address[24];
    wl_out_members(o, "message:s", x->text);
    if (x->bytes == 0)
        return;
    (void)snprintf(address, sizeof address, "0x%llx", (unsigned long long)x->address);
    wl_out_members(o, "access:s kind:s bytes:i source:s thread:x block:x address:s", x->access,
                   x->store ? "store" : "load", x->bytes, x->place, x->thread, x->block, address);
    if (x->buffer)
        wl_out_members(o, "buffer:s offset:d buffer_bytes:d", x->buffer, x->offset, x->buffer_bytes);
}

static void layer_condition(wl_json_out *o, const wl_report *r)
{
    wl_layer_condition layer;
    const wl_status status = wl_layer_condition_of(r->prediction, r->kernel, r->device, &layer, NULL);
    o->text->failed = o->text->failed || status == WL_E_NOMEM;
    if (status == WL_OK && layer.layers > 1)
        wl_out_row(o, "layer_condition", "layers:d needed_bytes:r room_bytes:r holds:b", (int64_t)layer.layers,
                   layer.needed_bytes, layer.room_bytes, layer.holds);
}

static void members(wl_json_out *o, const wl_report *r)
{
    const wl_prediction *p = r->prediction;
    wl_out_members(o, "kernel:s device:s", wl_kernel_name(r->kernel), wl_device_name(r->device));
    launch(o, p);
    metrics(o, p);
    reuse(o, p);
    fields(o, r);
    model(o, &p->model);
    estimators_and_warnings(o, p);
    if (p->kernel && p->kernel->gap_count > 0)
        wl_out_objects(o, "incomplete", p->kernel->gap_count, gap, p);
    if (p->outside_count > 0)
        wl_out_objects(o, "out_of_bounds", (size_t)p->outside_count, outside, p);
    if (p->confidence)
        wl_confidence_json(o, r->device, p->model.id);
    if (p->sampled)
        wl_out_row(o, "sampled", "error:n", p->sampled_error);
    layer_condition(o, r);
    derived(o, r);
    if (p->has_mix)
        instructions(o, &p->mix);
    if (p->lines)
        wl_out_objects(o, "lines", p->line_count, line, p);
    if (p->accesses)
        wl_out_objects(o, "accesses", wl_kernel_access_count(r->kernel), access_of, r);
    wl_out_members(o, "symbol:s?", wl_kernel_symbol(r->kernel));
}

static void prediction(wl_json_out *o, const wl_report *r, const char *schema)
{
    wl_out_object(o, NULL);
    wl_out_members(o, "schema:s?", schema);
    members(o, r);
    wl_out_object_end(o);
}

wl_status wl_report_json_line(const void *result, wl_buffer *out, wl_error *err)
{
    wl_json_out o = {.text = out, .form = WL_JSON_COMPACT, .digits = WL_JSON_DIGITS};
    (void)wl_buffer_room(out, USUAL_LENGTH);
    prediction(&o, result, "warpline.prediction/2");
    return wl_out_status(&o, err);
}

/* Opens the array of predictions before the first of them, or continues it. */
static wl_json_out array_of(wl_buffer *out, bool first)
{
    wl_json_out o = {.text = out, .form = WL_JSON_INDENTED, .digits = WL_JSON_DIGITS};
    if (first) {
        wl_out_object(&o, NULL);
        wl_out_text(&o, "schema", "warpline.predict/2");
        wl_out_array(&o, "predictions");
    }
    o.depth = ELEMENT_DEPTH;
    o.filled = !first;
    return o;
}

wl_status wl_report_json_piece(const wl_report *r, bool first, wl_buffer *out, wl_error *err)
{
    wl_json_out o = array_of(out, first);
    prediction(&o, r, NULL);
    return wl_out_status(&o, err);
}

void wl_report_json_end(bool none, wl_buffer *out)
{
    wl_json_out o = array_of(out, none);
    wl_out_array_end(&o);
    wl_out_object_end(&o);
}

wl_status wl_report_json(const void *result, wl_buffer *out, wl_error *err)
{
    WL_TRY(wl_report_json_piece(result, true, out, err));
    wl_report_json_end(false, out);
    return WL_OK;
}

/* prediction_json.c - schemas warpline.predict/2 and warpline.prediction/2, streamed, since there
 * may be many predictions. Values that are not known are absent. SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/fail.h"
#include "base/json_out.h"
#include "kernel/kernel_internal.h"
#include "metrics/layer_condition.h"
#include "report/common/derived.h"
#include "report/common/prediction_report.h"
#include "report/common/shape_text.h"

#define USUAL_LENGTH 4096 /* bytes of a line */
#define ELEMENT_DEPTH 2   /* of a prediction in {"predictions": [..]} */

static void launch(wl_json_out *o, const wl_prediction *p)
{
    wl_out_object(o, "launch");
    wl_out_shape(o, "block", p->launch.block);
    wl_out_shape(o, "grid", p->launch.grid);
    wl_out_shape(o, "fold", p->launch.fold);
    wl_out_text(o, "schedule", wl_schedule_words(&p->launch.schedule).text);
    wl_out_whole(o, "registers", p->launch.registers);
    wl_out_whole(o, "shared_bytes", p->launch.shared_bytes);
    wl_out_object_end(o);
}

static void occupancy_and_wave(wl_json_out *o, const wl_prediction *p)
{
    wl_out_object(o, "occupancy");
    wl_out_whole(o, "blocks_per_sm", p->occupancy.blocks_per_sm);
    wl_out_whole(o, "warps_per_sm", p->occupancy.warps_per_sm);
    wl_out_text(o, "limiter", wl_occupancy_limit_name(p->occupancy.limiter));
    wl_out_text(o, "multiprocessor", p->sm_word);
    wl_out_object_end(o);
    wl_out_object(o, "work");
    wl_out_whole(o, "items", p->items);
    wl_out_text(o, "unit", wl_work_unit_words(p->work_unit)->name);
    wl_out_object_end(o);
    wl_out_object(o, "wave");
    wl_out_whole(o, "blocks", p->wave_blocks);
    wl_out_whole(o, "of", p->blocks);
    wl_out_must_real(o, "waves", p->waves);
    wl_out_object_end(o);
}

static void metrics(wl_json_out *o, const wl_prediction *p)
{
    wl_out_object(o, "metrics");
    for (int i = 0; i < WL_METRIC_COUNT; i++) {
        const wl_value *v = &p->metrics[i];
        if (!v->known)
            continue;
        wl_out_object(o, wl_metric_name((wl_metric)i));
        wl_out_must_number(o, "value", v->value);
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
    wl_out_object(o, "instructions");
    wl_out_object(o, "classes");
    for (int c = 0; c < WL_INST_CLASS_COUNT; c++) {
        if (!(mix->warp[c] > 0))
            continue;
        wl_out_object(o, wl_inst_class_name((wl_inst_class)c));
        wl_out_must_number(o, "warp", mix->warp[c]);
        wl_out_must_number(o, "thread", mix->thread[c]);
        wl_out_object_end(o);
    }
    wl_out_object_end(o);
    wl_out_must_number(o, "thread_on", mix->thread_on);
    wl_out_must_number(o, "branches", mix->branches);
    wl_out_must_number(o, "divergent", mix->divergent);
    wl_out_truth(o, "sampled", mix->sampled);
    tensor(o, mix);
    wl_out_object_end(o);
}

static void lines(wl_json_out *o, const wl_prediction *p)
{
    wl_out_array(o, "lines");
    for (size_t i = 0; i < p->line_count; i++) {
        const wl_line_mix *l = &p->lines[i];
        wl_out_object(o, NULL);
        wl_out_text(o, "file", l->file);
        wl_out_whole(o, "line", l->line);
        wl_out_must_number(o, "warp", l->warp);
        wl_out_must_number(o, "thread", l->thread);
        wl_out_must_number(o, "global_accesses", l->global_accesses);
        wl_out_must_number(o, "shared_accesses", l->shared_accesses);
        wl_out_object_end(o);
    }
    wl_out_array_end(o);
}

static void waits(wl_json_out *o, const wl_model_result *m)
{
    wl_named_wait list[WL_NAMED_WAITS];
    const int count = wl_named_waits(&m->waits, list);
    wl_out_object(o, "waits");
    wl_out_truth(o, "from_life", m->from_life);
    for (int i = 0; i < count; i++)
        wl_out_real(o, list[i].name, list[i].cycles);
    wl_out_object_end(o);
}

static void kinds(wl_json_out *o, const wl_model_result *m)
{
    wl_out_object(o, "kinds");
    wl_out_whole(o, "count", m->kinds.count);
    wl_out_text(o, "decides", m->kinds.last >= 0 ? "last" : "all");
    wl_out_must_real(o, "blocks", m->kinds.blocks);
    wl_out_must_real(o, "wait_cycles", m->kinds.wait_cycles);
    wl_out_object_end(o);
}

static void model(wl_json_out *o, const wl_model_result *m)
{
    wl_out_object(o, "model");
    wl_out_text(o, "name", wl_model_name(m->id));
    wl_out_must_real(o, "time_s", m->time_s);
    wl_out_must_real(o, "items_per_s", m->items_per_s);
    wl_out_text(o, "limiter", wl_bound_name(m->limiter));
    wl_out_text(o, "next_limiter", wl_bound_name(m->next));
    wl_out_object(o, "bounds_s");
    for (int i = 0; i < WL_BOUND_COUNT; i++)
        if (m->bound_known[i])
            wl_out_real(o, wl_bound_name((wl_bound_id)i), m->bound_s[i]);
    wl_out_object_end(o);
    if (m->own_cycles > 0) {
        wl_out_object(o, "block");
        wl_out_must_real(o, "own_cycles", m->own_cycles);
        wl_out_must_real(o, "wait_cycles", m->wait_cycles);
        if (m->tail_cycles > 0)
            wl_out_real(o, "tail_cycles", m->tail_cycles);
        wl_out_object_end(o);
        waits(o, m);
    }
    if (m->kinds.count > 0)
        kinds(o, m);
    wl_out_object_end(o);
}

static void share(wl_json_out *o, const wl_prediction *p, const wl_share *s)
{
    wl_out_must_number(o, "inst", s->inst);
    wl_out_must_number(o, "l1_wavefronts", s->l1_wavefronts);
    wl_out_must_number(o, "l1_sectors", s->l1_sectors);
    wl_out_must_number(o, "l2_load_bytes", s->l2_load_bytes);
    wl_out_must_number(o, "l2_store_bytes", s->l2_store_bytes);
    if (p->metrics[WL_METRIC_dram_load_bytes].known) {
        wl_out_number(o, "dram_load_bytes", s->dram_load_bytes);
        wl_out_number(o, "dram_store_bytes", s->dram_store_bytes);
    }
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

static void accesses(wl_json_out *o, const wl_report *r)
{
    wl_out_array(o, "accesses");
    for (size_t a = 0; a < wl_kernel_access_count(r->kernel); a++) {
        wl_out_object(o, NULL);
        share(o, r->prediction, &r->prediction->accesses[a]);
        wl_out_text(o, "access", wl_kernel_access_text(r->kernel, a));
        wl_out_text(o, "kind",
                    wl_kernel_access_is_atomic(r->kernel, a)  ? "atomic"
                    : wl_kernel_access_is_store(r->kernel, a) ? "store"
                                                              : "load");
        wl_out_object_end(o);
    }
    wl_out_array_end(o);
}

static void reuse(wl_json_out *o, const wl_prediction *p)
{
    static const char *const names[3] = {"x", "y", "z"};
    wl_out_object(o, "reuse");
    for (int i = 0; i < 3; i++) {
        if (!p->reuse[i].exists)
            continue;
        wl_out_object(o, names[i]);
        wl_out_must_real(o, "wave_overlap_bytes", p->reuse[i].overlap_bytes);
        wl_out_must_real(o, "oversubscription", p->reuse[i].oversubscription);
        wl_out_must_real(o, "hit_rate", p->reuse[i].hit_rate);
        wl_out_object_end(o);
    }
    wl_out_object_end(o);
}

static void estimators_and_warnings(wl_json_out *o, const wl_prediction *p)
{
    wl_out_object(o, "estimators");
    wl_out_text(o, "l1", wl_l1_estimator_name(p->has_tag_hash));
    wl_out_text(o, "volumes", wl_volume_estimator_name(p->volume_estimator));
    wl_out_text(o, "counting", wl_count_method_name(p->count_method));
    if (p->replayed) {
        wl_out_array(o, "replayed");
        for (size_t f = 0; f < wl_kernel_field_count(p->kernel); f++)
            if (p->replayed[f])
                wl_out_text(o, NULL, wl_kernel_field_name(p->kernel, f));
        wl_out_array_end(o);
    }
    wl_out_object_end(o);
    wl_out_array(o, "warnings");
    for (int i = 0; i < p->warning_count; i++)
        wl_out_text(o, NULL, p->warnings[i]);
    wl_out_array_end(o);
}

static void layer_condition(wl_json_out *o, const wl_report *r)
{
    wl_layer_condition layer;
    const wl_status status = wl_layer_condition_of(r->prediction, r->kernel, r->device, &layer, NULL);
    o->text->failed = o->text->failed || status == WL_E_NOMEM;
    if (status != WL_OK || layer.layers <= 1)
        return;
    wl_out_object(o, "layer_condition");
    wl_out_whole(o, "layers", layer.layers);
    wl_out_must_real(o, "needed_bytes", layer.needed_bytes);
    wl_out_must_real(o, "room_bytes", layer.room_bytes);
    wl_out_truth(o, "holds", layer.holds);
    wl_out_object_end(o);
}

static void members(wl_json_out *o, const wl_report *r)
{
    const wl_prediction *p = r->prediction;
    wl_out_text(o, "kernel", wl_kernel_name(r->kernel));
    wl_out_text(o, "device", wl_device_name(r->device));
    launch(o, p);
    occupancy_and_wave(o, p);
    metrics(o, p);
    reuse(o, p);
    fields(o, r);
    model(o, &p->model);
    estimators_and_warnings(o, p);
    if (p->confidence)
        wl_confidence_json(o, r->device, p->model.id);
    if (p->sampled) {
        wl_out_object(o, "sampled");
        wl_out_must_number(o, "error", p->sampled_error);
        wl_out_object_end(o);
    }
    layer_condition(o, r);
    derived(o, r);
    if (p->has_mix)
        instructions(o, &p->mix);
    if (p->lines)
        lines(o, p);
    if (p->accesses)
        accesses(o, r);
    if (r->kernel->symbol && strcmp(r->kernel->symbol, r->kernel->name) != 0)
        wl_out_text(o, "symbol", r->kernel->symbol);
}

static void prediction(wl_json_out *o, const wl_report *r, const char *schema)
{
    wl_out_object(o, NULL);
    if (schema)
        wl_out_text(o, "schema", schema);
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

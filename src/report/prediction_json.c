/* prediction_json.c - schema warpline.predict/1. Values that are not known are absent. SPDX-License-Identifier: MIT */
#include "base/json.h"
#include "metrics/layer_condition.h"
#include "report/derived.h"
#include "report/prediction_report.h"
#include "report/symbol_json.h"

static json_t *launch(wl_json *j, const wl_prediction *p)
{
    char schedule[WL_SCHEDULE_TEXT_MAX];
    wl_schedule_print(&p->launch.schedule, schedule);
    return wl_json_pack(j, "{s:o, s:o, s:o, s:s, s:I, s:I}", "block", wl_json_shape(j, p->launch.block), "grid",
                        wl_json_shape(j, p->launch.grid), "fold", wl_json_shape(j, p->launch.fold), "schedule",
                        schedule, "registers", (json_int_t)p->launch.registers, "shared_bytes",
                        (json_int_t)p->launch.shared_bytes);
}

static json_t *metrics(wl_json *j, const wl_prediction *p)
{
    json_t *all = wl_json_object(j);
    for (int i = 0; i < WL_METRIC_COUNT; i++) {
        const wl_value *v = &p->metrics[i];
        if (!v->known)
            continue;
        json_t *parts = wl_json_object(j);
        for (int k = 0; k < v->part_count; k++)
            wl_json_set(j, parts, v->parts[k].name, wl_json_number(j, v->parts[k].value));
        wl_json_set(j, all, wl_metric_name((wl_metric)i),
                    wl_json_pack(j, "{s:o, s:s, s:o}", "value", wl_json_number(j, v->value), "unit",
                                 wl_metric_unit((wl_metric)i), "parts", parts));
    }
    return all;
}

static json_t *derived(wl_json *j, const wl_report *r)
{
    json_t *all = wl_json_object(j);
    double value;
    for (int i = 0; i < WL_DERIVED_COUNT; i++)
        if (wl_derived(r, (wl_derived_id)i, &value))
            wl_json_set(j, all, wl_derived_name((wl_derived_id)i), wl_json_number(j, value));
    return all;
}

static json_t *instructions(wl_json *j, const wl_mix *mix)
{
    json_t *classes = wl_json_object(j);
    for (int c = 0; c < WL_INST_CLASS_COUNT; c++)
        if (mix->warp[c] > 0)
            wl_json_set(j, classes, wl_inst_class_name((wl_inst_class)c),
                        wl_json_pack(j, "{s:o, s:o}", "warp", wl_json_number(j, mix->warp[c]), "thread",
                                     wl_json_number(j, mix->thread[c])));
    json_t *tensor = wl_json_object(j), *all = NULL;
    for (int k = 0; k < WL_TENSOR_KIND_COUNT; k++)
        if (mix->tensor[k] > 0)
            wl_json_set(j, tensor, wl_tensor_kind_name((wl_tensor_kind)k), wl_json_number(j, mix->tensor[k]));
    all = wl_json_pack(j, "{s:o, s:o, s:o, s:o, s:b}", "classes", classes, "thread_on",
                       wl_json_number(j, mix->thread_on), "branches", wl_json_number(j, mix->branches), "divergent",
                       wl_json_number(j, mix->divergent), "sampled", mix->sampled);
    wl_json_set(j, all, "tensor", json_object_size(tensor) > 0 ? json_incref(tensor) : NULL);
    json_decref(tensor);
    return all;
}

static json_t *lines(wl_json *j, const wl_prediction *p)
{
    json_t *all = wl_json_array(j);
    for (size_t i = 0; i < p->line_count; i++) {
        const wl_line_mix *l = &p->lines[i];
        wl_json_add(j, all,
                    wl_json_pack(j, "{s:s, s:i, s:o, s:o, s:o, s:o}", "file", l->file, "line", (int)l->line, "warp",
                                 wl_json_number(j, l->warp), "thread", wl_json_number(j, l->thread), "global_accesses",
                                 wl_json_number(j, l->global_accesses), "shared_accesses",
                                 wl_json_number(j, l->shared_accesses)));
    }
    return all;
}

static json_t *waits(wl_json *j, const wl_model_result *m)
{
    wl_named_wait list[WL_NAMED_WAITS];
    const int count = wl_named_waits(&m->waits, list);
    json_t *all = wl_json_object(j);
    wl_json_set(j, all, "from_life", wl_json_truth(j, m->from_life));
    for (int i = 0; i < count; i++)
        wl_json_set(j, all, list[i].name, wl_json_real(j, list[i].cycles));
    return all;
}

static json_t *model(wl_json *j, const wl_model_result *m)
{
    json_t *bounds = wl_json_object(j);
    for (int i = 0; i < WL_BOUND_COUNT; i++)
        if (m->bound_known[i])
            wl_json_set(j, bounds, wl_bound_name((wl_bound_id)i), wl_json_real(j, m->bound_s[i]));
    json_t *all = wl_json_pack(j, "{s:s, s:f, s:f, s:s, s:s, s:o}", "name", wl_model_name(m->id), "time_s", m->time_s,
                               "items_per_s", m->items_per_s, "limiter", wl_bound_name(m->limiter), "next_limiter",
                               wl_bound_name(m->next), "bounds_s", bounds);
    if (m->own_cycles > 0) {
        wl_json_set(j, all, "block",
                    wl_json_pack(j, "{s:f, s:f}", "own_cycles", m->own_cycles, "wait_cycles", m->wait_cycles));
        wl_json_set(j, all, "waits", waits(j, m));
    }
    if (m->kinds.count > 0)
        wl_json_set(j, all, "kinds",
                    wl_json_pack(j, "{s:i, s:s, s:f, s:f}", "count", m->kinds.count, "decides",
                                 m->kinds.last >= 0 ? "last" : "all", "blocks", m->kinds.blocks, "wait_cycles",
                                 m->kinds.wait_cycles));
    return all;
}

static json_t *share(wl_json *j, const wl_prediction *p, const wl_share *s)
{
    json_t *all = wl_json_pack(j, "{s:o, s:o, s:o, s:o, s:o}", "inst", wl_json_number(j, s->inst), "l1_wavefronts",
                               wl_json_number(j, s->l1_wavefronts), "l1_sectors", wl_json_number(j, s->l1_sectors),
                               "l2_load_bytes", wl_json_number(j, s->l2_load_bytes), "l2_store_bytes",
                               wl_json_number(j, s->l2_store_bytes));
    if (p->metrics[WL_METRIC_dram_load_bytes].known) {
        wl_json_set(j, all, "dram_load_bytes", wl_json_number(j, s->dram_load_bytes));
        wl_json_set(j, all, "dram_store_bytes", wl_json_number(j, s->dram_store_bytes));
    }
    return all;
}

static json_t *fields(wl_json *j, const wl_report *r)
{
    json_t *all = wl_json_object(j);
    for (size_t f = 0; r->prediction->fields && f < wl_kernel_field_count(r->kernel); f++)
        wl_json_set(j, all, wl_kernel_field_name(r->kernel, f), share(j, r->prediction, &r->prediction->fields[f]));
    return all;
}

static json_t *accesses(wl_json *j, const wl_report *r)
{
    json_t *all = wl_json_array(j);
    for (size_t a = 0; a < wl_kernel_access_count(r->kernel); a++) {
        json_t *one = share(j, r->prediction, &r->prediction->accesses[a]);
        wl_json_set(j, one, "access", wl_json_text(j, wl_kernel_access_text(r->kernel, a)));
        wl_json_set(j, one, "kind",
                    wl_json_text(j, wl_kernel_access_is_atomic(r->kernel, a)  ? "atomic"
                                    : wl_kernel_access_is_store(r->kernel, a) ? "store"
                                                                              : "load"));
        wl_json_add(j, all, one);
    }
    return all;
}

static json_t *reuse(wl_json *j, const wl_prediction *p)
{
    static const char *const names[3] = {"x", "y", "z"};
    json_t *all = wl_json_object(j);
    for (int i = 0; i < 3; i++)
        if (p->reuse[i].exists)
            wl_json_set(j, all, names[i],
                        wl_json_pack(j, "{s:f, s:f, s:f}", "wave_overlap_bytes", p->reuse[i].overlap_bytes,
                                     "oversubscription", p->reuse[i].oversubscription, "hit_rate",
                                     p->reuse[i].hit_rate));
    return all;
}

static json_t *warnings(wl_json *j, const wl_prediction *p)
{
    json_t *all = wl_json_array(j);
    for (int i = 0; i < p->warning_count; i++)
        wl_json_add(j, all, wl_json_text(j, p->warnings[i]));
    return all;
}

wl_status wl_report_json(const wl_report *r, bool one_line, char **out, wl_error *err)
{
    const wl_prediction *p = r->prediction;
    wl_json json = {0}, *j = &json;
    json_t *root = wl_json_pack(
        j,
        "{s:s, s:s, s:s, s:o, s:{s:I, s:I, s:s}, s:{s:I}, s:{s:I, s:I, s:f}, s:o, s:o, s:o, s:o, s:{s:s, s:s, s:s}, "
        "s:o}",
        "schema", "warpline.predict/1", "kernel", wl_kernel_name(r->kernel), "device", wl_device_name(r->device),
        "launch", launch(j, p), "occupancy", "blocks_per_sm", (json_int_t)p->occupancy.blocks_per_sm, "warps_per_sm",
        (json_int_t)p->occupancy.warps_per_sm, "limiter", wl_occupancy_limit_name(p->occupancy.limiter), "work",
        "items", (json_int_t)p->items, "wave", "blocks", (json_int_t)p->wave_blocks, "of", (json_int_t)p->blocks,
        "waves", p->waves, "metrics", metrics(j, p), "reuse", reuse(j, p), "fields", fields(j, r), "model",
        model(j, &p->model), "estimators", "l1", wl_l1_estimator_name(p->has_tag_hash), "volumes",
        wl_volume_estimator_name(p->volume_estimator), "counting", wl_count_method_name(p->count_method), "warnings",
        warnings(j, p));
    if (p->confidence)
        wl_json_set(j, root, "confidence", wl_confidence_json(j, r->device, p->model.id));
    if (p->sampled)
        wl_json_set(j, root, "sampled", wl_json_pack(j, "{s:o}", "error", wl_json_number(j, p->sampled_error)));
    wl_layer_condition layer;
    const wl_status has_layers = wl_layer_condition_check(r->kernel, r->device, &layer, NULL);
    j->failed = j->failed || has_layers == WL_E_NOMEM;
    if (has_layers == WL_OK && layer.layers > 1)
        wl_json_set(j, root, "layer_condition",
                    wl_json_pack(j, "{s:I, s:f, s:f, s:b}", "layers", (json_int_t)layer.layers, "needed_bytes",
                                 layer.needed_bytes, "room_bytes", layer.room_bytes, "holds", layer.holds));
    wl_json_set(j, root, "derived", derived(j, r));
    if (p->has_mix)
        wl_json_set(j, root, "instructions", instructions(j, &p->mix));
    if (p->lines)
        wl_json_set(j, root, "lines", lines(j, p));
    if (p->accesses)
        wl_json_set(j, root, "accesses", accesses(j, r));
    wl_json_symbol(j, root, r->kernel);
    return wl_json_take(j, root, one_line ? WL_JSON_COMPACT : WL_JSON_INDENTED, WL_JSON_DIGITS, out, err);
}

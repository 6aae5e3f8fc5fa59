/* prediction_json.c - schema warpline.predict/1. Values that are not known are absent. SPDX-License-Identifier: MIT */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "base/fail.h"
#include "report/derived.h"
#include "report/report.h"

/* Counts print as whole numbers; jansson takes the reference. */
static json_t *number(double value)
{
    if (value == floor(value) && fabs(value) < 9007199254740992.0)
        return json_integer((json_int_t)value);
    return json_real(value);
}

static json_t *triple(const int64_t extent[3])
{
    return json_pack("[I,I,I]", (json_int_t)extent[0], (json_int_t)extent[1], (json_int_t)extent[2]);
}

static json_t *launch(const wl_prediction *p)
{
    return json_pack("{s:o, s:o, s:o, s:s, s:I, s:I}", "block", triple(p->launch.block), "grid", triple(p->launch.grid),
                     "fold", triple(p->launch.fold), "schedule", "linear", "registers", (json_int_t)p->launch.registers,
                     "shared_bytes", (json_int_t)p->launch.shared_bytes);
}

static json_t *metrics(const wl_prediction *p)
{
    json_t *all = json_object();
    for (int i = 0; i < WL_METRIC_COUNT; i++) {
        const wl_value *v = &p->metrics[i];
        if (!v->known)
            continue;
        json_t *parts = json_object();
        for (int k = 0; k < v->part_count; k++)
            json_object_set_new(parts, v->parts[k].name, number(v->parts[k].value));
        json_object_set_new(all, wl_metric_name((wl_metric)i),
                            json_pack("{s:o, s:s, s:o}", "value", number(v->value), "unit",
                                      wl_metric_unit((wl_metric)i), "parts", parts));
    }
    return all;
}

static json_t *derived(const wl_report *r)
{
    json_t *all = json_object();
    double value;
    for (int i = 0; i < WL_DERIVED_COUNT; i++)
        if (wl_derived(r, (wl_derived_id)i, &value))
            json_object_set_new(all, wl_derived_name((wl_derived_id)i), number(value));
    return all;
}

static json_t *instructions(const wl_mix *mix)
{
    json_t *classes = json_object();
    for (int c = 0; c < WL_INST_CLASS_COUNT; c++)
        if (mix->warp[c] > 0)
            json_object_set_new(
                classes, wl_inst_class_name((wl_inst_class)c),
                json_pack("{s:o, s:o}", "warp", number(mix->warp[c]), "thread", number(mix->thread[c])));
    json_t *tensor = json_object(), *all = NULL;
    for (int k = 0; k < WL_TENSOR_KIND_COUNT; k++)
        if (mix->tensor[k] > 0)
            json_object_set_new(tensor, wl_tensor_kind_name((wl_tensor_kind)k), number(mix->tensor[k]));
    all = json_pack("{s:o, s:o, s:o, s:o, s:b}", "classes", classes, "thread_on", number(mix->thread_on), "branches",
                    number(mix->branches), "divergent", number(mix->divergent), "sampled", mix->sampled);
    if (json_object_size(tensor) > 0)
        json_object_set(all, "tensor", tensor);
    json_decref(tensor);
    return all;
}

static json_t *lines(const wl_prediction *p)
{
    json_t *all = json_array();
    for (size_t i = 0; i < p->line_count; i++) {
        const wl_line_mix *l = &p->lines[i];
        json_array_append_new(all,
                              json_pack("{s:s, s:i, s:o, s:o, s:o, s:o}", "file", l->file, "line", (int)l->line, "warp",
                                        number(l->warp), "thread", number(l->thread), "global_accesses",
                                        number(l->global_accesses), "shared_accesses", number(l->shared_accesses)));
    }
    return all;
}

static json_t *model(const wl_model_result *m)
{
    json_t *bounds = json_object();
    for (int i = 0; i < WL_BOUND_COUNT; i++)
        if (m->bound_known[i])
            json_object_set_new(bounds, wl_bound_name((wl_bound_id)i), json_real(m->bound_s[i]));
    json_t *all =
        json_pack("{s:s, s:f, s:f, s:s, s:s, s:o}", "name", m->name, "time_s", m->time_s, "items_per_s", m->items_per_s,
                  "limiter", wl_bound_name(m->limiter), "next_limiter", wl_bound_name(m->next), "bounds_s", bounds);
    if (m->own_cycles > 0)
        json_object_set_new(all, "block",
                            json_pack("{s:f, s:f}", "own_cycles", m->own_cycles, "wait_cycles", m->wait_cycles));
    return all;
}

static json_t *share(const wl_prediction *p, const wl_share *s)
{
    json_t *all = json_pack("{s:o, s:o, s:o, s:o, s:o}", "inst", number(s->inst), "l1_wavefronts",
                            number(s->l1_wavefronts), "l1_sectors", number(s->l1_sectors), "l2_load_bytes",
                            number(s->l2_load_bytes), "l2_store_bytes", number(s->l2_store_bytes));
    if (p->metrics[WL_METRIC_dram_load_bytes].known) {
        json_object_set_new(all, "dram_load_bytes", number(s->dram_load_bytes));
        json_object_set_new(all, "dram_store_bytes", number(s->dram_store_bytes));
    }
    return all;
}

static json_t *fields(const wl_report *r)
{
    json_t *all = json_object();
    for (size_t f = 0; r->prediction->fields && f < wl_kernel_field_count(r->kernel); f++)
        json_object_set_new(all, wl_kernel_field_name(r->kernel, f), share(r->prediction, &r->prediction->fields[f]));
    return all;
}

static json_t *accesses(const wl_report *r)
{
    json_t *all = json_array();
    for (size_t a = 0; a < wl_kernel_access_count(r->kernel); a++) {
        json_t *one = share(r->prediction, &r->prediction->accesses[a]);
        json_object_set_new(one, "access", json_string(wl_kernel_access_text(r->kernel, a)));
        json_object_set_new(one, "kind",
                            json_string(wl_kernel_access_is_atomic(r->kernel, a)  ? "atomic"
                                        : wl_kernel_access_is_store(r->kernel, a) ? "store"
                                                                                  : "load"));
        json_array_append_new(all, one);
    }
    return all;
}

static json_t *reuse(const wl_prediction *p)
{
    static const char *const names[3] = {"x", "y", "z"};
    json_t *all = json_object();
    for (int i = 0; i < 3; i++)
        if (p->reuse[i].exists)
            json_object_set_new(all, names[i],
                                json_pack("{s:f, s:f, s:f}", "wave_overlap_bytes", p->reuse[i].overlap_bytes,
                                          "oversubscription", p->reuse[i].oversubscription, "hit_rate",
                                          p->reuse[i].hit_rate));
    return all;
}

static json_t *warnings(const wl_prediction *p)
{
    json_t *all = json_array();
    for (int i = 0; i < p->warning_count; i++)
        json_array_append_new(all, json_string(p->warnings[i]));
    return all;
}

wl_status wl_report_json(const wl_report *r, bool one_line, char **out, wl_error *err)
{
    const wl_prediction *p = r->prediction;
    json_t *root = json_pack(
        "{s:s, s:s, s:s, s:o, s:{s:I, s:I, s:s}, s:{s:I}, s:{s:I, s:I, s:f}, s:o, s:o, s:o, s:o, s:{s:s, s:s, s:s}, "
        "s:o}",
        "schema", "warpline.predict/1", "kernel", wl_kernel_name(r->kernel), "device", wl_device_name(r->device),
        "launch", launch(p), "occupancy", "blocks_per_sm", (json_int_t)p->occupancy.blocks_per_sm, "warps_per_sm",
        (json_int_t)p->occupancy.warps_per_sm, "limiter", wl_occupancy_limit_name(p->occupancy.limiter), "work",
        "items", (json_int_t)p->items, "wave", "blocks", (json_int_t)p->wave_blocks, "of", (json_int_t)p->blocks,
        "waves", p->waves, "metrics", metrics(p), "reuse", reuse(p), "fields", fields(r), "model", model(&p->model),
        "estimators", "l1", p->l1_estimator, "volumes", p->volume_estimator, "counting", p->count_method, "warnings",
        warnings(p));
    wl_layer_condition layer;
    if (root && wl_layer_condition_check(r->kernel, r->device, &layer, NULL) == WL_OK && layer.layers > 1)
        json_object_set_new(root, "layer_condition",
                            json_pack("{s:I, s:f, s:f, s:b}", "layers", (json_int_t)layer.layers, "needed_bytes",
                                      layer.needed_bytes, "room_bytes", layer.room_bytes, "holds", layer.holds));
    if (root)
        json_object_set_new(root, "derived", derived(r));
    if (root && p->has_mix)
        json_object_set_new(root, "instructions", instructions(&p->mix));
    if (root && p->lines)
        json_object_set_new(root, "lines", lines(p));
    if (root && p->accesses)
        json_object_set_new(root, "accesses", accesses(r));
    *out = root ? json_dumps(root, (one_line ? JSON_COMPACT : JSON_INDENT(1)) | JSON_REAL_PRECISION(15)) : NULL;
    json_decref(root);
    return *out ? WL_OK : wl_fail_memory(err);
}

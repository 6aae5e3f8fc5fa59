/* advise_json.c - advice as JSON, schema warpline.advise/1. SPDX-License-Identifier: MIT */
#include "base/json.h"
#include "report/common/advise_words.h"
#include "search/advised.h"
#include "report/common/render.h"
#include "report/common/shape_text.h"
#include "report/json/symbol_json.h"

/* An extent that is not given counts as 1. */
static json_t *extents(wl_json *j, const int64_t extent[3])
{
    const int64_t given[3] = {extent[0] ? extent[0] : 1, extent[1] ? extent[1] : 1, extent[2] ? extent[2] : 1};
    return wl_json_shape(j, given);
}

static json_t *launch(wl_json *j, const wl_launch *l)
{
    json_t *one = wl_json_pack(j, "{s:o, s:o, s:I, s:I}", "block", extents(j, l->block), "fold", extents(j, l->fold),
                               "registers", (json_int_t)l->registers, "shared_bytes", (json_int_t)l->shared_bytes);
    if (l->schedule.kind != WL_SCHEDULE_LINEAR)
        wl_json_set(j, one, "schedule", wl_json_text(j, wl_schedule_words(&l->schedule).text));
    return one;
}

/* Collects the fields. */
typedef struct field_list {
    wl_json *json;
    json_t *object;
} field_list;

static void add_field(void *user, const char *name, int dims, const int64_t *strides, int64_t origin)
{
    const field_list *fields = user;
    wl_json *j = fields->json;
    json_t *list = wl_json_array(j);
    for (int d = 0; d < dims; d++)
        wl_json_add(j, list, wl_json_whole(j, strides[d]));
    wl_json_set(j, fields->object, name, wl_json_pack(j, "{s:o, s:I}", "strides", list, "origin", (json_int_t)origin));
}

static json_t *advice(wl_json *j, const wl_advise_report *all, const wl_advice *a)
{
    wl_advice_words w;
    json_t *changes = wl_json_array(j), *caveats = wl_json_array(j);
    for (int c = 0; c < WL_CHANGE_COUNT; c++) {
        if (!wl_advice_has(a, (wl_change)c))
            continue;
        wl_json_add(j, changes, wl_json_text(j, wl_change_name((wl_change)c)));
        wl_json_add(j, caveats, wl_json_text(j, wl_change_caveat((wl_change)c)));
    }
    wl_advice_describe(a, &w);
    json_t *one = wl_json_pack(j, "{s:o, s:s, s:o, s:f, s:f, s:s, s:s, s:I, s:o}", "changes", changes, "text", w.text,
                               "launch", launch(j, &a->launch), "time_s", a->time_s, "gain", a->gain, "limiter",
                               wl_bound_name(a->limiter), "next_limiter", wl_bound_name(a->next), "blocks_per_sm",
                               (json_int_t)a->blocks_per_sm, "provided", caveats);
    if (a->moved.name)
        wl_json_set(j, one, "moved",
                    wl_json_pack(j, "{s:s, s:s, s:b, s:f, s:f}", "name", a->moved.name, "unit", a->moved.unit,
                                 "per_item", (int)a->moved.per_item, "before", a->moved.before, "after",
                                 a->moved.after));
    if (wl_advice_lays_out(a)) {
        wl_json_set(j, one, "layout",
                    wl_json_pack(j, "{s:I, s:I, s:I}", "row_multiple", (json_int_t)a->layout.row_multiple,
                                 "row_padding", (json_int_t)a->layout.row_padding, "origin_multiple",
                                 (json_int_t)a->layout.origin_multiple));
        field_list fields = {j, wl_json_object(j)};
        (void)wl_advice_fields(all->kernel, a, add_field, &fields, &j->error);
        wl_json_set(j, one, "fields", json_object_size(fields.object) > 0 ? json_incref(fields.object) : NULL);
        json_decref(fields.object);
    }
    return one;
}

static json_t *cause(wl_json *j, const wl_cause *c)
{
    json_t *one = wl_json_pack(j, "{s:s, s:s}", "cause", wl_cause_name(c->id), "text", c->text);
    if (c->access)
        wl_json_set(j, one, "access", wl_json_text(j, c->access));
    if (c->line > 0 && c->file)
        wl_json_set(j, one, "file", wl_json_text(j, c->file));
    if (c->line > 0)
        wl_json_set(j, one, "line", wl_json_whole(j, c->line));
    if (!c->change)
        return one;
    wl_json_set(j, one, "change", wl_json_text(j, c->change));
    wl_json_set(j, one, "time_s", wl_json_real(j, c->time_s));
    wl_json_set(j, one, "gain", wl_json_real(j, c->gain));
    wl_json_set(j, one, "limiter", wl_json_text(j, wl_bound_name(c->limiter)));
    wl_json_set(j, one, "provided", wl_json_text(j, wl_cause_caveat(c->id)));
    return one;
}

static json_t *causes(wl_json *j, const wl_advised *r)
{
    json_t *list = wl_json_array(j);
    for (size_t i = 0; i < r->cause_count; i++)
        wl_json_add(j, list, cause(j, &r->causes[i]));
    return list;
}

static json_t *devices(wl_json *j, const wl_advise_report *a)
{
    json_t *list = wl_json_array(j);
    for (size_t i = 0; i < a->device_count; i++) {
        const wl_elsewhere *d = &a->devices[i];
        json_t *one = wl_json_pack(j, "{s:s, s:o, s:f}", "device", d->name, "best_block", extents(j, d->best.block),
                                   "best_time_s", d->best_s);
        if (d->fits) {
            wl_json_set(j, one, "time_s", wl_json_real(j, d->time_s));
            wl_json_set(j, one, "limiter", wl_json_text(j, wl_bound_name(d->limiter)));
        }
        wl_json_add(j, list, one);
    }
    return list;
}

static json_t *notes(wl_json *j, const wl_advise_report *a)
{
    json_t *list = wl_json_array(j);
    for (int i = 0; i < a->result->note_count; i++)
        wl_json_add(j, list, wl_json_text(j, a->result->notes[i]));
    for (int i = 0; i < a->result->given.warning_count; i++)
        wl_json_add(j, list, wl_json_text(j, a->result->given.warnings[i]));
    return list;
}

json_t *wl_advise_json(wl_json *j, const void *result)
{
    const wl_advise_report *a = result;
    const wl_advised *r = a->result;
    const wl_prediction *p = &r->given;
    json_t *list = wl_json_array(j);
    for (size_t i = 0; i < r->count; i++)
        wl_json_add(j, list, advice(j, a, &r->all[i]));
    json_t *root = wl_json_pack(
        j, "{s:s, s:s, s:s, s:o, s:{s:s, s:f, s:s, s:s}, s:f, s:s, s:o, s:o, s:o}", "schema", "warpline.advise/1",
        "kernel", wl_kernel_name(a->kernel), "device", wl_device_name(a->device), "launch", launch(j, &p->launch),
        "predicted", "model", wl_model_name(p->model.id), "time_s", p->model.time_s, "limiter",
        wl_bound_name(p->model.limiter), "next_limiter", wl_bound_name(p->model.next), "least_gain", r->least_gain,
        "trust", r->trust.basis, "causes", causes(j, r), "advice", list, "notes", notes(j, a));
    wl_json_symbol(j, root, a->kernel);
    if (r->has_combination)
        wl_json_set(j, root, "together", advice(j, a, &r->combination));
    if (a->device_count > 1)
        wl_json_set(j, root, "devices",
                    wl_json_pack(j, "{s:s, s:o}", "model", wl_model_name(a->device_model), "list", devices(j, a)));
    return root;
}

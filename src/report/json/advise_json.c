/* advise_json.c - advice as JSON, schema warpline.advise/1. SPDX-License-Identifier: MIT */
#include "base/json_out.h"
#include "report/common/advise_words.h"
#include "report/common/render.h"
#include "report/common/words.h"
#include "search/advised.h"

typedef struct extents {
    int64_t of[3];
} extents;

/* An extent that is not given counts as 1. */
static extents given(const int64_t extent[3])
{
    return (extents){{extent[0] ? extent[0] : 1, extent[1] ? extent[1] : 1, extent[2] ? extent[2] : 1}};
}

static void launch(wl_json_out *o, const wl_launch *l)
{
    wl_out_row(o, "launch", "block:x fold:x registers:d shared_bytes:d schedule:s?", given(l->block).of,
               given(l->fold).of, l->registers, l->shared_bytes,
               l->schedule.kind != WL_SCHEDULE_LINEAR ? wl_schedule_words(&l->schedule).text : NULL);
}

/* Opens the list of fields before the first of them. */
typedef struct field_list {
    wl_json_out *out;
    bool open;
} field_list;

static void add_field(void *user, const char *name, int dims, const int64_t *strides, int64_t origin)
{
    field_list *fields = user;
    wl_json_out *o = fields->out;
    if (!fields->open)
        wl_out_object(o, "fields");
    fields->open = true;
    wl_out_object(o, name);
    wl_out_array(o, "strides");
    for (int d = 0; d < dims; d++)
        wl_out_whole(o, NULL, strides[d]);
    wl_out_array_end(o);
    wl_out_members(o, "origin:d}", origin);
}

static void layout(wl_json_out *o, const wl_kernel *kernel, const wl_advice *a)
{
    field_list fields = {.out = o};
    wl_out_row(o, "layout", "row_multiple:d row_padding:d origin_multiple:d", a->layout.row_multiple,
               a->layout.row_padding, a->layout.origin_multiple);
    o->status = wl_advice_fields(kernel, a, add_field, &fields, o->err);
    if (fields.open)
        wl_out_object_end(o);
}

/* What the changes of the advice are called, or what they take for granted. */
static void changes(wl_json_out *o, const char *key, const wl_advice *a, const char *(*text)(wl_change change))
{
    wl_out_array(o, key);
    for (int c = 0; c < WL_CHANGE_COUNT; c++)
        if (wl_advice_has(a, (wl_change)c))
            wl_out_text(o, NULL, text((wl_change)c));
    wl_out_array_end(o);
}

static void advice(wl_json_out *o, const wl_kernel *kernel, const wl_advice *a)
{
    wl_advice_words w;
    wl_advice_describe(a, &w);
    changes(o, "changes", a, wl_change_name);
    wl_out_members(o, "text:s", w.text);
    launch(o, &a->launch);
    wl_out_members(o, "time_s:r gain:r limiter:s next_limiter:s blocks_per_sm:d", a->time_s, a->gain,
                   wl_bound_name(a->limiter), wl_bound_name(a->next), a->blocks_per_sm);
    changes(o, "provided", a, wl_change_caveat);
    if (a->moved.name)
        wl_out_row(o, "moved", "name:s unit:s per_item:b before:r after:r", a->moved.name, a->moved.unit,
                   a->moved.per_item, a->moved.before, a->moved.after);
    if (wl_advice_lays_out(a) && o->status == WL_OK)
        layout(o, kernel, a);
}

static void item(wl_json_out *o, const void *of, size_t i)
{
    const wl_advise_report *a = of;
    advice(o, a->kernel, &a->result->all[i]);
}

static void cause(wl_json_out *o, const void *of, size_t i)
{
    const wl_cause *c = &((const wl_advised *)of)->causes[i];
    wl_out_members(o, "cause:s text:s access:s? file:s? line:d?", wl_cause_name(c->id), c->text, c->access,
                   c->line > 0 ? c->file : NULL, c->line > 0 ? (int64_t)c->line : -1);
    if (c->change)
        wl_out_members(o, "change:s time_s:r? gain:r? limiter:s provided:s", c->change, c->time_s, c->gain,
                       wl_bound_name(c->limiter), wl_cause_caveat(c->id));
}

static void device(wl_json_out *o, const void *of, size_t i)
{
    const wl_elsewhere *d = &((const wl_advise_report *)of)->devices[i];
    wl_out_members(o, "device:s best_block:x best_time_s:r", d->name, given(d->best.block).of, d->best_s);
    if (d->fits)
        wl_out_members(o, "time_s:r? limiter:s", d->time_s, wl_bound_name(d->limiter));
}

void wl_advise_json(wl_json_out *o, const void *result)
{
    const wl_advise_report *a = result;
    const wl_advised *r = a->result;
    const wl_prediction *p = &r->given;
    wl_out_members(o, "schema:s kernel:s device:s", "warpline.advise/1", wl_kernel_name(a->kernel),
                   wl_device_name(a->device));
    launch(o, &p->launch);
    wl_out_members(o, "predicted:{model:s time_s:r limiter:s next_limiter:s} least_gain:r trust:s",
                   wl_model_name(p->model.id), p->model.time_s, wl_bound_name(p->model.limiter),
                   wl_bound_name(p->model.next), r->least_gain, r->trust.basis);
    wl_out_objects(o, "causes", r->cause_count, cause, r);
    wl_out_objects(o, "advice", r->count, item, a);
    wl_out_array(o, "notes");
    wl_out_texts(o, r->notes[0], sizeof r->notes[0], r->note_count);
    wl_out_texts(o, p->warnings[0], sizeof p->warnings[0], p->warning_count);
    wl_out_array_end(o);
    wl_out_members(o, "symbol:s?", wl_kernel_symbol(a->kernel));
    if (r->has_combination) {
        wl_out_object(o, "together");
        advice(o, a->kernel, &r->combination);
        wl_out_object_end(o);
    }
    if (a->device_count > 1) {
        wl_out_members(o, "devices:{model:s", wl_model_name(a->device_model));
        wl_out_objects(o, "list", a->device_count, device, a);
        wl_out_object_end(o);
    }
}

/* advise_text.c - advice for people. SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/units.h"
#include "device/device_internal.h"
#include "report/common/advise_words.h"
#include "report/common/marks.h"
#include "report/common/render.h"
#include "report/common/words.h"
#include "search/advised.h"

static wl_short time_text(double seconds) { return wl_quantity(WL_DIM_TIME, seconds); }

static void add_field(void *user, const char *name, int dims, const int64_t *strides, int64_t origin)
{
    wl_buffer *out = user;
    wl_buffer_add(out, "       %s: ", name);
    wl_advice_field_text(dims, strides, origin, out);
    wl_buffer_text(out, "\n");
}

static void add_moved(const wl_moved *m, wl_work_unit unit, wl_buffer *out)
{
    if (!m->name)
        return;
    if (m->per_item)
        wl_buffer_add(out, "%s %.4g -> %.4g%s per %s; ", m->name, m->before, m->after,
                      strcmp(m->unit, "bytes") == 0 ? " B" : "", wl_work_unit_words(unit)->one);
    else
        wl_buffer_add(out, "%s %.0f -> %.0f; ", m->name, m->before, m->after);
}

static wl_status add_advice(const wl_advise_report *all, const wl_advice *a, wl_buffer *out, wl_error *err)
{
    wl_advice_words w;
    wl_advice_describe(a, &w);
    wl_buffer_add(out, "%s\n", w.text);
    wl_line(out, 9, "       %s -> %s, %.1f %% less; ", time_text(all->result->given.model.time_s).text,
            time_text(a->time_s).text, 100 * a->gain);
    add_moved(&a->moved, all->result->given.work_unit, out);
    wl_buffer_add(out, "%s limited by %s\n", a->limiter == all->result->given.model.limiter ? "still" : "then",
                  wl_bound_name(a->limiter));
    return wl_advice_lays_out(a) ? wl_advice_fields(all->kernel, a, add_field, out, err) : WL_OK;
}

static void add_cause(const wl_advise_report *all, const wl_cause *c, wl_buffer *out)
{
    const wl_prediction *given = &all->result->given;
    wl_buffer_add(out, "%s: %s%s%s", wl_cause_name(c->id), c->access ? c->access : "", c->access ? ": " : "", c->text);
    if (c->line > 0)
        wl_buffer_add(out, " (%s%s%d)", c->file ? c->file : "line ", c->file ? ":" : "", (int)c->line);
    wl_buffer_add(out, "\n");
    if (!c->change)
        return;
    wl_line(out, 9, "       %s: %s -> %s, %.1f %% less%s; %s limited by %s\n", c->change,
            time_text(given->model.time_s).text, time_text(c->time_s).text, 100 * c->gain,
            c->gain < all->result->least_gain ? ", within the error of the model" : "",
            c->limiter == given->model.limiter ? "still" : "then", wl_bound_name(c->limiter));
}

static void add_causes(const wl_advise_report *all, wl_buffer *out)
{
    const wl_advised *r = all->result;
    uint32_t named = 0;
    if (r->cause_count > 0)
        wl_buffer_add(out, "\n  causes, each with the time predicted without it:\n");
    for (size_t i = 0; i < r->cause_count; i++) {
        wl_line(out, 7, "  %zu.   ", i + 1);
        add_cause(all, &r->causes[i], out);
        named |= r->causes[i].change ? 1u << r->causes[i].id : 0;
    }
    for (int c = 0; c < WL_CAUSE_COUNT; c++)
        if (named & 1u << c)
            wl_line(out, 4, "  %s: provided that %s\n", wl_cause_name((wl_cause_id)c), wl_cause_caveat((wl_cause_id)c));
}

static void add_caveats(const wl_advised *r, wl_buffer *out)
{
    const uint32_t changes = wl_advice_changes(r);
    bool first = true;
    for (int c = 0; c < WL_CHANGE_COUNT; c++) {
        if (!(changes & 1u << c) || wl_change_is_explained(r, (wl_change)c))
            continue;
        wl_buffer_text(out, first ? "\n" : "");
        first = false;
        wl_line(out, 4, "  %s: provided that %s\n", wl_change_name((wl_change)c), wl_change_caveat((wl_change)c));
    }
}

static wl_status add_list(const wl_advise_report *all, wl_buffer *out, wl_error *err)
{
    const wl_advised *r = all->result;
    wl_status status = WL_OK;
    size_t shown = 0;
    if (r->count == 0)
        wl_buffer_add(out, "\n  no other change that was tried saves %.1f %% of the time or more\n",
                      100 * r->least_gain);
    else if (wl_advice_left(r) > 0)
        wl_buffer_add(out, "\n  each alone:\n");
    else if (r->has_combination)
        wl_buffer_add(out, "\n");
    for (size_t i = 0; i < r->count && status == WL_OK; i++) {
        if (wl_advice_is_cause(r, &r->all[i]))
            continue;
        wl_line(out, 7, "  %zu.   ", ++shown);
        status = add_advice(all, &r->all[i], out, err);
    }
    if (r->has_combination && status == WL_OK) {
        wl_buffer_add(out, "  together:\n");
        wl_line(out, 7, "       ");
        status = add_advice(all, &r->combination, out, err);
    }
    add_caveats(r, out);
    return status;
}

static void add_devices(const wl_advise_report *a, wl_buffer *out)
{
    const wl_elsewhere *here = &a->devices[0];
    if (a->device_count < 2)
        return;
    wl_buffer_add(out, "\n  on other devices, by the %s model with the numbers of each device file:\n",
                  wl_model_name(a->device_model));
    wl_buffer_add(out, "  %-14s %12s %8s %-9s %s\n", "", "this launch", "ratio", "limiter",
                  "best block of this folding");
    for (size_t i = 0; i < a->device_count; i++) {
        const wl_elsewhere *d = &a->devices[i];
        const bool compares = d->fits && i > 0 && here->fits;
        wl_buffer_add(
            out, "  %-14s %12s %8s %-9s %s: %s", d->name, d->fits ? time_text(d->time_s).text : "does not fit",
            compares ? wl_short_of("%.2f x", d->time_s / here->time_s).text : "",
            d->fits ? wl_bound_name(d->limiter) : "", wl_shape_text(d->best.block).text, time_text(d->best_s).text);
        wl_buffer_add(out, i > 0 ? ", %.2f x\n" : "\n", d->best_s / here->best_s);
    }
}

wl_status wl_advise_text(const void *result, wl_buffer *out, wl_error *err)
{
    const wl_advise_report *a = result;
    const wl_prediction *p = &a->result->given;
    const wl_launch *l = &p->launch;
    wl_gap_lines(p, out);
    wl_kernel_headline(out, a->kernel, a->device);
    wl_buffer_text(out, "\n");
    wl_buffer_add(out, "  block %s, fold %s, %lld registers, %lld B shared, %lld block%s per %s\n",
                  wl_shape_text(l->block).text, wl_shape_text(l->fold).text, (long long)l->registers,
                  (long long)l->shared_bytes, (long long)p->occupancy.blocks_per_sm,
                  p->occupancy.blocks_per_sm == 1 ? "" : "s", wl_device_sm_word(a->device));
    if (l->schedule.kind != WL_SCHEDULE_LINEAR)
        wl_buffer_add(out, "  schedule %s\n", wl_schedule_words(&l->schedule).text);
    wl_buffer_add(out, "  predicted %s by the %s model, limited by ", time_text(p->model.time_s).text,
                  wl_model_name(p->model.id));
    wl_mark_text(out, WL_MARK_LIMITER, wl_bound_name(p->model.limiter));
    wl_buffer_add(out, p->model.next != p->model.limiter ? ", then %s\n" : "\n", wl_bound_name(p->model.next));
    add_causes(a, out);
    const wl_status status = add_list(a, out, err);
    if (status != WL_OK)
        return status;
    add_devices(a, out);
    wl_note_gap(out);
    wl_note_line(out, "  ", "times within %.1f %% of each other are a tie (%s)", 100 * a->result->least_gain,
                 a->result->trust.basis);
    if (a->devices_left)
        wl_note_line(out, "  ",
                     "other devices were left out, because each takes long to predict; --devices 3 includes them");
    wl_note_lines(out, "  ", a->result->notes[0], sizeof a->result->notes[0], a->result->note_count);
    wl_prediction_notes(p, "  ", out);
    return WL_OK;
}

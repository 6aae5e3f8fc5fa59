/* advise_report.c - see advise.h. SPDX-License-Identifier: MIT */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "advise.h"
#include "shape.h"

static const wl_subject time_subject = {.kind = WL_SUBJECT_TIME};

static void time_text(double seconds, char *text, size_t size)
{
    wl_subject_value_text(time_subject, seconds, text, size);
}

static bool has(const wl_advice *a, wl_change change) { return a->changes & 1u << change; }

static bool lays_out(const wl_advice *a) { return has(a, WL_CHANGE_ALIGNMENT) || has(a, WL_CHANGE_PADDING); }

/* ---- what to do, in words ---- */

typedef struct words {
    char text[320];
    size_t used;
} words;

static void say(words *w, const char *format, ...) WL_PRINTF(2, 3);

static void say(words *w, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (w->used > 0 && w->used + 2 < sizeof w->text) {
        memcpy(w->text + w->used, ", ", 3);
        w->used += 2;
    }
    const int n = vsnprintf(w->text + w->used, sizeof w->text - w->used, format, args);
    w->used += n > 0 ? (size_t)n : 0;
    if (w->used >= sizeof w->text)
        w->used = sizeof w->text - 1;
    va_end(args);
}

static void say_shape(words *w, const char *option, const int64_t extent[3])
{
    char text[SHAPE_LENGTH];
    say(w, "%s %s", option, shape_text(extent, text));
}

/* "--block 32x4x2, rows 32 bytes longer" */
static void describe(const wl_advice *a, words *w)
{
    const wl_layout *l = &a->layout;
    *w = (words){.used = 0};
    if (has(a, WL_CHANGE_BLOCK) || has(a, WL_CHANGE_FOLD))
        say_shape(w, "--block", a->launch.block);
    if (has(a, WL_CHANGE_FOLD))
        say_shape(w, "--fold", a->launch.fold);
    if (has(a, WL_CHANGE_REGISTERS))
        say(w, "--registers %lld", (long long)a->launch.registers);
    if (has(a, WL_CHANGE_SHARED))
        say(w, "--shared %lld", (long long)a->launch.shared_bytes);
    if (l->origin_multiple)
        say(w, "cell 0 of every field at a multiple of %lld bytes", (long long)l->origin_multiple);
    if (l->row_multiple == 1)
        say(w, "rows without padding");
    else if (l->row_multiple)
        say(w, "rows of a multiple of %lld bytes", (long long)l->row_multiple);
    if (l->row_padding)
        say(w, "rows %lld bytes longer", (long long)l->row_padding);
}

/* Calls `show` for every field that the advice lays out differently. */
static wl_status each_moved_field(const advised *all, const wl_advice *a,
                                  void (*show)(void *user, const char *name, int dims, const int64_t *strides,
                                               int64_t origin),
                                  void *user, wl_error *err)
{
    wl_kernel *variant = NULL;
    const wl_status status = wl_kernel_with_layout(all->job.kernel, &a->layout, &variant, err);
    for (size_t f = 0; status == WL_OK && f < wl_kernel_field_count(variant); f++) {
        int64_t was[WL_FIELD_DIMS_MAX], strides[WL_FIELD_DIMS_MAX], origin_was, origin;
        const int dims = wl_kernel_field_layout(variant, f, strides, &origin);
        (void)wl_kernel_field_layout(all->job.kernel, f, was, &origin_was);
        if (origin != origin_was || memcmp(strides, was, sizeof was) != 0)
            show(user, wl_kernel_field_name(variant, f), dims, strides, origin);
    }
    wl_kernel_free(variant);
    return status;
}

/* ---- text ---- */

static void print_field(void *user, const char *name, int dims, const int64_t *strides, int64_t origin)
{
    FILE *out = user;
    fprintf(out, "       %s: {", name);
    for (int d = 0; d < dims; d++)
        fprintf(out, "%s%lld", d ? ", " : "strides: [", (long long)strides[d]);
    fprintf(out, "%sorigin: %lld}\n", dims ? "], " : "", (long long)origin);
}

static void print_moved(const wl_moved *m, FILE *out)
{
    if (!m->name)
        return;
    if (m->per_item)
        fprintf(out, "%s %.4g -> %.4g%s per update; ", m->name, m->before, m->after,
                strcmp(m->unit, "bytes") == 0 ? " B" : "");
    else
        fprintf(out, "%s %.0f -> %.0f; ", m->name, m->before, m->after);
}

static wl_status print_advice(const advised *all, const wl_advice *a, FILE *out, wl_error *err)
{
    char before[32], after[32];
    words w;
    describe(a, &w);
    time_text(all->result.given.model.time_s, before, sizeof before);
    time_text(a->time_s, after, sizeof after);
    fprintf(out, "%s\n       %s -> %s, %.1f %% less; ", w.text, before, after, 100 * a->gain);
    print_moved(&a->moved, out);
    fprintf(out, "%s limited by %s\n", a->limiter == all->result.given.model.limiter ? "still" : "then",
            wl_bound_name(a->limiter));
    return lays_out(a) ? each_moved_field(all, a, print_field, out, err) : WL_OK;
}

static wl_status print_list(const advised *all, FILE *out, wl_error *err)
{
    const wl_advised *r = &all->result;
    wl_status status = WL_OK;
    uint32_t changes = r->has_combination ? r->combination.changes : 0;
    if (r->count == 0)
        fprintf(out, "\n  nothing that was tried takes %.1f %% or more off the time\n", 100 * r->least_gain);
    else
        fprintf(out, "\n  each alone:\n");
    for (size_t i = 0; i < r->count && status == WL_OK; i++) {
        fprintf(out, "  %zu.   ", i + 1);
        changes |= all->advice[i].changes;
        status = print_advice(all, &all->advice[i], out, err);
    }
    if (r->has_combination && status == WL_OK) {
        fprintf(out, "  together:\n       ");
        status = print_advice(all, &r->combination, out, err);
    }
    if (changes)
        fprintf(out, "\n");
    for (int c = 0; c < WL_CHANGE_COUNT; c++)
        if (changes & 1u << c)
            fprintf(out, "  %s: provided that %s\n", wl_change_name((wl_change)c), wl_change_caveat((wl_change)c));
    return status;
}

static void print_devices(const advised *a, FILE *out)
{
    const wl_elsewhere *here = &a->devices[0];
    if (a->device_count < 2)
        return;
    fprintf(out, "\n  on other devices, all by the %s model with what each file knows:\n", a->device_model);
    fprintf(out, "  %-14s %12s %8s %-9s %s\n", "", "this launch", "ratio", "limiter", "best block of this folding");
    for (size_t i = 0; i < a->device_count; i++) {
        const wl_elsewhere *d = &a->devices[i];
        char time[32] = "does not fit", ratio[32] = "", best[32], block[SHAPE_LENGTH];
        if (d->fits)
            time_text(d->time_s, time, sizeof time);
        if (d->fits && i > 0 && here->fits)
            (void)snprintf(ratio, sizeof ratio, "%.2f x", d->time_s / here->time_s);
        time_text(d->best_s, best, sizeof best);
        fprintf(out, "  %-14s %12s %8s %-9s %s: %s", d->name, time, ratio, d->fits ? wl_bound_name(d->limiter) : "",
                shape_text(d->best.block, block), best);
        fprintf(out, i > 0 ? ", %.2f x\n" : "\n", d->best_s / here->best_s);
    }
}

wl_status advise_print_text(const advised *a, FILE *out, wl_error *err)
{
    const wl_prediction *p = &a->result.given;
    const wl_launch *l = &p->launch;
    char time[32], block[SHAPE_LENGTH], fold[SHAPE_LENGTH];
    time_text(p->model.time_s, time, sizeof time);
    fprintf(out, "%s on %s (%s)\n", wl_kernel_name(a->job.kernel), wl_device_name(a->job.device),
            wl_device_title(a->job.device));
    fprintf(out, "  block %s, fold %s, %lld registers, %lld B shared, %lld block%s per SM\n",
            shape_text(l->block, block), shape_text(l->fold, fold), (long long)l->registers, (long long)l->shared_bytes,
            (long long)p->occupancy.blocks_per_sm, p->occupancy.blocks_per_sm == 1 ? "" : "s");
    fprintf(out, "  predicted %s by the %s model, limited by %s", time, p->model.name, wl_bound_name(p->model.limiter));
    fprintf(out, p->model.next != p->model.limiter ? ", then %s\n" : "\n", wl_bound_name(p->model.next));
    const wl_status status = print_list(a, out, err);
    if (status != WL_OK)
        return status;
    print_devices(a, out);
    fprintf(out, "\n  note: times within %.1f %% of each other are a tie (%s)\n", 100 * a->result.least_gain,
            a->result.trust.basis);
    if (a->devices_left)
        fprintf(out, "  note: other devices were left out, since each takes long: --devices 3 looks at them\n");
    for (int i = 0; i < a->result.note_count; i++)
        fprintf(out, "  note: %s\n", a->result.notes[i]);
    for (int i = 0; i < p->warning_count; i++)
        fprintf(out, "  note: %s\n", p->warnings[i]);
    return WL_OK;
}

/* ---- JSON ---- */

static json_t *json_shape(const int64_t extent[3])
{
    return json_pack("[I,I,I]", (json_int_t)(extent[0] ? extent[0] : 1), (json_int_t)(extent[1] ? extent[1] : 1),
                     (json_int_t)(extent[2] ? extent[2] : 1));
}

static json_t *json_launch(const wl_launch *l)
{
    return json_pack("{s:o, s:o, s:I, s:I}", "block", json_shape(l->block), "fold", json_shape(l->fold), "registers",
                     (json_int_t)l->registers, "shared_bytes", (json_int_t)l->shared_bytes);
}

static void add_field(void *user, const char *name, int dims, const int64_t *strides, int64_t origin)
{
    json_t *list = json_array();
    for (int d = 0; d < dims; d++)
        json_array_append_new(list, json_integer(strides[d]));
    json_object_set_new(user, name, json_pack("{s:o, s:I}", "strides", list, "origin", (json_int_t)origin));
}

static json_t *json_advice(const advised *all, const wl_advice *a, wl_error *err)
{
    words w;
    json_t *changes = json_array(), *caveats = json_array(), *fields = json_object();
    for (int c = 0; c < WL_CHANGE_COUNT; c++) {
        if (!has(a, (wl_change)c))
            continue;
        json_array_append_new(changes, json_string(wl_change_name((wl_change)c)));
        json_array_append_new(caveats, json_string(wl_change_caveat((wl_change)c)));
    }
    describe(a, &w);
    json_t *one = json_pack("{s:o, s:s, s:o, s:f, s:f, s:s, s:s, s:I, s:o}", "changes", changes, "text", w.text,
                            "launch", json_launch(&a->launch), "time_s", a->time_s, "gain", a->gain, "limiter",
                            wl_bound_name(a->limiter), "next_limiter", wl_bound_name(a->next), "blocks_per_sm",
                            (json_int_t)a->blocks_per_sm, "provided", caveats);
    if (one && a->moved.name)
        json_object_set_new(one, "moved",
                            json_pack("{s:s, s:s, s:b, s:f, s:f}", "name", a->moved.name, "unit", a->moved.unit,
                                      "per_item", (int)a->moved.per_item, "before", a->moved.before, "after",
                                      a->moved.after));
    if (one && lays_out(a)) {
        json_object_set_new(one, "layout",
                            json_pack("{s:I, s:I, s:I}", "row_multiple", (json_int_t)a->layout.row_multiple,
                                      "row_padding", (json_int_t)a->layout.row_padding, "origin_multiple",
                                      (json_int_t)a->layout.origin_multiple));
        if (each_moved_field(all, a, add_field, fields, err) != WL_OK) {
            json_decref(one);
            one = NULL;
        }
    }
    if (one && json_object_size(fields) > 0)
        json_object_set(one, "fields", fields);
    json_decref(fields);
    return one;
}

static json_t *json_devices(const advised *a)
{
    json_t *list = json_array();
    for (size_t i = 0; i < a->device_count; i++) {
        const wl_elsewhere *d = &a->devices[i];
        json_t *one = json_pack("{s:s, s:o, s:f}", "device", d->name, "best_block", json_shape(d->best.block),
                                "best_time_s", d->best_s);
        if (one && d->fits) {
            json_object_set_new(one, "time_s", json_real(d->time_s));
            json_object_set_new(one, "limiter", json_string(wl_bound_name(d->limiter)));
        }
        json_array_append_new(list, one);
    }
    return list;
}

static json_t *json_notes(const advised *a)
{
    json_t *list = json_array();
    for (int i = 0; i < a->result.note_count; i++)
        json_array_append_new(list, json_string(a->result.notes[i]));
    for (int i = 0; i < a->result.given.warning_count; i++)
        json_array_append_new(list, json_string(a->result.given.warnings[i]));
    return list;
}

wl_status advise_print_json(const advised *a, FILE *out, wl_error *err)
{
    const wl_advised *r = &a->result;
    const wl_prediction *p = &r->given;
    json_t *list = json_array();
    bool ok = true;
    for (size_t i = 0; i < r->count; i++)
        ok = json_array_append_new(list, json_advice(a, &a->advice[i], err)) == 0 && ok;
    json_t *root =
        json_pack("{s:s, s:s, s:s, s:o, s:{s:s, s:f, s:s, s:s}, s:f, s:s, s:o, s:o}", "schema", "warpline.advise/1",
                  "kernel", wl_kernel_name(a->job.kernel), "device", wl_device_name(a->job.device), "launch",
                  json_launch(&p->launch), "predicted", "model", p->model.name, "time_s", p->model.time_s, "limiter",
                  wl_bound_name(p->model.limiter), "next_limiter", wl_bound_name(p->model.next), "least_gain",
                  r->least_gain, "trust", r->trust.basis, "advice", list, "notes", json_notes(a));
    if (root && r->has_combination)
        ok = json_object_set_new(root, "together", json_advice(a, &r->combination, err)) == 0 && ok;
    if (root && a->device_count > 1)
        json_object_set_new(root, "devices",
                            json_pack("{s:s, s:o}", "model", a->device_model, "list", json_devices(a)));
    char *text = root && ok ? json_dumps(root, JSON_INDENT(1) | JSON_REAL_PRECISION(15)) : NULL;
    json_decref(root);
    if (text)
        fprintf(out, "%s\n", text);
    free(text);
    return text ? WL_OK : WL_E_NOMEM;
}

/* choice_json.c - schedules side by side as JSON, schema warpline.schedule/1.
 * SPDX-License-Identifier: MIT */

#include "base/json.h"
#include "report/common/choice_forms.h"
#include "report/common/choice_words.h"
#include "report/common/render.h"
#include "report/common/shape_text.h"
#include "report/json/symbol_json.h"

static json_t *metrics(wl_json *j, const wl_prediction *p)
{
    static const wl_metric shown[] = {WL_METRIC_l1_wavefronts,  WL_METRIC_l1_sectors_ld,   WL_METRIC_l2_load_bytes,
                                      WL_METRIC_l2_store_bytes, WL_METRIC_dram_load_bytes, WL_METRIC_dram_store_bytes};
    json_t *all = wl_json_object(j);
    for (size_t i = 0; i < sizeof shown / sizeof shown[0]; i++)
        if (p->metrics[shown[i]].known)
            wl_json_set(j, all, wl_metric_name(shown[i]), wl_json_number(j, p->metrics[shown[i]].value));
    return all;
}

static json_t *launch(wl_json *j, const wl_choice *c, const wl_device *device, size_t i)
{
    const wl_prediction *p = &c->rows[i];
    double hits;
    json_t *one = wl_json_pack(
        j, "{s:s, s:o, s:o, s:f, s:f, s:s, s:s}", "schedule", wl_schedule_words(&p->launch.schedule).text, "block",
        wl_json_shape(j, p->launch.block), "grid", wl_json_shape(j, p->launch.grid), "time_s", p->model.time_s, "gain",
        wl_choice_gain(c, i), "limiter", wl_bound_name(p->model.limiter), "next_limiter", wl_bound_name(p->model.next));
    if (wl_l1_hit_rate(p, device, &hits))
        wl_json_set(j, one, "l1_hit_rate", wl_json_real(j, hits));
    wl_json_set(j, one, "metrics", metrics(j, p));
    return one;
}

static json_t *texts(wl_json *j, const wl_choice *c)
{
    json_t *all = wl_json_array(j);
    for (int i = 0; i < c->note_count; i++)
        wl_json_add(j, all, wl_json_text(j, c->notes[i]));
    for (int i = 0; i < c->rows[0].warning_count; i++)
        wl_json_add(j, all, wl_json_text(j, c->rows[0].warnings[i]));
    return all;
}

static json_t *reasons(wl_json *j, const wl_choice *c, const wl_kernel *kernel)
{
    char words[WL_CHOICE_WORDS][WL_CHOICE_LENGTH];
    json_t *all = wl_json_array(j);
    const int count = wl_choice_words(c, kernel, words);
    for (int i = 0; i < count; i++)
        wl_json_add(j, all, wl_json_text(j, words[i]));
    return all;
}

static json_t *closed_forms(wl_json *j, const wl_choice_forms *f)
{
    json_t *orders = wl_json_array(j);
    for (int i = 0; i < f->count; i++) {
        wl_json_add(j, orders,
                    wl_json_pack(j, "{s:s, s:I, s:I, s:b}", "schedule", wl_schedule_words(&f->rows[i].schedule).text,
                                 "lines_needed", (json_int_t)f->rows[i].needs, "lines_fetched",
                                 (json_int_t)f->rows[i].fetches.lines, "exact", (int)f->rows[i].fetches.exact));
    }
    json_t *all = wl_json_pack(j, "{s:s, s:I, s:I, s:I, s:o}", "problem",
                               f->problem.kind == WL_KNOWN_STENCIL ? "stencil" : "product", "cache_lines",
                               (json_int_t)f->cache_lines, "line_bytes", (json_int_t)f->line_bytes, "lines_least",
                               (json_int_t)f->least, "orders", orders);
    if (f->problem.kind == WL_KNOWN_PRODUCT)
        wl_json_set(j, all, "depth", wl_json_whole(j, f->problem.depth));
    else
        wl_json_set(j, all, "box", wl_json_shape(j, (const int64_t[3]){f->problem.box[0], f->problem.box[1], 1}));
    if (f->width >= 1)
        wl_json_set(j, all, "column_width", wl_json_number(j, f->width));
    return all;
}

json_t *wl_choice_json(wl_json *j, const void *result)
{
    const wl_choice_report *r = result;
    const wl_choice *c = r->choice;
    const wl_kernel *kernel = r->kernel;
    const wl_device *device = r->device;
    const size_t best = wl_choice_best(c);
    int64_t domain[3];
    json_t *launches = wl_json_array(j);
    for (size_t i = 0; i < c->count; i++)
        wl_json_add(j, launches, launch(j, c, device, i));
    json_t *root = wl_json_pack(
        j, "{s:s, s:s, s:s, s:s, s:{s:s, s:I, s:f}, s:f, s:s, s:o, s:o, s:o}", "schema", "warpline.schedule/1",
        "kernel", wl_kernel_name(kernel), "device", wl_device_name(device), "model", wl_model_name(c->rows[0].model.id),
        "recommended", "schedule", wl_schedule_words(&c->rows[best].launch.schedule).text, "index", (json_int_t)best,
        "gain", wl_choice_gain(c, best), "least_gain", c->least_gain, "trust", c->trust.basis, "why",
        reasons(j, c, kernel), "launches", launches, "notes", texts(j, c));
    wl_json_symbol(j, root, kernel);
    if (wl_kernel_domain(kernel, domain) > 0)
        wl_json_set(j, root, "domain", wl_json_shape(j, domain));
    wl_choice_forms forms;
    if (wl_choice_forms_of(c, kernel, device, &forms))
        wl_json_set(j, root, "closed_forms", closed_forms(j, &forms));
    return root;
}

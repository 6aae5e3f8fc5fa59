/* choice_json.c - schedules side by side as JSON, schema warpline.schedule/1.
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "base/json_out.h"
#include "report/common/choice_forms.h"
#include "report/common/choice_words.h"
#include "report/common/render.h"
#include "report/common/words.h"

static void launch(wl_json_out *o, const void *of, size_t i)
{
    static const wl_metric shown[] = {WL_METRIC_l1_wavefronts,  WL_METRIC_l1_sectors_ld,   WL_METRIC_l2_load_bytes,
                                      WL_METRIC_l2_store_bytes, WL_METRIC_dram_load_bytes, WL_METRIC_dram_store_bytes};
    wl_choice_columns(&(wl_row){.json = o}, of, i, shown, sizeof shown / sizeof shown[0]);
}

static void order(wl_json_out *o, const void *of, size_t i)
{
    const wl_form_row *row = &((const wl_choice_forms *)of)->rows[i];
    wl_out_members(o, "schedule:s lines_needed:d lines_fetched:d exact:b", wl_schedule_words(&row->schedule).text,
                   row->needs, row->fetches.lines, row->fetches.exact);
}

static void closed_forms(wl_json_out *o, const wl_choice_forms *f)
{
    const bool product = f->problem.kind == WL_KNOWN_PRODUCT;
    wl_out_members(o, "closed_forms:{problem:s cache_lines:d line_bytes:d lines_least:d",
                   f->problem.kind == WL_KNOWN_STENCIL ? "stencil" : "product", f->cache_lines, f->line_bytes,
                   f->least);
    wl_out_objects(o, "orders", (size_t)f->count, order, f);
    if (product)
        wl_out_members(o, "depth:d", f->problem.depth);
    else
        wl_out_members(o, "box:x", (const int64_t[3]){f->problem.box[0], f->problem.box[1], 1});
    wl_out_members(o, "column_width:n?}", f->width >= 1 ? f->width : NAN);
}

void wl_choice_json(wl_json_out *o, const void *result)
{
    const wl_choice_report *r = result;
    const wl_choice *c = r->choice;
    const size_t best = wl_choice_best(c);
    char words[WL_CHOICE_WORDS][WL_CHOICE_LENGTH];
    wl_choice_forms forms;
    int64_t domain[3];
    wl_out_members(o, "schema:s kernel:s device:s model:s recommended:{schedule:s index:d gain:r} least_gain:r trust:s",
                   "warpline.schedule/1", wl_kernel_name(r->kernel), wl_device_name(r->device),
                   wl_model_name(c->rows[0].model.id), wl_schedule_words(&c->rows[best].launch.schedule).text,
                   (int64_t)best, wl_choice_gain(c, best), c->least_gain, c->trust.basis);
    wl_out_array(o, "why");
    const int count = wl_choice_words(c, r->kernel, words);
    wl_out_texts(o, words[0], sizeof words[0], count);
    wl_out_array_end(o);
    wl_out_objects(o, "launches", c->count, launch, r);
    wl_out_array(o, "notes");
    wl_out_texts(o, c->notes[0], sizeof c->notes[0], c->note_count);
    wl_out_texts(o, c->rows[0].warnings[0], sizeof c->rows[0].warnings[0], c->rows[0].warning_count);
    wl_out_array_end(o);
    wl_out_members(o, "symbol:s?", wl_kernel_symbol(r->kernel));
    if (wl_kernel_domain(r->kernel, domain) > 0)
        wl_out_members(o, "domain:x", domain);
    if (wl_choice_forms_of(c, r->kernel, r->device, &forms))
        closed_forms(o, &forms);
}

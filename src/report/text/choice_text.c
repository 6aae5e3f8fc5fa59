/* choice_text.c - schedules side by side, for people. SPDX-License-Identifier: MIT */
#include <string.h>

#include "report/common/choice_forms.h"
#include "report/common/choice_words.h"
#include "report/common/marks.h"
#include "report/common/render.h"
#include "report/common/shape_text.h"
#include "report/common/unit_heads.h"

#define PERCENT 100.0

static void volume(const wl_prediction *p, wl_metric metric, int width, wl_buffer *out)
{
    const wl_value *v = &p->metrics[metric];
    if (v->known && p->items > 0)
        wl_buffer_add(out, " %*.2f", width, v->value / (double)p->items);
    else
        wl_buffer_add(out, " %*s", width, "-");
}

static void line(const wl_choice *c, const wl_kernel *kernel, const wl_device *device, size_t i, wl_buffer *out)
{
    const wl_prediction *p = &c->rows[i];
    double hits;
    const bool best = i > 0 && i == wl_choice_best(c);
    if (best)
        wl_mark_add(out, WL_MARK_BEST);
    wl_buffer_add(out, "%s %-13s %-11s", best ? "->" : "  ", wl_choice_name(c, kernel, i).text,
                  wl_shape_text(p->launch.block).text);
    if (wl_l1_hit_rate(p, device, &hits))
        wl_mark_wide(out, " %5.1f%%", PERCENT * hits);
    else
        wl_mark_wide(out, " %6s", "-");
    volume(p, WL_METRIC_l2_load_bytes, 8, out);
    volume(p, WL_METRIC_dram_load_bytes, 8, out);
    wl_mark_add(out, WL_MARK_WIDE);
    volume(p, WL_METRIC_dram_store_bytes, 8, out);
    wl_mark_add(out, WL_MARK_WIDE);
    wl_buffer_add(out, " %#9.4g", 1e3 * p->model.time_s);
    if (i > 0)
        wl_buffer_add(out, " %+7.1f%%", PERCENT * (p->model.time_s / c->rows[0].model.time_s - 1));
    else
        wl_buffer_add(out, " %8s", "");
    wl_buffer_add(out, "  %s", wl_bound_name(p->model.limiter));
    if (best)
        wl_mark_add(out, WL_MARK_END);
    wl_buffer_text(out, "\n");
}

static void head(const char *const cells[8], const char *end, wl_buffer *out)
{
    wl_buffer_add(out, "   %-13s %-11s", cells[0], cells[1]);
    wl_mark_wide(out, " %6s", cells[2]);
    wl_buffer_add(out, " %8s %8s", cells[3], cells[4]);
    wl_mark_wide(out, " %8s", cells[5]);
    wl_buffer_add(out, " %9s %8s%s", cells[6], cells[7], end);
}

static void table(const wl_choice *c, const wl_kernel *kernel, const wl_device *device, wl_buffer *out)
{
    const wl_unit_heads h = wl_unit_heads_of(c->rows[0].work_unit);
    head((const char *[]){"", "", "L1", "L2-L1 ld", "DRAM ld", "st", "time", "against"}, "\n", out);
    head((const char *[]){"schedule", "block", "hits", h.bytes, h.bytes, h.bytes, "ms", "linear"}, "  limiter\n", out);
    for (size_t i = 0; i < c->count; i++)
        line(c, kernel, device, i, out);
}

/* Other schedules that are as good as the recommended one. */
static void equals(const wl_choice *c, const wl_kernel *kernel, wl_buffer *out)
{
    const size_t best = wl_choice_best(c);
    size_t n = 0;
    for (size_t i = 1; i < c->count && best; i++)
        if (i != best && c->rows[best].model.time_s > (1 - c->least_gain) * c->rows[i].model.time_s) {
            if (n == 0)
                wl_mark_line(out, 4);
            wl_buffer_add(out, "%s %s", n++ ? "," : "  as good as equal:", wl_choice_name(c, kernel, i).text);
        }
    if (n)
        wl_buffer_text(out, "\n");
}

static void add_width(const wl_choice_forms *f, wl_buffer *out)
{
    const bool stencil = f->problem.kind == WL_KNOWN_STENCIL;
    const char *section = stencil ? "4.3" : "4.4";
    if (f->width < 1)
        wl_line(out, 6, "    no column fits it (section %s of the paper)\n", section);
    else if (f->width >= (double)f->problem.width)
        wl_line(out, 6, "    whole rows fit it (section %s of the paper)\n", section);
    else
        wl_line(out, 6, "    columns up to %lld cells wide fit it (section %s of the paper)\n", (long long)f->width,
                section);
}

/* What the problems of the paper fetch, if the kernel is one of them. */
static void forms(const wl_choice *c, const wl_kernel *kernel, const wl_device *device, wl_buffer *out)
{
    wl_choice_forms f;
    if (!wl_choice_forms_of(c, kernel, device, &f))
        return;
    wl_buffer_text(out, "\n");
    wl_line(out, 4, "  closed forms: ");
    if (f.problem.kind == WL_KNOWN_STENCIL)
        wl_buffer_add(out, "a stencil within a box of %lld x %lld", (long long)f.problem.box[0],
                      (long long)f.problem.box[1]);
    else
        wl_buffer_add(out, "a product of depth %lld", (long long)f.problem.depth);
    wl_buffer_add(out, ", thread by thread, LRU cache as large as the L1 (%lld lines of %lld B)\n",
                  (long long)f.cache_lines, (long long)f.line_bytes);
    for (int i = 0; i < f.count; i++) {
        const wl_form_row *row = &f.rows[i];
        wl_line(out, 6, "    %-13s needs %lld lines, fetches %s%lld: %.1f times the least\n",
                wl_schedule_words(&row->schedule).text, (long long)row->needs, row->fetches.exact ? "" : "at most ",
                (long long)row->fetches.lines, (double)row->fetches.lines / (double)f.least);
    }
    add_width(&f, out);
}

/* The cost of the recommended schedule's code, and the assumptions of all; those of the given
 * launch hold for all. */
static void notes(const wl_choice *c, wl_buffer *out)
{
    const wl_prediction *given = &c->rows[0], *shown = &c->rows[wl_choice_best(c) ? wl_choice_best(c) : c->fastest];
    wl_note_gap(out);
    wl_note_line(out, "  ", "times within %.1f %% of each other are a tie (%s)", PERCENT * c->least_gain,
                 c->trust.basis);
    for (int i = 0; i < c->note_count; i++)
        wl_note_line(out, "  ", "%s", c->notes[i]);
    for (int i = 0; i < shown->warning_count; i++)
        if (strncmp(shown->warnings[i], "finding the", strlen("finding the")) == 0)
            wl_note_line(out, "  ", "%s", shown->warnings[i]);
    for (int i = 0; i < given->warning_count; i++)
        wl_note_line(out, "  ", "%s", given->warnings[i]);
}

void wl_choice_text(const void *result, wl_buffer *out)
{
    const wl_choice_report *r = result;
    const wl_choice *c = r->choice;
    const wl_kernel *kernel = r->kernel;
    const wl_device *device = r->device;
    char words[WL_CHOICE_WORDS][WL_CHOICE_LENGTH];
    int64_t domain[3] = {0};
    const int count = wl_choice_words(c, kernel, words), dims = wl_kernel_domain(kernel, domain);
    wl_mark_line(out, 2);
    wl_kernel_headline(out, kernel, device);
    if (dims > 0)
        wl_buffer_add(out, ", domain %s", wl_shape_text(domain).text);
    wl_unit_explain(", ", c->rows[0].work_unit, c->rows[0].items, out);
    wl_buffer_add(out, ", by the %s model\n\n", wl_model_name(c->rows[0].model.id));
    table(c, kernel, device, out);
    wl_buffer_text(out, "\n");
    for (int i = 0; i < count; i++) {
        wl_line(out, 4, "  %s\n", words[i]);
    }
    equals(c, kernel, out);
    if (wl_choice_best(c))
        wl_buffer_add(out, "  its code: warpline emit --schedule %s\n",
                      wl_schedule_words(&c->rows[wl_choice_best(c)].launch.schedule).text);
    forms(c, kernel, device, out);
    notes(c, out);
}

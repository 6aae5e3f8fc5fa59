/* choice_text.c - schedules side by side, for people. SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "report/common/choice_forms.h"
#include "report/common/choice_words.h"
#include "report/common/marks.h"
#include "report/common/render.h"
#include "report/common/words.h"

#define PERCENT 100.0

enum { PLACES = 8 };
static const wl_cell_place places[PLACES] = {{-13, false}, {-11, false}, {6, true},  {8, false},
                                             {8, false},   {8, true},    {9, false}, {8, false}};

static double volume(const wl_prediction *p, wl_metric metric)
{
    return p->metrics[metric].known && p->items > 0 ? p->metrics[metric].value / (double)p->items : NAN;
}

static void line(const wl_choice *c, const wl_kernel *kernel, const wl_device *device, size_t i, wl_buffer *out)
{
    const wl_prediction *p = &c->rows[i];
    const double time = p->model.time_s;
    double hits;
    const bool best = i > 0 && i == wl_choice_best(c), known = wl_l1_hit_rate(p, device, &hits);
    wl_mark_if(out, best, WL_MARK_BEST);
    wl_buffer_text(out, best ? "->" : "  ");
    wl_cells(
        out, places, PLACES,
        (const char *[]){wl_choice_name(c, kernel, i).text, wl_shape_text(p->launch.block).text,
                         wl_cell_number("%.1f%%", known ? PERCENT * hits : NAN).text,
                         wl_cell_number("%.2f", volume(p, WL_METRIC_l2_load_bytes)).text,
                         wl_cell_number("%.2f", volume(p, WL_METRIC_dram_load_bytes)).text,
                         wl_cell_number("%.2f", volume(p, WL_METRIC_dram_store_bytes)).text,
                         wl_cell_number("%#.4g", 1e3 * time).text,
                         i > 0 ? wl_cell_number("%+.1f%%", PERCENT * (time / c->rows[0].model.time_s - 1)).text : ""});
    wl_buffer_add(out, "  %s", wl_bound_name(p->model.limiter));
    wl_mark_if(out, best, WL_MARK_END);
    wl_buffer_text(out, "\n");
}

static void table(const wl_choice *c, const wl_kernel *kernel, const wl_device *device, wl_buffer *out)
{
    const wl_unit_heads h = wl_unit_heads_of(c->rows[0].work_unit);
    wl_buffer_text(out, "  ");
    wl_cells(out, places, PLACES, (const char *[]){"", "", "L1", "L2-L1 ld", "DRAM ld", "st", "time", "against"});
    wl_buffer_text(out, "\n  ");
    wl_cells(out, places, PLACES,
             (const char *[]){"schedule", "block", "hits", h.bytes, h.bytes, h.bytes, "ms", "linear"});
    wl_buffer_text(out, "  limiter\n");
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
    wl_note_lines(out, "  ", c->notes[0], sizeof c->notes[0], c->note_count);
    for (int i = 0; i < shown->warning_count; i++)
        if (strncmp(shown->warnings[i], "finding the", strlen("finding the")) == 0)
            wl_note_line(out, "  ", "%s", shown->warnings[i]);
    wl_note_lines(out, "  ", given->warnings[0], sizeof given->warnings[0], given->warning_count);
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

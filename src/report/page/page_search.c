/* page_search.c - better launches and other changes, and all that was assumed.
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "device/device_internal.h"
#include "report/common/advise_words.h"
#include "report/page/page.h"
#include "report/common/rank_report.h"
#include "report/common/words.h"
#include "search/advised.h"
#include "search/ranker.h"

#define ROWS_MOST 16 /* of a ranking */

static void add_words(wl_buffer *out, const char *text) { wl_page_print(out, "<p>%s</p>\n", text ? text : ""); }

static void add_note(wl_buffer *out, const char *of, const char *text)
{
    wl_page_print(out, "<li>%s%s</li>\n", of, text);
}

/* ---- launches ---- */

static bool is_given(const wl_page_part *p, size_t i)
{
    const wl_ranked_space *s = p->launch->ranked;
    const wl_launch *given = &p->prediction->launch;
    wl_launch launch;
    wl_ranker_launch(s->ranker, s->launches[i].index, &launch);
    for (int d = 0; d < 3; d++)
        if (launch.block[d] != given->block[d] || (launch.fold[d] ? launch.fold[d] : 1) != given->fold[d])
            return false;
    return true;
}

static void add_per_item(wl_buffer *out, const wl_ranked *r, wl_rank_value load, wl_rank_value store, double items)
{
    double in, back;
    if (wl_ranked_value(r, load, &in) && wl_ranked_value(r, store, &back))
        wl_page_number(out, in + back, "%.1f", (in + back) / items);
    else
        wl_page_unknown(out);
}

static void add_launch(const wl_page_part *p, size_t i, size_t group, wl_buffer *out)
{
    const wl_ranked_space *s = p->launch->ranked;
    const wl_ranked *r = &s->launches[i];
    const double items = (double)wl_ranker_launch_items(s->ranker, r->index), behind = r->time_s / s->best_s - 1;
    wl_launch launch;
    wl_ranker_launch(s->ranker, r->index, &launch);
    wl_buffer_add(out, "<tr%s", is_given(p, i) ? " class=\"given\"" : "");
    wl_page_attribute(out, "data-time-s", r->time_s);
    wl_buffer_text(out, ">");
    wl_page_number(out, (double)i + 1, "%zu", i + 1);
    wl_page_number(out, (double)group, "%zu", group);
    wl_page_cell(out, wl_shape_text(launch.block).text);
    wl_page_cell(out, wl_shape_text(launch.fold).text);
    wl_page_number(out, r->blocks_per_sm, "%d", (int)r->blocks_per_sm);
    add_per_item(out, r, WL_RANK_l2_load_bytes, WL_RANK_l2_store_bytes, items);
    add_per_item(out, r, WL_RANK_dram_load_bytes, WL_RANK_dram_store_bytes, items);
    wl_page_quantity(out, WL_DIM_TIME, r->time_s);
    wl_page_number(out, behind, "%+.1f %%", 100 * behind);
    wl_page_cell(out, wl_bound_name((wl_bound_id)r->limiter));
    wl_buffer_text(out, "</tr>\n");
}

static void add_ties(const wl_page_part *p, wl_buffer *out)
{
    const wl_ranked_space *s = p->launch->ranked;
    const size_t first = wl_rank_within(s, s->tie);
    const double time = p->prediction->model.time_s;
    wl_page_print(out,
                  "<p>%s: a tie is what lies within the error of the model, %.1f %% (%s)%s. "
                  "The first group has %zu. ",
                  first > 1 ? "Launches of one group are as good as equal" : "The first stands alone",
                  100 * (s->tie - 1), s->trust.basis,
                  s->trust.assumed ? ", which was not measured on this device: that of another is taken" : "", first);
    if (time <= s->best_s * s->tie)
        wl_buffer_text(out, "The launch of this section is as good as the best that was found.</p>\n");
    else
        wl_buffer_add(out, "The launch of this section takes %.1f %% longer than the best.</p>\n",
                      100 * (time / s->best_s - 1));
}

/* The launches that were not predicted, a line per reason. */
static wl_status add_left_out(const wl_ranked_space *s, wl_buffer *out, wl_error *err)
{
    char *text = NULL;
    WL_TRY(wl_rank_left_out(s, &text, err));
    const bool listed = text[0] != '\0';
    wl_buffer_text(out, listed ? "<ul>\n" : "");
    for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
        *end = '\0';
        add_note(out, "", line);
    }
    wl_buffer_text(out, listed ? "</ul>\n" : "");
    free(text);
    return WL_OK;
}

static wl_status add_map(const wl_ranked_space *s, wl_buffer *out, wl_error *err)
{
    char *svg = NULL;
    WL_TRY(wl_rank_svg(s, 1, &svg, err));
    wl_buffer_text(out, "<figure>");
    wl_buffer_text(out, svg);
    wl_buffer_text(out, "</figure>\n");
    free(svg);
    return WL_OK;
}

wl_status wl_page_ranking(const wl_page_part *p, wl_buffer *out, wl_error *err)
{
    const char *unit = wl_work_unit_words(p->prediction->work_unit)->one;
    const wl_ranked_space *s = p->launch->ranked;
    wl_buffer_text(out, "<h3>Launches around this one</h3>\n");
    add_words(out, p->launch->searched);
    if (!s)
        return WL_OK;
    if (s->count == 0)
        return add_left_out(s, out, err);
    WL_TRY(add_map(s, out, err));
    wl_tie_groups groups = {.tie = s->tie};
    bool below = false;
    wl_page_table(out, "ranking",
                  "#rank|#tie group|block|fold|#blocks per %s|#L2 B/%s|#DRAM B/%s|#time|#behind best|limited by",
                  wl_device_sm_word(p->device), unit, unit);
    for (size_t i = 0; i < s->count; i++) {
        const size_t group = wl_tie_group_of(&groups, &s->launches[i]);
        const bool given = is_given(p, i);
        below = below || (given && i >= ROWS_MOST);
        if (i < ROWS_MOST || given)
            add_launch(p, i, group, out);
    }
    wl_page_table_end(out);
    if (s->count > ROWS_MOST)
        wl_buffer_add(out, "<p>The best %d of %zu%s.</p>\n", ROWS_MOST, s->count,
                      below ? ", and the launch of this section" : "");
    add_ties(p, out);
    return add_left_out(s, out, err);
}

/* ---- advice ---- */

static void add_field(void *user, const char *name, int dims, const int64_t *strides, int64_t origin)
{
    wl_buffer *out = user;
    wl_page_print(out, "<br><code>%s: ", name);
    wl_advice_field_text(dims, strides, origin, out);
    wl_buffer_text(out, "</code>");
}

static void add_moved(const wl_moved *m, wl_work_unit unit, wl_buffer *out)
{
    wl_buffer_text(out, "<td>");
    if (m->name) {
        wl_page_print(out, m->per_item ? "%s %.4g to %.4g" : "%s %.0f to %.0f", m->name, m->before, m->after);
        if (m->per_item)
            wl_buffer_add(out, "%s per %s", strcmp(m->unit, "bytes") == 0 ? " B" : "", wl_work_unit_words(unit)->one);
    }
    wl_buffer_text(out, "</td>");
}

static wl_status add_advice(const wl_page_part *p, const wl_advice *a, wl_buffer *out, wl_error *err)
{
    wl_status status = WL_OK;
    wl_advice_words w;
    wl_advice_describe(a, &w);
    wl_buffer_text(out, "<tr");
    wl_page_attribute(out, "data-gain", a->gain);
    wl_page_attribute(out, "data-time-s", a->time_s);
    wl_page_print(out, "><td>%s", w.text);
    if (wl_advice_lays_out(a))
        status = wl_advice_fields(p->launch->kernel, a, add_field, out, err);
    wl_buffer_text(out, "</td>");
    wl_page_number(out, a->gain, "%.1f %% less time", 100 * a->gain);
    wl_page_quantity(out, WL_DIM_TIME, a->time_s);
    add_moved(&a->moved, p->prediction->work_unit, out);
    wl_page_cell(out, wl_bound_name(a->limiter));
    wl_buffer_text(out, "</tr>\n");
    return status;
}

static wl_status add_list(const wl_page_part *p, wl_buffer *out, wl_error *err)
{
    const wl_advised *r = p->launch->advised;
    wl_status status = WL_OK;
    wl_page_table(out, "advice", "change|#predicted gain|#time|what moves|then limited by");
    for (size_t i = 0; i < r->count && status == WL_OK; i++)
        if (!wl_advice_is_cause(r, &r->all[i]))
            status = add_advice(p, &r->all[i], out, err);
    if (r->has_combination && status == WL_OK)
        status = add_advice(p, &r->combination, out, err);
    wl_page_table_end(out);
    return status;
}

static void add_caveat(const char *name, const char *caveat, bool *any, wl_buffer *out)
{
    wl_buffer_add(out, "%s<li>%s: provided that %s</li>\n", *any ? "" : "<ul>\n", name, caveat);
    *any = true;
}

/* ---- causes ---- */

static void add_cause(const wl_cause *c, wl_buffer *out)
{
    wl_page_print(out, "<tr data-cause=\"%s\"", wl_cause_name(c->id));
    if (c->change)
        wl_page_attribute(out, "data-gain", c->gain);
    wl_page_print(out, "><td>%s</td><td>", wl_cause_name(c->id));
    if (c->access)
        wl_page_print(out, "<code>%s</code>: ", c->access);
    wl_page_text(out, c->text);
    if (c->line > 0)
        wl_page_print(out, " (%s%s%d)", c->file ? c->file : "line ", c->file ? ":" : "", (int)c->line);
    wl_page_print(out, "</td><td>%s</td>", c->change ? c->change : "cannot be predicted");
    if (c->change) {
        wl_page_number(out, c->gain, "%.1f %% less time", 100 * c->gain);
        wl_page_quantity(out, WL_DIM_TIME, c->time_s);
        wl_page_cell(out, wl_bound_name(c->limiter));
    } else {
        wl_page_unknown(out);
        wl_page_unknown(out);
        wl_page_unknown(out);
    }
    wl_buffer_text(out, "</tr>\n");
}

void wl_page_causes(const wl_page_part *p, wl_buffer *out)
{
    const wl_advised *r = p->launch->advised;
    uint32_t named = 0;
    bool any = false;
    if (!r)
        return; /* the reason is given with the changes */
    wl_buffer_text(out, "<h3>What slows it down</h3>\n");
    if (r->cause_count == 0) {
        wl_buffer_text(out, "<p>None of the causes that are looked for was found.</p>\n");
        return;
    }
    wl_buffer_text(out, "<p>Each cause with the time predicted without it.</p>\n");
    wl_page_table(out, "causes", "cause|what is slow|predicted instead|#gain|#time|then limited by");
    for (size_t i = 0; i < r->cause_count; i++) {
        add_cause(&r->causes[i], out);
        named |= r->causes[i].change ? 1u << r->causes[i].id : 0;
    }
    wl_page_table_end(out);
    for (int c = 0; c < WL_CAUSE_COUNT; c++)
        if (named & 1u << c)
            add_caveat(wl_cause_name((wl_cause_id)c), wl_cause_caveat((wl_cause_id)c), &any, out);
    wl_buffer_text(out, any ? "</ul>\n" : "");
}

wl_status wl_page_advice(const wl_page_part *p, wl_buffer *out, wl_error *err)
{
    const wl_advised *r = p->launch->advised;
    wl_status status = WL_OK;
    bool any = false;
    wl_buffer_text(out, "<h3>What would help</h3>\n");
    if (!r) {
        add_words(out, p->launch->no_advice);
        return WL_OK;
    }
    if (r->count == 0)
        wl_buffer_add(out, "<p>Nothing that was tried takes %.1f %% or more off the time", 100 * r->least_gain);
    else
        wl_buffer_add(out, "<p>%s%s. Less than %.1f %% is a tie and not listed",
                      wl_advice_left(r) > 0 ? "Each change alone" : "The causes above",
                      r->has_combination ? ", and in the last row several together" : "", 100 * r->least_gain);
    wl_page_print(out, " (%s).</p>\n", r->trust.basis);
    if (wl_advice_left(r) > 0 || r->has_combination)
        status = add_list(p, out, err);
    for (int c = 0; c < WL_CHANGE_COUNT; c++)
        if (wl_advice_changes(r) & 1u << c && !wl_change_is_explained(r, (wl_change)c))
            add_caveat(wl_change_name((wl_change)c), wl_change_caveat((wl_change)c), &any, out);
    wl_buffer_text(out, any ? "</ul>\n" : "");
    return status;
}

/* ---- assumptions ---- */

void wl_page_notes(const wl_page_part *p, wl_buffer *out)
{
    const wl_prediction *r = p->prediction;
    const wl_page_launch *l = p->launch;
    const char *note;
    wl_buffer_text(out, "<h3>Assumptions and warnings</h3>\n<ul class=\"notes\"");
    wl_page_attribute(out, "data-warnings", r->warning_count);
    wl_buffer_text(out, ">\n<li>Estimators: ");
    wl_estimators_text(r, out);
    wl_buffer_text(out, ".</li>\n");
    if (r->sampled)
        wl_buffer_add(out,
                      "<li>Blocks were sampled: load and store instructions and sectors are within %.3g %% (three "
                      "standard errors).</li>\n",
                      100 * r->sampled_error);
    for (int i = 0; i < r->warning_count; i++)
        add_note(out, "", r->warnings[i]);
    for (size_t i = 0; l->ranked && (note = wl_ranker_note(l->ranked->ranker, i)); i++)
        add_note(out, "ranking: ", note);
    for (int i = 0; l->advised && i < l->advised->note_count; i++)
        add_note(out, "advice: ", l->advised->notes[i]);
    wl_buffer_text(out, "</ul>\n");
}

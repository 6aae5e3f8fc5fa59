/* rank_json.c - rankings as JSON, schema warpline.rank/1, in pieces that make one text.
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "base/json_out.h"
#include "report/common/rank_report.h"
#include "report/common/words.h"
#include "search/ranker.h"

#define SUMMARY_DIGITS 6 /* of ties and ratios, which are rough anyway */

static wl_json_out piece_of(wl_buffer *out, int digits)
{
    return (wl_json_out){.text = out, .form = WL_JSON_SPACED, .digits = digits};
}

void wl_rank_json_start(const wl_ranked_space *s, wl_buffer *out)
{
    const wl_kernel *kernel = wl_ranker_kernel(s->ranker);
    wl_json_out o = piece_of(out, WL_JSON_DIGITS);
    wl_out_object(&o, NULL);
    wl_out_members(&o, "schema:s kernel:s unit:s symbol:s?", "warpline.rank/1", wl_kernel_name(kernel),
                   wl_kernel_unit(kernel), wl_kernel_symbol(kernel));
    wl_out_array(&o, "spaces");
}

void wl_rank_json_space(const wl_ranked_space *s, bool first, wl_buffer *out)
{
    wl_json_out o = piece_of(out, WL_JSON_DIGITS);
    wl_buffer_text(out, first ? "\n" : ",\n");
    wl_out_object(&o, NULL);
    wl_out_members(&o, "device:s", wl_device_name(wl_ranker_device(s->ranker)));
    if (s->dims > 0)
        wl_out_members(&o, "domain:x items:d", s->domain, wl_ranker_items(s->ranker));
    wl_out_array(&o, "launches");
}

void wl_rank_json_launch(const wl_ranked_space *s, const wl_launch *l, const wl_ranked *r, wl_rank_place place,
                         bool first, wl_buffer *out)
{
    wl_json_out o = piece_of(out, WL_JSON_DIGITS);
    wl_buffer_text(out, first ? "\n  " : ",\n  ");
    wl_out_object(&o, NULL);
    wl_rank_columns(&(wl_row){.json = &o}, s, l, r, place);
    wl_out_object_end(&o);
}

/* Why launches were not predicted. */
static void reason(wl_json_out *o, wl_outcome outcome, const char *condition, int64_t count)
{
    wl_out_row(o, NULL, "reason:s condition:s? cannot_run:b count:d", wl_outcome_text(outcome), condition,
               wl_outcome_cannot_run(outcome), count);
}

static void left_out(wl_json_out *o, const wl_ranked_space *s)
{
    const char *condition;
    wl_out_array(o, "left_out");
    for (int c = WL_OUTCOME_PREDICTED + 1; c < WL_OUTCOME_COUNT; c++)
        if (s->ranking.outcomes[c] > 0 && c != WL_OUTCOME_WHERE)
            reason(o, (wl_outcome)c, NULL, s->ranking.outcomes[c]);
    for (size_t i = 0; (condition = wl_ranker_condition(s->ranker, i)); i++)
        reason(o, WL_OUTCOME_WHERE, condition, s->ranking.conditions[i]);
    wl_out_array_end(o);
}

void wl_rank_json_space_end(const wl_ranked_space *s, bool sorted, bool empty, wl_buffer *out)
{
    const char *note;
    wl_json_out json = piece_of(out, SUMMARY_DIGITS), *o = &json;
    wl_buffer_text(out, empty ? "]" : "\n ]");
    o->filled = true; /* by the launches */
    wl_out_members(o, "sorted:b predicted:d", sorted, s->ranking.outcomes[WL_OUTCOME_PREDICTED]);
    left_out(o, s);
    wl_out_members(o, "interrupted:b tie:n? error_basis:s", s->ranking.stopped, s->tie, s->trust.basis);
    if (s->chosen)
        wl_out_row(o, "benchmark", "count:d within:n? probability:n? assumed:b", (int64_t)s->count, s->within,
                   s->chance > 0 ? s->chance : NAN, s->trust.assumed);
    wl_out_array(o, "notes");
    for (size_t i = 0; (note = wl_ranker_note(s->ranker, i)); i++)
        wl_out_text(o, NULL, note);
    wl_out_array_end(o);
    wl_out_object_end(o);
}

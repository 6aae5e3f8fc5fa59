/* rank_json.c - rankings as JSON, schema warpline.rank/1, in pieces that make one text: launches
 * are streamed, the few lines around them are built as trees. SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "report/common/rank_report.h"
#include "report/common/shape_text.h"
#include "search/ranker.h"
#include "report/json/symbol_json.h"

#define SUMMARY_DIGITS 6 /* of ties and ratios, which are rough anyway */

/* Adds the text of `root` without its first `skip` and its last `drop` characters. */
static void add_json(wl_json *j, json_t *root, int digits, size_t skip, size_t drop, wl_buffer *out)
{
    char *text = NULL;
    if (wl_json_take(j, root, WL_JSON_SPACED, digits, &text, NULL) != WL_OK)
        out->failed = true;
    else
        wl_buffer_put(out, text + skip, strlen(text) - skip - drop);
    free(text);
}

/* The start of an object to which keys are added, "{..., ", and its continuation, ", ...}". */
static void add_opened(wl_json *j, json_t *object, wl_buffer *out)
{
    add_json(j, object, WL_JSON_DIGITS, 0, 1, out);
    wl_buffer_text(out, ", ");
}

static void add_rest(wl_json *j, json_t *object, wl_buffer *out)
{
    wl_buffer_text(out, ", ");
    add_json(j, object, SUMMARY_DIGITS, 1, 0, out);
}

void wl_rank_json_start(const wl_ranked_space *s, wl_buffer *out)
{
    wl_json json = {0}, *j = &json;
    json_t *head = wl_json_object(j);
    wl_json_set(j, head, "schema", wl_json_text(j, "warpline.rank/1"));
    wl_json_set(j, head, "kernel", wl_json_text(j, wl_kernel_name(wl_ranker_kernel(s->ranker))));
    wl_json_set(j, head, "unit", wl_json_text(j, wl_kernel_unit(wl_ranker_kernel(s->ranker))));
    wl_json_symbol(j, head, wl_ranker_kernel(s->ranker));
    add_opened(j, head, out);
    wl_buffer_text(out, "\"spaces\": [");
}

void wl_rank_json_space(const wl_ranked_space *s, bool first, wl_buffer *out)
{
    wl_json json = {0}, *j = &json;
    json_t *head = wl_json_object(j);
    wl_json_set(j, head, "device", wl_json_text(j, wl_device_name(wl_ranker_device(s->ranker))));
    if (s->dims > 0) {
        wl_json_set(j, head, "domain", wl_json_shape(j, s->domain));
        wl_json_set(j, head, "items", wl_json_whole(j, wl_ranker_items(s->ranker)));
    }
    wl_buffer_text(out, first ? "\n" : ",\n");
    add_opened(j, head, out);
    wl_buffer_text(out, "\"launches\": [");
}

void wl_rank_json_launch(const wl_ranked_space *s, const wl_launch *l, const wl_ranked *r, wl_rank_place place,
                         bool first, wl_buffer *out)
{
    wl_json_out json = {.text = out, .form = WL_JSON_SPACED, .digits = WL_JSON_DIGITS}, *o = &json;
    wl_buffer_text(out, first ? "\n  " : ",\n  ");
    wl_out_object(o, NULL);
#define wl_out_word wl_out_text
#define WL_JSON(kind, name, known, value)                                                                              \
    if (known)                                                                                                         \
        wl_out_##kind(o, #name, value);
#define WL_BOTH(kind, name, known, value) WL_JSON(kind, name, known, value)
#define WL_IF(condition, kind, name, value) WL_JSON(kind, name, true, value)
#define WL_CSV(kind, name, known, value)
#define WL_GROUP(name) wl_out_object(o, #name);
#define WL_GROUP_END wl_out_object_end(o);
#include "report/common/rank_columns.def"
    wl_out_object(o, "metrics");
    for (int v = 0; v < WL_RANK_VALUES; v++) /* NaN is left out */
        wl_out_number(o, wl_metric_name(wl_rank_metric((wl_rank_value)v)), r->values[v]);
    wl_out_object_end(o);
    wl_out_object_end(o);
}

/* Why launches were not predicted. */
static json_t *reason(wl_json *j, wl_outcome outcome, const char *condition, int64_t count)
{
    json_t *all = wl_json_object(j);
    wl_json_set(j, all, "reason", wl_json_text(j, wl_outcome_text(outcome)));
    if (condition)
        wl_json_set(j, all, "condition", wl_json_text(j, condition));
    wl_json_set(j, all, "cannot_run", wl_json_truth(j, wl_outcome_cannot_run(outcome)));
    wl_json_set(j, all, "count", wl_json_whole(j, count));
    return all;
}

static json_t *left_out(wl_json *j, const wl_ranked_space *s)
{
    json_t *all = wl_json_array(j);
    const char *condition;
    for (int o = WL_OUTCOME_PREDICTED + 1; o < WL_OUTCOME_COUNT; o++)
        if (s->ranking.outcomes[o] > 0 && o != WL_OUTCOME_WHERE)
            wl_json_add(j, all, reason(j, (wl_outcome)o, NULL, s->ranking.outcomes[o]));
    for (size_t i = 0; (condition = wl_ranker_condition(s->ranker, i)); i++)
        wl_json_add(j, all, reason(j, WL_OUTCOME_WHERE, condition, s->ranking.conditions[i]));
    return all;
}

static json_t *benchmark(wl_json *j, const wl_ranked_space *s)
{
    json_t *all = wl_json_object(j);
    wl_json_set(j, all, "count", wl_json_whole(j, (int64_t)s->count));
    wl_json_set(j, all, "within", wl_json_number(j, s->within));
    if (s->chance > 0)
        wl_json_set(j, all, "probability", wl_json_number(j, s->chance));
    wl_json_set(j, all, "assumed", wl_json_truth(j, s->trust.assumed));
    return all;
}

static json_t *notes(wl_json *j, const wl_ranked_space *s)
{
    json_t *all = wl_json_array(j);
    const char *note;
    for (size_t i = 0; (note = wl_ranker_note(s->ranker, i)); i++)
        wl_json_add(j, all, wl_json_text(j, note));
    return all;
}

void wl_rank_json_space_end(const wl_ranked_space *s, bool sorted, bool empty, wl_buffer *out)
{
    wl_json json = {0}, *j = &json;
    json_t *rest = wl_json_object(j);
    wl_json_set(j, rest, "sorted", wl_json_truth(j, sorted));
    wl_json_set(j, rest, "predicted", wl_json_whole(j, s->ranking.outcomes[WL_OUTCOME_PREDICTED]));
    wl_json_set(j, rest, "left_out", left_out(j, s));
    wl_json_set(j, rest, "interrupted", wl_json_truth(j, s->ranking.stopped));
    wl_json_set(j, rest, "tie", wl_json_number(j, s->tie));
    wl_json_set(j, rest, "error_basis", wl_json_text(j, s->trust.basis));
    if (s->chosen)
        wl_json_set(j, rest, "benchmark", benchmark(j, s));
    wl_json_set(j, rest, "notes", notes(j, s));
    wl_buffer_text(out, empty ? "]" : "\n ]");
    add_rest(j, rest, out);
}

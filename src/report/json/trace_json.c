/* trace_json.c - the counts of a trace as JSON of the schema warpline.trace/1.
 * SPDX-License-Identifier: MIT */
#include "base/json.h"
#include "report/common/shape_text.h"
#include "report/common/trace_report.h"

json_t *wl_trace_json(wl_json *j, const void *result)
{
    const wl_trace *t = ((const wl_trace_view *)result)->trace;
    const wl_trace_counts *c = &t->counts;
    const wl_trace_options *o = &t->options;
    json_t *fields = wl_json_array(j);
    for (int f = 0; f < t->field_count; f++)
        wl_json_add(j, fields, wl_json_text(j, t->fields[f]));
    json_t *root = wl_json_pack(
        j,
        "{s:s, s:o, s:s, s:{s:I, s:I, s:I, s:s, s:I}, s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:{s:I, s:I, s:I}}",
        "schema", "warpline.trace/1", "name", wl_json_text(j, t->name), "schedule",
        wl_schedule_words(&o->schedule).text, "cache", "lines", (json_int_t)o->lines, "line_bytes",
        (json_int_t)o->line_bytes, "ways", (json_int_t)o->ways, "policy", o->policy, "seed", (json_int_t)o->seed,
        "fields", fields, "tasks", (json_int_t)c->tasks, "simulated", (json_int_t)c->simulated, "threads_per_task",
        (json_int_t)o->by, "accesses", (json_int_t)c->uses, "stores", (json_int_t)c->stores, "fetches",
        (json_int_t)c->fetches, "least", (json_int_t)c->least, "evictions", (json_int_t)c->evictions, "window", "first",
        (json_int_t)t->first, "tasks", (json_int_t)t->count, "lines", (json_int_t)t->line_count);
    wl_json_set(j, root, "as_linear", wl_json_truth(j, t->as_linear));
    if (t->closed_form.lines)
        wl_json_set(j, root, "closed_form",
                    wl_json_pack(j, "{s:I, s:b}", "fetches", (json_int_t)t->closed_form.lines, "exact",
                                 (int)t->closed_form.exact));
    return root;
}

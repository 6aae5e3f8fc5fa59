/* trace_json.c - the counts of a trace as JSON of the schema warpline.trace/1.
 * SPDX-License-Identifier: MIT */
#include "base/json_out.h"
#include "report/common/words.h"
#include "report/common/trace_report.h"

void wl_trace_json(wl_json_out *o, const void *result)
{
    const wl_trace *t = ((const wl_trace_view *)result)->trace;
    const wl_trace_counts *c = &t->counts;
    const wl_trace_options *by = &t->options;
    wl_out_members(o, "schema:s name:s schedule:s cache:{lines:d line_bytes:d ways:d policy:s seed:d}",
                   "warpline.trace/1", t->name, wl_schedule_words(&by->schedule).text, by->lines, by->line_bytes,
                   by->ways, by->policy, (int64_t)by->seed);
    wl_out_array(o, "fields");
    for (int f = 0; f < t->field_count; f++)
        wl_out_text(o, NULL, t->fields[f]);
    wl_out_array_end(o);
    wl_out_members(o,
                   "tasks:d simulated:d threads_per_task:d accesses:d stores:d fetches:d least:d evictions:d "
                   "window:{first:d tasks:d lines:d} as_linear:b",
                   c->tasks, c->simulated, by->by, c->uses, c->stores, c->fetches, c->least, c->evictions, t->first,
                   t->count, (int64_t)t->line_count, t->as_linear);
    if (t->closed_form.lines)
        wl_out_row(o, "closed_form", "fetches:d exact:b", t->closed_form.lines, t->closed_form.exact);
}

/* metric_text.c - what metrics mean, for people. SPDX-License-Identifier: MIT */
#include "report/text/explain_text.h"
#include "report/common/marks.h"
#include "report/common/words.h"
#include "warpline/report.h"

#define WIDTH 78

static const char *scope_text(wl_scope_of scope)
{
    return scope == WL_SCOPE_LAUNCH ? "total of one launch"
           : scope == WL_SCOPE_SM   ? "one multiprocessor at a time"
                                    : "one wave: the blocks resident at once";
}

wl_status wl_metrics_text(char **out, wl_error *err)
{
    wl_buffer text = {0};
    for (int i = 0; i < WL_METRIC_COUNT; i++)
        wl_buffer_add(&text, "%-18s %-12s %s\n", wl_metric_name((wl_metric)i), wl_metric_unit((wl_metric)i),
                      scope_text(wl_metric_scope((wl_metric)i)));
    wl_explain_list(&text);
    return wl_buffer_take(&text, out, err);
}

void wl_metric_explain(wl_metric metric, wl_buffer *out)
{
    wl_mark_text(out, WL_MARK_HEADLINE, wl_metric_name(metric));
    wl_buffer_add(out, " [%s], %s\n", wl_metric_unit(metric), scope_text(wl_metric_scope(metric)));
    wl_wrapped_text(wl_metric_meaning(metric), WIDTH, out);
    wl_buffer_add(out, "  counter: %s\n", wl_metric_counter(metric)[0] ? wl_metric_counter(metric) : "none");
}

wl_status wl_metric_text(wl_metric metric, char **out, wl_error *err)
{
    wl_buffer text = {0};
    wl_metric_explain(metric, &text);
    return wl_buffer_take(&text, out, err);
}

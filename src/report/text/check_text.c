/* check_text.c - findings for people: a line each, failures first, and the verdict.
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "judge/findings.h"
#include "report/common/marks.h"
#include "report/common/render.h"
#include "report/common/words.h"

static const char *mark(wl_verdict v) { return wl_verdict_fails(v) ? "FAIL" : wl_verdict_name(v); }

/* Two decimals, except for numbers that would show as 0 or as many digits. */
static wl_short percent_text(double percent)
{
    const double much = fabs(percent);
    const bool plain = much == 0 || (much >= 0.005 && much < 1e5);
    return wl_short_of(plain ? "%+.2f %%" : "%+.1e %%", percent);
}

static void add_finding(const wl_finding *f, wl_buffer *out)
{
    char name[64];
    const char *relation = f->from_baseline ? "was" : wl_subject_is_gain(f->subject) ? ">= " : "<= ";
    wl_subject_name(f->subject, name, sizeof name);
    wl_mark_if(out, wl_verdict_fails(f->verdict), WL_MARK_FAILURE);
    wl_buffer_add(out, "  %-6s  %-22s  %12s  %s %12s  %10s", mark(f->verdict), name,
                  f->predicted_known ? wl_subject_value_text(f->subject, f->predicted).text : "unknown", relation,
                  f->limit_known ? wl_subject_value_text(f->subject, f->limit).text : "unknown",
                  f->change_known ? percent_text(100 * f->change).text : "");
    wl_buffer_text(out, f->verdict == WL_VERDICT_GONE  ? "  not compared: unknown now"
                        : f->verdict == WL_VERDICT_NEW ? "  not compared: not in the baseline"
                                                       : "");
    wl_mark_if(out, wl_verdict_fails(f->verdict), WL_MARK_END);
    wl_buffer_text(out, "\n");
}

static bool launch_fails(const wl_checked *l)
{
    for (size_t i = 0; i < l->finding_count; i++)
        if (wl_verdict_fails(l->findings[i].verdict))
            return true;
    return false;
}

static void add_title(const char *kernel, const wl_checked *l, wl_buffer *out)
{
    wl_buffer_add(out, "%s on %s, block %s, fold %s\n", kernel, l->device, wl_shape_text(l->launch.block).text,
                  wl_shape_text(l->launch.fold).text);
}

static void add_findings(const wl_checked *l, bool fail, wl_buffer *out)
{
    for (size_t i = 0; i < l->finding_count; i++)
        if (wl_verdict_fails(l->findings[i].verdict) == fail)
            add_finding(&l->findings[i], out);
}

static void add_launch(const char *kernel, const wl_checked *l, wl_buffer *out)
{
    add_title(kernel, l, out);
    add_findings(l, true, out);
    add_findings(l, false, out);
    for (size_t i = 0; l->baseline && i < l->baseline->strange_count; i++)
        wl_buffer_add(out, "  gone    %s: not compared, this version has no such metric\n", l->baseline->strange[i]);
}

static void add_verdict(const wl_check *c, wl_buffer *out)
{
    wl_mark_add(out, c->failed ? WL_MARK_FAILURE : WL_MARK_HEADLINE);
    wl_buffer_add(out, "check %s", c->failed ? "FAILED" : "passed");
    wl_mark_add(out, WL_MARK_END);
    wl_buffer_add(out, ": %zu of %zu failed", c->failed, c->total);
    if (c->better)
        wl_buffer_add(out, ", %zu better", c->better);
    if (c->not_compared)
        wl_buffer_add(out, ", %zu not compared", c->not_compared);
    wl_buffer_add(out, "; %zu launch%s", c->launch_count, c->launch_count == 1 ? "" : "es");
    if (c->left_out)
        wl_buffer_add(out, " of %zu in the baseline", c->launch_count + c->left_out);
    wl_buffer_add(out, "\n");
}

void wl_check_text(const void *result, wl_buffer *out)
{
    const wl_check_report *r = result;
    const wl_check *c = r->check;
    for (size_t i = 0; i < c->launch_count; i++)
        if (launch_fails(&c->launches[i]))
            add_launch(r->kernel, &c->launches[i], out);
    for (size_t i = 0; i < c->launch_count; i++)
        if (!launch_fails(&c->launches[i]))
            add_launch(r->kernel, &c->launches[i], out);
    add_verdict(c, out);
}

wl_status wl_check_failures(const wl_check *c, const char *kernel, wl_format format, char **out, wl_error *err)
{
    wl_buffer text = wl_text_buffer(format);
    for (size_t i = 0; i < c->launch_count; i++)
        if (launch_fails(&c->launches[i])) {
            add_title(kernel, &c->launches[i], &text);
            add_findings(&c->launches[i], true, &text);
        }
    if (c->failed)
        add_verdict(c, &text);
    return wl_buffer_take(&text, out, err);
}

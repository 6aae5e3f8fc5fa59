/* check_junit.c - findings as JUnit XML, which CI systems show: a suite for each launch, a case for
 * each finding. SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "base/quote.h"
#include "judge/findings.h"
#include "report/common/render.h"
#include "report/common/words.h"

#define TEXT_MAX 1000 /* characters of an attribute */

typedef struct counts {
    size_t all, failed, skipped;
} counts;

static bool is_skipped(wl_verdict v) { return v == WL_VERDICT_GONE || v == WL_VERDICT_NEW; }

static size_t strange_count(const wl_checked *l) { return l->baseline ? l->baseline->strange_count : 0; }

static counts count(const wl_checked *l)
{
    const size_t strange = strange_count(l);
    counts c = {.all = l->finding_count + strange, .skipped = strange};
    for (size_t i = 0; i < l->finding_count; i++) {
        c.failed += wl_verdict_fails(l->findings[i].verdict);
        c.skipped += is_skipped(l->findings[i].verdict);
    }
    return c;
}

static void add_attribute(const char *name, const char *text, wl_buffer *out)
{
    wl_buffer_add(out, " %s=\"", name);
    wl_quote_xml(out, text, TEXT_MAX);
    wl_buffer_text(out, "\"");
}

static void add_counts(counts c, wl_buffer *out)
{
    wl_buffer_add(out, " tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"%zu\"", c.all, c.failed, c.skipped);
}

/* "time <= 1.5 ms" or "time, was 1.496 ms" */
static void name_case(const wl_finding *f, char *text, size_t size)
{
    char name[64];
    wl_subject_name(f->subject, name, sizeof name);
    (void)snprintf(text, size, "%s%s %s", name,
                   f->from_baseline                 ? ", was"
                   : wl_subject_is_gain(f->subject) ? " >="
                                                    : " <=",
                   f->limit_known ? wl_subject_value_text(f->subject, f->limit).text : "unknown");
}

/* "predicted 1.7 ms, +13.6 %" */
static void describe(const wl_finding *f, char *text, size_t size)
{
    if (f->predicted_known)
        (void)snprintf(text, size, "predicted %s%s", wl_subject_value_text(f->subject, f->predicted).text,
                       f->change_known ? wl_short_of(", %+.3g %%", 100 * f->change).text : "");
    else
        (void)snprintf(text, size, "the value is not known");
}

static void add_case(const wl_finding *f, const char *launch, wl_buffer *out)
{
    char name[128], words[128];
    name_case(f, name, sizeof name);
    describe(f, words, sizeof words);
    wl_buffer_text(out, "    <testcase");
    add_attribute("classname", launch, out);
    add_attribute("name", name, out);
    if (!wl_verdict_fails(f->verdict) && !is_skipped(f->verdict)) {
        wl_buffer_text(out, "/>\n");
        return;
    }
    wl_buffer_text(out, is_skipped(f->verdict) ? ">\n      <skipped" : ">\n      <failure");
    if (f->verdict == WL_VERDICT_GONE)
        add_attribute("message", "not compared: unknown now", out);
    else if (f->verdict == WL_VERDICT_NEW)
        add_attribute("message", "not compared: not in the baseline", out);
    else
        add_attribute("message", words, out);
    if (wl_verdict_fails(f->verdict))
        add_attribute("type", f->from_baseline ? "baseline" : "budget", out);
    wl_buffer_text(out, "/>\n    </testcase>\n");
}

/* A metric of the baseline that this version does not have. */
static void add_strange(const char *metric, const char *launch, wl_buffer *out)
{
    wl_buffer_text(out, "    <testcase");
    add_attribute("classname", launch, out);
    add_attribute("name", metric, out);
    wl_buffer_text(out, ">\n      <skipped");
    add_attribute("message", "not compared: this version has no such metric", out);
    wl_buffer_text(out, "/>\n    </testcase>\n");
}

static void add_suite(const wl_checked *l, const char *kernel, wl_buffer *out)
{
    wl_buffer name = {0};
    wl_buffer_add(&name, "%s on %s, block %s, fold %s", kernel, l->device, wl_shape_text(l->launch.block).text,
                  wl_shape_text(l->launch.fold).text);
    const char *text = name.failed ? "" : name.text;
    out->failed = out->failed || name.failed;
    wl_buffer_text(out, "  <testsuite");
    add_attribute("name", text, out);
    add_counts(count(l), out);
    wl_buffer_text(out, ">\n");
    for (size_t i = 0; i < l->finding_count; i++)
        add_case(&l->findings[i], text, out);
    for (size_t i = 0; i < strange_count(l); i++)
        add_strange(l->baseline->strange[i], text, out);
    wl_buffer_text(out, "  </testsuite>\n");
    wl_buffer_drop(&name);
}

wl_status wl_check_junit(const wl_check *c, const char *kernel, char **out, wl_error *err)
{
    wl_buffer text = {0};
    counts all = {0};
    for (size_t i = 0; i < c->launch_count; i++) {
        const counts one = count(&c->launches[i]);
        all = (counts){all.all + one.all, all.failed + one.failed, all.skipped + one.skipped};
    }
    wl_buffer_text(&text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"warpline check\"");
    add_counts(all, &text);
    wl_buffer_text(&text, ">\n");
    for (size_t i = 0; i < c->launch_count; i++)
        add_suite(&c->launches[i], kernel, &text);
    wl_buffer_text(&text, "</testsuites>\n");
    return wl_buffer_take(&text, out, err);
}

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

static void quote(wl_buffer *out, const char *text) { wl_quote_xml(out, text, TEXT_MAX); }

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

/* What became of it ("failure", "skipped"), and why; NULL: it passed. */
static void add_case(const char *launch, const char *name, const char *outcome, const char *message, const char *type,
                     wl_buffer *out)
{
    wl_quote_add(out, quote, "    <testcase classname=\"%s\" name=\"%s\"", launch, name);
    if (!outcome) {
        wl_buffer_text(out, "/>\n");
        return;
    }
    wl_quote_add(out, quote, ">\n      <%s message=\"%s\"", outcome, message);
    if (type)
        wl_quote_add(out, quote, " type=\"%s\"", type);
    wl_buffer_text(out, "/>\n    </testcase>\n");
}

static void add_finding(const wl_finding *f, const char *launch, wl_buffer *out)
{
    const bool fails = wl_verdict_fails(f->verdict);
    char name[128], words[128];
    name_case(f, name, sizeof name);
    describe(f, words, sizeof words);
    add_case(launch, name,
             is_skipped(f->verdict) ? "skipped"
             : fails                ? "failure"
                                    : NULL,
             f->verdict == WL_VERDICT_GONE  ? "not compared: unknown now"
             : f->verdict == WL_VERDICT_NEW ? "not compared: not in the baseline"
                                            : words,
             !fails             ? NULL
             : f->from_baseline ? "baseline"
                                : "budget",
             out);
}

static void add_suite(const wl_checked *l, const char *kernel, wl_buffer *out)
{
    wl_buffer name = {0};
    wl_buffer_add(&name, "%s on %s, block %s, fold %s", kernel, l->device, wl_shape_text(l->launch.block).text,
                  wl_shape_text(l->launch.fold).text);
    const char *text = name.failed ? "" : name.text;
    out->failed = out->failed || name.failed;
    wl_quote_add(out, quote, "  <testsuite name=\"%s\"", text);
    add_counts(count(l), out);
    wl_buffer_text(out, ">\n");
    for (size_t i = 0; i < l->finding_count; i++)
        add_finding(&l->findings[i], text, out);
    for (size_t i = 0; i < strange_count(l); i++)
        add_case(text, l->baseline->strange[i], "skipped", "not compared: this version has no such metric", NULL, out);
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

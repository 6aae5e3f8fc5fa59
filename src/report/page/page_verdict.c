/* page_verdict.c - what a page begins with: one paragraph in the words of the short answer of
 * 'predict', and the changes that gain most.
 * SPDX-License-Identifier: MIT */
#include "report/common/advise_words.h"
#include "report/common/answer_words.h"
#include "report/page/page.h"
#include "search/advised.h"

#define PERCENT 100.0
#define FINDINGS 3

/* A cause or a change, and what it gains. */
typedef struct finding {
    const wl_cause *cause; /* or */
    const wl_advice *advice;
    double gain;
} finding;

/* ---- the paragraph ---- */

/* "Limited by WORDS. " with the words quoted. */
static void add_sentence(wl_buffer *words, const char *before, const char *name, wl_buffer *out)
{
    wl_page_print(out, "%s<span class=\"%s\">%s</span>. ", before, name, wl_buffer_string(words));
    wl_buffer_drop_part(words, out);
}

static void add_paragraph(const wl_page_part *p, wl_buffer *out)
{
    const wl_limited launch = {p->prediction, p->kernel, p->device};
    const wl_explanation e = wl_explanation_of(p->prediction);
    wl_buffer words = {0};
    wl_buffer_text(out, "<p class=\"verdict\">");
    wl_buffer_add(out, "It takes <strong>%s</strong>: ", wl_quantity(WL_DIM_TIME, p->prediction->model.time_s).text);
    wl_answer_rate(&launch, &words);
    add_sentence(&words, "", "rate", out);
    wl_answer_limit(&launch, &e, &words);
    add_sentence(&words, "Limited by ", "limit", out);
    if (wl_limit_remedy(&launch, e.first.bound)[0])
        wl_page_print(out, "In general, %s. ", wl_limit_remedy(&launch, e.first.bound));
    wl_answer_volumes(p->prediction, WL_METRIC_dram_load_bytes, WL_METRIC_dram_store_bytes, &words);
    add_sentence(&words, "DRAM: ", "volumes", out);
    wl_answer_trust(&launch, &words);
    add_sentence(&words, "Trust: ", "trust", out);
    wl_buffer_text(out, "</p>\n");
}

/* ---- findings ---- */

/* Keeps the best; of equal ones, the first. */
static void keep(finding best[FINDINGS], int *count, finding one)
{
    int at = *count < FINDINGS ? (*count)++ : FINDINGS;
    for (; at > 0 && one.gain > best[at - 1].gain; at--)
        if (at < FINDINGS)
            best[at] = best[at - 1];
    if (at < FINDINGS)
        best[at] = one;
}

static int find(const wl_advised *a, finding best[FINDINGS])
{
    int count = 0;
    for (size_t i = 0; i < a->cause_count; i++)
        if (a->causes[i].change && a->causes[i].gain >= WL_WORTH_SAYING)
            keep(best, &count, (finding){.cause = &a->causes[i], .gain = a->causes[i].gain});
    for (size_t i = 0; i < WL_CHANGE_COUNT; i++) /* those within the error, too */
        if (a->all[i].gain >= WL_WORTH_SAYING && !wl_advice_is_cause(a, &a->all[i]))
            keep(best, &count, (finding){.advice = &a->all[i], .gain = a->all[i].gain});
    return count;
}

static void add_finding(const wl_advised *a, const finding *f, const char *before, wl_buffer *out)
{
    wl_buffer words = {0};
    if (f->cause)
        wl_answer_cause(a, f->cause, &words);
    else
        wl_answer_advice(a, f->advice, &words);
    wl_buffer_text(out, "<li");
    wl_page_attribute(out, "data-finding", f->gain);
    wl_page_print(out, ">%s%s<i class=\"gain\" style=\"width:%.2f%%\"></i></li>\n", before, wl_buffer_string(&words),
                  PERCENT * f->gain);
    wl_buffer_drop_part(&words, out);
}

static void add_findings(const wl_page_part *p, wl_buffer *out)
{
    const wl_advised *a = p->launch->advised;
    finding best[FINDINGS];
    const int count = a ? find(a, best) : 0;
    if (!a)
        return; /* the reason is given with the changes */
    if (count == 0) {
        wl_buffer_add(out, "<p>Best change: none of those tried saves %.0f %% or more.</p>\n",
                      PERCENT * WL_WORTH_SAYING);
        return;
    }
    wl_buffer_text(out, "<p>What gains most:</p>\n<ol class=\"findings\">\n");
    for (int i = 0; i < count; i++)
        add_finding(a, &best[i], "", out);
    if (a->has_combination && a->combination.gain > best[0].gain)
        add_finding(a, &(finding){.advice = &a->combination, .gain = a->combination.gain}, "together: ", out);
    wl_buffer_text(out, "</ol>\n");
}

double wl_page_best(const wl_page_part *p, wl_buffer *out)
{
    const wl_advised *a = p->launch->advised;
    finding best[FINDINGS];
    if (!a || find(a, best) == 0)
        return 0;
    if (best[0].cause)
        wl_answer_cause(a, best[0].cause, out);
    else
        wl_answer_advice(a, best[0].advice, out);
    return best[0].gain;
}

void wl_page_verdict(const wl_page_part *p, wl_buffer *out)
{
    if (!(p->prediction->model.time_s > 0)) {
        wl_buffer_text(out, "<p class=\"verdict\">No time: nothing is executed.</p>\n");
        return;
    }
    add_paragraph(p, out);
    add_findings(p, out);
}

/* answer_text.c - a prediction in a few lines: how fast, what limits it, what would help, how far
 * to trust it. SPDX-License-Identifier: MIT */
#include "base/units.h"
#include "device/device_internal.h"
#include "report/common/answer_report.h"
#include "report/common/answer_words.h"
#include "report/common/marks.h"
#include "report/common/words.h"
#include "roofline/limit_words.h"
#include "search/advised.h"

#define PERCENT 100.0
#define INDENT 14   /* where the text of a line begins */
#define SHOWN 0.015 /* shares below are not shown */

static void add_label(wl_buffer *out, const char *label) { wl_line(out, INDENT, "  %-12s", label); }

/* ---- time and rate ---- */

static void add_rate(const wl_report *r, wl_buffer *out)
{
    const wl_prediction *p = r->prediction;
    wl_kernel_headline(out, r->kernel, r->device);
    if (!(p->model.time_s > 0)) {
        wl_buffer_text(out, ": no time, nothing is executed\n");
        return;
    }
    wl_buffer_text(out, ": ");
    wl_headline(out, "%s", wl_quantity(WL_DIM_TIME, p->model.time_s).text);
    wl_buffer_text(out, ", ");
    wl_answer_rate(&(wl_limited){p, r->kernel, r->device}, out);
    wl_buffer_text(out, "\n");
}

/* Occupancy is limited where another resource than threads decides. */
static void add_launch(const wl_report *r, wl_buffer *out)
{
    const wl_prediction *p = r->prediction;
    const wl_launch *l = &p->launch;
    const wl_occupancy *o = &p->occupancy;
    const double warp = wl_device_or(r->device, WL_DEVICE_warp_size, 1);
    const double most = wl_device_or(r->device, WL_DEVICE_max_threads_per_sm, 0) / warp;
    add_label(out, "launch");
    wl_buffer_add(out, "block %s", wl_shape_text(l->block).text);
    if (l->fold[0] * l->fold[1] * l->fold[2] > 1)
        wl_buffer_add(out, ", fold %s", wl_shape_text(l->fold).text);
    wl_buffer_add(out, ", grid %s, %lld registers", wl_shape_text(l->grid).text, (long long)l->registers);
    if (l->shared_bytes > 0)
        wl_buffer_add(out, ", %s shared", wl_quantity(WL_DIM_BYTES, (double)l->shared_bytes).text);
    wl_buffer_add(out, "; %lld of %.0f warps per %s", (long long)o->warps_per_sm, most, wl_device_sm_word(r->device));
    if ((double)o->warps_per_sm < most)
        wl_buffer_add(out, " (limit: %s)", wl_occupancy_limit_name(o->limiter));
    wl_buffer_add(out, ", %.3g wave%s\n", p->waves, p->waves > 1 ? "s" : "");
}

/* ---- what limits it ---- */

static void add_limit(const wl_report *r, const wl_explanation *e, wl_buffer *out)
{
    add_label(out, "limited by");
    wl_answer_limit(&(wl_limited){r->prediction, r->kernel, r->device}, e, out);
    wl_buffer_text(out, "\n");
}

static void add_peaks(const wl_report *r, wl_buffer *out)
{
    const wl_limited launch = {r->prediction, r->kernel, r->device};
    wl_ceilings ceilings;
    wl_use uses[WL_USES_MAX];
    const char *separator = "";
    const int count = wl_uses_predicted(&launch, &ceilings, uses);
    for (int i = 0; i < count; i++) {
        if (!wl_use_shows(&uses[i], &ceilings) || uses[i].share < SHOWN)
            continue;
        if (!separator[0])
            add_label(out, "of peak");
        wl_buffer_add(out, "%s%s %.0f %%", separator, wl_use_name(&uses[i]), PERCENT * uses[i].share);
        separator = ", ";
    }
    if (separator[0])
        wl_buffer_text(out, "\n");
}

/* ---- volumes ---- */

static void add_volumes(const wl_report *r, wl_buffer *out)
{
    add_label(out, "L2 to SMs");
    wl_answer_volumes(r->prediction, WL_METRIC_l2_load_bytes, WL_METRIC_l2_store_bytes, out);
    wl_buffer_text(out, "\n");
    add_label(out, "DRAM");
    wl_answer_volumes(r->prediction, WL_METRIC_dram_load_bytes, WL_METRIC_dram_store_bytes, out);
    wl_buffer_text(out, "\n");
}

/* ---- what would help ---- */

static const wl_cause *best_cause(const wl_advised *a)
{
    const wl_cause *c = a->cause_count > 0 ? &a->causes[0] : NULL;
    return c && c->change && c->gain >= WL_WORTH_SAYING ? c : NULL;
}

static const wl_advice *best_advice(const wl_advised *a)
{
    if (a->has_combination)
        return &a->combination;
    return a->all[0].gain >= WL_WORTH_SAYING ? &a->all[0] : NULL;
}

static void add_best(const wl_answer *answer, wl_buffer *out)
{
    const wl_advised *a = answer->advised;
    add_label(out, "best change");
    if (!a) {
        wl_buffer_text(out, answer->prediction->outside_count > 0 ? "not searched: the launch runs out of bounds\n"
                            : wl_prediction_has_gaps(answer->prediction)
                                ? "not searched: an incomplete prediction cannot be compared\n"
                                : "not searched, as each prediction takes long: warpline advise searches\n");
        return;
    }
    const wl_cause *cause = best_cause(a);
    const wl_advice *advice = best_advice(a);
    if (cause && (!advice || cause->gain >= advice->gain))
        wl_answer_cause(a, cause, out);
    else if (advice)
        wl_answer_advice(a, advice, out);
    else
        wl_buffer_add(out, "none of those tried saves %.0f %% or more", PERCENT * WL_WORTH_SAYING);
    wl_buffer_text(out, "\n");
}

/* ---- trust ---- */

/* Notes that only --verbose shows: all but the first that a user can act on. */
static int notes_left(const wl_prediction *p)
{
    int left = 0, acts = 0;
    for (int i = 0; i < p->warning_count; i++) {
        left += p->warning_kind[i] != WL_WARNING_GAP;
        acts += p->warning_kind[i] == WL_WARNING_ACT;
    }
    return left - (acts > 0);
}

static void add_trust(const wl_answer *answer, wl_buffer *out)
{
    const wl_prediction *p = answer->prediction;
    add_label(out, "trust");
    wl_answer_trust(&(wl_limited){p, answer->kernel, answer->device}, out);
    if (!answer->verbose && !answer->quiet && notes_left(p) > 0)
        wl_buffer_add(out, "; --verbose: %d note%s", notes_left(p), notes_left(p) > 1 ? "s" : "");
    wl_buffer_text(out, "\n");
}

/* All notes or, in a short answer, the first that a user can act on. */
static void add_notes(const wl_answer *answer, wl_buffer *out)
{
    const wl_prediction *p = answer->prediction;
    for (int i = 0; i < p->warning_count; i++) {
        if (p->warning_kind[i] == WL_WARNING_GAP || (!answer->verbose && p->warning_kind[i] != WL_WARNING_ACT))
            continue;
        wl_note_line(out, "  ", "%s", p->warnings[i]);
        if (!answer->verbose)
            return;
    }
}

void wl_answer_text(const void *result, wl_buffer *out)
{
    const wl_answer *answer = result;
    const wl_report r = {answer->prediction, answer->kernel, answer->device};
    const wl_explanation e = wl_explanation_of(answer->prediction);
    wl_gap_lines(answer->prediction, out);
    add_rate(&r, out);
    add_launch(&r, out);
    if (answer->prediction->model.time_s > 0) {
        add_limit(&r, &e, out);
        add_peaks(&r, out);
    }
    add_volumes(&r, out);
    add_best(answer, out);
    add_trust(answer, out);
    add_notes(answer, out);
}

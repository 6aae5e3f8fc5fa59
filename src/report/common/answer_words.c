/* answer_words.c - see answer_words.h. SPDX-License-Identifier: MIT */
#include "report/common/answer_words.h"

#include "base/units.h"
#include "report/common/advise_words.h"
#include "report/common/derived.h"
#include "report/common/marks.h"
#include "warpline/trust.h"

#define PERCENT 100.0
#define SHOWN 0.015 /* shares below are not shown */
#define NOTED 0.001 /* smaller errors of samples are not shown */

void wl_answer_rate(const wl_limited *l, wl_buffer *out)
{
    const wl_prediction *p = l->prediction;
    wl_tallies tallies;
    double flops;
    wl_buffer_add(out, "%s%s/s", wl_scaled(p->model.items_per_s).text, wl_work_unit_words(p->work_unit)->brief);
    wl_tallies_predicted(p, l->kernel, l->device, &tallies);
    if (wl_all_flops(&tallies, &flops) && flops > 0)
        wl_buffer_add(out, ", %sFLOP/s", wl_scaled(flops / p->model.time_s).text);
}

void wl_answer_limit(const wl_limited *l, const wl_explanation *e, wl_buffer *out)
{
    double share;
    wl_mark_text(out, WL_MARK_LIMITER, wl_limit_words(l, e, e->first.bound));
    if (e->first.share > 0)
        wl_buffer_add(out, ", %.0f %% of the time", PERCENT * e->first.share);
    if (wl_limit_of_peak(l, e->first.bound, &share))
        wl_buffer_add(out, " (%.0f %% of peak)", PERCENT * share);
    if (e->next.busy > 0 || e->next.share > 0)
        wl_buffer_add(out, "; next: %s", wl_limit_words(l, e, e->next.bound));
    if (e->next.share > 0)
        wl_buffer_add(out, ", %.0f %%", PERCENT * e->next.share);
    if (e->idle >= SHOWN)
        wl_buffer_add(out, "; idle at the end, %.0f %%", PERCENT * e->idle);
}

static void add_volume(const wl_prediction *p, wl_metric metric, const char *what, bool stored, wl_buffer *out)
{
    const wl_value *v = &p->metrics[metric];
    const double least = p->has_distinct ? p->distinct[stored] : 0;
    if (!v->known)
        wl_buffer_add(out, "unknown %s", what);
    else
        wl_buffer_add(out, "%sB %s", wl_scaled(v->value).text, what);
    if (v->known && least > 0 && v->value / least >= 1.05)
        wl_buffer_add(out, " (%.2g x the least)", v->value / least);
    else if (v->known && v->value >= 0.95 * least && least > 0)
        wl_buffer_text(out, " (the least)");
}

void wl_answer_volumes(const wl_prediction *p, wl_metric load, wl_metric store, wl_buffer *out)
{
    add_volume(p, load, "loaded", false, out);
    wl_buffer_text(out, ", ");
    add_volume(p, store, "stored", true, out);
}

void wl_answer_cause(const wl_cause *c, wl_buffer *out)
{
    wl_buffer_add(out, "%s%s%s", c->access ? c->access : "", c->access ? ": " : "", c->text);
    if (c->line > 0)
        wl_buffer_add(out, " (%s%s%d)", c->file ? c->file : "line ", c->file ? ":" : "", (int)c->line);
    wl_buffer_add(out, "; %s: %s, %.0f %% less", c->change, wl_quantity(WL_DIM_TIME, c->time_s).text,
                  PERCENT * c->gain);
}

void wl_answer_advice(const wl_advice *a, wl_buffer *out)
{
    wl_advice_words words;
    wl_advice_describe(a, &words);
    wl_buffer_add(out, "%s: %s, %.0f %% less", words.text, wl_quantity(WL_DIM_TIME, a->time_s).text, PERCENT * a->gain);
}

void wl_answer_trust(const wl_limited *l, wl_buffer *out)
{
    const wl_prediction *p = l->prediction;
    wl_confidence c;
    out->failed = out->failed || wl_confidence_of(l->device, p->model.id, WL_CONFIDENCE_TIME, &c, NULL) != WL_OK;
    if (out->failed)
        return;
    if (!c.known)
        wl_buffer_text(out, "the error on this device is not known");
    else if (c.low < c.high)
        wl_buffer_add(out, "mean error of times %.0f to %.0f %%", PERCENT * c.low, PERCENT * c.high);
    else
        wl_buffer_add(out, "mean error of times %.0f %%", PERCENT * c.low);
    if (c.known)
        wl_buffer_text(out, c.measured ? ", measured on this GPU" : ", believed from other GPUs");
    if (p->sampled && p->sampled_error >= NOTED)
        wl_buffer_add(out, "; counts sampled within %.2g %%", PERCENT * p->sampled_error);
}

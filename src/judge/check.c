/* check.c - checks a prediction against budgets and a baseline; see warpline/check.h.
 * SPDX-License-Identifier: MIT */
#include "judge/findings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"

/* Stored values have 15 digits: smaller differences come from rounding. */
#define ROUNDING 1e-12
#define TOLERANCE 0.01 /* unless another is given */

const char *wl_verdict_name(wl_verdict verdict)
{
    switch (verdict) {
    case WL_VERDICT_OK: return "ok";
    case WL_VERDICT_BETTER: return "better";
    case WL_VERDICT_FAIL: return "fail";
    case WL_VERDICT_UNKNOWN: return "unknown";
    case WL_VERDICT_GONE: return "gone";
    case WL_VERDICT_NEW: return "new";
    }
    return "unknown";
}

bool wl_verdict_fails(wl_verdict verdict) { return verdict == WL_VERDICT_FAIL || verdict == WL_VERDICT_UNKNOWN; }

/* A change relative to 0 is known only if there is none. */
static void set_change(wl_finding *f)
{
    const bool same = fabs(f->predicted - f->limit) <= ROUNDING * f->limit;
    f->change_known = f->limit > 0 || same;
    f->change = same || f->limit <= 0 ? 0 : f->predicted / f->limit - 1;
}

wl_finding wl_find_by_budget(const wl_budget *budget, const wl_prediction *p, const wl_device *device)
{
    wl_finding f = {.subject = budget->subject, .limit = budget->limit, .limit_known = true};
    f.predicted_known = wl_subject_value(f.subject, p, device, &f.predicted);
    if (!f.predicted_known) {
        f.verdict = WL_VERDICT_UNKNOWN;
        return f;
    }
    const bool within = wl_subject_is_gain(f.subject) ? f.predicted >= f.limit * (1 - ROUNDING)
                                                      : f.predicted <= f.limit * (1 + ROUNDING);
    f.verdict = within ? WL_VERDICT_OK : WL_VERDICT_FAIL;
    set_change(&f);
    return f;
}

/* For the time and for metrics, less is better. */
static wl_verdict judge(const wl_finding *f, double tolerance)
{
    if (f->predicted > f->limit * (1 + tolerance + ROUNDING))
        return WL_VERDICT_FAIL;
    return f->predicted < f->limit * (1 - tolerance - ROUNDING) ? WL_VERDICT_BETTER : WL_VERDICT_OK;
}

size_t wl_find_by_baseline(const wl_prediction *p, const wl_prediction *baseline, double tolerance,
                           wl_finding *findings, size_t capacity)
{
    size_t count = 0;
    for (int i = -1; i < WL_METRIC_COUNT; i++) {
        wl_finding f = {.from_baseline = true};
        f.subject = i < 0 ? (wl_subject){.kind = WL_SUBJECT_TIME} : (wl_subject){.metric = (wl_metric)i};
        f.predicted_known = wl_subject_value(f.subject, p, NULL, &f.predicted);
        f.limit_known = wl_subject_value(f.subject, baseline, NULL, &f.limit);
        if (!f.predicted_known && !f.limit_known)
            continue;
        if (f.predicted_known && f.limit_known) {
            f.verdict = judge(&f, tolerance);
            set_change(&f);
        } else {
            f.verdict = f.predicted_known ? WL_VERDICT_NEW : WL_VERDICT_GONE;
        }
        if (count < capacity)
            findings[count] = f;
        count++;
    }
    return count;
}

/* ---- checks ---- */

wl_status wl_check_new(wl_check **out, wl_error *err)
{
    *out = calloc(1, sizeof **out);
    if (!*out)
        return wl_fail_memory(err);
    (*out)->tolerance = TOLERANCE;
    return WL_OK;
}

wl_status wl_check_budget(wl_check *c, const char *text, wl_error *err)
{
    wl_budget budget;
    WL_TRY(wl_budget_parse(text, &budget, err));
    wl_budget *larger = realloc(c->budgets, (c->budget_count + 1) * sizeof *larger);
    if (!larger)
        return wl_fail_memory(err);
    c->budgets = larger;
    c->budgets[c->budget_count++] = budget;
    return WL_OK;
}

wl_status wl_check_tolerance(wl_check *c, const char *text, wl_error *err)
{
    return wl_tolerance_parse(text, &c->tolerance, err);
}

void wl_check_leave_out(wl_check *c) { c->left_out++; }
size_t wl_check_failed(const wl_check *c) { return c->failed; }

static void count_findings(wl_check *c, const wl_checked *l)
{
    for (size_t i = 0; i < l->finding_count; i++) {
        const wl_verdict v = l->findings[i].verdict;
        c->failed += wl_verdict_fails(v);
        c->better += v == WL_VERDICT_BETTER;
        c->not_compared += v == WL_VERDICT_GONE || v == WL_VERDICT_NEW;
    }
    c->total += l->finding_count;
    c->not_compared += l->baseline ? l->baseline->strange_count : 0;
}

wl_status wl_check_add(wl_check *c, const wl_prediction *p, const wl_device *device, const wl_stored *baseline,
                       wl_error *err)
{
    wl_checked *larger = realloc(c->launches, (c->launch_count + 1) * sizeof *larger);
    if (!larger)
        return wl_fail_memory(err);
    c->launches = larger;
    wl_checked *l = &larger[c->launch_count];
    *l = (wl_checked){.launch = p->launch, .baseline = baseline};
    const size_t compared = baseline ? wl_find_by_baseline(p, baseline->prediction, c->tolerance, NULL, 0) : 0;
    l->findings = calloc(c->budget_count + compared + 1, sizeof *l->findings);
    l->device = strdup(wl_device_name(device));
    c->launch_count++;
    if (!l->findings || !l->device)
        return wl_fail_memory(err);
    for (size_t i = 0; i < c->budget_count; i++)
        l->findings[l->finding_count++] = wl_find_by_budget(&c->budgets[i], p, device);
    if (baseline)
        l->finding_count +=
            wl_find_by_baseline(p, baseline->prediction, c->tolerance, &l->findings[l->finding_count], compared);
    count_findings(c, l);
    return WL_OK;
}

void wl_check_free(wl_check *c)
{
    for (size_t i = 0; c && i < c->launch_count; i++) {
        free(c->launches[i].findings);
        free(c->launches[i].device);
    }
    if (c) {
        free(c->launches);
        free(c->budgets);
    }
    free(c);
}

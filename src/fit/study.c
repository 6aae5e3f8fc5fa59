/* study.c - a whole fit: cases and families, errors before and after, cross-validation by family,
 * rankings; see warpline/fit.h.
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "compare/comparison.h"
#include "device/device_internal.h"
#include "fit/fit_internal.h"

wl_model_id wl_ranked_model(int index) { return index == 0 ? WL_MODEL_TURNOVER : WL_MODEL_LIMITER; }

/* ---- cases ---- */

static wl_status make_cases(const wl_comparison *rows, const wl_fit_row *more, wl_fit *f, wl_error *err)
{
    f->count = wl_comparison_count(rows);
    f->cases = calloc(f->count + 1, sizeof *f->cases);
    f->families = calloc(f->count + 1, sizeof *f->families);
    if (!f->cases || !f->families)
        return wl_fail_memory(err);
    for (size_t i = 0; i < f->count; i++) {
        const wl_compared *row = wl_comparison_row(rows, i);
        f->cases[i] = (wl_fit_case){more[i].counted, row->measurement, row->family};
        size_t at = 0;
        /* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker) the first ones are set */
        while (at < f->family_count && strcmp(f->families[at], row->family) != 0)
            at++;
        if (at == f->family_count)
            f->families[f->family_count++] = row->family;
    }
    f->before = calloc(f->family_count + 1, sizeof *f->before);
    f->after = calloc(f->family_count + 1, sizeof *f->after);
    f->left_out = calloc(f->family_count + 1, sizeof *f->left_out);
    return f->before && f->after && f->left_out ? WL_OK : wl_fail_memory(err);
}

/* ---- numbers ---- */

static wl_status judge(const wl_fit *f, const wl_device *device, wl_fit_score *scores, wl_error *err)
{
    for (size_t i = 0; i < f->family_count; i++)
        WL_TRY(wl_fit_judge(device, f->cases, f->count, f->families[i], f->options.min_time_s, &scores[i], err));
    return WL_OK;
}

static wl_status fit_numbers(const wl_fit *f, const char *without, wl_device *device, wl_fit_result *out, wl_error *err)
{
    wl_number_options how = {.numbers = f->options.numbers,
                             .number_count = f->options.number_count,
                             .without = without,
                             .min_time_s = f->options.min_time_s};
    memcpy(how.targets, f->targets, sizeof how.targets);
    return wl_fit_numbers(device, f->cases, f->count, &how, out, err);
}

static wl_status leave_out(const wl_device *device, wl_fit *f, size_t family, wl_error *err)
{
    wl_device *own = NULL;
    wl_fit_result result;
    WL_TRY(wl_device_copy(device, &own, err));
    wl_status status = fit_numbers(f, f->families[family], own, &result, err);
    if (status == WL_OK)
        status = wl_fit_judge(own, f->cases, f->count, f->families[family], f->options.min_time_s, &f->left_out[family],
                              err);
    wl_device_free(own);
    return status;
}

static wl_status fit_and_judge(const wl_device *device, wl_fit *f, wl_error *err)
{
    WL_TRY(judge(f, device, f->before, err));
    WL_TRY(fit_numbers(f, NULL, f->device, &f->result, err));
    WL_TRY(judge(f, f->device, f->after, err));
    for (size_t i = 0; i < f->family_count && f->options.cross_validate; i++)
        WL_TRY(leave_out(device, f, i, err));
    return WL_OK;
}

/* ---- rankings ---- */

static wl_status time_by(const wl_fit_row *row, const wl_measurement *measured, const wl_device *device, int model,
                         wl_prediction *p, double *time, wl_error *err)
{
    *time = row->model_time[model];
    if (!row->counted)
        return WL_OK;
    WL_TRY(wl_counted_predict(row->counted, device, wl_ranked_model(model), p, err));
    *time = wl_prediction_model(p) == wl_ranked_model(model) ? wl_time_as_measured(p, measured) : 0;
    return WL_OK;
}

static wl_status find_contests(const wl_fit *f, wl_comparison *rows, const wl_fit_row *more, int model,
                               wl_contest_list *out, wl_error *err)
{
    double *times = calloc(f->count + 1, sizeof *times);
    wl_prediction *p = NULL;
    wl_status status = wl_prediction_new(&p, err);
    if (!times)
        status = wl_fail_memory(err);
    for (size_t i = 0; i < f->count && status == WL_OK; i++)
        status = time_by(&more[i], f->cases[i].measured, f->device, model, p, &times[i], err);
    if (status == WL_OK)
        status = wl_comparison_contests(rows, times, f->options.contest_time_s, out, err);
    wl_prediction_free(p);
    free(times);
    return status;
}

/* Judges the rankings by every model that the device supports, with its current numbers. */
static wl_status judge_rankings(wl_fit *f, wl_comparison *rows, const wl_fit_row *more, wl_error *err)
{
    for (int m = 0; m < WL_RANKED_MODELS; m++) {
        wl_contest_list *list = &f->contests[f->ranking_count];
        WL_TRY(find_contests(f, rows, more, m, list, err));
        if (list->count == 0 && m + 1 < WL_RANKED_MODELS) { /* the limiter model always works */
            wl_contest_list_free(list);
            continue;
        }
        WL_TRY(wl_fit_ranking(f->device, wl_ranked_model(m), list->contests, list->count,
                              &f->rankings[f->ranking_count], err));
        f->ranking_count++;
    }
    return WL_OK;
}

/* ---- the whole fit ---- */

wl_status wl_fit_run(const wl_device *device, wl_comparison *rows, const wl_fit_row *more,
                     const wl_fit_options *options, wl_fit **out, wl_error *err)
{
    wl_fit *f = calloc(1, sizeof *f);
    if (!f)
        return wl_fail_memory(err);
    f->options = *options;
    for (size_t i = 0; i < options->target_count; i++) {
        wl_fit_target target;
        if (wl_fit_target_find(options->targets[i], &target))
            f->targets[target] = true;
    }
    wl_status status = wl_device_copy(device, &f->device, err);
    status = status ? status : make_cases(rows, more, f, err);
    if (status == WL_OK && options->fits)
        status = fit_and_judge(device, f, err);
    if (status == WL_OK && options->ranks)
        status = judge_rankings(f, rows, more, err);
    if (status != WL_OK)
        wl_fit_free(f);
    else
        *out = f;
    return status;
}

void wl_fit_free(wl_fit *f)
{
    if (!f)
        return;
    for (int m = 0; m < WL_RANKED_MODELS; m++)
        wl_contest_list_free(&f->contests[m]);
    wl_device_free(f->device);
    free(f->cases);
    free(f->families);
    free(f->before);
    free(f->after);
    free(f->left_out);
    free(f);
}

wl_status wl_fit_write(const wl_fit *f, const char *text, size_t length, const char *origin, char **out, wl_error *err)
{
    char *fitted = NULL;
    wl_status status = WL_OK;
    if (f->options.fits)
        status =
            wl_fit_write_numbers(text, length, f->device, &f->result, origin, f->options.ranks ? &fitted : out, err);
    if (status == WL_OK && f->options.ranks)
        status = wl_fit_write_rankings(fitted ? fitted : text, fitted ? strlen(fitted) : length, f->device, f->rankings,
                                       f->ranking_count, origin, out, err);
    free(fitted);
    return status;
}

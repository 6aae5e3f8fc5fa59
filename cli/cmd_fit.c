/* cmd_fit.c - warpline fit: the numbers of a device from measured launches. SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "compare_job.h"
#include "diag.h"
#include "load.h"
#include "output.h"

typedef struct job {
    comparison c;
    wl_fit_options options;
    wl_fit_case *cases;
    const char **families;
    size_t family_count;
    wl_fit_score *before, *after,
        *left_out; /* per family: the device's own numbers, the fit, a fit without the family */
    wl_fit_result result;
    wl_device *fitted;
    bool fits, ranks; /* numbers are fitted; rankings are judged */
    wl_ranking_fit rankings[RANKED_MODELS];
    wl_contest_list contests[RANKED_MODELS];
    size_t ranking_count; /* models that predict the launches */
    char origin[300];
} job;

/* Shorter launches are mostly the cost of a launch: no contest, unless --min-time says otherwise. */
#define CONTEST_TIME_S 20e-6
#define RANKING "ranking"

/* YYYY-MM-DD, as far as the form goes. */
static bool is_date(const char *text)
{
    static const char form[] = "dddd-dd-dd";
    for (size_t i = 0; i < sizeof form - 1; i++)
        if (form[i] == 'd' ? text[i] < '0' || text[i] > '9' : text[i] != form[i])
            return false;
    return text[sizeof form - 1] == '\0';
}

static bool check_usage(const options *o, job *j)
{
    if (!o->map)
        usage_error("which kernels? Give --map FILE");
    else if (o->argument_count == 0)
        usage_error("which measurements? Give a table");
    else if (!o->device)
        usage_error("which device? Give --device NAME or FILE");
    else if (o->min_time && !read_time(o->min_time, &j->options.min_time_s))
        usage_error("--min-time is a time such as 20us (not '%s')", o->min_time);
    else if (o->date && !is_date(o->date))
        usage_error("--date is YYYY-MM-DD (not '%s')", o->date);
    else {
        j->fits = o->target_count == 0;
        for (size_t i = 0; i < o->target_count; i++) {
            wl_fit_target target;
            if (strcmp(o->target[i], RANKING) == 0) {
                j->ranks = true;
                continue;
            }
            if (!wl_fit_target_find(o->target[i], &target)) {
                usage_error("there is nothing to fit for '%s'; targets: l1_wavefronts l2_load_bytes l2_store_bytes "
                            "dram_load_bytes dram_store_bytes time " RANKING,
                            o->target[i]);
                return false;
            }
            j->options.targets[target] = j->fits = true;
        }
        return true;
    }
    return false;
}

static bool make_cases(job *j)
{
    const comparison *c = &j->c;
    j->cases = calloc(c->found.row_count, sizeof *j->cases);
    j->families = calloc(c->found.row_count, sizeof *j->families);
    j->family_count = 0;
    if (!j->cases || !j->families)
        return false;
    for (size_t i = 0; i < c->found.row_count; i++) {
        const wl_compared *row = &c->found.rows[i];
        j->cases[i] = (wl_fit_case){c->counted[i].counted, row->measurement, row->family};
        size_t f = 0;
        while (f < j->family_count && strcmp(j->families[f], row->family) != 0)
            f++;
        if (f == j->family_count)
            j->families[j->family_count++] = row->family;
    }
    j->before = calloc(j->family_count, sizeof *j->before);
    j->after = calloc(j->family_count, sizeof *j->after);
    j->left_out = calloc(j->family_count, sizeof *j->left_out);
    return j->before && j->after && j->left_out;
}

/* Judges a device by each family. */
static void judge(const job *j, const wl_device *device, wl_fit_score *scores)
{
    for (size_t f = 0; f < j->family_count; f++)
        scores[f] = wl_fit_judge(device, j->cases, j->c.found.row_count, j->families[f], j->options.min_time_s);
}

static wl_status fit(job *j, const char *without, wl_fit_result *result, wl_device **device, wl_error *err)
{
    const options *o = j->c.options;
    wl_fit_options how = j->options;
    how.without = without;
    const wl_status status = load_device(o->device, o->with, o->with_count, device, err);
    return status ? status : wl_fit(*device, j->cases, j->c.found.row_count, &how, result, err);
}

static wl_status cross_validate(job *j, wl_error *err)
{
    for (size_t f = 0; f < j->family_count; f++) {
        wl_device *device = NULL;
        wl_fit_result result;
        const wl_status status = fit(j, j->families[f], &result, &device, err);
        if (status == WL_OK)
            j->left_out[f] =
                wl_fit_judge(device, j->cases, j->c.found.row_count, j->families[f], j->options.min_time_s);
        wl_device_free(device);
        if (status != WL_OK)
            return status;
    }
    return WL_OK;
}

static double predict_time(const counted_row *row, const wl_device *device, int model, wl_prediction *p)
{
    if (!row->counted)
        return row->model_time[model];
    wl_counted_predict(row->counted, device, ranked_models[model], p);
    return wl_prediction_model(p) == ranked_models[model] ? wl_prediction_time(p) : 0;
}

static wl_status find_contests(const job *j, int model, wl_contest_list *out, wl_error *err)
{
    const double min_time_s = j->c.options->min_time ? j->options.min_time_s : CONTEST_TIME_S;
    const size_t count = j->c.found.row_count;
    double *times = calloc(count, sizeof *times);
    wl_prediction *p = NULL;
    wl_status status = wl_prediction_new(&p, err);
    if (!times) {
        *err = (wl_error){.code = WL_E_NOMEM, .message = "out of memory"};
        status = WL_E_NOMEM;
    }
    for (size_t i = 0; i < count && status == WL_OK; i++)
        times[i] = predict_time(&j->c.counted[i], j->fitted, model, p);
    if (status == WL_OK)
        status = wl_comparison_contests(&j->c.found, times, min_time_s, out, err);
    wl_prediction_free(p);
    free(times);
    return status;
}

/* Judges the rankings of every model that the device has, by its numbers as they are now. */
static wl_status rank(job *j, wl_error *err)
{
    wl_status status = wl_comparison_group_problems(&j->c.found, err);
    for (int m = 0; m < RANKED_MODELS && status == WL_OK; m++) {
        wl_contest_list *list = &j->contests[j->ranking_count];
        status = find_contests(j, m, list, err);
        if (status != WL_OK || (list->count == 0 && m + 1 < RANKED_MODELS)) { /* the limiter model always can */
            wl_contest_list_free(list);
            continue;
        }
        status = wl_fit_ranking(j->fitted, ranked_models[m], list->contests, list->count,
                                &j->rankings[j->ranking_count], err);
        j->ranking_count++;
    }
    return status;
}

/* "h200_fit.csv, h200_fit2.csv, 2026-11-15" */
static void set_origin(job *j)
{
    size_t used = 0;
    char today[16];
    const time_t now = time(NULL);
    strftime(today, sizeof today, "%Y-%m-%d", gmtime(&now));
    for (size_t i = 0; i < j->c.table_count && used < sizeof j->origin; i++) {
        const char *slash = strrchr(j->c.tables[i], '/');
        used += (size_t)snprintf(j->origin + used, sizeof j->origin - used, "%s, ", slash ? slash + 1 : j->c.tables[i]);
    }
    if (used < sizeof j->origin)
        snprintf(j->origin + used, sizeof j->origin - used, "%s", j->c.options->date ? j->c.options->date : today);
}

/* The device's file with the new numbers in it: malloc'ed. */
static wl_status new_text(const job *j, const char *original, size_t length, char **out, wl_error *err)
{
    char *fitted = NULL;
    wl_status status = WL_OK;
    if (j->fits)
        status = wl_fit_write(original, length, j->fitted, &j->result, j->origin, j->ranks ? &fitted : out, err);
    if (status == WL_OK && j->ranks)
        status = wl_fit_write_rankings(fitted ? fitted : original, fitted ? strlen(fitted) : length, j->fitted,
                                       j->rankings, j->ranking_count, j->origin, out, err);
    free(fitted);
    return status;
}

static int write_device(const job *j)
{
    const options *o = j->c.options;
    wl_error err = {0};
    char *file = NULL, *text = NULL;
    size_t length = 0;
    const char *original = wl_device_builtin_text(o->device, &length);
    if (!original) {
        if (load_text(o->device, &file, &length, &err) != WL_OK)
            return diag_report(&err);
        original = file;
    }
    const wl_status status = new_text(j, original, length, &text, &err);
    int code = status == WL_OK ? EXIT_OK : diag_report(&err);
    FILE *out = code == EXIT_OK ? fopen(o->output, "wb") : NULL;
    if (code == EXIT_OK && !out && errno == ENOMEM) {
        code = diag_report(&(wl_error){.code = WL_E_NOMEM, .message = "out of memory"});
    } else if (code == EXIT_OK && (!out || fputs(text, out) < 0)) {
        usage_error("cannot write %s", o->output);
        code = EXIT_INPUT;
    }
    if (out && fclose(out) != 0 && code == EXIT_OK) {
        usage_error("cannot write %s", o->output);
        code = EXIT_INPUT;
    }
    free(file);
    free(text);
    return code;
}

static wl_status fit_and_judge(job *j, wl_error *err)
{
    judge(j, j->c.device, j->before);
    const wl_status status = fit(j, NULL, &j->result, &j->fitted, err);
    if (status != WL_OK)
        return status;
    judge(j, j->fitted, j->after);
    return j->c.options->cross_validate ? cross_validate(j, err) : WL_OK;
}

static int print(const job *j)
{
    const options *o = j->c.options;
    wl_error err = {0};
    char *text = NULL;
    const wl_fit_report report = {
        .origin = j->origin,
        .device = j->fitted,
        .launches = j->c.found.row_count,
        .families = j->families,
        .family_count = j->family_count,
        .targets = j->options.targets,
        .result = j->fits ? &j->result : NULL,
        .before = j->before,
        .after = j->after,
        .left_out = o->cross_validate ? j->left_out : NULL,
        .ranks = j->ranks,
        .rankings = j->rankings,
        .contests = j->contests,
        .ranking_count = j->ranking_count,
    };
    if (wl_fit_render(&report, option_format(o), &text, &err) != WL_OK)
        return diag_report(&err);
    output_print(text, option_format(o), stdout);
    free(text);
    return EXIT_OK;
}

static int run(job *j)
{
    const options *o = j->c.options;
    wl_error err = {0};
    int code = comparison_load(&j->c);
    if (code != EXIT_OK)
        return code;
    comparison_print_skips(&j->c);
    if (!make_cases(j))
        return diag_report(&(wl_error){.code = WL_E_NOMEM, .message = "out of memory"});
    set_origin(j);
    wl_status status =
        j->fits ? fit_and_judge(j, &err) : load_device(o->device, o->with, o->with_count, &j->fitted, &err);
    if (status == WL_OK && j->ranks)
        status = rank(j, &err);
    if (status != WL_OK)
        return diag_report(&err);
    if (o->output)
        code = write_device(j);
    if (code != EXIT_OK)
        return code;
    return print(j);
}

int cmd_fit(const options *o)
{
    job j = {.c = {.options = o, .keep_counts = true, .model = WL_MODEL_TURNOVER}};
    for (int v = 0; v < WL_VALUE_COUNT; v++)
        j.c.wanted[v] = true;
    if (!check_usage(o, &j))
        return EXIT_USAGE;
    j.c.all_models = !j.fits;
    const int code = run(&j);
    for (int m = 0; m < RANKED_MODELS; m++)
        wl_contest_list_free(&j.contests[m]);
    wl_device_free(j.fitted);
    free(j.cases);
    free(j.families);
    free(j.before);
    free(j.after);
    free(j.left_out);
    comparison_free(&j.c);
    return code;
}

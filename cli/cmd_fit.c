/* cmd_fit.c - warpline fit: the numbers of a device from measured launches. SPDX-License-Identifier: MIT */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "compare.h"
#include "diag.h"
#include "load.h"

/* How well a fit predicts one family, target by target. */
typedef struct score {
    size_t count[WL_FIT_TARGET_COUNT];
    double error[WL_FIT_TARGET_COUNT], bias[WL_FIT_TARGET_COUNT]; /* means */
} score;

typedef struct job {
    comparison c;
    wl_fit_options options;
    wl_fit_case *cases;
    const char **families;
    size_t family_count;
    score *before, *after, *left_out; /* per family: the device's own numbers, the fit, a fit without the family */
    wl_fit_result result;
    wl_device *fitted;
    bool fits, ranks; /* numbers are fitted; rankings are judged */
    wl_ranking_fit rankings[RANKED_MODELS];
    contest_list contests[RANKED_MODELS];
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
    j->cases = calloc(c->row_count, sizeof *j->cases);
    j->families = calloc(c->row_count, sizeof *j->families);
    j->family_count = 0;
    if (!j->cases || !j->families)
        return false;
    for (size_t i = 0; i < c->row_count; i++) {
        const compared_row *row = &c->rows[i];
        j->cases[i] = (wl_fit_case){row->counted, row->m, row->family};
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

/* Judges a device by one family, or by all. */
static void judge(const job *j, const wl_device *device, const char *family, score *scores)
{
    static wl_prediction p;
    for (size_t i = 0; i < j->c.row_count; i++) {
        const wl_fit_case *k = &j->cases[i];
        if (family && strcmp(family, k->family) != 0)
            continue;
        size_t f = 0;
        while (!family && strcmp(j->families[f], k->family) != 0)
            f++;
        wl_counted_predict(k->counted, device, WL_MODEL_TURNOVER, &p);
        for (int t = 0; t < WL_FIT_TARGET_COUNT; t++) {
            double predicted, value;
            if (!wl_fit_pair((wl_fit_target)t, &p, k->measured, j->options.min_time_s, &predicted, &value))
                continue;
            scores[f].count[t]++;
            scores[f].error[t] += fabs(predicted / value - 1);
            scores[f].bias[t] += predicted / value - 1;
        }
    }
    for (size_t f = 0; f < (family ? 1 : j->family_count); f++)
        for (int t = 0; t < WL_FIT_TARGET_COUNT; t++) {
            scores[f].error[t] /= fmax(1, (double)scores[f].count[t]);
            scores[f].bias[t] /= fmax(1, (double)scores[f].count[t]);
        }
}

static wl_status fit(job *j, const char *without, wl_fit_result *result, wl_device **device, wl_error *err)
{
    const options *o = j->c.options;
    wl_fit_options how = j->options;
    how.without = without;
    const wl_status status = load_device(o->device, o->with, o->with_count, device, err);
    return status ? status : wl_fit(*device, j->cases, j->c.row_count, &how, result, err);
}

static wl_status cross_validate(job *j, wl_error *err)
{
    for (size_t f = 0; f < j->family_count; f++) {
        wl_device *device = NULL;
        wl_fit_result result;
        const wl_status status = fit(j, j->families[f], &result, &device, err);
        if (status == WL_OK)
            judge(j, device, j->families[f], &j->left_out[f]);
        wl_device_free(device);
        if (status != WL_OK)
            return status;
    }
    return WL_OK;
}

/* Judges the rankings of every model that the device has, by its numbers as they are now. */
static wl_status rank(job *j, wl_error *err)
{
    const double min_time_s = j->c.options->min_time ? j->options.min_time_s : CONTEST_TIME_S;
    wl_status status = comparison_group_problems(&j->c, err);
    for (int m = 0; m < RANKED_MODELS && status == WL_OK; m++) {
        contest_list *list = &j->contests[j->ranking_count];
        status = comparison_contests(&j->c, j->fitted, m, min_time_s, list, err);
        if (status != WL_OK || (list->count == 0 && m + 1 < RANKED_MODELS)) { /* the limiter model always can */
            contest_list_free(list);
            continue;
        }
        status = wl_fit_ranking(j->fitted, ranked_models[m], list->contests, list->count,
                                &j->rankings[j->ranking_count], err);
        j->ranking_count++;
    }
    return status;
}

static bool is_wanted(const job *j, int target)
{
    bool any = false;
    for (int t = 0; t < WL_FIT_TARGET_COUNT; t++)
        any = any || j->options.targets[t];
    return !any || j->options.targets[target];
}

static void print_numbers(const job *j)
{
    for (int t = 0; t < WL_FIT_TARGET_COUNT; t++) {
        if (!is_wanted(j, t))
            continue;
        printf("\n%s: %zu launches, mean error %.1f %% (families weigh alike; before: %.1f %%)\n",
               wl_fit_target_name((wl_fit_target)t), j->result.used[t], 100 * j->result.after[t],
               100 * j->result.before[t]);
        printf("  %-26s %12s %12s %8s\n", "number", "start", "fitted", "+-");
        for (size_t i = 0; i < j->result.number_count; i++) {
            const wl_fit_number *n = &j->result.numbers[i];
            char name[64];
            if ((int)n->target != t)
                continue;
            const bool list = wl_device_list_length(j->fitted, n->key) > 1;
            snprintf(name, sizeof name, list ? "%s[%zu]" : "%s", wl_device_key_name(n->key), n->index);
            printf("  %-26s %12.4g %12.4g", name, n->start, n->fitted);
            if (n->deviation > 0)
                printf(" %7.1f%%\n", 100 * n->deviation);
            else
                printf(" %8s\n", "-"); /* no launch decides it */
        }
    }
}

static void print_score(const score *s, int t)
{
    if (s->count[t] == 0)
        printf("%16s", "-");
    else
        printf("  %6.1f%% %+5.1f%%", 100 * s->error[t], 100 * s->bias[t]);
}

static void print_scores(const job *j)
{
    for (int t = 0; t < WL_FIT_TARGET_COUNT; t++) {
        if (!is_wanted(j, t))
            continue;
        printf("\n%-18s %5s  %14s  %14s%s\n", wl_fit_target_name((wl_fit_target)t), "n", "before   bias",
               "fitted   bias", j->c.options->cross_validate ? "   left out   bias" : "");
        for (size_t f = 0; f < j->family_count; f++) {
            if (j->after[f].count[t] == 0)
                continue;
            printf("  %-16s %5zu", j->families[f], j->after[f].count[t]);
            print_score(&j->before[f], t);
            print_score(&j->after[f], t);
            if (j->c.options->cross_validate)
                print_score(&j->left_out[f], t);
            putchar('\n');
        }
    }
}

/* Of the contests of one family: how many, the largest ratio, the mean error. False when there are none. */
static bool sum_up(const contest_list *list, const char *family, size_t *count, double *ratio, double *error)
{
    *count = 0;
    *ratio = *error = 0;
    for (size_t i = 0; i < list->count; i++) {
        const wl_contest *c = &list->contests[i];
        if (strcmp(c->family, family) != 0)
            continue;
        ++*count;
        *ratio = fmax(*ratio, c->ratio);
        *error += c->error;
    }
    *error = exp(*error / fmax(1, (double)*count));
    return *count > 0;
}

static void print_ranking(const job *j, size_t r)
{
    const wl_ranking_fit *k = &j->rankings[r];
    printf("\nranking by %s: %zu contests of %zu families, %zu launches (%zu to %zu each); ",
           ranked_model_name(k->model), k->contests, k->families, k->launches, k->smallest, k->largest);
    printf("closer than a factor of %.3f is a tie\n", k->error);
    printf("  %-26s %8s %8s %9s\n", "the fastest is inside with", "ratio", "launches", "left out");
    for (size_t i = 0; i < k->level_count; i++) {
        printf("  %24.0f %% %8.3f %7.0f%%", 100 * wl_trust_level(i), k->ratio[i], 100 * k->within[i]);
        if (i < k->covered_count)
            printf(" %8.0f%%\n", 100 * k->coverage[i]);
        else
            printf(" %9s\n", "-");
    }
    printf("  %-20s %8s %13s %8s\n", "family", "contests", "largest ratio", "error");
    for (size_t f = 0; f < j->family_count; f++) {
        size_t count;
        double ratio, error;
        if (sum_up(&j->contests[r], j->families[f], &count, &ratio, &error))
            printf("  %-20s %8zu %13.3f %8.3f\n", j->families[f], count, ratio, error);
    }
}

static json_t *ranking_json(const job *j, size_t r)
{
    const wl_ranking_fit *k = &j->rankings[r];
    json_t *levels = json_array(), *contests = json_array();
    for (size_t i = 0; i < k->level_count; i++) {
        json_t *o = json_pack("{s:f,s:f,s:f}", "probability", wl_trust_level(i), "ratio", k->ratio[i], "launches",
                              k->within[i]);
        if (i < k->covered_count)
            json_object_set_new(o, "left_out", json_real(k->coverage[i]));
        json_array_append_new(levels, o);
    }
    for (size_t i = 0; i < j->contests[r].count; i++) {
        const wl_contest *c = &j->contests[r].contests[i];
        json_array_append_new(contests, json_pack("{s:s,s:I,s:f,s:f}", "family", c->family, "launches",
                                                  (json_int_t)c->launches, "ratio", c->ratio, "error", exp(c->error)));
    }
    return json_pack("{s:s,s:I,s:I,s:f,s:o,s:o}", "model", ranked_model_name(k->model), "families",
                     (json_int_t)k->families, "launches", (json_int_t)k->launches, "error", k->error, "levels", levels,
                     "contests", contests);
}

static json_t *score_json(const score *s)
{
    json_t *o = json_object();
    for (int t = 0; t < WL_FIT_TARGET_COUNT; t++)
        if (s->count[t] > 0)
            json_object_set_new(
                o, wl_fit_target_name((wl_fit_target)t),
                json_pack("{s:I,s:f,s:f}", "n", (json_int_t)s->count[t], "mean", s->error[t], "bias", s->bias[t]));
    return o;
}

static int print_json(const job *j)
{
    json_t *numbers = json_array(), *families = json_array();
    for (size_t i = 0; i < j->result.number_count; i++) {
        const wl_fit_number *n = &j->result.numbers[i];
        json_array_append_new(numbers, json_pack("{s:s,s:s,s:I,s:f,s:f,s:f}", "target", wl_fit_target_name(n->target),
                                                 "key", wl_device_key_name(n->key), "index", (json_int_t)n->index,
                                                 "start", n->start, "fitted", n->fitted, "deviation", n->deviation));
    }
    for (size_t f = 0; f < j->family_count && j->fits; f++) {
        json_t *o = json_pack("{s:s,s:o,s:o}", "family", j->families[f], "before", score_json(&j->before[f]), "fitted",
                              score_json(&j->after[f]));
        if (j->c.options->cross_validate)
            json_object_set_new(o, "left_out", score_json(&j->left_out[f]));
        json_array_append_new(families, o);
    }
    json_t *root = json_pack("{s:s,s:s,s:s,s:o,s:o}", "schema", "warpline.fit/1", "device", wl_device_name(j->fitted),
                             "origin", j->origin, "numbers", numbers, "families", families);
    if (j->ranks) {
        json_t *rankings = json_array();
        for (size_t r = 0; r < j->ranking_count; r++)
            json_array_append_new(rankings, ranking_json(j, r));
        json_object_set_new(root, "rankings", rankings);
    }
    char *text = root ? json_dumps(root, JSON_INDENT(1)) : NULL;
    if (text)
        puts(text);
    free(text);
    json_decref(root);
    return text ? EXIT_OK : EXIT_INTERNAL;
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
    if (code == EXIT_OK && (!out || fputs(text, out) < 0)) {
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
    judge(j, j->c.device, NULL, j->before);
    const wl_status status = fit(j, NULL, &j->result, &j->fitted, err);
    if (status != WL_OK)
        return status;
    judge(j, j->fitted, NULL, j->after);
    return j->c.options->cross_validate ? cross_validate(j, err) : WL_OK;
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
    if (o->format && strcmp(o->format, "json") == 0)
        return print_json(j);
    printf("%s, %zu launches of %zu families\n", j->origin, j->c.row_count, j->family_count);
    if (j->fits) {
        print_numbers(j);
        print_scores(j);
    }
    for (size_t r = 0; r < j->ranking_count; r++)
        print_ranking(j, r);
    return EXIT_OK;
}

int cmd_fit(const options *o)
{
    job j = {.c = {.options = o, .keep_counts = true, .model = WL_MODEL_TURNOVER}};
    for (int v = 0; v < VALUE_COUNT; v++)
        j.c.wanted[v] = true;
    if (!check_usage(o, &j))
        return EXIT_USAGE;
    j.c.all_models = !j.fits;
    const int code = run(&j);
    for (int m = 0; m < RANKED_MODELS; m++)
        contest_list_free(&j.contests[m]);
    wl_device_free(j.fitted);
    free(j.cases);
    free(j.families);
    free(j.before);
    free(j.after);
    free(j.left_out);
    comparison_free(&j.c);
    return code;
}

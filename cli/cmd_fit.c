/* cmd_fit.c - warpline fit: the numbers of a device from measured launches.
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "compare_job.h"
#include "diag.h"
#include "fit_from_curves.h"
#include "load.h"
#include "output.h"

typedef struct job {
    comparison c;
    wl_fit_options options;
    wl_fit *fit;
    wl_miss_fit *miss; /* instead: of a published curve, */
    wl_device *device; /* which it starts from */
    char origin[300];
} job;

/* Shorter launches are mostly launch overhead: they are not used as searches, unless --min-time is
 * given. */
#define CONTEST_TIME_S 20e-6
#define RANKING "ranking"

static bool check_usage(const options *o, job *j)
{
    if (!o->map)
        usage_error("which kernels? Give --map FILE");
    else if (o->argument_count == 0)
        usage_error("which measurements? Give a table");
    else if (!o->device)
        usage_error("which device? Give --device NAME or FILE");
    else {
        if (o->min_time)
            (void)read_time(o->min_time, &j->options.min_time_s);
        j->options.targets = o->target;
        j->options.target_count = o->target_count;
        j->options.numbers = o->number;
        j->options.number_count = o->number_count;
        for (size_t i = 0; i < o->number_count; i++)
            if (!wl_fit_number_known(o->number[i])) {
                usage_error("--number: '%s' is not fitted; 'warpline fit' without --number lists what is",
                            o->number[i]);
                return false;
            }
        j->options.fits = o->target_count == 0;
        for (size_t i = 0; i < o->target_count; i++) {
            if (strcmp(o->target[i], RANKING) == 0) {
                j->options.ranks = true;
                continue;
            }
            j->options.fits = true;
        }
        return true;
    }
    return false;
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

static wl_status make_text(const job *j, const char *original, size_t length, char **text, wl_error *err)
{
    return j->miss ? wl_miss_fit_write(j->miss, original, length, j->origin, text, err)
                   : wl_fit_write(j->fit, original, length, j->origin, text, err);
}

static int write_device(const job *j)
{
    const options *o = j->c.options;
    wl_error err = {0};
    const char *original = NULL;
    char *file = NULL, *text = NULL;
    size_t length = 0;
    int code = fit_device_text(o->device, &original, &file, &length);
    if (code == EXIT_OK && make_text(j, original, length, &text, &err) != WL_OK)
        code = diag_report(&err);
    if (code == EXIT_OK)
        code = output_write(o->output, text, WL_FORMAT_TEXT);
    free(file);
    free(text);
    return code;
}

static int print(const job *j)
{
    const wl_format format = option_format(j->c.options);
    wl_error err = {0};
    char *text = NULL;
    if ((j->miss ? wl_miss_fit_render(j->miss, j->origin, format, &text, &err)
                 : wl_fit_render(j->fit, j->origin, format, &text, &err)) != WL_OK)
        return diag_report(&err);
    output_print(text, format, stdout);
    free(text);
    return EXIT_OK;
}

static int run(job *j)
{
    wl_error err = {0};
    int code = comparison_load(&j->c);
    if (code == EXIT_OK)
        code = comparison_print_skips(&j->c);
    if (code != EXIT_OK)
        return code;
    set_origin(j);
    if (wl_fit_run(j->c.device, j->c.found, j->c.counted, &j->options, &j->fit, &err) != WL_OK)
        return diag_report(&err);
    if (j->c.options->output)
        code = write_device(j);
    return code == EXIT_OK ? print(j) : code;
}

/* ---- a published curve of misses ---- */

/* Is one of the targets such a curve? */
static bool has_curve(const options *o, wl_miss_curve *curve)
{
    for (size_t i = 0; i < o->target_count; i++)
        if (wl_miss_curve_find(o->target[i], curve))
            return true;
    return false;
}

static wl_status take_point(void *user, const wl_compared *row, const wl_prediction *prediction,
                            const wl_kernel *kernel, wl_error *err)
{
    return wl_miss_fit_add(user, row, prediction, kernel, err);
}

/* The device as the user has it, and what the curve starts from. */
static wl_status start_curve(job *j, wl_miss_curve curve, const options *o, wl_error *err)
{
    const wl_status status = load_device(o->device, o->with, o->with_count, &j->device, err);
    return status == WL_OK ? wl_miss_fit_new(curve, j->device, &j->miss, err) : status;
}

static int fit_curve(const options *o, wl_miss_curve curve)
{
    wl_error err = {0};
    options own = *o;
    job j = {.c = {.options = &own, .model = WL_MODEL_FOUR_LIMITERS, .seen = take_point}};
    if (!check_usage(o, &j))
        return EXIT_USAGE;
    if (o->target_count > 1 || o->number_count || o->cross_validate) {
        usage_error("--target %s is fitted alone", o->target[0]);
        return EXIT_USAGE;
    }
    const char *with;
    for (size_t i = 0; (with = wl_miss_curve_with(curve, i)); i++) {
        if (own.with_count == MANY_MAX) {
            usage_error("too many --with: --target %s needs %zu of its own", o->target[0], i + 1);
            return EXIT_USAGE;
        }
        own.with[own.with_count++] = with;
    }
    int code = start_curve(&j, curve, o, &err) == WL_OK ? EXIT_OK : diag_report(&err);
    j.c.seen_user = j.miss;
    if (code == EXIT_OK)
        code = comparison_load(&j.c);
    if (code == EXIT_OK)
        code = comparison_print_skips(&j.c);
    if (code == EXIT_OK && wl_miss_fit_run(j.miss, &err) != WL_OK)
        code = diag_report(&err);
    set_origin(&j);
    if (code == EXIT_OK && o->output)
        code = write_device(&j);
    code = code == EXIT_OK ? print(&j) : code;
    wl_miss_fit_free(j.miss);
    wl_device_free(j.device);
    comparison_free(&j.c);
    return code;
}

int cmd_fit(const options *o)
{
    wl_miss_curve curve;
    if (o->from_curves)
        return fit_from_curves(o);
    if (has_curve(o, &curve))
        return fit_curve(o, curve);
    job j = {.c = {.options = o, .keep_counts = true, .model = WL_MODEL_TURNOVER}};
    if (!check_usage(o, &j))
        return EXIT_USAGE;
    j.c.ranks = !j.options.fits;
    j.options.cross_validate = o->cross_validate;
    j.options.contest_time_s = o->min_time ? j.options.min_time_s : CONTEST_TIME_S;
    const int code = run(&j);
    wl_fit_free(j.fit);
    comparison_free(&j.c);
    return code;
}

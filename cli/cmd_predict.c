/* cmd_predict.c - warpline predict. SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diag.h"
#include "load.h"
#include "options.h"

typedef struct job {
    wl_kernel *kernel;
    wl_device *device;
    wl_predictor *predictor;
    wl_launch launches[MANY_MAX];
    size_t launch_count;
    wl_predict_options options;
} job;

static void job_free(job *j)
{
    wl_predictor_free(j->predictor);
    wl_kernel_free(j->kernel);
    wl_device_free(j->device);
    load_forget();
}

static bool check_usage(const options *o)
{
    if (!o->update && o->argument_count != 1) {
        usage_error(o->argument_count ? "one kernel at a time, please"
                                      : "which kernel? Give a file, a built-in name, or --update");
        return false;
    }
    if (o->update && o->argument_count) {
        usage_error("give a kernel or --update, not both");
        return false;
    }
    if (o->update && !o->domain) {
        usage_error("--update needs --domain, as in --domain 4096x4096");
        return false;
    }
    if (!o->update && (o->domain || o->type)) {
        usage_error("--domain and --type go with --update; a kernel file's sizes are changed with --set");
        return false;
    }
    if (o->update && o->set_count) {
        usage_error("--set goes with a kernel file; an --update has no params");
        return false;
    }
    if (o->per_access && o->block_count > 1 && (!o->format || strcmp(o->format, "json") != 0)) {
        usage_error("--per-access with several blocks needs --format json");
        return false;
    }
    if (!o->device) {
        usage_error("which device? Give --device NAME ('warpline devices' lists them)");
        return false;
    }
    if (o->block_count == 0) {
        usage_error("which launch? Give --block, as in --block 32x4x2");
        return false;
    }
    return true;
}

/* Reads the launch options; the exit code, EXIT_OK to go on. */
static int read_launches(const options *o, job *j)
{
    wl_launch common = {0};
    if ((o->fold && !option_shape("--fold", o->fold, common.fold)) ||
        (o->grid && !option_shape("--grid", o->grid, common.grid)) ||
        (o->registers && !option_integer("--registers", o->registers, 1, 1024, &common.registers)) ||
        (o->shared && !option_integer("--shared", o->shared, 0, (int64_t)1 << 30, &common.shared_bytes)))
        return EXIT_INPUT;
    for (size_t i = 0; i < o->block_count; i++) {
        j->launches[i] = common;
        if (!option_shape("--block", o->block[i], j->launches[i].block))
            return EXIT_INPUT;
    }
    j->launch_count = o->block_count;
    if (o->schedule && strcmp(o->schedule, "linear") != 0) {
        option_error("--schedule", o->schedule, 1, "the only schedule so far is linear");
        return EXIT_UNSUPPORTED;
    }
    if (!option_model(o->model, &j->options.model))
        return EXIT_UNSUPPORTED;
    j->options.per_access = o->per_access;
    if (o->samples && strcmp(o->samples, "all") == 0)
        j->options.l1_samples = -1;
    else if (o->samples && !option_integer("--l1-samples", o->samples, 1, 1000000000, &j->options.l1_samples))
        return EXIT_INPUT;
    return EXIT_OK;
}

static wl_status load(const options *o, job *j, wl_error *err)
{
    const wl_kernel_options sets = {o->set, o->set_count};
    wl_status status = load_device(o->device, o->with, o->with_count, &j->device, err);
    if (status != WL_OK)
        return status;
    if (o->update) {
        diag_remember("--update", o->update);
        diag_remember("--domain", o->domain);
        diag_remember("--type", o->type ? o->type : "f64");
        status = wl_kernel_from_update(o->update, o->domain, o->type ? o->type : "f64", &j->kernel, err);
    } else {
        status = load_kernel(o->arguments[0], &sets, &j->kernel, err);
    }
    if (status != WL_OK)
        return status;
    return wl_predictor_new(j->kernel, j->device, &j->predictor, err);
}

static bool is_format(const options *o, const char *name) { return strcmp(o->format ? o->format : "text", name) == 0; }

/* Appends one launch to the output; a prediction's shares last only until the next one. */
static wl_status render(const options *o, const job *j, const wl_prediction *p, bool first, FILE *out, wl_error *err)
{
    const bool several = j->launch_count > 1, csv = is_format(o, "csv");
    const wl_format format = is_format(o, "text") ? WL_FORMAT_TEXT
                             : csv                ? WL_FORMAT_CSV
                             : several            ? WL_FORMAT_JSON_LINE
                                                  : WL_FORMAT_JSON;
    char *text = NULL;
    const wl_status status = wl_prediction_render(p, j->kernel, j->device, format, &text, err);
    if (status != WL_OK)
        return status;
    fputs(csv && !first ? strchr(text, '\n') + 1 : text, out); /* one header */
    if (is_format(o, "json"))
        fputc('\n', out);
    free(text);
    return WL_OK;
}

/* The launch does not fit: the message shows the option it is about. */
static void show_option(const options *o, const char *block, wl_error *err)
{
    const char *text = strcmp(err->input, "--block") == 0  ? block
                       : strcmp(err->input, "--fold") == 0 ? o->fold
                       : strcmp(err->input, "--grid") == 0 ? o->grid
                                                           : NULL;
    if (err->loc.line > 0 || !text)
        return;
    err->loc = (wl_loc){1, 1, (int32_t)strlen(text)};
    diag_remember(err->input, text);
}

static wl_status predict_all(const options *o, job *j, wl_prediction *predictions, FILE *out, wl_error *err)
{
    const bool table = is_format(o, "text") && j->launch_count > 1;
    for (size_t i = 0; i < j->launch_count; i++) {
        wl_status status = wl_predict(j->predictor, &j->launches[i], &j->options, &predictions[i], err);
        if (status != WL_OK)
            show_option(o, o->block[i], err);
        else if (!table)
            status = render(o, j, &predictions[i], i == 0, out, err);
        if (status != WL_OK)
            return status;
    }
    if (!table)
        return WL_OK;
    char *text = NULL;
    const wl_status status = wl_predictions_table(predictions, j->launch_count, j->kernel, j->device, &text, err);
    if (status == WL_OK)
        fputs(text, out);
    free(text);
    return status;
}

/* Everything is written to memory first: on an error nothing is printed. */
static int run(const options *o, job *j)
{
    wl_error err = {0};
    const int code = read_launches(o, j);
    if (code != EXIT_OK)
        return code;
    if (load(o, j, &err) != WL_OK)
        return diag_report(&err);
    char *text = NULL;
    size_t length = 0;
    wl_prediction *predictions = calloc(j->launch_count, sizeof *predictions);
    FILE *out = open_memstream(&text, &length);
    wl_status status = predictions && out ? predict_all(o, j, predictions, out, &err) : WL_E_NOMEM;
    if (out && fclose(out) != 0)
        status = WL_E_NOMEM;
    if (status == WL_OK)
        fwrite(text, 1, length, stdout);
    free(text);
    free(predictions);
    if (status == WL_E_NOMEM)
        err.code = WL_E_NOMEM;
    return status == WL_OK ? EXIT_OK : diag_report(&err);
}

int cmd_predict(const options *o)
{
    if (o->batch)
        return run_batch(o);
    if (!check_usage(o))
        return EXIT_USAGE;
    job j = {0};
    const int code = run(o, &j);
    job_free(&j);
    return code;
}

/* cmd_predict.c - warpline predict. SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diag.h"
#include "job.h"
#include "options.h"
#include "output.h"
#include "progress.h"

static bool check_usage(const options *o)
{
    if (!o->update && o->argument_count > 1)
        usage_error("one kernel at a time, please");
    else if (!job_kernel_usage(o, o->argument_count > 0))
        return false;
    else if ((o->per_access || o->per_line) && o->block_count > 1 && !option_format_is(o, "json"))
        usage_error("%s with several blocks needs --format json", o->per_access ? "--per-access" : "--per-line");
    else if (!o->device)
        usage_error("which device? Give --device NAME ('warpline devices' lists them)");
    else if (o->block_count == 0)
        usage_error("which launch? Give --block, as in --block 32x4x2");
    else
        return true;
    return false;
}

/* Appends one launch to the output; a prediction's shares last only until the next one. */
static wl_status render(const options *o, const job *j, const wl_prediction *p, wl_prediction_writer *out,
                        wl_error *err)
{
    const wl_format format = option_format(o);
    const bool first = out->count == 0;
    char *text = NULL;
    if (format == WL_FORMAT_JSON)
        return wl_prediction_write(out, p, j->kernel, j->device, err);
    wl_status status = wl_prediction_render(p, j->kernel, j->device, format, &text, err);
    const bool headed = format == WL_FORMAT_CSV && !first; /* one header */
    const char *shown = status == WL_OK && headed ? strchr(text, '\n') + 1 : text;
    status = status ? status : out->sink(out->user, shown, strlen(shown), err);
    out->count++;
    free(text);
    return status;
}

static wl_status predict_all(const options *o, job *j, wl_prediction **predictions, held_output *out, wl_error *err)
{
    const bool table = option_format_is(o, "text") && j->launch_count > 1;
    wl_prediction_writer writer = {.sink = held_add, .user = out};
    for (size_t i = 0; i < j->launch_count; i++) {
        wl_status status = wl_prediction_new(&predictions[i], err);
        if (status != WL_OK)
            return status;
        progress_wait();
        status = wl_predict(j->predictor, &j->launches[i], &j->options, predictions[i], err);
        progress_wait_end();
        if (status != WL_OK)
            job_show_option(o, o->block[i], err);
        else if (!table)
            status = render(o, j, predictions[i], &writer, err);
        if (status != WL_OK)
            return status;
    }
    if (!table)
        return option_format_is(o, "json") ? wl_prediction_write_end(&writer, err) : WL_OK;
    char *text = NULL;
    wl_status status = wl_predictions_table((const wl_prediction *const *)predictions, j->launch_count, j->kernel,
                                            j->device, &text, err);
    status = status ? status : held_add(out, text, strlen(text), err);
    free(text);
    return status;
}

/* Everything is written to memory first: on an error nothing is printed. */
static int run(const options *o, job *j)
{
    wl_error err = {0};
    const int code = job_read_launches(o, j);
    if (code != EXIT_OK)
        return code;
    if (job_load(o, o->update ? NULL : o->arguments[0], o->device, j, &err) != WL_OK)
        return diag_report(&err);
    j->options.emulate = true; /* a launch or two: predication and divergence are worth some milliseconds */
    held_output out = {.file = stdout};
    wl_prediction **predictions = calloc(j->launch_count, sizeof *predictions);
    const wl_status status = predictions ? predict_all(o, j, predictions, &out, &err) : WL_E_NOMEM;
    held_end(&out, status == WL_OK);
    for (size_t i = 0; predictions && i < j->launch_count; i++)
        wl_prediction_free(predictions[i]);
    free(predictions);
    if (status == WL_E_NOMEM)
        err = (wl_error){.code = WL_E_NOMEM, .message = "out of memory"};
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

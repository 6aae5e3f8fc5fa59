/* cmd_predict.c - warpline predict. SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diag.h"
#include "job.h"
#include "options.h"
#include "output.h"
#include "progress.h"
#include "parameter_sweep.h"
#include "recorded.h"
#include "with_effect.h"

static bool check_usage(const options *o)
{
    if (!o->update && o->argument_count > 1)
        usage_error("one kernel at a time, please");
    else if (!job_kernel_usage(o, o->argument_count > 0))
        return false;
    else if ((o->per_access || o->per_line) && o->block_count * o->device_count > 1 && !option_format_is(o, "json"))
        usage_error("%s with several blocks or devices needs --format json",
                    o->per_access ? "--per-access" : "--per-line");
    else if (!o->device_count)
        usage_no_device();
    else if (o->block_count == 0)
        usage_error("which launch? Give --block, as in --block 32x4x2");
    else
        return true;
    return false;
}

/* One launch, for people: a few lines, unless tables are asked for. */
static bool is_short(const options *o)
{
    return option_format_is(o, "text") && !o->details && !o->per_access && !o->per_line && !o->confidence;
}

/* The few lines. Changes are tried where that takes no longer than a moment. */
static wl_status render_answer(const options *o, const job *j, const wl_launch *launch, const wl_prediction *p,
                               char **text, wl_error *err)
{
    wl_advise_options how = {.predict = j->options};
    how.predict.outside = false; /* no launch that runs out of bounds is proposed */
    wl_answer answer = {
        .prediction = p, .kernel = j->kernel, .device = j->device, .verbose = o->verbose, .quiet = o->quiet};
    wl_advised *advised = NULL;
    wl_status status = WL_OK;
    const bool complete = !wl_kernel_gap(wl_prediction_kernel(p), 0) && !wl_prediction_is_outside(p);
    if (!j->options.simulate && !wl_prediction_is_costly(p) && complete)
        status = wl_advise(j->kernel, j->device, launch, &how, &advised, err);
    answer.advised = advised;
    status = status ? status : wl_answer_render(&answer, option_format(o), text, err);
    wl_advised_free(advised);
    return status;
}

/* Appends one launch to the output; a prediction's shares last only until the next one. */
static wl_status render(const options *o, const job *j, const wl_launch *launch, const wl_prediction *p,
                        wl_prediction_writer *out, wl_error *err)
{
    const wl_format format = option_format(o);
    const bool first = out->count == 0;
    char *text = NULL;
    if (format == WL_FORMAT_JSON)
        return wl_prediction_write(out, p, j->kernel, j->device, err);
    wl_status status = is_short(o) ? render_answer(o, j, launch, p, &text, err)
                                   : wl_prediction_render(p, j->kernel, j->device, format, &text, err);
    const bool headed = format == WL_FORMAT_CSV && !first; /* only the first has the header */
    const char *shown = status == WL_OK && headed ? strchr(text, '\n') + 1 : text;
    status = status ? status : out->sink(out->user, shown, strlen(shown), err);
    out->count++;
    free(text);
    return status;
}

/* All predictions: one job per device, since the kernel may be compiled for it; devices
 * outermost. */
typedef struct batch_of_jobs {
    job *jobs;
    wl_prediction **predictions; /* launches of the first device, of the second, .. */
    size_t devices, launches;
    wl_prediction_writer writer;
    bool table;   /* text output of several launches */
    bool outside; /* some launch accesses memory out of bounds */
} batch_of_jobs;

static wl_status predict_job(const options *o, batch_of_jobs *b, size_t device, wl_error *err)
{
    job *j = &b->jobs[device];
    for (size_t i = 0; i < b->launches; i++) {
        wl_prediction **p = &b->predictions[device * b->launches + i];
        wl_status status = wl_prediction_new(p, err);
        if (status != WL_OK)
            return status;
        progress_wait();
        status = wl_predict(j->predictor, &j->launches[i], &j->options, *p, err);
        progress_wait_end();
        b->outside = b->outside || (status == WL_OK && wl_prediction_is_outside(*p));
        if (status != WL_OK)
            job_show_option(o, o->block[i], err);
        else if (!b->table)
            status = render(o, j, &j->launches[i], *p, &b->writer, err);
        if (status != WL_OK)
            return status;
    }
    return WL_OK;
}

/* Launch by launch, so that the devices of a launch are in consecutive lines. */
static wl_status compare_devices(const batch_of_jobs *b, char **text, wl_error *err)
{
    const size_t count = b->devices * b->launches;
    const wl_prediction **predictions = calloc(count, sizeof *predictions);
    const wl_device **devices = calloc(count, sizeof *devices);
    wl_status status = WL_E_NOMEM;
    for (size_t i = 0; predictions && devices && i < count; i++) {
        const size_t device = i % b->devices;
        predictions[i] = b->predictions[device * b->launches + i / b->devices];
        devices[i] = b->jobs[device].device;
    }
    if (predictions && devices)
        status = wl_predictions_by_device(predictions, devices, count, b->jobs[0].kernel, WL_FORMAT_MARKED, text, err);
    free(predictions);
    free(devices);
    return status;
}

static wl_status finish(const options *o, batch_of_jobs *b, held_output *out, wl_error *err)
{
    const job *j = &b->jobs[0];
    char *text = NULL;
    if (!b->table)
        return option_format_is(o, "json") ? wl_prediction_write_end(&b->writer, err) : WL_OK;
    wl_status status = b->devices > 1 ? compare_devices(b, &text, err)
                                      : wl_predictions_table((const wl_prediction *const *)b->predictions, b->launches,
                                                             j->kernel, j->device, WL_FORMAT_MARKED, &text, err);
    status = status ? status : held_add(out, text, strlen(text), err);
    free(text);
    return status;
}

static wl_status load_and_predict(const options *o, batch_of_jobs *b, size_t device, wl_error *err)
{
    job *j = &b->jobs[device];
    j->request.outside = j->options.outside = true;
    const wl_status status = job_load(o, o->update ? NULL : o->arguments[0], o->devices[device], j, err);
    /* for a few launches, milliseconds to count predication and divergence are affordable */
    j->options.emulate = true;
    j->options.stacks = is_short(o) && !b->table;
    if (status != WL_OK)
        return status;
    const wl_status predicted = predict_job(o, b, device, err);
    const char *what = b->launches > 1 ? "these launches" : "this launch";
    return predicted
               ? predicted
               : note_no_effect(o, o->devices[device], j->kernel, j->launches, b->launches, what, &j->options, err);
}

/* Everything is written to memory first: on an error nothing is printed. */
static int run(const options *o, batch_of_jobs *b)
{
    wl_error err = {0};
    held_output out = {.file = stdout, .marked = option_format_is(o, "text")};
    wl_status status = WL_OK;
    for (size_t d = 0; d < b->devices; d++) {
        const int code = job_read_launches(o, &b->jobs[d]);
        if (code != EXIT_OK)
            return code;
    }
    b->launches = b->jobs[0].launch_count;
    b->table = option_format_is(o, "text") && b->devices * b->launches > 1;
    b->writer = (wl_prediction_writer){.sink = held_add, .user = &out};
    b->predictions = calloc(b->devices * b->launches, sizeof *b->predictions);
    if (!b->predictions)
        status = WL_E_NOMEM;
    for (size_t d = 0; d < b->devices && status == WL_OK; d++)
        status = load_and_predict(o, b, d, &err);
    if (status == WL_OK)
        status = finish(o, b, &out, &err);
    held_end(&out, status == WL_OK);
    if (status == WL_E_NOMEM)
        (void)diag_no_memory(&err);
    return status != WL_OK ? diag_report(&err) : b->outside ? EXIT_OUTSIDE : EXIT_OK;
}

/* ---- over the values of a parameter ---- */

/* Settings of a launch distinguish it from others of the same block. */
static const char *line_name(const options *o, const job *j, size_t launch, char *text, size_t size)
{
    if (!strchr(o->block[launch], ':'))
        return NULL;
    (void)snprintf(text, size, "%s, %s", wl_device_name(j->device), o->block[launch]);
    return text;
}

static wl_status sweep_launches(const options *o, job *j, double value, wl_sweep *sweep, wl_error *err)
{
    char name[LAUNCH_TEXT_MAX + 80];
    for (size_t i = 0; i < j->launch_count; i++) {
        wl_prediction *p = NULL;
        wl_status status = wl_prediction_new(&p, err);
        if (status != WL_OK)
            return status;
        progress_wait();
        status = wl_predict(j->predictor, &j->launches[i], &j->options, p, err);
        progress_wait_end();
        const wl_sweep_launch one = {.value = value,
                                     .prediction = p,
                                     .kernel = j->kernel,
                                     .device = j->device,
                                     .line = line_name(o, j, i, name, sizeof name)};
        if (status != WL_OK)
            job_show_option(o, o->block[i], err);
        else
            status = wl_sweep_add(sweep, &one, err);
        wl_prediction_free(p);
        if (status != WL_OK)
            return status;
    }
    return WL_OK;
}

/* One value: its kernel on every device. The exit code. */
static int sweep_value(const options *o, const options *given, double value, wl_sweep *sweep)
{
    (void)given;
    wl_error err = {0};
    for (size_t d = 0; d < o->device_count; d++) {
        job *j = calloc(1, sizeof *j);
        if (!j)
            return diag_report(&(wl_error){.code = WL_E_NOMEM, .message = "out of memory"});
        int code = job_read_launches(o, j);
        if (code == EXIT_OK) {
            wl_status status = job_load(o, o->update ? NULL : o->arguments[0], o->devices[d], j, &err);
            status = status ? status : sweep_launches(o, j, value, sweep, &err);
            code = status ? diag_report(&err) : EXIT_OK;
        }
        job_free(j);
        free(j);
        if (code != EXIT_OK)
            return code;
    }
    return EXIT_OK;
}

static int predict_lines(const options *o)
{
    options own = *o;
    own.device = o->device_count ? o->devices[0] : NULL;
    if (o->device_count <= 1)
        return run_batch(&own);
    usage_error("--batch takes at most one --device: for lines that name none");
    return EXIT_USAGE;
}

/* ---- a whole program ---- */

static bool program_usage(const options *o)
{
    if (!o->device_count)
        usage_no_device();
    else if (o->block_count || o->grid || o->domain || o->details || o->per_access || o->per_line || o->confidence)
        usage_error("of one launch, please: add --launch N");
    else if (o->trace && o->device_count > 1)
        usage_error("--trace is of one device");
    else
        return true;
    return false;
}

static int write_trace(const options *o, const recorded_profiles *p, wl_error *err)
{
    char *text = NULL;
    if (wl_profile_trace(p->profiles[0], &text, err) != WL_OK)
        return diag_report(err);
    const int code = output_write(o->trace, text, WL_FORMAT_JSON);
    free(text);
    return code;
}

static int predict_program(const options *o)
{
    recorded_profiles p = {0};
    wl_error err = {0};
    char *text = NULL;
    wl_status status = recorded_profiles_make(o, false, o->devices, o->device_count, &p, &err);
    if (status == WL_OK)
        status = wl_profile_render((const wl_profile *const *)p.profiles, p.count, option_format(o), &text, &err);
    int code = status == WL_OK ? EXIT_OK : err.code ? diag_report(&err) : EXIT_INPUT;
    if (code == EXIT_OK && o->trace)
        code = write_trace(o, &p, &err);
    if (code == EXIT_OK)
        output_print(text, option_format(o), stdout);
    free(text);
    recorded_profiles_free(&p);
    return code;
}

int cmd_predict(const options *o)
{
    if (o->batch)
        return predict_lines(o);
    const bool ran = !recorded_recording() && o->argument_count == 1 && recorded_is(o->arguments[0]);
    const int opened = ran ? recorded_open(o->arguments[0]) : EXIT_OK; /* a program that just ran */
    if (opened != EXIT_OK)
        return opened;
    if (recorded_whole(o))
        return program_usage(o) ? predict_program(o) : EXIT_USAGE;
    if (o->trace) {
        usage_error("--trace is of a whole recording: of one launch there is nothing to draw");
        return EXIT_USAGE;
    }
    if (!check_usage(o))
        return EXIT_USAGE;
    if (sweep_is_asked(o))
        return sweep_run(o, sweep_value);
    if (o->plot) {
        usage_error("--plot draws a sweep: give a range, as in --set n=64..4096:x2");
        return EXIT_USAGE;
    }
    batch_of_jobs b = {.jobs = calloc(o->device_count, sizeof *b.jobs), .devices = o->device_count};
    if (!b.jobs)
        return diag_report(&(wl_error){.code = WL_E_NOMEM, .message = "out of memory"});
    const int code = run(o, &b);
    for (size_t i = 0; b.predictions && i < b.devices * b.launches; i++)
        wl_prediction_free(b.predictions[i]);
    for (size_t d = 0; d < b.devices; d++)
        job_free(&b.jobs[d]);
    free(b.predictions);
    free(b.jobs);
    return code;
}

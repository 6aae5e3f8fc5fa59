/* cmd_check.c - warpline check: predictions against budgets and against stored predictions.
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diag.h"
#include "job.h"
#include "output.h"
#include "stored.h"

typedef struct check {
    const options *options;
    job job;
    stored_file baseline;
    wl_check *found;
} check;

static bool shape_same(const int64_t a[3], const int64_t b[3]) { return memcmp(a, b, 3 * sizeof *a) == 0; }

static bool check_usage(const options *o)
{
    if (!o->update && o->argument_count > 1)
        usage_error("one kernel at a time, please");
    else if (!job_kernel_usage(o, o->argument_count > 0))
        return false;
    else if (o->budget_count == 0 && !o->baseline)
        usage_error("nothing to check: give --budget, as in --budget time=1.5ms, or --baseline FILE");
    else if (o->tolerance && !o->baseline)
        usage_error("--tolerance needs --baseline");
    else if (!o->device && !o->baseline)
        usage_no_device();
    else if (o->block_count == 0 && !o->baseline)
        usage_error("which launch? Give --block, as in --block 32x4x2");
    else if (o->baseline && o->argument_count && strcmp(o->baseline, "-") == 0 && strcmp(o->arguments[0], "-") == 0)
        usage_error("standard input can be read only once");
    else
        return true;
    return false;
}

static wl_status read_limits(const options *o, check *c, wl_error *err)
{
    wl_status status = wl_check_new(&c->found, err);
    for (size_t i = 0; i < o->budget_count && status == WL_OK; i++) {
        diag_remember("--budget", o->budget[i]);
        status = wl_check_budget(c->found, o->budget[i], err);
        if (status != WL_OK)
            (void)snprintf(err->input, sizeof err->input, "--budget");
        if (strncmp(err->message, "no metric", strlen("no metric")) == 0 && !strchr(err->message, '?'))
            diag_hint("known are time, occupancy, items_per_s and the metrics that 'warpline explain' lists");
    }
    if (status == WL_OK && o->tolerance) {
        diag_remember("--tolerance", o->tolerance);
        status = wl_check_tolerance(c->found, o->tolerance, err);
        if (status != WL_OK)
            (void)snprintf(err->input, sizeof err->input, "--tolerance");
    }
    return status;
}

/* ---- one launch ---- */

static wl_status judge(check *c, const wl_prediction *p, const wl_stored *was, wl_error *err)
{
    return wl_check_add(c->found, p, c->job.device, was, err);
}

static wl_status predict(check *c, const wl_launch *launch, const char *block, wl_prediction *out, wl_error *err)
{
    c->job.options.complete = option_complete(c->options);
    const wl_status status = wl_predict(c->job.predictor, launch, &c->job.options, out, err);
    if (status != WL_OK)
        job_show_option(c->options, block, err);
    return status;
}

static wl_status check_given(check *c, wl_prediction *p, wl_error *err)
{
    const options *o = c->options;
    wl_status status = job_load(o, o->update ? NULL : o->arguments[0], o->device, &c->job, err);
    for (size_t i = 0; i < c->job.launch_count && status == WL_OK; i++) {
        status = predict(c, &c->job.launches[i], o->block[i], p, err);
        if (status == WL_OK)
            status = judge(c, p, NULL, err);
    }
    return status;
}

/* ---- launches of a baseline ---- */

/* Does the launch have the grid of the options? A rule gives one for every block. */
static bool has_given_grid(const check *c, const wl_launch *l)
{
    wl_error ignored = {0};
    wl_launch given = c->job.common;
    memcpy(given.block, l->block, sizeof given.block);
    memcpy(given.fold, l->fold, sizeof given.fold);
    return job_set_grid(c->options, &c->job, &(launch_rule){0}, &given, &ignored) == WL_OK &&
           shape_same(given.grid, l->grid);
}

/* Is a stored launch the one that --block number i describes, with all its settings? */
static bool is_launch(const check *c, size_t i, const wl_launch *l)
{
    const wl_launch *common = &c->job.common, *given = &c->job.launches[i];
    if (strstr(c->options->block[i], ":grid=") && !shape_same(given->grid, l->grid))
        return false;
    return shape_same(given->block, l->block) &&
           (shape_same(given->fold, common->fold) || shape_same(given->fold, l->fold)) &&
           (given->registers == common->registers || given->registers == l->registers) &&
           (given->shared_bytes == common->shared_bytes || given->shared_bytes == l->shared_bytes);
}

/* The first option that contradicts the stored launch; NULL: none does. */
static const char *contradiction(const check *c, const wl_stored *s)
{
    const options *o = c->options;
    const wl_launch *l = wl_prediction_launch(s->prediction), *given = &c->job.common;
    bool block = o->block_count == 0;
    for (size_t i = 0; i < c->job.launch_count; i++)
        block = block || is_launch(c, i, l);
    if (!block)
        return "--block";
    if (o->device && strcmp(wl_device_name(c->job.device), s->device) != 0)
        return "--device";
    if (o->model && strcmp(o->model, wl_model_name(wl_prediction_model(s->prediction))) != 0)
        return "--model";
    if (o->fold && !shape_same(given->fold, l->fold))
        return "--fold";
    if (o->grid && !has_given_grid(c, l))
        return "--grid";
    if (o->registers && given->registers != l->registers)
        return "--registers";
    return o->shared && given->shared_bytes != l->shared_bytes ? "--shared" : NULL;
}

/* The baseline must have every given block with all other given settings; without blocks, at least
 * one launch. */
static wl_status check_selection(const check *c, wl_error *err)
{
    const size_t wanted = c->job.launch_count > 0 ? c->job.launch_count : 1;
    for (size_t i = 0; i < wl_stored_count(c->baseline.list); i++) {
        const wl_stored *s = wl_stored_at(c->baseline.list, i);
        if (strcmp(s->kernel, wl_kernel_name(c->job.kernel)) != 0)
            return stored_fail(&c->baseline, s, err, "the baseline is of the kernel '%s', not of '%s'", s->kernel,
                               wl_kernel_name(c->job.kernel));
    }
    for (size_t b = 0; b < wanted; b++) {
        const char *against = "--block";
        for (size_t i = 0; i < wl_stored_count(c->baseline.list) && against; i++) {
            const wl_stored *s = wl_stored_at(c->baseline.list, i);
            if (c->job.launch_count == 0 || is_launch(c, b, wl_prediction_launch(s->prediction)))
                against = contradiction(c, s);
        }
        if (against && strcmp(against, "--block") == 0)
            return stored_fail(&c->baseline, wl_stored_at(c->baseline.list, 0), err,
                               "the baseline has no launch of --block %s", c->options->block[b]);
        if (against)
            return stored_fail(&c->baseline, wl_stored_at(c->baseline.list, 0), err,
                               "the baseline contradicts the %s given", against);
    }
    return WL_OK;
}

/* Kernel and domain determine a part of the launch, and the current ones are used. If the baseline
 * differs there and the command line does not mention it, a change of the kernel, or an option that
 * was given when the baseline was written, would go unnoticed. */
static wl_status check_same_launch(const check *c, const wl_stored *s, const wl_prediction *p, wl_error *err)
{
    const wl_launch *now = wl_prediction_launch(p), *then = wl_prediction_launch(s->prediction);
    const wl_model_id model = wl_prediction_model(p), model_then = wl_prediction_model(s->prediction);
    const int64_t items = wl_prediction_items(p), items_then = wl_prediction_items(s->prediction);
    if (model != model_then)
        return stored_fail(&c->baseline, s, err,
                           "the baseline's time is of the model %s, the device has numbers for %s",
                           wl_model_name(model_then), wl_model_name(model));
    if (now->registers != then->registers)
        return stored_fail(
            &c->baseline, s, err,
            "the baseline has %lld registers per thread, the kernel says %lld: give --registers, or write "
            "the baseline anew",
            (long long)then->registers, (long long)now->registers);
    if (now->shared_bytes != then->shared_bytes)
        return stored_fail(
            &c->baseline, s, err,
            "the baseline has %lld B of shared memory, the kernel says %lld: give --shared, or write the "
            "baseline anew",
            (long long)then->shared_bytes, (long long)now->shared_bytes);
    if (!shape_same(now->grid, then->grid))
        return stored_fail(&c->baseline, s, err,
                           "the baseline's grid is %lldx%lldx%lld, the domain needs %lldx%lldx%lld: give the --set or "
                           "--grid it was made with, or write the baseline again",
                           (long long)then->grid[0], (long long)then->grid[1], (long long)then->grid[2],
                           (long long)now->grid[0], (long long)now->grid[1], (long long)now->grid[2]);
    if (items != items_then)
        return stored_fail(
            &c->baseline, s, err,
            "the baseline is of %lld units of work, this launch of %lld: give the --set it was made with, or "
            "write the baseline again",
            (long long)items_then, (long long)items);
    return WL_OK;
}

/* The launch of the baseline, except for what the kernel itself states. */
static wl_launch launch_again(const check *c, const wl_stored *s)
{
    const options *o = c->options;
    wl_launch l = *wl_prediction_launch(s->prediction);
    const wl_launch *given = &c->job.common;
    int64_t stated = 0, extent[3];
    for (size_t i = 0; i < c->job.launch_count; i++)
        if (is_launch(c, i, &l))
            given = &c->job.launches[i];
    if (!given->registers && wl_kernel_registers(c->job.kernel, &stated))
        l.registers = 0;
    if (!given->shared_bytes)
        l.shared_bytes = 0;
    if (!o->grid && !given->grid[0] && wl_kernel_domain(c->job.kernel, extent) > 0)
        memset(l.grid, 0, sizeof l.grid);
    return l;
}

static wl_status check_stored(check *c, const wl_stored *s, wl_prediction *p, wl_error *err)
{
    const options *o = c->options;
    const wl_launch *then = wl_prediction_launch(s->prediction);
    char block[64];
    (void)snprintf(block, sizeof block, "%lldx%lldx%lld", (long long)then->block[0], (long long)then->block[1],
                   (long long)then->block[2]);
    if (c->job.device && strcmp(wl_device_name(c->job.device), s->device) != 0)
        job_drop_device(&c->job);
    if (!o->model)
        c->job.options.model = wl_prediction_model(s->prediction);
    wl_status status = stored_check_complete(o, &c->baseline, s, err);
    if (status == WL_OK)
        status = job_load(o, o->update ? NULL : o->arguments[0], o->device ? o->device : s->device, &c->job, err);
    wl_launch launch = launch_again(c, s);
    if (status == WL_OK)
        status = predict(c, &launch, block, p, err);
    if (status == WL_OK && wl_prediction_launch(p)->shared_bytes == 0 &&
        then->shared_bytes > 0) { /* the kernel does not state it */
        launch.shared_bytes = then->shared_bytes;
        status = predict(c, &launch, block, p, err);
    }
    if (status == WL_OK)
        status = check_same_launch(c, s, p, err);
    return status == WL_OK ? judge(c, p, s, err) : status;
}

/* A kernel in PTX is read for a launch: without --block for the first of the baseline. */
static void take_launch(check *c)
{
    const wl_launch *then = wl_prediction_launch(wl_stored_at(c->baseline.list, 0)->prediction);
    wl_launch *launch = &c->job.request.launch;
    if (c->job.launch_count > 0)
        return;
    memcpy(launch->block, then->block, sizeof launch->block);
    if (!c->options->grid && !c->options->domain)
        memcpy(launch->grid, then->grid, sizeof launch->grid);
}

static wl_status check_against(check *c, wl_prediction *p, wl_error *err)
{
    const options *o = c->options;
    wl_status status = stored_load(o->baseline, &c->baseline, err);
    if (status == WL_OK)
        take_launch(c);
    if (status == WL_OK)
        status = job_load(o, o->update ? NULL : o->arguments[0],
                          o->device ? o->device : wl_stored_at(c->baseline.list, 0)->device, &c->job, err);
    if (status == WL_OK)
        status = check_selection(c, err);
    for (size_t i = 0; status == WL_OK && i < wl_stored_count(c->baseline.list); i++) {
        if (!contradiction(c, wl_stored_at(c->baseline.list, i)))
            status = check_stored(c, wl_stored_at(c->baseline.list, i), p, err);
        else
            wl_check_leave_out(c->found);
    }
    return status;
}

static wl_status render(const check *c, wl_format format, char **text, char **junit, wl_error *err)
{
    const char *kernel = wl_kernel_name(c->job.kernel);
    wl_status status = WL_OK;
    if (c->options->junit)
        status = wl_check_junit(c->found, kernel, junit, err);
    if (status == WL_OK && c->options->quiet && format == WL_FORMAT_MARKED)
        return wl_check_failures(c->found, kernel, format, text, err);
    return status == WL_OK ? wl_check_render(c->found, kernel, format, text, err) : status;
}

/* Writes the file first: if that fails, nothing is printed. */
static int print(const options *o, const char *text, wl_format format, const char *junit)
{
    const int code = o->junit ? output_write(o->junit, junit, WL_FORMAT_TEXT) : EXIT_OK;
    if (code == EXIT_OK && !(o->junit && strcmp(o->junit, "-") == 0))
        output_print(text, format, stdout);
    return code;
}

/* Everything is judged before anything is printed. */
static int run(const options *o, check *c)
{
    wl_error err = {0};
    int code = job_read_launches(o, &c->job);
    if (code != EXIT_OK)
        return code;
    if (read_limits(o, c, &err) != WL_OK)
        return diag_report(&err);
    wl_prediction *p = NULL;
    wl_status status = wl_prediction_new(&p, &err);
    if (status == WL_OK)
        status = o->baseline ? check_against(c, p, &err) : check_given(c, p, &err);
    wl_prediction_free(p);
    char *text = NULL, *junit = NULL;
    const wl_format format = option_format(o);
    if (status == WL_OK)
        status = render(c, format, &text, &junit, &err);
    if (status == WL_OK)
        code = print(o, text, format, junit);
    free(text);
    free(junit);
    if (status == WL_E_NOMEM)
        (void)diag_no_memory(&err);
    if (status != WL_OK || code != EXIT_OK)
        return status != WL_OK ? diag_report(&err) : code;
    return wl_check_failed(c->found) > 0 ? EXIT_CHECK_FAILED : EXIT_OK;
}

int cmd_check(const options *o)
{
    if (!check_usage(o))
        return EXIT_USAGE;
    check c = {.options = o};
    const int code = run(o, &c);
    job_free(&c.job);
    stored_free(&c.baseline);
    wl_check_free(c.found);
    return code;
}

/* cmd_roofline.c - warpline roofline: launches under the ceilings of a device.
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "batch.h"
#include "diag.h"
#include "job.h"
#include "load.h"
#include "output.h"
#include "plot.h"
#include "progress.h"
#include "recorded.h"
#include "roofline_job.h"

#define LAUNCH_LENGTH 64

static size_t table_count(const options *o)
{
    size_t count = 0;
    for (size_t i = 0; i < o->argument_count; i++)
        count += picture_is_table(o->arguments[i]);
    return count;
}

/* Every kernel is checked as if it were the only one. */
static bool kernels_ok(const options *o)
{
    for (size_t i = 0; i < o->argument_count; i++) {
        options one = *o;
        if (picture_is_table(o->arguments[i]))
            continue;
        one.arguments[0] = o->arguments[i];
        one.argument_count = 1;
        one.entry = o->kernels[0];
        if (!job_kernel_usage(&one, true))
            return false;
    }
    return o->argument_count > 0 || o->map || job_kernel_usage(o, false);
}

/* Predicted launches are those of --block, or those that were measured. */
static bool launches_ok(const options *o)
{
    const bool predicts = o->update || o->map || o->argument_count > table_count(o);
    if (o->batch && (o->measured || o->map))
        usage_error("--batch excludes --measured and --map");
    else if (o->measured && o->block_count > 0)
        usage_error("--measured says which launches: leave --block out");
    else if (o->measured && (o->update || (o->map && o->argument_count > 0) || table_count(o) > 0 || !predicts))
        usage_error("--measured FILE needs kernels, or --map");
    else if ((o->map || o->args_file || o->family_count || o->variant || o->kernel_name) && !o->measured)
        usage_error("--map, --args, --family, --variant and --kernel-name need --measured FILE");
    else if (predicts && !o->measured && !o->batch && o->block_count == 0 && !recorded_whole(o))
        usage_error("which launch? Give --block, as in --block 32x4x2");
    else
        return true;
    return false;
}

static bool check_usage(const options *o)
{
    size_t standard_input = o->measured && strcmp(o->measured, "-") == 0;
    for (size_t i = 0; i < o->argument_count; i++)
        standard_input += strcmp(o->arguments[i], "-") == 0;
    if (!o->batch && !kernels_ok(o))
        return false;
    if (!o->device && !o->batch)
        usage_no_device();
    else if (!launches_ok(o))
        return false;
    else if (standard_input > 1)
        usage_error("standard input can be read only once");
    else
        return true;
    return false;
}

/* ---- launches ---- */

/* The name of a launch, as the user gave it. */
static void name_launch(const options *o, size_t launch, char text[LAUNCH_LENGTH])
{
    (void)snprintf(text, LAUNCH_LENGTH, o->fold ? "%.24s fold %.24s" : "%.24s", o->block[launch], o->fold);
}

wl_status picture_add(picture *p, const wl_tallies *t, bool *added, wl_error *err)
{
    const wl_status status = wl_roofline_add(p->roofline, t, err);
    *added = status == WL_OK;
    p->added += *added;
    if (status != WL_E_UNSUPPORTED)
        return status;
    if (p->left_out++ == 0)
        p->why = *err;
    *err = (wl_error){0};
    return WL_OK;
}

static wl_status add(picture *p, const batch_launch *launch, const char *name, wl_error *err)
{
    wl_tallies t;
    bool added = false;
    wl_tallies_predicted(launch->prediction, launch->kernel, launch->device, &t);
    t.launch = name;
    return picture_add(p, &t, &added, err);
}

static wl_status predict_all(picture *p, job *j, wl_error *err)
{
    wl_prediction *prediction = NULL;
    wl_status status = WL_OK;
    if (!p->roofline)
        status = wl_roofline_new(p->kind, j->device, &p->roofline, err);
    if (status == WL_OK)
        status = wl_prediction_new(&prediction, err);
    for (size_t i = 0; i < j->launch_count && status == WL_OK; i++) {
        progress_wait();
        status = wl_predict(j->predictor, &j->launches[i], &j->options, prediction, err);
        progress_wait_end();
        char name[LAUNCH_LENGTH];
        name_launch(p->options, i, name);
        if (status == WL_OK)
            status = add(p, &(batch_launch){prediction, j->kernel, j->device, &j->launches[i]}, name, err);
        else
            job_show_option(p->options, p->options->block[i], err);
    }
    wl_prediction_free(prediction);
    return status;
}

/* All launches of one kernel. */
static int add_kernel(picture *p, const char *kernel, const char *entry)
{
    options o = *p->options;
    wl_error err = {0};
    job j = {0};
    o.entry = entry;
    int code = job_read_launches(&o, &j);
    if (code == EXIT_OK) {
        wl_status status = job_load(&o, kernel, o.device, &j, &err);
        /* predication, divergence, flops by type; what limits the time */
        j.options.emulate = j.options.stacks = true;
        if (status == WL_OK)
            status = predict_all(p, &j, &err);
        code = status == WL_OK ? EXIT_OK : diag_report(&err);
    }
    job_free(&j);
    return code;
}

/* A recorded program: the leading launch of each kernel, as large as its share of the time. */
static int add_program(picture *p)
{
    const options *o = p->options;
    recorded_profiles all = {0};
    wl_error err = {0};
    const wl_profile_kernel *k;
    wl_status status = recorded_profiles_make(o, true, &o->device, 1, &all, &err);
    if (status == WL_OK)
        status = wl_roofline_new(p->kind, all.devices[0], &p->roofline, &err);
    for (size_t i = 0; status == WL_OK && (k = wl_profile_kernel_at(all.profiles[0], i)); i++) {
        char name[LAUNCH_LENGTH];
        bool added = false;
        if (!k->predicted)
            continue;
        wl_tallies t = *wl_profile_tallies(all.profiles[0], k->launch);
        t.weight = k->total_s / wl_profile_times_of(all.profiles[0])->kernels_s;
        (void)snprintf(name, sizeof name, "%.0f %% of the time", 100 * t.weight);
        t.launch = name;
        status = picture_add(p, &t, &added, &err);
    }
    recorded_profiles_free(&all);
    return status == WL_OK ? EXIT_OK : err.code ? diag_report(&err) : EXIT_INPUT;
}

/* "32x8", of a launch from a line. */
static void name_block(const wl_launch *launch, char text[LAUNCH_LENGTH])
{
    const int dims = launch->block[2] > 1 ? 3 : launch->block[1] > 1 ? 2 : 1;
    size_t used = 0;
    for (int d = 0; d < dims && used < LAUNCH_LENGTH; d++)
        used +=
            (size_t)snprintf(text + used, LAUNCH_LENGTH - used, "%s%lld", d ? "x" : "", (long long)launch->block[d]);
}

/* One picture has one device. */
static wl_status visit(void *user, const batch_launch *launch, wl_error *err)
{
    picture *p = user;
    char name[LAUNCH_LENGTH];
    wl_status status = WL_OK;
    if (!p->roofline)
        status = wl_roofline_new(p->kind, launch->device, &p->roofline, err);
    if (status == WL_OK && p->device[0] && strcmp(p->device, wl_device_name(launch->device)) != 0) {
        *err = (wl_error){.code = WL_E_INPUT};
        (void)snprintf(err->message, sizeof err->message, "a picture has one device: %.60s, and here %.60s", p->device,
                       wl_device_name(launch->device));
        return err->code;
    }
    (void)snprintf(p->device, sizeof p->device, "%.60s", wl_device_name(launch->device));
    name_block(wl_prediction_launch(launch->prediction), name);
    return status == WL_OK ? add(p, launch, name, err) : status;
}

static int add_lines(picture *p)
{
    options o = *p->options;
    wl_predict_options predict = {.emulate = true, .stacks = true};
    predict.model = option_model(&o);
    o.model = NULL; /* each line names its model */
    return batch_each(&o, &predict, visit, p);
}

/* All entries of one kernel file, or the rows of a table. */
static int add_source(picture *p, const char *source)
{
    const options *o = p->options;
    const size_t entries = o->kernel_count ? o->kernel_count : 1;
    int code = EXIT_OK;
    if (o->measured)
        return picture_add_pairs(p, source);
    if (source && picture_is_table(source))
        return picture_add_table(p, source);
    for (size_t e = 0; e < entries && code == EXIT_OK; e++)
        code = add_kernel(p, source, o->kernel_count ? o->kernels[e] : NULL);
    return code;
}

static int add_sources(picture *p)
{
    const options *o = p->options;
    int code = o->update || o->map ? add_source(p, NULL) : EXIT_OK;
    for (size_t i = 0; i < o->argument_count && code == EXIT_OK; i++)
        code = add_source(p, o->arguments[i]);
    return code;
}

/* All that was asked for. */
static int add_all(picture *p)
{
    const bool whole = recorded_whole(p->options);
    const int code = whole ? add_program(p) : p->options->batch ? add_lines(p) : add_sources(p);
    if (code == EXIT_OK && p->added + p->left_out == 0) {
        usage_error("error: no launch in %s%s", whole ? "the recording can be predicted: see warpline predict " : "",
                    whole ? p->options->arguments[0] : p->options->batch);
        return EXIT_INPUT;
    }
    if (code != EXIT_OK || p->left_out == 0)
        return code;
    if (p->added == 0)
        return diag_report(&p->why);
    usage_error("left out: %s%s", p->why.message, p->left_out > 1 ? "; and others" : "");
    return EXIT_OK;
}

/* ---- results ---- */

static int write_svg(const picture *p, const char *path)
{
    wl_error err = {0};
    char *text = NULL;
    const wl_status status = wl_roofline_render(p->roofline, WL_FORMAT_SVG, &text, &err);
    const int code = status == WL_OK ? plot_write(path, text) : diag_report(&err);
    free(text);
    return code;
}

/* The numbers behind a picture that no script draws. */
static int write_numbers(const picture *p, const char *path)
{
    wl_error err = {0};
    char *text = NULL, *beside = plot_sibling(path, ".csv");
    const wl_status status = wl_roofline_render(p->roofline, WL_FORMAT_CSV, &text, &err);
    const int code = !beside           ? diag_report(&(wl_error){.code = WL_E_NOMEM, .message = "out of memory"})
                     : status == WL_OK ? plot_write(beside, text)
                                       : diag_report(&err);
    free(beside);
    free(text);
    return code;
}

/* Without gnuplot, writes an SVG. */
static int fall_back(const picture *p, const char *path)
{
    char *beside = plot_sibling(path, ".svg");
    const int code =
        beside ? write_svg(p, beside) : diag_report(&(wl_error){.code = WL_E_NOMEM, .message = "out of memory"});
    if (code == EXIT_OK)
        usage_error("PNG and PDF need gnuplot; the picture is in %s", beside);
    free(beside);
    return code;
}

static int draw(const picture *p)
{
    const char *path = p->options->plot;
    plot files;
    wl_error err = {0};
    char *script = NULL, *data = NULL;
    int code = EXIT_OK;
    if (has_suffix(path, ".svg")) {
        code = write_svg(p, path);
        return code == EXIT_OK ? write_numbers(p, path) : code;
    }
    if (!plot_name(&files, path, &err) || wl_roofline_plot(p->roofline, &files.files, &script, &data, &err) != WL_OK)
        code = diag_report(&err);
    else
        code = plot_draw(&files, script, data);
    plot_free(&files);
    free(script);
    free(data);
    return code == EXIT_NO_PICTURE ? plot_worse(code, fall_back(p, path)) : code;
}

static int report(const picture *p)
{
    const wl_format format = option_format(p->options);
    wl_error err = {0};
    char *text = NULL;
    int code = EXIT_OK, drawn = EXIT_OK;
    if (wl_roofline_render(p->roofline, format, &text, &err) != WL_OK)
        code = diag_report(&err);
    else if (p->options->plot)
        drawn = draw(p);
    code = code == EXIT_OK && drawn != EXIT_NO_PICTURE ? drawn : code;
    if (code == EXIT_OK)
        code = output_write(p->options->output, text, format);
    free(text);
    return plot_worse(code, drawn);
}

int cmd_roofline(const options *o)
{
    picture p = {.options = o, .kind = WL_ROOFLINE_HIERARCHICAL};
    if (!check_usage(o))
        return EXIT_USAGE;
    if (o->kind)
        (void)wl_roofline_kind_find(o->kind, &p.kind); /* other words were refused already */
    int code = add_all(&p);
    if (code == EXIT_OK)
        code = report(&p);
    wl_roofline_free(p.roofline);
    return code;
}

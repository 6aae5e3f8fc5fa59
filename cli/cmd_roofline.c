/* cmd_roofline.c - warpline roofline: launches under the ceilings of a device. SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diag.h"
#include "job.h"
#include "output.h"
#include "plot.h"
#include "progress.h"

#define LAUNCH_LENGTH 64

static bool picture_ok(const char *path) { return plot_file_ok(path) || plot_is(path, ".pdf"); }

/* Every kernel is checked as if it were the only one. */
static bool kernels_ok(const options *o)
{
    for (size_t i = 0; i < o->argument_count; i++) {
        options one = *o;
        one.arguments[0] = o->arguments[i];
        one.argument_count = 1;
        one.entry = o->kernels[0];
        if (!job_kernel_usage(&one, true))
            return false;
    }
    return o->argument_count > 0 || job_kernel_usage(o, false);
}

static bool check_usage(const options *o)
{
    size_t standard_input = 0;
    for (size_t i = 0; i < o->argument_count; i++)
        standard_input += strcmp(o->arguments[i], "-") == 0;
    if (!kernels_ok(o))
        return false;
    if (!o->device)
        usage_error("which device? Give --device NAME ('warpline devices' lists them)");
    else if (o->block_count == 0)
        usage_error("which launch? Give --block, as in --block 32x4x2");
    else if (standard_input > 1)
        usage_error("standard input can be read only once");
    else if (o->plot && !picture_ok(o->plot))
        usage_error("--plot writes FILE.svg, FILE.png or FILE.pdf (not '%s')", o->plot);
    else
        return true;
    return false;
}

/* ---- launches ---- */

typedef struct picture {
    const options *options;
    wl_roofline_kind kind;
    wl_roofline *roofline;
    size_t added, left_out;
    wl_error why; /* the first launch that was left out */
} picture;

/* The launch as it was asked for. */
static void name_launch(const options *o, size_t launch, char text[LAUNCH_LENGTH])
{
    (void)snprintf(text, LAUNCH_LENGTH, o->fold ? "%.24s fold %.24s" : "%.24s", o->block[launch], o->fold);
}

/* One that the picture has no place for is left out, and said. */
static wl_status add(picture *p, const job *j, size_t launch, const wl_prediction *prediction, wl_error *err)
{
    char text[LAUNCH_LENGTH];
    wl_tallies t;
    wl_tallies_predicted(prediction, j->kernel, j->device, &t);
    name_launch(p->options, launch, text);
    t.launch = text;
    const wl_status status = wl_roofline_add(p->roofline, &t, err);
    p->added += status == WL_OK;
    if (status != WL_E_UNSUPPORTED)
        return status;
    if (p->left_out++ == 0)
        p->why = *err;
    *err = (wl_error){0};
    return WL_OK;
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
        if (status == WL_OK)
            status = add(p, j, i, prediction, err);
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
        j.options.emulate = true; /* predication, divergence, flops by type */
        if (status == WL_OK)
            status = predict_all(p, &j, &err);
        code = status == WL_OK ? EXIT_OK : diag_report(&err);
    }
    job_free(&j);
    return code;
}

static int add_kernels(picture *p)
{
    const options *o = p->options;
    const size_t kernels = o->update ? 1 : o->argument_count, entries = o->kernel_count ? o->kernel_count : 1;
    int code = EXIT_OK;
    for (size_t k = 0; k < kernels && code == EXIT_OK; k++)
        for (size_t e = 0; e < entries && code == EXIT_OK; e++)
            code = add_kernel(p, o->update ? NULL : o->arguments[k], o->kernel_count ? o->kernels[e] : NULL);
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

/* Without gnuplot there is still an SVG. */
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
    if (plot_is(path, ".svg")) {
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
    if (code == EXIT_UNSUPPORTED)
        (void)fall_back(p, path);
    return code;
}

static int report(const picture *p)
{
    const wl_format format = option_format(p->options);
    wl_error err = {0};
    char *text = NULL;
    output out;
    int code = EXIT_OK;
    if (wl_roofline_render(p->roofline, format, &text, &err) != WL_OK)
        code = diag_report(&err);
    else if (p->options->plot)
        code = draw(p);
    if (code == EXIT_OK)
        code = output_open(p->options->output, &out);
    if (code == EXIT_OK) {
        output_print(text, format, out.file);
        code = output_close(&out, true);
    }
    free(text);
    return code;
}

int cmd_roofline(const options *o)
{
    picture p = {.options = o, .kind = WL_ROOFLINE_HIERARCHICAL};
    if (!check_usage(o))
        return EXIT_USAGE;
    if (o->kind && !wl_roofline_kind_find(o->kind, &p.kind)) {
        option_error("--kind", o->kind, 1, "there is no such roofline: classic, hierarchical or instruction");
        return EXIT_UNSUPPORTED;
    }
    int code = add_kernels(&p);
    if (code == EXIT_OK)
        code = report(&p);
    wl_roofline_free(p.roofline);
    return code;
}

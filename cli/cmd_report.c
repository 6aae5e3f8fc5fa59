/* cmd_report.c - warpline report: everything about launches in one HTML file.
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "batch.h"
#include "diag.h"
#include "job.h"
#include "load.h"
#include "output.h"
#include "progress.h"
#include "recorded.h"
#include "report_search.h"
#include "try_it.h"

#define KERNELS_SHOWN 5 /* of a program: each has a section */
#define EFFORT 0.1      /* seconds to emulate each of many launches, about: as rank does */

typedef struct report {
    const options *options;
    wl_page *page;
    wl_predict_options predict;
    const char *path; /* of the kernel that is added; NULL: it has no file */
    size_t added;
    double program_s; /* of the kernel of a program that is added; else 0 */
    char *web;        /* the page to try launches on; NULL: none */
} report;

static bool check_usage(const options *o)
{
    size_t standard_input = 0;
    for (size_t i = 0; i < o->argument_count; i++) {
        options one = *o;
        standard_input += strcmp(o->arguments[i], "-") == 0;
        one.arguments[0] = o->arguments[i];
        one.argument_count = 1;
        one.entry = o->kernels[0];
        /* checks each kernel as if it were the only one */
        if (!o->batch && !job_kernel_usage(&one, true))
            return false;
    }
    if (o->batch && o->device_count > 1)
        usage_error("--batch takes at most one --device: for lines that name none");
    if (o->batch)
        return o->device_count <= 1; /* batch.h checks the rest */
    if (o->argument_count == 0 && !job_kernel_usage(o, false))
        return false;
    if (o->device_count == 0)
        usage_error("which device? Give --device NAME ('warpline devices' lists them)");
    else if (o->block_count == 0 && !recorded_whole(o))
        usage_error("which launch? Give --block, as in --block 32x4x2");
    else if (standard_input > 1 || (standard_input && o->device_count * (o->kernel_count ? o->kernel_count : 1) > 1))
        usage_error("standard input can be read only once");
    else
        return true;
    return false;
}

/* ---- sources ---- */

#define SOURCES_MAX 8

/* Files that lines of a prediction are of, as far as they are beside the kernel's own file. A path
 * in PTX is not followed: the page shows no other files. */
typedef struct source_files {
    const char *names[SOURCES_MAX];
    char *texts[SOURCES_MAX];
    size_t count;
} source_files;

static bool knows(const source_files *s, const char *name)
{
    for (size_t i = 0; i < s->count; i++)
        if (strcmp(s->names[i], name) == 0)
            return true;
    return false;
}

/* The file of this name in the folder of the kernel; NULL: there is none. */
static wl_status load_beside(const char *kernel, const char *name, char **text, wl_error *err)
{
    const char *slash = strrchr(kernel, '/'), *base = strrchr(name, '/');
    const size_t folder = slash ? (size_t)(slash - kernel) + 1 : 0;
    base = base ? base + 1 : name;
    const size_t base_length = strlen(base);
    char *path = malloc(folder + base_length + 1);
    if (!path)
        return diag_no_memory(err);
    memcpy(path, kernel, folder);
    memcpy(path + folder, base, base_length + 1);
    wl_error why = {0};
    size_t length;
    const wl_status status = load_text(path, text, &length, &why);
    free(path);
    if (status != WL_E_NOMEM)
        return WL_OK;
    *err = why;
    return status;
}

static wl_status load_sources(const char *kernel, const wl_prediction *prediction, source_files *out, wl_error *err)
{
    const wl_line_mix *line;
    wl_status status = WL_OK;
    if (!kernel || !ptx_is_source(kernel))
        return WL_OK;
    for (size_t i = 0; status == WL_OK && (line = wl_prediction_line(prediction, i)); i++) {
        char *text = NULL;
        if (out->count == SOURCES_MAX || knows(out, line->file))
            continue;
        status = load_beside(kernel, line->file, &text, err);
        out->texts[out->count] = text;
        out->names[out->count++] = line->file;
    }
    return status;
}

/* ---- launches ---- */

static wl_status add(report *r, const report_launch *launch, const source_files *sources, const try_launch *tried,
                     wl_error *err)
{
    report_search found = {0};
    try_it it = {0};
    wl_status status = report_search_run(launch, &found, err);
    if (status == WL_OK && r->web)
        status = try_it_make(tried, &it, err);
    if (status == WL_OK)
        status = wl_page_add(r->page,
                             &(wl_page_launch){.prediction = launch->prediction,
                                               .kernel = launch->kernel,
                                               .device = launch->device,
                                               .ranked = found.space.ranker ? &found.space : NULL,
                                               .searched = found.searched,
                                               .advised = found.advised,
                                               .program_s = r->program_s,
                                               .no_advice = found.no_advice,
                                               .files = sources ? sources->names : NULL,
                                               .texts = sources ? (const char *const *)sources->texts : NULL,
                                               .file_count = sources ? sources->count : 0,
                                               .address = it.address,
                                               .address_note = it.note},
                             err);
    r->added += status == WL_OK;
    free(it.address);
    report_search_free(&found);
    return status;
}

/* An emulated kernel gets less effort per launch if many launches are predicted. */
static wl_status load_quick(const options *o, job *j, wl_kernel **out, wl_error *err)
{
    ptx_request request = j->request;
    if (!j->unit || o->effort)
        return WL_OK;
    request.effort = EFFORT;
    return ptx_unit_kernel(j->unit, &request, out, err);
}

/* Its shares, lines and stacks last until the next one. */
static wl_status predict_one(report *r, const options *o, job *j, size_t i, const wl_kernel *quick, wl_error *err)
{
    wl_prediction *prediction = NULL;
    char own[LAUNCH_TEXT_MAX];
    const char *rule = j->grid && !strstr(o->block[i], ":grid=") ? o->grid : NULL;
    if (j->rules[i].length) {
        (void)snprintf(own, sizeof own, "%.*s", j->rules[i].length, j->rules[i].given + j->rules[i].at);
        rule = own;
    }
    wl_status status = wl_prediction_new(&prediction, err);
    if (status == WL_OK) {
        progress_wait();
        status = wl_predict(j->predictor, &j->launches[i], &j->options, prediction, err);
        progress_wait_end();
        if (status != WL_OK)
            job_show_option(o, o->block[i], err);
    }
    source_files sources = {.count = 0};
    if (status == WL_OK)
        status = load_sources(r->path, prediction, &sources, err);
    if (status == WL_OK)
        status = add(r,
                     &(report_launch){.prediction = prediction,
                                      .kernel = j->kernel,
                                      .device = j->device,
                                      .predict = &j->options,
                                      .options = o,
                                      .others = quick ? quick : j->kernel,
                                      .launch = j->launches[i],
                                      .rule = rule},
                     &sources,
                     &(try_launch){.options = o,
                                   .job = j,
                                   .kernel = o->update ? NULL : r->path,
                                   .block = o->block[i],
                                   .prediction = prediction,
                                   .read = j->kernel,
                                   .device = j->device},
                     err);
    for (size_t k = 0; k < sources.count; k++)
        free(sources.texts[k]);
    wl_prediction_free(prediction);
    return status;
}

static void ask_for_all(wl_predict_options *predict)
{
    predict->per_access = predict->per_line = predict->emulate = predict->stacks = true;
}

/* All launches of one kernel on one device. */
static int add_kernel(report *r, const options *given, const char *kernel, const char *entry, const char *device)
{
    options o = *given;
    wl_error err = {0};
    job j = {0};
    wl_kernel *quick = NULL;
    o.entry = entry;
    r->path = kernel;
    int code = job_read_launches(&o, &j);
    if (code == EXIT_OK) {
        wl_status status = job_load(&o, kernel, device, &j, &err);
        if (status == WL_OK)
            status = load_quick(&o, &j, &quick, &err);
        ask_for_all(&j.options);
        for (size_t i = 0; i < j.launch_count && status == WL_OK; i++)
            status = predict_one(r, &o, &j, i, quick, &err);
        code = status == WL_OK ? EXIT_OK : diag_report(&err);
    }
    wl_kernel_free(quick);
    job_free(&j);
    return code;
}

static int add_kernels(report *r)
{
    const options *o = r->options;
    const size_t kernels = o->update ? 1 : o->argument_count, entries = o->kernel_count ? o->kernel_count : 1;
    int code = EXIT_OK;
    for (size_t k = 0; k < kernels; k++)
        for (size_t e = 0; e < entries; e++)
            for (size_t d = 0; d < o->device_count && code == EXIT_OK; d++)
                code = add_kernel(r, o, o->update ? NULL : o->arguments[k], o->kernel_count ? o->kernels[e] : NULL,
                                  o->devices[d]);
    return code;
}

/* A recorded program: its profile, and the kernels that take most of its time. */
static int add_program(report *r)
{
    options own = *r->options;
    recorded_profiles p = {0};
    wl_error err = {0};
    const wl_profile_kernel *k;
    wl_status status = recorded_profiles_make(&own, false, own.devices, own.device_count, &p, &err);
    int code = status == WL_OK ? EXIT_OK : err.code ? diag_report(&err) : EXIT_INPUT;
    for (size_t i = 0; code == EXIT_OK && i < KERNELS_SHOWN && (k = wl_profile_kernel_at(p.profiles[0], i)); i++) {
        if (!k->predicted)
            continue;
        recorded_choose(k->launch, &own);
        r->program_s = k->total_s;
        code = add_kernel(r, &own, own.arguments[0], NULL, own.devices[0]);
    }
    if (code == EXIT_OK) {
        status = wl_page_profile(r->page, (const wl_profile *const *)p.profiles, p.count, &err);
        code = status == WL_OK ? EXIT_OK : diag_report(&err);
    }
    recorded_profiles_free(&p);
    return code;
}

static wl_status visit(void *user, const batch_launch *line, wl_error *err)
{
    report *r = user;
    return add(r,
               &(report_launch){.prediction = line->prediction,
                                .kernel = line->kernel,
                                .device = line->device,
                                .predict = &r->predict,
                                .options = r->options,
                                .others = line->kernel,
                                .launch = *line->launch},
               NULL,
               &(try_launch){
                   .options = r->options, .prediction = line->prediction, .read = line->kernel, .device = line->device},
               err);
}

static int add_lines(report *r)
{
    options o = *r->options;
    r->predict.model = option_model(&o);
    o.model = NULL; /* each line names its model */
    o.device = o.device_count ? o.devices[0] : NULL;
    ask_for_all(&r->predict);
    const int code = batch_each(&o, &r->predict, visit, r);
    if (code == EXIT_OK && r->added == 0) {
        usage_error("error: no launch in %s", o.batch);
        return EXIT_INPUT;
    }
    return code;
}

/* ---- the page ---- */

/* The text is whole before the file is opened. */
static int write_page(const report *r)
{
    wl_error err = {0};
    char *text = NULL;
    if (wl_page_render(r->page, r->options->date, &text, &err) != WL_OK)
        return diag_report(&err);
    const int code = output_write(r->options->output, text, WL_FORMAT_TEXT);
    free(text);
    return code;
}

int cmd_report(const options *o)
{
    report r = {.options = o};
    wl_error err = {0};
    if (!check_usage(o) || !try_it_usage(o))
        return EXIT_USAGE;
    const bool whole = recorded_whole(o);
    int code = o->interactive ? try_it_read(o, &r.web) : EXIT_OK;
    if (code == EXIT_OK && wl_page_new(r.web, &r.page, &err) != WL_OK)
        code = diag_report(&err);
    if (code == EXIT_OK)
        code = whole ? add_program(&r) : o->batch ? add_lines(&r) : add_kernels(&r);
    if (code == EXIT_OK)
        code = write_page(&r);
    free(r.web);
    wl_page_free(r.page);
    return code;
}

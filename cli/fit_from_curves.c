/* fit_from_curves.c - see fit_from_curves.h. SPDX-License-Identifier: MIT */
#include "fit_from_curves.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diag.h"
#include "load.h"
#include "output.h"

int fit_device_text(const char *device, const char **text, char **file, size_t *length)
{
    wl_error err = {0};
    *text = wl_device_builtin_text(device, length);
    if (*text)
        return EXIT_OK;
    if (load_text(device, file, length, &err) != WL_OK)
        return diag_report(&err);
    *text = *file;
    return EXIT_OK;
}

typedef struct job {
    const options *o;
    wl_device *device;
    wl_curves *curves;
    char *loaded; /* the device file's text, unless it is built in */
    char *file, *found;
} job;

static bool check_usage(const options *o)
{
    if (!o->device)
        usage_error("which device? Give --device NAME or FILE");
    else if (o->argument_count == 0)
        usage_error("which curves? Give one or more tables");
    else if (o->map)
        usage_error("--map is for measured launches: published curves need no kernels");
    else
        return true;
    return false;
}

static wl_status load_tables(job *j, wl_error *err)
{
    const char *gpu = j->o->gpu ? j->o->gpu : wl_device_name(j->device);
    wl_status status = wl_curves_new(&j->curves, err);
    for (size_t i = 0; i < j->o->argument_count && status == WL_OK; i++) {
        const char *text;
        size_t length;
        status = load_kept_text(j->o->arguments[i], &text, &length, err);
        if (status == WL_OK)
            status = wl_curves_add(j->curves, j->o->arguments[i], text, length, gpu, err);
    }
    return status;
}

static int run(job *j)
{
    const char *text = NULL;
    wl_error err = {0};
    size_t length = 0;
    wl_status status = load_device(j->o->device, j->o->with, j->o->with_count, &j->device, &err);
    if (status == WL_OK)
        status = load_tables(j, &err);
    if (status != WL_OK)
        return diag_report(&err);
    int code = fit_device_text(j->o->device, &text, &j->loaded, &length);
    if (code != EXIT_OK)
        return code;
    if (wl_curves_fit(j->curves, j->device, text, length, &j->file, &j->found, &err) != WL_OK)
        return diag_report(&err);
    if (j->o->output)
        code = output_write(j->o->output, j->file, WL_FORMAT_TEXT);
    if (code == EXIT_OK)
        output_print(j->found, WL_FORMAT_TEXT, stdout);
    return code;
}

int fit_from_curves(const options *o)
{
    job j = {.o = o};
    if (!check_usage(o))
        return EXIT_USAGE;
    const int code = run(&j);
    wl_device_free(j.device);
    wl_curves_free(j.curves);
    free(j.loaded);
    free(j.file);
    free(j.found);
    return code;
}

/* cmd_advise.c - warpline advise: the changes to one launch that help most.
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diag.h"
#include "job.h"
#include "output.h"

#define OTHER_DEVICES 3
#define NOT_SAID (-1)
#define DEVICES_MAX 64

typedef struct advised {
    job job;
    wl_advise_options options;
    wl_advised *result;
    wl_elsewhere devices[DEVICES_MAX]; /* the given device first */
    size_t device_count;
    wl_model_id device_model;
    bool devices_left; /* others were left out, as they would take long */
} advised;

/* NOT_SAID: some, unless they would take long */
static bool read_devices(const options *o, int64_t *others)
{
    *others = NOT_SAID;
    if (!o->other_devices)
        return true;
    *others = DEVICES_MAX - 1;
    return strcmp(o->other_devices, "all") == 0 ||
           option_integer("--devices", o->other_devices, 0, DEVICES_MAX - 1, others);
}

static wl_status advise(const options *o, int64_t others, advised *a, wl_error *err)
{
    const wl_launch *launch = &a->job.launches[0];
    wl_status status = job_load(o, o->update ? NULL : o->arguments[0], o->device, &a->job, err);
    if (status != WL_OK)
        return status;
    a->options.predict = a->job.options;
    a->options.predict.complete = option_complete(o);
    status = wl_advise(a->job.kernel, a->job.device, launch, &a->options, &a->result, err);
    if (status != WL_OK)
        job_show_option(o, o->block[0], err);
    if (others == NOT_SAID) {
        a->devices_left = status == WL_OK && wl_advised_costly(a->result);
        others = a->devices_left ? 0 : OTHER_DEVICES;
    }
    if (status == WL_OK && others > 0)
        status = wl_advise_devices(a->job.kernel, a->job.device, launch, &a->options, a->devices, (size_t)others + 1,
                                   &a->device_count, &a->device_model, err);
    return status;
}

static wl_status print(const options *o, const advised *a, wl_error *err)
{
    const wl_advise_report report = {
        .kernel = a->job.kernel,
        .device = a->job.device,
        .result = a->result,
        .devices = a->devices,
        .device_count = a->device_count,
        .device_model = a->device_model,
        .devices_left = a->devices_left,
    };
    char *text = NULL;
    const wl_status status = wl_advise_render(&report, option_format(o), &text, err);
    if (status == WL_OK)
        output_print(text, option_format(o), stdout);
    free(text);
    return status;
}

static int run(const options *o, advised *a)
{
    wl_error err = {0};
    int64_t others = 0;
    const int code = job_read_launches(o, &a->job);
    if (code != EXIT_OK)
        return code;
    if (!read_devices(o, &others))
        return EXIT_INPUT;
    if (advise(o, others, a, &err) != WL_OK || print(o, a, &err) != WL_OK)
        return diag_report(&err);
    return EXIT_OK;
}

int cmd_advise(const options *o)
{
    if (!job_launch_usage(o))
        return EXIT_USAGE;
    advised *a = calloc(1, sizeof *a);
    if (!a)
        return diag_report(&(wl_error){.code = WL_E_NOMEM, .message = "out of memory"});
    const int code = run(o, a);
    wl_advised_free(a->result);
    job_free(&a->job);
    free(a);
    return code;
}

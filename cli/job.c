/* job.c - see job.h. SPDX-License-Identifier: MIT */
#include "job.h"

#include <string.h>

#include "diag.h"
#include "load.h"

void job_drop_device(job *j)
{
    wl_predictor_free(j->predictor);
    wl_device_free(j->device);
    j->predictor = NULL;
    j->device = NULL;
}

void job_free(job *j)
{
    job_drop_device(j);
    wl_kernel_free(j->kernel);
    load_forget();
}

bool job_kernel_usage(const options *o, bool named)
{
    if (!o->update && !named)
        usage_error("which kernel? Give a file, a built-in name, or --update");
    else if (o->update && named)
        usage_error("give a kernel or --update, not both");
    else if (o->update && !o->domain)
        usage_error("--update needs --domain, as in --domain 4096x4096");
    else if (!o->update && (o->domain || o->type))
        usage_error("--domain and --type go with --update; a kernel file's sizes are changed with --set");
    else if (o->update && o->set_count)
        usage_error("--set goes with a kernel file; an --update has no params");
    else
        return true;
    return false;
}

int job_read_launches(const options *o, job *j)
{
    wl_launch *common = &j->common;
    if ((o->fold && !option_shape("--fold", o->fold, common->fold)) ||
        (o->grid && !option_shape("--grid", o->grid, common->grid)) ||
        (o->registers && !option_integer("--registers", o->registers, 1, 1024, &common->registers)) ||
        (o->shared && !option_integer("--shared", o->shared, 0, (int64_t)1 << 30, &common->shared_bytes)))
        return EXIT_INPUT;
    for (size_t i = 0; i < o->block_count; i++) {
        j->launches[i] = *common;
        if (!option_shape("--block", o->block[i], j->launches[i].block))
            return EXIT_INPUT;
    }
    j->launch_count = o->block_count;
    if (o->schedule && strcmp(o->schedule, "linear") != 0) {
        option_error("--schedule", o->schedule, 1, "the only schedule so far is linear");
        return EXIT_UNSUPPORTED;
    }
    j->options.per_access = o->per_access;
    return option_predict(o, &j->options);
}

static wl_status load_kernel_of(const options *o, const char *kernel, job *j, wl_error *err)
{
    const wl_kernel_options sets = {o->set, o->set_count};
    if (kernel)
        return load_kernel(kernel, &sets, &j->kernel, err);
    return load_update(o->update, o->domain, o->type, &j->kernel, err);
}

wl_status job_load(const options *o, const char *kernel, const char *device, job *j, wl_error *err)
{
    wl_status status = WL_OK;
    if (!j->device)
        status = load_device(device, o->with, o->with_count, &j->device, err);
    if (status == WL_OK && !j->kernel)
        status = load_kernel_of(o, kernel, j, err);
    if (status == WL_OK && !j->predictor)
        status = wl_predictor_new(j->kernel, j->device, &j->predictor, err);
    return status;
}

void job_show_option(const options *o, const char *block, wl_error *err)
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

/* job.c - see job.h. SPDX-License-Identifier: MIT */
#include "job.h"

#include <stdio.h>
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
    ptx_unit_free(j->unit);
    wl_grid_rule_free(j->grid);
    load_forget();
}

bool job_kernel_usage(const options *o, bool named)
{
    const char *kernel = named && !o->update ? o->arguments[0] : NULL;
    const bool ptx = kernel && ptx_is_source(kernel);
    if (!o->update && !named)
        usage_error("which kernel? Give a file, a built-in name, or --update");
    else if (o->update && named)
        usage_error("give a kernel or --update, not both");
    else if (o->update && !o->domain)
        usage_error("--update needs --domain, as in --domain 4096x4096");
    else if (!ptx_usage(o, kernel))
        return false;
    else if (!o->update && !ptx && o->type)
        usage_error("--type needs --update; a kernel file states the types of its fields");
    else if (o->update && o->set_count)
        usage_error("--set needs a kernel file; an --update has no params");
    else
        return true;
    return false;
}

bool job_launch_usage(const options *o)
{
    if (!o->update && o->argument_count > 1)
        usage_error("one kernel at a time, please");
    else if (!job_kernel_usage(o, o->argument_count > 0))
        return false;
    else if (!o->device)
        usage_no_device();
    else if (o->block_count != 1)
        usage_error(o->block_count ? "one launch at a time, please"
                                   : "which launch? Give --block, as in --block 32x4x2");
    else
        return true;
    return false;
}

/* Makes an error in the rule show the rule. */
static void show_grid(const options *o, wl_error *err)
{
    if (err->input[0])
        return;
    (void)snprintf(err->input, sizeof err->input, "--grid");
    diag_remember("--grid", o->grid);
}

/* "20x128x256"; a rule may use params of the kernel, which is not loaded yet. */
static int read_grid(const options *o, job *j)
{
    if (!o->grid || grid_is_rule(o->grid))
        return EXIT_OK;
    return option_shape("--grid", o->grid, j->common.grid) ? EXIT_OK : EXIT_INPUT;
}

/* A kernel in PTX has no params, and needs a grid before it is loaded. */
static wl_status read_rule(const options *o, job *j, wl_error *err)
{
    if (!o->grid || !grid_is_rule(o->grid) || j->grid)
        return WL_OK;
    const wl_status status = wl_grid_rule_parse(j->kernel, o->grid, o->set, o->set_count, &j->grid, err);
    if (status == WL_OK)
        return WL_OK;
    for (size_t i = 0; i < o->set_count; i++)
        diag_remember(o->set[i], o->set[i]); /* an error inside one names it */
    if (!j->kernel && !err->input[0])
        diag_say_set(err);
    show_grid(o, err);
    return status;
}

/* One launch: from its --block, and from the options for all launches. */
static int read_launch(const options *o, size_t i, job *j)
{
    launch_text text = {.launch = j->common};
    const int code = launch_text_read("--block", o->block[i], &text);
    j->launches[i] = text.launch;
    j->rules[i] = text.rule;
    if (code != EXIT_OK || !text.device)
        return code;
    usage_error("device= is only for the launches of diff; give --device %s", text.device);
    return EXIT_USAGE;
}

int job_read_launches(const options *o, job *j)
{
    wl_launch *common = &j->common;
    int code = ptx_request_read(o, &j->request);
    if (code == EXIT_OK)
        code = read_grid(o, j);
    if (code == EXIT_OK && o->schedule)
        code = option_launch_schedule("--schedule", o->schedule, &common->schedule);
    if (code != EXIT_OK)
        return code;
    if ((o->fold && !option_shape("--fold", o->fold, common->fold)) ||
        (o->domain && !o->update && !option_shape("--domain", o->domain, j->request.domain)) ||
        (o->registers && !option_integer("--registers", o->registers, 1, 1024, &common->registers)) ||
        (o->shared && !option_bytes("--shared", o->shared, 0, (int64_t)1 << 30, &common->shared_bytes)))
        return EXIT_INPUT;
    for (size_t i = 0; i < o->block_count && code == EXIT_OK; i++)
        code = read_launch(o, i, j);
    if (code != EXIT_OK)
        return code;
    j->launch_count = o->block_count;
    j->request.launch = o->block_count ? j->launches[0] : *common;
    j->read_at = j->rules[0];
    j->options.per_access = o->per_access;
    j->options.confidence = o->confidence;
    j->options.per_line = o->per_line;
    return option_predict(o, &j->options);
}

wl_status job_set_grid(const options *o, const job *j, const launch_rule *own, wl_launch *launch, wl_error *err)
{
    int64_t domain[3];
    memcpy(domain, j->request.domain, sizeof domain);
    if (!own->length && (!j->grid || launch->grid[0]))
        return WL_OK;
    if (domain[0] == 0 && j->kernel) /* extents beyond the domain's are 1 */
        for (int d = 0, dims = wl_kernel_domain(j->kernel, domain); dims > 0 && d < 3; d++)
            domain[d] = d < dims ? domain[d] : 1;
    if (own->length)
        return launch_rule_apply(own, o, j->kernel, j->device, domain, launch, err);
    const wl_status status = wl_grid_rule_apply(j->grid, j->device, domain, launch, err);
    if (status != WL_OK)
        show_grid(o, err);
    return status;
}

static wl_status load_ptx(const options *o, const char *path, job *j, wl_error *err)
{
    wl_status status = read_rule(o, j, err);
    if (status == WL_OK)
        status = job_set_grid(o, j, &j->read_at, &j->request.launch, err);
    if (status == WL_OK && !j->unit)
        status = ptx_unit_open(o, path, j->device, &j->unit, err);
    return status == WL_OK ? ptx_unit_kernel(j->unit, &j->request, &j->kernel, err) : status;
}

wl_status job_load_kernel(const options *o, const char *kernel, job *j, wl_error *err)
{
    const wl_kernel_options sets = {o->set, o->set_count};
    wl_status status = WL_OK;
    if (kernel && ptx_is_source(kernel))
        return load_ptx(o, kernel, j, err);
    if (kernel)
        status = load_kernel_with_domain(kernel, &sets, o->domain, &j->kernel, err);
    else
        status = load_update(o->update, o->domain, o->type, &j->kernel, err);
    return status == WL_OK ? read_rule(o, j, err) : status;
}

/* Also for foldings in --block. */
static wl_status check_folds(const char *kernel, const job *j, wl_error *err)
{
    bool folds = false;
    for (size_t i = 0; i < j->launch_count; i++)
        folds = folds || j->launches[i].fold[0] > 0;
    if (!folds || !kernel || !ptx_is_source(kernel))
        return WL_OK;
    *err =
        (wl_error){.code = WL_E_INPUT,
                   .input = "--block",
                   .message = "fold= is only for kernel files; the code of a PTX kernel fixes what a thread computes"};
    return WL_E_INPUT;
}

wl_status job_load(const options *o, const char *kernel, const char *device, job *j, wl_error *err)
{
    wl_status status = check_folds(kernel, j, err);
    if (status == WL_OK && !j->device)
        status = load_device(device, o->with, o->with_count, &j->device, err);
    if (status == WL_OK && !j->kernel)
        status = job_load_kernel(o, kernel, j, err);
    for (size_t i = 0; i < j->launch_count && status == WL_OK; i++)
        status = job_set_grid(o, j, &j->rules[i], &j->launches[i], err);
    if (status == WL_OK && !j->predictor)
        status = wl_predictor_new(j->kernel, j->device, &j->predictor, err);
    return status;
}

/* Does the block itself have this setting, as in "32x8:grid=20x4"? */
static bool says(const char *block, const char *option)
{
    char key[32];
    (void)snprintf(key, sizeof key, ":%s=", option + strlen("--"));
    return strstr(block, key);
}

void job_show_option(const options *o, const char *block, wl_error *err)
{
    if (err->loc.line > 0 || strncmp(err->input, "--", 2) != 0 || strcmp(err->input, "--incomplete") == 0)
        return;
    const char *text = says(block, err->input)                 ? NULL
                       : strcmp(err->input, "--block") == 0    ? block
                       : strcmp(err->input, "--fold") == 0     ? o->fold
                       : strcmp(err->input, "--grid") == 0     ? o->grid
                       : strcmp(err->input, "--schedule") == 0 ? o->schedule
                                                               : NULL;
    if (!text && !strchr(block, ':'))
        return;
    if (!text) { /* it comes from the block */
        text = block;
        (void)snprintf(err->input, sizeof err->input, "--block");
    }
    err->loc = (wl_loc){1, 1, (int32_t)strlen(text)};
    diag_remember(err->input, text);
}

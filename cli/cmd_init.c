/* cmd_init.c - warpline init: the command line for a kernel in a CUDA or PTX file.
 *
 * Guesses it from the source, then tries it, where there is a compiler: a buffer that turns out too
 * small becomes larger. SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diag.h"
#include "first_words.h"
#include "job.h"
#include "load.h"
#include "output.h"
#include "progress.h"
#include "this_gpu.h"

#define DEVICE_DEFAULT "h200"
#define EFFORT_OF_TRIAL "0.1"

static bool check_usage(const options *o)
{
    if (o->argument_count != 1)
        usage_error("which file? Give one, as in warpline init kernel.cu");
    else if (!ptx_is_source(o->arguments[0]))
        usage_error("'%s' is neither a .cu nor a .ptx file; kernel files and built-in kernels need no arguments, as in "
                    "warpline predict %s --device h200 --block 32x8",
                    o->arguments[0], o->arguments[0]);
    else
        return ptx_usage(o, o->arguments[0]);
    return false;
}

/* The state. */
typedef struct init_job {
    const options *options;
    const char *device_name;
    wl_device *device;
    const char *source; /* of a .cu file; NULL: none */
    size_t length;
    ptx_unit *unit; /* NULL: it cannot be compiled here */
    char untried[WL_MESSAGE_MAX];
    held_output out;
    size_t shown;
} init_job;

/* Would the command that is printed run? */
static wl_status try_launch(const init_job *i, const char *entry, const wl_first_launch *launch, wl_error *err)
{
    options o = *i->options;
    job j = {.unit = i->unit, .device = i->device};
    o.entry = entry;
    o.effort = EFFORT_OF_TRIAL;
    o.block[0] = launch->block;
    o.block_count = 1;
    o.grid = launch->grid;
    o.dynamic_shared = launch->shared;
    for (; o.set_count < MANY_MAX && launch->sets[o.set_count]; o.set_count++)
        o.set[o.set_count] = launch->sets[o.set_count];
    for (; o.arg_count < MANY_MAX && launch->args[o.arg_count]; o.arg_count++)
        o.args[o.arg_count] = launch->args[o.arg_count];
    if (options_name_arguments(&o) != EXIT_OK || job_read_launches(&o, &j) != EXIT_OK) {
        *err = (wl_error){.code = WL_E_INPUT, .message = "it is malformed"};
        return WL_E_INPUT;
    }
    wl_prediction *p = NULL;
    wl_status status = job_load(&o, o.arguments[0], i->device_name, &j, err);
    if (status == WL_OK)
        status = wl_prediction_new(&p, err);
    progress_wait();
    if (status == WL_OK)
        status = wl_predict(j.predictor, &j.launches[0], &j.options, p, err);
    progress_wait_end();
    wl_prediction_free(p);
    wl_predictor_free(j.predictor); /* device and unit are ours */
    wl_kernel_free(j.kernel);
    wl_grid_rule_free(j.grid);
    return status;
}

static wl_status show(init_job *i, const char *entry, const wl_first_launch *launch, const char *trial, wl_error *err)
{
    const bool file = option_format_is(i->options, "args");
    char *words = file ? first_words_file(i->options, i->device_name, entry, launch)
                       : first_words_command(i->options, i->device_name, entry, launch);
    char line[2 * WL_MESSAGE_MAX];
    wl_status status = words ? WL_OK : diag_no_memory(err);
    (void)snprintf(line, sizeof line, "%s# %.400s\n", i->shown++ ? "\n" : "", launch->declaration);
    status = status ? status : held_add(&i->out, line, strlen(line), err);
    for (size_t n = 0; status == WL_OK && launch->notes[n]; n++) {
        (void)snprintf(line, sizeof line, "# %s\n", launch->notes[n]);
        status = held_add(&i->out, line, strlen(line), err);
    }
    (void)snprintf(line, sizeof line, "# %s\n", trial);
    status = status ? status : held_add(&i->out, line, strlen(line), err);
    status = status ? status : held_add(&i->out, words, strlen(words), err);
    status = status ? status : held_add(&i->out, "\n", 1, err);
    free(words);
    return status;
}

/* ---- entries of PTX ---- */

/* As in the source, unless several have that name. */
static const char *entry_name(const ptx_unit *unit, size_t module, size_t entry)
{
    const wl_ptx *ptx = ptx_unit_modules(unit)->ptx[module];
    wl_error ignored = {0};
    size_t in_module = 0, found = 0;
    const char *name = wl_ptx_entry_name(ptx, entry);
    const bool unique = ptx_unit_find(unit, name, false, &in_module, &found, &ignored) == WL_OK;
    return unique && in_module == module && found == entry ? name : wl_ptx_entry_symbol(ptx, entry);
}

/* What to change after a trial; -1: nothing would help. */
static int revise(int revised, wl_status tried)
{
    static const int sizes[] = {0,
                                WL_FIRST_LAUNCH_LARGER,
                                WL_FIRST_LAUNCH_PADDED,
                                WL_FIRST_LAUNCH_LARGER | WL_FIRST_LAUNCH_PADDED,
                                WL_FIRST_LAUNCH_BLOCK,
                                WL_FIRST_LAUNCH_BLOCK | WL_FIRST_LAUNCH_LARGER};
    const int shorter = revised & WL_FIRST_LAUNCH_SHORTER;
    if (tried == WL_E_LIMIT && !shorter)
        return revised | WL_FIRST_LAUNCH_SHORTER;
    for (size_t n = 0; tried == WL_E_BOUNDS && n + 1 < sizeof sizes / sizeof sizes[0]; n++)
        if ((sizes[n] | shorter) == revised)
            return sizes[n + 1] | shorter;
    return -1;
}

static wl_status one_entry(init_job *i, size_t module, size_t entry, bool only, wl_error *err)
{
    const wl_ptx *ptx = ptx_unit_modules(i->unit)->ptx[module];
    const char *name = only ? NULL : entry_name(i->unit, module, entry);
    wl_first_launch *launch = NULL, *first = NULL;
    wl_error why = {0}, first_why = {0};
    wl_status tried = WL_E_BOUNDS, status = WL_OK;
    for (int revised = 0; revised >= 0; revised = revise(revised, tried)) {
        if (launch != first)
            wl_first_launch_free(launch);
        launch = NULL;
        status = wl_first_launch_of_ptx(ptx, entry, i->source, i->length, revised, &launch, err);
        if (status != WL_OK)
            break;
        first = first ? first : launch;
        why = (wl_error){0};
        tried = try_launch(i, name, launch, &why);
        first_why = revised == 0 ? why : first_why;
    }
    char trial[WL_MESSAGE_MAX + 64] = "tried: it runs";
    if (tried != WL_OK)
        (void)snprintf(trial, sizeof trial, "tried: it needs an edit: %s", first_why.message);
    if (status == WL_OK && tried == WL_E_NOMEM)
        status = diag_no_memory(err);
    if (status == WL_OK)
        status = show(i, name, tried == WL_OK ? launch : first, trial, err);
    if (launch != first)
        wl_first_launch_free(launch);
    wl_first_launch_free(first);
    return status;
}

static wl_status entries_of_ptx(init_job *i, wl_error *err)
{
    const ptx_modules *modules = ptx_unit_modules(i->unit);
    wl_status status = WL_OK;
    size_t count = 0, module = 0, wanted = 0;
    for (size_t m = 0; m < modules->count; m++)
        count += wl_ptx_entry_count(modules->ptx[m]);
    if (i->options->entry) {
        status = ptx_unit_find(i->unit, i->options->entry, false, &module, &wanted, err);
        return status == WL_OK ? one_entry(i, module, wanted, count == 1, err) : status;
    }
    for (size_t m = 0; m < modules->count; m++)
        for (size_t e = 0; e < wl_ptx_entry_count(modules->ptx[m]) && status == WL_OK; e++) {
            module = m; /* or an earlier one that has the kernel, too */
            if (m > 0)
                status = ptx_unit_find(i->unit, wl_ptx_entry_symbol(modules->ptx[m], e), false, &module, &wanted, err);
            if (status == WL_OK && module == m)
                status = one_entry(i, m, e, count == 1, err);
        }
    if (status == WL_OK && count == 0) {
        *err = (wl_error){.code = WL_E_INPUT, .message = "there is no kernel in this file; templates need an instance"};
        (void)snprintf(err->input, sizeof err->input, "%s", i->options->arguments[0]);
        status = WL_E_INPUT;
    }
    return status;
}

/* ---- kernels of a source that cannot be compiled here ---- */

static wl_status no_such_kernel(const init_job *i, const char *const *names, size_t count, wl_error *err)
{
    const char *wanted = i->options->entry;
    *err = (wl_error){.code = WL_E_INPUT};
    (void)snprintf(err->input, sizeof err->input, "%s", i->options->arguments[0]);
    if (wanted)
        (void)snprintf(err->message, sizeof err->message, "no kernel is called '%.60s'%s", wanted,
                       did_you_mean(wanted, names, count));
    else
        (void)snprintf(err->message, sizeof err->message, "no kernel (__global__) is declared here directly");
    return WL_E_INPUT;
}

static wl_status kernels_of_source(init_job *i, wl_error *err)
{
    wl_first_launch *launches[MANY_MAX] = {NULL};
    const char *names[MANY_MAX];
    size_t count = 0;
    wl_status status = WL_OK;
    for (; count < MANY_MAX && status == WL_OK; count++) {
        status = wl_first_launch_of_cuda(i->source, i->length, count, 0, &launches[count], err);
        if (!launches[count])
            break;
        names[count] = launches[count]->kernel;
    }
    for (size_t k = 0; k < count && status == WL_OK; k++)
        if (!i->options->entry || strcmp(i->options->entry, names[k]) == 0)
            status = show(i, count == 1 ? NULL : names[k], launches[k], i->untried, err);
    if (status == WL_OK && i->shown == 0)
        status = no_such_kernel(i, names, count, err);
    for (size_t k = 0; k < count; k++)
        wl_first_launch_free(launches[k]);
    return status;
}

/* ---- the file ---- */

/* Without a compiler the source still says most of it. */
static wl_status open_unit(init_job *i, wl_error *err)
{
    const char *path = i->options->arguments[0];
    options o = *i->options;
    o.no_ptxas = true; /* resources do not matter here */
    const wl_status status = ptx_unit_open(&o, path, i->device, &i->unit, err);
    if (status != WL_E_UNSUPPORTED || !ptx_is_cuda(path))
        return status;
    ptx_unit_free(i->unit);
    i->unit = NULL;
    *err = (wl_error){0};
    (void)snprintf(i->untried, sizeof i->untried,
                   "not tried: there is no nvcc or clang here (--compiler PATH names one)");
    return WL_OK;
}

static wl_status load(init_job *i, wl_error *err)
{
    const options *o = i->options;
    wl_status status = WL_OK;
    wl_error none = {0};
    i->device_name = o->device;
    if (!i->device_name && this_gpu(&i->device_name, &none) != WL_OK)
        i->device_name = DEVICE_DEFAULT;
    if (strcmp(i->device_name, "auto") == 0)
        status = this_gpu(&i->device_name, err);
    if (status == WL_OK)
        status = load_device(i->device_name, o->with, o->with_count, &i->device, err);
    if (status == WL_OK && ptx_is_cuda(o->arguments[0]))
        status = load_kept_text(o->arguments[0], &i->source, &i->length, err);
    return status == WL_OK ? open_unit(i, err) : status;
}

int cmd_init(const options *o)
{
    wl_error err = {0};
    init_job i = {.options = o, .out = {.file = stdout}};
    if (!check_usage(o))
        return EXIT_USAGE;
    wl_status status = load(&i, &err);
    if (status == WL_OK)
        status = i.unit ? entries_of_ptx(&i, &err) : kernels_of_source(&i, &err);
    held_end(&i.out, status == WL_OK);
    const int code = status == WL_OK ? EXIT_OK : diag_report(&err);
    ptx_unit_free(i.unit);
    wl_device_free(i.device);
    load_forget();
    return code;
}

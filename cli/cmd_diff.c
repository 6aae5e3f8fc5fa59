/* cmd_diff.c - warpline diff: two stored predictions, or two launches of a kernel, side by side.
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diag.h"
#include "job.h"
#include "launch_text.h"
#include "output.h"
#include "stored.h"

/* One side: a launch, or the object of a file. */
typedef struct side {
    const char *spec;   /* the argument */
    launch_text text;   /* the same, parsed as a launch */
    const char *device; /* to load */
    stored_file file;
    char *kernel_name, *device_name;
    wl_prediction *own;              /* of a launch */
    const wl_prediction *prediction; /* that, or the stored one */
} side;

typedef enum source { FILES, LAUNCHES } source;

/* "32x4x2:regs=40"; such a name is never a file. */
static bool is_launch(const char *text)
{
    const size_t length = strspn(text, "0123456789x");
    return length > 0 && text[0] != 'x' && (text[length] == '\0' || text[length] == ':');
}

/* There are two arguments, at least one of them a launch. */
static void missing_argument(const options *o)
{
    const char *first = o->arguments[0], *second = o->arguments[1];
    if (is_launch(first) && is_launch(second))
        usage_error("which kernel? Give it before the launches: warpline diff KERNEL %s %s", first, second);
    else if (is_launch(second))
        usage_error("diff compares two launches: give another one after '%s', or with '%s' a second stored prediction",
                    second, first);
    else
        usage_error("the kernel comes first: warpline diff %s %s LAUNCH", second, first);
}

static bool check_usage(const options *o, source *from)
{
    const size_t n = o->argument_count;
    *from = o->update || n == 3 ? LAUNCHES : FILES;
    const bool stored_only = !o->device && !o->fold && !o->grid && !o->schedule && !o->registers && !o->shared &&
                             !o->model && !o->samples && o->set_count == 0 && o->with_count == 0;
    if (o->update ? n != 2 : n != 2 && n != 3)
        usage_error(
            "diff takes two files, or a kernel and two launches: warpline diff KERNEL --device D 32x4x2 64x4x4");
    else if (*from == FILES && (o->domain || o->type))
        usage_error("--domain and --type need --update");
    else if (*from == LAUNCHES ? !job_kernel_usage(o, n == 3) : !ptx_usage(o, NULL))
        return false;
    else if (*from == FILES && (is_launch(o->arguments[0]) || is_launch(o->arguments[1])))
        missing_argument(o);
    else if (*from == FILES && !stored_only)
        usage_error("'%s' and '%s' are taken for stored predictions, which have no options of launches; for launches, "
                    "give a kernel and two of them",
                    o->arguments[0], o->arguments[1]);
    else if (*from == FILES && strcmp(o->arguments[0], "-") == 0 && strcmp(o->arguments[1], "-") == 0)
        usage_error("standard input can be read only once");
    else
        return true;
    return false;
}

/* ---- launches ---- */

/* The launch cannot run: the message shows it, whichever part is wrong. */
static void show_launch(const side *s, wl_error *err)
{
    if (err->loc.line > 0 || strncmp(err->input, "--", 2) != 0 || strcmp(err->input, "--incomplete") == 0)
        return;
    (void)snprintf(err->input, sizeof err->input, "launch");
    err->loc = (wl_loc){1, 1, (int32_t)strlen(s->spec)};
    diag_remember("launch", s->spec);
}

static wl_status no_time(const side *s, wl_error *err)
{
    *err = (wl_error){.code = WL_E_UNSUPPORTED};
    (void)snprintf(err->message, sizeof err->message, "%.64s: the device file has no bound for this kernel, so no time",
                   s->spec);
    return err->code;
}

/* Kernel and device do not live as long as the side. */
static wl_status name_side(const char *kernel, const char *device, side *s, wl_error *err)
{
    s->kernel_name = strdup(kernel);
    s->device_name = strdup(device);
    if (s->kernel_name && s->device_name)
        return WL_OK;
    return diag_no_memory(err);
}

/* The kernel is loaded once; a side with another device replaces the device of the first side. */
static int predict_side(const options *o, job *j, side *s)
{
    wl_error err = {0};
    wl_launch *launch = &s->text.launch;
    *launch = j->common;
    const int code = launch_text_read("launch", s->spec, &s->text);
    if (code != EXIT_OK)
        return code;
    s->device = s->text.device ? s->text.device : o->device;
    if (!s->device) {
        usage_error("which device? Give --device NAME, or one with each launch, as in 32x4x2:device=h200");
        return EXIT_USAGE;
    }
    job_drop_device(j);
    j->request.launch = *launch;
    j->read_at = s->text.rule;
    wl_status status = job_load(o, o->update ? NULL : o->arguments[0], s->device, j, &err);
    if (status == WL_OK)
        status = name_side(wl_kernel_name(j->kernel), wl_device_name(j->device), s, &err);
    if (status == WL_OK)
        status = job_set_grid(o, j, &s->text.rule, launch, &err);
    if (status == WL_OK)
        status = wl_prediction_new(&s->own, &err);
    if (status == WL_OK) {
        s->prediction = s->own;
        j->options.complete = option_complete(o);
        status = wl_predict(j->predictor, launch, &j->options, s->own, &err);
        if (status != WL_OK)
            show_launch(s, &err);
        else if (!(wl_prediction_time(s->own) > 0))
            status = no_time(s, &err);
    }
    return status == WL_OK ? EXIT_OK : diag_report(&err);
}

static int predict_sides(const options *o, side *sides)
{
    job j = {0};
    int code = job_read_launches(o, &j);
    for (int i = 0; i < 2 && code == EXIT_OK; i++)
        code = predict_side(o, &j, &sides[i]);
    job_free(&j);
    return code;
}

/* ---- files ---- */

static int read_side(const options *o, side *s)
{
    wl_error err = {0};
    wl_status status = stored_load(s->spec, &s->file, &err);
    if (status == WL_OK && wl_stored_count(s->file.list) != 1)
        status =
            stored_fail(&s->file, wl_stored_at(s->file.list, 1), &err,
                        "the file holds %zu predictions, diff takes one from each file", wl_stored_count(s->file.list));
    if (status == WL_OK)
        status = stored_check_complete(o, &s->file, wl_stored_at(s->file.list, 0), &err);
    if (status != WL_OK)
        return diag_report(&err);
    const wl_stored *only = wl_stored_at(s->file.list, 0);
    s->prediction = only->prediction;
    status = name_side(only->kernel, only->device, s, &err);
    return status == WL_OK ? EXIT_OK : diag_report(&err);
}

static int read_sides(const options *o, side *sides)
{
    const int code = read_side(o, &sides[0]);
    return code == EXIT_OK ? read_side(o, &sides[1]) : code;
}

static wl_diff_side named(const side *s) { return (wl_diff_side){s->prediction, s->kernel_name, s->device_name}; }

static int report(const options *o, const side *sides)
{
    wl_error err = {0};
    char *text = NULL;
    wl_diff *diff = NULL;
    wl_status status = wl_diff_new(named(&sides[0]), named(&sides[1]), &diff, &err);
    if (status == WL_OK)
        status = wl_diff_render(diff, option_format(o), &text, &err);
    if (status == WL_OK)
        output_print(text, option_format(o), stdout);
    free(text);
    wl_diff_free(diff);
    if (status == WL_E_NOMEM)
        (void)diag_no_memory(&err);
    return status == WL_OK ? EXIT_OK : diag_report(&err);
}

int cmd_diff(const options *o)
{
    source from = FILES;
    if (!check_usage(o, &from))
        return EXIT_USAGE;
    side *sides = calloc(2, sizeof *sides);
    if (!sides)
        return diag_report(&(wl_error){.code = WL_E_NOMEM, .message = "out of memory"});
    for (size_t i = 0; i < 2; i++)
        sides[i].spec = o->arguments[o->argument_count - 2 + i];
    int code = from == FILES ? read_sides(o, sides) : predict_sides(o, sides);
    if (code == EXIT_OK)
        code = report(o, sides);
    for (int i = 0; i < 2; i++) {
        stored_free(&sides[i].file);
        wl_prediction_free(sides[i].own);
        free(sides[i].kernel_name);
        free(sides[i].device_name);
    }
    free(sides);
    return code;
}

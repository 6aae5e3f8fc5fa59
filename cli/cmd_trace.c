/* cmd_trace.c - warpline trace: which lines of memory tasks use, and how a cache serves them.
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "diag.h"
#include "job.h"
#include "load.h"
#include "look.h"
#include "options.h"
#include "output.h"
#include "plot.h"
#include "progress.h"
#include "wrap.h"

#define WIDTH_DEFAULT 100 /* in a file or a pipe */
#define WARP 32           /* threads of a task if no device is given */
#define EXAMPLE_LINE 16

static bool check_usage(const options *o)
{
    if (o->example && (o->argument_count > 0 || o->update))
        usage_error("give a kernel or --example, not both");
    else if (o->example && (o->block_count || o->device))
        usage_error("an example has neither --block nor --device: its cache is that of --lines");
    else if (!o->example && o->argument_count > 1)
        usage_error("one kernel at a time, please");
    else if (!o->example && !job_kernel_usage(o, o->argument_count > 0))
        return false;
    else if (!o->device && !o->lines)
        usage_error("which cache? Give --lines N, or --device NAME for its L1 ('warpline devices' lists them)");
    else if (!o->device && !o->example && !o->line)
        usage_error("how long is a line? Give --line BYTES");
    else if (o->block_count > 0 && !o->device)
        usage_error("--block needs --device NAME, whose limits a launch keeps");
    else if (o->block_count > 1)
        usage_error("one launch at a time, please");
    else
        return true;
    return false;
}

/* "FIRST:COUNT" */
static bool read_window(const char *text, wl_trace_options *t)
{
    long long first = -1, count = -1;
    int end = 0;
    if (sscanf(text, "%lld:%lld%n", &first, &count, &end) == 2 && text[end] == '\0' && first >= 0 && count > 0) {
        t->first = first;
        t->count = count;
        return true;
    }
    option_error("--window", text, 1, "the first task and how many are needed, as in 0:512");
    return false;
}

static void read_by(const options *o, const wl_device *device, wl_trace_options *t)
{
    double warp = WARP;
    t->by = 1;
    if (!o->by || strcmp(o->by, "thread") == 0)
        return;
    if (device)
        (void)wl_device_get(device, WL_DEVICE_warp_size, &warp);
    t->by = (int64_t)warp;
}

static int read_schedule(const options *o, wl_trace_options *t)
{
    wl_error err = {0};
    if (!o->schedule || wl_schedule_parse(o->schedule, &t->schedule, &err) == WL_OK)
        return EXIT_OK;
    option_error("--schedule", o->schedule, 1, "%s", err.message);
    return EXIT_INPUT;
}

/* The exit code. */
static int read_options(const options *o, const wl_device *device, wl_trace_options *t)
{
    int64_t seed = 0;
    t->line_bytes = o->example ? EXAMPLE_LINE : 0;
    t->policy = o->policy;
    if ((o->lines && !option_integer("--lines", o->lines, 1, (int64_t)1 << 28, &t->lines)) ||
        (o->line && !option_bytes("--line", o->line, 1, 65536, &t->line_bytes)) ||
        (o->ways && !option_integer("--ways", o->ways, 1, (int64_t)1 << 28, &t->ways)) ||
        (o->seed && !option_integer("--seed", o->seed, 0, INT64_MAX, &seed)) ||
        (o->window && !read_window(o->window, t)))
        return EXIT_INPUT;
    read_by(o, device, t);
    t->seed = (uint64_t)seed;
    return read_schedule(o, t);
}

static wl_status trace_job(const options *o, job *j, const wl_trace_options *t, wl_trace **out, wl_error *err)
{
    progress_wait();
    const wl_status status =
        wl_trace_kernel(j->kernel, j->device, o->block_count ? &j->launches[0] : NULL, t, out, err);
    progress_wait_end();
    if (status != WL_OK && o->block_count)
        job_show_option(o, o->block[0], err);
    return status;
}

/* The kernel, with its device if one is given, and a launch if a block is given. */
static wl_status load(const options *o, job *j, wl_error *err)
{
    const char *kernel = o->update ? NULL : o->arguments[0];
    if (o->device)
        return job_load(o, kernel, o->device, j, err);
    return job_load_kernel(o, kernel, j, err);
}

static int trace_kernel(const options *o, job *j, wl_trace **out)
{
    wl_error err = {0};
    wl_trace_options t = {0};
    options unordered = *o;
    unordered.schedule = NULL; /* the schedule is that of tasks, not of a predicted launch */
    int code = job_read_launches(&unordered, j);
    if (code != EXIT_OK)
        return code;
    if (load(o, j, &err) != WL_OK)
        return diag_report(&err);
    code = read_options(o, j->device, &t);
    if (code != EXIT_OK)
        return code;
    return trace_job(o, j, &t, out, &err) == WL_OK ? EXIT_OK : diag_report(&err);
}

static int trace_example(const options *o, wl_trace **out)
{
    int64_t domain[3] = {16, 16, 1};
    wl_error err = {0};
    wl_trace_options t = {0};
    if (o->domain && !option_shape("--domain", o->domain, domain))
        return EXIT_INPUT;
    const int code = read_options(o, NULL, &t);
    if (code != EXIT_OK)
        return code;
    return wl_trace_example(o->example, domain, &t, out, &err) == WL_OK ? EXIT_OK : diag_report(&err);
}

/* ---- results ---- */

static int write_png(const wl_trace *trace, const char *path)
{
    unsigned char *bytes = NULL;
    size_t length = 0;
    wl_error err = {0};
    output out;
    if (wl_trace_png(trace, &bytes, &length, &err) != WL_OK)
        return diag_report(&err);
    int code = output_open(path, &out);
    if (code == EXIT_OK) {
        const bool written = fwrite(bytes, 1, length, out.file) == length;
        code = output_close(&out, written);
    }
    free(bytes);
    return code;
}

/* The text is whole before the file is opened. */
static int write_text(const wl_trace *trace, wl_format format, const wl_trace_look *look, const char *path)
{
    char *text = NULL;
    wl_error err = {0};
    if (wl_trace_render(trace, format, look, &text, &err) != WL_OK)
        return diag_report(&err);
    const int code = output_write(path, text, format);
    free(text);
    return code;
}

static int write_result(const options *o, const wl_trace *trace)
{
    const bool to_stdout = !o->output || strcmp(o->output, "-") == 0, coloured = to_stdout && look_has_colour(stdout);
    const int columns = to_stdout ? wrap_terminal_columns() : 0;
    int64_t width = columns ? columns : WIDTH_DEFAULT;
    int code = EXIT_OK;
    if (o->width && !option_integer("--width", o->width, 20, 10000, &width))
        return EXIT_INPUT;
    const wl_trace_look look = {.ascii = o->ascii, .colour = coloured && !o->ascii, .width = (int)width};
    if (o->plot && has_suffix(o->plot, ".png"))
        code = write_png(trace, o->plot);
    else if (o->plot)
        code = write_text(trace, WL_FORMAT_SVG, &look, o->plot);
    return code == EXIT_OK ? write_text(trace, option_format(o), &look, o->output) : code;
}

int cmd_trace(const options *o)
{
    job j = {0};
    wl_trace *trace = NULL;
    if (!check_usage(o))
        return EXIT_USAGE;
    int code = o->example ? trace_example(o, &trace) : trace_kernel(o, &j, &trace);
    if (code == EXIT_OK)
        code = write_result(o, trace);
    wl_trace_free(trace);
    job_free(&j);
    return code;
}

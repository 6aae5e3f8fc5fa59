/* cmd_emit.c - warpline emit: a schedule as code. SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diag.h"
#include "load.h"
#include "options.h"
#include "ptx_unit.h"

static bool check_usage(const options *o)
{
    const bool is_ptx = o->argument_count > 0 && ptx_is_source(o->arguments[0]);
    if (!o->schedule)
        usage_error("which schedule? Give --schedule, as in --schedule column:32");
    else if (o->argument_count > 1)
        usage_error("one kernel at a time, please");
    else if (o->argument_count == 1 && o->domain)
        usage_error("give a kernel or --domain, not both");
    else if (o->argument_count == 0 && o->set_count)
        usage_error("--set needs a kernel file");
    else if (is_ptx)
        usage_error("the domain of a kernel in PTX follows from its launch: give --domain instead");
    else
        return true;
    return false;
}

static wl_status kernel_domain(const options *o, wl_code_options *out, wl_error *err)
{
    const wl_kernel_options sets = {o->set, o->set_count};
    wl_kernel *kernel = NULL;
    const wl_status status = load_kernel(o->arguments[0], &sets, &kernel, err);
    out->dims = status == WL_OK ? wl_kernel_domain(kernel, out->extent) : 0;
    wl_kernel_free(kernel);
    return status;
}

/* The domain and how many dimensions it has; the exit code. */
static int read_domain(const options *o, const wl_schedule *schedule, wl_code_options *out)
{
    wl_error err = {0};
    if (o->domain) {
        out->dims = 1;
        for (const char *p = o->domain; *p; p++)
            out->dims += *p == 'x';
        return option_shape("--domain", o->domain, out->extent) ? EXIT_OK : EXIT_INPUT;
    }
    if (o->argument_count == 0)
        return EXIT_OK;
    if (wl_schedule_orders_blocks(schedule)) {
        option_error("--schedule", o->schedule, 1, "this orders blocks: give their grid with --domain, not a kernel");
        return EXIT_UNSUPPORTED;
    }
    if (kernel_domain(o, out, &err) != WL_OK)
        return diag_report(&err);
    if (out->dims > 0)
        return EXIT_OK;
    usage_error("this kernel has no domain of its own: give --domain instead");
    return EXIT_UNSUPPORTED;
}

int cmd_emit(const options *o)
{
    wl_schedule schedule;
    wl_code_options code = {.precomputed = o->precomputed};
    wl_error err = {0};
    char *text = NULL;
    if (!check_usage(o))
        return EXIT_USAGE;
    static const char *const languages[WL_CODE_LANGUAGES] = {"cuda", "c", "opencl"};
    for (int i = 0; i < WL_CODE_LANGUAGES && o->language; i++)
        if (strcmp(o->language, languages[i]) == 0)
            code.language = (wl_code_language)i;
    if (!option_schedule("--schedule", o->schedule, &schedule))
        return EXIT_INPUT;
    int exit_code = read_domain(o, &schedule, &code);
    if (exit_code == EXIT_OK && wl_schedule_code(&schedule, &code, &text, &err) != WL_OK)
        exit_code = diag_report(&err);
    if (exit_code == EXIT_OK)
        fputs(text, stdout);
    free(text);
    load_forget();
    return exit_code;
}

/* cmd_compare.c - warpline compare: predictions beside measurements.
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare_ptx.h"
#include "diag.h"
#include "load.h"
#include "output.h"
#include "plot.h"
#include "recorded.h"

static bool check_usage(const options *o)
{
    const size_t first = o->map ? 0 : 1;
    size_t standard_input = o->map && strcmp(o->map, "-") == 0;
    for (size_t i = 0; i < o->argument_count; i++)
        standard_input += strcmp(o->arguments[i], "-") == 0;
    if (o->argument_count < first)
        usage_error("which kernel? Give a file or a built-in name, or --map FILE");
    else if (o->argument_count == first && !recorded_recording())
        usage_error("which measurements? Give a table: our CSV or that of ncu --csv");
    else if (option_every_model(o) && recorded_recording())
        usage_error("--model all compares rows of tables: for a recording, name a model");
    else if (o->volumes && recorded_recording())
        usage_error("--volumes is for rows of tables");
    else if (!o->device)
        usage_error("which device? Give --device NAME ('warpline devices' lists them)");
    else if (!o->map && !ptx_usage(o, o->arguments[0]))
        return false;
    else if (o->args_file && (o->map || !ptx_is_source(o->arguments[0])))
        usage_error("--args is only for kernels in .ptx or .cu files; a map has its own arguments");
    else if (o->args_file && o->arg_count)
        usage_error("give --args FILE or --arg, not both");
    else if (standard_input > 1)
        usage_error("standard input can be read only once");
    else if (o->rows && o->format && strcmp(o->format, "text") != 0)
        usage_error("--rows is only for text output; json and csv have every row");
    else
        return true;
    return false;
}

static int draw(const comparison *c)
{
    plot picture;
    wl_error err = {0};
    char *script = NULL, *data = NULL;
    int code = EXIT_OK;
    if (has_suffix(c->options->plot, ".svg")) {
        const wl_status status = wl_comparison_render(c->found, WL_FORMAT_SVG, false, &script, &err);
        return plot_own(c->options->plot, status, script, &err);
    }
    if (!plot_name(&picture, c->options->plot, &err) ||
        wl_comparison_plot(c->found, &picture.files, &script, &data, &err) != WL_OK) {
        code = plot_none(c->options->plot, &err);
    } else {
        code = plot_draw(&picture, script, data);
    }
    plot_free(&picture);
    free(script);
    free(data);
    return code;
}

static int report(const comparison *c)
{
    const wl_format format = option_format(c->options);
    wl_error err = {0};
    char *text = NULL;
    int code = EXIT_OK;
    if (wl_comparison_render(c->found, format, c->options->rows, &text, &err) != WL_OK)
        code = diag_report(&err);
    else if (c->options->plot)
        code = draw(c);
    if (code == EXIT_OK || code == EXIT_NO_PICTURE)
        output_print(text, format, stdout);
    free(text);
    return code;
}

static int run(comparison *c)
{
    const options *o = c->options;
    wl_error err = {0};
    c->every_model = option_every_model(o);
    c->model = option_model(o);
    if (o->min_time)
        (void)read_time(o->min_time, &c->min_time_s);
    c->complete = option_complete(o);
    const int fidelity = option_fidelity(o, &c->simulate);
    if (fidelity != EXIT_OK)
        return fidelity;
    if ((o->fold && !option_shape("--fold", o->fold, c->fold)) ||
        (o->registers && !option_integer("--registers", o->registers, 1, 1024, &c->registers)))
        return EXIT_INPUT;
    const int code = comparison_load(c);
    if (code != EXIT_OK)
        return code;
    const wl_status status = wl_comparison_group(c->found, o->group ? o->group : "variant", &err);
    const int skipped = comparison_print_skips(c);
    if (status != WL_OK)
        return diag_report(&err);
    return skipped == EXIT_OK ? report(c) : skipped;
}

int cmd_compare(const options *o)
{
    comparison c = {.options = o};
    if (!check_usage(o))
        return EXIT_USAGE;
    const int code = run(&c);
    comparison_free(&c);
    return code;
}

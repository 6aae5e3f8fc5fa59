/* cmd_metrics.c - warpline metrics: names of counters, and the command that collects them.
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include "diag.h"
#include "options.h"
#include "output.h"

int cmd_metrics(const options *o)
{
    wl_error err = {0};
    char *text = NULL;
    if (o->argument_count > 0) {
        usage_error("metrics takes no argument; 'warpline explain METRIC' explains a metric");
        return EXIT_USAGE;
    }
    const wl_status status = wl_counters_render(o->model, option_format(o), &text, &err);
    if (status == WL_OK)
        output_print(text, option_format(o), stdout);
    free(text);
    return status == WL_OK ? EXIT_OK : diag_report(&err);
}

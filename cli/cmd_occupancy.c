/* cmd_occupancy.c - warpline occupancy. SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include "diag.h"
#include "load.h"
#include "options.h"
#include "output.h"

int cmd_occupancy(const options *o)
{
    int64_t threads = 0, registers = 0, shared = 0;
    wl_error err = {0};
    wl_device *device = NULL;
    char *text = NULL;
    if (!o->device || !o->threads || !o->registers || o->argument_count) {
        usage_error("occupancy needs --device, --threads and --registers");
        return EXIT_USAGE;
    }
    if (!option_integer("--threads", o->threads, 1, 1 << 20, &threads) ||
        !option_integer("--registers", o->registers, 1, 4096, &registers) ||
        (o->shared && !option_bytes("--shared", o->shared, 0, (int64_t)1 << 30, &shared)))
        return EXIT_INPUT;
    if (load_device(o->device, o->with, o->with_count, &device, &err) != WL_OK)
        return diag_report(&err);
    int code = EXIT_OK;
    if (wl_occupancy_render(device, threads, registers, shared, option_format(o), &text, &err) == WL_OK)
        output_print(text, option_format(o), stdout);
    else
        code = diag_report(&err);
    free(text);
    wl_device_free(device);
    load_forget();
    return code;
}

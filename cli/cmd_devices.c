/* cmd_devices.c - warpline devices: list, show, check. SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diag.h"
#include "load.h"
#include "options.h"
#include "output.h"

static int print(wl_status status, char *text, wl_format format, const wl_error *err)
{
    if (status == WL_OK)
        output_print(text, format, stdout);
    free(text);
    return status == WL_OK ? EXIT_OK : diag_report(err);
}

static int list(const options *o)
{
    wl_error err = {0};
    char *text = NULL;
    const wl_status status = wl_device_list_render(option_format(o), &text, &err);
    return print(status, text, option_format(o), &err);
}

static int show_device(const wl_device *d, wl_format format)
{
    wl_error err = {0};
    char *text = NULL;
    const wl_status status = wl_device_render(d, format, &text, &err);
    return print(status, text, format, &err);
}

static int show(const options *o, bool check_only)
{
    wl_error err = {0};
    wl_device *d = NULL;
    const char *name = o->arguments[1];
    int code = EXIT_OK;
    if (load_device(name, o->with, o->with_count, &d, &err) != WL_OK)
        code = diag_report(&err);
    else if (check_only)
        printf("%s: ok (%s)\n", name, wl_device_title(d));
    else
        code = show_device(d, option_format(o));
    wl_device_free(d);
    load_forget();
    return code;
}

int cmd_devices(const options *o)
{
    if (o->argument_count == 0 || (o->argument_count == 1 && strcmp(o->arguments[0], "list") == 0))
        return list(o);
    if (o->argument_count == 2 && strcmp(o->arguments[0], "show") == 0)
        return show(o, false);
    if (o->argument_count == 2 && strcmp(o->arguments[0], "check") == 0)
        return show(o, true);
    usage_error("devices [list | show NAME|FILE | check FILE]");
    return EXIT_USAGE;
}

/* cmd_devices.c - warpline devices: list, show, check, compare, derive.
 * SPDX-License-Identifier: MIT */
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

static wl_status load_all(const options *o, wl_device **devices, size_t count, wl_error *err)
{
    wl_status status = WL_OK;
    for (size_t i = 0; i < count && status == WL_OK; i++)
        status = load_device(o->arguments[1 + i], NULL, 0, &devices[i], err);
    return status;
}

static int compare(const options *o)
{
    wl_error err = {0};
    wl_device *devices[MANY_MAX] = {0};
    const size_t count = o->argument_count - 1;
    char *text = NULL;
    wl_status status = load_all(o, devices, count, &err);
    if (status == WL_OK)
        status = wl_device_compare_render((const wl_device *const *)devices, count, o->sources, option_format(o), &text,
                                          &err);
    const int code = print(status, text, option_format(o), &err);
    for (size_t i = 0; i < count; i++)
        wl_device_free(devices[i]);
    load_forget();
    return code;
}

/* The file of a GPU that does not exist. */
static int derive(const options *o)
{
    wl_error err = {0};
    wl_device *d = NULL;
    char *text = NULL;
    size_t length;
    const char *name = o->arguments[1];
    const size_t plain = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.+");
    if (!o->like) {
        usage_error("which device is it like? Give --like NAME, as in --like h200");
        return EXIT_USAGE;
    }
    if (!name[0] || name[plain]) {
        usage_error("a device is called in letters, digits, '-', '_', '.' and '+', not '%.40s'", name);
        return EXIT_USAGE;
    }
    wl_status status = load_device(o->like, o->with, o->with_count, &d, &err);
    if (status == WL_OK) {
        const char *like = wl_device_builtin_text(wl_device_name(d), &length) ? wl_device_name(d) : NULL;
        status = wl_device_derive(d, name, like, &text, &err);
    }
    const int code = print(status, text, WL_FORMAT_TEXT, &err);
    wl_device_free(d);
    load_forget();
    return code;
}

static bool is_command(const options *o, const char *name) { return strcmp(o->arguments[0], name) == 0; }

int cmd_devices(const options *o)
{
    const bool compares = o->argument_count > 0 && is_command(o, "compare");
    const bool derives = o->argument_count > 0 && is_command(o, "derive");
    if ((o->sources && !compares) || (o->with_count && compares) || (o->like && !derives)) {
        usage_error(o->like && !derives ? "--like is only for derive"
                    : compares          ? "--with is only for show, check and derive"
                                        : "--sources is only for compare");
        return EXIT_USAGE;
    }
    if (o->argument_count == 0 || (o->argument_count == 1 && is_command(o, "list")))
        return list(o);
    if (o->argument_count == 2 && is_command(o, "show"))
        return show(o, false);
    if (o->argument_count == 2 && is_command(o, "check"))
        return show(o, true);
    if (o->argument_count > 2 && compares)
        return compare(o);
    if (o->argument_count == 2 && derives)
        return derive(o);
    size_t length;
    if (o->argument_count == 1 && wl_device_builtin_text(o->arguments[0], &length)) {
        usage_error("'warpline devices show %s' prints its numbers", o->arguments[0]);
        return EXIT_USAGE;
    }
    usage_error("usage: warpline devices [list | show NAME|FILE | check FILE | compare NAME|FILE NAME|FILE... | derive "
                "NAME --like NAME]");
    return EXIT_USAGE;
}

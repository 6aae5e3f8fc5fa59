/* compare_load.c - reads what compare and fit need: map, device, tables; and reports what is left
 * out.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare_ptx.h"
#include "diag.h"
#include "load.h"
#include "recorded.h"

void comparison_free(comparison *c)
{
    for (size_t i = 0; c->counted && i < wl_comparison_count(c->found); i++)
        wl_counted_free(c->counted[i].counted);
    free(c->counted);
    wl_comparison_free(c->found);
    for (size_t i = 0; i < c->table_count; i++)
        wl_table_free(c->parsed[i]);
    for (size_t i = 0; i < c->source_count; i++) {
        wl_kernel_free(c->sources[i].plain);
        free(c->sources[i].path);
    }
    free(c->sources);
    compare_ptx_free(c);
    wl_map_free(c->map);
    wl_map_free(c->arguments);
    wl_device_free(c->device);
    free(c->recorded);
    load_forget();
}

int comparison_print_skips(const comparison *c)
{
    wl_error err = {0};
    char *text = NULL;
    if (!c->found)
        return EXIT_OK;
    if (wl_comparison_skipped(c->found, &text, &err) != WL_OK)
        return diag_report(&err);
    if (!diag_is_quiet())
        fputs(text, stderr);
    free(text);
    return EXIT_OK;
}

static wl_status load_map(const char *path, wl_map **out, wl_error *err)
{
    const char *text = NULL;
    size_t length = 0;
    if (!path)
        return WL_OK;
    const wl_status status = load_kept_text(path, &text, &length, err);
    return status == WL_OK ? wl_map_parse(path, text, length, out, err) : status;
}

static wl_status load_tables(comparison *c, wl_error *err)
{
    const options *o = c->options;
    for (size_t i = o->map ? 0 : 1; i < o->argument_count; i++) {
        const char *path = o->arguments[i], *name = strcmp(path, "-") == 0 ? "standard input" : path;
        char *text = NULL;
        size_t length = 0;
        wl_status status = load_text(path, &text, &length, err);
        if (status == WL_OK)
            status = wl_table_parse(name, text, length, &c->parsed[c->table_count], err);
        free(text);
        if (status != WL_OK)
            return status;
        c->tables[c->table_count] = name;
        const wl_table *table = c->parsed[c->table_count++];
        for (size_t n = 0; n < wl_table_note_count(table) && status == WL_OK; n++) {
            const wl_note *note = wl_table_note(table, n);
            status = wl_comparison_skip(c->found, name, note->line, note->count, note->reason, err);
        }
        if (status != WL_OK)
            return status;
    }
    return WL_OK;
}

bool comparison_takes_volumes(const comparison *c)
{
    return c->options->volumes && strcmp(c->options->volumes, "measured") == 0;
}

int comparison_load(comparison *c)
{
    const options *o = c->options;
    wl_error err = {0};
    if (load_map(o->map, &c->map, &err) != WL_OK || load_map(o->args_file, &c->arguments, &err) != WL_OK)
        return diag_report(&err);
    wl_status status = load_device(o->device, o->with, o->with_count, &c->device, &err);
    if (status == WL_OK)
        status = wl_comparison_new(o->map ? o->map : o->arguments[0], wl_device_name(c->device),
                                   wl_device_title(c->device), c->min_time_s, &c->found, &err);
    for (size_t i = 0; i < o->metric_count && status == WL_OK; i++)
        /* cmd_compare.c has checked the names */
        (void)wl_comparison_want(c->found, o->metric[i]);
    if (status == WL_OK && comparison_takes_volumes(c))
        (void)wl_comparison_want(c->found, "time");
    status = status ? status : load_tables(c, &err);
    if (status == WL_OK)
        status = recorded_recording() ? comparison_recorded(c, &err) : comparison_predict(c, &err);
    if (status == WL_OK)
        return EXIT_OK;
    (void)comparison_print_skips(c);
    return err.message[0] ? diag_report(&err) : EXIT_INPUT;
}

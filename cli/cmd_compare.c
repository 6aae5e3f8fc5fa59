/* cmd_compare.c - warpline compare: predictions beside measurements. SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "diag.h"
#include "load.h"

#define SKIPS_MAX 200

const char *value_name(int value) { return value == VALUE_TIME ? "time" : wl_metric_name((wl_metric)value); }
const char *value_unit(int value) { return value == VALUE_TIME ? "s" : wl_metric_unit((wl_metric)value); }

bool row_counts(const comparison *c, const compared_row *row, int value)
{
    return row->measured_known[value] && row->predicted_known[value] &&
           (value != VALUE_TIME || row->measured[VALUE_TIME] >= c->min_time_s);
}

bool row_error(const compared_row *row, int value, double *error)
{
    return row->measured_known[value] && row->predicted_known[value] &&
           wl_pair_error((wl_pair){row->measured[value], row->predicted[value]}, error);
}

void comparison_skip(comparison *c, const char *table, int32_t line, size_t count, const char *reason)
{
    if (c->skip_count >= SKIPS_MAX)
        reason = "left out for a reason not listed";
    for (size_t i = 0; i < c->skip_count; i++) {
        skipped *s = &c->skips[i];
        if (strcmp(s->table, table) == 0 && strcmp(s->reason, reason) == 0) {
            s->count += count;
            return;
        }
    }
    if (c->skip_count == c->skip_capacity) {
        const size_t capacity = 2 * c->skip_capacity + 16;
        skipped *larger = realloc(c->skips, capacity * sizeof *larger);
        if (!larger)
            return;
        c->skips = larger;
        c->skip_capacity = capacity;
    }
    char *kept = strdup(reason);
    if (kept)
        c->skips[c->skip_count++] = (skipped){table, line, count, kept};
}

static void print_skips(const comparison *c)
{
    for (size_t i = 0; i < c->skip_count; i++) {
        const skipped *s = &c->skips[i];
        fprintf(stderr, "note: %s", s->table);
        if (s->line > 0)
            fprintf(stderr, ":%d", (int)s->line);
        fprintf(stderr, ": %s", s->reason);
        if (s->count > 1)
            fprintf(stderr, " (%zu times)", s->count);
        fputc('\n', stderr);
    }
}

static void comparison_free(comparison *c)
{
    for (size_t i = 0; i < c->group_count; i++)
        free(c->groups[i].name);
    for (size_t i = 0; i < c->family_count; i++)
        free(c->families[i].name);
    for (size_t i = 0; i < c->skip_count; i++)
        free(c->skips[i].reason);
    for (size_t i = 0; i < c->table_count; i++)
        wl_table_free(c->parsed[i]);
    for (size_t i = 0; i < c->source_count; i++) {
        wl_kernel_free(c->sources[i].plain);
        free(c->sources[i].path);
    }
    free(c->sources);
    free(c->groups);
    free(c->families);
    free(c->skips);
    free(c->rows);
    wl_map_free(c->map);
    wl_device_free(c->device);
    load_forget();
}

/* "20us" */
static bool read_time(const char *text, double *seconds)
{
    static const struct {
        const char *name;
        double scale;
    } units[] = {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}};
    char *end = NULL;
    const double value = isdigit((unsigned char)text[0]) || text[0] == '.' ? strtod(text, &end) : -1;
    if (!end || end == text || !isfinite(value) || value < 0)
        return false;
    end += strspn(end, " ");
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (strcmp(end, units[i].name) == 0) {
            *seconds = value * units[i].scale;
            return true;
        }
    }
    *seconds = 0;
    return value == 0 && *end == '\0';
}

static bool read_metrics(const options *o, comparison *c)
{
    for (int v = 0; v < VALUE_COUNT; v++)
        c->wanted[v] = o->metric_count == 0;
    for (size_t i = 0; i < o->metric_count; i++) {
        wl_metric metric = WL_METRIC_COUNT;
        if (strcmp(o->metric[i], "time") != 0 && !wl_metric_find(o->metric[i], &metric)) {
            usage_error("unknown metric '%s'; 'warpline explain' lists them, and there is time", o->metric[i]);
            return false;
        }
        c->wanted[metric] = true;
    }
    return true;
}

static bool check_usage(const options *o, comparison *c)
{
    static const char *const groups[] = {"family", "variant", "params", "all"};
    const size_t first = o->map ? 0 : 1;
    bool group_ok = !o->group;
    size_t standard_input = o->map && strcmp(o->map, "-") == 0;
    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++)
        group_ok = group_ok || strcmp(o->group, groups[i]) == 0;
    for (size_t i = 0; i < o->argument_count; i++)
        standard_input += strcmp(o->arguments[i], "-") == 0;
    if (o->argument_count < first)
        usage_error("which kernel? Give a file or a built-in name, or --map FILE");
    else if (o->argument_count == first)
        usage_error("which measurements? Give a table: our CSV or that of ncu --csv");
    else if (!o->device)
        usage_error("which device? Give --device NAME ('warpline devices' lists them)");
    else if (!group_ok)
        usage_error("--group is one of: family variant params all (not '%s')", o->group);
    else if (standard_input > 1)
        usage_error("standard input can be read only once");
    else if (o->rows && o->format && strcmp(o->format, "text") != 0)
        usage_error("--rows goes with the text output; json and csv hold every row");
    else if (o->plot && !plot_file_ok(o->plot))
        usage_error("--plot writes FILE.svg or FILE.png (not '%s')", o->plot);
    else if (o->min_time && !read_time(o->min_time, &c->min_time_s))
        usage_error("--min-time is a time such as 20us (not '%s')", o->min_time);
    else
        return read_metrics(o, c);
    return false;
}

static wl_status load_map(comparison *c, wl_error *err)
{
    char *text = NULL;
    size_t length = 0;
    if (!c->options->map)
        return WL_OK;
    wl_status status = load_text(c->options->map, &text, &length, err);
    if (status != WL_OK)
        return status;
    diag_remember(c->options->map, text);
    status = wl_map_parse(c->options->map, text, length, &c->map, err);
    if (status != WL_OK)
        (void)diag_report(err);
    free(text);
    diag_forget();
    return status;
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
        for (size_t n = 0; n < wl_table_note_count(table); n++) {
            const wl_note *note = wl_table_note(table, n);
            comparison_skip(c, name, note->line, note->count, note->reason);
        }
    }
    return WL_OK;
}

static int report(const comparison *c)
{
    const char *format = c->options->format ? c->options->format : "text";
    wl_error err = {0};
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    wl_status status = out ? WL_OK : WL_E_NOMEM;
    if (status == WL_OK && strcmp(format, "json") == 0)
        status = comparison_json(c, out, &err);
    else if (status == WL_OK && strcmp(format, "csv") == 0)
        comparison_csv(c, out);
    else if (status == WL_OK)
        comparison_text(c, out);
    if (out && fclose(out) != 0)
        status = WL_E_NOMEM;
    int code = EXIT_OK;
    if (status != WL_OK)
        code = diag_report(&(wl_error){.code = WL_E_NOMEM, .message = "out of memory"});
    else if (c->options->plot)
        code = comparison_plot(c);
    if (code == EXIT_OK)
        fwrite(text, 1, length, stdout);
    free(text);
    return code;
}

static int run(comparison *c)
{
    const options *o = c->options;
    wl_error err = {0};
    if (!option_model(o->model, &c->model))
        return EXIT_INPUT;
    if ((o->fold && !option_shape("--fold", o->fold, c->fold)) ||
        (o->registers && !option_integer("--registers", o->registers, 1, 1024, &c->registers)))
        return EXIT_INPUT;
    if (load_map(c, &err) != WL_OK)
        return err.code == WL_E_IO ? diag_report(&err) : EXIT_INPUT;
    wl_status status = load_device(o->device, o->with, o->with_count, &c->device, &err);
    status = status ? status : load_tables(c, &err);
    status = status ? status : comparison_predict(c, &err);
    status = status ? status : comparison_group(c, &err);
    print_skips(c);
    return status == WL_OK ? report(c) : diag_report(&err);
}

int cmd_compare(const options *o)
{
    comparison c = {.options = o};
    if (!check_usage(o, &c))
        return EXIT_USAGE;
    const int code = run(&c);
    comparison_free(&c);
    return code;
}

/* device_compare_text.c - devices side by side for people, in 80 columns: as many devices per table
 * as fit, the first device in each. SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>

#include "report/common/device_columns.h"
#include "report/common/render.h"
#include "report/common/words.h"

enum {
    NAME_WIDTH = 27,  /* of a key and its unit                           */
    VALUE_WIDTH = 10, /* of a number, in the unit of the row             */
    RATIO_WIDTH = 7,
    OTHERS = 2, /* devices of a table besides the first */
    LINE_WIDTH = 80
};

/* The letter after a value, for the kind of its source. */
static char mark_of(wl_source_kind kind)
{
    static const char marks[WL_SOURCE_KINDS + 1] = "mfpdau";
    return marks[kind];
}

typedef struct table {
    const wl_device *const *devices;
    size_t count;
    size_t columns[1 + OTHERS]; /* devices of this table */
    size_t column_count;
    wl_buffer *out;
} table;

static bool is_listed(const table *t, size_t key)
{
    for (size_t c = 0; c < t->column_count; c++)
        if (t->devices[t->columns[c]]->entries[key].count > 0)
            return true;
    return false;
}

/* The unit that suits the largest number of all devices: every table has the same. */
static const char *unit_of_row(const table *t, size_t key, double *scale)
{
    double largest = 0;
    for (size_t d = 0; d < t->count; d++)
        if (t->devices[d]->entries[key].count > 0)
            largest = fmax(largest, t->devices[d]->entries[key].values[0]);
    return wl_quantity_unit(wl_device_keys[key].dimension, largest, scale);
}

static void add_value(const table *t, size_t column, size_t key, double scale)
{
    const size_t device = t->columns[column];
    const wl_device_entry *e = &t->devices[device]->entries[key];
    wl_source_kind kind;
    double r;
    const char *format = wl_device_keys[key].dimension == WL_DIM_COUNT ? "%.0f" : "%.4g";
    const bool known = wl_source_kind_of(t->devices[device], (wl_device_key)key, &kind);
    const bool compares = column > 0 && wl_device_ratio(t->devices, device, (wl_device_key)key, &r);
    wl_buffer_add(t->out, "%*s %c %-*s", VALUE_WIDTH, known ? wl_short_of(format, e->values[0] / scale).text : "-",
                  known ? mark_of(kind) : ' ', column > 0 ? RATIO_WIDTH : 0,
                  compares ? wl_short_of("x%.3g", r).text : "");
}

/* The sources of a key, each after the name of its device. */
static void add_sources(const table *t, size_t key)
{
    for (size_t c = 0; c < t->column_count; c++) {
        const wl_device *device = t->devices[t->columns[c]];
        char head[64];
        (void)snprintf(head, sizeof head, "    %.40s: ", device->name);
        if (device->entries[key].count > 0)
            wl_hanging_text(head, device->entries[key].source, LINE_WIDTH, t->out);
    }
}

static void end_line(wl_buffer *out)
{
    while (out->length > 0 && !out->failed && out->text[out->length - 1] == ' ')
        out->text[--out->length] = '\0';
    wl_buffer_text(out, "\n");
}

static void add_numbers(const table *t, bool sources)
{
    for (size_t k = 0; k < WL_DEVICE_KEY_COUNT; k++) {
        char name[64];
        double scale;
        if (wl_device_keys[k].list || !is_listed(t, k))
            continue;
        const char *unit = unit_of_row(t, k, &scale);
        (void)snprintf(name, sizeof name, "%s %s", wl_device_keys[k].name, unit);
        wl_buffer_add(t->out, "%-*s", NAME_WIDTH, name);
        for (size_t c = 0; c < t->column_count; c++)
            add_value(t, c, k, scale);
        end_line(t->out);
        if (sources)
            add_sources(t, k);
    }
}

static void add_lists(const table *t, bool sources)
{
    for (size_t k = 0; k < WL_DEVICE_KEY_COUNT; k++) {
        if (!wl_device_keys[k].list || !is_listed(t, k))
            continue;
        wl_buffer_add(t->out, "%s\n", wl_device_keys[k].name);
        for (size_t c = 0; c < t->column_count; c++) {
            const wl_device *device = t->devices[t->columns[c]];
            char values[512] = "-", head[64];
            wl_source_kind kind;
            const bool known = wl_source_kind_of(device, (wl_device_key)k, &kind);
            if (known)
                wl_device_value_text(device, (wl_device_key)k, values, sizeof values);
            (void)snprintf(head, sizeof head, "    %-12.40s %c ", device->name, known ? mark_of(kind) : ' ');
            wl_hanging_text(head, values, LINE_WIDTH, t->out);
        }
        if (sources)
            add_sources(t, k);
    }
}

static void add_table(const table *t, bool sources)
{
    wl_buffer_add(t->out, "\n%-*s", NAME_WIDTH, "");
    for (size_t c = 0; c < t->column_count; c++)
        wl_buffer_add(t->out, "%*s   %-*s", VALUE_WIDTH, t->devices[t->columns[c]]->name, c > 0 ? RATIO_WIDTH : 0, "");
    end_line(t->out);
    add_numbers(t, sources);
    add_lists(t, sources);
}

/* "h200 (NVIDIA H200, hopper)" and "    60 measured, 23 fitted, ..." */
static void add_head(const wl_device *device, wl_buffer *out)
{
    size_t counts[WL_SOURCE_KINDS] = {0};
    const char *separator = "    ";
    wl_source_kind kind;
    for (size_t k = 0; k < WL_DEVICE_KEY_COUNT; k++)
        if (wl_source_kind_of(device, (wl_device_key)k, &kind))
            counts[kind]++;
    wl_buffer_add(out, "%s (%s, %s)\n", device->name, device->title, device->architecture);
    for (int i = 0; i < WL_SOURCE_KINDS; i++) {
        if (counts[i] == 0)
            continue;
        wl_buffer_add(out, "%s%zu %s", separator, counts[i], wl_source_kind_name((wl_source_kind)i));
        separator = ", ";
    }
    wl_buffer_text(out, "\n");
}

/* The names of the keys that `having` devices have (1: this one alone), as a sentence; nothing if
 * there are none. */
static void add_names(const table *t, size_t having, size_t device, const char *head)
{
    wl_buffer names = {0};
    for (size_t k = 0; k < WL_DEVICE_KEY_COUNT; k++) {
        size_t last = 0;
        if (wl_devices_with(t->devices, t->count, (wl_device_key)k, &last) != having || (having > 0 && last != device))
            continue;
        wl_buffer_add(&names, "%s %s", names.length ? "," : "", wl_device_keys[k].name);
    }
    if (names.length > 0) {
        wl_buffer_add(t->out, "\n%s:\n", head);
        wl_wrapped_text(names.text + 1, LINE_WIDTH - 4, t->out);
    }
    wl_buffer_drop_part(&names, t->out);
}

void wl_device_compare_text(const void *result, wl_buffer *out)
{
    const wl_devices_report *r = result;
    const wl_device *const *devices = r->devices;
    const size_t count = r->count;
    table t = {.devices = devices, .count = count, .out = out};
    for (size_t d = 0; d < count; d++)
        add_head(devices[d], out);
    wl_buffer_add(out,
                  "m measured, f fitted, p published, d data sheet, a assumed, u set by the user;\n"
                  "x: times the value of %s; -: not known\n",
                  devices[0]->name);
    for (size_t first = 1; first < count; first += OTHERS) {
        t.column_count = 1;
        for (size_t d = first; d < count && d < first + OTHERS; d++)
            t.columns[t.column_count++] = d;
        add_table(&t, r->sources);
    }
    for (size_t d = 0; d < count; d++) {
        char head[96];
        (void)snprintf(head, sizeof head, "only %.60s has", devices[d]->name);
        add_names(&t, 1, d, head);
    }
    add_names(&t, 0, 0, "none of them has");
}

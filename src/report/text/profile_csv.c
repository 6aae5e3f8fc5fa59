/* profile_csv.c - the launches of a profile as ncu --csv --page raw prints them: names of columns,
 * units, a row for each launch. `compare` and spreadsheets for ncu read it.
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/quote.h"
#include "profile/profile_internal.h"
#include "report/common/render.h"

#define SECTOR 32.0 /* bytes that ncu counts as one sector of the L2 */
#define IN_SECTORS " (x 32 B)"

/* The counter of ncu that a metric is; 0: it has none of its own. */
static size_t counter_length(wl_metric metric, bool *sectors)
{
    const char *name = wl_metric_counter(metric);
    const size_t length = strcspn(name, " {");
    *sectors = strcmp(name + length, IN_SECTORS) == 0;
    return name[length] == '\0' || *sectors ? length : 0;
}

static const char *unit_of(wl_metric metric, bool sectors)
{
    const char *unit = wl_metric_unit(metric);
    return sectors || strcmp(unit, "sectors") == 0 ? "sector"
           : strcmp(unit, "instructions") == 0     ? "inst"
           : strcmp(unit, "bytes") == 0            ? "byte"
                                                   : "";
}

static void add_header(wl_buffer *out)
{
    bool sectors;
    wl_buffer_text(out, "\"ID\",\"Kernel Name\",\"Stream\",\"Block Size\",\"Grid Size\",\"Device\","
                        "\"gpu__time_duration.sum\"");
    for (int m = 0; m < WL_METRIC_COUNT; m++)
        if (counter_length((wl_metric)m, &sectors))
            wl_buffer_add(out, ",\"%.*s\"", (int)counter_length((wl_metric)m, &sectors),
                          wl_metric_counter((wl_metric)m));
    wl_buffer_text(out, "\n\"\",\"\",\"\",\"\",\"\",\"\",\"ns\"");
    for (int m = 0; m < WL_METRIC_COUNT; m++)
        if (counter_length((wl_metric)m, &sectors))
            wl_buffer_add(out, ",\"%s\"", unit_of((wl_metric)m, sectors));
    wl_buffer_text(out, "\n");
}

static void add_launch(const wl_profile *p, size_t number, wl_buffer *out)
{
    const wl_recorded_launch *l = wl_recording_launch(p->recording, number);
    const wl_prediction *prediction = wl_profile_launch(p, number, NULL);
    wl_csv_print(out, "\"%zu\",%s,\"%lld\",\"(%lld, %lld, %lld)\",\"(%lld, %lld, %lld)\",%s,", number, l->kernel,
                 (long long)l->stream, (long long)l->block[0], (long long)l->block[1], (long long)l->block[2],
                 (long long)l->grid[0], (long long)l->grid[1], (long long)l->grid[2], wl_device_name(p->device));
    if (prediction)
        wl_buffer_add(out, "\"%.15g\"", 1e9 * wl_prediction_time(prediction));
    else
        wl_buffer_text(out, "\"\"");
    for (int m = 0; m < WL_METRIC_COUNT; m++) {
        double value = 0;
        bool sectors;
        if (!counter_length((wl_metric)m, &sectors))
            continue;
        if (prediction && wl_prediction_metric(prediction, (wl_metric)m, &value))
            wl_buffer_add(out, ",\"%.15g\"", sectors ? value / SECTOR : value);
        else
            wl_buffer_text(out, ",\"\"");
    }
    wl_buffer_text(out, "\n");
}

void wl_profile_csv(const void *result, wl_buffer *out)
{
    const wl_profiles_report *r = result;
    add_header(out);
    for (size_t i = 0; i < r->count; i++)
        for (size_t l = 0; l < r->profiles[i]->launch_count; l++)
            add_launch(r->profiles[i], l, out);
}

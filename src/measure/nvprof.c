/* nvprof.c - see nvprof.h. SPDX-License-Identifier: MIT */
#include "measure/nvprof.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/room.h"

#define KERNELS_MAX 4096 /* different ones in one text */

static bool has(const wl_csv *csv, const char *name) { return wl_csv_find(csv, name) < csv->count; }

wl_nvprof_part wl_nvprof_recognise(const wl_csv *csv)
{
    if (has(csv, "Device") && has(csv, "Kernel") && has(csv, "Invocations") && has(csv, "Avg") &&
        (has(csv, "Metric Name") || has(csv, "Event Name")))
        return WL_NVPROF_COUNTS;
    if (has(csv, "Time(%)") && has(csv, "Calls") && has(csv, "Avg") && has(csv, "Name"))
        return WL_NVPROF_SUMMARY;
    if (has(csv, "Start") && has(csv, "Duration") && has(csv, "Block X") && has(csv, "Name"))
        return WL_NVPROF_TRACE;
    if (has(csv, "Device") && has(csv, "Kernel") && has(csv, "Correlation_ID"))
        return WL_NVPROF_UNKNOWN;
    return WL_NVPROF_NONE;
}

void wl_nvprof_open(wl_nvprof *n, wl_nvprof_part part, const wl_csv *header)
{
    static const char *const shape[] = {"Block X", "Block Y", "Block Z", "Grid X", "Grid Y", "Grid Z"};
    n->part = part;
    n->time_scale = 0;
    n->places[WL_NVPROF_KERNEL] = wl_csv_find(header, part == WL_NVPROF_COUNTS ? "Kernel" : "Name");
    n->places[WL_NVPROF_NAME] = wl_csv_find(header, has(header, "Event Name") ? "Event Name" : "Metric Name");
    n->places[WL_NVPROF_VALUE] = wl_csv_find(header, part == WL_NVPROF_TRACE ? "Duration" : "Avg");
    for (int i = 0; i < 6; i++)
        n->places[WL_NVPROF_SHAPE + i] = wl_csv_find(header, shape[i]);
}

static wl_nvprof_kernel *find_kernel(const wl_nvprof *n, const char *name)
{
    for (size_t i = 0; i < n->count; i++)
        if (strcmp(n->kernels[i]->row.m.kernel, name) == 0)
            return n->kernels[i];
    return NULL;
}

static wl_status kernel_of(wl_nvprof *n, const char *name, int32_t line, wl_notes *notes, wl_nvprof_kernel **out,
                           wl_error *err)
{
    const wl_column kernel = {.kind = WL_COLUMN_KERNEL};
    if ((*out = find_kernel(n, name)))
        return WL_OK;
    if (n->count == KERNELS_MAX)
        return wl_fail(err, WL_E_LIMIT, (wl_loc){line, 1, 1}, "more than %d kernels in one table", KERNELS_MAX);
    if (!WL_ROOM(n->kernels, n->count + 1, n->capacity))
        return wl_fail_memory(err);
    wl_nvprof_kernel *k = calloc(1, sizeof *k);
    if (!k)
        return wl_fail_memory(err);
    n->kernels[n->count++] = *out = k;
    k->row = (wl_row){.line = line, .block_optional = true};
    k->row.m = (wl_measurement){.line = line, .family = "", .variant = "", .params = "", .kernel = ""};
    wl_row_take(&k->row, "Kernel", &kernel, NULL, name, notes);
    return notes->failed ? wl_fail_memory(err) : WL_OK;
}

static const char *cell(const wl_nvprof *n, const wl_csv *record, int place)
{
    return n->places[place] < record->count ? wl_csv_cell(record, n->places[place]) : "";
}

static bool is_sum(const wl_counter_row *c) { return !strchr(c->unit, '%') && !strstr(c->unit, " per "); }

static void take_count(const wl_nvprof *n, const wl_csv *record, wl_nvprof_kernel *k, wl_notes *notes)
{
    wl_counter_name counter;
    double value = 0;
    const char *name = cell(n, record, WL_NVPROF_NAME), *text = cell(n, record, WL_NVPROF_VALUE);
    if (!wl_counter_find(name, &counter) || !is_sum(wl_counter_at(counter.index)))
        return; /* a part that is not read */
    if (!wl_column_is_absent(text) && (!wl_column_number(text, &value) || value < 0))
        wl_notes_add(notes, record->line, "%.80s is not a number of events", name);
    if (wl_row_count(&k->row, &counter, "", text))
        k->row.counts_more = true;
}

static void take_shape(const wl_nvprof *n, const wl_csv *record, wl_nvprof_kernel *k, wl_notes *notes)
{
    for (int i = 0; i < 6; i++) {
        const wl_column c = {.kind = i < 3 ? WL_COLUMN_BLOCK : WL_COLUMN_GRID, .index = i % 3, .factor = 1};
        wl_row_take(&k->row, "the launch", &c, NULL, cell(n, record, WL_NVPROF_SHAPE + i), notes);
    }
}

static void take_time(const wl_nvprof *n, const wl_csv *record, wl_nvprof_kernel *k, wl_notes *notes)
{
    double value = 0;
    if (!wl_column_number(cell(n, record, WL_NVPROF_VALUE), &value) || !(value > 0)) {
        wl_notes_add(notes, record->line, "a time that is not a number above 0");
        return;
    }
    k->time_s += value * n->time_scale;
    k->launches++;
    k->row.m.time_known = true;
    k->row.m.time_s = k->time_s / k->launches;
    k->row.m.time_of_profiler = true;
}

wl_status wl_nvprof_take(wl_nvprof *n, const wl_csv *record, wl_notes *notes, wl_error *err)
{
    const char *name = cell(n, record, WL_NVPROF_KERNEL);
    wl_nvprof_kernel *k = NULL;
    const bool times = n->part != WL_NVPROF_COUNTS;
    if (times && n->time_scale == 0) { /* the line of units */
        if (wl_column_unit(WL_DIM_TIME, cell(n, record, WL_NVPROF_VALUE), &n->time_scale))
            return WL_OK;
        return wl_fail(err, WL_E_INPUT, (wl_loc){record->line, 1, 1},
                       "the line of units after nvprof's header is missing");
    }
    if (name[0] == '\0' || name[0] == '[') /* "[CUDA memcpy HtoD]" */
        return WL_OK;
    if (n->part == WL_NVPROF_SUMMARY && has(record, "API calls"))
        return WL_OK; /* a call of the host */
    WL_TRY(kernel_of(n, name, record->line, notes, &k, err));
    k->row.line = record->line;
    if (!times) {
        take_count(n, record, k, notes);
        return WL_OK;
    }
    take_time(n, record, k, notes);
    if (n->part == WL_NVPROF_TRACE)
        take_shape(n, record, k, notes);
    return WL_OK;
}

void wl_nvprof_free(wl_nvprof *n)
{
    for (size_t i = 0; i < n->count; i++)
        free(n->kernels[i]);
    free(n->kernels);
}

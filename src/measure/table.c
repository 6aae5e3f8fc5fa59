/* table.c - reads the launches of a measured table.
 *
 * The header decides how rows are read. In Nsight Compute's wide layout (--page raw) the row after
 * the header holds the units. In the long layout each row is one value, and the rows of a launch
 * follow each other. The output of the profiled program may appear between rows.
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/room.h"
#include "measure/csv.h"
#include "measure/nvprof.h"
#include "measure/row.h"

struct wl_table {
    wl_arena arena; /* texts of rows and notes */
    wl_table_layout layout;
    wl_measurement *rows;
    size_t count, capacity;
    wl_notes notes;
};

/* of the long layout */
enum { ID, PROCESS, KERNEL, BLOCK, GRID, SECTION, METRIC, UNIT, VALUE, PLACE_COUNT };
static const char *const place_names[PLACE_COUNT] = {"ID",          "Process ID",  "Kernel Name",
                                                     "Block Size",  "Grid Size",   "Section Name",
                                                     "Metric Name", "Metric Unit", "Metric Value"};
/* rocprofv3's grid is a number of threads: the domain of the kernel gives it */
static const char *const amd_names[PLACE_COUNT] = {
    "Dispatch_Id", "Process_Id", "Kernel_Name", "Workgroup_Size", "", "", "Counter_Name", "", "Counter_Value"};

/* A table being read. */
typedef struct reader {
    wl_table *table;
    wl_csv csv;
    wl_arena arena; /* of the header: reset at each header */
    wl_error *err;
    int32_t first_line; /* the first line that is not blank */
    bool has_header, has_units;
    bool of_amd; /* rocprofv3's long layout */
    size_t column_count;
    wl_column *columns;
    const char **names, **units;
    size_t places[PLACE_COUNT]; /* column_count: absent */
    /* own layout: extents that have no column are 1 */
    bool one_dimensional[3], flat_grid[3];
    wl_row row; /* long layout: the launch being collected */
    bool row_open;
    char *row_key; /* distinguishes it from the next */
    wl_nvprof nvprof;
} reader;

/* ---- rows ---- */

static wl_row new_row(int32_t line)
{
    return (wl_row){.line = line, .m = {.line = line, .family = "", .variant = "", .params = "", .kernel = ""}};
}

static wl_status add_row(reader *r, wl_row *row)
{
    wl_table *t = r->table;
    wl_row_finish(row, &t->notes);
    if (row->unsound) {
        wl_notes_add(&t->notes, row->m.line, "%s", row->unsound);
        return WL_OK;
    }
    if (t->count == WL_TABLE_ROWS_MAX)
        return wl_fail(r->err, WL_E_LIMIT, (wl_loc){row->m.line, 1, 1}, "more than %d launches in one table",
                       WL_TABLE_ROWS_MAX);
    if (!WL_ROOM(t->rows, t->count + 1, t->capacity))
        return wl_fail_memory(r->err);
    struct wl_measured_values *values = WL_ARENA_NEW(&t->arena, struct wl_measured_values, 1);
    if (!values)
        return wl_fail_memory(r->err);
    *values = row->values;
    t->rows[t->count] = row->m;
    t->rows[t->count++].values = values;
    return WL_OK;
}

static wl_status read_wide(reader *r)
{
    const wl_csv *csv = &r->csv;
    const size_t id = r->places[ID];
    if (r->table->layout == WL_TABLE_NCU_WIDE && id < csv->count && wl_csv_cell(csv, id)[0] == '\0') {
        for (size_t i = 0; i < csv->count && !r->has_units; i++) {
            const char *unit = wl_csv_cell(csv, i);
            if (!(r->units[i] = wl_arena_text(&r->arena, unit, strlen(unit))))
                return wl_fail_memory(r->err);
        }
        r->has_units = true;
        return WL_OK;
    }
    wl_row row = new_row(csv->line);
    for (int d = 1; d < 3; d++) {
        row.m.block[d] = r->one_dimensional[d] ? 1 : 0;
        row.m.grid[d] = r->flat_grid[d] ? 1 : 0;
    }
    for (size_t i = 0; i < csv->count; i++) {
        row.column = (int32_t)i + 1;
        wl_row_take(&row, r->names[i], &r->columns[i], r->units[i], wl_csv_cell(csv, i), &r->table->notes);
    }
    return add_row(r, &row);
}

static wl_status close_row(reader *r)
{
    if (!r->row_open)
        return WL_OK;
    r->row_open = false;
    return add_row(r, &r->row);
}

/* The text in one of the long layout's columns; "" if absent. */
static const char *at_place(const reader *r, int place)
{
    return r->places[place] < r->csv.count ? wl_csv_cell(&r->csv, r->places[place]) : "";
}

/* Values of one launch have the same id, process and kernel; row_key holds these, separated by line
 * ends. */
static bool same_launch(reader *r, bool *failed)
{
    const char *id = at_place(r, ID), *process = at_place(r, PROCESS), *kernel = at_place(r, KERNEL);
    const size_t size = strlen(id) + strlen(process) + strlen(kernel) + 3;
    char *key = malloc(size);
    *failed = !key;
    if (!key)
        return false;
    (void)snprintf(key, size, "%s\n%s\n%s", id, process, kernel);
    const bool same = r->row_open && r->row_key && strcmp(key, r->row_key) == 0;
    free(r->row_key);
    r->row_key = key;
    return same;
}

/* ncu measures each section in passes of its own, at another clock: counts per cycle are in the
 * sections of rooflines. */
static bool is_other_clock(const reader *r)
{
    return strcmp(at_place(r, METRIC), "SM Frequency") == 0 && !strstr(at_place(r, SECTION), "Roofline");
}

/* Columns that rocprofv3 has beside its counters. */
static bool is_of_launch(const wl_column *c)
{
    return c->kind == WL_COLUMN_REGISTERS || c->kind == WL_COLUMN_SHARED || c->kind == WL_COLUMN_BEGIN ||
           c->kind == WL_COLUMN_END;
}

static wl_status read_long(reader *r)
{
    wl_notes *notes = &r->table->notes;
    bool failed = false;
    if (!same_launch(r, &failed)) {
        if (failed)
            return wl_fail_memory(r->err);
        WL_TRY(close_row(r));
        r->row = new_row(r->csv.line);
        r->row_open = true;
        const wl_column kernel = {.kind = WL_COLUMN_KERNEL}, block = {.kind = WL_COLUMN_BLOCK_SHAPE},
                        grid = {.kind = WL_COLUMN_GRID_SHAPE};
        wl_row_take(&r->row, "Kernel Name", &kernel, NULL, at_place(r, KERNEL), notes);
        wl_row_take(&r->row, "Block Size", &block, NULL, at_place(r, BLOCK), notes);
        wl_row_take(&r->row, "Grid Size", &grid, NULL, at_place(r, GRID), notes);
        for (size_t i = 0; r->of_amd && i < r->csv.count; i++)
            if (is_of_launch(&r->columns[i]))
                wl_row_take(&r->row, r->names[i], &r->columns[i], NULL, wl_csv_cell(&r->csv, i), notes);
    }
    r->row.line = r->csv.line;
    const char *name = at_place(r, METRIC);
    const wl_column column = wl_column_find(name);
    /* as a metric, "Block Size" is a number, not a shape */
    const bool read = column.kind >= WL_COLUMN_BLOCK || column.is_counter;
    if (read && !is_other_clock(r))
        wl_row_take(&r->row, name, &column, at_place(r, UNIT), at_place(r, VALUE), notes);
    return WL_OK;
}

/* ---- headers ---- */

static bool has(const wl_csv *csv, const char *name) { return wl_csv_find(csv, name) < csv->count; }

static bool is_amd_long(const wl_csv *csv)
{
    return has(csv, "Kernel_Name") && has(csv, "Workgroup_Size") && has(csv, "Counter_Name") &&
           has(csv, "Counter_Value");
}

/* Is the record a header, and of which layout? */
static bool recognise(const wl_csv *csv, wl_table_layout *layout, bool *summary)
{
    size_t known = 0;
    *summary = has(csv, "Kernel Name") && has(csv, "Invocations");
    if (*summary)
        return true;
    if (has(csv, "ID") && has(csv, "Kernel Name")) {
        *layout = has(csv, "Metric Name") && has(csv, "Metric Value") ? WL_TABLE_NCU_LONG : WL_TABLE_NCU_WIDE;
        return true;
    }
    if (is_amd_long(csv)) {
        *layout = WL_TABLE_NCU_LONG;
        return true;
    }
    for (size_t i = 0; i < csv->count && known < 2; i++)
        known += wl_column_find(wl_csv_cell(csv, i)).kind != WL_COLUMN_OTHER;
    *layout = WL_TABLE_OWN;
    return known == 2;
}

/* A table of launches names the first extent of the block, at least. */
static wl_status check_launch_columns(reader *r)
{
    bool block[3] = {false}, grid[3] = {false}, shape = false;
    for (size_t i = 0; i < r->column_count; i++) {
        const wl_column *c = &r->columns[i];
        if (c->kind == WL_COLUMN_BLOCK)
            block[c->index] = true;
        else if (c->kind == WL_COLUMN_GRID)
            grid[c->index] = true;
        shape = shape || c->kind == WL_COLUMN_BLOCK_SHAPE;
    }
    for (int d = 1; d < 3; d++) {
        r->one_dimensional[d] = !block[d] && !shape;
        r->flat_grid[d] = !grid[d] && grid[0];
    }
    if (block[0] || shape)
        return WL_OK;
    return wl_fail(r->err, WL_E_INPUT, (wl_loc){r->csv.line, 1, 1},
                   "the table has no column 'bx' (or block_size_x, launch__block_dim_x) with the threads of a block");
}

/* One note for all columns whose names mean nothing here. */
static void note_unknown(reader *r)
{
    char names[WL_MESSAGE_MAX] = "";
    size_t used = 0;
    for (size_t i = 0; i < r->column_count; i++) {
        const wl_column *c = &r->columns[i];
        if (c->kind != WL_COLUMN_OTHER || c->is_counter || !r->names[i][0] || wl_column_is_beside(r->names[i]))
            continue;
        if (used + strlen(r->names[i]) + sizeof ", .." + 32 < sizeof names)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", r->names[i]);
        else
            (void)snprintf(names + used, sizeof names - used, ", ..");
    }
    if (used > 0)
        wl_notes_add(&r->table->notes, r->csv.line, "columns that mean nothing here: %s", names);
}

static wl_status take_header(reader *r)
{
    const wl_csv *csv = &r->csv;
    wl_arena_reset(&r->arena);
    r->has_header = true;
    r->has_units = false;
    r->column_count = csv->count;
    r->columns = WL_ARENA_NEW(&r->arena, wl_column, csv->count);
    r->names = WL_ARENA_NEW(&r->arena, const char *, csv->count);
    r->units = WL_ARENA_NEW(&r->arena, const char *, csv->count);
    if (!r->columns || !r->names || !r->units)
        return wl_fail_memory(r->err);
    for (size_t i = 0; i < csv->count; i++) {
        const char *name = wl_csv_cell(csv, i);
        r->columns[i] = wl_column_find(name);
        if (!(r->names[i] = wl_arena_text(&r->arena, name, strlen(name))))
            return wl_fail_memory(r->err);
    }
    r->of_amd = is_amd_long(csv);
    for (int p = 0; p < PLACE_COUNT; p++)
        r->places[p] = wl_csv_find(csv, (r->of_amd ? amd_names : place_names)[p]);
    if (r->table->layout != WL_TABLE_OWN)
        return WL_OK;
    note_unknown(r);
    return check_launch_columns(r);
}

/* Tables may follow each other in one text: is this the start of the next? */
static bool may_be_header(const reader *r)
{
    const char *first = wl_csv_cell(&r->csv, 0);
    return !r->has_header || strcmp(first, r->names[0]) == 0 || strcmp(first, "ID") == 0;
}

static bool may_start_nvprof(const wl_csv *csv) { return wl_nvprof_recognise(csv) != WL_NVPROF_NONE; }

static wl_status open_nvprof(reader *r)
{
    const wl_nvprof_part part = wl_nvprof_recognise(&r->csv);
    if (part == WL_NVPROF_UNKNOWN)
        return wl_fail(
            r->err, WL_E_INPUT, (wl_loc){r->csv.line, 1, 1},
            "metrics launch by launch (nvprof --print-gpu-trace --metrics); export without --print-gpu-trace");
    WL_TRY(close_row(r));
    r->table->layout = WL_TABLE_NVPROF;
    WL_TRY(take_header(r));
    wl_nvprof_open(&r->nvprof, part, &r->csv);
    return WL_OK;
}

static wl_status close_nvprof(reader *r)
{
    for (size_t i = 0; i < r->nvprof.count; i++)
        WL_TRY(add_row(r, &r->nvprof.kernels[i]->row));
    return WL_OK;
}

/* On ncu's details page, lines of metrics may lack the columns of rules. */
static bool is_short_long(const reader *r)
{
    return r->table->layout == WL_TABLE_NCU_LONG && r->csv.count < r->column_count && r->csv.count > r->places[VALUE];
}

static wl_status read_record(reader *r)
{
    const wl_csv *csv = &r->csv;
    wl_notes *notes = &r->table->notes;
    wl_table_layout layout = WL_TABLE_OWN;
    bool summary = false;
    if (!csv->problem && strncmp(wl_csv_cell(csv, 0), "==", 2) == 0)
        return WL_OK; /* the profiler's own messages */
    if (!csv->problem && may_be_header(r) && recognise(csv, &layout, &summary)) {
        if (summary)
            return wl_fail(r->err, WL_E_INPUT, (wl_loc){csv->line, 1, 1},
                           "a summary over launches (--print-summary), not launches; export with --page raw");
        WL_TRY(close_row(r));
        r->table->layout = layout;
        return take_header(r);
    }
    if (!csv->problem && may_start_nvprof(csv))
        return open_nvprof(r);
    if (!r->has_header)
        wl_notes_add(notes, csv->line, "a line before the header");
    else if (csv->problem && csv->cut)
        wl_notes_add(notes, csv->line, "the last line is cut off");
    else if (csv->problem)
        wl_notes_add(notes, csv->line, "a line with %s", csv->problem);
    else if (csv->count != r->column_count && !is_short_long(r))
        wl_notes_add(notes, csv->line,
                     csv->cut && csv->count > 1 ? "the last line is cut off" : "a line that is not a row of the table");
    else if (r->table->layout == WL_TABLE_NVPROF)
        return wl_nvprof_take(&r->nvprof, csv, notes, r->err);
    else
        return r->table->layout == WL_TABLE_NCU_LONG ? read_long(r) : read_wide(r);
    return WL_OK;
}

/* ---- the table ---- */

/* Few kernels use local memory or textures, and few tables have their counters. */
static bool is_rare(int metric)
{
    return metric == WL_METRIC_inst_local_ld || metric == WL_METRIC_inst_local_st ||
           metric == WL_METRIC_l1_sectors_local_ld || metric == WL_METRIC_l1_sectors_local_st ||
           metric == WL_METRIC_inst_texture || metric == WL_METRIC_texture_wavefronts;
}

/* One note for all metrics that no row has. */
static void note_missing(wl_table *t)
{
    char names[WL_MESSAGE_MAX] = "";
    size_t used = 0;
    for (int m = 0; m <= WL_METRIC_COUNT; m++) {
        const bool is_time = m == WL_METRIC_COUNT;
        const char *counter = is_time ? "time" : wl_metric_counter((wl_metric)m);
        if (counter[0] == '\0' || strchr(counter, '{') || is_rare(m))
            continue; /* no counter measures it, or only several do */
        size_t i = 0;
        while (i < t->count && !(is_time ? t->rows[i].time_known : t->rows[i].values->known[m]))
            i++;
        if (i < t->count)
            continue;
        const char *name = is_time ? "time" : wl_metric_name((wl_metric)m);
        if (used + strlen(name) + sizeof ", .." < sizeof names)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", name);
        else
            /* more than a note has room for */
            (void)snprintf(names + used, sizeof names - used, ", ..");
    }
    if (used > 0)
        wl_notes_add(&t->notes, 0, "not measured: %s", names);
}

static wl_status read_table(reader *r)
{
    wl_table *t = r->table;
    for (;;) {
        bool more = false;
        WL_TRY(wl_csv_next(&r->csv, &more, r->err));
        if (!more)
            break;
        if (r->first_line == 0)
            r->first_line = r->csv.line;
        WL_TRY(read_record(r));
    }
    WL_TRY(close_row(r));
    WL_TRY(close_nvprof(r));
    if (!t->notes.failed && t->count > 0)
        note_missing(t);
    if (t->notes.failed)
        return wl_fail_memory(r->err);
    if (!r->has_header)
        return wl_fail(r->err, WL_E_INPUT, (wl_loc){r->first_line, r->first_line > 0, 1},
                       "no header of a measured table: neither our columns nor those of ncu --csv or nvprof --csv");
    if (t->count > 0)
        return WL_OK;
    if (t->notes.count == 0)
        return wl_fail(r->err, WL_E_INPUT, WL_NOWHERE, "the table has a header and no rows");
    const wl_note *last = &t->notes.notes[t->notes.count - 1];
    return wl_fail(r->err, WL_E_INPUT, (wl_loc){last->line, last->line > 0, 1}, "not one row can be used: %.180s",
                   last->reason);
}

wl_status wl_table_parse(const char *input, const char *text, size_t length, wl_table **out, wl_error *err)
{
    wl_table *table = calloc(1, sizeof *table);
    if (!table)
        return wl_fail_memory(err);
    table->notes.arena = &table->arena;
    reader r = {.table = table, .err = err};
    wl_csv_open(&r.csv, text, length);
    const wl_status status = read_table(&r);
    wl_csv_free(&r.csv);
    wl_nvprof_free(&r.nvprof);
    wl_arena_free(&r.arena);
    free(r.row_key);
    if (status == WL_OK) {
        *out = table;
        return WL_OK;
    }
    wl_table_free(table);
    (void)wl_fail_in(err, input);
    return status;
}

void wl_table_free(wl_table *table)
{
    if (!table)
        return;
    wl_arena_free(&table->arena);
    free(table->rows);
    free(table->notes.notes);
    free(table);
}

wl_table_layout wl_table_layout_of(const wl_table *table) { return table->layout; }
size_t wl_table_count(const wl_table *table) { return table->count; }
bool wl_measurement_value(const wl_measurement *m, wl_metric metric, double *value)
{
    if (!m->values || !m->values->known[metric])
        return false;
    *value = m->values->value[metric];
    return true;
}

const wl_measurement *wl_table_row(const wl_table *table, size_t index) { return &table->rows[index]; }
size_t wl_table_note_count(const wl_table *table) { return table->notes.count; }
const wl_note *wl_table_note(const wl_table *table, size_t index) { return &table->notes.notes[index]; }

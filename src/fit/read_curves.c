/* read_curves.c - published curves from CSV: see curves.h. SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/room.h"
#include "base/text.h"
#include "fit/curves.h"
#include "measure/csv.h"

#define KIB 1024.0
#define GIGA 1e9
#define MEGA 1e6
#define COLUMNS_MAX 32
/* two values for the same x that differ by a larger factor contradict each other */
#define SAME 1.1
/* blocks per multiprocessor of streams, if the table does not state them: shared memory allowed
 * two */
#define TWO_BLOCKS 2.0
#define NAME_MAX_ 200 /* characters of a list of names in a message */

/* The columns that identify each kind, and those of its values. */
static const struct {
    const char *x, *values[WL_STREAMS], *instead; /* instead: another name of the value */
    double x_unit, value_unit;
} kinds[WL_CURVE_KINDS] = {
    [WL_CURVE_LATENCY] = {"buffer_kB", {"cycles"}, "cycles_mean", KIB, 1},
    [WL_CURVE_BLOCKS] = {"per_block_buffer_kB", {"GBs"}, NULL, KIB, GIGA},
    [WL_CURVE_L2] = {"dataset_kB", {"GBs"}, NULL, KIB, GIGA},
    [WL_CURVE_STREAMS] = {"block_threads", {"init", "read", "scale"}, NULL, 1, GIGA},
    [WL_CURVE_SMALL] = {"elements", {"GBs_by_block_size"}, NULL, 1, GIGA},
};

typedef struct reader {
    wl_curves *curves;
    const char *input, *text, *gpu;
    wl_csv csv;
    wl_error *err;
    wl_curve_kind kind;
    size_t cells; /* of the header */
    size_t device, variant, blocks, launched, clock, source, x, values[WL_STREAMS];
    size_t first; /* row of this table */
    char names[NAME_MAX_];
} reader;

/* ---- where an error is ---- */

static const char *line_start(const reader *r, int32_t line)
{
    const char *at = r->text;
    for (int32_t i = 1; i < line && at; i++) {
        at = strchr(at, '\n');
        at = at ? at + 1 : NULL;
    }
    return at ? at : r->text;
}

/* The cell's place: separators inside quotes do not count. */
static wl_loc loc_of(const reader *r, size_t cell)
{
    const char *start = line_start(r, r->csv.line), *at = start;
    bool quoted = false;
    for (size_t i = 0; i < cell && *at && *at != '\n'; at++) {
        quoted = *at == '"' ? !quoted : quoted;
        i += *at == ',' && !quoted;
    }
    return (wl_loc){.line = r->csv.line, .col = (int32_t)(at - start) + 1, .len = (int32_t)strcspn(at, ",\r\n")};
}

static wl_status bad(const reader *r, size_t cell, const char *format, const char *word)
{
    char shown[40];
    (void)snprintf(shown, sizeof shown, "%s", word);
    wl_text_mend_end(shown);
    (void)wl_fail(r->err, WL_E_INPUT, loc_of(r, cell), format, shown);
    return wl_fail_in(r->err, r->input);
}

/* ---- header ---- */

static bool has(const reader *r, const char *name) { return wl_csv_find(&r->csv, name) < r->csv.count; }

static bool is_kind(const reader *r, int k)
{
    if (!has(r, kinds[k].x))
        return false;
    for (int i = 0; i < WL_STREAMS && kinds[k].values[i]; i++)
        if (!has(r, kinds[k].values[i]) && !(kinds[k].instead && has(r, kinds[k].instead)))
            return false;
    return true;
}

static wl_status read_header(reader *r)
{
    int kind = 0;
    if (r->csv.problem)
        return bad(r, 0, "%s", r->csv.problem);
    while (kind < WL_CURVE_KINDS && !is_kind(r, kind))
        kind++;
    if (kind == WL_CURVE_KINDS)
        return bad(
            r, 0,
            "no curve has these columns%s: buffer_kB and cycles, per_block_buffer_kB and GBs, dataset_kB and GBs, "
            "block_threads, init, read and scale, or elements and GBs_by_block_size",
            "");
    if (!has(r, "device") && !has(r, "device_variant"))
        return bad(r, 0, "the header has no column 'device'%s", "");
    r->kind = (wl_curve_kind)kind;
    r->cells = r->csv.count;
    r->device = wl_csv_find(&r->csv, "device");
    r->variant = wl_csv_find(&r->csv, "device_variant");
    r->blocks = wl_csv_find(&r->csv, "blocks_per_sm");
    r->launched = wl_csv_find(&r->csv, "launched_by");
    r->clock = wl_csv_find(&r->csv, "clock_MHz");
    r->source = wl_csv_find(&r->csv, "source");
    r->x = wl_csv_find(&r->csv, kinds[kind].x);
    for (int i = 0; i < WL_STREAMS && kinds[kind].values[i]; i++) {
        r->values[i] = wl_csv_find(&r->csv, kinds[kind].values[i]);
        if (r->values[i] == r->cells)
            r->values[i] = wl_csv_find(&r->csv, kinds[kind].instead);
    }
    return WL_OK;
}

/* ---- rows ---- */

static wl_status read_number(const reader *r, size_t cell, double unit, double *value)
{
    const char *text = wl_csv_cell(&r->csv, cell);
    double number = 0;
    if (!wl_text_number(text, &number) || !isfinite(number) || !(number >= 0))
        return bad(r, cell, "'%s' is not a number that can be measured", text);
    *value = number * unit;
    return WL_OK;
}

/* "15 18 22": one value per block size. */
static wl_status read_list(const reader *r, wl_curve_row *row)
{
    const size_t cell = r->values[0];
    const char *at = wl_csv_cell(&r->csv, cell);
    while (*at == ' ')
        at++;
    while (*at) {
        const char *end;
        const double value = wl_number_read(at, &end);
        if (end == at || (*end && *end != ' ') || !isfinite(value) || value < 0 || row->count == WL_CURVE_VALUES)
            return bad(r, cell, "'%s' is not a list of bandwidths, one per block size", wl_csv_cell(&r->csv, cell));
        row->values[row->count++] = value * kinds[r->kind].value_unit;
        for (at = end; *at == ' ';)
            at++;
    }
    return row->count > 0 ? WL_OK : bad(r, cell, "the list of bandwidths is empty%s", "");
}

static wl_status read_values(const reader *r, wl_curve_row *row)
{
    if (r->kind == WL_CURVE_SMALL)
        return read_list(r, row);
    for (int i = 0; i < WL_STREAMS && kinds[r->kind].values[i]; i++) {
        WL_TRY(read_number(r, r->values[i], kinds[r->kind].value_unit, &row->values[row->count]));
        row->count++;
    }
    return WL_OK;
}

/* The same place measured twice in one table, with different results. */
static wl_status check_again(const reader *r, const wl_curve_row *row)
{
    for (size_t i = r->first; i < r->curves->count; i++) {
        const wl_curve_row *other = &r->curves->rows[i];
        if (other->x != row->x || other->blocks != row->blocks || strcmp(other->source, row->source) != 0)
            continue;
        const double a = other->values[0], b = row->values[0];
        if (other->count == row->count && fmax(a, b) <= SAME * fmin(a, b))
            continue;
        (void)wl_fail(r->err, WL_E_INPUT, loc_of(r, r->values[0]), "line %d has another value for the same point",
                      (int)other->line);
        return wl_fail_in(r->err, r->input);
    }
    return WL_OK;
}

static wl_status keep(reader *r, const wl_curve_row *row)
{
    wl_curves *c = r->curves;
    if (!WL_ROOM(c->rows, c->count + 1, c->capacity))
        return wl_fail_memory(r->err);
    c->rows[c->count++] = *row;
    return WL_OK;
}

/* Does the row belong to the wanted device? Of short copies, which may be launched in other ways,
 * only those in a stream count. */
static bool is_wanted(const reader *r)
{
    const char *name = wl_csv_cell(&r->csv, r->device < r->cells ? r->device : r->variant);
    if (r->launched < r->cells && strcmp(wl_csv_cell(&r->csv, r->launched), "stream") != 0)
        return false;
    return strcmp(name, r->gpu) == 0;
}

/* For the message that lists the names which the table has. */
static void remember_name(reader *r)
{
    const char *name = wl_csv_cell(&r->csv, r->device < r->cells ? r->device : r->variant);
    const size_t length = strlen(name), used = strlen(r->names);
    const char *found = strstr(r->names, name);
    const bool known = found && (found[length] == '\0' || found[length] == ',');
    if (!known && length > 0 && used + length + 3 < sizeof r->names)
        (void)snprintf(r->names + used, sizeof r->names - used, "%s%s", used ? ", " : "", name);
}

static wl_status read_row(reader *r)
{
    wl_curve_row row = {.kind = r->kind, .blocks = TWO_BLOCKS, .line = r->csv.line};
    if (r->csv.problem)
        return bad(r, 0, "%s", r->csv.problem);
    if (r->csv.count != r->cells) {
        (void)wl_fail(r->err, WL_E_INPUT, loc_of(r, 0), "the row has %zu cells, the header %zu%s", r->csv.count,
                      r->cells, r->csv.cut ? ": is the file cut off?" : "");
        return wl_fail_in(r->err, r->input);
    }
    remember_name(r);
    if (!is_wanted(r))
        return WL_OK;
    WL_TRY(read_number(r, r->x, kinds[r->kind].x_unit, &row.x));
    if (!(row.x > 0))
        return bad(r, r->x, "%s must be more than 0", kinds[r->kind].x);
    if (r->kind == WL_CURVE_STREAMS && r->blocks < r->cells)
        WL_TRY(read_number(r, r->blocks, 1, &row.blocks));
    if (r->clock < r->cells && *wl_csv_cell(&r->csv, r->clock))
        WL_TRY(read_number(r, r->clock, MEGA, &row.clock));
    WL_TRY(read_values(r, &row));
    const char *slash = strrchr(r->input, '/'), *file = slash ? slash + 1 : r->input;
    const char *source = r->source < r->cells ? wl_csv_cell(&r->csv, r->source) : file;
    row.source = wl_arena_text(&r->curves->arena, source, strlen(source));
    if (!row.source)
        return wl_fail_memory(r->err);
    WL_TRY(check_again(r, &row));
    return keep(r, &row);
}

static wl_status read_rows(reader *r)
{
    bool more = false;
    WL_TRY(wl_csv_next(&r->csv, &more, r->err));
    if (!more) {
        (void)wl_fail(r->err, WL_E_INPUT, WL_NOWHERE, "the table is empty");
        return wl_fail_in(r->err, r->input);
    }
    WL_TRY(read_header(r));
    for (;;) {
        WL_TRY(wl_csv_next(&r->csv, &more, r->err));
        if (!more)
            break;
        WL_TRY(read_row(r));
    }
    if (r->curves->count > r->first)
        return WL_OK;
    (void)wl_fail(r->err, WL_E_INPUT, WL_NOWHERE, "no row is of '%.40s'; the table has: %s", r->gpu, r->names);
    return wl_fail_in(r->err, r->input);
}

wl_status wl_curves_new(wl_curves **out, wl_error *err)
{
    *out = calloc(1, sizeof **out);
    return *out ? WL_OK : wl_fail_memory(err);
}

void wl_curves_free(wl_curves *curves)
{
    if (!curves)
        return;
    wl_arena_free(&curves->arena);
    free(curves->rows);
    free(curves);
}

wl_status wl_curves_add(wl_curves *curves, const char *input, const char *text, size_t length, const char *gpu,
                        wl_error *err)
{
    reader r = {.curves = curves, .input = input, .text = text, .gpu = gpu, .err = err, .first = curves->count};
    wl_csv_open(&r.csv, text, length);
    const wl_status status = read_rows(&r);
    wl_csv_free(&r.csv);
    return status;
}

/* row.c - see row.h. An unreadable number makes its metric unknown; only the block is required.
 * SPDX-License-Identifier: MIT */
#include "measure/row.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/print.h"
#include "base/room.h"

#define NOTES_MAX 100
#define EXTENT_LIMIT 4294967296.0

/* ---- notes ---- */

static wl_note *find_note(wl_notes *notes, const char *reason)
{
    for (size_t i = 0; i < notes->count; i++)
        if (strcmp(notes->notes[i].reason, reason) == 0)
            return &notes->notes[i];
    return NULL;
}

void wl_notes_add(wl_notes *notes, int32_t line, const char *format, ...)
{
    char reason[WL_MESSAGE_MAX];
    va_list args;
    va_start(args, format);
    (void)wl_print_list(reason, sizeof reason, format, args);
    va_end(args);
    for (char *p = reason; *p; p++)
        if ((unsigned char)*p < ' ')
            *p = '?';
    wl_note *note = find_note(notes, reason);
    if (!note && notes->count >= NOTES_MAX) { /* one note replaces all further ones */
        (void)snprintf(reason, sizeof reason, "a problem of another kind");
        note = find_note(notes, reason);
    }
    if (note) {
        note->count++;
        return;
    }
    const char *text = wl_arena_text(notes->arena, reason, strlen(reason));
    if (text && WL_ROOM(notes->notes, notes->count + 1, notes->capacity))
        notes->notes[notes->count++] = (wl_note){line, 1, text};
    else
        notes->failed = true;
}

/* ---- cells ---- */

static const char *keep(const char *text, size_t length, wl_notes *notes)
{
    const char *kept = wl_arena_text(notes->arena, text, length);
    notes->failed = notes->failed || !kept;
    return kept ? kept : "";
}

/* "(256, 1, 1)", "(256,1,1)", "256x1x1" */
static bool read_shape(const char *text, int64_t extent[3])
{
    const char *p = text;
    int64_t read[3] = {1, 1, 1};
    const bool open = *p == '(';
    p += open;
    for (int d = 0; d < 3; d++) {
        p += strspn(p, " ");
        int64_t value = 0;
        const size_t digits = strspn(p, "0123456789");
        if (digits == 0 || digits > 10)
            return false;
        for (size_t i = 0; i < digits; i++)
            value = 10 * value + (*p++ - '0');
        if (value < 1 || (double)value > EXTENT_LIMIT)
            return false;
        read[d] = value;
        p += strspn(p, " ");
        if (d < 2 && *p != ',' && *p != 'x')
            break;
        p += d < 2;
    }
    if (strcmp(p, open ? ")" : "") != 0)
        return false;
    memcpy(extent, read, sizeof read);
    return true;
}

/* The number in base units. False: there is none; with a note, unless the cell says "not
 * measured". */
static bool read_number(const wl_row *row, const char *name, const wl_column *c, const char *unit, const char *text,
                        wl_notes *notes, double *value)
{
    double scale = 1;
    if (wl_column_is_absent(text))
        return false;
    if (!wl_column_number(text, value)) {
        if (row->column > 0)
            wl_notes_add(notes, row->line, "column %d, %.60s: '%.40s' is not a number", row->column, name, text);
        else
            wl_notes_add(notes, row->line, "%.60s: '%.40s' is not a number", name, text);
        return false;
    }
    if (*value < 0) {
        wl_notes_add(notes, row->line, "%.80s is negative", name);
        return false;
    }
    const bool has_unit = unit && *unit;
    if (has_unit && !wl_column_unit(c->dimension, unit, &scale)) {
        wl_notes_add(notes, row->line, "%.80s has the unit '%.20s', which does not measure it", name, unit);
        return false;
    }
    if (!has_unit || c->dimension == WL_DIM_COUNT)
        scale *= c->factor;
    *value = wl_unit_convert(*value, scale);
    if (isfinite(*value))
        return true;
    wl_notes_add(notes, row->line, "%.80s is too large", name);
    return false;
}

static bool is_whole(double value, double lo, double hi) { return value >= lo && value <= hi && value == floor(value); }

static void take_extent(wl_row *row, const wl_column *c, double value)
{
    int64_t *extent = c->kind == WL_COLUMN_BLOCK ? row->m.block : row->m.grid;
    if (is_whole(value, 1, EXTENT_LIMIT))
        extent[c->index] = (int64_t)value;
}

static void take_integer(wl_row *row, const char *name, const wl_column *c, double value, wl_notes *notes)
{
    wl_measurement *m = &row->m;
    if (!is_whole(value, 0, EXTENT_LIMIT)) {
        wl_notes_add(notes, row->line, "%.80s is not a whole number in range", name);
        return;
    }
    const int64_t whole = (int64_t)value;
    switch (c->kind) {
    case WL_COLUMN_REGISTERS: m->registers = whole; break;
    case WL_COLUMN_BLOCKS_PER_SM: m->blocks_per_sm = whole; break;
    case WL_COLUMN_SHARED:
        m->shared_bytes = whole;
        m->shared_known = true;
        break;
    case WL_COLUMN_SHARED_PART:
        row->parts[c->index] = whole;
        row->part_known[c->index] = true;
        break;
    default: /* WL_COLUMN_BLOCK_LIMIT */
        if (whole > 0 && (row->block_limit == 0 || whole < row->block_limit))
            row->block_limit = whole;
    }
}

static void take_time(wl_row *row, const wl_column *c, double value)
{
    if (value <= 0 || (row->m.time_known && row->time_rank <= c->index))
        return;
    row->m.time_known = true;
    row->m.time_s = value;
    /* by Nsight Compute, which empties the caches */
    row->m.cold = c->index == WL_TIME_PROFILED || c->index == WL_TIME_PROFILED_TEXT;
    row->m.time_of_profiler = row->m.cold || c->index == WL_TIME_KERNEL;
    row->time_rank = c->index;
}

static void take_number(wl_row *row, const char *name, const wl_column *c, double value, wl_notes *notes)
{
    switch (c->kind) {
    case WL_COLUMN_BLOCK:
    case WL_COLUMN_GRID: take_extent(row, c, value); break;
    case WL_COLUMN_WORK: row->m.work = value; break;
    case WL_COLUMN_TIME: take_time(row, c, value); break;
    case WL_COLUMN_BEGIN: row->begin = value; break;
    case WL_COLUMN_END: row->end = value; break;
    case WL_COLUMN_METRIC:
        if (!row->values.known[c->index]) { /* of two columns for one metric, the first wins */
            row->values.known[c->index] = true;
            row->values.value[c->index] = value;
        }
        break;
    default: take_integer(row, name, c, value, notes);
    }
}

bool wl_row_count(wl_row *row, const wl_counter_name *counter, const char *unit, const char *text)
{
    double value = 0, scale = 1;
    const int i = counter->index, per = (int)counter->per;
    if (wl_column_is_absent(text) || !wl_column_number(text, &value) || !(value >= 0) ||
        !wl_counter_unit(counter, unit ? unit : "", &scale))
        return false;
    value = wl_unit_convert(value, scale);
    /* of two columns for one counter, the first wins */
    if (!isfinite(value) || row->counted[per][i])
        return false;
    row->counted[per][i] = true;
    row->counts[per][i] = value;
    return true;
}

/* rocprof: "copy(float*, int) [clone .kd]" */
static size_t kernel_length(const char *name)
{
    const char *clone = strstr(name, " [clone");
    return clone ? (size_t)(clone - name) : strlen(name);
}

void wl_row_take(wl_row *row, const char *name, const wl_column *c, const char *unit, const char *text, wl_notes *notes)
{
    double value = 0;
    if (c->is_counter && wl_row_count(row, &c->counter, unit, text) && c->kind == WL_COLUMN_OTHER)
        row->counts_more = true;
    switch (c->kind) {
    case WL_COLUMN_OTHER: return;
    case WL_COLUMN_FAMILY: row->m.family = keep(text, strlen(text), notes); return;
    case WL_COLUMN_VARIANT: row->m.variant = keep(text, strlen(text), notes); return;
    case WL_COLUMN_PARAMS: row->m.params = keep(text, strlen(text), notes); return;
    case WL_COLUMN_KERNEL: row->m.kernel = keep(text, kernel_length(text), notes); return;
    case WL_COLUMN_BLOCK_SHAPE: (void)read_shape(text, row->m.block); return;
    case WL_COLUMN_GRID_SHAPE: (void)read_shape(text, row->m.grid); return;
    default: break;
    }
    if (read_number(row, name, c, unit, text, notes, &value))
        take_number(row, name, c, value, notes);
}

/* ---- the whole row ---- */

/* "void app::stencil<double, 4>(double *, int)" is "stencil". */
static const char *plain_name(const char *kernel, wl_notes *notes)
{
    static const char *const unnamed[] = {"(anonymous namespace)::", "<unnamed>::"};
    const char *start = strncmp(kernel, "void ", 5) == 0 ? kernel + 5 : kernel;
    for (size_t i = 0; i < sizeof unnamed / sizeof unnamed[0]; i++) {
        const char *found = strstr(start, unnamed[i]);
        if (found && strcspn(start, "(<") == (size_t)(found - start))
            start = found + strlen(unnamed[i]);
    }
    const char *end = start + strcspn(start, "(<");
    const char *from = end;
    while (from > start && from[-1] != ':' && from[-1] != ' ')
        from--;
    return keep(from, (size_t)(end - from), notes);
}

/* ---- counters ---- */

static bool count_of(const wl_row *row, wl_counted_per per, const char *name, double *value)
{
    wl_counter_name found;
    if (!wl_counter_find(name, &found) || !row->counted[per][found.index])
        return false;
    *value = row->counts[per][found.index];
    return true;
}

/* Cycles of the launch: counted, or its time at the measured clock. */
static bool cycles_of(const wl_row *row, double *cycles)
{
    static const char *const names[] = {"smsp__cycles_elapsed.avg", "sm__cycles_elapsed.avg", "sm__cycles_elapsed.max"};
    double hz = 0, ns = 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (count_of(row, WL_PER_LAUNCH, names[i], cycles))
            return true;
    if (!count_of(row, WL_PER_LAUNCH, "gpu__time_duration.sum", &ns))
        return false;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (count_of(row, WL_PER_SECOND, names[i], &hz)) {
            *cycles = hz * ns * 1e-9;
            return true;
        }
    }
    return false;
}

/* Totals of counters that the table gives only as rates. */
static void add_totals(wl_row *row)
{
    double length[WL_PER_COUNT] = {0};
    bool known[WL_PER_COUNT] = {false};
    known[WL_PER_SECOND] = count_of(row, WL_PER_LAUNCH, "gpu__time_duration.sum", &length[WL_PER_SECOND]);
    length[WL_PER_SECOND] *= 1e-9;
    known[WL_PER_CYCLE] = cycles_of(row, &length[WL_PER_CYCLE]);
    for (int per = WL_PER_SECOND; per < WL_PER_COUNT; per++) {
        for (int i = 0; i < WL_COUNTER_COUNT && known[per]; i++) {
            const double total = row->counts[per][i] * length[per];
            if (row->counted[WL_PER_LAUNCH][i] || !row->counted[per][i] || !isfinite(total))
                continue;
            row->counted[WL_PER_LAUNCH][i] = true;
            row->counts[WL_PER_LAUNCH][i] = total;
        }
    }
}

static void keep_counts(wl_row *row, wl_notes *notes)
{
    size_t count = 0;
    for (int i = 0; i < WL_COUNTER_COUNT; i++)
        count += row->counted[WL_PER_LAUNCH][i];
    if (count == 0)
        return;
    wl_counted_value *list = WL_ARENA_NEW(notes->arena, wl_counted_value, count);
    notes->failed = notes->failed || !list;
    if (!list)
        return;
    row->values.counts = (wl_counts){list, count};
    for (int i = 0; i < WL_COUNTER_COUNT; i++)
        if (row->counted[WL_PER_LAUNCH][i])
            *list++ = (wl_counted_value){i, row->counts[WL_PER_LAUNCH][i]};
}

static bool has_tally(const wl_row *row)
{
    const char *difference = "";
    double value = 0;
    for (int t = 0; t < WL_TALLY_COUNT; t++)
        if (wl_counts_tally(&row->values.counts, (wl_tally)t, &value, &difference))
            return true;
    return false;
}

static bool is_complete(const int64_t extent[3]) { return extent[0] > 0 && extent[1] > 0 && extent[2] > 0; }

/* As counters have it, too. */
static void take_duration(wl_row *row)
{
    static const wl_column kernel = {.kind = WL_COLUMN_TIME, .index = WL_TIME_KERNEL};
    wl_counter_name duration;
    if (row->begin > 0 && row->end > row->begin)
        take_time(row, &kernel, 1e-9 * (row->end - row->begin));
    if (!row->m.time_known || row->time_rank != WL_TIME_KERNEL ||
        !wl_counter_find("gpu__time_duration.sum", &duration) || row->counted[WL_PER_LAUNCH][duration.index])
        return;
    row->counted[WL_PER_LAUNCH][duration.index] = true;
    row->counts[WL_PER_LAUNCH][duration.index] = 1e9 * row->m.time_s;
}

void wl_row_finish(wl_row *row, wl_notes *notes)
{
    wl_measurement *m = &row->m;
    take_duration(row);
    add_totals(row);
    keep_counts(row, notes);
    bool measured = m->time_known || (row->counts_more && has_tally(row));
    for (int i = 0; i < WL_METRIC_COUNT; i++)
        measured = measured || row->values.known[i];
    if (!m->family[0])
        m->family = plain_name(m->kernel, notes);
    if (row->part_known[0] || row->part_known[1]) {
        m->shared_bytes = row->parts[0] + row->parts[1];
        m->shared_known = true;
    }
    if (m->blocks_per_sm == 0)
        m->blocks_per_sm = row->block_limit;
    if (!is_complete(m->grid))
        memset(m->grid, 0, sizeof m->grid);
    if (!is_complete(m->block) && row->block_optional)
        memset(m->block, 0, sizeof m->block);
    else if (!is_complete(m->block))
        row->unsound = "a launch without its block (three whole numbers above 0)";
    if (!row->unsound && !measured)
        row->unsound = "a launch with no value that is predicted";
}

/* roofline_text.c - a roofline for terminals: a picture of characters, a table, and words.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "report/common/roofline_report.h"
#include "report/common/marks.h"
#include "report/common/roofline_scene.h"
#include "report/common/words.h"

enum { WIDTH = 69 /* and 11 at the left */, HEIGHT = 22, NAME_MOST = 40, NARROW = 80, WORDS_WIDTH = 78 };

static const char digits[] = "123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

typedef struct canvas {
    char cells[HEIGHT][WIDTH + 1];
    const wl_scene *s;
} canvas;

/* Data to cells. */
static int column_of(const canvas *c, double x)
{
    return (int)floor((log10(x) - c->s->x_low) / (c->s->x_high - c->s->x_low) * WIDTH);
}

static int row_of(const canvas *c, double y)
{
    return HEIGHT - 1 - (int)floor((log10(y) - c->s->y_low) / (c->s->y_high - c->s->y_low) * HEIGHT);
}

static void set(canvas *c, int row, int column, char mark)
{
    if (row >= 0 && row < HEIGHT && column >= 0 && column < WIDTH)
        c->cells[row][column] = mark;
}

static double intensity_at(const canvas *c, int column)
{
    return pow(10, c->s->x_low + (column + 0.5) / WIDTH * (c->s->x_high - c->s->x_low));
}

static void draw_roofs(canvas *c)
{
    double top = 0, steepest = 0;
    for (int i = 0; i < c->s->roof_count; i++) {
        const wl_roof *f = &c->s->roofs[i].roof;
        if (!f->unfused || !f->slanted)
            *(f->slanted ? &steepest : &top) = fmax(f->slanted ? steepest : top, f->rate);
    }
    for (int i = 0; i < c->s->roof_count; i++) {
        const wl_roof *f = &c->s->roofs[i].roof;
        for (int column = 0; column < WIDTH; column++) {
            const double x = intensity_at(c, column), y = f->slanted ? f->rate * x : f->rate;
            if (f->slanted ? y <= top || top == 0 : steepest == 0 || f->rate <= steepest * x)
                set(c, row_of(c, y), column, f->unfused ? '.' : f->slanted ? '/' : '-');
        }
    }
}

static void draw_walls(canvas *c)
{
    for (int i = 0; i < c->s->wall_count; i++) {
        const double roof =
            wl_roofline_bandwidth(c->s->r, c->s->walls[i].shared ? WL_LEVEL_SHARED : WL_LEVEL_L1) * c->s->walls[i].x;
        const int column = column_of(c, c->s->walls[i].x);
        for (int row = HEIGHT - 1; row >= 0 && row > row_of(c, roof); row--)
            if (column >= 0 && column < WIDTH && c->cells[row][column] == ' ')
                set(c, row, column, '|');
    }
}

/* Numbers from 10 on are letters; '*' stands for several launches. */
static void draw_marks(canvas *c)
{
    const wl_roofline *r = c->s->r;
    for (size_t i = 0; i < r->mark_count; i++) {
        const wl_mark *m = &r->marks[i];
        const size_t number = wl_roofline_number(r, m->launch);
        const int row = row_of(c, m->y), column = column_of(c, m->x);
        if (m->series == WL_SERIES_THREAD || row < 0 || row >= HEIGHT || column < 0 || column >= WIDTH)
            continue;
        const char mark = number < sizeof digits ? digits[number - 1] : '+';
        const char before = c->cells[row][column];
        const bool taken = before != ' ' && before != mark && !strchr("/-.|", before);
        set(c, row, column, taken ? '*' : mark);
    }
}

/* A decade of rates at the left of a row. */
static void add_row(const canvas *c, int row, wl_buffer *out)
{
    const double step = (c->s->y_high - c->s->y_low) / HEIGHT;
    const double high = c->s->y_high - row * step, power = floor(high);
    int end = WIDTH;
    if (power > high - step && power >= 9)
        wl_buffer_add(out, "%9.7g +", pow(10, power - 9));
    else if (power > high - step)
        wl_buffer_add(out, "%9.3g +", pow(10, power - 9));
    else
        wl_buffer_add(out, "%9s |", "");
    while (end > 0 && c->cells[row][end - 1] == ' ')
        end--;
    wl_buffer_put(out, c->cells[row], (size_t)end);
    wl_buffer_text(out, "\n");
}

/* Decades of intensities under the picture. */
static void add_axis(const canvas *c, wl_buffer *out)
{
    char ruler[WIDTH + 1], names[WIDTH];
    memset(ruler, '-', WIDTH);
    memset(names, ' ', sizeof names);
    ruler[WIDTH] = '\0';
    for (int power = (int)ceil(c->s->x_low); power <= (int)floor(c->s->x_high); power++) {
        char name[16];
        wl_buffer text = {0};
        const int column = column_of(c, pow(10, power) * 1.0001);
        wl_buffer_add(&text, "%.6g", pow(10, power));
        const size_t length = text.length < sizeof name ? text.length : 0;
        memcpy(name, wl_buffer_string(&text), length);
        wl_buffer_drop_part(&text, out);
        if (column < 0 || column >= WIDTH)
            continue;
        ruler[column] = '+';
        memcpy(names + (column + (int)length > WIDTH ? WIDTH - (int)length : column), name, length);
    }
    size_t end = sizeof names;
    while (end > 0 && names[end - 1] == ' ')
        end--;
    wl_buffer_add(out, "%9s +%s\n%11s", "", ruler, "");
    wl_buffer_put(out, names, end);
    wl_buffer_text(out, "\n");
}

static void add_picture(const wl_scene *s, wl_buffer *out)
{
    canvas c = {.s = s};
    for (int row = 0; row < HEIGHT; row++) {
        memset(c.cells[row], ' ', WIDTH);
        c.cells[row][WIDTH] = '\0';
    }
    draw_roofs(&c);
    draw_walls(&c);
    draw_marks(&c);
    wl_buffer_add(out, "\n  %s over %s\n", s->r->kind == WL_ROOFLINE_INSTRUCTION ? "warp GIPS" : "GFLOP/s",
                  s->r->kind == WL_ROOFLINE_INSTRUCTION ? "instructions per transaction of 32 B" : "FLOP/byte");
    for (int row = 0; row < HEIGHT; row++)
        add_row(&c, row, out);
    add_axis(&c, out);
}

/* ---- lists ---- */

/* Starts an item of a list in one line, which may be wrapped. */
static void start_item(bool first, const char *list, wl_buffer *out)
{
    if (first)
        wl_line(out, 9, "  %s  ", list);
    else
        wl_buffer_text(out, ", ");
}

static void add_roofs(const wl_scene *s, wl_buffer *out)
{
    wl_buffer_text(out, "\n");
    for (int i = 0; i < s->roof_count; i++) {
        char label[WL_SCENE_TEXT];
        wl_roof_label(s->r, &s->roofs[i].roof, label);
        start_item(i == 0, "roofs", out);
        wl_buffer_text(out, label);
    }
    wl_buffer_text(out, s->roof_count > 0 ? "\n" : "");
    for (int i = 0; i < s->wall_count; i++) {
        start_item(i == 0, "walls", out);
        wl_buffer_add(out, "%s %.4g", s->walls[i].name, s->walls[i].x);
    }
    wl_buffer_text(out, s->wall_count > 0 ? "\n" : "");
}

/* Characters of UTF-8. */
static size_t characters(const wl_buffer *b)
{
    size_t count = 0;
    for (size_t i = 0; i < b->length; i++)
        count += ((unsigned char)b->text[i] & 0xC0) != 0x80;
    return count;
}

static void make_cell(const wl_roofline *r, size_t launch, wl_column c, wl_buffer *out)
{
    wl_buffer whole = {0};
    wl_roofline_cell(r, launch, c, &whole);
    if (c == WL_COLUMN_KERNEL && whole.text)
        wl_shorten(whole.text, NAME_MOST, out);
    else
        wl_buffer_text(out, wl_buffer_string(&whole));
    wl_buffer_drop_part(&whole, out);
}

static size_t width_of(const wl_roofline *r, wl_column c, bool *failed)
{
    size_t width = strlen(wl_column_head(r, c));
    for (size_t i = 0; i < r->launch_count; i++) {
        wl_buffer cell = {0};
        make_cell(r, i, c, &cell);
        width = characters(&cell) > width ? characters(&cell) : width;
        *failed = *failed || cell.failed;
        wl_buffer_drop(&cell);
    }
    return width;
}

static void pad(const wl_buffer *cell, size_t width, wl_buffer *out)
{
    const size_t length = characters(cell);
    wl_buffer_repeat(out, " ", length < width ? (int)(width - length) : 0);
}

/* The widths of the columns. */
typedef struct table {
    size_t widths[WL_COLUMN_COUNT]; /* 0: not shown */
    bool optional[WL_COLUMN_COUNT]; /* left out on a narrow terminal */
    int last;
} table;

/* Leaves out the least important columns until the rest fits into 80; those that still fit are put
 * back. */
static void choose_optional(table *t)
{
    static const wl_column order[] = {WL_COLUMN_LANES,  WL_COLUMN_L1,     WL_COLUMN_L2,     WL_COLUMN_TIME,
                                      WL_COLUMN_SOURCE, WL_COLUMN_SHARED, WL_COLUMN_GLOBAL, WL_COLUMN_LAUNCH};
    enum { COUNT = sizeof order / sizeof order[0], GAP = 2 };
    size_t all = 0;
    for (int c = 0; c < WL_COLUMN_COUNT; c++)
        all += t->widths[c] > 0 ? GAP + t->widths[c] : 0;
    for (int i = 0; i < COUNT && all > NARROW; i++) {
        t->optional[order[i]] = t->widths[order[i]] > 0;
        all -= t->optional[order[i]] ? GAP + t->widths[order[i]] : 0;
    }
    for (int i = COUNT - 1; i >= 0; i--) {
        if (!t->optional[order[i]] || all + GAP + t->widths[order[i]] > NARROW)
            continue;
        t->optional[order[i]] = false;
        all += GAP + t->widths[order[i]];
    }
}

static void add_cell(const table *t, wl_column c, wl_buffer *cell, wl_buffer *out)
{
    const size_t width = t->widths[c];
    wl_mark_if(out, t->optional[c], WL_MARK_WIDE);
    wl_buffer_text(out, "  ");
    if (!wl_column_is_text(c))
        pad(cell, width, out);
    wl_buffer_text(out, wl_buffer_string(cell));
    if (wl_column_is_text(c) && (int)c != t->last)
        pad(cell, width, out);
    wl_mark_if(out, t->optional[c], WL_MARK_WIDE);
    out->failed = out->failed || cell->failed;
    wl_buffer_drop(cell);
}

/* The units of the columns of intensities, which are named after memory levels. */
static void add_units(const wl_roofline *r, const table *t, wl_buffer *out)
{
    const char *separator = "  ";
    wl_mark_line(out, 4);
    for (int c = WL_COLUMN_L1; c <= WL_COLUMN_SHARED; c++) {
        if (t->widths[c] == 0)
            continue;
        wl_buffer_add(out, "%s%s", separator, wl_column_head(r, (wl_column)c));
        separator = ", ";
    }
    wl_buffer_add(out, ": %s; of it: share of that roof\n",
                  r->kind == WL_ROOFLINE_INSTRUCTION ? "instructions per transaction" : "FLOP per byte moved there");
}

static void add_table(const wl_roofline *r, wl_buffer *out)
{
    table t = {.last = 0};
    for (int c = 0; c < WL_COLUMN_COUNT; c++) {
        t.widths[c] = wl_column_shows(r, (wl_column)c, &out->failed) ? width_of(r, (wl_column)c, &out->failed) : 0;
        t.last = t.widths[c] > 0 ? c : t.last;
    }
    choose_optional(&t);
    wl_buffer_text(out, "\n");
    for (size_t row = 0; row <= r->launch_count; row++) { /* 0: heads */
        for (int c = 0; c < WL_COLUMN_COUNT; c++) {
            wl_buffer cell = {0};
            if (t.widths[c] == 0)
                continue;
            if (row == 0)
                wl_buffer_text(&cell, wl_column_head(r, (wl_column)c));
            else
                make_cell(r, row - 1, (wl_column)c, &cell);
            add_cell(&t, (wl_column)c, &cell, out);
        }
        wl_buffer_text(out, "\n");
    }
    add_units(r, &t, out);
}

static void add_words(const wl_roofline *r, wl_buffer *out)
{
    for (size_t i = 0; i < r->launch_count; i++) {
        wl_buffer words = {0};
        wl_buffer_add(&words, "%zu%s: ", wl_roofline_number(r, i), r->launches[i].tallies.measured ? ", measured" : "");
        wl_roofline_words(r, i, &words);
        wl_buffer_text(out, "\n");
        if (words.text)
            wl_wrapped_text(words.text, WORDS_WIDTH, out);
        wl_buffer_drop_part(&words, out);
    }
}

static void add_notes(const wl_roofline *r, wl_buffer *out)
{
    for (size_t i = 0;; i++) {
        wl_buffer note = {0};
        if (!wl_roofline_note(r, i, &note))
            return;
        if (i == 0)
            wl_note_gap(out);
        wl_note_line(out, "  ", "%s", wl_buffer_string(&note));
        wl_buffer_drop_part(&note, out);
    }
}

void wl_roofline_text(const void *result, wl_buffer *out)
{
    const wl_roofline *r = result;
    wl_scene s;
    wl_scene_make(r, &s);
    wl_headline(out, "%s of %s (%s)", wl_roofline_title(r), r->device, r->title);
    wl_buffer_text(out, "\n");
    add_picture(&s, out);
    add_roofs(&s, out);
    add_table(r, out);
    add_words(r, out);
    add_notes(r, out);
    out->failed = out->failed || s.failed;
    wl_scene_free(&s);
}

/* compare_svg.c - predicted over measured values, one panel per metric, as a picture that needs no
 * other program.
 *
 * A group has a colour (after Okabe and Ito, distinguishable for people with colour-blindness) and
 * a form. Points of a group that would cover each other are drawn once.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>

#include "base/fail.h"
#include "base/units.h"
#include "report/common/render.h"
#include "report/picture/compare_panels.h"
#include "report/picture/svg.h"

enum {
    WIDTH = 960,
    MARGIN = 24,
    TITLE = 96,      /* characters */
    COLUMNS = 3,     /* panels in a row, at most */
    SIDE_MOST = 400, /* of a panel */
    LEFT = 52,       /* labels beside it */
    RIGHT = 12,
    ABOVE = 26,
    BELOW = 46,
    ENTRIES = 4, /* of the legend, in a row */
    ENTRY_STEP = 20,
    NAME = 30 /* characters of a group's name */
};

#define AROUND 1.4 /* between the outermost points and the frame */

/* Lines beside the diagonal. */
static const struct {
    double off;
    const char *font, *name;
} bands[] = {{0.1, "near", "10 % above and below"}, {0.2, "far", "20 % above and below"}};
enum { BANDS = sizeof bands / sizeof bands[0] };

static const wl_svg_form forms[] = {WL_SVG_CIRCLE, WL_SVG_SQUARE, WL_SVG_DIAMOND, WL_SVG_UP, WL_SVG_DOWN};
enum { FORMS = sizeof forms / sizeof forms[0] };

typedef struct drawing {
    const wl_comparison *c;
    wl_buffer *out;
    double y;
    int side;   /* of a panel */
    bool *seen; /* side * side: a point of this group is there */
} drawing;

/* A panel and its frame. */
typedef struct frame {
    const wl_compare_panel *panel;
    double x, y, low, high; /* left upper corner; limits of both axes, in base units */
} frame;

/* 0 .. side */
static double along(const drawing *d, const frame *f, double value)
{
    return d->side * log(value / f->low) / log(f->high / f->low);
}

static double x_of(const drawing *d, const frame *f, double value) { return f->x + along(d, f, value); }
static double y_of(const drawing *d, const frame *f, double value) { return f->y + d->side - along(d, f, value); }

/* More groups than the legend names share a look. */
static bool is_named(const wl_comparison *c) { return c->group_count <= WL_PANEL_LEGEND_MAX; }

/* ---- a panel ---- */

static void add_tick(drawing *d, const frame *f, double value)
{
    const double x = x_of(d, f, value), y = y_of(d, f, value);
    wl_buffer_add(d->out, "<path class=\"grid\" d=\"M%.1f %.1fv%dM%.1f %.1fh%d\"/>\n", x, f->y, d->side, f->x, y,
                  d->side);
    wl_svg_words(d->out, x, f->y + d->side + 15, "faint middle", TITLE, "%.6g", value / f->panel->unit.scale);
    wl_svg_words(d->out, f->x - 6, y + 4, "faint end", TITLE, "%.6g", value / f->panel->unit.scale);
}

static void add_axes(drawing *d, const frame *f)
{
    const double *steps, scale = f->panel->unit.scale;
    const int count = wl_compare_steps(f->low, f->high, &steps);
    for (int power = (int)floor(log10(f->low / scale)); power <= (int)ceil(log10(f->high / scale)); power++)
        for (int s = 0; s < count; s++) {
            const double value = scale * steps[s] * pow(10, power);
            if (value >= f->low && value <= f->high)
                add_tick(d, f, value);
        }
    wl_svg_words(d->out, f->x + d->side / 2.0, f->y + d->side + 32, "middle", TITLE, "measured [%s]",
                 f->panel->unit.name);
    wl_svg_print(d->out,
                 "<text class=\"middle\" transform=\"translate(%.1f %.1f) rotate(-90)\">predicted [%s]</text>\n",
                 f->x - LEFT + 12, f->y + d->side / 2.0, f->panel->unit.name);
}

/* predicted = ratio * measured, inside the frame */
static void add_line(drawing *d, const frame *f, const char *font, double ratio)
{
    const double first = ratio < 1 ? f->low / ratio : f->low, last = ratio < 1 ? f->high : f->high / ratio;
    if (first < last)
        wl_buffer_add(d->out, "<path class=\"%s\" d=\"M%.1f %.1fL%.1f %.1f\"/>\n", font, x_of(d, f, first),
                      y_of(d, f, ratio * first), x_of(d, f, last), y_of(d, f, ratio * last));
}

/* True the first time that a point of the group is at this pixel. */
static bool is_new(drawing *d, const frame *f, double measured, double predicted)
{
    const int column = (int)fmin(d->side - 1, along(d, f, measured));
    const int row = (int)fmin(d->side - 1, along(d, f, predicted));
    bool *seen = &d->seen[row * d->side + column];
    const bool before = *seen;
    *seen = true;
    return !before;
}

static void add_group(drawing *d, const frame *f, size_t group)
{
    const int v = f->panel->value;
    memset(d->seen, 0, (size_t)d->side * (size_t)d->side * sizeof *d->seen);
    wl_buffer_add(d->out, "<g class=\"s%zu\"><path class=\"mark\" d=\"", group % WL_PANEL_LEGEND_MAX);
    for (size_t i = 0; i < d->c->row_count; i++) {
        const wl_compared_row *row = &d->c->rows[i];
        if ((is_named(d->c) && row->group != group) || !wl_compare_is_point(d->c, row, v) ||
            !is_new(d, f, row->measured[v], row->predicted[v]))
            continue;
        wl_svg_form_path(d->out, forms[group % FORMS], x_of(d, f, row->measured[v]), y_of(d, f, row->predicted[v]),
                         3.2);
    }
    wl_buffer_text(d->out, "\"/></g>\n");
}

static void add_panel(drawing *d, const frame *f)
{
    wl_svg_text(d->out, f->x + d->side / 2.0, f->y - 9, "head middle", wl_compared_name(f->panel->value), TITLE);
    add_axes(d, f);
    for (int b = 0; b < BANDS; b++) {
        add_line(d, f, bands[b].font, 1 - bands[b].off);
        add_line(d, f, bands[b].font, 1 + bands[b].off);
    }
    add_line(d, f, "equal", 1);
    wl_buffer_add(d->out, "<rect class=\"frame\" x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%d\"/>\n", f->x, f->y,
                  d->side, d->side);
    for (size_t g = 0; g < (is_named(d->c) ? d->c->group_count : 1); g++)
        add_group(d, f, g);
}

/* ---- the legend ---- */

static double entry_x(int n) { return MARGIN + n % ENTRIES * (WIDTH - 2 * MARGIN) / (double)ENTRIES; }

static void add_entry(drawing *d, int *n, const char *name)
{
    wl_svg_text(d->out, entry_x(*n) + 36, d->y + 4, "faint", name, NAME);
    d->y += *n % ENTRIES == ENTRIES - 1 ? ENTRY_STEP : 0;
    ++*n;
}

static void add_legend(drawing *d)
{
    int n = 0;
    d->y += 6;
    wl_buffer_add(d->out, "<path class=\"equal\" d=\"M%.1f %.1fh28\"/>\n", entry_x(n), d->y);
    add_entry(d, &n, "predicted as measured");
    for (int b = 0; b < BANDS; b++) {
        wl_buffer_add(d->out, "<path class=\"%s\" d=\"M%.1f %.1fh28\"/>\n", bands[b].font, entry_x(n), d->y);
        add_entry(d, &n, bands[b].name);
    }
    for (size_t g = 0; g < (is_named(d->c) ? d->c->group_count : 1); g++) {
        wl_buffer_add(d->out, "<g class=\"s%zu\">", g);
        wl_svg_mark(d->out, forms[g % FORMS], false, entry_x(n) + 14, d->y, 4.5);
        wl_buffer_text(d->out, "</g>\n");
        const wl_short many = wl_short_of("launches of %zu groups", d->c->group_count);
        add_entry(d, &n, is_named(d->c) ? d->c->groups[g].name : many.text);
    }
    d->y += n % ENTRIES ? ENTRY_STEP : 0;
}

/* ---- the whole ---- */

static void draw(drawing *d, const wl_compare_panel *panels, size_t count)
{
    const size_t columns = count < COLUMNS ? count : COLUMNS;
    const double width = (WIDTH - 2.0 * MARGIN) / (double)columns;
    const char *slash = strrchr(d->c->source, '/');
    wl_svg_words(d->out, MARGIN, MARGIN + 12, "title", TITLE, "Predicted over measured: %s on %s",
                 slash ? slash + 1 : d->c->source, d->c->title);
    d->y = MARGIN + 38;
    add_legend(d);
    d->y += 8;
    for (size_t p = 0; p < count; p++) {
        const frame f = {.panel = &panels[p],
                         .x = MARGIN + width * (double)(p % columns) + LEFT,
                         .y = d->y + ABOVE,
                         .low = panels[p].lo / AROUND,
                         .high = panels[p].hi * AROUND};
        add_panel(d, &f);
        if (p % columns == columns - 1 || p + 1 == count)
            d->y += ABOVE + d->side + BELOW;
    }
}

wl_status wl_comparison_svg(const void *result, wl_buffer *out, wl_error *err)
{
    const wl_comparison_report *report = result;
    wl_compare_panel panels[WL_VALUE_COUNT];
    wl_buffer body = {0};
    const size_t count = wl_compare_panels(report->comparison, panels);
    if (count == 0)
        return wl_fail(err, WL_E_INPUT, WL_NOWHERE, "no value above 0 is known on both sides");
    const int room = (WIDTH - 2 * MARGIN) / (int)(count < COLUMNS ? count : COLUMNS) - LEFT - RIGHT;
    drawing d = {.c = report->comparison, .out = &body, .side = room < SIDE_MOST ? room : SIDE_MOST};
    d.seen = malloc((size_t)d.side * (size_t)d.side * sizeof *d.seen);
    if (!d.seen)
        return wl_fail_memory(err);
    draw(&d, panels, count);
    free(d.seen);
    wl_svg_whole(out, "compare", WIDTH, d.y, report->comparison->title, &body);
    return WL_OK;
}

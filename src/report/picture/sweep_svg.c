/* sweep_svg.c - launches over the values of a parameter, drawn: speed, volumes, and the layer
 * condition, one line for each launch. SPDX-License-Identifier: MIT */
#include <math.h>

#include "base/units.h"
#include "report/common/sweep_report.h"
#include "report/picture/svg.h"

enum {
    WIDTH = 960,
    LEFT = 84,
    PANEL_WIDTH = 840,
    PANEL_HEIGHT = 200,
    PANEL_STEP = 262,
    LEGEND = 54, /* its first line */
    LEGEND_STEP = 20,
    MOST = 60,      /* characters of a title; pixels between the numbers of an axis */
    NAME_MOST = 120 /* characters of a line's name */
};

static const char *const colours[] = {"#4477aa", "#ee6677", "#228833", "#aa8800",
                                      "#66a0cc", "#aa3377", "#777777", "#44aa99"};
#define COLOURS (sizeof colours / sizeof colours[0])

/* What a panel shows of a point; NAN: nothing. */
typedef struct panel {
    const char *title;
    double (*of)(const wl_sweep_point *p);
} panel;

static double speed(const wl_sweep_point *p) { return p->items_per_s; }
static double dram(const wl_sweep_point *p) { return p->volume[WL_SWEEP_DRAM_LOAD] + p->volume[WL_SWEEP_DRAM_STORE]; }
static double l2(const wl_sweep_point *p) { return p->volume[WL_SWEEP_L2]; }
static double layers(const wl_sweep_point *p) { return p->needed > 0 ? p->needed / p->room : NAN; }

#define TICKS 4 /* of a vertical axis, about */

typedef struct range {
    double low, high;
} range;

static double x_of(const range *x, double value)
{
    const double whole = log(x->high / x->low);
    return LEFT + (whole > 0 ? log(value / x->low) / whole : 0.5) * PANEL_WIDTH;
}

/* Ticks of the parameter: its last value, and those before that leave room for their numbers. */
static void add_ticks(const wl_sweep *s, const range *x, double bottom, wl_buffer *out)
{
    double next = INFINITY;
    for (size_t i = s->count; i-- > 0;) {
        const double at = x_of(x, s->points[i].value);
        if (s->points[i].line != s->points[0].line || next - at < MOST)
            continue;
        next = at;
        wl_buffer_add(out, "<path class=\"axis\" d=\"M%.1f %.1fv5\"/>\n", at, bottom);
        wl_svg_words(out, at, bottom + 18, "faint small middle", MOST, "%.10g", s->points[i].value);
    }
}

static void add_axes(const wl_sweep *s, const range *x, double most, double step, double top, wl_buffer *out)
{
    const double bottom = top + PANEL_HEIGHT;
    wl_buffer_add(out, "<path class=\"axis\" d=\"M%d %.1fv%dh%d\"/>\n", LEFT, top, PANEL_HEIGHT, PANEL_WIDTH);
    for (double v = 0; v <= most * (1 + 1e-9); v += step) {
        const double y = bottom - v / most * PANEL_HEIGHT;
        wl_buffer_add(out, "<path class=\"grid\" d=\"M%d %.1fh%d\"/>\n", LEFT, y, PANEL_WIDTH);
        wl_svg_text(out, LEFT - 8, y + 4, "faint small end", wl_scaled_bare(v).text, MOST);
    }
    add_ticks(s, x, bottom, out);
}

static void add_line(const wl_sweep *s, const panel *p, size_t line, const range *x, double most, double top,
                     wl_buffer *out)
{
    const char *colour = colours[line % COLOURS];
    const double bottom = top + PANEL_HEIGHT;
    char move = 'M';
    wl_buffer_add(out, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"2\" d=\"", colour);
    for (size_t i = 0; i < s->count; i++) {
        const double value = p->of(&s->points[i]);
        if (s->points[i].line != line || isnan(value))
            continue;
        wl_buffer_add(out, "%c%.1f %.1f", move, x_of(x, s->points[i].value), bottom - value / most * PANEL_HEIGHT);
        move = 'L';
    }
    wl_buffer_text(out, "\"/>\n");
    for (size_t i = 0; i < s->count; i++) {
        const double value = p->of(&s->points[i]);
        if (s->points[i].line != line || isnan(value))
            continue;
        wl_buffer_add(out, "<circle fill=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"3\"><title>", colour,
                      x_of(x, s->points[i].value), bottom - value / most * PANEL_HEIGHT);
        wl_svg_print(out, "%s = %.10g: %.4g, limited by %s (%s)</title></circle>\n", s->name, s->points[i].value, value,
                     wl_bound_name(s->points[i].limiter), s->points[i].launch);
    }
}

/* False: no point has a value. */
static bool add_panel(const wl_sweep *s, const panel *p, const char *unit, const range *x, double top, wl_buffer *out)
{
    double most = 0;
    for (size_t i = 0; i < s->count; i++)
        most = fmax(most, isnan(p->of(&s->points[i])) ? 0 : p->of(&s->points[i]));
    if (!(most > 0))
        return false;
    if (p->of == layers)
        most = fmax(most, 1);
    const double step = wl_svg_step(most, TICKS);
    most = ceil(most / step - 1e-9) * step; /* the axis ends at a number */
    wl_svg_words(out, LEFT, top - 10, "words", NAME_MOST, p->title, unit);
    add_axes(s, x, most, step, top, out);
    if (p->of == layers) /* what fits is below this line */
        wl_buffer_add(out, "<path class=\"axis\" stroke-dasharray=\"6 4\" d=\"M%d %.1fh%d\"/>\n", LEFT,
                      top + PANEL_HEIGHT * (1 - 1 / most), PANEL_WIDTH);
    for (size_t l = 0; l < s->line_count; l++)
        add_line(s, p, l, x, most, top, out);
    return true;
}

void wl_sweep_svg(const void *result, wl_buffer *out)
{
    static const panel panels[] = {{"%ss per second", speed},
                                   {"bytes of DRAM per %s, loaded and stored", dram},
                                   {"bytes loaded from the L2 per %s", l2},
                                   {"layer condition: bytes of the layers / room in the L2; they fit below 1", layers}};
    const wl_sweep *s = result;
    wl_buffer body = {0};
    range x = {INFINITY, 0};
    double top = LEGEND + LEGEND_STEP * (double)s->line_count + 30;
    for (size_t i = 0; i < s->count; i++) {
        x.low = fmin(x.low, s->points[i].value);
        x.high = fmax(x.high, s->points[i].value);
    }
    wl_svg_words(&body, LEFT, 32, "words title", MOST,
                 s->points[0].best_of > 0 ? "%s over %s: the best launches" : "%s over %s", s->kernel, s->name);
    for (size_t l = 0; l < s->line_count; l++) {
        const double y = LEGEND + LEGEND_STEP * (double)l;
        wl_buffer_add(&body, "<rect fill=\"%s\" x=\"%d\" y=\"%.1f\" width=\"14\" height=\"4\"/>\n",
                      colours[l % COLOURS], LEFT, y - 4);
        wl_svg_text(&body, LEFT + 20, y + 2, "words small", s->lines[l], NAME_MOST);
    }
    for (size_t p = 0; p < sizeof panels / sizeof panels[0]; p++)
        if (add_panel(s, &panels[p], s->unit, &x, top, &body))
            top += PANEL_STEP;
    const double bottom = top - PANEL_STEP + PANEL_HEIGHT;
    wl_svg_text(&body, LEFT + PANEL_WIDTH / 2.0, bottom + 38, "faint middle", s->name, MOST);
    wl_svg_whole(out, "sweep", WIDTH, bottom + 52, s->kernel, &body);
}

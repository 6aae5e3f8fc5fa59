/* roofline_plot.c - a roofline by gnuplot, for PNG and PDF: the same scene as in the SVG.
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "report/picture/gnuplot.h"
#include "report/common/roofline_report.h"
#include "report/common/roofline_scene.h"

enum { MARGIN = 24, ROW = 19, CHARACTER = 7, PER_INCH = 96 };

static const char *const colours[] = {
    [WL_INK_L1] = "#b87f00",     [WL_INK_L2] = "#007a59",   [WL_INK_DRAM] = "#0072b2",
    [WL_INK_SHARED] = "#a8477c", [WL_INK_FLAT] = "#303030", [WL_INK_TENSOR] = "#c24e00"};

typedef struct script {
    const wl_scene *s;
    double height; /* of the page */
    wl_buffer *out;
} script;

/* "at screen X,Y" of a place in pixels from the top. */
static void add_place(const script *p, double x, double y)
{
    wl_buffer_add(p->out, "screen %.5f,%.5f", x / WL_SCENE_WIDTH, 1 - y / p->height);
}

static void add_label(const script *p, double x, double y, int anchor, const char *colour, int size, bool strong,
                      const char *text)
{
    static const char *const anchors[] = {"left", "center", "right"};
    wl_gnuplot_print(p->out, "set label %s at ", text);
    add_place(p, x, y - 4);
    wl_buffer_add(p->out, " %s tc rgb '%s' font '%s,%d' noenhanced front\n", anchors[anchor + 1], colour,
                  strong ? "Sans:Bold" : "Sans", size);
}

static void add_arrow(const script *p, const wl_scene_line *l, const char *colour, double width, int dashes)
{
    wl_buffer_text(p->out, "set arrow from ");
    add_place(p, l->x0, l->y0);
    wl_buffer_text(p->out, " to ");
    add_place(p, l->x1, l->y1);
    wl_buffer_add(p->out, " nohead lw %g dt %d lc rgb '%s'\n", width, dashes, colour);
}

enum { UNFUSED_DASHES = 2, WALL_DASHES = 3 }; /* of gnuplot */
static int join_dashes(wl_join join) { return join == WL_JOIN_MEASURED ? 2 : 3; }

static void add_lines(const script *p)
{
    const wl_scene *s = p->s;
    for (int i = 0; i < s->roof_count; i++)
        add_arrow(p, &s->roofs[i].line, colours[wl_roof_ink(&s->roofs[i].roof)], s->roofs[i].roof.unfused ? 1 : 2,
                  s->roofs[i].roof.unfused ? UNFUSED_DASHES : 1);
    for (int i = 0; i < s->wall_count; i++) {
        const wl_scene_line line = wl_scene_wall(s, i);
        add_arrow(p, &line, colours[s->walls[i].shared ? WL_INK_SHARED : WL_INK_L1], 1, WALL_DASHES);
    }
    for (size_t i = 0; i < s->leader_count; i++)
        add_arrow(p, &s->leaders[i], "#909090", 1, 1);
    for (size_t i = 0; i < s->join_count; i++)
        add_arrow(p, &s->joins[i].line, "#909090", 1, join_dashes(s->joins[i].join));
}

static void add_labels(const script *p)
{
    for (size_t i = 0; i < p->s->label_count; i++) {
        const wl_scene_label *l = &p->s->labels[i];
        if (l->angle == 0) {
            add_label(p, l->x, l->y, l->anchor, colours[l->ink], 8, l->strong, l->text);
            continue;
        }
        /* to the middle of the letters */
        const double turn = l->angle * 3.14159265358979323846 / 180, up = 4;
        wl_gnuplot_print(p->out, "set label %s at ", l->text);
        add_place(p, l->x - up * sin(turn), l->y - up * cos(turn));
        wl_buffer_add(p->out, " left rotate by %.1f tc rgb '%s' font 'Sans,8' noenhanced front\n", l->angle,
                      colours[l->ink]);
    }
}

/* ---- the table ---- */

static void add_cell(void *user, const wl_table_cell *cell)
{
    add_label(user, cell->x, WL_SCENE_BOTTOM + 66 + ROW * (double)cell->row, cell->from_left ? -1 : 1, "#202020", 8,
              cell->row == 0 || cell->column == WL_COLUMN_NUMBER, cell->text);
}

/* ---- marks: a block of data for each kind ---- */

static int form_of(wl_series series, bool measured)
{
    if (series == WL_SERIES_GLOBAL || series == WL_SERIES_SHARED)
        return measured ? 12 : 6;
    return measured ? 13 : series == WL_SERIES_TENSOR ? 9 : 7;
}

static bool is_of(const wl_roofline *r, const wl_mark *m, int series, int level, int measured)
{
    return (int)m->series == series && (int)m->level == level &&
           r->launches[m->launch].tallies.measured == (measured == 1);
}

static void add_block(const wl_roofline *r, int series, int level, int measured, int *index, wl_buffer *plot,
                      wl_buffer *data)
{
    bool any = false;
    for (size_t i = 0; i < r->mark_count; i++) {
        const wl_mark *m = &r->marks[i];
        if (!is_of(r, m, series, level, measured))
            continue;
        if (!any)
            wl_buffer_add(data, "%s# %s, %s, %s: intensity, rate, number, share of the roof\n", *index ? "\n\n" : "",
                          wl_series_name(m->series), wl_level_name(m->level), measured ? "measured" : "predicted");
        any = true;
        wl_buffer_add(data, "%.10g %.10g %zu %.6g\n", m->x, m->y / 1e9, wl_roofline_number(r, m->launch),
                      m->ceiling > 0 ? m->y / m->ceiling : 0);
    }
    if (!any)
        return;
    const wl_mark like = {.series = (wl_series)series, .level = (wl_level)level};
    wl_buffer_add(plot, "%s data index %d using 1:($2*1e9) with points pt %d ps %g lw 1.5 lc rgb '%s' notitle",
                  *index ? ", \\\n " : "plot", *index, form_of(like.series, measured),
                  series == WL_SERIES_THREAD ? 0.7 : 1.2, colours[wl_mark_ink(&like)]);
    (*index)++;
}

static void add_key_line(const script *p, const wl_scene_key *k)
{
    const wl_scene_line line = {k->x - 5, k->y - 4, k->x - 5 + WL_SCENE_KEY_LINE, k->y - 4};
    const bool joins = k->form == WL_KEY_JOIN;
    add_arrow(p, &line, joins ? "#909090" : colours[k->ink], 1,
              joins                    ? join_dashes(k->join)
              : k->form == WL_KEY_WALL ? WALL_DASHES
                                       : UNFUSED_DASHES);
    add_label(p, line.x1 + 5, k->y, -1, "#606060", 8, false, k->name);
}

static void add_key(const script *p)
{
    wl_scene_key keys[WL_SCENE_KEYS_MAX];
    const int count = wl_scene_keys(p->s, keys);
    for (int i = 0; i < count; i++) {
        if (keys[i].form != WL_KEY_MARK) {
            add_key_line(p, &keys[i]);
            continue;
        }
        wl_buffer_add(p->out, "set label '%s' at ", keys[i].name);
        add_place(p, keys[i].x, keys[i].y - 4);
        wl_buffer_add(p->out, " left font 'Sans,8' tc rgb '#606060' point pt %d ps %g lc rgb '%s' offset 1.2,0\n",
                      form_of(keys[i].series, keys[i].measured), keys[i].series == WL_SERIES_THREAD ? 0.7 : 1.2,
                      colours[keys[i].ink]);
    }
}

static void add_marks(const script *p, wl_buffer *data)
{
    int index = 0;
    for (int series = 0; series < WL_SERIES_COUNT; series++)
        for (int level = 0; level < WL_LEVEL_COUNT; level++)
            for (int measured = 0; measured < 2; measured++)
                add_block(p->s->r, series, level, measured, &index, p->out, data);
    wl_buffer_text(p->out, "\n");
}

static void add_head(const script *p, const wl_plot_files *files)
{
    const wl_roofline *r = p->s->r;
    wl_buffer title = {0};
    wl_buffer_add(p->out, "# %s; made by warpline roofline\n", wl_roofline_title(r));
    if (wl_gnuplot_is_pdf(files))
        wl_buffer_add(p->out, "set terminal pdfcairo size %.3fin,%.3fin font 'Sans,8' fontscale 0.72\n",
                      (double)WL_SCENE_WIDTH / PER_INCH, p->height / PER_INCH);
    else
        wl_buffer_add(p->out, "set terminal pngcairo size %d,%.0f font 'Sans,8'\n", WL_SCENE_WIDTH, p->height);
    wl_gnuplot_files(files, p->out);
    wl_buffer_add(
        p->out,
        "set lmargin at screen %.5f\nset rmargin at screen %.5f\nset tmargin at screen %.5f\n"
        "set bmargin at screen %.5f\nset logscale xy\nset xrange [%.6g:%.6g]\nset yrange [%.6g:%.6g]\n"
        "set format x '%%.9g'\nset format y '%%.0s %%c'\nset grid lc rgb '#e4e4e4'\nset xlabel '%s'\nset ylabel '%s'\n",
        (double)WL_SCENE_LEFT / WL_SCENE_WIDTH, (double)WL_SCENE_RIGHT / WL_SCENE_WIDTH, 1 - WL_SCENE_TOP / p->height,
        1 - WL_SCENE_BOTTOM / p->height, pow(10, p->s->x_low), pow(10, p->s->x_high), pow(10, p->s->y_low),
        pow(10, p->s->y_high), wl_roofline_x_label(r), wl_roofline_y_label(r));
    wl_roofline_headline(r, &title);
    add_label(p, MARGIN, MARGIN + 12, -1, "#202020", 12, true, wl_buffer_string(&title));
    wl_buffer_drop_part(&title, p->out);
}

wl_status wl_roofline_plot(const wl_roofline *r, const wl_plot_files *files, char **out, char **data, wl_error *err)
{
    wl_scene scene;
    wl_buffer text = {0}, numbers = {0};
    wl_scene_make(r, &scene);
    script p = {&scene, WL_SCENE_BOTTOM + 66 + ROW * ((double)r->launch_count + 1), &text};
    if (!scene.failed) {
        add_head(&p, files);
        add_lines(&p);
        add_labels(&p);
        wl_roofline_table(r, MARGIN, WL_SCENE_WIDTH - MARGIN, CHARACTER, add_cell, &p, &text);
        add_key(&p);
        add_marks(&p, &numbers);
    }
    text.failed = text.failed || scene.failed;
    wl_scene_free(&scene);
    return wl_gnuplot_take(&text, &numbers, out, data, err);
}

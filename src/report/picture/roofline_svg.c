/* roofline_svg.c - a roofline as a picture that needs no other program.
 *
 * Colours: Okabe and Ito, distinguishable for people with colour-blindness; a dark page gets a dark
 * background and lighter inks. Shapes distinguish what colours do not: circles are predicted,
 * diamonds measured; open ones are only loads and stores, triangles are tensor instructions, small
 * ones exclude inactive lanes.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdint.h>

#include "base/units.h"
#include "report/common/roofline_report.h"
#include "report/common/roofline_scene.h"
#include "report/picture/svg.h"

enum {
    MARGIN = 24,
    TITLE = 100,    /* characters */
    ROW = 19,       /* of the table */
    CHARACTER = 7,  /* pixels, of a table */
    WITH_WORDS = 6, /* launches with words */
    WORDS = 145     /* characters of a line */
};

static const char *const classes[] = {[WL_INK_L1] = "l1",         [WL_INK_L2] = "l2",     [WL_INK_DRAM] = "dram",
                                      [WL_INK_SHARED] = "shared", [WL_INK_FLAT] = "flat", [WL_INK_TENSOR] = "tensor"};

typedef struct drawing {
    const wl_roofline *r;
    const wl_scene *s;
    wl_buffer *out;
    double y;
    size_t row; /* of the table */
} drawing;

static void add_line(drawing *d, const char *font, double x0, double y0, double x1, double y1, const char *dashes)
{
    wl_buffer_add(d->out, "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"%s%s%s/>\n", font, x0, y0,
                  x1, y1, dashes[0] ? " stroke-dasharray=\"" : "", dashes, dashes[0] ? "\"" : "");
}

/* ---- the frame ---- */

static void add_head(drawing *d)
{
    wl_buffer title = {0};
    wl_roofline_headline(d->r, &title);
    wl_svg_text(d->out, MARGIN, MARGIN + 12, "title", wl_buffer_string(&title), TITLE);
    wl_buffer_drop_part(&title, d->out);
}

/* "100 G", "1 T" */
static void add_tick(drawing *d, double y, double value)
{
    wl_svg_text(d->out, WL_SCENE_LEFT - 6, y + 4, "end", wl_scaled(value).text, SIZE_MAX);
}

/* Decades with a label, their parts without. */
static void add_axis(drawing *d, bool vertical)
{
    const wl_scene *s = d->s;
    const double low = vertical ? s->y_low : s->x_low, high = vertical ? s->y_high : s->x_high;
    for (int power = (int)floor(low); power <= (int)floor(high); power++)
        for (int digit = 1; digit <= 9; digit++) {
            const double value = digit * pow(10, power), at = log10(value);
            if (at < low || at > high || (digit > 1 && high - low > 7))
                continue;
            const double x = wl_scene_x(s, value), y = wl_scene_y(s, value);
            if (vertical && (digit == 1 || high - low <= 4))
                add_line(d, "grid", WL_SCENE_LEFT, y, WL_SCENE_RIGHT, y, digit == 1 ? "" : "1 5");
            else if (!vertical && (digit == 1 || high - low <= 4))
                add_line(d, "grid", x, WL_SCENE_TOP, x, WL_SCENE_BOTTOM, digit == 1 ? "" : "1 5");
            if (digit > 1)
                continue;
            if (vertical)
                add_tick(d, y, value);
            else
                wl_buffer_add(d->out, "<text class=\"middle\" x=\"%.1f\" y=\"%d\">%.6g</text>\n", x,
                              WL_SCENE_BOTTOM + 17, value);
        }
}

static void add_frame(drawing *d)
{
    const int middle = (WL_SCENE_TOP + WL_SCENE_BOTTOM) / 2;
    add_axis(d, false);
    add_axis(d, true);
    wl_buffer_add(d->out, "<rect class=\"frame\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n", WL_SCENE_LEFT,
                  WL_SCENE_TOP, WL_SCENE_RIGHT - WL_SCENE_LEFT, WL_SCENE_BOTTOM - WL_SCENE_TOP);
    wl_svg_text(d->out, (WL_SCENE_LEFT + WL_SCENE_RIGHT) / 2.0, WL_SCENE_BOTTOM + 36, "middle",
                wl_roofline_x_label(d->r), SIZE_MAX);
    wl_buffer_add(d->out, "<text class=\"middle\" transform=\"translate(20 %d) rotate(-90)\">%s</text>\n", middle,
                  wl_roofline_y_label(d->r));
}

/* ---- roofs, walls, marks ---- */

#define UNFUSED_DASHES "6 4"
#define WALL_DASHES "2 3"
static const char *const join_dashes[] = {
    [WL_JOIN_MEASURED] = "4 3", [WL_JOIN_THREADS] = "1 2", [WL_JOIN_LEVELS] = "1 4"};

static void add_roofs(drawing *d)
{
    for (int i = 0; i < d->s->roof_count; i++) {
        const wl_scene_roof *f = &d->s->roofs[i];
        wl_buffer_add(d->out, "<g class=\"%s\">", classes[wl_roof_ink(&f->roof)]);
        add_line(d, f->roof.unfused ? "line thin" : "line", f->line.x0, f->line.y0, f->line.x1, f->line.y1,
                 f->roof.unfused ? UNFUSED_DASHES : "");
        wl_buffer_text(d->out, "</g>\n");
    }
    for (int i = 0; i < d->s->wall_count; i++) {
        const wl_scene_line w = wl_scene_wall(d->s, i);
        wl_buffer_add(d->out, "<g class=\"%s\">", classes[d->s->walls[i].shared ? WL_INK_SHARED : WL_INK_L1]);
        add_line(d, "line thin", w.x0, w.y0, w.x1, w.y1, WALL_DASHES);
        wl_buffer_text(d->out, "</g>\n");
    }
}

static void add_joins(drawing *d)
{
    for (size_t i = 0; i < d->s->join_count; i++) {
        const wl_scene_join *j = &d->s->joins[i];
        add_line(d, "join", j->line.x0, j->line.y0, j->line.x1, j->line.y1, join_dashes[j->join]);
    }
}

/* Areas follow the weights of launches; without any, all are alike. */
static double size_of(wl_series series, const wl_tallies *t)
{
    const double size = series == WL_SERIES_THREAD ? 3 : 5;
    return t->weight > 0 ? fmax(size / 2, 2.4 * size * sqrt(t->weight)) : size;
}

static void add_form(drawing *d, wl_series series, const wl_tallies *t, wl_ink ink, double x, double y)
{
    const bool measured = t->measured;
    const bool open = series == WL_SERIES_GLOBAL || series == WL_SERIES_SHARED;
    const double size = size_of(series, t);
    wl_buffer_add(d->out, "<g class=\"%s\">", classes[ink]);
    if (series == WL_SERIES_TENSOR && !measured)
        wl_buffer_add(d->out, "<path class=\"mark\" d=\"M%.1f %.1fl5.5 9.5h-11z\"/>", x, y - 6);
    else if (measured)
        wl_buffer_add(d->out, "<path class=\"%s\" d=\"M%.1f %.1fl%.1f %.1fl%.1f %.1fl%.1f %.1fz\"/>",
                      open ? "open" : "mark", x, y - size - 1, size + 1, size + 1, -size - 1, size + 1, -size - 1,
                      -size - 1);
    else
        wl_buffer_add(d->out, "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"/>", open ? "open" : "mark", x, y,
                      open ? size - 1 : size);
    wl_buffer_text(d->out, "</g>");
}

static void add_marks(drawing *d)
{
    for (size_t i = 0; i < d->r->mark_count; i++) {
        const wl_mark *m = &d->r->marks[i];
        const wl_tallies *t = &d->r->launches[m->launch].tallies;
        wl_svg_print(d->out, "<g><title>%zu %s; %s, %s: %.4g %s at %.4g %s", wl_roofline_number(d->r, m->launch),
                     t->kernel, wl_series_name(m->series), wl_level_name(m->level), m->y / 1e9,
                     d->r->kind == WL_ROOFLINE_INSTRUCTION ? "GIPS" : "GFLOP/s", m->x,
                     wl_roofline_intensity_unit(d->r));
        if (m->ceiling > 0)
            wl_buffer_add(d->out, ", %.3g %% of the roof (%s)", 100 * m->y / m->ceiling, wl_mark_roof(m));
        wl_buffer_text(d->out, "</title>");
        add_form(d, m->series, t, wl_mark_ink(m), wl_scene_x(d->s, m->x), wl_scene_y(d->s, m->y));
        wl_buffer_text(d->out, "</g>\n");
    }
}

static void add_labels(drawing *d)
{
    static const char *const anchors[] = {"", " middle", " end"};
    for (size_t i = 0; i < d->s->leader_count; i++) {
        const wl_scene_line *l = &d->s->leaders[i];
        add_line(d, "join", l->x0, l->y0, l->x1, l->y1, "");
    }
    for (size_t i = 0; i < d->s->label_count; i++) {
        const wl_scene_label *l = &d->s->labels[i];
        wl_buffer_add(d->out, "<text class=\"halo ink %s%s%s\" transform=\"translate(%.1f %.1f)", classes[l->ink],
                      anchors[l->anchor + 1], l->strong ? " strong" : "", l->x, l->y);
        if (l->angle != 0)
            wl_buffer_add(d->out, " rotate(%.1f)", -l->angle);
        wl_svg_print(d->out, "\">%s</text>\n", l->text);
    }
}

/* A line of the key, as in the picture; returns how much wider it is than a mark. */
static double add_key_line(drawing *d, const wl_scene_key *k)
{
    const double left = k->x - 5, right = left + WL_SCENE_KEY_LINE, y = k->y - 4;
    const bool joins = k->form == WL_KEY_JOIN;
    wl_buffer_add(d->out, "<g class=\"%s\">", joins ? "joins" : classes[k->ink]);
    add_line(d, joins ? "join" : "line thin", left, y, right, y,
             joins                    ? join_dashes[k->join]
             : k->form == WL_KEY_WALL ? WALL_DASHES
                                      : UNFUSED_DASHES);
    wl_buffer_text(d->out, "</g>");
    return WL_SCENE_KEY_LINE - 10;
}

static void add_key(drawing *d)
{
    wl_scene_key keys[WL_SCENE_KEYS_MAX];
    const int count = wl_scene_keys(d->s, keys);
    for (int i = 0; i < count; i++) {
        const wl_scene_key *k = &keys[i];
        double shift = 0;
        if (k->form == WL_KEY_MARK)
            add_form(d, k->series, &(wl_tallies){.measured = k->measured}, k->ink, k->x, k->y - 4);
        else
            shift = add_key_line(d, k);
        wl_svg_text(d->out, k->x + 10 + shift, k->y, "faint", k->name, SIZE_MAX);
    }
}

/* ---- the table ---- */

static void add_cell(void *user, const wl_table_cell *cell)
{
    drawing *d = user;
    const char *font = cell->row == 0 ? "head" : cell->column == WL_COLUMN_NUMBER ? "strong" : "cell";
    if (cell->row != d->row)
        wl_buffer_text(d->out, "\n");
    if (cell->row != d->row && d->row == 0)
        add_line(d, "rule", MARGIN, d->y + 5, WL_SCENE_WIDTH - MARGIN, d->y + 5, "");
    d->y += cell->row != d->row ? ROW : 0;
    d->row = cell->row;
    wl_svg_print(d->out, "<text class=\"%s%s\" x=\"%.1f\" y=\"%.1f\">%s</text>", font, cell->from_left ? "" : " end",
                 cell->x, d->y, cell->text);
}

static void add_table(drawing *d)
{
    d->y = WL_SCENE_BOTTOM + 66;
    wl_roofline_table(d->r, MARGIN, WL_SCENE_WIDTH - MARGIN, CHARACTER, add_cell, d, d->out);
    wl_buffer_text(d->out, "\n");
    d->y += ROW;
}

/* ---- words and notes ---- */

/* Text wrapped at blanks. */
static void add_wrapped(drawing *d, const char *font, const char *text)
{
    while (*text) {
        size_t length = 0, end = 0;
        while (length < WORDS && text[length]) {
            length++;
            /* "38 %" stays together */
            if (text[length] == '\0' || (text[length] == ' ' && text[length + 1] != '%'))
                end = length;
        }
        end = end ? end : length;
        wl_svg_words(d->out, MARGIN, d->y, font, SIZE_MAX, "%.*s", (int)end, text);
        d->y += ROW - 2;
        text += end;
        text += *text == ' ';
    }
}

static void add_words(drawing *d)
{
    for (size_t i = 0; i < d->r->launch_count && d->r->launch_count <= WITH_WORDS; i++) {
        wl_buffer words = {0};
        d->y += 5;
        wl_buffer_add(&words, "%zu%s: ", wl_roofline_number(d->r, i),
                      d->r->launches[i].tallies.measured ? ", measured" : "");
        wl_roofline_words(d->r, i, &words);
        add_wrapped(d, "words", wl_buffer_string(&words));
        wl_buffer_drop_part(&words, d->out);
    }
    for (size_t i = 0;; i++) {
        wl_buffer note = {0};
        const bool is = wl_roofline_note(d->r, i, &note);
        if (is)
            add_wrapped(d, "faint", wl_buffer_string(&note));
        wl_buffer_drop_part(&note, d->out);
        if (!is)
            return;
    }
}

static void draw(drawing *d)
{
    add_head(d);
    add_key(d);
    add_frame(d);
    add_roofs(d);
    add_joins(d);
    add_marks(d);
    add_labels(d);
    add_table(d);
    add_words(d);
}

void wl_roofline_svg(const void *result, wl_buffer *out)
{
    const wl_roofline *r = result;
    wl_buffer body = {0};
    wl_scene scene;
    wl_scene_make(r, &scene);
    drawing d = {.r = r, .s = &scene, .out = &body};
    if (!scene.failed)
        draw(&d);
    wl_buffer title = {0};
    wl_buffer_add(&title, "%s, %s", wl_roofline_title(r), r->title);
    wl_svg_whole(out, "roofline", WL_SCENE_WIDTH, d.y + MARGIN / 2, wl_buffer_string(&title), &body);
    wl_buffer_drop_part(&title, out);
    out->failed = out->failed || scene.failed;
    wl_scene_free(&scene);
}

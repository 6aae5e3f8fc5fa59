/* roofline_scene.c - see roofline_scene.h. SPDX-License-Identifier: MIT */
#include "report/common/roofline_scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/print.h"
#include "base/room.h"
#include "base/units.h"

enum {
    GLYPH = 6, /* approximate width of a character of a label, in pixels */
    TALL = 11, /* its height */
    MARK = 5,  /* half a mark */
    CLOSE = 4, /* marks closer than this share a number */
    STEP = 12, /* pixels between candidate places along a line */
    DIRECTIONS = 12,
    JOINED = 8,       /* launches whose levels are joined */
    JOINS_SEEN = 256, /* labels avoid so many of them; more lines could not be followed anyway */
    RINGS = 18,       /* distances from its mark at which a number may be placed */
    NEAR_RINGS = 4    /* of these, distances tried before a number may be on a line */
};

#define DEGREES 57.29577951308232 /* of a radian */
#define PI 3.14159265358979323846

wl_ink wl_level_ink(wl_level level)
{
    static const wl_ink inks[WL_LEVEL_COUNT] = {WL_INK_L1, WL_INK_L2, WL_INK_DRAM, WL_INK_SHARED};
    return inks[level];
}

wl_ink wl_roof_ink(const wl_roof *roof)
{
    if (roof->slanted)
        return wl_level_ink(roof->level);
    return roof->pipe > WL_PIPE_F64 && roof->pipe != WL_PIPE_ISSUE ? WL_INK_TENSOR : WL_INK_FLAT;
}

double wl_scene_x(const wl_scene *s, double intensity)
{
    return WL_SCENE_LEFT + (log10(intensity) - s->x_low) / (s->x_high - s->x_low) * (WL_SCENE_RIGHT - WL_SCENE_LEFT);
}

double wl_scene_y(const wl_scene *s, double rate)
{
    return WL_SCENE_BOTTOM - (log10(rate) - s->y_low) / (s->y_high - s->y_low) * (WL_SCENE_BOTTOM - WL_SCENE_TOP);
}

/* ---- the range ---- */

static double top_of(const wl_scene *s)
{
    double top = 0;
    for (int i = 0; i < s->roof_count; i++)
        if (!s->roofs[i].roof.slanted)
            top = fmax(top, s->roofs[i].roof.rate);
    for (size_t i = 0; i < s->r->mark_count; i++)
        top = fmax(top, s->r->marks[i].y);
    return top;
}

static double steepest_of(const wl_scene *s)
{
    double most = 0;
    for (int i = 0; i < s->roof_count; i++)
        if (s->roofs[i].roof.slanted && s->roofs[i].roof.level != WL_LEVEL_SHARED)
            most = fmax(most, s->roofs[i].roof.rate);
    return most;
}

/* The range of marks, walls and corners of all roofs, with a margin; at least three decades per
 * axis. */
static void find_range(wl_scene *s)
{
    const double top = top_of(s);
    double x0 = INFINITY, x1 = 0, y0 = top;
    for (size_t i = 0; i < s->r->mark_count; i++) {
        x0 = fmin(x0, s->r->marks[i].x);
        x1 = fmax(x1, s->r->marks[i].x);
        y0 = fmin(y0, s->r->marks[i].y);
    }
    for (int i = 0; i < s->wall_count; i++) {
        x0 = fmin(x0, s->walls[i].x);
        x1 = fmax(x1, s->walls[i].x);
    }
    for (int i = 0; i < s->roof_count; i++) {
        const wl_roof *f = &s->roofs[i].roof;
        if (f->slanted) {
            x0 = fmin(x0, top / f->rate);
            x1 = fmax(x1, top / f->rate);
        } else {
            y0 = fmin(y0, f->rate);
        }
    }
    s->x_low = log10(x0) - 0.45;
    s->x_high = log10(x1) + 0.6;
    s->y_low = fmin(log10(y0) - 0.6, log10(top) - 2.4);
    s->y_high = log10(top) + 0.35;
    if (s->x_high - s->x_low < 3)
        s->x_high = s->x_low + 3;
}

/* ---- lines ---- */

/* A slanted roof ends at the highest flat one; a flat roof begins at the steepest. */
static void draw_roof(const wl_scene *s, wl_scene_roof *f)
{
    const double left = pow(10, s->x_low), low = pow(10, s->y_low), right = pow(10, s->x_high);
    const double top = top_of(s), steepest = steepest_of(s);
    double x0 = left, x1 = right, y0 = f->roof.rate, y1 = f->roof.rate;
    if (f->roof.slanted) {
        x0 = fmax(left, low / f->roof.rate);
        x1 = fmin(right, top / f->roof.rate);
        y0 = f->roof.rate * x0;
        y1 = f->roof.rate * x1;
    } else if (steepest > 0) {
        x0 = fmax(left, f->roof.rate / steepest);
    }
    f->line = (wl_scene_line){wl_scene_x(s, x0), wl_scene_y(s, y0), wl_scene_x(s, x1), wl_scene_y(s, y1)};
}

/* A wall ends at its roof. */
static void draw_walls(wl_scene *s)
{
    for (int i = 0; i < s->wall_count; i++) {
        const wl_level level = s->walls[i].shared ? WL_LEVEL_SHARED : WL_LEVEL_L1;
        const double roof = fmin(wl_roofline_bandwidth(s->r, level) * s->walls[i].x, top_of(s));
        s->wall_top[i] = fmin(WL_SCENE_BOTTOM - 60, wl_scene_y(s, roof));
    }
}

/* ---- places ---- */

static void take(wl_scene *s, wl_scene_box box)
{
    if (WL_ROOM(s->boxes, s->box_count + 1, s->box_room))
        s->boxes[s->box_count++] = box;
    else
        s->failed = true;
}

static bool is_free(const wl_scene *s, wl_scene_box b)
{
    if (b.x0 < WL_SCENE_LEFT + 1 || b.x1 > WL_SCENE_RIGHT - 1 || b.y0 < WL_SCENE_TOP + 1 || b.y1 > WL_SCENE_BOTTOM - 1)
        return false;
    for (size_t i = 0; i < s->box_count; i++) {
        const wl_scene_box *t = &s->boxes[i];
        if (b.x0 < t->x1 && t->x0 < b.x1 && b.y0 < t->y1 && t->y0 < b.y1)
            return false;
    }
    return true;
}

/* The boxes of a text, one for each few characters of a slanted one; calls `is_free` or `take`. */
static bool each_box(wl_scene *s, const wl_scene_label *l, bool taking)
{
    const double length = GLYPH * (double)strlen(l->text) + 2, turn = l->angle / DEGREES;
    const double start = l->anchor < 0 ? 0 : l->anchor == 0 ? -length / 2 : -length;
    const int pieces = l->angle == 0 ? 1 : (int)ceil(length / TALL);
    for (int i = 0; i < pieces; i++) {
        const double from = start + length * i / pieces, to = start + length * (i + 1) / pieces;
        const double ax = l->x + from * cos(turn), ay = l->y - from * sin(turn);
        const double bx = l->x + to * cos(turn), by = l->y - to * sin(turn);
        /* above the base line: to the left of a text that runs up */
        const double up_x = -TALL * sin(turn), up_y = -TALL * cos(turn);
        const wl_scene_box box = {fmin(fmin(ax, bx), fmin(ax, bx) + up_x), fmin(fmin(ay, by), fmin(ay, by) + up_y),
                                  fmax(fmax(ax, bx), fmax(ax, bx) + up_x), fmax(fmax(ay, by), fmax(ay, by) + up_y) + 1};
        if (taking)
            take(s, box);
        else if (!is_free(s, box))
            return false;
    }
    return true;
}

/* Does the line run through the rectangle of the text? Seen from the text: along it, and up from
 * its base line. */
static bool is_struck_by(const wl_scene_label *l, const wl_scene_line *line)
{
    const double length = GLYPH * (double)strlen(l->text), turn = l->angle / DEGREES;
    const double start = l->anchor < 0 ? 0 : l->anchor == 0 ? -length / 2 : -length;
    const double ax = line->x0 - l->x, ay = l->y - line->y0, bx = line->x1 - l->x, by = l->y - line->y1;
    const double at[2] = {ax * cos(turn) + ay * sin(turn), ay * cos(turn) - ax * sin(turn)};
    const double to[2] = {bx * cos(turn) + by * sin(turn), by * cos(turn) - bx * sin(turn)};
    const double low[2] = {start - 1, -2}, high[2] = {start + length + 1, TALL + 1};
    double from = 0, until = 1; /* the part of the line that is inside */
    for (int d = 0; d < 2; d++) {
        const double step = to[d] - at[d];
        if (fabs(step) < 1e-9) {
            if (at[d] < low[d] || at[d] > high[d])
                return false;
            continue;
        }
        const double first = (low[d] - at[d]) / step, second = (high[d] - at[d]) / step;
        from = fmax(from, fmin(first, second));
        until = fmin(until, fmax(first, second));
    }
    return from < until;
}

wl_scene_line wl_scene_wall(const wl_scene *s, int wall)
{
    const double x = wl_scene_x(s, s->walls[wall].x) + (s->walls[wall].shared ? 1.5 : 0);
    return (wl_scene_line){x, WL_SCENE_BOTTOM, x, s->wall_top[wall]};
}

static bool is_struck_by_roof(const wl_scene *s, const wl_scene_label *l)
{
    for (int i = 0; i < s->roof_count; i++)
        if (is_struck_by(l, &s->roofs[i].line))
            return true;
    return false;
}

bool wl_scene_is_struck(const wl_scene *s, const wl_scene_label *l)
{
    if (is_struck_by_roof(s, l))
        return true;
    for (int i = 0; i < s->wall_count; i++) {
        const wl_scene_line line = wl_scene_wall(s, i);
        if (is_struck_by(l, &line))
            return true;
    }
    for (size_t i = 0; i < s->join_count && s->join_count <= JOINS_SEEN; i++)
        if (is_struck_by(l, &s->joins[i].line))
            return true;
    return false;
}

/* If labels of roofs find no free place, crossing a dotted wall is better than crossing a roof. */
static int less_care(int care) { return care == WL_CARE_LINES ? WL_CARE_LABELS : care + 1; }

/* Places the label if its place is free enough for the current care. */
static bool put(wl_scene *s, const wl_scene_label *l)
{
    if (s->care <= WL_CARE_LABELS && !each_box(s, l, false))
        return false;
    if ((s->care == WL_CARE_LINES && wl_scene_is_struck(s, l)) || (s->care == WL_CARE_ROOFS && is_struck_by_roof(s, l)))
        return false;
    s->crowded += s->care == WL_CARE_NONE;
    (void)each_box(s, l, true);
    s->labels[s->label_count++] = *l;
    return true;
}

/* ---- labels of roofs and walls ---- */

void wl_roof_label(const wl_roofline *r, const wl_roof *roof, char text[WL_SCENE_TEXT])
{
    char name[40];
    wl_roof_text(roof, name, sizeof name);
    if (r->kind == WL_ROOFLINE_INSTRUCTION)
        (void)wl_print(text, WL_SCENE_TEXT, "%s %.4g %s", name, roof->rate / 1e9, roof->slanted ? "GTXN/s" : "GIPS");
    else if (roof->slanted)
        (void)wl_print(text, WL_SCENE_TEXT, "%s %s", name, wl_quantity(WL_DIM_BANDWIDTH, roof->rate).text);
    else
        (void)wl_print(text, WL_SCENE_TEXT, "%s %sFLOP/s", name, wl_scaled(roof->rate).text);
}

/* Roofs of the same rate share a line and a label: "f32 FMA, tensor f64 66.9 TFLOP/s". */
static bool join_label(const wl_scene *s, int roof, char text[WL_SCENE_TEXT])
{
    char all[WL_SCENE_TEXT] = "", label[WL_SCENE_TEXT], name[40];
    const wl_roof *f = &s->roofs[roof].roof;
    for (int i = 0; i < s->roof_count; i++) {
        const wl_roof *other = &s->roofs[i].roof;
        if (other->slanted != f->slanted || fabs(other->rate / f->rate - 1) > 0.005)
            continue;
        if (i < roof)
            return false; /* labelled already */
        if (i > roof) {
            wl_roof_text(other, name, sizeof name);
            const size_t used = strlen(all);
            (void)wl_print(all + used, sizeof all - used, "%s, ", name);
        }
    }
    wl_roof_label(s->r, f, label);
    (void)wl_print(text, WL_SCENE_TEXT, "%.50s%.40s", all, label);
    return true;
}

/* Tries places along the line from its start, above or below it, then farther away. */
static bool find_slanted(wl_scene *s, const wl_scene_roof *f, wl_scene_label label)
{
    const double dx = f->line.x1 - f->line.x0, dy = f->line.y0 - f->line.y1, length = hypot(dx, dy);
    const double turn = atan2(dy, dx);
    label.angle = turn * DEGREES;
    label.anchor = -1;
    /* from the line, upwards */
    static const double away[] = {4, -(TALL + 2), TALL + 8, -(2 * TALL + 6)};
    for (size_t i = 0; i < sizeof away / sizeof away[0]; i++)
        for (int at = 14; at < length; at += STEP) {
            label.x = f->line.x0 + at * cos(turn) - away[i] * sin(turn);
            label.y = f->line.y0 - at * sin(turn) - away[i] * cos(turn);
            if (put(s, &label))
                return true;
        }
    return false;
}

/* Tries the right end, above or below the line, then farther to the left. */
static bool find_flat(wl_scene *s, const wl_scene_roof *f, wl_scene_label label)
{
    label.anchor = 1;
    for (int x = (int)f->line.x1 - 6; x > f->line.x0; x -= STEP)
        for (int below = 0; below < 2; below++) {
            label.x = x;
            label.y = f->line.y0 + (below ? TALL + 2 : -4);
            if (put(s, &label))
                return true;
        }
    return false;
}

static void label_roofs(wl_scene *s, bool slanted)
{
    for (int i = 0; i < s->roof_count; i++) {
        const wl_scene_roof *f = &s->roofs[i];
        wl_scene_label label = {.ink = wl_roof_ink(&f->roof)};
        if (f->roof.slanted != slanted || !join_label(s, i, label.text))
            continue;
        for (s->care = WL_CARE_LINES; s->care <= WL_CARE_NONE; s->care++)
            if (slanted ? find_slanted(s, f, label) : find_flat(s, f, label))
                break;
    }
}

/* Upwards next to the wall, from its lower end. */
static bool label_wall(wl_scene *s, double x, wl_scene_label *label)
{
    label->x = x;
    for (int y = WL_SCENE_BOTTOM - 6; y > WL_SCENE_TOP; y -= STEP / 3) {
        label->y = y;
        if (put(s, label))
            return true;
    }
    return false;
}

/* Shared walls to the right, those of global memory to the left, if there is room. */
static void label_walls(wl_scene *s)
{
    for (int i = 0; i < s->wall_count; i++) {
        const double x = wl_scene_x(s, s->walls[i].x), left = x - 3, right = x + TALL + 3.5;
        const bool shared = s->walls[i].shared;
        wl_scene_label label = {.angle = 90, .anchor = -1, .ink = shared ? WL_INK_SHARED : WL_INK_L1};
        (void)wl_print(label.text, sizeof label.text, "%s", s->walls[i].name);
        for (s->care = WL_CARE_LINES; s->care <= WL_CARE_NONE; s->care = less_care(s->care))
            if (label_wall(s, shared ? right : left, &label) || label_wall(s, shared ? left : right, &label))
                break;
    }
}

/* ---- numbers of marks ---- */

size_t wl_roofline_number(const wl_roofline *r, size_t launch)
{
    size_t number = 0;
    const size_t of = r->launches[launch].tallies.of;
    if (of > 0 && of <= r->launch_count && of != launch + 1)
        return wl_roofline_number(r, of - 1);
    for (size_t i = 0; i <= launch; i++)
        number += r->launches[i].tallies.of == 0;
    return number;
}

static bool has_number(const wl_mark *m) { return m->series != WL_SERIES_THREAD; }

static bool share_number(const wl_scene *s, const wl_mark *a, const wl_mark *b)
{
    return a->series == b->series && a->level == b->level && has_number(b) &&
           hypot(wl_scene_x(s, a->x) - wl_scene_x(s, b->x), wl_scene_y(s, a->y) - wl_scene_y(s, b->y)) < CLOSE;
}

/* "1", or "1-3,7" for marks at the same place; false: an earlier mark has the label. */
static bool number_text(const wl_scene *s, size_t mark, char text[WL_SCENE_TEXT])
{
    const wl_mark *m = &s->r->marks[mark];
    size_t first = 0, last = 0, used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < mark; i++)
        if (share_number(s, m, &s->r->marks[i]))
            return false;
    for (size_t i = mark; i <= s->r->mark_count; i++) {
        const bool end = i == s->r->mark_count;
        const size_t n = end ? 0 : wl_roofline_number(s->r, s->r->marks[i].launch);
        if (!end && (!share_number(s, m, &s->r->marks[i]) || n == last))
            continue;
        if (!end && first > 0 && n == last + 1) {
            last = n;
            continue;
        }
        if (first > 0 && used + 24 < WL_SCENE_TEXT) {
            const char *comma = used > 0 ? "," : "";
            used += (size_t)(last > first ? wl_print(text + used, WL_SCENE_TEXT - used, "%s%zu-%zu", comma, first, last)
                                          : wl_print(text + used, WL_SCENE_TEXT - used, "%s%zu", comma, first));
        }
        first = last = n;
    }
    return true;
}

/* Around the mark, nearest places first; a number on a line nearby reads better than one that is
 * far away. */
static bool find_place(wl_scene *s, const wl_mark *m, const char *text)
{
    const double cx = wl_scene_x(s, m->x), cy = wl_scene_y(s, m->y);
    const double half = GLYPH * (double)strlen(text) / 2 + 1;
    wl_scene_label label = {.strong = true, .ink = wl_mark_ink(m)};
    (void)wl_print(label.text, sizeof label.text, "%s", text);
    for (int ring = 0; ring < (s->care == WL_CARE_LINES ? NEAR_RINGS : RINGS); ring++)
        for (int i = 0; i < DIRECTIONS; i++) {
            const double turn = 2 * PI * i / DIRECTIONS + PI / 2, far = MARK + 2 + 8 * ring;
            const double x = cx + (far + half) * cos(turn), y = cy - (far + TALL / 2.0) * sin(turn);
            label.x = x;
            label.y = y + TALL / 2.0 - 1;
            if (!put(s, &label))
                continue;
            if (ring > 0)
                s->leaders[s->leader_count++] =
                    (wl_scene_line){cx, cy, x - half * cos(turn), y + TALL / 2.0 * sin(turn)};
            return true;
        }
    return false;
}

static void label_mark(wl_scene *s, const wl_mark *m, const char *text)
{
    for (s->care = WL_CARE_LINES; s->care <= WL_CARE_NONE; s->care = less_care(s->care))
        if (find_place(s, m, text))
            return;
}

static void label_marks(wl_scene *s)
{
    char text[WL_SCENE_TEXT];
    for (size_t i = 0; i < s->r->mark_count; i++)
        if (has_number(&s->r->marks[i]) && number_text(s, i, text))
            label_mark(s, &s->r->marks[i], text);
}

/* ---- lines between marks ---- */

static void join(wl_scene *s, const wl_mark *a, const wl_mark *b, wl_join how)
{
    if (b)
        s->joins[s->join_count++] =
            (wl_scene_join){{wl_scene_x(s, a->x), wl_scene_y(s, a->y), wl_scene_x(s, b->x), wl_scene_y(s, b->y)}, how};
}

/* At most two lines begin at a mark. */
static void join_marks(wl_scene *s)
{
    const wl_roofline *r = s->r;
    for (size_t i = 0; i < r->mark_count; i++) {
        const wl_mark *m = &r->marks[i];
        const size_t of = r->launches[m->launch].tallies.of;
        if (of > 0 && of <= r->launch_count)
            join(s, m, wl_roofline_find(r, of - 1, m->series, m->level), WL_JOIN_MEASURED);
        if (m->series == WL_SERIES_THREAD)
            join(s, m, wl_roofline_find(r, m->launch, WL_SERIES_ALL, m->level), WL_JOIN_THREADS);
        if (m->series == WL_SERIES_ALL && m->level > WL_LEVEL_L1 && r->launch_count <= JOINED)
            join(s, m, wl_roofline_find(r, m->launch, WL_SERIES_ALL, (wl_level)(m->level - 1)), WL_JOIN_LEVELS);
    }
}

void wl_scene_make(const wl_roofline *r, wl_scene *s)
{
    wl_roof roofs[WL_ROOFS_MAX];
    *s = (wl_scene){.r = r, .roof_count = wl_roofline_roofs(r, roofs)};
    s->wall_count = wl_roofline_walls(r, s->walls);
    s->labels = calloc(r->mark_count + WL_ROOFS_MAX + WL_WALLS_MAX + 1, sizeof *s->labels);
    s->leaders = calloc(r->mark_count + 1, sizeof *s->leaders);
    s->joins = calloc(2 * r->mark_count + 1, sizeof *s->joins);
    if (!s->labels || !s->leaders || !s->joins) {
        s->failed = true;
        return;
    }
    for (int i = 0; i < s->roof_count; i++)
        s->roofs[i].roof = roofs[i];
    find_range(s);
    for (int i = 0; i < s->roof_count; i++)
        draw_roof(s, &s->roofs[i]);
    draw_walls(s);
    for (size_t i = 0; i < r->mark_count; i++) {
        const double x = wl_scene_x(s, r->marks[i].x), y = wl_scene_y(s, r->marks[i].y);
        take(s, (wl_scene_box){x - MARK, y - MARK, x + MARK, y + MARK});
    }
    join_marks(s);
    label_roofs(s, false);
    label_walls(s);
    label_roofs(s, true);
    label_marks(s);
}

void wl_scene_free(wl_scene *s)
{
    free(s->labels);
    free(s->leaders);
    free(s->joins);
    free(s->boxes);
    *s = (wl_scene){0};
}

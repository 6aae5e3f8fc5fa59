/* roofline_find.c - lookups for the renderings of a roofline. SPDX-License-Identifier: MIT */
#include <string.h>

#include "report/common/roofline_scene.h"

const wl_mark *wl_roofline_nearest(const wl_roofline *r, size_t launch)
{
    const wl_mark *nearest = NULL;
    for (size_t i = 0; i < r->mark_count; i++) {
        const wl_mark *m = &r->marks[i];
        if (m->launch != launch || m->series == WL_SERIES_THREAD || !(m->ceiling > 0))
            continue;
        if (!nearest || m->y / m->ceiling > nearest->y / nearest->ceiling)
            nearest = m;
    }
    return nearest;
}

const wl_mark *wl_roofline_find(const wl_roofline *r, size_t launch, wl_series series, wl_level level)
{
    for (size_t i = 0; i < r->mark_count; i++)
        if (r->marks[i].launch == launch && r->marks[i].series == series && r->marks[i].level == level)
            return &r->marks[i];
    return NULL;
}

const char *wl_mark_roof(const wl_mark *m)
{
    return !(m->ceiling > 0) ? "" : m->under_flat ? wl_pipe_name(m->pipe) : wl_level_name(m->level);
}

wl_ink wl_mark_ink(const wl_mark *m) { return m->series == WL_SERIES_TENSOR ? WL_INK_TENSOR : wl_level_ink(m->level); }

static bool has(const wl_roofline *r, wl_series series, wl_level level)
{
    for (size_t i = 0; i < r->launch_count; i++)
        if (wl_roofline_find(r, i, series, level))
            return true;
    return false;
}

static bool has_measured(const wl_roofline *r)
{
    for (size_t i = 0; i < r->launch_count; i++)
        if (r->launches[i].tallies.measured)
            return true;
    return false;
}

const char *wl_roofline_x_label(const wl_roofline *r)
{
    return r->kind == WL_ROOFLINE_INSTRUCTION
               ? "intensity [warp instructions per transaction: 32 B; shared memory: one pass]"
               : "arithmetic intensity [FLOP per byte]";
}

const char *wl_roofline_y_label(const wl_roofline *r)
{
    return r->kind == WL_ROOFLINE_INSTRUCTION ? "warp instructions per second [IPS]" : "performance [FLOP/s]";
}

static int add_mark_keys(const wl_roofline *r, wl_scene_key *out)
{
    static const struct {
        wl_series series;
        wl_level level;
        const char *name;
    } keys[] = {{WL_SERIES_ALL, WL_LEVEL_L1, "L1"},
                {WL_SERIES_ALL, WL_LEVEL_L2, "L2"},
                {WL_SERIES_ALL, WL_LEVEL_DRAM, "DRAM"},
                {WL_SERIES_GLOBAL, WL_LEVEL_L1, "global loads and stores"},
                {WL_SERIES_SHARED, WL_LEVEL_SHARED, "shared loads and stores"},
                {WL_SERIES_TENSOR, WL_LEVEL_DRAM, "tensor instructions"},
                {WL_SERIES_THREAD, WL_LEVEL_DRAM, "active lanes"}};
    int count = 0;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const wl_mark like = {.series = keys[i].series, .level = keys[i].level};
        if (has(r, keys[i].series, keys[i].level))
            out[count++] = (wl_scene_key){.series = keys[i].series, .ink = wl_mark_ink(&like), .name = keys[i].name};
    }
    if (has_measured(r))
        out[count++] =
            (wl_scene_key){.series = WL_SERIES_ALL, .measured = true, .ink = WL_INK_FLAT, .name = "measured"};
    return count;
}

/* Dashed lines need an explanation. */
static int add_line_keys(const wl_scene *s, wl_scene_key *out)
{
    static const char *const joins[] = {[WL_JOIN_MEASURED] = "predicted to measured",
                                        [WL_JOIN_THREADS] = "all lanes to active lanes",
                                        [WL_JOIN_LEVELS] = "levels of one launch"};
    int count = 0;
    bool joined[sizeof joins / sizeof joins[0]] = {false}, unfused = false, alone = false;
    for (size_t i = 0; i < s->join_count; i++)
        joined[s->joins[i].join] = true;
    for (int i = 0; i < s->roof_count; i++) {
        unfused = unfused || s->roofs[i].roof.unfused;
        alone = alone || s->roofs[i].roof.alone;
    }
    for (size_t j = 0; j < sizeof joins / sizeof joins[0]; j++)
        if (joined[j])
            out[count++] = (wl_scene_key){.form = WL_KEY_JOIN, .join = (wl_join)j, .name = joins[j]};
    if (unfused)
        out[count++] = (wl_scene_key){.form = WL_KEY_UNFUSED,
                                      .ink = WL_INK_FLAT,
                                      .name = alone ? "roof without FMA, parallelism" : "roof without FMA"};
    if (s->wall_count > 0)
        out[count++] = (wl_scene_key){.form = WL_KEY_WALL,
                                      .ink = s->walls[0].shared ? WL_INK_SHARED : WL_INK_L1,
                                      .name = "loads and stores of a known pattern"};
    return count;
}

int wl_scene_keys(const wl_scene *s, wl_scene_key out[WL_SCENE_KEYS_MAX])
{
    const double row = 18, glyph = 6.4, gap = 40, left = WL_SCENE_LEFT + 6;
    const int marks = add_mark_keys(s->r, out), count = marks + add_line_keys(s, out + marks);
    double x = left, y = 60;
    for (int i = 0; i < count; i++) {
        const double shift = out[i].form == WL_KEY_MARK ? 0 : WL_SCENE_KEY_LINE - 10;
        const double width = shift + glyph * (double)strlen(out[i].name);
        if (x + width + 10 > WL_SCENE_RIGHT) {
            x = left;
            y += row;
        }
        out[i].x = x;
        out[i].y = y;
        x += gap + width;
    }
    return count;
}

/* Bytes of so many characters of UTF-8, from the start. */
static size_t bytes_of(const char *text, size_t characters)
{
    size_t at = 0;
    while (text[at] && characters-- > 0)
        do
            at++;
        while (((unsigned char)text[at] & 0xC0) == 0x80);
    return at;
}

static size_t length_of(const char *text)
{
    size_t count = 0;
    for (; *text; text++)
        count += ((unsigned char)*text & 0xC0) != 0x80;
    return count;
}

/* The start of the parameter list: the last "(" outside brackets; the end: there is none. */
static size_t parameters_of(const char *text)
{
    size_t at = strlen(text);
    int depth = 0;
    if (at == 0 || text[at - 1] != ')')
        return at;
    for (size_t i = at; i-- > 0;) {
        depth += text[i] == ')' || text[i] == '>';
        depth -= text[i] == '(' || text[i] == '<';
        if (depth == 0)
            return i > 0 ? i : at;
    }
    return at;
}

/* The start of the function's own name: after the return type and namespaces. */
static size_t own_name(const char *text, size_t end)
{
    size_t begin = 0;
    for (size_t i = 0; i < end && text[i] != '<' && text[i] != '('; i++)
        if (text[i] == ' ' || text[i] == ':')
            begin = i + 1;
    return begin < end ? begin : 0;
}

void wl_shorten(const char *text, size_t most, wl_buffer *out)
{
    const size_t dots = 3;
    if (length_of(text) <= most || most <= dots) {
        wl_buffer_text(out, text);
        return;
    }
    wl_buffer name = {0};
    const size_t end = parameters_of(text), begin = own_name(text, end);
    wl_buffer_put(&name, text + begin, end - begin);
    const char *left = wl_buffer_string(&name);
    const size_t length = length_of(left);
    if (length <= most) {
        wl_buffer_text(out, left);
    } else {
        const size_t front = (most - dots) * 3 / 4, back = most - dots - front;
        wl_buffer_put(out, left, bytes_of(left, front));
        wl_buffer_text(out, "...");
        wl_buffer_text(out, left + bytes_of(left, length - back));
    }
    wl_buffer_drop_part(&name, out);
}

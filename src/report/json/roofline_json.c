/* roofline_json.c - schema warpline.roofline/1. Values that are not known are absent.
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "base/json_out.h"
#include "report/common/roofline_report.h"
#include "report/common/roofline_scene.h"

static void roofs(wl_json_out *o, const wl_roofline *r)
{
    wl_roof list[WL_ROOFS_MAX];
    const int count = wl_roofline_roofs(r, list);
    const char *slanted = r->kind == WL_ROOFLINE_INSTRUCTION ? "transactions/s" : "B/s";
    wl_out_array(o, "roofs");
    for (int i = 0; i < count; i++) {
        char name[40];
        wl_roof_text(&list[i], name, sizeof name);
        wl_out_row(o, NULL, "name:s of:s rate:r unit:s", name, list[i].slanted ? "bandwidth" : "peak", list[i].rate,
                   list[i].slanted ? slanted : wl_roofline_rate_unit(r));
    }
    wl_out_array_end(o);
}

static void walls(wl_json_out *o, const wl_roofline *r)
{
    wl_wall list[WL_WALLS_MAX];
    const int count = wl_roofline_walls(r, list);
    wl_out_array(o, "walls");
    for (int i = 0; i < count; i++)
        wl_out_row(o, NULL, "name:s memory:s intensity:r", list[i].name, list[i].shared ? "shared" : "global",
                   list[i].x);
    wl_out_array_end(o);
}

static void points(wl_json_out *o, const wl_roofline *r, size_t launch)
{
    wl_out_array(o, "points");
    for (size_t i = 0; i < r->mark_count; i++) {
        const wl_mark *m = &r->marks[i];
        const bool roofed = m->ceiling > 0;
        if (m->launch == launch)
            wl_out_row(o, NULL, "of:s level:s intensity:r rate:r roof:s? ceiling:r? share:r?",
                       wl_series_name(m->series), wl_level_name(m->level), m->x, m->y, roofed ? wl_mark_roof(m) : NULL,
                       roofed ? m->ceiling : NAN, roofed ? m->y / m->ceiling : NAN);
    }
    wl_out_array_end(o);
}

static void uses(wl_json_out *o, const wl_roofline *r, const wl_tallies *t)
{
    wl_use list[WL_USES_MAX];
    const int count = wl_uses(t, &r->ceilings, list);
    wl_out_array(o, "of_peak");
    for (int i = 0; i < count; i++)
        wl_out_row(o, NULL, "of:s rate:r peak:r share:r", wl_use_name(&list[i]), list[i].rate, list[i].peak,
                   list[i].share);
    wl_out_array_end(o);
}

static void launch_of(wl_json_out *o, const void *of, size_t i)
{
    const wl_roofline *r = of;
    const wl_tallies *t = &r->launches[i].tallies;
    wl_buffer words = {0};
    wl_out_members(o, "number:d kernel:s launch:s source:s tallies:{", (int64_t)wl_roofline_number(r, i), t->kernel,
                   t->launch, t->measured ? "measured" : "predicted");
    for (int k = 0; k < WL_TALLY_COUNT; k++)
        wl_out_number(o, wl_tally_name((wl_tally)k), t->known[k] ? t->value[k] : NAN);
    wl_out_object_end(o);
    points(o, r, i);
    uses(o, r, t);
    wl_roofline_words(r, i, &words);
    wl_out_text(o, "words", wl_buffer_string(&words));
    wl_buffer_drop_part(&words, o->text);
}

static void notes(wl_json_out *o, const wl_roofline *r)
{
    bool more = true;
    wl_out_array(o, "notes");
    for (size_t i = 0; more; i++) {
        wl_buffer note = {0};
        more = wl_roofline_note(r, i, &note);
        if (more)
            wl_out_text(o, NULL, wl_buffer_string(&note));
        wl_buffer_drop_part(&note, o->text);
    }
    wl_out_array_end(o);
}

void wl_roofline_json(wl_json_out *o, const void *result)
{
    const wl_roofline *r = result;
    wl_out_members(o, "schema:s kind:s device:s device_title:s intensity_unit:s rate_unit:s", "warpline.roofline/1",
                   wl_roofline_kind_name(r->kind), r->device, r->title, wl_roofline_intensity_unit(r),
                   wl_roofline_rate_unit(r));
    roofs(o, r);
    walls(o, r);
    wl_out_objects(o, "launches", r->launch_count, launch_of, r);
    notes(o, r);
}

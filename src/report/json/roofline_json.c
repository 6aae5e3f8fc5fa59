/* roofline_json.c - schema warpline.roofline/1. Values that are not known are absent.
 * SPDX-License-Identifier: MIT */
#include "base/json.h"
#include "report/common/roofline_report.h"
#include "report/common/roofline_scene.h"

static json_t *roofs(wl_json *j, const wl_roofline *r)
{
    wl_roof list[WL_ROOFS_MAX];
    const int count = wl_roofline_roofs(r, list);
    const bool instructions = r->kind == WL_ROOFLINE_INSTRUCTION;
    json_t *all = wl_json_array(j);
    for (int i = 0; i < count; i++) {
        char name[40];
        wl_roof_text(&list[i], name, sizeof name);
        wl_json_add(j, all,
                    wl_json_pack(j, "{s:s, s:s, s:f, s:s}", "name", name, "of", list[i].slanted ? "bandwidth" : "peak",
                                 "rate", list[i].rate, "unit",
                                 !list[i].slanted ? wl_roofline_rate_unit(r)
                                 : instructions   ? "transactions/s"
                                                  : "B/s"));
    }
    return all;
}

static json_t *walls(wl_json *j, const wl_roofline *r)
{
    wl_wall list[WL_WALLS_MAX];
    const int count = wl_roofline_walls(r, list);
    json_t *all = wl_json_array(j);
    for (int i = 0; i < count; i++)
        wl_json_add(j, all,
                    wl_json_pack(j, "{s:s, s:s, s:f}", "name", list[i].name, "memory",
                                 list[i].shared ? "shared" : "global", "intensity", list[i].x));
    return all;
}

static json_t *tallies(wl_json *j, const wl_tallies *t)
{
    json_t *all = wl_json_object(j);
    for (int i = 0; i < WL_TALLY_COUNT; i++)
        if (t->known[i])
            wl_json_set(j, all, wl_tally_name((wl_tally)i), wl_json_number(j, t->value[i]));
    return all;
}

static json_t *points(wl_json *j, const wl_roofline *r, size_t launch)
{
    json_t *all = wl_json_array(j);
    for (size_t i = 0; i < r->mark_count; i++) {
        const wl_mark *m = &r->marks[i];
        if (m->launch != launch)
            continue;
        json_t *one = wl_json_pack(j, "{s:s, s:s, s:f, s:f}", "of", wl_series_name(m->series), "level",
                                   wl_level_name(m->level), "intensity", m->x, "rate", m->y);
        if (m->ceiling > 0) {
            wl_json_set(j, one, "roof", wl_json_text(j, wl_mark_roof(m)));
            wl_json_set(j, one, "ceiling", wl_json_real(j, m->ceiling));
            wl_json_set(j, one, "share", wl_json_real(j, m->y / m->ceiling));
        }
        wl_json_add(j, all, one);
    }
    return all;
}

static json_t *uses(wl_json *j, const wl_roofline *r, const wl_tallies *t)
{
    wl_use list[WL_USES_MAX];
    const int count = wl_uses(t, &r->ceilings, list);
    json_t *all = wl_json_array(j);
    for (int i = 0; i < count; i++)
        wl_json_add(j, all,
                    wl_json_pack(j, "{s:s, s:f, s:f, s:f}", "of", wl_use_name(&list[i]), "rate", list[i].rate, "peak",
                                 list[i].peak, "share", list[i].share));
    return all;
}

static json_t *launch_of(wl_json *j, const wl_roofline *r, size_t i)
{
    const wl_tallies *t = &r->launches[i].tallies;
    wl_buffer words = {0};
    json_t *one = wl_json_object(j);
    wl_json_set(j, one, "number", wl_json_whole(j, (int64_t)wl_roofline_number(r, i)));
    wl_json_set(j, one, "kernel", wl_json_text(j, t->kernel));
    wl_json_set(j, one, "launch", wl_json_text(j, t->launch));
    wl_json_set(j, one, "source", wl_json_text(j, t->measured ? "measured" : "predicted"));
    wl_json_set(j, one, "tallies", tallies(j, t));
    wl_json_set(j, one, "points", points(j, r, i));
    wl_json_set(j, one, "of_peak", uses(j, r, t));
    wl_roofline_words(r, i, &words);
    wl_json_set(j, one, "words", wl_json_text(j, wl_buffer_string(&words)));
    j->failed = j->failed || words.failed;
    wl_buffer_drop(&words);
    return one;
}

static json_t *notes(wl_json *j, const wl_roofline *r)
{
    json_t *all = wl_json_array(j);
    for (size_t i = 0;; i++) {
        wl_buffer note = {0};
        if (!wl_roofline_note(r, i, &note))
            return all;
        wl_json_add(j, all, wl_json_text(j, wl_buffer_string(&note)));
        j->failed = j->failed || note.failed;
        wl_buffer_drop(&note);
    }
}

json_t *wl_roofline_json(wl_json *j, const void *result)
{
    const wl_roofline *r = result;
    json_t *root = wl_json_object(j), *launches = wl_json_array(j);
    wl_json_set(j, root, "schema", wl_json_text(j, "warpline.roofline/1"));
    wl_json_set(j, root, "kind", wl_json_text(j, wl_roofline_kind_name(r->kind)));
    wl_json_set(j, root, "device", wl_json_text(j, r->device));
    wl_json_set(j, root, "device_title", wl_json_text(j, r->title));
    wl_json_set(j, root, "intensity_unit", wl_json_text(j, wl_roofline_intensity_unit(r)));
    wl_json_set(j, root, "rate_unit", wl_json_text(j, wl_roofline_rate_unit(r)));
    wl_json_set(j, root, "roofs", roofs(j, r));
    wl_json_set(j, root, "walls", walls(j, r));
    for (size_t i = 0; i < r->launch_count; i++)
        wl_json_add(j, launches, launch_of(j, r, i));
    wl_json_set(j, root, "launches", launches);
    wl_json_set(j, root, "notes", notes(j, r));
    return root;
}

/* counters_map.c - names of counters: ours, nvprof's, ncu's. SPDX-License-Identifier: MIT */
#include "base/fail.h"
#include "base/json_out.h"
#include "report/common/counter_needs.h"
#include "report/common/marks.h"
#include "report/common/data_row.h"
#include "warpline/report.h"

#define COMMAND_WIDTH 80

static const char *or_dash(const char *name) { return name[0] ? name : "-"; }

/* Our name and nvprof's. On a narrow terminal, long names continue in the next line. */
static void put_names(const char *ours, const char *nvprof, wl_buffer *out)
{
    wl_mark_row(out, 4);
    wl_buffer_add(out, "%-23s", ours);
    wl_mark_wide(out, " %-40s", nvprof);
}

/* Sums continue in the next line. */
static void put_row(const wl_counter_row *c, wl_buffer *out)
{
    const char *sum = c->ncu;
    wl_term term;
    bool first = true;
    while (wl_term_next(&sum, &term)) {
        put_names(first ? or_dash(c->column) : "", first ? or_dash(c->nvprof) : "", out);
        wl_buffer_text(out, first ? " " : " + ");
        if (term.factor != 1)
            wl_buffer_add(out, "%g * ", term.factor);
        wl_buffer_add(out, "%s\n", term.name);
        first = false;
    }
}

static void put_text(const bool *needed, const char *model, wl_buffer *out)
{
    put_names("ours", "nvprof", out);
    wl_buffer_text(out, " ncu\n");
    for (int i = 0; i < WL_COUNTER_COUNT; i++)
        if (needed[i])
            put_row(wl_counter_at(i), out);
    if (!model) {
        wl_buffer_text(out, "\n");
        wl_line(out, 0,
                "'warpline metrics --model NAME' prints the ncu command that collects what NAME needs: "
                "classic, hierarchical, instruction, roofline (all three) or compare. With --format csv, "
                "metrics have units and meanings, and nvprof's names on a narrow terminal, too.\n");
        return;
    }
    wl_buffer_text(out, "\ncollect them with\n");
    wl_counters_command(needed, COMMAND_WIDTH, out);
    wl_buffer_text(out, "\n");
}

/* nvprof and ncu do not have all of them. */
static const char *or_null(const char *text) { return text[0] ? text : NULL; }

/* The same columns as CSV and as objects of JSON. */
static void put_columns(wl_row *row, const wl_counter_row *c)
{
    wl_row_add(row, "ours:s? nvprof:s? ncu:s unit:s meaning:s?", row->csv ? c->column : or_null(c->column),
               row->csv ? c->nvprof : or_null(c->nvprof), c->ncu, c->unit, row->csv ? c->meaning : or_null(c->meaning));
}

static void put_csv(const bool *needed, wl_buffer *out)
{
    wl_row row = {.csv = out, .heads = true};
    for (int i = -1; i < WL_COUNTER_COUNT; i++, row.heads = false) {
        if (i >= 0 && !needed[i])
            continue;
        put_columns(&row, wl_counter_at(i < 0 ? 0 : i));
        wl_row_end(&row);
    }
}

static void put_counters(wl_json_out *o, const bool *needed)
{
    wl_out_array(o, "counters");
    for (int i = 0; i < WL_COUNTER_COUNT; i++) {
        if (!needed[i])
            continue;
        wl_out_object(o, NULL);
        put_columns(&(wl_row){.json = o}, wl_counter_at(i));
        wl_out_object_end(o);
    }
    wl_out_array_end(o);
}

/* The tallies that rooflines compute from counters. */
static void put_tallies(wl_json_out *o, wl_purpose purpose)
{
    wl_out_array(o, "tallies");
    for (int i = 0; i < WL_TALLY_COUNT; i++) {
        const wl_tally t = (wl_tally)i;
        if (wl_tally_is_needed(t, purpose))
            wl_out_row(o, NULL, "name:s unit:s ncu:s nvprof:s? meaning:s", wl_tally_name(t), wl_tally_unit(t),
                       wl_tally_ncu(t), or_null(wl_tally_nvprof(t)), wl_tally_meaning(t));
    }
    wl_out_array_end(o);
}

static void put_json(const bool *needed, const char *model, wl_purpose purpose, wl_buffer *out)
{
    wl_json_out o = {.text = out, .form = WL_JSON_INDENTED};
    wl_buffer command = {0};
    if (model)
        wl_counters_command(needed, 0, &command);
    wl_out_object(&o, NULL);
    wl_out_members(&o, "schema:s", "warpline.metrics/1");
    put_counters(&o, needed);
    put_tallies(&o, purpose);
    wl_out_members(&o, "model:s? command:s?}", model, command.text);
    wl_buffer_drop_part(&command, out);
}

wl_status wl_counters_render(const char *model, wl_format format, char **out, wl_error *err)
{
    bool needed[WL_COUNTER_COUNT];
    wl_purpose purpose = WL_PURPOSE_ROOFLINES;
    wl_buffer text = wl_text_buffer(format);
    if (model && !wl_purpose_find(model, &purpose))
        return wl_fail(err, WL_E_UNSUPPORTED, WL_NOWHERE,
                       "there is no such model: classic, hierarchical, instruction, roofline or compare (not '%.40s')",
                       model);
    wl_counters_needed(purpose, needed);
    for (int i = 0; i < WL_COUNTER_COUNT; i++)
        needed[i] = (needed[i] || !model) && wl_counter_at(i)->ncu[0]; /* else AMD's */
    if (format == WL_FORMAT_JSON)
        put_json(needed, model, purpose, &text);
    else if (format == WL_FORMAT_CSV)
        put_csv(needed, &text);
    else
        put_text(needed, model, &text);
    return wl_buffer_take(&text, out, err);
}

wl_status wl_counters_missing(wl_roofline_kind kind, const bool known[WL_TALLY_COUNT], bool brief, char **out,
                              wl_error *err)
{
    const wl_purpose purpose = 1u << kind;
    bool needed[WL_COUNTER_COUNT];
    wl_buffer text = {0};
    for (int t = 0; t < WL_TALLY_COUNT; t++) {
        if (!wl_tally_is_needed((wl_tally)t, purpose) || known[t])
            continue;
        if (brief)
            wl_buffer_add(&text, "%s%s", text.length > 0 ? ", " : "", wl_tally_name((wl_tally)t));
        else
            wl_buffer_add(&text, "  %s: %s\n", wl_tally_name((wl_tally)t), wl_tally_ncu((wl_tally)t));
    }
    if (text.length > 0 && !brief) {
        wl_counters_needed(purpose, needed);
        wl_buffer_text(&text, "collect all of it with\n");
        wl_counters_command(needed, COMMAND_WIDTH, &text);
        wl_buffer_text(&text, "\n");
    }
    return wl_buffer_take(&text, out, err);
}

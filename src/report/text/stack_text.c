/* stack_text.c - where the cycles of a launch go, for people: parts with bars, then the lines that
 * cost most.
 * SPDX-License-Identifier: MIT */
#include "base/units.h"
#include "device/device_internal.h"
#include "report/common/marks.h"
#include "report/common/words.h"
#include "report/common/stack_report.h"

enum { BAR_WIDTH = 16, BARS = 2 /* models that get bars */, MODELS_NARROW = 2, LINES = 10, SOURCES = 8 };

#define PERCENT 100.0

static void add_head(const wl_stack_report *r, wl_buffer *out)
{
    const wl_prediction *p = r->prediction;
    wl_kernel_headline(out, r->kernel, r->device);
    wl_buffer_text(out, "\n");
    wl_buffer_add(out, "  block %s, grid %s; %lld block%s and %lld warps per %s\n", wl_shape_text(p->launch.block).text,
                  wl_shape_text(p->launch.grid).text, (long long)p->occupancy.blocks_per_sm,
                  p->occupancy.blocks_per_sm == 1 ? "" : "s", (long long)p->occupancy.warps_per_sm,
                  wl_device_sm_word(r->device));
}

/* ---- parts ---- */

/* "  12345  0.512  23.1 % ####" of one model. */
static void add_cell(const wl_stack_report *r, wl_model_id model, double cycles, bool last, wl_buffer *out)
{
    const wl_stack *s = &r->stacks->stack[model];
    const double share = wl_stack_share(r, model, cycles);
    const int bar = (int)(BAR_WIDTH * share + 0.5);
    wl_buffer_add(out, " %11.0f %8.3f %6.1f %%", cycles, s->instructions > 0 ? cycles * s->sms / s->instructions : 0,
                  PERCENT * share);
    wl_mark_add(out, WL_MARK_WIDE);
    wl_buffer_text(out, last && bar == 0 ? "" : " ");
    wl_buffer_repeat(out, "#", bar);
    wl_buffer_repeat(out, " ", last ? 0 : BAR_WIDTH - bar);
    wl_mark_add(out, WL_MARK_WIDE);
}

/* Blanks up to the next model, if there is one; fewer if there is no room for bars. */
static void add_gap(const wl_stack_report *r, int model, int width, int bar, wl_buffer *out)
{
    if (model + 1 >= r->model_count)
        return;
    wl_buffer_repeat(out, " ", width);
    wl_mark_wide(out, "%*s", bar, "");
}

static double cpi_of(const wl_stack *s) { return s->instructions > 0 ? s->total * s->sms / s->instructions : 0; }

static void add_bars(const wl_stack_report *r, wl_buffer *out)
{
    wl_buffer_add(out, "\n  %-10s", "");
    for (int i = 0; i < r->model_count; i++) {
        wl_buffer_add(out, " %11s %8s %8s", wl_model_name(r->models[i]), "CPI", "share");
        add_gap(r, i, 0, 1 + BAR_WIDTH, out);
    }
    for (int p = 0; p < WL_STACK_PART_COUNT; p++) {
        if (!wl_stack_part_shows(r, (wl_stack_part)p))
            continue;
        wl_buffer_add(out, "\n  %-10s", wl_stack_part_name((wl_stack_part)p));
        for (int i = 0; i < r->model_count; i++)
            add_cell(r, r->models[i], r->stacks->stack[r->models[i]].cycles[p], i + 1 == r->model_count, out);
    }
    wl_buffer_add(out, "\n  %-10s", "cycles");
    for (int i = 0; i < r->model_count; i++) {
        const wl_stack *s = &r->stacks->stack[r->models[i]];
        wl_buffer_add(out, " %11.0f %8.3f", s->total, cpi_of(s));
        add_gap(r, i, 9, 1 + BAR_WIDTH, out);
    }
    wl_buffer_add(out, "\n  %-10s", "time");
    for (int i = 0; i < r->model_count; i++) {
        wl_buffer_add(out, " %11s", wl_quantity(WL_DIM_TIME, r->stacks->stack[r->models[i]].seconds).text);
        add_gap(r, i, 18, 1 + BAR_WIDTH, out);
    }
    wl_buffer_add(out, "\n");
}

/* The cell of one of many models: a text or a number, and its share if there is room. */
static void add_text_cell(const char *text, wl_buffer *out)
{
    wl_mark_wide(out, "%5s", "");
    wl_buffer_add(out, " %9s", text);
}

static void add_cpi_cell(double cpi, double share, wl_buffer *out)
{
    wl_buffer_add(out, "  %8.3f", cpi);
    wl_mark_wide(out, "%4.0f%%", PERCENT * share);
}

/* Many models side by side. */
static void add_columns(const wl_stack_report *r, wl_buffer *out)
{
    wl_buffer_add(out, "\n  %-10s", "CPI by");
    for (int i = 0; i < r->model_count; i++)
        add_text_cell(wl_model_name(r->models[i]), out);
    for (int p = 0; p < WL_STACK_PART_COUNT; p++) {
        if (!wl_stack_part_shows(r, (wl_stack_part)p))
            continue;
        wl_buffer_add(out, "\n  %-10s", wl_stack_part_name((wl_stack_part)p));
        for (int i = 0; i < r->model_count; i++) {
            const wl_stack *s = &r->stacks->stack[r->models[i]];
            add_cpi_cell(wl_stack_cpi(s, (wl_stack_part)p), wl_stack_share(r, r->models[i], s->cycles[p]), out);
        }
    }
    wl_buffer_add(out, "\n  %-10s", "CPI");
    for (int i = 0; i < r->model_count; i++)
        add_cpi_cell(cpi_of(&r->stacks->stack[r->models[i]]), 1, out);
    wl_buffer_add(out, "\n  %-10s", "cycles");
    for (int i = 0; i < r->model_count; i++)
        add_text_cell(wl_short_of("%.0f", r->stacks->stack[r->models[i]].total).text, out);
    wl_buffer_add(out, "\n  %-10s", "time");
    for (int i = 0; i < r->model_count; i++)
        add_text_cell(wl_quantity(WL_DIM_TIME, r->stacks->stack[r->models[i]].seconds).text, out);
    wl_buffer_add(out, "\n");
}

static void add_meanings(const wl_stack_report *r, wl_buffer *out)
{
    wl_buffer_add(out, "\n  %-10s %-19s %s\n", "part", "stall reason (ncu)", "meaning");
    for (int p = 0; p < WL_STACK_PART_COUNT; p++)
        if (wl_stack_part_shows(r, (wl_stack_part)p))
            wl_line(out, 33, "  %-10s %-19s %s\n", wl_stack_part_name((wl_stack_part)p),
                    wl_stack_part_reason((wl_stack_part)p), wl_stack_part_meaning((wl_stack_part)p));
}

/* ---- lines of the source ---- */

static void add_sources(const wl_stack_report *r, wl_buffer *out)
{
    wl_stack_source sources[SOURCES];
    const size_t count = wl_stack_sources(r, sources, SOURCES);
    if (count == 0)
        return;
    wl_buffer_add(out, "\n  %-24s %8s  %s\n", "source line", "share", "most of it");
    for (size_t i = 0; i < count; i++) {
        int most = 0;
        for (int p = 1; p < WL_STACK_PART_COUNT; p++)
            most = sources[i].cycles[p] > sources[i].cycles[most] ? p : most;
        const char *reason = wl_stack_part_reason((wl_stack_part)most);
        wl_buffer_add(out, "  %-24s %6.1f %%  %s%s%s%s\n", wl_stack_place(r, sources[i].line->op).text,
                      PERCENT * wl_stack_share(r, r->models[0], sources[i].sum),
                      wl_stack_part_name((wl_stack_part)most), reason[0] ? " (" : "", reason, reason[0] ? ")" : "");
    }
}

/* ---- lines ---- */

/* The cell of one model. Of many, a narrow terminal shows the first and the last. */
static void add_model_cell(const wl_stack_report *r, int model, const char *text, wl_buffer *out)
{
    if (r->model_count > MODELS_NARROW && model > 0 && model + 1 < r->model_count)
        wl_mark_wide(out, " %9s", text);
    else
        wl_buffer_add(out, " %9s", text);
}

static void add_share_cell(const wl_stack_report *r, int model, double share, wl_buffer *out)
{
    add_model_cell(r, model, wl_short_of("%.1f %%", PERCENT * share).text, out);
}

static void add_shares(const wl_stack_report *r, const wl_stack_line *line, wl_buffer *out)
{
    for (int i = 0; i < r->model_count; i++)
        add_share_cell(r, i, wl_stack_share(r, r->models[i], wl_stack_line_cycles(line, r->models[i])), out);
    wl_buffer_add(out, "\n");
}

/* What the columns before those of the models hold, in a row and in the head. */
static void add_cells(const char *const cells[7], wl_buffer *out)
{
    wl_buffer_add(out, "  %6s %-16s", cells[0], cells[1]);
    wl_mark_wide(out, " %9s", cells[2]);
    wl_buffer_add(out, " %7s %7s %-10s", cells[3], cells[4], cells[5]);
    wl_mark_wide(out, " %8s", cells[6]);
}

static void add_line(const wl_stack_report *r, const wl_stack_line *line, wl_buffer *out)
{
    add_cells((const char *[]){line->op ? wl_short_of("%d", (int)line->op->line).text : "",
                               line->op ? wl_stack_place(r, line->op).text : "", wl_short_of("%.4g", line->times).text,
                               wl_short_of("%.4g", line->instructions).text, wl_short_of("%.4g", line->stall).text,
                               wl_stack_cause(line), wl_short_of("%.4g", line->reads + line->writes).text},
              out);
    add_shares(r, line, out);
    wl_line(out, 11, "  %6s %s\n", "",
            line->op             ? wl_stack_ptx(line->op).text
            : r->stacks->assumed ? wl_stack_assumed_words(line)
                                 : "the end of a warp");
    if (line->from)
        wl_line(out, 13, "  %6s   waits for line %d: %s\n", "", (int)line->from->line, wl_stack_ptx(line->from).text);
}

/* The cycles outside the listed lines: `first` is the first line that is not listed. */
static void add_others(const wl_stack_report *r, size_t first, wl_buffer *out)
{
    const size_t count = r->stacks->line_count;
    double share[WL_MODEL_COUNT][2] = {{0}}; /* lines that are not listed; no line */
    for (int i = 0; i < r->model_count; i++) {
        double all = 0;
        for (size_t k = 0; k < count; k++) {
            const double one =
                wl_stack_share(r, r->models[i], wl_stack_line_cycles(&r->stacks->lines[k], r->models[i]));
            all += one;
            share[i][0] += k < first ? 0 : one;
        }
        share[i][1] = 1 - all > 1e-9 ? 1 - all : 0;
    }
    for (int what = count > first ? 0 : 1; what < 2; what++) {
        add_cells((const char *[]){"", what == 0 ? wl_short_of("%zu more", count - first).text : "of no interval", "",
                                   "", "", "", ""},
                  out);
        for (int i = 0; i < r->model_count; i++)
            add_share_cell(r, i, share[i][what], out);
        wl_buffer_add(out, "\n");
    }
}

static void add_lines(const wl_stack_report *r, wl_buffer *out)
{
    const size_t count = r->stacks->line_count, shown = count < LINES ? count : LINES;
    wl_buffer_add(out, "\n  intervals of a warp that cost most%s\n", r->stacks->assumed ? ", as assumed" : "");
    add_cells((const char *[]){r->stacks->assumed ? "" : "line", r->stacks->assumed ? "" : "source", "times", "instr.",
                               "stall", "waits for", "requests"},
              out);
    for (int i = 0; i < r->model_count; i++)
        add_model_cell(r, i, wl_model_name(r->models[i]), out);
    wl_buffer_add(out, "\n");
    for (size_t i = 0; i < shown; i++)
        add_line(r, &r->stacks->lines[i], out);
    add_others(r, shown, out);
}

void wl_stack_text(const void *result, wl_buffer *out)
{
    const wl_stack_report *r = result;
    const wl_prediction *p = r->prediction;
    wl_gap_lines(p, out);
    add_head(r, out);
    if (r->model_count <= BARS)
        add_bars(r, out);
    else
        add_columns(r, out);
    add_meanings(r, out);
    add_sources(r, out);
    add_lines(r, out);
    if (p->warning_count > 0)
        wl_note_gap(out);
    wl_prediction_notes(p, "  ", out);
}

/* stack_text.c - where the cycles of a launch go, for people: parts with bars, then the lines that
 * cost most.
 * SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "base/units.h"
#include "report/marks.h"
#include "report/shape_text.h"
#include "report/stack_report.h"

enum { BAR_WIDTH = 16, BARS = 2 /* models that get bars */, LINES = 10 };

#define PERCENT 100.0

static void add_head(const wl_stack_report *r, wl_buffer *out)
{
    const wl_prediction *p = r->prediction;
    char block[WL_SHAPE_LENGTH], grid[WL_SHAPE_LENGTH];
    wl_mark_add(out, WL_MARK_HEADLINE);
    wl_buffer_add(out, "%s on %s (%s)", wl_kernel_name(r->kernel), wl_device_name(r->device),
                  wl_device_title(r->device));
    wl_mark_add(out, WL_MARK_END);
    wl_buffer_text(out, "\n");
    wl_buffer_add(out, "  block %s, grid %s; %lld block%s and %lld warps per SM\n",
                  wl_shape_text(p->launch.block, block), wl_shape_text(p->launch.grid, grid),
                  (long long)p->occupancy.blocks_per_sm, p->occupancy.blocks_per_sm == 1 ? "" : "s",
                  (long long)p->occupancy.warps_per_sm);
}

/* ---- parts ---- */

/* "  12345  0.512  23.1 % ####" of one model. */
static void add_cell(const wl_stack_report *r, wl_model_id model, double cycles, bool last, wl_buffer *out)
{
    const wl_stack *s = &r->stacks->stack[model];
    const double share = wl_stack_share(r, model, cycles);
    const int bar = (int)(BAR_WIDTH * share + 0.5);
    wl_buffer_add(out, " %11.0f %8.3f %6.1f %%%s", cycles, s->instructions > 0 ? cycles * s->sms / s->instructions : 0,
                  PERCENT * share, last && bar == 0 ? "" : " ");
    wl_buffer_repeat(out, "#", bar);
    wl_buffer_repeat(out, " ", last ? 0 : BAR_WIDTH - bar);
}

/* Blanks up to the next model, if there is one. */
static void add_gap(const wl_stack_report *r, int model, int width, wl_buffer *out)
{
    wl_buffer_repeat(out, " ", model + 1 < r->model_count ? width : 0);
}

static double cpi_of(const wl_stack *s) { return s->instructions > 0 ? s->total * s->sms / s->instructions : 0; }

static void add_bars(const wl_stack_report *r, wl_buffer *out)
{
    wl_buffer_add(out, "\n  %-10s", "");
    for (int i = 0; i < r->model_count; i++) {
        wl_buffer_add(out, " %11s %8s %8s", wl_model_name(r->models[i]), "CPI", "share");
        add_gap(r, i, 1 + BAR_WIDTH, out);
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
        add_gap(r, i, 10 + BAR_WIDTH, out);
    }
    wl_buffer_add(out, "\n  %-10s", "time");
    for (int i = 0; i < r->model_count; i++) {
        char time[32];
        wl_quantity_text(WL_DIM_TIME, r->stacks->stack[r->models[i]].seconds, time, sizeof time);
        wl_buffer_add(out, " %11s", time);
        add_gap(r, i, 19 + BAR_WIDTH, out);
    }
    wl_buffer_add(out, "\n");
}

/* Many models side by side: CPI and share of each. */
static void add_columns(const wl_stack_report *r, wl_buffer *out)
{
    wl_buffer_add(out, "\n  %-10s", "CPI, share");
    for (int i = 0; i < r->model_count; i++)
        wl_buffer_add(out, " %13s", wl_model_name(r->models[i]));
    for (int p = 0; p < WL_STACK_PART_COUNT; p++) {
        if (!wl_stack_part_shows(r, (wl_stack_part)p))
            continue;
        wl_buffer_add(out, "\n  %-10s", wl_stack_part_name((wl_stack_part)p));
        for (int i = 0; i < r->model_count; i++) {
            const wl_stack *s = &r->stacks->stack[r->models[i]];
            wl_buffer_add(out, " %8.3f %2.0f %%", wl_stack_cpi(s, (wl_stack_part)p),
                          PERCENT * wl_stack_share(r, r->models[i], s->cycles[p]));
        }
    }
    wl_buffer_add(out, "\n  %-10s", "CPI");
    for (int i = 0; i < r->model_count; i++) {
        wl_buffer_add(out, " %8.3f", cpi_of(&r->stacks->stack[r->models[i]]));
        add_gap(r, i, 5, out);
    }
    wl_buffer_add(out, "\n  %-10s", "cycles");
    for (int i = 0; i < r->model_count; i++)
        wl_buffer_add(out, " %13.0f", r->stacks->stack[r->models[i]].total);
    wl_buffer_add(out, "\n  %-10s", "time");
    for (int i = 0; i < r->model_count; i++) {
        char time[32];
        wl_quantity_text(WL_DIM_TIME, r->stacks->stack[r->models[i]].seconds, time, sizeof time);
        wl_buffer_add(out, " %13s", time);
    }
    wl_buffer_add(out, "\n");
}

static void add_meanings(const wl_stack_report *r, wl_buffer *out)
{
    wl_buffer_add(out, "\n");
    for (int p = 0; p < WL_STACK_PART_COUNT; p++)
        if (wl_stack_part_shows(r, (wl_stack_part)p))
            wl_line(out, 13, "  %-10s %s\n", wl_stack_part_name((wl_stack_part)p),
                    wl_stack_part_meaning((wl_stack_part)p));
}

/* ---- lines ---- */

static void add_shares(const wl_stack_report *r, const wl_stack_line *line, wl_buffer *out)
{
    for (int i = 0; i < r->model_count; i++)
        wl_buffer_add(out, " %7.1f %%",
                      PERCENT * wl_stack_share(r, r->models[i], wl_stack_line_cycles(line, r->models[i])));
    wl_buffer_add(out, "\n");
}

static void add_line(const wl_stack_report *r, const wl_stack_line *line, wl_buffer *out)
{
    char ptx[WL_STACK_PTX_LENGTH], place[WL_STACK_PLACE_LENGTH], number[16] = "";
    if (line->op)
        (void)snprintf(number, sizeof number, "%d", (int)line->op->line);
    wl_buffer_add(out, "  %6s %-16s %9.4g %7.4g %7.4g %-10s %8.4g", number,
                  line->op ? wl_stack_place(r, line->op, place) : "", line->times, line->instructions, line->stall,
                  wl_stack_cause(line), line->reads + line->writes);
    add_shares(r, line, out);
    wl_buffer_add(out, "  %6s %s\n", "",
                  line->op             ? wl_stack_ptx(line->op, ptx)
                  : r->stacks->assumed ? wl_stack_assumed_words(line)
                                       : "the end of a warp");
    if (line->from)
        wl_buffer_add(out, "  %6s   waits for line %d: %s\n", "", (int)line->from->line, wl_stack_ptx(line->from, ptx));
}

/* What belongs to no line that is listed: `first` is the first that is not. */
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
        char label[40] = "of no interval";
        if (what == 0)
            (void)snprintf(label, sizeof label, "%zu more", count - first);
        wl_buffer_add(out, "  %6s %-62s", "", label);
        for (int i = 0; i < r->model_count; i++)
            wl_buffer_add(out, " %7.1f %%", PERCENT * share[i][what]);
        wl_buffer_add(out, "\n");
    }
}

static void add_lines(const wl_stack_report *r, wl_buffer *out)
{
    const size_t count = r->stacks->line_count, shown = count < LINES ? count : LINES;
    wl_buffer_add(out, "\n  intervals of a warp that cost most%s\n  %6s %-16s %9s %7s %7s %-10s %8s",
                  r->stacks->assumed ? ", as assumed" : "", r->stacks->assumed ? "" : "line",
                  r->stacks->assumed ? "" : "source", "times", "instr.", "stall", "waits for", "requests");
    for (int i = 0; i < r->model_count; i++)
        wl_buffer_add(out, " %9s", wl_model_name(r->models[i]));
    wl_buffer_add(out, "\n");
    for (size_t i = 0; i < shown; i++)
        add_line(r, &r->stacks->lines[i], out);
    add_others(r, shown, out);
}

void wl_stack_text(const wl_stack_report *r, wl_buffer *out)
{
    const wl_prediction *p = r->prediction;
    add_head(r, out);
    if (r->model_count <= BARS)
        add_bars(r, out);
    else
        add_columns(r, out);
    add_meanings(r, out);
    add_lines(r, out);
    if (p->warning_count > 0)
        wl_note_gap(out);
    for (int i = 0; i < p->warning_count; i++)
        wl_note_line(out, "  ", "%s", p->warnings[i]);
}

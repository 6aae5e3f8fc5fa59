/* stack_svg.c - where the cycles of a launch go, as a picture: a bar per model, and one per line
 * that costs most.
 *
 * Colours: after the schemes "muted" and "bright" of Paul Tol, distinguishable for people with
 * colour-blindness; kinds of waits lie together, memory from light to dark. A dark page gets a dark
 * background.
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "base/units.h"
#include "device/device_internal.h"
#include "report/common/words.h"
#include "report/common/stack_report.h"
#include "report/picture/svg.h"

enum {
    WIDTH = 960,
    MARGIN = 24,
    TITLE = 84, /* characters */
    /* bars of models */
    BAR_X = 130,
    BAR_WIDTH = 620,
    BAR_HEIGHT = 28,
    BAR_STEP = 44,
    AXIS = 40, /* below them */
    NAME = 12,
    /* the legend */
    ENTRY_WIDTH = 228,
    ENTRY_STEP = 22,
    ENTRIES = 4, /* in a row */
    SHARES = 2,  /* of models beside a name */
    /* lines that cost most */
    LINES = 8,
    LINE_X = 540,
    LINE_WIDTH = 320,
    LINE_STEP = 38,
    LINE_HEIGHT = 18,
    CODE = 74,
    WORDS = 84
};

#define PERCENT 100.0
#define LEAST_SHARE 0.001 /* of a line that is drawn */

static const char *const colours[WL_STACK_PART_COUNT] = {
    [WL_STACK_ISSUE] = "#44aa99",      [WL_STACK_FP] = "#66c2a5",         [WL_STACK_TENSOR] = "#2f8f83",
    [WL_STACK_MULTIPLY] = "#8fd3c2",   [WL_STACK_INTEGER] = "#b5e0d5",    [WL_STACK_L1_QUEUE] = "#e69f00",
    [WL_STACK_DEPENDENCE] = "#ddcc77", [WL_STACK_SHARED] = "#999933",     [WL_STACK_L1] = "#88ccee",
    [WL_STACK_L2] = "#4477aa",         [WL_STACK_DRAM] = "#332288",       [WL_STACK_MSHR] = "#cc6677",
    [WL_STACK_NOC] = "#aa4499",        [WL_STACK_DRAM_QUEUE] = "#882255", [WL_STACK_ATOMICS] = "#661100",
    [WL_STACK_BARRIER] = "#117733",    [WL_STACK_IMBALANCE] = "#ee8866",  [WL_STACK_TAIL] = "#bbbbbb",
    [WL_STACK_LAUNCH] = "#777777",     [WL_STACK_FETCH] = "#f4a6c0"};

typedef struct drawing {
    const wl_stack_report *r;
    wl_buffer *out;
    double y;
} drawing;

/* The parts of a sum, from left to right; each has a tooltip. */
static void add_parts(drawing *d, wl_model_id model, const double cycles[WL_STACK_PART_COUNT], double x, double height,
                      double per_cycle)
{
    const wl_stack *s = &d->r->stacks->stack[model];
    for (int p = 0; p < WL_STACK_PART_COUNT; p++) {
        const double width = cycles[p] * per_cycle;
        if (!(width > 0))
            continue;
        wl_buffer_add(d->out,
                      "<rect class=\"edge\" fill=\"%s\" x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%.1f\">"
                      "<title>%s: %.0f cycles, CPI %.3f, %.1f %%: %s</title></rect>\n",
                      colours[p], x, d->y, width, height, wl_stack_part_name((wl_stack_part)p), cycles[p],
                      s->instructions > 0 ? cycles[p] * s->sms / s->instructions : 0,
                      PERCENT * wl_stack_share(d->r, model, cycles[p]), wl_stack_part_meaning((wl_stack_part)p));
        x += width;
    }
}

static void add_head(drawing *d)
{
    const wl_prediction *p = d->r->prediction;
    d->y = MARGIN + 12;
    wl_svg_words(d->out, MARGIN, d->y, "words title", TITLE, "Where the cycles go: %s", wl_kernel_name(d->r->kernel));
    d->y += 22;
    wl_svg_words(d->out, MARGIN, d->y, "faint", TITLE + TITLE / 2, "on %s; block %s, grid %s; blocks per %s: %lld",
                 wl_device_title(d->r->device), wl_shape_text(p->launch.block).text, wl_shape_text(p->launch.grid).text,
                 wl_device_sm_word(d->r->device), (long long)p->occupancy.blocks_per_sm);
    d->y += 22;
}

static void add_axis(drawing *d, double most)
{
    const double step = wl_svg_step(most, 5), y = d->y - (BAR_STEP - BAR_HEIGHT) / 2.0;
    wl_buffer_add(d->out, "<path class=\"axis\" d=\"M%d %.1fh%d\"/>\n", BAR_X, y, BAR_WIDTH);
    for (double cycles = 0; cycles <= most * (1 + 1e-9); cycles += step) {
        const double x = BAR_X + cycles / most * BAR_WIDTH;
        wl_buffer_add(d->out, "<path class=\"axis\" d=\"M%.1f %.1fv5\"/>\n", x, y);
        wl_svg_text(d->out, x, y + 18, "faint small middle", wl_scaled(cycles).text, NAME);
    }
    wl_buffer words = {0};
    wl_buffer_text(&words, "cycles of a multiprocessor, by part");
    for (int i = 0; i < d->r->model_count && d->r->model_count == SHARES; i++)
        wl_buffer_add(&words, "%s%s", i ? " / " : "; shares by ", wl_model_name(d->r->models[i]));
    wl_svg_text(d->out, BAR_X + BAR_WIDTH / 2.0, y + 36, "faint middle", wl_buffer_string(&words), TITLE);
    wl_buffer_drop_part(&words, d->out);
    d->y += AXIS;
}

static void add_models(drawing *d)
{
    double most = 0;
    for (int i = 0; i < d->r->model_count; i++)
        most = fmax(most, d->r->stacks->stack[d->r->models[i]].total);
    for (int i = 0; i < d->r->model_count; i++, d->y += BAR_STEP) {
        const wl_stack *s = &d->r->stacks->stack[d->r->models[i]];
        const double per_cycle = most > 0 ? BAR_WIDTH / most : 0, middle = d->y + BAR_HEIGHT / 2 + 5;
        wl_svg_text(d->out, BAR_X - 10, middle, "words end", wl_model_name(d->r->models[i]), NAME);
        add_parts(d, d->r->models[i], s->cycles, BAR_X, BAR_HEIGHT, per_cycle);
        wl_buffer_add(d->out, "<text class=\"words\" x=\"%.1f\" y=\"%.1f\">%s, CPI %.3g</text>\n",
                      BAR_X + s->total * per_cycle + 8, middle, wl_quantity(WL_DIM_TIME, s->seconds).text,
                      s->instructions > 0 ? s->total * s->sms / s->instructions : 0);
    }
    if (most > 0)
        add_axis(d, most);
}

/* Names, and the shares of one or two models; for more models, tooltips of the bars show them. */
static void add_legend(drawing *d)
{
    int n = 0;
    d->y += 6;
    for (int p = 0; p < WL_STACK_PART_COUNT; p++) {
        if (!wl_stack_part_shows(d->r, (wl_stack_part)p))
            continue;
        const double x = MARGIN + n % ENTRIES * ENTRY_WIDTH, y = d->y + n / ENTRIES * ENTRY_STEP;
        wl_buffer_add(d->out, "<rect class=\"edge\" fill=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"14\" height=\"14\"/>\n",
                      colours[p], x, y);
        wl_buffer_add(d->out, "<text class=\"words\" x=\"%.1f\" y=\"%.1f\">%s ", x + 20, y + 12,
                      wl_stack_part_name((wl_stack_part)p));
        for (int i = 0; i < d->r->model_count && d->r->model_count <= SHARES; i++)
            wl_buffer_add(d->out, "%s%.1f %%", i ? " / " : "",
                          PERCENT *
                              wl_stack_share(d->r, d->r->models[i], d->r->stacks->stack[d->r->models[i]].cycles[p]));
        wl_buffer_text(d->out, "</text>\n");
        n++;
    }
    d->y += (n + ENTRIES - 1) / ENTRIES * ENTRY_STEP + 14;
}

/* ---- lines ---- */

static void add_words(drawing *d, const wl_stack_line *line)
{
    wl_buffer words = {0};
    if (!line->op) {
        const char *what = d->r->stacks->assumed ? wl_stack_assumed_words(line) : "the end of a warp";
        wl_svg_text(d->out, MARGIN, d->y + 12, "words small", what, CODE);
        return;
    }
    wl_svg_text(d->out, MARGIN, d->y + 8, "words code", wl_stack_ptx(line->op).text, CODE);
    wl_buffer_add(&words, "line %d", (int)line->op->line);
    const wl_stack_words place = wl_stack_place(d->r, line->op);
    wl_buffer_add(&words, place.text[0] ? ", %s" : "%s", place.text);
    wl_buffer_add(&words, "; %.4g time%s, %.4g cycles for %s", line->times, line->times == 1 ? "" : "s", line->stall,
                  wl_stack_cause(line));
    if (line->from)
        wl_buffer_add(&words, ": line %d, %s", (int)line->from->line, wl_stack_ptx(line->from).text);
    wl_svg_text(d->out, MARGIN, d->y + 22, "faint small", wl_buffer_string(&words), WORDS);
    wl_buffer_drop_part(&words, d->out);
}

static void add_lines(drawing *d)
{
    const wl_stacks *s = d->r->stacks;
    const wl_model_id model = d->r->models[0];
    size_t shown = 0;
    while (shown < s->line_count && shown < LINES &&
           wl_stack_share(d->r, model, wl_stack_line_cycles(&s->lines[shown], model)) >= LEAST_SHARE)
        shown++;
    const double most = shown > 0 ? wl_stack_line_cycles(&s->lines[0], model) : 0;
    wl_buffer_add(d->out,
                  "<text class=\"words\" x=\"%d\" y=\"%.1f\">intervals of a warp that cost most, by %s%s: %zu of %zu"
                  "</text>\n",
                  MARGIN, d->y + 6, wl_model_name(model), s->assumed ? ", as assumed" : "", shown, s->line_count);
    wl_svg_text(d->out, LINE_X, d->y + 6, "words", "share of all cycles [%], by part", CODE);
    d->y += 22;
    for (size_t i = 0; i < shown; i++, d->y += LINE_STEP) {
        const wl_stack_line *line = &s->lines[i];
        const double cycles = wl_stack_line_cycles(line, model), per_cycle = most > 0 ? LINE_WIDTH / most : 0;
        add_words(d, line);
        add_parts(d, model, line->cycles[model], LINE_X, LINE_HEIGHT, per_cycle);
        wl_buffer_add(d->out, "<text class=\"words small\" x=\"%.1f\" y=\"%.1f\">%.1f %%</text>\n",
                      LINE_X + cycles * per_cycle + 6, d->y + 13, PERCENT * wl_stack_share(d->r, model, cycles));
    }
}

void wl_stack_svg(const void *result, wl_buffer *out)
{
    const wl_stack_report *r = result;
    wl_buffer body = {0};
    drawing d = {.r = r, .out = &body};
    add_head(&d);
    add_models(&d);
    add_legend(&d);
    add_lines(&d);
    wl_svg_whole(out, "stack", WIDTH, d.y + MARGIN, wl_kernel_name(r->kernel), &body);
}

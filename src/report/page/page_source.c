/* page_source.c - the source of a kernel, each line with its share of the time, what its warps wait
 * for, what it executes and the bytes it moves: the warmer a line, the more it costs.
 *
 * Lines are known from PTX with -lineinfo. Where the text of a file is known, all lines between
 * those that cost something are shown, else only these.
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "report/common/stack_report.h"
#include "report/page/page.h"

enum {
    LINES_MOST = 1000, /* that cost something */
    AROUND = 2,        /* lines shown around one that costs something */
    CODE = 160         /* characters of a line */
};

#define PERCENT 100.0
#define HEAT 0.45 /* opacity of the line that costs most, */
#define HOT 0.25  /* if its share of the time is at least this */

/* A line that costs something. */
typedef struct spot {
    const char *file;
    int line;
    double share; /* of the time; 0: none, or no stack */
    int part;     /* most of it */
    double warp, accesses;
    double l2_bytes, dram_bytes; /* of its loads and stores */
} spot;

typedef struct view {
    spot *spots;
    size_t count;
    double most; /* share, or HOT */
    bool timed;
} view;

/* The spot of a line, made where there is none yet; NULL: there are too many. */
static spot *find_spot(view *v, const char *file, int line)
{
    for (size_t i = 0; i < v->count; i++)
        if (v->spots[i].line == line && strcmp(v->spots[i].file, file) == 0)
            return &v->spots[i];
    if (v->count == LINES_MOST)
        return NULL;
    v->spots[v->count] = (spot){.file = file, .line = line};
    return &v->spots[v->count++];
}

static int largest(const double cycles[WL_STACK_PART_COUNT])
{
    int most = 0;
    for (int p = 1; p < WL_STACK_PART_COUNT; p++)
        most = cycles[p] > cycles[most] ? p : most;
    return most;
}

/* Shares of the time, if there is a stack. */
static wl_status add_times(const wl_page_part *p, view *v, wl_error *err)
{
    wl_stack_report r = {
        .prediction = p->prediction, .kernel = p->kernel, .device = p->device, .stacks = p->prediction->stacks};
    wl_error why = {0};
    if (!r.stacks || wl_stack_choose_models(&r, false, &why) != WL_OK)
        return WL_OK;
    wl_stack_source *sources = malloc(LINES_MOST * sizeof *sources);
    if (!sources)
        return wl_fail_memory(err);
    const size_t count = wl_stack_sources(&r, sources, LINES_MOST);
    for (size_t i = 0; i < count; i++) {
        const wl_op *op = sources[i].line->op;
        spot *s = find_spot(v, r.stacks->files[op->file], op->source_line);
        if (!s)
            break;
        s->share = wl_stack_share(&r, r.models[0], sources[i].sum);
        s->part = largest(sources[i].cycles);
        v->most = s->share > v->most ? s->share : v->most;
        v->timed = true;
    }
    free(sources);
    return WL_OK;
}

static void add_counts(const wl_page_part *p, view *v)
{
    for (size_t i = 0; i < p->prediction->line_count; i++) {
        const wl_line_mix *l = &p->prediction->lines[i];
        spot *s = find_spot(v, l->file, l->line);
        if (!s)
            return;
        s->warp += l->warp;
        s->accesses += l->global_accesses + l->shared_accesses;
    }
}

/* ---- bytes ---- */

/* How often warps of the launch execute each operation: parts `at` .. `end` of a life, so often. */
static void count_executions(const wl_life *life, size_t at, size_t end, double times, double *executions)
{
    while (at < end) {
        const wl_stretch *part = &life->parts[at++];
        if (part->loop) {
            count_executions(life, at, at + (size_t)part->count, times * part->times, executions);
            at += (size_t)part->count;
            continue;
        }
        for (int32_t i = 0; i < part->count; i++)
            executions[part->first + i] += times;
    }
}

static bool is_access(const wl_op *op, bool store)
{
    return store ? op->kind == WL_OP_STORE || op->kind == WL_OP_ATOMIC : op->kind == WL_OP_LOAD;
}

/* Distributes the volumes of a field's loads, or stores, over the lines that execute them. */
static void add_field_bytes(const wl_lives *lives, const double *executions, size_t field, bool store,
                            const wl_share *share, view *v)
{
    double all = 0;
    for (int32_t i = 0; i < lives->op_count; i++)
        if (lives->ops[i].field == (int32_t)field && is_access(&lives->ops[i], store))
            all += executions[i];
    for (int32_t i = 0; i < lives->op_count && all > 0; i++) {
        const wl_op *op = &lives->ops[i];
        if (op->field != (int32_t)field || !is_access(op, store) || op->file < 0)
            continue;
        spot *s = find_spot(v, lives->files[op->file], op->source_line);
        if (!s)
            return;
        s->l2_bytes += executions[i] / all * (store ? share->l2_store_bytes : share->l2_load_bytes);
        s->dram_bytes += executions[i] / all * (store ? share->dram_store_bytes : share->dram_load_bytes);
    }
}

static wl_status add_bytes(const wl_page_part *p, view *v, wl_error *err)
{
    const wl_kernel *kernel = p->prediction->kernel;
    const wl_lives *lives = NULL;
    wl_error why = {0};
    if (!kernel || !p->prediction->fields || !kernel->source.live ||
        kernel->source.live(kernel->source.context, &lives, &why) != WL_OK || !lives)
        return why.code == WL_E_NOMEM ? wl_fail_memory(err) : WL_OK;
    double *executions = calloc((size_t)lives->op_count + 1, sizeof *executions);
    if (!executions)
        return wl_fail_memory(err);
    for (size_t i = 0; i < lives->count; i++)
        count_executions(&lives->list[i], 0, lives->list[i].count, lives->list[i].warps, executions);
    for (size_t f = 0; f < kernel->field_count; f++)
        for (int store = 0; store < 2; store++)
            add_field_bytes(lives, executions, f, store, &p->prediction->fields[f], v);
    free(executions);
    return WL_OK;
}

static int compare_spots(const void *a, const void *b)
{
    const spot *s = a, *t = b;
    const int files = strcmp(s->file, t->file);
    return files ? files : s->line - t->line;
}

/* ---- the text ---- */

/* The beginning of a line, from 1, of a text; NULL: it has no such line. */
static const char *find_line(const char *text, int line)
{
    for (; text && line > 1; line--) {
        text = strchr(text, '\n');
        text += text ? 1 : 0;
    }
    return text && *text ? text : NULL;
}

static void add_code(const char *text, int line, wl_buffer *out)
{
    const char *begin = find_line(text, line);
    wl_buffer code = {0};
    for (const char *c = begin; c && *c && *c != '\n'; c++)
        wl_buffer_add(&code, *c == '\t' ? "    " : "%c", *c);
    wl_buffer_text(out, "<td class=\"code\"><code>");
    wl_quote_xml(out, wl_buffer_string(&code), CODE);
    wl_buffer_text(out, "</code></td>");
    wl_buffer_drop_part(&code, out);
}

static const char *text_of(const wl_page_part *p, const char *file)
{
    for (size_t i = 0; i < p->launch->file_count; i++)
        if (strcmp(p->launch->files[i], file) == 0)
            return p->launch->texts[i];
    return NULL;
}

/* ---- rows ---- */

static void add_bytes_cell(double bytes, wl_buffer *out)
{
    if (bytes > 0)
        wl_page_number(out, bytes, "%s", wl_quantity(WL_DIM_BYTES, bytes).text);
    else
        wl_buffer_text(out, "<td class=\"n\"></td>");
}

static void add_spot(const view *v, const spot *s, const char *text, wl_buffer *out)
{
    const char *reason = wl_stack_part_reason((wl_stack_part)s->part);
    wl_buffer_add(out, "<tr data-line=\"%d\" style=\"background:rgba(230,159,0,%.3f)\">", s->line,
                  HEAT * s->share / v->most);
    if (s->share > 0)
        wl_page_number(out, s->share, "%.1f %%", PERCENT * s->share);
    else
        wl_buffer_text(out, "<td class=\"n\"></td>");
    wl_buffer_add(out, "<td class=\"n\">%d</td>", s->line);
    if (text)
        add_code(text, s->line, out);
    if (s->share > 0)
        wl_page_print(out, "<td>%s%s%s%s</td>", wl_stack_part_name((wl_stack_part)s->part), reason[0] ? " (" : "",
                      reason, reason[0] ? ")" : "");
    else
        wl_buffer_text(out, "<td></td>");
    wl_page_number(out, s->warp, "%s", wl_scaled_bare(s->warp).text);
    if (s->accesses > 0)
        wl_page_number(out, s->accesses, "%s", wl_scaled_bare(s->accesses).text);
    else
        wl_buffer_text(out, "<td class=\"n\"></td>");
    add_bytes_cell(s->l2_bytes, out);
    add_bytes_cell(s->dram_bytes, out);
    wl_buffer_text(out, "</tr>\n");
}

/* Lines that cost nothing. */
static void add_cold(const char *text, int first, int last, wl_buffer *out)
{
    for (int line = first; line <= last && find_line(text, line); line++) {
        wl_buffer_add(out, "<tr class=\"cold\"><td></td><td class=\"n\">%d</td>", line);
        add_code(text, line, out);
        wl_buffer_text(out, "<td></td><td></td><td></td><td></td><td></td></tr>\n");
    }
}

/* What lies between two spots: all of it, or only what is near them. */
static void add_between(const char *text, int after, int before, wl_buffer *out)
{
    const bool begins = after == 0, ends = before == INT32_MAX;
    if (!text)
        return;
    if (begins || ends || before - after - 1 > 4 * AROUND) {
        if (!begins)
            add_cold(text, after + 1, after + AROUND, out);
        if (!begins && !ends)
            wl_buffer_text(out, "<tr class=\"cold\"><td></td><td class=\"n\">..</td><td></td><td></td><td></td>"
                                "<td></td><td></td><td></td></tr>\n");
        if (!ends)
            add_cold(text, before - AROUND > 1 ? before - AROUND : 1, before - 1, out);
        return;
    }
    add_cold(text, after + 1, before - 1, out);
}

/* The spots of one file; returns how many they are. */
static size_t add_file(const wl_page_part *p, const view *v, size_t first, wl_buffer *out)
{
    const char *file = v->spots[first].file, *text = text_of(p, file), *slash = strrchr(file, '/');
    size_t end = first;
    wl_page_print(out, "<h4>%s</h4>\n", slash ? slash + 1 : file);
    wl_buffer_add(out,
                  "<div class=\"wide\"><table class=\"source\"><thead><tr><th scope=\"col\" class=\"n\">time</th>"
                  "<th scope=\"col\" class=\"n\">line</th>%s<th scope=\"col\">most of it (stall reason)</th>"
                  "<th scope=\"col\" class=\"n\">warp instr.</th><th scope=\"col\" class=\"n\">accesses</th>"
                  "<th scope=\"col\" class=\"n\">L2 bytes</th><th scope=\"col\" class=\"n\">DRAM bytes</th></tr>"
                  "</thead>\n<tbody>\n",
                  text ? "<th scope=\"col\">source</th>" : "");
    for (; end < v->count && strcmp(v->spots[end].file, file) == 0; end++) {
        add_between(text, end > first ? v->spots[end - 1].line : 0, v->spots[end].line, out);
        add_spot(v, &v->spots[end], text, out);
    }
    add_between(text, v->spots[end - 1].line, INT32_MAX, out);
    wl_page_table_end(out);
    return end - first;
}

wl_status wl_page_source(const wl_page_part *p, wl_buffer *out, wl_error *err)
{
    view v = {.spots = malloc(LINES_MOST * sizeof *v.spots), .most = HOT};
    if (!v.spots)
        return wl_fail_memory(err);
    wl_status status = add_times(p, &v, err);
    add_counts(p, &v);
    status = status ? status : add_bytes(p, &v, err);
    if (status == WL_OK && v.count > 0) {
        qsort(v.spots, v.count, sizeof *v.spots, compare_spots);
        wl_buffer_add(out, "<h3>The source, by cost</h3>\n<p>%s</p>\n",
                      v.timed ? "The warmer a line, the larger its share of the time. What belongs to no line, as the "
                                "end of the launch, is not shown."
                              : "Shares of the time are not known; instructions are.");
        for (size_t i = 0; i < v.count;)
            i += add_file(p, &v, i, out);
    }
    free(v.spots);
    return status;
}

/* stack_words.c - see stack_report.h. SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "report/common/stack_report.h"

wl_status wl_stack_choose_models(wl_stack_report *r, bool all, wl_error *err)
{
    const wl_stacks *s = r->stacks;
    const wl_model_id asked = s->asked;
    if (!all && asked != WL_MODEL_BEST && !s->known[asked])
        return wl_fail(err, WL_E_UNSUPPORTED, WL_NOWHERE,
                       s->missing[asked] ? "no stack by the model %s: the device file has no %s"
                                         : "the model %s has no stack: it knows no waits",
                       wl_model_name(asked), s->missing[asked]);
    if (s->known[s->first])
        r->models[r->model_count++] = s->first;
    for (int i = 0; i < WL_MODEL_COUNT && all; i++)
        if (s->known[i] && i != (int)s->first)
            r->models[r->model_count++] = (wl_model_id)i;
    if (r->model_count > 0)
        return WL_OK;
    return wl_fail(err, WL_E_UNSUPPORTED, WL_NOWHERE, "no model has a stack: the device file has no %s",
                   s->missing[WL_MODEL_MDM]);
}

#define LEAST_SHARE 0.0005 /* of a part: smaller ones would show as 0.0 % */

bool wl_stack_part_shows(const wl_stack_report *r, wl_stack_part part)
{
    for (int i = 0; i < r->model_count; i++)
        if (wl_stack_share(r, r->models[i], r->stacks->stack[r->models[i]].cycles[part]) >= LEAST_SHARE)
            return true;
    return false;
}

double wl_stack_share(const wl_stack_report *r, wl_model_id model, double cycles)
{
    const double total = r->stacks->stack[model].total;
    return total > 0 ? cycles / total : 0;
}

const char *wl_stack_cause(const wl_stack_line *line)
{
    switch (line->cause) {
    case WL_STALL_DEPENDENCE: return wl_stack_part_name(WL_STACK_DEPENDENCE);
    case WL_STALL_SHARED: return wl_stack_part_name(WL_STACK_SHARED);
    case WL_STALL_MEMORY: return wl_stack_part_name((wl_stack_part)(WL_STACK_L1 + line->level));
    case WL_STALL_BARRIER: return wl_stack_part_name(WL_STACK_BARRIER);
    default: return "nothing";
    }
}

static bool is_known(const wl_stack_report *r, const wl_stack_line *line)
{
    return line->op && line->op->file >= 0 && r->stacks->files;
}

static bool is_same_place(const wl_stack_line *a, const wl_stack_line *b)
{
    return a->op->file == b->op->file && a->op->source_line == b->op->source_line;
}

#define LINES_MOST 4096 /* that are looked at: those that cost most */

size_t wl_stack_sources(const wl_stack_report *r, wl_stack_source *out, size_t most)
{
    const wl_model_id model = r->models[0];
    const size_t count = r->stacks->line_count < LINES_MOST ? r->stacks->line_count : LINES_MOST;
    const wl_stack_line *lines = r->stacks->lines;
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        wl_stack_source one = {.line = &lines[i]};
        bool seen = !is_known(r, &lines[i]);
        for (size_t k = 0; k < i && !seen; k++)
            seen = is_known(r, &lines[k]) && is_same_place(&lines[i], &lines[k]);
        if (seen)
            continue;
        for (size_t k = i; k < count; k++)
            for (int p = 0; p < WL_STACK_PART_COUNT && is_known(r, &lines[k]) && is_same_place(&lines[i], &lines[k]);
                 p++)
                one.cycles[p] += lines[k].cycles[model][p];
        one.sum = wl_stack_sum(one.cycles);
        size_t at = n < most ? n++ : most;
        for (; at > 0 && one.sum > out[at - 1].sum; at--)
            if (at < most)
                out[at] = out[at - 1];
        if (at < most)
            out[at] = one;
    }
    return n;
}

const char *wl_stack_assumed_words(const wl_stack_line *line)
{
    static const char *const loads[] = {"loads that hit the L1", "loads from the L2", "loads from DRAM"};
    switch (line->cause) {
    case WL_STALL_DEPENDENCE: return "one instruction after another";
    case WL_STALL_MEMORY: return loads[line->level];
    case WL_STALL_BARRIER: return "barriers";
    default: return "the end of a warp";
    }
}

wl_stack_words wl_stack_ptx(const wl_op *op)
{
    wl_stack_words out;
    size_t length = 0;
    for (int32_t i = 0; i < op->text_length && length + 1 < sizeof out.text; i++) {
        const char c = op->text[i];
        const bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
        if (!blank)
            out.text[length++] = c;
        else if (length > 0 && out.text[length - 1] != ' ')
            out.text[length++] = ' ';
    }
    out.text[length] = '\0';
    return out;
}

wl_stack_words wl_stack_place(const wl_stack_report *r, const wl_op *op)
{
    wl_stack_words out = {""};
    if (op->file < 0 || !r->stacks->files)
        return out;
    const char *file = r->stacks->files[op->file], *slash = strrchr(file, '/');
    (void)snprintf(out.text, sizeof out.text, "%.64s:%d", slash ? slash + 1 : file, (int)op->source_line);
    return out;
}

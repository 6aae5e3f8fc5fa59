/* stack_words.c - see stack_report.h. SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "report/common/stack_report.h"

bool wl_stack_part_shows(const wl_stack_report *r, wl_stack_part part)
{
    for (int i = 0; i < r->model_count; i++)
        if (r->stacks->stack[r->models[i]].cycles[part] > 0)
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

const char *wl_stack_ptx(const wl_op *op, char text[WL_STACK_PTX_LENGTH])
{
    int length = 0;
    for (int32_t i = 0; i < op->text_length && length + 1 < WL_STACK_PTX_LENGTH; i++) {
        const char c = op->text[i];
        const bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
        if (!blank)
            text[length++] = c;
        else if (length > 0 && text[length - 1] != ' ')
            text[length++] = ' ';
    }
    text[length] = '\0';
    return text;
}

const char *wl_stack_place(const wl_stack_report *r, const wl_op *op, char text[WL_STACK_PLACE_LENGTH])
{
    text[0] = '\0';
    if (op->file < 0 || !r->stacks->files)
        return text;
    const char *file = r->stacks->files[op->file], *slash = strrchr(file, '/');
    (void)snprintf(text, WL_STACK_PLACE_LENGTH, "%.64s:%d", slash ? slash + 1 : file, (int)op->source_line);
    return text;
}

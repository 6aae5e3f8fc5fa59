/* stack_json.c - schema warpline.stack/1. Values that are not known are absent.
 * SPDX-License-Identifier: MIT */
#include "base/json.h"
#include "report/common/stack_report.h"
#include "report/json/symbol_json.h"

static json_t *parts(wl_json *j, const wl_stack_report *r, wl_model_id model)
{
    const wl_stack *s = &r->stacks->stack[model];
    json_t *all = wl_json_object(j);
    for (int p = 0; p < WL_STACK_PART_COUNT; p++)
        wl_json_set(j, all, wl_stack_part_name((wl_stack_part)p),
                    wl_json_pack(j, "{s:f, s:f, s:f}", "cycles", s->cycles[p], "cpi", wl_stack_cpi(s, (wl_stack_part)p),
                                 "share", wl_stack_share(r, model, s->cycles[p])));
    return all;
}

static json_t *models(wl_json *j, const wl_stack_report *r)
{
    json_t *all = wl_json_array(j);
    for (int i = 0; i < r->model_count; i++) {
        const wl_stack *s = &r->stacks->stack[r->models[i]];
        wl_json_add(j, all,
                    wl_json_pack(j, "{s:s, s:f, s:f, s:f, s:o, s:o, s:o}", "name", wl_model_name(r->models[i]),
                                 "time_s", s->seconds, "cycles", s->total, "cpi",
                                 s->instructions > 0 ? s->total * s->sms / s->instructions : 0.0, "instructions",
                                 wl_json_number(j, s->instructions), "sms", wl_json_number(j, s->sms), "parts",
                                 parts(j, r, r->models[i])));
    }
    return all;
}

static json_t *operation(wl_json *j, const wl_stack_report *r, const wl_op *op)
{
    json_t *one = wl_json_object(j);
    wl_json_set(j, one, "line", wl_json_whole(j, op->line));
    wl_json_set(j, one, "ptx", wl_json_text(j, wl_stack_ptx(op).text));
    if (op->file >= 0 && r->stacks->files)
        wl_json_set(j, one, "source",
                    wl_json_pack(j, "{s:o, s:i}", "file", wl_json_text(j, r->stacks->files[op->file]), "line",
                                 (int)op->source_line));
    return one;
}

static json_t *costs(wl_json *j, const wl_stack_report *r, const wl_stack_line *line)
{
    json_t *all = wl_json_object(j);
    for (int i = 0; i < r->model_count; i++) {
        const wl_model_id model = r->models[i];
        const double cycles = wl_stack_line_cycles(line, model);
        json_t *by_part = wl_json_object(j);
        for (int p = 0; p < WL_STACK_PART_COUNT; p++)
            if (line->cycles[model][p] > 0)
                wl_json_set(j, by_part, wl_stack_part_name((wl_stack_part)p), wl_json_real(j, line->cycles[model][p]));
        wl_json_set(j, all, wl_model_name(model),
                    wl_json_pack(j, "{s:f, s:f, s:o}", "cycles", cycles, "share", wl_stack_share(r, model, cycles),
                                 "parts", by_part));
    }
    return all;
}

static json_t *intervals(wl_json *j, const wl_stack_report *r)
{
    json_t *all = wl_json_array(j);
    for (size_t i = 0; i < r->stacks->line_count; i++) {
        const wl_stack_line *line = &r->stacks->lines[i];
        json_t *one = wl_json_object(j);
        wl_json_set(j, one, "stalls", line->op ? operation(j, r, line->op) : NULL);
        wl_json_set(j, one, "waits_for", line->from ? operation(j, r, line->from) : NULL);
        if (r->stacks->assumed)
            wl_json_set(j, one, "assumed", wl_json_text(j, wl_stack_assumed_words(line)));
        wl_json_set(j, one, "cause", wl_json_text(j, wl_stack_cause(line)));
        wl_json_set(j, one, "warps", wl_json_number(j, line->warps));
        wl_json_set(j, one, "times", wl_json_number(j, line->times));
        wl_json_set(j, one, "instructions", wl_json_number(j, line->instructions));
        wl_json_set(j, one, "stall_cycles", wl_json_number(j, line->stall));
        wl_json_set(j, one, "requests",
                    wl_json_pack(j, "{s:o, s:o, s:o}", "reads", wl_json_number(j, line->reads), "misses",
                                 wl_json_number(j, line->misses), "writes", wl_json_number(j, line->writes)));
        wl_json_set(j, one, "cost", costs(j, r, line));
        wl_json_add(j, all, one);
    }
    return all;
}

json_t *wl_stack_json(wl_json *j, const void *result)
{
    const wl_stack_report *r = result;
    const wl_prediction *p = r->prediction;
    json_t *warnings = wl_json_array(j);
    for (int i = 0; i < p->warning_count; i++)
        wl_json_add(j, warnings, wl_json_text(j, p->warnings[i]));
    json_t *root = wl_json_pack(
        j, "{s:s, s:o, s:o, s:{s:o, s:o, s:I, s:I}, s:{s:I, s:I}, s:s, s:o, s:o, s:o}", "schema", "warpline.stack/1",
        "kernel", wl_json_text(j, wl_kernel_name(r->kernel)), "device", wl_json_text(j, wl_device_name(r->device)),
        "launch", "block", wl_json_shape(j, p->launch.block), "grid", wl_json_shape(j, p->launch.grid), "registers",
        (json_int_t)p->launch.registers, "shared_bytes", (json_int_t)p->launch.shared_bytes, "occupancy",
        "blocks_per_sm", (json_int_t)p->occupancy.blocks_per_sm, "warps_per_sm", (json_int_t)p->occupancy.warps_per_sm,
        "life", r->stacks->assumed ? "assumed" : "instructions", "models", models(j, r), "intervals", intervals(j, r),
        "warnings", warnings);
    wl_json_symbol(j, root, r->kernel);
    return root;
}

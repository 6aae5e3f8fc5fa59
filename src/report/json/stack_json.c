/* stack_json.c - schema warpline.stack/1. Values that are not known are absent.
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "base/json_out.h"
#include "report/common/stack_report.h"
#include "report/common/words.h"

static void model(wl_json_out *o, const void *of, size_t i)
{
    const wl_stack_report *r = of;
    const wl_stack *s = &r->stacks->stack[r->models[i]];
    wl_out_members(o, "name:s time_s:r cycles:r cpi:r instructions:n sms:n parts:{", wl_model_name(r->models[i]),
                   s->seconds, s->total, s->instructions > 0 ? s->total * s->sms / s->instructions : 0.0,
                   s->instructions, s->sms);
    for (int p = 0; p < WL_STACK_PART_COUNT; p++)
        wl_out_row(o, wl_stack_part_name((wl_stack_part)p), "cycles:r cpi:r share:r stall_reason:s?", s->cycles[p],
                   wl_stack_cpi(s, (wl_stack_part)p), wl_stack_share(r, r->models[i], s->cycles[p]),
                   wl_stack_part_reason((wl_stack_part)p)[0] ? wl_stack_part_reason((wl_stack_part)p) : NULL);
    wl_out_object_end(o);
}

static void operation(wl_json_out *o, const char *key, const wl_stack_report *r, const wl_op *op)
{
    if (!op)
        return;
    wl_out_object(o, key);
    wl_out_members(o, "line:i ptx:s", (int)op->line, wl_stack_ptx(op).text);
    if (op->file >= 0 && r->stacks->files)
        wl_out_row(o, "source", "file:s line:i", r->stacks->files[op->file], (int)op->source_line);
    wl_out_object_end(o);
}

static void costs(wl_json_out *o, const wl_stack_report *r, const wl_stack_line *line)
{
    wl_out_object(o, "cost");
    for (int i = 0; i < r->model_count; i++) {
        const wl_model_id model = r->models[i];
        const double cycles = wl_stack_line_cycles(line, model);
        wl_out_object(o, wl_model_name(model));
        wl_out_members(o, "cycles:r share:r parts:{", cycles, wl_stack_share(r, model, cycles));
        for (int p = 0; p < WL_STACK_PART_COUNT; p++)
            if (line->cycles[model][p] > 0)
                wl_out_real(o, wl_stack_part_name((wl_stack_part)p), line->cycles[model][p]);
        wl_out_members(o, "}}");
    }
    wl_out_object_end(o);
}

static void interval(wl_json_out *o, const void *of, size_t i)
{
    const wl_stack_report *r = of;
    const wl_stack_line *line = &r->stacks->lines[i];
    operation(o, "stalls", r, line->op);
    operation(o, "waits_for", r, line->from);
    wl_out_members(o,
                   "assumed:s? cause:s warps:n? times:n? instructions:n? stall_cycles:n? "
                   "requests:{reads:n misses:n writes:n}",
                   r->stacks->assumed ? wl_stack_assumed_words(line) : NULL, wl_stack_cause(line), line->warps,
                   line->times, line->instructions, line->stall, line->reads, line->misses, line->writes);
    costs(o, r, line);
}

void wl_stack_json(wl_json_out *o, const void *result)
{
    const wl_stack_report *r = result;
    const wl_prediction *p = r->prediction;
    wl_out_members(o,
                   "schema:s kernel:s device:s launch:{block:x grid:x registers:d shared_bytes:d} "
                   "occupancy:{blocks_per_sm:d warps_per_sm:d} life:s",
                   "warpline.stack/1", wl_kernel_name(r->kernel), wl_device_name(r->device), p->launch.block,
                   p->launch.grid, p->launch.registers, p->launch.shared_bytes, p->occupancy.blocks_per_sm,
                   p->occupancy.warps_per_sm, r->stacks->assumed ? "assumed" : "instructions");
    wl_out_objects(o, "models", (size_t)r->model_count, model, r);
    wl_out_objects(o, "intervals", r->stacks->line_count, interval, r);
    wl_out_array(o, "warnings");
    wl_out_texts(o, p->warnings[0], sizeof p->warnings[0], p->warning_count);
    wl_out_array_end(o);
    wl_out_members(o, "symbol:s?", wl_kernel_symbol(r->kernel));
}

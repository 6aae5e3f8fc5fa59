/* coverage_text.c - which operations of a PTX file are supported, for people.
 * SPDX-License-Identifier: MIT */
#include "report/common/marks.h"
#include "report/common/render.h"

#define MEANING_COLUMN 55

static double share(const wl_coverage *c, int64_t part) { return c->all ? 100.0 * (double)part / (double)c->all : 0; }

static void write_row(const wl_coverage *c, wl_ptx_op op, wl_buffer *out)
{
    const int length = wl_coverage_name_length(op);
    for (int k = 0; k < WL_INST_CLASS_COUNT; k++)
        if (c->count[op][k] > 0) {
            wl_mark_row(out, MEANING_COLUMN);
            wl_buffer_add(out, "%-24.*s %10lld  %-8s %-8s %s\n", length, wl_coverage_name(op),
                          (long long)c->count[op][k], wl_inst_class_name((wl_inst_class)k), wl_coverage_support(op),
                          wl_ptx_op_info_of(op)->meaning);
        }
}

void wl_coverage_text(const void *result, wl_buffer *out)
{
    const wl_coverage *c = result;
    const wl_ptx_module *m = c->module;
    wl_buffer_add(out, "PTX %d.%d for %s: %d kernel%s, %d function%s, %lld instructions\n\n", m->version_major,
                  m->version_minor, m->target ? m->target : "no target", c->entries, c->entries == 1 ? "" : "s",
                  c->functions, c->functions == 1 ? "" : "s", (long long)c->all);
    wl_buffer_add(out, "%-24s %10s  %-8s %-8s %s\n", "operation", "count", "class", "support", "meaning");
    for (int op = 0; op < WL_PTX_OP_COUNT; op++)
        write_row(c, (wl_ptx_op)op, out);
    wl_buffer_add(out, "\nexact   %6.2f %%  results are computed\n", share(c, c->by_support[WL_PTX_EXACT]));
    wl_buffer_add(out, "ignored %6.2f %%  nothing to compute\n", share(c, c->by_support[WL_PTX_IGNORED]));
    wl_buffer_add(out, "counted %6.2f %%  counted; results are unknown\n", share(c, c->by_support[WL_PTX_COUNTED]));
    wl_buffer_add(out, "partial %6.2f %%  a modifier is not understood\n", share(c, c->partial));
    wl_buffer_add(out, "unknown %6.2f %%\n", share(c, c->unknown));
    wl_buffer_text(out, m->note_count > 0 ? "\n" : "");
    for (int i = 0; i < m->note_count; i++)
        wl_line(out, 4, "line %d: %s\n", m->notes[i].line, m->notes[i].text);
}

/* coverage_json.c - which operations of a PTX file are supported, schema warpline.coverage/1.
 * SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "base/json.h"
#include "report/common/render.h"

static json_t *operations(wl_json *j, const wl_coverage *c)
{
    json_t *all = wl_json_array(j);
    for (int op = 0; op < WL_PTX_OP_COUNT; op++)
        for (int k = 0; k < WL_INST_CLASS_COUNT; k++)
            if (c->count[op][k] > 0)
                wl_json_add(j, all,
                            wl_json_pack(j, "{s:s%, s:s, s:s, s:I, s:s}", "name", wl_coverage_name((wl_ptx_op)op),
                                         (size_t)wl_coverage_name_length((wl_ptx_op)op), "class",
                                         wl_inst_class_name((wl_inst_class)k), "support",
                                         wl_coverage_support((wl_ptx_op)op), "count", (json_int_t)c->count[op][k],
                                         "meaning", wl_ptx_op_info_of((wl_ptx_op)op)->meaning));
    return all;
}

static json_t *notes(wl_json *j, const wl_ptx_module *m)
{
    json_t *all = wl_json_array(j);
    for (int i = 0; i < m->note_count; i++)
        wl_json_add(j, all,
                    wl_json_pack(j, "{s:i, s:i, s:o}", "line", m->notes[i].line, "column", m->notes[i].column, "text",
                                 wl_json_text(j, m->notes[i].text)));
    return all;
}

static json_t *instructions(wl_json *j, const wl_coverage *c)
{
    return wl_json_pack(j, "{s:I, s:I, s:I, s:I, s:I, s:I}", "all", (json_int_t)c->all, "exact",
                        (json_int_t)c->by_support[WL_PTX_EXACT], "ignored", (json_int_t)c->by_support[WL_PTX_IGNORED],
                        "counted", (json_int_t)c->by_support[WL_PTX_COUNTED], "partial", (json_int_t)c->partial,
                        "unknown", (json_int_t)c->unknown);
}

json_t *wl_coverage_json(wl_json *j, const void *result)
{
    const wl_coverage *c = result;
    const wl_ptx_module *m = c->module;
    char version[32];
    (void)snprintf(version, sizeof version, "%d.%d", m->version_major, m->version_minor);
    return wl_json_pack(j, "{s:s, s:s, s:s, s:i, s:i, s:o, s:o, s:o}", "schema", "warpline.coverage/1", "version",
                        version, "target", m->target ? m->target : "", "kernels", c->entries, "functions", c->functions,
                        "instructions", instructions(j, c), "operations", operations(j, c), "notes", notes(j, m));
}

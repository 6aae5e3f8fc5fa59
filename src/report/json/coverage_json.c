/* coverage_json.c - which operations of a PTX file are supported, schema warpline.coverage/1.
 * SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "base/json_out.h"
#include "report/common/render.h"

static void operations(wl_json_out *o, const wl_coverage *c)
{
    wl_out_array(o, "operations");
    for (int k = 0; k < WL_PTX_OP_COUNT * WL_INST_CLASS_COUNT; k++) {
        const wl_ptx_op op = (wl_ptx_op)(k / WL_INST_CLASS_COUNT);
        const wl_inst_class class = (wl_inst_class)(k % WL_INST_CLASS_COUNT);
        char name[64];
        if (c->count[op][class] == 0)
            continue;
        (void)snprintf(name, sizeof name, "%.*s", wl_coverage_name_length(op), wl_coverage_name(op));
        wl_out_row(o, NULL, "name:s class:s support:s count:d meaning:s", name, wl_inst_class_name(class),
                   wl_coverage_support(op), (int64_t)c->count[op][class], wl_ptx_op_info_of(op)->meaning);
    }
    wl_out_array_end(o);
}

static void note(wl_json_out *o, const void *of, size_t i)
{
    const wl_ptx_note *n = &((const wl_ptx_module *)of)->notes[i];
    wl_out_members(o, "line:i column:i text:s", n->line, n->column, n->text);
}

void wl_coverage_json(wl_json_out *o, const void *result)
{
    const wl_coverage *c = result;
    const wl_ptx_module *m = c->module;
    char version[32];
    (void)snprintf(version, sizeof version, "%d.%d", m->version_major, m->version_minor);
    wl_out_members(o, "schema:s version:s target:s kernels:i functions:i", "warpline.coverage/1", version,
                   m->target ? m->target : "", c->entries, c->functions);
    wl_out_row(o, "instructions", "all:d exact:d ignored:d counted:d partial:d unknown:d", c->all,
               c->by_support[WL_PTX_EXACT], c->by_support[WL_PTX_IGNORED], c->by_support[WL_PTX_COUNTED], c->partial,
               c->unknown);
    operations(o, c);
    wl_out_objects(o, "notes", (size_t)m->note_count, note, m);
}

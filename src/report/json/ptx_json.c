/* ptx_json.c - the entries of a PTX file as JSON, schema warpline.ptx/1.
 * SPDX-License-Identifier: MIT */
#include "base/json_out.h"
#include "ptx/kernel/ptx_file.h"
#include "report/common/render.h"

static void add_entry(wl_json_out *o, const wl_ptx *ptx, size_t entry, const wl_ptx_needs *needs)
{
    wl_out_object(o, NULL);
    wl_out_members(o, "name:s symbol:s signature:s?", wl_ptx_entry_name(ptx, entry), wl_ptx_entry_symbol(ptx, entry),
                   wl_ptx_entry_signature(ptx, entry));
    wl_out_array(o, "params");
    for (size_t i = 0; i < wl_ptx_param_count(ptx, entry); i++)
        wl_out_text(o, NULL, wl_ptx_param_type(ptx, entry, i));
    wl_out_array_end(o);
    wl_out_members(o, "instructions:d", (int64_t)wl_ptx_instruction_count(ptx, entry));
    if (needs->known)
        wl_out_members(o, "registers:d shared_bytes:d stack_bytes:d spill_store_bytes:d spill_load_bytes:d",
                       needs->registers, needs->shared_bytes, needs->stack_bytes, needs->spill_store_bytes,
                       needs->spill_load_bytes);
    wl_out_object_end(o);
}

void wl_ptx_json(wl_json_out *o, const void *result)
{
    const wl_ptx_report *r = result;
    wl_out_members(o, "schema:s file:s", "warpline.ptx/1", r->file);
    wl_out_array(o, "entries");
    const wl_ptx_needs *needs = r->needs;
    for (size_t m = 0; m < r->module_count; m++)
        for (size_t i = 0; i < wl_ptx_entry_count(r->modules[m]); i++, needs++)
            if (wl_ptx_entry_fits(r->modules[m], i, r->part, &o->text->failed))
                add_entry(o, r->modules[m], i, needs);
    wl_out_array_end(o);
}

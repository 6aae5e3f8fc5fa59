/* ptx_json.c - the entries of a PTX file as JSON, schema warpline.ptx/1.
 * SPDX-License-Identifier: MIT */
#include "base/json.h"
#include "report/common/render.h"
#include "ptx/kernel/ptx_file.h"

static json_t *entry_json(wl_json *j, const wl_ptx_report *r, size_t entry)
{
    const wl_ptx *ptx = r->ptx;
    const wl_ptx_needs *needs = &r->needs[entry];
    json_t *params = wl_json_array(j), *object = wl_json_object(j);
    for (size_t i = 0; i < wl_ptx_param_count(ptx, entry); i++)
        wl_json_add(j, params, wl_json_text(j, wl_ptx_param_type(ptx, entry, i)));
    const char *signature = wl_ptx_entry_signature(ptx, entry);
    wl_json_set(j, object, "name", wl_json_text(j, wl_ptx_entry_name(ptx, entry)));
    wl_json_set(j, object, "symbol", wl_json_text(j, wl_ptx_entry_symbol(ptx, entry)));
    if (signature)
        wl_json_set(j, object, "signature", wl_json_text(j, signature));
    wl_json_set(j, object, "params", params);
    wl_json_set(j, object, "instructions", wl_json_whole(j, (int64_t)wl_ptx_instruction_count(ptx, entry)));
    if (needs->known) {
        wl_json_set(j, object, "registers", wl_json_whole(j, needs->registers));
        wl_json_set(j, object, "shared_bytes", wl_json_whole(j, needs->shared_bytes));
        wl_json_set(j, object, "stack_bytes", wl_json_whole(j, needs->stack_bytes));
        wl_json_set(j, object, "spill_store_bytes", wl_json_whole(j, needs->spill_store_bytes));
        wl_json_set(j, object, "spill_load_bytes", wl_json_whole(j, needs->spill_load_bytes));
    }
    return object;
}

json_t *wl_ptx_json(wl_json *j, const void *result)
{
    const wl_ptx_report *r = result;
    json_t *list = wl_json_array(j), *root = wl_json_object(j);
    for (size_t i = 0; i < wl_ptx_entry_count(r->ptx); i++)
        if (wl_ptx_entry_fits(r->ptx, i, r->part, &j->failed))
            wl_json_add(j, list, entry_json(j, r, i));
    wl_json_set(j, root, "schema", wl_json_text(j, "warpline.ptx/1"));
    wl_json_set(j, root, "file", wl_json_text(j, r->file));
    wl_json_set(j, root, "entries", list);
    return root;
}

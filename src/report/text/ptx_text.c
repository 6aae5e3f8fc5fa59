/* ptx_text.c - the entries of a PTX file for people. SPDX-License-Identifier: MIT */
#include "report/common/render.h"
#include "ptx/kernel/ptx_file.h"

static void add_entry(const wl_ptx *ptx, size_t entry, const wl_ptx_needs *needs, wl_buffer *out)
{
    const char *signature = wl_ptx_entry_signature(ptx, entry);
    if (signature)
        wl_buffer_add(out, "%s\n  ", signature);
    wl_buffer_add(out, "%s(", wl_ptx_entry_symbol(ptx, entry));
    for (size_t i = 0; i < wl_ptx_param_count(ptx, entry); i++)
        wl_buffer_add(out, "%s%s", i ? ", " : "", wl_ptx_param_type(ptx, entry, i));
    wl_buffer_add(out, ")\n  %zu instructions; ", wl_ptx_instruction_count(ptx, entry));
    if (!needs->known) {
        wl_buffer_add(out, "registers and shared memory are not known without ptxas\n");
        return;
    }
    wl_buffer_add(out, "%lld registers, %lld B of static shared memory", (long long)needs->registers,
                  (long long)needs->shared_bytes);
    if (needs->stack_bytes)
        wl_buffer_add(out, ", %lld B of stack", (long long)needs->stack_bytes);
    if (needs->spill_store_bytes || needs->spill_load_bytes)
        wl_buffer_add(out, ", spills %lld B of stores and %lld B of loads", (long long)needs->spill_store_bytes,
                      (long long)needs->spill_load_bytes);
    wl_buffer_add(out, "\n");
}

void wl_ptx_text(const void *result, wl_buffer *out)
{
    const wl_ptx_report *r = result;
    const wl_ptx_needs *needs = r->needs;
    for (size_t m = 0; m < r->module_count; m++)
        for (size_t i = 0; i < wl_ptx_entry_count(r->modules[m]); i++, needs++)
            if (wl_ptx_entry_fits(r->modules[m], i, r->part, &out->failed))
                add_entry(r->modules[m], i, needs, out);
}

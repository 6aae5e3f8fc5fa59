/* public_module.c - the public functions of warpline/ptx.h that query a module.
 * Layer  ptx/kernel. SPDX-License-Identifier: MIT */
#include "ptx/kernel/ptx_file.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "ptx/module/name_match.h"
#include "ptx/module/shared_vectors.h"
#include "ptx/module/source_place.h"
#include "ptx/read/read_module.h"

/* What the assembler does before all else. */
static wl_status read_module(const char *input, const char *text, size_t length, wl_ptx_module **out, wl_error *err)
{
    WL_TRY(wl_ptx_module_parse(input, text, length, out, err));
    return wl_ptx_join_shared(*out, err);
}

wl_status wl_ptx_parse(const char *input, const char *text, size_t length, wl_ptx **out, wl_error *err)
{
    wl_ptx *ptx = calloc(1, sizeof *ptx);
    *out = NULL;
    if (!ptx)
        return wl_fail_memory(err);
    ptx->costs = calloc(1, sizeof *ptx->costs);
    const wl_status status = ptx->costs ? read_module(input, text, length, &ptx->module, err) : wl_fail_memory(err);
    if (status != WL_OK) {
        wl_ptx_free(ptx);
        return status;
    }
    *out = ptx;
    return WL_OK;
}

const char *wl_ptx_own_text(const wl_ptx *ptx) { return ptx->module->text; }

void wl_ptx_set_source(wl_ptx *ptx, const char *name, const char *text, size_t length)
{
    wl_ptx_module *m = ptx->module;
    m->source = (wl_ptx_source_text){name, text, length};
    /* compilers write the whole path; users know the base name */
    for (int i = 0; i < m->file_count; i++)
        if (strcmp(wl_ptx_last_part(m->files[i]), wl_ptx_last_part(name)) == 0)
            m->files[i] = name;
}

wl_status wl_ptx_set_machine_code(wl_ptx *ptx, const void *cubin, size_t length, wl_error *err)
{
    if (ptx->machine_bytes)
        return WL_OK;
    uint8_t *own = malloc(length + 1);
    if (!own)
        return wl_fail_memory(err);
    if (length > 0)
        memcpy(own, cubin, length);
    wl_machine_code code;
    const wl_status status = wl_machine_code_open((wl_bytes){own, length}, &code, err);
    if (status != WL_OK) {
        free(own);
        return status;
    }
    ptx->machine_bytes = own;
    ptx->machine_code = code;
    return WL_OK;
}

void wl_ptx_free(wl_ptx *ptx)
{
    if (!ptx)
        return;
    if (ptx->costs)
        wl_ptx_costs_free(atomic_load(ptx->costs));
    free((void *)ptx->costs);
    free(ptx->machine_bytes);
    wl_ptx_module_free(ptx->module);
    free(ptx);
}

wl_status wl_ptx_file_costs(const wl_ptx *ptx, const wl_ptx_costs **out, wl_error *err)
{
    wl_ptx_costs *costs = atomic_load(ptx->costs), *first = NULL;
    if (!costs) {
        WL_TRY(wl_ptx_costs_builtin(ptx->module->target, &costs, err));
        /* another thread was faster */
        if (!atomic_compare_exchange_strong(ptx->costs, &first, costs)) {
            wl_ptx_costs_free(costs);
            costs = first;
        }
    }
    *out = costs;
    return WL_OK;
}

static bool is_kernel(const wl_ptx_function *f) { return f->is_entry && !f->is_declared_only; }

static const wl_ptx_function *entry_at(const wl_ptx *ptx, size_t entry)
{
    const wl_ptx_module *m = ptx->module;
    for (int32_t i = 0; i < m->function_count; i++)
        if (is_kernel(&m->functions[i]) && entry-- == 0)
            return &m->functions[i];
    return NULL;
}

size_t wl_ptx_entry_count(const wl_ptx *ptx)
{
    const wl_ptx_module *m = ptx->module;
    size_t count = 0;
    for (int32_t i = 0; i < m->function_count; i++)
        count += is_kernel(&m->functions[i]);
    return count;
}

const char *wl_ptx_entry_symbol(const wl_ptx *ptx, size_t entry)
{
    const wl_ptx_function *f = entry_at(ptx, entry);
    return f ? f->name : NULL;
}

const char *wl_ptx_entry_name(const wl_ptx *ptx, size_t entry)
{
    const wl_ptx_function *f = entry_at(ptx, entry);
    return f ? f->source_name : NULL;
}

const char *wl_ptx_entry_signature(const wl_ptx *ptx, size_t entry)
{
    const wl_ptx_function *f = entry_at(ptx, entry);
    return f && strcmp(f->name, f->shown.text) != 0 ? f->shown.text : NULL;
}

bool wl_ptx_entry_fits(const wl_ptx *ptx, size_t entry, const char *name, bool *failed)
{
    const wl_ptx_function *f = entry_at(ptx, entry);
    wl_arena scratch = {0};
    if (!name || !f)
        return f != NULL;
    const char *compared = wl_ptx_wanted_name(name, &scratch);
    *failed = *failed || !compared;
    const bool fits = compared && wl_ptx_name_fit(f->name, &f->shown, name, compared, failed) != WL_PTX_FIT_NONE;
    wl_arena_free(&scratch);
    return fits;
}

size_t wl_ptx_param_count(const wl_ptx *ptx, size_t entry)
{
    const wl_ptx_function *f = entry_at(ptx, entry);
    return f ? (size_t)f->param_count : 0;
}

const char *wl_ptx_param_type(const wl_ptx *ptx, size_t entry, size_t param)
{
    const wl_ptx_function *f = entry_at(ptx, entry);
    if (!f || param >= (size_t)f->param_count)
        return NULL;
    return wl_ptx_type_name(ptx->module->variables[f->params[param]].type);
}

size_t wl_ptx_instruction_count(const wl_ptx *ptx, size_t entry)
{
    const wl_ptx_function *f = entry_at(ptx, entry);
    return f ? (size_t)f->instruction_count : 0;
}

wl_status wl_ptx_entry_find_in(const wl_ptx *const *files, size_t count, const char *name, bool printed, size_t *file,
                               size_t *entry, wl_error *err)
{
    const wl_ptx_module **modules = calloc(count + 1, sizeof *modules);
    const wl_ptx_function *f = NULL;
    if (!modules)
        return wl_fail_memory(err);
    for (size_t i = 0; i < count; i++)
        modules[i] = files[i]->module;
    const wl_status status = wl_ptx_find_entry_in(modules, count, name, printed, file, &f, err);
    *entry = 0; /* as many as stand before it */
    for (const wl_ptx_function *before = f ? modules[*file]->functions : NULL; before < f; before++)
        *entry += is_kernel(before);
    free((void *)modules);
    return status;
}

wl_status wl_ptx_entry_find(const wl_ptx *ptx, const char *name, size_t *entry, wl_error *err)
{
    size_t only;
    return wl_ptx_entry_find_in(&ptx, 1, name, false, &only, entry, err);
}

wl_status wl_ptx_any_fits(const wl_ptx *const *files, size_t count, const char *name, wl_error *err)
{
    bool failed = false;
    size_t file, entry;
    for (size_t k = 0; k < count; k++)
        for (size_t i = 0; i < wl_ptx_entry_count(files[k]); i++)
            if (wl_ptx_entry_fits(files[k], i, name, &failed))
                return WL_OK;
    return failed ? wl_fail_memory(err) : wl_ptx_entry_find_in(files, count, name, false, &file, &entry, err);
}

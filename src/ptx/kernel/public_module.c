/* public_module.c - the public face of a module; see warpline/ptx.h. SPDX-License-Identifier: MIT */
#include "warpline/ptx.h"

#include "ptx/module/module.h"

/* A wl_ptx is a wl_ptx_module under a name that tells users nothing of it. */
static const wl_ptx_module *module_of(const wl_ptx *ptx) { return (const wl_ptx_module *)ptx; }

wl_status wl_ptx_parse(const char *input, const char *text, size_t length, wl_ptx **out, wl_error *err)
{
    wl_ptx_module *module = NULL;
    const wl_status status = wl_ptx_module_parse(input, text, length, &module, err);
    *out = (wl_ptx *)module;
    return status;
}

void wl_ptx_free(wl_ptx *ptx) { wl_ptx_module_free((wl_ptx_module *)ptx); }

static bool is_kernel(const wl_ptx_function *f) { return f->is_entry && !f->is_declared_only; }

static const wl_ptx_function *entry_at(const wl_ptx *ptx, size_t entry)
{
    const wl_ptx_module *m = module_of(ptx);
    for (int32_t i = 0; i < m->function_count; i++)
        if (is_kernel(&m->functions[i]) && entry-- == 0)
            return &m->functions[i];
    return NULL;
}

size_t wl_ptx_entry_count(const wl_ptx *ptx)
{
    const wl_ptx_module *m = module_of(ptx);
    size_t count = 0;
    for (int32_t i = 0; i < m->function_count; i++)
        count += is_kernel(&m->functions[i]);
    return count;
}

const char *wl_ptx_entry_name(const wl_ptx *ptx, size_t entry)
{
    const wl_ptx_function *f = entry_at(ptx, entry);
    return f ? f->name : NULL;
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
    return wl_ptx_type_name(module_of(ptx)->variables[f->params[param]].type);
}

size_t wl_ptx_instruction_count(const wl_ptx *ptx, size_t entry)
{
    const wl_ptx_function *f = entry_at(ptx, entry);
    return f ? (size_t)f->instruction_count : 0;
}

wl_status wl_ptx_entry_find(const wl_ptx *ptx, const char *name, size_t *entry, wl_error *err)
{
    const wl_ptx_function *f = NULL;
    const wl_status status = wl_ptx_find_entry(module_of(ptx), name, &f, err);
    for (size_t i = 0; status == WL_OK && i < wl_ptx_entry_count(ptx); i++)
        if (entry_at(ptx, i) == f)
            *entry = i;
    return status;
}

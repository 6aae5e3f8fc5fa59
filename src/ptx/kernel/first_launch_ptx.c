/* first_launch_ptx.c - a first launch for an entry of PTX: its types from its mangled name, names
 * and launches from the source, the axes that it uses from its code.
 * Layer  ptx/kernel. SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/fail.h"
#include "cuda/first_guess.h"
#include "ptx/kernel/ptx_file.h"
#include "ptx/module/source_params.h"

/* The axes of special registers that number threads and blocks. */
static int dims_of(const wl_ptx_function *f)
{
    int dims = 1;
    for (int32_t i = 0; i < f->instruction_count; i++)
        for (int k = 0; k < f->instructions[i].operand_count; k++) {
            const wl_ptx_operand *o = &f->instructions[i].operands[k];
            if (o->kind != WL_PTX_OPERAND_SPECIAL)
                continue;
            const bool y = o->value == WL_PTX_TID_Y || o->value == WL_PTX_CTAID_Y;
            const bool z = o->value == WL_PTX_TID_Z || o->value == WL_PTX_CTAID_Z;
            dims = z ? 3 : y && dims < 2 ? 2 : dims;
        }
    return dims;
}

/* As in C, for entries whose names say nothing: a 64-bit number is most likely an address. */
static const char *plain_type(const wl_ptx_variable *p)
{
    const int bits = wl_ptx_type_bits(p->type);
    if (p->elements > 1 || p->bytes != bits / 8)
        return "struct";
    if (wl_ptx_type_is_float(p->type))
        return bits == 64 ? "double" : "float";
    return bits == 64 ? "void *" : bits == 32 ? "int" : bits == 16 ? "short" : "char";
}

static const wl_cuda_kernel *kernel_in(const wl_cuda *cuda, const wl_ptx_function *f)
{
    const wl_cuda_word name = {f->shown.text + f->shown.base, f->shown.args - f->shown.base};
    for (size_t i = 0; cuda && i < cuda->count; i++)
        if (wl_cuda_word_is(name, cuda->kernels[i].name) && cuda->kernels[i].params->count == f->param_count)
            return &cuda->kernels[i];
    return NULL;
}

/* The type as people write it: that of the source, unless it names a template parameter. */
static const char *shown_type(const wl_ptx_function *f, const wl_cuda_param *declared, const char *type,
                              wl_arena *arena)
{
    char text[80];
    const bool plain = f->shown.args == f->shown.end;
    if (declared && plain)
        wl_cuda_type_text(declared->type, declared->is_array, text, sizeof text);
    else
        wl_cuda_type_text((wl_cuda_range){type, type + strlen(type)}, false, text, sizeof text);
    return wl_arena_text(arena, text, strlen(text));
}

static wl_status find_params(const wl_ptx_module *m, const wl_ptx_function *f, const wl_cuda_kernel *kernel,
                             wl_arena *arena, wl_first_param **out, wl_error *err)
{
    const wl_ptx_source_param *types = NULL;
    wl_first_param *params = WL_ARENA_NEW(arena, wl_first_param, f->param_count + 1);
    if (!params)
        return wl_fail_memory(err);
    WL_TRY(wl_ptx_mangled_params(f, arena, &types, err));
    for (int k = 0; k < f->param_count; k++) {
        const wl_ptx_variable *p = &m->variables[f->params[k]];
        const wl_cuda_param *declared = kernel ? &kernel->params->list[k] : NULL;
        params[k].type = shown_type(f, declared, types ? types[k].type : plain_type(p), arena);
        params[k].name = declared ? wl_arena_text(arena, declared->name.at, declared->name.length) : NULL;
        params[k].bytes = p->bytes;
        if (!params[k].type || (declared && !params[k].name))
            return wl_fail_memory(err);
    }
    *out = params;
    return WL_OK;
}

static wl_status launch_of_entry(const wl_ptx_module *m, const wl_ptx_function *f, const wl_cuda *cuda, int revised,
                                 wl_first_launch **out, wl_error *err)
{
    wl_arena arena = {0};
    wl_first_param *params = NULL;
    const wl_cuda_kernel *kernel = kernel_in(cuda, f);
    wl_status status = find_params(m, f, kernel, &arena, &params, err);
    wl_first_facts facts = {.name = f->source_name,
                            .params = params,
                            .count = f->param_count,
                            .cuda = kernel ? cuda : NULL,
                            .kernel = kernel,
                            .dims = dims_of(f),
                            .most_threads = f->max_threads[0],
                            .revised = revised};
    memcpy(facts.required, f->required_threads, sizeof facts.required);
    for (int d = 1; d < 3 && facts.most_threads > 0; d++)
        facts.most_threads *= f->max_threads[d] > 0 ? f->max_threads[d] : 1;
    if (status == WL_OK)
        status = wl_first_guess(&facts, out, err);
    wl_arena_free(&arena);
    return status;
}

wl_status wl_first_launch_of_ptx(const wl_ptx *ptx, size_t entry, const char *text, size_t length, int revised,
                                 wl_first_launch **out, wl_error *err)
{
    const wl_ptx_module *m = ptx->module;
    const wl_ptx_function *f = NULL;
    const char *symbol = wl_ptx_entry_symbol(ptx, entry);
    wl_cuda cuda;
    *out = NULL;
    for (int32_t i = 0; symbol && i < m->function_count; i++)
        f = strcmp(m->functions[i].name, symbol) == 0 && !m->functions[i].is_declared_only ? &m->functions[i] : f;
    if (!f)
        return WL_OK;
    wl_status status = wl_cuda_read(&cuda, text ? text : "", text ? length : 0, err);
    if (status == WL_OK)
        status = launch_of_entry(m, f, &cuda, revised, out, err);
    wl_cuda_drop(&cuda);
    return status;
}

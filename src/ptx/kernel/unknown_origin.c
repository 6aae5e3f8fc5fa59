/* unknown_origin.c - see unknown_origin.h. SPDX-License-Identifier: MIT */
#include "ptx/kernel/unknown_origin.h"

#include <string.h>

#include "base/fail.h"
#include "ptx/module/def_use.h"

static const wl_ptx_function *function_of(const wl_ptx_slicer *s)
{
    return &s->source->launch.module->functions[s->function];
}

/* ---- definitions ---- */

static void count_definition(void *user, int32_t reg, bool written)
{
    wl_ptx_slicer *s = user;
    s->first_definition[reg + 1] += written;
}

static void place_definition(void *user, int32_t reg, bool written)
{
    wl_ptx_slicer *s = user;
    if (written)
        s->definitions[s->first_definition[reg]++] = s->at;
}

static void visit_all(wl_ptx_slicer *s, wl_ptx_register_visit visit)
{
    const wl_ptx_function *f = function_of(s);
    for (s->at = 0; s->at < f->instruction_count; s->at++)
        wl_ptx_registers_of(f, &f->instructions[s->at], visit, s);
}

wl_status wl_ptx_slicer_make(const wl_ptx_source *source, const wl_ptx_fields *fields, int32_t function,
                             wl_arena *arena, wl_ptx_slicer *s, wl_error *err)
{
    *s = (wl_ptx_slicer){.source = source, .fields = fields, .function = function};
    const wl_ptx_function *f = function_of(s);
    s->first_definition = WL_ARENA_NEW(arena, int32_t, f->register_count + 2);
    s->seen = WL_ARENA_NEW(arena, bool, f->instruction_count + 1);
    s->followed = WL_ARENA_NEW(arena, bool, f->register_count + 1);
    s->work = WL_ARENA_NEW(arena, int32_t, f->instruction_count + 1);
    if (!s->first_definition || !s->seen || !s->followed || !s->work)
        return wl_fail_memory(err);
    visit_all(s, count_definition);
    for (int32_t r = 0; r < f->register_count; r++)
        s->first_definition[r + 1] += s->first_definition[r];
    s->definitions = WL_ARENA_NEW(arena, int32_t, s->first_definition[f->register_count] + 1);
    if (!s->definitions)
        return wl_fail_memory(err);
    visit_all(s, place_definition); /* afterwards each start is that of the next register */
    for (int32_t r = f->register_count; r > 0; r--)
        s->first_definition[r] = s->first_definition[r - 1];
    s->first_definition[0] = 0;
    return WL_OK;
}

/* ---- slices ---- */

static void want(wl_ptx_slicer *s, int32_t instruction)
{
    if (s->seen[instruction])
        return;
    s->seen[instruction] = true;
    s->work[s->work_count++] = instruction;
}

static void want_register(void *user, int32_t reg, bool written)
{
    wl_ptx_slicer *s = user;
    if (written || s->followed[reg])
        return;
    s->followed[reg] = true;
    for (int32_t k = s->first_definition[reg]; k < s->first_definition[reg + 1]; k++)
        want(s, s->definitions[k]);
}

static void want_addresses(wl_ptx_slicer *s, const wl_ptx_instruction *in)
{
    for (int k = 0; k < in->operand_count; k++)
        if (in->operands[k].kind == WL_PTX_OPERAND_ADDRESS && in->operands[k].reg >= 0)
            want_register(s, in->operands[k].reg, false);
}

static bool reads_memory(const wl_ptx_instruction *in)
{
    switch (in->op) {
    case WL_PTX_OP_ld:
    case WL_PTX_OP_ldu:
    case WL_PTX_OP_ldmatrix:
    case WL_PTX_OP_atom:
    case WL_PTX_OP_red:
    case WL_PTX_OP_cp_async:
    case WL_PTX_OP_cp_bulk:
    case WL_PTX_OP_tex:
    case WL_PTX_OP_suld: return true;
    default: return false;
    }
}

/* The stores to a block's own memory that a load may read. */
static void want_stores(wl_ptx_slicer *s, wl_ptx_space space)
{
    const wl_ptx_function *f = function_of(s);
    bool *wanted = space == WL_PTX_LOCAL ? &s->wants_local : &s->wants_shared;
    if (*wanted)
        return;
    *wanted = true;
    for (int32_t i = 0; i < f->instruction_count; i++) {
        const wl_ptx_instruction *in = &f->instructions[i];
        const bool copies = in->op == WL_PTX_OP_cp_async || in->op == WL_PTX_OP_cp_bulk;
        const wl_ptx_space to = copies ? in->to_space : in->space;
        const bool stores = copies || in->op == WL_PTX_OP_st || in->op == WL_PTX_OP_stmatrix ||
                            in->op == WL_PTX_OP_atom || in->op == WL_PTX_OP_red;
        if (stores && (to == space || to == WL_PTX_GENERIC || to == WL_PTX_SPACE_NONE))
            want(s, i);
    }
}

/* The buffer that an instruction accesses; NULL: none, or not known. */
static const wl_ptx_buffer *buffer_of(const wl_ptx_slicer *s, int32_t instruction)
{
    const int32_t field = s->source->field_of[s->source->profile.first[s->function] + instruction];
    return field >= 0 ? s->fields->list[field].buffer : NULL;
}

static void name_buffer(wl_ptx_origin *out, const wl_ptx_buffer *buffer, wl_ptx_type type)
{
    for (int i = 0; i < out->buffer_count; i++)
        if (out->buffers[i] == buffer)
            return;
    if (out->buffer_count == WL_GAP_BUFFERS)
        return;
    out->types[out->buffer_count] = type;
    out->buffers[out->buffer_count++] = buffer;
}

static void visit(wl_ptx_slicer *s, int32_t instruction)
{
    const wl_ptx_function *f = function_of(s);
    const wl_ptx_instruction *in = &f->instructions[instruction];
    const wl_ptx_buffer *buffer = buffer_of(s, instruction);
    if (!reads_memory(in)) {
        if (s->out->uncomputed < 0 && wl_ptx_is_only_counted(s->source->emulator, s->function, instruction))
            s->out->uncomputed = instruction;
        wl_ptx_registers_of(f, in, want_register, s);
        return;
    }
    if (buffer && buffer->content == WL_PTX_UNTOUCHED) {
        name_buffer(s->out, buffer, in->type);
        return;
    }
    if (wl_ptx_is_only_counted(s->source->emulator, s->function, instruction) && s->out->uncomputed < 0)
        s->out->uncomputed = instruction;
    wl_ptx_registers_of(f, in, want_register, s);
    if (buffer || in->space == WL_PTX_PARAM)
        return;
    s->out->through_shared = s->out->through_shared || in->space != WL_PTX_LOCAL;
    want_stores(s, in->space == WL_PTX_LOCAL ? WL_PTX_LOCAL : WL_PTX_SHARED);
}

wl_ptx_origin wl_ptx_origin_of(wl_ptx_slicer *s, int32_t instruction, bool address)
{
    const wl_ptx_function *f = function_of(s);
    const wl_ptx_instruction *in = &f->instructions[instruction];
    wl_ptx_origin out = {.uncomputed = -1};
    s->out = &out;
    s->work_count = 0;
    s->wants_local = s->wants_shared = false;
    memset(s->seen, 0, (size_t)f->instruction_count * sizeof *s->seen);
    memset(s->followed, 0, (size_t)f->register_count * sizeof *s->followed);
    if (address)
        want_addresses(s, in);
    else if (in->guard >= 0)
        want_register(s, in->guard, false);
    else
        wl_ptx_registers_of(f, in, want_register, s);
    while (s->work_count > 0)
        visit(s, s->work[--s->work_count]);
    s->out = NULL;
    return out;
}

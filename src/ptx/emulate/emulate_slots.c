/* emulate_slots.c - see emulate_slots.h.
 * Layer  ptx/emulate. SPDX-License-Identifier: MIT */
#include "ptx/emulate/emulate_slots.h"

#include "base/ckd.h"
#include "base/hash.h"

int32_t wl_ptx_slot_constant(wl_ptx_decoder *d, wl_ptx_constant_kind kind, uint64_t value)
{
    wl_ptx_program *p = d->program;
    int32_t *last = &d->buckets[wl_hash_word(value) % WL_PTX_CONSTANT_BUCKETS];
    for (int32_t k = *last - 1; k >= 0; k = p->constants[k].before - 1)
        if (p->constants[k].value == value && p->constants[k].kind == kind)
            return p->spare + 1 + k;
    if (!WL_ARENA_ROOM(&d->machine->arena, p->constants, p->constant_count, p->constant_room)) {
        d->failed = true;
        return p->nil;
    }
    p->constants[p->constant_count] = (wl_ptx_constant_slot){kind, *last, value};
    *last = ++p->constant_count;
    return p->spare + p->constant_count;
}

int32_t wl_ptx_slot_variable(wl_ptx_decoder *d, int32_t variable, int64_t offset)
{
    const wl_ptx_variable *v = &d->machine->launch.module->variables[variable];
    if (v->space == WL_PTX_PARAM)
        return wl_ptx_slot_constant(d, WL_PTX_FIXED, (uint64_t)(d->machine->param_at[variable] + offset));
    const uint64_t address = d->machine->launch.arguments->variable_address[variable] + (uint64_t)offset;
    return wl_ptx_slot_constant(d, v->space == WL_PTX_LOCAL ? WL_PTX_OF_FRAME : WL_PTX_FIXED, address);
}

int32_t wl_ptx_slot_read(wl_ptx_decoder *d, const wl_ptx_operand *o)
{
    switch (o->kind) {
    case WL_PTX_OPERAND_REG: return o->reg;
    case WL_PTX_OPERAND_IMMEDIATE: return wl_ptx_slot_constant(d, WL_PTX_FIXED, (uint64_t)o->value);
    case WL_PTX_OPERAND_SPECIAL: return wl_ptx_slot_constant(d, WL_PTX_OF_WARP, (uint64_t)o->value);
    case WL_PTX_OPERAND_VARIABLE:
        return o->variable >= 0 ? wl_ptx_slot_variable(d, o->variable, o->value) : d->program->nil;
    case WL_PTX_OPERAND_FUNCTION:
        return wl_ptx_slot_constant(d, WL_PTX_FIXED,
                                    WL_PTX_FUNCTION_WINDOW + 16 * (uint64_t)(o->value >= 0 ? o->value : 0));
    default: return d->program->nil;
    }
}

int32_t wl_ptx_slot_predicate(wl_ptx_decoder *d, const wl_ptx_operand *o)
{
    if (o->kind != WL_PTX_OPERAND_IMMEDIATE)
        return wl_ptx_slot_read(d, o);
    return wl_ptx_slot_constant(d, WL_PTX_FIXED_PREDICATE, o->value ? UINT32_MAX : 0);
}

int32_t wl_ptx_slot_written(const wl_ptx_decoder *d, const wl_ptx_operand *o)
{
    return o->kind == WL_PTX_OPERAND_REG && o->reg >= 0 ? o->reg : d->program->spare;
}

void wl_ptx_slot_list(wl_ptx_decoder *d, wl_ptx_step *step, const wl_ptx_operand *o, bool written)
{
    wl_ptx_program *p = d->program;
    const bool vector = o->kind == WL_PTX_OPERAND_VECTOR;
    const int count = vector ? (int)wl_min(o->count, UINT8_MAX) : 1;
    step->list = p->list_count;
    step->elements = (uint8_t)count;
    for (int k = 0; k < count; k++) {
        const wl_ptx_operand *e = vector ? &d->function->lists[o->first + k] : o;
        const int32_t slot = written ? wl_ptx_slot_written(d, e) : wl_ptx_slot_read(d, e);
        if (!WL_ARENA_ROOM(&d->machine->arena, p->lists, p->list_count, p->list_room)) {
            d->failed = true;
            return;
        }
        p->lists[p->list_count++] = slot;
    }
}

static bool is_narrow(const wl_ptx_decoder *d, int32_t reg)
{
    return reg >= 0 && wl_ptx_type_bits(d->function->registers[reg].type) <= 32;
}

void wl_ptx_slot_address(wl_ptx_decoder *d, wl_ptx_step *step, const wl_ptx_operand *o)
{
    step->from[0] = d->program->nil;
    if (o->kind != WL_PTX_OPERAND_ADDRESS)
        return;
    step->offset = o->value;
    if (o->variable >= 0) {
        step->from[0] = wl_ptx_slot_variable(d, o->variable, o->value);
        step->offset = 0;
    } else if (o->reg >= 0) {
        step->from[0] = o->reg;
        step->wraps = is_narrow(d, o->reg);
    }
}

int32_t wl_ptx_slot_second(const wl_ptx_decoder *d, const wl_ptx_operand *o)
{
    return o->kind == WL_PTX_OPERAND_REG && o->other >= 0 ? o->other : d->program->spare;
}

/* emulate_call.c - calls: passes arguments to the callee's frame and results back.
 * Layer  ptx/emulate. SPDX-License-Identifier: MIT */
#include "ptx/emulate/emulate_internal.h"

#include "base/ckd.h"
#include "base/fail.h"
#include "ptx/module/source_place.h"

/* A parameter variable in the parameter memory of a frame. */
typedef struct slot {
    wl_ptx_frame *frame;
    int64_t at, bytes;
} slot;

static slot variable_slot(const wl_ptx_machine *m, wl_ptx_frame *frame, int32_t variable)
{
    return (slot){frame, m->param_at[variable], m->launch.module->variables[variable].bytes};
}

/* Most parameters have 4 or 8 bytes: a copy of a known size needs no call. */
static void copy_bytes(uint8_t *to, const uint8_t *from, size_t bytes)
{
    if (bytes == 4)
        memcpy(to, from, 4);
    else if (bytes == 8)
        memcpy(to, from, 8);
    else
        memcpy(to, from, bytes);
}

static void copy(const slot *to, const slot *from, uint32_t mask)
{
    const size_t bytes = (size_t)wl_min(to->bytes, from->bytes);
    to->frame->params.hides = to->frame->params.hides || from->frame->params.hides;
    const int64_t to_row = to->frame->program->param_bytes, from_row = from->frame->program->param_bytes;
    WL_PTX_FOR_LANES(lane, mask)
    {
        const int64_t a = to_row * lane + to->at, b = from_row * lane + from->at;
        copy_bytes(to->frame->params.data + a, from->frame->params.data + b, bytes);
        copy_bytes(to->frame->params.unknown + a, from->frame->params.unknown + b, bytes);
    }
}

static bool is_param(const wl_ptx_machine *m, int32_t variable)
{
    return m->launch.module->variables[variable].space == WL_PTX_PARAM;
}

static int small(int64_t bytes) { return (int)wl_min(bytes, 8); }

/* Passes one argument: a parameter variable, a register or a constant. */
static void pass(const wl_ptx_machine *m, wl_ptx_frame *caller, const wl_ptx_operand *o, const slot *formal,
                 uint32_t mask)
{
    if (o->variable >= 0 && o->kind == WL_PTX_OPERAND_VARIABLE && is_param(m, o->variable)) {
        const slot from = variable_slot(m, caller, o->variable);
        copy(formal, &from, mask);
        return;
    }
    if (o->kind != WL_PTX_OPERAND_REG && o->kind != WL_PTX_OPERAND_IMMEDIATE)
        return;
    WL_PTX_FOR_LANES(lane, mask)
    {
        const bool reg = o->kind == WL_PTX_OPERAND_REG;
        const uint64_t value = reg ? caller->value[o->reg][lane] : (uint64_t)o->value;
        wl_ptx_region_write(&formal->frame->params, formal->frame->program->param_bytes * lane + formal->at,
                            small(formal->bytes), value, reg && caller->unknown[o->reg] >> lane & 1);
    }
}

/* Returns one result to a variable or a register of the caller. */
static void give(const wl_ptx_machine *m, wl_ptx_frame *caller, const wl_ptx_operand *o, const slot *result,
                 uint32_t mask)
{
    if (o->variable >= 0 && o->kind == WL_PTX_OPERAND_VARIABLE && is_param(m, o->variable)) {
        const slot to = variable_slot(m, caller, o->variable);
        copy(&to, result, mask);
    } else if (o->kind == WL_PTX_OPERAND_REG) {
        WL_PTX_FOR_LANES(lane, mask)
        {
            bool unknown = false;
            caller->value[o->reg][lane] =
                wl_ptx_region_read(&result->frame->params, result->frame->program->param_bytes * lane + result->at,
                                   small(result->bytes), &unknown);
            caller->unknown[o->reg] = (caller->unknown[o->reg] & ~((uint32_t)1 << lane)) | (uint32_t)unknown << lane;
        }
    }
}

void wl_ptx_frame_return(wl_ptx_machine *m)
{
    wl_ptx_warp *warp = m->warp;
    wl_ptx_frame *callee = warp->frames[warp->depth - 1], *caller = warp->frames[warp->depth - 2];
    const wl_ptx_function *f = callee->program->function;
    const wl_ptx_operand *returned = &callee->call->in->operands[0];
    for (int k = 0; k < f->return_count && k < returned->count; k++) {
        if (!is_param(m, f->returns[k]))
            continue;
        const slot result = variable_slot(m, callee, f->returns[k]);
        give(m, caller, &caller->program->function->lists[returned->first + k], &result, callee->called & warp->live);
    }
    warp->depth--;
    m->frame = caller;
}

/* The results of a function without a body are unknown. */
static void results_unknown(const wl_ptx_machine *m, wl_ptx_frame *frame, const wl_ptx_operand *returned, uint32_t mask)
{
    for (int k = 0; returned->kind == WL_PTX_OPERAND_VECTOR && k < returned->count; k++) {
        const wl_ptx_operand *o = &frame->program->function->lists[returned->first + k];
        if (o->kind == WL_PTX_OPERAND_REG)
            frame->unknown[o->reg] |= mask;
        if (o->kind != WL_PTX_OPERAND_VARIABLE || o->variable < 0 || !is_param(m, o->variable))
            continue;
        const slot to = variable_slot(m, frame, o->variable);
        frame->params.hides = true;
        WL_PTX_FOR_LANES(lane, mask)
        {
            memset(frame->params.data + frame->program->param_bytes * lane + to.at, 0, (size_t)to.bytes);
            memset(frame->params.unknown + frame->program->param_bytes * lane + to.at, 1, (size_t)to.bytes);
        }
    }
}

static bool ends_lanes(const char *name)
{
    static const char *const names[] = {"__assertfail", "__trap", "abort", "__assert_fail", "exit"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
        if (strcmp(name, names[k]) == 0)
            return true;
    return false;
}

static wl_status call_unknown(wl_ptx_machine *m, const wl_ptx_step *s, uint32_t mask, wl_error *err)
{
    const wl_ptx_operand *o = &s->in->operands[1];
    const bool named =
        o->kind == WL_PTX_OPERAND_FUNCTION && o->first >= 0 && o->first < m->launch.module->function_count;
    results_unknown(m, m->frame, &s->in->operands[0], mask);
    if (named && ends_lanes(m->launch.module->functions[o->first].name))
        wl_ptx_lanes_end(m->warp, mask);
    return wl_ptx_assume(m, s, WL_PTX_ASSUMED_CALL, err);
}

static wl_status call_function(wl_ptx_machine *m, const wl_ptx_step *s, int64_t number, uint32_t mask, wl_error *err)
{
    wl_ptx_frame *caller = m->frame;
    if (number < 0 || number >= m->launch.module->function_count ||
        m->launch.module->functions[number].is_declared_only || m->launch.module->functions[number].is_entry)
        return call_unknown(m, s, mask, err);
    if (m->warp->depth == WL_PTX_CALL_DEPTH_MAX) {
        (void)wl_fail(err, WL_E_LIMIT, WL_NOWHERE, "calls more than %d deep: a recursion that does not end?",
                      WL_PTX_CALL_DEPTH_MAX);
        return wl_ptx_fail_at(err, m->launch.module, s->in);
    }
    WL_TRY(wl_ptx_frame_push(m, &m->programs[number], mask, err));
    wl_ptx_frame *callee = m->frame;
    const wl_ptx_function *f = callee->program->function;
    const wl_ptx_operand *arguments = &s->in->operands[2];
    callee->call = s;
    for (int k = 0; s->in->operand_count > 2 && k < arguments->count && k < f->param_count; k++) {
        const slot formal = variable_slot(m, callee, f->params[k]);
        if (is_param(m, f->params[k]))
            pass(m, caller, &caller->program->function->lists[arguments->first + k], &formal, mask);
    }
    return WL_OK;
}

wl_status wl_ptx_run_call(wl_ptx_machine *m, const wl_ptx_step *s, uint32_t mask, wl_error *err)
{
    const wl_ptx_operand *o = &s->in->operands[1];
    if (o->kind == WL_PTX_OPERAND_FUNCTION)
        return call_function(m, s, o->value, mask, err);
    /* indirect call: lanes with the same target go together, the others follow */
    wl_ptx_frame *frame = m->frame;
    const uint64_t *address = frame->value[s->from[0]];
    const uint32_t unknown = frame->unknown[s->from[0]] & mask;
    if (unknown == mask)
        return call_unknown(m, s, mask, err);
    const uint64_t first = address[wl_ptx_lane_first(mask & ~unknown)];
    uint32_t same = 0;
    WL_PTX_FOR_LANES(lane, mask & ~unknown) same |= (uint32_t)(address[lane] == first) << lane;
    if (unknown)
        WL_TRY(call_unknown(m, s, unknown, err));
    const uint32_t rest = mask & ~unknown & ~same;
    if (rest && !wl_ptx_path_push(frame, s->number, s->number + 1, rest))
        return wl_fail_memory(err);
    const uint64_t number = first >= WL_PTX_FUNCTION_WINDOW ? (first - WL_PTX_FUNCTION_WINDOW) / 16 : UINT32_MAX;
    return call_function(m, s, (int64_t)number, same, err);
}

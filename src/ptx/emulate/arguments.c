/* arguments.c - see arguments.h.
 * Layer  ptx/emulate. SPDX-License-Identifier: MIT */
#include "ptx/emulate/arguments.h"

#include <stdio.h>
#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "kernel/expr.h"
#include "ptx/emulate/alu.h"
#include "ptx/emulate/arguments_internal.h"

#define FIRST_BASE ((uint64_t)0x700000000000)
#define ALIGNMENT ((int64_t)2 << 20)
#define GUARD ((int64_t)16 << 20) /* least distance between buffers */
#define SHARED_MAX ((int64_t)1 << 24)

/* ---- contents ---- */

/* The bits of element k of generated contents. */
static uint64_t element(const wl_ptx_buffer *b, int64_t k)
{
    if (b->content == WL_PTX_CONSTANT)
        return (uint64_t)b->low;
    const bool random = b->content == WL_PTX_RANDOM, is_float = wl_ptx_type_is_float(b->type);
    const int64_t key = (int64_t)((uint64_t)k * 64 + (uint64_t)(b->argument & 63));
    if (!is_float) {
        const uint64_t span = (uint64_t)b->high - (uint64_t)b->low + 1;
        const uint64_t low = (uint64_t)b->low;
        if (!random)
            return low + (uint64_t)k * (uint64_t)b->step;
        if (span == 0 || span > INT64_MAX) /* the span exceeds int64_t: two 32-bit draws */
            return low + ((uint64_t)wl_random_below(key, (int64_t)1 << 32) << 32 |
                          (uint64_t)wl_random_below(~key, (int64_t)1 << 32));
        return low + (uint64_t)wl_random_below(key, (int64_t)span);
    }
    const double low = wl_ptx_f64_of((uint64_t)b->low), high = wl_ptx_f64_of((uint64_t)b->high);
    const double part = random ? (double)wl_random_below(key, (int64_t)1 << 53) / (double)(((int64_t)1 << 53) - 1) : 0;
    const double value = random ? low + (high - low) * part : low + (double)k * wl_ptx_f64_of((uint64_t)b->step);
    return wl_ptx_float_bits(value, b->type, WL_PTX_RN);
}

static void generate(const wl_ptx_buffer *b, int64_t at, int bytes, uint8_t *out)
{
    /* divisions are slow, sizes powers of two */
    const int shift = __builtin_ctz((unsigned)wl_ptx_type_bits(b->type) / 8), size = 1 << shift;
    while (bytes > 0) {
        const int inside = (int)(at & (size - 1)), left = size - inside, taken = left < bytes ? left : bytes;
        const uint64_t bits = element(b, (int64_t)((uint64_t)at >> shift));
        memcpy(out, (const uint8_t *)&bits + inside, (size_t)taken);
        at += taken, out += taken, bytes -= taken;
    }
}

bool wl_ptx_buffer_generate(const wl_ptx_buffer *b, const uint64_t *address, uint32_t lanes, int64_t offset, int bytes,
                            uint64_t *value)
{
    const int size = wl_ptx_type_bits(b->type) / 8;
    const bool generated = b->content == WL_PTX_RANDOM || b->content == WL_PTX_IOTA || b->content == WL_PTX_CONSTANT;
    if (!generated || b->texture || b->own)
        return false;
    if (b->content == WL_PTX_CONSTANT && b->low == 0) {
        for (uint32_t left = lanes; left; left &= left - 1)
            value[__builtin_ctz(left)] = 0;
        return true;
    }
    if (size != bytes || size > (int)sizeof *value)
        return false;
    const uint64_t mask = ~(uint64_t)0 >> (64 - 8 * size), base = b->base - (uint64_t)offset;
    for (uint32_t left = lanes; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        if ((address[lane] - base) % (uint64_t)size)
            return false;
        value[lane] = element(b, (int64_t)((address[lane] - base) / (uint64_t)size)) & mask;
    }
    return true;
}

static void read_repeated(const wl_ptx_buffer *buffer, size_t place, int bytes, uint8_t *out)
{
    const size_t length = buffer->data_bytes;
    /* divisions are slow */
    size_t at = length & (length - 1) ? place % length : place & (length - 1);
    if (at + (size_t)bytes <= buffer->data_bytes) {
        memcpy(out, buffer->data + at, (size_t)bytes);
        return;
    }
    for (int k = 0; k < bytes; k++, at = at + 1 < buffer->data_bytes ? at + 1 : 0)
        out[k] = buffer->data[at];
}

bool wl_ptx_buffer_read(const wl_ptx_buffer *buffer, int64_t at, int bytes, uint8_t *out)
{
    /* contents have no gaps, but for a program's memory */
    if (buffer->texture && !buffer->own && buffer->content != WL_PTX_UNTOUCHED) {
        const int64_t last = wl_ptx_texture_byte(buffer->texture, at + bytes - 1);
        at = wl_ptx_texture_byte(buffer->texture, at);
        if (at < 0 || last != at + bytes - 1)
            return false;
    }
    switch (buffer->content) {
    case WL_PTX_UNTOUCHED: return false;
    case WL_PTX_BYTES: memcpy(out, buffer->data + at, (size_t)bytes); return true;
    case WL_PTX_REPEATED: read_repeated(buffer, (size_t)at, bytes, out); return true;
    default: generate(buffer, at, bytes, out); return true;
    }
}

const wl_ptx_buffer *wl_ptx_buffer_at(const wl_ptx_arguments *arguments, uint64_t address)
{
    int low = 0, high = arguments->buffer_count;
    while (low < high) { /* binary search: the last buffer whose base is not above */
        const int middle = (low + high) / 2;
        if (arguments->buffers[middle].base <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return NULL;
    const wl_ptx_buffer *b = &arguments->buffers[low - 1];
    return address - b->base < (uint64_t)b->bytes ? b : NULL;
}

const wl_ptx_buffer *wl_ptx_buffer_within(const wl_ptx_arguments *arguments, uint64_t address, uint64_t bytes)
{
    const wl_ptx_buffer *nearest = wl_ptx_buffer_at(arguments, address);
    if (nearest)
        return nearest;
    for (int k = 0; k < arguments->buffer_count; k++) {
        const wl_ptx_buffer *b = &arguments->buffers[k];
        const uint64_t end = b->base + (uint64_t)b->bytes;
        const uint64_t distance = address < b->base ? b->base - address : address >= end ? address - end : 0;
        if (distance < bytes) {
            nearest = b;
            bytes = distance;
        }
    }
    return nearest;
}

/* ---- module variables ---- */

typedef struct reach {
    bool *functions, *variables;
} reach;

static void reach_function(const wl_ptx_maker *m, reach *r, int64_t number);

static void reach_operand(const wl_ptx_maker *m, reach *r, const wl_ptx_operand *o)
{
    if (o->variable >= 0 && (o->kind == WL_PTX_OPERAND_ADDRESS || o->kind == WL_PTX_OPERAND_VARIABLE))
        r->variables[o->variable] = true;
    if (o->kind == WL_PTX_OPERAND_FUNCTION && o->value >= 0)
        reach_function(m, r, o->value);
}

/* The recursion enters each function at most once. */
static void reach_function(const wl_ptx_maker *m, reach *r, int64_t number)
{
    if (r->functions[number])
        return;
    r->functions[number] = true;
    const wl_ptx_function *f = &m->module->functions[number];
    for (int32_t i = 0; i < f->instruction_count; i++)
        for (int k = 0; k < f->instructions[i].operand_count; k++)
            reach_operand(m, r, &f->instructions[i].operands[k]);
    for (int32_t k = 0; k < f->list_count; k++)
        reach_operand(m, r, &f->lists[k]);
}

/* Static shared memory is one region, dynamic memory follows; local offsets start at 0 per
 * function. */
static void lay_out_offsets(wl_ptx_maker *m, const reach *r)
{
    wl_ptx_arguments *out = m->out;
    for (int32_t v = 0; v < m->module->variable_count; v++) {
        const wl_ptx_variable *variable = &m->module->variables[v];
        if (variable->space != WL_PTX_SHARED || variable->bytes == 0 || !r->variables[v])
            continue;
        out->shared_bytes = wl_round_up(out->shared_bytes, variable->align > 0 ? variable->align : 1);
        out->variable_address[v] = (uint64_t)out->shared_bytes;
        out->shared_bytes += variable->bytes;
    }
    for (int32_t v = 0; v < m->module->variable_count; v++)
        if (m->module->variables[v].space == WL_PTX_SHARED && m->module->variables[v].bytes == 0)
            out->variable_address[v] =
                (uint64_t)wl_round_up(out->shared_bytes, wl_max(16, m->module->variables[v].align));
    for (int32_t f = 0; f < m->module->function_count; f++) {
        int64_t bytes = 0;
        if (f > 0 && !r->functions[f]) /* those of the module are laid out with the first */
            continue;
        for (int32_t v = 0; v < m->module->variable_count; v++) {
            const wl_ptx_variable *variable = &m->module->variables[v];
            if (variable->space != WL_PTX_LOCAL || (variable->function != f && !(f == 0 && variable->function < 0)))
                continue;
            bytes = wl_round_up(bytes, wl_max(1, variable->align));
            out->variable_address[v] = (uint64_t)bytes;
            bytes += variable->bytes;
        }
        if (r->functions[f])
            out->local_bytes += wl_round_up(bytes, 16);
    }
}

wl_ptx_buffer *wl_ptx_place_buffer(wl_ptx_maker *m, const wl_ptx_buffer *buffer)
{
    wl_ptx_buffer *b = &m->out->buffers[m->out->buffer_count++];
    *b = *buffer;
    b->base = m->next;
    m->next += (uint64_t)wl_round_up(b->bytes + GUARD, ALIGNMENT);
    return b;
}

/* C++ initializes with zeros, but a table in constant memory that a kernel reads is hardly meant to
 * hold zeros. */
static void note_zeros(wl_ptx_maker *m, const reach *r, int32_t v)
{
    const wl_ptx_variable *variable = &m->module->variables[v];
    if (variable->space == WL_PTX_CONST && !variable->initial && !variable->is_extern && !m->contents[v] &&
        r->variables[v])
        m->out->zeros[m->out->zero_count++] = v;
}

static wl_status lay_out_buffers(wl_ptx_maker *m, const reach *r)
{
    for (int32_t v = 0; v < m->module->variable_count; v++) {
        const wl_ptx_variable *variable = &m->module->variables[v];
        if (variable->space != WL_PTX_GLOBAL && variable->space != WL_PTX_CONST)
            continue;
        if (wl_ptx_image_symbol(m, variable->name, &m->out->variable_address[v]))
            continue;
        wl_ptx_buffer b = {.argument = -1,
                           .bytes = variable->bytes,
                           .type = WL_PTX_U8,
                           .content = variable->is_extern ? WL_PTX_UNTOUCHED
                                      : variable->initial ? WL_PTX_BYTES
                                                          : WL_PTX_CONSTANT,
                           .data = variable->initial,
                           .data_bytes = variable->initial ? (size_t)variable->bytes : 0};
        (void)snprintf(b.name, sizeof b.name, "%s", variable->source_name);
        wl_ptx_buffer *placed = wl_ptx_place_buffer(m, &b);
        m->out->variable_address[v] = placed->base;
        if (m->contents[v])
            WL_TRY(wl_ptx_fill_variable(m, v, placed));
        note_zeros(m, r, v);
    }
    return WL_OK;
}

/* The address that a link refers to. */
static uint64_t linked(const wl_ptx_maker *m, const wl_ptx_link *link)
{
    if (link->function >= 0)
        return WL_PTX_FUNCTION_WINDOW + 16 * (uint64_t)link->function + (uint64_t)link->addend;
    if (link->variable < 0)
        return (uint64_t)link->addend;
    const bool shared = m->module->variables[link->variable].space == WL_PTX_SHARED;
    return m->out->variable_address[link->variable] + (uint64_t)link->addend +
           (shared && link->generic ? WL_PTX_SHARED_WINDOW : 0);
}

/* Writes addresses into initial values. */
static wl_status resolve_links(wl_ptx_maker *m)
{
    for (int32_t v = 0; v < m->module->variable_count; v++) {
        const wl_ptx_variable *variable = &m->module->variables[v];
        if (variable->link_count == 0 || !variable->initial || m->contents[v] ||
            (variable->space != WL_PTX_GLOBAL && variable->space != WL_PTX_CONST) ||
            wl_ptx_image_symbol(m, variable->name, &(uint64_t){0}))
            continue;
        uint8_t *data = WL_ARENA_NEW(m->arena, uint8_t, variable->bytes);
        if (!data)
            return wl_fail_memory(m->err);
        memcpy(data, variable->initial, (size_t)variable->bytes);
        for (int32_t k = 0; k < variable->link_count; k++) {
            const wl_ptx_link *link = &variable->links[k];
            const uint64_t address = linked(m, link);
            if (link->at >= 0 && link->bytes > 0 && link->bytes <= 8 && link->at + link->bytes <= variable->bytes)
                memcpy(data + link->at, &address, (size_t)link->bytes);
        }
        for (int b = 0; b < m->out->buffer_count; b++)
            if (m->out->buffers[b].base == m->out->variable_address[v])
                m->out->buffers[b].data = data;
    }
    return WL_OK;
}

static wl_status lay_out_variables(wl_ptx_maker *m)
{
    const int64_t entry = m->entry - m->module->functions;
    reach r = {WL_ARENA_NEW(m->arena, bool, m->module->function_count),
               WL_ARENA_NEW(m->arena, bool, m->module->variable_count)};
    m->out->variable_address = WL_ARENA_NEW(m->arena, uint64_t, m->module->variable_count);
    m->out->zeros = WL_ARENA_NEW(m->arena, int32_t, m->module->variable_count);
    if (!r.functions || !r.variables || !m->out->variable_address || !m->out->zeros)
        return wl_fail_memory(m->err);
    reach_function(m, &r, entry);
    /* a function in a table may be called */
    for (int32_t v = 0; v < m->module->variable_count; v++)
        for (int32_t k = 0; k < m->module->variables[v].link_count; k++)
            if (m->module->variables[v].links[k].function >= 0)
                reach_function(m, &r, m->module->variables[v].links[k].function);
    lay_out_offsets(m, &r);
    if (m->given->dynamic_shared > SHARED_MAX - m->out->shared_bytes)
        return wl_fail(m->err, WL_E_INPUT, WL_NOWHERE, "more than %lld MiB of shared memory: no GPU has that much",
                       (long long)SHARED_MAX >> 20);
    for (int k = 0; k < m->entry->param_count; k++)
        m->out->variable_address[m->entry->params[k]] = (uint64_t)m->out->param_offset[k];
    WL_TRY(lay_out_buffers(m, &r));
    return resolve_links(m);
}

/* How many buffers arguments and contents name at most: each has a colon. */
static size_t named_buffers(const wl_ptx_given *given)
{
    size_t count = given->image ? given->image->memory_count : 0;
    for (size_t i = 0; i < given->arg_count + given->constant_count; i++) {
        const char *text = i < given->arg_count ? given->args[i] : given->constants[i - given->arg_count];
        for (; *text; text++)
            count += *text == ':';
    }
    return count;
}

wl_status wl_ptx_arguments_make(const wl_ptx_module *module, const wl_ptx_function *entry, const wl_ptx_given *given,
                                wl_arena *arena, wl_ptx_arguments *out, wl_error *err)
{
    wl_ptx_maker m = {module, entry, given, arena, out, err, FIRST_BASE, NULL};
    *out = (wl_ptx_arguments){0};
    out->buffers = WL_ARENA_NEW(arena, wl_ptx_buffer, named_buffers(given) + (size_t)module->variable_count + 1);
    m.contents = WL_ARENA_NEW(arena, const char *, module->variable_count + 1);
    if (!out->buffers || !m.contents)
        return wl_fail_memory(err);
    WL_TRY(given->image ? wl_ptx_take_image(&m) : wl_ptx_make_params(&m));
    WL_TRY(wl_ptx_find_contents(&m));
    return lay_out_variables(&m);
}

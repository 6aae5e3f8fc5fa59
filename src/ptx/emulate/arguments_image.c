/* arguments_image.c - arguments as a program passed them: bytes of parameters, and its memory.
 * Layer  ptx/emulate. SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "ptx/emulate/arguments_internal.h"
#include "ptx/emulate/arguments_text.h"
#include "ptx/module/source_params.h"

#define GAP ((uint64_t)2 << 20) /* bytes between the program's memory and what follows */

bool wl_ptx_image_symbol(const wl_ptx_maker *m, const char *name, uint64_t *address)
{
    const wl_ptx_image *image = m->given->image;
    for (size_t i = 0; image && i < image->symbol_count; i++)
        if (strcmp(image->symbols[i].name, name) == 0) {
            *address = image->symbols[i].address;
            return true;
        }
    return false;
}

static wl_status take_memory(wl_ptx_maker *m)
{
    const wl_ptx_image *image = m->given->image;
    uint64_t end = 0;
    for (size_t i = 0; i < image->memory_count; i++) {
        const wl_ptx_memory *piece = &image->memory[i];
        if (piece->bytes < 0 || piece->address < end || piece->address > WL_PTX_SHARED_WINDOW ||
            (uint64_t)piece->bytes > WL_PTX_SHARED_WINDOW - piece->address)
            return wl_fail(m->err, WL_E_INPUT, WL_NOWHERE,
                           "memory at 0x%llx: pieces of memory must not overlap, and lie in order of their addresses",
                           (unsigned long long)piece->address);
        end = piece->address + (uint64_t)piece->bytes;
        if (piece->bytes == 0)
            continue;
        wl_ptx_buffer *b = &m->out->buffers[m->out->buffer_count++];
        *b = (wl_ptx_buffer){.base = piece->address,
                             .bytes = piece->bytes,
                             .content = piece->contents ? WL_PTX_BYTES : WL_PTX_UNTOUCHED,
                             .type = WL_PTX_U8,
                             .data = piece->contents,
                             .data_bytes = piece->contents ? (size_t)piece->bytes : 0,
                             .own = piece->contents,
                             .argument = -1};
        (void)snprintf(b->name, sizeof b->name, "memory %zu", i);
    }
    m->next = (uint64_t)wl_round_up((int64_t)wl_max((int64_t)m->next, (int64_t)(end + GAP)), (int64_t)GAP);
    return WL_OK;
}

static wl_ptx_buffer *buffer_at(const wl_ptx_maker *m, uint64_t address)
{
    const wl_ptx_buffer *b = wl_ptx_buffer_at(m->out, address);
    return b ? &m->out->buffers[b - m->out->buffers] : NULL;
}

/* Names what symbols and parameters point to after them. The first of several wins: a parameter
 * before a variable. */
static void name_buffers(const wl_ptx_maker *m, const wl_ptx_source_param *sources)
{
    const wl_ptx_image *image = m->given->image;
    for (int k = 0; k < m->entry->param_count; k++) {
        const wl_ptx_variable *p = &m->module->variables[m->entry->params[k]];
        int pointers = 0;
        for (int64_t at = 0; at + 8 <= p->bytes; at += 8) {
            uint64_t address;
            memcpy(&address, m->out->params + m->out->param_offset[k] + at, sizeof address);
            wl_ptx_buffer *b = buffer_at(m, address);
            pointers += b != NULL;
            if (!b || b->argument >= 0)
                continue;
            b->argument = k;
            b->offset = (int64_t)(address - b->base);
            char name[20];
            if (sources)
                (void)snprintf(name, sizeof name, "%s", sources[k].name);
            else
                (void)snprintf(name, sizeof name, "arg %d", k % 10000);
            if (p->bytes > 8)
                (void)snprintf(b->name, sizeof b->name, "%s.%d", name, pointers % 1000);
            else
                (void)snprintf(b->name, sizeof b->name, "%s", name);
        }
    }
    for (size_t i = 0; i < image->symbol_count; i++) {
        wl_ptx_buffer *b = buffer_at(m, image->symbols[i].address);
        if (!b || b->argument >= 0)
            continue;
        for (int32_t v = 0; v < m->module->variable_count; v++)
            if (strcmp(m->module->variables[v].name, image->symbols[i].name) == 0)
                (void)snprintf(b->name, sizeof b->name, "%s", m->module->variables[v].source_name);
    }
}

/* Objects whose memory is there; memory that an object begins with is a texture from then on. */
static wl_status take_objects(wl_ptx_maker *m)
{
    const wl_ptx_image *image = m->given->image;
    m->out->views = WL_ARENA_NEW(m->arena, wl_ptx_view, image->object_count + 1);
    if (!m->out->views)
        return wl_fail_memory(m->err);
    for (size_t i = 0; i < image->object_count; i++) {
        const wl_ptx_texture_object *o = &image->objects[i];
        wl_ptx_buffer *memory = buffer_at(m, o->address), view = {0};
        WL_TRY(wl_ptx_texture_text(o->text, m->given, m->arena, &view, m->err));
        if (!memory || view.bytes > memory->bytes - (int64_t)(o->address - memory->base))
            continue;
        const wl_ptx_texture *texture = view.texture;
        if (!memory->texture && memory->base == o->address)
            memory->texture = texture;
        const int64_t bytes = view.bytes;
        view = *memory;
        view.base = o->address;
        view.bytes = bytes;
        view.texture = texture;
        m->out->views[m->out->view_count++] = (wl_ptx_view){o->handle, view};
        m->out->has_textures = true;
    }
    return WL_OK;
}

wl_status wl_ptx_take_image(wl_ptx_maker *m)
{
    const wl_ptx_image *image = m->given->image;
    const wl_ptx_source_param *sources = NULL;
    WL_TRY(wl_ptx_lay_out_params(m));
    if ((int64_t)image->param_bytes < m->out->param_bytes)
        return wl_fail(m->err, WL_E_INPUT, WL_NOWHERE, "%.60s takes %lld bytes of parameters, the launch has %zu",
                       m->entry->source_name, (long long)m->out->param_bytes, image->param_bytes);
    if (m->out->param_bytes > 0)
        memcpy(m->out->params, image->params, (size_t)m->out->param_bytes);
    WL_TRY(take_memory(m));
    WL_TRY(take_objects(m));
    WL_TRY(wl_ptx_find_sources(m, false, &sources));
    name_buffers(m, sources);
    return WL_OK;
}

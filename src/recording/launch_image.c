/* launch_image.c - what a recorded launch can reach, and what decides about its prediction.
 *
 * Launches whose keys are equal are predicted once. Addresses are no part of a key: where a pointer
 * leads counts, the buffer and the offset in it.
 * Layer  recording. SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "ptx/async/tensor_map.h"
#include "recording/recording_internal.h"

#define PARAMS_MOST 32764 /* bytes that CUDA passes at most */

static void add_words(wl_buffer *key, const void *words, size_t bytes)
{
    if (key)
        wl_buffer_put(key, words, bytes);
}

/* The reader of an element of a list; its members have the list's name in front in messages. */
static wl_event_reader element(const wl_event_reader *in, const json_t *list, size_t index)
{
    wl_event_reader out = *in;
    out.object = json_array_get(list, index);
    return out;
}

static wl_status read_buffers(const wl_event_reader *in, wl_arena *arena, wl_recorded_image *out, wl_buffer *key)
{
    const json_t *list;
    uint64_t end = 0;
    WL_TRY(wl_event_list(in, "buffers", &list));
    out->buffers = WL_ARENA_NEW(arena, wl_recorded_buffer, json_array_size(list) + 1);
    if (!out->buffers)
        return wl_fail_memory(in->err);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const wl_event_reader one = element(in, list, i);
        wl_recorded_buffer *b = &out->buffers[out->buffer_count++];
        WL_TRY(wl_event_address(&one, "address", &b->address));
        WL_TRY(wl_event_whole(&one, "bytes", 0, &b->bytes));
        b->has_contents = wl_event_has(&one, "contents");
        if (b->has_contents)
            WL_TRY(wl_event_digest(&one, "contents", &b->contents));
        if (b->address < end || (uint64_t)b->bytes > UINT64_MAX - b->address)
            return wl_event_fails(in, "buffers", "must be sorted by address, and apart from each other");
        end = b->address + (uint64_t)b->bytes;
        const uint64_t fine = b->address % WL_RECORDED_FINE;
        add_words(key, &b->bytes, sizeof b->bytes);
        add_words(key, &fine, sizeof fine);
        add_words(key, &b->contents, sizeof b->contents);
    }
    return WL_OK;
}

const wl_recorded_buffer *wl_recorded_buffer_at(const wl_recorded_image *image, uint64_t address)
{
    size_t first = 0, end = image->buffer_count;
    while (first < end) {
        const size_t middle = first + (end - first) / 2;
        const wl_recorded_buffer *b = &image->buffers[middle];
        if (address < b->address)
            end = middle;
        else if (address - b->address < (uint64_t)b->bytes)
            return b;
        else
            first = middle + 1;
    }
    return NULL;
}

/* Adds the parameters to the key, with pointers as the places that they lead to. */
static wl_status read_pointers(const wl_event_reader *in, wl_recorded_image *image, wl_arena *arena, wl_buffer *key)
{
    const json_t *list;
    uint8_t *params = WL_ARENA_NEW(arena, uint8_t, image->param_bytes + 1);
    if (!params)
        return wl_fail_memory(in->err);
    if (image->param_bytes > 0)
        memcpy(params, image->params, image->param_bytes);
    WL_TRY(wl_event_list(in, "pointers", &list));
    image->pointers = WL_ARENA_NEW(arena, wl_recorded_pointer, json_array_size(list) + 1);
    if (!image->pointers)
        return wl_fail_memory(in->err);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *pointer = json_array_get(list, i);
        int64_t word[3];
        for (size_t d = 0; d < 3; d++)
            word[d] = json_integer_value(json_array_get(pointer, d));
        if (json_array_size(pointer) != 3 || word[0] < 0 || word[0] > (int64_t)image->param_bytes - 8 || word[1] < 0 ||
            word[1] >= (int64_t)image->buffer_count || word[2] < 0 || word[2] > image->buffers[word[1]].bytes)
            return wl_event_fails(in, "pointers", "must be offsets in params, numbers of buffers and offsets in them");
        memset(params + word[0], 0, 8);
        image->pointers[image->pointer_count++] = (wl_recorded_pointer){word[0], word[1], word[2]};
        add_words(key, word, sizeof word);
    }
    add_words(key, params, image->param_bytes);
    return WL_OK;
}

static wl_status read_variables(const wl_event_reader *in, wl_arena *arena, wl_recorded_image *out, wl_buffer *key)
{
    const json_t *list;
    WL_TRY(wl_event_list(in, "variables", &list));
    out->symbols = WL_ARENA_NEW(arena, wl_ptx_symbol, json_array_size(list) + 1);
    if (!out->symbols)
        return wl_fail_memory(in->err);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const wl_event_reader one = element(in, list, i);
        wl_ptx_symbol *symbol = &out->symbols[out->symbol_count++];
        WL_TRY(wl_event_text(&one, "name", &symbol->name));
        WL_TRY(wl_event_address(&one, "address", &symbol->address));
        add_words(key, symbol->name, strlen(symbol->name) + 1);
        symbol->name = wl_arena_text(arena, symbol->name, strlen(symbol->name));
        if (!symbol->name)
            return wl_fail_memory(in->err);
        const wl_recorded_buffer *b = wl_recorded_buffer_at(out, symbol->address);
        const uint64_t where[2] = {b ? (uint64_t)(b - out->buffers) : UINT64_MAX, b ? symbol->address - b->address : 0};
        add_words(key, where, sizeof where);
    }
    return WL_OK;
}

static wl_status read_maps(const wl_event_reader *in, wl_arena *arena, wl_recorded_image *out, wl_buffer *key)
{
    const json_t *list;
    WL_TRY(wl_event_list(in, "maps", &list));
    out->maps = WL_ARENA_NEW(arena, wl_recorded_map, json_array_size(list) + 1);
    if (!out->maps)
        return wl_fail_memory(in->err);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const wl_event_reader one = element(in, list, i);
        wl_recorded_map *map = &out->maps[out->map_count++];
        uint8_t *bytes;
        size_t count;
        map->at = -1;
        if (wl_event_has(&one, "at"))
            WL_TRY(wl_event_whole(&one, "at", 0, &map->at));
        else
            WL_TRY(wl_event_address(&one, "address", &map->address));
        WL_TRY(wl_event_bytes(&one, "map", arena, &bytes, &count));
        if (count != WL_PTX_MAP_BYTES || map->at > (int64_t)out->param_bytes - WL_PTX_MAP_BYTES)
            return wl_event_fails(in, "maps", "must be of 128 bytes, inside of the parameters or of memory");
        map->bytes = bytes;
        add_words(key, &map->at, sizeof map->at);
        add_words(key, bytes, count);
    }
    return WL_OK;
}

/* Of a texture, its description and where its memory is decide, not its handle; that is one of the
 * parameters, too. */
static wl_status read_textures(const wl_event_reader *in, wl_arena *arena, wl_recorded_image *out, wl_buffer *key)
{
    const json_t *list;
    WL_TRY(wl_event_list(in, "textures", &list));
    out->objects = WL_ARENA_NEW(arena, wl_ptx_texture_object, json_array_size(list) + 1);
    if (!out->objects)
        return wl_fail_memory(in->err);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const wl_event_reader one = element(in, list, i);
        wl_ptx_texture_object *object = &out->objects[out->object_count++];
        const char *text;
        WL_TRY(wl_event_address(&one, "handle", &object->handle));
        WL_TRY(wl_event_address(&one, "address", &object->address));
        WL_TRY(wl_event_text(&one, "text", &text));
        if (strncmp(text, "tex:", 4) != 0 && strncmp(text, "surf:", 5) != 0)
            return wl_event_fails(&one, "text", "must describe a texture or surface, as tex:64x64:f32");
        object->text = wl_arena_text(arena, text, strlen(text));
        if (!object->text)
            return wl_fail_memory(in->err);
        const wl_recorded_buffer *b = wl_recorded_buffer_at(out, object->address);
        const uint64_t where[2] = {b ? (uint64_t)(b - out->buffers) : UINT64_MAX, b ? object->address - b->address : 0};
        add_words(key, text, strlen(text) + 1);
        add_words(key, where, sizeof where);
    }
    return WL_OK;
}

wl_status wl_recorded_image_read(const wl_event_reader *in, wl_arena *arena, wl_recorded_image *out, wl_buffer *key)
{
    *out = (wl_recorded_image){0};
    WL_TRY(wl_event_bytes(in, "params", arena, &out->params, &out->param_bytes));
    if (out->param_bytes > PARAMS_MOST)
        return wl_event_fails(in, "params", "has more bytes than a kernel can have");
    WL_TRY(read_buffers(in, arena, out, key));
    WL_TRY(read_pointers(in, out, arena, key));
    WL_TRY(read_variables(in, arena, out, key));
    WL_TRY(read_maps(in, arena, out, key));
    return read_textures(in, arena, out, key);
}

/* textures.c - see textures.h.
 * SPDX-License-Identifier: MIT */
#include "textures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/room.h"

#define FLAG_LAYERED 1
#define HANDLES ((uint64_t)0x54455800 << 32) /* no number that a program has by accident */
#define RUN ((size_t)16)                     /* bytes that stay together in a block-linear array */

/* ---- arrays ---- */

static int type_bytes(const char *type) { return atoi(type + 1) / 8; }

bool gpu_array_lay_out(cuda_array *a, const char *type, int channels, size_t width, size_t height, size_t depth,
                       unsigned flags, int64_t *bytes)
{
    const bool layered = flags & FLAG_LAYERED;
    const int dims = depth && !layered ? 3 : height ? 2 : 1;
    *a = (cuda_array){.type = type, .width = width, .height = height, .depth = depth, .flags = flags};
    a->layout =
        (wl_ptx_texture){.dims = dims,
                         .extent = {(int64_t)width, height ? (int64_t)height : 1, dims == 3 ? (int64_t)depth : 1},
                         .is_layered = layered,
                         .layers = layered ? (int64_t)depth : 1,
                         .channels = channels,
                         .texel_bytes = channels * type_bytes(type),
                         .in_blocks = dims > 1};
    return width > 0 && (!layered || depth > 0) && wl_ptx_texture_lay_out(&a->layout, bytes) && *bytes > 0;
}

cuda_array *gpu_array_new(gpu_world *w, const char *type, int channels, size_t width, size_t height, size_t depth,
                          unsigned flags)
{
    cuda_array *a = calloc(1, sizeof *a);
    int64_t bytes = 0;
    if (a && gpu_array_lay_out(a, type, channels, width, height, depth, flags, &bytes))
        a->memory = gpu_allocate(w, (size_t)bytes, GPU_DEVICE);
    if (a && a->memory)
        return a;
    free(a);
    return NULL;
}

void gpu_array_free(gpu_world *w, cuda_array *a)
{
    if (a)
        (void)gpu_release(w, a->memory);
    free(a);
}

bool gpu_array_copy(const cuda_array *a, bool in, size_t x, size_t y, size_t z, void *other, size_t pitch, size_t width,
                    size_t height)
{
    const wl_ptx_texture *t = &a->layout;
    const size_t row = (size_t)(t->extent[0] * t->texel_bytes), planes = a->depth ? a->depth : 1;
    if (x > row || width > row - x || height > (size_t)t->extent[1] || y > (size_t)t->extent[1] - height || z >= planes)
        return false;
    for (size_t k = 0; k < height; k++)
        for (size_t at = 0, run; at < width; at += run) {
            const size_t left = RUN - (x + at) % RUN;
            run = left < width - at ? left : width - at;
            const bool layered = t->is_layered;
            uint8_t *mine = a->memory + wl_ptx_texture_place(t, (int64_t)(x + at), (int64_t)(y + k),
                                                             layered ? 0 : (int64_t)z, layered ? (int64_t)z : 0);
            uint8_t *their = (uint8_t *)other + k * pitch + at;
            memcpy(in ? mine : their, in ? their : mine, run);
        }
    return true;
}

/* ---- objects ---- */

const char *gpu_array_format(int format)
{
    switch (format) {
    case 0x01: return "u8";
    case 0x02: return "u16";
    case 0x03: return "u32";
    case 0x08: return "s8";
    case 0x09: return "s16";
    case 0x0a: return "s32";
    case 0x10: return "f16";
    case 0x20: return "f32";
    default: return NULL;
    }
}

static uint64_t add(gpu_world *w, uint64_t handle, uint64_t address, const char *text)
{
    static uint64_t last;
    char *own = strdup(text);
    if (!own || !WL_ROOM(w->objects, w->object_count + 1, w->object_room)) {
        free(own);
        return 0;
    }
    if (handle == 0)
        handle = HANDLES + ++last;
    w->objects[w->object_count++] = (wl_ptx_texture_object){handle, address, own};
    return handle;
}

void gpu_object_free(gpu_world *w, uint64_t handle)
{
    for (size_t i = 0; i < w->object_count; i++)
        if (w->objects[i].handle == handle) {
            free((char *)(uintptr_t)w->objects[i].text);
            w->objects[i] = w->objects[--w->object_count];
            return;
        }
}

static const char *mode_of(const gpu_sampler *s)
{
    static const char *const modes[] = {"wrap", "clamp", "mirror", "border"};
    const int mode = s->mode >= 0 && s->mode < 4 ? s->mode : 1;
    /* a GPU clamps where coordinates are not normalized */
    return modes[s->normalized || mode == 3 ? mode : 1];
}

/* "tex:2048x1024:f32x4:linear:clamp" */
static uint64_t describe(gpu_world *w, uint64_t handle, uint64_t address, const char *extents, const char *type,
                         int channels, const char *options, const gpu_sampler *s)
{
    char text[160], count[16] = "";
    if (channels > 1)
        (void)snprintf(count, sizeof count, "x%d", channels);
    (void)snprintf(text, sizeof text, "%s:%s:%s%s%s%s%s%s%s", s ? "tex" : "surf", extents, type, count, options,
                   s ? ":" : "", s ? mode_of(s) : "", s && s->linear ? ":linear" : "",
                   s && s->normalized ? ":normalized" : "");
    return add(w, handle, address, text);
}

uint64_t gpu_object_of_array(gpu_world *w, uint64_t handle, const cuda_array *a, const gpu_sampler *s)
{
    char extents[80];
    int length = snprintf(extents, sizeof extents, "%zu", a->width);
    if (a->height || a->layout.is_layered)
        length += snprintf(extents + length, sizeof extents - (size_t)length, "x%zu", a->height ? a->height : 1);
    if (a->depth)
        (void)snprintf(extents + length, sizeof extents - (size_t)length, "x%zu", a->depth);
    return describe(w, handle, (uint64_t)(uintptr_t)a->memory, extents, a->type, a->layout.channels,
                    a->layout.is_layered ? ":layered" : "", s);
}

uint64_t gpu_object_of_memory(gpu_world *w, uint64_t handle, uint64_t address, const char *type, int channels,
                              size_t width, size_t height, size_t pitch, const gpu_sampler *s)
{
    char extents[48], options[40] = "";
    if (height > 0) {
        (void)snprintf(extents, sizeof extents, "%zux%zu", width, height);
        (void)snprintf(options, sizeof options, ":pitch:%zu", pitch);
    } else {
        (void)snprintf(extents, sizeof extents, "%zu", width);
    }
    return describe(w, handle, address, extents, type, channels, options, s);
}

enum { RESOURCE_ARRAY, RESOURCE_MIPMAP, RESOURCE_LINEAR, RESOURCE_PITCHED };
enum { FLAG_NORMALIZED = 2 };

uint64_t gpu_object_of_driver(gpu_world *w, uint64_t handle, const cuda_driver_resource *r,
                              const cuda_driver_texture *t, const cuda_array *array)
{
    const bool pitched = r->kind == RESOURCE_PITCHED;
    const cuda_array *a = array ? array : r->of.array;
    const char *type = r->kind == RESOURCE_ARRAY    ? a->type
                       : r->kind == RESOURCE_LINEAR ? gpu_array_format(r->of.linear.format)
                       : pitched                    ? gpu_array_format(r->of.pitched.format)
                                                    : NULL;
    if (!type)
        return 0;
    const gpu_sampler sampler = {
        .mode = t ? t->modes[0] : 0, .linear = t && t->filter == 1, .normalized = t && t->flags & FLAG_NORMALIZED};
    const gpu_sampler *s = t ? &sampler : NULL;
    if (r->kind == RESOURCE_ARRAY)
        return gpu_object_of_array(w, handle, a, s);
    if (pitched)
        return gpu_object_of_memory(w, handle, r->of.pitched.address, type, (int)r->of.pitched.channels,
                                    r->of.pitched.width, r->of.pitched.height, r->of.pitched.pitch, s);
    return gpu_object_of_memory(w, handle, r->of.linear.address, type, (int)r->of.linear.channels,
                                r->of.linear.bytes / ((size_t)type_bytes(type) * r->of.linear.channels), 0, 0, s);
}

/* objects.c - textures and surfaces: what their objects describe, and what arrays hold.
 *
 * An array has no address that a program sees: here it gets one, and its contents are laid out as
 * the emulator reads them (ptx/emulate/texture.h).
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/room.h"
#include "record.h"
#include "textures.h"

#define ARRAYS ((uint64_t)0x600000000000) /* addresses of arrays begin here, */
#define APART ((uint64_t)1 << 36)         /* so far from each other */

typedef struct known_array {
    void *of; /* of the driver */
    cuda_array array;
    int64_t bytes;
} known_array;
static known_array *arrays;
static size_t array_count, array_room;

static cuda_error describe(cuda_driver_array *out, void *array)
{
    DRIVER("cuArray3DGetDescriptor_v2", (cuda_driver_array *, void *));
    return real(out, array);
}

static cuda_error copy(const cuda_driver_copy_3d *c)
{
    DRIVER("cuMemcpy3D_v2", (const cuda_driver_copy_3d *));
    return real(c);
}

/* The handle of an array that was freed may be given again: it is asked for each time. NULL: no
 * array that we know to read. */
static const cuda_array *learn_array(void *of)
{
    cuda_driver_array d;
    known_array *a = NULL;
    if (describe(&d, of) != CUDA_OK || !gpu_array_format(d.format))
        return NULL;
    for (size_t i = 0; i < array_count && !a; i++)
        a = arrays[i].of == of ? &arrays[i] : NULL;
    if (!a && WL_ROOM(arrays, array_count + 1, array_room))
        a = &arrays[array_count++];
    if (!a || !gpu_array_lay_out(&a->array, gpu_array_format(d.format), (int)d.channels, d.width, d.height, d.depth,
                                 d.flags, &a->bytes))
        return NULL;
    a->of = of;
    a->array.memory = (uint8_t *)(uintptr_t)(ARRAYS + (uint64_t)(a - arrays) * APART);
    return &a->array;
}

/* NULL: the driver does not give it. */
static uint8_t *fetch_array(const known_array *a)
{
    const size_t row = a->array.width * (size_t)a->array.layout.texel_bytes;
    const size_t height = a->array.height ? a->array.height : 1, depth = a->array.depth ? a->array.depth : 1;
    uint8_t *rows = malloc(row * height * depth), *contents = calloc(1, (size_t)a->bytes);
    const cuda_driver_copy_3d c = {.from = {.kind = 3, .array = a->of},
                                   .to = {.kind = 1, .host = rows, .pitch = row, .height = height},
                                   .width = row,
                                   .height = height,
                                   .depth = depth};
    cuda_array here = a->array;
    here.memory = contents;
    bool known = rows && contents && copy(&c) == CUDA_OK;
    for (size_t z = 0; z < depth && known; z++)
        known = gpu_array_copy(&here, true, 0, 0, z, rows + z * row * height, row, row, height);
    free(rows);
    if (known)
        return contents;
    free(contents);
    return NULL;
}

void reach_objects(gpu_world *w, const gpu_launch *l, size_t bytes)
{
    for (size_t i = 0; i < w->object_count; i++) {
        const uint64_t address = w->objects[i].address, number = (address - ARRAYS) / APART;
        if (!gpu_uses_object(w, l, bytes, w->objects[i].handle))
            continue;
        if (address < ARRAYS || number >= array_count)
            reach_address(w, address);
        else if (gpu_find(w, address) < 0)
            reach_insert(w, address, (size_t)arrays[number].bytes,
                         arrays[number].bytes <= w->settings.bytes ? fetch_array(&arrays[number]) : NULL);
    }
}

/* ---- calls ---- */

CUDA_CALL cuTexObjectCreate(uint64_t *object, const cuda_driver_resource *r, const cuda_driver_texture *t,
                            const void *view);
CUDA_CALL cuSurfObjectCreate(uint64_t *object, const cuda_driver_resource *r);
CUDA_CALL cuTexObjectDestroy(uint64_t object);
CUDA_CALL cuSurfObjectDestroy(uint64_t object);

enum { RESOURCE_ARRAY };

static void learn(uint64_t object, const cuda_driver_resource *r, const cuda_driver_texture *t, bool viewed)
{
    gpu_world *w = gpu_enter();
    const cuda_array *array = r->kind == RESOURCE_ARRAY ? learn_array(r->of.array) : NULL;
    gpu_object_free(w, object);
    if (viewed || (r->kind == RESOURCE_ARRAY && !array) || gpu_object_of_driver(w, object, r, t, array) == 0)
        gpu_say("a texture or surface of a kind that is not known is not recorded");
    gpu_leave();
}

static void forget(uint64_t object)
{
    gpu_world *w = gpu_enter();
    gpu_object_free(w, object);
    gpu_leave();
}

cuda_error cuTexObjectCreate(uint64_t *object, const cuda_driver_resource *r, const cuda_driver_texture *t,
                             const void *view)
{
    DRIVER("cuTexObjectCreate", (uint64_t *, const cuda_driver_resource *, const cuda_driver_texture *, const void *));
    const cuda_error error = real(object, r, t, view);
    if (error == CUDA_OK)
        learn(*object, r, t, view != NULL);
    return error;
}

cuda_error cuSurfObjectCreate(uint64_t *object, const cuda_driver_resource *r)
{
    DRIVER("cuSurfObjectCreate", (uint64_t *, const cuda_driver_resource *));
    const cuda_error error = real(object, r);
    if (error == CUDA_OK)
        learn(*object, r, NULL, false);
    return error;
}

cuda_error cuTexObjectDestroy(uint64_t object)
{
    DRIVER("cuTexObjectDestroy", (uint64_t));
    forget(object);
    return real(object);
}

cuda_error cuSurfObjectDestroy(uint64_t object)
{
    DRIVER("cuSurfObjectDestroy", (uint64_t));
    forget(object);
    return real(object);
}

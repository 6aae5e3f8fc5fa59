/* cu_texture.c - the driver's calls about arrays, texture objects and surface objects.
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "driver.h"
#include "textures.h"

CUDA_CALL cuArray3DCreate_v2(cuda_array **array, const cuda_driver_array *d);
CUDA_CALL cuArray3DGetDescriptor_v2(cuda_driver_array *d, const cuda_array *array);
CUDA_CALL cuMemcpy3D_v2(const cuda_driver_copy_3d *c);
CUDA_CALL cuMemcpy3DAsync_v2(const cuda_driver_copy_3d *c, cuda_stream_t stream);
CUDA_CALL cuTexObjectCreate(uint64_t *object, const cuda_driver_resource *r, const cuda_driver_texture *t,
                            const void *view);
CUDA_CALL cuSurfObjectCreate(uint64_t *object, const cuda_driver_resource *r);
SAME(cuArrayDestroy, cudaFreeArray, (cuda_array * array), (array))
SAME(cuTexObjectDestroy, cudaDestroyTextureObject, (uint64_t object), (object))
SAME(cuSurfObjectDestroy, cudaDestroySurfaceObject, (uint64_t object), (object))

/* ---- arrays ---- */

cuda_error cuArray3DCreate_v2(cuda_array **array, const cuda_driver_array *d)
{
    const char *type = gpu_array_format(d->format);
    if (!type)
        return gpu_missing("an array of this format");
    gpu_world *w = gpu_enter();
    *array = gpu_array_new(w, type, (int)d->channels, d->width, d->height, d->depth, d->flags);
    gpu_leave();
    return *array ? CUDA_OK : CUDA_OUT_OF_MEMORY;
}

cuda_error cuArray3DGetDescriptor_v2(cuda_driver_array *d, const cuda_array *a)
{
    *d = (cuda_driver_array){.width = a->width,
                             .height = a->height,
                             .depth = a->depth,
                             .channels = (unsigned)a->layout.channels,
                             .flags = a->flags};
    for (int format = 1; format <= 0x20; format++)
        if (gpu_array_format(format) && strcmp(gpu_array_format(format), a->type) == 0)
            d->format = format;
    return CUDA_OK;
}

/* ---- copies ---- */

enum { KIND_HOST = 1, KIND_DEVICE, KIND_ARRAY };

/* The runtime's copy, whose x counts texels of an array. */
static cuda_error copy(const cuda_driver_copy_3d *c, cuda_stream_t stream)
{
    const bool in = c->to.kind == KIND_ARRAY;
    const cuda_side_3d *mine = in ? &c->to : &c->from, *their = in ? &c->from : &c->to;
    const size_t texel = (size_t)mine->array->layout.texel_bytes, pitch = their->pitch ? their->pitch : c->width;
    void *pointer = their->kind == KIND_HOST ? their->host : (void *)(uintptr_t)their->device;
    const cuda_pitched memory = {pointer, pitch, c->width, their->height ? their->height : c->height};
    const cuda_position at = {mine->x / texel, mine->y, mine->z}, other = {their->x, their->y, their->z};
    cuda_copy_3d own = {.extent = {c->width / texel, c->height, c->depth}};
    if (c->from.kind == c->to.kind)
        return gpu_missing("a copy from an array to another");
    if (in)
        own.to_array = mine->array, own.to_at = at, own.from = memory, own.from_at = other;
    else
        own.from_array = mine->array, own.from_at = at, own.to = memory, own.to_at = other;
    return gpu_as_driver(gpu_copy_array_3d(&own, stream));
}

cuda_error gpu_copy_array_2d(const cuda_driver_copy_2d *c, cuda_stream_t stream)
{
    const cuda_copy_side *f = &c->from, *t = &c->to;
    const cuda_driver_copy_3d all = {{f->x, f->y, 0, 0, f->kind, f->host, f->device, f->array, NULL, f->pitch, 0},
                                     {t->x, t->y, 0, 0, t->kind, t->host, t->device, t->array, NULL, t->pitch, 0},
                                     c->width,
                                     c->height,
                                     1};
    return copy(&all, stream);
}

cuda_error cuMemcpy3DAsync_v2(const cuda_driver_copy_3d *c, cuda_stream_t stream)
{
    if (c->from.kind != KIND_ARRAY && c->to.kind != KIND_ARRAY)
        return gpu_missing("cuMemcpy3D without an array");
    return copy(c, stream);
}

cuda_error cuMemcpy3D_v2(const cuda_driver_copy_3d *c) { return cuMemcpy3DAsync_v2(c, NULL); }

/* ---- objects ---- */

cuda_error cuTexObjectCreate(uint64_t *object, const cuda_driver_resource *r, const cuda_driver_texture *t,
                             const void *view)
{
    gpu_world *w = gpu_enter();
    *object = view ? 0 : gpu_object_of_driver(w, 0, r, t, NULL);
    gpu_leave();
    return *object ? CUDA_OK : gpu_missing("a texture of this kind");
}

cuda_error cuSurfObjectCreate(uint64_t *object, const cuda_driver_resource *r)
{
    gpu_world *w = gpu_enter();
    *object = gpu_object_of_driver(w, 0, r, NULL, NULL);
    gpu_leave();
    return *object ? CUDA_OK : gpu_missing("a surface of this kind");
}

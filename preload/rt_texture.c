/* rt_texture.c - calls of the runtime about arrays, texture objects and surface objects.
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "textures.h"

/* ---- channels ---- */

typedef struct channel_format {
    int bits[4];
    int kind; /* 0: signed, 1: unsigned, 2: float */
} channel_format;

CUDA_EXPORT channel_format cudaCreateChannelDesc(int x, int y, int z, int w, int kind);
channel_format cudaCreateChannelDesc(int x, int y, int z, int w, int kind)
{
    return (channel_format){{x, y, z, w}, kind};
}

/* As the text of a texture names it; NULL: not known here. */
static const char *type_of(const channel_format *f, int *channels)
{
    static const char *const names[3][3] = {{"s8", "s16", "s32"}, {"u8", "u16", "u32"}, {NULL, "f16", "f32"}};
    const int size = f->bits[0] == 8 ? 0 : f->bits[0] == 16 ? 1 : f->bits[0] == 32 ? 2 : -1;
    for (*channels = 1; *channels < 4 && f->bits[*channels] > 0; ++*channels)
        if (f->bits[*channels] != f->bits[0])
            return NULL;
    return size >= 0 && f->kind >= 0 && f->kind <= 2 && *channels != 3 ? names[f->kind][size] : NULL;
}

/* ---- arrays ---- */

CUDA_CALL cudaMallocArray(cuda_array **array, const channel_format *format, size_t width, size_t height,
                          unsigned flags);
CUDA_CALL cudaMalloc3DArray(cuda_array **array, const channel_format *format, cuda_extent extent, unsigned flags);
CUDA_CALL cudaFreeArray(cuda_array *array);
CUDA_CALL cudaArrayGetInfo(channel_format *format, cuda_extent *extent, unsigned *flags, const cuda_array *array);

#define FLAG_CUBE 4

cuda_error cudaMalloc3DArray(cuda_array **array, const channel_format *format, cuda_extent e, unsigned flags)
{
    int channels;
    gpu_world *w = gpu_enter();
    const char *type = format ? type_of(format, &channels) : NULL;
    if (!type || flags & FLAG_CUBE) {
        gpu_leave();
        return gpu_missing(type ? "a cube map" : "an array of these channels");
    }
    *array = gpu_array_new(w, type, channels, e.width, e.height, e.depth, flags);
    return gpu_end(*array ? CUDA_OK : CUDA_OUT_OF_MEMORY);
}

cuda_error cudaMallocArray(cuda_array **array, const channel_format *format, size_t width, size_t height,
                           unsigned flags)
{
    return cudaMalloc3DArray(array, format, (cuda_extent){width, height, 0}, flags);
}

cuda_error cudaFreeArray(cuda_array *array)
{
    gpu_world *w = gpu_enter();
    gpu_array_free(w, array);
    return gpu_end(CUDA_OK);
}

cuda_error cudaArrayGetInfo(channel_format *format, cuda_extent *extent, unsigned *flags, const cuda_array *a)
{
    (void)gpu_enter();
    if (format) {
        const int bits = 8 * a->layout.texel_bytes / a->layout.channels;
        *format = (channel_format){.kind = a->type[0] == 's' ? 0 : a->type[0] == 'u' ? 1 : 2};
        for (int c = 0; c < a->layout.channels; c++)
            format->bits[c] = bits;
    }
    if (extent)
        *extent = (cuda_extent){a->width, a->height, a->depth};
    if (flags)
        *flags = a->flags;
    return gpu_end(CUDA_OK);
}

/* ---- copies ---- */

CUDA_CALL cudaMemcpy2DToArray(cuda_array *to, size_t x, size_t y, const void *from, size_t pitch, size_t width,
                              size_t height, int direction);
CUDA_CALL cudaMemcpy2DFromArray(void *to, size_t pitch, const cuda_array *from, size_t x, size_t y, size_t width,
                                size_t height, int direction);
CUDA_CALL cudaMemcpy2DToArrayAsync(cuda_array *to, size_t x, size_t y, const void *from, size_t pitch, size_t width,
                                   size_t height, int direction, cuda_stream_t stream);
CUDA_CALL cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, const cuda_array *from, size_t x, size_t y, size_t width,
                                     size_t height, int direction, cuda_stream_t stream);
CUDA_CALL cudaMemcpyToArray(cuda_array *to, size_t x, size_t y, const void *from, size_t bytes, int direction);

/* Reading an array, or writing to it, as one copy with the other memory. */
static cuda_error copy(const cuda_array *a, bool in, size_t x, size_t y, size_t z, void *other, size_t pitch,
                       size_t width, size_t height, cuda_stream_t stream)
{
    gpu_world *w = gpu_enter();
    if (gpu_captures(stream)) {
        gpu_leave();
        return gpu_missing("a copy with an array in a graph");
    }
    if (!a || pitch < width || !gpu_array_copy(a, in, x, y, z, other, pitch, width, height))
        return gpu_end(CUDA_INVALID_VALUE);
    const int64_t theirs = gpu_find(w, (uint64_t)(uintptr_t)other);
    const int64_t mine = gpu_find(w, (uint64_t)(uintptr_t)a->memory);
    const bool device = theirs >= 0 && w->about[theirs].kind != GPU_HOST;
    if (in && mine >= 0)
        w->about[mine].digested = false;
    if (!in && theirs >= 0)
        w->about[theirs].digested = false;
    gpu_record_copy(w, device ? "dtod" : in ? "htod" : "dtoh", width * height, stream);
    return gpu_end(CUDA_OK);
}

cuda_error cudaMemcpy2DToArrayAsync(cuda_array *to, size_t x, size_t y, const void *from, size_t pitch, size_t width,
                                    size_t height, int direction, cuda_stream_t stream)
{
    (void)direction;
    return copy(to, true, x, y, 0, (void *)(uintptr_t)from, pitch, width, height, stream);
}

cuda_error cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, const cuda_array *from, size_t x, size_t y, size_t width,
                                      size_t height, int direction, cuda_stream_t stream)
{
    (void)direction;
    return copy(from, false, x, y, 0, to, pitch, width, height, stream);
}

cuda_error cudaMemcpy2DToArray(cuda_array *to, size_t x, size_t y, const void *from, size_t pitch, size_t width,
                               size_t height, int direction)
{
    return cudaMemcpy2DToArrayAsync(to, x, y, from, pitch, width, height, direction, NULL);
}

cuda_error cudaMemcpy2DFromArray(void *to, size_t pitch, const cuda_array *from, size_t x, size_t y, size_t width,
                                 size_t height, int direction)
{
    return cudaMemcpy2DFromArrayAsync(to, pitch, from, x, y, width, height, direction, NULL);
}

/* Row after row, from x on in the first. */
cuda_error cudaMemcpyToArray(cuda_array *to, size_t x, size_t y, const void *from, size_t bytes, int direction)
{
    const size_t row = to ? (size_t)(to->layout.extent[0] * to->layout.texel_bytes) : 0;
    cuda_error error = to ? CUDA_OK : CUDA_INVALID_VALUE;
    for (size_t at = 0, run; at < bytes && error == CUDA_OK; at += run, x = 0, y++) {
        run = row - x < bytes - at ? row - x : bytes - at;
        error = cudaMemcpy2DToArray(to, x, y, (const uint8_t *)from + at, run, run, 1, direction);
    }
    return error;
}

/* Slice by slice; x of an array counts texels. */
cuda_error gpu_copy_array_3d(const cuda_copy_3d *c, cuda_stream_t stream)
{
    const bool in = c->to_array != NULL;
    const cuda_array *a = in ? c->to_array : c->from_array;
    const cuda_position at = in ? c->to_at : c->from_at, other = in ? c->from_at : c->to_at;
    const cuda_pitched *p = in ? &c->from : &c->to;
    const size_t texel = (size_t)a->layout.texel_bytes;
    cuda_error error = CUDA_OK;
    if (c->to_array && c->from_array)
        return gpu_missing("cudaMemcpy3D from an array to another");
    for (size_t z = 0; z < c->extent.depth && error == CUDA_OK; z++)
        error = copy(a, in, at.x * texel, at.y, at.z + z,
                     (uint8_t *)p->pointer + other.x + p->pitch * (other.y + p->height * (other.z + z)), p->pitch,
                     c->extent.width * texel, c->extent.height, stream);
    return error;
}

/* ---- objects ---- */

enum { RESOURCE_ARRAY, RESOURCE_MIPMAP, RESOURCE_LINEAR, RESOURCE_PITCHED };
typedef struct resource {
    int kind;
    union {
        cuda_array *array;
        struct {
            void *pointer;
            channel_format format;
            size_t bytes;
        } linear;
        struct {
            void *pointer;
            channel_format format;
            size_t width, height, pitch;
        } pitched;
        int reserved[32];
    } of;
    unsigned flags;
} resource;
typedef struct texture_format {
    int modes[3], filter, read, srgb; /* filter 1: linear; read 1: as floats */
    float border[4];
    int normalized;
} texture_format;

CUDA_CALL cudaCreateTextureObject(uint64_t *object, const resource *r, const texture_format *t, const void *view);
CUDA_CALL cudaDestroyTextureObject(uint64_t object);
CUDA_CALL cudaCreateSurfaceObject(uint64_t *object, const resource *r);
CUDA_CALL cudaDestroySurfaceObject(uint64_t object);

static uint64_t make(gpu_world *w, const resource *r, const gpu_sampler *s)
{
    int channels;
    const bool pitched = r->kind == RESOURCE_PITCHED;
    if (r->kind == RESOURCE_ARRAY)
        return gpu_object_of_array(w, 0, r->of.array, s);
    const channel_format *f = pitched ? &r->of.pitched.format : &r->of.linear.format;
    const char *type = type_of(f, &channels);
    if (!s || !type || (!pitched && r->kind != RESOURCE_LINEAR))
        return 0;
    return pitched ? gpu_object_of_memory(w, 0, (uint64_t)(uintptr_t)r->of.pitched.pointer, type, channels,
                                          r->of.pitched.width, r->of.pitched.height, r->of.pitched.pitch, s)
                   : gpu_object_of_memory(w, 0, (uint64_t)(uintptr_t)r->of.linear.pointer, type, channels,
                                          r->of.linear.bytes / ((size_t)f->bits[0] / 8 * (size_t)channels), 0, 0, s);
}

cuda_error cudaCreateTextureObject(uint64_t *object, const resource *r, const texture_format *t, const void *view)
{
    gpu_world *w = gpu_enter();
    const gpu_sampler s = {t->modes[0], t->filter == 1, t->normalized != 0};
    *object = view ? 0 : make(w, r, &s);
    gpu_leave();
    return *object ? CUDA_OK : gpu_missing("a texture of this kind");
}

cuda_error cudaCreateSurfaceObject(uint64_t *object, const resource *r)
{
    gpu_world *w = gpu_enter();
    *object = make(w, r, NULL);
    gpu_leave();
    return *object ? CUDA_OK : gpu_missing("a surface of this kind");
}

cuda_error cudaDestroyTextureObject(uint64_t object)
{
    gpu_world *w = gpu_enter();
    gpu_object_free(w, object);
    return gpu_end(CUDA_OK);
}

cuda_error cudaDestroySurfaceObject(uint64_t object) { return cudaDestroyTextureObject(object); }

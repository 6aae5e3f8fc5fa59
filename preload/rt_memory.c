/* rt_memory.c - calls of the runtime that allocate, copy and fill memory.
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "world.h"

/* ---- allocation ---- */

CUDA_CALL cudaMalloc(void **pointer, size_t bytes);
CUDA_CALL cudaMallocManaged(void **pointer, size_t bytes, unsigned flags);
CUDA_CALL cudaMallocHost(void **pointer, size_t bytes);
CUDA_CALL cudaHostAlloc(void **pointer, size_t bytes, unsigned flags);
CUDA_CALL cudaMallocAsync(void **pointer, size_t bytes, cuda_stream_t stream);
CUDA_CALL cudaMallocFromPoolAsync(void **pointer, size_t bytes, void *pool, cuda_stream_t stream);
CUDA_CALL cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height);
CUDA_CALL cudaMalloc3D(cuda_pitched *out, cuda_extent extent);
CUDA_CALL cudaFree(void *pointer);
CUDA_CALL cudaFreeHost(void *pointer);
CUDA_CALL cudaFreeAsync(void *pointer, cuda_stream_t stream);
CUDA_CALL cudaHostRegister(void *pointer, size_t bytes, unsigned flags);
CUDA_CALL cudaHostUnregister(void *pointer);
CUDA_CALL cudaHostGetDevicePointer(void **device, void *host, unsigned flags);
CUDA_CALL cudaHostGetFlags(unsigned *flags, void *host);
CUDA_CALL cudaPointerGetAttributes(cuda_pointer_attributes *out, const void *pointer);
CUDA_CALL cudaMemGetInfo(size_t *free, size_t *total);

static cuda_error allocate(void **pointer, size_t bytes, gpu_kind kind)
{
    gpu_world *w = gpu_enter();
    if (!pointer)
        return gpu_end(CUDA_INVALID_VALUE);
    *pointer = NULL;
    if (bytes == 0)
        return gpu_end(CUDA_OK);
    *pointer = gpu_allocate(w, bytes, kind);
    return gpu_end(*pointer ? CUDA_OK : CUDA_OUT_OF_MEMORY);
}

cuda_error cudaMalloc(void **pointer, size_t bytes) { return allocate(pointer, bytes, GPU_DEVICE); }
cuda_error cudaMallocHost(void **pointer, size_t bytes) { return allocate(pointer, bytes, GPU_HOST); }

cuda_error cudaMallocManaged(void **pointer, size_t bytes, unsigned flags)
{
    (void)flags;
    return allocate(pointer, bytes, GPU_MANAGED);
}

cuda_error cudaHostAlloc(void **pointer, size_t bytes, unsigned flags)
{
    (void)flags;
    return allocate(pointer, bytes, GPU_HOST);
}

cuda_error cudaMallocAsync(void **pointer, size_t bytes, cuda_stream_t stream)
{
    (void)stream;
    return allocate(pointer, bytes, GPU_DEVICE);
}

cuda_error cudaMallocFromPoolAsync(void **pointer, size_t bytes, void *pool, cuda_stream_t stream)
{
    (void)pool, (void)stream;
    return allocate(pointer, bytes, GPU_DEVICE);
}

#define PITCH ((size_t)512) /* rows begin at multiples of it, as the driver lays them out */

static size_t pitch_of(size_t width) { return (width + PITCH - 1) / PITCH * PITCH; }

cuda_error cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height)
{
    *pitch = pitch_of(width);
    return allocate(pointer, *pitch * height, GPU_DEVICE);
}

cuda_error cudaMalloc3D(cuda_pitched *out, cuda_extent extent)
{
    *out = (cuda_pitched){NULL, pitch_of(extent.width), extent.width, extent.height};
    return allocate(&out->pointer, out->pitch * extent.height * (extent.depth ? extent.depth : 1), GPU_DEVICE);
}

cuda_error cudaFree(void *pointer)
{
    gpu_world *w = gpu_enter();
    return gpu_end(gpu_release(w, pointer));
}

cuda_error cudaFreeHost(void *pointer) { return cudaFree(pointer); }

cuda_error cudaFreeAsync(void *pointer, cuda_stream_t stream)
{
    (void)stream;
    return cudaFree(pointer);
}

cuda_error cudaHostRegister(void *pointer, size_t bytes, unsigned flags)
{
    (void)flags;
    gpu_world *w = gpu_enter();
    return gpu_end(gpu_register(w, pointer, bytes));
}

cuda_error cudaHostUnregister(void *pointer) { return cudaFree(pointer); }

cuda_error cudaHostGetDevicePointer(void **device, void *host, unsigned flags)
{
    (void)flags;
    *device = host; /* one address space */
    return CUDA_OK;
}

cuda_error cudaHostGetFlags(unsigned *flags, void *host)
{
    (void)host;
    *flags = 0;
    return CUDA_OK;
}

cuda_error cudaPointerGetAttributes(cuda_pointer_attributes *out, const void *pointer)
{
    static const int types[] = {[GPU_DEVICE] = 2, [GPU_HOST] = 1, [GPU_MANAGED] = 3, [GPU_VARIABLE] = 2};
    gpu_world *w = gpu_enter();
    const int64_t found = gpu_find(w, (uint64_t)(uintptr_t)pointer);
    *out = (cuda_pointer_attributes){.type = found < 0 ? 0 : types[w->about[found].kind], .device = found < 0 ? -2 : 0};
    if (found >= 0) {
        out->device_pointer = (void *)(uintptr_t)pointer;
        out->host_pointer = out->type != 2 ? (void *)(uintptr_t)pointer : NULL;
    }
    return gpu_end(CUDA_OK);
}

cuda_error cudaMemGetInfo(size_t *free, size_t *total)
{
    const gpu_world *w = gpu_enter();
    *total = GPU_MEMORY_BYTES;
    *free = GPU_MEMORY_BYTES - (size_t)w->allocated;
    return gpu_end(CUDA_OK);
}

/* ---- copies ---- */

static bool is_device(const gpu_world *w, const void *pointer)
{
    const int64_t found = gpu_find(w, (uint64_t)(uintptr_t)pointer);
    return found >= 0 && w->about[found].kind != GPU_HOST;
}

#define NO_POINTER 4096 /* addresses below are null pointers, and members of what they point to */

/* From and to the right kind of memory, and inside of it? */
static bool is_inside(const gpu_world *w, const void *pointer, size_t bytes, bool device)
{
    const int64_t found = gpu_find(w, (uint64_t)(uintptr_t)pointer);
    if (found < 0) /* memory of the program */
        return !device && (uint64_t)(uintptr_t)pointer >= NO_POINTER;
    const wl_ptx_memory *m = &w->memory[found];
    return (uint64_t)(uintptr_t)pointer + bytes <= m->address + (uint64_t)m->bytes;
}

cuda_error gpu_do_copy(gpu_world *w, const gpu_copy *c, cuda_stream_t stream)
{
    static const char *const names[] = {"htoh", "htod", "dtoh", "dtod"};
    if (c->width == 0 || c->height == 0)
        return CUDA_OK;
    if (c->direction < CUDA_HOST_TO_HOST || c->direction > CUDA_DEFAULT_DIRECTION)
        return CUDA_INVALID_DIRECTION;
    const size_t from_bytes = c->from_pitch * (c->height - 1) + c->width;
    const size_t to_bytes = c->to_pitch * (c->height - 1) + c->width;
    const bool from_device =
        c->direction == CUDA_DEFAULT_DIRECTION ? is_device(w, c->from) : c->direction & CUDA_DEVICE_TO_HOST;
    const bool to_device =
        c->direction == CUDA_DEFAULT_DIRECTION ? is_device(w, c->to) : c->direction & CUDA_HOST_TO_DEVICE;
    if (!is_inside(w, c->from, from_bytes, from_device) || !is_inside(w, c->to, to_bytes, to_device))
        return CUDA_INVALID_VALUE;
    gpu_record_copy(w, names[from_device << 1 | to_device], c->width * c->height, stream);
    const int64_t from = gpu_find(w, (uint64_t)(uintptr_t)c->from), to = gpu_find(w, (uint64_t)(uintptr_t)c->to);
    if (from >= 0 && w->about[from].unknown && to < 0)
        gpu_say("the program reads results of kernels that were not carried out");
    if (to >= 0) {
        w->about[to].unknown = from >= 0 && w->about[from].unknown;
        w->about[to].digested = false;
    }
    for (size_t row = 0; row < c->height; row++)
        memmove((uint8_t *)c->to + row * c->to_pitch, (const uint8_t *)c->from + row * c->from_pitch, c->width);
    return CUDA_OK;
}

static cuda_error copy(gpu_copy c, cuda_stream_t stream, bool waits)
{
    gpu_world *w = gpu_enter();
    cuda_graph_t graph = waits ? NULL : gpu_captures(stream);
    if (graph)
        return gpu_end(gpu_graph_add_copy(graph, &c));
    const cuda_error error = gpu_do_copy(w, &c, stream);
    if (waits && c.direction != CUDA_DEVICE_TO_DEVICE)
        gpu_record_wait(w, true, NULL, -1);
    return gpu_end(error);
}

static gpu_copy row(void *to, const void *from, size_t bytes, int direction)
{
    return (gpu_copy){to, from, bytes, bytes, bytes, 1, direction};
}

CUDA_CALL cudaMemcpy(void *to, const void *from, size_t bytes, int direction);
CUDA_CALL cudaMemcpyAsync(void *to, const void *from, size_t bytes, int direction, cuda_stream_t stream);
CUDA_CALL cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t bytes);
CUDA_CALL cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t bytes,
                              cuda_stream_t stream);
CUDA_CALL cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                       int direction);
CUDA_CALL cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                            int direction, cuda_stream_t stream);
CUDA_CALL cudaMemcpy3D(const cuda_copy_3d *c);
CUDA_CALL cudaMemcpy3DAsync(const cuda_copy_3d *c, cuda_stream_t stream);
CUDA_CALL cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset, int direction);
CUDA_CALL cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset, int direction);
CUDA_CALL cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t bytes, size_t offset, int direction,
                                  cuda_stream_t stream);
CUDA_CALL cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t bytes, size_t offset, int direction,
                                    cuda_stream_t stream);
CUDA_CALL cudaGetSymbolAddress(void **address, const void *symbol);
CUDA_CALL cudaGetSymbolSize(size_t *bytes, const void *symbol);

cuda_error cudaMemcpy(void *to, const void *from, size_t bytes, int direction)
{
    return copy(row(to, from, bytes, direction), NULL, true);
}

cuda_error cudaMemcpyAsync(void *to, const void *from, size_t bytes, int direction, cuda_stream_t stream)
{
    return copy(row(to, from, bytes, direction), stream, false);
}

cuda_error cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t bytes)
{
    (void)to_device, (void)from_device;
    return copy(row(to, from, bytes, CUDA_DEVICE_TO_DEVICE), NULL, true);
}

cuda_error cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t bytes,
                               cuda_stream_t stream)
{
    (void)to_device, (void)from_device;
    return copy(row(to, from, bytes, CUDA_DEVICE_TO_DEVICE), stream, false);
}

static cuda_error copy_rows(gpu_copy c, cuda_stream_t stream, bool waits)
{
    if (c.to_pitch < c.width || c.from_pitch < c.width) {
        (void)gpu_enter();
        return gpu_end(CUDA_INVALID_PITCH);
    }
    return copy(c, stream, waits);
}

cuda_error cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                        int direction)
{
    return copy_rows((gpu_copy){to, from, to_pitch, from_pitch, width, height, direction}, NULL, true);
}

cuda_error cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                             size_t height, int direction, cuda_stream_t stream)
{
    return copy_rows((gpu_copy){to, from, to_pitch, from_pitch, width, height, direction}, stream, false);
}

/* Slice by slice. */
static cuda_error copy_3d(const cuda_copy_3d *c, cuda_stream_t stream, bool waits)
{
    if (c->from_array || c->to_array)
        return gpu_copy_array_3d(c, stream);
    for (size_t z = 0; z < c->extent.depth; z++) {
        uint8_t *to =
            (uint8_t *)c->to.pointer + c->to_at.x + c->to.pitch * (c->to_at.y + c->to.height * (c->to_at.z + z));
        const uint8_t *from = (const uint8_t *)c->from.pointer + c->from_at.x +
                              c->from.pitch * (c->from_at.y + c->from.height * (c->from_at.z + z));
        const gpu_copy slice = {to, from, c->to.pitch, c->from.pitch, c->extent.width, c->extent.height, c->direction};
        const cuda_error error = copy_rows(slice, stream, waits);
        if (error != CUDA_OK)
            return error;
    }
    return CUDA_OK;
}

cuda_error cudaMemcpy3D(const cuda_copy_3d *c) { return copy_3d(c, NULL, true); }
cuda_error cudaMemcpy3DAsync(const cuda_copy_3d *c, cuda_stream_t stream) { return copy_3d(c, stream, false); }

static uint8_t *symbol_at(const void *symbol, size_t offset, size_t bytes)
{
    gpu_world *w = gpu_enter();
    const gpu_variable *v = gpu_variable_of(w, symbol);
    uint8_t *at =
        v && offset <= v->bytes && bytes <= v->bytes - offset ? (uint8_t *)(uintptr_t)v->address + offset : NULL;
    (void)gpu_end(at ? CUDA_OK : v ? CUDA_INVALID_VALUE : CUDA_INVALID_SYMBOL);
    return at;
}

static cuda_error to_symbol(const void *symbol, const void *from, size_t bytes, size_t offset, int direction,
                            cuda_stream_t stream, bool waits)
{
    uint8_t *to = symbol_at(symbol, offset, bytes);
    return to ? copy(row(to, from, bytes, direction), stream, waits) : gpu_last_error(false);
}

static cuda_error from_symbol(void *to, const void *symbol, size_t bytes, size_t offset, int direction,
                              cuda_stream_t stream, bool waits)
{
    const uint8_t *from = symbol_at(symbol, offset, bytes);
    return from ? copy(row(to, from, bytes, direction), stream, waits) : gpu_last_error(false);
}

cuda_error cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset, int direction)
{
    return to_symbol(symbol, from, bytes, offset, direction, NULL, true);
}

cuda_error cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset, int direction)
{
    return from_symbol(to, symbol, bytes, offset, direction, NULL, true);
}

cuda_error cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t bytes, size_t offset, int direction,
                                   cuda_stream_t stream)
{
    return to_symbol(symbol, from, bytes, offset, direction, stream, false);
}

cuda_error cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t bytes, size_t offset, int direction,
                                     cuda_stream_t stream)
{
    return from_symbol(to, symbol, bytes, offset, direction, stream, false);
}

cuda_error cudaGetSymbolAddress(void **address, const void *symbol)
{
    *address = symbol_at(symbol, 0, 0);
    return *address ? CUDA_OK : gpu_last_error(false);
}

cuda_error cudaGetSymbolSize(size_t *bytes, const void *symbol)
{
    gpu_world *w = gpu_enter();
    const gpu_variable *v = gpu_variable_of(w, symbol);
    if (v)
        *bytes = v->bytes;
    return gpu_end(v ? CUDA_OK : CUDA_INVALID_SYMBOL);
}

/* ---- fills ---- */

cuda_error gpu_do_fill(gpu_world *w, const gpu_fill *f, cuda_stream_t stream)
{
    if (f->width == 0 || f->height == 0)
        return CUDA_OK;
    if (!is_inside(w, f->to, f->pitch * (f->height - 1) + f->width, true))
        return CUDA_INVALID_VALUE;
    gpu_record_memset(w, f->width * f->height, stream);
    const int64_t to = gpu_find(w, (uint64_t)(uintptr_t)f->to);
    if (to >= 0)
        w->about[to].digested = false;
    if (to >= 0 && f->height == 1 && (int64_t)f->width == w->memory[to].bytes)
        w->about[to].unknown = false;
    for (size_t row = 0; row < f->height; row++) {
        uint8_t *at = (uint8_t *)f->to + row * f->pitch;
        if (f->element == 1)
            memset(at, f->value, f->width);
        else
            for (size_t x = 0; x + (size_t)f->element <= f->width; x += (size_t)f->element)
                memcpy(at + x, &f->value, (size_t)f->element);
    }
    return CUDA_OK;
}

static cuda_error fill(gpu_fill f, cuda_stream_t stream, bool waits)
{
    gpu_world *w = gpu_enter();
    cuda_graph_t graph = waits ? NULL : gpu_captures(stream);
    return gpu_end(graph ? gpu_graph_add_fill(graph, &f) : gpu_do_fill(w, &f, stream));
}

CUDA_CALL cudaMemset(void *to, int value, size_t bytes);
CUDA_CALL cudaMemsetAsync(void *to, int value, size_t bytes, cuda_stream_t stream);
CUDA_CALL cudaMemset2D(void *to, size_t pitch, int value, size_t width, size_t height);
CUDA_CALL cudaMemset2DAsync(void *to, size_t pitch, int value, size_t width, size_t height, cuda_stream_t stream);
CUDA_CALL cudaMemset3D(cuda_pitched to, int value, cuda_extent extent);

cuda_error cudaMemset(void *to, int value, size_t bytes)
{
    return fill((gpu_fill){to, bytes, bytes, 1, value, 1}, NULL, true);
}

cuda_error cudaMemsetAsync(void *to, int value, size_t bytes, cuda_stream_t stream)
{
    return fill((gpu_fill){to, bytes, bytes, 1, value, 1}, stream, false);
}

cuda_error cudaMemset2D(void *to, size_t pitch, int value, size_t width, size_t height)
{
    return fill((gpu_fill){to, pitch, width, height, value, 1}, NULL, true);
}

cuda_error cudaMemset2DAsync(void *to, size_t pitch, int value, size_t width, size_t height, cuda_stream_t stream)
{
    return fill((gpu_fill){to, pitch, width, height, value, 1}, stream, false);
}

cuda_error cudaMemset3D(cuda_pitched to, int value, cuda_extent extent)
{
    cuda_error error = CUDA_OK;
    for (size_t z = 0; z < extent.depth && error == CUDA_OK; z++)
        error = fill((gpu_fill){(uint8_t *)to.pointer + z * to.pitch * to.height, to.pitch, extent.width, extent.height,
                                value, 1},
                     NULL, true);
    return error;
}

/* ---- hints, pools: accepted, without an effect ---- */

CUDA_CALL cudaMemPrefetchAsync(const void *pointer, size_t bytes);
CUDA_CALL cudaMemAdvise(const void *pointer, size_t bytes);
CUDA_CALL cudaDeviceGetDefaultMemPool(void **pool, int device);
CUDA_CALL cudaDeviceGetMemPool(void **pool, int device);
CUDA_CALL cudaDeviceSetMemPool(int device, void *pool);
CUDA_CALL cudaMemPoolCreate(void **pool, const void *properties);
CUDA_CALL cudaMemPoolDestroy(void *pool);
CUDA_CALL cudaMemPoolSetAttribute(void *pool, int attribute, void *value);
CUDA_CALL cudaMemPoolTrimTo(void *pool, size_t bytes);

static char default_pool;

/* Fewer parameters than the call has: the rest differs from version to version. */
cuda_error cudaMemPrefetchAsync(const void *pointer, size_t bytes)
{
    (void)pointer, (void)bytes;
    return CUDA_OK;
}

cuda_error cudaMemAdvise(const void *pointer, size_t bytes)
{
    (void)pointer, (void)bytes;
    return CUDA_OK;
}

cuda_error cudaDeviceGetDefaultMemPool(void **pool, int device)
{
    (void)device;
    *pool = &default_pool;
    return CUDA_OK;
}

cuda_error cudaDeviceGetMemPool(void **pool, int device) { return cudaDeviceGetDefaultMemPool(pool, device); }

cuda_error cudaDeviceSetMemPool(int device, void *pool)
{
    (void)device, (void)pool;
    return CUDA_OK;
}

cuda_error cudaMemPoolCreate(void **pool, const void *properties)
{
    (void)properties;
    *pool = &default_pool;
    return CUDA_OK;
}

cuda_error cudaMemPoolDestroy(void *pool)
{
    (void)pool;
    return CUDA_OK;
}

cuda_error cudaMemPoolSetAttribute(void *pool, int attribute, void *value)
{
    (void)pool, (void)attribute, (void)value;
    return CUDA_OK;
}

cuda_error cudaMemPoolTrimTo(void *pool, size_t bytes)
{
    (void)pool, (void)bytes;
    return CUDA_OK;
}

/* cu_memory.c - the driver's calls that allocate, copy and fill memory.
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "driver.h"

/* ---- allocation ---- */

typedef uint64_t device_pointer;

CUDA_CALL cuMemGetAddressRange_v2(device_pointer *base, size_t *bytes, device_pointer address);
CUDA_CALL cuMemAllocPitch_v2(void **pointer, size_t *pitch, size_t width, size_t height, unsigned element);
CUDA_CALL cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height);
CUDA_CALL cuPointerGetAttribute(void *value, int attribute, const void *pointer);
CUDA_CALL cudaPointerGetAttributes(cuda_pointer_attributes *out, const void *pointer);

SAME(cuMemAlloc_v2, cudaMalloc, (void **pointer, size_t bytes), (pointer, bytes))
SAME(cuMemAllocManaged, cudaMallocManaged, (void **pointer, size_t bytes, unsigned flags), (pointer, bytes, flags))
SAME(cuMemAllocHost_v2, cudaMallocHost, (void **pointer, size_t bytes), (pointer, bytes))
SAME(cuMemHostAlloc, cudaHostAlloc, (void **pointer, size_t bytes, unsigned flags), (pointer, bytes, flags))
SAME(cuMemAllocAsync, cudaMallocAsync, (void **pointer, size_t bytes, cuda_stream_t stream), (pointer, bytes, stream))
SAME(cuMemAllocFromPoolAsync, cudaMallocFromPoolAsync, (void **pointer, size_t bytes, void *pool, cuda_stream_t stream),
     (pointer, bytes, pool, stream))
SAME(cuMemFree_v2, cudaFree, (void *pointer), (pointer))
SAME(cuMemFreeHost, cudaFreeHost, (void *pointer), (pointer))
SAME(cuMemFreeAsync, cudaFreeAsync, (void *pointer, cuda_stream_t stream), (pointer, stream))
SAME(cuMemHostRegister_v2, cudaHostRegister, (void *pointer, size_t bytes, unsigned flags), (pointer, bytes, flags))
SAME(cuMemHostUnregister, cudaHostUnregister, (void *pointer), (pointer))
SAME(cuMemHostGetDevicePointer_v2, cudaHostGetDevicePointer, (void **device, void *host, unsigned flags),
     (device, host, flags))
SAME(cuMemHostGetFlags, cudaHostGetFlags, (unsigned *flags, void *host), (flags, host))
SAME(cuMemGetInfo_v2, cudaMemGetInfo, (size_t * free, size_t *total), (free, total))
SAME(cuMemPoolCreate, cudaMemPoolCreate, (void **pool, const void *properties), (pool, properties))
SAME(cuMemPoolTrimTo, cudaMemPoolTrimTo, (void *pool, size_t bytes), (pool, bytes))
ACCEPTED(cuMemPoolDestroy)
ACCEPTED(cuMemPoolSetAttribute)
ACCEPTED(cuMemPrefetchAsync)
ACCEPTED(cuMemPrefetchAsync_v2)
ACCEPTED(cuMemAdvise)
ACCEPTED(cuMemAdvise_v2)

cuda_error cuMemGetAddressRange_v2(device_pointer *base, size_t *bytes, device_pointer address)
{
    const gpu_world *w = gpu_enter();
    const int64_t found = gpu_find(w, address);
    if (found >= 0 && base)
        *base = w->memory[found].address;
    if (found >= 0 && bytes)
        *bytes = (size_t)w->memory[found].bytes;
    gpu_leave();
    return found >= 0 ? CUDA_OK : CUDA_NOT_FOUND;
}

cuda_error cuMemAllocPitch_v2(void **pointer, size_t *pitch, size_t width, size_t height, unsigned element)
{
    (void)element;
    return cudaMallocPitch(pointer, pitch, width, height);
}

enum { POINTER_CONTEXT = 1, POINTER_KIND, POINTER_DEVICE, POINTER_HOST, POINTER_MANAGED = 8, POINTER_ORDINAL };

cuda_error cuPointerGetAttribute(void *value, int attribute, const void *pointer)
{
    cuda_pointer_attributes a;
    (void)cudaPointerGetAttributes(&a, pointer);
    const unsigned kind = a.type == 1 ? 1 : 2; /* host, device */
    const int device = a.device;
    if (a.type == 0)
        return CUDA_INVALID_VALUE;
    switch (attribute) {
    case POINTER_KIND: memcpy(value, &kind, sizeof kind); return CUDA_OK;
    case POINTER_DEVICE: memcpy(value, &a.device_pointer, sizeof a.device_pointer); return CUDA_OK;
    case POINTER_HOST: memcpy(value, &a.host_pointer, sizeof a.host_pointer); return CUDA_OK;
    case POINTER_MANAGED: *(unsigned char *)value = a.type == 3; return CUDA_OK;
    case POINTER_ORDINAL: memcpy(value, &device, sizeof device); return CUDA_OK;
    default: return CUDA_NOT_SUPPORTED;
    }
}

/* ---- copies ---- */

CUDA_CALL cudaMemcpy(void *to, const void *from, size_t bytes, int direction);
CUDA_CALL cudaMemcpyAsync(void *to, const void *from, size_t bytes, int direction, cuda_stream_t stream);
CUDA_CALL cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                       int direction);
CUDA_CALL cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                            int direction, cuda_stream_t stream);

#define COPY(name, direction)                                                                                          \
    CUDA_CALL name(void *to, const void *from, size_t bytes);                                                          \
    cuda_error name(void *to, const void *from, size_t bytes)                                                          \
    {                                                                                                                  \
        return gpu_as_driver(cudaMemcpy(to, from, bytes, direction));                                                  \
    }
#define COPY_ASYNC(name, direction)                                                                                    \
    CUDA_CALL name(void *to, const void *from, size_t bytes, cuda_stream_t stream);                                    \
    cuda_error name(void *to, const void *from, size_t bytes, cuda_stream_t stream)                                    \
    {                                                                                                                  \
        return gpu_as_driver(cudaMemcpyAsync(to, from, bytes, direction, stream));                                     \
    }
COPY(cuMemcpy, CUDA_DEFAULT_DIRECTION)
COPY(cuMemcpyHtoD_v2, CUDA_HOST_TO_DEVICE)
COPY(cuMemcpyDtoH_v2, CUDA_DEVICE_TO_HOST)
COPY(cuMemcpyDtoD_v2, CUDA_DEVICE_TO_DEVICE)
COPY_ASYNC(cuMemcpyAsync, CUDA_DEFAULT_DIRECTION)
COPY_ASYNC(cuMemcpyHtoDAsync_v2, CUDA_HOST_TO_DEVICE)
COPY_ASYNC(cuMemcpyDtoHAsync_v2, CUDA_DEVICE_TO_HOST)
COPY_ASYNC(cuMemcpyDtoDAsync_v2, CUDA_DEVICE_TO_DEVICE)

CUDA_CALL cuMemcpy2D_v2(const cuda_driver_copy_2d *c);
CUDA_CALL cuMemcpy2DUnaligned_v2(const cuda_driver_copy_2d *c);
CUDA_CALL cuMemcpy2DAsync_v2(const cuda_driver_copy_2d *c, cuda_stream_t stream);

enum { KIND_HOST = 1, KIND_DEVICE, KIND_ARRAY, KIND_UNIFIED };

static uint8_t *start_of(const cuda_copy_side *side)
{
    uint8_t *base = side->kind == KIND_HOST ? side->host : (void *)(uintptr_t)side->device;
    return base + side->y * side->pitch + side->x;
}

static size_t pitch_of(const cuda_copy_side *side, size_t width) { return side->pitch ? side->pitch : width; }

static int direction_of(const cuda_driver_copy_2d *c)
{
    if (c->from.kind == KIND_UNIFIED || c->to.kind == KIND_UNIFIED)
        return CUDA_DEFAULT_DIRECTION;
    return c->from.kind == KIND_HOST ? c->to.kind == KIND_HOST ? CUDA_HOST_TO_HOST : CUDA_HOST_TO_DEVICE
           : c->to.kind == KIND_HOST ? CUDA_DEVICE_TO_HOST
                                     : CUDA_DEVICE_TO_DEVICE;
}

static cuda_error copy_2d(const cuda_driver_copy_2d *c, cuda_stream_t stream, bool waits)
{
    if (c->from.kind == KIND_ARRAY || c->to.kind == KIND_ARRAY)
        return gpu_copy_array_2d(c, stream);
    uint8_t *to = start_of(&c->to), *from = start_of(&c->from);
    const size_t to_pitch = pitch_of(&c->to, c->width), from_pitch = pitch_of(&c->from, c->width);
    return gpu_as_driver(
        waits ? cudaMemcpy2D(to, to_pitch, from, from_pitch, c->width, c->height, direction_of(c))
              : cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, c->width, c->height, direction_of(c), stream));
}

cuda_error cuMemcpy2D_v2(const cuda_driver_copy_2d *c) { return copy_2d(c, NULL, true); }
cuda_error cuMemcpy2DUnaligned_v2(const cuda_driver_copy_2d *c) { return copy_2d(c, NULL, true); }
cuda_error cuMemcpy2DAsync_v2(const cuda_driver_copy_2d *c, cuda_stream_t stream) { return copy_2d(c, stream, false); }

/* ---- fills ---- */

static cuda_error fill(device_pointer to, unsigned value, size_t element, size_t count, cuda_stream_t stream,
                       bool waits)
{
    gpu_world *w = gpu_enter();
    cuda_graph_t graph = waits ? NULL : gpu_captures(stream);
    const size_t bytes = element * count;
    const gpu_fill f = {(void *)(uintptr_t)to, bytes, bytes, 1, (int)value, (int)element};
    const cuda_error error = graph ? gpu_graph_add_fill(graph, &f) : gpu_do_fill(w, &f, stream);
    gpu_leave();
    return gpu_as_driver(error);
}

#define FILL(name, type)                                                                                               \
    CUDA_CALL name##_v2(device_pointer to, type value, size_t count);                                                  \
    CUDA_CALL name##Async(device_pointer to, type value, size_t count, cuda_stream_t stream);                          \
    cuda_error name##_v2(device_pointer to, type value, size_t count)                                                  \
    {                                                                                                                  \
        return fill(to, value, sizeof(type), count, NULL, true);                                                       \
    }                                                                                                                  \
    cuda_error name##Async(device_pointer to, type value, size_t count, cuda_stream_t stream)                          \
    {                                                                                                                  \
        return fill(to, value, sizeof(type), count, stream, false);                                                    \
    }
FILL(cuMemsetD8, unsigned char)
FILL(cuMemsetD16, unsigned short)
FILL(cuMemsetD32, unsigned)

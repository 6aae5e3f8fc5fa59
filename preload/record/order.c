/* order.c - the driver's calls that copy and fill memory, and those that order work: events, waits.
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/room.h"
#include "record.h"

/* ---- copies and fills ---- */

static void keep_copy(const char *direction, size_t bytes, void *stream, bool waits)
{
    gpu_world *w = gpu_enter();
    gpu_record_copy(w, direction, bytes, (cuda_stream_t)stream);
    if (waits && strcmp(direction, "dtod") != 0)
        gpu_record_wait(w, true, NULL, -1);
    gpu_leave();
}

static void keep_fill(size_t bytes, void *stream)
{
    gpu_world *w = gpu_enter();
    gpu_record_memset(w, bytes, (cuda_stream_t)stream);
    gpu_leave();
}

#define KIND_OF_MEMORY 2 /* an attribute of a pointer: 1 host, 2 device */

static bool is_device(uint64_t address)
{
    unsigned kind = 0;
    REAL("cuPointerGetAttribute", (void *, int, device_pointer), false);
    return real(&kind, KIND_OF_MEMORY, address) == CUDA_OK && kind == 2;
}

/* Of copies that leave it to the addresses. */
static const char *direction_of(uint64_t to, uint64_t from)
{
    static const char *const names[] = {"htoh", "htod", "dtoh", "dtod"};
    return names[is_device(from) << 1 | is_device(to)];
}

/* Work of a stream that is captured is done, and recorded, when its graph is launched. */
static bool is_captured(void *stream)
{
    int status = 0;
    REAL("cuStreamIsCapturing", (void *, int *), false);
    return stream && real(stream, &status) == CUDA_OK && status != 0;
}

#define COPY(name, direction, to_type, from_type)                                                                      \
    CUDA_CALL name(to_type to, from_type from, size_t bytes);                                                          \
    cuda_error name(to_type to, from_type from, size_t bytes)                                                          \
    {                                                                                                                  \
        DRIVER(#name, (to_type, from_type, size_t));                                                                   \
        const cuda_error error = real(to, from, bytes);                                                                \
        if (error == CUDA_OK)                                                                                          \
            keep_copy(direction, bytes, NULL, true);                                                                   \
        return error;                                                                                                  \
    }
#define COPY_ASYNC(name, direction, to_type, from_type)                                                                \
    CUDA_CALL name(to_type to, from_type from, size_t bytes, void *stream);                                            \
    cuda_error name(to_type to, from_type from, size_t bytes, void *stream)                                            \
    {                                                                                                                  \
        DRIVER(#name, (to_type, from_type, size_t, void *));                                                           \
        const cuda_error error = real(to, from, bytes, stream);                                                        \
        if (error == CUDA_OK && !is_captured(stream))                                                                  \
            keep_copy(direction, bytes, stream, false);                                                                \
        return error;                                                                                                  \
    }
#define BOTH(kind, name, suffix, direction, to_type, from_type)                                                        \
    kind(name, direction, to_type, from_type) kind(name##suffix, direction, to_type, from_type)
BOTH(COPY, cuMemcpy, _ptds, direction_of(to, from), device_pointer, device_pointer)
BOTH(COPY, cuMemcpyHtoD_v2, _ptds, "htod", device_pointer, const void *)
BOTH(COPY, cuMemcpyDtoH_v2, _ptds, "dtoh", void *, device_pointer)
BOTH(COPY, cuMemcpyDtoD_v2, _ptds, "dtod", device_pointer, device_pointer)
BOTH(COPY_ASYNC, cuMemcpyAsync, _ptsz, direction_of(to, from), device_pointer, device_pointer)
BOTH(COPY_ASYNC, cuMemcpyHtoDAsync_v2, _ptsz, "htod", device_pointer, const void *)
BOTH(COPY_ASYNC, cuMemcpyDtoHAsync_v2, _ptsz, "dtoh", void *, device_pointer)
BOTH(COPY_ASYNC, cuMemcpyDtoDAsync_v2, _ptsz, "dtod", device_pointer, device_pointer)

enum { SIDE_HOST = 1, SIDE_UNIFIED = 4 };

static const char *direction_2d(const cuda_driver_copy_2d *c)
{
    static const char *const names[] = {"htoh", "htod", "dtoh", "dtod"};
    const bool from = c->from.kind == SIDE_UNIFIED ? is_device(c->from.device) : c->from.kind != SIDE_HOST;
    const bool to = c->to.kind == SIDE_UNIFIED ? is_device(c->to.device) : c->to.kind != SIDE_HOST;
    return names[from << 1 | to];
}

#define COPY_2D(name)                                                                                                  \
    CUDA_CALL name(const cuda_driver_copy_2d *c);                                                                      \
    cuda_error name(const cuda_driver_copy_2d *c)                                                                      \
    {                                                                                                                  \
        DRIVER(#name, (const cuda_driver_copy_2d *));                                                                  \
        const cuda_error error = real(c);                                                                              \
        if (error == CUDA_OK)                                                                                          \
            keep_copy(direction_2d(c), c->width * c->height, NULL, true);                                              \
        return error;                                                                                                  \
    }
#define COPY_2D_ASYNC(name)                                                                                            \
    CUDA_CALL name(const cuda_driver_copy_2d *c, void *stream);                                                        \
    cuda_error name(const cuda_driver_copy_2d *c, void *stream)                                                        \
    {                                                                                                                  \
        DRIVER(#name, (const cuda_driver_copy_2d *, void *));                                                          \
        const cuda_error error = real(c, stream);                                                                      \
        if (error == CUDA_OK && !is_captured(stream))                                                                  \
            keep_copy(direction_2d(c), c->width * c->height, stream, false);                                           \
        return error;                                                                                                  \
    }
COPY_2D(cuMemcpy2D_v2)
COPY_2D(cuMemcpy2D_v2_ptds)
COPY_2D(cuMemcpy2DUnaligned_v2)
COPY_2D(cuMemcpy2DUnaligned_v2_ptds)
COPY_2D_ASYNC(cuMemcpy2DAsync_v2)
COPY_2D_ASYNC(cuMemcpy2DAsync_v2_ptsz)

#define FILL(name, type)                                                                                               \
    CUDA_CALL name(device_pointer to, type value, size_t count);                                                       \
    cuda_error name(device_pointer to, type value, size_t count)                                                       \
    {                                                                                                                  \
        DRIVER(#name, (device_pointer, type, size_t));                                                                 \
        const cuda_error error = real(to, value, count);                                                               \
        if (error == CUDA_OK)                                                                                          \
            keep_fill(sizeof(type) * count, NULL);                                                                     \
        return error;                                                                                                  \
    }
#define FILL_ASYNC(name, type)                                                                                         \
    CUDA_CALL name(device_pointer to, type value, size_t count, void *stream);                                         \
    cuda_error name(device_pointer to, type value, size_t count, void *stream)                                         \
    {                                                                                                                  \
        DRIVER(#name, (device_pointer, type, size_t, void *));                                                         \
        const cuda_error error = real(to, value, count, stream);                                                       \
        if (error == CUDA_OK && !is_captured(stream))                                                                  \
            keep_fill(sizeof(type) * count, stream);                                                                   \
        return error;                                                                                                  \
    }
#define FILLS(name, type)                                                                                              \
    FILL(name##_v2, type) FILL(name##_v2_ptds, type) FILL_ASYNC(name##Async, type) FILL_ASYNC(name##Async_ptsz, type)
FILLS(cuMemsetD8, unsigned char)
FILLS(cuMemsetD16, unsigned short)
FILLS(cuMemsetD32, unsigned)

/* ---- events and waits ---- */

/* Events by the number that they have in the recording; handles may be given again, and then stand
 * for the same number. */
static int64_t event_number(const void *event)
{
    static const void **seen;
    static size_t count, room;
    for (size_t i = count; i-- > 0;)
        if (seen[i] == event)
            return (int64_t)i;
    if (!WL_ROOM(seen, count + 1, room))
        return -1;
    seen[count] = event;
    return (int64_t)count++;
}

static void keep_wait(void *stream, const void *event)
{
    gpu_world *w = gpu_enter();
    gpu_record_wait(w, stream == NULL, (cuda_stream_t)stream, event ? event_number(event) : -1);
    times_harvest(w, false);
    gpu_leave();
}

CUDA_CALL cuCtxSynchronize(void);
cuda_error cuCtxSynchronize(void)
{
    DRIVER("cuCtxSynchronize", (void));
    const cuda_error error = real();
    keep_wait(NULL, NULL);
    return error;
}

/* Of one stream: the host waits for a mark that follows its work. */
#define SYNCHRONIZE(name)                                                                                              \
    CUDA_CALL name(void *stream);                                                                                      \
    cuda_error name(void *stream)                                                                                      \
    {                                                                                                                  \
        DRIVER(#name, (void *));                                                                                       \
        const cuda_error error = real(stream);                                                                         \
        gpu_world *w = gpu_enter();                                                                                    \
        const int64_t mark = event_number(&w->started);                                                                \
        gpu_record_mark(w, mark, (cuda_stream_t)stream);                                                               \
        gpu_record_wait(w, true, NULL, mark);                                                                          \
        times_harvest(w, false);                                                                                       \
        gpu_leave();                                                                                                   \
        return error;                                                                                                  \
    }
SYNCHRONIZE(cuStreamSynchronize)
SYNCHRONIZE(cuStreamSynchronize_ptsz)

#define STREAM_WAIT(name)                                                                                              \
    CUDA_CALL name(void *stream, void *event, unsigned flags);                                                         \
    cuda_error name(void *stream, void *event, unsigned flags)                                                         \
    {                                                                                                                  \
        DRIVER(#name, (void *, void *, unsigned));                                                                     \
        const cuda_error error = real(stream, event, flags);                                                           \
        if (error == CUDA_OK && !is_captured(stream)) {                                                                \
            gpu_world *w = gpu_enter();                                                                                \
            gpu_record_wait(w, false, (cuda_stream_t)stream, event_number(event));                                     \
            gpu_leave();                                                                                               \
        }                                                                                                              \
        return error;                                                                                                  \
    }
STREAM_WAIT(cuStreamWaitEvent)
STREAM_WAIT(cuStreamWaitEvent_ptsz)

static void keep_mark(const void *event, void *stream)
{
    gpu_world *w = gpu_enter();
    gpu_record_mark(w, event_number(event), (cuda_stream_t)stream);
    gpu_leave();
}

#define RECORD(name, parameters, types, arguments)                                                                     \
    CUDA_CALL name parameters;                                                                                         \
    cuda_error name parameters                                                                                         \
    {                                                                                                                  \
        DRIVER(#name, types);                                                                                          \
        const cuda_error error = real arguments;                                                                       \
        if (error == CUDA_OK && !is_captured(stream))                                                                  \
            keep_mark(event, stream);                                                                                  \
        return error;                                                                                                  \
    }
RECORD(cuEventRecord, (void *event, void *stream), (void *, void *), (event, stream))
RECORD(cuEventRecord_ptsz, (void *event, void *stream), (void *, void *), (event, stream))
RECORD(cuEventRecordWithFlags, (void *event, void *stream, unsigned flags), (void *, void *, unsigned),
       (event, stream, flags))
RECORD(cuEventRecordWithFlags_ptsz, (void *event, void *stream, unsigned flags), (void *, void *, unsigned),
       (event, stream, flags))

CUDA_CALL cuEventSynchronize(void *event);
cuda_error cuEventSynchronize(void *event)
{
    DRIVER("cuEventSynchronize", (void *));
    const cuda_error error = real(event);
    keep_wait(NULL, event);
    return error;
}

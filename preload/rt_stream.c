/* rt_stream.c - streams and events. Work is done when it is issued, so all of them are always
 * ready; the recording keeps which work waited for which.
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "stream.h"

static int64_t streams, events;

/* The default streams are not memory of ours. */
bool gpu_is_own_stream(cuda_stream_t stream) { return (uintptr_t)stream > 2; }

int64_t gpu_stream_number(cuda_stream_t stream) { return gpu_is_own_stream(stream) ? stream->number : 0; }

cuda_graph_t gpu_captures(cuda_stream_t stream) { return gpu_is_own_stream(stream) ? stream->graph : NULL; }

CUDA_CALL cudaStreamCreate(cuda_stream_t *stream);
CUDA_CALL cudaStreamCreateWithFlags(cuda_stream_t *stream, unsigned flags);
CUDA_CALL cudaStreamCreateWithPriority(cuda_stream_t *stream, unsigned flags, int priority);
CUDA_CALL cudaStreamDestroy(cuda_stream_t stream);
CUDA_CALL cudaStreamSynchronize(cuda_stream_t stream);
CUDA_CALL cudaStreamQuery(cuda_stream_t stream);
CUDA_CALL cudaStreamWaitEvent(cuda_stream_t stream, cuda_event_t event, unsigned flags);
CUDA_CALL cudaStreamGetPriority(cuda_stream_t stream, int *priority);
CUDA_CALL cudaStreamGetFlags(cuda_stream_t stream, unsigned *flags);
CUDA_CALL cudaDeviceGetStreamPriorityRange(int *least, int *greatest);
CUDA_CALL cudaStreamAttachMemAsync(cuda_stream_t stream, void *pointer, size_t bytes, unsigned flags);
CUDA_CALL cudaLaunchHostFunc(cuda_stream_t stream, void (*call)(void *), void *user);
CUDA_CALL cudaStreamAddCallback(cuda_stream_t stream, void (*call)(cuda_stream_t, cuda_error, void *), void *user,
                                unsigned flags);
CUDA_CALL cudaStreamSetAttribute(cuda_stream_t stream, int attribute, const void *value);
CUDA_CALL cudaDeviceSynchronize(void);
CUDA_CALL cudaEventCreate(cuda_event_t *event);
CUDA_CALL cudaEventCreateWithFlags(cuda_event_t *event, unsigned flags);
CUDA_CALL cudaEventDestroy(cuda_event_t event);
CUDA_CALL cudaEventRecord(cuda_event_t event, cuda_stream_t stream);
CUDA_CALL cudaEventRecordWithFlags(cuda_event_t event, cuda_stream_t stream, unsigned flags);
CUDA_CALL cudaEventSynchronize(cuda_event_t event);
CUDA_CALL cudaEventQuery(cuda_event_t event);
CUDA_CALL cudaEventElapsedTime(float *milliseconds, cuda_event_t from, cuda_event_t to);

cuda_error cudaStreamCreate(cuda_stream_t *stream)
{
    (void)gpu_enter();
    *stream = calloc(1, sizeof **stream);
    if (*stream)
        (*stream)->number = ++streams;
    return gpu_end(*stream ? CUDA_OK : CUDA_OUT_OF_MEMORY);
}

cuda_error cudaStreamCreateWithFlags(cuda_stream_t *stream, unsigned flags)
{
    (void)flags;
    return cudaStreamCreate(stream);
}

cuda_error cudaStreamCreateWithPriority(cuda_stream_t *stream, unsigned flags, int priority)
{
    (void)flags, (void)priority;
    return cudaStreamCreate(stream);
}

cuda_error cudaStreamDestroy(cuda_stream_t stream)
{
    if (gpu_is_own_stream(stream))
        free(stream);
    return CUDA_OK;
}

cuda_error cudaStreamSynchronize(cuda_stream_t stream)
{
    (void)stream;
    return cudaDeviceSynchronize();
}

cuda_error cudaStreamQuery(cuda_stream_t stream)
{
    (void)stream;
    return CUDA_OK;
}

cuda_error cudaStreamWaitEvent(cuda_stream_t stream, cuda_event_t event, unsigned flags)
{
    (void)flags;
    gpu_world *w = gpu_enter();
    if (event && event->graph && gpu_is_own_stream(stream)) /* a fork or a join of a capture */
        stream->graph = event->graph;
    else if (event)
        gpu_record_wait(w, false, stream, event->number);
    return gpu_end(event ? CUDA_OK : CUDA_INVALID_HANDLE);
}

cuda_error cudaStreamGetPriority(cuda_stream_t stream, int *priority)
{
    (void)stream;
    *priority = 0;
    return CUDA_OK;
}

cuda_error cudaStreamGetFlags(cuda_stream_t stream, unsigned *flags)
{
    (void)stream;
    *flags = 0;
    return CUDA_OK;
}

cuda_error cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    if (least)
        *least = 0;
    if (greatest)
        *greatest = 0;
    return CUDA_OK;
}

cuda_error cudaStreamAttachMemAsync(cuda_stream_t stream, void *pointer, size_t bytes, unsigned flags)
{
    (void)stream, (void)pointer, (void)bytes, (void)flags;
    return CUDA_OK;
}

cuda_error cudaStreamSetAttribute(cuda_stream_t stream, int attribute, const void *value)
{
    (void)stream, (void)attribute, (void)value;
    return CUDA_OK;
}

/* Outside of the lock: the function may call the runtime. */
cuda_error cudaLaunchHostFunc(cuda_stream_t stream, void (*call)(void *), void *user)
{
    (void)gpu_enter();
    cuda_graph_t graph = gpu_captures(stream);
    const cuda_error error = graph ? gpu_graph_add_call(graph, call, user) : CUDA_OK;
    gpu_leave();
    if (!graph)
        call(user);
    return error;
}

cuda_error cudaStreamAddCallback(cuda_stream_t stream, void (*call)(cuda_stream_t, cuda_error, void *), void *user,
                                 unsigned flags)
{
    (void)flags;
    call(stream, CUDA_OK, user);
    return CUDA_OK;
}

cuda_error cudaDeviceSynchronize(void)
{
    gpu_world *w = gpu_enter();
    gpu_record_wait(w, true, NULL, -1);
    return gpu_end(CUDA_OK);
}

/* ---- events ---- */

cuda_error cudaEventCreate(cuda_event_t *event)
{
    (void)gpu_enter();
    *event = calloc(1, sizeof **event);
    if (*event)
        (*event)->number = events++;
    return gpu_end(*event ? CUDA_OK : CUDA_OUT_OF_MEMORY);
}

cuda_error cudaEventCreateWithFlags(cuda_event_t *event, unsigned flags)
{
    (void)flags;
    return cudaEventCreate(event);
}

cuda_error cudaEventDestroy(cuda_event_t event)
{
    free(event);
    return CUDA_OK;
}

cuda_error cudaEventRecord(cuda_event_t event, cuda_stream_t stream)
{
    gpu_world *w = gpu_enter();
    if (!event)
        return gpu_end(CUDA_INVALID_HANDLE);
    event->graph = gpu_captures(stream);
    event->time = gpu_now();
    event->recorded = true;
    if (!event->graph)
        gpu_record_mark(w, event->number, stream);
    return gpu_end(CUDA_OK);
}

cuda_error cudaEventRecordWithFlags(cuda_event_t event, cuda_stream_t stream, unsigned flags)
{
    (void)flags;
    return cudaEventRecord(event, stream);
}

cuda_error cudaEventSynchronize(cuda_event_t event)
{
    gpu_world *w = gpu_enter();
    if (event)
        gpu_record_wait(w, true, NULL, event->number);
    return gpu_end(event ? CUDA_OK : CUDA_INVALID_HANDLE);
}

cuda_error cudaEventQuery(cuda_event_t event) { return event ? CUDA_OK : CUDA_INVALID_HANDLE; }

/* Of the emulation: not the time of a GPU, which the profile predicts. */
cuda_error cudaEventElapsedTime(float *milliseconds, cuda_event_t from, cuda_event_t to)
{
    (void)gpu_enter();
    if (!from || !to || !from->recorded || !to->recorded)
        return gpu_end(CUDA_INVALID_HANDLE);
    *milliseconds = (float)(1e3 * (to->time - from->time));
    return gpu_end(CUDA_OK);
}

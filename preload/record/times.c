/* times.c - times of launches, by two events of the driver around each. They are read once the
 * launch has ended, so that the program does not wait for it.
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "record.h"

#define PENDING_MAX 512 /* launches whose times are not known yet */

typedef struct pending {
    int64_t launch;
    void *start, *stop; /* events */
} pending;
static pending queue[PENDING_MAX];
static size_t first, count;

static cuda_error create(void **event)
{
    DRIVER("cuEventCreate", (void **, unsigned));
    return real(event, 0);
}

static cuda_error destroy(void *event)
{
    DRIVER("cuEventDestroy_v2", (void *));
    return real(event);
}

static cuda_error record(void *event, void *stream)
{
    DRIVER("cuEventRecord", (void *, void *));
    return real(event, stream);
}

static cuda_error query(void *event)
{
    DRIVER("cuEventQuery", (void *));
    return real(event);
}

static cuda_error wait_for(void *event)
{
    DRIVER("cuEventSynchronize", (void *));
    return real(event);
}

static cuda_error elapsed(float *milliseconds, void *start, void *stop)
{
    DRIVER("cuEventElapsedTime", (float *, void *, void *));
    return real(milliseconds, start, stop);
}

static void *mark(void *stream)
{
    void *event = NULL;
    if (create(&event) != CUDA_OK)
        return NULL;
    if (record(event, stream) == CUDA_OK)
        return event;
    (void)destroy(event);
    return NULL;
}

void *times_start(gpu_world *w, void *stream)
{
    if (count == PENDING_MAX)
        times_harvest(w, true);
    return mark(stream);
}

void times_stop(gpu_world *w, int64_t launch, void *started, void *stream)
{
    void *stop = started ? mark(stream) : NULL;
    if (stop)
        queue[(first + count++) % PENDING_MAX] = (pending){launch, started, stop};
    else if (started)
        (void)destroy(started);
    times_harvest(w, false);
}

void times_harvest(gpu_world *w, bool all)
{
    while (count > 0) {
        const pending *p = &queue[first];
        float milliseconds = 0;
        const cuda_error state = all ? wait_for(p->stop) : query(p->stop);
        if (state == CUDA_NOT_READY)
            return;
        if (state == CUDA_OK && elapsed(&milliseconds, p->start, p->stop) == CUDA_OK)
            gpu_record_time(w, p->launch, 1e-3 * (double)milliseconds);
        (void)destroy(p->start);
        (void)destroy(p->stop);
        first = (first + 1) % PENDING_MAX;
        count--;
    }
}

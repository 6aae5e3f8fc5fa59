/* keep.c - which launches are kept with their memory, and when that may be read.
 * SPDX-License-Identifier: MIT */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "record.h"

static cuda_error synchronize(void)
{
    DRIVER("cuCtxSynchronize", (void));
    return real();
}

static bool is_capturing(void *stream)
{
    int status = 0;
    REAL("cuStreamIsCapturing", (void *, int *), false);
    return real(stream, &status) == CUDA_OK && status != 0;
}

/* Code that is loaded at its first launch would count to the time of that. */
static void load(const void *function)
{
    int registers;
    if (handle_is_kernel(function)) {
        (void)handle_made(function, &function);
        return;
    }
    REAL("cuFuncGetAttribute", (int *, int, const void *), );
    (void)real(&registers, 4, function);
}

static atomic_int captures;

void keep_capture(int more) { (void)atomic_fetch_add(&captures, more); }

/* The architecture of the GPU decides which PTX of several is the program's. */
static void find_architecture(gpu_world *w)
{
    static bool asked;
    int major = 0, minor = 0, device = 0;
    static cuda_error (*get)(int *, int, int);
    void *at = asked ? NULL : real_function("cuDeviceGetAttribute");
    memcpy(&get, &at, sizeof get);
    asked = true;
    if (get && get(&major, 75, device) == CUDA_OK && get(&minor, 76, device) == CUDA_OK)
        w->architecture = 10 * major + minor;
}

/* With the memory that it reaches, if that may be read now. */
static int64_t record_whole(gpu_world *w, const gpu_launch *l, size_t bytes, bool may_wait)
{
    gpu_module *m = l->function->module;
    if (may_wait && synchronize() == CUDA_OK) {
        handle_find_variables(m);
        reach_words(w, l->params, bytes);
        for (size_t i = 0; i < m->variable_count; i++)
            if (m->variables[i].address)
                reach_address(w, m->variables[i].address);
        reach_objects(w, l, bytes);
    } else {
        gpu_say("launches while a stream is captured are recorded without their memory");
    }
    const int64_t number = gpu_record_launch(w, l, -1);
    reach_end(w);
    return number;
}

/* Most launches are like an earlier one: their parameters are not looked at. */
static int64_t record(gpu_world *w, const kept_launch *d, gpu_launch *l, bool may_wait)
{
    int64_t like = -1, number = -1;
    size_t bytes = 0;
    if (!gpu_keeps(w, l, &like))
        return gpu_record_launch(w, l, like);
    uint8_t *params = gpu_driver_params(w, l->function, d->params, d->extra, &bytes);
    if (params) {
        reach_translate_maps(params, bytes);
        l->params = params;
        number = record_whole(w, l, bytes, may_wait);
    }
    free(params);
    l->params = NULL;
    return number;
}

void keep_before(kept_launch *d)
{
    gpu_world *w = gpu_enter();
    gpu_launch *l = &d->launch;
    l->graph = -1;
    l->function = handle_function(d->handle);
    find_architecture(w);
    const bool any = atomic_load(&captures) > 0;
    if (any && is_capturing((void *)l->stream)) {
        l->function = NULL; /* it is recorded when the graph is launched */
    } else if (!l->function) {
        gpu_say("a launch of a kernel that was not seen when it was loaded is left out");
    } else if (gpu_function_ready(w, l->function)) {
        d->number = record(w, d, l, !any);
    } else {
        d->number = gpu_record_unreadable(w, l);
    }
    if (l->function && w->settings.times) {
        load(d->handle);
        d->started = times_start(w, (void *)l->stream);
    }
    gpu_leave();
}

void keep_after(kept_launch *d)
{
    if (!d->started)
        return;
    gpu_world *w = gpu_enter();
    times_stop(w, d->number, d->started, (void *)d->launch.stream);
    gpu_leave();
}

void keep_node(gpu_world *w, gpu_launch *l)
{
    if (!gpu_function_ready(w, l->function)) {
        (void)gpu_record_unreadable(w, l);
        return;
    }
    int64_t like = -1;
    if (gpu_keeps(w, l, &like))
        (void)record_whole(w, l, (size_t)wl_ptx_runner_params(l->function->runner, NULL, NULL),
                           atomic_load(&captures) == 0);
    else
        (void)gpu_record_launch(w, l, like);
}

void gpu_before_end(gpu_world *w) { times_harvest(w, true); }

int64_t gpu_stream_number(cuda_stream_t stream)
{
    static const void *seen[256];
    static int64_t count;
    if ((uintptr_t)stream <= 2)
        return 0;
    for (int64_t i = 0; i < count; i++)
        if (seen[i] == stream)
            return i + 1;
    if (count == 256)
        return 256;
    seen[count++] = stream;
    return count;
}

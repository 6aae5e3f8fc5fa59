/* launch.c - launches: their parameters, checks, and carrying them out.
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/device_internal.h"
#include "memo.h"
#include "native.h"

bool gpu_is_recorder(void) { return false; }
void gpu_before_end(gpu_world *w) { gpu_native_end(w); }

static bool is_possible(const gpu_world *w, const gpu_launch *l)
{
    const uint64_t threads = (uint64_t)l->block.x * l->block.y * l->block.z;
    return threads > 0 && (double)threads <= wl_device_or(w->device, WL_DEVICE_max_block, 1024) && l->grid.x > 0 &&
           l->grid.y > 0 && l->grid.z > 0 && l->grid.x <= INT32_MAX && l->grid.y <= 65535 && l->grid.z <= 65535 &&
           (double)l->shared <= wl_device_or(w->device, WL_DEVICE_shared_per_block, 227 << 10);
}

/* What a kernel that is not carried out may have written is unknown from then on. */
static void forget(gpu_world *w, const gpu_launch *l, size_t bytes)
{
    for (size_t at = 0; at + 8 <= bytes; at += 8) {
        uint64_t address;
        memcpy(&address, l->params + at, sizeof address);
        const int64_t found = gpu_find(w, address);
        if (found >= 0)
            w->about[found].unknown = true;
    }
}

static int64_t threads_of(const gpu_launch *l)
{
    return (int64_t)l->grid.x * l->grid.y * l->grid.z * l->block.x * l->block.y * l->block.z;
}

static void give_up(gpu_world *w, const gpu_launch *l, size_t bytes)
{
    gpu_function *f = l->function;
    gpu_say(
        "%s: not all blocks were carried out in %g s; what it writes is not complete, and launches as large are left "
        "out from here on (--seconds 0: no limit)",
        gpu_title(f->name), w->settings.seconds);
    if (!f->given_up || threads_of(l) < f->given_up)
        f->given_up = threads_of(l);
    forget(w, l, bytes);
}

/* A launch at work, that is looked after from time to time. */
typedef struct watched {
    gpu_world *world;
    gpu_function *function;
    double looked;
} watched;

static void look(void *user)
{
    watched *x = user;
    const double time = gpu_now();
    gpu_native_look(x->world, x->function, time - x->looked);
    x->looked = time;
}

static cuda_error execute(gpu_world *w, const gpu_launch *l, size_t bytes)
{
    gpu_function *f = l->function;
    if (f->given_up && threads_of(l) >= f->given_up) {
        forget(w, l, bytes);
        return CUDA_OK;
    }
    wl_ptx_work work = {.grid = {l->grid.x, l->grid.y, l->grid.z},
                        .block = {l->block.x, l->block.y, l->block.z},
                        .cluster = {l->cluster[0], l->cluster[1], l->cluster[2]},
                        .dynamic_shared = (int64_t)l->shared,
                        .image = {.params = l->params,
                                  .param_bytes = bytes,
                                  .memory = w->memory,
                                  .memory_count = w->memory_count,
                                  .symbols = f->module->symbols,
                                  .symbol_count = f->module->variable_count,
                                  .objects = w->objects,
                                  .object_count = w->object_count},
                        .seconds = w->settings.seconds,
                        .idle = look};
    wl_ptx_worked done;
    wl_error err = {0};
    const bool pays = gpu_memo_pays(w, l, bytes);
    if (pays && gpu_memo_again(w, l, bytes))
        return CUDA_OK;
    uint8_t *uses = malloc(w->memory_count + 1);
    if (!uses)
        return CUDA_OUT_OF_MEMORY;
    gpu_memo *memo = pays ? gpu_memo_begin(w, l, bytes) : NULL;
    const double started = gpu_now();
    watched x = {w, f, started};
    work.user = &x;
    const wl_status status = wl_ptx_runner_run(f->runner, &work, &done, &err);
    look(&x);
    f->seconds = gpu_now() - started;
    if (w->settings.verbose)
        (void)fprintf(stderr, "warpline: %s: %.3f s, %lld warp instructions\n", gpu_title(f->name), f->seconds,
                      (long long)done.instructions);
    wl_ptx_runner_uses(f->runner, w->memory_count, uses);
    gpu_memo_end(w, l, memo, uses);
    free(uses);
    if (status != WL_OK) {
        gpu_say("%s: %s", gpu_title(f->name), err.message);
        return status == WL_E_BOUNDS || status == WL_E_INPUT ? CUDA_ILLEGAL_ADDRESS : CUDA_LAUNCH_FAILURE;
    }
    if (!done.whole)
        give_up(w, l, bytes);
    if (done.unknown[0])
        gpu_say("%s: results of '%s' are not computed; what depends on them is wrong", gpu_title(f->name),
                done.unknown);
    return CUDA_OK;
}

cuda_error gpu_do_launch(gpu_world *w, const gpu_launch *l)
{
    int64_t like = -1;
    if (!is_possible(w, l))
        return CUDA_INVALID_CONFIGURATION;
    if (!gpu_function_ready(w, l->function))
        return CUDA_INVALID_FUNCTION;
    const size_t bytes = (size_t)wl_ptx_runner_params(l->function->runner, NULL, NULL);
    if (w->settings.recording)
        (void)gpu_record_launch(w, l, gpu_keeps(w, l, &like) ? -1 : like);
    w->launches++;
    if (w->settings.execute)
        return execute(w, l, bytes);
    forget(w, l, bytes);
    return CUDA_OK;
}

cuda_error gpu_issue(gpu_world *w, const gpu_launch *l, size_t bytes)
{
    cuda_graph_t graph = gpu_captures(l->stream);
    return graph ? gpu_graph_add_launch(graph, l, bytes) : gpu_do_launch(w, l);
}

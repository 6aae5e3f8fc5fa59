/* world.c - see world.h: the one world, its settings, messages and errors.
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "world.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/hash.h"
#include "ptx/module/demangle.h"

#define SAID_MAX 256
#define DEFAULT_LAUNCHES 2
#define DEFAULT_BYTES ((int64_t)1 << 30)
#define DEFAULT_SECONDS 30

static gpu_world world;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static _Thread_local cuda_error last;

double gpu_now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void gpu_say(const char *format, ...)
{
    static uint64_t said[SAID_MAX];
    static size_t count;
    char text[512];
    va_list list;
    va_start(list, format);
    (void)vsnprintf(text, sizeof text, format, list);
    va_end(list);
    const uint64_t hash = wl_hash_text(text, strlen(text));
    for (size_t i = 0; i < count; i++)
        if (said[i] == hash)
            return;
    if (count == SAID_MAX)
        return;
    said[count++] = hash;
    (void)fprintf(stderr, "warpline: %s\n", text);
    if (world.device) /* else: before the world is made */
        gpu_record_note(&world, text);
}

#define TITLE_MOST 120
const char *gpu_title(const char *symbol)
{
    static char text[TITLE_MOST];
    wl_arena arena = {0};
    const wl_ptx_demangled name = wl_ptx_demangle(symbol, &arena);
    if (name.text)
        (void)snprintf(text, sizeof text, "%.*s", (int)(name.end - name.name), name.text + name.name);
    else
        (void)snprintf(text, sizeof text, "%s", symbol);
    wl_arena_free(&arena);
    return text;
}

static double number_of(const char *name, double otherwise)
{
    const char *text = getenv(name);
    char *end;
    const double value = text ? strtod(text, &end) : otherwise;
    return text && (end == text || *end) ? otherwise : value;
}

/* A name of the tool, or a file; `warpline run` has checked it. */
static wl_device *find_device(const char *name)
{
    wl_device *device = NULL;
    wl_error err = {0};
    if (wl_device_builtin(name, &device, &err) == WL_OK)
        return device;
    FILE *file = fopen(name, "rb");
    static char text[1 << 20];
    const size_t length = file ? fread(text, 1, sizeof text, file) : 0;
    if (file)
        (void)fclose(file);
    if (length > 0 && wl_device_parse(name, text, length, &device, &err) == WL_OK)
        return device;
    (void)fprintf(stderr, "warpline: device '%s': %s\n", name, err.message);
    return NULL;
}

static void finish(void)
{
    gpu_world *w = gpu_enter();
    gpu_before_end(w);
    gpu_record_end(w);
    gpu_leave();
}

/* The recorder, if it is there, too. */
extern __attribute__((weak)) const char warpline_recorder;

static void make(void)
{
    gpu_world *w = &world;
    const char *device = getenv("WARPLINE_DEVICE");
    w->started = gpu_now();
    w->foreign = gpu_is_recorder();
    const bool records = w->foreign || !&warpline_recorder; /* one of both */
    w->settings = (gpu_settings){.recording = records ? getenv("WARPLINE_RECORDING") : NULL,
                                 .launches = (int)number_of("WARPLINE_LAUNCHES", DEFAULT_LAUNCHES),
                                 .bytes = (int64_t)number_of("WARPLINE_BYTES", (double)DEFAULT_BYTES),
                                 .execute = number_of("WARPLINE_EXECUTE", 1) != 0,
                                 .seconds = number_of("WARPLINE_SECONDS", DEFAULT_SECONDS),
                                 .compile = number_of("WARPLINE_COMPILE", 1) != 0,
                                 .compiles_now = number_of("WARPLINE_COMPILE", 1) > 1,
                                 .verbose = getenv("WARPLINE_VERBOSE") != NULL,
                                 .times = number_of("WARPLINE_TIMES", 0) != 0};
    w->device = find_device(device ? device : "h200");
    if (!w->device)
        w->device = find_device("h200");
    (void)atexit(finish);
}

gpu_world *gpu_enter(void)
{
    (void)pthread_once(&once, make);
    (void)pthread_mutex_lock(&lock);
    return &world;
}

void gpu_leave(void) { (void)pthread_mutex_unlock(&lock); }

cuda_error gpu_end(cuda_error error)
{
    gpu_leave();
    if (error != CUDA_OK)
        last = error;
    return error;
}

cuda_error gpu_last_error(bool clear)
{
    const cuda_error error = last;
    if (clear)
        last = CUDA_OK;
    return error;
}

cuda_error gpu_missing(const char *name)
{
    (void)gpu_enter();
    gpu_say("%s is not known here: it returns an error (cudaErrorNotSupported)", name);
    return gpu_end(CUDA_NOT_SUPPORTED);
}

/* recorder.c - writes what a program does into a recording (docs/recording.md).
 * SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/json_out.h"
#include "base/room.h"
#include "ptx/async/tensor_map.h"
#include "recording/record_format.h"
#include "warpline/recording_writer.h"
#include "world.h"

#define KEPT_MAX 64                    /* launches of one kernel, whatever their geometries */
#define SCANNED_MAX ((int64_t)1 << 20) /* bytes of an allocation that is searched for pointers */

static wl_record_writer *writer;
static bool stopped; /* an error was said; nothing more is written */
static int64_t launch_number;
static char recording_path[4096];

/* ---- events ---- */

static void stop(const wl_error *err)
{
    if (!stopped)
        (void)fprintf(stderr, "warpline: the recording ends here: %s\n", err->message);
    stopped = true;
}

typedef struct event {
    wl_buffer text;
    wl_json_out out;
} event;

static void begin(event *e, const char *kind)
{
    *e = (event){0};
    e->out = (wl_json_out){.text = &e->text, .form = WL_JSON_COMPACT, .digits = WL_JSON_DIGITS};
    wl_out_object(&e->out, NULL);
    wl_out_text(&e->out, "event", kind);
}

static void write_text(const char *text, size_t length, bool at_once)
{
    wl_error err = {0};
    if (wl_record_event(writer, text, length, at_once, &err) != WL_OK)
        stop(&err);
}

static void end(event *e)
{
    wl_error err = {0};
    wl_out_object_end(&e->out);
    if (wl_out_status(&e->out, &err) != WL_OK)
        stop(&err);
    else
        write_text(wl_buffer_string(&e->text), e->text.length, true);
    wl_buffer_drop(&e->text);
}

static void put_address(event *e, const char *key, uint64_t address)
{
    char text[24];
    (void)snprintf(text, sizeof text, "0x%llx", (unsigned long long)address);
    wl_out_text(&e->out, key, text);
}

/* ---- the start ---- */

static void put_command(event *e)
{
    static char text[1 << 16];
    FILE *file = fopen("/proc/self/cmdline", "rb");
    const size_t length = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file)
        (void)fclose(file);
    wl_out_array(&e->out, "command");
    for (size_t at = 0; at < length; at += strlen(text + at) + 1)
        wl_out_text(&e->out, NULL, text + at);
    wl_out_array_end(&e->out);
}

/* In a folder, each process has a file of its own; a file that another process of the program has
 * begun is left alone. */
static void choose_path(const char *given, char *path, size_t size)
{
    struct stat info;
    const bool there = stat(given, &info) == 0;
    const size_t length = strlen(given),
                 stem = length > 6 && strcmp(given + length - 6, ".wlrec") == 0 ? length - 6 : length;
    if (there && S_ISDIR(info.st_mode))
        (void)snprintf(path, size, "%s/%ld.wlrec", given, (long)getpid());
    else if (there && info.st_size > 0)
        (void)snprintf(path, size, "%.*s-%ld.wlrec", (int)stem, given, (long)getpid());
    else
        (void)snprintf(path, size, "%s", given);
    if (there && strcmp(path, given) != 0 && !S_ISDIR(info.st_mode))
        (void)fprintf(stderr, "warpline: '%s' is there already: this process records into '%s'\n", given, path);
}

/* A child that was forked has the same file open, but must not use it, nor write what its copy of
 * the buffer holds when it ends. */
static bool is_child;

static void before_fork(void)
{
    wl_error err = {0};
    (void)gpu_enter();
    if (writer && !stopped && !is_child && wl_record_flush(writer, &err) != WL_OK)
        stop(&err);
}

static void after_fork_in_child(void)
{
    is_child = is_child || writer;
    gpu_leave();
}

static bool is_open(gpu_world *w)
{
    if (writer || stopped || !w->settings.recording)
        return writer && !stopped && !is_child;
    wl_error err = {0};
    (void)pthread_atfork(before_fork, gpu_leave, after_fork_in_child);
    choose_path(w->settings.recording, recording_path, sizeof recording_path);
    if (wl_record_writer_new(recording_path, &writer, &err) != WL_OK) {
        stop(&err);
        return false;
    }
    event e;
    begin(&e, "program");
    wl_out_whole(&e.out, "version", WL_RECORD_VERSION);
    put_command(&e);
    wl_out_text(&e.out, "mode", w->foreign ? "record" : "run");
    if (!w->foreign) {
        wl_out_text(&e.out, "device", wl_device_name(w->device));
        wl_out_truth(&e.out, "executed", w->settings.execute);
    }
    end(&e);
    return !stopped;
}

static bool put_blob(const void *bytes, size_t count, char text[WL_DIGEST_TEXT])
{
    wl_error err = {0};
    wl_digest digest;
    if (wl_record_blob(writer, bytes, count, &digest, &err) != WL_OK) {
        stop(&err);
        return false;
    }
    wl_digest_text(digest, text);
    return true;
}

static bool put_module(gpu_module *m)
{
    char digest[WL_DIGEST_TEXT];
    if (m->recorded)
        return true;
    if (!m->failed && !put_blob(m->text, m->length, digest))
        return false;
    event e;
    begin(&e, "module");
    wl_out_whole(&e.out, "module", m->number);
    if (!m->failed) {
        wl_out_text(&e.out, "ptx", digest);
    } else {
        wl_out_array(&e.out, "sass");
        wl_out_text(&e.out, NULL, m->sass[0] ? m->sass : "one GPU");
        wl_out_array_end(&e.out);
    }
    end(&e);
    m->recorded = true;
    return !stopped;
}

/* ---- for a program that looks at its own recording ---- */

CUDA_EXPORT const char *warpline_recording_path(void);
CUDA_EXPORT int64_t warpline_recorded_launches(void);

/* NULL: nothing is recorded. */
const char *warpline_recording_path(void)
{
    gpu_world *w = gpu_enter();
    const char *path = is_open(w) ? recording_path : NULL;
    gpu_leave();
    return path;
}

int64_t warpline_recorded_launches(void)
{
    gpu_world *w = gpu_enter();
    gpu_before_end(w); /* times that are not known yet */
    const int64_t launches = launch_number;
    gpu_leave();
    return launches;
}

/* ---- which launches are kept ---- */

static void geometry_of(const gpu_launch *l, gpu_geometry *g)
{
    *g = (gpu_geometry){.grid = {l->grid.x, l->grid.y, l->grid.z},
                        .block = {l->block.x, l->block.y, l->block.z},
                        .cluster = {l->cluster[0], l->cluster[1], l->cluster[2]},
                        .shared = (int64_t)l->shared,
                        .kept = -1};
}

static double threads_of(const gpu_geometry *g)
{
    double threads = 1;
    for (int d = 0; d < 3; d++)
        threads *= (double)g->grid[d] * (double)g->block[d];
    return threads;
}

static gpu_geometry *find_geometry(gpu_function *f, const gpu_geometry *wanted)
{
    for (size_t i = 0; i < f->geometry_count; i++) {
        gpu_geometry *g = &f->geometries[i];
        if (memcmp(g->grid, wanted->grid, sizeof g->grid) == 0 &&
            memcmp(g->block, wanted->block, sizeof g->block) == 0 &&
            memcmp(g->cluster, wanted->cluster, sizeof g->cluster) == 0 && g->shared == wanted->shared)
            return g;
    }
    return NULL;
}

/* The launch with the nearest number of threads. */
static int64_t nearest(const gpu_function *f, const gpu_geometry *wanted)
{
    int64_t found = -1;
    double best = 0;
    for (size_t i = 0; i < f->geometry_count; i++) {
        const double ratio = threads_of(&f->geometries[i]) / threads_of(wanted), off = ratio > 1 ? ratio : 1 / ratio;
        if (f->geometries[i].kept >= 0 && (found < 0 || off < best)) {
            found = f->geometries[i].kept;
            best = off;
        }
    }
    return found;
}

bool gpu_keeps(gpu_world *w, const gpu_launch *l, int64_t *like)
{
    gpu_function *f = l->function;
    gpu_geometry mine;
    int kept = 0;
    if (!is_open(w))
        return false;
    geometry_of(l, &mine);
    gpu_geometry *g = find_geometry(f, &mine);
    if (g && g->kept >= 0 && g->seen >= w->settings.launches) {
        *like = g->kept;
        return false;
    }
    for (size_t i = 0; i < f->geometry_count; i++)
        kept += f->geometries[i].seen;
    if (!g && kept < KEPT_MAX && WL_ROOM(f->geometries, f->geometry_count + 1, f->geometry_room)) {
        g = &f->geometries[f->geometry_count++];
        *g = mine;
    }
    if (g && g->seen < w->settings.launches && kept < KEPT_MAX) {
        g->seen++;
        g->kept = launch_number;
        return true;
    }
    *like = g && g->kept >= 0 ? g->kept : nearest(f, &mine);
    return *like < 0;
}

/* ---- memory that a launch can reach ---- */

typedef struct reach {
    bool *in; /* by allocation */
    const gpu_world *w;
} reach;

static void look_for_pointers(reach *r, const uint8_t *bytes, int64_t count);

static void add_allocation(reach *r, int64_t number)
{
    if (number < 0 || r->in[number])
        return;
    r->in[number] = true;
    if (!r->w->about[number].unknown && r->w->memory[number].bytes <= SCANNED_MAX)
        look_for_pointers(r, r->w->memory[number].contents, r->w->memory[number].bytes);
}

static void look_for_pointers(reach *r, const uint8_t *bytes, int64_t count)
{
    for (int64_t at = 0; at + 8 <= count; at += 8) {
        uint64_t address;
        memcpy(&address, bytes + at, sizeof address);
        if (address >= 4096)
            add_allocation(r, gpu_find(r->w, address));
    }
}

/* The contents come before the event that refers to them. */
static bool put_contents(gpu_world *w, const bool *in, char (*digests)[WL_DIGEST_TEXT])
{
    for (size_t i = 0; i < w->memory_count; i++)
        if (in[i] && !w->about[i].unknown && w->memory[i].bytes <= w->settings.bytes &&
            !put_blob(w->memory[i].contents, (size_t)w->memory[i].bytes, digests[i]))
            return false;
    return true;
}

static void put_buffers(event *e, const gpu_world *w, const bool *in, char (*digests)[WL_DIGEST_TEXT])
{
    wl_out_array(&e->out, "buffers");
    for (size_t i = 0; i < w->memory_count; i++) {
        if (!in[i])
            continue;
        wl_out_object(&e->out, NULL);
        put_address(e, "address", w->memory[i].address);
        wl_out_whole(&e->out, "bytes", w->memory[i].bytes);
        if (digests[i][0])
            wl_out_text(&e->out, "contents", digests[i]);
        wl_out_object_end(&e->out);
    }
    wl_out_array_end(&e->out);
}

static void put_pointers(event *e, const gpu_world *w, const bool *in, const uint8_t *params, size_t bytes)
{
    wl_out_array(&e->out, "pointers");
    for (size_t at = 0; at + 8 <= bytes; at += 8) {
        uint64_t address;
        memcpy(&address, params + at, sizeof address);
        const int64_t found = gpu_find(w, address);
        if (found < 0)
            continue;
        int64_t number = 0;
        for (int64_t i = 0; i < found; i++)
            number += in[i];
        wl_out_array(&e->out, NULL);
        wl_out_whole(&e->out, NULL, (int64_t)at);
        wl_out_whole(&e->out, NULL, number);
        wl_out_whole(&e->out, NULL, (int64_t)(address - w->memory[found].address));
        wl_out_array_end(&e->out);
    }
    wl_out_array_end(&e->out);
}

static void put_variables(event *e, const gpu_module *m)
{
    if (m->variable_count == 0)
        return;
    wl_out_array(&e->out, "variables");
    for (size_t i = 0; i < m->variable_count; i++) {
        if (!m->variables[i].address) /* the driver has left it out */
            continue;
        wl_out_object(&e->out, NULL);
        wl_out_text(&e->out, "name", m->variables[i].name);
        put_address(e, "address", m->variables[i].address);
        wl_out_object_end(&e->out);
    }
    wl_out_array_end(&e->out);
}

/* Is the handle among the words? */
static bool has_word(const uint8_t *bytes, size_t count, uint64_t wanted)
{
    for (size_t at = 0; at + 8 <= count; at += 8)
        if (memcmp(bytes + at, &wanted, sizeof wanted) == 0)
            return true;
    return false;
}

/* Does the launch have the object, among its parameters or in a variable of its module? */
bool gpu_uses_object(const gpu_world *w, const gpu_launch *l, size_t bytes, uint64_t handle)
{
    const gpu_module *m = l->function->module;
    bool found = has_word(l->params, bytes, handle);
    for (size_t i = 0; i < m->variable_count && !found; i++) {
        const int64_t at = gpu_find(w, m->variables[i].address);
        const wl_ptx_memory *memory = at >= 0 ? &w->memory[at] : NULL;
        found = memory && memory->contents && memory->bytes <= SCANNED_MAX &&
                has_word(memory->contents, (size_t)memory->bytes, handle);
    }
    return found;
}

static void put_textures(event *e, const gpu_world *w, const gpu_launch *l, size_t bytes)
{
    bool any = false;
    for (size_t i = 0; i < w->object_count; i++) {
        if (!gpu_uses_object(w, l, bytes, w->objects[i].handle))
            continue;
        if (!any)
            wl_out_array(&e->out, "textures");
        any = true;
        wl_out_object(&e->out, NULL);
        put_address(e, "handle", w->objects[i].handle);
        wl_out_text(&e->out, "text", w->objects[i].text);
        put_address(e, "address", w->objects[i].address);
        wl_out_object_end(&e->out);
    }
    if (any)
        wl_out_array_end(&e->out);
}

static void put_hex(event *e, const char *key, const uint8_t *bytes, size_t count)
{
    char *text = malloc(2 * count + 1);
    for (size_t i = 0; text && i < count; i++)
        (void)snprintf(text + 2 * i, 3, "%02x", bytes[i]);
    if (text)
        text[2 * count] = '\0';
    wl_out_text(&e->out, key, text ? text : "");
    free(text);
}

/* Tensor maps among the parameters, in our layout. */
static void put_maps(event *e, const uint8_t *params, size_t bytes)
{
    bool any = false;
    for (size_t at = 0; at + WL_PTX_MAP_BYTES <= bytes; at += 8) {
        wl_ptx_tensor_map map;
        memcpy(&map, params + at, sizeof map);
        if (!wl_ptx_map_is_valid(&map))
            continue;
        if (!any)
            wl_out_array(&e->out, "maps");
        any = true;
        wl_out_object(&e->out, NULL);
        wl_out_whole(&e->out, "at", (int64_t)at);
        put_hex(e, "map", params + at, WL_PTX_MAP_BYTES);
        wl_out_object_end(&e->out);
    }
    if (any)
        wl_out_array_end(&e->out);
}

static void put_three(event *e, const char *key, int64_t x, int64_t y, int64_t z)
{
    wl_out_array(&e->out, key);
    wl_out_whole(&e->out, NULL, x);
    wl_out_whole(&e->out, NULL, y);
    wl_out_whole(&e->out, NULL, z);
    wl_out_array_end(&e->out);
}

static void put_geometry(event *e, const gpu_launch *l)
{
    wl_out_text(&e->out, "kernel", l->function->name);
    wl_out_whole(&e->out, "module", l->function->module->number);
    put_three(e, "grid", l->grid.x, l->grid.y, l->grid.z);
    put_three(e, "block", l->block.x, l->block.y, l->block.z);
    if (l->cluster[0] > 0)
        put_three(e, "cluster", l->cluster[0], l->cluster[1], l->cluster[2]);
    wl_out_whole(&e->out, "shared", (int64_t)l->shared);
    wl_out_whole(&e->out, "stream", gpu_stream_number(l->stream));
    if (l->cooperative)
        wl_out_truth(&e->out, "cooperative", true);
    if (l->graph >= 0)
        wl_out_whole(&e->out, "graph", l->graph);
}

static void record_whole(gpu_world *w, const gpu_launch *l, bool *in, char (*digests)[WL_DIGEST_TEXT])
{
    gpu_module *m = l->function->module;
    const size_t bytes = (size_t)wl_ptx_runner_params(l->function->runner, NULL, NULL);
    reach r = {in, w};
    look_for_pointers(&r, l->params, (int64_t)bytes);
    for (size_t i = 0; i < m->variable_count; i++)
        add_allocation(&r, gpu_find(w, m->variables[i].address));
    for (size_t i = 0; i < w->object_count; i++)
        if (gpu_uses_object(w, l, bytes, w->objects[i].handle))
            add_allocation(&r, gpu_find(w, w->objects[i].address));
    if (!put_module(m) || !put_contents(w, in, digests))
        return;
    event e;
    begin(&e, "launch");
    wl_out_whole(&e.out, "id", launch_number);
    put_geometry(&e, l);
    put_hex(&e, "params", l->params, bytes);
    put_buffers(&e, w, in, digests);
    put_pointers(&e, w, in, l->params, bytes);
    put_variables(&e, m);
    put_maps(&e, l->params, bytes);
    put_textures(&e, w, l, bytes);
    end(&e);
}

#define NUMBER_BYTES 32

/* All but the number, which comes last. */
static bool make_again(gpu_geometry *g, const gpu_launch *l, int64_t like)
{
    event e;
    wl_error err = {0};
    begin(&e, "launch");
    wl_out_whole(&e.out, "like", like);
    put_geometry(&e, l);
    wl_out_object_end(&e.out);
    free(g->again);
    g->again = wl_out_status(&e.out, &err) == WL_OK ? malloc(e.text.length + NUMBER_BYTES) : NULL;
    if (g->again)
        memcpy(g->again, wl_buffer_string(&e.text), g->again_length = e.text.length - 1);
    g->again_on = l->stream;
    g->again_like = like;
    g->again_graph = l->graph;
    wl_buffer_drop(&e.text);
    return g->again != NULL;
}

/* Programs launch the same kernels thousands of times. */
static void record_again(const gpu_launch *l, int64_t like)
{
    gpu_geometry mine, *g;
    geometry_of(l, &mine);
    g = find_geometry(l->function, &mine);
    g = g ? g : &mine; /* one too many to be known */
    const bool same = g->again && g->again_on == l->stream && g->again_like == like && g->again_graph == l->graph;
    if (same || make_again(g, l, like)) {
        const int digits =
            snprintf(g->again + g->again_length, NUMBER_BYTES, ",\"id\":%lld}", (long long)launch_number);
        write_text(g->again, g->again_length + (size_t)digits, false);
    } else {
        stop(&(wl_error){.message = "out of memory"});
    }
    if (g == &mine)
        free(mine.again);
}

int64_t gpu_record_launch(gpu_world *w, const gpu_launch *l, int64_t like)
{
    if (!is_open(w))
        return -1;
    if (like >= 0) {
        record_again(l, like);
    } else {
        bool *in = calloc(w->memory_count + 1, sizeof *in);
        char(*digests)[WL_DIGEST_TEXT] = calloc(w->memory_count + 1, sizeof *digests);
        if (in && digests)
            record_whole(w, l, in, digests);
        free(in);
        free(digests);
    }
    return launch_number++;
}

int64_t gpu_record_unreadable(gpu_world *w, const gpu_launch *l)
{
    if (!is_open(w) || !put_module(l->function->module))
        return -1;
    event e;
    begin(&e, "launch");
    wl_out_whole(&e.out, "id", launch_number);
    put_geometry(&e, l);
    wl_out_text(&e.out, "params", "");
    end(&e);
    return launch_number++;
}

void gpu_record_time(gpu_world *w, int64_t launch, double seconds)
{
    if (!is_open(w) || launch < 0)
        return;
    event e;
    begin(&e, "time");
    wl_out_whole(&e.out, "launch", launch);
    wl_out_real(&e.out, "time", seconds);
    end(&e);
}

void gpu_record_copy(gpu_world *w, const char *direction, size_t bytes, cuda_stream_t stream)
{
    if (!is_open(w))
        return;
    event e;
    begin(&e, "copy");
    wl_out_text(&e.out, "direction", direction);
    wl_out_whole(&e.out, "bytes", (int64_t)bytes);
    wl_out_whole(&e.out, "stream", gpu_stream_number(stream));
    end(&e);
}

void gpu_record_memset(gpu_world *w, size_t bytes, cuda_stream_t stream)
{
    if (!is_open(w))
        return;
    event e;
    begin(&e, "memset");
    wl_out_whole(&e.out, "bytes", (int64_t)bytes);
    wl_out_whole(&e.out, "stream", gpu_stream_number(stream));
    end(&e);
}

void gpu_record_mark(gpu_world *w, int64_t mark, cuda_stream_t stream)
{
    if (!is_open(w))
        return;
    event e;
    begin(&e, "mark");
    wl_out_whole(&e.out, "mark", mark);
    wl_out_whole(&e.out, "stream", gpu_stream_number(stream));
    end(&e);
}

void gpu_record_wait(gpu_world *w, bool host, cuda_stream_t stream, int64_t mark)
{
    if (!is_open(w))
        return;
    event e;
    begin(&e, "wait");
    if (!host)
        wl_out_whole(&e.out, "stream", gpu_stream_number(stream));
    if (mark >= 0)
        wl_out_whole(&e.out, "mark", mark);
    end(&e);
}

void gpu_record_note(gpu_world *w, const char *text)
{
    if (!is_open(w))
        return;
    event e;
    begin(&e, "note");
    wl_out_text(&e.out, "text", text);
    end(&e);
}

void gpu_record_end(gpu_world *w)
{
    wl_error err = {0};
    if (!is_open(w))
        return;
    event e;
    begin(&e, "end");
    wl_out_whole(&e.out, "launches", launch_number);
    wl_out_real(&e.out, "seconds", gpu_now() - w->started);
    end(&e);
    if (wl_record_writer_close(writer, &err) != WL_OK)
        stop(&err);
    writer = NULL;
    stopped = true;
}

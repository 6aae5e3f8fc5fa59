/* recording.c - a recording is opened: all events are read once, blobs only where they lie.
 *
 * Of a launch, what profiles need stays in memory; its arguments are read again when its kernel is
 * made (recorded_kernel.c).
 * Layer  recording. Oracle: tests/unit/test_recording.c. SPDX-License-Identifier: MIT */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/room.h"
#include "ptx/module/demangle.h"
#include "recording/recording_internal.h"

#define SUFFIX ".wlrec"

static wl_status add_note(wl_recording *r, wl_error *err, const char *format, ...) WL_PRINTF(3, 4);
static wl_status add_note(wl_recording *r, wl_error *err, const char *format, ...)
{
    char text[400];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    const char *kept = wl_arena_text(&r->arena, text, strlen(text));
    if (!kept || !WL_ROOM(r->notes, r->note_count + 1, r->note_room))
        return wl_fail_memory(err);
    r->notes[r->note_count++] = kept;
    return WL_OK;
}

/* The name of a kernel as a number: twice of it is the symbol, and next the name in the source. */
static wl_status name_number(wl_recording *r, const char *symbol, size_t *number, wl_error *err)
{
    const size_t length = strlen(symbol);
    const wl_digest digest = wl_digest_of(symbol, length);
    if (wl_digest_map_find(&r->name_of, digest, number))
        return WL_OK;
    if (!WL_ROOM(r->names, 2 * r->name_count + 2, r->name_room))
        return wl_fail_memory(err);
    const wl_ptx_demangled name = wl_ptx_demangle(symbol, &r->arena);
    const char *kept = wl_arena_text(&r->arena, symbol, length);
    const char *printed = name.text ? wl_arena_text(&r->arena, name.text + name.name, name.end - name.name) : NULL;
    if (!kept || !printed || !wl_digest_map_add(&r->name_of, digest, r->name_count))
        return wl_fail_memory(err);
    r->names[2 * r->name_count] = kept;
    r->names[2 * r->name_count + 1] = printed;
    *number = r->name_count++;
    return WL_OK;
}

/* ---- events ---- */

/* What a number of a file's own is known by. */
static wl_digest own_number(size_t file, int64_t number) { return (wl_digest){{file, (uint64_t)number}}; }

static wl_status read_program(wl_recording *r, const wl_event_reader *in)
{
    int64_t version;
    const json_t *words;
    const char *device = json_string_value(json_object_get(in->object, "device"));
    wl_buffer text = {0};
    WL_TRY(wl_event_whole(in, "version", 0, &version));
    if (version != WL_RECORD_VERSION)
        return wl_event_fails(in, "version", "is not one that this version of warpline reads");
    WL_TRY(wl_event_list(in, "command", &words));
    for (size_t i = 0; i < json_array_size(words); i++) {
        const char *word = json_string_value(json_array_get(words, i));
        wl_buffer_add(&text, "%s%s", i ? " " : "", word ? word : "?");
    }
    const bool first = !r->command && text.length > 0;
    if (first)
        r->command = wl_arena_text(&r->arena, text.text, text.length);
    const bool failed = text.failed || (first && !r->command);
    wl_buffer_drop(&text);
    if (device && !r->device)
        r->device = wl_arena_text(&r->arena, device, strlen(device));
    return failed || (device && !r->device) ? wl_fail_memory(in->err) : WL_OK;
}

static wl_status read_module(wl_recording *r, size_t file, const wl_event_reader *in)
{
    int64_t number;
    const json_t *list;
    wl_buffer sass = {0};
    wl_recorded_module module = {.file = file, .has_ptx = wl_event_has(in, "ptx")};
    size_t before;
    WL_TRY(wl_event_whole(in, "module", 0, &number));
    if (wl_digest_map_find(&r->module_of, own_number(file, number), &before))
        return wl_event_fails(in, "module", "is the number of another one");
    if (module.has_ptx)
        WL_TRY(wl_event_digest(in, "ptx", &module.digest));
    WL_TRY(wl_event_list(in, "sass", &list));
    for (size_t i = 0; i < json_array_size(list) && i < 8; i++) {
        const char *one = json_string_value(json_array_get(list, i));
        wl_buffer_add(&sass, "%s%.20s", i ? ", " : "", one ? one : "?");
    }
    module.sass = wl_arena_text(&r->arena, wl_buffer_string(&sass), sass.length);
    const bool failed = sass.failed || !module.sass || !WL_ROOM(r->modules, r->module_count + 1, r->module_room) ||
                        !wl_digest_map_add(&r->module_of, own_number(file, number), r->module_count);
    wl_buffer_drop(&sass);
    if (failed)
        return wl_fail_memory(in->err);
    r->modules[r->module_count++] = module;
    return WL_OK;
}

static wl_status add_event(wl_recording *r, const wl_recorded_event *event, wl_error *err)
{
    if (!WL_ROOM(r->events, r->event_count + 1, r->event_room))
        return wl_fail_memory(err);
    r->events[r->event_count++] = *event;
    return WL_OK;
}

/* Launches of equal keys are of one kind. */
static wl_status find_kind(wl_recording *r, const wl_event_reader *in, wl_recorded_launch *launch)
{
    wl_arena arena = {0};
    wl_buffer key = {0};
    wl_recorded_image image;
    const wl_recorded_module *module = &r->modules[launch->module];
    wl_buffer_put(&key, (const char *)&module->digest, sizeof module->digest);
    wl_buffer_put(&key, launch->symbol, strlen(launch->symbol) + 1);
    for (int d = 0; d < 3; d++) {
        const int64_t extents[3] = {launch->grid[d], launch->block[d], launch->cluster[d]};
        wl_buffer_put(&key, (const char *)extents, sizeof extents);
    }
    wl_buffer_put(&key, (const char *)&launch->dynamic_shared, sizeof launch->dynamic_shared);
    wl_buffer_put(&key, (const char *)&launch->registers, sizeof launch->registers);
    wl_status status = wl_recorded_image_read(in, &arena, &image, &key);
    if (status == WL_OK && key.failed)
        status = wl_fail_memory(in->err);
    if (status == WL_OK) {
        const wl_digest digest = wl_digest_of(key.text, key.length);
        if (!wl_digest_map_find(&r->kind_of, digest, &launch->kind) &&
            !wl_digest_map_add(&r->kind_of, digest, launch->kind))
            status = wl_fail_memory(in->err);
    }
    wl_buffer_drop(&key);
    wl_arena_free(&arena);
    return status;
}

/* A launch that was not kept is like an earlier one. */
static wl_status find_like(const wl_recording *r, size_t file, const wl_event_reader *in, wl_recorded_launch *launch)
{
    int64_t like;
    size_t number;
    WL_TRY(wl_event_whole(in, "like", 0, &like));
    if (!wl_digest_map_find(&r->launch_of, own_number(file, like), &number))
        return wl_event_fails(in, "like", "is not the number of an earlier launch");
    launch->like = true;
    launch->kind = r->launches[number].launch.kind;
    return WL_OK;
}

static wl_status read_launch(wl_recording *r, const wl_record_place *place, const wl_event_reader *in)
{
    wl_kept_launch kept = {.place = *place,
                           .launch = {.kind = r->launch_count, .graph = -1, .start_s = -1, .time_s = -1}};
    wl_recorded_launch *launch = &kept.launch;
    int64_t id, module;
    size_t before, name;
    const char *symbol;
    WL_TRY(wl_event_whole(in, "id", 0, &id));
    if (wl_digest_map_find(&r->launch_of, own_number(place->file, id), &before))
        return wl_event_fails(in, "id", "is the number of another launch");
    WL_TRY(wl_event_text(in, "kernel", &symbol));
    WL_TRY(wl_event_whole(in, "module", 0, &module));
    if (!wl_digest_map_find(&r->module_of, own_number(place->file, module), &launch->module))
        return wl_event_fails(in, "module", "is not the number of an earlier module");
    WL_TRY(wl_event_extents(in, "grid", 1, launch->grid));
    WL_TRY(wl_event_extents(in, "block", 1, launch->block));
    if (wl_event_has(in, "cluster"))
        WL_TRY(wl_event_extents(in, "cluster", 1, launch->cluster));
    WL_TRY(wl_event_whole(in, "shared", 0, &launch->dynamic_shared));
    WL_TRY(wl_event_whole(in, "stream", 0, &launch->stream));
    if (wl_event_has(in, "registers"))
        WL_TRY(wl_event_whole(in, "registers", 1, &launch->registers));
    if (wl_event_has(in, "graph"))
        WL_TRY(wl_event_whole(in, "graph", 0, &launch->graph));
    WL_TRY(wl_event_seconds(in, "start", &launch->start_s));
    WL_TRY(wl_event_seconds(in, "time", &launch->time_s));
    WL_TRY(name_number(r, symbol, &name, in->err));
    launch->symbol = r->names[2 * name];
    launch->kernel = r->names[2 * name + 1];
    WL_TRY(wl_event_has(in, "like") ? find_like(r, place->file, in, launch) : find_kind(r, in, launch));
    if (!WL_ROOM(r->launches, r->launch_count + 1, r->launch_room) ||
        !wl_digest_map_add(&r->launch_of, own_number(place->file, id), r->launch_count))
        return wl_fail_memory(in->err);
    kept.event = r->event_count;
    r->launches[r->launch_count] = kept;
    return add_event(r,
                     &(wl_recorded_event){.kind = WL_RECORDED_LAUNCH,
                                          .launch = r->launch_count++,
                                          .stream = launch->stream,
                                          .mark = -1,
                                          .start_s = launch->start_s,
                                          .time_s = launch->time_s},
                     in->err);
}

static wl_status read_transfer(wl_recording *r, const wl_event_reader *in, wl_recorded_kind kind)
{
    static const char *const directions[WL_COPY_COUNT] = {"htod", "dtoh", "dtod", "htoh"};
    wl_recorded_event event = {.kind = kind, .mark = -1, .start_s = -1, .time_s = -1};
    if (kind == WL_RECORDED_COPY) {
        const char *word;
        WL_TRY(wl_event_text(in, "direction", &word));
        while (event.direction < WL_COPY_COUNT && strcmp(directions[event.direction], word) != 0)
            event.direction++;
        if (event.direction == WL_COPY_COUNT)
            return wl_event_fails(in, "direction", "must be htod, dtoh, dtod or htoh");
    }
    WL_TRY(wl_event_whole(in, "bytes", 0, &event.bytes));
    WL_TRY(wl_event_whole(in, "stream", 0, &event.stream));
    WL_TRY(wl_event_seconds(in, "start", &event.start_s));
    WL_TRY(wl_event_seconds(in, "time", &event.time_s));
    return add_event(r, &event, in->err);
}

/* A time that was known only after its launch. */
static wl_status read_time(wl_recording *r, size_t file, const wl_event_reader *in)
{
    int64_t id;
    size_t number;
    WL_TRY(wl_event_whole(in, "launch", 0, &id));
    if (!wl_digest_map_find(&r->launch_of, own_number(file, id), &number))
        return wl_event_fails(in, "launch", "is not the number of an earlier launch");
    wl_kept_launch *l = &r->launches[number];
    WL_TRY(wl_event_seconds(in, "time", &l->launch.time_s));
    r->events[l->event].time_s = l->launch.time_s;
    return WL_OK;
}

static wl_status read_order(wl_recording *r, const wl_event_reader *in, wl_recorded_kind kind)
{
    wl_recorded_event event = {.kind = kind, .stream = -1, .mark = -1, .start_s = -1, .time_s = -1};
    if (kind == WL_RECORDED_MARK || wl_event_has(in, "stream"))
        WL_TRY(wl_event_whole(in, "stream", 0, &event.stream));
    if (kind == WL_RECORDED_MARK || wl_event_has(in, "mark"))
        WL_TRY(wl_event_whole(in, "mark", 0, &event.mark));
    return add_event(r, &event, in->err);
}

static wl_status read_event(wl_recording *r, const wl_record_place *place, const wl_event_reader *in)
{
    const char *text;
    if (strcmp(in->what, "launch") == 0)
        return read_launch(r, place, in);
    if (strcmp(in->what, "copy") == 0)
        return read_transfer(r, in, WL_RECORDED_COPY);
    if (strcmp(in->what, "memset") == 0)
        return read_transfer(r, in, WL_RECORDED_MEMSET);
    if (strcmp(in->what, "mark") == 0)
        return read_order(r, in, WL_RECORDED_MARK);
    if (strcmp(in->what, "wait") == 0)
        return read_order(r, in, WL_RECORDED_WAIT);
    if (strcmp(in->what, "time") == 0)
        return read_time(r, place->file, in);
    if (strcmp(in->what, "module") == 0)
        return read_module(r, place->file, in);
    if (strcmp(in->what, "program") == 0)
        return read_program(r, in);
    if (strcmp(in->what, "note") != 0)
        return WL_OK; /* "end", and those of later versions */
    WL_TRY(wl_event_text(in, "text", &text));
    return add_note(r, in->err, "%.300s", text);
}

/* ---- files ---- */

static wl_status take_blob(wl_recording *r, const wl_record_place *place, wl_error *err)
{
    size_t before;
    if (wl_digest_map_find(&r->blob_of, place->record.digest, &before))
        return WL_OK;
    if (!WL_ROOM(r->blobs, r->blob_count + 1, r->blob_room) ||
        !wl_digest_map_add(&r->blob_of, place->record.digest, r->blob_count))
        return wl_fail_memory(err);
    r->blobs[r->blob_count++] = *place;
    return WL_OK;
}

static wl_status take_event(wl_recording *r, const wl_record_place *place, wl_error *err)
{
    json_t *event = NULL;
    wl_event_reader in;
    WL_TRY(wl_event_open(r, place, &event, &in, err));
    const wl_status status = read_event(r, place, &in);
    json_decref(event);
    return status;
}

static wl_status read_records(wl_recording *r, size_t number, wl_error *err)
{
    wl_record_place place = {.file = number};
    for (;;) {
        wl_record_file *file = &r->files[number];
        wl_record_found found;
        WL_TRY(wl_record_next(file, &place.record, &found, err));
        if (found == WL_RECORD_CUT)
            return add_note(r, err, "%.200s ends early: what follows byte %llu was not written", file->path,
                            (unsigned long long)file->next);
        if (found == WL_RECORD_END)
            return WL_OK;
        if (place.record.kind == WL_RECORD_BLOB)
            WL_TRY(take_blob(r, &place, err));
        else if (place.record.kind == WL_RECORD_EVENT)
            WL_TRY(take_event(r, &place, err));
    }
}

/* The file becomes the recording's. */
static wl_status add_file(wl_recording *r, wl_record_file *file, wl_error *err)
{
    if (!WL_ROOM(r->files, r->file_count + 1, r->file_room)) {
        wl_record_file_close(file);
        return wl_fail_memory(err);
    }
    r->files[r->file_count] = *file;
    return read_records(r, r->file_count++, err);
}

static wl_status open_file(wl_recording *r, const char *path, wl_error *err)
{
    wl_record_file file;
    WL_TRY(wl_record_file_open(path, &file, err));
    return add_file(r, &file, err);
}

static int is_recording_name(const struct dirent *entry)
{
    const size_t length = strlen(entry->d_name);
    return length > strlen(SUFFIX) && strcmp(entry->d_name + length - strlen(SUFFIX), SUFFIX) == 0;
}

static int by_name(const struct dirent **a, const struct dirent **b) { return strcmp((*a)->d_name, (*b)->d_name); }

static wl_status open_folder(wl_recording *r, const char *path, wl_error *err)
{
    struct dirent **names = NULL;
    const int count = scandir(path, &names, is_recording_name, by_name);
    wl_status status = WL_OK;
    if (count < 0)
        return errno == ENOMEM ? wl_fail_memory(err)
                               : wl_fail(err, WL_E_IO, WL_NOWHERE, "%.200s: %s", path, strerror(errno));
    if (count == 0)
        status = wl_fail(err, WL_E_INPUT, WL_NOWHERE, "%.200s: no file in this folder is called " SUFFIX, path);
    for (int i = 0; i < count; i++) {
        wl_buffer file = {0};
        wl_buffer_add(&file, "%s/%s", path, names[i]->d_name);
        if (status == WL_OK)
            status = file.failed ? wl_fail_memory(err) : open_file(r, file.text, err);
        wl_buffer_drop(&file);
        free(names[i]);
    }
    free(names);
    return status;
}

static bool is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* What is read from a pipe would be gone. */
static bool is_plain(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

bool wl_recording_is(const char *path)
{
    char start[WL_RECORD_MAGIC_BYTES];
    if (is_folder(path)) {
        struct dirent **names = NULL;
        const int count = scandir(path, &names, is_recording_name, NULL);
        const bool unknown = count < 0 && errno == ENOMEM; /* who opens it will say so */
        for (int i = 0; i < count; i++)
            free(names[i]);
        free(names);
        return count > 0 || unknown;
    }
    const size_t length = strlen(path);
    if (length > strlen(SUFFIX) && strcmp(path + length - strlen(SUFFIX), SUFFIX) == 0)
        return true;
    const int file = is_plain(path) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    const ssize_t count = file >= 0 ? read(file, start, sizeof start) : -1;
    if (file >= 0)
        (void)close(file);
    return count > 0 && wl_record_is_magic(start, (size_t)count);
}

static wl_status finish(wl_recording *r, wl_status status, wl_recording **out)
{
    if (status == WL_OK)
        *out = r;
    else
        wl_recording_free(r);
    return status;
}

wl_status wl_recording_open(const char *path, wl_recording **out, wl_error *err)
{
    wl_recording *r = calloc(1, sizeof *r);
    if (!r)
        return wl_fail_memory(err);
    return finish(r, is_folder(path) ? open_folder(r, path, err) : open_file(r, path, err), out);
}

wl_status wl_recording_hold(const char *name, const void *bytes, size_t size, wl_recording **out, wl_error *err)
{
    wl_recording *r = calloc(1, sizeof *r);
    wl_record_file file;
    if (!r)
        return wl_fail_memory(err);
    const wl_status status = wl_record_file_hold(name, bytes, size, &file, err);
    return finish(r, status ? status : add_file(r, &file, err), out);
}

void wl_recording_free(wl_recording *r)
{
    if (!r)
        return;
    for (size_t i = 0; i < r->file_count; i++)
        wl_record_file_close(&r->files[i]);
    for (size_t i = 0; i < r->module_count; i++) {
        wl_ptx_free(r->modules[i].ptx);
        free(r->modules[i].text);
    }
    wl_digest_map *const maps[] = {&r->blob_of, &r->module_of, &r->launch_of, &r->name_of, &r->kind_of};
    for (size_t i = 0; i < sizeof maps / sizeof maps[0]; i++)
        wl_digest_map_free(maps[i]);
    free(r->files);
    free(r->blobs);
    free(r->modules);
    free(r->launches);
    free(r->events);
    free((void *)r->notes);
    free((void *)r->names);
    wl_arena_free(&r->arena);
    free(r);
}

/* ---- what is in it ---- */

const char *wl_recording_command(const wl_recording *r) { return r->command; }

const char *wl_recording_device(const wl_recording *r) { return r->device; }

const char *wl_recording_note(const wl_recording *r, size_t index)
{
    return index < r->note_count ? r->notes[index] : NULL;
}

const wl_recorded_launch *wl_recording_launch(const wl_recording *r, size_t launch)
{
    return launch < r->launch_count ? &r->launches[launch].launch : NULL;
}

const wl_recorded_event *wl_recording_event(const wl_recording *r, size_t index)
{
    return index < r->event_count ? &r->events[index] : NULL;
}

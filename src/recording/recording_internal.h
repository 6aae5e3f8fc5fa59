/* recording_internal.h - a recording as it is in memory: what happened, and where the rest is in
 * the files.
 *
 * Layer  recording. SPDX-License-Identifier: MIT */
#ifndef WL_RECORDING_RECORDING_INTERNAL_H
#define WL_RECORDING_RECORDING_INTERNAL_H

#include "base/arena.h"
#include "base/buffer.h"
#include "base/json.h"
#include "recording/record_read.h"
#include "warpline/recording.h"

#define WL_EVENT_MOST ((uint64_t)64 << 20)   /* bytes of one event, once decompressed */
#define WL_BLOB_MOST ((uint64_t)4 << 30)     /* of one blob */
#define WL_CONTENTS_MOST ((uint64_t)8 << 30) /* of all memory of a launch */

/* A record and the file that it is in. */
typedef struct wl_record_place {
    size_t file;
    wl_record record;
} wl_record_place;

typedef struct wl_recorded_module {
    size_t file;
    bool has_ptx;
    wl_digest digest;
    const char *sass; /* "sm_80, sm_90", where there is no PTX; or "" */
    wl_ptx *ptx;      /* NULL: not read yet */
    char *text;
    size_t length;
} wl_recorded_module;

typedef struct wl_kept_launch {
    wl_recorded_launch launch;
    wl_record_place place; /* of its event */
    size_t event;          /* its number */
} wl_kept_launch;

struct wl_recording {
    wl_arena arena; /* texts */
    wl_record_file *files;
    wl_record_place *blobs;
    wl_recorded_module *modules;
    wl_kept_launch *launches;
    wl_recorded_event *events;
    const char **notes, **names; /* names: of kernels, the symbol and what it means */
    size_t file_count, blob_count, module_count, launch_count, event_count, note_count, name_count;
    size_t file_room, blob_room, module_room, launch_room, event_room, note_room, name_room;
    /* numbers of blobs by digest, of modules and launches by file and number, of names by their
     * bytes, of first launches by what decides about their prediction */
    wl_digest_map blob_of, module_of, launch_of, name_of, kind_of;
    const char *command, *device;
};

/* A recording of one file that is in memory, which stays the caller's: for tests. */
wl_status wl_recording_hold(const char *name, const void *bytes, size_t size, wl_recording **out, wl_error *err);

/* An event that is being read. */
typedef struct wl_event_reader {
    const char *path;
    uint64_t at;          /* of its record in the file */
    const char *what;     /* "launch" */
    const json_t *object; /* whose members are read */
    wl_error *err;
} wl_event_reader;

/* Members, each with a message where it is missing or wrong. */
wl_status wl_event_fails(const wl_event_reader *in, const char *member, const char *why);
wl_status wl_event_whole(const wl_event_reader *in, const char *member, int64_t low, int64_t *value);
wl_status wl_event_text(const wl_event_reader *in, const char *member, const char **value);
wl_status wl_event_extents(const wl_event_reader *in, const char *member, int64_t low, int64_t value[3]);
wl_status wl_event_digest(const wl_event_reader *in, const char *member, wl_digest *value);
wl_status wl_event_address(const wl_event_reader *in, const char *member, uint64_t *value);
/* Hexadecimal digits as bytes of the arena. */
wl_status wl_event_bytes(const wl_event_reader *in, const char *member, wl_arena *arena, uint8_t **bytes,
                         size_t *count);
/* Those that may be missing: *value is left alone then. */
bool wl_event_has(const wl_event_reader *in, const char *member);
wl_status wl_event_seconds(const wl_event_reader *in, const char *member, double *value);
/* A list of objects, or of lists; NULL: there is none. */
wl_status wl_event_list(const wl_event_reader *in, const char *member, const json_t **list);

/* Opens the JSON of an event; json_decref it. */
wl_status wl_event_open(const wl_recording *recording, const wl_record_place *place, json_t **event,
                        wl_event_reader *in, wl_error *err);

/* ---- what a launch reaches ---- */

#define WL_RECORDED_FINE 512 /* bytes that allocations are aligned to; one that is not stays so */

typedef struct wl_recorded_buffer {
    uint64_t address;
    int64_t bytes;
    bool has_contents;
    wl_digest contents;
} wl_recorded_buffer;

typedef struct wl_recorded_map {
    int64_t at; /* offset in the parameters; -1: in memory, at */
    uint64_t address;
    uint8_t *bytes; /* 128 */
} wl_recorded_map;

/* A word of the parameters that leads into a buffer. */
typedef struct wl_recorded_pointer {
    int64_t at, buffer, offset;
} wl_recorded_pointer;

/* The members of a launch that is kept; in the arena. */
typedef struct wl_recorded_image {
    uint8_t *params;
    size_t param_bytes;
    wl_recorded_buffer *buffers;
    wl_recorded_pointer *pointers;
    wl_ptx_symbol *symbols;
    wl_recorded_map *maps;
    wl_ptx_texture_object *objects;
    size_t buffer_count, pointer_count, symbol_count, map_count, object_count;
} wl_recorded_image;
/* The buffer that an address lies in, or NULL. */
const wl_recorded_buffer *wl_recorded_buffer_at(const wl_recorded_image *image, uint64_t address);
/* Also adds to `key`, unless it is NULL, what decides about the prediction: not addresses. */
wl_status wl_recorded_image_read(const wl_event_reader *in, wl_arena *arena, wl_recorded_image *out, wl_buffer *key);

#endif /* WL_RECORDING_RECORDING_INTERNAL_H */

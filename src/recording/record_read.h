/* record_read.h - reads the file of a recording, record by record (docs/recording.md).
 *
 * Payloads stay in the file until they are asked for. Nothing in a file is believed: sizes are
 * checked against what the file can hold before memory is taken.
 * Layer  recording (uses base). Oracle: tests/unit/test_recording.c.
 * SPDX-License-Identifier: MIT */
#ifndef WL_RECORDING_RECORD_READ_H
#define WL_RECORDING_RECORD_READ_H

#include <stdbool.h>

#include "recording/record_format.h"
#include "warpline/status.h"

typedef struct wl_record_file {
    char *path;           /* in messages */
    int descriptor;       /* -1: the bytes are in memory, */
    const uint8_t *bytes; /* borrowed */
    uint64_t size;
    uint64_t next; /* offset of the next record */
} wl_record_file;

/* WL_E_IO: it cannot be read; WL_E_INPUT: it does not begin as a recording does. */
wl_status wl_record_file_open(const char *path, wl_record_file *out, wl_error *err);
wl_status wl_record_file_hold(const char *name, const void *bytes, size_t size, wl_record_file *out, wl_error *err);
void wl_record_file_close(wl_record_file *file);
/* Do these bytes begin a recording? */
bool wl_record_is_magic(const void *bytes, size_t size);

typedef struct wl_record {
    uint32_t kind, flags;
    uint64_t at; /* of the payload in the file */
    uint64_t stored, bytes;
    wl_digest digest;
} wl_record;

typedef enum wl_record_found { WL_RECORD_THERE, WL_RECORD_END, WL_RECORD_CUT } wl_record_found;
/* The next record; CUT: the file ends inside of it. WL_E_IO; WL_E_INPUT: no record is there. */
wl_status wl_record_next(wl_record_file *file, wl_record *out, wl_record_found *found, wl_error *err);

/* The payload, decompressed, and a 0 behind it; the caller frees it. Threads may read at once.
 * WL_E_LIMIT: more bytes than `most`; WL_E_INPUT: damaged. */
wl_status wl_record_payload(const wl_record_file *file, const wl_record *record, uint64_t most, uint8_t **out,
                            wl_error *err);

#endif /* WL_RECORDING_RECORD_READ_H */

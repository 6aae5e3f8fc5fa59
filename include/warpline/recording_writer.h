/* recording_writer.h - writes the file of a recording, record by record (docs/recording.md).
 * Not thread-safe: the caller has a lock. SPDX-License-Identifier: MIT */
#ifndef WL_RECORDING_WRITER_H
#define WL_RECORDING_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "warpline/status.h"

/* Of bytes: as text, both words in hexadecimal, 16 digits each. */
typedef struct wl_digest {
    uint64_t word[2];
} wl_digest;

typedef struct wl_record_writer wl_record_writer;
/* Replaces the file. WL_E_IO: it cannot be written. */
WL_FALLIBLE wl_record_writer_new(const char *path, wl_record_writer **out, wl_error *err);
/* Writes bytes unless equal ones are there already. */
WL_FALLIBLE wl_record_blob(wl_record_writer *writer, const void *bytes, size_t count, wl_digest *digest, wl_error *err);
/* One JSON object, with "event" among its members. `at_once`: it is in the file afterwards, should
 * the program end there. */
WL_FALLIBLE wl_record_event(wl_record_writer *writer, const char *text, size_t length, bool at_once, wl_error *err);
WL_FALLIBLE wl_record_flush(wl_record_writer *writer, wl_error *err);
/* Frees the writer in any case. */
WL_FALLIBLE wl_record_writer_close(wl_record_writer *writer, wl_error *err);

#endif /* WL_RECORDING_WRITER_H */

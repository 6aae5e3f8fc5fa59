/* record_format.h - the file of a recording: what writers and readers share (docs/recording.md).
 *
 * Layer  recording (uses base). SPDX-License-Identifier: MIT */
#ifndef WL_RECORDING_RECORD_FORMAT_H
#define WL_RECORDING_RECORD_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "warpline/recording_writer.h"

#define WL_RECORD_MAGIC "\x89WLR\r\n\x1a\n" /* eight bytes */
#define WL_RECORD_MAGIC_BYTES 8
#define WL_RECORD_VERSION 1
#define WL_RECORD_EVENT 0x544e5645u /* "EVNT" */
#define WL_RECORD_BLOB 0x424f4c42u  /* "BLOB" */
#define WL_RECORD_ZSTD 1u           /* a flag: the payload is compressed */
#define WL_RECORD_ALIGN 8

/* In front of every payload; little-endian. */
typedef struct wl_record_head {
    uint32_t kind, flags;
    uint64_t stored, bytes; /* of the payload: as stored, and once decompressed */
    uint64_t digest[2];
} wl_record_head;
_Static_assert(sizeof(wl_record_head) == 40, "as the file has it");

/* Two independent sums over the same words, each mixed well: bytes that differ by chance differ
 * here. The same on every machine. */
wl_digest wl_digest_of(const void *bytes, size_t count);
#define WL_DIGEST_TEXT 33 /* 32 hexadecimal digits and the end */
void wl_digest_text(wl_digest digest, char text[WL_DIGEST_TEXT]);
/* The digest that a text of 32 digits is; false: it is none. */
bool wl_digest_read(const char *text, wl_digest *digest);

/* Numbers by digest: a hash table. All zeros: empty. */
typedef struct wl_digest_map {
    struct wl_digest_slot {
        wl_digest key;
        size_t number; /* + 1; 0: an empty slot */
    } * slots;
    size_t room, count;
} wl_digest_map;
bool wl_digest_map_find(const wl_digest_map *map, wl_digest key, size_t *number);
/* The key is not there yet. False: out of memory. */
bool wl_digest_map_add(wl_digest_map *map, wl_digest key, size_t number);
void wl_digest_map_free(wl_digest_map *map);

#endif /* WL_RECORDING_RECORD_FORMAT_H */

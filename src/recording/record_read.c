/* record_read.c - see record_read.h.
 * Layer  recording. SPDX-License-Identifier: MIT */
#define _XOPEN_SOURCE 700 /* pread */
#include "recording/record_read.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/fail.h"

#define CHUNK ((size_t)1 << 18) /* bytes that are read at a time */
/* The most that zstd makes of bytes: a block of 128 KiB that repeats one byte takes four. */
#define BLOCK_MOST ((uint64_t)128 << 10)
#define BLOCK_LEAST 4

static wl_status cannot_read(const char *path, wl_error *err)
{
    return wl_fail(err, WL_E_IO, WL_NOWHERE, "%.200s: %s", path, strerror(errno));
}

static wl_status damaged(const wl_record_file *file, uint64_t at, const char *why, wl_error *err)
{
    return wl_fail(err, WL_E_INPUT, WL_NOWHERE, "%.120s: the record at byte %llu is damaged: %s", file->path,
                   (unsigned long long)at, why);
}

/* All of `count` bytes, which lie inside the file. */
static wl_status read_at(const wl_record_file *file, uint64_t at, void *to, size_t count, wl_error *err)
{
    if (file->descriptor < 0) {
        memcpy(to, file->bytes + at, count);
        return WL_OK;
    }
    for (size_t done = 0; done < count;) {
        const ssize_t got = pread(file->descriptor, (uint8_t *)to + done, count - done, (off_t)(at + done));
        if (got < 0 && errno != EINTR)
            return cannot_read(file->path, err);
        if (got == 0)
            return wl_fail(err, WL_E_IO, WL_NOWHERE, "%.200s: the file has become shorter", file->path);
        done += got > 0 ? (size_t)got : 0;
    }
    return WL_OK;
}

bool wl_record_is_magic(const void *bytes, size_t size)
{
    return size >= WL_RECORD_MAGIC_BYTES && memcmp(bytes, WL_RECORD_MAGIC, WL_RECORD_MAGIC_BYTES) == 0;
}

static wl_status check_start(wl_record_file *file, wl_error *err)
{
    uint8_t magic[WL_RECORD_MAGIC_BYTES] = {0};
    if (file->size >= sizeof magic)
        WL_TRY(read_at(file, 0, magic, sizeof magic, err));
    file->next = sizeof magic;
    return wl_record_is_magic(magic, sizeof magic)
               ? WL_OK
               : wl_fail(err, WL_E_INPUT, WL_NOWHERE, "%.200s: this is no recording", file->path);
}

wl_status wl_record_file_hold(const char *name, const void *bytes, size_t size, wl_record_file *out, wl_error *err)
{
    *out = (wl_record_file){.path = strdup(name), .descriptor = -1, .bytes = bytes, .size = size};
    const wl_status status = out->path ? check_start(out, err) : wl_fail_memory(err);
    if (status != WL_OK)
        wl_record_file_close(out);
    return status;
}

wl_status wl_record_file_open(const char *path, wl_record_file *out, wl_error *err)
{
    struct stat info;
    *out = (wl_record_file){.path = strdup(path), .descriptor = -1};
    if (!out->path)
        return wl_fail_memory(err);
    out->descriptor = open(path, O_RDONLY | O_CLOEXEC);
    wl_status status = WL_OK;
    if (out->descriptor < 0 || fstat(out->descriptor, &info) != 0)
        status = cannot_read(path, err);
    else if (!S_ISREG(info.st_mode))
        status = wl_fail(err, WL_E_INPUT, WL_NOWHERE, "%.200s: a recording is a file, or a folder of files", path);
    else
        out->size = (uint64_t)info.st_size;
    status = status ? status : check_start(out, err);
    if (status != WL_OK)
        wl_record_file_close(out);
    return status;
}

void wl_record_file_close(wl_record_file *file)
{
    if (file->descriptor >= 0)
        (void)close(file->descriptor);
    free(file->path);
    *file = (wl_record_file){.descriptor = -1};
}

/* ---- heads ---- */

static uint64_t number_at(const uint8_t *at, int bytes)
{
    uint64_t value = 0;
    for (int i = bytes; i-- > 0;)
        value = value << 8 | at[i];
    return value;
}

static bool is_honest(const wl_record *r)
{
    if (!(r->flags & WL_RECORD_ZSTD))
        return r->bytes == r->stored;
    return r->bytes / BLOCK_MOST <= r->stored / BLOCK_LEAST + 1;
}

wl_status wl_record_next(wl_record_file *file, wl_record *out, wl_record_found *found, wl_error *err)
{
    const uint64_t left = file->size - file->next;
    uint8_t head[sizeof(wl_record_head)];
    *found = left == 0 ? WL_RECORD_END : WL_RECORD_CUT;
    if (left < sizeof head)
        return WL_OK;
    WL_TRY(read_at(file, file->next, head, sizeof head, err));
    *out = (wl_record){.kind = (uint32_t)number_at(head, 4),
                       .flags = (uint32_t)number_at(head + 4, 4),
                       .at = file->next + sizeof head,
                       .stored = number_at(head + 8, 8),
                       .bytes = number_at(head + 16, 8),
                       .digest = {{number_at(head + 24, 8), number_at(head + 32, 8)}}};
    if (out->stored > left - sizeof head)
        return WL_OK;
    if (out->flags & ~WL_RECORD_ZSTD)
        return damaged(file, file->next, "it has flags that version 1 does not have", err);
    if (!is_honest(out))
        return damaged(file, file->next, "its sizes contradict each other", err);
    /* zeros may follow; the last ones may be missing */
    const uint64_t filled = out->stored + (-out->stored % WL_RECORD_ALIGN), room = left - sizeof head;
    file->next = out->at + (filled < room ? filled : room);
    *found = WL_RECORD_THERE;
    return WL_OK;
}

/* ---- payloads ---- */

static wl_status unpack(const wl_record_file *file, const wl_record *r, ZSTD_DCtx *unpacker, uint8_t *chunk,
                        uint8_t *to, wl_error *err)
{
    ZSTD_outBuffer out = {to, (size_t)r->bytes, 0};
    size_t left = 1;
    for (uint64_t at = 0; at < r->stored && left > 0;) {
        const size_t count = r->stored - at < CHUNK ? (size_t)(r->stored - at) : CHUNK;
        ZSTD_inBuffer in = {chunk, count, 0};
        WL_TRY(read_at(file, r->at + at, chunk, count, err));
        while (in.pos < in.size && left > 0) {
            const size_t was_in = in.pos, was_out = out.pos;
            left = ZSTD_decompressStream(unpacker, &out, &in);
            if (ZSTD_isError(left))
                return ZSTD_getErrorCode(left) == ZSTD_error_memory_allocation
                           ? wl_fail_memory(err)
                           : damaged(file, r->at, ZSTD_getErrorName(left), err);
            if (left > 0 && in.pos == was_in && out.pos == was_out)
                return damaged(file, r->at, "it has more bytes than it says", err);
        }
        at += count;
    }
    return left == 0 && out.pos == r->bytes ? WL_OK : damaged(file, r->at, "it has fewer bytes than it says", err);
}

static wl_status unpack_all(const wl_record_file *file, const wl_record *r, uint8_t *to, wl_error *err)
{
    ZSTD_DCtx *unpacker = ZSTD_createDCtx();
    uint8_t *chunk = malloc(CHUNK);
    const wl_status status = unpacker && chunk ? unpack(file, r, unpacker, chunk, to, err) : wl_fail_memory(err);
    (void)ZSTD_freeDCtx(unpacker);
    free(chunk);
    return status;
}

wl_status wl_record_payload(const wl_record_file *file, const wl_record *r, uint64_t most, uint8_t **out, wl_error *err)
{
    if (r->bytes > most)
        return wl_fail(err, WL_E_LIMIT, WL_NOWHERE,
                       "%.120s: the record at byte %llu has %llu bytes, at most %llu are read", file->path,
                       (unsigned long long)r->at, (unsigned long long)r->bytes, (unsigned long long)most);
    uint8_t *bytes = r->bytes < SIZE_MAX ? malloc((size_t)r->bytes + 1) : NULL;
    if (!bytes)
        return wl_fail_memory(err);
    bytes[r->bytes] = 0;
    wl_status status = r->flags & WL_RECORD_ZSTD ? unpack_all(file, r, bytes, err)
                                                 : read_at(file, r->at, bytes, (size_t)r->bytes, err);
    if (status == WL_OK) {
        const wl_digest digest = wl_digest_of(bytes, (size_t)r->bytes);
        if (memcmp(&digest, &r->digest, sizeof digest) != 0)
            status = damaged(file, r->at, "its digest differs", err);
    }
    if (status == WL_OK)
        *out = bytes;
    else
        free(bytes);
    return status;
}

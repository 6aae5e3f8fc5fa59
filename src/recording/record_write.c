/* record_write.c - see recording_writer.h.
 * Layer  recording. SPDX-License-Identifier: MIT */
#include "warpline/recording_writer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/fail.h"
#include "recording/record_format.h"

#define LEVEL 1          /* of zstd: the program waits while its memory is written */
#define SMALL 256        /* bytes that are not worth compressing */
#define CHUNK (1u << 20) /* bytes that are compressed at a time */

struct wl_record_writer {
    FILE *file;
    char *path;
    wl_digest_map known; /* blobs that are there */
    ZSTD_CCtx *packer;
    uint8_t *packed; /* CHUNK bytes, compressed */
};

static wl_status failed(const wl_record_writer *w, wl_error *err)
{
    return wl_fail(err, WL_E_IO, WL_NOWHERE, "%.200s: %s", w->path, strerror(errno));
}

static void writer_free(wl_record_writer *w)
{
    (void)ZSTD_freeCCtx(w->packer);
    free(w->packed);
    wl_digest_map_free(&w->known);
    free(w->path);
    free(w);
}

wl_status wl_record_writer_new(const char *path, wl_record_writer **out, wl_error *err)
{
    wl_record_writer *w = calloc(1, sizeof *w);
    if (!w)
        return wl_fail_memory(err);
    w->path = strdup(path);
    w->packer = ZSTD_createCCtx();
    w->packed = malloc(ZSTD_compressBound(CHUNK));
    if (!w->path || !w->packer || !w->packed) {
        writer_free(w);
        return wl_fail_memory(err);
    }
    w->file = fopen(path, "wb");
    if (!w->file || fwrite(WL_RECORD_MAGIC, 1, WL_RECORD_MAGIC_BYTES, w->file) != WL_RECORD_MAGIC_BYTES) {
        const wl_status status = failed(w, err);
        if (w->file)
            (void)fclose(w->file);
        writer_free(w);
        return status;
    }
    *out = w;
    return WL_OK;
}

/* ---- records ---- */

static bool put(wl_record_writer *w, const void *bytes, size_t count)
{
    return count == 0 || fwrite(bytes, 1, count, w->file) == count;
}

/* Compresses into the file; the head is written once the size is known. */
static bool put_packed(wl_record_writer *w, const uint8_t *bytes, size_t count, uint64_t *stored)
{
    (void)ZSTD_CCtx_reset(w->packer, ZSTD_reset_session_and_parameters);
    (void)ZSTD_CCtx_setParameter(w->packer, ZSTD_c_compressionLevel, LEVEL);
    (void)ZSTD_CCtx_setPledgedSrcSize(w->packer, count);
    *stored = 0;
    for (size_t at = 0; at < count;) {
        const size_t taken = count - at < CHUNK ? count - at : CHUNK;
        const bool last = at + taken == count;
        ZSTD_inBuffer in = {bytes + at, taken, 0};
        for (size_t left = 1; left > 0 || in.pos < in.size;) {
            ZSTD_outBuffer out = {w->packed, ZSTD_compressBound(CHUNK), 0};
            left = ZSTD_compressStream2(w->packer, &out, &in, last ? ZSTD_e_end : ZSTD_e_continue);
            if (ZSTD_isError(left) || !put(w, w->packed, out.pos))
                return false;
            *stored += out.pos;
            if (!last && in.pos == in.size)
                break;
        }
        at += taken;
    }
    return true;
}

static wl_status put_record(wl_record_writer *w, uint32_t kind, const void *bytes, size_t count, wl_digest digest,
                            wl_error *err)
{
    static const uint8_t zeros[WL_RECORD_ALIGN];
    wl_record_head head = {kind, 0, count, count, {digest.word[0], digest.word[1]}};
    if (count <= SMALL) {
        if (!put(w, &head, sizeof head) || !put(w, bytes, count))
            return failed(w, err);
    } else {
        const off_t at = ftello(w->file);
        head.flags = WL_RECORD_ZSTD;
        if (at < 0 || !put(w, &head, sizeof head) || !put_packed(w, bytes, count, &head.stored) ||
            fseeko(w->file, at, SEEK_SET) != 0 || !put(w, &head, sizeof head) || fseeko(w->file, 0, SEEK_END) != 0)
            return failed(w, err);
    }
    if (!put(w, zeros, (size_t)(-head.stored % WL_RECORD_ALIGN)))
        return failed(w, err);
    return WL_OK;
}

wl_status wl_record_blob(wl_record_writer *w, const void *bytes, size_t count, wl_digest *digest, wl_error *err)
{
    size_t number;
    *digest = wl_digest_of(bytes, count);
    if (wl_digest_map_find(&w->known, *digest, &number))
        return WL_OK;
    WL_TRY(put_record(w, WL_RECORD_BLOB, bytes, count, *digest, err));
    return wl_digest_map_add(&w->known, *digest, w->known.count) ? WL_OK : wl_fail_memory(err);
}

wl_status wl_record_event(wl_record_writer *w, const char *text, size_t length, bool at_once, wl_error *err)
{
    WL_TRY(put_record(w, WL_RECORD_EVENT, text, length, wl_digest_of(text, length), err));
    return at_once ? wl_record_flush(w, err) : WL_OK;
}

wl_status wl_record_flush(wl_record_writer *w, wl_error *err) { return fflush(w->file) == 0 ? WL_OK : failed(w, err); }

wl_status wl_record_writer_close(wl_record_writer *w, wl_error *err)
{
    const wl_status status = fclose(w->file) == 0 ? WL_OK : failed(w, err);
    writer_free(w);
    return status;
}

/* fatbin.c - see fatbin.h.
 * Layer  binary. SPDX-License-Identifier: MIT */
#include "binary/fatbin.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/fail.h"
#include "binary/lz4.h"

#define MAGIC 0xba55ed50u
#define VERSION 1

/* The header of a fatbin. */
enum { AT_VERSION = 4, AT_HEADER_SIZE = 6, AT_SIZE = 8 };

/* The header of an entry; what follows in longer ones (options of ptxas) is not needed. */
enum {
    ENTRY_KIND = 0,
    ENTRY_HEADER_SIZE = 4,
    ENTRY_SIZE = 8,         /* of the payload, with padding */
    ENTRY_PACKED_SIZE = 16, /* of a packed payload, without */
    ENTRY_ARCH = 28,
    ENTRY_NAME = 32, /* of the source file: its place in the header */
    ENTRY_NAME_SIZE = 36,
    ENTRY_FLAGS = 40,
    ENTRY_UNPACKED_SIZE = 56,
    ENTRY_HEADER_LEAST = 64
};

enum { KIND_PTX = 1, KIND_ELF = 2, KIND_LTO = 8 };

enum { FLAG_LZ4 = 1 << 13, FLAG_ZSTD = 1 << 15, FLAG_ARCH_ONLY = 1 << 20, FLAG_FAMILY = 1 << 21 };

static wl_status damaged(wl_error *err, const char *what)
{
    return wl_fail(err, WL_E_INPUT, WL_NOWHERE, "a damaged fatbin: %s", what);
}

/* ---- the fatbin and its entries ---- */

bool wl_fatbin_is(wl_bytes bytes)
{
    return bytes.size >= WL_FATBIN_HEADER_BYTES && wl_bytes_32(bytes.at) == MAGIC &&
           wl_bytes_16(bytes.at + AT_VERSION) == VERSION &&
           wl_bytes_16(bytes.at + AT_HEADER_SIZE) >= WL_FATBIN_HEADER_BYTES;
}

wl_status wl_fatbin_find(wl_bytes bytes, wl_bytes *fatbin, wl_error *err)
{
    if (!wl_fatbin_is(bytes))
        return damaged(err, "its header is not that of version 1");
    const uint64_t header = wl_bytes_16(bytes.at + AT_HEADER_SIZE), size = wl_bytes_64(bytes.at + AT_SIZE);
    if (size > SIZE_MAX - header || !wl_bytes_part(bytes, 0, header + size, fatbin))
        return damaged(err, "it is longer than what holds it");
    return WL_OK;
}

static wl_binary_packing packing_of(uint64_t flags, bool is_packed)
{
    if (!is_packed)
        return WL_BINARY_PLAIN;
    return flags & FLAG_ZSTD ? WL_BINARY_ZSTD : flags & FLAG_LZ4 ? WL_BINARY_LZ4 : WL_BINARY_PACKED;
}

static wl_binary_code read_code(const uint8_t *header, size_t payload_bytes)
{
    static const wl_binary_kind kinds[] = {
        [KIND_PTX] = WL_BINARY_PTX, [KIND_ELF] = WL_BINARY_SASS, [KIND_LTO] = WL_BINARY_LTO};
    const uint16_t kind = wl_bytes_16(header + ENTRY_KIND);
    const uint64_t flags = wl_bytes_64(header + ENTRY_FLAGS), unpacked = wl_bytes_64(header + ENTRY_UNPACKED_SIZE);
    const bool known = kind < sizeof kinds / sizeof kinds[0] && kinds[kind];
    return (wl_binary_code){.kind = known ? kinds[kind] : WL_BINARY_OTHER,
                            .arch = (int)(wl_bytes_32(header + ENTRY_ARCH) & UINT16_MAX),
                            .variant = flags & FLAG_ARCH_ONLY ? 'a'
                                       : flags & FLAG_FAMILY  ? 'f'
                                                              : '\0',
                            .packing = packing_of(flags, unpacked != 0),
                            .bytes = unpacked == 0          ? payload_bytes
                                     : unpacked <= SIZE_MAX ? (size_t)unpacked
                                                            : SIZE_MAX,
                            .stored_bytes = payload_bytes};
}

wl_status wl_fatbin_next(wl_bytes fatbin, wl_fatbin_entry *entry, bool *found, wl_error *err)
{
    const size_t start = entry->end > 0 ? entry->end : wl_bytes_16(fatbin.at + AT_HEADER_SIZE);
    wl_bytes header, payload, source = {0};
    *found = false;
    if (start >= fatbin.size)
        return WL_OK;
    if (!wl_bytes_part(fatbin, start, ENTRY_HEADER_LEAST, &header))
        return damaged(err, "an entry is cut off");
    const uint32_t header_bytes = wl_bytes_32(header.at + ENTRY_HEADER_SIZE);
    const uint64_t payload_bytes = wl_bytes_64(header.at + ENTRY_SIZE);
    if (header_bytes < ENTRY_HEADER_LEAST || !wl_bytes_part(fatbin, start, header_bytes, &header) ||
        !wl_bytes_part(fatbin, start + header_bytes, payload_bytes, &payload))
        return damaged(err, "an entry is longer than the fatbin");
    const size_t end = start + header_bytes + payload.size;
    const uint32_t packed = wl_bytes_32(header.at + ENTRY_PACKED_SIZE);
    if (packed > 0 && !wl_bytes_part(payload, 0, packed, &payload))
        return damaged(err, "packed code is longer than its entry");
    if (!wl_bytes_part(header, wl_bytes_32(header.at + ENTRY_NAME), wl_bytes_32(header.at + ENTRY_NAME_SIZE), &source))
        source.size = 0;
    *entry =
        (wl_fatbin_entry){.code = read_code(header.at, payload.size), .payload = payload, .source = source, .end = end};
    *found = true;
    return WL_OK;
}

/* ---- unpacking ---- */

static wl_status unpack_zstd(wl_bytes from, uint8_t *to, size_t size, wl_error *err)
{
    const size_t made = ZSTD_decompress(to, size, from.at, from.size);
    if (ZSTD_isError(made) && ZSTD_getErrorCode(made) == ZSTD_error_memory_allocation)
        return wl_fail_memory(err);
    return made == size ? WL_OK : damaged(err, "its zstd data cannot be unpacked");
}

/* No memory is taken for sizes that the packed bytes cannot have. */
static bool size_is_possible(const wl_fatbin_entry *e)
{
    const size_t size = e->code.bytes;
    switch (e->code.packing) {
    case WL_BINARY_LZ4: return size / WL_LZ4_RATIO_MAX <= e->payload.size;
    case WL_BINARY_ZSTD: return ZSTD_getFrameContentSize(e->payload.at, e->payload.size) == size;
    default: return size == e->payload.size;
    }
}

static wl_status unpack(const wl_fatbin_entry *e, uint8_t *to, wl_error *err)
{
    const size_t size = e->code.bytes;
    if (e->code.packing == WL_BINARY_ZSTD)
        return unpack_zstd(e->payload, to, size, err);
    if (e->code.packing == WL_BINARY_LZ4)
        return wl_lz4_unpack(e->payload, to, size) ? WL_OK : damaged(err, "its LZ4 data cannot be unpacked");
    if (size > 0)
        memcpy(to, e->payload.at, size);
    return WL_OK;
}

wl_status wl_fatbin_unpack(const wl_fatbin_entry *e, char **out, size_t *length, wl_error *err)
{
    size_t size = e->code.bytes;
    *out = NULL;
    *length = 0;
    if (e->code.packing == WL_BINARY_PACKED)
        return wl_fail(err, WL_E_UNSUPPORTED, WL_NOWHERE, "device code is packed in a way that is not known");
    if (size > WL_BINARY_BYTES_MAX)
        return wl_fail(err, WL_E_LIMIT, WL_NOWHERE, "device code of more than %zu MiB is not unpacked",
                       WL_BINARY_BYTES_MAX >> 20);
    if (!size_is_possible(e))
        return damaged(err, "unpacked code cannot have the size it says");
    char *text = malloc(size + 1);
    if (!text)
        return wl_fail_memory(err);
    const wl_status status = unpack(e, (uint8_t *)text, err);
    if (status != WL_OK) {
        free(text);
        return status;
    }
    while (e->code.kind == WL_BINARY_PTX && size > 0 && text[size - 1] == '\0') /* padding */
        size--;
    text[size] = '\0';
    *out = text;
    *length = size;
    return WL_OK;
}

/* ---- the best PTX ---- */

/* compute_100f runs on sm_103: architectures of a family differ in the last digit. */
static bool is_family(int arch, int other) { return arch / 10 == other / 10; }

int wl_fatbin_suits(const wl_binary_code *c, int arch, char variant)
{
    enum { SPECIFIC = 2, FAMILY = 1, VARIANTS = 4 };
    const int score = c->arch * VARIANTS;
    if (arch == 0)
        return score + (c->variant == 'a' ? SPECIFIC : c->variant == 'f' ? FAMILY : 0);
    if (c->arch > arch)
        return 0;
    if (c->variant == 'a')
        return variant == 'a' && c->arch == arch ? score + SPECIFIC : 0;
    if (c->variant == 'f')
        return variant && is_family(c->arch, arch) ? score + FAMILY : 0;
    return score;
}

wl_status wl_fatbin_ptx(wl_bytes fatbin, int arch, char **text, size_t *length, wl_error *err)
{
    wl_fatbin_entry entry = {0}, best = {0};
    bool found = true;
    int score = 0;
    *text = NULL;
    while (found) {
        WL_TRY(wl_fatbin_next(fatbin, &entry, &found, err));
        const int suits = found && entry.code.kind == WL_BINARY_PTX ? wl_fatbin_suits(&entry.code, arch, 'a') : 0;
        if (suits > score) {
            best = entry;
            score = suits;
        }
    }
    if (score == 0)
        return wl_fail(err, WL_E_UNSUPPORTED, WL_NOWHERE, "there is no PTX for compute_%d", arch);
    return wl_fatbin_unpack(&best, text, length, err);
}

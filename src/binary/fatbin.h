/* fatbin.h - one fatbin: what nvcc and clang embed for one source file, PTX and SASS for several
 * architectures.
 *
 * A header (magic number, version 1, sizes) and then pieces of code, each behind a header of its
 * own. NVIDIA does not document the format; it is what nvcc 13 and earlier write. No state: a
 * program that is given a fatbin in memory can read it in place.
 * Layer  binary. Oracle: tests/unit/test_binary.c, files of nvcc.
 * SPDX-License-Identifier: MIT */
#ifndef WL_BINARY_FATBIN_H
#define WL_BINARY_FATBIN_H

#include "binary/bytes.h"
#include "warpline/binary.h"

#define WL_FATBIN_HEADER_BYTES 16
#define WL_BINARY_BYTES_MAX ((size_t)256 << 20) /* of one code, unpacked */

/* Do the bytes begin with a header of a fatbin? */
bool wl_fatbin_is(wl_bytes bytes);
/* The whole fatbin that `bytes` begin with; what follows it is left alone. WL_E_INPUT: none, or it
 * is longer than `bytes`. */
wl_status wl_fatbin_find(wl_bytes bytes, wl_bytes *fatbin, wl_error *err);

typedef struct wl_fatbin_entry {
    wl_binary_code code; /* without fatbin, member and source, which are not known here */
    wl_bytes payload;    /* as stored */
    wl_bytes source;     /* the name of the source file, without a 0; empty: not stored */
    size_t end;          /* of the entry in the fatbin */
} wl_fatbin_entry;

/* The entry after *entry; after a zeroed one, the first. *found is false behind the last one.
 * WL_E_INPUT: damaged. */
wl_status wl_fatbin_next(wl_bytes fatbin, wl_fatbin_entry *entry, bool *found, wl_error *err);

/* PTX as text, or a cubin, in memory of malloc with a 0 after it. WL_E_INPUT: damaged; WL_E_LIMIT:
 * more than WL_BINARY_BYTES_MAX; WL_E_UNSUPPORTED: packed in a way that is not known. */
wl_status wl_fatbin_unpack(const wl_fatbin_entry *entry, char **out, size_t *length, wl_error *err);

/* How well PTX suits an architecture, as wl_binary_best_ptx says; more is better, 0: it does not
 * run there. */
int wl_fatbin_suits(const wl_binary_code *code, int arch, char variant);

/* The PTX that suits the devices of an architecture (90) best, in memory of malloc.
 * WL_E_UNSUPPORTED: there is none. */
wl_status wl_fatbin_ptx(wl_bytes fatbin, int arch, char **text, size_t *length, wl_error *err);

#endif /* WL_BINARY_FATBIN_H */

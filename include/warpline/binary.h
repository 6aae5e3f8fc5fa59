/* binary.h - the device code inside of executables, objects, libraries, fatbins and cubins.
 *
 * nvcc and clang embed the code of each source file as one fatbin: PTX and SASS for one or more
 * architectures, packed or not. Host code is ELF of 64 bits for x86-64 or aarch64.
 * SPDX-License-Identifier: MIT */
#ifndef WL_BINARY_H
#define WL_BINARY_H

#include "warpline/status.h"

typedef enum wl_binary_kind {
    WL_BINARY_PTX = 1,
    WL_BINARY_SASS, /* machine code, a cubin */
    WL_BINARY_LTO,  /* for link-time optimization */
    WL_BINARY_OTHER
} wl_binary_kind;

typedef enum wl_binary_packing {
    WL_BINARY_PLAIN,
    WL_BINARY_LZ4,
    WL_BINARY_ZSTD,
    WL_BINARY_PACKED /* in a way that is not known */
} wl_binary_packing;

/* One piece of device code. */
typedef struct wl_binary_code {
    wl_binary_kind kind;
    int arch;     /* 90: compute_90 of PTX, sm_90 of SASS */
    char variant; /* 'a': for this architecture alone, 'f': its family; 0: later ones, too */
    wl_binary_packing packing;
    size_t bytes, stored_bytes; /* unpacked, and in the file */
    size_t fatbin;              /* its number, from 1: codes of one fatbin have the same source */
    const char *member;         /* of a static library; NULL: it is none */
    const char *source;         /* the name of the source; NULL: not known */
} wl_binary_code;

/* Is it such a file, by its first 8 bytes? */
WL_API bool wl_binary_is(const void *bytes, size_t length);

typedef struct wl_binary wl_binary;
/* Borrows `bytes`, which must outlive it. WL_E_INPUT: damaged, or no device code;
 * WL_E_UNSUPPORTED: for another machine or system. */
WL_FALLIBLE wl_binary_open(const char *input, const void *bytes, size_t length, wl_binary **out, wl_error *err);
WL_API void wl_binary_free(wl_binary *binary);
WL_API size_t wl_binary_fatbin_count(const wl_binary *binary);
WL_API size_t wl_binary_code_count(const wl_binary *binary);
/* Valid as long as `binary` is; NULL beyond the last. */
WL_API const wl_binary_code *wl_binary_code_at(const wl_binary *binary, size_t code);
/* The text of PTX, or the bytes of a cubin, in memory of malloc, with a 0 after it. WL_E_LIMIT: it
 * has more than 256 MiB. */
WL_FALLIBLE wl_binary_unpack(const wl_binary *binary, size_t code, char **out, size_t *length, wl_error *err);
/* The PTX of a fatbin that suits an architecture best: the highest that runs on it; variant 'a':
 * all that its devices run, 0: only PTX without a variant; arch 0: the highest there is. If none
 * runs on it, the lowest, and *runs is false. False: the fatbin has no PTX. */
WL_API bool wl_binary_best_ptx(const wl_binary *binary, size_t fatbin, int arch, char variant, size_t *code,
                               bool *runs);

#endif /* WL_BINARY_H */

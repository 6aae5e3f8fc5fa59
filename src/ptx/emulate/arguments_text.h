/* arguments_text.h - parses one argument as written by a user.
 * Layer  ptx/emulate (uses base, ptx/module). SPDX-License-Identifier: MIT */
#ifndef WL_PTX_EMULATE_ARGUMENTS_TEXT_H
#define WL_PTX_EMULATE_ARGUMENTS_TEXT_H

#include <string.h>

#include "ptx/emulate/arguments.h"
#include "ptx/async/tensor_map.h"

/* The place of a piece of a text, for messages. */
static inline wl_loc wl_ptx_place(const char *text, const char *at, size_t length)
{
    return (wl_loc){1, (int32_t)(at - text) + 1, length > 0 ? (int32_t)length : 1};
}

/* A positive number of at most `most`; moves *at past it. */
bool wl_ptx_positive(const char **at, int64_t most, int64_t *out);
static inline bool wl_ptx_is_word(const char *at, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(at, word, length) == 0;
}

/* Parses "buf:BYTES[:OFFSET][=CONTENTS]" into a buffer; name, base and argument stay as they
 * are. Files come from given->load. */
wl_status wl_ptx_buffer_text(const char *text, const wl_ptx_given *given, wl_ptx_buffer *out, wl_error *err);

/* Parses "tex:WIDTH[xHEIGHT[xDEPTH]]:TYPE[xCHANNELS][:OPTION..][=CONTENTS]", or "surf:..", into a
 * buffer with a texture. */
wl_status wl_ptx_texture_text(const char *text, const wl_ptx_given *given, wl_arena *arena, wl_ptx_buffer *out,
                              wl_error *err);

/* Parses "tensormap:TYPE:EXTENTS:BOX[:OPTION..]" into a map without an address. */
wl_status wl_ptx_map_text(const char *text, wl_ptx_tensor_map *map, wl_error *err);

/* Parses CONTENTS, which begin at `at`, for a buffer of out->bytes. */
wl_status wl_ptx_contents_text(const char *text, const char *at, const wl_ptx_given *given, wl_ptx_buffer *out,
                               wl_error *err);
/* A type of elements: "u32", "bf16". */
bool wl_ptx_element_type(const char *name, size_t length, wl_ptx_type *type);

/* Parses a number into the bytes of a parameter of that type. */
wl_status wl_ptx_number_text(const char *text, wl_ptx_type type, uint8_t *out, wl_error *err);

/* Parses "bytes:HEXDIGITS", as many bytes as the parameter has. */
wl_status wl_ptx_bytes_text(const char *text, int64_t bytes, uint8_t *out, wl_error *err);

#endif /* WL_PTX_EMULATE_ARGUMENTS_TEXT_H */

/* arguments_struct.c - structs that are passed by value, written as lists in braces.
 *
 * Members are laid out as in C: each at a multiple of its size, a nested struct at a multiple of
 * its largest alignment. A whole number has 32 bits and one with a point is an f32, unless a type
 * follows: 4:u8, 2.5:f64. PTX states only the size of a struct, so only the size is checked.
 * Layer  ptx/emulate. SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "ptx/emulate/arguments_internal.h"

#define DEPTH_MAX 6
#define POINTER_BYTES 8
#define MAP_ALIGN 64 /* of a tensor map in a struct */

typedef struct layout {
    wl_ptx_maker *maker;
    const wl_ptx_value_text *value;
    uint8_t *out; /* NULL: only measured */
    int64_t room; /* bytes there */
    int64_t at, align;
    int depth, buffers;
    char *words; /* NULL: no description */
    size_t words_size;
} layout;

static const char *skip_blanks(const char *at) { return at + strspn(at, " \t\n"); }

/* Makes room for a member; false: it does not fit. */
static bool take(layout *l, int64_t bytes, int64_t align, const char *what, int64_t *offset)
{
    *offset = wl_round_up(l->at, align);
    l->at = *offset + bytes;
    l->align = wl_max(l->align, align);
    const size_t used = l->words ? strlen(l->words) : 0;
    if (l->words)
        (void)snprintf(l->words + used, l->words_size - used, "%s%s at %lld", used ? ", " : "", what,
                       (long long)*offset);
    return !l->out || l->at <= l->room;
}

static wl_status too_large(const layout *l, const char *at, size_t length)
{
    return wl_fail(l->maker->err, WL_E_INPUT, wl_ptx_place(l->value->text, at, length),
                   "'%.*s' lies behind the end: there are %lld bytes", length < 40 ? (int)length : 40, at,
                   (long long)l->room);
}

/* Turns the position of an error in a piece into its position in the text. */
static wl_status in_piece(const layout *l, const char *at, wl_status status)
{
    wl_error *err = l->maker->err;
    if (status != WL_OK && err && err->loc.line == 1 && !err->input[0])
        err->loc.col += (int32_t)(at - l->value->text);
    return status;
}

/* A pointer to a buffer, or a tensor map of one. */
static wl_status buffer(layout *l, const char *at, size_t length)
{
    const bool map = wl_ptx_is_map(at);
    int64_t offset;
    char name[32];
    if (!take(l, map ? WL_PTX_MAP_BYTES : POINTER_BYTES, map ? MAP_ALIGN : POINTER_BYTES, map ? "tensormap" : "buf",
              &offset))
        return too_large(l, at, length);
    (void)snprintf(name, sizeof name, "%.20s.%d", l->value->name, l->buffers);
    const wl_ptx_value_text piece = {l->out ? wl_arena_text(l->maker->arena, at, length) : "", name,
                                     l->value->number + 7 * l->buffers};
    l->buffers++;
    if (!piece.text)
        return wl_fail_memory(l->maker->err);
    if (!l->out)
        return WL_OK;
    return in_piece(l, at,
                    map ? wl_ptx_map_argument(l->maker, &piece, l->out + offset)
                        : wl_ptx_pointer_text(l->maker, &piece, l->out + offset));
}

/* "4", "2.5", "4:u8" */
static wl_status number(layout *l, const char *at, size_t length)
{
    char text[64];
    uint8_t bytes[8] = {0};
    int64_t offset;
    const char *colon = memchr(at, ':', length);
    const size_t digits = colon ? (size_t)(colon - at) : length;
    const bool hexadecimal = digits > 1 && at[0] == '0' && (at[1] == 'x' || at[1] == 'X');
    wl_ptx_type type = WL_PTX_B32;
    if (digits == 0 || digits >= sizeof text)
        return wl_fail(l->maker->err, WL_E_INPUT, wl_ptx_place(l->value->text, at, length),
                       "expected a number, buf:BYTES.. or {..} here");
    if (colon && !wl_ptx_element_type(colon + 1, length - digits - 1, &type))
        return wl_fail(l->maker->err, WL_E_INPUT, wl_ptx_place(l->value->text, colon + 1, length - digits - 1),
                       "'%.*s' is not a type (u8 u16 u32 u64 s8 s16 s32 s64 f16 bf16 f32 f64)",
                       (int)wl_min((int64_t)(length - digits - 1), 40), colon + 1);
    memcpy(text, at, digits);
    text[digits] = '\0';
    if (!colon && !hexadecimal && strpbrk(text, ".eE"))
        type = WL_PTX_F32;
    WL_TRY(in_piece(l, at, wl_ptx_number_text(text, type, bytes, l->maker->err)));
    const int64_t size = wl_ptx_type_bits(type) / 8;
    if (!take(l, size, size, wl_ptx_type_name(type), &offset))
        return too_large(l, at, length);
    if (l->out)
        memcpy(l->out + offset, bytes, (size_t)size);
    return WL_OK;
}

static wl_status members(layout *l, const char **at);

/* A nested struct: its alignment is known after a first pass. */
static wl_status inner(layout *l, const char **at)
{
    layout measured = {.maker = l->maker, .value = l->value, .align = 1, .depth = l->depth + 1};
    const char *start = *at;
    if (l->depth == DEPTH_MAX)
        return wl_fail(l->maker->err, WL_E_INPUT, wl_ptx_place(l->value->text, start, 1),
                       "structs in structs, more than %d deep", DEPTH_MAX);
    WL_TRY(members(&measured, at));
    l->at = wl_round_up(l->at, measured.align);
    const int64_t end = l->at + wl_round_up(measured.at, measured.align), align = wl_max(l->align, measured.align);
    l->depth++;
    *at = start;
    const wl_status status = members(l, at);
    l->depth--;
    l->at = end;
    l->align = align;
    return status;
}

static wl_status member(layout *l, const char **at)
{
    const char *start = *at;
    if (*start == '{')
        return inner(l, at);
    size_t length = strcspn(start, ",{}");
    *at += length;
    while (length > 0 && strchr(" \t\n", start[length - 1]))
        length--;
    return wl_ptx_is_map(start) || wl_ptx_is_pointer(start) ? buffer(l, start, length) : number(l, start, length);
}

/* From '{' to after '}' */
static wl_status members(layout *l, const char **at)
{
    const char *open = *at;
    do {
        *at = skip_blanks(*at + 1);
        WL_TRY(member(l, at));
        *at = skip_blanks(*at);
    } while (**at == ',');
    if (**at != '}')
        return wl_fail(l->maker->err, WL_E_INPUT, wl_ptx_place(l->value->text, open, 1), "this '{' has no '}'");
    ++*at;
    return WL_OK;
}

static wl_status read_all(layout *l)
{
    const char *at = l->value->text;
    WL_TRY(members(l, &at));
    at = skip_blanks(at);
    if (*at != '\0')
        return wl_fail(l->maker->err, WL_E_INPUT, wl_ptx_place(l->value->text, at, strlen(at)),
                       "'%.40s' is not expected here", at);
    return WL_OK;
}

wl_status wl_ptx_struct_text(wl_ptx_maker *m, const wl_ptx_value_text *value, int64_t room, uint8_t *out,
                             int64_t *bytes)
{
    layout l = {.maker = m, .value = value, .room = room, .out = out, .align = 1};
    WL_TRY(read_all(&l));
    *bytes = wl_round_up(l.at, l.align);
    return WL_OK;
}

void wl_ptx_struct_words(wl_ptx_maker *m, const wl_ptx_value_text *value, char *words, size_t size)
{
    wl_error ignored = {0};
    wl_ptx_maker silent = *m;
    layout l = {.maker = &silent, .value = value, .align = 1, .words = words, .words_size = size};
    silent.err = &ignored;
    words[0] = '\0';
    (void)read_all(&l);
}

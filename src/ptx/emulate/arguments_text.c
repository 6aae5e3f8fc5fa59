/* arguments_text.c - see arguments_text.h.
 * Layer  ptx/emulate. SPDX-License-Identifier: MIT */
#include "ptx/emulate/arguments_text.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/ckd.h"
#include "base/fail.h"
#include "base/print.h"
#include "base/units.h"
#include "ptx/emulate/alu.h"

#define BUFFER_BYTES_MAX ((int64_t)1 << 44)
#define SIZE_LENGTH 40 /* characters */

bool wl_ptx_positive(const char **at, int64_t most, int64_t *out)
{
    int64_t n = 0;
    const char *start = *at;
    for (; wl_is_digit(**at) && n <= most; ++*at)
        n = 10 * n + (**at - '0');
    *out = n;
    return *at > start && n > 0 && n <= most;
}

/* An integer, decimal or hexadecimal; false: none, or too large. Moves *at past it. */
static bool whole(const char **at, int64_t *value)
{
    char *end = NULL;
    const char *start = *at + (**at == '-');
    const bool hexadecimal = start[0] == '0' && (start[1] == 'x' || start[1] == 'X');
    if (!wl_is_digit(*start))
        return false;
    errno = 0;
    *value = hexadecimal ? (int64_t)strtoull(*at, &end, 16) : strtoll(*at, &end, 10);
    if (errno == ERANGE && **at != '-' && !hexadecimal) { /* unsigned 64-bit types */
        errno = 0;
        *value = (int64_t)strtoull(*at, &end, 10);
    }
    *at = end;
    return errno != ERANGE;
}

/* A number of bytes, up to what follows it: 4096, 0x1000, 64K, 2MiB. */
static bool size(const char **at, int64_t *bytes)
{
    char text[SIZE_LENGTH];
    double value = 0;
    const size_t length = strcspn(*at, ":=,} ");
    if (strncmp(*at, "0x", 2) == 0)
        return whole(at, bytes) && *bytes >= 0;
    (void)snprintf(text, sizeof text, "%.*s", (int)(length < sizeof text ? length : 0), *at);
    if (!wl_quantity_parse(WL_DIM_BYTES, text, &value) || !(value >= 0 && value <= (double)BUFFER_BYTES_MAX) ||
        value != floor(value))
        return false;
    *bytes = (int64_t)value;
    *at += length;
    return true;
}

bool wl_ptx_element_type(const char *at, size_t length, wl_ptx_type *type)
{
    static const wl_ptx_type types[] = {WL_PTX_U8,  WL_PTX_U16, WL_PTX_U32, WL_PTX_U64,  WL_PTX_S8,  WL_PTX_S16,
                                        WL_PTX_S32, WL_PTX_S64, WL_PTX_F16, WL_PTX_BF16, WL_PTX_F32, WL_PTX_F64};
    for (size_t k = 0; k < sizeof types / sizeof types[0]; k++) {
        const char *name = wl_ptx_type_name(types[k]);
        if (strlen(name) == length && memcmp(name, at, length) == 0) {
            *type = types[k];
            return true;
        }
    }
    return false;
}

static bool fits(int64_t value, bool huge, wl_ptx_type type)
{
    const int bits = wl_ptx_type_bits(type);
    if (bits == 64)
        return true;
    if (huge)
        return false;
    const int64_t limit = (int64_t)1 << bits;
    if (wl_ptx_type_is_signed(type))
        return value >= -limit / 2 && value < limit / 2;
    return value >= (type == WL_PTX_B32 || type == WL_PTX_B16 || type == WL_PTX_B8 ? -limit / 2 : 0) && value < limit;
}

/* A number of the element type; moves *at past it. Integers as they are, floats as the bits of a
 * double. */
static wl_status element(const char *text, const char **at, wl_ptx_type type, int64_t *out, wl_error *err)
{
    const char *start = *at;
    if (wl_ptx_type_is_float(type)) {
        const char *end = NULL;
        const double value = wl_number_read(start, &end);
        *at = end;
        /* in "0..1" the number reader takes the first dot */
        if (end > start && end[-1] == '.' && *end == '.')
            (*at)--;
        *out = (int64_t)wl_ptx_f64_bits(value);
        if (end == start || !isfinite(value))
            return wl_fail(err, WL_E_INPUT, wl_ptx_place(text, start, 1), "expected a number here");
        return WL_OK;
    }
    if (!whole(at, out))
        return wl_fail(err, WL_E_INPUT, wl_ptx_place(text, start, 1), "expected a whole number here");
    if (!fits(*out, *out < 0 && *start != '-', type) || (*start == '-' && !wl_ptx_type_is_signed(type)))
        return wl_fail(err, WL_E_INPUT, wl_ptx_place(text, start, (size_t)(*at - start)), "'%.*s' is no %s",
                       (int)(*at - start), start, wl_ptx_type_name(type));
    return WL_OK;
}

static wl_status read_type(const char *text, const char **at, wl_ptx_type *type, wl_error *err)
{
    const size_t length = strcspn(*at, ":");
    if (!wl_ptx_element_type(*at, length, type))
        return wl_fail(err, WL_E_INPUT, wl_ptx_place(text, *at, length),
                       "'%.*s' is not an element type (u8 u16 u32 u64 s8 s16 s32 s64 f16 bf16 f32 f64)", (int)length,
                       *at);
    *at += length;
    return WL_OK;
}

/* [:TYPE], and whether a value follows: moves *at past its colon. */
static wl_status type_if_given(const char *text, const char **at, wl_ptx_type *type, bool *value, wl_error *err)
{
    if (**at == ':') {
        ++*at;
        WL_TRY(read_type(text, at, type, err));
    }
    *value = **at == ':';
    *at += *value;
    return WL_OK;
}

static void default_range(wl_ptx_type type, wl_ptx_buffer *out)
{
    const int bits = wl_ptx_type_bits(type);
    if (wl_ptx_type_is_float(type)) {
        out->low = (int64_t)wl_ptx_f64_bits(0);
        out->high = (int64_t)wl_ptx_f64_bits(1);
        return;
    }
    const int used = wl_ptx_type_is_signed(type) || bits == 64 ? bits - 1 : bits;
    out->high = (int64_t)(((uint64_t)1 << used) - 1);
    out->low = wl_ptx_type_is_signed(type) ? -out->high - 1 : 0;
}

/* random[:TYPE[:LOW..HIGH]] */
static wl_status random_contents(const char *text, const char **at, wl_ptx_buffer *out, wl_error *err)
{
    bool ranged;
    out->content = WL_PTX_RANDOM;
    WL_TRY(type_if_given(text, at, &out->type, &ranged, err));
    default_range(out->type, out);
    if (!ranged)
        return WL_OK;
    const char *start = *at;
    WL_TRY(element(text, at, out->type, &out->low, err));
    if (strncmp(*at, "..", 2) != 0)
        return wl_fail(err, WL_E_INPUT, wl_ptx_place(text, *at, 1), "a range is LOW..HIGH");
    *at += 2;
    WL_TRY(element(text, at, out->type, &out->high, err));
    const bool is_float = wl_ptx_type_is_float(out->type);
    if (is_float ? wl_ptx_f64_of((uint64_t)out->low) > wl_ptx_f64_of((uint64_t)out->high) : out->low > out->high)
        return wl_fail(err, WL_E_INPUT, wl_ptx_place(text, start, (size_t)(*at - start)), "the range is empty");
    return WL_OK;
}

/* iota[:TYPE[:START[:STEP]]] */
static wl_status iota_contents(const char *text, const char **at, wl_ptx_buffer *out, wl_error *err)
{
    bool starts;
    out->content = WL_PTX_IOTA;
    WL_TRY(type_if_given(text, at, &out->type, &starts, err));
    out->step = wl_ptx_type_is_float(out->type) ? (int64_t)wl_ptx_f64_bits(1) : 1;
    if (!starts) /* 0 and 0.0 have the same bits */
        return WL_OK;
    WL_TRY(element(text, at, out->type, &out->low, err));
    if (**at != ':')
        return WL_OK;
    ++*at;
    return element(text, at, out->type, &out->step, err);
}

/* const:TYPE:VALUE */
static wl_status constant_contents(const char *text, const char **at, wl_ptx_buffer *out, wl_error *err)
{
    out->content = WL_PTX_CONSTANT;
    if (**at == ':')
        ++*at;
    WL_TRY(read_type(text, at, &out->type, err));
    if (**at != ':')
        return wl_fail(err, WL_E_INPUT, wl_ptx_place(text, *at, 1), "a constant is const:TYPE:VALUE");
    ++*at;
    WL_TRY(element(text, at, out->type, &out->low, err));
    if (wl_ptx_type_is_float(out->type))
        out->low = (int64_t)wl_ptx_float_bits(wl_ptx_f64_of((uint64_t)out->low), out->type, WL_PTX_RN);
    return WL_OK;
}

static wl_status file_contents(const char *text, const char *at, const wl_ptx_given *given, wl_ptx_buffer *out,
                               wl_error *err)
{
    const bool repeats = strncmp(at, "repeat:", 7) == 0;
    const char *path = repeats ? at + 7 : at;
    if (!given->load)
        return wl_fail(err, WL_E_UNSUPPORTED, wl_ptx_place(text, path, strlen(path)), "files cannot be read here");
    if (*path == '\0')
        return wl_fail(err, WL_E_INPUT, wl_ptx_place(text, path, 1),
                       "expected the contents: FILE, repeat:FILE, random, iota, zero or const:TYPE:VALUE");
    WL_TRY(given->load(given->user, path, &out->data, &out->data_bytes, err));
    out->content = repeats ? WL_PTX_REPEATED : WL_PTX_BYTES;
    if (repeats && out->data_bytes == 0)
        return wl_fail(err, WL_E_INPUT, wl_ptx_place(text, path, strlen(path)), "'%s' is empty", path);
    if (!repeats && (int64_t)out->data_bytes < out->bytes)
        return wl_fail(err, WL_E_INPUT, wl_ptx_place(text, path, strlen(path)),
                       "'%s' has %zu bytes, the buffer %lld; repeat:%s repeats them", path, out->data_bytes,
                       (long long)out->bytes, path);
    return WL_OK;
}

/* Is the word at `at`, followed by ':' or the end? Moves *at past it. */
static bool word(const char **at, const char *name)
{
    const size_t length = strlen(name);
    if (strncmp(*at, name, length) != 0 || ((*at)[length] != '\0' && (*at)[length] != ':'))
        return false;
    *at += length;
    return true;
}

wl_status wl_ptx_contents_text(const char *text, const char *at, const wl_ptx_given *given, wl_ptx_buffer *out,
                               wl_error *err)
{
    out->type = WL_PTX_U32;
    if (word(&at, "random"))
        WL_TRY(random_contents(text, &at, out, err));
    else if (word(&at, "iota"))
        WL_TRY(iota_contents(text, &at, out, err));
    else if (word(&at, "const"))
        WL_TRY(constant_contents(text, &at, out, err));
    else if (word(&at, "zero"))
        out->content = WL_PTX_CONSTANT;
    else
        return file_contents(text, at, given, out, err);
    if (*at != '\0')
        return wl_fail(err, WL_E_INPUT, wl_ptx_place(text, at, strlen(at)), "'%s' is not expected here", at);
    return WL_OK;
}

wl_status wl_ptx_buffer_text(const char *text, const wl_ptx_given *given, wl_ptx_buffer *out, wl_error *err)
{
    const char *at = text + strlen("buf:"), *start = at;
    if (!size(&at, &out->bytes) || out->bytes > BUFFER_BYTES_MAX)
        return wl_fail(err, WL_E_INPUT, wl_ptx_place(text, start, strcspn(start, ":=")),
                       "expected the buffer's bytes: buf:BYTES[:OFFSET][=CONTENTS], BYTES as in 4096, 64K or 2MiB");
    if (*at == ':') {
        start = ++at;
        if (!size(&at, &out->offset) || out->offset > out->bytes)
            return wl_fail(err, WL_E_INPUT, wl_ptx_place(text, start, strcspn(start, "=")),
                           "expected an offset of at most the buffer's %lld bytes", (long long)out->bytes);
    }
    if (*at == '=')
        return wl_ptx_contents_text(text, at + 1, given, out, err);
    if (*at != '\0')
        return wl_fail(err, WL_E_INPUT, wl_ptx_place(text, at, strlen(at)), "'%s' is not expected here", at);
    return WL_OK;
}

wl_status wl_ptx_number_text(const char *text, wl_ptx_type type, uint8_t *out, wl_error *err)
{
    const size_t bytes = (size_t)wl_ptx_type_bits(type) / 8;
    const wl_loc loc = wl_ptx_place(text, text, strlen(text));
    const char *at = text;
    int64_t value = 0;
    const char *end = NULL;
    const double number = wl_number_read(text, &end);
    const bool ends = end > text && *end == '\0', is_number = ends && isfinite(number), is_huge = ends && !is_number;
    if (wl_ptx_type_is_float(type)) {
        if (!is_number)
            return wl_fail(err, WL_E_INPUT, loc, is_huge ? "'%s' is too large a number" : "'%s' is not a number", text);
        if (type == WL_PTX_F32 && fabs(number) > FLT_MAX)
            return wl_fail(err, WL_E_INPUT, loc, "'%s' is outside the range of the parameter's type, f32", text);
        value = (int64_t)wl_ptx_float_bits(number, type, WL_PTX_RN);
        memcpy(out, &value, bytes);
        return WL_OK;
    }
    const bool is_whole = whole(&at, &value) && *at == '\0';
    if (!is_whole && is_number &&
        (type == WL_PTX_B32 ||
         type == WL_PTX_B64)) { /* a b32 or b64 parameter takes the bits of a float of that width */
        value = (int64_t)wl_ptx_float_bits(number, type == WL_PTX_B64 ? WL_PTX_F64 : WL_PTX_F32, WL_PTX_RN);
        memcpy(out, &value, bytes);
        return WL_OK;
    }
    const char *digits = text + (*text == '-' || *text == '+');
    const bool is_too_large = !is_whole && ends && digits[strspn(digits, "0123456789")] == '\0';
    if (is_too_large) /* for 64 bits */
        return wl_fail(err, WL_E_INPUT, loc, "'%s' is outside the range of the parameter's type, %s", text,
                       wl_ptx_type_name(type));
    if (!is_whole)
        return wl_fail(err, WL_E_INPUT, loc, "'%s' is not a whole number%s", text,
                       is_number ? ", which the parameter needs"
                                 : " and no buffer (buf:BYTES..) or texture (tex:WIDTHxHEIGHT:TYPE..)");
    if (!fits(value, value < 0 && *text != '-', type))
        return wl_fail(err, WL_E_INPUT, loc, "'%s' is outside the range of the parameter's type, %s", text,
                       wl_ptx_type_name(type));
    memcpy(out, &value, bytes);
    return WL_OK;
}

wl_status wl_ptx_bytes_text(const char *text, int64_t bytes, uint8_t *out, wl_error *err)
{
    const char *hex = text + strlen("bytes:");
    const size_t length = strlen(hex);
    if (length != 2 * (size_t)bytes)
        return wl_fail(err, WL_E_INPUT, wl_ptx_place(text, hex, length),
                       "%zu hexadecimal digits, but the parameter has %lld bytes", length, (long long)bytes);
    for (size_t k = 0; k < length; k++) {
        const int digit = wl_hex_digit(hex[k]);
        if (digit < 0)
            return wl_fail(err, WL_E_INPUT, wl_ptx_place(text, hex + k, 1), "'%c' is not a hexadecimal digit", hex[k]);
        out[k / 2] = (uint8_t)(out[k / 2] << 4 | digit);
    }
    return WL_OK;
}

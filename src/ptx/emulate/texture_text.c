/* texture_text.c - parses a texture or surface as written by a user; see arguments_text.h.
 * Layer  ptx/emulate. SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/ascii.h"
#include "base/ckd.h"
#include "base/fail.h"
#include "ptx/emulate/arguments_text.h"

#define EXTENT_MAX ((int64_t)1 << 40)

static const char form[] = "WIDTH[xHEIGHT[xDEPTH]]:TYPE[xCHANNELS][:OPTION..][=CONTENTS]";

static wl_status read_extents(const char *text, const char **at, wl_ptx_texture *t, wl_error *err)
{
    const char *start = *at;
    t->extent[0] = t->extent[1] = t->extent[2] = t->layers = 1;
    do {
        *at += t->dims > 0;
        if (t->dims == 3 || !wl_ptx_positive(at, EXTENT_MAX, &t->extent[t->dims++]))
            return wl_fail(err, WL_E_INPUT, wl_ptx_place(text, start, strcspn(start, ":=")),
                           "expected one to three extents in texels: %.*s%s", (int)strcspn(text, ":") + 1, text, form);
    } while (**at == 'x' || **at == ',');
    return WL_OK;
}

/* f32, f32x4 */
static wl_status read_texel(const char *text, const char **at, wl_ptx_texture *t, wl_error *err)
{
    const char *start = *at + (**at == ':');
    const size_t all = strcspn(start, ":="), name = strcspn(start, "x:=");
    const char *times = start + name;
    t->channels = 1;
    if (*times == 'x' && all == name + 2)
        t->channels = times[1] - '0';
    const bool known = wl_ptx_element_type(start, name, &t->type) && wl_ptx_type_bits(t->type) <= 32;
    if (!known || (all != name && all != name + 2) || (t->channels != 1 && t->channels != 2 && t->channels != 4))
        return wl_fail(err, WL_E_INPUT, wl_ptx_place(text, start, all),
                       "'%.*s' is not a type of texels (u8 s8 u16 s16 f16 u32 s32 f32, with x2 or x4 for channels)",
                       (int)all, start);
    t->texel_bytes = wl_ptx_type_bits(t->type) / 8 * t->channels;
    *at = start + all;
    return WL_OK;
}

/* One option; *pitched: the texture is in pitched memory. False: not known, or not for a
 * surface. */
static bool read_option(const char *at, size_t length, wl_ptx_texture *t, bool *pitched)
{
    static const struct {
        const char *word;
        wl_ptx_address_mode mode;
    } modes[] = {
        {"clamp", WL_PTX_CLAMPED}, {"wrap", WL_PTX_WRAPPED}, {"mirror", WL_PTX_MIRRORED}, {"border", WL_PTX_BORDERED}};
    if (wl_ptx_is_word(at, length, "layered"))
        return t->dims > 1 && (t->is_layered = true);
    if (t->is_surface)
        return false;
    for (size_t k = 0; k < sizeof modes / sizeof modes[0]; k++)
        if (wl_ptx_is_word(at, length, modes[k].word)) {
            t->mode = modes[k].mode;
            return true;
        }
    if (wl_ptx_is_word(at, length, "linear"))
        t->filters = true;
    else if (wl_ptx_is_word(at, length, "normalized"))
        t->is_normalized = true;
    else if (wl_ptx_is_word(at, length, "pitch"))
        *pitched = true;
    else
        return wl_ptx_is_word(at, length, "point");
    return true;
}

static wl_status read_options(const char *text, const char **at, wl_ptx_texture *t, bool *pitched, wl_error *err)
{
    while (**at == ':') {
        const char *start = ++*at;
        const size_t length = strcspn(start, ":=");
        const bool is_number = *pitched && wl_is_digit(*start);
        *at += length;
        if (is_number ? !wl_ptx_positive(&start, EXTENT_MAX, &t->pitch) || start != *at
                      : !read_option(start, length, t, pitched))
            return wl_fail(
                err, WL_E_INPUT, wl_ptx_place(text, *at - length, length), "'%.*s' is not an option of a %s (%s)",
                (int)length, *at - length, t->is_surface ? "surface" : "texture",
                t->is_surface ? "layered" : "point linear clamp wrap mirror border normalized layered pitch[:BYTES]");
    }
    if (**at != '=' && **at != '\0')
        return wl_fail(err, WL_E_INPUT, wl_ptx_place(text, *at, strlen(*at)), "'%s' is not expected here", *at);
    return WL_OK;
}

/* The last extent counts layers; arrays of two and three dimensions are in blocks. */
static wl_status finish(const char *text, wl_ptx_texture *t, bool pitched, wl_error *err)
{
    if (t->is_layered) {
        t->layers = t->extent[--t->dims];
        t->extent[t->dims] = 1;
    }
    t->in_blocks = t->dims > 1 && !pitched;
    const int64_t row = t->extent[0] * t->texel_bytes;
    if (pitched && (t->dims != 2 || t->is_layered || (t->pitch > 0 && (t->pitch < row || t->pitch % t->texel_bytes))))
        return wl_fail(err, WL_E_INPUT, wl_ptx_place(text, text, strlen(text)),
                       "pitched memory has two dimensions and rows of whole texels, here at least %lld bytes",
                       (long long)row);
    if (!t->is_normalized && (t->mode == WL_PTX_WRAPPED || t->mode == WL_PTX_MIRRORED))
        return wl_fail(err, WL_E_INPUT, wl_ptx_place(text, text, strlen(text)),
                       "wrap and mirror need normalized coordinates: without them a GPU clamps");
    return WL_OK;
}

wl_status wl_ptx_texture_text(const char *text, const wl_ptx_given *given, wl_arena *arena, wl_ptx_buffer *out,
                              wl_error *err)
{
    const char *at = strchr(text, ':') + 1;
    bool pitched = false;
    wl_ptx_texture *t = WL_ARENA_NEW(arena, wl_ptx_texture, 1);
    if (!t)
        return wl_fail_memory(err);
    *t = (wl_ptx_texture){.is_surface = text[0] == 's'};
    WL_TRY(read_extents(text, &at, t, err));
    WL_TRY(read_texel(text, &at, t, err));
    WL_TRY(read_options(text, &at, t, &pitched, err));
    WL_TRY(finish(text, t, pitched, err));
    int64_t bytes = 0, texels = 1;
    bool fits = wl_ptx_texture_lay_out(t, &bytes);
    for (int d = 0; d < 3; d++)
        fits = fits && wl_mul(texels, t->extent[d], &texels);
    if (!fits)
        return wl_fail(err, WL_E_INPUT, wl_ptx_place(text, text, strlen(text)), "the texture is too large");
    out->texture = t;
    out->bytes = texels * t->layers * t->texel_bytes; /* the contents have no gaps */
    if (*at == '=')
        WL_TRY(wl_ptx_contents_text(text, at + 1, given, out, err));
    out->bytes = bytes;
    return WL_OK;
}

/* tensor_map_text.c - parses a tensor map as written by a user; see arguments_text.h.
 * Layer  ptx/emulate. SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "ptx/emulate/arguments_text.h"

static const char form[] = "tensormap:TYPE:EXTENTS:BOX[:OPTION..], as tensormap:f16:4096x4096:64x128:swizzle=128";
#define PIXELS_MAX 1024
#define CHANNELS_MAX 256

/* "4096x4096": up to five positive numbers; returns how many, 0: malformed. */
static int read_list(const char **at, int64_t most, int64_t out[WL_PTX_MAP_DIMS])
{
    int count = 0;
    do {
        *at += count > 0;
        if (count == WL_PTX_MAP_DIMS || !wl_ptx_positive(at, most, &out[count++]))
            return 0;
    } while (**at == 'x');
    return **at == ':' || **at == '\0' ? count : 0;
}

static wl_status wrong(const char *text, const char *at, const char *what, wl_error *err)
{
    const size_t length = strcspn(at, ":");
    return wl_fail(err, WL_E_INPUT, wl_ptx_place(text, at, length), "'%.*s' is %s: %s",
                   (int)wl_min((int64_t)length, 40), at, what, form);
}

/* Moves *at past a ':'. */
static const char *next_part(const char **at)
{
    *at += **at == ':';
    return *at;
}

static wl_status read_type(const char *text, const char **at, wl_ptx_tensor_map *map, wl_error *err)
{
    static const char *const narrow[] = {"e4m3", "e5m2"};
    const char *start = *at;
    const size_t length = strcspn(start, ":");
    wl_ptx_type type = WL_PTX_NONE;
    *at += length;
    for (size_t k = 0; k < sizeof narrow / sizeof narrow[0]; k++)
        if (wl_ptx_is_word(start, length, narrow[k]))
            type = WL_PTX_U8;
    if (wl_ptx_is_word(start, length, "tf32"))
        type = WL_PTX_F32;
    if (wl_ptx_is_word(start, length, "b4")) {
        map->bytes = 0;
        return WL_OK;
    }
    if (type == WL_PTX_NONE && !wl_ptx_element_type(start, length, &type))
        return wrong(text, start, "not a type of elements (u8 e4m3 f16 bf16 f32 tf32 f64 ..)", err);
    map->bytes = (uint8_t)(wl_ptx_type_bits(type) / 8);
    return WL_OK;
}

/* The rows lie one after the other unless pitch= says otherwise; they begin at multiples of 16. */
static void lay_out(wl_ptx_tensor_map *map, const int64_t *pitch, int given)
{
    uint64_t bytes = map->bytes > 0 ? (uint64_t)map->extent[0] * map->bytes : (map->extent[0] + 1u) / 2;
    for (int d = 1; d < map->rank; d++) {
        map->stride[d - 1] = d <= given ? (uint64_t)pitch[d - 1] : bytes;
        bytes = map->stride[d - 1] * map->extent[d];
    }
}

typedef struct options {
    int64_t pitch[WL_PTX_MAP_DIMS];
    int pitches;
    bool corners; /* mode im2col */
} options;

static bool read_steps(const char *at, wl_ptx_tensor_map *map)
{
    int64_t steps[WL_PTX_MAP_DIMS];
    if (read_list(&at, 8, steps) != map->rank)
        return false;
    for (int d = 0; d < map->rank; d++)
        map->step[d] = (uint8_t)steps[d];
    return true;
}

/* "-1x-1": as many numbers as an image has dimensions. */
static bool read_corner(const char **at, int dims, int64_t most, int16_t *corner)
{
    for (int d = 0; d < dims; d++) {
        int64_t value = 0;
        if (d > 0 && *(*at)++ != 'x')
            return false;
        const bool negative = **at == '-';
        *at += negative;
        if (**at == '0')
            (*at)++;
        else if (!wl_ptx_positive(at, most + 1, &value))
            return false;
        corner[d] = (int16_t)(negative ? -value : wl_min(value, most));
        if (!negative && value > most)
            return false;
    }
    return true;
}

/* "-1x-1..-1x-1": the lower corner, from the first pixel, and the upper one, from the last. */
static bool read_corners(const char *at, wl_ptx_tensor_map *map, options *o)
{
    static const int64_t most[WL_PTX_PIXEL_DIMS] = {INT16_MAX, INT8_MAX, 15};
    const int dims = map->rank - 2;
    o->corners = true;
    if (dims < 1 || !read_corner(&at, dims, most[dims - 1], map->lower) || strncmp(at, "..", 2) != 0)
        return false;
    at += 2;
    return read_corner(&at, dims, most[dims - 1], map->upper) && (*at == ':' || *at == '\0');
}

static bool read_option(const char *at, wl_ptx_tensor_map *map, options *o)
{
    const size_t name = strcspn(at, "=:");
    const char *value = at[name] == '=' ? at + name + 1 : "";
    const size_t length = strcspn(value, ":");
    if (wl_ptx_is_word(at, name, "pitch"))
        return (o->pitches = read_list(&value, (int64_t)1 << 40, o->pitch)) == map->rank - 1;
    if (wl_ptx_is_word(at, name, "corners"))
        return read_corners(value, map, o);
    if (wl_ptx_is_word(at, name, "step"))
        return read_steps(value, map);
    if (wl_ptx_is_word(at, name, "fill"))
        return (map->fill = wl_ptx_is_word(value, length, "nan")) || wl_ptx_is_word(value, length, "zero");
    static const struct {
        const char *name, *value;
        uint8_t number;
    } known[] = {{"swizzle", "none", 0}, {"swizzle", "32", 1},      {"swizzle", "64", 2},    {"swizzle", "128", 3},
                 {"swizzle", "96", 4},   {"interleave", "none", 0}, {"interleave", "16", 1}, {"interleave", "32", 2}};
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++)
        if (wl_ptx_is_word(at, name, known[k].name) && wl_ptx_is_word(value, length, known[k].value)) {
            *(known[k].name[0] == 's' ? &map->swizzle : &map->interleave) = known[k].number;
            return true;
        }
    return false;
}

/* What the hardware asks of a map. */
static wl_status check(const char *text, const wl_ptx_tensor_map *map, wl_error *err)
{
    const wl_loc place = wl_ptx_place(text, text, strlen(text));
    for (int d = 0; d < map->rank && map->pixels == 0; d++)
        if (map->box[d] > 256)
            return wl_fail(err, WL_E_INPUT, place, "a box has at most 256 elements in each dimension, this one %d",
                           map->box[d]);
    if (map->channels > CHANNELS_MAX || map->pixels > PIXELS_MAX)
        return wl_fail(err, WL_E_INPUT, place, "a copy has at most %d channels and %d pixels, this one %d and %d",
                       CHANNELS_MAX, PIXELS_MAX, map->channels, map->pixels);
    for (int d = 1; d < map->rank - 1 && map->pixels > 0; d++)
        if ((int64_t)map->extent[d] + map->upper[d - 1] <= map->lower[d - 1])
            return wl_fail(err, WL_E_INPUT, place, "there is no pixel between the corners in dimension %d", d);
    for (int d = 1; d < map->rank; d++)
        if (map->stride[d - 1] % 16)
            return wl_fail(err, WL_E_INPUT, place,
                           "rows must begin at multiples of 16 bytes, these are %llu bytes apart: see pitch=",
                           (unsigned long long)map->stride[d - 1]);
    return WL_OK;
}

static wl_status read_options(const char *text, const char *at, wl_ptx_tensor_map *map, options *o, wl_error *err)
{
    while (*at == ':') {
        const char *part = next_part(&at);
        if (!read_option(part, map, o))
            return wrong(
                text, part,
                "no option of a tensor map (swizzle=32|64|128 pitch=BYTES[xBYTES..] step=NxN.. interleave=16|32 "
                "fill=nan; images: corners=WxH..WxH)",
                err);
        at = part + strcspn(part, ":");
    }
    return WL_OK;
}

wl_status wl_ptx_map_text(const char *text, wl_ptx_tensor_map *map, wl_error *err)
{
    const char *at = strchr(text, ':');
    int64_t extent[WL_PTX_MAP_DIMS], box[WL_PTX_MAP_DIMS] = {0};
    options o = {.pitches = 0};
    *map = (wl_ptx_tensor_map){.magic = WL_PTX_MAP_MAGIC};
    (void)next_part(&at);
    WL_TRY(read_type(text, &at, map, err));
    const char *part = next_part(&at);
    map->rank = (uint8_t)read_list(&at, UINT32_MAX, extent);
    if (map->rank == 0)
        return wrong(text, part, "no list of one to five extents, the contiguous one first", err);
    part = next_part(&at);
    const int sides = read_list(&at, UINT16_MAX, box);
    for (int d = 0; d < map->rank; d++) {
        map->extent[d] = (uint32_t)extent[d];
        map->step[d] = 1;
    }
    if (sides == map->rank || sides == 2) /* of images: channels and pixels, and then corners */
        WL_TRY(read_options(text, at, map, &o, err));
    if (sides != (o.corners ? 2 : map->rank))
        return wrong(text, part,
                     o.corners ? "no number of channels and of pixels" : "no list of as many extents of a box", err);
    for (int d = 0; d < map->rank && !o.corners; d++)
        map->box[d] = (uint16_t)box[d];
    map->channels = o.corners ? (uint16_t)box[0] : 0;
    map->pixels = o.corners ? (uint16_t)box[1] : 0;
    lay_out(map, o.pitch, o.pitches);
    return check(text, map, err);
}

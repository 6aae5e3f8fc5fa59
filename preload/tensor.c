/* tensor.c - see tensor.h.
 * SPDX-License-Identifier: MIT */
#include "tensor.h"

#include <string.h>

#include "ptx/async/tensor_map.h"

/* Bytes of the elements of CUtensorMapDataType, in its order; 0: 4 bits; 6 bits are not known. */
static const uint8_t bytes_of[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4, 0, 0};
#define BOX_MAX 256
#define STEP_MAX 8

static bool take_images(const gpu_tensor *t, wl_ptx_tensor_map *map)
{
    if (t->rank < 3 || t->channels == 0 || t->channels > BOX_MAX || t->pixels > 1024)
        return false;
    map->channels = (uint16_t)t->channels;
    map->pixels = (uint16_t)t->pixels;
    for (uint32_t d = 0; d + 2 < t->rank; d++) {
        map->lower[d] = (int16_t)t->lower[d];
        map->upper[d] = (int16_t)t->upper[d];
    }
    return true;
}

bool gpu_tensor_map(const gpu_tensor *t, void *out)
{
    if (t->type < 0 || (size_t)t->type >= sizeof bytes_of || t->rank < 1 || t->rank > WL_PTX_MAP_DIMS ||
        (uintptr_t)t->base % 16 || !t->base)
        return false;
    wl_ptx_tensor_map map = {.magic = WL_PTX_MAP_MAGIC,
                             .base = (uint64_t)(uintptr_t)t->base,
                             .rank = (uint8_t)t->rank,
                             .bytes = bytes_of[t->type],
                             .interleave = (uint8_t)t->interleave,
                             .swizzle = (uint8_t)t->swizzle,
                             .fill = (uint8_t)t->fill};
    for (uint32_t d = 0; d < t->rank; d++) {
        const uint32_t step = t->step ? t->step[d] : 1, box = t->box ? t->box[d] : 0;
        if (t->extent[d] == 0 || t->extent[d] > UINT32_MAX || step == 0 || step > STEP_MAX || box > BOX_MAX ||
            (t->box && box == 0) || (d > 0 && t->stride[d - 1] % 16))
            return false;
        map.extent[d] = (uint32_t)t->extent[d];
        map.step[d] = (uint8_t)step;
        map.box[d] = (uint16_t)box;
        if (d > 0)
            map.stride[d - 1] = t->stride[d - 1];
    }
    /* a row of a box is of 16-byte units, and of at most as many bytes as are swizzled */
    const uint64_t row = (uint64_t)map.box[0] * map.bytes;
    static const uint64_t swizzled[] = {UINT64_MAX, 32, 64, 128};
    if (t->swizzle < 0 ||
        (t->box && t->interleave == 0 && map.bytes > 0 && (row % 16 || (t->swizzle < 4 && row > swizzled[t->swizzle]))))
        return false;
    if (t->pixels > 0 && !take_images(t, &map))
        return false;
    memcpy(out, &map, sizeof map);
    return wl_ptx_map_is_valid(&map);
}

bool gpu_tensor_map_move(void *at, const void *base)
{
    wl_ptx_tensor_map map;
    memcpy(&map, at, sizeof map);
    map.base = (uint64_t)(uintptr_t)base;
    if (!wl_ptx_map_is_valid(&map) || map.base % 16)
        return false;
    memcpy(at, &map, sizeof map);
    return true;
}

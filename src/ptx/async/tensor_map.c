/* tensor_map.c - see tensor_map.h. SPDX-License-Identifier: MIT */
#include "ptx/async/tensor_map.h"

bool wl_ptx_map_is_valid(const wl_ptx_tensor_map *map)
{
    bool valid = map->magic == WL_PTX_MAP_MAGIC && map->rank >= 1 && map->rank <= WL_PTX_MAP_DIMS && map->base > 0;
    for (int d = 0; d < map->rank && valid; d++)
        valid = map->extent[d] > 0 && map->box[d] > 0 && map->step[d] > 0;
    return valid;
}

/* Bytes of so many elements in a row; elements of 4 bits lie two in a byte. */
static uint64_t row_bytes(const wl_ptx_tensor_map *map, uint64_t elements)
{
    return map->bytes > 0 ? elements * map->bytes : (elements + 1) / 2;
}

static uint64_t taken(const wl_ptx_tensor_map *map, int d) { return (map->box[d] + map->step[d] - 1u) / map->step[d]; }

uint64_t wl_ptx_map_box_bytes(const wl_ptx_tensor_map *map)
{
    uint64_t bytes = row_bytes(map, taken(map, 0));
    for (int d = 1; d < map->rank; d++)
        bytes *= taken(map, d);
    return bytes;
}

uint64_t wl_ptx_map_bytes(const wl_ptx_tensor_map *map)
{
    uint64_t bytes = row_bytes(map, map->extent[0]);
    for (int d = 1; d < map->rank; d++)
        bytes += map->stride[d - 1] * (map->extent[d] - 1u);
    return bytes;
}

/* The part of the first dimension of the box that lies inside, from `address` on. */
static bool visit_row(const wl_ptx_tensor_map *map, int64_t from, uint64_t address, wl_ptx_map_row row, void *user)
{
    const int64_t low = from < 0 ? 0 : from, end = from + map->box[0];
    const int64_t high = end > (int64_t)map->extent[0] ? (int64_t)map->extent[0] : end;
    if (low >= high)
        return true;
    if (map->step[0] == 1) {
        const uint64_t begin = row_bytes(map, (uint64_t)low);
        return row(user, address + begin, row_bytes(map, (uint64_t)high) - begin);
    }
    for (int64_t x = from; x < high; x += map->step[0])
        if (x >= 0 && !row(user, address + row_bytes(map, (uint64_t)x), row_bytes(map, 1)))
            return false;
    return true;
}

static bool visit(const wl_ptx_tensor_map *map, const int32_t *at, int d, uint64_t address, wl_ptx_map_row row,
                  void *user)
{
    if (d == 0)
        return visit_row(map, at[0], address, row, user);
    for (int64_t i = 0; i < map->box[d]; i += map->step[d]) {
        const int64_t index = at[d] + i;
        if (index >= 0 && index < (int64_t)map->extent[d] &&
            !visit(map, at, d - 1, address + (uint64_t)index * map->stride[d - 1], row, user))
            return false;
    }
    return true;
}

bool wl_ptx_map_rows(const wl_ptx_tensor_map *map, const int32_t at[WL_PTX_MAP_DIMS], wl_ptx_map_row row, void *user)
{
    return visit(map, at, map->rank - 1, map->base, row, user);
}

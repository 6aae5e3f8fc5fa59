/* tensor_map.c - see tensor_map.h. SPDX-License-Identifier: MIT */
#include "ptx/async/tensor_map.h"

bool wl_ptx_map_is_valid(const wl_ptx_tensor_map *map)
{
    bool valid = map->magic == WL_PTX_MAP_MAGIC && map->rank >= 1 && map->rank <= WL_PTX_MAP_DIMS && map->base > 0;
    for (int d = 0; d < map->rank && valid; d++)
        valid = map->extent[d] > 0 && map->step[d] > 0 && (map->box[d] > 0 || map->pixels > 0);
    return valid;
}

/* Bytes of so many elements in a row; elements of 4 bits lie two in a byte. */
static uint64_t row_bytes(const wl_ptx_tensor_map *map, uint64_t elements)
{
    return map->bytes > 0 ? elements * map->bytes : (elements + 1) / 2;
}

static uint64_t taken(const wl_ptx_tensor_map *map, int d) { return (map->box[d] + map->step[d] - 1u) / map->step[d]; }

/* Pixels of a copy in mode im2col: steps do not change their number. */
static uint64_t pixels_of(const wl_ptx_tensor_map *map, wl_ptx_box_mode mode)
{
    return mode == WL_PTX_BOX_PIXELS_128 ? 128 : map->pixels;
}

int wl_ptx_map_coordinates(const wl_ptx_tensor_map *map, wl_ptx_box_mode mode)
{
    if (mode == WL_PTX_BOX_ROWS)
        return map->rank == 2 && map->pixels == 0 ? 1 + WL_PTX_BOX_ROWS_COUNT : 0;
    return (mode == WL_PTX_BOX_TILED) == (map->pixels == 0) ? map->rank : 0;
}

uint64_t wl_ptx_map_box_bytes(const wl_ptx_tensor_map *map, wl_ptx_box_mode mode)
{
    if (mode == WL_PTX_BOX_ROWS)
        return WL_PTX_BOX_ROWS_COUNT * row_bytes(map, taken(map, 0));
    if (mode != WL_PTX_BOX_TILED)
        return pixels_of(map, mode) * row_bytes(map, map->channels);
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
    const int64_t low = from < 0 ? 0 : from, end = from + (map->pixels > 0 ? map->channels : map->box[0]);
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

/* Moves to the next pixel: along the row, then to the next row, plane, image. */
static void step_pixel(const wl_ptx_tensor_map *map, bool in_row, int64_t place[WL_PTX_MAP_DIMS])
{
    const int images = map->rank - 1;
    for (int d = 1; d < images; d++) {
        if (in_row && d > 1)
            continue;
        place[d] += map->step[d];
        if (place[d] <= (int64_t)map->extent[d] - 1 + map->upper[d - 1])
            return;
        place[d] = map->lower[d - 1];
    }
    place[images]++;
}

static bool visit_pixels(const wl_ptx_tensor_map *map, const wl_ptx_box *box, wl_ptx_map_row row, void *user)
{
    const uint64_t pixels = pixels_of(map, box->mode);
    int64_t place[WL_PTX_MAP_DIMS] = {0};
    for (int d = 0; d < map->rank; d++)
        place[d] = box->at[d];
    for (uint64_t p = 0; p < pixels; p++, step_pixel(map, box->mode != WL_PTX_BOX_PIXELS, place)) {
        uint64_t address = map->base;
        bool inside = true;
        for (int d = 1; d < map->rank; d++) {
            const int64_t index = place[d] + (d < map->rank - 1 ? box->offset[d - 1] : 0);
            inside = inside && index >= 0 && index < (int64_t)map->extent[d];
            address += (uint64_t)index * map->stride[d - 1];
        }
        if (inside && !visit_row(map, box->at[0], address, row, user))
            return false;
    }
    return true;
}

static bool visit_four(const wl_ptx_tensor_map *map, const wl_ptx_box *box, wl_ptx_map_row row, void *user)
{
    for (int k = 1; k <= WL_PTX_BOX_ROWS_COUNT; k++) {
        const int64_t index = box->at[k];
        if (index >= 0 && index < (int64_t)map->extent[1] &&
            !visit_row(map, box->at[0], map->base + (uint64_t)index * map->stride[0], row, user))
            return false;
    }
    return true;
}

bool wl_ptx_map_rows(const wl_ptx_tensor_map *map, const wl_ptx_box *box, wl_ptx_map_row row, void *user)
{
    if (box->mode == WL_PTX_BOX_ROWS)
        return visit_four(map, box, row, user);
    if (box->mode != WL_PTX_BOX_TILED)
        return visit_pixels(map, box, row, user);
    return visit(map, box->at, map->rank - 1, map->base, row, user);
}

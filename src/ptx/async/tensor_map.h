/* tensor_map.h - tensor maps: how the tensor memory accelerator sees an array in global memory, and
 * which box of it one copy moves.
 *
 * A map is 128 bytes that only the hardware can read. Here they have a layout of our own, so that a
 * kernel may copy a map to shared or global memory and change it there (tensormap.replace).
 *
 * Layer  ptx/async (uses base, ptx/module). Oracle: tests/unit/test_tensor_map.c.
 * SPDX-License-Identifier: MIT */
#ifndef WL_PTX_ASYNC_TENSOR_MAP_H
#define WL_PTX_ASYNC_TENSOR_MAP_H

#include <stdbool.h>
#include <stdint.h>

#define WL_PTX_MAP_BYTES 128
#define WL_PTX_MAP_DIMS 5

typedef struct wl_ptx_tensor_map {
    uint64_t magic; /* says that these bytes are a map */
    uint64_t base;
    uint64_t stride[WL_PTX_MAP_DIMS - 1]; /* bytes between indices of dimension 1, 2, .. */
    uint32_t extent[WL_PTX_MAP_DIMS];     /* elements */
    uint16_t box[WL_PTX_MAP_DIMS];        /* elements of a copy */
    uint8_t step[WL_PTX_MAP_DIMS];        /* of the box, every n-th element */
    uint8_t rank, bytes;                  /* of an element; 0: 4 bits, two in a byte */
    uint8_t interleave, swizzle, fill;    /* as tensormap.replace numbers them */
    uint8_t reserved[40];
} wl_ptx_tensor_map;
_Static_assert(sizeof(wl_ptx_tensor_map) == WL_PTX_MAP_BYTES, "the size that kernels copy");
#define WL_PTX_MAP_MAGIC 0x70616d726f736e74u

/* Whether the numbers describe a map that the hardware would take. */
bool wl_ptx_map_is_valid(const wl_ptx_tensor_map *map);
/* Bytes that a copy of one box moves to shared memory, elements outside of the array included. */
uint64_t wl_ptx_map_box_bytes(const wl_ptx_tensor_map *map);
/* Bytes from the first element to behind the last. */
uint64_t wl_ptx_map_bytes(const wl_ptx_tensor_map *map);

/* Calls `row` for each run of consecutive bytes of the box at these coordinates that lies inside
 * the array. Stops if it returns false. */
typedef bool (*wl_ptx_map_row)(void *user, uint64_t address, uint64_t bytes);
bool wl_ptx_map_rows(const wl_ptx_tensor_map *map, const int32_t at[WL_PTX_MAP_DIMS], wl_ptx_map_row row, void *user);

#endif /* WL_PTX_ASYNC_TENSOR_MAP_H */

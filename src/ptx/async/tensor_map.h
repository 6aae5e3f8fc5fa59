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
#define WL_PTX_PIXEL_DIMS 3 /* of an image: width, height, depth */

typedef struct wl_ptx_tensor_map {
    uint64_t magic; /* says that these bytes are a map */
    uint64_t base;
    uint64_t stride[WL_PTX_MAP_DIMS - 1]; /* bytes between indices of dimension 1, 2, .. */
    uint32_t extent[WL_PTX_MAP_DIMS];     /* elements */
    uint16_t box[WL_PTX_MAP_DIMS];        /* elements of a copy */
    uint8_t step[WL_PTX_MAP_DIMS];        /* of the box, every n-th element */
    uint8_t rank, bytes;                  /* of an element; 0: 4 bits, two in a byte */
    uint8_t interleave, swizzle, fill;    /* as tensormap.replace numbers them */
    /* mode im2col: elements and pixels of a copy; 0 pixels: another mode. The array holds images:
     * channels, width, height, depth, number */
    uint16_t channels, pixels;
    /* where a filter may lie: from the first pixel of an image, from the last one */
    int16_t lower[WL_PTX_PIXEL_DIMS], upper[WL_PTX_PIXEL_DIMS];
    uint8_t reserved[24];
} wl_ptx_tensor_map;
_Static_assert(sizeof(wl_ptx_tensor_map) == WL_PTX_MAP_BYTES, "the size that kernels copy");
#define WL_PTX_MAP_MAGIC 0x70616d726f736e74u

/* Whether the numbers describe a map that the hardware would take. */
bool wl_ptx_map_is_valid(const wl_ptx_tensor_map *map);
/* Bytes from the first element to behind the last. */
uint64_t wl_ptx_map_bytes(const wl_ptx_tensor_map *map);

/* How a copy chooses elements. */
typedef enum wl_ptx_box_mode {
    WL_PTX_BOX_TILED,
    WL_PTX_BOX_PIXELS,     /* im2col: pixels one after the other, row by row, image by image */
    WL_PTX_BOX_PIXELS_W,   /* im2col::w: along a row, then the same row of the next image */
    WL_PTX_BOX_PIXELS_128, /* im2col::w::128: the same, 128 pixels */
    WL_PTX_BOX_ROWS        /* gather4, scatter4: four rows of a matrix */
} wl_ptx_box_mode;
#define WL_PTX_BOX_ROWS_COUNT 4

/* One copy: coordinates (of four rows: the column, then the rows), and offsets in an image, which
 * say for which element of a filter the pixels are. */
typedef struct wl_ptx_box {
    wl_ptx_box_mode mode;
    int32_t at[WL_PTX_MAP_DIMS];
    uint16_t offset[WL_PTX_PIXEL_DIMS];
} wl_ptx_box;

/* How many coordinates a copy has through this map; 0: it cannot use the map. */
int wl_ptx_map_coordinates(const wl_ptx_tensor_map *map, wl_ptx_box_mode mode);
/* Bytes that a copy moves to shared memory, elements outside of the array included. */
uint64_t wl_ptx_map_box_bytes(const wl_ptx_tensor_map *map, wl_ptx_box_mode mode);
/* Calls `row` for each run of consecutive bytes of the copy that lies inside the array. Stops if it
 * returns false. */
typedef bool (*wl_ptx_map_row)(void *user, uint64_t address, uint64_t bytes);
bool wl_ptx_map_rows(const wl_ptx_tensor_map *map, const wl_ptx_box *box, wl_ptx_map_row row, void *user);

#endif /* WL_PTX_ASYNC_TENSOR_MAP_H */

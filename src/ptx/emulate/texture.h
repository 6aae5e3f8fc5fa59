/* texture.h - textures and surfaces: their description, and the addresses of their texels.
 *
 * Linear memory keeps texels one after another, pitched memory row after row. Arrays of two and
 * three dimensions are block-linear: a GOB ("group of bytes") has 64 bytes x 8 rows, and a sector
 * of 32 bytes in it holds 16 bytes of two rows. GOBs are stacked to blocks one GOB wide, up to 16
 * GOBs high in 2D; up to 4 GOBs high and 32 planes deep in 3D. Blocks follow row by row.
 *
 * Layer  ptx/emulate (uses base, ptx/module). Units: bytes, texels.
 * Oracle  tests/unit/test_ptx_texture.c: every place once, sectors as patches of rows
 * SPDX-License-Identifier: MIT */
#ifndef WL_PTX_EMULATE_TEXTURE_H
#define WL_PTX_EMULATE_TEXTURE_H

#include "ptx/module/module.h"

/* What happens to coordinates outside the texture. */
typedef enum wl_ptx_address_mode {
    WL_PTX_CLAMPED, /* the nearest texel */
    WL_PTX_WRAPPED,
    WL_PTX_MIRRORED,
    WL_PTX_BORDERED /* no texel is read */
} wl_ptx_address_mode;

typedef struct wl_ptx_texture {
    bool is_surface;
    int dims;          /* 1 to 3, layers not counted */
    int64_t extent[3]; /* texels; 1 beyond dims */
    bool is_layered;
    int64_t layers;   /* 1: not layered */
    wl_ptx_type type; /* of a channel */
    int channels;
    int texel_bytes; /* 1 to 16, a power of two */
    bool filters;    /* linear interpolation between texels */
    bool is_normalized;
    wl_ptx_address_mode mode;
    bool in_blocks; /* block-linear, otherwise row after row */
    int64_t pitch;  /* bytes from row to row; of block-linear ones: the width of all blocks */
    /* set by wl_ptx_texture_lay_out */
    int row_bits, plane_bits; /* log2 of the rows and planes of a block */
    int64_t across, down;     /* blocks in a row, rows of blocks in a plane of them */
    int64_t layer_bytes;
} wl_ptx_texture;

/* Finds the layout and the bytes of the whole texture. False: more than there can be. */
bool wl_ptx_texture_lay_out(wl_ptx_texture *texture, int64_t *bytes);

/* The offset of byte x of row y, plane z of a layer, all inside. */
int64_t wl_ptx_texture_place(const wl_ptx_texture *texture, int64_t x, int64_t y, int64_t z, int64_t layer);

/* The inverse: the offset of that byte if rows, planes and layers had no gaps; -1: it belongs to no
 * texel. */
int64_t wl_ptx_texture_byte(const wl_ptx_texture *texture, int64_t place);

/* The texel that an address mode gives for a coordinate in texels; -1: none is read. */
int64_t wl_ptx_texture_index(wl_ptx_address_mode mode, int64_t at, int64_t extent);

#endif /* WL_PTX_EMULATE_TEXTURE_H */

/* texture.c - see texture.h. The order of bytes in a GOB is that of the public descriptions of
 * NVIDIA's block-linear layout; how high and deep blocks are follows what drivers choose, and is
 * assumed.
 * Layer  ptx/emulate. SPDX-License-Identifier: MIT */
#include "ptx/emulate/texture.h"

#include "base/ckd.h"

enum { GOB_WIDTH = 64, GOB_ROWS = 8, GOB_BYTES = GOB_WIDTH * GOB_ROWS };
enum { HEIGHT_MAX_2D = 16, HEIGHT_MAX_3D = 4, PLANES_MAX = 32 }; /* of a block: GOBs, planes */

#define BYTES_MAX ((int64_t)1 << 44)

/* The least power of two that is not below `least`, at most `most`. */
static int64_t doubled(int64_t least, int64_t most)
{
    int64_t n = 1;
    while (n < least && n < most)
        n *= 2;
    return n;
}

static void choose_blocks(wl_ptx_texture *t)
{
    const int64_t gobs = wl_ceil_div(t->extent[1], GOB_ROWS);
    const int64_t high = doubled(gobs, t->dims == 3 ? HEIGHT_MAX_3D : HEIGHT_MAX_2D);
    t->block_rows = GOB_ROWS * high;
    t->block_planes = doubled(t->extent[2], high < HEIGHT_MAX_3D ? PLANES_MAX : PLANES_MAX / 2);
}

bool wl_ptx_texture_lay_out(wl_ptx_texture *t, int64_t *bytes)
{
    const int64_t row = t->extent[0] * t->texel_bytes;
    int64_t rows = t->extent[1], planes = t->extent[2];
    t->block_rows = t->block_planes = 1;
    if (t->in_blocks) {
        choose_blocks(t);
        t->pitch = wl_round_up(row, GOB_WIDTH);
        rows = wl_round_up(rows, t->block_rows);
        planes = wl_round_up(planes, t->block_planes);
    } else if (t->pitch == 0) {
        t->pitch = row;
    }
    return wl_mul(t->pitch, rows, &t->layer_bytes) && wl_mul(t->layer_bytes, planes, &t->layer_bytes) &&
           wl_mul(t->layer_bytes, t->layers, bytes) && *bytes <= BYTES_MAX;
}

/* In a GOB: 16 bytes, two rows of them, the next 16 bytes, three more pairs of rows, the right half. */
static int64_t in_gob(int64_t x, int64_t y)
{
    return x / 32 * 256 + y / 2 * 64 + x % 32 / 16 * 32 + y % 2 * 16 + x % 16;
}

int64_t wl_ptx_texture_place(const wl_ptx_texture *t, int64_t x, int64_t y, int64_t z, int64_t layer)
{
    if (!t->in_blocks)
        return layer * t->layer_bytes + (z * t->extent[1] + y) * t->pitch + x;
    const int64_t across = t->pitch / GOB_WIDTH, down = wl_ceil_div(t->extent[1], t->block_rows);
    const int64_t block = (z / t->block_planes * down + y / t->block_rows) * across + x / GOB_WIDTH;
    const int64_t rows = z % t->block_planes * t->block_rows + y % t->block_rows; /* above it in its block */
    return layer * t->layer_bytes + block * t->block_rows * t->block_planes * GOB_WIDTH + rows / GOB_ROWS * GOB_BYTES +
           in_gob(x % GOB_WIDTH, rows % GOB_ROWS);
}

static bool unplace(const wl_ptx_texture *t, int64_t place, int64_t at[3])
{
    if (!t->in_blocks) {
        at[0] = place % t->pitch;
        at[1] = place / t->pitch % t->extent[1];
        at[2] = place / t->pitch / t->extent[1];
    } else {
        const int64_t across = t->pitch / GOB_WIDTH, down = wl_ceil_div(t->extent[1], t->block_rows);
        const int64_t bytes = t->block_rows * t->block_planes * GOB_WIDTH, block = place / bytes;
        const int64_t in = place % GOB_BYTES;
        const int64_t rows = place % bytes / GOB_BYTES * GOB_ROWS + in % 256 / 64 * 2 + in % 32 / 16;
        at[0] = block % across * GOB_WIDTH + in / 256 * 32 + in % 64 / 32 * 16 + in % 16;
        at[1] = block / across % down * t->block_rows + rows % t->block_rows;
        at[2] = block / across / down * t->block_planes + rows / t->block_rows;
    }
    return at[0] < t->extent[0] * t->texel_bytes && at[1] < t->extent[1] && at[2] < t->extent[2];
}

int64_t wl_ptx_texture_byte(const wl_ptx_texture *t, int64_t place)
{
    const int64_t layer = place / t->layer_bytes, row = t->extent[0] * t->texel_bytes;
    int64_t at[3];
    if (!unplace(t, place % t->layer_bytes, at))
        return -1;
    return ((layer * t->extent[2] + at[2]) * t->extent[1] + at[1]) * row + at[0];
}

int64_t wl_ptx_texture_index(wl_ptx_address_mode mode, int64_t at, int64_t extent)
{
    if (at >= 0 && at < extent)
        return at;
    switch (mode) {
    case WL_PTX_CLAMPED: return at < 0 ? 0 : extent - 1;
    case WL_PTX_WRAPPED: return wl_floor_mod(at, extent);
    case WL_PTX_MIRRORED: {
        const int64_t folded = wl_floor_mod(at, 2 * extent);
        return folded < extent ? folded : 2 * extent - 1 - folded;
    }
    case WL_PTX_BORDERED: break;
    }
    return -1;
}

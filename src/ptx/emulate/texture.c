/* texture.c - see texture.h. The order of bytes in a GOB is that of the public descriptions of
 * NVIDIA's block-linear layout; how high and deep blocks are follows what drivers choose, and is
 * assumed.
 * Layer  ptx/emulate. SPDX-License-Identifier: MIT */
#include "ptx/emulate/texture.h"

#include "base/ckd.h"

/* of a GOB: log2 of bytes, width and rows */
enum { GOB_BITS = 9, WIDTH_BITS = 6, ROW_BITS = 3 };
/* at most in a block: GOBs, planes */
enum { HEIGHT_BITS_2D = 4, HEIGHT_BITS_3D = 2, PLANE_BITS = 5 };

#define BYTES_MAX ((int64_t)1 << 44)

/* The least number of bits, at most `most`, with which `count` can be covered. */
static int bits_for(int64_t count, int most)
{
    int bits = 0;
    while (bits < most && (int64_t)1 << bits < count)
        bits++;
    return bits;
}

static void choose_blocks(wl_ptx_texture *t)
{
    const int64_t gobs = wl_ceil_div(t->extent[1], 1 << ROW_BITS);
    const int high = bits_for(gobs, t->dims == 3 ? HEIGHT_BITS_3D : HEIGHT_BITS_2D);
    t->row_bits = ROW_BITS + high;
    t->plane_bits = bits_for(t->extent[2], high < HEIGHT_BITS_3D ? PLANE_BITS : PLANE_BITS - 1);
}

bool wl_ptx_texture_lay_out(wl_ptx_texture *t, int64_t *bytes)
{
    const int64_t row = t->extent[0] * t->texel_bytes;
    int64_t rows = t->extent[1], planes = t->extent[2];
    if (t->in_blocks) {
        choose_blocks(t);
        rows = wl_round_up(rows, (int64_t)1 << t->row_bits);
        planes = wl_round_up(planes, (int64_t)1 << t->plane_bits);
        t->pitch = wl_round_up(row, 1 << WIDTH_BITS);
        t->across = t->pitch >> WIDTH_BITS;
        t->down = rows >> t->row_bits;
    } else if (t->pitch == 0) {
        t->pitch = row;
    }
    return wl_mul(t->pitch, rows, &t->layer_bytes) && wl_mul(t->layer_bytes, planes, &t->layer_bytes) &&
           wl_mul(t->layer_bytes, t->layers, bytes) && *bytes <= BYTES_MAX;
}

static int64_t low(int64_t value, int bits) { return value & (((int64_t)1 << bits) - 1); }

/* In a GOB: 16 bytes, two rows of them, the next 16 bytes, three more pairs of rows, the right
 * half. */
static int64_t in_gob(int64_t x, int64_t y)
{
    return (x >> 5) << 8 | (y >> 1) << 6 | (x >> 4 & 1) << 5 | (y & 1) << 4 | (x & 15);
}

int64_t wl_ptx_texture_place(const wl_ptx_texture *t, int64_t x, int64_t y, int64_t z, int64_t layer)
{
    if (!t->in_blocks)
        return layer * t->layer_bytes + (z * t->extent[1] + y) * t->pitch + x;
    const int64_t block = ((z >> t->plane_bits) * t->down + (y >> t->row_bits)) * t->across + (x >> WIDTH_BITS);
    /* the rows of GOBs and planes in its block */
    const int64_t rows = low(z, t->plane_bits) << t->row_bits | low(y, t->row_bits);
    return layer * t->layer_bytes + (block << (WIDTH_BITS + t->row_bits + t->plane_bits)) +
           ((rows >> ROW_BITS) << GOB_BITS) + in_gob(low(x, WIDTH_BITS), low(rows, ROW_BITS));
}

static bool unplace(const wl_ptx_texture *t, int64_t place, int64_t at[3])
{
    if (!t->in_blocks) {
        at[0] = place % t->pitch;
        at[1] = place / t->pitch % t->extent[1];
        at[2] = place / t->pitch / t->extent[1];
    } else {
        const int block_bits = WIDTH_BITS + t->row_bits + t->plane_bits;
        const int64_t block = place >> block_bits, in = low(place, GOB_BITS);
        const int64_t rows = low(place, block_bits) >> GOB_BITS << ROW_BITS | (in >> 6 & 3) << 1 | (in >> 4 & 1);
        at[0] = block % t->across << WIDTH_BITS | (in >> 8) << 5 | (in >> 5 & 1) << 4 | (in & 15);
        at[1] = (block / t->across % t->down << t->row_bits) + low(rows, t->row_bits);
        at[2] = (block / t->across / t->down << t->plane_bits) + (rows >> t->row_bits);
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

/* schedule_templates.c - see schedule_templates.h. SPDX-License-Identifier: MIT */
#include "report/text/schedule_templates.h"

const char wl_schedule_divisor[] = "/* Division by a number that does not change: a multiplication and a shift. */\n"
                                   "#ifndef WARPLINE_DIVISOR$S\n"
                                   "#define WARPLINE_DIVISOR$S\n"
                                   "typedef struct warpline_divisor$S {\n"
                                   "    $T by, multiplier; /* ceil(2^($L + shift) / by) */\n"
                                   "    int shift;         /* ceil(log2(by)) */\n"
                                   "} warpline_divisor$S;\n"
                                   "\n"
                                   "static inline warpline_divisor$S warpline_divide_by$S($T by)\n"
                                   "{\n"
                                   "    warpline_divisor$S d = {by, by == 1, 0};\n"
                                   "    $T rest = by > 1;\n"
                                   "    while ((($T)1 << d.shift) < by)\n"
                                   "        d.shift++;\n"
                                   "    for (int bit = 0; bit < $L + d.shift; bit++) {\n"
                                   "        const $T twice = 2 * rest;\n"
                                   "        d.multiplier = 2 * d.multiplier + (twice >= by);\n"
                                   "        rest = twice >= by ? twice - by : twice;\n"
                                   "    }\n"
                                   "    d.multiplier += rest > 0;\n"
                                   "    return d;\n"
                                   "}\n"
                                   "\n";

/* n < 2^31 */
const char wl_schedule_quotient_narrow[] =
    "$D unsigned warpline_quotient$S(unsigned n, warpline_divisor$S d)\n"
    "{\n"
    "    return (unsigned)(((unsigned long long)(2 * n) * d.multiplier) >> 32) >> d.shift;\n"
    "}\n"
    "#endif\n"
    "\n";

/* n < 2^63 */
const char wl_schedule_quotient_cuda[] = "$D $T warpline_quotient$S($T n, warpline_divisor$S d)\n"
                                         "{\n"
                                         "    return __umul64hi(2 * n, d.multiplier) >> d.shift;\n"
                                         "}\n"
                                         "#endif\n"
                                         "\n";

const char wl_schedule_quotient_wide[] =
    "$D $T warpline_quotient$S($T n, warpline_divisor$S d)\n"
    "{\n"
    "    const $T half = 0xffffffffu, a = 2 * n, b = d.multiplier; /* the upper half of a x b */\n"
    "    const $T low = (a & half) * (b & half);\n"
    "    const $T middle = (a >> 32) * (b & half) + (low >> 32);\n"
    "    const $T other = (a & half) * (b >> 32) + (middle & half);\n"
    "    return ((a >> 32) * (b >> 32) + (middle >> 32) + (other >> 32)) >> d.shift;\n"
    "}\n"
    "#endif\n"
    "\n";

const char wl_schedule_use_of_area[] = " *     const $T t = $U;\n"
                                       " *     if (t >= width * height)\n"
                                       " *         return;\n"
                                       " *     $T x, y;\n";
const char wl_schedule_use_of_box[] = " *     const $T t = $U;\n"
                                      " *     if (t >= width * height * depth)\n"
                                      " *         return;\n"
                                      " *     $T x, y, z;\n";
const char wl_schedule_use_of_plane[] = " *     const $T t = $X + width * $Y; (of a grid of width x height)\n"
                                        " *     $T x, y; (in place of $X and $Y)\n";
const char wl_schedule_use_of_grid[] =
    " *     const $T t = $X + width * ($Y + height * $Z); (of a grid of width x height x depth)\n"
    " *     $T x, y, z; (in place of $X, $Y and $Z)\n";

/* ---- columns ---- */

#define COLUMN_PLAIN                                                                                                   \
    "    const $T w = width < $W ? width : $W;\n"                                                                      \
    "    const $T column = t / (w * $R), left = column * w;\n"                                                         \
    "    const $T wide = width - left < w ? width - left : w; /* the last column is narrower */\n"                     \
    "    const $T i = t - column * (w * $R), row = i / wide;\n"

#define COLUMN_MEMBERS                                                                                                 \
    "    $T w, last; /* width of a column, first cell of the last one */\n"                                            \
    "    warpline_divisor$S column;       /* cells of a column */\n"                                                   \
    "    warpline_divisor$S wide, narrow; /* width of a column, and of the last one */\n"

#define COLUMN_PREPARE                                                                                                 \
    "    c.w = width < $W ? width : $W;\n"                                                                             \
    "    c.last = (width - 1) / c.w * c.w;\n"                                                                          \
    "    c.column = warpline_divide_by$S(c.w * $R);\n"                                                                 \
    "    c.wide = warpline_divide_by$S(c.w);\n"                                                                        \
    "    c.narrow = warpline_divide_by$S(width - c.last);\n"

#define COLUMN_READY                                                                                                   \
    "    const $T column = warpline_quotient$S(t, c->column), left = column * c->w;\n"                                 \
    "    const warpline_divisor$S wide = left == c->last ? c->narrow : c->wide;\n"                                     \
    "    const $T i = t - column * c->column.by, row = warpline_quotient$S(i, wide);\n"

/* ---- tiles ---- */

#define TILE_PLAIN                                                                                                     \
    "    const $T w = width < $W ? width : $W, h = $R < $H ? $R : $H;\n"                                               \
    "    const $T band = t / (h * width), top = band * h;\n"                                                           \
    "    const $T high = $R - top < h ? $R - top : h; /* the last band is lower */\n"                                  \
    "    const $T in_band = t - band * (h * width);\n"                                                                 \
    "    const $T tile = in_band / (w * high), left = tile * w;\n"                                                     \
    "    const $T wide = width - left < w ? width - left : w; /* the last tile is narrower */\n"                       \
    "    const $T i = in_band - tile * (w * high), down = i / wide, row = top + down;\n"                               \
    "    *x = left + i - down * wide;\n"

#define TILE_MEMBERS                                                                                                   \
    "    $T w, h, last_left, last_top; /* of a tile; where the last ones start */\n"                                   \
    "    warpline_divisor$S band;         /* cells of a band of tiles */\n"                                            \
    "    warpline_divisor$S tile, low;    /* cells of a tile, and of one in the last band */\n"                        \
    "    warpline_divisor$S wide, narrow; /* width of a tile, and of the last one */\n"

#define TILE_PREPARE                                                                                                   \
    "    c.w = width < $W ? width : $W;\n"                                                                             \
    "    c.h = $R < $H ? $R : $H;\n"                                                                                   \
    "    c.last_left = (width - 1) / c.w * c.w;\n"                                                                     \
    "    c.last_top = ($R - 1) / c.h * c.h;\n"                                                                         \
    "    c.band = warpline_divide_by$S(c.h * width);\n"                                                                \
    "    c.tile = warpline_divide_by$S(c.w * c.h);\n"                                                                  \
    "    c.low = warpline_divide_by$S(c.w * ($R - c.last_top));\n"                                                     \
    "    c.wide = warpline_divide_by$S(c.w);\n"                                                                        \
    "    c.narrow = warpline_divide_by$S(width - c.last_left);\n"

#define TILE_READY                                                                                                     \
    "    const $T band = warpline_quotient$S(t, c->band), top = band * c->h;\n"                                        \
    "    const warpline_divisor$S cells = top == c->last_top ? c->low : c->tile;\n"                                    \
    "    const $T in_band = t - band * c->band.by;\n"                                                                  \
    "    const $T tile = warpline_quotient$S(in_band, cells), left = tile * c->w;\n"                                   \
    "    const warpline_divisor$S wide = left == c->last_left ? c->narrow : c->wide;\n"                                \
    "    const $T i = in_band - tile * cells.by, down = warpline_quotient$S(i, wide), row = top + down;\n"             \
    "    *x = left + i - down * wide.by;\n"

/* ---- groups of rows of blocks ---- */

#define SWIZZLE_PLAIN                                                                                                  \
    "    const $T g = height < $W ? height : $W;\n"                                                                    \
    "    const $T group = t / (g * width), top = group * g;\n"                                                         \
    "    const $T high = height - top < g ? height - top : g; /* the last group has fewer rows */\n"                   \
    "    const $T i = t - group * (g * width), column = i / high, row = top + i - column * high;\n"                    \
    "    *x = column;\n"

#define SWIZZLE_MEMBERS                                                                                                \
    "    $T g, last;                   /* rows of a group, first row of the last one */\n"                             \
    "    warpline_divisor$S group;     /* blocks of a group */\n"                                                      \
    "    warpline_divisor$S high, low; /* rows of a group, and of the last one */\n"

#define SWIZZLE_PREPARE                                                                                                \
    "    c.g = height < $W ? height : $W;\n"                                                                           \
    "    c.last = (height - 1) / c.g * c.g;\n"                                                                         \
    "    c.group = warpline_divide_by$S(c.g * width);\n"                                                               \
    "    c.high = warpline_divide_by$S(c.g);\n"                                                                        \
    "    c.low = warpline_divide_by$S(height - c.last);\n"

#define SWIZZLE_READY                                                                                                  \
    "    const $T group = warpline_quotient$S(t, c->group), top = group * c->g;\n"                                     \
    "    const warpline_divisor$S high = top == c->last ? c->low : c->high;\n"                                         \
    "    const $T i = t - group * c->group.by, column = warpline_quotient$S(i, high);\n"                               \
    "    const $T row = top + i - column * high.by;\n"                                                                 \
    "    *x = column;\n"

/* ---- curves ---- */

#define CURVE_SIDE                                                                                                     \
    "    $T side = 1;\n"                                                                                               \
    "    while (side < width || side < $R)\n"                                                                          \
    "        side *= 2;\n"

/* across, down: the position of the quadrant; next: the orientation of the curve in it. All are
 * expressions of q. */
#define CURVE_DESCENT(across, down, next, w, h)                                                                        \
    "    $T left = 0, row = 0;\n"                                                                                      \
    "    unsigned turn = 0; /* how the curve lies in the square: bit 0 swaps x and y, bit 1 mirrors both */\n"         \
    "    while (side > 1) {\n"                                                                                         \
    "        side /= 2;\n"                                                                                             \
    "        for (unsigned q = 0; q < 4; q++) { /* the quadrant that holds cell t of the square */\n"                  \
    "            const unsigned a = " across ", b = " down ";\n"                                                       \
    "            const $T x0 = left + ((turn & 1 ? b : a) ^ turn >> 1) * side;\n"                                      \
    "            const $T y0 = row + ((turn & 1 ? a : b) ^ turn >> 1) * side;\n"                                       \
    "            const $T wide = x0 >= " w " ? 0 : " w " - x0 < side ? " w " - x0 : side;\n"                           \
    "            const $T high = y0 >= " h " ? 0 : " h " - y0 < side ? " h " - y0 : side;\n"                           \
    "            if (t < wide * high) {\n"                                                                             \
    "                left = x0;\n"                                                                                     \
    "                row = y0;\n"                                                                                      \
    "                turn ^= " next ";\n"                                                                              \
    "                break;\n"                                                                                         \
    "            }\n"                                                                                                  \
    "            t -= wide * high; /* cells of a quadrant inside the domain */\n"                                      \
    "        }\n"                                                                                                      \
    "    }\n"                                                                                                          \
    "    *x = left;\n"

#define HILBERT(w, h) CURVE_DESCENT("q >> 1", "(q ^ q >> 1) & 1", "q == 0 ? 1u : q == 3 ? 3u : 0u", w, h)
#define MORTON(w, h) CURVE_DESCENT("q & 1", "q >> 1", "0u", w, h)
#define CURVE_MEMBERS "    $T width, rows, side; /* side of the square around the domain, a power of two */\n"
#define CURVE_PREPARE CURVE_SIDE "    c.width = width;\n    c.rows = $R;\n    c.side = side;\n"
#define CURVE_START "    $T side = c->side;\n"

const wl_schedule_template wl_schedule_templates[WL_SCHEDULE_KIND_COUNT] = {
    [WL_SCHEDULE_LINEAR] = {"row by row",
                            "    const $T row = t / width;\n"
                            "    *x = t - row * width;\n",
                            "    warpline_divisor$S width;\n", "    c.width = warpline_divide_by$S(width);\n",
                            "    const $T row = warpline_quotient$S(t, c->width);\n"
                            "    *x = t - row * c->width.by;\n"},
    [WL_SCHEDULE_COLUMN] = {"columns of cells, each row by row; the last one is narrower",
                            COLUMN_PLAIN "    *x = left + i - row * wide;\n", COLUMN_MEMBERS, COLUMN_PREPARE,
                            COLUMN_READY "    *x = left + i - row * wide.by;\n"},
    [WL_SCHEDULE_ZIGZAG] = {"columns of cells, each row by row, the even rows backwards",
                            COLUMN_PLAIN "    const $T at = i - row * wide;\n"
                                         "    *x = left + (row % 2 == 0 ? wide - 1 - at : at);\n",
                            COLUMN_MEMBERS, COLUMN_PREPARE,
                            COLUMN_READY "    const $T at = i - row * wide.by;\n"
                                         "    *x = left + (row % 2 == 0 ? wide.by - 1 - at : at);\n"},
    [WL_SCHEDULE_TILE] = {"tiles of cells, row by row, and the cells of each row by row", TILE_PLAIN, TILE_MEMBERS,
                          TILE_PREPARE, TILE_READY},
    [WL_SCHEDULE_HILBERT] = {"along Hilbert's curve, without the cells outside the domain",
                             CURVE_SIDE HILBERT("width", "$R"), CURVE_MEMBERS, CURVE_PREPARE,
                             CURVE_START HILBERT("c->width", "c->rows")},
    [WL_SCHEDULE_MORTON] = {"along Morton's curve, without the cells outside the domain",
                            CURVE_SIDE MORTON("width", "$R"), CURVE_MEMBERS, CURVE_PREPARE,
                            CURVE_START MORTON("c->width", "c->rows")},
    [WL_SCHEDULE_SWIZZLE] = {"groups of rows of blocks, each column by column; the last group has fewer rows",
                             SWIZZLE_PLAIN, SWIZZLE_MEMBERS, SWIZZLE_PREPARE, SWIZZLE_READY},
};

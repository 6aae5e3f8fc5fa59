/* paper_forms.c - see paper_forms.h. SPDX-License-Identifier: MIT */
#include "cache/paper_forms.h"

#include <math.h>

#include "base/ckd.h"

/* Lines of a row of `width` cells with the stencil around them, as the paper counts: I + S
 * elements, not I + S - 1. */
static int64_t row_lines(const wl_paper_stencil *s, int64_t width) { return wl_ceil_div(width + s->width, s->line); }

int64_t wl_paper_naive_needs(const wl_paper_stencil *s) { return row_lines(s, s->input_width) * s->height; }

int64_t wl_paper_naive_most(const wl_paper_stencil *s)
{
    return row_lines(s, s->input_width) * s->input_height * s->height;
}

int64_t wl_paper_naive_fetches(const wl_paper_stencil *s) { return row_lines(s, s->input_width) * s->input_height; }

int64_t wl_paper_warp_lines(const wl_paper_stencil *s, int64_t threads, int64_t rows)
{
    return wl_ceil_div(threads + rows * s->width, s->line) * s->height;
}

int64_t wl_paper_tile_needs(const wl_paper_stencil *s, int64_t tile) { return row_lines(s, tile) * s->height; }

double wl_paper_tile_size(const wl_paper_stencil *s, int64_t cache_lines)
{
    return (double)(s->line * cache_lines) / (double)s->height - (double)s->width;
}

int64_t wl_paper_tile_fetches(const wl_paper_stencil *s, int64_t tile)
{
    return wl_ceil_div(s->input_width, tile) * row_lines(s, tile) * wl_ceil_div(s->input_height, tile) *
           (tile + s->height);
}

double wl_paper_column_bytes(const wl_paper_stencil *s, double unit, double width, double threads)
{
    return unit * (width + (double)s->width) * ((double)s->height + ceil(threads / width));
}

double wl_paper_column_asymptote(const wl_paper_stencil *s, double unit, double width, double threads)
{
    return unit * (threads + (double)s->height * (width + (double)s->width));
}

double wl_paper_column_width(const wl_paper_stencil *s, double unit, double bytes, double threads)
{
    return (bytes - unit * ((double)(s->height * s->width) + threads)) / ((double)s->height * unit);
}

int64_t wl_paper_column_fetches(const wl_paper_stencil *s, int64_t width)
{
    return wl_ceil_div(s->input_width, width) * row_lines(s, width) * (s->input_height + s->height);
}

int64_t wl_paper_product_needs(const wl_product *p) { return wl_ceil_div(p->depth, p->line) + p->depth; }

int64_t wl_paper_product_row_fetches(const wl_product *p)
{
    return wl_ceil_div(p->depth, p->line) * p->height + p->depth * p->width * p->height;
}

int64_t wl_paper_product_most(const wl_product *p) { return wl_paper_product_needs(p) * p->width * p->height; }

int64_t wl_paper_product_all_needs(const wl_product *p)
{
    return wl_ceil_div(p->depth, p->line) + wl_ceil_div(p->width * p->depth, p->line);
}

int64_t wl_paper_product_least_fetches(const wl_product *p)
{
    return wl_ceil_div(p->depth, p->line) * p->height + wl_ceil_div(p->width, p->line) * p->depth;
}

int64_t wl_paper_product_column_needs(const wl_product *p, int64_t width)
{
    return wl_ceil_div(p->depth, p->line) + p->depth * wl_ceil_div(width, p->line);
}

double wl_paper_product_column_bytes(const wl_product *p, double unit, double width)
{
    return unit * (double)p->depth * width;
}

double wl_paper_product_column_width(const wl_product *p, double unit, double bytes)
{
    return bytes / (unit * (double)p->depth);
}

/* schedule_code.c - a schedule as a function in CUDA, OpenCL or C: the cell of a thread or block.
 *
 * Extents are arguments, so that one function serves every domain; the width of the schedule is a
 * constant in it and part of its name. Code comes from share/templates/schedules.txt, where
 * expand() replaces a $ and a letter.
 *
 * The form with constants divides by multiplying: with s = ceil(log2 d), n < 2^N and m =
 * ceil(2^(N+s) / d), floor(n / d) = floor(n m / 2^(N+s)), because m d - 2^(N+s) < d <= 2^s. m takes
 * N + 1 bits, so the upper half of the product 2n x m is the quotient, shifted by s. N is 31 or 63.
 *
 * Oracle: tests/property/prop_schedule_code.c compiles and runs it. SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/fail.h"
#include "report/common/templates.h"
#include "schedule/order.h"
#include "warpline/report.h"

/* so that t and what is computed from it fits into 32 bits, unsigned */
#define NARROW_CELLS_MAX ((int64_t)1 << 31)

/* The values for the templates. */
typedef struct filling {
    const wl_schedule *schedule;
    const wl_order *order; /* of the domain; NULL: not given */
    bool deep, wide;       /* three dimensions, 64 bits */
    bool precomputed;      /* constants */
    wl_code_language language;
    char text[WL_SCHEDULE_TEXT_MAX], name[WL_SCHEDULE_TEXT_MAX + 16];
    char size[2][32]; /* width and height, as constants */
} filling;

/* What languages write differently. */
static const struct {
    const char *narrow, *wide, *suffix; /* types, and the suffix of wide constants */
    const char *function, *product;     /* of the templates: the upper half of a product */
    const char *thread[2], *block[3];   /* thread: narrow, wide */
} forms[WL_CODE_LANGUAGES] = {
    [WL_CODE_CUDA] = {"unsigned",
                      "unsigned long long",
                      "ull",
                      "static __device__ __forceinline__",
                      "CUDA quotient",
                      {"blockIdx.x * blockDim.x + threadIdx.x",
                       "(unsigned long long)blockIdx.x * blockDim.x + threadIdx.x"},
                      {"blockIdx.x", "blockIdx.y", "blockIdx.z"}},
    [WL_CODE_C] = {"unsigned",
                   "unsigned long long",
                   "ull",
                   "static inline",
                   "wide quotient",
                   {"block * threads_per_block + thread", "block * threads_per_block + thread"},
                   {"block_x", "block_y", "block_z"}},
    [WL_CODE_OPENCL] = {"uint",
                        "ulong",
                        "ul",
                        "static inline",
                        "OpenCL quotient",
                        {"get_global_id(0)", "get_global_id(0)"},
                        {"get_group_id(0)", "get_group_id(1)", "get_group_id(2)"}},
};

static const char *value_of(const filling *f, char letter)
{
    const bool hilbert = f->schedule->kind == WL_SCHEDULE_HILBERT;
    switch (letter) {
    case 'T': return f->wide ? forms[f->language].wide : forms[f->language].narrow;
    case 'S': return f->wide ? "64" : "32";
    case 'L': return f->wide ? "63" : "31";
    case 'N': return f->name;
    case 'K': return f->text;
    case 'W': return f->size[0];
    case 'H': return f->size[1];
    case 'R': return f->deep ? "rows" : "height";
    case 'D': return forms[f->language].function;
    case 'U': return forms[f->language].thread[f->wide];
    case 'X': return forms[f->language].block[0];
    case 'Y': return forms[f->language].block[1];
    case 'Z': return forms[f->language].block[2];
    /* of a curve: the size of the domain; the position of quadrant q, and the orientation of the
     * curve in it */
    case 'w': return f->precomputed ? "c->width" : "width";
    case 'h': return f->precomputed ? "c->rows" : f->deep ? "rows" : "height";
    case 'a': return hilbert ? "q >> 1" : "q & 1";
    case 'b': return hilbert ? "(q ^ q >> 1) & 1" : "q >> 1";
    case 't': return hilbert ? "q == 0 ? 1u : q == 3 ? 3u : 0u" : "0u";
    default: return "$";
    }
}

static void expand_piece(const filling *f, wl_piece piece, wl_buffer *out)
{
    for (const char *p = piece.text, *end = p + piece.length; p < end;) {
        const char *mark = memchr(p, '$', (size_t)(end - p));
        wl_buffer_put(out, p, (size_t)((mark ? mark : end) - p));
        if (!mark)
            return;
        if (mark[1] == '(') {
            const size_t length = strcspn(mark + 2, ")");
            expand_piece(f, wl_template("schedules", mark + 2, length), out);
            p = mark + 2 + length + strlen(")\n");
        } else {
            wl_buffer_text(out, value_of(f, mark[1]));
            p = mark + 2;
        }
    }
}

static void expand(const filling *f, const char *template, wl_buffer *out)
{
    expand_piece(f, (wl_piece){template, strlen(template)}, out);
}

/* A part of the templates. */
static void expand_part(const filling *f, const char *part, wl_buffer *out)
{
    expand_piece(f, wl_template("schedules", part, strlen(part)), out);
}

/* A part of those of the schedule's kind. */
static void expand_own(const filling *f, const char *part, wl_buffer *out)
{
    char name[64];
    (void)snprintf(name, sizeof name, "%.*s %s", (int)strcspn(f->text, ":"), f->text, part);
    expand_part(f, name, out);
}

/* "column:32" as "warpline_column_32". */
static void set_names(filling *f)
{
    const wl_schedule *s = f->schedule;
    const int64_t sizes[2] = {s->width, s->height}, most = f->wide ? WL_ADDRESS_LIMIT : NARROW_CELLS_MAX;
    wl_schedule_print(s, f->text);
    (void)snprintf(f->name, sizeof f->name, "warpline_%s", f->text);
    for (char *p = f->name; *p; p++)
        *p = *p == ':' ? '_' : *p;
    for (int i = 0; i < 2; i++) /* larger numbers than any extent count as the maximum */
        (void)snprintf(f->size[i], sizeof f->size[i], "%lld%s", (long long)wl_min(sizes[i], most),
                       f->wide ? forms[f->language].suffix : "u");
}

/* ---- parts ---- */

static bool orders_blocks(const filling *f) { return wl_schedule_orders_blocks(f->schedule); }

static void write_extent(const filling *f, wl_buffer *out)
{
    const int64_t *e = f->order->extent;
    wl_buffer_add(out, " * Over %lldx%lld", (long long)e[0], (long long)e[1]);
    if (f->deep)
        wl_buffer_add(out, "x%lld", (long long)e[2]);
    wl_buffer_add(out, ", %lld %s%s.\n", (long long)f->order->cells, orders_blocks(f) ? "blocks" : "threads",
                  wl_order_is_linear(f->order) ? ", this is the linear order: it changes nothing" : "");
}

static void write_comment(const filling *f, wl_buffer *out)
{
    expand(f, "/* $K: ", out);
    expand_own(f, "meaning", out);
    if (f->order)
        write_extent(f, out);
    wl_buffer_add(out, " * For %s of at most 2^%d %s%s.\n *\n", orders_blocks(f) ? "grids" : "domains",
                  f->wide ? 60 : 31, orders_blocks(f) ? "blocks" : "cells",
                  f->wide ? "" : "; a larger --domain gives 64 bits");
    if (f->precomputed)
        expand(f,
               f->deep ? " *     $N_constants c = $N_prepare(width, height, depth); (on the host)\n"
                       : " *     $N_constants c = $N_prepare(width, height); (on the host)\n",
               out);
    if (f->precomputed && f->language == WL_CODE_OPENCL)
        wl_buffer_text(out, " *     (what --as c --precomputed prints has the same constants for the host)\n");
    if (orders_blocks(f))
        expand_part(f, f->deep ? "grid" : "plane", out);
    else
        expand_part(f, f->deep ? "box" : "area", out);
    expand(f,
           f->precomputed ? " *     $N(&c, t, &x, &y"
           : f->deep      ? " *     $N(t, width, height, depth, &x, &y"
                          : " *     $N(t, width, height, &x, &y",
           out);
    wl_buffer_text(out, f->deep ? ", &z);\n */\n" : ");\n */\n");
}

static const char *extents(const filling *f)
{
    return f->deep ? "$T width, $T height, $T depth" : "$T width, $T height";
}
static const char *results(const filling *f)
{
    return f->deep ? ",\n    $T *x, $T *y, $T *z)\n{\n" : ",\n    $T *x, $T *y)\n{\n";
}

/* Avoids the compiler's warning about an extent that is never read. */
static void write_unused(const filling *f, wl_buffer *out)
{
    if (f->schedule->kind == WL_SCHEDULE_LINEAR || orders_blocks(f))
        wl_buffer_text(out, f->deep ? "    (void)depth;\n" : orders_blocks(f) ? "" : "    (void)height;\n");
    else if (f->deep)
        expand(f, "    const $T rows = height * depth;\n", out);
}

/* The row as y, or as y and z. */
static void write_end(const filling *f, wl_buffer *out)
{
    if (!f->deep || orders_blocks(f))
        wl_buffer_text(out, "    *y = row;\n}\n");
    else if (f->precomputed)
        expand(f, "    *z = warpline_quotient$S(row, c->height);\n    *y = row - *z * c->height.by;\n}\n", out);
    else
        wl_buffer_text(out, "    *z = row / height;\n    *y = row - *z * height;\n}\n");
}

static void write_plain(const filling *f, wl_buffer *out)
{
    expand(f, "$D void $N($T t, ", out);
    expand(f, extents(f), out);
    expand(f, results(f), out);
    write_unused(f, out);
    if (f->deep && orders_blocks(f))
        wl_buffer_text(out, "    *z = t / (width * height);\n    t -= *z * (width * height);\n");
    expand_own(f, "plain", out);
    write_end(f, out);
}

/* ---- with constants ---- */

static void write_constants(const filling *f, wl_buffer *out)
{
    expand(f, "typedef struct $N_constants {\n", out);
    expand_own(f, "members", out);
    if (f->deep)
        expand(f,
               orders_blocks(f) ? "    warpline_divisor$S plane; /* blocks of a plane */\n"
                                : "    warpline_divisor$S height;\n",
               out);
    expand(f, "} $N_constants;\n\nstatic inline $N_constants $N_prepare(", out);
    expand(f, extents(f), out);
    expand(f, ")\n{\n    $N_constants c;\n", out);
    write_unused(f, out);
    expand_own(f, "prepare", out);
    if (f->deep)
        expand(f,
               orders_blocks(f) ? "    c.plane = warpline_divide_by$S(width * height);\n"
                                : "    c.height = warpline_divide_by$S(height);\n",
               out);
    wl_buffer_text(out, "    return c;\n}\n\n");
}

static void write_ready(const filling *f, wl_buffer *out)
{
    expand(f, "$D void $N(const $N_constants *c, $T t", out);
    expand(f, results(f), out);
    if (f->deep && orders_blocks(f))
        expand(f, "    *z = warpline_quotient$S(t, c->plane);\n    t -= *z * c->plane.by;\n", out);
    expand_own(f, "ready", out);
    write_end(f, out);
}

static bool divides(const filling *f)
{
    const wl_schedule_kind kind = f->schedule->kind;
    return f->deep || (kind != WL_SCHEDULE_HILBERT && kind != WL_SCHEDULE_MORTON);
}

static void write_precomputed(const filling *f, wl_buffer *out)
{
    if (divides(f)) {
        expand_part(f, "divisor", out);
        const bool halves = f->wide || f->language == WL_CODE_OPENCL;
        expand_part(f, halves ? forms[f->language].product : "narrow quotient", out);
    }
    write_constants(f, out);
    write_ready(f, out);
}

wl_status wl_schedule_code(const wl_schedule *schedule, const wl_code_options *options, char **out, wl_error *err)
{
    static const int64_t nothing[3] = {0};
    const bool given = options->extent[0] > 0;
    wl_order order;
    WL_TRY(wl_order_make(schedule, given ? options->extent : nothing, &order, err));
    filling f = {.schedule = schedule,
                 .order = given ? &order : NULL,
                 .deep = options->dims == 3,
                 .wide = order.cells > NARROW_CELLS_MAX,
                 .language = options->language,
                 .precomputed = options->precomputed};
    wl_buffer text = {0};
    set_names(&f);
    write_comment(&f, &text);
    (f.precomputed ? write_precomputed : write_plain)(&f, &text);
    return wl_buffer_take(&text, out, err);
}

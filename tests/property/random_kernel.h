/* random_kernel.h - kernels and launches at random, the kernel as YAML text so that the parser is
 * tested too.
 *
 * What is drawn is meant to be awkward: rows that share lines, rows that overlap, strides of 0 and
 * below, grids that are larger or smaller than the domain, threadIdx and blockIdx used apart. Sizes
 * stay small enough to enumerate. One number makes one case: the same seed always gives the same
 * kernel.
 * SPDX-License-Identifier: MIT */
#ifndef WL_TESTS_RANDOM_KERNEL_H
#define WL_TESTS_RANDOM_KERNEL_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "property/random_source.h"
#include "warpline/launch.h"

#define RANDOM_TEXT_MAX 16384
#define RANDOM_FIELDS_MAX 3

typedef struct random_field {
    int cell_bytes, dims; /* dims 0: addressed by plain index */
    int64_t pitch;        /* elements from row to row, about  */
} random_field;

typedef struct random_case {
    char yaml[RANDOM_TEXT_MAX];
    size_t length;
    wl_launch launch;
    int dims;                    /* of the domain, 0: none */
    int64_t domain[3], first[3]; /* cells below `first` do nothing */
    int loop_count;
    int field_count;
    random_field fields[RANDOM_FIELDS_MAX];
} random_case;

/* ---- text ---- */

static void random_put(random_case *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void random_put(random_case *c, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int n = vsnprintf(c->yaml + c->length, sizeof c->yaml - c->length, format, arguments);
    va_end(arguments);
    if (n > 0)
        c->length += (size_t)n;
    if (c->length >= sizeof c->yaml)
        c->length = sizeof c->yaml - 1;
}

/* ---- domain and launch ---- */

/* Mostly a border of a cell or two. Numbers of its own: cases are the same with and without it. */
static void random_from(random_source own, random_case *c)
{
    if (!random_chance(&own, 40))
        return;
    random_put(c, "from: [");
    for (int d = 0; d < c->dims; d++) {
        const int64_t most = c->domain[d] - 1;
        if (random_chance(&own, 70))
            c->first[d] = random_in(&own, 0, random_chance(&own, 60) && most > 3 ? 3 : most);
        random_put(c, "%s%lld", d ? ", " : "", (long long)c->first[d]);
    }
    random_put(c, "]\n");
}

static void random_domain(random_source *r, random_case *c, bool needed)
{
    static const int64_t most[4] = {0, 300, 40, 12};
    c->dims = needed || random_chance(r, 85) ? (int)random_in(r, 1, 3) : 0;
    for (int d = 0; d < 3; d++)
        c->domain[d] = d < c->dims ? random_in(r, 1, random_chance(r, 80) ? most[c->dims] : 40) : 1;
    while (c->domain[0] * c->domain[1] * c->domain[2] > 4000) {
        const int64_t d = random_in(r, 0, 2);
        c->domain[d] = random_in(r, 1, 12);
    }
    if (c->dims == 0)
        return;
    random_put(c, "domain: [");
    for (int d = 0; d < c->dims; d++)
        random_put(c, "%s%lld", d ? ", " : "", (long long)c->domain[d]);
    random_put(c, "]\n");
    random_from(random_start(r->state), c);
}

/* A grid that ends before the first cell is none. */
static void random_grid_reaches(random_case *c)
{
    wl_launch *l = &c->launch;
    for (int d = 0; d < 3; d++)
        if (l->grid[d] * l->block[d] * l->fold[d] <= c->first[d])
            l->grid[d] = 0;
}

static void random_launch(random_source *r, random_case *c)
{
    wl_launch *l = &c->launch;
    const int dims = c->dims ? c->dims : (int)random_in(r, 1, 3);
    const bool folds = random_chance(r, 35);
    int64_t cells = 1;
    *l = (wl_launch){0};
    for (int d = 0; d < 3; d++) {
        static const int64_t usual[] = {1, 2, 4, 8, 16, 32};
        static const int64_t most[3] = {40, 8, 3};
        const bool inside = d < dims || random_chance(r, 5);
        l->block[d] = !inside ? 1 : random_chance(r, 60) ? RANDOM_OF(r, usual) : random_in(r, 1, most[d]);
        l->block[d] = l->block[d] > most[d] ? most[d] : l->block[d];
        l->fold[d] = folds && inside ? random_in(r, 1, 3) : 1;
        cells *= l->block[d] * l->fold[d];
    }
    for (int d = 0; d < 3; d++) {
        const int64_t per_block = l->block[d] * l->fold[d], needed = (c->domain[d] + per_block - 1) / per_block;
        if (c->dims == 0)
            l->grid[d] = d < dims ? random_in(r, 1, cells > 600 ? 2 : 4) : 0;
        else if (random_chance(r, 12))
            l->grid[d] = random_in(r, 1, needed + 3);
    }
    random_grid_reaches(c);
}

/* ---- fields ---- */

static int64_t random_pitch(random_source *r, int64_t row, int64_t unit)
{
    switch (random_in(r, 0, 7)) {
    case 0: return row;                            /* tightly packed            */
    case 1: return row + random_in(r, 1, 5);       /* unaligned                 */
    case 2: return (row + unit - 1) / unit * unit; /* aligned to a line         */
    case 3: return (row + unit - 1) / unit * unit + random_in(r, 1, 3);
    case 4: return random_in(r, row > 4 ? row / 2 : 1, row); /* rows overlap              */
    case 5: return random_chance(r, 30) ? 0 : -(row + random_in(r, 0, 3));
    case 6: return random_in(r, 1, 600);
    default: return row + 2 * random_in(r, 0, 4);
    }
}

static void random_strides(random_source *r, random_case *c, random_field *f)
{
    const int64_t unit = f->cell_bytes < 128 ? 128 / f->cell_bytes : 1;
    int64_t stride = random_chance(r, 85) ? 1 : random_in(r, -3, 5);
    int64_t row = (c->domain[0] + random_in(r, 0, 4)) * (stride ? (stride < 0 ? -stride : stride) : 1);
    random_put(c, ", strides: [%lld", (long long)stride);
    for (int d = 1; d < f->dims; d++) {
        stride = random_pitch(r, row, unit);
        f->pitch = d == 1 ? stride : f->pitch;
        random_put(c, ", %lld", (long long)stride);
        row = (stride ? (stride < 0 ? -stride : stride) : 1) * (d < 3 ? c->domain[d] + random_in(r, 0, 2) : 4);
    }
    random_put(c, "]");
}

static void random_extent(random_source *r, random_case *c, random_field *f)
{
    random_put(c, ", extent: [");
    for (int d = 0; d < f->dims; d++)
        random_put(c, "%s%lld", d ? ", " : "", (long long)(d < c->dims ? c->domain[d] : random_in(r, 1, 4)));
    random_put(c, "]");
    if (random_chance(r, 60)) {
        random_put(c, ", halo: %lld", (long long)random_in(r, 0, 4));
    } else if (random_chance(r, 50)) {
        random_put(c, ", halo: [");
        for (int d = 0; d < f->dims; d++)
            random_put(c, "%s%lld", d ? ", " : "", (long long)random_in(r, 0, 3));
        random_put(c, "]");
    }
}

/* `shift` is a param of every kernel: the laws move all origins with it. */
static void random_fields(random_source *r, random_case *c, bool update)
{
    static const struct {
        const char *name;
        int bytes;
    } types[] = {{"f16", 2}, {"f32", 4}, {"f64", 8}, {"i8", 1}};
    c->field_count = (int)random_in(r, 1, RANDOM_FIELDS_MAX);
    random_put(c, "fields:\n");
    for (int i = 0; i < c->field_count; i++) {
        random_field *f = &c->fields[i];
        const int type = (int)random_in(r, 0, 3);
        int vector = random_chance(r, 75) ? 1 : 1 << random_in(r, 1, 4);
        while (vector * types[type].bytes > 16)
            vector /= 2;
        f->cell_bytes = types[type].bytes * vector;
        f->pitch = 40;
        f->dims = update                 ? c->dims + (random_chance(r, 15) ? 1 : 0)
                  : random_chance(r, 50) ? 0
                                         : (int)random_in(r, 1, 4);
        random_put(c, "  f%d: {type: %s", i, types[type].name);
        if (vector > 1)
            random_put(c, ", vector: %d", vector);
        const bool extent = f->dims && (update ? random_chance(r, 30) : random_chance(r, 20));
        if (extent)
            random_extent(r, c, f);
        else if (f->dims)
            random_strides(r, c, f);
        /* accesses may reach beyond the halo, which only an origin allows */
        if (random_chance(r, 70) || extent)
            random_put(c, ", origin: %lld + shift",
                       (long long)(random_chance(r, 50) ? random_in(r, -70, 300) : 16 * random_in(r, 0, 9)));
        if (random_chance(r, 30))
            random_put(c, ", alignment: %d", f->cell_bytes << random_in(r, 0, 6));
        random_put(c, "}\n");
    }
}

/* ---- update ---- */

static void random_offset(random_source *r, random_case *c, int field, int64_t reach, bool star)
{
    const random_field *f = &c->fields[field];
    const int64_t arm = random_in(r, 0, f->dims - 1);
    random_put(c, "f%d[", field);
    for (int d = 0; d < f->dims; d++) {
        int64_t offset = d < c->dims && (!star || d == arm) ? random_in(r, -reach, reach) : 0;
        if (d >= c->dims)
            offset = random_in(r, 0, 3);
        random_put(c, "%s%lld", d ? "," : "", (long long)offset);
    }
    random_put(c, "]");
}

static void random_update(random_source *r, random_case *c)
{
    const int64_t statements = random_in(r, 1, 3), reach = random_in(r, 0, 4);
    random_put(c, "update: |\n");
    for (int64_t s = 0; s < statements; s++) {
        const bool star = random_chance(r, 60);
        const int64_t terms = random_in(r, 1, random_chance(r, 20) ? 27 : 8);
        random_put(c, "  ");
        const int target = (int)random_in(r, 0, c->field_count - 1);
        random_offset(r, c, target, random_chance(r, 80) ? 0 : reach, star);
        random_put(c, " = ");
        for (int64_t t = 0; t < terms; t++) {
            random_put(c, "%s", t ? " + " : "");
            random_offset(r, c, (int)random_in(r, 0, c->field_count - 1), reach, star);
        }
        random_put(c, "\n");
    }
}

/* ---- address expressions ---- */

static const char *random_variable(random_source *r, const random_case *c)
{
    static const char *const cells[] = {"x", "y", "z"};
    static const char *const others[] = {"threadIdx.x", "threadIdx.y", "threadIdx.z",
                                         "blockIdx.x",  "blockIdx.y",  "blockIdx.z"};
    static const char *const loops[] = {"i", "j", "k"};
    if (c->loop_count && random_chance(r, 30))
        return loops[random_in(r, 0, c->loop_count - 1)];
    return random_chance(r, 65) ? RANDOM_OF(r, cells) : RANDOM_OF(r, others);
}

static int64_t random_factor(random_source *r, int64_t pitch)
{
    static const int64_t usual[] = {1, 1, 1, 2, 3, 4, 8, 16, 32, 33, 64, 128, 1000};
    int64_t factor = random_chance(r, 30) ? pitch : RANDOM_OF(r, usual);
    if (random_chance(r, 15))
        factor = -factor;
    return random_chance(r, 5) ? 0 : factor;
}

static void random_linear(random_source *r, random_case *c, int64_t pitch)
{
    const int64_t terms = random_in(r, 1, 4);
    for (int64_t t = 0; t < terms; t++) {
        random_put(c, "%s", t == 0 ? "" : random_chance(r, 90) ? " + " : " - ");
        const char axis = "xyz"[random_in(r, 0, 2)];
        const long long factor = random_factor(r, pitch);
        if (random_chance(r, 15)) /* how CUDA code writes a global coordinate */
            random_put(c, "%lld*(blockIdx.%c*blockDim.%c + threadIdx.%c)", factor, axis, axis, axis);
        else if (random_chance(r, 10)) /* and a tile */
            random_put(c, "(blockIdx.%c*%d + threadIdx.%c)*%lld", axis, 1 << random_in(r, 2, 6), axis, factor);
        else if (random_chance(r, 5))
            random_put(c, "%s*gridDim.x", random_variable(r, c));
        else
            random_put(c, "%lld*%s", factor, random_variable(r, c));
    }
}

static void random_bent(random_source *r, random_case *c, int64_t pitch)
{
    const long long n = random_in(r, 1, 40);
    const char *v = random_variable(r, c), *w = random_variable(r, c);
    switch (random_in(r, 0, 6)) {
    case 0: random_put(c, "(%s + %lld*%s)/%lld", v, (long long)random_factor(r, pitch), w, n); break;
    case 1: random_put(c, "(%s + %lld*%s)%%%lld", v, (long long)random_factor(r, pitch), w, n); break;
    case 2: random_put(c, "min(%s, %lld)", v, n); break;
    case 3: random_put(c, "max(%s - %lld, %s, 0)", v, n, w); break;
    case 4: random_put(c, "%s*%s", v, w); break;
    case 5:
        random_put(c, "(%lld*%s + %lld)/%lld", 2 * n, v, (long long)random_in(r, -50, 50), n);
        break; /* affine after all */
    default: random_put(c, "%lld*%s/(%s + 1) + %s%%(-%lld)", n, v, w, w, n); break;
    }
}

/* What optimised code makes of divisions, remainders and branches. */
static void random_bits_of(random_source *r, random_case *c)
{
    const long long k = random_in(r, 0, 6), n = random_in(r, 0, 70);
    const char *v = random_variable(r, c), *w = random_variable(r, c);
    switch (random_in(r, 0, 7)) {
    case 0: random_put(c, "(%s + %lld & %d)", v, n, (1 << k) - 1); break;
    case 1: random_put(c, "(%s - %lld & -%d)", v, n, 1 << k); break;
    case 2: random_put(c, "(%s << %lld | %s & %d)", v, k, w, (1 << k) - 1); break;
    case 3: random_put(c, "(%s - %lld >> %lld)", v, n, k); break;
    case 4: random_put(c, "(%s ^ %s)", v, random_chance(r, 50) ? w : "-1"); break;
    case 5: random_put(c, "select(%s < %lld, %s, 3*%s)", v, n, w, v); break;
    case 6: random_put(c, "(%s > %s)*%lld", v, w, n); break;
    default: random_put(c, "~(%s | %lld)", v, n); break;
    }
}

/* Some of these the ranges decide. */
static void random_condition(random_source *r, random_case *c)
{
    static const char *const compared[] = {"<", "<=", ">", ">=", "==", "!="};
    const int64_t terms = random_in(r, 1, 3);
    random_put(c, " if ");
    for (int64_t t = 0; t < terms; t++) {
        const char *v = random_variable(r, c);
        random_put(c, "%s", t == 0 ? "" : random_chance(r, 60) ? " && " : " || ");
        random_put(c, "%s", random_chance(r, 10) ? "!" : "");
        const char *sign = RANDOM_OF(r, compared);
        switch (random_in(r, 0, 4)) {
        case 0: random_put(c, "(%s %s %lld)", v, sign, (long long)random_in(r, -2, 30)); break;
        case 1: random_put(c, "(%s %% %lld == 0)", v, (long long)random_in(r, 1, 9)); break;
        case 2: random_put(c, "(%s & %lld)", v, (long long)random_in(r, 0, 9)); break;
        case 3: random_put(c, "(%s %s %s)", v, sign, random_variable(r, c)); break;
        default: random_put(c, "(%s >= 0)", v); break;
        }
    }
}

/* `family` fixes the linear part, so that several accesses of a field differ by a constant only. */
static void random_address(random_source *r, random_case *c, int field, uint64_t family, bool bent)
{
    const random_field *f = &c->fields[field];
    random_source shared = random_start(family);
    const int subscripts = f->dims > 1 && random_chance(&shared, 60) ? f->dims : 1;
    random_put(c, "\"f%d[", field);
    for (int d = 0; d < subscripts; d++) {
        random_put(c, "%s", d ? ", " : "");
        if (subscripts > 1 && d < 3 && random_chance(&shared, 70))
            random_put(c, "%c", "xyz"[d]);
        else
            random_linear(&shared, c, subscripts > 1 ? 2 : f->pitch);
        if (bent && random_chance(r, 60)) {
            random_put(c, " + ");
            if (random_chance(r, 35))
                random_bits_of(r, c);
            else
                random_bent(r, c, f->pitch);
        }
        const int64_t reach = random_chance(r, 80) ? 4 : f->pitch * 3;
        const int64_t constant = reach < 0 ? random_in(r, reach, -reach) : random_in(r, -reach, reach);
        if (constant || random_chance(r, 20))
            random_put(c, " + %lld", (long long)constant);
    }
    /* vectors of words: how narrower ones that are not aligned would be served, nobody knows */
    if (f->cell_bytes >= 4 && random_chance(r, 12))
        random_put(c, " : %d", 1 << random_in(r, 0, f->cell_bytes > 8 ? 1 : f->cell_bytes > 4 ? 2 : 3));
    random_put(c, "]");
    if (bent && random_chance(r, 30))
        random_condition(r, c);
    random_put(c, "\"");
}

static void random_loops(random_source *r, random_case *c)
{
    static const char *const names[] = {"i", "j", "k"};
    c->loop_count = random_chance(r, 30) ? (int)random_in(r, 1, 3) : 0;
    if (c->loop_count == 0)
        return;
    random_put(c, "loops: {");
    for (int i = 0; i < 3 && i < c->loop_count; i++)
        random_put(c, "%s%s: %lld", i ? ", " : "", names[i], (long long)random_in(r, 1, i ? 3 : 6));
    random_put(c, "}\n");
}

static void random_addresses(random_source *r, random_case *c)
{
    const bool bent = random_chance(r, 30);
    for (int stores = 0; stores < 2; stores++) {
        const int64_t count = random_in(r, 1, stores ? 3 : 7);
        uint64_t family = random_bits(r);
        random_put(c, "%s:\n", stores ? "stores" : "loads");
        for (int64_t a = 0; a < count; a++) {
            if (random_chance(r, 25))
                family = random_bits(r);
            random_put(c, "  - ");
            const int field = (int)random_in(r, 0, c->field_count - 1);
            random_address(r, c, field, family, bent && random_chance(r, 50));
            random_put(c, "\n");
        }
    }
}

/* Accesses with gaps that fill each other's, or nearly: structures, every other element, a run into
 * a comb. */
static void random_combs(random_source *r, random_case *c)
{
    const int64_t count = random_in(r, 1, 9), reach = random_in(r, 1, 12), pitch = random_in(r, 0, 700);
    int64_t stride = random_in(r, 2, 7);
    random_put(c, "stores:\n");
    for (int64_t a = 0, all = random_chance(r, 40) ? stride : 0; a < all; a++)
        random_put(c, "  - \"f0[%lld*x + %lld*y + %lld]\"\n", (long long)stride, (long long)pitch, (long long)a);
    for (int64_t a = 0; a < count; a++) {
        const int field = random_chance(r, 85) ? 0 : (int)random_in(r, 0, c->field_count - 1);
        const long long step = random_chance(r, 10) ? 1 : random_chance(r, 5) ? -stride : stride;
        const long long at = random_chance(r, 30) ? random_in(r, -200, 200) : random_in(r, -reach, reach);
        random_put(c, "  - \"f%d[%lld*x + %lld*y + %lld]\"\n", field, step, (long long)pitch, at);
        if (random_chance(r, 8))
            stride = random_in(r, 2, 7);
    }
}

static void random_case_make(uint64_t seed, random_case *c)
{
    random_source r = random_start(seed);
    const bool update = random_chance(&r, 45), combs = !update && random_chance(&r, 20);
    memset(c, 0, sizeof *c);
    random_put(c, "name: random\nparams: {shift: 0}\n");
    random_domain(&r, c, update);
    random_launch(&r, c);
    random_fields(&r, c, update);
    if (update) {
        random_update(&r, c);
    } else if (combs) {
        random_combs(&r, c);
    } else {
        random_loops(&r, c);
        random_addresses(&r, c);
    }
}

/* ---- affine conditions ---- */

static void random_comparison(random_source *r, random_case *c)
{
    static const char *const compared[] = {"<", "<=", ">", ">=", "==", "!="};
    const char *sign = RANDOM_OF(r, compared), *v = random_variable(r, c), *w = random_variable(r, c);
    const long long a = random_in(r, 1, 4), b = random_in(r, -3, 3),
                    n = random_in(r, -2, random_chance(r, 60) ? 12 : 60);
    switch (random_in(r, 0, 5)) {
    case 0: random_put(c, "%s + %s %s %lld", v, w, sign, n); break;
    case 1: random_put(c, "%lld*%s %s %lld + %lld*%s", a, v, sign, n, b, w); break;
    case 2: random_put(c, "%lld < %s && %s <= %lld", n, v, v, n + 4 * a); break;
    case 3: random_put(c, "select(%s < %lld, %s %s %lld, %s)", w, n, v, sign, 3 * a, w); break;
    default: random_put(c, "%s %s %lld", v, sign, n); break;
    }
}

static void random_affine_condition(random_source *r, random_case *c)
{
    const int64_t terms = random_chance(r, 60) ? 1 : random_in(r, 2, 4);
    for (int64_t t = 0; t < terms; t++) {
        random_put(c, "%s", t == 0 ? "" : random_chance(r, 70) ? " && " : " || ");
        random_put(c, "%s(", random_chance(r, 12) ? "!" : "");
        random_comparison(r, c);
        random_put(c, ")");
    }
}

/* Gives accesses of a list an affine condition, some of them the same. */
static inline void random_guards(uint64_t seed, random_case *c)
{
    random_source r = random_start(seed ^ 0x9a7d);
    static random_case before;
    uint64_t family = random_bits(&r);
    before = *c;
    c->length = 0;
    for (size_t i = 0; i < before.length; i++) {
        const bool end = i > 0 && before.yaml[i - 1] == ']' && before.yaml[i] == '"';
        if (end && random_chance(&r, 75)) {
            family = random_chance(&r, 40) ? random_bits(&r) : family;
            random_source own = random_start(family);
            random_put(c, " if ");
            random_affine_condition(&own, c);
        }
        random_put(c, "%c", before.yaml[i]);
    }
}

/* Takes thread indices apart, as code does that distributes a tile to its threads: most of them
 * become quotients or remainders, some of cells. */
static inline void random_quotients(uint64_t seed, random_case *c)
{
    static const char name[] = "threadIdx.";
    random_source r = random_start(seed ^ 0x71e5);
    static random_case before;
    before = *c;
    c->length = 0;
    for (size_t i = 0; i < before.length; i++) {
        const bool found = before.length - i > sizeof name && strncmp(before.yaml + i, name, sizeof name - 1) == 0;
        if (!found || random_chance(&r, 25)) {
            random_put(c, "%c", before.yaml[i]);
            continue;
        }
        static const int64_t divisors[] = {2, 3, 4, 5, 8, 8, 16, 16, 32, 64, 128};
        const char *other = random_chance(&r, 50)   ? "threadIdx.y"
                            : random_chance(&r, 50) ? "threadIdx.x"
                                                    : "blockIdx.x";
        const long long factor = random_chance(&r, 30) ? 0 : 1 << random_in(&r, 0, 6), plus = random_in(&r, -3, 20);
        const char operation = random_chance(&r, 50) ? '/' : '%';
        /* a quotient is never -1, for it may be part of a divisor */
        const long long added = random_chance(&r, 30) && (plus >= 0 || operation == '%') ? plus : 0;
        const long long divisor = RANDOM_OF(&r, divisors);
        random_put(c, "((%s%c + %lld*%s + %lld)%c%lld)", random_chance(&r, 30) ? "" : name,
                   before.yaml[i + sizeof name - 1], factor, other, added, operation, divisor);
        i += sizeof name - 1;
    }
}

#endif /* WL_TESTS_RANDOM_KERNEL_H */

/* wild_kernel.h - kernels of every kind at random, larger and stranger than those of
 * random_kernel.h: nobody enumerates them. Coordinates, thread and block indices with any stride,
 * divisions, remainders, bits, conditions, gathers, vectors, shared memory, atomics, loops, odd
 * blocks, foldings, grids beside the domain. One number makes one case.
 * SPDX-License-Identifier: MIT */
#ifndef WL_TESTS_WILD_KERNEL_H
#define WL_TESTS_WILD_KERNEL_H

#include "property/random_kernel.h"

/* cells of a kernel whose addresses must be evaluated one by one */
#define WILD_ENUMERATED_MAX 30000
#define WILD_CELLS_MAX 600000

static int64_t wild_size(random_source *r)
{
    static const int64_t usual[] = {1, 2, 16, 32, 64, 100, 128, 200, 256, 500, 512};
    const int kind = (int)random_in(r, 0, 9);
    return kind < 4 ? RANDOM_OF(r, usual) : kind < 8 ? random_in(r, 1, 300) : random_in(r, 1, 5000);
}

static void wild_domain(random_source *r, random_case *c, int64_t most)
{
    c->dims = random_chance(r, 92) ? (int)random_in(r, 1, 3) : 0;
    for (int d = 0; d < 3; d++)
        c->domain[d] = d < c->dims ? wild_size(r) : 1;
    while (c->domain[0] * c->domain[1] * c->domain[2] > most) {
        const int64_t d = random_in(r, 0, 2);
        c->domain[d] = (c->domain[d] + 1) / 2;
    }
    if (c->dims == 0)
        return;
    random_put(c, "domain: [");
    for (int d = 0; d < c->dims; d++)
        random_put(c, "%s%lld", d ? ", " : "", (long long)c->domain[d]);
    random_put(c, "]\n");
    random_from(random_start(r->state), c);
}

static void wild_launch(random_source *r, random_case *c)
{
    static const int64_t usual[] = {1, 2, 4, 8, 16, 32, 64, 128, 256};
    wl_launch *l = &c->launch;
    const int dims = c->dims ? c->dims : (int)random_in(r, 1, 3);
    const bool folds = random_chance(r, 25);
    for (int d = 0; d < 3; d++) {
        const bool inside = d < dims || random_chance(r, 3);
        l->block[d] = !inside ? 1 : random_chance(r, 70) ? RANDOM_OF(r, usual) : random_in(r, 1, 40);
        l->fold[d] = folds && inside ? random_in(r, 1, 3) : 1;
    }
    while (l->block[0] * l->block[1] * l->block[2] > 1024 || l->block[2] > 64) {
        const int64_t d = l->block[2] > 64 ? 2 : random_in(r, 0, 2);
        l->block[d] = (l->block[d] + 1) / 2;
    }
    for (int d = 0; d < 3; d++) {
        const int64_t per_block = l->block[d] * l->fold[d], needed = (c->domain[d] + per_block - 1) / per_block;
        if (c->dims == 0)
            l->grid[d] = d < dims ? random_in(r, 1, d ? 6 : 60) : 0;
        else if (random_chance(r, 8))
            l->grid[d] = random_in(r, 1, needed + 3);
    }
    random_grid_reaches(c);
}

static void wild_fields(random_source *r, random_case *c)
{
    static const struct {
        const char *name;
        int bytes;
    } types[] = {{"f16", 2}, {"f32", 4}, {"f64", 8}, {"i8", 1}};
    c->field_count = (int)random_in(r, 1, RANDOM_FIELDS_MAX);
    random_put(c, "fields:\n  s: {type: %s, memory: shared}\n", random_chance(r, 60) ? "f32" : "f64");
    for (int i = 0; i < c->field_count; i++) {
        random_field *f = &c->fields[i];
        const int type = (int)random_in(r, 0, 3);
        int vector = random_chance(r, 85) ? 1 : 1 << random_in(r, 1, 4);
        while (vector * types[type].bytes > 16)
            vector /= 2;
        f->cell_bytes = types[type].bytes * vector;
        f->pitch = c->domain[0] + random_in(r, 0, 8);
        f->dims = random_chance(r, 60) ? 0 : (int)random_in(r, 1, 3);
        random_put(c, "  f%d: {type: %s", i, types[type].name);
        if (vector > 1)
            random_put(c, ", vector: %d", vector);
        if (f->dims)
            random_strides(r, c, f);
        if (random_chance(r, 30))
            random_put(c, ", origin: %lld", (long long)random_in(r, -70, 300));
        if (random_chance(r, 10))
            random_put(c, ", random: true");
        random_put(c, "}\n");
    }
}

/* What threads of a real kernel compute: an index, a tile, a transpose, a table, a gather. */
static void wild_index(random_source *r, random_case *c, int64_t pitch, bool opaque)
{
    static const int64_t periods[] = {2, 3, 7, 16, 32, 33, 64, 100, 1000};
    const char *v = random_variable(r, c), *w = random_variable(r, c);
    const long long k = random_factor(r, pitch), n = RANDOM_OF(r, periods);
    const int kind = (int)random_in(r, 0, opaque ? 9 : 4);
    switch (kind) {
    case 0: random_put(c, "%lld*%s", k, v); break;
    case 1: random_put(c, "%lld*%s + %s", k, v, w); break;
    case 2: random_linear(r, c, pitch); break;
    case 3: random_put(c, "%s + %lld*%s + %lld", v, k, w, (long long)random_in(r, -40, 40)); break;
    case 4: random_put(c, "%lld", (long long)random_in(r, 0, 50)); break;
    case 5: random_put(c, "(%s + %lld*%s) %% %lld", v, k, w, n); break;
    case 6: random_put(c, "(%s + %lld*%s) / %lld", v, k, w, n); break;
    case 7: random_put(c, "random(%s + %lld*%s, %lld)", v, k, w, (long long)random_in(r, 1, 100000)); break;
    case 8: random_bits_of(r, c); break;
    default: random_bent(r, c, pitch); break;
    }
}

static void wild_access(random_source *r, random_case *c, bool opaque)
{
    const int field = (int)random_in(r, 0, c->field_count - 1);
    const random_field *f = &c->fields[field];
    const bool shared = random_chance(r, 12);
    const int subscripts = !shared && f->dims > 1 && random_chance(r, 60) ? f->dims : 1;
    random_put(c, "  - \"");
    if (shared)
        random_put(c, "s[");
    else
        random_put(c, "f%d[", field);
    for (int d = 0; d < subscripts; d++) {
        random_put(c, "%s", d ? ", " : "");
        wild_index(r, c, f->pitch, opaque && random_chance(r, 60));
    }
    random_put(c, "]");
    if (opaque && random_chance(r, 40))
        random_condition(r, c);
    random_put(c, "\"\n");
}

static void wild_accesses(random_source *r, random_case *c, const char *list, int64_t count, bool opaque)
{
    if (count == 0)
        return;
    random_put(c, "%s:\n", list);
    for (int64_t a = 0; a < count; a++)
        wild_access(r, c, opaque);
}

static void wild_case_make(uint64_t seed, random_case *c)
{
    random_source r = random_start(seed ^ 0x77696c64);
    const bool opaque = random_chance(&r, 45);
    memset(c, 0, sizeof *c);
    random_put(c, "name: wild\n");
    const int64_t usual = opaque ? WILD_ENUMERATED_MAX : WILD_CELLS_MAX;
    /* mostly small: many cases need time */
    wild_domain(&r, c, random_chance(&r, 97) ? usual / 20 : usual);
    wild_launch(&r, c);
    wild_fields(&r, c);
    random_loops(&r, c);
    const int64_t loads = random_in(&r, 0, 4), stores = random_in(&r, loads ? 0 : 1, 3),
                  atomics = random_chance(&r, 10) ? random_in(&r, 1, 2) : 0;
    wild_accesses(&r, c, "loads", loads, opaque);
    wild_accesses(&r, c, "stores", stores, opaque);
    wild_accesses(&r, c, "atomics", atomics, opaque);
    if (random_chance(&r, 40))
        random_put(c, "registers: %lld\n", (long long)random_in(&r, 16, 64));
    if (random_chance(&r, 20))
        random_put(c, "flops: %lld\n", (long long)random_in(&r, 0, 100));
    if (random_chance(&r, 15))
        random_put(c, "guarded_cells: true\n");
    if (random_chance(&r, 15))
        random_put(c, "barriers: %lld\n", (long long)random_in(&r, 0, 9));
}

#endif /* WL_TESTS_WILD_KERNEL_H */

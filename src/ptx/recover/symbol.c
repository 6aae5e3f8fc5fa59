/* symbol.c - hash-consed symbols and atoms; sums and products. See symbol.h.
 * Layer  ptx/recover. SPDX-License-Identifier: MIT */
#include "ptx/recover/symbol.h"

#include <stdlib.h>
#include <string.h>

#include "base/ckd.h"
#include "base/hash.h"
#include "ptx/recover/symbol_internal.h"

#define TERMS_MAX 64  /* longer sums are unknown */
#define NODES_MAX 400 /* a kernel file allows five times as many; a term may need four */
#define LEVELS_MAX 30 /* a kernel file allows a hundred; a level may need three */
#define ANY_CELL INT32_MAX
#define ANY_THREADS 1024

/* ---- hash tables ---- */

static uint64_t mix(uint64_t h, uint64_t v) { return wl_hash_end(wl_hash_add(h, v)); }

/* Makes room for one more entry: open addressing, power-of-two size, at most half full. */
static bool make_room(void ***table, size_t *room, size_t count, uint64_t (*hash_of)(const void *))
{
    if (2 * (count + 1) <= *room)
        return true;
    const size_t larger = *room ? 2 * *room : 1024;
    void **fresh = calloc(larger, sizeof *fresh);
    if (!fresh)
        return false;
    for (size_t i = 0; i < *room; i++) {
        if (!(*table)[i])
            continue;
        size_t at = hash_of((*table)[i]) & (larger - 1);
        while (fresh[at])
            at = (at + 1) & (larger - 1);
        fresh[at] = (*table)[i];
    }
    free(*table);
    *table = fresh;
    *room = larger;
    return true;
}

static uint64_t symbol_hash(const void *p) { return ((const wl_symbol *)p)->hash; }
static uint64_t atom_hash(const void *p) { return ((const wl_atom *)p)->hash; }

/* Size, depth and is_scaled of a sum; false: too large. */
static bool measure_sum(wl_symbol *sum, int64_t c, const wl_term *terms, int count)
{
    int size = 1;
    bool in_range = wl_in_range(c);
    *sum = (wl_symbol){0};
    for (int i = 0; i < count; i++) {
        const wl_atom *atom = terms[i].atom;
        size += atom->size;
        in_range = in_range && wl_in_range(terms[i].k);
        sum->depth = (uint16_t)wl_max(sum->depth, atom->depth);
        sum->is_scaled = sum->is_scaled || atom->is_scaled;
    }
    sum->size = (uint16_t)wl_min(size, UINT16_MAX);
    return in_range && size <= NODES_MAX;
}

const wl_symbol *wl_symbol_keep(wl_symbols *s, int64_t c, const wl_term *terms, int count)
{
    wl_symbol measured;
    uint64_t h = mix(0x51, (uint64_t)c);
    if (!measure_sum(&measured, c, terms, count)) {
        s->too_long++;
        return NULL;
    }
    for (int i = 0; i < count; i++)
        h = mix(mix(h, (uint64_t)terms[i].k), terms[i].atom->hash);
    if (!make_room((void ***)&s->symbols, &s->symbol_room, s->symbol_count, symbol_hash)) {
        s->out_of_memory = true;
        return NULL;
    }
    size_t at = h & (s->symbol_room - 1);
    for (; s->symbols[at]; at = (at + 1) & (s->symbol_room - 1)) {
        const wl_symbol *known = s->symbols[at];
        if (known->hash == h && known->c == c && known->count == count &&
            (count == 0 || memcmp(known->terms, terms, (size_t)count * sizeof *terms) == 0))
            return known;
    }
    wl_symbol *fresh = wl_arena_alloc(&s->arena, 1, sizeof *fresh + (size_t)count * sizeof *terms);
    if (!fresh) {
        s->out_of_memory = true;
        return NULL;
    }
    *fresh = measured;
    fresh->c = c;
    fresh->hash = h;
    for (int i = 0; i < count; i++) /* independent of the order of terms */
        fresh->skeleton += mix(mix(0x5e, (uint64_t)terms[i].k), terms[i].atom->skeleton);
    fresh->count = count;
    fresh->epoch = -1;
    if (count > 0)
        memcpy(fresh->terms, terms, (size_t)count * sizeof *terms);
    s->symbols[at] = fresh;
    s->symbol_count++;
    return fresh;
}

static bool same_atom(const wl_atom *p, const wl_atom *q)
{
    return p->hash == q->hash && p->op == q->op && p->var == q->var && p->shift == q->shift && p->factor == q->factor &&
           p->a == q->a && p->b == q->b && p->c == q->c;
}

/* a && b && c needs no parentheses around a && b. */
static int levels_of(const wl_atom *atom, const wl_symbol *part)
{
    const bool chain = part == atom->a && (atom->op == WL_ATOM_BOTH || atom->op == WL_ATOM_EITHER) &&
                       wl_sym_is_atom(part) && part->terms[0].atom->op == atom->op;
    return part->depth + !chain;
}

static bool measure_atom(wl_atom *atom)
{
    const wl_symbol *const parts[3] = {atom->a, atom->b, atom->c};
    atom->size = 1;
    atom->depth = 0;
    atom->is_scaled = atom->op == WL_ATOM_SCALED;
    for (int i = 0; i < 3; i++) {
        if (!parts[i])
            continue;
        atom->size = (uint16_t)(atom->size + parts[i]->size);
        atom->depth = (uint16_t)wl_max(atom->depth, levels_of(atom, parts[i]));
        atom->is_scaled = atom->is_scaled || parts[i]->is_scaled;
    }
    return atom->size < NODES_MAX && atom->depth <= LEVELS_MAX;
}

wl_atom *wl_atom_keep(wl_symbols *s, const wl_atom *wanted)
{
    wl_atom key = *wanted;
    if (!measure_atom(&key)) {
        s->too_long++;
        return NULL;
    }
    key.hash = mix(mix(mix(0xa7, (uint64_t)key.op), (uint64_t)key.var), mix((uint64_t)key.shift, (uint64_t)key.factor));
    key.hash = mix(key.hash, key.a ? key.a->hash : 1);
    key.hash = mix(key.hash, key.b ? key.b->hash : 2);
    key.hash = mix(key.hash, key.c ? key.c->hash : 3);
    if (!make_room((void ***)&s->atoms, &s->atom_room, s->atom_count, atom_hash)) {
        s->out_of_memory = true;
        return NULL;
    }
    size_t at = key.hash & (s->atom_room - 1);
    for (; s->atoms[at]; at = (at + 1) & (s->atom_room - 1))
        if (same_atom(s->atoms[at], &key))
            return s->atoms[at];
    wl_atom *fresh = WL_ARENA_NEW(&s->arena, wl_atom, 1);
    if (!fresh) {
        s->out_of_memory = true;
        return NULL;
    }
    *fresh = key;
    fresh->skeleton = mix(mix(mix(0xb3, (uint64_t)key.op), (uint64_t)key.var), (uint64_t)key.shift);
    fresh->skeleton = mix(fresh->skeleton, key.a ? key.a->skeleton : 1);
    fresh->skeleton = mix(fresh->skeleton, key.b ? key.b->skeleton : 2);
    fresh->skeleton = mix(mix(fresh->skeleton, key.c ? key.c->skeleton : 3), (uint64_t)key.factor);
    fresh->number = (uint32_t)s->atom_count++;
    fresh->epoch = -1;
    s->atoms[at] = fresh;
    return fresh;
}

const wl_symbol *wl_symbol_of(wl_symbols *s, const wl_atom *wanted)
{
    wl_atom *atom = wl_atom_keep(s, wanted);
    return atom ? wl_symbol_keep(s, 0, &(wl_term){1, atom}, 1) : NULL;
}

/* ---- creation and destruction ---- */

void wl_symbols_start(wl_symbols *s, const int64_t block[3], const int64_t grid[3])
{
    *s = (wl_symbols){0};
    for (int d = 0; d < 3; d++) {
        wl_interval *here = s->vars[WL_AT_LAUNCH], *any = s->vars[WL_AT_ANY_LAUNCH];
        s->block[d] = block[d];
        here[WL_VAR_X + d] = (wl_interval){0, block[d] * grid[d] - 1};
        here[WL_VAR_THREAD_X + d] = (wl_interval){0, block[d] - 1};
        here[WL_VAR_BLOCK_X + d] = (wl_interval){0, grid[d] - 1};
        here[WL_VAR_BLOCKDIM_X + d] = (wl_interval){block[d], block[d]};
        here[WL_VAR_GRIDDIM_X + d] = (wl_interval){grid[d], grid[d]};
        any[WL_VAR_X + d] = (wl_interval){0, ANY_CELL};
        any[WL_VAR_THREAD_X + d] = (wl_interval){0, ANY_THREADS - 1};
        any[WL_VAR_BLOCK_X + d] = (wl_interval){0, ANY_CELL};
        any[WL_VAR_BLOCKDIM_X + d] = (wl_interval){1, ANY_THREADS};
        any[WL_VAR_GRIDDIM_X + d] = (wl_interval){1, ANY_CELL};
    }
}

void wl_symbols_free(wl_symbols *s)
{
    free(s->symbols);
    free(s->atoms);
    wl_arena_free(&s->arena);
    *s = (wl_symbols){0};
}

const wl_symbol *wl_sym_const(wl_symbols *s, int64_t value) { return wl_symbol_keep(s, value, NULL, 0); }

const wl_symbol *wl_sym_var(wl_symbols *s, wl_var var)
{
    return wl_symbol_of(s, &(wl_atom){.op = WL_ATOM_VAR, .var = var});
}

/* ---- sums ---- */

/* a + k * b with merged terms; returns their count, or -1 if there are too many or a number
 * overflows. */
static int merge(const wl_symbol *a, const wl_symbol *b, int64_t k, int64_t *c, wl_term *out)
{
    int n = 0, i = 0, j = 0;
    int64_t product;
    if (__builtin_mul_overflow(b->c, k, &product) || __builtin_add_overflow(a->c, product, c))
        return -1;
    while (i < a->count || j < b->count) {
        const bool left = j >= b->count || (i < a->count && a->terms[i].atom->number <= b->terms[j].atom->number);
        const bool right = i >= a->count || (j < b->count && b->terms[j].atom->number <= a->terms[i].atom->number);
        wl_term t = {left ? a->terms[i].k : 0, left ? a->terms[i].atom : b->terms[j].atom};
        if (right && (__builtin_mul_overflow(b->terms[j].k, k, &product) || __builtin_add_overflow(t.k, product, &t.k)))
            return -1;
        i += left;
        j += right;
        if (t.k == 0)
            continue;
        if (n == TERMS_MAX)
            return -1;
        out[n++] = t;
    }
    return n;
}

static const wl_symbol *add_scaled(wl_symbols *s, const wl_symbol *a, const wl_symbol *b, int64_t k)
{
    wl_term terms[TERMS_MAX];
    int64_t c;
    if (!a || !b)
        return NULL;
    const int n = merge(a, b, k, &c, terms);
    return n < 0 ? NULL : wl_symbol_keep(s, c, terms, n);
}

/* The factor with which `part` occurs in `whole`; 0 unless all of it does. */
static int64_t times_in(const wl_symbol *whole, const wl_symbol *part)
{
    int64_t times = 0;
    for (int i = 0; i < part->count; i++) {
        int64_t k = 0, expected;
        for (int j = 0; j < whole->count && k == 0; j++)
            k = whole->terms[j].atom == part->terms[i].atom ? whole->terms[j].k : 0;
        if (i == 0)
            times = k % part->terms[0].k == 0 ? k / part->terms[0].k : 0;
        if (times == 0 || __builtin_mul_overflow(times, part->terms[i].k, &expected) || k != expected)
            return 0;
    }
    return times;
}

/* Dividend and divisor of a term q * floor(a / q); q is a constant or a symbol. */
static bool is_multiple(const wl_term *t, const wl_symbol **a, const wl_symbol **q, int64_t *times)
{
    const wl_atom *atom = t->atom;
    if (atom->op == WL_ATOM_DIV && wl_sym_is_const(atom->b) && t->k % atom->b->c == 0) {
        *a = atom->a;
        *q = atom->b;
        *times = t->k / atom->b->c;
        return true;
    }
    for (int side = 0; side < 2 && atom->op == WL_ATOM_PRODUCT; side++) {
        const wl_symbol *quotient = side ? atom->b : atom->a, *other = side ? atom->a : atom->b;
        if (quotient->count == 1 && quotient->c == 0 && quotient->terms[0].k == 1 &&
            quotient->terms[0].atom->op == WL_ATOM_DIV && quotient->terms[0].atom->b == other) {
            *a = quotient->terms[0].atom->a;
            *q = other;
            *times = t->k;
            return true;
        }
    }
    return false;
}

/* Rewrites a - q * floor(a / q) as a remainder. */
static const wl_symbol *find_remainders(wl_symbols *s, const wl_symbol *sum)
{
    for (int i = 0; sum && i < sum->count; i++) {
        const wl_symbol *a, *q;
        int64_t times;
        if (!is_multiple(&sum->terms[i], &a, &q, &times) || a->count == 0 || times_in(sum, a) != -times)
            continue;
        const wl_symbol *multiple = wl_symbol_keep(s, 0, &(wl_term){times, sum->terms[i].atom}, 1);
        if (sum->terms[i].atom->op == WL_ATOM_DIV)
            multiple = wl_symbol_keep(s, 0, &sum->terms[i], 1);
        const wl_symbol *rest = add_scaled(s, add_scaled(s, sum, multiple, -1), a, times);
        const wl_symbol *remainder = wl_sym_mod(s, a, q);
        const wl_symbol *result = add_scaled(s, rest, remainder, -times);
        return result ? result : sum;
    }
    return sum;
}

const wl_symbol *wl_sym_add(wl_symbols *s, const wl_symbol *a, const wl_symbol *b)
{
    return find_remainders(s, add_scaled(s, a, b, 1));
}

const wl_symbol *wl_sym_sub(wl_symbols *s, const wl_symbol *a, const wl_symbol *b)
{
    return find_remainders(s, add_scaled(s, a, b, -1));
}

const wl_symbol *wl_sym_scale(wl_symbols *s, const wl_symbol *a, int64_t k)
{
    return add_scaled(s, wl_sym_const(s, 0), a, k);
}

/* ---- products ---- */

static bool is_var(const wl_symbol *a, int first)
{
    return a->count == 1 && a->c == 0 && a->terms[0].k == 1 && a->terms[0].atom->op == WL_ATOM_VAR &&
           (int)a->terms[0].atom->var >= first && (int)a->terms[0].atom->var < first + 3;
}

/* blockIdx * blockDim is the cell of the block's first thread. */
static const wl_symbol *first_cell(wl_symbols *s, const wl_symbol *a, const wl_symbol *b)
{
    if (!is_var(a, WL_VAR_BLOCK_X) || !is_var(b, WL_VAR_BLOCKDIM_X))
        return NULL;
    const int d = (int)a->terms[0].atom->var - WL_VAR_BLOCK_X;
    if ((int)b->terms[0].atom->var - WL_VAR_BLOCKDIM_X != d)
        return NULL;
    const wl_symbol *cell = wl_sym_var(s, (wl_var)(WL_VAR_X + d));
    return wl_sym_sub(s, cell, wl_sym_var(s, (wl_var)(WL_VAR_THREAD_X + d)));
}

static const wl_symbol *product_of_terms(wl_symbols *s, const wl_term *t, const wl_term *u)
{
    const wl_symbol *a = wl_symbol_keep(s, 0, &(wl_term){1, t->atom}, 1),
                    *b = wl_symbol_keep(s, 0, &(wl_term){1, u->atom}, 1);
    int64_t k;
    if (!a || !b || __builtin_mul_overflow(t->k, u->k, &k))
        return NULL;
    const wl_symbol *cell = first_cell(s, a, b);
    if (!cell)
        cell = first_cell(s, b, a);
    if (cell)
        return wl_sym_scale(s, cell, k);
    if (t->atom->number > u->atom->number) {
        const wl_symbol *swap = a;
        a = b;
        b = swap;
    }
    return wl_sym_scale(s, wl_symbol_of(s, &(wl_atom){.op = WL_ATOM_PRODUCT, .a = a, .b = b}), k);
}

#define FACTORS_MAX 4 /* longer sums are not expanded */

const wl_symbol *wl_sym_mul(wl_symbols *s, const wl_symbol *a, const wl_symbol *b)
{
    if (!a || !b)
        return NULL;
    if (wl_sym_is_const(a))
        return wl_sym_scale(s, b, a->c);
    if (wl_sym_is_const(b))
        return wl_sym_scale(s, a, b->c);
    if (a->count > FACTORS_MAX || b->count > FACTORS_MAX) {
        const bool swap = a->hash > b->hash;
        return wl_symbol_of(s, &(wl_atom){.op = WL_ATOM_PRODUCT, .a = swap ? b : a, .b = swap ? a : b});
    }
    /* a quotient times its divisor stays one term, so that remainders are recognized */
    const wl_symbol *sum = wl_sym_add(s, wl_sym_scale(s, a, b->c), wl_sym_scale(s, b, a->c));
    int64_t twice;
    if (__builtin_mul_overflow(a->c, b->c, &twice))
        return NULL;
    sum = wl_sym_sub(s, sum, wl_sym_const(s, twice));
    for (int i = 0; i < a->count; i++)
        for (int j = 0; j < b->count; j++)
            sum = wl_sym_add(s, sum, product_of_terms(s, &a->terms[i], &b->terms[j]));
    return sum;
}

/* symbol.h - integers as expressions of thread and block coordinates, in a normal form.
 *
 * A symbol is a constant plus multiples of *atoms*: coordinates, or non-linear functions of
 * other symbols (quotients, remainders, minima, comparisons, ..). Symbols are hash-consed: equal
 * ones are the same pointer. NULL is an unknown value, and everything computed from it is
 * unknown. Numbers beyond 2^60 and expressions larger than a kernel file allows are unknown,
 * too. Symbols share subexpressions, but traversal and printing treat them as trees.
 *
 * blockIdx * blockDim is written as cell - threadIdx, so that the usual global thread index
 * becomes the cell's coordinate.
 *
 * Every symbol has two sets of bounds: at the launch the kernel is read at, and at any launch. An
 * answer that follows only from the first holds only for this launch.
 *
 * Layer  ptx/recover (uses base, kernel). Oracle: evaluation at random points
 * (tests/property/prop_symbol.c). SPDX-License-Identifier: MIT */
#ifndef WL_PTX_RECOVER_SYMBOL_H
#define WL_PTX_RECOVER_SYMBOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/interval.h"
#include "kernel/expr.h"

typedef enum wl_atom_op {
    WL_ATOM_VAR,
    WL_ATOM_PRODUCT, /* a * b                                      */
    WL_ATOM_DIV,     /* floor(a / b)                               */
    WL_ATOM_MOD,     /* a - b * floor(a / b)                       */
    WL_ATOM_SCALED,  /* floor(a * factor / 2^shift): a division by a constant, not yet recognized */
    WL_ATOM_MIN,
    WL_ATOM_MAX,
    WL_ATOM_AND,
    WL_ATOM_OR,
    WL_ATOM_XOR,    /* bits */
    WL_ATOM_GE0,    /* 1 where a >= 0, else 0 */
    WL_ATOM_EQ0,    /* 1 where a == 0, else 0 */
    WL_ATOM_BOTH,   /* a && b, both 0 or 1 */
    WL_ATOM_EITHER, /* a || b, both 0 or 1 */
    WL_ATOM_SELECT  /* c ? a : b */
} wl_atom_op;

typedef struct wl_symbol wl_symbol;

typedef enum wl_bounds_at { WL_AT_LAUNCH, WL_AT_ANY_LAUNCH, WL_BOUNDS_COUNT } wl_bounds_at;

typedef struct wl_atom {
    wl_atom_op op;
    wl_var var;
    int shift;
    int64_t factor;
    const wl_symbol *a, *b, *c;
    uint32_t number;         /* in order of creation */
    uint16_t size, depth;    /* nodes, and nesting of parentheses, when written out */
    bool is_scaled;          /* contains a WL_ATOM_SCALED: cannot be written */
    uint64_t hash, skeleton; /* skeleton: equal for atoms that differ only in constants */
    int epoch;               /* of the bounds */
    wl_interval bounds[WL_BOUNDS_COUNT];
    /* with the launch's extents as constants; NULL: not computed yet */
    const struct wl_symbol *fixed;
} wl_atom;

typedef struct wl_term {
    int64_t k;
    wl_atom *atom;
} wl_term;

struct wl_symbol {
    int64_t c;
    uint64_t hash, skeleton;
    uint16_t size, depth;
    bool is_scaled;
    int epoch;
    wl_interval bounds[WL_BOUNDS_COUNT];
    int count;
    wl_term terms[]; /* sorted by number of the atom; no factor is 0 */
};

/* Bounds of one atom that hold on the current path. */
typedef struct wl_fact {
    const wl_atom *atom;
    wl_interval bounds;
} wl_fact;
#define WL_FACTS_MAX 64

typedef struct wl_symbols {
    wl_arena arena;
    wl_symbol **symbols; /* hash tables */
    wl_atom **atoms;
    size_t symbol_count, symbol_room, atom_count, atom_room;
    wl_interval vars[WL_BOUNDS_COUNT][WL_VAR_COUNT];
    int64_t block[3]; /* of the launch */
    wl_fact facts[WL_FACTS_MAX];
    int fact_count;
    int epoch;         /* bounds of an older epoch are stale */
    bool launch_bound; /* some answer holds for this launch only */
    bool out_of_memory;
    int64_t too_long; /* symbols that were not made because of their length */
} wl_symbols;

void wl_symbols_start(wl_symbols *s, const int64_t block[3], const int64_t grid[3]);
void wl_symbols_free(wl_symbols *s);

const wl_symbol *wl_sym_const(wl_symbols *s, int64_t value);
const wl_symbol *wl_sym_var(wl_symbols *s, wl_var var);
const wl_symbol *wl_sym_add(wl_symbols *s, const wl_symbol *a, const wl_symbol *b);
const wl_symbol *wl_sym_sub(wl_symbols *s, const wl_symbol *a, const wl_symbol *b);
const wl_symbol *wl_sym_scale(wl_symbols *s, const wl_symbol *a, int64_t k);
const wl_symbol *wl_sym_mul(wl_symbols *s, const wl_symbol *a, const wl_symbol *b);
/* Rounds down. NULL if the divisor may be 0. */
const wl_symbol *wl_sym_div(wl_symbols *s, const wl_symbol *a, const wl_symbol *b);
const wl_symbol *wl_sym_mod(wl_symbols *s, const wl_symbol *a, const wl_symbol *b);
/* Rounds towards 0, as the hardware divides. */
const wl_symbol *wl_sym_quotient(wl_symbols *s, const wl_symbol *a, const wl_symbol *b);
/* floor(a * factor / 2^shift), even where the product overflows. */
const wl_symbol *wl_sym_scaled(wl_symbols *s, const wl_symbol *a, int64_t factor, int shift);
const wl_symbol *wl_sym_extreme(wl_symbols *s, bool largest, const wl_symbol *a, const wl_symbol *b);
/* Bitwise AND, OR, XOR of non-negative numbers. */
const wl_symbol *wl_sym_bits(wl_symbols *s, wl_atom_op op, const wl_symbol *a, const wl_symbol *b);
/* Conditions: 1 or 0. */
const wl_symbol *wl_sym_not_negative(wl_symbols *s, const wl_symbol *a);
const wl_symbol *wl_sym_is_zero(wl_symbols *s, const wl_symbol *a);
const wl_symbol *wl_sym_not(wl_symbols *s, const wl_symbol *condition);
const wl_symbol *wl_sym_both(wl_symbols *s, const wl_symbol *a, const wl_symbol *b);
const wl_symbol *wl_sym_either(wl_symbols *s, const wl_symbol *a, const wl_symbol *b);
const wl_symbol *wl_sym_select(wl_symbols *s, const wl_symbol *condition, const wl_symbol *a, const wl_symbol *b);

/* The value of a register of that many bits, signed or unsigned: registers wrap around. NULL:
 * unknown. */
const wl_symbol *wl_sym_wrap(wl_symbols *s, const wl_symbol *a, int bits, bool is_signed);

wl_interval wl_sym_bounds(wl_symbols *s, const wl_symbol *a, wl_bounds_at at);
static inline bool wl_sym_is_const(const wl_symbol *a) { return a && a->count == 0; }
/* One atom and nothing else. */
static inline bool wl_sym_is_atom(const wl_symbol *a) { return a->count == 1 && a->c == 0 && a->terms[0].k == 1; }
/* The value if it is constant at this launch; sets launch_bound if it is so at this launch only. */
bool wl_sym_decided(wl_symbols *s, const wl_symbol *a, int64_t *value);

/* Adds the bounds that a condition implies for single atoms to the facts of the path.
 * wl_sym_drop_facts returns to an earlier fact_count. */
void wl_sym_assume(wl_symbols *s, const wl_symbol *condition, bool holds);
void wl_sym_drop_facts(wl_symbols *s, int fact_count);

/* Bounds a coordinate permanently. */
void wl_sym_limit(wl_symbols *s, wl_var var, wl_interval limits);
/* Sets the range of a loop variable from now on. */
void wl_sym_range(wl_symbols *s, wl_var var, wl_interval range);

/* The same symbol with the extents of block and grid as constants. */
const wl_symbol *wl_sym_fix(wl_symbols *s, const wl_symbol *a);

/* The same symbol with some coordinates (bits of wl_var) as constants. */
const wl_symbol *wl_sym_at(wl_symbols *s, const wl_symbol *a, uint32_t vars, const int64_t *values);

/* The value for one thread; false: division by 0 or overflow. */
bool wl_sym_eval(const wl_symbol *a, const int64_t values[WL_VAR_COUNT], int64_t *out);

/* The coordinates it depends on, as bits of wl_var. */
uint32_t wl_sym_vars(const wl_symbol *a);

#endif /* WL_PTX_RECOVER_SYMBOL_H */

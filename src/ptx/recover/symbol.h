/* symbol.h - whole numbers as expressions of thread and block, in a normal form.
 *
 * A symbol is a constant plus multiples of *atoms*: coordinates, and whatever is not linear (quotients, remainders,
 * minima, comparisons, ..) of other symbols. Equal symbols are the same pointer. NULL is a value nobody knows: whatever
 * is computed from it is unknown, too. So is what would be too large: numbers beyond 2^60, and expressions of more
 * nodes or levels than a kernel file may have. Symbols share their parts; written out, or walked, they are trees.
 *
 * blockIdx * blockDim is written as cell - threadIdx, so that the usual thread number becomes the cell's coordinate.
 *
 * Every symbol knows its bounds, twice: at the launch the kernel is read at, and at any launch at all. Where the first
 * decides a question and the second does not, the answer holds for this launch only.
 *
 * Layer  ptx (uses base, kernel). Oracle: tests/unit/test_ptx_symbol.c evaluates them. SPDX-License-Identifier: MIT */
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
    WL_ATOM_SCALED,  /* floor(a * factor / 2^shift): a division in disguise, not yet unmasked */
    WL_ATOM_MIN,
    WL_ATOM_MAX,
    WL_ATOM_AND,
    WL_ATOM_OR,
    WL_ATOM_XOR,    /* bits */
    WL_ATOM_GE0,    /* 1 where a >= 0, else 0 */
    WL_ATOM_EQ0,    /* 1 where a == 0, else 0 */
    WL_ATOM_BOTH,   /* a and b, both 0 or 1 */
    WL_ATOM_EITHER, /* a or b, both 0 or 1 */
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
    uint16_t size, depth;    /* nodes, and levels of parentheses, when written out */
    bool is_scaled;          /* a division in disguise is in it: it cannot be written */
    uint64_t hash, skeleton; /* skeleton: the same for atoms that differ in constants only */
    int epoch;               /* of the bounds */
    wl_interval bounds[WL_BOUNDS_COUNT];
    const struct wl_symbol *fixed; /* with the launch's extents as numbers; NULL: not asked yet */
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
    wl_term terms[]; /* by number of atom; no factor is 0 */
};

/* A fact about one atom that holds on the path being followed. */
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
    int epoch;         /* bounds computed at another one are old */
    bool launch_bound; /* some answer holds for this launch only */
    bool out_of_memory;
} wl_symbols;

void wl_symbols_start(wl_symbols *s, const int64_t block[3], const int64_t grid[3]);
void wl_symbols_free(wl_symbols *s);

const wl_symbol *wl_sym_const(wl_symbols *s, int64_t value);
const wl_symbol *wl_sym_var(wl_symbols *s, wl_var var);
const wl_symbol *wl_sym_add(wl_symbols *s, const wl_symbol *a, const wl_symbol *b);
const wl_symbol *wl_sym_sub(wl_symbols *s, const wl_symbol *a, const wl_symbol *b);
const wl_symbol *wl_sym_scale(wl_symbols *s, const wl_symbol *a, int64_t k);
const wl_symbol *wl_sym_mul(wl_symbols *s, const wl_symbol *a, const wl_symbol *b);
/* Rounding down; a divisor that may be 0 gives NULL. */
const wl_symbol *wl_sym_div(wl_symbols *s, const wl_symbol *a, const wl_symbol *b);
const wl_symbol *wl_sym_mod(wl_symbols *s, const wl_symbol *a, const wl_symbol *b);
/* Rounding towards 0, as hardware divides. */
const wl_symbol *wl_sym_quotient(wl_symbols *s, const wl_symbol *a, const wl_symbol *b);
/* floor(a * factor / 2^shift), also where the product is too large for a number. */
const wl_symbol *wl_sym_scaled(wl_symbols *s, const wl_symbol *a, int64_t factor, int shift);
const wl_symbol *wl_sym_extreme(wl_symbols *s, bool largest, const wl_symbol *a, const wl_symbol *b);
/* Bits of numbers that are not negative: AND, OR, XOR. */
const wl_symbol *wl_sym_bits(wl_symbols *s, wl_atom_op op, const wl_symbol *a, const wl_symbol *b);
/* Truth: 1 or 0. */
const wl_symbol *wl_sym_not_negative(wl_symbols *s, const wl_symbol *a);
const wl_symbol *wl_sym_is_zero(wl_symbols *s, const wl_symbol *a);
const wl_symbol *wl_sym_not(wl_symbols *s, const wl_symbol *condition);
const wl_symbol *wl_sym_both(wl_symbols *s, const wl_symbol *a, const wl_symbol *b);
const wl_symbol *wl_sym_either(wl_symbols *s, const wl_symbol *a, const wl_symbol *b);
const wl_symbol *wl_sym_select(wl_symbols *s, const wl_symbol *condition, const wl_symbol *a, const wl_symbol *b);

/* The number a register of so many bits is, read as signed or not: registers wrap around. NULL: too large to say. */
const wl_symbol *wl_sym_wrap(wl_symbols *s, const wl_symbol *a, int bits, bool is_signed);

wl_interval wl_sym_bounds(wl_symbols *s, const wl_symbol *a, wl_bounds_at at);
static inline bool wl_sym_is_const(const wl_symbol *a) { return a && a->count == 0; }
/* One atom and nothing else. */
static inline bool wl_sym_is_atom(const wl_symbol *a) { return a->count == 1 && a->c == 0 && a->terms[0].k == 1; }
/* The one value it has at this launch; notes when it is so at this launch only. */
bool wl_sym_decided(wl_symbols *s, const wl_symbol *a, int64_t *value);

/* Adds a condition to the facts of the path, as far as it bounds single atoms; the facts to go back to are fact_count's
 * value before. */
void wl_sym_assume(wl_symbols *s, const wl_symbol *condition, bool holds);
void wl_sym_drop_facts(wl_symbols *s, int fact_count);

/* Bounds a coordinate for good. */
void wl_sym_limit(wl_symbols *s, wl_var var, wl_interval limits);

/* The same with the extents of block and grid as numbers. */
const wl_symbol *wl_sym_fix(wl_symbols *s, const wl_symbol *a);

/* The value for one thread; false: division by 0 or out of range. */
bool wl_sym_eval(const wl_symbol *a, const int64_t values[WL_VAR_COUNT], int64_t *out);

/* Coordinates it depends on, as bits of wl_var. */
uint32_t wl_sym_vars(const wl_symbol *a);

#endif /* WL_PTX_RECOVER_SYMBOL_H */

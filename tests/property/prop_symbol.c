/* prop_symbol.c - symbols of random programs, and their bounds, against the same programs run
 * thread by thread. SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include "unit/checks.h"

#include "base/ckd.h"
#include "kernel/expr.h"
#include "ptx/recover/symbol_internal.h"

#define REGISTERS 24
#define THREADS 24

static uint64_t state = 1;

static int64_t draw(int64_t n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)((state >> 33) % (uint64_t)n);
}

typedef struct machine {
    wl_symbols symbols;
    const wl_symbol *symbol[REGISTERS];
    int64_t value[REGISTERS][THREADS];
    int64_t vars[THREADS][WL_VAR_COUNT];
    int count;
} machine;

static void start(machine *m)
{
    static const int64_t most_threads[3] = {64, 8, 3}, most_blocks[3] = {500, 9, 4};
    int64_t blocks[3], grids[3];
    for (int d = 0; d < 3; d++) {
        blocks[d] = 1 + draw(most_threads[d]);
        grids[d] = 1 + draw(most_blocks[d]);
    }
    wl_symbols_start(&m->symbols, blocks, grids);
    for (int t = 0; t < THREADS; t++)
        for (int d = 0; d < 3; d++) {
            int64_t *v = m->vars[t];
            v[WL_VAR_THREAD_X + d] = draw(blocks[d]);
            v[WL_VAR_BLOCK_X + d] = draw(grids[d]);
            v[WL_VAR_X + d] = v[WL_VAR_BLOCK_X + d] * blocks[d] + v[WL_VAR_THREAD_X + d];
            v[WL_VAR_BLOCKDIM_X + d] = blocks[d];
            v[WL_VAR_GRIDDIM_X + d] = grids[d];
        }
    m->count = 0;
}

static void push(machine *m, const wl_symbol *symbol, const int64_t value[THREADS])
{
    if (!symbol || m->count == REGISTERS)
        return;
    m->symbol[m->count] = symbol;
    memcpy(m->value[m->count++], value, sizeof m->value[0]);
}

static void push_inputs(machine *m)
{
    static const wl_var inputs[] = {WL_VAR_THREAD_X, WL_VAR_THREAD_Y,   WL_VAR_BLOCK_X,    WL_VAR_BLOCK_Y,
                                    WL_VAR_BLOCK_Z,  WL_VAR_BLOCKDIM_X, WL_VAR_BLOCKDIM_Y, WL_VAR_GRIDDIM_X};
    int64_t value[THREADS];
    for (size_t i = 0; i < COUNT_OF(inputs); i++) {
        for (int t = 0; t < THREADS; t++)
            value[t] = m->vars[t][inputs[i]];
        push(m, wl_sym_var(&m->symbols, inputs[i]), value);
    }
    for (int i = 0; i < 2; i++) {
        const int64_t c = i ? 1 + draw(100) : draw(2000) - 1000;
        for (int t = 0; t < THREADS; t++)
            value[t] = c;
        push(m, wl_sym_const(&m->symbols, c), value);
    }
}

enum { ADD, SUB, MUL, SCALE, DIV, MOD, QUOTIENT, SCALED, MIN, MAX, AND, OR, XOR, GE, EQ, NOT, SELECT, WRAP, OPS };

static bool operate(int op, int64_t a, int64_t b, int64_t c, int64_t k, int64_t *out)
{
    switch (op) {
    case ADD: *out = a + b; return true;
    case SUB: *out = a - b; return true;
    case MUL: return !__builtin_mul_overflow(a, b, out);
    case SCALE: return !__builtin_mul_overflow(a, k, out);
    case DIV: *out = b > 0 ? wl_floor_div(a, b) : 0; return b > 0;
    case MOD: *out = b > 0 ? wl_floor_mod(a, b) : 0; return b > 0;
    case QUOTIENT: *out = b ? a / b : 0; return b != 0;
    case SCALED: *out = wl_floor_div(a * 1431655766, (int64_t)1 << 32); return true; /* one third */
    case MIN: *out = wl_min(a, b); return true;
    case MAX: *out = wl_max(a, b); return true;
    case AND: *out = a & b; return true;
    case OR: *out = a | b; return true;
    case XOR: *out = a ^ b; return true;
    case GE: *out = a >= 0; return true;
    case EQ: *out = a == 0; return true;
    case NOT: *out = !(a >= b); return true;
    case SELECT: *out = c >= 0 ? a : b; return true;
    default: *out = (int64_t)((uint64_t)a << 32) >> 32; return true;
    }
}

static const wl_symbol *symbol_of(wl_symbols *s, int op, const wl_symbol *a, const wl_symbol *b, const wl_symbol *c,
                                  int64_t k)
{
    switch (op) {
    case ADD: return wl_sym_add(s, a, b);
    case SUB: return wl_sym_sub(s, a, b);
    case MUL: return wl_sym_mul(s, a, b);
    case SCALE: return wl_sym_scale(s, a, k);
    case DIV: return wl_sym_div(s, a, b);
    case MOD: return wl_sym_mod(s, a, b);
    case QUOTIENT: return wl_sym_quotient(s, a, b);
    case SCALED: return wl_sym_scaled(s, a, 1431655766, 32);
    case MIN: return wl_sym_extreme(s, false, a, b);
    case MAX: return wl_sym_extreme(s, true, a, b);
    case AND: return wl_sym_bits(s, WL_ATOM_AND, a, b);
    case OR: return wl_sym_bits(s, WL_ATOM_OR, a, b);
    case XOR: return wl_sym_bits(s, WL_ATOM_XOR, a, b);
    case GE: return wl_sym_not_negative(s, a);
    case EQ: return wl_sym_is_zero(s, a);
    case NOT: return wl_sym_not(s, wl_sym_not_negative(s, wl_sym_sub(s, a, b)));
    case SELECT: return wl_sym_select(s, wl_sym_not_negative(s, c), a, b);
    default: return wl_sym_wrap(s, a, 32, true);
    }
}

static bool in_reach(const int64_t *values)
{
    for (int t = 0; t < THREADS; t++)
        if (llabs(values[t]) > (int64_t)1 << 40)
            return false;
    return true;
}

static void check_symbol(machine *m, const char *name, const wl_symbol *symbol, const int64_t *want)
{
    const wl_interval here = wl_sym_bounds(&m->symbols, symbol, WL_AT_LAUNCH);
    for (int t = 0; t < THREADS; t++) {
        int64_t got = 0;
        check_true(name, "can be evaluated", wl_sym_eval(symbol, m->vars[t], &got));
        check_int(name, "value", got, want[t]);
        check_true(name, "lies in its bounds", got >= here.lo && got <= here.hi);
    }
}

static void run_program(machine *m, int *known)
{
    for (int i = 0; i < 40 && m->count < REGISTERS && check_failures == 0; i++) {
        const int op = (int)draw(OPS);
        const int a = (int)draw(m->count), b = (int)draw(m->count), c = (int)draw(m->count);
        const int64_t k = draw(65) - 32;
        int64_t value[THREADS];
        bool ok = in_reach(m->value[a]) && in_reach(m->value[b]);
        for (int t = 0; t < THREADS && ok; t++)
            ok = operate(op, m->value[a][t], m->value[b][t], m->value[c][t], k, &value[t]);
        if (!ok)
            continue;
        const wl_symbol *symbol = symbol_of(&m->symbols, op, m->symbol[a], m->symbol[b], m->symbol[c], k);
        if (!symbol)
            continue;
        char name[32];
        snprintf(name, sizeof name, "operation %d", op);
        check_symbol(m, name, symbol, value);
        known[op]++;
        push(m, symbol, value);
    }
}

static void random_programs(void **unused)
{
    (void)unused;
    int known[OPS] = {0};
    for (uint64_t trial = 0; trial < 4000 && check_failures == 0; trial++) {
        machine m;
        state = trial * 77 + 5;
        start(&m);
        push_inputs(&m);
        run_program(&m, known);
        if (check_failures)
            print_error("trial %llu\n", (unsigned long long)trial);
        wl_symbols_free(&m.symbols);
    }
    for (int op = 0; op < OPS; op++)
        check_true("random programs", "compute every operation often", known[op] > 300);
    check_done();
}

/* ---- edge cases ---- */

static int64_t draw_extreme(void)
{
    static const int64_t edges[] = {INT64_MIN,
                                    INT64_MAX,
                                    -((int64_t)1 << 62),
                                    (int64_t)1 << 61,
                                    (int64_t)1 << 60,
                                    -((int64_t)1 << 59),
                                    (int64_t)1 << 52,
                                    (int64_t)1 << 32,
                                    INT32_MAX,
                                    INT32_MIN,
                                    65536,
                                    0,
                                    1,
                                    -1,
                                    7};
    const int64_t edge = edges[draw(COUNT_OF(edges))];
    return (int64_t)((uint64_t)edge + (uint64_t)(draw(3) - 1));
}

/* The exact result; false: undefined. */
static bool operate_widely(int op, int64_t a, int64_t b, int64_t c, int64_t k, int shift, wl_wide *out)
{
    int64_t narrow = 0;
    switch (op) {
    case ADD: *out = (wl_wide)a + b; return true;
    case SUB: *out = (wl_wide)a - b; return true;
    case MUL: *out = (wl_wide)a * b; return true;
    case SCALE: *out = (wl_wide)a * k; return true;
    case QUOTIENT: *out = b ? (wl_wide)a / b : 0; return b != 0;
    case SCALED: *out = (wl_wide)a * k >> shift; return true;
    case WRAP: /* as a signed or an unsigned number of that many bits */
        *out = k & 1 ? (wl_wide)((int64_t)((uint64_t)a << (64 - shift)) >> (64 - shift))
                     : (wl_wide)((uint64_t)a << (64 - shift) >> (64 - shift));
        return true;
    case NOT: *out = a < b; return true;
    default:
        if (!operate(op, a, b, c, k, &narrow))
            return false;
        *out = narrow;
        return true;
    }
}

static const wl_symbol *extreme_symbol(machine *m, int op, int a, int b, int c, int64_t k, int shift)
{
    if (op == SCALED)
        return wl_sym_scaled(&m->symbols, m->symbol[a], k, shift);
    if (op == WRAP)
        return wl_sym_wrap(&m->symbols, m->symbol[a], shift, k & 1);
    return symbol_of(&m->symbols, op, m->symbol[a], m->symbol[b], m->symbol[c], k);
}

/* Unknown is always allowed; any other answer must be right. */
static void extreme_step(machine *m, int *known)
{
    const int op = (int)draw(OPS), a = (int)draw(m->count), b = (int)draw(m->count), c = (int)draw(m->count);
    const int shift = op == SCALED ? (int)draw(97) : 1 + (int)draw(64);
    const int64_t k = draw_extreme();
    const wl_symbol *symbol = extreme_symbol(m, op, a, b, c, k, shift);
    int64_t value[THREADS];
    if (!symbol)
        return;
    const wl_interval here = wl_sym_bounds(&m->symbols, symbol, WL_AT_LAUNCH);
    const bool is_known = here.lo > -WL_FAR && here.hi < WL_FAR;
    for (int t = 0; t < THREADS; t++) {
        wl_wide exact;
        if (!operate_widely(op, m->value[a][t], m->value[b][t], m->value[c][t], k, shift, &exact) ||
            !wl_sym_eval(symbol, m->vars[t], &value[t]))
            return;
        check_true("an extreme", "is right", value[t] == exact);
        check_true("an extreme", "lies in its bounds", !is_known || (value[t] >= here.lo && value[t] <= here.hi));
        if (check_failures) {
            print_error("operation %d of %lld, %lld: %lld (factor %lld, shift %d)\n", op, (long long)m->value[a][t],
                        (long long)m->value[b][t], (long long)value[t], (long long)k, shift);
            return;
        }
    }
    known[op]++;
    push(m, symbol, value);
}

static void extremes(void **unused)
{
    (void)unused;
    int known[OPS] = {0};
    for (uint64_t trial = 0; trial < 6000 && check_failures == 0; trial++) {
        machine m;
        state = trial * 91 + 3;
        start(&m);
        push_inputs(&m);
        for (int i = 0; i < 6; i++) {
            int64_t value[THREADS];
            const int64_t edge = draw_extreme();
            for (int t = 0; t < THREADS; t++)
                value[t] = edge;
            push(&m, wl_sym_const(&m.symbols, edge), value);
        }
        for (int i = 0; i < 60 && m.count < REGISTERS && check_failures == 0; i++)
            extreme_step(&m, known);
        if (check_failures)
            print_error("trial %llu\n", (unsigned long long)trial);
        wl_symbols_free(&m.symbols);
    }
    for (int op = 0; op < OPS; op++)
        check_true("extremes", "compute every operation", known[op] > 50);
    check_done();
}

/* The normal form recognizes cell coordinates and remainders in what compilers emit. */
static void normal_forms(void **unused)
{
    (void)unused;
    wl_symbols s;
    wl_symbols_start(&s, (const int64_t[]){128, 1, 1}, (const int64_t[]){1000, 1, 1});
    const wl_symbol *width = wl_sym_var(&s, WL_VAR_BLOCKDIM_X);
    const wl_symbol *x =
        wl_sym_add(&s, wl_sym_mul(&s, width, wl_sym_var(&s, WL_VAR_BLOCK_X)), wl_sym_var(&s, WL_VAR_THREAD_X));
    check_true("blockIdx * blockDim + threadIdx", "is the cell", x == wl_sym_var(&s, WL_VAR_X));
    const wl_symbol *w = wl_sym_const(&s, 640), *q = wl_sym_quotient(&s, x, w);
    const wl_symbol *rest = wl_sym_sub(&s, x, wl_sym_mul(&s, q, w));
    check_true("x - x / 640 * 640", "is a remainder", rest == wl_sym_mod(&s, x, w));
    const wl_symbol *d = wl_sym_extreme(&s, false, wl_sym_add(&s, x, wl_sym_const(&s, 1)), w);
    const wl_symbol *t = wl_sym_scale(&s, x, 3);
    rest = wl_sym_sub(&s, t, wl_sym_mul(&s, wl_sym_div(&s, t, d), d));
    check_true("t - t / d * d", "is a remainder", rest == wl_sym_mod(&s, t, d));
    /* division by 7 as compilers emit it: the high half of a product, the rest halved, added,
     * shifted */
    const wl_symbol *high = wl_sym_scaled(&s, x, 613566757, 32);
    const wl_symbol *half = wl_sym_div(&s, wl_sym_sub(&s, x, high), wl_sym_const(&s, 2));
    const wl_symbol *sevenths = wl_sym_div(&s, wl_sym_add(&s, half, high), wl_sym_const(&s, 4));
    const wl_symbol *direct = wl_sym_div(&s, x, wl_sym_const(&s, 7));
    int64_t values[WL_VAR_COUNT] = {0}, a = 0, b = 0;
    for (values[WL_VAR_X] = 0; values[WL_VAR_X] < 128000; values[WL_VAR_X] += 37) {
        check_true("division by 7", "evaluates", wl_sym_eval(sevenths, values, &a) && wl_sym_eval(direct, values, &b));
        check_int("division by 7", "value", a, b);
    }
    const wl_symbol *third = wl_sym_scaled(&s, x, 1431655766, 32);
    check_true("a third of x", "is x / 3", third == wl_sym_div(&s, x, wl_sym_const(&s, 3)));
    /* correlated bounds of block and thread: 4 blockIdx blockDim + threadIdx + 3 blockDim < 4
     * cells */
    const wl_symbol *first = wl_sym_sub(&s, x, wl_sym_var(&s, WL_VAR_THREAD_X));
    const wl_symbol *last = wl_sym_add(&s, wl_sym_add(&s, wl_sym_scale(&s, first, 4), wl_sym_var(&s, WL_VAR_THREAD_X)),
                                       wl_sym_scale(&s, width, 3));
    check_int("the last of four", "upper bound", wl_sym_bounds(&s, last, WL_AT_LAUNCH).hi, 4 * 128000 - 1);
    wl_symbols_free(&s);
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_programs), cmocka_unit_test(extremes),
                                       cmocka_unit_test(normal_forms)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

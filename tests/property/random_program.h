/* random_program.h - draws a program of ptx_program.h from a seed.
 *
 * What is drawn looks like CUDA kernels, with everything that makes blocks, warps and lanes differ:
 * conditions on coordinates and data, loops whose length is data, early returns, grid-stride loops,
 * phases in shared memory, vectors, odd blocks, and few blocks with much work.
 * SPDX-License-Identifier: MIT */
#ifndef WL_TESTS_RANDOM_PROGRAM_H
#define WL_TESTS_RANDOM_PROGRAM_H

#include <string.h>

#include "property/ptx_features.h"
#include "property/ptx_program.h"
#include "property/random_source.h"

/* Where a statement is drawn. */
typedef struct place {
    int depth;      /* nested loops and conditions */
    int loops;      /* nested loops */
    bool uniform;   /* all threads of the block that are left get here together */
    bool in_stride; /* inside the grid-stride loop */
    bool may_jump;  /* inside a loop in which threads need not stay together */
} place;

/* ---- expressions ---- */

static int new_expr(program *p, expr e)
{
    if (p->expr_count == PROGRAM_EXPRS)
        return 0; /* the constant 1 */
    p->exprs[p->expr_count] = e;
    return p->expr_count++;
}

static int constant(program *p, int64_t value) { return new_expr(p, (expr){.value = (int32_t)value}); }
static int local_of(program *p, int number) { return new_expr(p, (expr){.kind = EXPR_LOCAL, .op = number}); }
static int special_of(program *p, special s) { return new_expr(p, (expr){.kind = EXPR_SPECIAL, .op = (int)s}); }
static int apply(program *p, binary op, int a, int b)
{
    return new_expr(p, (expr){.kind = EXPR_BINARY, .op = (int)op, .a = a, .b = b});
}

static int draw_special(random_source *r, program *p)
{
    static const special usual[] = {TID_X,   TID_X, CTAID_X, CTAID_X, CELL_X, CELL_X, CELL_X,   TID_Y, CELL_Y,
                                    CTAID_Y, TID_Z, CTAID_Z, THREAD,  BLOCK,  NTID_X, NCTAID_X, LIMIT};
    const special s = RANDOM_OF(r, usual);
    return special_of(p, s);
}

static int draw_atom(random_source *r, program *p, const place *at)
{
    const int64_t choice = random_in(r, 0, 9);
    if (choice < 3) {
        const int number = (int)random_in(r, 0, GENERAL_LOCALS - 1);
        return local_of(p, number);
    }
    if (choice < 4 && at->loops > 0) {
        const int number = LOOP_LOCAL + (int)random_in(r, 0, at->loops - 1);
        return local_of(p, number);
    }
    if (choice < 5 && at->in_stride)
        return local_of(p, STRIDE_LOCAL);
    if (choice < 6) {
        static const int64_t usual[] = {0, 1, 2, 3, 4, 5, 7, 8, 16, 31, 32, 33, 100, 255, 1000, -1, -5};
        const int64_t value = RANDOM_OF(r, usual);
        return constant(p, value);
    }
    return draw_special(r, p);
}

static int draw_cond(random_source *r, program *p, const place *at);

static int draw_expr(random_source *r, program *p, const place *at, int size)
{
    static const int64_t small[] = {1, 2, 3, 4, 5, 7, 8, 16, 31, 33};
    if (size <= 1 || random_chance(r, 25))
        return draw_atom(r, p, at);
    if (random_chance(r, 6) && p->cond_count < PROGRAM_CONDS - 4) {
        const int c = draw_cond(r, p, at);
        const int a = draw_expr(r, p, at, size / 2);
        const int b = draw_expr(r, p, at, size / 2);
        return new_expr(p, (expr){.kind = EXPR_SELECT, .a = a, .b = b, .cond = c});
    }
    const binary op = (binary)random_in(r, 0, BINARY_COUNT - 1);
    const int a = draw_expr(r, p, at, size / 2);
    int b;
    if (op == SHL || op == SHR) {
        const int64_t by = random_in(r, 0, 6);
        b = constant(p, by);
    } else if (op == DIV || op == REM) {
        const int64_t by = RANDOM_OF(r, small);
        b = constant(p, by);
    } else {
        b = draw_expr(r, p, at, size / 2);
    }
    return apply(p, op, a, b);
}

/* A value in 0 .. 2^k - 1. */
static int small_value(random_source *r, program *p, int e, int k_most)
{
    const int64_t k = random_in(r, 1, k_most);
    const int mask = constant(p, ((int64_t)1 << k) - 1);
    return apply(p, AND, e, mask);
}

/* Mostly of a form that is often true and often false. */
static int draw_comparison(random_source *r, program *p, const place *at)
{
    const comparison op = (comparison)random_in(r, 0, COMPARISON_COUNT - 1);
    int a, b;
    const int64_t form = random_in(r, 0, 5);
    if (form == 0) { /* the bounds test */
        a = special_of(p, random_chance(r, 60) ? CELL_X : CELL_Y);
        b = special_of(p, LIMIT);
    } else if (form == 1) { /* parity and the like */
        a = draw_expr(r, p, at, 3);
        a = small_value(r, p, a, 3);
        const int64_t value = random_in(r, 0, 4);
        b = constant(p, value);
    } else if (form == 2) { /* a part of the warp or of the grid */
        static const special places[] = {TID_X, TID_Y, CTAID_X, CTAID_Y, THREAD, BLOCK};
        const special s = RANDOM_OF(r, places);
        a = special_of(p, s);
        const int64_t value = random_in(r, 0, 20);
        b = constant(p, value);
    } else if (form == 3) {
        const int number = (int)random_in(r, 0, GENERAL_LOCALS - 1);
        a = local_of(p, number);
        const int64_t value = random_in(r, 0, 40);
        b = constant(p, value);
    } else {
        a = draw_expr(r, p, at, 3);
        b = draw_expr(r, p, at, 2);
    }
    p->conds[p->cond_count] = (cond){.op = op, .a = a, .b = b, .other = -1};
    return p->cond_count++;
}

static int draw_cond(random_source *r, program *p, const place *at)
{
    if (p->cond_count >= PROGRAM_CONDS - 2)
        return 0; /* the first condition: 1 != 1 */
    const int c = draw_comparison(r, p, at);
    if (random_chance(r, 20)) {
        const bool either = random_chance(r, 40);
        const int other = draw_comparison(r, p, at);
        p->conds[c].other = other;
        p->conds[c].either = either;
    }
    return c;
}

/* ---- addresses ---- */

typedef struct interval {
    int64_t lo, hi;
} interval;

static const interval any_value = {INT32_MIN, INT32_MAX};

static interval special_bounds(const program *p, special s)
{
    const int64_t *b = p->block, *g = p->grid;
    switch (s) {
    case TID_X:
    case TID_Y:
    case TID_Z: return (interval){0, b[s - TID_X] - 1};
    case CTAID_X:
    case CTAID_Y:
    case CTAID_Z: return (interval){0, g[s - CTAID_X] - 1};
    case NTID_X: return (interval){b[0], b[0]};
    case NCTAID_X: return (interval){g[0], g[0]};
    case CELL_X: return (interval){0, b[0] * g[0] - 1};
    case CELL_Y: return (interval){0, b[1] * g[1] - 1};
    case THREAD: return (interval){0, program_threads(p) - 1};
    case BLOCK: return (interval){0, program_blocks(p) - 1};
    default: return (interval){p->limit, p->limit};
    }
}

static interval binary_bounds(binary op, interval a, interval b)
{
    switch (op) {
    case ADD: return (interval){a.lo + b.lo, a.hi + b.hi};
    case SUB: return (interval){a.lo - b.hi, a.hi - b.lo};
    case MUL: return a.lo >= 0 && b.lo >= 0 ? (interval){a.lo * b.lo, a.hi * b.hi} : any_value;
    case AND: return b.lo == b.hi && b.lo >= 0 ? (interval){0, b.lo} : any_value;
    case REM: return (interval){0, b.hi - 1};
    case DIV: return a.lo >= 0 ? (interval){a.lo / b.lo, a.hi / b.lo} : any_value;
    case SHR: return a.lo >= 0 ? (interval){a.lo >> b.lo, a.hi >> b.lo} : any_value;
    default: return any_value;
    }
}

static interval bounds_of(const program *p, int e)
{
    const expr *x = &p->exprs[e];
    interval i = any_value;
    if (x->kind == EXPR_CONST)
        i = (interval){x->value, x->value};
    else if (x->kind == EXPR_SPECIAL)
        i = special_bounds(p, (special)x->op);
    else if (x->kind == EXPR_LOCAL && x->op >= LOOP_LOCAL && x->op < STRIDE_LOCAL)
        i = (interval){0, TRIP_MOST};
    else if (x->kind == EXPR_LOCAL && x->op == STRIDE_LOCAL)
        i = (interval){0, p->limit + program_threads(p) * program_blocks(p)};
    else if (x->kind == EXPR_BINARY)
        i = binary_bounds((binary)x->op, bounds_of(p, x->a), bounds_of(p, x->b));
    return i.lo < INT32_MIN || i.hi > INT32_MAX ? any_value : i;
}

/* An index as kernels write them: a cell or a thread, times a stride, plus steps of loops. */
static int draw_regular_index(random_source *r, program *p, const place *at)
{
    static const special cells[] = {CELL_X, CELL_X, CELL_X, THREAD, BLOCK, TID_X, CTAID_X, CELL_Y};
    static const int64_t strides[] = {1, 1, 1, 1, 2, 3, 4, 8, 33};
    const special cell = RANDOM_OF(r, cells);
    int index = at->in_stride && random_chance(r, 60) ? local_of(p, STRIDE_LOCAL) : special_of(p, cell);
    const int64_t stride = RANDOM_OF(r, strides);
    if (stride > 1) {
        const int by = constant(p, stride);
        index = apply(p, MUL, index, by);
    }
    if (random_chance(r, 25)) { /* a row */
        const int row = special_of(p, random_chance(r, 50) ? CELL_Y : CTAID_Y);
        const int64_t pitch = random_chance(r, 50) ? 64 : random_in(r, 1, 70);
        const int by = constant(p, pitch);
        const int offset = apply(p, MUL, row, by);
        index = apply(p, ADD, index, offset);
    }
    for (int d = 0; d < at->loops; d++)
        if (random_chance(r, 60)) {
            const int64_t step = random_chance(r, 60) ? RANDOM_OF(r, strides) : random_in(r, 1, 130);
            const int counter = local_of(p, LOOP_LOCAL + d), by = constant(p, step);
            const int offset = apply(p, MUL, counter, by);
            index = apply(p, ADD, index, offset);
        }
    return index;
}

static int draw_index(random_source *r, program *p, const place *at)
{
    if (random_chance(r, 55))
        return draw_regular_index(r, p, at);
    if (random_chance(r, 60)) { /* an index that was loaded */
        const int number = (int)random_in(r, 0, GENERAL_LOCALS - 1);
        const int from = local_of(p, number), offset = draw_atom(r, p, at);
        return random_chance(r, 50) ? from : apply(p, ADD, from, offset);
    }
    return draw_expr(r, p, at, 4);
}

/* ---- statements ---- */

static int draw_list(random_source *r, program *p, place at, int64_t count);

/* How the text names its space and its order. Where no lane is on, nothing tells the space of a
 * pointer. */
static void draw_form(random_source *r, statement *s)
{
    s->generic = random_chance(r, 25) && s->cond < 0 && feature_on(FEATURE_GENERIC_POINTERS);
    s->order = random_chance(r, 50) && feature_on(FEATURE_MEMORY_ORDERS) ? (int)random_in(r, 1, MEMORY_ORDERS - 1) : 0;
}

static void draw_access(random_source *r, program *p, const place *at, statement *s)
{
    static const int widths[] = {1, 1, 1, 1, 2, 4};
    s->buffer = (int)random_in(r, 0, PROGRAM_BUFFERS - 1);
    if (s->kind != LOAD && s->buffer == COUNTS_BUFFER)
        s->buffer = PROGRAM_BUFFERS - 1;
    if (s->kind != ATOMIC)
        s->width = RANDOM_OF(r, widths);
    s->a = draw_index(r, p, at);
    if (s->kind != LOAD)
        s->b = random_chance(r, 30) ? local_of(p, SINK) : draw_expr(r, p, at, 2);
    s->offset = random_chance(r, 20) ? s->width * (int)random_in(r, 0, (SLACK_WORDS - 4) / s->width) : 0;
    s->local = random_chance(r, 30) ? SINK : (int)random_in(r, 0, GENERAL_LOCALS - 1);
    const interval i = bounds_of(p, s->a);
    s->masked = i.lo < 0 || (i.hi + 1) * s->width > p->buffers[s->buffer].words;
    if (random_chance(r, 20) && feature_on(FEATURE_GUARDS))
        s->cond = draw_cond(r, p, at);
    s->variant = (int)random_in(r, 0, 3);
    draw_form(r, s);
}

static void draw_scratch(random_source *r, program *p, const place *at, statement *s)
{
    p->uses_scratch = true;
    s->a = random_chance(r, 50) ? draw_regular_index(r, p, at) : draw_expr(r, p, at, 3);
    s->b = draw_expr(r, p, at, 2);
    s->local = SINK;
    if (random_chance(r, 15) && feature_on(FEATURE_GUARDS))
        s->cond = draw_cond(r, p, at);
    draw_form(r, s);
}

/* How often a loop runs: a constant, coordinates, data, or a count. */
static int draw_trip(random_source *r, program *p, const place *at)
{
    const int64_t form = random_in(r, 0, 3);
    if (form == 0) {
        const int64_t n = random_in(r, 0, at->depth > 1 ? 3 : 6);
        return constant(p, n);
    }
    const int number = (int)random_in(r, 0, GENERAL_LOCALS - 1);
    int e = form == 1 ? draw_special(r, p) : form == 2 ? local_of(p, number) : draw_expr(r, p, at, 3);
    if (form == 2 && at->depth == 0) {
        const int most = constant(p, TRIP_MOST);
        const int none = constant(p, 0);
        e = apply(p, MIN, e, most);
        return apply(p, MAX, e, none);
    }
    return small_value(r, p, e, at->depth > 1 ? 1 : 3);
}

static void draw_bodies(random_source *r, program *p, const place *at, statement *s, int n)
{
    place inside = *at;
    inside.depth++;
    inside.uniform = at->uniform && s->kind == FOR && p->exprs[s->a].kind == EXPR_CONST;
    for (int k = 0; k < n; k++) {
        const int64_t count = random_in(r, 1, 3);
        s->body[k] = draw_list(r, p, inside, count);
    }
}

static void draw_loop(random_source *r, program *p, const place *at, statement *s)
{
    place inside = *at;
    inside.depth++;
    inside.in_stride = at->in_stride || s->kind == STRIDE;
    s->local = s->kind == STRIDE ? STRIDE_LOCAL : LOOP_LOCAL + at->loops;
    if (s->kind == FOR) {
        s->a = draw_trip(r, p, at);
        inside.loops++;
    }
    inside.uniform = at->uniform && s->kind == FOR && p->exprs[s->a].kind == EXPR_CONST;
    inside.may_jump = !inside.uniform;
    s->variant = (int)random_in(r, 0, 1);
    const int64_t count = random_in(r, 1, 4);
    s->body[0] = draw_list(r, p, inside, count);
}

static bool is_allowed(const place *at, statement_kind k)
{
    switch (k) {
    case FOR: return at->loops < PROGRAM_DEPTH && at->depth < 4;
    case STRIDE: return !at->in_stride && at->depth < 2 && feature_on(FEATURE_GRID_STRIDE);
    case IF: return at->depth < 4;
    case SWITCH: return at->depth < 3 && feature_on(FEATURE_TABLES);
    case BREAK:
    case CONTINUE: return at->may_jump && feature_on(FEATURE_JUMPS);
    case RETURN: return at->depth == 0 || feature_on(FEATURE_NESTED_RETURNS);
    case EXCHANGE:
    case BARRIER: return at->uniform && feature_on(FEATURE_BARRIERS);
    case ATOMIC:
    case SCRATCH_ATOMIC: return feature_on(FEATURE_ATOMICS);
    default: return true;
    }
}

static statement_kind draw_kind(random_source *r, const place *at)
{
    static const statement_kind usual[] = {
        SET,   SET,    LOAD,   LOAD,  LOAD,         LOAD,   STORE,         STORE,         ATOMIC,   IF,
        IF,    IF,     FOR,    FOR,   FOR,          STRIDE, SCRATCH_STORE, EXCHANGE,      EXCHANGE, BARRIER,
        FLOAT, RETURN, RETURN, BREAK, SCRATCH_LOAD, SWITCH, CONTINUE,      SCRATCH_ATOMIC};
    const statement_kind k = RANDOM_OF(r, usual);
    return is_allowed(at, k) ? k : random_chance(r, 50) ? LOAD : STORE;
}

static int draw_statement(random_source *r, program *p, const place *at)
{
    if (p->statement_count >= PROGRAM_STATEMENTS - 1 || p->expr_count > PROGRAM_EXPRS - 40)
        return -1;
    const int number = p->statement_count++;
    statement s = {.kind = draw_kind(r, at), .next = -1, .body = {-1, -1, -1}, .cond = -1, .width = 1};
    switch (s.kind) {
    case SET:
        s.a = draw_expr(r, p, at, 4);
        s.local = (int)random_in(r, 0, GENERAL_LOCALS - 1);
        break;
    case LOAD:
    case STORE:
    case ATOMIC: draw_access(r, p, at, &s); break;
    case SCRATCH_LOAD:
    case SCRATCH_STORE:
    case SCRATCH_ATOMIC: draw_scratch(r, p, at, &s); break;
    case EXCHANGE:
        p->uses_exchange = true;
        s.a = draw_expr(r, p, at, 2);
        s.b = draw_expr(r, p, at, 2);
        s.local = (int)random_in(r, 0, GENERAL_LOCALS - 1);
        s.object = random_chance(r, 50) && feature_on(FEATURE_BARRIER_OBJECTS);
        break;
    case IF:
        s.cond = draw_cond(r, p, at);
        s.variant = (int)random_in(r, 0, 1);
        draw_bodies(r, p, at, &s, random_chance(r, 40) ? 2 : 1);
        break;
    case SWITCH:
        s.a = draw_expr(r, p, at, 3);
        draw_bodies(r, p, at, &s, PROGRAM_CASES);
        break;
    case FOR:
    case STRIDE: draw_loop(r, p, at, &s); break;
    case RETURN:
        s.cond = draw_cond(r, p, at);
        s.variant = (int)random_in(r, 0, 2);
        break;
    case BREAK:
    case CONTINUE: s.cond = draw_cond(r, p, at); break;
    default: break;
    }
    p->statements[number] = s;
    return number;
}

static int draw_list(random_source *r, program *p, place at, int64_t count)
{
    int first = -1, last = -1;
    for (int64_t i = 0; i < count; i++) {
        const int s = draw_statement(r, p, &at);
        if (s < 0)
            break;
        if (first < 0)
            first = s;
        else
            p->statements[last].next = s;
        last = s;
    }
    return first;
}

/* ---- launch and data ---- */

static void draw_launch(random_source *r, program *p)
{
    static const int64_t widths[] = {32, 32, 64, 128, 16, 8, 7, 33, 48, 96, 1, 5}, few[] = {1, 2, 3, 4, 5, 8};
    static const int64_t grids[] = {1, 2, 3, 4, 5, 7, 8, 13, 16, 24, 40};
    for (int d = 0; d < 3; d++)
        p->block[d] = p->grid[d] = 1;
    p->block[0] = RANDOM_OF(r, widths);
    p->grid[0] = RANDOM_OF(r, grids);
    if (random_chance(r, 35)) {
        p->block[1] = RANDOM_OF(r, few);
        p->grid[1] = random_in(r, 1, 6);
    }
    if (random_chance(r, 10)) {
        p->block[2] = random_in(r, 1, 3);
        p->grid[2] = random_in(r, 1, 3);
    }
    while (program_threads(p) > 256)
        p->block[0] = (p->block[0] + 1) / 2;
    if (random_chance(r, 8)) /* many blocks, of which some may have much work */
        p->grid[0] = random_in(r, 100, 700);
    while (program_blocks(p) * program_threads(p) > 12000)
        p->grid[random_in(r, 0, 2)] = 1;
    const int64_t cells = p->block[0] * p->grid[0];
    const int64_t less = random_in(r, 0, p->block[0]);
    p->limit = (int32_t)(random_chance(r, 50) ? cells - less : random_in(r, 0, 2 * cells));
}

static void draw_buffers(random_source *r, program *p)
{
    static const int64_t sizes[] = {256, 1024, 1024, 8192, 65536};
    for (int i = 0; i < PROGRAM_BUFFERS; i++) {
        static const content contents[] = {CONTENT_RANDOM, CONTENT_RANDOM, CONTENT_IOTA, CONTENT_ZERO, CONTENT_COUNTS};
        buffer *b = &p->buffers[i];
        b->words = RANDOM_OF(r, sizes);
        b->content = RANDOM_OF(r, contents);
        if (random_chance(r, 12) && feature_on(FEATURE_UNKNOWN_DATA))
            b->content = CONTENT_NONE;
        static const int64_t most[] = {1, 3, 8, 100, 5000, 2000000000};
        b->most = RANDOM_OF(r, most);
        if (i == COUNTS_BUFFER) {
            static const int shares[] = {2, 10, 50, 300};
            b->content = CONTENT_COUNTS;
            b->share = RANDOM_OF(r, shares);
            b->most = random_in(r, 4, TRIP_MOST);
        } else if (b->content == CONTENT_COUNTS) {
            b->share = 500;
            b->most = 64;
        }
    }
}

/* locals[0] = counts[BLOCK or CELL_X], if the program starts like one that works on rows. */
static int draw_start(random_source *r, program *p)
{
    const int number = p->statement_count++;
    const bool by_block = random_chance(r, 60);
    const int index = special_of(p, by_block ? BLOCK : CELL_X);
    p->statements[number] = (statement){.kind = LOAD,
                                        .next = -1,
                                        .body = {-1, -1, -1},
                                        .cond = -1,
                                        .a = index,
                                        .buffer = COUNTS_BUFFER,
                                        .width = 1,
                                        .masked = true};
    return number;
}

/* Every word that EXCHANGE may read is written first, also by threads that return early. */
static void prepend_exchange(program *p)
{
    const int number = p->statement_count++, thread = special_of(p, THREAD);
    p->statements[number] = (statement){.kind = EXCHANGE,
                                        .next = p->first,
                                        .body = {-1, -1, -1},
                                        .cond = -1,
                                        .a = thread,
                                        .b = thread,
                                        .local = SINK,
                                        .width = 1};
    p->first = number;
}

/* A thread that has returned does not arrive at a barrier object. */
static bool has_returns(const program *p)
{
    for (int s = 0; s < p->statement_count; s++)
        if (p->statements[s].kind == RETURN)
            return true;
    return false;
}

static void draw_program(uint64_t seed, program *p)
{
    random_source r = random_start(seed);
    place at = {.uniform = true};
    memset(p, 0, sizeof *p);
    p->seed = seed;
    const int one = constant(p, 1);
    p->conds[p->cond_count++] = (cond){.op = NE, .a = one, .b = one, .other = -1};
    draw_launch(&r, p);
    draw_buffers(&r, p);
    const bool rows = random_chance(&r, 40);
    const int start = rows ? draw_start(&r, p) : -1;
    const int64_t count = random_in(&r, 1, 7);
    const int rest = draw_list(&r, p, at, count);
    p->first = rows ? start : rest;
    if (rows)
        p->statements[start].next = rest;
    if (p->uses_exchange)
        prepend_exchange(p);
    p->uses_object = p->uses_exchange && !has_returns(p);
}

#endif /* WL_TESTS_RANDOM_PROGRAM_H */

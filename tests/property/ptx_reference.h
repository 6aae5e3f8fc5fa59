/* ptx_reference.h - executes a program of ptx_program.h in C, block by block, and remembers which
 * addresses each thread touches with each memory statement. It knows nothing of PTX or of the
 * emulator: it keeps the emulator honest.
 *
 * All threads of a block step through the tree together; each statement has the set of threads that
 * execute it. Loads of buffers without contents, of buffers that the program writes, and of scratch
 * words have values that the reference does not know; if such a value decides anything, the
 * reference gives up on the program.
 * SPDX-License-Identifier: MIT */
#ifndef WL_TESTS_PTX_REFERENCE_H
#define WL_TESTS_PTX_REFERENCE_H

#include "property/ptx_print.h"
#include "ptx/emulate/arguments.h"

#define THREADS_MAX 256
#define SET_WORDS (THREADS_MAX / 64)

/* Addresses of memory statements in order of execution, as one number per statement and thread. */
typedef struct touched {
    uint64_t sequence[PROGRAM_STATEMENTS][2][THREADS_MAX];
    int64_t warps[PROGRAM_STATEMENTS][2]; /* executions by a warp with at least one active thread */
} touched;

static void touch(touched *t, int number, access_part part, int64_t thread, uint64_t address)
{
    uint64_t *s = &t->sequence[number][part][thread];
    *s = (*s ^ (address + 1)) * 0x9e3779b97f4a7c15u;
    *s ^= *s >> 29;
}

static void touched_clear(touched *t, const program *p)
{
    const size_t n = (size_t)p->statement_count;
    memset(t->sequence, 0, n * sizeof t->sequence[0]);
    memset(t->warps, 0, n * sizeof t->warps[0]);
}

typedef struct threads {
    uint64_t word[SET_WORDS];
} threads;

static bool has(const threads *s, int64_t t) { return s->word[t / 64] >> (t % 64) & 1; }
static void include(threads *s, int64_t t) { s->word[t / 64] |= (uint64_t)1 << (t % 64); }
static bool is_none(const threads *s)
{
    uint64_t any = 0;
    for (int k = 0; k < SET_WORDS; k++)
        any |= s->word[k];
    return any == 0;
}
static threads without(threads a, threads b)
{
    for (int k = 0; k < SET_WORDS; k++)
        a.word[k] &= ~b.word[k];
    return a;
}
static threads together(threads a, threads b)
{
    for (int k = 0; k < SET_WORDS; k++)
        a.word[k] |= b.word[k];
    return a;
}

typedef struct known_value {
    int32_t is;
    bool known;
} known_value;

typedef struct loop_jumps {
    threads broken, continued;
} loop_jumps;

typedef struct reference {
    const program *program;
    const wl_ptx_buffer *buffers[PROGRAM_BUFFERS];
    bool written[PROGRAM_BUFFERS]; /* by some statement */
    int64_t block[3], thread_count;
    known_value local[PROGRAM_LOCALS][THREADS_MAX], words[THREADS_MAX];
    threads returned;
    loop_jumps *loop; /* the innermost */
    touched touched;
    bool gave_up;
} reference;

#define FOR_THREADS(r, t, s)                                                                                           \
    for (int64_t t = 0; t < (r)->thread_count; t++)                                                                    \
        if (has(&(s), t))

/* ---- values ---- */

static int32_t special_value(const reference *r, special s, int64_t thread)
{
    const program *p = r->program;
    const int64_t *b = p->block, *g = p->grid, *c = r->block;
    const int64_t tid[3] = {thread % b[0], thread / b[0] % b[1], thread / b[0] / b[1]};
    switch (s) {
    case TID_X:
    case TID_Y:
    case TID_Z: return (int32_t)tid[s - TID_X];
    case CTAID_X:
    case CTAID_Y:
    case CTAID_Z: return (int32_t)c[s - CTAID_X];
    case NTID_X: return (int32_t)b[0];
    case NCTAID_X: return (int32_t)g[0];
    case CELL_X: return (int32_t)(c[0] * b[0] + tid[0]);
    case CELL_Y: return (int32_t)(c[1] * b[1] + tid[1]);
    case THREAD: return (int32_t)thread;
    case BLOCK: return (int32_t)((c[2] * g[1] + c[1]) * g[0] + c[0]);
    default: return p->limit;
    }
}

static int32_t binary_value(binary op, int32_t a, int32_t b)
{
    const uint32_t u = (uint32_t)a, v = (uint32_t)b;
    switch (op) {
    case ADD: return (int32_t)(u + v);
    case SUB: return (int32_t)(u - v);
    case MUL: return (int32_t)(u * v);
    case AND: return (int32_t)(u & v);
    case OR: return (int32_t)(u | v);
    case XOR: return (int32_t)(u ^ v);
    case MIN: return a < b ? a : b;
    case MAX: return a > b ? a : b;
    case SHL: return (int32_t)(u << v);
    case SHR: return (int32_t)(u >> v);
    case DIV: return (int32_t)(u / v);
    default: return (int32_t)(u % v);
    }
}

static known_value cond_value(const reference *r, int c, int64_t thread);

static known_value expr_value(const reference *r, int e, int64_t thread)
{
    const expr *x = &r->program->exprs[e];
    if (x->kind == EXPR_CONST)
        return (known_value){x->value, true};
    if (x->kind == EXPR_LOCAL)
        return r->local[x->op][thread];
    if (x->kind == EXPR_SPECIAL)
        return (known_value){special_value(r, (special)x->op, thread), true};
    const known_value a = expr_value(r, x->a, thread), b = expr_value(r, x->b, thread);
    if (x->kind == EXPR_SELECT) {
        const known_value c = cond_value(r, x->cond, thread);
        return (known_value){c.is ? a.is : b.is, a.known && b.known && c.known};
    }
    return (known_value){binary_value((binary)x->op, a.is, b.is), a.known && b.known};
}

static known_value cond_value(const reference *r, int c, int64_t thread)
{
    const cond *k = &r->program->conds[c];
    const known_value a = expr_value(r, k->a, thread), b = expr_value(r, k->b, thread);
    const bool holds[COMPARISON_COUNT] = {a.is<b.is, a.is <= b.is, a.is> b.is, a.is >= b.is, a.is == b.is,
                                          a.is != b.is};
    known_value v = {holds[k->op], a.known && b.known};
    if (k->other >= 0) {
        const known_value o = cond_value(r, k->other, thread);
        v.is = k->either ? v.is || o.is : v.is && o.is;
        v.known = v.known && o.known;
    }
    return v;
}

/* A value that decides something. */
static int32_t decides(reference *r, known_value v)
{
    r->gave_up = r->gave_up || !v.known;
    return v.is;
}

/* Those of `active` for which the condition holds; -1: all. */
static threads where(reference *r, int c, threads active)
{
    threads out = {{0}};
    FOR_THREADS(r, t, active)
    if (c < 0 || decides(r, cond_value(r, c, t)))
        include(&out, t);
    return out;
}

/* ---- statements ---- */

static void count_warps(reference *r, int number, access_part part, threads active)
{
    for (int64_t w = 0; w * 32 < r->thread_count; w++)
        r->touched.warps[number][part] += (active.word[w / 2] >> (w % 2 * 32) & UINT32_MAX) != 0;
}

static known_value loaded(const reference *r, int number, int64_t at)
{
    uint32_t bits = 0;
    const bool known = !r->written[number] && wl_ptx_buffer_read(r->buffers[number], at, 4, (uint8_t *)&bits);
    return (known_value){(int32_t)bits, known};
}

static void run_access(reference *r, int number, threads active)
{
    const statement *s = &r->program->statements[number];
    const threads on = where(r, s->cond, active);
    const bool scratch = s->kind >= SCRATCH_LOAD;
    count_warps(r, number, PART_ONLY, on);
    FOR_THREADS(r, t, on)
    {
        uint32_t index = (uint32_t)decides(r, expr_value(r, s->a, t));
        if (scratch) { /* words before them, if there are any */
            index &= SCRATCH_WORDS - 1;
            touch(&r->touched, number, PART_ONLY, t,
                  4 * (index + (r->program->uses_exchange ? (uint64_t)r->thread_count : 0)));
        } else {
            if (s->masked)
                index &= (uint32_t)(r->program->buffers[s->buffer].words / s->width - 1);
            const int64_t at = 4 * ((int64_t)index * s->width + s->offset);
            touch(&r->touched, number, PART_ONLY, t, r->buffers[s->buffer]->base + (uint64_t)at);
            if (s->kind == LOAD)
                r->local[s->local][t] = loaded(r, s->buffer, at);
        }
        if (s->kind == SCRATCH_LOAD || s->kind == SCRATCH_ATOMIC || (s->kind == ATOMIC && s->variant > 1))
            r->local[SINK][t].known = false;
    }
}

static void run_exchange(reference *r, int number, threads active)
{
    const statement *s = &r->program->statements[number];
    count_warps(r, number, PART_ONLY, active);
    count_warps(r, number, PART_READ, active);
    FOR_THREADS(r, t, active)
    {
        r->words[t] = expr_value(r, s->a, t);
        touch(&r->touched, number, PART_ONLY, t, (uint64_t)(4 * t));
    }
    FOR_THREADS(r, t, active)
    {
        const int64_t at = (uint32_t)decides(r, expr_value(r, s->b, t)) % r->thread_count;
        touch(&r->touched, number, PART_READ, t, (uint64_t)(4 * at));
        r->local[s->local][t] = r->words[at];
    }
}

/* Runs a list; those that reach its end. */
static threads run_list(reference *r, int first, threads active);

static threads run_loop(reference *r, const statement *s, threads active)
{
    static const threads none;
    int32_t most[THREADS_MAX], step[THREADS_MAX];
    loop_jumps here, *outer = r->loop;
    threads inside = active;
    FOR_THREADS(r, t, active)
    {
        most[t] = s->kind == FOR ? decides(r, expr_value(r, s->a, t)) : r->program->limit;
        step[t] = s->kind == FOR ? 1 : (int32_t)(r->program->block[0] * r->program->grid[0]);
        r->local[s->local][t] = (known_value){s->kind == FOR ? 0 : special_value(r, CELL_X, t), true};
    }
    /* cppcheck-suppress autoVariables ; reset below, before it ends */
    r->loop = &here;
    while (!r->gave_up) {
        threads going = none;
        FOR_THREADS(r, t, inside)
        if (r->local[s->local][t].is < most[t])
            include(&going, t);
        if (is_none(&going))
            break;
        here = (loop_jumps){none, none};
        inside = run_list(r, s->body[0], going);
        inside = together(inside, here.continued);
        FOR_THREADS(r, t, inside)
        r->local[s->local][t].is += step[t];
    }
    r->loop = outer;
    return without(active, r->returned);
}

static threads run_switch(reference *r, const statement *s, threads active)
{
    threads cases[PROGRAM_CASES] = {{{0}}}, out = {{0}};
    FOR_THREADS(r, t, active)
    include(&cases[(uint32_t)decides(r, expr_value(r, s->a, t)) % PROGRAM_CASES], t);
    for (int k = 0; k < PROGRAM_CASES; k++)
        out = together(out, run_list(r, s->body[k], cases[k]));
    return out;
}

static threads run_statement(reference *r, int number, threads active)
{
    const statement *s = &r->program->statements[number];
    threads on, met;
    switch (s->kind) {
    case SET:
        FOR_THREADS(r, t, active)
        r->local[s->local][t] = expr_value(r, s->a, t);
        return active;
    case IF:
        on = where(r, s->cond, active);
        met = run_list(r, s->body[0], on);
        on = run_list(r, s->body[1], without(active, on));
        return together(met, on);
    case SWITCH: return run_switch(r, s, active);
    case FOR:
    case STRIDE: return run_loop(r, s, active);
    case RETURN:
    case BREAK:
    case CONTINUE: {
        on = where(r, s->cond, active);
        threads *to = s->kind == RETURN ? &r->returned : s->kind == BREAK ? &r->loop->broken : &r->loop->continued;
        *to = together(*to, on);
        return without(active, on);
    }
    case EXCHANGE: run_exchange(r, number, active); return active;
    case BARRIER:
    case FLOAT: return active;
    default: run_access(r, number, active); return active;
    }
}

static threads run_list(reference *r, int first, threads active)
{
    for (int s = first; s >= 0 && !is_none(&active) && !r->gave_up; s = r->program->statements[s].next)
        active = run_statement(r, s, active);
    return active;
}

/* ---- blocks ---- */

static void mark_written(reference *r, int first)
{
    for (int s = first; s >= 0; s = r->program->statements[s].next) {
        const statement *at = &r->program->statements[s];
        if (at->kind == STORE || at->kind == ATOMIC)
            r->written[at->buffer] = true;
        for (int k = 0; k < PROGRAM_CASES; k++)
            mark_written(r, at->body[k]);
    }
}

static void reference_start(reference *r, const program *p, const wl_ptx_arguments *arguments)
{
    memset(r, 0, sizeof *r);
    r->program = p;
    r->thread_count = program_threads(p);
    for (int b = 0; b < arguments->buffer_count; b++)
        if (arguments->buffers[b].argument >= 0)
            r->buffers[arguments->buffers[b].argument] = &arguments->buffers[b];
    mark_written(r, p->first);
}

static void reference_run(reference *r, const int64_t block[3])
{
    threads all = {{0}};
    memcpy(r->block, block, sizeof r->block);
    memset(r->local, 0, sizeof r->local);
    touched_clear(&r->touched, r->program);
    memset(&r->returned, 0, sizeof r->returned);
    for (int64_t t = 0; t < r->thread_count; t++) {
        const int32_t start[GENERAL_LOCALS] = {special_value(r, CELL_X, t), special_value(r, TID_X, t),
                                               special_value(r, CTAID_X, t), 3};
        for (int k = 0; k < PROGRAM_LOCALS; k++)
            r->local[k][t] = (known_value){k < GENERAL_LOCALS ? start[k] : 0, true};
        include(&all, t);
    }
    (void)run_list(r, r->program->first, all);
}

#endif /* WL_TESTS_PTX_REFERENCE_H */

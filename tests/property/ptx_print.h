/* ptx_print.h - a program of ptx_program.h as PTX, the way compilers write it: coordinates are read
 * at the top, conditions become predicates, loops test at the top or at the bottom.
 * SPDX-License-Identifier: MIT */
#ifndef WL_TESTS_PTX_PRINT_H
#define WL_TESTS_PTX_PRINT_H

#include <stdarg.h>
#include <stdio.h>

#include "property/ptx_program.h"

#define PTX_TEXT 65536
#define PTX_LINES 3000

/* EXCHANGE: the store, and the load */
typedef enum access_part { PART_ONLY, PART_READ } access_part;

typedef struct ptx_text {
    char text[PTX_TEXT];
    size_t length;
    int line; /* of the next character, from 1 */
    int registers, predicates, wide, labels;
    int special[SPECIAL_COUNT]; /* registers */
    bool needs_special[SPECIAL_COUNT], needs_local[PROGRAM_LOCALS], needs_buffer[PROGRAM_BUFFERS];
    int statement_of[PTX_LINES]; /* the memory statement on a line; -1: none */
    access_part part_of[PTX_LINES];
    int leave[PROGRAM_DEPTH + 2], again[PROGRAM_DEPTH + 2], loops; /* labels of the loops around */
} ptx_text;

static void put(ptx_text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(ptx_text *t, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int n = vsnprintf(t->text + t->length, sizeof t->text - t->length, format, arguments);
    va_end(arguments);
    for (int i = 0; i < n && t->length < sizeof t->text - 1; i++, t->length++)
        t->line += t->text[t->length] == '\n';
}

/* ---- expressions: the number of the register that holds the value ---- */

static const char *const local_names[PROGRAM_LOCALS] = {"%v0", "%v1", "%v2", "%v3", "%sink",
                                                        "%i0", "%i1", "%i2", "%at"};

typedef struct operand {
    char text[24];
} operand;

static operand reg(int number)
{
    operand o;
    (void)snprintf(o.text, sizeof o.text, "%%r%d", number);
    return o;
}

static operand read_special(ptx_text *t, special s)
{
    t->needs_special[s] = true;
    return reg(t->special[s]);
}

static const char *local(ptx_text *t, int number)
{
    t->needs_local[number] = true;
    return local_names[number];
}

static int put_cond(ptx_text *t, const program *p, int c);

static operand put_expr(ptx_text *t, const program *p, int e)
{
    static const char *const names[BINARY_COUNT] = {"add.s32", "sub.s32", "mul.lo.s32", "and.b32",
                                                    "or.b32",  "xor.b32", "min.s32",    "max.s32",
                                                    "shl.b32", "shr.u32", "div.u32",    "rem.u32"};
    const expr *x = &p->exprs[e];
    operand o;
    if (x->kind == EXPR_CONST) {
        (void)snprintf(o.text, sizeof o.text, "%d", x->value);
        return o;
    }
    if (x->kind == EXPR_LOCAL) {
        (void)snprintf(o.text, sizeof o.text, "%s", local(t, x->op));
        return o;
    }
    if (x->kind == EXPR_SPECIAL)
        return read_special(t, (special)x->op);
    const operand a = put_expr(t, p, x->a), b = put_expr(t, p, x->b);
    if (x->kind == EXPR_SELECT) {
        const int chosen = put_cond(t, p, x->cond);
        o = reg(++t->registers);
        put(t, "selp.b32 %s, %s, %s, %%p%d;\n", o.text, a.text, b.text, chosen);
        return o;
    }
    o = reg(++t->registers);
    put(t, "%s %s, %s, %s;\n", names[x->op], o.text, a.text, b.text);
    return o;
}

/* The predicate of a condition. */
static int put_cond(ptx_text *t, const program *p, int c)
{
    static const char *const names[COMPARISON_COUNT] = {"lt", "le", "gt", "ge", "eq", "ne"};
    const cond *k = &p->conds[c];
    const int other = k->other >= 0 ? put_cond(t, p, k->other) : -1;
    const operand a = put_expr(t, p, k->a), b = put_expr(t, p, k->b);
    const int to = ++t->predicates;
    if (other >= 0 && c % 2)
        put(t, "setp.%s.%s.s32 %%p%d, %s, %s, %%p%d;\n", names[k->op], k->either ? "or" : "and", to, a.text, b.text,
            other);
    else
        put(t, "setp.%s.s32 %%p%d, %s, %s;\n", names[k->op], to, a.text, b.text);
    if (other >= 0 && c % 2 == 0)
        put(t, "%s.pred %%p%d, %%p%d, %%p%d;\n", k->either ? "or" : "and", to, to, other);
    return to;
}

/* ---- memory ---- */

static void mark(ptx_text *t, int number, access_part part)
{
    t->statement_of[t->line] = number;
    t->part_of[t->line] = part;
}

/* The register of an address in a buffer: the words of the access, from its first. */
static int put_address(ptx_text *t, const program *p, const statement *s)
{
    operand index = put_expr(t, p, s->a);
    if (s->masked) {
        const operand cut = reg(++t->registers);
        put(t, "and.b32 %s, %s, %lld;\n", cut.text, index.text,
            (long long)(p->buffers[s->buffer].words / s->width - 1));
        index = cut;
    }
    const int to = ++t->wide;
    if (s->variant % 2)
        put(t, "mul.wide.u32 %%rd%d, %s, %d;\n", to, index.text, 4 * s->width);
    else
        put(t, "cvt.s64.s32 %%rd%d, %s;\nshl.b64 %%rd%d, %%rd%d, %d;\n", to, index.text, to, to,
            s->width == 4   ? 4
            : s->width == 2 ? 3
                            : 2);
    t->needs_buffer[s->buffer] = true;
    put(t, "add.s64 %%rd%d, %%b%d, %%rd%d;\n", to, s->buffer, to);
    return to;
}

static void put_values(ptx_text *t, const statement *s, const char *first)
{
    static const char *const scratch[] = {"%x1", "%x2", "%x3"};
    if (s->width == 1) {
        put(t, "%s", first);
        return;
    }
    put(t, "{%s", first);
    for (int k = 1; k < s->width; k++)
        put(t, ", %s", scratch[k - 1]);
    put(t, "}");
}

static const char *const memory_orders[MEMORY_ORDERS] = {"", ".relaxed.gpu", ".acq_rel.gpu", ".acquire.cta",
                                                         ".release.sys"};

static void put_access(ptx_text *t, const program *p, int number)
{
    static const char *const vectors[] = {"", "", ".v2", "", ".v4"};
    const statement *s = &p->statements[number];
    const char *space = s->generic ? "" : ".global", *order = memory_orders[s->order];
    char guard[24] = "";
    if (s->cond >= 0) {
        const int on = put_cond(t, p, s->cond);
        (void)snprintf(guard, sizeof guard, "@%%p%d ", on);
    }
    const int address = put_address(t, p, s);
    const operand value = s->kind == LOAD ? reg(0) : put_expr(t, p, s->b);
    mark(t, number, PART_ONLY);
    put(t, "%s", guard);
    if (s->kind == LOAD) {
        put(t, "ld%s%s.u32 ", space, vectors[s->width]);
        put_values(t, s, local(t, s->local));
        put(t, ", [%%rd%d+%d];\n", address, 4 * s->offset);
    } else if (s->kind == STORE) {
        put(t, "st%s%s.u32 [%%rd%d+%d], ", space, vectors[s->width], address, 4 * s->offset);
        put_values(t, s, value.text);
        put(t, ";\n");
    } else if (s->variant > 1) {
        put(t, "atom%s%s.add.u32 %s, [%%rd%d+%d], %s;\n", order, space, local(t, SINK), address, 4 * s->offset,
            value.text);
    } else {
        put(t, "red%s%s.add.u32 [%%rd%d+%d], %s;\n", s->order == 3 ? "" : order, space, address, 4 * s->offset,
            value.text);
    }
}

static operand put_shared_address(ptx_text *t, const char *base, const char *index)
{
    const operand byte = reg(++t->registers), at = reg(++t->registers);
    put(t, "shl.b32 %s, %s, 2;\nadd.s32 %s, %s, %s;\n", byte.text, index, at.text, base, byte.text);
    return at;
}

static void put_scratch(ptx_text *t, const program *p, int number)
{
    const statement *s = &p->statements[number];
    char guard[24] = "";
    if (s->cond >= 0) {
        const int on = put_cond(t, p, s->cond);
        (void)snprintf(guard, sizeof guard, "@%%p%d ", on);
    }
    const operand index = put_expr(t, p, s->a), cut = reg(++t->registers);
    put(t, "and.b32 %s, %s, %d;\n", cut.text, index.text, SCRATCH_WORDS - 1);
    operand at = put_shared_address(t, "%scratch", cut.text);
    const operand value = s->kind == SCRATCH_LOAD ? reg(0) : put_expr(t, p, s->b);
    const char *space = s->generic ? "" : ".shared";
    if (s->generic) {
        const int wide = ++t->wide;
        put(t, "cvt.u64.u32 %%rd%d, %s;\ncvta.shared.u64 %%rd%d, %%rd%d;\n", wide, at.text, wide, wide);
        (void)snprintf(at.text, sizeof at.text, "%%rd%d", wide);
    }
    mark(t, number, PART_ONLY);
    if (s->kind == SCRATCH_LOAD)
        put(t, "%sld%s.u32 %s, [%s];\n", guard, space, local(t, SINK), at.text);
    else if (s->kind == SCRATCH_STORE)
        put(t, "%sst%s.u32 [%s], %s;\n", guard, space, at.text, value.text);
    else
        put(t, "%satom%s%s.add.u32 %s, [%s], %s;\n", guard, memory_orders[s->order], space, local(t, SINK), at.text,
            value.text);
}

/* All threads meet: at a barrier, or at a barrier object whose state an arrival returns. */
static void put_meeting(ptx_text *t, bool object)
{
    if (!object) {
        put(t, "bar.sync 0;\n");
        return;
    }
    const int wait = ++t->labels, over = ++t->predicates, state = ++t->wide;
    put(t, "mbarrier.arrive.shared::cta.b64 %%rd%d, [meeting];\nL%d:\n", state, wait);
    put(t, "mbarrier.test_wait.shared::cta.b64 %%p%d, [meeting], %%rd%d;\n@!%%p%d bra L%d;\n", over, state, over, wait);
}

static void put_exchange(ptx_text *t, const program *p, int number)
{
    const statement *s = &p->statements[number];
    const operand value = put_expr(t, p, s->a);
    const operand own = put_shared_address(t, "%words", read_special(t, THREAD).text);
    mark(t, number, PART_ONLY);
    put(t, "st.shared.u32 [%s], %s;\n", own.text, value.text);
    put_meeting(t, p->uses_object && s->object);
    const operand index = put_expr(t, p, s->b), other = reg(++t->registers);
    put(t, "rem.u32 %s, %s, %lld;\n", other.text, index.text, (long long)program_threads(p));
    const operand at = put_shared_address(t, "%words", other.text);
    mark(t, number, PART_READ);
    put(t, "ld.shared.u32 %s, [%s];\n", local(t, s->local), at.text);
    put_meeting(t, p->uses_object && s->object);
}

/* ---- control flow ---- */

static void put_list(ptx_text *t, const program *p, int first);

static void put_if(ptx_text *t, const program *p, const statement *s)
{
    const int skip = ++t->labels, end = ++t->labels;
    const int on = put_cond(t, p, s->cond);
    if (s->variant && s->body[1] < 0) { /* jump to the body, over a jump */
        const int body = ++t->labels;
        put(t, "@%%p%d bra L%d;\nbra.uni L%d;\nL%d:\n", on, body, skip, body);
    } else {
        put(t, "@!%%p%d bra L%d;\n", on, skip);
    }
    put_list(t, p, s->body[0]);
    if (s->body[1] >= 0)
        put(t, "bra.uni L%d;\n", end);
    put(t, "L%d:\n", skip);
    put_list(t, p, s->body[1]);
    put(t, "L%d:\n", end);
}

static void put_switch(ptx_text *t, const program *p, const statement *s)
{
    const int table = ++t->labels, end = ++t->labels;
    int cases[PROGRAM_CASES];
    const operand value = put_expr(t, p, s->a), which = reg(++t->registers);
    put(t, "rem.u32 %s, %s, %d;\n", which.text, value.text, PROGRAM_CASES);
    put(t, "T%d: .branchtargets ", table);
    for (int k = 0; k < PROGRAM_CASES; k++) {
        cases[k] = ++t->labels;
        put(t, "%sL%d", k ? ", " : "", cases[k]);
    }
    put(t, ";\nbrx.idx %s, T%d;\n", which.text, table);
    for (int k = 0; k < PROGRAM_CASES; k++) {
        put(t, "L%d:\n", cases[k]);
        put_list(t, p, s->body[k]);
        if (k < PROGRAM_CASES - 1)
            put(t, "bra.uni L%d;\n", end);
    }
    put(t, "L%d:\n", end);
}

/* Tests at the top, or before the loop and at its bottom. */
static void put_loop(ptx_text *t, const program *p, const statement *s)
{
    const int body = ++t->labels, next = ++t->labels, end = ++t->labels;
    const char *i = local(t, s->local);
    const operand trip = s->kind == FOR ? put_expr(t, p, s->a) : read_special(t, LIMIT), most = reg(++t->registers);
    const operand step = reg(++t->registers);
    put(t, "mov.u32 %s, %s;\n", most.text, trip.text);
    if (s->kind == FOR)
        put(t, "mov.u32 %s, 0;\nmov.u32 %s, 1;\n", i, step.text);
    else
        put(t, "mov.u32 %s, %s;\nmul.lo.s32 %s, %s, %s;\n", i, read_special(t, CELL_X).text, step.text,
            read_special(t, NTID_X).text, read_special(t, NCTAID_X).text);
    const int before = ++t->predicates, after = ++t->predicates;
    t->leave[t->loops] = end;
    t->again[t->loops++] = next;
    if (s->variant) {
        put(t, "setp.ge.s32 %%p%d, %s, %s;\n@%%p%d bra L%d;\nL%d:\n", before, i, most.text, before, end, body);
        put_list(t, p, s->body[0]);
        put(t, "L%d:\nadd.s32 %s, %s, %s;\nsetp.lt.s32 %%p%d, %s, %s;\n@%%p%d bra L%d;\n", next, i, i, step.text, after,
            i, most.text, after, body);
    } else {
        put(t, "L%d:\nsetp.ge.s32 %%p%d, %s, %s;\n@%%p%d bra L%d;\n", body, before, i, most.text, before, end);
        put_list(t, p, s->body[0]);
        put(t, "L%d:\nadd.s32 %s, %s, %s;\nbra.uni L%d;\n", next, i, i, step.text, body);
    }
    put(t, "L%d:\n", end);
    t->loops--;
}

static void put_jump(ptx_text *t, const program *p, const statement *s)
{
    static const char *const leaves[] = {"ret", "exit", "bra END"};
    const int on = put_cond(t, p, s->cond);
    if (s->kind == RETURN)
        put(t, "@%%p%d %s;\n", on, leaves[s->variant]);
    else
        put(t, "@%%p%d bra L%d;\n", on, (s->kind == BREAK ? t->leave : t->again)[t->loops - 1]);
}

static void put_statement(ptx_text *t, const program *p, int number)
{
    const statement *s = &p->statements[number];
    switch (s->kind) {
    case SET: {
        const operand value = put_expr(t, p, s->a);
        put(t, "mov.u32 %s, %s;\n", local(t, s->local), value.text);
        break;
    }
    case LOAD:
    case STORE:
    case ATOMIC: put_access(t, p, number); break;
    case SCRATCH_LOAD:
    case SCRATCH_STORE:
    case SCRATCH_ATOMIC: put_scratch(t, p, number); break;
    case EXCHANGE: put_exchange(t, p, number); break;
    case BARRIER: put(t, "bar.sync 0;\n"); break;
    case FLOAT: put(t, "fma.rn.f32 %%f, %%f, %%g, %%f;\n"); break;
    case IF: put_if(t, p, s); break;
    case SWITCH: put_switch(t, p, s); break;
    case FOR:
    case STRIDE: put_loop(t, p, s); break;
    default: put_jump(t, p, s); break;
    }
}

static void put_list(ptx_text *t, const program *p, int first)
{
    for (int s = first; s >= 0; s = p->statements[s].next)
        put_statement(t, p, s);
}

/* ---- the whole text ---- */

/* What the program reads of coordinates, parameters and variables; the text has nothing else. */
typedef struct needs {
    bool special[SPECIAL_COUNT], local[PROGRAM_LOCALS], buffer[PROGRAM_BUFFERS];
} needs;

static int put_copy(ptx_text *t, const char *name)
{
    put(t, "mov.u32 %%r%d, %s;\n", ++t->registers, name);
    return t->registers;
}

static int put_mad(ptx_text *t, int a, int b, int c)
{
    put(t, "mad.lo.s32 %%r%d, %%r%d, %%r%d, %%r%d;\n", t->registers + 1, a, b, c);
    return ++t->registers;
}

/* Coordinates are read at the top. */
static void put_specials(ptx_text *t, const needs *n)
{
    static const char *const names[] = {"%tid.x",   "%tid.y",   "%tid.z",  "%ctaid.x",
                                        "%ctaid.y", "%ctaid.z", "%ntid.x", "%nctaid.x"};
    const bool *s = n->special;
    const bool used[] = {s[TID_X] || s[CELL_X] || s[THREAD],
                         s[TID_Y] || s[CELL_Y] || s[THREAD],
                         s[TID_Z] || s[THREAD],
                         s[CTAID_X] || s[CELL_X] || s[BLOCK],
                         s[CTAID_Y] || s[CELL_Y] || s[BLOCK],
                         s[CTAID_Z] || s[BLOCK],
                         s[NTID_X] || s[CELL_X] || s[THREAD],
                         s[NCTAID_X] || s[BLOCK]};
    for (int k = TID_X; k <= NCTAID_X; k++)
        if (used[k])
            t->special[k] = put_copy(t, names[k]);
    const int ntid_y = s[CELL_Y] || s[THREAD] ? put_copy(t, "%ntid.y") : 0;
    const int nctaid_y = s[BLOCK] ? put_copy(t, "%nctaid.y") : 0;
    int *at = t->special;
    if (s[CELL_X])
        at[CELL_X] = put_mad(t, at[CTAID_X], at[NTID_X], at[TID_X]);
    if (s[CELL_Y])
        at[CELL_Y] = put_mad(t, at[CTAID_Y], ntid_y, at[TID_Y]);
    if (s[THREAD]) {
        const int row = put_mad(t, at[TID_Z], ntid_y, at[TID_Y]);
        at[THREAD] = put_mad(t, row, at[NTID_X], at[TID_X]);
    }
    if (s[BLOCK]) {
        const int row = put_mad(t, at[CTAID_Z], nctaid_y, at[CTAID_Y]);
        at[BLOCK] = put_mad(t, row, at[NCTAID_X], at[CTAID_X]);
    }
    if (s[LIMIT])
        put(t, "ld.param.u32 %%r%d, [n];\n", at[LIMIT] = ++t->registers);
}

static void put_head(ptx_text *t, const program *p, const needs *n)
{
    put(t, ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(");
    for (int i = 0; i < PROGRAM_BUFFERS; i++)
        put(t, ".param .u64 b%d, ", i);
    put(t,
        ".param .u32 n)\n{\n.reg .pred %%p<200>;\n.reg .b32 %%r<900>, %%v<4>, %%i<3>, %%x<4>;\n"
        ".reg .b32 %%sink, %%at, %%words, %%scratch;\n.reg .b64 %%rd<200>, %%b<%d>;\n.reg .f32 %%f, %%g;\n",
        PROGRAM_BUFFERS);
    if (p->uses_exchange)
        put(t, ".shared .align 4 .b8 words[%lld];\nmov.u32 %%words, words;\n", (long long)(4 * program_threads(p)));
    if (p->uses_scratch)
        put(t, ".shared .align 4 .b8 scratch[%d];\nmov.u32 %%scratch, scratch;\n", 4 * SCRATCH_WORDS);
    if (p->uses_object)
        put(t, ".shared .align 8 .b64 meeting;\n");
    for (int i = 0; i < PROGRAM_BUFFERS; i++)
        if (n->buffer[i])
            put(t, "ld.param.u64 %%b%d, [b%d];\ncvta.to.global.u64 %%b%d, %%b%d;\n", i, i, i, i);
}

static void put_start(ptx_text *t, const needs *n)
{
    static const special start[] = {CELL_X, TID_X, CTAID_X};
    for (int k = 0; k < PROGRAM_LOCALS; k++) {
        if (!n->local[k])
            continue;
        if (k < 3)
            put(t, "mov.u32 %s, %s;\n", local(t, k), read_special(t, start[k]).text);
        else
            put(t, "mov.u32 %s, %d;\n", local(t, k), k == 3 ? 3 : 0);
    }
    put(t,
        "mov.u32 %%x1, 1;\nmov.u32 %%x2, 2;\nmov.u32 %%x3, 3;\nmov.f32 %%f, 0f3F800000;\nmov.f32 %%g, 0f3F000000;\n");
}

/* One thread makes the object that all arrive at. */
static void put_object(ptx_text *t, const program *p)
{
    const int others = ++t->predicates;
    put(t, "setp.ne.u32 %%p%d, %s, 0;\n", others, read_special(t, THREAD).text);
    put(t, "@!%%p%d mbarrier.init.shared::cta.b64 [meeting], %lld;\nbar.sync 0;\n", others,
        (long long)program_threads(p));
}

static void print_with(const program *p, const needs *n, ptx_text *t)
{
    memset(t, 0, sizeof *t);
    t->line = 1;
    memset(t->statement_of, -1, sizeof t->statement_of);
    put_head(t, p, n);
    put_specials(t, n);
    put_start(t, n);
    if (p->uses_object)
        put_object(t, p);
    put_list(t, p, p->first);
    put(t, "END:\nret;\n}\n");
}

/* Prints twice: the first text tells what the second one needs. */
static void print_program(const program *p, ptx_text *t)
{
    needs n = {.local = {false}};
    print_with(p, &n, t);
    memcpy(n.local, t->needs_local, sizeof n.local);
    memcpy(n.buffer, t->needs_buffer, sizeof n.buffer);
    put_start(t, &n);
    memcpy(n.special, t->needs_special, sizeof n.special);
    print_with(p, &n, t);
}

#endif /* WL_TESTS_PTX_PRINT_H */

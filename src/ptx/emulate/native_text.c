/* native_text.c - a program as a C function: its pieces, which registers they read and leave, loads
 * and stores, and how it comes back to the emulator. See native.h.
 *
 * A piece is code without a jump into it. It takes the registers that it reads into variables, and
 * writes those back that somebody may read later, in the lanes of its path. Variables of lanes that
 * are off may hold anything.
 * Layer  ptx/emulate. SPDX-License-Identifier: MIT */
#include "ptx/emulate/native.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/ckd.h"
#include "ptx/emulate/native_machine.h"

#define P WL_NATIVE_P
#define I WL_NATIVE_I
#define L WL_NATIVE_L

typedef enum mode { REFUSED, COMPUTED, LOADED, STORED, ADDED, CALLED, ENDS } mode;

typedef struct writer {
    const wl_ptx_program *p;
    wl_buffer *out;
    int32_t count; /* instructions */
    mode *modes;   /* of them */
    size_t words;  /* of a set of registers */
    bool *starts;  /* by instruction, and the end: a piece begins */
    /* by instruction where a piece begins: registers that may be read */
    uint64_t *live;
    uint64_t *reads, *writes, *scratch; /* of one piece */
    int32_t *at;                        /* where a register is kept */
    bool failed;
} writer;

static bool has(const uint64_t *set, int32_t reg) { return set[reg / 64] >> (reg % 64) & 1; }
static void put(uint64_t *set, int32_t reg) { set[reg / 64] |= (uint64_t)1 << (reg % 64); }

/* ---- kinds of steps ---- */

static bool is_memory(const wl_ptx_step *s)
{
    const wl_ptx_op op = s->in->op;
    const wl_ptx_space space = s->in->space;
    const int size = s->bytes * s->elements;
    return (op == WL_PTX_OP_ld || op == WL_PTX_OP_ldu || op == WL_PTX_OP_st) && size > 0 && wl_is_pow2(size) &&
           size <= 16 && wl_ptx_type_bits(s->in->type) <= 64 &&
           (space == WL_PTX_GLOBAL || space == WL_PTX_CONST || space == WL_PTX_SHARED || space == WL_PTX_LOCAL ||
            space == WL_PTX_GENERIC || space == WL_PTX_SPACE_NONE);
}

/* A sum in memory. */
static bool is_sum(const wl_ptx_step *s)
{
    const wl_ptx_instruction *in = s->in;
    const wl_ptx_type t = in->type;
    return (in->op == WL_PTX_OP_atom || in->op == WL_PTX_OP_red) && in->variant == WL_PTX_ADD && s->elements == 1 &&
           (t == WL_PTX_U32 || t == WL_PTX_S32 || t == WL_PTX_U64 || t == WL_PTX_S64 || t == WL_PTX_F32 ||
            t == WL_PTX_F64) &&
           (in->space == WL_PTX_GLOBAL || in->space == WL_PTX_SHARED || in->space == WL_PTX_GENERIC ||
            in->space == WL_PTX_SPACE_NONE);
}

/* What the emulator executes reads no registers but those of its slots. */
static bool can_be_called(const wl_ptx_step *s)
{
    switch (s->in->op) {
    case WL_PTX_OP_ld:
    case WL_PTX_OP_ldu:
    case WL_PTX_OP_st:
    case WL_PTX_OP_red:
    case WL_PTX_OP_tex:
    case WL_PTX_OP_suld:
    case WL_PTX_OP_sust: return s->of.run != wl_ptx_run_counted;
    case WL_PTX_OP_atom: /* of vectors, it writes further registers */
        return s->of.run != wl_ptx_run_counted && s->in->operands[0].kind != WL_PTX_OPERAND_VECTOR;
    default: return false;
    }
}

static bool passes_registers(const wl_ptx_program *p, const wl_ptx_operand *o)
{
    for (int k = 0; o->kind == WL_PTX_OPERAND_VECTOR && k < o->count; k++)
        if (p->function->lists[o->first + k].kind == WL_PTX_OPERAND_REG)
            return true;
    return false;
}

static mode mode_of(const wl_ptx_program *p, const wl_ptx_step *s)
{
    wl_buffer nothing = {0};
    switch (s->kind) {
    case WL_PTX_STEP_BRANCH:
        return s->in->op == WL_PTX_OP_call && (passes_registers(p, &s->in->operands[0]) ||
                                               (s->in->operand_count > 2 && passes_registers(p, &s->in->operands[2])))
                   ? REFUSED
                   : ENDS;
    case WL_PTX_STEP_LEAVE: return ENDS;
    case WL_PTX_STEP_BARRIER: return s->in->modifiers & WL_PTX_MOD_RED ? REFUSED : ENDS;
    case WL_PTX_STEP_WAIT: return REFUSED;
    case WL_PTX_STEP_RUN:
        return !can_be_called(s)           ? REFUSED
               : is_sum(s)                 ? ADDED
               : !is_memory(s)             ? CALLED
               : s->in->op == WL_PTX_OP_st ? STORED
                                           : LOADED;
    default: {
        if (s->in->op == WL_PTX_OP_mapa)
            return REFUSED;
        const bool computed = wl_native_step_text(p, s, &nothing);
        wl_buffer_drop(&nothing);
        return computed ? COMPUTED : CALLED;
    }
    }
}

/* ---- registers of a step ---- */

typedef void (*take)(writer *w, int32_t reg, bool written);

static void registers_of(writer *w, const wl_ptx_step *s, mode how, take call)
{
    const wl_ptx_program *p = w->p;
    const bool unpacks = how == COMPUTED && s->in->operands[0].kind == WL_PTX_OPERAND_VECTOR;
    const bool list_read = how == CALLED || s->guard >= 0 || !(how == LOADED || unpacks);
    const bool list_written = how == CALLED || how == LOADED || unpacks;
    const bool kept = how == CALLED || s->guard >= 0;
    if (s->guard >= 0)
        call(w, s->guard, false);
    for (int k = 0; k < 4; k++)
        if (s->from[k] >= 0)
            call(w, s->from[k], false);
    for (int e = 0; e < s->elements; e++)
        if (list_read)
            call(w, p->lists[s->list + e], false);
    const int32_t written[2] = {s->to, s->other};
    for (int k = 0; k < 2 && how != ENDS; k++) {
        if (kept)
            call(w, written[k], false);
        call(w, written[k], true);
    }
    for (int e = 0; e < s->elements; e++)
        if (list_written)
            call(w, p->lists[s->list + e], true);
}

static void take_register(writer *w, int32_t reg, bool written)
{
    if (reg < 0 || reg >= w->p->function->register_count)
        return;
    w->failed = w->failed || wl_native_class_of(w->p, reg) == WL_NATIVE_NONE;
    if (written)
        put(w->writes, reg);
    else if (!has(w->writes, reg))
        put(w->reads, reg);
}

/* ---- pieces ---- */

static int32_t piece_end(const writer *w, int32_t from)
{
    int32_t at = from + 1;
    while (at < w->count && !w->starts[at])
        at++;
    return at;
}

/* Reads before they are written, and writes, of the piece from an instruction. */
static void scan(writer *w, int32_t from)
{
    memset(w->reads, 0, w->words * sizeof *w->reads);
    memset(w->writes, 0, w->words * sizeof *w->writes);
    for (int32_t i = from; i < piece_end(w, from); i++)
        registers_of(w, &w->p->steps[i], w->modes[i], take_register);
}

/* Registers that may be read behind the piece. */
static void live_after(writer *w, int32_t from, uint64_t *out)
{
    const wl_ptx_flow *flow = &w->p->flow;
    const int32_t end = piece_end(w, from), block = flow->block_of[from];
    memset(out, 0, w->words * sizeof *out);
    if (end < w->count && flow->block_of[end] == block) {
        memcpy(out, w->live + (size_t)end * w->words, w->words * sizeof *out);
        return;
    }
    for (int32_t e = flow->edge_first[block]; e < flow->edge_first[block + 1]; e++)
        for (size_t k = 0; flow->edges[e] < flow->block_count && k < w->words; k++)
            out[k] |= w->live[(size_t)flow->first[flow->edges[e]] * w->words + k];
}

static void find_live(writer *w)
{
    uint64_t *after = w->scratch;
    for (bool changed = true; changed;) {
        changed = false;
        for (int32_t i = w->count - 1; i >= 0; i--) {
            uint64_t *live = w->live + (size_t)i * w->words;
            if (!w->starts[i])
                continue;
            scan(w, i);
            live_after(w, i, after);
            for (size_t k = 0; k < w->words; k++) {
                const uint64_t now = w->reads[k] | (after[k] & ~w->writes[k]);
                changed = changed || now & ~live[k];
                live[k] |= now;
            }
        }
    }
}

/* ---- statements ---- */

static char letter(const wl_ptx_program *p, int32_t reg)
{
    const wl_native_class is = wl_native_class_of(p, reg);
    return is == P ? 'p' : is == I ? 'i' : 'l';
}

static void give_out(writer *w, int32_t reg, bool written)
{
    if (reg < w->p->function->register_count && reg >= 0 && !written)
        wl_buffer_add(w->out, "%c_out(x, %d, r%d);\n", letter(w->p, reg), reg, reg);
}

static void take_in(writer *w, int32_t reg, bool written)
{
    if (reg < w->p->function->register_count && reg >= 0 && written)
        wl_buffer_add(w->out, "r%d = %c_slot(x, %d);\n", reg, letter(w->p, reg), reg);
}

/* The emulator executes the step for the lanes m. */
static void write_call(writer *w, const wl_ptx_step *s)
{
    registers_of(w, s, CALLED, give_out);
    wl_buffer_add(w->out, "if (x->step(x, %d, active, m)) /* %s */\nreturn %d;\n", s->number,
                  wl_ptx_op_info_of(s->in->op)->mnemonic, s->number + 1);
    registers_of(w, s, CALLED, take_in);
}

static void write_lanes(writer *w, const wl_ptx_step *s)
{
    char guard[32];
    wl_native_guard(s, guard);
    wl_buffer_add(w->out, "const P m = active%s%s;\n", guard[0] ? " & " : "", guard);
}

/* Whether addresses of 32 bits suffice. */
static bool is_narrow(const wl_ptx_step *s) { return s->wraps && s->in->space == WL_PTX_SHARED; }

static void write_address(writer *w, const wl_ptx_step *s, int size)
{
    char base[80], sum[120];
    wl_native_operand(w->p, s->from[0], s->wraps ? I : L, base);
    if (s->offset == 0)
        (void)snprintf(sum, sizeof sum, "%s", base);
    else if (s->wraps)
        (void)snprintf(sum, sizeof sum, "i_add(%s, i_set(0x%xu))", base, (unsigned)s->offset);
    else
        (void)snprintf(sum, sizeof sum, "l_add(%s, l_set(0x%llxu))", base, (unsigned long long)s->offset);
    if (is_narrow(s)) {
        wl_buffer_add(w->out, "const span32 s = find32(&x->shared, %s, m, %d);\n", sum, size);
        return;
    }
    wl_buffer_add(w->out, s->wraps ? "const L at = l_from_u(%s);\n" : "const L at = %s;\n", sum);
    if (s->in->space == WL_PTX_LOCAL)
        wl_buffer_add(w->out, "const span s = find_local(x, at, m, %d);\n", size);
    else if (s->in->space == WL_PTX_SHARED)
        wl_buffer_add(w->out, "const span s = find(&x->shared, at, m, %d);\n", size);
    else
        wl_buffer_add(w->out, "const span s = find(&x->pieces[%d], at, m, %d);\n", s->number, size);
}

static void write_memory(writer *w, const wl_ptx_step *s, bool loads)
{
    const bool is_signed = wl_ptx_type_is_signed(s->in->type) && s->bytes < 8;
    const char *narrow = is_narrow(s) ? "32" : "";
    wl_buffer_text(w->out, "{\n");
    write_lanes(w, s);
    wl_buffer_text(w->out, s->guard >= 0 ? "if (m) {\n" : "{\n");
    write_address(w, s, s->bytes * s->elements);
    wl_buffer_text(w->out, "if (s.is.how) {\n");
    for (int e = 0; e < s->elements; e++) {
        const int32_t slot = w->p->lists[s->list + e];
        char value[160], operand[80];
        if (loads) {
            const bool widens = is_signed && wl_native_class_of(w->p, slot) == L;
            (void)snprintf(value, sizeof value, "%sload%s_%c%d(s, m, %d, %d)%s", widens ? "l_from_s(" : "", narrow,
                           is_signed && s->bytes < 4 ? 's' : 'u', 8 * s->bytes, e, s->elements, widens ? ")" : "");
            wl_native_assign(w->p, s, slot, s->bytes == 8 || widens ? L : I, value, w->out);
        } else {
            wl_native_operand(w->p, slot, s->bytes == 8 ? L : I, operand);
            wl_buffer_add(w->out, "store%s_u%d(s, m, %d, %d, %s);\n", narrow, 8 * s->bytes, e, s->elements, operand);
        }
    }
    wl_buffer_text(w->out, "} else {\n");
    write_call(w, s);
    wl_buffer_text(w->out, "}\n}\n}\n");
}

static void write_sum(writer *w, const wl_ptx_step *s)
{
    const wl_ptx_type t = s->in->type;
    char value[200], operand[80];
    wl_buffer_text(w->out, "{\n");
    write_lanes(w, s);
    wl_buffer_text(w->out, s->guard >= 0 ? "if (m) {\n" : "{\n");
    write_address(w, s, s->bytes);
    wl_buffer_text(w->out, "if (s.is.how) {\n");
    wl_native_operand(w->p, w->p->lists[s->list], s->bytes == 8 ? L : I, operand);
    (void)snprintf(value, sizeof value, "add_%c%d(%s, m, %s, %s)", wl_ptx_type_is_float(t) ? 'f' : 'u', 8 * s->bytes,
                   is_narrow(s) ? "wide(s)" : "s", operand, s->in->space == WL_PTX_SHARED ? "1" : "x->alone");
    if (s->in->op == WL_PTX_OP_atom && wl_native_class_of(w->p, s->to) != WL_NATIVE_NONE)
        wl_native_assign(w->p, s, s->to, s->bytes == 8 ? L : I, value, w->out);
    else
        wl_buffer_add(w->out, "(void)%s;\n", value);
    wl_buffer_text(w->out, "} else {\n");
    write_call(w, s);
    wl_buffer_text(w->out, "}\n}\n}\n");
}

static void write_jump(writer *w, int32_t to)
{
    const wl_ptx_flow *flow = &w->p->flow;
    wl_buffer_add(w->out, "if (%d <= x->until_place)\ngoto L%d;\n", flow->place[flow->block_of[to]], to);
}

/* A branch, barrier or exit: registers are written back. */
static void write_end(writer *w, const wl_ptx_step *s)
{
    wl_buffer_text(w->out, "{\n");
    write_lanes(w, s);
    if (s->kind == WL_PTX_STEP_BRANCH && s->in->op == WL_PTX_OP_bra && !s->spins && !s->of.waits) {
        wl_buffer_text(w->out, "if (m == active) {\n");
        write_jump(w, s->target);
        if (s->guard >= 0) {
            wl_buffer_text(w->out, "} else if (!m) {\n");
            write_jump(w, s->number + 1);
        }
        wl_buffer_text(w->out, "}\n");
    }
    if (s->kind == WL_PTX_STEP_LEAVE && s->guard >= 0)
        wl_buffer_add(w->out, "if (!m)\ngoto L%d;\n", s->number + 1);
    for (int k = 0; k < 3; k++)
        if (s->from[k] >= 0 && s->from[k] < w->p->function->register_count)
            give_out(w, s->from[k], false);
    wl_buffer_add(w->out, "if (x->step(x, %d, active, m))\nreturn %d;\n", s->number, s->number + 1);
    wl_buffer_text(w->out, "}\n");
}

static void write_back(writer *w, int32_t from)
{
    const wl_ptx_program *p = w->p;
    bool any = false;
    live_after(w, from, w->scratch);
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t r = 0; r < p->function->register_count; r++) {
            const char c = letter(p, r);
            if (!has(w->writes, r) || !has(w->scratch, r) || c == 'p')
                continue;
            if (!any)
                wl_buffer_text(w->out, pass == 0 ? "if (whole) {\n" : "} else {\n");
            any = true;
            wl_buffer_add(w->out, pass == 0 ? "%c_put(R + %d, r%d);\n" : "%c_mput(R + %d, r%d, mine);\n", c, w->at[r],
                          r);
        }
        if (pass == 0 && any)
            any = false;
        else if (any)
            wl_buffer_text(w->out, "}\n");
    }
    for (int32_t r = 0; r < p->function->register_count; r++)
        if (has(w->writes, r) && has(w->scratch, r) && letter(p, r) == 'p')
            wl_buffer_add(w->out, "p_put(R + %d, r%d, mine);\n", w->at[r], r);
}

static void write_step(writer *w, const wl_ptx_step *s)
{
    switch (w->modes[s->number]) {
    case COMPUTED: (void)wl_native_step_text(w->p, s, w->out); break;
    case LOADED: write_memory(w, s, true); break;
    case STORED: write_memory(w, s, false); break;
    case ADDED: write_sum(w, s); break;
    case CALLED:
        wl_buffer_text(w->out, "{\n");
        write_lanes(w, s);
        wl_buffer_text(w->out, "if (m) {\n");
        write_call(w, s);
        wl_buffer_text(w->out, "}\n}\n");
        break;
    case ENDS: write_end(w, s); break;
    case REFUSED: w->failed = true; break;
    }
}

static void write_piece(writer *w, int32_t from)
{
    const wl_ptx_program *p = w->p;
    const int32_t end = piece_end(w, from);
    wl_buffer_add(w->out, "L%d:\nif (x->until == %d)\n{ x->ends = 1; return %d; }\n{\nx->count += %d;\n", from, from,
                  from, end - from);
    scan(w, from);
    for (int32_t r = 0; r < p->function->register_count; r++) {
        const char c = letter(p, r);
        if (has(w->reads, r))
            wl_buffer_add(w->out, "%c r%d = %c_get(R + %d);\n", c - 'a' + 'A', r, c, w->at[r]);
        else if (has(w->writes, r))
            wl_buffer_add(w->out, "%c r%d;\n", c - 'a' + 'A', r);
    }
    const bool ends = w->modes[end - 1] == ENDS;
    for (int32_t i = from; i < end - ends; i++)
        write_step(w, &p->steps[i]);
    write_back(w, from);
    if (ends)
        write_step(w, &p->steps[end - 1]);
    wl_buffer_text(w->out, "}\n");
}

/* ---- the function ---- */

/* Bytes of all registers; the large ones come first. */
static int32_t lay_out(const wl_ptx_program *p, int32_t *at)
{
    static const int sizes[] = {[WL_NATIVE_P] = 4, [WL_NATIVE_I] = 128, [WL_NATIVE_L] = 256};
    int32_t bytes = 0;
    for (int is = WL_NATIVE_L; is >= WL_NATIVE_P; is--)
        for (int32_t r = 0; r < p->function->register_count; r++)
            if ((int)wl_native_class_of(p, r) == is) {
                if (at)
                    at[r] = bytes;
                bytes += sizes[is];
            }
    return bytes;
}

int32_t wl_native_bytes(const wl_ptx_program *p) { return lay_out(p, NULL); }

static void find_starts(writer *w)
{
    const wl_ptx_flow *flow = &w->p->flow;
    for (int32_t b = 0; b < flow->block_count; b++)
        w->starts[flow->first[b]] = true;
    for (int32_t i = 0; i < w->count; i++)
        if (w->modes[i] == ENDS)
            w->starts[i + 1] = true;
}

static void write_function(writer *w)
{
    wl_buffer_add(w->out,
                  "\nint32_t wl_native_%d(wl_native *x, int32_t at, P active)\n{\n"
                  "uint8_t *restrict const R = x->registers;\n"
                  "const P mine = active | x->dead;\nconst int whole = mine == ALL;\n(void)whole, (void)R;\n"
                  "switch (at) {\n",
                  w->p->number);
    for (int32_t i = 0; i <= w->count; i++)
        if (w->starts[i] || i == w->count)
            wl_buffer_add(w->out, "case %d: goto L%d;\n", i, i);
    wl_buffer_text(w->out, "}\nreturn -1;\n");
    for (int32_t i = 0; i < w->count; i++)
        if (w->starts[i])
            write_piece(w, i);
    wl_buffer_add(w->out, "L%d:\nx->ends = 1;\nreturn %d;\n}\n", w->count, w->count);
}

bool wl_native_program_text(const wl_ptx_program *p, wl_buffer *out)
{
    writer w = {.p = p, .out = out, .count = p->function->instruction_count};
    const size_t registers = (size_t)p->function->register_count;
    w.words = registers / 64 + 1;
    w.modes = calloc((size_t)w.count + 1, sizeof *w.modes);
    w.starts = calloc((size_t)w.count + 1, sizeof *w.starts);
    w.live = calloc(((size_t)w.count + 1) * w.words, sizeof *w.live);
    w.reads = calloc(3 * w.words, sizeof *w.reads);
    w.at = calloc(registers + 1, sizeof *w.at);
    const bool room = w.modes && w.starts && w.live && w.reads && w.at;
    for (int32_t i = 0; room && i < w.count && !w.failed; i++) {
        w.modes[i] = mode_of(p, &p->steps[i]);
        w.failed = w.modes[i] == REFUSED;
    }
    if (room && !w.failed) {
        w.writes = w.reads + w.words;
        w.scratch = w.writes + w.words;
        (void)lay_out(p, w.at);
        find_starts(&w);
        find_live(&w);
        write_function(&w);
    }
    free(w.modes);
    free(w.starts);
    free(w.live);
    free(w.reads);
    free(w.at);
    return room && !w.failed && !out->failed;
}

/* shared_vectors.c - see shared_vectors.h. SPDX-License-Identifier: MIT */
#include "ptx/module/shared_vectors.h"

#include <stdlib.h>
#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "ptx/module/alignment.h"

enum {
    SLOT_SHIFT = 4, /* of the widest access, in bytes */
    SLOT_BYTES = 1 << SLOT_SHIFT,
    WORD_BYTES = 4,
    PLACES = SLOT_BYTES / 2, /* of the narrowest accesses */
    ELEMENTS = 4             /* of a vector, at most */
};

/* A narrow access. Those of one group may be joined. */
typedef struct access {
    int32_t group, index; /* index: its instruction */
    int32_t base;         /* a register, or -2 - variable */
    int32_t version;      /* of the base: its last definition before the group */
    int64_t offset;
} access;

typedef struct joiner {
    wl_ptx_function *function;
    wl_arena *arena;
    wl_ptx_def_use def_use;
    const uint8_t *exponent, *of_variable; /* see alignment.h */
    int32_t *version;                      /* by register: its last definition so far; 0: none */
    access *list;
    int32_t count;
    wl_ptx_register *registers; /* with those added */
    wl_ptx_operand *lists;
    int32_t register_count, list_count;
} joiner;

/* ---- which accesses ---- */

static bool is_narrow(const wl_ptx_instruction *in)
{
    const int bits = wl_ptx_type_bits(in->type), at = in->op == WL_PTX_OP_ld ? 1 : 0;
    return (in->op == WL_PTX_OP_ld || in->op == WL_PTX_OP_st) && in->space == WL_PTX_SHARED && in->vector == 1 &&
           (bits == 16 || bits == 32 || bits == 64) && in->guard < 0 && !in->partial &&
           !(in->modifiers & WL_PTX_MOD_VOLATILE) && in->operand_count == 2 &&
           in->operands[at].kind == WL_PTX_OPERAND_ADDRESS && in->operands[at].count == 0;
}

static const wl_ptx_operand *address_of(const wl_ptx_instruction *in)
{
    return &in->operands[in->op == WL_PTX_OP_ld ? 1 : 0];
}

static const wl_ptx_operand *value_of(const wl_ptx_instruction *in)
{
    return &in->operands[in->op == WL_PTX_OP_ld ? 0 : 1];
}

/* A register that holds more than the value is extended: that stays an access of its own. */
static bool can_join(const wl_ptx_function *f, const wl_ptx_instruction *in)
{
    const wl_ptx_operand *o = value_of(in);
    if (address_of(in)->value % (wl_ptx_type_bits(in->type) / 8) != 0)
        return false;
    if (in->op == WL_PTX_OP_st && o->kind == WL_PTX_OPERAND_IMMEDIATE)
        return true;
    return o->kind == WL_PTX_OPERAND_REG && o->reg >= 0 && wl_ptx_second_of(o) < 0 &&
           wl_ptx_type_bits(f->registers[o->reg].type) == wl_ptx_type_bits(in->type);
}

/* Does nothing in shared memory depend on whether an access comes before or after it? */
static bool lets_pass(const wl_ptx_instruction *in)
{
    switch (in->op) {
    case WL_PTX_OP_ld:
    case WL_PTX_OP_st:
        return in->space != WL_PTX_SHARED && in->space != WL_PTX_GENERIC && !(in->modifiers & WL_PTX_MOD_VOLATILE);
    case WL_PTX_OP_ldu: return true;
    default: break;
    }
    switch (wl_ptx_class_of(in)) {
    case WL_INST_int:
    case WL_INST_fp32:
    case WL_INST_fp64:
    case WL_INST_fp16:
    case WL_INST_move:
    case WL_INST_special: return !wl_ptx_is_barrier(in);
    default: return false;
    }
}

static void note_definition(void *user, int32_t reg, bool written)
{
    joiner *j = user;
    if (written)
        j->version[reg] = j->count + 1;
}

static int32_t base_of(const wl_ptx_operand *at)
{
    return at->reg >= 0 ? at->reg : at->variable >= 0 ? -2 - at->variable : -1;
}

/* Loads pass each other; stores only others to the same base, whose distance is known. */
static bool continues(const joiner *j, const access *one, bool load, bool was_load)
{
    if (load != was_load || j->count == 0)
        return false;
    const access *last = &j->list[j->count - 1];
    return load || (last->base == one->base && last->version == one->version);
}

static void gather(joiner *j)
{
    int32_t group = 0;
    bool load = false, open = false;
    for (int32_t i = 0; i < j->function->instruction_count; i++) {
        const wl_ptx_instruction *in = &j->function->instructions[i];
        open = open && !j->def_use.target[i];
        if (is_narrow(in) && can_join(j->function, in)) {
            const wl_ptx_operand *at = address_of(in);
            access one = {.index = i, .base = base_of(at), .offset = at->value};
            one.version = at->reg >= 0 ? j->version[at->reg] : 0;
            open = open && continues(j, &one, in->op == WL_PTX_OP_ld, load);
            load = in->op == WL_PTX_OP_ld;
            group += !open;
            open = true;
            one.group = group;
            j->list[j->count++] = one;
        } else {
            open = open && lets_pass(in);
        }
        wl_ptx_registers_of(j->function, in, note_definition, j);
    }
}

static int64_t slot_of(const access *a) { return (a->offset - (a->offset & (SLOT_BYTES - 1))) >> SLOT_SHIFT; }

static int by_slot(const void *p, const void *q)
{
    const access *a = p, *b = q;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    if (a->base != b->base)
        return a->base < b->base ? -1 : 1;
    if (a->version != b->version)
        return a->version < b->version ? -1 : 1;
    if (slot_of(a) != slot_of(b))
        return slot_of(a) < slot_of(b) ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

static bool is_same_slot(const access *a, const access *b)
{
    return a->group == b->group && a->base == b->base && a->version == b->version && slot_of(a) == slot_of(b);
}

/* ---- joining ---- */

static int32_t new_register(joiner *j, wl_ptx_type type)
{
    j->registers[j->register_count] = (wl_ptx_register){.name = "%joined", .type = type};
    return j->register_count++;
}

static wl_ptx_operand register_operand(int32_t reg)
{
    return (wl_ptx_operand){.kind = WL_PTX_OPERAND_REG, .reg = reg, .other = -1, .first = -1};
}

/* to = from, in place of an access */
static void make_copy(wl_ptx_instruction *in, wl_ptx_operand to, wl_ptx_operand from)
{
    in->op = WL_PTX_OP_mov;
    in->space = WL_PTX_SPACE_NONE;
    in->modifiers = 0;
    in->operands[0] = to;
    in->operands[1] = from;
}

/* words: the accesses of `count` neighbouring elements; NULL: none, which only a load may have. */
static void join(joiner *j, access *const words[], int count)
{
    const access *first = NULL, *last = NULL;
    for (int k = 0; k < count; k++) {
        if (!words[k])
            continue;
        first = !first || words[k]->index < first->index ? words[k] : first;
        last = !last || words[k]->index > last->index ? words[k] : last;
    }
    WL_ASSERT(first && last);
    wl_ptx_instruction *all = j->function->instructions;
    const bool load = all[first->index].op == WL_PTX_OP_ld;
    wl_ptx_instruction *wide = &all[load ? first->index : last->index];
    const wl_ptx_type type = wide->type;
    wl_ptx_operand vector = {.kind = WL_PTX_OPERAND_VECTOR, .count = (uint16_t)count, .reg = -1, .other = -1};
    vector.first = j->list_count;
    for (int k = 0; k < count; k++) {
        wide->joined = (uint8_t)(wide->joined + (words[k] != NULL));
        wl_ptx_instruction *in = words[k] ? &all[words[k]->index] : NULL;
        if (in == wide) {
            j->lists[j->list_count++] = *value_of(in);
            continue;
        }
        const wl_ptx_operand copy = register_operand(new_register(j, type));
        j->lists[j->list_count++] = copy;
        if (in && load)
            make_copy(in, *value_of(in), copy);
        else if (in)
            make_copy(in, copy, *value_of(in));
    }
    const int at = load ? 1 : 0;
    const int64_t bytes = (int64_t)count * wl_ptx_type_bits(type) / 8;
    wide->vector = (uint8_t)count;
    wide->operands[at].value -= wide->operands[at].value & (bytes - 1);
    wide->operands[1 - at] = vector;
}

static bool are_there(access *const words[], int count)
{
    while (count > 0 && words[count - 1])
        count--;
    return count == 0;
}

/* Those of one slot; at most one access for each place is joined. */
static void join_slot(joiner *j, access *list, int32_t count)
{
    access *words[PLACES] = {NULL};
    const wl_ptx_instruction *all = j->function->instructions;
    const wl_ptx_type type = all[list->index].type;
    const bool load = all[list->index].op == WL_PTX_OP_ld;
    const int bytes = wl_ptx_type_bits(type) / 8, places = SLOT_BYTES / bytes;
    const uint8_t exponent = list->base >= 0   ? j->exponent[list->base]
                             : list->base < -1 ? j->of_variable[-2 - list->base]
                                               : WL_PTX_ALIGNMENT_MAX;
    int found = 0;
    for (int32_t i = 0; i < count; i++) {
        const int64_t place = (list[i].offset & (SLOT_BYTES - 1)) / bytes;
        if (all[list[i].index].type != type || (words[place] && load))
            continue;
        if (words[place]) /* stored twice: in which order matters */
            return;
        words[place] = &list[i];
        found++;
    }
    const int least = load ? places - places / 4 : places;
    if (places <= ELEMENTS && exponent >= SLOT_SHIFT && found >= least && found > 1) {
        join(j, words, places);
        return;
    }
    /* eight aligned bytes, or four */
    for (int n = bytes < WORD_BYTES ? ELEMENTS : 2; n > 1; n /= 2)
        for (int k = 0; k < places && bytes <= WORD_BYTES && (1 << exponent) >= n * bytes; k += n)
            if (are_there(&words[k], n)) {
                join(j, &words[k], n);
                memset(&words[k], 0, (size_t)n * sizeof *words);
            }
}

static wl_status join_all(joiner *j, wl_error *err)
{
    wl_ptx_function *f = j->function;
    /* each joined access adds a register and an element at most, and a gap one of each */
    const int64_t more = 2 * (int64_t)j->count;
    j->registers = WL_ARENA_NEW(j->arena, wl_ptx_register, f->register_count + more + 1);
    j->lists = WL_ARENA_NEW(j->arena, wl_ptx_operand, f->list_count + more + 1);
    if (!j->registers || !j->lists)
        return wl_fail_memory(err);
    if (f->register_count > 0)
        memcpy(j->registers, f->registers, (size_t)f->register_count * sizeof *f->registers);
    if (f->list_count > 0)
        memcpy(j->lists, f->lists, (size_t)f->list_count * sizeof *f->lists);
    j->register_count = f->register_count;
    j->list_count = f->list_count;
    for (int32_t i = 0, end; i < j->count; i = end) {
        for (end = i + 1; end < j->count && is_same_slot(&j->list[i], &j->list[end]);)
            end++;
        if (end > i + 1)
            join_slot(j, &j->list[i], end - i);
    }
    f->registers = j->registers;
    f->register_count = j->register_count;
    f->lists = j->lists;
    f->list_count = j->list_count;
    return WL_OK;
}

/* ---- where variables are ---- */

static void note_variable(const wl_ptx_operand *o, bool *used)
{
    if ((o->kind == WL_PTX_OPERAND_ADDRESS || o->kind == WL_PTX_OPERAND_VARIABLE) && o->variable >= 0)
        used[o->variable] = true;
}

/* Shared variables that the function names follow each other in memory, unless one that it calls
 * has others. Dynamic memory is aligned for the widest access. */
static wl_status place_variables(const wl_ptx_module *module, const wl_ptx_function *f, wl_arena *arena,
                                 uint8_t **exponent, wl_error *err)
{
    bool *used = WL_ARENA_NEW(arena, bool, module->variable_count + 1), calls = false;
    *exponent = WL_ARENA_NEW(arena, uint8_t, module->variable_count + 1);
    if (!used || !*exponent)
        return wl_fail_memory(err);
    for (int32_t i = 0; i < f->instruction_count; i++) {
        calls = calls || f->instructions[i].op == WL_PTX_OP_call;
        for (int k = 0; k < f->instructions[i].operand_count; k++)
            note_variable(&f->instructions[i].operands[k], used);
    }
    for (int32_t k = 0; k < f->list_count; k++)
        note_variable(&f->lists[k], used);
    int64_t end = 0;
    for (int32_t v = 0; v < module->variable_count; v++) {
        const wl_ptx_variable *variable = &module->variables[v];
        if (variable->space != WL_PTX_SHARED || !used[v])
            continue;
        const int64_t align = variable->align > 0 ? variable->align : 1;
        end = wl_round_up(end, align);
        const int64_t at = variable->bytes == 0 ? SLOT_BYTES : calls || !f->is_entry ? align : end;
        while ((*exponent)[v] < WL_PTX_ALIGNMENT_MAX && !(at >> (*exponent)[v] & 1))
            (*exponent)[v]++;
        end += variable->bytes;
    }
    return WL_OK;
}

/* ---- all ---- */

static wl_status join_function(joiner *j, const wl_ptx_module *module, wl_arena *scratch, wl_error *err)
{
    const wl_ptx_function *f = j->function;
    uint8_t *of_variable, *exponent;
    j->list = WL_ARENA_NEW(scratch, access, f->instruction_count + 1);
    j->version = WL_ARENA_NEW(scratch, int32_t, f->register_count + 1);
    if (!j->list || !j->version)
        return wl_fail_memory(err);
    WL_TRY(place_variables(module, f, scratch, &of_variable, err));
    WL_TRY(wl_ptx_alignments_find(f, of_variable, scratch, &exponent, err));
    WL_TRY(wl_ptx_def_use_make(f, scratch, &j->def_use, err));
    j->of_variable = of_variable;
    j->exponent = exponent;
    gather(j);
    qsort(j->list, (size_t)j->count, sizeof *j->list, by_slot);
    return join_all(j, err);
}

static wl_status join_shared(const wl_ptx_module *module, wl_ptx_function *function, wl_arena *arena, wl_error *err)
{
    int32_t narrow = 0;
    for (int32_t i = 0; i < function->instruction_count; i++)
        narrow += is_narrow(&function->instructions[i]);
    if (narrow < 2)
        return WL_OK;
    joiner j = {.function = function, .arena = arena};
    wl_arena scratch = {0};
    const wl_status status = join_function(&j, module, &scratch, err);
    wl_arena_free(&scratch);
    return status;
}

wl_status wl_ptx_join_shared(wl_ptx_module *module, wl_error *err)
{
    for (int32_t f = 0; f < module->function_count; f++)
        WL_TRY(join_shared(module, &module->functions[f], &module->arena, err));
    return WL_OK;
}

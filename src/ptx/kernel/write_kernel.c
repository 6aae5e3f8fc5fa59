/* write_kernel.c - see write_kernel.h.
 * Layer  ptx/kernel. SPDX-License-Identifier: MIT */
#include "ptx/kernel/write_kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/buffer.h"
#include "base/ckd.h"
#include "base/fail.h"

#define FIELDS_MAX 72 /* parameters, module variables, shared memory */

/* Words of kernel files, and the loops below. */
static bool is_reserved(const char *name)
{
    static const char *const words[] = {"x",         "y",        "z",        "i",       "j",
                                        "k",         "min",      "max",      "random",  "select",
                                        "threadIdx", "blockIdx", "blockDim", "gridDim", "if"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(words[i], name) == 0)
            return true;
    return false;
}

static bool is_taken(const wl_ptx_fields *fields, const char *name)
{
    for (size_t i = 0; i < fields->count; i++)
        if (strcmp(fields->list[i].name, name) == 0)
            return true;
    return false;
}

/* The buffer's name as a kernel file allows it, numbered where it would clash. */
static void name_field(const wl_ptx_fields *fields, const wl_ptx_buffer *buffer, bool constant, char *name, size_t size)
{
    char plain[32], free_name[48];
    snprintf(plain, sizeof plain, "%s", buffer ? buffer->name : constant ? "parameters" : "shared");
    for (char *c = plain; *c; c++)
        if (!wl_is_letter(*c) && !wl_is_digit(*c))
            *c = '_';
    snprintf(free_name, sizeof free_name, "%s%s", is_reserved(plain) ? "arg_" : "", plain);
    snprintf(name, size, "%s", free_name);
    for (size_t n = fields->count; is_taken(fields, name); n++)
        snprintf(name, size, "%.30s_%zu", free_name, n);
}

size_t wl_ptx_field_of(wl_ptx_fields *fields, const wl_ptx_buffer *buffer, const wl_ptx_instruction *in)
{
    /* cp.async names no type; ldmatrix and stmatrix move rows as words */
    const bool rows = in->op == WL_PTX_OP_ldmatrix || in->op == WL_PTX_OP_stmatrix;
    const wl_ptx_type type = rows ? WL_PTX_NONE : buffer && buffer->texture ? buffer->texture->type : in->type;
    const int unit = type == WL_PTX_NONE ? 4 : (int)wl_min(8, wl_max(1, wl_ptx_type_bits(type) / 8));
    const bool constant = in->space == WL_PTX_CONST || in->space == WL_PTX_PARAM;
    size_t i = 0;
    while (i < fields->count && (fields->list[i].buffer != buffer || fields->list[i].constant != constant))
        i++;
    wl_ptx_field *f = &fields->list[i];
    if (i == fields->count) {
        *f = (wl_ptx_field){
            .buffer = buffer, .constant = constant, .unit = unit, .is_float = wl_ptx_type_is_float(type)};
        name_field(fields, buffer, constant, f->name, sizeof f->name);
        fields->count++;
    }
    if (unit < f->unit)
        f->is_float = wl_ptx_type_is_float(type);
    else if (unit == f->unit)
        f->is_float = f->is_float || wl_ptx_type_is_float(type);
    f->unit = (int)wl_min(f->unit, unit);
    return i;
}

/* ---- expressions ---- */

static const char *const loop_names[WL_LOOPS_MAX] = {"i", "j", "k"};

typedef struct writer {
    wl_buffer *out;
    const wl_ptx_access *access;
    int place; /* constants written so far */
} writer;

static void write_symbol(writer *w, const wl_symbol *symbol, int64_t divisor);

static const char *var_name(wl_var var)
{
    static const char *const names[WL_VAR_COUNT] = {
        [WL_VAR_X] = "x",
        [WL_VAR_Y] = "y",
        [WL_VAR_Z] = "z",
        [WL_VAR_THREAD_X] = "threadIdx.x",
        [WL_VAR_THREAD_Y] = "threadIdx.y",
        [WL_VAR_THREAD_Z] = "threadIdx.z",
        [WL_VAR_BLOCK_X] = "blockIdx.x",
        [WL_VAR_BLOCK_Y] = "blockIdx.y",
        [WL_VAR_BLOCK_Z] = "blockIdx.z",
        [WL_VAR_BLOCKDIM_X] = "blockDim.x",
        [WL_VAR_BLOCKDIM_Y] = "blockDim.y",
        [WL_VAR_BLOCKDIM_Z] = "blockDim.z",
        [WL_VAR_GRIDDIM_X] = "gridDim.x",
        [WL_VAR_GRIDDIM_Y] = "gridDim.y",
        [WL_VAR_GRIDDIM_Z] = "gridDim.z",
    };
    return names[var];
}

static void write_call(writer *w, const char *name, const wl_symbol *a, const wl_symbol *b, const wl_symbol *c)
{
    wl_buffer_add(w->out, "%s(", name);
    write_symbol(w, a, 1);
    wl_buffer_add(w->out, ", ");
    write_symbol(w, b, 1);
    if (c) {
        wl_buffer_add(w->out, ", ");
        write_symbol(w, c, 1);
    }
    wl_buffer_add(w->out, ")");
}

/* A single name or number needs no parentheses. */
static bool is_single(const writer *w, const wl_symbol *a)
{
    for (int i = 0; i < w->access->loop_count; i++)
        if (w->access->growth[i][w->place] != 0)
            return false;
    return a->count == 0 ? a->c >= 0 : wl_sym_is_atom(a);
}

static void write_operand(writer *w, const wl_symbol *a)
{
    const bool single = is_single(w, a);
    wl_buffer_add(w->out, "%s", single ? "" : "(");
    write_symbol(w, a, 1);
    wl_buffer_add(w->out, "%s", single ? "" : ")");
}

static void write_infix(writer *w, const char *op, const wl_symbol *a, const wl_symbol *b)
{
    wl_buffer_add(w->out, "(");
    write_operand(w, a);
    wl_buffer_add(w->out, "%s", op);
    if (b)
        write_operand(w, b);
    else
        wl_buffer_add(w->out, "0");
    wl_buffer_add(w->out, ")");
}

static void write_atom(writer *w, const wl_atom *atom);

/* a >= 0; c - x >= 0 reads better as x <= c. */
static void write_comparison(writer *w, const wl_symbol *a)
{
    bool plain = a->count == 1 && (a->terms[0].k == 1 || a->terms[0].k == -1);
    for (int i = 0; i < w->access->loop_count; i++)
        plain = plain && w->access->growth[i][w->place] == 0;
    if (!plain) {
        write_infix(w, " >= ", a, NULL);
        return;
    }
    const bool below = a->terms[0].k < 0;
    w->place++;
    wl_buffer_add(w->out, "(");
    write_atom(w, a->terms[0].atom);
    wl_buffer_add(w->out, below ? " <= %lld)" : " >= %lld)", (long long)(below ? a->c : -a->c));
}

/* a && b && c of any length. */
static void write_chain(writer *w, const char *op, const wl_atom *atom)
{
    const bool longer = is_single(w, atom->a) && atom->a->count == 1 && atom->a->terms[0].atom->op == atom->op;
    if (longer) {
        w->place++;
        write_chain(w, op, atom->a->terms[0].atom);
    } else {
        write_operand(w, atom->a);
    }
    wl_buffer_add(w->out, "%s", op);
    write_operand(w, atom->b);
}

static void write_conditions(writer *w, const char *op, const wl_atom *atom)
{
    wl_buffer_add(w->out, "(");
    write_chain(w, op, atom);
    wl_buffer_add(w->out, ")");
}

static void write_atom(writer *w, const wl_atom *atom)
{
    switch (atom->op) {
    case WL_ATOM_VAR: wl_buffer_add(w->out, "%s", var_name(atom->var)); break;
    case WL_ATOM_PRODUCT: write_infix(w, "*", atom->a, atom->b); break;
    case WL_ATOM_DIV: write_infix(w, "/", atom->a, atom->b); break;
    case WL_ATOM_MOD: write_infix(w, "%", atom->a, atom->b); break;
    case WL_ATOM_SCALED: break; /* does not occur: such accesses are traced */
    case WL_ATOM_MIN: write_call(w, "min", atom->a, atom->b, NULL); break;
    case WL_ATOM_MAX: write_call(w, "max", atom->a, atom->b, NULL); break;
    case WL_ATOM_AND: write_infix(w, " & ", atom->a, atom->b); break;
    case WL_ATOM_OR: write_infix(w, " | ", atom->a, atom->b); break;
    case WL_ATOM_XOR: write_infix(w, " ^ ", atom->a, atom->b); break;
    case WL_ATOM_GE0: write_comparison(w, atom->a); break;
    case WL_ATOM_EQ0: write_infix(w, " == ", atom->a, NULL); break;
    case WL_ATOM_BOTH: write_conditions(w, " && ", atom); break;
    case WL_ATOM_EITHER: write_conditions(w, " || ", atom); break;
    case WL_ATOM_SELECT: write_call(w, "select", atom->c, atom->a, atom->b); break;
    }
}

/* Adds k * name to a sum. */
static void write_factor(writer *w, int64_t k, bool *first)
{
    const char *sign = k < 0 ? (*first ? "-" : " - ") : *first ? "" : " + ";
    const uint64_t size = k < 0 ? 0 - (uint64_t)k : (uint64_t)k;
    if (size == 1)
        wl_buffer_add(w->out, "%s", sign);
    else
        wl_buffer_add(w->out, "%s%llu*", sign, (unsigned long long)size);
    *first = false;
}

static void write_symbol(writer *w, const wl_symbol *symbol, int64_t divisor)
{
    int order[64];
    const int place = w->place++;
    bool first = true;
    wl_ptx_term_order(symbol, order);
    for (int i = 0; i < symbol->count; i++) {
        write_factor(w, symbol->terms[order[i]].k / divisor, &first);
        write_atom(w, symbol->terms[order[i]].atom);
    }
    for (int i = 0; i < w->access->loop_count; i++) {
        const int64_t growth = w->access->growth[i][place] / divisor;
        if (growth == 0)
            continue;
        write_factor(w, growth, &first);
        wl_buffer_add(w->out, "%s", loop_names[w->access->loops[i]]);
    }
    const int64_t c = symbol->c / divisor;
    if (c != 0 || first)
        wl_buffer_add(w->out, first ? "%lld" : c < 0 ? " - %lld" : " + %lld", (long long)(first || c > 0 ? c : -c));
}

/* Whether the unit divides every term of the address; the index is then written in elements. */
static bool divides(const wl_ptx_access *a, const wl_symbol *address, int64_t unit)
{
    bool all = address->c % unit == 0;
    for (int i = 0; i < address->count; i++)
        all = all && address->terms[i].k % unit == 0;
    for (int i = 0; i < a->loop_count; i++)
        all = all && a->growth[i][0] % unit == 0;
    return all;
}

static wl_status write_access(wl_buffer *out, wl_symbols *s, const wl_ptx_access *a, const wl_ptx_field *field,
                              wl_error *err)
{
    writer w = {out, a, 0};
    const wl_symbol *address =
        a->buffer ? wl_sym_sub(s, a->step->address, wl_sym_const(s, (int64_t)a->buffer->base)) : a->step->address;
    if (!address)
        return wl_fail_memory(err);
    const bool whole = divides(a, address, field->unit);
    wl_buffer_add(out, "  - \"%s[%s", field->name, whole ? "" : "(");
    write_symbol(&w, address, whole ? field->unit : 1);
    /* an invariant address is still executed in every iteration */
    for (int i = 0; i < a->loop_count; i++) {
        bool grows = false;
        for (int p = 0; p < a->place_count; p++)
            grows = grows || a->growth[i][p] != 0;
        if (!grows)
            wl_buffer_add(out, " + 0*%s", loop_names[a->loops[i]]);
    }
    if (!whole)
        wl_buffer_add(out, ")/%d", field->unit);
    if (a->bytes > field->unit)
        wl_buffer_add(out, " : %d", a->bytes / field->unit);
    wl_buffer_add(out, "]%s%s", a->bypasses_l1 ? " from l2" : "", a->to_shared ? " to shared" : "");
    if (a->one_lane)
        wl_buffer_add(out, " if (threadIdx.x + blockDim.x*(threadIdx.y + blockDim.y*threadIdx.z)) %% 32 == 0");
    if (a->step->when) {
        wl_buffer_add(out, a->one_lane ? " && " : " if ");
        write_symbol(&w, a->step->when, 1);
    }
    wl_buffer_add(out, "\"\n");
    return WL_OK;
}

/* ---- the file ---- */

static void write_fields(wl_buffer *out, const wl_ptx_fields *fields)
{
    wl_buffer_add(out, fields->count ? "fields:\n" : "fields: {}\n");
    for (size_t i = 0; i < fields->count; i++) {
        const wl_ptx_field *f = &fields->list[i];
        wl_buffer_add(out, "  %s: {type: %c%d%s%s}\n", f->name, f->is_float ? 'f' : 'i', 8 * f->unit,
                      f->buffer || f->constant ? "" : ", memory: shared",
                      f->buffer && f->random ? ", random: true" : "");
    }
}

static wl_status write_list(wl_buffer *out, const char *key, int kind, wl_symbols *symbols,
                            const wl_ptx_rolled_loops *rolled, const wl_ptx_fields *fields, wl_error *err)
{
    bool any = false;
    for (size_t i = 0; i < rolled->count; i++) {
        const wl_ptx_access *a = &rolled->accesses[i];
        if ((a->atomic ? 2 : a->step->store) != kind)
            continue;
        if (!any)
            wl_buffer_add(out, "%s:\n", key);
        any = true;
        size_t f = 0;
        while (fields->list[f].buffer != a->buffer || fields->list[f].constant)
            f++;
        WL_TRY(write_access(out, symbols, a, &fields->list[f], err));
    }
    if (!any && kind == 0)
        wl_buffer_add(out, "loads: []\n");
    return WL_OK;
}

static void write_domain(wl_buffer *out, const wl_ptx_launch *launch, const int64_t domain[3], const int64_t first[3])
{
    int dims = 0, from = 0;
    for (int d = 0; d < 3; d++) {
        if (domain[d] || first[d])
            dims = d + 1;
        if (first[d])
            from = d + 1;
    }
    /* dimensions that the kernel does not test extend as far as the launch */
    for (int d = 2; d >= dims && dims > 0; d--)
        if (launch->grid[d] * launch->block[d] > 1)
            dims = d + 1;
    for (int d = 0; d < dims; d++)
        wl_buffer_add(out, "%s%lld", d ? ", " : "domain: [",
                      (long long)(domain[d] ? domain[d] : launch->grid[d] * launch->block[d]));
    if (dims)
        wl_buffer_add(out, "]\n");
    for (int d = 0; d < from; d++)
        wl_buffer_add(out, "%s%lld%s", d ? ", " : "from: [", (long long)first[d], d + 1 == from ? "]\n" : "");
}

static void write_stage(wl_buffer *out, const wl_idle_stage *s)
{
    wl_buffer_add(out, "  - {within: [%lld, %lld, %lld]", (long long)s->end[0], (long long)s->end[1],
                  (long long)s->end[2]);
    if (s->first[0] || s->first[1] || s->first[2])
        wl_buffer_add(out, ", from: [%lld, %lld, %lld]", (long long)s->first[0], (long long)s->first[1],
                      (long long)s->first[2]);
    (void)wl_classes_write(", ", s->mix, out);
    wl_buffer_add(out, "}\n");
}

static void write_summary(wl_buffer *out, const wl_ptx_summary *s)
{
    if (s->has_mix)
        wl_item_flops_write(&s->item, out);
    if (s->registers > 0)
        wl_buffer_add(out, "registers: %lld\n", (long long)s->registers);
    if (s->shared_bytes > 0)
        wl_buffer_add(out, "shared_bytes: %lld\n", (long long)s->shared_bytes);
    if (s->barriers > 0)
        wl_buffer_add(out, "barriers: %.15g\n", s->barriers);
    if (s->has_mix) {
        wl_item_mix_write(&s->item, out);
        if (wl_classes_write(s->stage_count ? "idle_instructions:\n  - {" : "idle_instructions: {", s->idle, out))
            wl_buffer_add(out, "}\n");
        for (int i = 0; i < s->stage_count; i++)
            write_stage(out, &s->stages[i]);
    }
    wl_buffer_add(out, "guarded_cells: true\n");
}

wl_status wl_ptx_kernel_text(const wl_ptx_launch *launch, const wl_ptx_recovery *recovery,
                             const wl_ptx_rolled_loops *rolled, const wl_ptx_fields *fields,
                             const wl_ptx_summary *summary, char **out, wl_error *err)
{
    wl_buffer text = {0};
    wl_symbols *symbols = (wl_symbols *)&recovery->symbols;
    wl_buffer_add(&text, "# recovered from %s, entry %s,\n# block %lldx%lldx%lld, grid %lldx%lldx%lld\n",
                  summary->input, launch->entry->shown.text, (long long)launch->block[0], (long long)launch->block[1],
                  (long long)launch->block[2], (long long)launch->grid[0], (long long)launch->grid[1],
                  (long long)launch->grid[2]);
    const char first = summary->name[0];
    const bool plain =
        (wl_is_letter(first) || wl_is_digit(first) || first == '_') && !strpbrk(summary->name, ":#,{}&*");
    wl_buffer_add(&text, plain ? "name: %s\n" : "name: '%s'\n", summary->name);
    write_domain(&text, launch, recovery->domain, recovery->first);
    write_fields(&text, fields);
    for (int i = 0; i < rolled->table.count; i++)
        /* NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage) as many names as loops */
        wl_buffer_add(&text, "%s%s: %lld%s", i ? ", " : "loops: {", loop_names[i], (long long)rolled->table.extent[i],
                      i + 1 == rolled->table.count ? "}\n" : "");
    wl_status status = write_list(&text, "loads", 0, symbols, rolled, fields, err);
    if (status == WL_OK)
        status = write_list(&text, "stores", 1, symbols, rolled, fields, err);
    if (status == WL_OK)
        status = write_list(&text, "atomics", 2, symbols, rolled, fields, err);
    write_summary(&text, summary);
    if (status != WL_OK) {
        free(text.text);
        return status;
    }
    return wl_buffer_take(&text, out, err);
}
